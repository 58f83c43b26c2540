import { decimalDigits, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { ExactCell } from '../model/exact-cell.js'
import { epochDayFromNs, timeFromEpochNs } from '../model/time.js'
import { nearestDouble } from './nearest-doubles.js'
import { ColumnBuffer, type Column, type TableColumn, type TableValue } from './column.js'

/** The values of a column, made when they are read: one by one, or a stretch of rows into a buffer. */
export interface ColumnSource<Value = TableValue> {
  /** The value of a row. */
  at(row: number): Value
  /**
   * Puts the rows from `from` to before `to` to the places from 0 on, and returns the row before which it stopped:
   * times that lie too far from the first one do not fit into its chunk. Throws VALUE_INEXACT for what the column's
   * type does not hold.
   */
  put(buffer: ColumnBuffer, from: number, to: number): number
  /** Reads the value of a row of decimals. */
  readonly read?: (row: number, cell: ExactCell) => void
  /** Puts rows of decimals; false, and some of them are put, where the column's type does not hold one. */
  readonly tryPut?: (buffer: ColumnBuffer, from: number, to: number) => boolean
}

/** Rows that are looked at together. */
const LOOK_ROWS = 4096

/** A column whose values come from a source, as far as its readers look; all at once only where they ask for a list. */
export class MadeColumn implements TableColumn {
  readonly #source: ColumnSource
  readonly #firstRow: number
  #values: readonly TableValue[] | null = null

  /** Row 0 of the column is `firstRow` of the source. */
  constructor(
    { name, type, nullable }: Column, source: ColumnSource, readonly length: number, firstRow: number,
  ) {
    this.name = name
    this.type = type
    this.nullable = nullable
    this.#source = source
    this.#firstRow = firstRow
  }

  readonly name: string
  readonly type: Column['type']
  readonly nullable: boolean

  /** Every value, made when first asked for. */
  get values(): readonly TableValue[] {
    if (this.#values !== null) return this.#values
    const values: TableValue[] = []
    for (let row = 0; row < this.length; row++) values.push(this.at(row))
    return (this.#values = values)
  }

  /** The value of a row. */
  at(row: number): TableValue {
    return this.#source.at(this.#firstRow + row)
  }

  /** Puts rows as {@link ColumnSource.put} does. */
  put(buffer: ColumnBuffer, from: number, to: number): number {
    return this.#source.put(buffer, this.#firstRow + from, this.#firstRow + to) - this.#firstRow
  }

  /** True where the column's type holds every value; null where only their texts would tell. */
  isHeld(): boolean | null {
    const { tryPut } = this.#source
    if (tryPut === undefined) return null
    const buffer = new ColumnBuffer(this, false, Math.min(this.length, LOOK_ROWS))
    for (let from = 0; from < this.length; from += LOOK_ROWS) {
      const to = Math.min(this.length, from + LOOK_ROWS)
      if (!tryPut(buffer, this.#firstRow + from, this.#firstRow + to)) return false
    }
    return true
  }

  /** Reads the decimal of a row, or that of its text. */
  read(row: number, cell: ExactCell): void {
    const { read } = this.#source
    if (read !== undefined) read(this.#firstRow + row, cell)
    else readText(this.at(row), cell)
  }

  /** The nearest doubles of a column of decimals, or of their texts; NaN for null. */
  numbers(): Float64Array {
    const cell: ExactCell = { integer: NaN, scale: 0 }
    const doubles = new Float64Array(this.length)
    for (let row = 0; row < doubles.length; row++) {
      this.read(row, cell)
      doubles[row] = doubleOf(cell)
    }
    return doubles
  }
}

/** The double nearest to an exact cell. */
export function doubleOf({ integer, scale }: ExactCell): number {
  return typeof integer === 'number' ? nearestDouble(integer, scale) : Number(`${integer}e-${scale}`)
}

/** Null and what is no decimal are NaN. */
function readText(value: TableValue, cell: ExactCell): void {
  const parts = value === null ? null : decimalDigits(String(value))
  cell.integer = NaN
  cell.scale = Math.max(0, parts?.scale ?? 0)
  if (parts === null) return
  const integer = BigInt(`${parts.negative ? '-' : ''}${parts.digits}`) * 10n ** BigInt(Math.max(0, -parts.scale))
  const nearest = Number(integer)
  cell.integer = Number.isSafeInteger(nearest) ? nearest : integer
}

/** Timestamps of a column in one chunk lie this close together, so that they are exact as numbers from a midnight. */
export const CHUNK_SPAN_NS = 8_000_000_000_000_000

/** A source of values of any type, made one by one. */
export function valueSource<Value extends TableValue>(at: (row: number) => Value): ColumnSource<Value> {
  return {
    at,
    put: (buffer, from, to) => {
      if (buffer.column.type.form === 'timestamp') return putTimes(buffer, at, from, to)
      for (let row = from; row < to; row++) putValue(buffer, row - from, at(row))
      return to
    },
  }
}

function putTimes(buffer: ColumnBuffer, at: (row: number) => TableValue, from: number, to: number): number {
  let first: bigint | null = null
  buffer.epochDay = 0
  for (let row = from; row < to; row++) {
    const value = at(row)
    const time = value === null ? null : BigInt(value)
    if (time !== null && first === null) buffer.epochDay = epochDayFromNs(first = time)
    if (time !== null && first !== null && Math.abs(Number(time - first)) > CHUNK_SPAN_NS) return row
    buffer.numbers[row - from] = time === null ? NaN : timeFromEpochNs(time, buffer.epochDay)
  }
  return to
}

/** The least integer with more digits than a decimal of 38 holds. */
export const WIDE_LIMIT: bigint = 10n ** 38n

function inexact({ name }: Column, value: TableValue, wanted: string): BacktapeError {
  return new BacktapeError('VALUE_INEXACT', `Cannot write ${name} ${String(value)}: it does not fit ${wanted}`, {
    field: name, found: String(value).slice(0, 80),
  })
}

function wideInteger(column: Column, text: string, scale: number): bigint {
  const parts = decimalDigits(text)
  const zeros = parts === null ? -1 : scale - parts.scale
  if (parts === null || zeros < 0) throw inexact(column, text, `${String(scale)} decimals`)
  const magnitude = BigInt(parts.digits) * 10n ** BigInt(zeros)
  if (magnitude >= WIDE_LIMIT) throw inexact(column, text, '38 digits')
  return parts.negative ? -magnitude : magnitude
}

function putValue(buffer: ColumnBuffer, index: number, value: TableValue): void {
  const { column } = buffer
  const { type } = column
  switch (type.form) {
    case 'decimal':
      if (type.precision === 38)
        return buffer.putWide(index, value === null ? null : wideInteger(column, String(value), type.scale))
      buffer.numbers[index] = value === null ? NaN : (scaledFromText(String(value), type.scale) ?? NaN)
      if (value !== null && Number.isNaN(buffer.numbers[index]))
        throw inexact(column, value, `${String(type.scale)} decimals and 2^53`)
      return
    case 'uint64':
      buffer.isNull[index] = value === null ? 1 : 0
      buffer.high[index] = Number(BigInt(value ?? 0) >> 32n)
      buffer.low[index] = Number(BigInt(value ?? 0) & 0xffffffffn)
      return
    case 'text':
      return buffer.putString(index, value === null ? null : String(value))
    case 'boolean':
    case 'side':
      if (column.nullable) buffer.isNull[index] = value === null ? 1 : 0
      buffer.bytes[index] = value === true || value === 'ASK' ? 1 : 0
      return
    default:
      buffer.numbers[index] = value === null ? NaN : Number(value)
  }
}
