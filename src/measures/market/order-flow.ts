import type { Table } from '../../tables/table.js'
import { OrderFlowImbalance } from '../indicators/flows.js'
import {
  checkedCount, checkRowCount, clockNs, doublesColumn, durationNsOf, hasColumn, measureRefusal, measureTable,
  midnightOf, timesColumn, type MarketTable,
} from './market-columns.js'
import { Quotes, type QuoteOptions } from './quotes.js'

/** The number of the interval that a time lies in, its begin included. */
const intervalOf = (timeNs: number, lengthNs: number): number => Math.floor(timeNs / lengthNs)

/**
 * Order-flow imbalance and change of the mid by interval (Cont, Kukanov, Stoikov 2014, section 2.1). Of each change of
 * the best prices e = [bid >= earlier bid] bid_qty - [bid <= earlier bid] earlier bid_qty - [ask <= earlier ask]
 * ask_qty + [ask >= earlier ask] earlier ask_qty; `ofi` is the sum of those whose time lies in the interval, in the
 * unit of the quantities, `mid_change` the mid that stands at its end less the one at its begin, in price. Intervals
 * stand on multiples of `every` since midnight UTC and include their begin; those without a change are no rows. Behind
 * a quote that misses a side or is crossed the flow begins anew. Doubles. Throws OPTION_INVALID for an `every` that is
 * no duration above 0, or a `bbo` without rows.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { orderFlow } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const flow = orderFlow(await day.table('bbo'), '10s')
 * console.log(flow.rows[0]?.ofi, flow.rows[0]?.mid_change)
 * ```
 */
export function orderFlow(bbo: MarketTable, every: string): Table {
  const measure = 'order flow'
  const lengthNs = durationNsOf(measure, 'every', every)
  const midnight = midnightOf(bbo)
  const quotes = new Quotes(bbo, midnight, measure)
  const { clock, bid, ask, mid } = quotes
  const [bidQuantity, askQuantity] = [bbo.numbers('bid_qty'), bbo.numbers('ask_qty')]
  const intervals: number[] = []
  const flows: number[] = []
  const counts: number[] = []
  let flow = new OrderFlowImbalance(1)
  for (let row = 0; row < clock.length; row++) {
    if (Number.isNaN(mid[row])) {
      flow = new OrderFlowImbalance(1)
      continue
    }
    const event = flow.next({
      bidPrice: bid[row] as number, bidQuantity: bidQuantity[row] as number,
      askPrice: ask[row] as number, askQuantity: askQuantity[row] as number,
    })
    if (Number.isNaN(event)) continue
    const interval = intervalOf(clock[row] as number, lengthNs)
    if (intervals.at(-1) !== interval) {
      intervals.push(interval)
      flows.push(0)
      counts.push(0)
    }
    flows[flows.length - 1] = (flows.at(-1) as number) + event
    counts[counts.length - 1] = (counts.at(-1) as number) + 1
  }
  const begins = intervals.map((interval) => interval * lengthNs)
  return measureTable('order_flow', [
    timesColumn('ts', begins, midnight), doublesColumn('ofi', flows),
    doublesColumn('mid_change', begins.map((begin) => changeOfMid(quotes, begin, begin + lengthNs))),
    doublesColumn('change_count', counts, 'uint32'),
  ], bbo, { every })
}

/** The mid just before the end of an interval less the one just before its begin. */
function changeOfMid(quotes: Quotes, fromNs: number, toNs: number): number {
  return quotes.midBefore(toNs) - quotes.midBefore(fromNs)
}

/**
 * Autocorrelation of the aggressors' sides (Lillo, Farmer 2004): with d 1 for BID and -1 for ASK and m their mean,
 * sum((d_i - m)(d_(i+k) - m)) / sum((d_i - m)^2) for the lags k from 1 to `lags`, over the rows of the table in their
 * order; times and gaps play no part. Null where all sides are equal. Doubles. Throws OPTION_INVALID for fewer rows
 * than `lags` + 1.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { tradeSignAutocorrelation } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * console.log(tradeSignAutocorrelation(await day.table('trades'), 10).column('autocorrelation'))
 * ```
 */
