import type { OrderError } from '../../model/order.js'
import type { Account } from '../accounts/account.js'
import type { OrderAccess } from '../matching/condition-tasks.js'
import { enter, type TradedInstrument } from '../matching/order-engine.js'
import { closableQuantity, limitNew, type PositionLimits } from '../matching/position-limits.js'
import type { PreTrade } from './pre-trade.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'
import { wholeLots } from '../market/trade-service.js'

/** The parts of the world that growing needs. */
export interface GrowthHost {
  readonly accounts: ReadonlyMap<string, Account>
  readonly preTrade: PreTrade
}

/**
 * Lets the open `closeOnly` orders of an instrument become as large as their position is now (exchange rules 7.4), once
 * the event that made it larger is through. It is as if the exchange amended them to a larger quantity: one that rests,
 * or is pegged, goes to the back of its queue at the price that it has (an iceberg shows a new part there); a stop
 * order that waits is only for more. No order grows beyond the maximum of its instrument and profile, as none is taken
 * beyond it: what the position has beyond that stays open. An order that was filled before its position grew is over.
 */
export function growWithPositions(
  access: OrderAccess, limits: PositionLimits, host: GrowthHost, traded: TradedInstrument, timeNs: number,
): void {
  for (const order of limits.closing(traded.entry.instrument.id)) {
    const account = host.accounts.get(order.accountId)
    if (account === undefined || order.state !== 'CONFIRMED') continue
    const totalQuantity = wholeQuantity(host.preTrade, account, traded, order)
    if (totalQuantity > order.totalQuantity) grow(access, traded, order, totalQuantity, timeNs)
  }
}

/**
 * Limits a stop order that enters to the position as it is now: `closeOnly` to all of it, up to the maximum of an
 * order; an error where there is none.
 */
export function limitTriggered(
  host: GrowthHost, traded: TradedInstrument, order: ExchangeOrderRecord,
): OrderError | null {
  const account = host.accounts.get(order.accountId)
  if (account === undefined) return null
  const refusal = limitNew(account, traded, order)
  if (refusal === null && order.closeOnly === true)
    order.totalQuantity = wholeQuantity(host.preTrade, account, traded, order)
  return refusal
}

/** The quantity of an order that closes the whole position, or as much of it as one order may. */
function wholeQuantity(
  preTrade: PreTrade, account: Account, traded: TradedInstrument, order: ExchangeOrderRecord,
): number {
  const whole = order.executedQuantity + closableQuantity(account, traded, order)
  const most = preTrade.mostOf(account, traded)
  return whole <= most
    ? whole
    : order.executedQuantity + wholeLots(most - order.executedQuantity, traded.orders.lotSize)
}

function grow(
  access: OrderAccess, traded: TradedInstrument, order: ExchangeOrderRecord, totalQuantity: number, timeNs: number,
): void {
  if (order.isDormant !== true) traded.orders.remove(order)
  order.totalQuantity = totalQuantity
  access.update(traded, order, timeNs)
  if (order.isDormant === true || enter(traded, order, timeNs, access.rules.switches) !== 'CANCELED') return
  access.close(order, timeNs)
  access.update(traded, order, timeNs)
}
