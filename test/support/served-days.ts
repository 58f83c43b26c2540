import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { ServeOptions } from '../../src/serve/serve-options.js'
import { openServing, type Serving, type ServingWall } from '../../src/serve/serving-server.js'
import { datasetsFolder } from './datasets-folder.ts'
import { FeedPeer } from './feed-peer.ts'

/** The end of a made-up day: five minutes of a perpetual. */
export const SERVED_DAY = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
export const MARKET = 'synthetic_swap'

const ACCOUNT = { exchange: MARKET, balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } }

/** An answer of the control port. */
export interface ControlAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A server over that day with everything at free ports, paused where nothing else is said, and what its clients need. */
export class ServedDays {
  readonly log: string[] = []
  readonly ended: Promise<unknown>
  readonly #peers: FeedPeer[] = []

  private constructor(readonly serving: Serving, log: readonly string[]) {
    this.log = log as string[]
    this.ended = serving.run()
  }

  static async open(options: Partial<ServeOptions> = {}, wall: ServingWall = {}): Promise<ServedDays> {
    const log: string[] = []
    const { replay, ...rest } = options
    return new ServedDays(await openServing({
      data: [SERVED_DAY], from: '23:55', accounts: { paper: ACCOUNT }, httpPort: 0, controlPort: 0,
      keys: [{ key: 'k', markets: [MARKET], days: 'always' }], onNote: (text) => log.push(text),
      replay: { speed: 'max', start: 'paused', ...(typeof replay === 'object' ? replay : {}) }, ...rest,
    }, wall), log)
  }

  get instrumentId(): number {
    return this.serving.replay.feed.instruments.entries[0]!.instrument.id
  }

  async close(): Promise<void> {
    await this.serving.close()
    await this.ended
    for (const { socket } of this.#peers) socket.terminate()
  }

  /** A client of the feed that is logged in and has subscribed; what came is at hand. */
  async reader(key = 'k', topics = '{}'): Promise<FeedPeer> {
    const peer = await this.connected(`${this.serving.addresses.feeds[0]!.json}?apiKey=${key}`)
    if (peer.refusal !== null) return peer
    peer.send('[13,"org","app","1","reader"]', `[11,${this.instrumentId},${topics}]`)
    await peer.until(() => peer.texts.some((text) => text.startsWith('[5,')) || peer.closeCode !== null)
    return peer
  }

  /** A client of order entry that is logged in. */
  async trader(options: object = {}, processId = 'trader'): Promise<FeedPeer> {
    const peer = await this.connected(`${this.serving.addresses.http.replace('http', 'ws')}/api/v2`)
    peer.send(JSON.stringify({ msgType: 'login', accountId: 'paper', requestId: 'r', processId, version: '1', options }))
    await firstMessage(peer, 'loginResponse')
    return peer
  }

  async connected(url: string): Promise<FeedPeer> {
    const peer = await FeedPeer.connect(url)
    this.#peers.push(peer)
    return peer
  }

  /** An action of the control port. */
  async post(action: string, body: object | string = {}, headers: Readonly<Record<string, string>> = {}, method = 'POST'): Promise<ControlAnswer> {
    const { url, token } = this.serving.addresses.control!
    const response = await fetch(`${url}/${action}`, {
      method, headers: { authorization: `Bearer ${token}`, ...headers },
      ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() as ControlAnswer['body'] }
  }

  /** Steps until something holds. */
  async stepUntil(holds: () => boolean): Promise<void> {
    while (!holds()) {
      const { status, body } = await this.post('step')
      if (status !== 200 || body['hasEnded'] === true) throw new Error(`Cannot step on: ${JSON.stringify(body)}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** Opens servers for the tests of a file; each is closed behind its test. */
export function servers(): typeof ServedDays.open {
  const open: ServedDays[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })
  return async (...options) => {
    const served = await ServedDays.open(...options)
    open.push(served)
    return served
  }
}

/** The first message of a type that an order entry client has received, waited for. */
export async function firstMessage(peer: FeedPeer, msgType: string, words = ''): Promise<Readonly<Record<string, unknown>>> {
  const find = (): string | undefined => peer.texts.find((text) => text.includes(`"msgType":"${msgType}"`) && text.includes(words))
  await peer.until(() => find() !== undefined || peer.closeCode !== null)
  const text = find()
  if (text === undefined) throw new Error(`No ${msgType} came: ${peer.texts.join('\n')}`)
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}

/** A market order on the wire. */
export function marketOrder(instrumentId: number, number: number): string {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  return JSON.stringify({
    msgType: 'place', accountId: 'paper',
    entries: [{ ownOrderId: id, clientOrderId: id, instrumentId, type: 'MARKET', side: 'BID', timeInForce: 'IMMEDIATE_OR_CANCEL', totalQuantity: '100' }],
  })
}
