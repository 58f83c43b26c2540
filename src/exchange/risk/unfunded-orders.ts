import type { Decimal } from '../../model/decimal.js'
import type { OrderError } from '../../model/order.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import { isHeld, type Account } from '../accounts/account.js'
import { isPaidInFull } from '../../model/contract.js'
import type { PositionCloser } from './liquidation.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'

/** The parts of its world that the removal of unfunded orders needs. */
export interface UncoveredHost {
  readonly handler: PositionCloser & { openOrders(): Iterable<ExchangeOrderRecord> }
  readonly preTrade: {
    /**
     * The amount of an underlying that an order leaves free: what it spends, at most what the others leave; without a
     * price all that they leave.
     */
    unused(account: Account, order: ExchangeOrderRecord, underlyingId: number): Decimal
  }
  /** The instrument of an order; undefined where the run has none of that id. */
  entryOf(instrumentId: number): InstrumentEntry | undefined
}

/**
 * Cancels orders that are paid in full, newest first, until free cash covers the rest: what a liquidation took was
 * blocked for them, and filled they would take cash below 0. Returns whether any was cancelled.
 */
export function cancelUncovered(
  account: Account, timeNs: number, why: OrderError, { handler, preTrade, entryOf }: UncoveredHost,
): boolean {
  if (!isHeld(account)) return false
  const isPaid = ({ accountId, instrumentId }: ExchangeOrderRecord): boolean => {
    const entry = accountId === account.config.accountId ? entryOf(instrumentId) : undefined
    return entry !== undefined && isPaidInFull(account.prospect(entry).contract)
  }
  const newestFirst = [...handler.openOrders()].filter(isPaid).reverse()
  const cancelled = new Set<ExchangeOrderRecord>()
  for (const underlyingId of account.cash.keys()) {
    for (const order of newestFirst) {
      // A copy is none of the open orders, so all of them count.
      const free = preTrade.unused(account, { ...order, price: null }, underlyingId)
      if (!free.isNegative() || free.isZero()) break
      if (cancelled.has(order) || !preTrade.unused(account, order, underlyingId).gt(free)) continue
      handler.cancelWhere((one) => one === order, timeNs, why)
      cancelled.add(order)
    }
  }
  return cancelled.size > 0
}
