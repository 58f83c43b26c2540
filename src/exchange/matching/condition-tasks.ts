import type { OrderError } from '../../model/order.js'
import { pegPriceNow } from './order-admission.js'
import { enter, entryRefusal, type EntryRules, type TradedInstrument } from './order-engine.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'
import { isReached } from '../market/stop-triggers.js'

/** The part of the handler that the tasks of conditional orders need. */
export interface OrderAccess {
  readonly rules: EntryRules
  /** Open orders in the order of their acceptance. */
  openOrders(): Iterable<ExchangeOrderRecord>
  /**
   * Cuts an order to the position that it may close, or the whole of it for `closeOnly`; an error where there is none.
   */
  limit(traded: TradedInstrument, order: ExchangeOrderRecord): OrderError | null
  /** Says how an order now stands, and what ended it where no response does. */
  update(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number, error?: OrderError): void
  /** Forgets an order that is over. */
  close(order: ExchangeOrderRecord, timeNs: number): void
}

/**
 * Performs the stop and pegged orders of an instrument at the end of an instant: triggered ones enter, pegs follow
 * their reference.
 */
export function performConditions(access: OrderAccess, traded: TradedInstrument, timeNs: number): void {
  const due = [...access.openOrders()].filter(
    (order) =>
      order.instrumentId === traded.entry.instrument.id && order.isDormant === true && order.triggered === true,
  )
  for (const order of due) if (order.state === 'CONFIRMED') enterTriggered(access, traded, order, timeNs)
  if (traded.market.bookUnknown === null && traded.conditions.pegs.length > 0 && traded.conditions.takeMove())
    followReferences(access, traded, timeNs)
}

/**
 * Lets a triggered stop order enter (exchange rules 7.1): as if it arrived now, behind all others. What would refuse it
 * then cancels it, and the update says why. Under gap policy `freeze` it waits for the snapshot.
 */
function enterTriggered(
  access: OrderAccess, traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number,
): void {
  const isBookUnknown = traded.market.bookUnknown !== null
  if (isBookUnknown && access.rules.gaps === 'freeze') return
  traded.conditions.forget(order)
  order.isDormant = false
  if (isBookUnknown) order.touchedByGap = true
  const refusal = access.limit(traded, order) ?? entryRefusal(traded, order, access.rules)
  access.update(traded, order, timeNs)
  // What is left of IMMEDIATE_OR_CANCEL and FILL_OR_KILL is no fault.
  if (refusal !== null) order.state = 'CANCELED'
  else if (enter(traded, order, timeNs, access.rules.switches) !== 'CANCELED') return
  access.close(order, timeNs)
  access.update(traded, order, timeNs, refusal ?? undefined)
}

/** Looks at a stop order whose terms changed: it waits for its trigger, or has been brought behind it and enters. */
export function retrigger(
  access: OrderAccess, traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number,
): void {
  const { triggerReference = 'lastTrade', triggerPrice = NaN } = order
  traded.conditions.retrigger()
  if (
    order.triggered === true ||
    !isReached(order.side, triggerPrice, traded.market.priceScale, traded.market.prices.of(triggerReference))
  )
    return
  order.triggered = true
  enterTriggered(access, traded, order, timeNs)
}

/**
 * Gives every peg the price of its reference (exchange rules 7.2); a second pass frees those that an own peg was in the
 * way of.
 */
function followReferences(access: OrderAccess, traded: TradedInstrument, timeNs: number): void {
  const moved = new Set<ExchangeOrderRecord>()
  for (let pass = 0; pass < 2; pass++) {
    for (const order of traded.conditions.pegs) {
      const price = pegPriceNow(traded, order, order.pegOffsetValue ?? 0, access.rules)
      if (Number.isNaN(price) || price === order.price) continue
      traded.orders.remove(order)
      order.price = price
      traded.orders.rest(order, price, false)
      moved.add(order)
    }
    if (moved.size === 0) return
  }
  for (const order of traded.conditions.pegs) if (moved.has(order)) access.update(traded, order, timeNs)
}
