import { Amount } from '../model/amount.js'
import type { BookView } from '../model/book-view.js'
import { decimalScale, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { Instrument } from '../model/instrument.js'
import { ProductSum, QUOTIENT_DIGITS, QuotientSum } from './minutes-sum.js'
import { averageText, quotientText, type MinuteUnits } from './minutes-units.js'

/** The cells of a minute that are time averages of the book. Decimal texts; null where the book was not known. */
export interface BookCells {
  /** Spread, a price. */
  readonly spread_avg: string | null
  /** Spread in hundredths of a percent of the mid. */
  readonly spread_bps: string | null
  /** Spread in ticks. */
  readonly spread_ticks: string | null
  /** Value of the best bid in USD. */
  readonly top1_bid_usd: string | null
  /** Value of the best ask in USD. */
  readonly top1_ask_usd: string | null
  /** Value of the 20 best bids in USD. */
  readonly top20_bid_usd: string | null
  /** Value of the 20 best asks in USD. */
  readonly top20_ask_usd: string | null
  /** Quantity of the best bid. */
  readonly top1_bid_qty: string | null
  /** Quantity of the best ask. */
  readonly top1_ask_qty: string | null
}

const LEVELS = 20

/** One side of the book as it stands: what the averages need of it. */
class SideState {
  price = NaN
  quantity = 0
  /** Quote value of the best level and of 20 levels in scaled units; NaN where only the bigint is exact. */
  topValue = 0
  deepValue = 0
  topExact = 0n
  deepExact = 0n
  /** The same and the best quantity, where a quantity is beyond 2^53 - 1; else null. */
  wide: WideSide | null = null
  private readonly prices: Float64Array = new Float64Array(LEVELS)
  private readonly quantities: Float64Array = new Float64Array(LEVELS)

  take(book: BookView, side: 'BID' | 'ASK', isInverse: boolean): void {
    const { prices, quantities } = this
    const count = book.copyLevels(side, LEVELS, prices, quantities)
    this.price = count === 0 ? NaN : (prices[0] as number)
    this.quantity = count === 0 ? 0 : (quantities[0] as number)
    this.topValue = 0
    let sum = 0
    let isExact = true
    for (let level = 0; level < count; level++) {
      const value = isInverse
        ? (quantities[level] as number)
        : (prices[level] as number) * (quantities[level] as number)
      sum += value
      // A term or sum that was rounded is beyond the safe integers.
      if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER && Math.abs(sum) <= Number.MAX_SAFE_INTEGER)) isExact = false
      if (level === 0) this.topValue = sum
    }
    this.deepValue = sum
    this.wide = book.hasWide === true ? this.takeWide(book, side, count, isInverse) : null
    if (this.wide === null && !isExact) this.takeExact(count, isInverse)
  }

  private takeWide(book: BookView, side: 'BID' | 'ASK', count: number, isInverse: boolean): WideSide {
    let [deep, top, quantity] = [Amount.ZERO, Amount.ZERO, Amount.ZERO]
    for (let level = 0; level < count; level++) {
      const at = this.prices[level] as number
      const digits = book.wideQuantity?.(side, at)
      const by = digits === undefined ? Amount.scaled(this.quantities[level] as number, book.quantityScale)
        : Amount.from(digits)
      deep = deep.plus(isInverse ? by : by.times(Amount.scaled(at, book.priceScale)))
      if (level === 0) [top, quantity] = [deep, by]
    }
    const price = count === 0 ? Amount.ZERO : Amount.scaled(this.price, book.priceScale)
    const base = !isInverse ? quantity : price.isZero() ? Amount.ZERO : quantity.quotient(price, QUOTIENT_DIGITS)
    return { top, deep, base }
  }

  private takeExact(count: number, isInverse: boolean): void {
    let sum = 0n
    for (let level = 0; level < count; level++) {
      sum += isInverse
        ? BigInt(this.quantities[level] as number)
        : BigInt(this.prices[level] as number) * BigInt(this.quantities[level] as number)
      if (level === 0) this.topExact = sum
    }
    this.deepExact = sum
    this.topValue = this.deepValue = NaN
  }
}

/** A side with quantities beyond 2^53 - 1: values of the best level and of 20, the best quantity in base units. */
interface WideSide {
  readonly top: Amount
  readonly deep: Amount
  readonly base: Amount
}

const NO_WIDE: WideSide = { top: Amount.ZERO, deep: Amount.ZERO, base: Amount.ZERO }

/** One band of tick sizes in units of 10^-scale: from `floor` (inclusive) to the next band. */
interface ScaledBand {
  readonly floor: number
  readonly ceiling: number
  readonly tick: number
}

