import type { Table } from '../../tables/table.js'
import {
  clockNs, doublesColumn, durationNsOf, measureTable, midnightOf, sidesColumn, timesColumn, type MarketTable,
} from './market-columns.js'
import { Quotes, type QuoteOptions } from './quotes.js'

const BASIS_POINTS = 10_000

/** Trades beside the quotes that stood just before each of them. */
interface QuotedTrades {
  readonly quotes: Quotes
  readonly midnight: bigint
  readonly clock: Float64Array
  readonly price: Float64Array
  readonly quantity: Float64Array
  /** 1 where the aggressor bought, -1 where it sold. */
  readonly sign: Float64Array
  readonly mid: Float64Array
}

function quotedTrades(trades: MarketTable, bbo: MarketTable, measure: string, options: QuoteOptions): QuotedTrades {
  const midnight = midnightOf(bbo)
  const quotes = new Quotes(bbo, midnight, measure, options)
  const clock = clockNs(trades, midnight)
  return {
    quotes, midnight, clock, price: trades.numbers('price'), quantity: trades.numbers('qty'),
    sign: trades.numbers('side'), mid: clock.map((timeNs) => quotes.midBefore(timeNs)),
  }
}

function beginColumns(
  { clock, midnight, sign, price, quantity, mid }: QuotedTrades,
): Parameters<typeof measureTable>[1] {
  return [
    timesColumn('ts', clock, midnight), sidesColumn('side', sign), doublesColumn('price', price),
    doublesColumn('qty', quantity), doublesColumn('mid', mid),
  ]
}

/** A distance in price and in basis points of the mid before the trade, one a trade. */
function distanceColumns(
  name: string, { mid }: QuotedTrades, distance: Float64Array,
): Parameters<typeof measureTable>[1] {
  return [
    doublesColumn(name, distance),
    doublesColumn(`${name}_bps`, distance.map((one, row) => (BASIS_POINTS * one) / (mid[row] as number))),
  ]
}

/**
 * The effective spread of every trade: `effective` = 2 d (price - mid), d 1 for a buying aggressor and -1 for a selling
 * one, in price; `effective_bps` in basis points of the mid (Huang, Stoll 1996). The mid is the one just before the
 * trade on the adapter clock: a quote of the same nanosecond counts as after it. Null where no quote of two sides
 * stood, as before the first one. The tape states the aggressor; nothing is guessed. Throws OPTION_INVALID for a `bbo`
 * without rows.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { columnMean, effectiveSpread } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const spreads = effectiveSpread(await day.table('trades'), await day.table('bbo'))
 * console.log(columnMean(spreads, 'effective_bps').mean)
 * ```
 */
export function effectiveSpread(trades: MarketTable, bbo: MarketTable, options: QuoteOptions = {}): Table {
  const all = quotedTrades(trades, bbo, 'the effective spread', options)
  const { price, sign, mid } = all
  const effective = price.map((one, row) => 2 * (sign[row] as number) * (one - (mid[row] as number)))
  return measureTable('effective_spread', [
    ...beginColumns(all), ...distanceColumns('effective', all, effective),
  ], trades)
}

/**
 * The realised spread of every trade at a horizon: `realised` = 2 d (price - later mid), what the other side of the
 * trade kept, and `impact` = 2 d (later mid - mid), what the trade taught the market; the two sum to the effective
 * spread (Huang, Stoll 1996). The later mid stands `horizon` after the trade, quotes of that very time included. Null
 * where a mid is missing, and behind the last quote of the table. Throws OPTION_INVALID for a horizon that is no
 * duration above 0, or a `bbo` without rows.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { columnMean, realisedSpread } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const spreads = realisedSpread(await day.table('trades'), await day.table('bbo'), '5s')
 * console.log(columnMean(spreads, 'realised_bps').mean, columnMean(spreads, 'impact_bps').mean)
 * ```
 */
export function realisedSpread(
  trades: MarketTable, bbo: MarketTable, horizon: string, options: QuoteOptions = {},
): Table {
  const measure = 'the realised spread'
  const horizonNs = durationNsOf(measure, 'horizon', horizon)
  const all = quotedTrades(trades, bbo, measure, options)
  const { clock, quotes, price, sign, mid } = all
  const later = clock.map((timeNs) => quotes.midAt(timeNs + horizonNs))
  const of = (at: (row: number) => number): Float64Array => (
    clock.map((_, row) => 2 * (sign[row] as number) * at(row)))
  return measureTable('realised_spread', [
    ...beginColumns(all), doublesColumn('later_mid', later),
    ...distanceColumns('realised', all, of((row) => (
      Number.isNaN(mid[row]) ? NaN : (price[row] as number) - (later[row] as number)))),
    ...distanceColumns('impact', all, of((row) => (later[row] as number) - (mid[row] as number))),
  ], trades, { horizon })
}

/**
 * Where the mid went after trades, one row a horizon, seen from the aggressor: the mark-out of a trade is d (mid at its
 * time plus the horizon - its price), as mark-outs of own fills are; above 0 the market went its way. `mean` in price,
 * `mean_bps` in basis points of the price, `weighted` and `weighted_bps` weighted by quantity. Trades whose mid is
 * missing then, or lies behind the last quote, are counted in `missing_count`. Throws OPTION_INVALID for a horizon that
 * is no duration above 0, or a `bbo` without rows.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { tradeMarkOuts } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const curve = tradeMarkOuts(await day.table('trades'), await day.table('bbo'), ['100ms', '1s', '10s'])
 * for (const row of curve.rows) console.log(row.horizon_ns, row.weighted_bps)
 * ```
 */
export function tradeMarkOuts(
  trades: MarketTable, bbo: MarketTable, horizons: readonly string[], options: QuoteOptions = {},
): Table {
  const measure = 'mark-outs'
  const lengths = horizons.map((horizon) => durationNsOf(measure, 'horizons', horizon))
  const { quotes, clock, price, quantity, sign } = quotedTrades(trades, bbo, measure, options)
  const sums = lengths.map((lengthNs) => {
    let [count, sum, relative, weighted, weightedRelative, total] = [0, 0, 0, 0, 0, 0]
    for (let row = 0; row < clock.length; row++) {
      const mid = quotes.midAt((clock[row] as number) + lengthNs)
      if (Number.isNaN(mid)) continue
      const markOut = (sign[row] as number) * (mid - (price[row] as number))
      const basisPoints = (BASIS_POINTS * markOut) / (price[row] as number)
      const size = quantity[row] as number
      count++
      sum += markOut
      relative += basisPoints
      weighted += markOut * size
      weightedRelative += basisPoints * size
      total += size
    }
    return {
      count, missing: clock.length - count, mean: sum / count, bps: relative / count, weighted: weighted / total,
      weightedBps: weightedRelative / total,
    }
  })
  return measureTable('trade_mark_outs', [
    doublesColumn('horizon_ns', lengths),
    doublesColumn('trade_count', sums.map(({ count }) => count), 'uint32'),
    doublesColumn('missing_count', sums.map(({ missing }) => missing), 'uint32'),
    doublesColumn('mean', sums.map(({ mean }) => mean)),
    doublesColumn('mean_bps', sums.map(({ bps }) => bps)),
    doublesColumn('weighted', sums.map(({ weighted }) => weighted)),
    doublesColumn('weighted_bps', sums.map(({ weightedBps }) => weightedBps)),
  ], trades)
}
