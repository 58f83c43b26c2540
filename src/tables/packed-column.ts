import { plainDecimal, textFromScaled } from '../model/decimal.js'
import {
  type Column, type ColumnBuffer, grown, type TableChunk, type TableColumn, type TableValue,
} from './column.js'
import { nearestDouble, putNearestDoubles } from './nearest-doubles.js'

/** The integer that stands for a missing time in columns of times: NaT of numpy. */
export const NO_TIME_NS: bigint = -(2n ** 63n)

const decoder = new TextDecoder()
const NULL_CODE = 2

/** Calls back with the place in a buffer of every row of its chunk. */
function eachRow(
  { perRun }: ColumnBuffer, { rowCount, runCount, runStart }: TableChunk, put: (at: number) => void,
): void {
  if (!perRun) {
    for (let row = 0; row < rowCount; row++) put(row)
    return
  }
  for (let run = 0; run < runCount; run++)
    for (let row = runStart[run] ?? 0, end = runStart[run + 1] ?? 0; row < end; row++) put(run)
}

/** A number as `numbers` of a table states it: sides are 1 for BID and -1 for ASK, booleans 1 and 0, null is NaN. */
export function numberOfValue({ type, name }: Column, value: TableValue): number {
  if (type.form === 'text' || type.form === 'timestamp') {
    const words = type.form === 'text' ? 'texts: column() has them' : 'times: timesNs() has them exactly'
    throw new RangeError(`column ${name} holds ${words}`)
  }
  if (value === null) return NaN
  if (type.form === 'side') return value === 'BID' ? 1 : -1
  return Number(value)
}

/**
 * A column in typed arrays, which takes about a tenth of the memory of its values; those are made when first asked for.
 */
export abstract class PackedColumn implements TableColumn {
  readonly name: string
  readonly type: Column['type']
  readonly nullable: boolean
  /** Number of values so far. */
  length = 0
  private list: readonly TableValue[] | null = null
  private doubles: Float64Array | null = null

  constructor(protected readonly column: Column) {
    this.name = column.name
    this.type = column.type
    this.nullable = column.nullable
  }

  /** Every value, made when first asked for. */
  get values(): readonly TableValue[] {
    return (this.list ??= Array.from({ length: this.length }, (_, row) => this.at(row)))
  }

  /** The value of a row. */
  abstract at(row: number): TableValue

  /** Appends the rows of a chunk. */
  append(buffer: ColumnBuffer, chunk: TableChunk): void {
    this.reserve(this.length + chunk.rowCount)
    this.put(buffer, chunk)
  }

  /** The values as doubles, as `numberOfValue` has them. */
  numbers(): Float64Array {
    return (this.doubles ??= this.toNumbers())
  }

  protected abstract reserve(count: number): void
  protected abstract put(buffer: ColumnBuffer, chunk: TableChunk): void

  protected toNumbers(): Float64Array {
    return Float64Array.from({ length: this.length }, (_, row) => numberOfValue(this.column, this.at(row)))
  }
}

/** Room for twice as much where an array is too short. */
function roomier<T extends Float64Array | Uint32Array | Uint8Array | BigInt64Array | BigUint64Array>(
  array: T, count: number,
): T {
  return array.length >= count ? array : grown(array, Math.max(count, 2 * array.length))
}

/** Rows that are appended at once: their values without nulls, and which rows have one (1); null: all. */
export interface PackedRows<Values> {
  readonly values: Values
  readonly present: Uint8Array | null
  readonly rowCount: number
}

/** Writes rows into a column from row `from` on, nulls as `none`. */
function putRows(
  target: Float64Array | Uint8Array, from: number,
  { values, present, rowCount }: PackedRows<Float64Array | Int32Array | Uint32Array | Uint8Array>, none: number,
): void {
  if (present === null) target.set(values, from)
  else
    for (let row = 0, at = 0; row < rowCount; row++)
      target[from + row] = present[row] === 1 ? (values[at++] ?? none) : none
}

/** Epoch nanoseconds. */
export class PackedTimes extends PackedColumn {
  private times = new BigInt64Array(0)

  push(timeNs: bigint | null): void {
    this.reserve(this.length + 1)
    this.times[this.length++] = timeNs ?? NO_TIME_NS
  }

  pushAll({ values, present, rowCount }: PackedRows<BigInt64Array>): void {
    this.reserve(this.length + rowCount)
    const { times, length } = this
    if (present === null) times.set(values, length)
    else
      for (let row = 0, at = 0; row < rowCount; row++)
        times[length + row] = present[row] === 1 ? (values[at++] ?? NO_TIME_NS) : NO_TIME_NS
    this.length += rowCount
  }