/** The tick sizes of an instrument at a scale that holds both them and its prices. */
interface TickScale {
  readonly scale: number
  /** Turns scaled prices into units of `scale`. */
  readonly factor: number
  /** Ascending; none where the tick size is unknown. */
  readonly bands: readonly ScaledBand[]
}

function tickScale({ tickBands, tickSize }: Instrument, priceScale: number): TickScale {
  const bands = tickBands.length > 0 ? tickBands : tickSize === null ? [] : [{ floor: '0', tickSize }]
  const scale = Math.max(
    priceScale, ...bands.flatMap((band) => [decimalScale(band.floor) ?? 0, decimalScale(band.tickSize) ?? 0]),
  )
  const scaled = bands.map((band) => ({
    floor: scaledFromText(band.floor, scale), tick: scaledFromText(band.tickSize, scale),
  }))
  const isKnown = scaled.every(({ floor, tick }) => floor !== null && tick !== null && tick > 0)
  const between = scaled.map(({ floor, tick }, i) => ({
    floor: i === 0 ? -Infinity : (floor ?? 0), ceiling: scaled[i + 1]?.floor ?? Infinity, tick: tick ?? 1,
  }))
  return { scale, factor: 10 ** (scale - priceScale), bands: isKnown ? between : [] }
}

/** Sums of one minute. A value that stood for `ns` nanoseconds counts `ns` times. */
class MinuteSums {
  knownNs = 0
  spreadNs = 0
  midNs = 0
  readonly spread = new ProductSum()
  readonly bps = new QuotientSum()
  readonly ticks: ProductSum[] = []
  readonly bid = new SideSums()
  readonly ask = new SideSums()
}

class SideSums {
  readonly top = new ProductSum()
  readonly deep = new ProductSum()
  readonly quantity = new ProductSum()
  readonly base = new QuotientSum()
  /** Amounts that are not in the others. */
  wide: WideSide = NO_WIDE

  add(state: SideState, ns: number, isInverse: boolean): void {
    if (state.wide !== null) return this.addWide(state.wide, ns)
    if (Number.isNaN(state.deepValue)) {
      this.top.addExact(state.topExact * BigInt(ns))
      this.deep.addExact(state.deepExact * BigInt(ns))
    } else {
      this.top.add(state.topValue, ns)
      this.deep.add(state.deepValue, ns)
    }
    if (!isInverse) this.quantity.add(state.quantity, ns)
    else if (state.quantity > 0) this.base.add(state.quantity, ns, state.price)
  }

  private addWide({ top, deep, base }: WideSide, ns: number): void {
    const { wide } = this
    const weight = Amount.scaled(ns, 0)
    this.wide = {
      top: wide.top.plus(top.times(weight)), deep: wide.deep.plus(deep.times(weight)),
      base: wide.base.plus(base.times(weight)),
    }
  }

  rescale(finerPrice: number, finerQuantity: number, isInverse: boolean): void {
    const valueFactor = 10n ** BigInt(finerQuantity + (isInverse ? 0 : finerPrice))
    this.top.multiply(valueFactor)
    this.deep.multiply(valueFactor)
    this.quantity.multiply(10n ** BigInt(finerQuantity))
    this.base.shift(finerQuantity - finerPrice)
  }
}

/**
 * Time averages of the depth book within the open minute. Weights are nanoseconds of the adapter clock. While the book
 * is suspect nothing counts; an empty side counts as depth 0, the spread only where both sides stand.
 */
export class BookMinute {
  private readonly bid = new SideState()
  private readonly ask = new SideState()
  private sums = new MinuteSums()
  private ticks: TickScale = { scale: 0, factor: 1, bands: [] }
  private priceScale = -1
  private quantityScale = -1
  private isStale = true

  constructor(
    private readonly instrument: Instrument,
    private readonly units: MinuteUnits,
    private readonly book: BookView,
  ) {}

  /** The book has changed: its values are taken again when time passes. */
  bookChanged(): void {
    this.isStale = true
  }

  /** Counts the book as it stands for `ns` nanoseconds. */
  add(ns: number): void {
    const { sums, bid, ask, units } = this
    if (this.isStale) this.take()
    sums.knownNs += ns
    sums.bid.add(bid, ns, units.isInverse)
    sums.ask.add(ask, ns, units.isInverse)
    if (Number.isNaN(bid.price) || Number.isNaN(ask.price)) return
    const spread = ask.price - bid.price
    const twiceMid = ask.price + bid.price
    sums.spreadNs += ns
    sums.spread.add(spread, ns)
    if (twiceMid !== 0) {
      sums.midNs += ns
      sums.bps.add(spread, ns, twiceMid)
    }
    this.addTicks(ns)
  }

