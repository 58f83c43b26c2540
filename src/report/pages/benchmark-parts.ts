import { benchmarkStatistics } from '../../measures/benchmark-statistics.js'
import { returnStatistics } from '../../measures/return-statistics.js'
import type { ReturnsSummary } from '../money-summary.js'
import { sampledOf } from './period-parts.js'
import { priceAt } from './price-at.js'
import type { PeriodInput, ReportInput } from './report-input.js'
import type { ReportBenchmark } from './report-money.js'
import type { ReportSeries } from './report-series.js'
import { seriesOf } from './track-series.js'

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]

/** Returns of holding over periods that begin at given times and last for `lengthMs`. */
function holdingReturns(price: ReportSeries, begins: readonly number[], lengthMs: number): number[] {
  const first = price.last[0] ?? NaN
  return begins.map((begin) => (
    (priceAt(price, begin + lengthMs) ?? first) / (priceAt(price, begin) ?? first) - 1))
}

/** Buying and holding each instrument that was traded in an underlying, those with the most fills first. */
export function benchmarksOf(
  { summary, tracks, epochDay, instrumentOf }: ReportInput, underlying: string, returns: ReturnsSummary,
  days: readonly PeriodInput[], hours: readonly PeriodInput[],
): ReportBenchmark[] {
  const fills = new Map<string, number>()
  for (const { instrument, underlying: own, fillCount } of summary.instruments)
    if (own === underlying) fills.set(instrument, (fills.get(instrument) ?? 0) + fillCount)
  const prices = new Map([...tracks.prices].map(([id, track]) => [instrumentOf(id), track] as const))
  const falls = new Map([...tracks.held].map(([id, { deepest }]) => [instrumentOf(id), deepest] as const))
  const { unit, periodsPerYear, notComputed } = returns
  const rows = sampledOf(unit === 'day' ? days : hours)
  const own = rows.map((row) => row.return ?? 0)
  const begins = rows.map(({ ts }) => Number(ts / 1_000_000n))
  return [...fills].sort(([, a], [, b]) => b - a).flatMap(([instrument]): ReportBenchmark[] => {
    const price = seriesOf(prices.get(instrument), epochDay)
    const [first, last] = [price.last[0], price.last.at(-1)]
    if (first === undefined || last === undefined) return []
    const isUsable = notComputed === null && Math.min(...price.low) > 0
    const held = isUsable ? holdingReturns(price, begins, unit === 'day' ? DAY_MS : HOUR_MS) : []
    const { volatility, sharpe } = returnStatistics(held, periodsPerYear)
    return [{
      instrument, firstPrice: first, lastPrice: last, return: first > 0 ? last / first - 1 : null, volatility, sharpe,
      maxDrawdown: Math.min(...price.low) > 0 ? (falls.get(instrument) ?? null) : null,
      notComputed: isUsable ? null : notComputed ?? 'a price was not above 0',
      ...benchmarkStatistics(isUsable ? own : [], held, periodsPerYear),
    }]
  })
}
