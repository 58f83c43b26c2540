import type { Id } from '../model/id.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { Quantity, type Price } from '../model/fixed-decimal.js'
import { keptValue } from '../model/kept-value.js'
import type { OrderError } from './order-error.js'
import type { Side } from '../model/side.js'
import type { Capabilities } from '../venue/account-messages.js'
import type { OrderEntry, Venue } from '../venue/venue.js'
import type { Account } from './account.js'
import type { CallbackGuard } from './callback-guard.js'
import type { DiscardReason } from './order-params.js'
import type { OrderTracker } from './order-tracker.js'
import { recordOf, type Order } from './order.js'
import { heldFields } from './strategy-memory.js'
import type { StrategyTimers } from './strategy-timers.js'
import type { Strategy } from './strategy.js'
import { TacticFeed, type TacticFeedHost, type TacticFeedState } from './tactic-feed.js'
import { Tactic, type AskedOrder, type SavedTactic, type TacticHost, type WatchedPrices } from './tactic.js'
import type { TargetOptions, TradingInstrument } from './trading-instrument.js'

/** Makers of the tactics that the runtime keeps for `instrument.target` and `instrument.cancelAll`. */
export interface KeptTactics {
  /** Makes that of `instrument.target`. */
  target(instrument: TradingInstrument): Tactic & {
    target(position: Quantity | string, options: TargetOptions): void
  }
  /** Makes that of `instrument.cancelAll`. */
  cancellation(instrument: TradingInstrument): Tactic & { cancelAll(side: Side | undefined): void }
}

/** The parts of their runtime that tactics need. */
export interface TacticsHost {
  readonly strategy: Strategy
  readonly venue: Venue
  readonly guard: CallbackGuard
  readonly timers: StrategyTimers
  readonly tracker: OrderTracker
  readonly kept: KeptTactics | undefined
  readonly isResuming: () => boolean
  readonly flush: () => void
  readonly entryOf: (account: Account) => OrderEntry
  /** Own ids of orders whose updates and fills do not say the same yet. */
  readonly apartOf: (account: Account) => Iterable<Id>
  readonly instrumentOf: (instrumentId: number, accountId: string) => TradingInstrument | undefined
}

/** One tactic as a checkpoint holds it. */
interface TacticState {
  /** Ordinal of its timer. */
  readonly id: number
  readonly isWaiting: boolean
  readonly state: SavedTactic
}

/** Tactics of a strategy as a checkpoint holds them. */
export interface TacticsState {
  /** Those that the strategy holds, by field. */
  readonly held: Readonly<Record<string, TacticState>>
  /** Those that the runtime keeps. */
  readonly kept: readonly (TacticState & {
    readonly kind: keyof KeptTactics
    readonly instrumentId: number
    readonly accountId: string
  })[]
  readonly feeds: readonly TacticFeedState[]
  /** The number of tactics that have been made. */
  readonly count: number
}

interface Known {
  id: number
  isWaiting: boolean
}

/** The most tactics of one strategy. */
const TACTIC_LIMIT = 1_000

/** The tactics of one strategy: which there are, what they receive, and when. Without any it costs nothing. */
export class StrategyTactics implements TacticHost, TacticFeedHost {
  readonly venue: Venue
  readonly guard: CallbackGuard
  readonly #known: Map<Tactic, Known> = new Map()
  readonly #byInstrument: Map<number, Tactic[]> = new Map()
  readonly #guards: Tactic[] = []
  readonly #kept: Map<string, Tactic> = new Map()
  readonly #feeds: TacticFeed[] = []
  #count = 0
  #hasBegun = false
  #isKeeping = false
  /** Tactics of the runtime itself: no field of the strategy holds them. */
  readonly #own: Set<Tactic> = new Set()
  /** Instruments of which something came while the parts of an account's state were taken over; null outside. */
  #pending: Set<TradingInstrument> | null = null

  constructor(private readonly host: TacticsHost) {
    this.venue = host.venue
    this.guard = host.guard
  }

  flush(): void {
    this.host.flush()
  }

  get isResuming(): boolean {
    return this.host.isResuming()
  }

  nowNs(): number {
    return this.venue.clock.nowNs()
  }

  capabilities(instrument: TradingInstrument): Capabilities {
    return this.host.entryOf(instrument.account).capabilities
  }

  orderOf(ownOrderId: Id): Order | undefined {
    return this.host.tracker.named(ownOrderId)?.order
  }

  openOf(order: Order): Quantity {
    const { totalQuantity, executedQuantity } = order
    const tracked = this.host.tracker.get(recordOf(order).ownOrderId)
    const asked = tracked === undefined ? 0 : tracked.asked
    const total = asked === 0 ? null : new Quantity(asked, tracked?.instrument.entry.quantityScale ?? 0)
    return (total !== null && total.compare(totalQuantity) > 0 ? total : totalQuantity).minus(executedQuantity)
  }

