import { quantileOf } from '../../measures/quantile.js'
import type { ReportHistogram } from './report-series.js'

/** Values in ascending order. */
export function ascendingOf(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).sort()
}

const NO_HISTOGRAM: ReportHistogram = { edges: [], counts: [] }
const BIN_MAX = 40
/** Bins of a histogram over ratios. */
const RATIO_BINS = 24

/** Step of 1, 2 or 5 times a power of ten, at least as long as asked for. */
function roundStep(least: number): number {
  const power = Number(`1e${Math.floor(Math.log10(least))}`)
  return power * ([1, 2, 5].find((one) => one * power >= least) ?? 10)
}

/**
 * A histogram of equal bins with round edges, 0 among them where values lie on both sides. A few values far outside are
 * in the first and the last bin, which reach out to them.
 */
export function histogramOf(values: Iterable<number>): ReportHistogram {
  const ascending = ascendingOf(values)
  const [least, most] = [ascending[0], ascending.at(-1)]
  if (least === undefined || most === undefined) return NO_HISTOGRAM
  if (isNarrow(least, most)) return { edges: [least, most], counts: [ascending.length] }
  const [low, high] = [quantileOf(ascending, 0.01) as number, quantileOf(ascending, 0.99) as number]
  const [from, to] = isNarrow(low, high) ? [least, most] : [low, high]
  const step = roundStep((to - from) / BIN_MAX)
  const first = Math.floor(from / step)
  const last = Math.max(first + 1, Math.ceil(to / step))
  // A quotient of round numbers has fewer digits of error than a product of their reciprocals.
  const edges = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
  edges[0] = Math.min(edges[0] as number, least)
  edges[edges.length - 1] = Math.max(edges.at(-1) as number, most)
  return { edges, counts: countsOf(ascending, edges) }
}

/** True where two values are so close that edges between them would be noise of their last digits. */
function isNarrow(low: number, high: number): boolean {
  return high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high)) || high - low < 1e-250
}

/** A histogram of values above 0 in bins of equal ratio; values of 0 and below count in the first bin. */
export function ratioHistogramOf(values: Iterable<number>): ReportHistogram {
  const ascending = ascendingOf(values)
  const most = ascending.at(-1)
  if (most === undefined) return NO_HISTOGRAM
  const least = ascending.find((value) => value > 0) ?? most
  if (!(most > least) || isNarrow(least, most))
    return { edges: [Math.min(least, ascending[0] ?? least), most], counts: [ascending.length] }
  const ratio = Math.log(most / least) / RATIO_BINS
  const edges = Array.from({ length: RATIO_BINS + 1 }, (_, i) => Number((least * Math.exp(ratio * i)).toPrecision(6)))
  edges[0] = Math.min(edges[0] as number, least)
  edges[RATIO_BINS] = Math.max(edges[RATIO_BINS] as number, most)
  return { edges, counts: countsOf(ascending, edges) }
}

function countsOf(ascending: Float64Array, edges: readonly number[]): number[] {
  const counts = Array.from({ length: edges.length - 1 }, () => 0)
  let bin = 0
  for (const value of ascending) {
    while (bin < counts.length - 1 && value >= (edges[bin + 1] as number)) bin++
    counts[bin] = (counts[bin] as number) + 1
  }
  return counts
}
