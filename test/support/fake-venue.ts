import { DrawnId, type Id } from '../../src/model/id.js'
import type { OrderReport } from '../../src/model/order.js'
import { RandomNumbers } from '../../src/model/random.js'
import { nextDueNs } from '../../src/model/time.js'
import type { AmendEntry, CancelAllRequest, CancelEntry, PlaceEntry, ReplaceEntry } from '../../src/venue/messages.js'
import type { Clock, InstrumentEntry, MarketDataListener, OpeningTerms, OrderEntry, OrderEntryListener, Subscription, Timers, Topics, Venue } from '../../src/venue/venue.js'
import { FakeMarket, fakeEntry, lineBatch, type FakeRow } from './fake-market.js'
import type {
  AccountState, Capabilities, Fill, IsolatedPosition, Position, Wallet,
} from '../../src/venue/account-messages.js'

const FAKE_CAPABILITIES: Capabilities = {
  amend: true, replace: true, cancelAll: true, closeOnly: true, reduceOnly: true, displayQuantity: true,
  orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED'], timeInForces: ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL'], walletTypes: ['ACCOUNT'],
  averageEntryPrice: true, positionUnrealizedPnl: false, liquidationPrice: false, cashBalance: true, walletUnrealizedPnl: false, availableBorrow: true, retryTime: false, spare: false,
}

/** Time that a test moves; timers fire in the order (time, order of setting). */
class FakeClock implements Clock {
  readonly epochDay = 0
  readonly waiting: { clientId: string, name: string, timeNs: number, sequence: number, onTimer: (name: string) => void }[] = []
  #now = 0
  #sequence = 0

