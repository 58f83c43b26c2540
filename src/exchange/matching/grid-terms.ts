import { scaledFromText, textFromScaled } from '../../model/decimal.js'
import { isPegged, type OrderError } from '../../model/order.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import type { TradedInstrument } from './order-engine.js'
import { remainingQuantity, type ExchangeOrderRecord } from '../market/resting-order.js'
import { TickGrid } from '../market/tick-grid.js'
import { exchangeError } from '../market/exchange-error.js'

/** A lot in units of the directory's quantity scale; 1 where the master data has none. */
export function lotUnits({ instrument, quantityScale }: InstrumentEntry): number {
  return instrument.lotSize === null ? 1 : (scaledFromText(instrument.lotSize, quantityScale) ?? 1)
}

/** The open orders of a world, and the way to end one. */
export interface GridOrders {
  openOrders(): Iterable<ExchangeOrderRecord>
  cancelWhere(isMeant: (order: ExchangeOrderRecord) => boolean, timeNs: number, why: OrderError): void
}

/**
 * Brings an instrument of a world to the tick sizes and the lot size that its directory entry has now; open orders off
 * them are cancelled (exchange rules 1.7).
 */
export function takeGrid(traded: TradedInstrument, orders: GridOrders, timeNs: number): void {
  traded.ticks = new TickGrid(traded.entry, traded.priceFactor)
  traded.orders.lotSize = lotUnits(traded.entry) * traded.quantityFactor
  for (const order of [...orders.openOrders()]) {
    const why = order.instrumentId === traded.entry.instrument.id ? offGrid(traded, order) : null
    if (why !== null) orders.cancelWhere((one) => one === order, timeNs, why)
  }
}

/** The terms of an order that lie on a grid, at the market's scales. */
interface GridTerms extends Pick<ExchangeOrderRecord, 'type' | 'price'> {
  readonly triggerPrice?: number | undefined
  readonly displayQuantity?: number | undefined
}

/**
 * The term of an order that is off the grid that holds now, with the field's error type; null where there is none.
 * `open` is what is left of it, at the market's scale.
 */
function gridFault(
  traded: TradedInstrument, { type, price, triggerPrice, displayQuantity }: GridTerms, open: number,
): readonly [errorType: string, words: string] | null {
  const { ticks, market, orders } = traded
  const { tickSize, tickBands, lotSize } = traded.entry.instrument
  for (const [field, value] of [['price', isPegged(type) ? null : price], ['triggerPrice', triggerPrice]] as const) {
    if (value === null || value === undefined || ticks.down(value) === value) continue
    const tick = tickBands.length > 0 ? 'of the tick table' : (tickSize ?? '')
    return [
      'INVALID_PRICE', `${field} ${textFromScaled(value, market.priceScale)} is no multiple of the tick size ${tick}`,
    ]
  }
  for (const [field, value] of [['open quantity', open], ['displayQuantity', displayQuantity]] as const) {
    if (value === undefined || value % orders.lotSize === 0) continue
    return [
      'INVALID_QUANTITY',
      `${field} ${textFromScaled(value, market.quantityScale)} is no multiple of the lot size ${lotSize ?? ''}`,
    ]
  }
  return null
}

/**
 * Why the exchange takes no order of these terms today, or null: the instrument is not open, or they are off a grid
 * that holds since the adapter let them pass (exchange rules 1.7).
 */
export function termsOfDayRefusal(traded: TradedInstrument, terms: GridTerms, open: number): OrderError | null {
  const {
    instrument: { code, state }, termsFromNs,
  } = traded.entry
  if (state !== null && state !== 'open')
    return exchangeError(
      'INSTRUMENT_NOT_OPEN', `${code} takes no orders, its state is ${JSON.stringify(state)}; cancels pass`,
    )
  const fault = termsFromNs === undefined ? null : gridFault(traded, terms, open)
  return fault === null ? null : exchangeError(fault[0], `${fault[1]} that holds since midnight`)
}

/**
 * Why an open order is cancelled at the midnight that brings another grid, or null. A peg is where the old grid has put
 * it.
 */
function offGrid(traded: TradedInstrument, order: ExchangeOrderRecord): OrderError | null {
  const terms = isPegged(order.type) ? { ...order, type: 'LIMIT' } : order
  const fault = gridFault(traded, terms, remainingQuantity(order))
  return fault === null
    ? null
    : exchangeError('TERMS_CHANGED', `cancelled, as its ${fault[1]} that holds from this midnight on`)
}
