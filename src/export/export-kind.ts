import type { ExportFormat } from '../tables/output-format.js'

/**
 * The tables that a tick file becomes.
 *
 * @example
 * ```ts
 * import { EXPORT_FORMATS, EXPORT_KINDS } from 'backtape'
 * if (!EXPORT_KINDS.includes('trades') || !EXPORT_FORMATS.includes('parquet')) throw new Error('trades as Parquet')
 * ```
 */
export const EXPORT_KINDS = ['trades', 'bbo', 'depth', 'mark', 'index', 'funding', 'liquidations', 'states'] as const

/** The name of a table: part of its file name. */
export type ExportKind = (typeof EXPORT_KINDS)[number]

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
 */
export function exportFileName(sourceFileName: string, target: ExportTarget): string {
  return `${sourceFileName.replace(/\.txt\.zst$|\.zst$/, '')}.${target.kind}.${target.format}`
}
