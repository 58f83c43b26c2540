import {
  AsyncByteQueue, type Data, makeData, RecordBatchFileWriter, RecordBatchStreamWriter, Schema, Bool, type DataType,
  Decimal, Dictionary, Field, Float64, Int8, RecordBatch, Struct, TimestampNanosecond, Uint32, Uint64, Utf8,
  vectorFromArray,
} from 'apache-arrow'
import type { ColumnBuffer, TableChunk, Column, ColumnType, ByteSink, TableEncoder } from './column.js'

const SIDE_TEXTS = vectorFromArray(['BID', 'ASK'], new Utf8())
const SIDE_TYPE = new Dictionary(new Utf8(), new Int8(), 0)

/** The Arrow type of a column. */
const TYPES: { readonly [Form in Exclude<ColumnType['form'], 'decimal'>]: DataType } = {
  timestamp: new TimestampNanosecond(null), uint32: new Uint32(), uint64: new Uint64(), double: new Float64(),
  boolean: new Bool(), text: new Utf8(), side: SIDE_TYPE,
}

function arrowType(type: ColumnType): DataType {
  return type.form === 'decimal' ? new Decimal(type.scale, type.precision, 128) : TYPES[type.form]
}

/** The number of null values of a column, and their places. */
interface Validity {
  readonly nullCount: number
  readonly nullBitmap?: Uint8Array
}

/** Rows of a record batch: smaller than a chunk, so that the columns written out stay in few megabytes. */
const BATCH_ROWS = 65_536
const TWO_32 = 4_294_967_296

/** Hands on what the Arrow writer writes at once, so that nothing piles up and column memory can be used again. */
class SinkQueue extends AsyncByteQueue {
  constructor(private readonly sink: ByteSink) {
    super()
  }

  override write(value: ArrayBufferLike | ArrayBufferView): void {
    this.sink(
      ArrayBuffer.isView(value)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : new Uint8Array(value),
    )
  }
}

/** Column memory by column: written out before it is used again. */
class Scratch {
  private readonly byColumn = new Map<Column, Uint32Array>()

  words(column: Column, count: number): Uint32Array {
    let words = this.byColumn.get(column)
    if (words === undefined || words.length < count) this.byColumn.set(column, (words = new Uint32Array(count)))
    return column.nullable ? words.fill(0, 0, count).subarray(0, count) : words.subarray(0, count)
  }
}

/** The rows of a chunk that become one record batch. */
interface Slice {
  readonly chunk: TableChunk
  readonly from: number
  readonly to: number
}

/** Calls back for every stretch of rows in a slice that share a value of the column. */
function eachStretch(
  buffer: ColumnBuffer, { chunk, from, to }: Slice, put: (index: number, from: number, to: number) => void,
): void {
  if (!buffer.perRun) {
    for (let row = from; row < to; row++) put(row, row - from, row - from + 1)
    return
  }
  let run = firstRun(chunk, from)
  for (let row = from; row < to; run++) {
    const end = Math.min(to, chunk.runStart[run + 1] ?? to)
    put(run, row - from, end - from)
    row = end
  }
}

/** The run that holds a row, by bisection. */
function firstRun({ runStart, runCount }: TableChunk, row: number): number {
  let low = 0
  let high = runCount - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((runStart[middle] ?? 0) <= row) low = middle
    else high = middle - 1
  }
  return low
}

/** 64-bit integers of numbers plus a base; the base is below 2^63 and the sum is exact by halves. */
function putIntegers(buffer: ColumnBuffer, slice: Slice, words: Uint32Array, stride: 2 | 4, base: bigint): void {
  const baseLow = Number(base & 0xffffffffn)
  const baseHigh = Number(base >> 32n)
  const { numbers } = buffer
  const put = (index: number, from: number, to: number): void => {
    const value = numbers[index] ?? NaN
    if (value !== value) return
    const upper = Math.floor(value / TWO_32)
    const lower = value - upper * TWO_32 + baseLow
    const carry = lower >= TWO_32 ? 1 : 0
    const low = lower - carry * TWO_32
    const high = upper + baseHigh + carry
    const sign = value < 0 && stride === 4 ? 0xffffffff : 0
    for (let at = from * stride; at < to * stride; at += stride) {
      words[at] = low
      words[at + 1] = high
      if (stride === 4) words[at + 2] = words[at + 3] = sign
    }
  }
  eachStretch(buffer, slice, put)
}

