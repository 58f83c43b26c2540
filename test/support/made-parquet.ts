import { createBareCompressor } from '../../src/files/zstd-compressor.js'
import type { Column } from '../../src/tables/column.js'
import { type ColumnChunkFacts, parquetFooter, parquetPageHeader } from '../../src/tables/parquet-footer.js'

/** A page by its bytes before compression, and what its header states where that is not the truth. */
export interface MadePage {
  readonly kind: 'data' | 'dictionary'
  readonly bytes: Uint8Array
  readonly count: number
  readonly encoding: number
  readonly statedBytes?: number
  readonly packed?: Uint8Array
  /** Changes the header. */
  readonly header?: (header: Uint8Array) => Uint8Array
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** A Parquet file of one column and one row group; a group without rows states a place in the magic, as pyarrow does. */
export async function madeParquet(column: Column, rowCount: number, pages: readonly MadePage[], facts: Partial<ColumnChunkFacts> = {}, groupRows: readonly number[] = [rowCount]): Promise<Uint8Array> {
  const compress = await createBareCompressor(1)
  const packed = pages.map(({ kind, bytes, count, encoding, statedBytes, header = (own) => own, ...page }) => {
    const content = page.packed ?? compress(bytes)
    return joined([header(parquetPageHeader(kind, count, encoding, statedBytes ?? bytes.length, content.length)), content])
  })
  const data = joined(packed)
  const first = pages[0]?.kind === 'dictionary' ? packed[0]?.length ?? 0 : 0
  const chunk: ColumnChunkFacts = {
    encoding: pages.at(-1)?.encoding ?? 0, valueCount: rowCount, uncompressedBytes: data.length, compressedBytes: data.length,
    dictionaryOffset: first === 0 ? null : 4, dataOffset: 4 + first, nullCount: 0, minimum: null, maximum: null, ...facts,
  }
  const footer = parquetFooter([column], groupRows.map((rows) => ({ rowCount: rows, columns: [rows === 0 ? { ...chunk, dataOffset: 0 } : chunk] })), new Map())
  const magic = Buffer.from('PAR1')
  return joined([magic, data, footer, new Uint8Array(Uint32Array.of(footer.length).buffer), magic])
}

/** A file whose page is two zstd frames, one behind the other, which only parquet-wasm reads: 0.01 to 0.08. */
export async function severalFrames(): Promise<Uint8Array> {
  const column: Column = { name: 'price', type: { form: 'decimal', precision: 18, scale: 2 }, nullable: false }
  const bytes = new Uint8Array(BigInt64Array.of(1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n).buffer)
  const compress = await createBareCompressor(1)
  const packed = joined([compress(bytes.subarray(0, 24)), compress(bytes.subarray(24))])
  return madeParquet(column, 8, [{ kind: 'data', bytes, count: 8, encoding: 0, packed }])
}

/** A file whose page has its levels in BIT_PACKED, as writers of before 2014. */
export async function bitPackedLevels(): Promise<Uint8Array> {
  const column: Column = { name: 'price', type: { form: 'decimal', precision: 18, scale: 2 }, nullable: true }
  const bytes = joined([Uint8Array.of(0b10101010), new Uint8Array(BigInt64Array.of(1n, 3n, 5n, 7n).buffer)])
  // The encoding of the definition levels: field 3 of the header of a data page, from RLE (3) to BIT_PACKED (4).
  const header = (own: Uint8Array): Uint8Array => {
    const changed = own.slice()
    changed[changed.lastIndexOf(0x06) - 2] = 0x08
    return changed
  }
  return madeParquet(column, 8, [{ kind: 'data', bytes, count: 8, encoding: 0, header }])
}
