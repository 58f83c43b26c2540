import type { ColumnBuffer, TableChunk, ColumnType } from './column.js'
import type { FrameCompressor } from '../files/zstd-compressor.js'
import { IntegerEncoder, PARQUET_ENCODINGS } from './parquet-integers.js'
import {
  appendBits, appendIntegers, appendPlainBits, appendRun, NumberGatherer, ParquetBytes,
} from './parquet-values.js'

/**
 * Above this many rows a run, a column with one value a run is a dictionary with runs; below, its values are written
 * out.
 */
const DICTIONARY_ROWS_PER_RUN = 3

const SIDE_DICTIONARY = Uint8Array.from([3, 0, 0, 0, 66, 73, 68, 3, 0, 0, 0, 65, 83, 75])

/**
 * The pages of one column chunk before compression, and what its metadata says. Bytes are valid until the next
 * encoding.
 */
export interface EncodedColumn {
  readonly dictionary: Uint8Array | null
  readonly dictionaryCount: number
  readonly data: Uint8Array
  readonly encoding: number
  readonly nullCount: number
  readonly minimum: Uint8Array | null
  readonly maximum: Uint8Array | null
}

interface Values {
  readonly encoding: number
  readonly dictionaryCount: number
  readonly range: readonly [Uint8Array, Uint8Array] | null
}

/** 4, 8 or 0 bytes a value; 0 where a value is not a number of fixed width. */
function widthOf(type: ColumnType): 0 | 4 | 8 {
  if (type.form === 'uint32') return 4
  if (type.form === 'timestamp' || type.form === 'uint64' || type.form === 'double') return 8
  return type.form === 'decimal' && type.precision === 18 ? 8 : 0
}

interface Range {
  readonly least: number
  readonly greatest: number
}

function rangeOf(numbers: Float64Array, count: number): Range {
  let least = numbers[0] ?? 0
  let greatest = least
  for (let i = 1; i < count; i++) {
    const value = numbers[i] ?? 0
    if (value < least) least = value
    if (value > greatest) greatest = value
  }
  return { least, greatest }
}

function integerBytes(value: bigint, width: 4 | 8): Uint8Array {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt.asUintN(64, value), true)
  return new Uint8Array(view.buffer, 0, width)
}

/** A column of one value a run, where runs are long enough. */
function hasDictionary({ perRun }: ColumnBuffer, { rowCount, runCount }: TableChunk): boolean {
  return perRun && rowCount > runCount * DICTIONARY_ROWS_PER_RUN
}

/** The number of rows that value `index` stands for. */
function rowsOf({ perRun }: ColumnBuffer, { runStart }: TableChunk, index: number): number {
  return perRun ? (runStart[index + 1] ?? 0) - (runStart[index] ?? 0) : 1
}

/** Encodes column chunks: definition levels where nulls are allowed, values, statistics. */
export class ParquetColumnEncoder {
  readonly data: ParquetBytes = new ParquetBytes()
  readonly dictionary: ParquetBytes = new ParquetBytes()
  private readonly gatherer = new NumberGatherer()
  private readonly integers: IntegerEncoder
  private flags: Uint8Array = new Uint8Array(0)

  constructor(compress: FrameCompressor) {
    this.integers = new IntegerEncoder(compress)
  }

  encode(buffer: ColumnBuffer, chunk: TableChunk): EncodedColumn {
    this.data.count = 0
    this.dictionary.count = 0
    const nullCount = buffer.column.nullable ? this.putLevels(buffer, chunk) : 0
    const { encoding, dictionaryCount, range } = this.putValues(buffer, chunk)
    const dictionary = encoding === PARQUET_ENCODINGS.RLE_DICTIONARY ? this.dictionary.slice() : null
    return {
      dictionary, dictionaryCount, data: this.data.slice(), encoding, nullCount, minimum: range?.[0] ?? null,
      maximum: range?.[1] ?? null,
    }
  }