  /** The averages of the minute, or null where the book was never known in it; the next minute begins empty. */
  finish(): BookCells | null {
    const { sums, units, priceScale, quantityScale } = this
    this.sums = new MinuteSums()
    if (sums.knownNs === 0) return null
    const known = BigInt(sums.knownNs)
    const valueScale = quantityScale + (units.isInverse ? 0 : priceScale)
    const average = (total: bigint, scale: number, wide: Amount, by: MinuteUnits['usd']): string | null => {
      const sum = wide.isZero() ? { units: total, scale } : Amount.scaled(total, scale).plus(wide)
      return averageText(sum.units, known, sum.scale, by)
    }
    const value = (sum: ProductSum, wide: Amount): string | null => average(sum.total(), valueScale, wide, units.usd)
    const base = ({ base: inverse, quantity, wide }: SideSums): string | null =>
      units.isInverse
        ? average(inverse.total(), QUOTIENT_DIGITS + quantityScale - priceScale, wide.base, units.base)
        : average(quantity.total(), quantityScale, wide.base, units.base)
    return {
      spread_avg: quotientText(sums.spread.total(), BigInt(sums.spreadNs), priceScale),
      spread_bps: quotientText(sums.bps.total() * 20_000n, BigInt(sums.midNs), QUOTIENT_DIGITS),
      spread_ticks: this.ticksText(sums),
      top1_bid_usd: value(sums.bid.top, sums.bid.wide.top),
      top1_ask_usd: value(sums.ask.top, sums.ask.wide.top),
      top20_bid_usd: value(sums.bid.deep, sums.bid.wide.deep),
      top20_ask_usd: value(sums.ask.deep, sums.ask.wide.deep),
      top1_bid_qty: base(sums.bid),
      top1_ask_qty: base(sums.ask),
    }
  }

  private take(): void {
    const { book, units } = this
    if (book.priceScale !== this.priceScale || book.quantityScale !== this.quantityScale) this.rescale()
    this.bid.take(book, 'BID', units.isInverse)
    this.ask.take(book, 'ASK', units.isInverse)
    this.isStale = false
  }

  private rescale(): void {
    const { book, sums, units } = this
    const ticks = tickScale(this.instrument, book.priceScale)
    const finerPrice = book.priceScale - this.priceScale
    const finerQuantity = book.quantityScale - this.quantityScale
    // Sums of the scales before the first known book are empty.
    if (sums.knownNs > 0) {
      sums.spread.multiply(10n ** BigInt(finerPrice))
      const finerTick = 10n ** BigInt(ticks.scale - this.ticks.scale)
      // A band that no spread has reached has no sum.
      sums.ticks.forEach((sum) => { sum.multiply(finerTick) })
      sums.bid.rescale(finerPrice, finerQuantity, units.isInverse)
      sums.ask.rescale(finerPrice, finerQuantity, units.isInverse)
    }
    this.priceScale = book.priceScale
    this.quantityScale = book.quantityScale
    this.ticks = ticks
  }

  /** Adds the part of the spread that lies in each band of tick sizes. */
  private addTicks(ns: number): void {
    const { bands, factor } = this.ticks
    const low = Math.min(this.bid.price, this.ask.price) * factor
    const high = Math.max(this.bid.price, this.ask.price) * factor
    if (!(Math.abs(low) <= Number.MAX_SAFE_INTEGER && Math.abs(high) <= Number.MAX_SAFE_INTEGER)) throw tooFine(high)
    const sign = this.ask.price < this.bid.price ? -1 : 1
    for (let band = 0; band < bands.length; band++) {
      const { floor, ceiling } = bands[band] as ScaledBand
      const part = Math.min(high, ceiling) - Math.max(low, floor)
      if (part <= 0) continue
      const sum = (this.sums.ticks[band] ??= new ProductSum())
      sum.add(sign * part, ns)
    }
  }

  private ticksText(sums: MinuteSums): string | null {
    const { bands } = this.ticks
    if (bands.length === 0) return null
    let total = 0n
    sums.ticks.forEach(
      (sum, band) =>
        (total += (sum.total() * 10n ** BigInt(QUOTIENT_DIGITS)) / BigInt((bands[band] as ScaledBand).tick)),
    )
    return quotientText(total, BigInt(sums.spreadNs), QUOTIENT_DIGITS)
  }
}

function tooFine(price: number): BacktapeError {
  return new BacktapeError(
    'VALUE_INEXACT',
    `Cannot count the ticks of a spread: prices near ${String(price)} in units of the tick table exceed 2^53 - 1`,
    { field: 'tick_table' },
  )
}