/** Prices and quantities, one a row: the hot loop of depth, written out. */
function putRowDecimals(numbers: Float64Array, { from, to }: Slice, words: Uint32Array): void {
  for (let row = from, at = 0; row < to; row++, at += 4) {
    const value = numbers[row] ?? NaN
    words[at] = value
    words[at + 1] = 0
    words[at + 2] = 0
    words[at + 3] = 0
    if (value >= 0 && value < TWO_32) continue
    const upper = Math.floor(value / TWO_32)
    words[at] = value - upper * TWO_32
    words[at + 1] = upper
    if (value < 0) words[at + 2] = words[at + 3] = 0xffffffff
  }
}

function putWideDecimals(buffer: ColumnBuffer, slice: Slice, words: Uint32Array): void {
  const pairs = new BigInt64Array(words.buffer)
  for (let row = slice.from; row < slice.to; row++) {
    if (buffer.isNullAt(row)) continue
    const value = buffer.wideAt(row)
    pairs[2 * (row - slice.from)] = BigInt.asIntN(64, value)
    pairs[2 * (row - slice.from) + 1] = value >> 64n
  }
}

function validity(buffer: ColumnBuffer, slice: Slice): Validity {
  if (!buffer.column.nullable) return { nullCount: 0 }
  const bitmap = new Uint8Array(Math.ceil((slice.to - slice.from) / 64) * 8)
  let nullCount = 0
  eachStretch(buffer, slice, (index, from, to) => {
    if (buffer.isNullAt(index)) nullCount += to - from
    else for (let row = from; row < to; row++) bitmap[row >> 3] = (bitmap[row >> 3] ?? 0) | (1 << (row & 7))
  })
  return nullCount === 0 ? { nullCount } : { nullCount, nullBitmap: bitmap }
}

function textData(buffer: ColumnBuffer, slice: Slice): Data {
  const valueOffsets = new Int32Array(slice.to - slice.from + 1)
  let total = 0
  eachStretch(buffer, slice, (index, from, to) => {
    const length = (buffer.start[index + 1] ?? 0) - (buffer.start[index] ?? 0)
    for (let row = from; row < to; row++) valueOffsets[row + 1] = total += length
  })
  const data = new Uint8Array(total)
  eachStretch(buffer, slice, (index, from, to) => {
    const text = buffer.textAt(index)
    for (let row = from; row < to; row++) data.set(text, valueOffsets[row] ?? 0)
  })
  return makeData({
    type: arrowType({ form: 'text' }), length: slice.to - slice.from, data, valueOffsets, ...validity(buffer, slice),
  } as Parameters<typeof makeData>[0])
}

function columnWords(buffer: ColumnBuffer, slice: Slice, scratch: Scratch): Uint32Array {
  const { column } = buffer
  const { type } = column
  const length = slice.to - slice.from
  if (type.form === 'timestamp') {
    const words = scratch.words(column, length * 2)
    putIntegers(buffer, slice, words, 2, BigInt(buffer.epochDay ?? slice.chunk.epochDay) * 86_400_000_000_000n)
    return words
  }
  if (type.form === 'decimal') {
    const words = scratch.words(column, length * 4)
    if (type.precision === 38) putWideDecimals(buffer, slice, words)
    else if (buffer.perRun || column.nullable) putIntegers(buffer, slice, words, 4, 0n)
    else putRowDecimals(buffer.numbers, slice, words)
    return words
  }
  const words = scratch.words(column, type.form === 'uint32' ? length : length * 2)
  if (type.form === 'uint32')
    eachStretch(buffer, slice, (index, from, to) => words.fill(buffer.numbers[index] ?? 0, from, to))
  else if (type.form === 'double') putDoubles(buffer, slice, words)
  else putIds(buffer, slice, words)
  return words
}

