import { createFeedClient } from '../../src/feed/feed-client.js'
import type { FeedClient, FeedClientOptions } from '../../src/feed/feed-listener.js'
import { textFromScaled } from '../../src/model/decimal.js'
import { FEED_DAY, FEED_INSTRUMENTS } from './made-feed.ts'

/** A feed client whose listener notes everything in words, in the order of the wire. */
export interface LiveClient {
  readonly client: FeedClient
  readonly words: string[]
  readonly errors: Error[]
  until(holds: () => boolean): Promise<void>
  /** Resolves when so many words are there. */
  heard(count: number): Promise<readonly string[]>
}

const clients: FeedClient[] = []

export function liveClient(url: string, options: Partial<FeedClientOptions> = {}): LiveClient {
  const words: string[] = []
  const errors: Error[] = []
  let wake: (() => void)[] = []
  const say = (word: string): void => {
    words.push(word)
    const waiting = wake
    wake = []
    for (const resolve of waiting) resolve()
  }
  const client = createFeedClient({
    url, apiKey: 'k', login: { organization: 'o', applicationName: 'a', applicationVersion: '1', processId: 'client-1' }, epochDay: FEED_DAY, reconnect: { firstMs: 1, mostMs: 20 },
    instrumentOf: (id) => FEED_INSTRUMENTS.filter((one) => one.id === id).map((instrument) => ({ instrument, priceScale: 4, quantityScale: 0 }))[0],
    listener: {
      onLine: (batch, index) => {
        const row = batch.rowStart[index]!
        const price = batch.rowStart[index + 1]! > row ? ` ${textFromScaled(batch.price[row]!, batch.priceScale)}` : ''
        say(`${batch.kind[index]!}${price}${batch.flags[index] === 0 ? '' : ` flags ${batch.flags[index]!}`}`)
      },
      onState: ({ instrumentId, state, text }) => say(`${instrumentId} ${state} ${text}`.trim()),
      onUnreadable: (id) => say(`${id} unreadable`),
      onResubscribe: (id) => say(`${id} again`),
      onLogin: ({ processId }) => say(`login ${processId}`),
      onNotice: (text) => say(`notice ${text}`),
      onConnection: (state, reason) => say(`${state} ${reason}`.trim()),
      onError: (error) => say(`error ${errors.push(error)} ${error.message}`),
    },
    ...options,
  })
  clients.push(client)
  const until = async (holds: () => boolean): Promise<void> => { while (!holds()) await new Promise<void>((resolve) => wake.push(resolve)) }
  return { client, words, errors, until, heard: (count) => until(() => words.length >= count).then(() => words) }
}

export async function closeClients(): Promise<void> {
  for (const client of clients.splice(0)) await client.close()
}
