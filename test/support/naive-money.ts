const ONE = 10n ** 18n

/** Half-even, to a whole number. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const rest = 2n * (dividend % divisor)
  if (rest < divisor) return quotient
  return rest > divisor || quotient % 2n === 1n ? quotient + 1n : quotient
}

interface NaiveLeg {
  /** Long above 0. */
  quantity: number
  /** What the open quantity was bought or sold for, above 0. */
  entryValue: bigint
}

type Side = 'BID' | 'ASK'
export type OpenClose = 'AUTO' | 'OPEN' | 'CLOSE' | undefined

/** Money of a linear contract in whole 10^-18 of its settlement underlying: makers pay nothing, takers a thousandth of the value. */
export class NaiveMoney {
  readonly net: NaiveLeg = { quantity: 0, entryValue: 0n }
  /** Isolated positions, side by side. */
  readonly long: NaiveLeg = { quantity: 0, entryValue: 0n }
  readonly short: NaiveLeg = { quantity: 0, entryValue: 0n }
  cash: bigint = 100_000n * ONE

  /** OPEN goes to the isolated position of its side; anything else first closes the one of the other side. */
  post(side: Side, quantity: number, price: number, isMaker: boolean, openClose: OpenClose): void {
    this.cash -= isMaker ? 0n : (BigInt(quantity * price) * ONE) / 1000n
    if (openClose === 'OPEN') return this.#add(this.#isolated(side), side, quantity, price)
    const other = this.#isolated(side === 'BID' ? 'ASK' : 'BID')
    const closed = Math.min(quantity, Math.abs(other.quantity))
    if (closed > 0) this.#add(other, side, closed, price)
    if (quantity > closed) this.#add(this.net, side, quantity - closed, price)
  }

  /** What an order of a side would make smaller. */
  closable(side: Side, openClose: OpenClose): number {
    const net = openClose === 'CLOSE' ? 0 : Math.max(0, side === 'BID' ? -this.net.quantity : this.net.quantity)
    return net + Math.abs(this.#isolated(side === 'BID' ? 'ASK' : 'BID').quantity)
  }

  #isolated(side: Side): NaiveLeg {
    return side === 'BID' ? this.long : this.short
  }

  #add(leg: NaiveLeg, side: Side, quantity: number, price: number): void {
    const isLong = leg.quantity > 0
    const closed = (side === 'BID') === isLong ? 0 : Math.min(quantity, Math.abs(leg.quantity))
    if (closed > 0) {
      const entry = rounded(leg.entryValue * BigInt(closed), BigInt(Math.abs(leg.quantity)))
      const exit = BigInt(closed * price) * ONE
      this.cash += isLong ? exit - entry : entry - exit
      leg.entryValue -= entry
    }
    leg.entryValue += BigInt((quantity - closed) * price) * ONE
    leg.quantity += side === 'BID' ? quantity : -quantity
  }

  /** Plain decimal text without trailing zeros. */
  static text(amount: bigint): string {
    const digits = (amount < 0n ? -amount : amount).toString().padStart(19, '0')
    const fraction = digits.slice(-18).replace(/0+$/, '')
    return `${amount < 0n ? '-' : ''}${digits.slice(0, -18)}${fraction === '' ? '' : `.${fraction}`}`
  }
}
