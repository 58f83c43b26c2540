import type { EntryError } from '../model/order.js'
import type { Account } from './accounts/account.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import { isReached } from './market/stop-triggers.js'
import { wholeLots } from './market/trade-service.js'
import { pegPriceNow } from './matching/order-admission.js'
import { enter, entryRefusal, type EntryRules, type TradedInstrument } from './matching/order-engine.js'
import { closableQuantity, limitNew, type PositionLimits } from './matching/position-limits.js'
import type { OpenOrders } from './open-orders.js'
import type { OrderUpdates } from './order-updates.js'
import type { PreTrade } from './risk/pre-trade.js'
import type { TradedInstruments } from './traded-instruments.js'

/**
 * The orders that move at the end of an instant (exchange rules 7): triggered stop orders enter, pegs follow their
 * reference, `closeOnly` orders grow with their position.
 */
export class ConditionTasks {
  constructor(
    private readonly rules: EntryRules,
    private readonly accounts: ReadonlyMap<string, Account>,
    private readonly traded: TradedInstruments,
    private readonly open: OpenOrders,
    private readonly limits: PositionLimits,
    private readonly preTrade: PreTrade,
    private readonly updates: OrderUpdates,
  ) {}

  /** Performs what is due of an instrument's orders. */
  perform(instrumentId: number, timeNs: number): void {
    const traded = this.traded.of(instrumentId)
    if (traded === null) return
    const due = [...this.open.values()].filter(
      (order) => order.instrumentId === instrumentId && order.isDormant === true && order.triggered === true,
    )
    for (const order of due) if (order.state === 'CONFIRMED') this.#enterTriggered(traded, order, timeNs)
    if (traded.market.bookUnknown === null && traded.conditions.pegs.length > 0 && traded.conditions.takeMove())
      this.#followReferences(traded, timeNs)
    this.#growWithPositions(traded, timeNs)
  }

  /** Looks at a stop order whose terms changed: it waits for its trigger, or has been brought behind it and enters. */
  retrigger(traded: TradedInstrument, order: OrderAtExchange, timeNs: number): void {
    const { triggerReference = 'lastTrade', triggerPrice = NaN } = order
    traded.conditions.retrigger()
    if (
      order.triggered === true ||
      !isReached(order.side, triggerPrice, traded.market.priceScale, traded.market.prices.of(triggerReference))
    )
      return
    order.triggered = true
    this.#enterTriggered(traded, order, timeNs)
  }

  /**
   * Lets a triggered stop order enter (exchange rules 7.1): as if it arrived now, behind all others. What would refuse
   * it then cancels it, and the update says why. Under gap policy `freeze` it waits for the snapshot.
   */
  #enterTriggered(traded: TradedInstrument, order: OrderAtExchange, timeNs: number): void {
    const isBookUnknown = traded.market.bookUnknown !== null
    if (isBookUnknown && this.rules.gaps === 'freeze') return
    traded.conditions.forget(order)
    order.isDormant = false
    if (isBookUnknown) order.touchedByGap = true
    const refusal = this.#limit(traded, order) ?? entryRefusal(traded, order, this.rules)
    this.updates.send(traded, order, timeNs)
    // What is left of IMMEDIATE_OR_CANCEL and FILL_OR_KILL is no fault.
    if (refusal !== null) order.state = 'CANCELED'
    else if (enter(traded, order, timeNs, this.rules.switches) !== 'CANCELED') return
    this.updates.finish(traded, order, timeNs, refusal ?? undefined)
  }

  /**
   * Limits a stop order that enters to the position as it is now: `closeOnly` to all of it, up to the maximum of an
   * order; an error where there is none.
   */
  #limit(traded: TradedInstrument, order: OrderAtExchange): EntryError | null {
    const account = this.accounts.get(order.accountId)
    if (account === undefined) return null
    const refusal = limitNew(account, traded, order)
    if (refusal === null && order.closeOnly === true)
      order.totalQuantity = this.#wholeQuantity(account, traded, order)
    return refusal
  }

  /**
   * Gives every peg the price of its reference (exchange rules 7.2); a second pass frees those that an own peg was in
   * the way of.
   */
  #followReferences(traded: TradedInstrument, timeNs: number): void {
    const moved = new Set<OrderAtExchange>()
    for (let pass = 0; pass < 2; pass++) {
      for (const order of traded.conditions.pegs) {
        const price = pegPriceNow(traded, order, order.pegOffsetValue ?? 0, this.rules)
        if (Number.isNaN(price) || price === order.price) continue
        traded.orders.remove(order)
        order.price = price
        traded.orders.rest(order, price, false)
        moved.add(order)
      }
      if (moved.size === 0) return
    }
    for (const order of traded.conditions.pegs) if (moved.has(order)) this.updates.send(traded, order, timeNs)
  }

  /**
   * Lets the open `closeOnly` orders of an instrument become as large as their position is now (exchange rules 7.4),
   * once the event that made it larger is through. It is as if the exchange amended them to a larger quantity: one that
   * rests, or is pegged, goes to the back of its queue at the price that it has (an iceberg shows a new part there); a
   * stop order that waits is only for more. No order grows beyond the maximum of its instrument and profile, as none is
   * taken beyond it: what the position has beyond that stays open. An order that was filled before its position grew is
   * over.
   */
  #growWithPositions(traded: TradedInstrument, timeNs: number): void {
    for (const order of this.limits.closing(traded.entry.instrument.id)) {
      const account = this.accounts.get(order.accountId)
      if (account === undefined || order.state !== 'CONFIRMED') continue
      const totalQuantity = this.#wholeQuantity(account, traded, order)
      if (totalQuantity <= order.totalQuantity) continue
      if (order.isDormant !== true) traded.orders.remove(order)
      order.totalQuantity = totalQuantity
      this.updates.send(traded, order, timeNs)
      if (order.isDormant !== true && enter(traded, order, timeNs, this.rules.switches) === 'CANCELED')
        this.updates.finish(traded, order, timeNs)
    }
  }

  /** The quantity of an order that closes the whole position, or as much of it as one order may. */
  #wholeQuantity(account: Account, traded: TradedInstrument, order: OrderAtExchange): number {
    const whole = order.executedQuantity + closableQuantity(account, traded, order)
    const most = this.preTrade.mostOf(account, traded)
    return whole <= most
      ? whole
      : order.executedQuantity + wholeLots(most - order.executedQuantity, traded.orders.lotSize)
  }
}
