import { textFromScaled, scaledFromText } from '../../model/decimal.js'
import { isPegged, type EntryError, type OrderReport, type OrderType } from '../../model/order.js'
import { factorBetween } from '../../model/scale-factor.js'
import type { Side } from '../../model/side.js'
import type { Writable } from '../../model/writable.js'
import type { PlaceEntry } from '../../venue/messages.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import type { ConditionalOrders } from './conditional-orders.js'
import type { ExchangeMarket } from '../market/exchange-market.js'
import type { UnknownBookReason } from '../market/unknown-book-time.js'
import { exchangeError } from '../market/resting-order.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import type { EngineSwitches, GapPolicy } from './assumptions.js'
import { TickGrid } from '../market/tick-grid.js'
import type { RestingOrders } from './resting-orders.js'

/**
 * One instrument of a world as the engine needs it: the market, the world's orders there, and how scales go together.
 */
export interface TradedInstrument {
  readonly entry: InstrumentEntry
  readonly market: ExchangeMarket
  readonly orders: RestingOrders
  /** Market price = directory price * priceFactor; grows when the feed shows finer digits. */
  priceFactor: number
  /** Market quantity = directory quantity * quantityFactor / quantityDivisor; one of them is 1. */
  quantityFactor: number
  quantityDivisor: number
  /** The prices that orders may have; another one where a later day has other ticks. */
  ticks: TickGrid
  readonly conditions: ConditionalOrders
  /** From when on the exchange takes nothing more, as the contract has ended; Infinity where it does not end. */
  readonly expiryNs: number
}

/** The instruments that a world trades. */
export interface TradedSource {
  /** Null where the run has no such instrument. */
  of(instrumentId: number): TradedInstrument | null
}

/** Why a book is unknown, in words. */
const BLIND_SINCE: Readonly<Record<UnknownBookReason, string>> = {
  start: 'before the first snapshot', gap: 'since a gap', error: 'since an ERROR state',
  silence: 'since the data fell silent', crossed: 'as it has been crossed for long',
}

/** The error of a request for a contract that has ended. */
export function expired({ entry: { instrument } }: Pick<TradedInstrument, 'entry'>): EntryError {
  return exchangeError(
    'INSTRUMENT_EXPIRED',
    `${instrument.code} expired at ${instrument.expiry ?? 'its expiry'} and takes no orders any more`,
  )
}

/**
 * The effect of an unknown book on a request (exchange rules 6.2, 6.3): `null` is nothing. Under `halt` a world gets
 * here before the first snapshot alone, which is no gap.
 */
export function gapRefusal(
  policy: GapPolicy, market: ExchangeMarket, order: Pick<PlaceEntry, 'type' | 'timeInForce' | 'postOnly'>,
): EntryError | null {
  if (market.bookUnknown === null) return null
  const needsBook =
    (order.type !== 'LIMIT' && order.type !== 'STOP_LIMIT') ||
    order.timeInForce !== 'GOOD_TILL_CANCEL' ||
    order.postOnly
  const since = BLIND_SINCE[market.bookUnknown.reason]
  if (policy === 'cancelAndWait')
    return exchangeError(
      'MARKET_DATA_GAP', `the book is unknown ${since}, and new orders wait for it (gap policy cancelAndWait)`,
    )
  if (policy !== 'freeze' && needsBook)
    return exchangeError(
      'MARKET_DATA_GAP', `the book is unknown ${since}, and this order needs it (gap policy ${policy})`,
    )
  return null
}

/** The price up to which an order may trade: its own, or none for MARKET. */
function limitOf(order: OrderAtExchange): number {
  if (order.price !== null) return order.price
  return order.side === 'BID' ? Infinity : -Infinity
}

/** True where a limit reaches the opposite best that is shown. */
export function crosses(market: ExchangeMarket, side: Side, limit: number): boolean {
  return side === 'BID' ? market.shown.bestAskPrice <= limit : market.shown.bestBidPrice >= limit
}

/**
 * The resting order of its own account that an order would meet (exchange rules 3.5): it would trade or rest at or
 * through that order's price. What the market cannot fill goes on to the limit.
 */
export function crossesOwn(
  traded: TradedInstrument, order: OrderAtExchange, isIgnored?: (resting: OrderAtExchange) => boolean,
): OrderAtExchange | null {
  const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
  const limit = limitOf(order)
  for (const resting of traded.orders.resting(opposite)) {
    const price = resting.price as number
    if (order.side === 'BID' ? limit < price : limit > price) return null
    if (resting.accountId !== order.accountId || isIgnored?.(resting) === true) continue
    const wanted = order.remainingQuantity
    const reach =
      traded.market.bookUnknown === null
        ? traded.orders.reachable(opposite, limit, wanted)
        : { quantity: 0, lastPrice: NaN }
    if (reach.quantity < wanted) return order.timeInForce === 'FILL_OR_KILL' ? null : resting
    return (order.side === 'BID' ? reach.lastPrice >= price : reach.lastPrice <= price) ? resting : null
  }
  return null
}