function putDoubles(buffer: ColumnBuffer, slice: Slice, words: Uint32Array): void {
  const doubles = new Float64Array(words.buffer)
  eachStretch(buffer, slice, (index, from, to) => {
    const value = buffer.numbers[index] ?? NaN
    doubles.fill(Number.isNaN(value) ? 0 : value, from, to)
  })
}

function putIds(buffer: ColumnBuffer, slice: Slice, words: Uint32Array): void {
  eachStretch(buffer, slice, (index, from, to) => {
    const low = buffer.low[index] ?? 0
    const high = buffer.high[index] ?? 0
    for (let at = 2 * from; at < 2 * to; at += 2) {
      words[at] = low
      words[at + 1] = high
    }
  })
}

/** Arrow wants typed arrays of the type's own element. */
function typedFor(
  buffer: ColumnBuffer, words: Uint32Array,
): Uint32Array | Float64Array | BigInt64Array | BigUint64Array {
  const { form } = buffer.column.type
  if (form === 'timestamp') return new BigInt64Array(words.buffer, 0, words.length / 2)
  if (form === 'double') return new Float64Array(words.buffer, 0, words.length / 2)
  return form === 'uint64' ? new BigUint64Array(words.buffer, 0, words.length / 2) : words
}

function columnData(buffer: ColumnBuffer, slice: Slice, scratch: Scratch): Data {
  const { type } = buffer.column
  const length = slice.to - slice.from
  if (type.form === 'text') return textData(buffer, slice)
  // The data are codes, 0 BID and 1 ASK.
  if (type.form === 'side')
    return makeData({
      type: SIDE_TYPE, length, data: new Int8Array(buffer.bytes.buffer, slice.from, length), dictionary: SIDE_TEXTS,
      ...validity(buffer, slice),
    })
  if (type.form === 'boolean') {
    const bitmap = new Uint8Array(Math.ceil(length / 64) * 8)
    eachStretch(buffer, slice, (index, from, to) => {
      if (buffer.bytes[index] !== 1) return
      for (let row = from; row < to; row++) bitmap[row >> 3] = (bitmap[row >> 3] ?? 0) | (1 << (row & 7))
    })
    return makeData({ type: arrowType(type), length, data: bitmap, ...validity(buffer, slice) } as Parameters<
      typeof makeData
    >[0])
  }
  const data = typedFor(buffer, columnWords(buffer, slice, scratch))
  return makeData({ type: arrowType(type), length, data, ...validity(buffer, slice) } as Parameters<typeof makeData>[0])
}

/**
 * Writes Arrow IPC, as a file (`arrow`) or a stream (`arrows`), uncompressed, so that readers can map it into memory.
 */
export class ArrowEncoder implements TableEncoder {
  private readonly schema: Schema
  private readonly writer: RecordBatchFileWriter | RecordBatchStreamWriter
  private readonly scratch = new Scratch()

  constructor(
    columns: readonly Column[], metadata: ReadonlyMap<string, string>, format: 'arrow' | 'arrows', sink: ByteSink,
  ) {
    // Timestamps are zone-less and mean UTC.
    this.schema = new Schema(
      columns.map(({ name, type, nullable }) => new Field(name, arrowType(type), nullable)), new Map(metadata),
    )
    this.writer = format === 'arrow' ? new RecordBatchFileWriter() : new RecordBatchStreamWriter()
    this.writer.reset(new SinkQueue(sink) as never, this.schema)
  }

  encode(chunk: TableChunk): void {
    for (let from = 0; from < chunk.rowCount; from += BATCH_ROWS) {
      const slice = { chunk, from, to: Math.min(chunk.rowCount, from + BATCH_ROWS) }
      // Column data are in the order of the schema.
      this.writer.write(new RecordBatch(this.schema, makeData({
        type: new Struct(this.schema.fields), length: slice.to - from, nullCount: 0,
        children: chunk.columns.map((buffer) => columnData(buffer, slice, this.scratch)),
      })))
    }
  }

  finish(late: ReadonlyMap<string, string> = new Map()): void {
    // The footer of a file states the schema once more; a stream has stated it at its begin.
    for (const [key, value] of late) this.schema.metadata.set(key, value)
    this.writer.finish()
  }
}
