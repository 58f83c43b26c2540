import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'
import { Price, Quantity } from '../model/fixed-decimal.js'
import type { EntryError, OrderReport } from '../model/order.js'
import type { Writable } from '../model/writable.js'
import type { PlaceEntry } from '../venue/messages.js'
import type { InstrumentEntry } from '../venue/venue.js'
import {
  conditionsFrom, hasConditions, NO_CONDITIONS, Order, priceAt, quantityAt, recordOf, takeReport, takeState,
  type OrderActions, type OrderConditions, type OrderFields, type OrderRecord, type OrderTerms,
} from './order.js'
import type { OrderError } from './order-error.js'
import type { OrderParams } from './order-params.js'
import { receivedFill, savedFill, type ReceivedFill } from './order-fill.js'
import { tradingRuntime, type TradingInstrument } from './trading-instrument.js'
import type { Fill } from '../venue/account-messages.js'

/**
 * An order that is over is remembered until this many others have ended after it: late data of its fills still finds
 * it.
 */
export const FINISHED_ORDER_LIMIT = 1024

/** An order with what the runtime knows of it beyond what its strategy sees. */
export class TrackedOrder implements OrderRecord {
  readonly order: Order
  readonly ownOrderId: Id
  clientOrderId: Id
  exchangeOrderId: Id | null = null
  lastFill: ReceivedFill | null = null
  lastError: EntryError | null = null
  shownError: OrderError | null = null
  /** Amends that have not been answered. */
  pendingAmends = 0
  /** The largest total quantity that unanswered amends ask for, at the instrument's scale; 0 where none does. */
  asked = 0
  /** Executed quantity by the last update, and by the fills: at the instrument's scale. */
  executed = 0
  filled = 0
  /** Executions from before splits whose fills have not come, in the order in which they will. */
  late: readonly LateExecution[] = NONE
  /** True while its tracker finds it by its id. */
  isKnown = true
  /** True where it is among the orders that are over and still remembered. */
  isFinished = false

  constructor(terms: OrderTerms, readonly instrument: TradingInstrument, readonly tracker: OrderTracker) {
    this.ownOrderId = terms.ownOrderId
    this.clientOrderId = terms.clientOrderId
    this.order = new Order(terms, this)
  }

  get actions(): OrderActions {
    return this.tracker.actions
  }
}

/**
 * Units that an update stated before a split, and no fill yet, plain data. `place` is that of the split among those of
 * its instrument.
 */
interface LateExecution {
  readonly units: number
  readonly place: number
}

const NONE: readonly LateExecution[] = []

/** An order of a checkpoint: what its strategy sees of it, and what its runtime knows beyond that. */
export interface TrackedState extends Omit<TrackedOrder, 'order' | 'late' | 'instrument' | 'tracker' | 'actions'> {
  /** Null for the conditions of one that has none. */
  readonly order: Omit<OrderFields, 'conditions'> & { readonly conditions: OrderConditions | null }
  /** Null where there is none. */
  readonly late: readonly LateExecution[] | null
  /** The account by which it trades its instrument. */
  readonly instrument: string
  readonly tracker: null
}

/** The orders of one strategy by own id. */
export class OrderTracker {
  readonly #tracked: IdMap<TrackedOrder> = new IdMap()
  /** Orders that are over, in a ring: once it is full the next place holds the oldest. */
  readonly #finished: TrackedOrder[] = []
  #nextFinished = 0

  constructor(readonly actions: OrderActions) {}

  /** A new order of these terms, tracked and open. */
  create(terms: OrderTerms, instrument: TradingInstrument): Order {
    const tracked = new TrackedOrder(terms, instrument, this)
    const { order } = tracked
    this.#tracked.set(tracked.ownOrderId, tracked)
    tradingRuntime.addOpenOrder(instrument, order)
    return order
  }

  /** The record of an order in hand; one that ended long ago is remembered again. */
  find(order: Order): TrackedOrder {
    const tracked = this.#own(order)
    if (!tracked.isKnown) {
      tracked.isKnown = true
      this.#tracked.set(tracked.ownOrderId, tracked)
    }
    if (!order.isOpen) this.#finish(tracked)
    return tracked
  }

  /** Takes an order back that never was. */
  forget(order: Order): void {
    const tracked = this.find(order)
    tradingRuntime.removeOpenOrder(tracked.instrument, order)
    this.#drop(tracked)
    tracked.isFinished = false
  }

  /** Undefined for orders of other clients of the account, and for those that ended long ago. */
  get(ownOrderId: Id): TrackedOrder | undefined {
    return this.#tracked.get(ownOrderId)
  }