/** The assumptions that decide whether an order may enter. */
export interface EntryRules {
  readonly gaps: GapPolicy
  readonly switches: EngineSwitches
}

/** Why an order may not enter, or null: gap, postOnly, self trade (some own orders may not count), in this order. */
export function entryRefusal(
  traded: TradedInstrument, order: OrderAtExchange, { gaps, switches }: EntryRules,
  isIgnored?: (resting: OrderAtExchange) => boolean,
): EntryError | null {
  const { market } = traded
  const gap = gapRefusal(gaps, market, order)
  if (gap !== null) return gap
  if (
    market.bookUnknown === null &&
    order.postOnly &&
    switches.crossingPostOnly === 'reject' &&
    crosses(market, order.side, limitOf(order))
  )
    return crossingError(traded, order.side)
  const own = switches.selfTrade === 'reject' ? crossesOwn(traded, order, isIgnored) : null
  return own === null
    ? null
    : exchangeError('SELF_TRADE', `the order would match the account's own resting order ${String(own.ownOrderId)}`)
}

/** The error of a crossing postOnly order. */
export function crossingError({ market, priceFactor, entry }: TradedInstrument, side: Side): EntryError {
  const best = side === 'BID' ? market.shown.bestAskPrice : market.shown.bestBidPrice
  const text = Number.isInteger(best / priceFactor)
    ? textFromScaled(best / priceFactor, entry.priceScale)
    : textFromScaled(best, market.priceScale)
  return exchangeError('POST_ONLY_WOULD_CROSS', `the postOnly order would match at once: the opposite best is ${text}`)
}

/**
 * Lets an accepted order trade and rest (exchange rules 4.1). The caller has sent the client CONFIRMED before;
 * executions go to the world's sink. Returns whether the order is over and why.
 */
export function enter(
  traded: TradedInstrument, order: OrderAtExchange, timeNs: number, switches: EngineSwitches,
): 'resting' | 'FILLED' | 'CANCELED' {
  const { orders, market } = traded
  const limit = limitOf(order)
  const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
  const isAggressive = market.bookUnknown === null && crosses(market, order.side, limit)
  if (isAggressive) {
    if (order.postOnly && switches.crossingPostOnly === 'expire') return over(order, 'CANCELED')
    const wanted = order.remainingQuantity
    if (order.timeInForce === 'FILL_OR_KILL' && orders.reachable(opposite, limit, wanted).quantity < wanted)
      return over(order, 'CANCELED')
    orders.take(order, limit, timeNs)
  } else if (order.timeInForce === 'FILL_OR_KILL') return over(order, 'CANCELED')
  if (order.remainingQuantity <= 0) return over(order, 'FILLED')
  if (order.timeInForce !== 'GOOD_TILL_CANCEL' || order.price === null) return over(order, 'CANCELED')
  orders.rest(order, order.price, isAggressive)
  return 'resting'
}

function over(order: OrderAtExchange, state: 'FILLED' | 'CANCELED'): 'FILLED' | 'CANCELED' {
  order.state = state
  return state
}

/**
 * The order as the protocol states it, at the directory's scales; `error` is what ended it where no response says so.
 */
export function orderReport(
  traded: TradedInstrument, order: OrderAtExchange, exchangeTimeNs: number, error?: EntryError,
): OrderReport {
  const report: Writable<OrderReport> = {
    ownOrderId: order.ownOrderId,
    exchangeOrderId: order.exchangeOrderId,
    clientOrderId: order.clientOrderId,
    instrumentId: order.instrumentId,
    type: order.type,
    side: order.side,
    state: order.state,
    timeInForce: order.timeInForce,
    price: order.price === null ? null : order.price / traded.priceFactor,
    totalQuantity: directoryQuantity(traded, order.totalQuantity),
    executedQuantity: directoryQuantity(traded, order.executedQuantity),
    postOnly: order.postOnly,
    exchangeTimeNs,
  }
  addConditions(report, traded, order)
  if (order.openClose !== undefined) report.openClose = order.openClose
  if (order.walletType !== undefined) report.walletType = order.walletType
  if (order.owner !== undefined) report.owner = order.owner
  if (order.context !== undefined) report.context = order.context
  if (error !== undefined) report.error = error
  return report
}

/** Attributes that few orders have. */
function addConditions(
  report: Writable<OrderReport>, traded: TradedInstrument, order: OrderAtExchange,
): void {
  const { priceFactor } = traded
  const { closeOnly, reduceOnly, displayQuantity, triggered, triggerPrice, pegOffsetValue } = order
  if (closeOnly !== undefined) report.closeOnly = closeOnly
  if (reduceOnly !== undefined) report.reduceOnly = reduceOnly
  if (displayQuantity !== undefined) report.displayQuantity = directoryQuantity(traded, displayQuantity)
  if (triggered !== undefined) report.triggered = triggered
  if (triggerPrice !== undefined) report.triggerPrice = triggerPrice / priceFactor
  if (pegOffsetValue !== undefined) report.pegOffsetValue = pegOffsetValue / priceFactor
}

