import { createTable, type Table } from '../tables/table.js'
import type { Column, ColumnType, TableValue } from '../tables/column.js'
import { knownKinds, type CatalogDay } from './catalog-day.js'

type Cell = (day: CatalogDay) => TableValue

const TEXT: ColumnType = { form: 'text' }
const TIMESTAMP: ColumnType = { form: 'timestamp' }
const UINT64: ColumnType = { form: 'uint64' }

function ends(day: CatalogDay, which: 'firstNs' | 'lastNs', isBefore: (a: bigint, b: bigint) => boolean): TableValue {
  const texts = [
    ...day.tables.map(({ facts }) => facts[which]), ...day.ticks.map(({ audit }) => audit?.[which] ?? null),
  ]
  let end: bigint | null = null
  for (const text of texts) {
    if (text === null) continue
    const time = BigInt(text)
    if (end === null || isBefore(time, end)) end = time
  }
  return end
}

function places({ ticks, tables }: CatalogDay): string {
  if (tables.length === 0) return ticks.length === 0 ? 'unreadable' : 'ticks'
  return ticks.length === 0 ? 'tables' : 'ticks and tables'
}

/** The audits of a day: figures of its only tick file, of several the sum. */
function audited(day: CatalogDay, count: (audit: NonNullable<CatalogDay['ticks'][number]['audit']>) => number | null):
  number | null {
  const values = day.ticks.flatMap(({ audit }) => (audit === null ? [] : [count(audit)]))
  return values.length === 0 || values.includes(null) ? null :
    values.reduce((sum: number, value) => sum + (value ?? 0), 0)
}

function auditText({ ticks }: CatalogDay): string | null {
  const audits = ticks.flatMap(({ audit }) => (audit === null ? [] : [audit]))
  if (audits.length === 0) return null
  const reasons = audits.flatMap((audit) => audit.reasons)
  const verdict = audits.every(({ isSound }) => isSound) ? 'sound' : `not sound: ${reasons.join('; ')}`
  return [verdict, ...audits.flatMap(({ clockNotes }) => clockNotes)].join('; ')
}

const sizes = (files: readonly { readonly sizeBytes: number }[]): bigint =>
  BigInt(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))

const COLUMNS: readonly (readonly [name: string, type: ColumnType, cell: Cell])[] = [
  ['instrument', TEXT, ({ instrument }) => instrument?.name ?? null],
  ['day', TEXT, ({ day }) => day],
  ['files', TEXT, places],
  ['kinds', TEXT, (day) => knownKinds(day)?.join(' ') ?? null],
  ['first_ts', TIMESTAMP, (day) => ends(day, 'firstNs', (a, b) => a < b)],
  ['last_ts', TIMESTAMP, (day) => ends(day, 'lastNs', (a, b) => a > b)],
  ['coverage_percent', { form: 'double' }, (day) => audited(day, ({ coveragePercent }) => coveragePercent)],
  ['chain_gaps', { form: 'uint32' }, (day) => audited(day, ({ chainGapCount }) => chainGapCount)],
  ['quiet_periods', { form: 'uint32' }, (day) => audited(day, ({ quietPeriodCount }) => quietPeriodCount)],
  ['tick_bytes', UINT64, ({ ticks }) => sizes(ticks.map(({ facts }) => facts))],
  ['table_bytes', UINT64, ({ tables }) => sizes(tables.map(({ stamp }) => stamp))],
  ['audit', TEXT, auditText],
  ['problem', TEXT, ({ problems }) => (problems.length === 0 ? null : problems.join('; '))],
]

/** The columns of the table of a catalog. */
const HEADS: readonly Column[] = COLUMNS.map(([name, type]) => ({ name, type, nullable: name !== 'files' }))

/**
 * The days of a catalog as a table, a row for each instrument and day. Null where nothing is known: kinds, times,
 * coverage and gaps of a tick file that was neither converted nor audited.
 */
export function catalogTable(days: readonly CatalogDay[]): Table {
  return createTable(HEADS.map((head, at) => ({ ...head, values: days.map((day) => COLUMNS[at]?.[2](day) ?? null) })))
}
