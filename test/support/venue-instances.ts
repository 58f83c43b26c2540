import { once } from 'node:events'
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { openStrategyServer } from '../../src/strategy-server/strategy-server.js'
import type { StrategyServerConfig } from '../../src/strategy-server/strategy-server-options.js'
import { datasetsFolder } from './datasets-folder.ts'
import { newFolder } from './new-folder.ts'
import { writeModules } from './strategy-modules.ts'

export const SWAP_DAY = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
export const KEY = 'a-key-that-stands-nowhere'
const BASE = '/api/v1/strategy'

/** Keeps two orders far from the touch, takes every ten seconds, and does what messages say. */
const MODULE = `
import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Placer extends Strategy {
  @Parameter(TradingInstrument) instrument
  onStart() {
    this.desk = this.openChannel('desk')
    this.every(500, () => this.place())
    this.every(10_000, () => this.take())
  }
  place() {
    const { openOrders, bestBid } = this.instrument
    if (bestBid === null || openOrders.length >= 2) return
    this.instrument.placeOrder({ side: 'BID', price: this.instrument.price('1'), quantity: this.instrument.quantity('100') })
  }
  take() {
    const { bestAsk } = this.instrument
    if (bestAsk !== null) this.instrument.placeOrder({ side: 'BID', price: bestAsk.price, quantity: this.instrument.quantity('100'), postOnly: false })
  }
  onChannelMessage(channel, { origin, message }) {
    this.log('got ' + message)
    if (origin === 'me') channel.publish(message + ' to ' + origin)
    if (message === 'loop') for (;;);
    if (message === 'throw') throw new Error('told to throw')
    if (message === 'exit') process.exit(3)
    if (message === 'timer') setTimeout(() => { throw new Error('out of a timer') })
  }
}
`

/** The status of an instance, as far as these tests look at it. */
export interface Status {
  readonly state: string
  readonly reason: string | null
  readonly openOrders?: readonly string[]
  readonly progress?: {
    readonly time: string, readonly events: number, readonly fills: number, readonly orders: number, readonly openOrders: number
    readonly positions: readonly object[], readonly profit?: { readonly amount: string }
  }
  readonly end?: { readonly end: string, readonly code: string | null, readonly openOrders: readonly string[], readonly stack: string | null }
}

/** A strategy server that runs instances, in this process or in one of its own. */
export class VenueServer {
  constructor(readonly url: string, readonly config: StrategyServerConfig, readonly notes: readonly string[], readonly close: () => Promise<void>) {}

  async ask<Answer>(path: string, body?: object | string): Promise<Answer> {
    const response = await fetch(this.url + path, body === undefined ? {} : {
      method: 'POST', headers: { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }, body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return (text === '' ? null : JSON.parse(text)) as Answer
  }

  /** Makes an instance; its id, or the words of the refusal. */
  async made(instanceName: string, venue: string, parameters: object = { instrument: 'XRPUSDT' }): Promise<string> {
    const { instanceId, error } = await this.ask<{ instanceId?: string, error?: { message: string } }>(`${BASE}/instance`, { instanceName, strategyName: 'Placer', venue, parameters })
    return instanceId ?? error!.message
  }

  async started(instanceName: string, venue: string): Promise<string> {
    const id = await this.made(instanceName, venue)
    await this.start(id)
    return id
  }

  start(id: string, more: object = {}): Promise<Status> {
    return this.ask(`${BASE}/instance/${id}/start`, more)
  }

  stop(id: string, more: object = {}): Promise<Status> {
    return this.ask(`${BASE}/instance/${id}/stop`, more)
  }

  send(message: string): Promise<unknown> {
    return this.ask('/api/v1/channel/desk/send?origin=me', message)
  }

  async status(id: string): Promise<Status> {
    return (await this.ask<{ status: Status }>(`${BASE}/instance/${id}`)).status
  }

  /** Waits for a status, 60 s at most. */
  async until(id: string, fits: (status: Status) => boolean, times = 1_200): Promise<Status> {
    for (let at = 0; ; at++) {
      const status = await this.status(id)
      if (fits(status)) return status
      if (at === times) throw new Error(JSON.stringify([status, this.notes]))
      await new Promise((resolve) => { setTimeout(resolve, 50) })
    }
  }

  /** Waits for orders at the adapter. */
  trading(id: string): Promise<Status> {
    return this.until(id, ({ state, progress }) => state !== 'RUNNING' && state !== 'STARTING' ? fail(state) : progress?.openOrders === 2)
  }
}

function fail(state: string): never {
  throw new Error(`it is ${state}`)
}

/** The configuration of a server over venues. */
export function venueConfig(venues: object, more: Partial<StrategyServerConfig> = {}): StrategyServerConfig {
  const strategies = newFolder()
  writeModules(strategies, { 'placer.ts': MODULE })
  return { strategies, venues, port: 0, store: join(newFolder(), 'store'), limits: { callbackMs: 1_500, heapMb: 256, bufferMb: 256 }, ...more } as StrategyServerConfig
}

/** Opens a server in this process. */
export async function openedVenues(config: StrategyServerConfig): Promise<VenueServer> {
  const notes: string[] = []
  const server = await openStrategyServer({ ...config, onNote: (sentence) => { notes.push(sentence) } })
  return new VenueServer(server.url, config, notes, () => server.close())
}

/** Opens a server in a process of its own, which a test may kill. */
export async function spawnedVenues(config: StrategyServerConfig, env: NodeJS.ProcessEnv = {}): Promise<{ readonly server: VenueServer, readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'venue-server-child.mjs'), JSON.stringify(config)], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const notes: string[] = []
  child.stderr.on('data', (data: Buffer) => { notes.push(data.toString('utf8')) })
  const [line] = await once(child.stdout, 'data') as [Buffer]
  return {
    child, server: new VenueServer(line.toString('utf8').trim(), config, notes, async () => {
      const gone = once(child, 'close')
      child.kill('SIGKILL')
      await gone
    }),
  }
}

/** Serves five minutes, and the venue of it. */
export async function servedVenue(speed = 20): Promise<{ readonly serving: Serving, readonly venue: { readonly type: 'simulated', readonly feeds: readonly string[], readonly backend: string, readonly accounts: readonly string[] }, readonly openCount: () => number }> {
  const serving = await openServing({
    data: [SWAP_DAY], from: '23:55', httpPort: 0, replay: { speed }, keys: [{ key: KEY, markets: ['synthetic_swap'], days: 'always' }],
    accounts: { paper: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } } },
  })
  void serving.run()
  const { feeds, http } = serving.addresses
  return {
    serving, openCount: () => [...serving.replay.world.orders.openOrders()].length,
    venue: { type: 'simulated', feeds: [feeds[0]!.json], backend: http, accounts: ['paper'] },
  }
}
