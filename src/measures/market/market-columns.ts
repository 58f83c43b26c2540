import { durationOf } from '../../model/duration.js'
import { BacktapeError } from '../../model/error.js'
import { NS_PER_DAY } from '../../model/time.js'
import type { Column } from '../../tables/column.js'
import { PackedCodes, PackedNumbers, PackedTimes } from '../../tables/packed-column.js'
import { createTable, type Table } from '../../tables/table.js'

/** The columns of a table in memory that a measure reads; every table of a day is one. */
export type MarketTable = Pick<Table, 'columns' | 'rowCount' | 'metadata' | 'numbers' | 'timesNs'>

/** A refusal of what a measure was given. */
export function measureRefusal(measure: string, field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot measure ${measure}: ${field} must be ${expected}, found ${found}`,
    { field, expected, found: found.slice(0, 80) },
  )
}

/** Refuses a table of fewer rows. */
export function checkRowCount(measure: string, field: string, { rowCount }: MarketTable, least = 1): void {
  if (rowCount >= least) return
  const expected = least === 1 ? 'a table with rows' : `a table of ${String(least)} rows or more`
  throw measureRefusal(measure, field, expected, String(rowCount))
}

/** Nanoseconds of a duration such as `10s`. Throws OPTION_INVALID, naming measure and option. */
export function durationNsOf(measure: string, field: string, text: string): number {
  const given: unknown = text
  const length = typeof given === 'string' ? durationOf(given) : 'a text such as 10s'
  if (typeof length === 'number') return length
  throw measureRefusal(measure, field, length, JSON.stringify(given) ?? 'nothing')
}

/** A whole number from `least` on. Throws OPTION_INVALID. */
export function checkedCount(measure: string, field: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw measureRefusal(measure, field, `a whole number from ${String(least)} on`, String(value))
}

/** The midnight in UTC at or before the first time of a table, epoch nanoseconds. */
export function midnightOf(table: MarketTable, name = 'ts'): bigint {
  const first = table.timesNs(name)[0] ?? 0n
  const day = BigInt(NS_PER_DAY)
  return first - (((first % day) + day) % day)
}

/**
 * Times as nanoseconds from a midnight, exact within 104 days of it, on a clock that never steps back: a time below an
 * earlier one counts as that one, as in events.
 */
export function clockNs(table: MarketTable, midnight: bigint, name = 'ts'): Float64Array {
  const times = table.timesNs(name)
  const clock = new Float64Array(times.length)
  let last = -Infinity
  for (let row = 0; row < times.length; row++)
    clock[row] = last = Math.max(last, Number((times[row] ?? 0n) - midnight))
  return clock
}

/** The last place whose time is at or before `timeNs`; -1 where there is none. */
export function lastAtOrBefore(clock: Float64Array, timeNs: number): number {
  let [low, high] = [0, clock.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((clock[middle] as number) <= timeNs) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The last place whose time is before `timeNs`; -1 where there is none. */
export function lastBefore(clock: Float64Array, timeNs: number): number {
  let [low, high] = [0, clock.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((clock[middle] as number) < timeNs) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** A column of times, given from a midnight. */
export function timesColumn(name: string, clock: ArrayLike<number>, midnight: bigint): PackedTimes {
  const column = new PackedTimes({ name, type: { form: 'timestamp' }, nullable: false })
  for (let row = 0; row < clock.length; row++) column.push(midnight + BigInt(clock[row] as number))
  return column
}

/** A column of doubles; NaN is null. */
export function doublesColumn(
  name: string, values: ArrayLike<number>, form: 'double' | 'uint32' = 'double',
): PackedNumbers {
  const column = new PackedNumbers({ name, type: { form }, nullable: form === 'double' })
  for (let row = 0; row < values.length; row++) column.push(values[row] as number)
  return column
}

/** A column of sides, given as 1 for BID and -1 for ASK. */
export function sidesColumn(name: string, signs: ArrayLike<number>): PackedCodes {
  const column = new PackedCodes({ name, type: { form: 'side' }, nullable: false })
  for (let row = 0; row < signs.length; row++) column.push((signs[row] as number) < 0)
  return column
}

/** A table of a measure: the facts of its source say which instrument and day it is of. */
export function measureTable(
  name: string, columns: Parameters<typeof createTable>[0], source: Pick<MarketTable, 'metadata'>,
  facts: Record<string, string> = {},
): Table {
  const kept = ['instrument_id', 'instrument_code', 'exchange_code', 'day', 'from', 'to']
  const metadata = kept.flatMap((key) => {
    const value = source.metadata.get(key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return createTable(columns, new Map([['table', name], ...metadata, ...Object.entries(facts)]))
}

/** The mean of a column, its nulls left out: weighted by another column where one is named. */
export interface ColumnMean {
  /** The mean; NaN where no value is left, or where the weights sum to 0. */
  readonly mean: number
  /** Values that are in it. */
  readonly count: number
  /** Nulls that were left out. */
  readonly missingCount: number
}

/**
 * The mean of one column of a table, weighted by another one (`qty`) where it is named: sum(w x) / sum(w), nulls left
 * out. A double, summed in the order of the rows.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { columnMean, effectiveSpread } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const spreads = effectiveSpread(await day.table('trades'), await day.table('bbo'))
 * console.log(columnMean(spreads, 'effective_bps', { weight: 'qty' }).mean)
 * ```
 */
export function columnMean(
  table: MarketTable, name: string, { weight }: { readonly weight?: string } = {},
): ColumnMean {
  const values = table.numbers(name)
  const weights = weight === undefined ? null : table.numbers(weight)
  let [sum, total, count] = [0, 0, 0]
  for (let row = 0; row < values.length; row++) {
    const [value, own] = [values[row] as number, weights === null ? 1 : (weights[row] as number)]
    if (Number.isNaN(value) || Number.isNaN(own)) continue
    sum += value * own
    total += own
    count++
  }
  return { mean: sum / total, count, missingCount: values.length - count }
}

/** Names of columns, for refusals. */
export function hasColumn({ columns }: MarketTable, name: string): boolean {
  return columns.some((column: Column) => column.name === name)
}
