import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import type { World } from '../../src/exchange/world.js'
import type { Instrument } from '../../src/model/instrument.js'
import { createOrderEntryServer } from '../../src/order-entry/order-entry-server.js'
import { loginOrderEntry } from '../../src/order-entry/order-entry-client.js'
import type { OrderEntryClient, OrderEntryClientOptions } from '../../src/order-entry/order-entry-client-options.js'
import type { OrderEntryServer, OrderEntryServerOptions, OrderEntrySource } from '../../src/order-entry/order-entry-source.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { messagesTo } from '../../src/protocol/order-entry-messages.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { ExchangeBench, type BenchOptions } from './exchange-bench.ts'
import { lineBatch, madeInstrument } from './market-lines.ts'
import { newFolder } from './new-folder.ts'

/** Days since 1970-01-01 of the made market: 2024-08-08, so that stamps are beyond 2^53. */
export const EPOCH_DAY = 19943

export interface ServedOptions extends Partial<BenchOptions> {
  readonly instrument?: Instrument
  readonly batches?: readonly EventBatch[]
  readonly server?: Partial<OrderEntryServerOptions>
  readonly hasDomainSocket?: boolean
  readonly accountIds?: readonly string[]
}

/** A world behind an order entry server, at simulated times that only requests move: everything due now is played after each. */
export interface ServedWorld {
  readonly bench: ExchangeBench
  readonly world: World
  readonly source: OrderEntrySource
  readonly server: OrderEntryServer
  readonly http: Server
  readonly port: number
  readonly domainSocket: string
  readonly logs: string[]
  /** Plays the exchange up to a time. */
  run(untilNs: number): void
  close(): Promise<void>
}

/** A market with a book at 100 and 110; times in ns. */
function madeBook(instrument: Instrument): EventBatch {
  return { ...lineBatch([
    { kind: 'snapshot', timeNs: 0, rows: [[0, 1000, 500], [1, 1100, 500]] },
    { kind: 'trades', timeNs: 1000, rows: [[1, 1010, 200]] },
  ], { instrument, priceScale: 1, quantityScale: 2 }), epochDay: EPOCH_DAY }
}

const INSTRUMENT: Instrument = madeInstrument({ tickSize: '0.5', lotSize: '0.01' })

export function accountOf(accountId: string, more: Partial<AccountConfig> = {}): AccountConfig {
  return { accountId, exchangeCode: 'test', balances: new Map([[2, '100000']]), fees: { maker: '0', taker: '0.001' }, ...more }
}

/** A source over a bench; tasks that are due are played by `post`. */
export function sourceOf(bench: ExchangeBench): OrderEntrySource {
  const [world] = bench.worlds
  return {
    clock: { epochDay: EPOCH_DAY, nowNs: () => bench.nowNs }, instruments: world!.config.instruments,
    accounts: new Map(world!.config.accounts.map(({ accountId, exchangeCode }) => [accountId, { exchangeId: 1, exchangeCode }])),
    connect(clientId, accountId, listener) {
      const entry = world!.connect(clientId, accountId, listener, () => bench.nowNs)
      return Object.assign(entry, { disconnect: () => { world!.disconnect(clientId, accountId) } })
    },
  }
}

export function madeBench({ instrument = INSTRUMENT, batches, accountIds = ['A'], ...more }: ServedOptions = {}): ExchangeBench {
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: batches ?? [madeBook(instrument)], priceScale: 1, quantityScale: 2 }], clients: {},
    accounts: accountIds.map((accountId) => accountOf(accountId)), ...more,
  })
  bench.run([], 0)
  return bench
}

export async function serveWorld(options: ServedOptions = {}): Promise<ServedWorld> {
  const bench = madeBench(options)
  const source = sourceOf(bench)
  const logs: string[] = []
  const domainSocket = join(newFolder('oe-'), 'a.sock')
  const run = (untilNs: number): void => {
    bench.run([], untilNs)
    bench.nowNs = Math.max(bench.nowNs, untilNs)
  }
  const server = createOrderEntryServer({
    source, processId: 'adapter-1', version: '1.0', onLog: (text) => { logs.push(text) },
    post: (task) => {
      task()
      run(bench.nowNs)
    },
    ...(options.hasDomainSocket === false ? {} : { domainSocket }), ...options.server,
  })
  const http = createServer((request, response) => {
    if (!server.request(request, response)) response.writeHead(404).end()
  })
  http.on('upgrade', (request, socket, head) => {
    if (!server.upgrade(request, socket, head)) socket.destroy()
  })
  await new Promise<void>((done) => { http.listen(0, '127.0.0.1', () => { done() }) })
  const { port } = http.address() as { readonly port: number }
  await server.open()
  return {
    bench, world: bench.worlds[0]!, source, server, http, port, domainSocket, logs, run,
    async close() {
      await server.close()
      http.closeAllConnections()
      await new Promise((done) => http.close(done))
    },
  }
}

/** A client with everything that it received, and a way to wait for it. */
export interface TestClient {
  readonly client: OrderEntryClient
  readonly heard: ClientMessage[]
  readonly notes: string[]
  /** Resolves with the first message not taken so far that passes. */
  next<Kind extends ClientMessage['kind']>(kind: Kind): Promise<Extract<ClientMessage, { readonly kind: Kind }>>
  /** Resolves when a note begins with these words. */
  note(words: string): Promise<string>
}

export async function loggedIn(served: { readonly port: number, readonly world: World }, more: Partial<OrderEntryClientOptions> = {}): Promise<TestClient> {
  const heard: ClientMessage[] = []
  const notes: string[] = []
  const waiting: (() => void)[] = []
  const woken = (): void => { for (const wake of waiting.splice(0)) wake() }
  const note = (text: string): void => {
    notes.push(text)
    woken()
  }
  const listener = {
    ...messagesTo((message) => {
      heard.push(message)
      woken()
    }),
    onConnection: (state: string, reason: string) => { note(`connection ${state} ${reason}`) },
    onExtension: (message: object) => { note(`extension ${JSON.stringify(message)}`) },
    onInvalidRequest: (message: string) => { note(`invalidRequest ${message}`) },
    onError: (error: Error) => { note(`error ${error.message}`) },
  }
  const client = await loginOrderEntry({
    backend: `http://127.0.0.1:${served.port}`, accountId: 'A', processId: 'p', version: '1', instruments: served.world.config.instruments,
    epochDay: EPOCH_DAY, extraOptions: { backtape: true }, listener, reconnect: { firstMs: 1, mostMs: 20 }, ...more,
  })
  const taken = new Set<unknown>()
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = find()
      if (found !== undefined) {
        taken.add(found)
        return found
      }
      await new Promise<void>((done) => { waiting.push(done) })
    }
  }
  return {
    client, heard, notes,
    next: (kind) => until(() => heard.find((one) => one.kind === kind && !taken.has(one)) as never),
    note: (words) => until(() => notes.find((one) => one.startsWith(words))),
  }
}

/** A UUID of a number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}
