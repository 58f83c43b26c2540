import type { TableChunk } from './column-buffer.js'

/** Turns the chunks of one table into the bytes of one file, in order. */
export interface TableEncoder {
  encode(chunk: TableChunk): void
  /**
   * Writes what closes the file; `late` is metadata that is known at the end alone, for formats that have metadata
   * there.
   */
  finish(late?: ReadonlyMap<string, string>): void
}

/** Takes bytes of a file in order. The bytes are only valid during the call. */
export type ByteSink = (bytes: Uint8Array) => void
