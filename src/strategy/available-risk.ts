import { Amount } from '../model/amount.js'
import { Decimal } from '../model/decimal.js'
import type { FixedDecimal } from '../model/fixed-decimal.js'
import { isLimited, type OpenClose } from '../model/order.js'
import type { Side } from '../model/side.js'
import type { InitialMarginStep, MarginOpening, OpeningTerms, PaidOpening } from '../venue/venue.js'
import type { OrderGrid } from './order-grid.js'
import type { OrderParams } from './order-params.js'
import { amountOf, heldSides, valuationPrice, type HeldSides } from './held-position.js'
import { holdingOf, type TradingInstrument } from './trading-instrument.js'

const ZERO: Amount = Amount.ZERO
const ONE: Amount = Amount.ONE

/** The remaining terms of an open order. */
interface WorkingOrder {
  readonly side: Side
  readonly quantity: Amount
  readonly price: Amount | null
  readonly openClose: OpenClose
  /** True where it may only make the position smaller. */
  readonly isLimited: boolean
  /** True where the exchange has it, so that the wallet's stated amounts know of it. */
  readonly isStated: boolean
}

/** The value of orders: of all that are open, and of those that the wallet's stated amounts know of. */
interface WorkValue {
  readonly all: Amount
  readonly stated: Amount
}

/**
 * The effect of a strategy's open orders of an instrument on its position; orders limited to the position are in none
 * of the sums.
 */
interface OpenWork {
  readonly orders: readonly WorkingOrder[]
  readonly bids: WorkValue
  readonly asks: WorkValue
  /** Of orders that OPEN a position beside the net one. */
  readonly openedLong: WorkValue
  readonly openedShort: WorkValue
}

/** Isolated positions that orders without OPEN close first. */
interface ClosableLegs {
  readonly long: Amount
  readonly short: Amount
}

/** Sums up the open orders of a strategy by a value for each; what closes one of `legs` is in none of the sums. */
export function openWork(
  instrument: TradingInstrument, valueOf: (quantity: Amount, price: Amount | null, side: Side) => Amount,
  legs: ClosableLegs = { long: ZERO, short: ZERO },
): OpenWork {
  const orders = instrument.openOrders.map(
    ({
      side, totalQuantity, executedQuantity, price, state, conditions,
    }): WorkingOrder => ({
      side, quantity: amountOf(totalQuantity).minus(amountOf(executedQuantity)),
      price: price === null ? null : amountOf(price),
      openClose: conditions.openClose, isLimited: isLimited(conditions), isStated: state !== 'PENDING_NEW',
    }),
  )
  const sumOf = (side: Side, isOpening: boolean, isMeant: (order: WorkingOrder) => boolean): Amount => {
    let [sum, toClose] = [ZERO, isOpening ? ZERO : side === 'BID' ? legs.short : legs.long]
    for (const order of orders) {
      if (order.side !== side || order.isLimited || (order.openClose === 'OPEN') !== isOpening || !isMeant(order))
        continue
      const closed = Amount.min(toClose, order.quantity)
      toClose = toClose.minus(closed)
      sum = sum.plus(valueOf(order.quantity.minus(closed), order.price, side))
    }
    return sum
  }
  const sum = (side: Side, isOpening: boolean): WorkValue => ({
    all: sumOf(side, isOpening, () => true), stated: sumOf(side, isOpening, ({ isStated }) => isStated),
  })
  return {
    orders, bids: sum('BID', false), asks: sum('ASK', false), openedLong: sum('BID', true),
    openedShort: sum('ASK', true),
  }
}

/** The share of its available risk that an order may have. */
export interface RiskShare {
  readonly ratio: Decimal
  /** The quantity that is wanted, in units of the quantity scale. */
  readonly wanted: number
  /** Undefined where the venue states nothing. */
  readonly terms: OpeningTerms | undefined
}

/** True where the account could have an order of this quantity. */
type Fits = (quantity: Amount) => boolean