  /** Definition levels: 1 where a value stands. Returns the count of nulls. */
  private putLevels(buffer: ColumnBuffer, chunk: TableChunk): number {
    const { data } = this
    const { rowCount } = chunk
    const count = buffer.perRun ? chunk.runCount : rowCount
    let nulls = 0
    for (let i = 0; i < count; i++)
      if (buffer.isNullAt(i)) nulls += rowsOf(buffer, chunk, i)
    data.word(0)
    if (nulls === 0 || nulls === rowCount) appendRun(data, nulls === 0 ? 1 : 0, rowCount, 1)
    else if (!buffer.perRun) appendBits(data, this.presentFlags(buffer, rowCount), rowCount)
    else
      for (let run = 0; run < count; run++)
        appendRun(data, buffer.isNullAt(run) ? 0 : 1, rowsOf(buffer, chunk, run), 1)
    new DataView(data.bytes.buffer).setUint32(0, data.count - 4, true)
    return nulls
  }

  private presentFlags(buffer: ColumnBuffer, count: number): Uint8Array {
    const flags = this.flagsOf(count)
    for (let i = 0; i < count; i++) flags[i] = buffer.isNullAt(i) ? 0 : 1
    return flags
  }

  /** One flag a row that is not null, of a column of booleans or sides. */
  private rowFlags(
    buffer: ColumnBuffer, chunk: TableChunk,
  ): { readonly flags: Uint8Array; readonly count: number } {
    const { rowCount, runCount } = chunk
    if (!buffer.perRun && !buffer.column.nullable) return { flags: buffer.bytes, count: rowCount }
    const flags = this.flagsOf(rowCount)
    let count = 0
    for (let i = 0; i < (buffer.perRun ? runCount : rowCount); i++) {
      if (buffer.isNullAt(i)) continue
      const end = count + rowsOf(buffer, chunk, i)
      flags.fill(buffer.bytes[i] ?? 0, count, end)
      count = end
    }
    return { flags, count }
  }

  private flagsOf(count: number): Uint8Array {
    if (this.flags.length < count) this.flags = new Uint8Array(count)
    return this.flags
  }

  private putValues(buffer: ColumnBuffer, chunk: TableChunk): Values {
    const { type } = buffer.column
    const width = widthOf(type)
    if (width !== 0) return this.putNumbers(buffer, chunk, width)
    const { PLAIN, RLE_DICTIONARY } = PARQUET_ENCODINGS
    if (type.form === 'decimal')
      return { encoding: PLAIN, dictionaryCount: 0, range: this.putWideDecimals(buffer, chunk.rowCount) }
    if (type.form === 'side' || type.form === 'boolean') {
      const { flags, count } = this.rowFlags(buffer, chunk)
      if (type.form === 'boolean') {
        appendPlainBits(this.data, flags, count)
        return { encoding: PLAIN, dictionaryCount: 0, range: null }
      }
      this.dictionary.piece(SIDE_DICTIONARY)
      this.data.byte(1)
      appendBits(this.data, flags, count)
      return { encoding: RLE_DICTIONARY, dictionaryCount: 2, range: null }
    }
    return this.putTexts(buffer, chunk)
  }

  private putNumbers(buffer: ColumnBuffer, chunk: TableChunk, width: 4 | 8): Values {
    const values = this.gatherer.gather(buffer, chunk)
    if (values === null) return this.putIds(buffer, chunk)
    if (buffer.column.type.form === 'double') {
      const { numbers, count } = this.gatherer.expand(values, buffer, chunk)
      // Little-endian doubles.
      this.data.piece(new Uint8Array(numbers.slice(0, count).buffer))
      return { encoding: PARQUET_ENCODINGS.PLAIN, dictionaryCount: 0, range: null }
    }
    const { least, greatest } = rangeOf(values.numbers, values.count)
    const range =
      values.count === 0
        ? null
        : ([
            integerBytes(BigInt(least) + values.base, width), integerBytes(BigInt(greatest) + values.base, width),
          ] as const)
    if (hasDictionary(buffer, chunk) && values.count > 0) {
      appendIntegers(this.dictionary, values, width)
      this.putRunIndexes(buffer, chunk, values.count)
      return { encoding: PARQUET_ENCODINGS.RLE_DICTIONARY, dictionaryCount: values.count, range }
    }
    const expanded = { ...this.gatherer.expand(values, buffer, chunk), least, spread: greatest - least }
    return { ...this.integers.put(this, expanded, width, buffer.column.type.form === 'decimal'), range }
  }

