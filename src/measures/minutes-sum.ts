const SAFE = Number.MAX_SAFE_INTEGER
/** Products of a 27-bit and an 18-bit part stay below 2^45, so that this many add up exactly in a double. */
const FOLD_LIMIT = 128
const VALUE_PART = 2 ** 27
const FACTOR_PART = 2 ** 18
const FACTOR_LIMIT = 2 ** 36

/**
 * An exact sum of products of integers, fast where they are small: numbers while they fit, parts of numbers next,
 * bigints last.
 */
export class ProductSum {
  private low = 0
  private high = 0n
  private highHigh = 0
  private highLow = 0
  private lowHigh = 0
  private lowLow = 0
  private foldCount = 0

  /** Adds `value * factor`; both are safe integers. */
  add(value: number, factor: number): void {
    const product = value * factor
    const sum = this.low + product
    // A product or sum that rounds to a safe integer is exact.
    if (product <= SAFE && product >= -SAFE && sum <= SAFE && sum >= -SAFE) this.low = sum
    else if (factor >= 0 && factor < FACTOR_LIMIT) this.addParts(value, factor)
    else this.addExact(BigInt(value) * BigInt(factor))
  }

  addExact(product: bigint): void {
    this.high += product
  }

  /** Adds another sum. */
  addSum(other: ProductSum): void {
    if (other.high === 0n && other.foldCount === 0) this.add(other.low, 1)
    else this.addExact(other.total())
  }

  /** The sum so far. */
  total(): bigint {
    this.fold()
    return this.high
  }

  /** True where the sum is at least `limit`: without a bigint while both are small. */
  reaches(limit: bigint, nearest: number): boolean {
    if (this.high === 0n && this.foldCount === 0 && nearest <= SAFE) return this.low >= nearest
    return this.total() >= limit
  }

  /** Takes the place of a sum that was `total`. */
  restore(total: bigint): void {
    this.low = this.highHigh = this.highLow = this.lowHigh = this.lowLow = this.foldCount = 0
    this.high = total
  }

  /** Multiplies the sum, for a finer scale. */
  multiply(factor: bigint): void {
    this.fold()
    this.high *= factor
  }

  private addParts(value: number, factor: number): void {
    const valueHigh = Math.trunc(value / VALUE_PART)
    const valueLow = value - valueHigh * VALUE_PART
    const factorHigh = Math.trunc(factor / FACTOR_PART)
    const factorLow = factor - factorHigh * FACTOR_PART
    this.highHigh += valueHigh * factorHigh
    this.highLow += valueHigh * factorLow
    this.lowHigh += valueLow * factorHigh
    this.lowLow += valueLow * factorLow
    if (++this.foldCount === FOLD_LIMIT) this.fold()
  }

  private fold(): void {
    this.high +=
      BigInt(this.low) +
      BigInt(this.lowLow) +
      (BigInt(this.lowHigh) << 18n) +
      (BigInt(this.highLow) << 27n) +
      (BigInt(this.highHigh) << 45n)
    this.low = this.highHigh = this.highLow = this.lowHigh = this.lowLow = this.foldCount = 0
  }
}

/** Decimals of a settled quotient: far more than the 18 that are printed, so that cutting them off never shows. */
export const QUOTIENT_DIGITS = 48
const QUOTIENT_UNIT = 10n ** BigInt(QUOTIENT_DIGITS)
/** Denominators kept apart before they are settled: bounds memory. */
const DENOMINATOR_LIMIT = 4096

/**
 * A sum of quotients whose denominators repeat (prices, sums of prices): numerators of equal denominators add up
 * exactly, and each denominator is divided by once, to {@link QUOTIENT_DIGITS} decimals.
 */
export class QuotientSum {
  private readonly numerators = new Map<number, ProductSum>()
  private settled = 0n

  /** Adds `value * factor / denominator`; a denominator of 0 adds nothing. */
  add(value: number, factor: number, denominator: number): void {
    if (denominator !== 0) this.numeratorOf(denominator).add(value, factor)
  }

  /** Adds another sum. */
  addSum(other: QuotientSum): void {
    for (const [denominator, numerator] of other.numerators) this.numeratorOf(denominator).addSum(numerator)
    this.settled += other.settled
  }

  /** The sum so far times 10^{@link QUOTIENT_DIGITS}. */
  total(): bigint {
    this.settle()
    return this.settled
  }

  /** Takes the place of a sum that was `total`. */
  restore(total: bigint): void {
    this.numerators.clear()
    this.settled = total
  }

  /** Multiplies the sum by a power of ten, for other scales of what comes next. */
  shift(exponent: number): void {
    this.settle()
    if (exponent >= 0) this.settled *= 10n ** BigInt(exponent)
    else this.settled /= 10n ** BigInt(-exponent)
  }

  private numeratorOf(denominator: number): ProductSum {
    let numerator = this.numerators.get(denominator)
    if (numerator === undefined) {
      if (this.numerators.size === DENOMINATOR_LIMIT) this.settle()
      numerator = new ProductSum()
      this.numerators.set(denominator, numerator)
    }
    return numerator
  }

  private settle(): void {
    for (const [denominator, numerator] of this.numerators)
      this.settled += (numerator.total() * QUOTIENT_UNIT) / BigInt(denominator)
    this.numerators.clear()
  }
}