/**
 * The most that an order of a derivative may have by its `baseRiskRatio`, in whole lots at the quantity scale; at least
 * `wanted` where the ratio does not cut it, null where nothing states what is available.
 *
 * Available is the largest quantity that an order of this side could have: what it would close, and what the wallet's
 * stated `availableAmount` can open at the order's price. Of derivatives of which only profit is settled that is by the
 * initial margin of the position as it would be with the strategy's open orders of that side, so that what closes gives
 * back its margin; options take their premium, prediction contracts their stake. An order without a price counts at the
 * best price of the other side. Fees are not counted, nor what other strategies of the account have open. Orders
 * limited to the position (closeOnly, reduceOnly, CLOSE) have what they would close.
 */
export function allowedOfRisk(
  instrument: TradingInstrument, grid: OrderGrid, params: OrderParams, { ratio, wanted, terms }: RiskShare,
): number | null {
  const fits = isLimited(params)
    ? closingFits(instrument, params)
    : terms === undefined
      ? null
      : openingFits(instrument, params, terms)
  if (fits === null) return null
  if (ratio.isZero()) return 0
  // No more need be known than what the ratio cuts to the quantity that is wanted; one lot more, as the quotient is
  // rounded.
  const bound = Decimal.min(
    Math.floor(Number.MAX_SAFE_INTEGER / grid.lot),
    new Decimal(Math.max(wanted, 0) / grid.lot).div(ratio).ceil().plus(1),
  ).toNumber()
  const lots = mostLots(bound, (count) => fits(Amount.scaled(count * grid.lot, grid.quantityScale)))
  return ratio.times(lots).floor().toNumber() * grid.lot
}

/** The largest count up to a bound that fits: whatever is more than one that does not fit does not fit either. */
function mostLots(bound: number, fits: (count: number) => boolean): number {
  if (fits(bound)) return bound
  let [most, tooMany] = [0, bound]
  while (tooMany - most > 1) {
    const middle = most + Math.floor((tooMany - most) / 2)
    if (fits(middle)) most = middle
    else tooMany = middle
  }
  return most
}

/** The quantity held on one side, isolated or not. */
function heldOn({ net, long, short }: HeldSides, side: Side): Amount {
  return side === 'BID' ? Amount.max(ZERO, net).plus(long) : Amount.max(ZERO, net.negated()).plus(short)
}

function closingFits(instrument: TradingInstrument, { side, openClose }: OrderParams): Fits {
  const holding = heldSides(holdingOf(instrument))
  const leg = side === 'BID' ? holding.short : holding.long
  const closable = openClose === 'CLOSE' ? leg : heldOn(holding, side === 'BID' ? 'ASK' : 'BID')
  return (quantity) => quantity.lte(closable)
}

function openingFits(instrument: TradingInstrument, params: OrderParams, terms: OpeningTerms): Fits | null {
  const isMargin = 'initialMargin' in terms
  const price = priceOf(instrument, params, isMargin && terms.kind !== 'inverse')
  const available = Amount.max(ZERO, Amount.from(instrument.account.available(terms.settlementUnderlyingId)))
  if (price === null) return null
  return isMargin
    ? marginFits(instrument, params, { terms, price, available })
    : paidFits(instrument, params, { terms, price, available })
}

/** The order's own price, above 0, else the best of the other side. */
function priceOf(
  { bestAsk, bestBid }: TradingInstrument, { side, price }: OrderParams, mayBeBelowZero: boolean,
): Amount | null {
  const at: FixedDecimal | undefined = price ?? (side === 'BID' ? bestAsk : bestBid)?.price
  return at === undefined || (at.integer <= 0 && (at === price || !mayBeBelowZero)) ? null : amountOf(at)
}

interface Opening<T extends OpeningTerms> {
  readonly terms: T
  readonly price: Amount
  readonly available: Amount
}

/**
 * The value of a quantity in the settlement underlying, without the sign of its price; a quotient is rounded once,
 * half-even, to 18 decimals, as money is everywhere.
 */
