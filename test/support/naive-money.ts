export const ONE: bigint = 10n ** 18n

/** Half-even, to a whole number; both above 0. */
export function rounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const rest = 2n * (dividend % divisor)
  if (rest < divisor) return quotient
  return rest > divisor || quotient % 2n === 1n ? quotient + 1n : quotient
}

/** Half-even also of what is below 0: funding may have eaten more than a margin. */
function shareOf(amount: bigint, part: number, whole: number): bigint {
  return amount < 0n ? -rounded(-amount * BigInt(part), BigInt(whole)) : rounded(amount * BigInt(part), BigInt(whole))
}

export interface NaiveLeg {
  /** Long above 0. */
  quantity: number
  /** What the open quantity was bought or sold for, above 0. */
  entryValue: bigint
  /** What was set aside for it, where it is isolated. */
  margin: bigint
}

const emptyLeg = (): NaiveLeg => ({ quantity: 0, entryValue: 0n, margin: 0n })

type Side = 'BID' | 'ASK'
export type OpenClose = 'AUTO' | 'OPEN' | 'CLOSE' | undefined

/** Money of a linear contract in whole 10^-18 of its settlement underlying: makers pay nothing, takers a thousandth of the value. */
export class NaiveMoney {
  readonly net: NaiveLeg = emptyLeg()
  /** Isolated positions, side by side. */
  readonly long: NaiveLeg = emptyLeg()
  readonly short: NaiveLeg = emptyLeg()
  /** In the order in which they are judged. */
  readonly legs: readonly NaiveLeg[] = [this.net, this.long, this.short]
  cash: bigint
  debt = 0n
  readonly #modes: readonly ('cross' | 'isolated')[] | null

  /** `modes` of margin: null where there is none. */
  constructor(cash: number, modes: readonly ('cross' | 'isolated')[] | null) {
    this.cash = BigInt(cash) * ONE
    this.#modes = modes
  }

  isIsolated(leg: NaiveLeg): boolean {
    if (this.#modes === null) return false
    return leg === this.net ? !this.#modes.includes('cross') : this.#modes.includes('isolated')
  }

  isolatedMargin(): bigint {
    return this.legs.reduce((sum, { margin }) => sum + margin, 0n)
  }

  /** What is missing is a debt. */
  owe(missing: bigint): void {
    if (missing <= 0n) return
    this.cash += missing
    this.debt += missing
  }

  /** Closes all of a leg at a price. */
  close(leg: NaiveLeg, price: number): void {
    this.#add(leg, leg.quantity > 0 ? 'ASK' : 'BID', Math.abs(leg.quantity), price)
  }

  /** 8.1: longs pay where the rate is above 0; an isolated position pays of its own. `price` in 10^-18, `rate` in ten-thousandths. */
  fund(price: bigint, rate: number): void {
    for (const leg of this.legs) {
      const gained = (BigInt(-leg.quantity) * price * BigInt(rate)) / 10_000n
      this.cash += gained
      if (this.isIsolated(leg)) leg.margin += gained
    }
    this.#oweMissing()
  }

  /** OPEN goes to the isolated position of its side; anything else first closes the one of the other side. */
  post(side: Side, quantity: number, price: number, isMaker: boolean, openClose: OpenClose): void {
    this.cash -= isMaker ? 0n : (BigInt(quantity * price) * ONE) / 1000n
    this.#post(side, quantity, price, openClose)
    this.#oweMissing()
  }

  #post(side: Side, quantity: number, price: number, openClose: OpenClose): void {
    if (openClose === 'OPEN') return this.#add(this.#isolated(side), side, quantity, price)
    const other = this.#isolated(side === 'BID' ? 'ASK' : 'BID')
    const closed = Math.min(quantity, Math.abs(other.quantity))
    if (closed > 0) this.#add(other, side, closed, price)
    if (quantity > closed) this.#add(this.net, side, quantity - closed, price)
  }

  /** Missing cash is a debt at once where no position under margin may stand for it. */
  #oweMissing(): void {
    if (this.#modes === null || this.legs.every(({ quantity }) => quantity === 0)) this.owe(-this.cash)
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
    const size = Math.abs(leg.quantity)
    const closed = (side === 'BID') === isLong ? 0 : Math.min(quantity, size)
    if (closed > 0) {
      const entry = rounded(leg.entryValue * BigInt(closed), BigInt(size))
      const exit = BigInt(closed * price) * ONE
      this.cash += isLong ? exit - entry : entry - exit
      leg.entryValue -= entry
      leg.margin = closed === size ? 0n : shareOf(leg.margin, size - closed, size)
    }
    const opened = BigInt((quantity - closed) * price) * ONE
    leg.entryValue += opened
    leg.quantity += side === 'BID' ? quantity : -quantity
    // What opens takes its share of the initial margin of the whole: the rate of the whole on its own value, which no rounding touches.
    const rate = leg.entryValue <= 1000n * ONE ? 10n : 5n
    if (this.isIsolated(leg) && opened > 0n) leg.margin += opened / rate
  }

  /** Plain decimal text without trailing zeros. */
  static text(amount: bigint): string {
    const digits = (amount < 0n ? -amount : amount).toString().padStart(19, '0')
    const fraction = digits.slice(-18).replace(/0+$/, '')
    return `${amount < 0n ? '-' : ''}${digits.slice(0, -18)}${fraction === '' ? '' : `.${fraction}`}`
  }
}
