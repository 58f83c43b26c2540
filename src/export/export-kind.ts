import { OUTPUT_FORMATS, type OutputFormat } from './output-format.js'

/** The tables that a tick file becomes. */
export const EXPORT_KINDS = ['trades', 'bbo', 'depth', 'mark', 'index', 'funding', 'liquidations', 'states'] as const

/** The name of a table: part of its file name. */
export type ExportKind = (typeof EXPORT_KINDS)[number]

/** The formats of an export; each is also the ending of its files. `arrow` is the IPC file format, `arrows` the IPC stream. */
export const EXPORT_FORMATS: typeof OUTPUT_FORMATS = OUTPUT_FORMATS

/** The name and ending of an export format. */
export type ExportFormat = OutputFormat

/** One file to write: a kind in a format. */
export interface ExportTarget {
  readonly kind: ExportKind
  readonly format: ExportFormat
}

/** The five derived exports of the shop, under their names. */
export const SHOP_EXPORTS: readonly ExportTarget[] = [
  { kind: 'trades', format: 'csv.gz' },
  { kind: 'bbo', format: 'csv.gz' },
  { kind: 'liquidations', format: 'csv.gz' },
  { kind: 'trades', format: 'parquet' },
  { kind: 'liquidations', format: 'parquet' },
]

/**
 * `BASE.KIND.FORMAT` of a source file name: `day.txt.zst` and trades as Parquet is `day.trades.parquet`.
 *
 * @example
 * ```ts
 * import { exportFileName } from 'backtape'
 * if (exportFileName('day.txt.zst', { kind: 'trades', format: 'parquet' }) !== 'day.trades.parquet') throw new Error('base name, kind, format')
 * ```
 */
export function exportFileName(sourceFileName: string, target: ExportTarget): string {
  return `${sourceFileName.replace(/\.txt\.zst$|\.zst$/, '')}.${target.kind}.${target.format}`
}