  override at(row: number): TableValue {
    const time = this.times[row] ?? NO_TIME_NS
    return time === NO_TIME_NS ? null : time
  }

  timesNs(): BigInt64Array {
    return this.times.subarray(0, this.length)
  }

  protected override reserve(count: number): void {
    this.times = roomier(this.times, count)
  }

  protected override put(buffer: ColumnBuffer, chunk: TableChunk): void {
    const base = BigInt(buffer.epochDay ?? chunk.epochDay) * 86_400_000_000_000n
    const { numbers } = buffer
    eachRow(buffer, chunk, (at) => {
      const time = numbers[at] ?? NaN
      this.times[this.length++] = Number.isNaN(time) ? NO_TIME_NS : base + BigInt(time)
    })
  }
}

/** Doubles and 32-bit counts; decimals too, as the nearest doubles. NaN is null. */
export class PackedNumbers extends PackedColumn {
  private kept = new Float64Array(0)
  private nearest = new Float64Array(0)

  push(value: number | null): void {
    this.reserve(this.length + 1)
    this.kept[this.length++] = value ?? NaN
  }

  pushAll(rows: PackedRows<Float64Array | Uint32Array>): void {
    this.reserve(this.length + rows.rowCount)
    putRows(this.kept, this.length, rows, NaN)
    this.length += rows.rowCount
  }

  override at(row: number): TableValue {
    const value = this.kept[row] ?? NaN
    return Number.isNaN(value) ? null : value
  }

  protected override toNumbers(): Float64Array {
    return this.kept.subarray(0, this.length)
  }

  protected override reserve(count: number): void {
    this.kept = roomier(this.kept, count)
  }

  protected override put(buffer: ColumnBuffer, chunk: TableChunk): void {
    let { numbers } = buffer
    if (buffer.column.type.form === 'decimal') {
      const count = buffer.perRun ? chunk.runCount : chunk.rowCount
      numbers = this.nearest = roomier(this.nearest, count)
      putNearestDoubles(buffer, count, numbers)
    }
    eachRow(buffer, chunk, (at) => { this.kept[this.length++] = numbers[at] ?? NaN })
  }
}

/** Decimals of up to 2^53 without their point, as integers at the column's scale. */
export class PackedDecimals extends PackedColumn {
  private integers = new Float64Array(0)

  push(integer: number | null): void {
    this.reserve(this.length + 1)
    this.integers[this.length++] = integer ?? NaN
  }

  /** Appends safe integers. */
  pushAll(rows: PackedRows<Float64Array | Int32Array>): void {
    this.reserve(this.length + rows.rowCount)
    putRows(this.integers, this.length, rows, NaN)
    this.length += rows.rowCount
  }

  /** The integer of a row at the column's scale; NaN for null. */
  integerAt(row: number): number {
    return this.integers[row] ?? NaN
  }

  override at(row: number): TableValue {
    const integer = this.integerAt(row)
    return Number.isNaN(integer) ? null : textFromScaled(integer, this.scale)
  }

  protected override toNumbers(): Float64Array {
    const { scale } = this
    return this.integers.subarray(0, this.length).map((integer) => nearestDouble(integer, scale))
  }

  protected override reserve(count: number): void {
    this.integers = roomier(this.integers, count)
  }

  protected override put(buffer: ColumnBuffer, chunk: TableChunk): void {
    const { numbers } = buffer
    eachRow(buffer, chunk, (at) => { this.integers[this.length++] = numbers[at] ?? NaN })
  }

  private get scale(): number {
    return this.type.form === 'decimal' ? this.type.scale : 0
  }
}

/** Decimals of up to 38 digits: their two halves of 64 bits. */
export class PackedWideDecimals extends PackedColumn {
  private pairs = new BigInt64Array(0)
  private isNull = new Uint8Array(0)

  push(integer: bigint | null): void {
    this.reserve(this.length + 1)
    this.pairs[2 * this.length] = BigInt.asIntN(64, integer ?? 0n)
    this.pairs[2 * this.length + 1] = (integer ?? 0n) >> 64n
    this.isNull[this.length++] = integer === null ? 1 : 0
  }

  override at(row: number): TableValue {
    if (this.isNull[row] !== 0) return null
    const integer = ((this.pairs[2 * row + 1] ?? 0n) << 64n) | BigInt.asUintN(64, this.pairs[2 * row] ?? 0n)
    return plainDecimal(`${String(integer)}e-${String(this.type.form === 'decimal' ? this.type.scale : 0)}`)
  }

  protected override reserve(count: number): void {
    this.pairs = roomier(this.pairs, 2 * count)
    this.isNull = roomier(this.isNull, count)
  }

  protected override put(buffer: ColumnBuffer, chunk: TableChunk): void {
    eachRow(buffer, chunk, (at) => { this.push(buffer.isNullAt(at) ? null : buffer.wideAt(at)) })
  }
}

