import { NS_PER_MINUTE } from './time.js'

/** So long before a time a line must stand that may take it back (exchange rules 8.1), nanoseconds. */
const FUNDING_NOTICE_NS: number = NS_PER_MINUTE
/** Times that lie no further apart name the same funding (exchange rules 8.1), nanoseconds. */
const SAME_FUNDING_NS: number = 10 * NS_PER_MINUTE

/** A funding to come: its time in nanoseconds since the midnight that the caller counts from, and its last rate. */
export interface NamedFunding<R> {
  readonly timeNs: number
  readonly rate: R
}

/** {@link FundingSchedule} as plain data. */
export interface FundingScheduleState<R> {
  /** Time of the first line that named a time to come; null before it. */
  readonly firstNs: number | null
  /** The funding that the newest line names, where that line stands long enough before it. */
  readonly named: NamedFunding<R> | null
  /** The funding that no line takes back any more. */
  readonly settled: NamedFunding<R> | null
  /** Time of the last payment; null before the first. */
  readonly paidNs: number | null
}

/**
 * When a funding is paid, and at which rate, by the funding lines of one instrument in exchange order (exchange rules
 * 8.1). At T it is due where the newest line that stands at least 60 s before T and names a time names T; where no line
 * stands so early, where any names it. Its rate is the last before T of a line that names T or a time within 10 minutes
 * of it. Within 10 minutes after a payment nothing is due. Everything that it keeps is four values, however much a file
 * names; its questions change nothing.
 *
 * @example
 * ```ts
 * const schedule = new FundingSchedule<string>()
 * schedule.take(0, 3600e9, '0.0001')
 * schedule.take(1800e9, 3600e9 + 4e6, '0.0002')
 * schedule.dueAt(3600e9) // null: the newer line names 4 ms later
 * schedule.dueAt(3600e9 + 4e6) // '0.0002'
 * ```
 */
export class FundingSchedule<R> {
  #firstNs = Infinity
  #named: NamedFunding<R> | null = null
  #settled: NamedFunding<R> | null = null
  #paidNs = -Infinity

  /**
   * The line of time `atNs` names `timeNs`. A line without a time (NaN), or with one that is not behind it, neither
   * names nor takes back.
   */
  take(atNs: number, timeNs: number, rate: R): void {
    this.#pass(atNs)
    if (!(timeNs > atNs)) return
    if (atNs < this.#firstNs) this.#firstNs = atNs
    const before = this.#named
    const isSame = before?.timeNs === timeNs
    const line = { timeNs, rate }
    // A line in the last 60 s takes nothing back.
    if (before !== null && !isSame && before.timeNs - atNs < FUNDING_NOTICE_NS) this.#settle(before)
    if (timeNs - this.#firstNs < FUNDING_NOTICE_NS) this.#settle(line)
    this.#named = isSame || timeNs - atNs >= FUNDING_NOTICE_NS ? line : null
    const settled = this.#settled
    if (settled !== null && atNs < settled.timeNs && Math.abs(timeNs - settled.timeNs) <= SAME_FUNDING_NS)
      this.#settled = { timeNs: settled.timeNs, rate }
  }

  /** The rate of the funding that is due at a time; null where none is. All lines up to then have been taken. */
  dueAt(timeNs: number): R | null {
    return this.#from(timeNs, timeNs)?.rate ?? null
  }

  /** The first funding at or after a time, by the lines so far; null where there is none. */
  nextFrom(fromNs: number): NamedFunding<R> | null {
    return this.#from(fromNs, Infinity)
  }

  state(): FundingScheduleState<R> {
    return {
      firstNs: Number.isFinite(this.#firstNs) ? this.#firstNs : null, named: this.#named, settled: this.#settled,
      paidNs: Number.isFinite(this.#paidNs) ? this.#paidNs : null,
    }
  }

  restore({ firstNs, named, settled, paidNs }: FundingScheduleState<R>): void {
    this.#firstNs = firstNs ?? Infinity
    this.#named = named
    this.#settled = settled
    this.#paidNs = paidNs ?? -Infinity
  }

  #from(fromNs: number, toNs: number): NamedFunding<R> | null {
    const [settled, named] = [this.#settled, this.#named]
    if (settled !== null && settled.timeNs >= fromNs) return settled.timeNs <= toNs ? settled : null
    if (named === null || named.timeNs < fromNs || named.timeNs > toNs) return null
    return named.timeNs - (settled?.timeNs ?? this.#paidNs) > SAME_FUNDING_NS ? named : null
  }

  /** Nothing takes a funding back any more. Of several the first is kept: the others follow within 10 minutes. */
  #settle(funding: NamedFunding<R>): void {
    if (funding.timeNs - this.#paidNs <= SAME_FUNDING_NS) return
    if (this.#settled === null || funding.timeNs < this.#settled.timeNs) this.#settled = funding
  }

  /** Fundings before a time have been paid. */
  #pass(atNs: number): void {
    if (this.#settled !== null && this.#settled.timeNs < atNs) {
      this.#paidNs = this.#settled.timeNs
      this.#settled = null
    }
    if (this.#named === null || this.#named.timeNs >= atNs) return
    if (this.#named.timeNs - this.#paidNs > SAME_FUNDING_NS) this.#paidNs = this.#named.timeNs
    this.#named = null
  }
}
