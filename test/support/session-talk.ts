import { OrderEntrySession } from '../../src/protocol/order-entry-session.js'
import { OrderInstruments } from '../../src/protocol/order-instruments.js'
import { EPOCH_DAY, accountOf, madeBench, sourceOf, uuid, type ServedOptions } from './served-world.ts'

export type Said = Readonly<Record<string, unknown>> & { readonly msgType: string }

/** A session of the order entry protocol over a world, without a socket: what is said in, what comes out. */
export class SessionTalk {
  readonly bench: ReturnType<typeof madeBench>
  readonly texts: string[] = []
  readonly session: OrderEntrySession
  readonly #orders: Map<string, OrderInstruments>
  readonly extensions: unknown[] = []
  /** True: what is due is played after each message. */
  plays = true

  constructor(options: ServedOptions = {}, over?: SessionTalk) {
    this.bench = over?.bench ?? madeBench({ accountIds: ['A', 'B'], accounts: [accountOf('A', options.profile === undefined ? {} : { profile: options.profile }), accountOf('B')], ...options })
    const source = sourceOf(this.bench)
    this.#orders = over?.ordersByAccount ?? new Map(['A', 'B'].map((id) => [id, new OrderInstruments(source.instruments)]))
    const clientId = (processId: string): string => (over === undefined ? processId : `${processId}#2`)
    this.session = new OrderEntrySession({
      processId: 'adapter-1', version: '1.0', clock: source.clock, instruments: source.instruments,
      ordersOf: (accountId) => this.#orders.get(accountId),
      connect: ({ processId, accountId }, listener) => source.connect(clientId(processId), accountId, listener),
      disconnect: (entry) => { (entry as unknown as { disconnect(): void }).disconnect() },
      extension: (message) => message['msgType'] === 'stepped' && this.extensions.push(message) > 0,
      send: (text) => { this.texts.push(text) },
    })
    this.session.open()
  }

  get ordersByAccount(): Map<string, OrderInstruments> {
    return this.#orders
  }

  /** Everything that came so far, and forgets it. */
  taken(): Said[] {
    return this.texts.splice(0).map((text) => JSON.parse(text) as Said)
  }

  /** Says something; what comes of it. */
  say(message: object | string): Said[] {
    this.taken()
    this.session.receive(typeof message === 'string' ? message : JSON.stringify(message))
    if (this.plays) this.bench.run([], this.bench.nowNs)
    return this.taken()
  }

  run(untilNs: number): Said[] {
    this.taken()
    this.bench.run([], untilNs)
    this.bench.nowNs = untilNs
    return this.taken()
  }

  logIn(options: object = {}, more: object = {}): Said[] {
    return this.say({ msgType: 'login', accountId: 'A', requestId: 'r1', processId: 'p', version: '1', options, ...more })
  }

  place(...entries: readonly object[]): Said[] {
    return this.say({ msgType: 'place', accountId: 'A', entries: entries.map((entry, index) => placeOf(index + 1, entry)) })
  }
}

/** A place entry on the wire. */
export function placeOf(number: number, more: object = {}): object {
  return {
    ownOrderId: uuid(number), clientOrderId: uuid(number), instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: '100', totalQuantity: '1', ...more,
  }
}

/** Epoch nanoseconds of a time of the made day, as digits. */
export function stamp(timeNs: number): string {
  return String(BigInt(EPOCH_DAY) * 86_400_000_000_000n + BigInt(timeNs))
}
