import { BacktapeError } from '../model/error.js'
import type { ColumnBuffer, TableChunk } from './column-buffer.js'
import type { ColumnType } from './column.js'
import { appendBits, appendPlain, appendPlainBits, appendRun, appendSplit, ByteBuffer, WordGatherer, type WordValues } from './parquet-values.js'

/** Encodings of the Parquet format, by their numbers. */
export const PARQUET_ENCODINGS = { PLAIN: 0, RLE: 3, RLE_DICTIONARY: 8, BYTE_STREAM_SPLIT: 9 } as const

/** Above this many rows a run, a column with one value a run is a dictionary with runs; below, its values are written out. */
const DICTIONARY_ROWS_PER_RUN = 3

const SIDE_DICTIONARY = Uint8Array.from([3, 0, 0, 0, 66, 73, 68, 3, 0, 0, 0, 65, 83, 75])
const TEN_18 = 10n ** 18n

/** The pages of one column chunk before compression, and what its metadata says. Bytes are valid until the next encoding. */
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

function wordBytes(low: number, high: number, width: 4 | 8): Uint8Array {
  const words = Uint32Array.of(low, high)
  return new Uint8Array(words.buffer, 0, width).slice()
}

/** Least and greatest value; doubles have none, as NaN and signed zeros make their order a matter of taste. */
function rangeOf({ low, high, count }: WordValues, type: ColumnType, width: 4 | 8): readonly [Uint8Array, Uint8Array] | null {
  if (count === 0 || type.form === 'double') return null
  const flip = type.form === 'uint64' || type.form === 'uint32' ? 0 : 0x80000000
  let least = 0
  let greatest = 0
  let leastHigh = ((high[0] ?? 0) ^ flip) >>> 0
  let leastLow = low[0] ?? 0
  let greatestHigh = leastHigh
  let greatestLow = leastLow
  for (let i = 1; i < count; i++) {
    const upper = ((high[i] ?? 0) ^ flip) >>> 0
    const lower = low[i] ?? 0
    if (upper < leastHigh || (upper === leastHigh && lower < leastLow)) {
      least = i
      leastHigh = upper
      leastLow = lower
    } else if (upper > greatestHigh || (upper === greatestHigh && lower > greatestLow)) {
      greatest = i
      greatestHigh = upper
      greatestLow = lower
    }
  }
  return [wordBytes(low[least] ?? 0, high[least] ?? 0, width), wordBytes(low[greatest] ?? 0, high[greatest] ?? 0, width)]
}

/** Encodes column chunks: byte-split or run-length dictionary, definition levels where nulls are allowed, statistics. */
export class ParquetColumnEncoder {
  private readonly data = new ByteBuffer()
  private readonly dictionary = new ByteBuffer()
  private readonly words = new WordGatherer()

  encode(buffer: ColumnBuffer, chunk: TableChunk): EncodedColumn {
    this.data.length = 0
    this.dictionary.length = 0
    const nullCount = buffer.column.nullable ? this.putLevels(buffer, chunk) : 0
    const { encoding, dictionaryCount, range } = this.putValues(buffer, chunk)
    const dictionary = encoding === PARQUET_ENCODINGS.RLE_DICTIONARY ? this.dictionary.result() : null
    return { dictionary, dictionaryCount, data: this.data.result(), encoding, nullCount, minimum: range?.[0] ?? null, maximum: range?.[1] ?? null }
  }

  /** Definition levels: 1 where a value stands. Returns the count of nulls. */
  private putLevels(buffer: ColumnBuffer, chunk: TableChunk): number {
    const { data } = this
    const { runStart, rowCount } = chunk
    const count = buffer.perRun ? chunk.runCount : rowCount
    let nulls = 0
    for (let i = 0; i < count; i++) if (buffer.isNullAt(i)) nulls += buffer.perRun ? (runStart[i + 1] ?? 0) - (runStart[i] ?? 0) : 1
    data.word(0)
    if (nulls === 0 || nulls === rowCount) appendRun(data, nulls === 0 ? 1 : 0, rowCount, 1)
    else if (!buffer.perRun) appendBits(data, rowCount, (row) => (buffer.isNullAt(row) ? 0 : 1))
    else for (let run = 0; run < count; run++) appendRun(data, buffer.isNullAt(run) ? 0 : 1, (runStart[run + 1] ?? 0) - (runStart[run] ?? 0), 1)
    new DataView(data.bytes.buffer).setUint32(0, data.length - 4, true)
    return nulls
  }

