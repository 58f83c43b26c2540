import { NO_TIME_NS } from '../../tables/packed-column.js'
import { createTable, type Table } from '../../tables/table.js'
import { doublesColumn, measureRefusal, type MarketTable } from './market-columns.js'

const QUANTILES = [['median_ns', 0.5], ['p90_ns', 0.9], ['p99_ns', 0.99], ['p999_ns', 0.999]] as const

/** Durations of the events of a table, in ascending order: one an event, however many rows it has. */
function durationsOf(table: MarketTable): Float64Array {
  const [times, exchangeTimes] = [table.timesNs('ts'), table.timesNs('exchange_ts')]
  const events = table.numbers('event_index')
  const durations: number[] = []
  for (let row = 0; row < times.length; row++) {
    const isFirst = row === 0 || events[row] !== events[row - 1]
    if (isFirst && exchangeTimes[row] !== NO_TIME_NS)
      durations.push(Number((times[row] as bigint) - (exchangeTimes[row] as bigint)))
  }
  return Float64Array.from(durations).sort()
}

/**
 * Latencies of the recording by kind of event: adapter time less exchange time, in nanoseconds, exact; one value an
 * event, those without an exchange time left out. A quantile q is the value at place ceil(q n) of the sorted n, so each
 * is one that occurred; null without any. `negative_count` counts events whose venue's clock was ahead of the
 * recorder's. Tables are given by the name that their row shall have. Throws OPTION_INVALID where none is given.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { latencyProfile } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const profile = latencyProfile({ trades: await day.table('trades'), bbo: await day.table('bbo') })
 * for (const row of profile.rows) console.log(row.kind, row.median_ns, row.p99_ns)
 * ```
 */
export function latencyProfile(tables: Readonly<Record<string, MarketTable>>): Table {
  const kinds = Object.keys(tables)
  if (kinds.length === 0) throw measureRefusal('latencies', 'tables', 'one table at least', 'none')
  const sorted = Object.values(tables).map(durationsOf)
  const quantile = (durations: Float64Array, part: number): number => (
    durations[Math.max(0, Math.ceil(part * durations.length) - 1)] ?? NaN)
  return createTable([
    { name: 'kind', type: { form: 'text' }, nullable: false, values: kinds },
    doublesColumn('count', sorted.map(({ length }) => length), 'uint32'),
    doublesColumn('negative_count', sorted.map((all) => all.filter((one) => one < 0).length), 'uint32'),
    doublesColumn('smallest_ns', sorted.map((all) => all[0] ?? NaN)),
    ...QUANTILES.map(([name, part]) => doublesColumn(name, sorted.map((all) => quantile(all, part)))),
    doublesColumn('largest_ns', sorted.map((all) => all.at(-1) ?? NaN)),
  ], new Map([['table', 'latency_profile']]))
}
