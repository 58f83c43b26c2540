import { decimalDigits, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { epochDayFromNs, timeFromEpochNs } from '../model/time.js'
import { ColumnBuffer, type TableChunk, type Column, type TableValue } from './column.js'
import { PackedColumn } from './packed-column.js'

/** A table in memory, as far as its chunks need it. */
export interface TableContent {
  readonly columns: readonly Column[]
  readonly rowCount: number
  column(name: string): readonly TableValue[]
}

/** The value of each row. */
type Cells = (row: number) => TableValue
const NO_CELLS: Cells = () => null

/** The values of a column; those of a packed one are not all made at once. */
function cellsOf(table: TableContent, column: Column): Cells {
  if (column instanceof PackedColumn) return (row) => column.at(row)
  const values = table.column(column.name)
  return (row) => values[row] ?? null
}

/** Rows of a chunk. */
const ROW_LIMIT = 65_536
/** Timestamps of a column in one chunk lie this close together, so that they are exact as numbers from a midnight. */
const SPAN_NS = 8_000_000_000_000_000n
const WIDE_LIMIT = 10n ** 38n

const encoder = new TextEncoder()

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

function put(buffer: ColumnBuffer, row: number, value: TableValue): void {
  const { column } = buffer
  const { type } = column
  switch (type.form) {
    case 'timestamp':
      buffer.numbers[row] = value === null ? NaN : timeFromEpochNs(BigInt(value), buffer.epochDay ?? 0)
      return
    case 'decimal':
      if (type.precision === 38)
        return buffer.putWide(row, value === null ? null : wideInteger(column, String(value), type.scale))
      buffer.numbers[row] = value === null ? NaN : (scaledFromText(String(value), type.scale) ?? NaN)
      if (value !== null && Number.isNaN(buffer.numbers[row]))
        throw inexact(column, value, `${String(type.scale)} decimals and 2^53`)
      return
    case 'uint64':
      buffer.isNull[row] = value === null ? 1 : 0
      buffer.high[row] = Number(BigInt(value ?? 0) >> 32n)
      buffer.low[row] = Number(BigInt(value ?? 0) & 0xffffffffn)
      return
    case 'text':
      return buffer.putText(row, value === null ? null : encoder.encode(String(value)))
    case 'boolean':
    case 'side':
      if (column.nullable) buffer.isNull[row] = value === null ? 1 : 0
      buffer.bytes[row] = value === true || value === 'ASK' ? 1 : 0
      return
    default:
      buffer.numbers[row] = value === null ? NaN : Number(value)
  }
}

/** The row at which a chunk from `from` on ends. */
function chunkEnd(times: readonly Cells[], from: number, rowCount: number): number {
  const first: (bigint | undefined)[] = times.map(() => undefined)
  const end = Math.min(rowCount, from + ROW_LIMIT)
  for (let row = from; row < end; row++) {
    for (const [i, values] of times.entries()) {
      const value = values(row)
      if (value === null) continue
      const time = BigInt(value)
      const distance = time - (first[i] ??= time)
      if (distance > SPAN_NS || distance < -SPAN_NS) return row
    }
  }
  return end
}

function firstDay(values: Cells, from: number, to: number): number {
  for (let row = from; row < to; row++) {
    const value = values(row)
    if (value !== null) return epochDayFromNs(BigInt(value))
  }
  return 0
}

/**
 * The rows of a table in memory as chunks for an encoder, in order; the columns of a chunk are used again by the next.
 * Throws VALUE_INEXACT for a decimal that its column's type does not hold.
 */
export function* tableChunks(table: TableContent): Generator<TableChunk> {
  const { columns, rowCount } = table
  const values = columns.map((column) => cellsOf(table, column))
  const times = values.filter((_, i) => columns[i]?.type.form === 'timestamp')
  const capacity = Math.min(rowCount, ROW_LIMIT)
  const buffers = columns.map((column) => new ColumnBuffer(column, false, capacity))
  const runStart = Uint32Array.from({ length: capacity + 1 }, (_, i) => i)
  for (let from = 0; from < rowCount; ) {
    const to = chunkEnd(times, from, rowCount)
    buffers.forEach((buffer, i) => {
      const own = values[i] ?? NO_CELLS
      if (buffer.column.type.form === 'timestamp') buffer.epochDay = firstDay(own, from, to)
      for (let row = from; row < to; row++) put(buffer, row - from, own(row))
    })
    yield { epochDay: 0, rowCount: to - from, runCount: to - from, runStart, columns: buffers }
    from = to
  }
}
