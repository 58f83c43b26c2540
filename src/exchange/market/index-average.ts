import { Amount } from '../../model/amount.js'

/** A window as plain data. */
export interface IndexAverageState {
  readonly startNs: number
  readonly endNs: number
  readonly sum: string
  readonly knownNs: number
  /** Since when the last value stands; null before the first. */
  readonly last: {
    readonly timeNs: number
    readonly value: number
    readonly scale: number
    readonly digits?: string
  } | null
}

/**
 * The average of an index over a stretch of exchange time, each value weighted by how long it stood: what venues settle
 * contracts at (Deribit: the time weighted average of the last half hour,
 * https://www.deribit.com/docs/expiration-price/, read 2026-11-21). Sums are exact, the quotient is rounded once.
 * Before its first value the index is not known, and that time does not count.
 */
export class IndexAverage {
  #sum: Amount = Amount.ZERO
  #knownNs = 0
  #last: IndexAverageState['last'] = null

  constructor(readonly startNs: number, readonly endNs: number) {}

  /** An index line: value = integer * 10^-scale, or its digits where no integer holds them. */
  take(timeNs: number, value: number, scale: number, digits: string | null = null): void {
    this.#standUntil(timeNs)
    this.#last = { timeNs, value, scale, ...(digits === null ? {} : { digits }) }
  }

  /** The average of the whole window, to be asked for at its end; null where the index was not known by then. */
  average(): Amount | null {
    this.#standUntil(this.endNs)
    return this.#knownNs === 0 ? null : this.#sum.quotient(Amount.scaled(this.#knownNs, 0))
  }

  state(): IndexAverageState {
    return {
      startNs: this.startNs, endNs: this.endNs, sum: this.#sum.toFixed(), knownNs: this.#knownNs, last: this.#last,
    }
  }

  restore({ sum, knownNs, last }: IndexAverageState): void {
    this.#sum = Amount.from(sum)
    this.#knownNs = knownNs
    this.#last = last
  }

  /** Counts the last value for the part of the window in which it stood. */
  #standUntil(timeNs: number): void {
    if (this.#last === null) return
    const { timeNs: sinceNs, value, scale, digits } = this.#last
    const lengthNs = Math.min(timeNs, this.endNs) - Math.max(sinceNs, this.startNs)
    this.#last = { ...this.#last, timeNs: Math.max(timeNs, sinceNs) }
    if (lengthNs <= 0) return
    const amount = digits === undefined ? Amount.scaled(value, scale) : Amount.from(digits)
    this.#sum = this.#sum.plus(amount.times(Amount.scaled(lengthNs, 0)))
    this.#knownNs += lengthNs
  }
}
