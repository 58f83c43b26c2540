import type { Column } from './column.js'
import type { ExportFormat } from './output-format.js'

/** The forms of times in text: digits of epoch nanoseconds, or ISO-8601 in UTC with nanoseconds. */
export const TIME_FORMS = ['ns', 'iso'] as const
export type TimeForm = (typeof TIME_FORMS)[number]

/** The forms of decimals in Parquet and Arrow: exact 128-bit decimals, or the nearest doubles. */
export const NUMBER_FORMS = ['decimal', 'float64'] as const
export type NumberForm = (typeof NUMBER_FORMS)[number]

/** The form of a table. */
export interface TableForm {
  readonly format: ExportFormat
  /** Text formats only; default `ns`. Parquet and Arrow have timestamps of nanoseconds. */
  readonly times?: TimeForm
  /** Parquet and Arrow only; default `decimal`. Text formats keep every digit. */
  readonly numbers?: NumberForm
  /** CSV only: a `#` line with the metadata as JSON above the header; default false. */
  readonly comment?: boolean
}

/** True where values stand as text, and the format has no place for metadata. */
export function isTextFormat(format: ExportFormat): boolean {
  return format !== 'parquet' && format !== 'arrow' && format !== 'arrows'
}

/** True where a form holds doubles instead of decimals. */
export function hasDoubles({ format, numbers }: TableForm): boolean {
  return numbers === 'float64' && !isTextFormat(format)
}

/** The columns of a table as a form holds them. */
export function columnsIn(form: TableForm, columns: readonly Column[]): readonly Column[] {
  return hasDoubles(form)
    ? columns.map((column) => (column.type.form === 'decimal' ? { ...column, type: { form: 'double' } } : column))
    : columns
}

/** The metadata of a table together with what its form adds. */
export function metadataIn(form: TableForm, metadata: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = new Map(metadata)
  if (hasDoubles(form)) all.set('numbers', 'float64')
  if (form.times === 'iso' && isTextFormat(form.format)) all.set('timestamps', 'ISO-8601 in UTC, nanoseconds')
  return all
}