export function tradeSignAutocorrelation(trades: MarketTable, lags = 20): Table {
  const measure = 'the autocorrelation of sides'
  checkedCount(measure, 'lags', lags)
  checkRowCount(measure, 'trades', trades, lags + 1)
  const signs = trades.numbers('side')
  const mean = signs.reduce((sum, sign) => sum + sign, 0) / signs.length
  const squares = signs.reduce((sum, sign) => sum + (sign - mean) * (sign - mean), 0)
  const numbers = Array.from({ length: lags }, (_, at) => at + 1)
  return measureTable('trade_sign_autocorrelation', [
    doublesColumn('lag', numbers, 'uint32'),
    doublesColumn('autocorrelation', numbers.map((lag) => {
      let sum = 0
      for (let row = lag; row < signs.length; row++)
        sum += ((signs[row] as number) - mean) * ((signs[row - lag] as number) - mean)
      return squares === 0 ? NaN : sum / squares
    })),
  ], trades)
}

/** The line that the changes of the mid follow. */
export interface KyleLambda {
  /** Change of the mid in price per unit of signed volume; NaN where no volume varies. */
  readonly lambda: number
  /** Change of the mid at no signed volume, in price. */
  readonly intercept: number
  /** Part of the variance that the line explains, 0 to 1. */
  readonly rSquared: number
  /** Standard error of `lambda` under equal, independent errors; `lambda` over it is its t-statistic. */
  readonly standardError: number
  /** Intervals that are in it. */
  readonly intervalCount: number
  /** Intervals that were left out, as a mid was missing at one of their ends. */
  readonly skippedCount: number
}

/** Kyle's lambda of a span, by least squares. */
function lineOf(x: readonly number[], y: readonly number[]): Omit<KyleLambda, 'skippedCount'> {
  const count = x.length
  const [meanX, meanY] = [x, y].map((all) => all.reduce((sum, one) => sum + one, 0) / count) as [number, number]
  let [xx, xy, yy] = [0, 0, 0]
  for (let i = 0; i < count; i++) {
    const [dx, dy] = [(x[i] as number) - meanX, (y[i] as number) - meanY]
    xx += dx * dx
    xy += dx * dy
    yy += dy * dy
  }
  const lambda = xy / xx
  const rest = Math.max(0, yy - lambda * xy)
  return {
    lambda, intercept: meanY - lambda * meanX, rSquared: (xy * xy) / (xx * yy),
    standardError: Math.sqrt(rest / (count - 2) / xx), intervalCount: count,
  }
}

/**
 * Kyle's lambda (Kyle 1985; by regression as in Hasbrouck 2009): the slope of the least-squares line of the change of
 * the mid on the signed volume, sum(d qty), over intervals of `every` on multiples of it since midnight UTC. An
 * interval holds the trades from its begin on and before its end; its change is the mid just before its end less the
 * one just before its begin. Intervals without a trade have volume 0 and count; the first and last ones are those of
 * the first and last trade. One with a missing mid at an end is left out and counted. Doubles. Throws OPTION_INVALID
 * for an `every` that is no duration above 0, tables without rows, and fewer than three intervals.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { kyleLambda } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const { lambda, rSquared } = kyleLambda(await day.table('trades'), await day.table('bbo'), '10s')
 * console.log(lambda, rSquared)
 * ```
 */
export function kyleLambda(
  trades: MarketTable, bbo: MarketTable, every: string, options: QuoteOptions = {},
): KyleLambda {
  const measure = 'Kyle\'s lambda'
  const lengthNs = durationNsOf(measure, 'every', every)
  checkRowCount(measure, 'trades', trades)
  const midnight = midnightOf(bbo)
  const quotes = new Quotes(bbo, midnight, measure, options)
  const clock = clockNs(trades, midnight)
  const [sign, quantity] = [trades.numbers('side'), trades.numbers('qty')]
  const first = intervalOf(clock[0] as number, lengthNs)
  const last = intervalOf(clock.at(-1) as number, lengthNs)
  const volumes = new Float64Array(last - first + 1)
  for (let row = 0; row < clock.length; row++) {
    const at = intervalOf(clock[row] as number, lengthNs) - first
    volumes[at] = (volumes[at] as number) + (sign[row] as number) * (quantity[row] as number)
  }
  const [x, y]: [number[], number[]] = [[], []]
  volumes.forEach((volume, at) => {
    const begin = (first + at) * lengthNs
    const change = changeOfMid(quotes, begin, begin + lengthNs)
    if (Number.isNaN(change)) return
    x.push(volume)
    y.push(change)
  })
  if (x.length < 3) throw measureRefusal(measure, 'every', 'short enough for three intervals with a mid', every)
  return { ...lineOf(x, y), skippedCount: volumes.length - x.length }
}

