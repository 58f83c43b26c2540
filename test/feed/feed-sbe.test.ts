import { afterEach, expect, test } from 'vitest'
import { createFeedClient } from '../../src/feed/feed-client.js'
import type { FeedState } from '../../src/protocol/feed-messages.js'
import { closeServers, madeServer } from '../support/feed-peer.ts'
import { FEED_DAY, FEED_LINES } from '../support/made-feed.ts'
import { linesOfBatch } from '../support/tick-lines.ts'

afterEach(closeServers)

/** The messages that a client of one endpoint has read when the last of the played lines has come. */
async function readFrom(path: string): Promise<{ readonly lines: readonly string[], readonly states: readonly FeedState[] }> {
  const made = await madeServer()
  const lines: string[] = []
  const states: FeedState[] = []
  const played = Object.values(FEED_LINES)
  let onEnd: () => void = () => undefined
  let onReady: () => void = () => undefined
  const ended = new Promise<void>((resolve) => { onEnd = resolve })
  const ready = new Promise<void>((resolve) => { onReady = resolve })
  const client = createFeedClient({
    url: made.url('test_swap', path, ''), apiKey: 'k', login: { organization: 'o', applicationName: 'a', applicationVersion: '1', processId: 'p' }, epochDay: FEED_DAY, reconnect: false,
    instrumentOf: (id) => made.feed.instruments.get(id),
    listener: {
      onLine: (batch, index) => {
        lines.push(linesOfBatch(batch)[index]!)
        if (lines.at(-1)!.startsWith('[1,1210') && lines.length > 3) onEnd()
      },
      onState: (state) => {
        states.push(state)
        onReady()
      },
      onError: (error) => { throw error },
    },
  })
  await client.connect()
  client.subscribe(1210, { depth: true, trades: true, topOfBook: true, indexPrice: true, markPrice: true, fundingRate: true, liquidations: true })
  await ready
  for (const line of played) made.feed.play(line)
  made.feed.play('[1,1210,"7","8",1782345122476611205,0,[[0,"1.0","5",1]]]')
  await ended
  await client.close()
  return { lines, states }
}

test('a client reads over SBE what it reads over JSON', async () => {
  const [sbe, json] = [await readFrom('/api/v6/sbe'), await readFrom('/api/v6')]
  expect(sbe).toEqual(json)
  expect(sbe.lines.length).toBeGreaterThan(5)
})
