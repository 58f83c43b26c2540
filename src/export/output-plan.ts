import type { ErrorCode, ErrorPlace } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import type { ExportTarget, TableShape } from './export-kind.js'
import type { TableForm } from '../tables/table-form.js'

/** One file that a worker is to write. */
export interface OutputPlan extends ExportTarget {
  readonly shape: TableShape
  readonly form: TableForm
  /** Of the file, without what follows from the shape. */
  readonly metadata: readonly (readonly [string, string])[]
  /** The name of the file in messages, and its path when it is whole. */
  readonly path: string
  /** An existing, empty file to write into. */
  readonly temporaryPath: string
}

/** A worker's report on one file when the source has ended. */
export interface WrittenOutput {
  readonly rowCount: number
  readonly sizeBytes: number
  readonly checksum: string
  /** False: the table needs `neededShape`, the file is not whole and must be written again. */
  readonly fits: boolean
  readonly neededShape: TableShape
}

/** The converting thread's message to a worker. */
export type OutputRequest =
  | { readonly type: 'begin'; readonly plans: readonly OutputPlan[] }
  | { readonly type: 'batch'; readonly slot: number; readonly batch: EventBatch }
  | { readonly type: 'finish'; readonly late: readonly (readonly [string, string])[] }

/** A worker's answer. */
export type OutputReply =
  | { readonly type: 'free'; readonly slot: number }
  | { readonly type: 'finished'; readonly outputs: readonly WrittenOutput[] }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly message: string; readonly place: ErrorPlace }