/** The buckets of VPIN. */
export interface VpinOptions {
  /**
   * Volume of a bucket, in the unit of the quantities; default a fiftieth of the table's, rounded down to the
   * quantities' last.
   */
  readonly bucketVolume?: number
  /** Buckets that a value is the mean of; default 50. */
  readonly window?: number
}

/** Decimal places of the quantities of a table: their sums are exact as integers. */
function placesOf(trades: MarketTable): number {
  const column = trades.columns.find(({ name }) => name === 'qty')
  if (column?.type.form === 'decimal') return column.type.scale
  return Number(trades.metadata.get('quantity_scale') ?? 0)
}

/** Quantities in lots of 10^-places. */
function lotsOf(trades: MarketTable, factor: number): Float64Array {
  return trades.numbers('qty').map((quantity) => Math.round(quantity * factor))
}

/**
 * VPIN (Easley, Lopez de Prado, O'Hara 2012) by the aggressors that the tape states, without their bulk guess of sides:
 * trades fill buckets of equal volume V in their order, one that is too large is split; `buy_qty` and `sell_qty` of
 * each bucket, `vpin` = sum(|buy - sell|) / (n V) over it and the n - 1 before it, null until there are n. `ts` is the
 * time of the trade that fills it. What is left at the end fills no bucket and is no row. Times and gaps play no part.
 * Sums are exact in decimals of the quantities; `vpin` is a double from 0 to 1. Throws OPTION_INVALID for a table
 * without rows, and a bucket that is no whole number of the quantities' last place.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { vpin } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * console.log(vpin(await day.table('trades'), { window: 10 }).rows.at(-1)?.vpin)
 * ```
 */
export function vpin(trades: MarketTable, { bucketVolume, window = 50 }: VpinOptions = {}): Table {
  const measure = 'VPIN'
  checkRowCount(measure, 'trades', trades)
  checkedCount(measure, 'window', window)
  const factor = Number(`1e${String(hasColumn(trades, 'qty') ? placesOf(trades) : 0)}`)
  const lots = lotsOf(trades, factor)
  const total = lots.reduce((sum, one) => sum + one, 0)
  const size = bucketVolume === undefined ? Math.max(1, Math.floor(total / 50)) : bucketVolume * factor
  const bucket = Math.round(size)
  if (!(bucket > 0 && Math.abs(size - bucket) < 1e-6 * Math.max(1, bucket)))
    throw measureRefusal(measure, 'bucketVolume', `a positive multiple of ${String(1 / factor)}`, String(bucketVolume))
  const midnight = midnightOf(trades)
  const clock = clockNs(trades, midnight)
  const signs = trades.numbers('side')
  const [ends, buys, sells]: [number[], number[], number[]] = [[], [], []]
  let [buy, sell] = [0, 0]
  for (let row = 0; row < lots.length; row++) {
    for (let left = lots[row] as number; left > 0;) {
      const part = Math.min(left, bucket - buy - sell)
      if (signs[row] === 1) buy += part
      else sell += part
      left -= part
      if (buy + sell < bucket) continue
      ends.push(clock[row] as number)
      buys.push(buy)
      sells.push(sell)
      buy = sell = 0
    }
  }
  let sum = 0
  const values = buys.map((bought, at) => {
    const distanceAt = (place: number): number => Math.abs((buys[place] ?? 0) - (sells[place] ?? 0))
    sum += Math.abs(bought - (sells[at] as number)) - (at >= window ? distanceAt(at - window) : 0)
    return at + 1 < window ? NaN : sum / (window * bucket)
  })
  return measureTable('vpin', [
    timesColumn('ts', ends, midnight), doublesColumn('buy_qty', buys.map((one) => one / factor)),
    doublesColumn('sell_qty', sells.map((one) => one / factor)), doublesColumn('vpin', values),
  ], trades, { bucket_volume: String(bucket / factor), window: String(window) })
}