  /** Each value by itself, once a run in a dictionary, else once a row. */
  private putEach(
    buffer: ColumnBuffer, chunk: TableChunk, put: (target: ParquetBytes, index: number) => void,
  ): Omit<Values, 'range'> {
    const isDictionary = hasDictionary(buffer, chunk)
    const target = isDictionary ? this.dictionary : this.data
    const count = buffer.perRun ? chunk.runCount : chunk.rowCount
    let written = 0
    for (let i = 0; i < count; i++) {
      if (buffer.isNullAt(i)) continue
      for (let k = isDictionary ? 1 : rowsOf(buffer, chunk, i); k > 0; k--) put(target, i)
      written++
    }
    if (!isDictionary) return { encoding: PARQUET_ENCODINGS.PLAIN, dictionaryCount: 0 }
    this.putRunIndexes(buffer, chunk, written)
    return { encoding: PARQUET_ENCODINGS.RLE_DICTIONARY, dictionaryCount: written }
  }

  /** Ids that are no sequence, hashes for instance: as they are. */
  private putIds(buffer: ColumnBuffer, chunk: TableChunk): Values {
    const written = this.putEach(buffer, chunk, (target, i) => {
      target.word(buffer.low[i] ?? 0)
      target.word(buffer.high[i] ?? 0)
    })
    return { ...written, range: idRange(buffer, buffer.perRun ? chunk.runCount : chunk.rowCount) }
  }

  /** Index k for every row of the k-th run that is not null. */
  private putRunIndexes(buffer: ColumnBuffer, chunk: TableChunk, count: number): void {
    const bitWidth = Math.max(1, 32 - Math.clz32(Math.max(0, count - 1)))
    this.data.byte(bitWidth)
    let index = 0
    for (let run = 0; run < chunk.runCount; run++) {
      if (buffer.isNullAt(run)) continue
      appendRun(this.data, index++, rowsOf(buffer, chunk, run), bitWidth)
    }
  }

  private putTexts(buffer: ColumnBuffer, chunk: TableChunk): Values {
    const written = this.putEach(buffer, chunk, (target, i) => {
      const text = buffer.textAt(i)
      target.word(text.length)
      target.piece(text)
    })
    return { ...written, range: null }
  }

  /** Decimals of 38 digits: 16 bytes, big-endian, two's complement. */
  private putWideDecimals(buffer: ColumnBuffer, count: number): readonly [Uint8Array, Uint8Array] | null {
    let least: bigint | null = null
    let greatest: bigint | null = null
    for (let i = 0; i < count; i++) {
      if (buffer.isNullAt(i)) continue
      const value = buffer.wideAt(i)
      if (least === null || value < least) least = value
      if (greatest === null || value > greatest) greatest = value
      this.data.piece(wideBytes(value))
    }
    return least === null || greatest === null ? null : [wideBytes(least), wideBytes(greatest)]
  }
}

function idRange(buffer: ColumnBuffer, count: number): readonly [Uint8Array, Uint8Array] | null {
  let least = -1
  let greatest = -1
  const isBelow = (a: number, b: number): boolean => {
    const difference = (buffer.high[a] ?? 0) - (buffer.high[b] ?? 0)
    return difference < 0 || (difference === 0 && (buffer.low[a] ?? 0) < (buffer.low[b] ?? 0))
  }
  for (let i = 0; i < count; i++) {
    if (buffer.isNull[i] === 1) continue
    if (least < 0 || isBelow(i, least)) least = i
    if (greatest < 0 || isBelow(greatest, i)) greatest = i
  }
  const id = (i: number): Uint8Array =>
    integerBytes((BigInt(buffer.high[i] ?? 0) << 32n) | BigInt(buffer.low[i] ?? 0), 8)
  return least < 0 ? null : [id(least), id(greatest)]
}

function wideBytes(value: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(16))
  view.setBigInt64(0, value >> 64n)
  view.setBigInt64(8, BigInt.asIntN(64, value))
  return new Uint8Array(view.buffer)
}
