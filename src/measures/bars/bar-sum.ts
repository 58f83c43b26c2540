import { BacktapeError } from '../../model/error.js'
import { SIDE_CODES } from '../../model/side.js'
import { ProductSum, QuotientSum } from '../minutes-sum.js'

const SAFE = Number.MAX_SAFE_INTEGER

/** The sums of some trades or other prices, in plain data: integers at their scales, long sums as texts. */
export interface BarSumState {
  readonly priceScale: number
  readonly quantityScale: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly count: number
  readonly buyVolume: number
  readonly sellVolume: number
  /** Sum of quantity times price; of inverse contracts the sum of quantity. */
  readonly quote: string
  /** Inverse: the sum of quantity / price, times 10^48; else null. */
  readonly base: string | null
}

/**
 * First, highest, lowest and last of the prices that it was given, and the sums of their trades, exact. Nothing is
 * allocated for a price. Scales grow by themselves; they never shrink.
 */
export class BarSum {
  priceScale = 0
  quantityScale = 0
  open = 0
  high: number = -Infinity
  low: number = Infinity
  /** Stays when the others are cleared: the close before. */
  close = 0
  count = 0
  buyVolume = 0
  sellVolume = 0
  readonly #quote: ProductSum = new ProductSum()
  readonly #base: QuotientSum = new QuotientSum()

  constructor(private readonly isInverse: boolean) {}

  /** Adds a trade; price and quantity are integers at the scales. Throws VALUE_INEXACT beyond 2^53 - 1. */
  addTrade(side: number, price: number, quantity: number, priceScale: number, quantityScale: number): void {
    if (priceScale !== this.priceScale || quantityScale !== this.quantityScale)
      this.alignTo(Math.max(priceScale, this.priceScale), Math.max(quantityScale, this.quantityScale))
    const at = priceScale === this.priceScale ? price : finer(price, this.priceScale - priceScale, 'price')
    const by =
      quantityScale === this.quantityScale ? quantity : finer(quantity, this.quantityScale - quantityScale, 'quantity')
    this.#addPrice(at)
    if (side === SIDE_CODES.ASK) this.sellVolume += by
    else this.buyVolume += by
    if (this.buyVolume + this.sellVolume > SAFE) throw inexact('volume', this.buyVolume + this.sellVolume)
    if (this.isInverse) this.#base.add(by, 1, at)
    else this.#quote.add(by, at)
  }

  /** Adds a price that is no trade. */
  addPrice(price: number, scale: number): void {
    if (scale > this.priceScale) this.alignTo(scale, this.quantityScale)
    this.#addPrice(scale === this.priceScale ? price : finer(price, this.priceScale - scale, 'price'))
  }

  /** Adds what another sum has, all of it later than what this one has. The other may be brought to finer scales. */
  addSum(other: BarSum): void {
    if (other.count === 0) return
    const [priceScale, quantityScale] = [
      Math.max(this.priceScale, other.priceScale), Math.max(this.quantityScale, other.quantityScale),
    ]
    this.alignTo(priceScale, quantityScale)
    other.alignTo(priceScale, quantityScale)
    if (this.count === 0) this.open = other.open
    this.high = Math.max(this.high, other.high)
    this.low = Math.min(this.low, other.low)
    this.close = other.close
    this.count += other.count
    this.buyVolume += other.buyVolume
    this.sellVolume += other.sellVolume
    if (this.buyVolume + this.sellVolume > SAFE) throw inexact('volume', this.buyVolume + this.sellVolume)
    this.#quote.addSum(other.#quote)
    if (this.isInverse) this.#base.addSum(other.#base)
  }

  /** True where the sum of quantity times price is at least `limit`, of which `nearest` is the number. */
  quoteReaches(limit: bigint, nearest: number): boolean {
    return this.#quote.reaches(limit, nearest)
  }

  /** Nothing is in it any more, but the close. */
  clear(): void {
    this.high = -Infinity
    this.low = Infinity
    this.count = 0
    this.buyVolume = 0
    this.sellVolume = 0
    this.#quote.restore(0n)
    if (this.isInverse) this.#base.restore(0n)
  }

  /** Its state; one without a price has its four prices at the close before. */
  state(): BarSumState {
    const { priceScale, quantityScale, count, close, buyVolume, sellVolume } = this
    const [open, high, low] = count === 0 ? [close, close, close] : [this.open, this.high, this.low]
    return {
      priceScale, quantityScale, open, high, low, close, count, buyVolume, sellVolume,
      quote: String(this.isInverse ? buyVolume + sellVolume : this.#quote.total()),
      base: this.isInverse ? String(this.#base.total()) : null,
    }
  }

  /** Takes back what {@link state} gave. */
  restore(state: BarSumState): void {
    const { quote, base, ...plain } = state
    Object.assign(this, plain)
    if (state.count === 0) this.clear()
    else if (base === null) this.#quote.restore(BigInt(quote))
    else this.#base.restore(BigInt(base))
  }

  /** Brings prices and sums to finer scales. */
  alignTo(priceScale: number, quantityScale: number): void {
    const [byPrice, byQuantity] = [priceScale - this.priceScale, quantityScale - this.quantityScale]
    if (byPrice === 0 && byQuantity === 0) return
    this.priceScale = priceScale
    this.quantityScale = quantityScale
    this.close = finer(this.close, byPrice, 'price')
    if (this.count === 0) return
    this.open = finer(this.open, byPrice, 'price')
    this.high = finer(this.high, byPrice, 'price')
    this.low = finer(this.low, byPrice, 'price')
    this.buyVolume = finer(this.buyVolume, byQuantity, 'volume')
    this.sellVolume = finer(this.sellVolume, byQuantity, 'volume')
    this.#quote.multiply(10n ** BigInt(byPrice + byQuantity))
    if (this.isInverse) this.#base.shift(byQuantity - byPrice)
  }

  #addPrice(price: number): void {
    if (this.count === 0) this.open = price
    if (price > this.high) this.high = price
    if (price < this.low) this.low = price
    this.close = price
    this.count++
  }
}

/** A value at a finer scale. Throws VALUE_INEXACT beyond 2^53 - 1. */
function finer(value: number, digits: number, field: string): number {
  const result = value * 10 ** digits
  if (!Number.isSafeInteger(result)) throw inexact(field, result)
  return result
}

function inexact(field: string, found: number): BacktapeError {
  const expected = 'at most 2^53 - 1 without its point'
  return new BacktapeError('VALUE_INEXACT', `Cannot make a bar: its ${field} must be ${expected}, found ${found}`, {
    field, expected, found: String(found),
  })
}