/** Unsigned integers of 64 bits. */
export class PackedIds extends PackedColumn {
  private ids = new BigUint64Array(0)
  private isNull = new Uint8Array(0)

  push(id: bigint | null): void {
    this.reserve(this.length + 1)
    this.isNull[this.length] = id === null ? 1 : 0
    this.ids[this.length++] = id ?? 0n
  }

  /** Appends ids of 64 bits. */
  pushAll({ values, present, rowCount }: PackedRows<BigUint64Array>): void {
    this.reserve(this.length + rowCount)
    const { ids, isNull, length } = this
    if (present === null) ids.set(values, length)
    else
      for (let row = 0, at = 0; row < rowCount; row++) {
        isNull[length + row] = 1 - (present[row] ?? 0)
        if (present[row] === 1) ids[length + row] = values[at++] ?? 0n
      }
    this.length += rowCount
  }

  override at(row: number): TableValue {
    return this.isNull[row] === 0 ? (this.ids[row] ?? null) : null
  }

  protected override reserve(count: number): void {
    this.ids = roomier(this.ids, count)
    this.isNull = roomier(this.isNull, count)
  }

  protected override put(buffer: ColumnBuffer, chunk: TableChunk): void {
    const { low, high, isNull } = buffer
    const words = new Uint32Array(this.ids.buffer)
    eachRow(buffer, chunk, (at) => {
      this.isNull[this.length] = isNull[at] ?? 0
      words[2 * this.length] = low[at] ?? 0
      words[2 * this.length++ + 1] = high[at] ?? 0
    })
  }
}

/** Sides and booleans. */
export class PackedCodes extends PackedColumn {
  private codes = new Uint8Array(0)

  /** `true` for ASK. */
  push(flag: boolean | null): void {
    this.reserve(this.length + 1)
    this.codes[this.length++] = flag === null ? NULL_CODE : flag ? 1 : 0
  }

  /** Appends codes: 1 for true or ASK, else 0. */
  pushAll(rows: PackedRows<Uint8Array>): void {
    this.reserve(this.length + rows.rowCount)
    putRows(this.codes, this.length, rows, NULL_CODE)
    this.length += rows.rowCount
  }

  override at(row: number): TableValue {
    const code = this.codes[row] ?? NULL_CODE
    if (code === NULL_CODE) return null
    if (this.type.form === 'boolean') return code === 1
    return code === 1 ? 'ASK' : 'BID'
  }

  protected override reserve(count: number): void {
    this.codes = roomier(this.codes, count)
  }

  protected override put(buffer: ColumnBuffer, chunk: TableChunk): void {
    const { bytes, isNull } = buffer
    eachRow(buffer, chunk, (at) => { this.codes[this.length++] = isNull[at] === 1 ? NULL_CODE : (bytes[at] ?? 0) })
  }
}

/** Texts in UTF-8. */
export class PackedTexts extends PackedColumn {
  private bytes = new Uint8Array(0)
  private ends = new Float64Array(0)
  private isNull = new Uint8Array(0)

  push(text: Uint8Array | null): void {
    this.reserve(this.length + 1)
    const from = this.startOf(this.length)
    const end = from + (text?.length ?? 0)
    this.bytes = roomier(this.bytes, end)
    if (text !== null) this.bytes.set(text, from)
    this.isNull[this.length] = text === null ? 1 : 0
    this.ends[this.length++] = end
  }

  override at(row: number): TableValue {
    if (this.isNull[row] !== 0) return null
    return decoder.decode(this.bytes.subarray(this.startOf(row), this.ends[row] ?? 0))
  }

  protected override reserve(count: number): void {
    this.ends = roomier(this.ends, count)
    this.isNull = roomier(this.isNull, count)
  }

  protected override put(buffer: ColumnBuffer, chunk: TableChunk): void {
    eachRow(buffer, chunk, (at) => { this.push(buffer.isNullAt(at) ? null : buffer.textAt(at)) })
  }

  private startOf(row: number): number {
    return row === 0 ? 0 : (this.ends[row - 1] ?? 0)
  }
}

/** An empty column of a type. Decimals have their form by the type: 18 digits, or 38. */
export function packedColumn(column: Column): PackedColumn {
  switch (column.type.form) {
    case 'timestamp': return new PackedTimes(column)
    case 'decimal': return column.type.precision === 38 ? new PackedWideDecimals(column) : new PackedDecimals(column)
    case 'uint64': return new PackedIds(column)
    case 'text': return new PackedTexts(column)
    case 'boolean':
    case 'side': return new PackedCodes(column)
    default: return new PackedNumbers(column)
  }
}
