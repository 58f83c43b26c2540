import { Price, Quantity } from '../model/fixed-decimal.js'
import type { OrderReport } from '../model/order.js'
import type { Writable } from '../model/writable.js'
import type { PlaceEntry } from '../venue/messages.js'
import type { InstrumentEntry } from '../venue/venue.js'
import {
  conditionsFrom, hasConditions, know, knownOf, NO_CONDITIONS, Order, orderFill, takeFill, takeReport, takeState,
  type OrderActions, type OrderConditions, type OrderFill, type OrderTerms,
} from './order.js'
import { fillOfSaved, savedFill, type SavedFill } from './own-fills.js'
import { priceOrNull, quantityOrNull, savedOrNull, savedQuantity, savedText } from './saved-decimal.js'
import { tradingRuntime, type TradingInstrument } from './trading-instrument.js'
import type { Fill } from '../venue/account-messages.js'

/**
 * An order that is over is remembered until this many others have ended after it: late data of its fills still finds
 * it.
 */
export const FINISHED_ORDER_LIMIT = 1024

/** An order with what the runtime knows of it beyond what its strategy sees. */
export interface TrackedOrder {
  readonly order: Order
  readonly instrument: TradingInstrument
  /** Amends that have not been answered. */
  pendingAmends: number
  /** The largest total quantity that unanswered amends ask for, at the instrument's scale; 0 where none does. */
  asked: number
  /** Executed quantity by the last update, and by the fills: at the instrument's scale. */
  executed: number
  filled: number
  /** Executions from before splits whose fills have not come, in the order in which they will. */
  readonly late: LateExecution[]
}

/**
 * Units that an update stated before a split, and no fill yet, plain data. `place` is that of the split among those of
 * its instrument.
 */
interface LateExecution {
  units: number
  readonly place: number
}

/** The same with the tracker whose it is: what {@link know} notes of an order. */
interface OwnOrder extends TrackedOrder {
  readonly tracker: OrderTracker
  /** True where it is among the orders that are over and still remembered. */
  isFinished: boolean
}

/** An order of a checkpoint, plain data: prices and quantities as text. */
export interface OrderState {
  readonly terms: {
    readonly [K in keyof Omit<OrderTerms, 'conditions'>]: K extends 'price' | 'quantity' ? string | null : OrderTerms[K]
  }
  /** Null where it has none. */
  readonly conditions: ConditionsState | null
  readonly accountId: string
  readonly exchangeOrderId: string | null
  readonly state: string
  readonly executedQuantity: string
  readonly lastError: Order['lastError']
  readonly lastFill: SavedFill | null
  readonly pendingAmends: number
  /** Left out where it is 0. */
  readonly asked?: number
  readonly executed: number
  readonly filled: number
  /** Left out where there is none. */
  readonly late?: readonly LateExecution[]
}

/** Conditions of an order with their decimals as text. */
type ConditionsState = {
  readonly [K in keyof OrderConditions]: K extends 'triggerPrice' | 'pegOffsetValue' | 'displayQuantity'
    ? string | null
    : OrderConditions[K]
}

/** The orders of one strategy by own id. */
export class OrderTracker {
  readonly #tracked: Map<string, TrackedOrder> = new Map()
  /** Orders that are over, in a ring: once it is full the next place holds the oldest. */
  readonly #finished: OwnOrder[] = []
  #nextFinished = 0

  constructor(private readonly actions: OrderActions) {}

  /** A new order of these terms, tracked and open. */
  create(terms: OrderTerms, instrument: TradingInstrument): Order {
    const order = new Order(terms, this.actions)
    const tracked: OwnOrder = {
      order, instrument, pendingAmends: 0, asked: 0, executed: 0, filled: 0, late: [], tracker: this, isFinished: false,
    }
    know(order, tracked)
    this.#tracked.set(order.ownOrderId, tracked)
    tradingRuntime.addOpenOrder(instrument, order)
    return order
  }

  /** The record of an order in hand; one that ended long ago is remembered again. */
  find(order: Order): TrackedOrder {
    const tracked = this.#own(order)
    this.#tracked.set(order.ownOrderId, tracked)
    if (!order.isOpen) this.#finish(tracked)
    return tracked
  }

  /** Takes an order back that never was. */
  forget(order: Order): void {
    tradingRuntime.removeOpenOrder(this.find(order).instrument, order)
    this.#tracked.delete(order.ownOrderId)
    this.#own(order).isFinished = false
  }

  /** Undefined for orders of other clients of the account, and for those that ended long ago. */
  get(ownOrderId: string): TrackedOrder | undefined {
    return this.#tracked.get(ownOrderId)
  }

  takeReport(tracked: TrackedOrder, report: OrderReport): void {
    const { priceScale, quantityScale } = tracked.instrument.entry
    takeReport(tracked.order, report, priceScale, quantityScale)
    tracked.executed = report.executedQuantity
    if (tracked.pendingAmends === 0) tracked.asked = 0
    this.settle(tracked)
  }

  /** Takes over a fill and gives it back as a strategy sees it; an order takes late data of its last fill alone. */
  takeFill(tracked: TrackedOrder, fill: Fill): OrderFill {
    const { order, instrument: { entry: { priceScale, quantityScale } } } = tracked
    const taken = orderFill(order, fill, priceScale, quantityScale)
    if (!fill.update || order.getLastFill()?.ownFillId === fill.ownFillId) takeFill(order, taken)
    if (!fill.update) tracked.filled += fill.quantity
    return taken
  }

