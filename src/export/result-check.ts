import type { ReadOptions } from '../tickfile/reading.js'
import type { TickSource } from '../tickfile/tick-source.js'
import type { ExportTarget } from './export-kind.js'
import type { TableShape } from './table-columns.js'

/** A file to read back. */
export interface ResultFile extends ExportTarget {
  readonly path: string
  readonly shape: TableShape
}

export async function checkResults(source: TickSource, options: ReadOptions, files: readonly ResultFile[]): Promise<void> {
  await Promise.resolve([source, options, files])
}