  nowNs(): number { return this.#now }
  now(): bigint { return BigInt(this.#now) }

  timers(clientId: string, onTimer: (name: string) => void): Timers {
    const cancel = (name: string): void => {
      const at = this.waiting.findIndex((timer) => timer.clientId === clientId && timer.name === name)
      if (at >= 0) this.waiting.splice(at, 1)
    }
    const put = (timeNs: number, name: string, call: (name: string) => void): void => {
      cancel(name)
      this.waiting.push({ clientId, name, timeNs: Math.max(timeNs, this.#now), sequence: this.#sequence++, onTimer: call })
    }
    return {
      at: (timeNs, name) => put(timeNs, name, onTimer),
      cancel,
      timer: (name, target) => {
        const place = (): { timeNs: number, sequence: number } | undefined => this.waiting.find((timer) => timer.clientId === clientId && timer.name === name)
        const repeat = (dueNs: number, intervalNs: number): void => put(dueNs, name, () => {
          repeat(nextDueNs(dueNs, intervalNs, this.#now), intervalNs)
          target.onDue(name)
        })
        return {
          get dueNs() { return place()?.timeNs ?? NaN },
          get sequence() { return place()?.sequence ?? -1 },
          at: (timeNs) => put(timeNs, name, () => { target.onDue(name) }),
          every: repeat,
          cancel: () => cancel(name),
        }
      },
    }
  }

  /** Moves to a time and fires everything that is due up to it. */
  advanceTo(timeNs: number): void {
    for (;;) {
      const [next] = this.waiting.filter((timer) => timer.timeNs <= timeNs).sort((a, b) => a.timeNs - b.timeNs || a.sequence - b.sequence)
      if (next === undefined) break
      this.waiting.splice(this.waiting.indexOf(next), 1)
      this.#now = Math.max(this.#now, next.timeNs)
      next.onTimer(next.name)
    }
    this.#now = Math.max(this.#now, timeNs)
  }

  /** Fires what is due at this instant. */
  settle(): void {
    this.advanceTo(this.#now)
  }
}

/** Records what a strategy sends, and says what a test wants it to hear. */
export class FakeOrderEntry implements OrderEntry {
  readonly requests: ({ readonly kind: 'place', readonly entries: readonly PlaceEntry[] } | { readonly kind: 'amend', readonly entries: readonly AmendEntry[] } |
  { readonly kind: 'replace', readonly entries: readonly ReplaceEntry[] } | { readonly kind: 'cancel', readonly entries: readonly CancelEntry[] } |
  { readonly kind: 'cancelAll', readonly request: CancelAllRequest })[] = []

  readonly accountId: string
  readonly initial: AccountState
  readonly listener: OrderEntryListener

  constructor(accountId: string, initial: AccountState, listener: OrderEntryListener) {
    this.accountId = accountId
    this.initial = initial
    this.listener = listener
  }

  /** What the venue tells of opening any instrument. */
  opening: OpeningTerms | undefined

  get capabilities(): Capabilities { return this.initial.capabilities }
  openingTerms(): OpeningTerms | undefined { return this.opening }
  place(entries: readonly PlaceEntry[]): void { this.requests.push({ kind: 'place', entries }) }
  amend(entries: readonly AmendEntry[]): void { this.requests.push({ kind: 'amend', entries }) }
  replace(entries: readonly ReplaceEntry[]): void { this.requests.push({ kind: 'replace', entries }) }
  cancel(entries: readonly CancelEntry[]): void { this.requests.push({ kind: 'cancel', entries }) }
  cancelAll(request: CancelAllRequest): void { this.requests.push({ kind: 'cancelAll', request }) }
  orderContext(): void {}
  fillContext(): void {}

  /** Every place entry that was sent. */
  get placed(): readonly PlaceEntry[] {
    return this.requests.flatMap((request) => (request.kind === 'place' ? request.entries : []))
  }

  /** Accepted: the response, then CONFIRMED (exchange rules 5.1). */
  confirm(entry: PlaceEntry): void {
    const report = reportOf(entry)
    this.listener.onPlaceResponse([{ ownOrderId: entry.ownOrderId, clientOrderId: entry.clientOrderId, result: report }], 0)
    this.listener.onOrderUpdate([report], 0)
  }

  reject(entry: PlaceEntry, type = 'INVALID_PRICE'): void {
    this.listener.onPlaceResponse([{ ownOrderId: entry.ownOrderId, clientOrderId: entry.clientOrderId, error: { type, message: 'no', source: 'EXCHANGE' } }], 0)
  }

  update(entry: PlaceEntry, changes: Partial<OrderReport>): void {
    this.listener.onOrderUpdate([{ ...reportOf(entry), ...changes }], 0)
  }

  /** One execution: position (a wallet on spot), fill, order update. */
  execute(entry: PlaceEntry, quantity: number, after: { readonly executed: number, readonly position: number }): void {
    this.position({ instrumentId: entry.instrumentId, longPosition: Math.max(0, after.position), shortPosition: Math.max(0, -after.position) })
    this.listener.onFill([fillOf(entry, quantity)], 0)
    this.update(entry, { executedQuantity: after.executed, state: after.executed === entry.totalQuantity ? 'FILLED' : 'CONFIRMED' })
  }

  position(position: Position): void {
    this.listener.onPositionUpdate([position], 0)
  }
}

export function reportOf(entry: PlaceEntry): OrderReport {
  const { ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, price, totalQuantity, postOnly } = entry
  return { ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, price, totalQuantity, postOnly, exchangeOrderId: `x-${String(ownOrderId)}`, state: 'CONFIRMED', executedQuantity: 0 }
}

export function fillOf(entry: PlaceEntry, quantity: number, changes: Partial<Fill> = {}): Fill {
  const { ownOrderId, clientOrderId, instrumentId, side } = entry
  return {
    ownFillId: `f-${String(ownOrderId)}-${quantity}`, exchangeTradeId: 't', exchangeTimeNs: 3, ownOrderId, exchangeOrderId: `x-${String(ownOrderId)}`, clientOrderId, instrumentId, side, price: entry.price ?? 0,
    quantity, fees: '0.1', feeUnderlyingId: 20, addedLiquidity: true, update: false, ...changes,
  }
}

export function walletOf(underlyingId: number, amount: string): Wallet<string, number> {
  return { underlyingId, availableAmount: amount, amountBlockedForMargin: '0', marginBalance: amount }
}

export interface FakeVenueOptions {
  readonly entries?: readonly InstrumentEntry[]
  readonly capabilities?: Partial<Capabilities>
  readonly wallets?: readonly Wallet<string, number>[]
  readonly positions?: readonly Position[]
  readonly isolatedPositions?: readonly IsolatedPosition[]
  readonly opening?: OpeningTerms
  readonly underlyings?: Venue['underlyings']['entries']
  /** Ids are drawn out of this seed, as in a run; without it they are the texts `id-1`, `id-2` and so on. */
  readonly idSeed?: number
}

/** A venue that does what a test says, and nothing else. */
export class FakeVenue implements Venue {
  readonly clock = new FakeClock()
  readonly instruments: Venue['instruments']
  readonly underlyings: Venue['underlyings']
  readonly subscriptions: { readonly instrumentId: number, readonly topics: Topics, readonly listener: MarketDataListener }[] = []
  readonly accounts: Map<string, FakeOrderEntry> = new Map()
  readonly #options: FakeVenueOptions
  readonly #markets: Map<number, FakeMarket> = new Map()
  #idCount = 0

  constructor(options: FakeVenueOptions = {}) {
    this.#options = options
    const { entries = [fakeEntry()], underlyings = [] } = options
    this.underlyings = { entries: underlyings, get: (id) => underlyings.find((one) => one.id === id) }
    this.instruments = { entries, get: (id) => entries.find(({ instrument }) => instrument.id === id) }
  }

  market(instrumentId: number): FakeMarket {
    const known = this.#markets.get(instrumentId) ?? new FakeMarket()
    this.#markets.set(instrumentId, known)
    return known
  }

  subscribe(instrumentId: number, topics: Topics, listener: MarketDataListener): Subscription {
    const subscription = { instrumentId, topics, listener }
    this.subscriptions.push(subscription)
    return { unsubscribe: () => this.subscriptions.splice(this.subscriptions.indexOf(subscription), 1) }
  }

  orderEntry(accountId: string, listener: OrderEntryListener): FakeOrderEntry {
    const { capabilities, wallets = [], positions = [], isolatedPositions = [], opening } = this.#options
    const initial = { status: 'OK', message: '', orders: [], positions, isolatedPositions, wallets, capabilities: { ...FAKE_CAPABILITIES, ...capabilities } }
    const entry = new FakeOrderEntry(accountId, initial, listener)
    entry.opening = opening
    this.accounts.set(accountId, entry)
    return entry
  }

  newId(): Id {
    const { idSeed } = this.#options
    const count = ++this.#idCount
    return idSeed === undefined ? `id-${count}` : new DrawnId(new RandomNumbers(idSeed, 'fake ids', 0), count)
  }

  close(): Promise<void> { return Promise.resolve() }

  /** The order entry of the only account. */
  get entry(): FakeOrderEntry {
    return [...this.accounts.values()][0]!
  }

  /** Everybody hears one line of an instrument, whatever they asked for. */
  line(kind: number, rows: readonly FakeRow[] = [], values: readonly (readonly [number, number])[] = [], instrumentId = 1): void {
    const batch = lineBatch(this.instruments.get(instrumentId)!.instrument, kind, rows, values)
    for (const subscription of [...this.subscriptions]) if (subscription.instrumentId === instrumentId) subscription.listener.onEvent(batch, 0, this.market(instrumentId))
  }
}