function valueOf({ kind, contractSize }: OpeningTerms, quantity: Amount, price: Amount): Amount {
  const amount = quantity.times(contractSize)
  return kind === 'inverse'
    ? amount.quotient(price)
    : amount.times(price).abs()
}

function marginOf(steps: readonly InitialMarginStep[], value: Amount): Amount {
  return value.times(stepOf(steps, value)?.initialRate ?? ZERO)
}

function stepOf(steps: readonly InitialMarginStep[], value: Amount): InitialMarginStep | undefined {
  return steps.find(({ upTo }) => upTo === null || value.lte(upTo)) ?? steps.at(-1)
}

function isBeyond(steps: readonly InitialMarginStep[], value: Amount): boolean {
  const last = steps.at(-1)?.upTo ?? null
  return last !== null && value.gt(last)
}

/**
 * The price by which an order counts for margin: never a better one than it gets, as the best price of the other side,
 * or the mark by which what it opens is valued.
 */
function countedPrice(instrument: TradingInstrument, { kind }: OpeningTerms, side: Side, price: Amount): Amount {
  const isBid = side === 'BID'
  const shown = (isBid ? instrument.bestAsk : instrument.bestBid)?.price
  const best = shown === undefined ? price : amountOf(shown)
  const others = [best, valuationPrice(instrument) ?? price]
  if (kind === 'inverse') return isBid ? Amount.min(price, ...others) : price
  return Amount.farthest(price, ...(isBid ? others.filter(({ sign }) => sign < 0) : others))
}

/**
 * Initial margin: what orders need beyond those that the wallet has been stated with must be available, unless this one
 * only closes and adds nothing.
 */
function marginFits(
  instrument: TradingInstrument, { side, openClose = 'AUTO' }: OrderParams,
  { terms, price, available }: Opening<MarginOpening>,
): Fits | null {
  const holding = heldSides(holdingOf(instrument))
  const work = openWork(
    instrument, (quantity, at, of) => valueOf(terms, quantity, countedPrice(instrument, terms, of, at ?? price)),
    holding,
  )
  const isOpening = openClose === 'OPEN'
  const position = isOpening ? legPosition(instrument, side, terms, work) : netPosition(instrument, side, terms, work)
  if (position === null) return null
  const { whole, need } = position
  // What is left to be closed, and of the isolated position on the other side, when earlier orders have closed their
  // part.
  const earlier = work.orders.reduce(
    (sum, order) =>
      order.side === side && !order.isLimited && order.openClose !== 'OPEN' ? sum.plus(order.quantity) : sum,
    ZERO,
  )
  const closable = isOpening ? ZERO : Amount.max(ZERO, heldOn(holding, side === 'BID' ? 'ASK' : 'BID').minus(earlier))
  const ofLeg = isOpening ? ZERO : Amount.max(ZERO, (side === 'BID' ? holding.short : holding.long).minus(earlier))
  const counted = countedPrice(instrument, terms, side, price)
  const budget = available.plus(need(ZERO, 'stated'))
  // The available amount is never stated below 0: what else the wallet says shows whether it would be.
  const { marginBalance = '0', amountBlockedForMargin = '0' } =
    instrument.account.wallet(terms.settlementUnderlyingId) ?? {}
  const isOverdrawn = available.isZero() && Amount.from(marginBalance).lt(Amount.from(amountBlockedForMargin))
  return (quantity) => {
    const value = valueOf(terms, Amount.max(ZERO, quantity.minus(ofLeg)), counted)
    const size = whole(value, 'all')
    const needed = need(value, 'all')
    if (isBeyond(terms.initialMargin, size) && size.gt(whole(ZERO, 'all'))) return false
    return (!isOverdrawn && needed.lte(budget)) || (quantity.lte(closable) && needed.lte(need(ZERO, 'all')))
  }
}

/**
 * A position that an order adds a value to: what it comes to with open orders, all of them or those that the wallet was
 * stated with, and what that needs.
 */
