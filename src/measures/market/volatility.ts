import { exactLog } from '../../model/exact-math.js'
import { checkedCount, durationNsOf, measureRefusal, midnightOf, type MarketTable } from './market-columns.js'
import { Quotes, type QuoteOptions } from './quotes.js'

/** Volatility of a span, from the mid. */
export interface SampledVolatility {
  /** Root of the sum of the squared logarithmic returns: of the whole span, not scaled to a year. */
  readonly volatility: number
  /** Its square. */
  readonly variance: number
  /** Returns that are in it. */
  readonly returnCount: number
  /** Places of the grid without a mid: the return of the next one spans them. */
  readonly missingCount: number
}

/** Logarithms of the mid on a grid. */
function sampledLogs(
  bbo: MarketTable, every: string, measure: string, options: QuoteOptions,
): { readonly logs: Float64Array; readonly missingCount: number } {
  const lengthNs = durationNsOf(measure, 'every', every)
  const quotes = new Quotes(bbo, midnightOf(bbo), measure, options)
  const { clock } = quotes
  const first = Math.ceil((clock[0] as number) / lengthNs)
  const last = Math.floor((clock.at(-1) as number) / lengthNs)
  const logs: number[] = []
  for (let at = first; at <= last; at++) {
    const mid = quotes.midAt(at * lengthNs)
    if (mid > 0) logs.push(exactLog(mid))
  }
  return { logs: Float64Array.from(logs), missingCount: Math.max(0, last - first + 1) - logs.length }
}

/** Sum of the squared returns over `step` places, from each place on. */
function squaresOf(logs: Float64Array, step: number): number {
  let sum = 0
  for (let at = step; at < logs.length; at++) {
    const change = (logs[at] as number) - (logs[at - step] as number)
    sum += change * change
  }
  return sum
}

/**
 * Realised volatility of the mid (Andersen, Bollerslev, Diebold, Labys 2003), sampled on multiples of `every` since
 * midnight UTC: the root of the sum of squared logarithmic returns, of the whole span. The mid at a time is that of the
 * last quote at or before it. Places without a mid are left out, the next return spans them. To a year: times
 * the root of (365 days / span). Doubles. Throws OPTION_INVALID for an `every` that is no duration above 0, and fewer
 * than two places with a mid.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { sampledVolatility } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * console.log(sampledVolatility(await day.table('bbo'), '1s').volatility)
 * ```
 */
export function sampledVolatility(bbo: MarketTable, every: string, options: QuoteOptions = {}): SampledVolatility {
  const { logs, missingCount } = sampledLogs(bbo, every, 'volatility', options)
  if (logs.length < 2)
    throw measureRefusal('volatility', 'every', 'short enough for two places with a mid', JSON.stringify(every))
  const variance = squaresOf(logs, 1)
  return { volatility: Math.sqrt(variance), variance, returnCount: logs.length - 1, missingCount }
}

/** A volatility without the noise of the finest scale. */
export interface TwoScaleVolatility extends SampledVolatility {
  /** Variance of the noise of one price, by the fine scale: (its sum of squares) / (2 returns). */
  readonly noiseVariance: number
}

/**
 * Two-scales realised volatility, which takes off what bouncing between bid and ask adds (Zhang, Mykland, Ait-Sahalia
 * 2005, equations 55 and 64): with n returns of the mid on multiples of `every`, the mean over `scale` = K shifted
 * grids of the sum of squared returns over K places, less (m / n) times the sum over all returns, m = (n - K + 1) / K,
 * all over 1 - m / n. The variance may come out below 0 where the noise is all there is; the volatility is NaN then.
 * Places, ties and gaps as in {@link sampledVolatility}. Throws OPTION_INVALID too for a `scale` that is no whole
 * number from 2 on, or not below n.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { twoScaleVolatility } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * console.log(twoScaleVolatility(await day.table('bbo'), '100ms', 50).volatility)
 * ```
 */
export function twoScaleVolatility(
  bbo: MarketTable, every: string, scale: number, options: QuoteOptions = {},
): TwoScaleVolatility {
  const measure = 'two-scale volatility'
  checkedCount(measure, 'scale', scale, 2)
  const { logs, missingCount } = sampledLogs(bbo, every, measure, options)
  const count = logs.length - 1
  if (count <= scale)
    throw measureRefusal(measure, 'scale', `below the number of returns, ${String(count)}`, String(scale))
  const fine = squaresOf(logs, 1)
  const ratio = (count - scale + 1) / scale / count
  const variance = (squaresOf(logs, scale) / scale - ratio * fine) / (1 - ratio)
  return {
    volatility: Math.sqrt(variance), variance, returnCount: count, missingCount, noiseVariance: fine / (2 * count),
  }
}
