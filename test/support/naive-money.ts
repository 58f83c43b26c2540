const ONE = 10n ** 18n

/** Half-even, to a whole number. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const rest = 2n * (dividend % divisor)
  if (rest < divisor) return quotient
  return rest > divisor || quotient % 2n === 1n ? quotient + 1n : quotient
}

/** Money of a linear contract in whole 10^-18 of its settlement underlying: makers pay nothing, takers a thousandth of the value. */
export class NaiveMoney {
  /** Long above 0. */
  position = 0
  /** What the open quantity was bought or sold for, above 0. */
  entryValue = 0n
  cash: bigint = 100_000n * ONE
  fees = 0n

  post(side: 'BID' | 'ASK', quantity: number, price: number, isMaker: boolean): void {
    const isLong = this.position > 0
    const fee = isMaker ? 0n : (BigInt(quantity * price) * ONE) / 1000n
    const closed = (side === 'BID') === isLong ? 0 : Math.min(quantity, Math.abs(this.position))
    if (closed > 0) {
      const entry = rounded(this.entryValue * BigInt(closed), BigInt(Math.abs(this.position)))
      const exit = BigInt(closed * price) * ONE
      this.cash += isLong ? exit - entry : entry - exit
      this.entryValue -= entry
    }
    this.entryValue += BigInt((quantity - closed) * price) * ONE
    this.position += side === 'BID' ? quantity : -quantity
    this.fees += fee
    this.cash -= fee
  }

  /** Plain decimal text without trailing zeros. */
  static text(amount: bigint): string {
    const digits = (amount < 0n ? -amount : amount).toString().padStart(19, '0')
    const fraction = digits.slice(-18).replace(/0+$/, '')
    return `${amount < 0n ? '-' : ''}${digits.slice(0, -18)}${fraction === '' ? '' : `.${fraction}`}`
  }
}