  private putValues(buffer: ColumnBuffer, chunk: TableChunk): Values {
    const { type } = buffer.column
    const width = widthOf(type)
    if (width !== 0) return this.putNumbers(buffer, chunk, width)
    const { PLAIN, RLE_DICTIONARY } = PARQUET_ENCODINGS
    if (type.form === 'decimal') return { encoding: PLAIN, dictionaryCount: 0, range: this.putWideDecimals(buffer, chunk.rowCount, type.scale) }
    if (type.form === 'side') {
      this.dictionary.append(SIDE_DICTIONARY)
      this.data.put(1)
      appendBits(this.data, chunk.rowCount, (row) => buffer.bytes[row] ?? 0)
      return { encoding: RLE_DICTIONARY, dictionaryCount: 2, range: null }
    }
    if (type.form === 'boolean') {
      let run = 0
      appendPlainBits(this.data, chunk.rowCount, (row) => {
        if (!buffer.perRun) return buffer.bytes[row] ?? 0
        while ((chunk.runStart[run + 1] ?? 0) <= row) run++
        return buffer.bytes[run] ?? 0
      })
      return { encoding: PLAIN, dictionaryCount: 0, range: null }
    }
    return this.putTexts(buffer, chunk)
  }

  private putNumbers(buffer: ColumnBuffer, chunk: TableChunk, width: 4 | 8): Values {
    const values = this.words.gather(buffer, chunk)
    const range = rangeOf(values, buffer.column.type, width)
    if (buffer.perRun && values.count > 0 && chunk.rowCount > chunk.runCount * DICTIONARY_ROWS_PER_RUN) {
      appendPlain(this.dictionary, values, width)
      this.putRunIndexes(buffer, chunk, values.count)
      return { encoding: PARQUET_ENCODINGS.RLE_DICTIONARY, dictionaryCount: values.count, range }
    }
    appendSplit(this.data, this.words.expand(values, buffer, chunk), width)
    return { encoding: PARQUET_ENCODINGS.BYTE_STREAM_SPLIT, dictionaryCount: 0, range }
  }

  /** Index k for every row of the k-th run that is not null. */
  private putRunIndexes(buffer: ColumnBuffer, chunk: TableChunk, count: number): void {
    const bitWidth = Math.max(1, 32 - Math.clz32(Math.max(0, count - 1)))
    this.data.put(bitWidth)
    let index = 0
    for (let run = 0; run < chunk.runCount; run++) {
      if (buffer.isNullAt(run)) continue
      appendRun(this.data, index++, (chunk.runStart[run + 1] ?? 0) - (chunk.runStart[run] ?? 0), bitWidth)
    }
  }

  private putTexts(buffer: ColumnBuffer, chunk: TableChunk): Values {
    const asDictionary = buffer.perRun && chunk.rowCount > chunk.runCount * DICTIONARY_ROWS_PER_RUN
    const target = asDictionary ? this.dictionary : this.data
    const count = buffer.perRun ? chunk.runCount : chunk.rowCount
    let written = 0
    for (let i = 0; i < count; i++) {
      if (buffer.isNullAt(i)) continue
      const text = buffer.bytes.subarray(buffer.start[i] ?? 0, buffer.start[i + 1] ?? 0)
      const repeats = buffer.perRun && !asDictionary ? (chunk.runStart[i + 1] ?? 0) - (chunk.runStart[i] ?? 0) : 1
      for (let k = 0; k < repeats; k++) {
        target.word(text.length)
        target.append(text)
      }
      written++
    }
    if (asDictionary) this.putRunIndexes(buffer, chunk, written)
    return { encoding: asDictionary ? PARQUET_ENCODINGS.RLE_DICTIONARY : PARQUET_ENCODINGS.PLAIN, dictionaryCount: asDictionary ? written : 0, range: null }
  }

  /** Decimals of 38 digits: 16 bytes, big-endian, two's complement. */
  private putWideDecimals(buffer: ColumnBuffer, count: number, scale: number): readonly [Uint8Array, Uint8Array] | null {
    let least: bigint | null = null
    let greatest: bigint | null = null
    for (let i = 0; i < count; i++) {
      if (buffer.isNullAt(i)) continue
      const value = wideDecimal(buffer, i, scale)
      if (least === null || value < least) least = value
      if (greatest === null || value > greatest) greatest = value
      this.data.append(wideBytes(value))
    }
    return least === null || greatest === null ? null : [wideBytes(least), wideBytes(greatest)]
  }
}

/** The value at `index` of a 38-digit decimal column as an integer at the column's scale of 18. */
export function wideDecimal(buffer: ColumnBuffer, index: number, scale: number): bigint {
  const ownScale = buffer.scales[index] ?? 0
  if (ownScale > scale) {
    throw new BacktapeError('VALUE_INEXACT', `Cannot write a ${buffer.column.name} with ${String(ownScale)} decimals: at most ${String(scale)} fit`, { field: buffer.column.name })
  }
  return (BigInt(buffer.numbers[index] ?? 0) * TEN_18) / 10n ** BigInt(ownScale)
}

function wideBytes(value: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(16))
  view.setBigInt64(0, value >> 64n)
  view.setBigInt64(8, BigInt.asIntN(64, value))
  return new Uint8Array(view.buffer)
}
