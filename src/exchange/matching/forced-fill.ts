import type { Decimal } from '../../model/decimal.js'
import type { Side } from '../../model/side.js'
import type { Leg } from '../accounts/account-position.js'
import type { TradedInstrument } from './order-engine.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'

/**
 * A fill without an order of the account's own: its position is closed by the exchange. Price and quantity at the
 * directory's scales.
 */
export interface ForcedFill {
  readonly side: Side
  readonly leg: Leg
  readonly price: number
  readonly quantity: number
  readonly timeNs: number
  /** Of the value, in the place of the account's fees. */
  readonly feeRate?: Decimal
}

/** Name of the orders that nobody sent: forced fills carry empty order ids and belong to no client. */
const NO_CLIENT = ''

/** The order that a forced fill stands for; it never rests. */
export function forcedOrder(
  accountId: string, { entry, priceFactor, quantityFactor }: TradedInstrument, { side, price, quantity }: ForcedFill,
): ExchangeOrderRecord {
  const total = quantity * quantityFactor
  return {
    accountId, clientId: NO_CLIENT, ownOrderId: '', clientOrderId: '', exchangeOrderId: '',
    instrumentId: entry.instrument.id, type: 'MARKET', side, timeInForce: 'IMMEDIATE_OR_CANCEL',
    price: price * priceFactor, totalQuantity: total, executedQuantity: total, postOnly: false, state: 'FILLED',
    quantityAhead: NaN, entryQuantityAhead: NaN, tradedSince: 0, touchedByGap: false,
  }
}
