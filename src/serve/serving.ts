import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { FeedKeys } from '../feed/feed-access.js'
import { createFeedServer } from '../feed/feed-server.js'
import type { FeedServer } from '../feed/feed-source.js'
import { directoryRoute } from '../feed/instrument-directory.js'
import { createOrderEntryServer } from '../order-entry/order-entry-server.js'
import type { OrderEntryServer } from '../order-entry/order-entry-source.js'
import { STEP_OPTION } from '../protocol/lock-step-messages.js'
import { closed, createServer, listening } from './http-server.js'
import { Pacer } from './pacer.js'
import type { ServeAddresses, ServeOptions } from './serve-options.js'
import { openServedReplay, type ServedReplay } from './served-replay.js'

const VERSION = '1'

/** A server that listens. */
export interface Serving {
  readonly addresses: ServeAddresses
  readonly pacer: Pacer
  readonly replay: ServedReplay
  readonly feed: FeedServer
  readonly orderEntry: OrderEntryServer
  /** Moves the replay to its end, or until {@link close}. */
  run(): Promise<'ended' | 'stopped'>
  /** Says good-bye to everybody and closes everything; harmless twice. */
  close(): Promise<void>
}

/**
 * Serves recorded days on this machine as the vendor's live system: a feed a market, and one HTTP server with the
 * directory, the lookup and the adapter. Everything listens when it resolves; nothing moves before {@link Serving.run}.
 *
 * Throws OPTION_INVALID for options that mean nothing, ADDRESS_IN_USE for a port or socket that is taken, and the
 * errors of the files.
 */
export async function openServing(options: ServeOptions): Promise<Serving> {
  const {
    host = '127.0.0.1', httpPort = 8_080, domainSocket, replay: how = {}, ping, controlPort: _, markets, keys: given,
    ...run
  } = options
  const replay = await openServedReplay(run)
  await replay.begin()
  const codes = [...new Set(replay.feed.instruments.entries.map(({ instrument }) => instrument.exchangeCode))].sort()
  const keys = given ?? [{ key: randomUUID(), markets: codes, days: 'always' as const }]
  const { entries } = replay.feed.instruments
  const byId = new Map(entries.map(({ instrument: { id, exchangeCode } }) => [id, exchangeCode]))
  const access = new FeedKeys({
    keys, markets: codes, marketOf: (id) => byId.get(id), now: () => replay.clock.now(),
  })
  const known = codes.map((code) => ({ code, name: code, exchangeId: exchangeIdOf(replay, code) }))
  const processId = 'backtape-serve'
  const { speed = 1, start = 'first-subscription' } = how
  const extensions = { speed, [STEP_OPTION]: speed === 'lockstep', epochDay: replay.clock.epochDay }
  let pacer: Pacer | null = null
  const post = (task: () => void): void => {
    if (pacer === null) task()
    else pacer.post(task)
  }
  const onLog = (text: string): void => { options.onNote?.(text) }
  const closes: (() => Promise<void>)[] = [() => replay.close()]
  const close = async (): Promise<void> => {
    pacer?.stop()
    for (const one of closes.splice(0).reverse()) await one()
  }
  try {
    const feed = await createFeedServer({
      source: replay.feed, host, access, processId, clock: 'simulated', extensions, post,
      markets: known.map((market) => ({ ...market, port: markets?.[market.code]?.feedPort ?? 0 })),
      ...(ping === undefined ? {} : { ping }), onLog,
    })
    closes.push(() => feed.close())
    const orderEntry = createOrderEntryServer({
      source: replay.orderEntry, processId, version: VERSION, post, extensions,
      ...(domainSocket === undefined ? {} : { domainSocket }),
      extensionTypes: ['stepped'], onLog,
      onExtension: (connection, message) => { pacer?.lockStep.receive(connection, message) },
    })
    const own = new Pacer({ replay, feed, orderEntry, speed, start })
    pacer = own
    const directory = directoryRoute({ source: replay.feed, access, markets: known })
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      if (directory(request, response) || orderEntry.request(request, response)) return
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}')
    }
    const http = createServer(answer)
    http.on('upgrade', (request, socket, head: Buffer) => {
      if (!orderEntry.upgrade(request, socket, head)) socket.destroy()
    })
    const port = await listening(http, host, httpPort)
    closes.push(() => closed(http), () => orderEntry.close())
    await orderEntry.open({ host, port })
    return {
      addresses: {
        http: `http://${host}:${port}`, feeds: feed.addresses, domainSocket: domainSocket ?? null,
        accounts: [...replay.orderEntry.accounts.keys()], keys: keys.map(({ key }) => key),
      },
      pacer: own, replay, feed, orderEntry, close,
      run: () => own.run(),
    }
  } catch (error) {
    await close()
    throw error
  }
}

function exchangeIdOf({ feed }: ServedReplay, code: string): number | null {
  const entry = feed.instruments.entries.find(({ instrument }) => instrument.exchangeCode === code)
  return entry?.instrument.exchangeId ?? null
}
