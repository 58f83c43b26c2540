import type { BucketTrack } from '../bucket-track.js'
import type { ReportSeries } from './report-series.js'

const MS_PER_DAY = 86_400_000

/** A track of a recorder in epoch milliseconds. */
export function seriesOf(track: BucketTrack | undefined, epochDay: number): ReportSeries {
  if (track === undefined) return { bucketMs: 0, epochMs: [], low: [], high: [], last: [] }
  const { widthNs, fromNs, low, high, last } = track.series()
  return { bucketMs: widthNs / 1e6, epochMs: fromNs.map((ns) => epochDay * MS_PER_DAY + ns / 1e6), low, high, last }
}
