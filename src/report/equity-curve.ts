import type { BucketTrack } from './bucket-track.js'

const MS_PER_DAY = 86_400_000

/** Sampled equity in one underlying over time, for pictures: doubles; the table `equity` has exact amounts. */
export interface EquityCurve {
  /** Code of the underlying. */
  readonly underlying: string
  /** Length of a bucket of time, milliseconds. */
  readonly bucketMs: number
  /** Begin of each bucket, epoch milliseconds, ascending. */
  readonly epochMs: readonly number[]
  /** The last sample in each. */
  readonly equity: readonly number[]
}

/** The curve of a track. */
export function curveOf(underlying: string, track: BucketTrack, epochDay: number): EquityCurve {
  const { widthNs, fromNs, last } = track.series()
  return {
    underlying, bucketMs: widthNs / 1e6, epochMs: fromNs.map((ns) => epochDay * MS_PER_DAY + ns / 1e6),
    equity: [...last],
  }
}

/** A curve of at most so many points: every second bucket, fourth, and so on, and the last one; values as they are. */
export function shortCurve({ underlying, bucketMs, epochMs, equity }: EquityCurve, limit: number): EquityCurve {
  let step = 1
  while (epochMs.length / step > limit - 1) step *= 2
  const kept = [...epochMs.keys()].filter((at) => at % step === 0 || at === epochMs.length - 1)
  return {
    underlying, bucketMs: bucketMs * step, epochMs: kept.map((at) => epochMs[at] as number),
    equity: kept.map((at) => equity[at] as number),
  }
}
