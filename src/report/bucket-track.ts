/** A course of values in time buckets, the columns of equal length; a bucket without a value is left out. */
export interface BucketSeries {
  /** Length of a bucket, nanoseconds. */
  readonly widthNs: number
  /** Begin of each bucket, a whole multiple of the length since midnight of the run's first day, ascending. */
  readonly fromNs: readonly number[]
  /** Smallest value of each. */
  readonly low: readonly number[]
  /** Greatest value of each. */
  readonly high: readonly number[]
  /** Last value of each. */
  readonly last: readonly number[]
}

/** A {@link BucketTrack} as plain data. */
export type BucketTrackState = BucketSeries & { readonly idle: IdleValue | null }

/** A value that did not change, as nothing happened. */
interface IdleValue {
  readonly timeNs: number
  readonly value: number
}

/**
 * Smallest, greatest and last value of equal spans of time: where there are more spans than are kept, pairs of them
 * become one of twice the length. It is made for pictures: values are doubles.
 */
export class BucketTrack {
  #widthNs: number
  #fromNs: number[] = []
  #low: number[] = []
  #high: number[] = []
  #last: number[] = []
  /** The newest value of an idle stretch, which is left out where nothing follows. */
  #idle: IdleValue | null = null

  /** `limit`: buckets that are kept, two or more. */
  constructor(private readonly limit: number, firstWidthNs: number) {
    this.#widthNs = firstWidthNs
  }

  /** Length of a bucket so far. */
  get widthNs(): number {
    return this.#widthNs
  }

  /**
   * The value of before at a later time, as nothing happened since. Of a stretch of them the newest is added when
   * another value follows: what stands before the first other one and behind the last is left out.
   */
  keep(timeNs: number, value: number): void {
    this.#idle = { timeNs, value }
  }

  /** A value at a time; times never go back. */
  add(timeNs: number, value: number): void {
    const idle = this.#idle
    this.#idle = null
    if (idle !== null) this.#add(idle.timeNs, idle.value)
    this.#add(timeNs, value)
  }

  #add(timeNs: number, value: number): void {
    const from = this.#bucketOf(timeNs)
    const at = this.#fromNs.length - 1
    if (at >= 0 && this.#fromNs[at] === from) {
      if (value < (this.#low[at] as number)) this.#low[at] = value
      if (value > (this.#high[at] as number)) this.#high[at] = value
      this.#last[at] = value
      return
    }
    if (at + 1 >= this.limit) {
      this.#widen()
      return this.#add(timeNs, value)
    }
    this.#push(from, value, value, value)
  }

  /** The course so far; of a value that never changed its newest time alone. */
  series(): BucketSeries {
    if (this.#fromNs.length === 0 && this.#idle !== null) {
      const { timeNs, value } = this.#idle
      return { widthNs: this.#widthNs, fromNs: [this.#bucketOf(timeNs)], low: [value], high: [value], last: [value] }
    }
    return {
      widthNs: this.#widthNs, fromNs: this.#fromNs, low: this.#low, high: this.#high, last: this.#last,
    }
  }

  state(): BucketTrackState {
    const own: BucketSeries = {
      widthNs: this.#widthNs, fromNs: this.#fromNs, low: this.#low, high: this.#high, last: this.#last,
    }
    return { ...own, idle: this.#idle }
  }

  restore(state: BucketTrackState): void {
    const { widthNs, fromNs, low, high, last, idle } = state
    this.#idle = idle
    this.#widthNs = widthNs
    this.#fromNs = [...fromNs]
    this.#low = [...low]
    this.#high = [...high]
    this.#last = [...last]
  }

  #bucketOf(timeNs: number): number {
    return Math.floor(timeNs / this.#widthNs) * this.#widthNs
  }

  #push(fromNs: number, low: number, high: number, last: number): void {
    this.#fromNs.push(fromNs)
    this.#low.push(low)
    this.#high.push(high)
    this.#last.push(last)
  }

  #widen(): void {
    const { fromNs, low, high, last } = this.series()
    this.#widthNs *= 2
    this.#fromNs = []
    this.#low = []
    this.#high = []
    this.#last = []
    for (let i = 0; i < fromNs.length; i++) {
      const from = this.#bucketOf(fromNs[i] as number)
      const at = this.#fromNs.length - 1
      const [lowest, highest, latest] = [low[i] as number, high[i] as number, last[i] as number]
      if (at < 0 || this.#fromNs[at] !== from) {
        this.#push(from, lowest, highest, latest)
        continue
      }
      this.#low[at] = Math.min(this.#low[at] as number, lowest)
      this.#high[at] = Math.max(this.#high[at] as number, highest)
      this.#last[at] = latest
    }
  }
}