  /** The same by the text of an id too, which is what a strategy sees of it. */
  named(ownOrderId: Id): TrackedOrder | undefined {
    const tracked = this.#tracked.get(ownOrderId)
    if (tracked !== undefined || typeof ownOrderId !== 'string') return tracked
    for (const one of this.#tracked.values()) if (String(one.ownOrderId) === ownOrderId) return one
    return undefined
  }

  takeReport(tracked: TrackedOrder, report: OrderReport): void {
    const { priceScale, quantityScale } = tracked.instrument.entry
    takeReport(tracked.order, report, priceScale, quantityScale)
    tracked.executed = report.executedQuantity
    if (tracked.pendingAmends === 0) tracked.asked = 0
    this.settle(tracked)
  }

  /** Takes over a fill and gives it back; an order takes late data of its last fill alone. */
  takeFill(tracked: TrackedOrder, fill: Fill): ReceivedFill {
    const { order: { side }, instrument: { entry: { priceScale, quantityScale } }, lastFill } = tracked
    const taken = receivedFill(fill, side, fill.priceScale ?? priceScale, quantityScale)
    if (!fill.update || lastFill?.ownFillId === fill.ownFillId) tracked.lastFill = taken
    if (!fill.update) tracked.filled += fill.quantity
    return taken
  }

  /** The place of the first split behind a fill that has come just now; null where it is from after all of them. */
  takeLate(tracked: TrackedOrder, quantity: number): number | null {
    const [first] = tracked.late
    if (first === undefined) return null
    const { units, place } = first
    const others = tracked.late.slice(1)
    tracked.late = units > quantity ? [{ units: units - quantity, place }, ...others] : others
    return place
  }

  /**
   * Notes which executions of an instrument's orders are from before a split of this place, though their fills come
   * after it; true where any is.
   */
  noteSplit(instrument: TradingInstrument, place: number): boolean {
    let isAny = false
    for (const tracked of this.#tracked.values()) {
      if (tracked.instrument !== instrument) continue
      const units = tracked.executed - tracked.filled - tracked.late.reduce((sum, late) => sum + late.units, 0)
      if (units > 0) tracked.late = [...tracked.late, { units, place }]
      if (tracked.late.length > 0) isAny = true
    }
    return isAny
  }

  /** Brings the state in line with unanswered amends, and the open orders with the state. */
  settle(tracked: TrackedOrder): void {
    const { order, pendingAmends } = tracked
    if (order.state === 'CONFIRMED' && pendingAmends > 0) takeState(order, 'PENDING_AMEND')
    if (!order.isOpen) this.#finish(tracked)
  }

  /** Those that are over come first, in the order of their ends. */
  state(): readonly TrackedState[] {
    const finished = [...this.#finished.slice(this.#nextFinished), ...this.#finished.slice(0, this.#nextFinished)]
    const others = this.#tracked.values().filter(({ isFinished }) => !isFinished)
    return [...finished.filter(({ isFinished }) => isFinished), ...others].map(stateOf)
  }

  restore(
    states: readonly TrackedState[],
    instrumentOf: (instrumentId: number, accountId: string) => TradingInstrument | undefined,
  ): void {
    for (const state of states) {
      const fields = state.order
      const instrument = instrumentOf(fields.instrumentId, state.instrument)
      if (instrument === undefined) continue
      const { ownOrderId, clientOrderId } = state
      const { type, side, timeInForce, postOnly, price, totalQuantity: quantity } = fields
      const order = this.create({
        ownOrderId, clientOrderId, instrumentId: instrument.id, type, side, timeInForce, postOnly, price, quantity,
      }, instrument)
      Object.assign(order, fields)
      if (fields.conditions === null) Object.assign(order, { conditions: NO_CONDITIONS })
      const tracked = Object.assign(this.#own(order), state, {
        order, instrument, tracker: this, late: state.late ?? NONE, isFinished: false,
      })
      if (!order.isOpen) this.#finish(tracked)
    }
  }

  #own(order: Order): TrackedOrder {
    const tracked = recordOf(order) as TrackedOrder
    if (tracked.tracker !== this) throw new Error(`Order ${order.ownOrderId} belongs to another strategy`)
    return tracked
  }

  #finish(tracked: TrackedOrder): void {
    if (tracked.isFinished) return
    tradingRuntime.removeOpenOrder(tracked.instrument, tracked.order)
    tracked.isFinished = true
    const oldest = this.#finished[this.#nextFinished]
    this.#finished[this.#nextFinished] = tracked
    this.#nextFinished = (this.#nextFinished + 1) % FINISHED_ORDER_LIMIT
    if (oldest?.isFinished !== true) return
    oldest.isFinished = false
    this.#drop(oldest)
  }

  #drop(tracked: TrackedOrder): void {
    tracked.isKnown = false
    this.#tracked.delete(tracked.ownOrderId)
  }
}

function stateOf(tracked: TrackedOrder): TrackedState {
  const { instrument, lastFill, late } = tracked
  const order: OrderFields = tracked.order
  const own: Omit<TrackedOrder, 'actions'> = tracked
  return {
    ...own, tracker: null, shownError: null, instrument: instrument.account.id,
    order: { ...order, conditions: order.conditions === NO_CONDITIONS ? null : order.conditions },
    lastFill: lastFill === null ? null : savedFill(lastFill), late: late.length === 0 ? null : late,
  }
}

/** The terms of an order that is sent; values that were asked for are kept where they are the same. */
export function termsOf(
  entry: PlaceEntry, { priceScale, quantityScale }: InstrumentEntry, asked: Pick<OrderParams, 'price' | 'quantity'>,
): OrderTerms {
  const { ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly, context } = entry
  const terms: Writable<OrderTerms> = {
    ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly,
    price: entry.price === null
      ? null : priceAt(asked.price instanceof Price ? asked.price : null, entry.price, priceScale),
    quantity: quantityAt(
      asked.quantity instanceof Quantity ? asked.quantity : Quantity.ZERO, entry.totalQuantity, quantityScale,
    ),
  }
  if (hasConditions(entry)) terms.conditions = conditionsFrom(entry, priceScale, quantityScale)
  if (context !== undefined) terms.context = context
  return terms
}
