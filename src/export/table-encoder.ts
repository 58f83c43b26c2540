import type { TableChunk } from './column-buffer.js'
import type { Column } from './column.js'

/** Turns the chunks of one table into the bytes of one file, in order. */
export interface TableEncoder {
  encode(chunk: TableChunk): void
  /** Writes what closes the file; `late` is metadata that is known at the end alone, for formats that have metadata there. */
  finish(late?: ReadonlyMap<string, string>): void
}

/** Takes bytes of a file in order. The bytes are only valid during the call. */
export type ByteSink = (bytes: Uint8Array) => void

/** Makes the encoder of one file of a format. */
export type MakeEncoder = (columns: readonly Column[], metadata: ReadonlyMap<string, string>, sink: ByteSink) => TableEncoder