interface PositionWithOrders {
  readonly whole: (added: Amount, orders: keyof WorkValue) => Amount
  readonly need: (added: Amount, orders: keyof WorkValue) => Amount
}

/** The net position: the larger value that it can come to by the open orders of both sides. */
function netPosition(
  instrument: TradingInstrument, side: Side, terms: MarginOpening, work: OpenWork,
): PositionWithOrders | null {
  const { net } = heldSides(holdingOf(instrument))
  const mark = valuationPrice(instrument)
  if (mark === null && !net.isZero()) return null
  const size = mark === null ? ZERO : valueOf(terms, net.abs(), mark)
  const held = net.sign > 0 === (side === 'BID') ? size : size.negated()
  const [own, other] = side === 'BID' ? [work.bids, work.asks] : [work.asks, work.bids]
  const whole: PositionWithOrders['whole'] = (added, orders) =>
    Amount.max(size, held.plus(own[orders]).plus(added), other[orders].minus(held))
  return { whole, need: (added, orders) => marginOf(terms.initialMargin, whole(added, orders)) }
}

/**
 * The position beside the net one that OPEN makes: valued by its entry where its margin is its own, and then each order
 * has the rate of the whole.
 */
function legPosition(
  instrument: TradingInstrument, side: Side, terms: MarginOpening, work: OpenWork,
): PositionWithOrders | null {
  const { isolated } = holdingOf(instrument).stated
  const leg = side === 'BID' ? isolated?.long : isolated?.short
  const own = side === 'BID' ? work.openedLong : work.openedShort
  const size = leg === undefined ? ZERO : Amount.scaled(leg.size, instrument.entry.quantityScale)
  const entry = leg?.averageEntryPrice === undefined ? null : Amount.from(String(leg.averageEntryPrice))
  const price = size.isZero() ? ONE : terms.isIsolated ? entry : valuationPrice(instrument)
  if (price === null) return null
  const held = valueOf(terms, size, price)
  const whole: PositionWithOrders['whole'] = (added, orders) => held.plus(own[orders]).plus(added)
  const need: PositionWithOrders['need'] = (added, orders) => {
    const value = whole(added, orders)
    return terms.isIsolated
      ? value.minus(held).times(stepOf(terms.initialMargin, value)?.initialRate ?? ZERO)
      : marginOf(terms.initialMargin, value)
  }
  return { whole, need }
}

/**
 * The quantity that fits where everything is paid in full: what is covered by what is held on the other side needs
 * nothing, the rest the price, or 1 less the price.
 */
function paidFits(
  instrument: TradingInstrument, { side, openClose }: OrderParams, { terms, price, available }: Opening<PaidOpening>,
): Fits | null {
  const isBid = side === 'BID'
  const unitOf = (at: Amount): Amount => Amount.max(ZERO, isBid ? at : ONE.minus(at))
  let cover = isBid && !terms.isCoverFree ? ZERO : heldOn(heldSides(holdingOf(instrument)), isBid ? 'ASK' : 'BID')
  if (!isBid && terms.shortSale === 'unstated') return null
  // What is held covers orders in their order; what the wallet was not stated with yet is still to be paid.
  let unstated = ZERO
  for (const order of openWork(instrument, () => ZERO).orders) {
    if (order.side !== side) continue
    const covered = order.openClose === 'OPEN' ? ZERO : Amount.min(cover, order.quantity)
    cover = cover.minus(covered)
    if (!order.isStated && !order.isLimited)
      unstated = unstated.plus(valueOf(terms, order.quantity.minus(covered), unitOf(order.price ?? price)))
  }
  return (quantity) => {
    const opened = openClose === 'OPEN' ? quantity : Amount.max(ZERO, quantity.minus(cover))
    if (!isBid && terms.shortSale === 'refused') return !quantity.gt(cover)
    const need = valueOf(terms, opened, unitOf(price))
    return need.isZero() || need.plus(unstated).lte(available)
  }
}