  unseen(instrument: TradingInstrument, side: Side): Quantity {
    let units = 0
    for (const ownOrderId of this.host.apartOf(instrument.account)) {
      const tracked = this.host.tracker.get(ownOrderId)
      if (tracked?.instrument === instrument && tracked.order.side === side)
        units += Math.max(0, tracked.executed - tracked.filled)
    }
    return new Quantity(units, instrument.entry.quantityScale)
  }

  all(): readonly Tactic[] {
    return [...this.#known.keys()]
  }

  add(tactic: Tactic): void {
    if (this.#known.size >= TACTIC_LIMIT) {
      const expected = `at most ${TACTIC_LIMIT} tactics`
      throw new BacktapeError(
        'LIMIT_EXCEEDED', `Cannot make a ${tactic.label}: expected ${expected}; make one in onStart and use it again`,
        { expected, found: 'one more' },
      )
    }
    this.#known.set(tactic, { id: this.#count++, isWaiting: false })
    if (this.#isKeeping) this.#own.add(tactic)
    for (const id of new Set(tactic.instruments.map((instrument) => instrument.id)))
      keptValue(this.#byInstrument, id, () => []).push(tactic)
    if (Reflect.get(tactic, 'refusal') !== Reflect.get(Tactic.prototype, 'refusal')) this.#guards.push(tactic)
  }

  watch({ id }: TradingInstrument, prices: WatchedPrices): void {
    if (this.#feeds.some((feed) => feed.instrumentId === id && feed.prices === prices)) return
    // Those of a resumed run are restored with their own.
    const feed = new TacticFeed(id, prices, this.#hasBegun, this)
    this.#feeds.push(feed)
    if (this.#hasBegun) feed.begin()
  }

  wakeAt(tactic: Tactic, timeNs: number | null): void {
    const known = this.#knownOf(tactic)
    const name = `(tactic ${known.id})`
    known.isWaiting = timeNs !== null
    if (timeNs === null) this.host.timers.cancelOwn(name)
    else
      this.host.timers.register(() => {
        known.isWaiting = false
        tactic.onTimer()
      }, 0, Math.max(timeNs, this.nowNs()), name)
  }

  /** Subscribes what `onStart` asked for: ahead of the strategy's own callbacks. */
  begin(): void {
    this.#hasBegun = true
    for (const feed of this.#feeds) if (!feed.isLate) feed.begin()
  }

  /** Subscribes what the run before had asked for later: behind everything else, as it was. */
  beginLate(): void {
    for (const feed of this.#feeds) if (feed.isLate) feed.begin()
  }

  target(instrument: TradingInstrument, position: Quantity | string, options: TargetOptions): void {
    const kept = this.#keptOf('target', instrument) as ReturnType<KeptTactics['target']>
    kept.target(position, options)
  }

  cancelAll(instrument: TradingInstrument, side: Side | undefined): void {
    const kept = this.#keptOf('cancellation', instrument) as ReturnType<KeptTactics['cancellation']>
    kept.cancelAll(side)
  }

  /** The reason for which a tactic refuses an order, null where none does. */
  refusal(instrument: TradingInstrument, asked: () => AskedOrder): DiscardReason | null {
    for (const guard of this.#guards) {
      const reason = guard.refusal(instrument, asked())
      if (reason !== null) return reason
    }
    return null
  }

  onOrder(instrument: TradingInstrument, order: Order): void {
    if (this.#count > 0) this.#send(instrument, (tactic) => tactic.onOrder(order))
  }

  onError(instrument: TradingInstrument, order: Order, error: OrderError): void {
    if (this.#count > 0) this.#send(instrument, (tactic) => tactic.onError(order, error))
  }

  onFill(instrument: TradingInstrument, order: Order): void {
    if (this.#count > 0) this.#send(instrument, (tactic) => tactic.onFill(order))
  }

  onPosition(instrument: TradingInstrument): void {
    if (this.#count > 0) this.#send(instrument, (tactic) => tactic.onPosition(instrument))
  }

  /** An account's state is taken over part by part: nothing is to be decided in between. */
  hold(): void {
    if (this.#count > 0) this.#pending = new Set()
  }

  /** The state is whole. */
  release(): void {
    const pending = this.#pending
    if (pending === null) return
    this.#pending = null
    for (const instrument of pending) this.onPosition(instrument)
  }

  touched(instrumentId: number): void {
    this.#sendPrices(instrumentId, (tactic, instrument) => tactic.onTouch(instrument))
  }

  traded(instrumentId: number, price: Price): void {
    this.#sendPrices(instrumentId, (tactic, instrument) => tactic.onTrade(instrument, price))
  }

  marked(instrumentId: number): void {
    this.#sendPrices(instrumentId, (tactic, instrument) => tactic.onMark(instrument))
  }

  /** Null where there is none. Throws STRATEGY_FAILED for a tactic that no field of the strategy holds. */
  state(): TacticsState | null {
    if (this.#count === 0) return null
    const held = this.#held()
    const known = new Set(held.values())
    const lost = [...this.#known.keys()].find((tactic) => !this.#own.has(tactic) && !known.has(tactic))
    if (lost !== undefined)
      throw new BacktapeError(
        'STRATEGY_FAILED',
        `Cannot save ${this.guard.title}: its ${lost.label} is out of reach; ` +
          'make it a field of the strategy that is not private (#), or a value of an array or a map that is one',
        { field: 'tactics', expected: 'a field, an array or a map', found: lost.label },
      )
    const stateOf = (tactic: Tactic): TacticState => ({ ...this.#knownOf(tactic), state: tactic.save() })
    return {
      held: Object.fromEntries([...held].map(([path, tactic]) => [path, stateOf(tactic)])),
      kept: [...this.#kept].map(([key, tactic]) => {
        const [kind, instrumentId, ...account] = key.split(' ')
        return {
          kind: kind as keyof KeptTactics, instrumentId: Number(instrumentId), accountId: account.join(' '),
          ...stateOf(tactic),
        }
      }),
      feeds: this.#feeds.map((feed) => feed.state()), count: this.#count,
    }
  }

  /** Takes back a state. Throws OPTION_INVALID where a tactic is missing. */
  restore(saved: TacticsState | null): void {
    if (saved === null) return
    const held = this.#held()
    for (const [path, state] of Object.entries(saved.held)) {
      const tactic = held.get(path)
      if (tactic === undefined)
        throw new BacktapeError(
          'OPTION_INVALID',
          `Cannot resume ${this.guard.strategyName}: the checkpoint holds the tactic ${path}, ` +
            'which neither the constructor nor onStart nor restoreState has made',
          { field: path, expected: 'a tactic', found: foundText(undefined) },
        )
      this.#restore(tactic, state)
    }
    for (const one of saved.kept) {
      const instrument = this.host.instrumentOf(one.instrumentId, one.accountId)
      if (instrument !== undefined) this.#restore(this.#keptOf(one.kind, instrument), one)
    }
    this.#count = Math.max(this.#count, saved.count)
    this.#feeds.length = 0
    for (const state of saved.feeds) {
      const feed = new TacticFeed(state.instrumentId, state.prices, state.isLate, this)
      feed.restore(state)
      this.#feeds.push(feed)
    }
  }

  #restore(tactic: Tactic, { id, isWaiting, state }: TacticState): void {
    const known = this.#knownOf(tactic)
    known.id = id
    tactic.restore(state)
    // The saved time of the timer is that of the clock.
    if (isWaiting) this.wakeAt(tactic, this.nowNs())
  }

  #held(): ReadonlyMap<string, Tactic> {
    return heldFields(this.host.strategy, (value): value is Tactic => this.#known.has(value as Tactic))
  }

  #knownOf(tactic: Tactic): Known {
    const known = this.#known.get(tactic)
    if (known === undefined) throw new Error(`${tactic.label} belongs to another strategy`)
    return known
  }

  #keptOf(kind: keyof KeptTactics, instrument: TradingInstrument): Tactic {
    const key = `${kind} ${instrument.id} ${instrument.account.id}`
    const found = this.#kept.get(key)
    if (found !== undefined) return found
    const makers = this.host.kept
    if (makers === undefined) {
      const expected = 'a runtime with the option tactics'
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot use the ${kind} of ${instrument.code}: it takes ${expected}, as KEPT_TACTICS`,
        { field: 'tactics', expected, found: 'none' },
      )
    }
    this.#isKeeping = true
    try {
      const made = makers[kind](instrument)
      this.#kept.set(key, made)
      return made
    } finally {
      this.#isKeeping = false
    }
  }

  #send(instrument: TradingInstrument, call: (tactic: Tactic) => unknown): void {
    if (this.#pending !== null) {
      this.#pending.add(instrument)
      return
    }
    for (const tactic of this.#byInstrument.get(instrument.id) ?? [])
      if (tactic.instruments.includes(instrument)) this.guard.run(tactic.label, () => call(tactic))
  }

  #sendPrices(instrumentId: number, call: (tactic: Tactic, instrument: TradingInstrument) => unknown): void {
    for (const tactic of this.#byInstrument.get(instrumentId) ?? [])
      for (const instrument of tactic.instruments)
        if (instrument.id === instrumentId) this.guard.run(tactic.label, () => call(tactic, instrument))
  }
}
