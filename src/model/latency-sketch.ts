/**
 * Quantiles of durations in nanoseconds, null where nothing was counted. Smallest and largest are exact, the others
 * within 0.4 % of the true one.
 */
export interface LatencyQuantiles {
  /** Number of durations. Formula: number of the durations d. */
  readonly count: number
  /** Durations below 0: the venue's clock was ahead of the recorder's. Formula: number of d below 0. */
  readonly negativeCount: number
  /** Smallest duration. Formula: least d. */
  readonly smallestNs: number | null
  /** Median. Formula: d of rank ceil(0.5 x `count`), the shortest first. */
  readonly medianNs: number | null
  /** Quantile of 90 %. Formula: d of rank ceil(0.9 x `count`). */
  readonly p90Ns: number | null
  /** Quantile of 99 %. Formula: d of rank ceil(0.99 x `count`). */
  readonly p99Ns: number | null
  /** Quantile of 99.9 %. Formula: d of rank ceil(0.999 x `count`). */
  readonly p999Ns: number | null
  /** Largest duration. Formula: greatest d. */
  readonly largestNs: number | null
}

/**
 * A sketch as plain data: counts of the buckets that hold any, by number; what is unknown while it is empty is null.
 */
export interface LatencySketchState {
  readonly buckets: readonly (readonly [bucket: number, count: number])[]
  readonly count: number
  readonly negativeCount: number
  readonly smallest: number | null
  readonly largest: number | null
}

const MANTISSA_BITS = 7
const BUCKET_SHIFT = 23 - MANTISSA_BITS
/** The bucket of 1 ns: the bits of the single-precision 1.0. */
const FIRST_BUCKET = 127 << MANTISSA_BITS
const BUCKET_COUNT = 55 << MANTISSA_BITS
/** Buckets by which the window of a sketch grows: an octave. */
const WINDOW_BUCKETS = 1 << MANTISSA_BITS
/** Buckets in a bin of {@link LatencySketch.bins}: a quarter of an octave. */
const BIN_BUCKETS = 1 << (MANTISSA_BITS - 2)

/**
 * A log-linear histogram of bounded size: 128 buckets an octave, found by rounding a duration to single precision and
 * reading its exponent and the upper bits of its mantissa. A quantile is the middle of its bucket, hence off by at most
 * 1/256.
 */
export class LatencySketch {
  /**
   * Buckets of negative durations, the longest first, then of zero, then of positive ones: a window of them, as
   * durations of one kind lie close together, and a thousand worlds have two sketches each.
   */
  private counts = new Float64Array(0)
  /** The bucket of the first count. */
  private first = 0
  private readonly single = new Float32Array(1)
  private readonly singleBits = new Uint32Array(this.single.buffer)
  private count = 0
  private negativeCount = 0
  private smallest = Infinity
  private largest = -Infinity

