import type { ColumnBuffer, TableChunk, Column, ByteSink, TableEncoder } from './column.js'
import { ParquetColumnEncoder } from './parquet-column.js'
import { type ColumnChunkFacts, parquetFooter, parquetPageHeader, type RowGroupFacts } from './parquet-footer.js'
import { PARQUET_ENCODINGS } from './parquet-integers.js'
import type { FrameCompressor } from '../files/zstd-compressor.js'

const MAGIC = Uint8Array.from([80, 65, 82, 49])

/**
 * Writes a Parquet file: one row group a chunk, zstd pages, statistics. Our own encoder, because a tick file's depth
 * repeats six of nine columns for every row of an event: as runs they cost nothing, while parquet-wasm looks at each
 * value (2-3.7 M rows/s against the 6 M that one core has to reach). Only encodings that every reader knows: DuckDB 1.5
 * refuses BYTE_STREAM_SPLIT of integers, which would be a third smaller. Other people's readers check it
 * (test/system/readers.py).
 */
export class ParquetEncoder implements TableEncoder {
  private readonly encoder: ParquetColumnEncoder
  private readonly groups: RowGroupFacts[] = []
  private offset = 0

  constructor(
    private readonly columns: readonly Column[],
    private readonly metadata: ReadonlyMap<string, string>,
    private readonly compress: FrameCompressor,
    private readonly sink: ByteSink,
  ) {
    this.encoder = new ParquetColumnEncoder(compress)
    this.write(MAGIC)
  }

  encode(chunk: TableChunk): void {
    this.groups.push({
      rowCount: chunk.rowCount, columns: chunk.columns.map((buffer) => this.writeColumn(buffer, chunk)),
    })
  }

  finish(late: ReadonlyMap<string, string> = new Map()): void {
    const footer = parquetFooter(this.columns, this.groups, new Map([...this.metadata, ...late]))
    this.write(footer)
    this.write(new Uint8Array(Uint32Array.of(footer.length).buffer))
    this.write(MAGIC)
  }

  private writeColumn(buffer: ColumnBuffer, chunk: TableChunk): ColumnChunkFacts {
    const encoded = this.encoder.encode(buffer, chunk)
    const begin = this.offset
    let uncompressedBytes = 0
    const page = (kind: 'data' | 'dictionary', bytes: Uint8Array, count: number, encoding: number): void => {
      const packed = this.compress(bytes)
      const header = parquetPageHeader(kind, count, encoding, bytes.length, packed.length)
      this.write(header)
      this.write(packed)
      uncompressedBytes += header.length + bytes.length
    }
    if (encoded.dictionary !== null)
      page('dictionary', encoded.dictionary, encoded.dictionaryCount, PARQUET_ENCODINGS.PLAIN)
    const dataOffset = this.offset
    page('data', encoded.data, chunk.rowCount, encoded.encoding)
    return {
      encoding: encoded.encoding,
      valueCount: chunk.rowCount,
      uncompressedBytes,
      compressedBytes: this.offset - begin,
      dictionaryOffset: encoded.dictionary === null ? null : begin,
      dataOffset,
      nullCount: encoded.nullCount,
      minimum: encoded.minimum,
      maximum: encoded.maximum,
    }
  }

  private write(bytes: Uint8Array): void {
    this.offset += bytes.length
    this.sink(bytes)
  }
}