  /** The place of the first split behind a fill that has come just now; null where it is from after all of them. */
  takeLate({ late }: TrackedOrder, quantity: number): number | null {
    const [first] = late
    if (first === undefined) return null
    first.units -= quantity
    if (first.units <= 0) late.shift()
    return first.place
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
      if (units > 0) tracked.late.push({ units, place })
      if (tracked.late.length > 0) isAny = true
    }
    return isAny
  }

  /** Brings the state in line with unanswered amends, and the open orders with the state. */
  settle(tracked: TrackedOrder): void {
    const { order, pendingAmends } = tracked
    if (order.state === 'CONFIRMED' && pendingAmends > 0) takeState(order, 'PENDING_AMEND')
    if (!order.isOpen) this.#finish(this.#own(order))
  }

  state(): OrderState[] {
    return [...this.#tracked.values()].map(stateOf)
  }

  restore(
    states: readonly OrderState[],
    instrumentOf: (instrumentId: number, accountId: string) => TradingInstrument | undefined,
  ): void {
    for (const saved of states) {
      const instrument = instrumentOf(saved.terms.instrumentId, saved.accountId)
      if (instrument === undefined) continue
      const { price, quantity } = saved.terms
      const order = this.create(
        { ...saved.terms, price: priceOrNull(price), quantity: savedQuantity(quantity ?? '0') },
        instrument,
      )
      const { exchangeOrderId, state, lastError, pendingAmends, asked = 0, executed, filled, late = [] } = saved
      Object.assign<Writable<Order>, Partial<Order>>(order, {
        exchangeOrderId, state, lastError, executedQuantity: savedQuantity(saved.executedQuantity),
        ...(saved.conditions === null ? {} : { conditions: restoredConditions(saved.conditions) }),
      })
      if (saved.lastFill !== null) takeFill(order, fillOfSaved(saved.lastFill))
      const tracked: Partial<TrackedOrder> = {
        pendingAmends, asked, executed, filled, late: late.map((one) => ({ ...one })),
      }
      Object.assign(this.find(order), tracked)
    }
  }

  #own(order: Order): OwnOrder {
    const tracked = knownOf(order) as OwnOrder | null
    if (tracked?.tracker !== this) throw new Error(`Order ${order.ownOrderId} belongs to another strategy`)
    return tracked
  }

  #finish(tracked: OwnOrder): void {
    tradingRuntime.removeOpenOrder(tracked.instrument, tracked.order)
    if (tracked.isFinished) return
    tracked.isFinished = true
    const oldest = this.#finished[this.#nextFinished]
    this.#finished[this.#nextFinished] = tracked
    this.#nextFinished = (this.#nextFinished + 1) % FINISHED_ORDER_LIMIT
    if (oldest?.isFinished !== true) return
    oldest.isFinished = false
    this.#tracked.delete(oldest.order.ownOrderId)
  }
}

function stateOf({ order, instrument, pendingAmends, asked, executed, filled, late }: TrackedOrder): OrderState {
  const fill = order.getLastFill()
  const { ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly, context } = order
  return {
    terms: {
      ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly,
      price: savedOrNull(order.price), quantity: savedText(order.totalQuantity),
      ...(context === undefined ? {} : { context }),
    },
    conditions: order.conditions === NO_CONDITIONS ? null : conditionsState(order.conditions),
    accountId: instrument.account.id,
    exchangeOrderId: order.exchangeOrderId,
    state: order.state,
    executedQuantity: savedText(order.executedQuantity),
    lastError: order.lastError,
    lastFill: fill === null ? null : savedFill(fill),
    pendingAmends,
    ...(asked === 0 ? {} : { asked }),
    executed,
    filled,
    ...(late.length === 0 ? {} : { late: late.map((one) => ({ ...one })) }),
  }
}

/** The terms of an order that is sent. */
export function termsOf(entry: PlaceEntry, { priceScale, quantityScale }: InstrumentEntry): OrderTerms {
  const { ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly, context } = entry
  const terms: Writable<OrderTerms> = {
    ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly,
    price: entry.price === null ? null : new Price(entry.price, priceScale),
    quantity: new Quantity(entry.totalQuantity, quantityScale),
  }
  if (hasConditions(entry)) terms.conditions = conditionsFrom(entry, priceScale, quantityScale)
  if (context !== undefined) terms.context = context
  return terms
}

// Both keep the order of the fields: a strategy may write them down.
function conditionsState(conditions: OrderConditions): ConditionsState {
  const { triggerPrice, pegOffsetValue, displayQuantity } = conditions
  return {
    ...conditions, triggerPrice: savedOrNull(triggerPrice), pegOffsetValue: savedOrNull(pegOffsetValue),
    displayQuantity: savedOrNull(displayQuantity),
  }
}

function restoredConditions(saved: ConditionsState): OrderConditions {
  const { triggerPrice, pegOffsetValue, displayQuantity } = saved
  return {
    ...saved,
    triggerPrice: priceOrNull(triggerPrice),
    pegOffsetValue: priceOrNull(pegOffsetValue),
    displayQuantity: quantityOrNull(displayQuantity),
  }
}
