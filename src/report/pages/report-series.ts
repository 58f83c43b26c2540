/** A course in time buckets for pictures: columns of doubles of equal length; buckets without a value are left out. */
export interface ReportSeries {
  /** Length of a bucket, milliseconds. */
  readonly bucketMs: number
  /** Begin of each bucket, epoch milliseconds. */
  readonly epochMs: readonly number[]
  /** Smallest value of each. */
  readonly low: readonly number[]
  /** Greatest value of each. */
  readonly high: readonly number[]
  /** Last value of each. */
  readonly last: readonly number[]
}

/** A histogram of doubles: bin `i` reaches from `edges[i]` to below `edges[i + 1]`, the last one to its end. */
export interface ReportHistogram {
  /** One more than `counts`. */
  readonly edges: readonly number[]
  /** Values in each bin. */
  readonly counts: readonly number[]
}
