import type { PageHeader } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import type { PageUnpacker } from './parquet-codecs.js'
import { ParquetFault, ParquetUnknown } from './parquet-fault.js'
import { readHybrid } from './parquet-hybrid.js'
import type { ParquetField } from './parquet-layout.js'
import { PAGE_BYTES_MAX, readPageValues, type PageValues } from './parquet-page-values.js'
import { thriftEnd } from './parquet-thrift.js'

/** Rows of one column that stand together. */
export interface Page {
  readonly rowCount: number
  /** 1 for a row that has a value, 0 for null; null: every row has one. */
  readonly present: Uint8Array | null
  readonly values: PageValues
}

/** Rows, or entries of a dictionary, that a page may state: a run of any length takes no bytes to speak of. */
const PAGE_ROWS_MAX = 16_777_216

interface PageCounts {
  readonly rowCount: number
  readonly encoding: string | undefined
  /** Bytes of levels in front of the values, which are not packed: pages of version 2. */
  readonly levelBytes: number | null
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most
}

/** The levels of a page: rows that have a value are 1. */
function presentOf(bytes: Uint8Array, rowCount: number): Uint8Array | null {
  const present = new Uint8Array(rowCount)
  readHybrid(bytes, 0, 1, present)
  return present.includes(0) ? present : null
}

function valueCount(rowCount: number, present: Uint8Array | null): number {
  let count = present === null ? rowCount : 0
  if (present !== null) for (const flag of present) count += flag
  return count
}

/** Reads the pages of one column chunk. */
export class ChunkPages {
  private dictionary: PageValues | null = null
  private at = 0

  constructor(
    private readonly field: ParquetField,
    private readonly bytes: Uint8Array,
    private readonly unpack: PageUnpacker,
    /** Rows that are left of the row group. */
    private rowsLeft: number,
  ) {}

  /** Where the page at hand begins within the chunk. */
  pageFrom = 0

  /** The next page with rows; null behind the last. */
  next(): Page | null {
    while (this.rowsLeft > 0) {
      const { header, packed } = this.take()
      const { type } = header
      if (type === 'DICTIONARY_PAGE') this.dictionary = this.readDictionary(header, packed)
      else if (type === 'DATA_PAGE' || type === 'DATA_PAGE_V2') {
        const page = this.readData(header, packed)
        this.rowsLeft -= page.rowCount
        if (page.rowCount > 0) return page
      } else if (type !== 'INDEX_PAGE') throw new ParquetUnknown('pages of an unknown type')
    }
    return null
  }

  /** The header of the page at hand and its bytes. */
  private take(): { readonly header: PageHeader; readonly packed: Uint8Array } {
    const { bytes, at } = this
    this.pageFrom = at
    if (at >= bytes.length) throw new ParquetFault(`pages that end ${this.rowsLeft} rows early`)
    const end = thriftEnd(bytes, at)
    const header = parquetHeader({ view: new DataView(bytes.buffer, bytes.byteOffset, end), offset: at })
    const { compressed_page_size: size, uncompressed_page_size: unpacked } = header
    if (!isCount(size, bytes.length - end))
      throw new ParquetFault(`a page of ${String(size)} bytes in ${bytes.length - end}`)
    if (!isCount(unpacked, PAGE_BYTES_MAX))
      throw new ParquetFault(`a page of ${String(unpacked)} bytes: at most ${PAGE_BYTES_MAX} are read`)
    this.at = end + size
    return { header, packed: bytes.subarray(end, end + size) }
  }

  private readDictionary(header: PageHeader, packed: Uint8Array): PageValues {
    const count = header.dictionary_page_header?.num_values
    if (!isCount(count, PAGE_ROWS_MAX)) throw new ParquetFault(`a dictionary of ${count} entries`)
    const bytes = this.unpack(packed, header.uncompressed_page_size)
    return readPageValues(this.field, 'PLAIN', null, bytes, 0, count)
  }

  private countsOf(header: PageHeader): PageCounts {
    const { data_page_header: first, data_page_header_v2: second } = header
    const stated = header.type === 'DATA_PAGE' ? first : second
    const most = Math.min(PAGE_ROWS_MAX, this.rowsLeft)
    const rowCount = stated?.num_values
    if (!isCount(rowCount, most)) throw new ParquetFault(`a page of ${rowCount} rows: at most ${most} can follow`)
    if (first !== undefined && header.type === 'DATA_PAGE') {
      if (this.field.nullable && first.definition_level_encoding !== 'RLE')
        // Readers begin with either end of a byte of BIT_PACKED.
        throw new ParquetFault(`levels in ${first.definition_level_encoding}, not in RLE`)
      return { rowCount, encoding: first.encoding, levelBytes: null }
    }
    const levelBytes = second?.definition_levels_byte_length
    if (second?.repetition_levels_byte_length !== 0 || !isCount(levelBytes, header.compressed_page_size))
      throw new ParquetFault(`levels of ${levelBytes} bytes`)
    return { rowCount, encoding: second.encoding, levelBytes }
  }

  private readData(header: PageHeader, packed: Uint8Array): Page {
    const { rowCount, encoding, levelBytes } = this.countsOf(header)
    const { field } = this
    const wanted = header.uncompressed_page_size
    if (levelBytes !== null) {
      const present = field.nullable ? presentOf(packed.subarray(0, levelBytes), rowCount) : null
      const rest = packed.subarray(levelBytes)
      const isPacked = header.data_page_header_v2?.is_compressed !== false && wanted > levelBytes
      return this.page(encoding, isPacked ? this.unpack(rest, wanted - levelBytes) : rest, 0, rowCount, present)
    }
    const bytes = this.unpack(packed, wanted)
    if (!field.nullable) return this.page(encoding, bytes, 0, rowCount, null)
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
    if (length > bytes.length - 4) throw new ParquetFault('levels that end early')
    return this.page(encoding, bytes, 4 + length, rowCount, presentOf(bytes.subarray(4, 4 + length), rowCount))
  }

  private page(
    encoding: string | undefined, bytes: Uint8Array, from: number, rowCount: number, present: Uint8Array | null,
  ): Page {
    const count = valueCount(rowCount, present)
    return { rowCount, present, values: readPageValues(this.field, encoding, this.dictionary, bytes, from, count) }
  }
}
