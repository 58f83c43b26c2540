const TWO_27 = 134_217_728

/** The number of values of a column and their exact sum. */
export interface ColumnSum {
  readonly count: number
  /**
   * Decimals as integers at the scale of the column, times as nanoseconds since 1970, texts as their bytes, flags as 0
   * and 1.
   */
  readonly total: bigint
}

/**
 * Sums integers up to 2^53 without rounding: halves in doubles, settled into a bigint before 2^20 of them can overflow.
 */
export class ColumnChecksum implements ColumnSum {
  count = 0
  total = 0n
  private unsettled = 0
  private low = 0
  private high = 0

  /** Adds an integer of at most 2^53 in magnitude. */
  add(value: number): void {
    const high = Math.floor(value / TWO_27)
    this.low += value - high * TWO_27
    this.high += high
    this.unsettled++
  }

  /** Adds a wide integer. */
  addBig(value: bigint): void {
    this.total += value
    this.count++
  }

  /**
   * Takes what was added since the last time, times `factor`, divided by `divisor`, each plus `base`. At most 2^20
   * values between calls.
   */
  settle(factor = 1n, divisor = 1n, base = 0n): void {
    const sum = BigInt(this.high) * BigInt(TWO_27) + BigInt(this.low)
    this.total += (sum * factor) / divisor + base * BigInt(this.unsettled)
    this.count += this.unsettled
    this.low = this.high = this.unsettled = 0
  }
}
