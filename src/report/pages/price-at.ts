import type { ReportSeries } from './report-series.js'

/**
 * The last price of the buckets that had ended at a time, epoch milliseconds: at most a bucket old where the market was
 * known. Null where no bucket had ended.
 */
export function priceAt({ bucketMs, epochMs, last }: ReportSeries, timeMs: number): number | null {
  let [low, high] = [0, epochMs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((epochMs[middle] as number) + bucketMs <= timeMs) low = middle + 1
    else high = middle
  }
  return last[low - 1] ?? null
}
