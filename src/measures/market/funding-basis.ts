import { FundingSchedule, type NamedFunding } from '../../model/funding-schedule.js'
import { NS_PER_DAY } from '../../model/time.js'
import { NO_TIME_NS } from '../../tables/packed-column.js'
import type { Table } from '../../tables/table.js'
import {
  checkRowCount, clockNs, doublesColumn, durationNsOf, hasColumn, lastAtOrBefore, lastBefore, measureRefusal,
  measureTable, midnightOf, timesColumn, type MarketTable,
} from './market-columns.js'
import { Quotes } from './quotes.js'

const BASIS_POINTS = 10_000
const YEAR_NS = 365 * NS_PER_DAY

/** The time that a basis belongs to, for its rate a year: one of the two. */
export interface BasisOptions {
  /** Of a perpetual: the time between two funding payments, such as `8h`. */
  readonly interval?: string
  /** Of a future: the time of its expiry, epoch nanoseconds. */
  readonly expiryNs?: bigint
}

/** Times and prices of a mark, or the mids of quotes. */
function pricesOf(
  prices: MarketTable, midnight: bigint,
): { readonly clock: Float64Array; readonly price: Float64Array } {
  if (!hasColumn(prices, 'bid_price')) return { clock: clockNs(prices, midnight), price: prices.numbers('price') }
  const { clock, mid } = new Quotes(prices, midnight, 'the basis')
  return { clock, price: mid }
}

/**
 * The basis of a perpetual or a future: one row for each row of `prices` (a table `mark`, or `bbo`, whose mid counts),
 * beside the index that stands at that time, one of that very time included. `basis` = price - index in price,
 * `basis_bps` = 10,000 (price / index - 1), `annualised` = (price / index - 1) (365 days / T): T is `interval`, as if
 * the basis were paid at each funding, or the time left to `expiryNs`; null where neither is given or no time is left.
 * Null before the first index, and where the quote is none. Doubles. Throws OPTION_INVALID for tables without rows.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { basis } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const rows = basis(await day.table('mark'), await day.table('index'), { interval: '8h' }).rows
 * console.log(rows.at(-1)?.basis_bps, rows.at(-1)?.annualised)
 * ```
 */
export function basis(prices: MarketTable, indexes: MarketTable, { interval, expiryNs }: BasisOptions = {}): Table {
  const measure = 'the basis'
  checkRowCount(measure, 'prices', prices)
  checkRowCount(measure, 'indexes', indexes)
  if (interval !== undefined && expiryNs !== undefined)
    throw measureRefusal(measure, 'interval', 'left out where expiryNs is given', interval)
  const intervalNs = interval === undefined ? NaN : durationNsOf(measure, 'interval', interval)
  const midnight = midnightOf(prices)
  const { clock, price } = pricesOf(prices, midnight)
  const [indexClock, indexPrice] = [clockNs(indexes, midnight), indexes.numbers('price')]
  const endNs = expiryNs === undefined ? NaN : Number(expiryNs - midnight)
  const index = clock.map((timeNs) => indexPrice[lastAtOrBefore(indexClock, timeNs)] ?? NaN)
  const relative = price.map((one, row) => one / (index[row] as number) - 1)
  return measureTable('basis', [
    timesColumn('ts', clock, midnight), doublesColumn('price', price), doublesColumn('index', index),
    doublesColumn('basis', price.map((one, row) => one - (index[row] as number))),
    doublesColumn('basis_bps', relative.map((one) => BASIS_POINTS * one)),
    doublesColumn('annualised', relative.map((one, row) => {
      const leftNs = expiryNs === undefined ? intervalNs : endNs - (clock[row] as number)
      return leftNs > 0 ? (one * YEAR_NS) / leftNs : NaN
    })),
  ], prices)
}

/** The rows of a table `funding` by their exchange time (adapter time where it is missing or later), stable. */
function inExchangeOrder(
  funding: MarketTable, midnight: bigint, clock: Float64Array,
): readonly { readonly timeNs: number; readonly row: number }[] {
  const given = hasColumn(funding, 'exchange_ts') ? funding.timesNs('exchange_ts') : null
  const lines = Array.from(clock, (adapterNs, row) => {
    const time = given?.[row] ?? NO_TIME_NS
    return { timeNs: time === NO_TIME_NS ? adapterNs : Math.min(adapterNs, Number(time - midnight)), row }
  })
  return lines.sort((a, b) => a.timeNs - b.timeNs)
}

/** The fundings that are due up to a time by rule 8.1, in their order, with the row that states the rate of each. */
function dueFundings(
  funding: MarketTable, midnight: bigint, clock: Float64Array, endNs: number,
): readonly NamedFunding<number>[] {
  const schedule = new FundingSchedule<number>()
  const due: NamedFunding<number>[] = []
  const takeUntil = (timeNs: number): void => {
    for (;;) {
      const next = schedule.nextFrom((due.at(-1)?.timeNs ?? -Infinity) + 1)
      if (next === null || next.timeNs > timeNs) return
      due.push(next)
    }
  }
  const names = funding.timesNs('next_funding_ts')
  for (const { timeNs, row } of inExchangeOrder(funding, midnight, clock)) {
    // A line at the time itself comes too late for it.
    takeUntil(timeNs - 1)
    const named = names[row] ?? NO_TIME_NS
    if (named !== NO_TIME_NS) schedule.take(timeNs, Number(named - midnight), row)
  }
  takeUntil(endNs)
  return due
}

/**
 * The fundings that a span of a perpetual paid, as a run pays them (exchange rules 8.1): one row for each that its
 * clock, or that of `mark`, has reached. Files state what will be paid, not payments: where lines name several times
 * within 10 minutes, or another time up to 60 s before one, that is one payment. `rate` is the last rate stated for it
 * before it, `mark` the last mark price before it (null without one), `paid` = rate mark, which a long position of one
 * unit of base pays to short ones, in price (of linear contracts), and `annualised` = rate (365 days / time since the
 * payment before, or to the next one where it is the first), null for a single one. Doubles. Throws OPTION_INVALID for
 * a `funding` without rows.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { fundingPayments } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const paid = fundingPayments(await day.table('funding'), await day.table('mark'))
 * for (const row of paid.rows) console.log(row.ts, row.rate, row.paid)
 * ```
 */
export function fundingPayments(funding: MarketTable, mark: MarketTable): Table {
  checkRowCount('funding', 'funding', funding)
  const midnight = midnightOf(funding)
  const [clock, markClock] = [clockNs(funding, midnight), clockNs(mark, midnight)]
  const endNs = Math.max(clock.at(-1) as number, markClock.at(-1) ?? -Infinity)
  const [rates, marks] = [funding.numbers('rate'), mark.numbers('price')]
  const due = dueFundings(funding, midnight, clock, endNs)
  const times = due.map(({ timeNs }) => timeNs)
  const rate = due.map(({ rate: row }) => rates[row] as number)
  const price = times.map((time) => marks[lastBefore(markClock, time)] ?? NaN)
  return measureTable('funding_payments', [
    timesColumn('ts', times, midnight), doublesColumn('rate', rate), doublesColumn('mark', price),
    doublesColumn('paid', rate.map((one, row) => one * (price[row] as number))),
    doublesColumn('annualised', rate.map((one, row) => {
      const later = Math.max(row, 1)
      const lengthNs = (times[later] ?? NaN) - (times[later - 1] as number)
      return (one * YEAR_NS) / lengthNs
    })),
  ], funding)
}