/** A quantity of the market as the directory states it. */
export function directoryQuantity(
  { quantityFactor, quantityDivisor }: Pick<TradedInstrument, 'quantityFactor' | 'quantityDivisor'>, quantity: number,
): number {
  return (quantity * quantityDivisor) / quantityFactor
}

/** A quantity of the directory as the market states it; whole where {@link holdQuantity} has made room for it. */
export function marketQuantity(
  { quantityFactor, quantityDivisor }: Pick<TradedInstrument, 'quantityFactor' | 'quantityDivisor'>, quantity: number,
): number {
  return (quantity * quantityFactor) / quantityDivisor
}

/**
 * Makes room for a quantity of the directory where the market has fewer decimals than it needs (exchange rules 1.8);
 * false where none is left beside the numbers of the data.
 */
export function holdQuantity({ market, entry }: TradedInstrument, quantity: number): boolean {
  let { quantityScale } = entry
  for (let left = quantity; quantityScale > market.quantityScale && left % 10 === 0; left /= 10) quantityScale--
  return market.refine(entry.instrument, quantityScale)
}

/** A lot in units of the directory's quantity scale; 1 where the master data has none. */
export function lotUnits({ instrument, quantityScale }: InstrumentEntry): number {
  return instrument.lotSize === null ? 1 : (scaledFromText(instrument.lotSize, quantityScale) ?? 1)
}

/**
 * The smallest quantity of the market that is whole lots; `divisor` is how much coarser the market's quantities are
 * than the directory's.
 */
export function marketLot(entry: InstrumentEntry, factor: number, divisor: number): number {
  const lot = lotUnits(entry)
  let [common, rest] = [lot, divisor]
  while (rest > 0) [common, rest] = [rest, common % rest]
  return (lot / common) * factor
}

/** True where whole lots of a coarser market are those of the directory, at any scale between. */
export function mayBeCoarse(entry: InstrumentEntry): boolean {
  const lot = lotUnits(entry)
  for (let scale = 1; scale <= entry.quantityScale; scale++) {
    const unit = factorBetween(0, scale)
    if (lot % unit !== 0 && unit % lot !== 0) return false
  }
  return true
}

/** The open orders of a world, and the way to end one. */
export interface GridOrders {
  openOrders(): Iterable<OrderAtExchange>
  cancelWhere(isMeant: (order: OrderAtExchange) => boolean, timeNs: number, why: EntryError): void
}

/**
 * Brings an instrument of a world to the tick sizes and the lot size that its directory entry has now; open orders off
 * them are cancelled (exchange rules 1.7).
 */
export function takeGrid(traded: TradedInstrument, orders: GridOrders, timeNs: number): void {
  const { entry } = traded
  traded.ticks = new TickGrid(entry, traded.priceFactor)
  if (!mayBeCoarse(entry)) traded.market.refine(entry.instrument, entry.quantityScale)
  traded.orders.lotSize = marketLot(entry, traded.quantityFactor, traded.quantityDivisor)
  for (const order of [...orders.openOrders()]) {
    const why = order.instrumentId === traded.entry.instrument.id ? offGrid(traded, order) : null
    if (why !== null) orders.cancelWhere((one) => one === order, timeNs, why)
  }
}

/** The terms of an order that lie on a grid, at the market's scales. */
interface GridTerms {
  readonly type: OrderType
  readonly price: number | null
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
export function termsOfDayRefusal(traded: TradedInstrument, terms: GridTerms, open: number): EntryError | null {
  const {
    instrument: { code, state }, termsFromNs,
  } = traded.entry
  if (state !== null && state !== 'open')
    return exchangeError(
      'INSTRUMENT_NOT_OPEN', `${code} takes no orders, its state is ${JSON.stringify(state)}; cancels pass`,
    )
  if (traded.market.isClosed)
    return exchangeError(
      'INSTRUMENT_NOT_OPEN',
      `${code} takes no orders, as its numbers are beyond 2^53 - 1 at the scale of its market; cancels pass`,
    )
  const fault = termsFromNs === undefined ? null : gridFault(traded, terms, open)
  return fault === null ? null : exchangeError(fault[0], `${fault[1]} that holds since midnight`)
}

/**
 * Why an open order is cancelled at the midnight that brings another grid, or null. A peg is where the old grid has put
 * it.
 */
function offGrid(traded: TradedInstrument, order: OrderAtExchange): EntryError | null {
  const { type, price, triggerPrice, displayQuantity } = order
  const terms = { type: isPegged(type) ? 'LIMIT' : type, price, triggerPrice, displayQuantity }
  const fault = gridFault(traded, terms, order.remainingQuantity)
  return fault === null
    ? null
    : exchangeError('TERMS_CHANGED', `cancelled, as its ${fault[1]} that holds from this midnight on`)
}