  /** Adds `later - earlier` of the places from `from` to before `to`, where `earlier` is a number. */
  addDifferences(later: Float64Array, earlier: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++)
      if (!Number.isNaN(earlier[i])) this.add((later[i] as number) - (earlier[i] as number))
  }

  add(durationNs: number): void {
    this.count++
    if (durationNs < this.smallest) this.smallest = durationNs
    if (durationNs > this.largest) this.largest = durationNs
    if (durationNs < 0) this.negativeCount++
    this.single[0] = durationNs < 0 ? -durationNs : durationNs
    const octave = durationNs === 0 ? 0 : ((this.singleBits[0] as number) >>> BUCKET_SHIFT) - FIRST_BUCKET + 1
    const bucket = BUCKET_COUNT + (durationNs < 0 ? -octave : octave)
    let at = bucket - this.first
    if (!(at >= 0 && at < this.counts.length)) at = this.reach(bucket)
    this.counts[at] = (this.counts[at] as number) + 1
  }

  /** Makes the window hold a bucket; where in it. */
  private reach(bucket: number): number {
    const { counts, first } = this
    const isEmpty = counts.length === 0
    const from = Math.floor((isEmpty ? bucket : Math.min(bucket, first)) / WINDOW_BUCKETS) * WINDOW_BUCKETS
    const last = isEmpty ? bucket : Math.max(bucket, first + counts.length - 1)
    this.counts = new Float64Array((Math.floor((last - from) / WINDOW_BUCKETS) + 1) * WINDOW_BUCKETS)
    if (!isEmpty) this.counts.set(counts, first - from)
    this.first = from
    return bucket - from
  }

  private countOf(bucket: number): number {
    return this.counts[bucket - this.first] ?? 0
  }

  quantiles(): LatencyQuantiles {
    const isEmpty = this.count === 0
    return {
      count: this.count,
      negativeCount: this.negativeCount,
      smallestNs: isEmpty ? null : this.smallest,
      medianNs: this.quantile(0.5),
      p90Ns: this.quantile(0.9),
      p99Ns: this.quantile(0.99),
      p999Ns: this.quantile(0.999),
      largestNs: isEmpty ? null : this.largest,
    }
  }

  /** Counts of durations from 0 on by quarters of an octave, those that have any, the shortest first. */
  bins(): (readonly [fromNs: number, toNs: number, count: number])[] {
    const bins: [number, number, number][] = []
    const [held, end] = [this.first - BUCKET_COUNT - 1, this.first + this.counts.length - BUCKET_COUNT]
    const begin = Math.max(0, held - (held % BIN_BUCKETS))
    for (let group = begin; group < Math.min(end, BUCKET_COUNT); group += BIN_BUCKETS) {
      let count = group === 0 ? this.countOf(BUCKET_COUNT) : 0
      for (let octave = group + 1; octave <= group + BIN_BUCKETS; octave++)
        count += this.countOf(BUCKET_COUNT + octave)
      if (count > 0) bins.push([group === 0 ? 0 : this.edge(group), this.edge(group + BIN_BUCKETS), count])
    }
    return bins
  }

  state(): LatencySketchState {
    const buckets: [number, number][] = []
    this.counts.forEach((count, at) => {
      if (count > 0) buckets.push([this.first + at, count])
    })
    const { count, negativeCount, smallest, largest } = this
    return {
      buckets, count, negativeCount, smallest: count === 0 ? null : smallest, largest: count === 0 ? null : largest,
    }
  }

  restore({ buckets, count, negativeCount, smallest, largest }: LatencySketchState): void {
    this.counts = new Float64Array(0)
    for (const [bucket, held] of buckets) {
      const at = this.reach(bucket)
      this.counts[at] = held
    }
    this.count = count
    this.negativeCount = negativeCount
    this.smallest = smallest ?? Infinity
    this.largest = largest ?? -Infinity
  }

  /** The begin of the bucket behind so many. */
  private edge(bucketCount: number): number {
    this.singleBits[0] = (bucketCount + FIRST_BUCKET) << BUCKET_SHIFT
    return this.single[0] as number
  }

  /** The duration that a share of all does not exceed (nearest rank). */
  private quantile(share: number): number | null {
    if (this.count === 0) return null
    let left = Math.max(1, Math.ceil(this.count * share))
    let at = 0
    while (left > (this.counts[at] as number)) left -= this.counts[at++] as number
    const bucket = this.first + at
    const octave = Math.abs(bucket - BUCKET_COUNT)
    if (octave === 0) return 0
    this.singleBits[0] = (octave - 1 + FIRST_BUCKET) << BUCKET_SHIFT
    const low = this.single[0] as number
    this.singleBits[0] = (octave + FIRST_BUCKET) << BUCKET_SHIFT
    const middle = Math.round((low + (this.single[0] as number)) / 2) * Math.sign(bucket - BUCKET_COUNT)
    return Math.min(Math.max(middle, this.smallest), this.largest)
  }
}
