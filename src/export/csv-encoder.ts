import { textFromScaled } from '../model/decimal.js'
import { epochNsFromTime } from '../model/time.js'
import type { ColumnBuffer, TableChunk } from './column-buffer.js'
import type { Column } from './column.js'
import { wideDecimal } from './parquet-column.js'
import { ByteBuffer } from './parquet-values.js'
import type { ByteSink, TableEncoder } from './table-encoder.js'

const FLUSH_BYTES = 1_048_576
const COMMA = 44
const NEWLINE = 10
const QUOTE = 34
const HASH = 35

const encoder = new TextEncoder()

function putAscii(out: ByteBuffer, text: string): void {
  out.reserve(text.length)
  const { bytes } = out
  let { length } = out
  for (let i = 0; i < text.length; i++) bytes[length++] = text.charCodeAt(i)
  out.length = length
}

/** Text with commas, quotes, line ends or `#` is quoted; so is empty text, as an empty cell is a null. */
function putText(out: ByteBuffer, text: Uint8Array): void {
  const plain = text.length > 0 && text.every((byte) => byte !== COMMA && byte !== QUOTE && byte !== NEWLINE && byte !== 13 && byte !== HASH)
  if (plain) return out.append(text)
  out.put(QUOTE)
  for (const byte of text) {
    if (byte === QUOTE) out.put(QUOTE)
    out.put(byte)
  }
  out.put(QUOTE)
}

function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}${fraction === '' ? '' : '.'}${fraction}`
}

function putCell(out: ByteBuffer, buffer: ColumnBuffer, index: number, epochDay: number): void {
  const { type } = buffer.column
  if (type.form === 'side') return putAscii(out, buffer.bytes[index] === 1 ? 'ASK' : 'BID')
  if (type.form === 'boolean') return putAscii(out, buffer.bytes[index] === 1 ? 'true' : 'false')
  if (buffer.isNullAt(index)) return
  if (type.form === 'text') return putText(out, buffer.bytes.subarray(buffer.start[index] ?? 0, buffer.start[index + 1] ?? 0))
  if (type.form === 'uint64') return putAscii(out, String((BigInt(buffer.high[index] ?? 0) << 32n) | BigInt(buffer.low[index] ?? 0)))
  const value = buffer.numbers[index] ?? 0
  if (type.form === 'timestamp') return putAscii(out, String(epochNsFromTime(value, epochDay)))
  if (type.form !== 'decimal') return putAscii(out, String(value))
  putAscii(out, type.precision === 38 ? decimalText(wideDecimal(buffer, index, type.scale), type.scale) : textFromScaled(value, type.scale))
}

/**
 * Writes CSV: a `#` line with the metadata as JSON, a header, `\n` line ends; decimals in shortest plain form, times as integer
 * nanoseconds, nulls as empty cells.
 */
export class CsvEncoder implements TableEncoder {
  private readonly out = new ByteBuffer()
  private readonly sink: ByteSink
  /** The rendered cell of the current run, a column each. */
  private readonly cells: ByteBuffer[]

  constructor(columns: readonly Column[], metadata: ReadonlyMap<string, string>, sink: ByteSink) {
    this.sink = sink
    this.cells = columns.map(() => new ByteBuffer())
    this.out.append(encoder.encode(`# ${JSON.stringify(Object.fromEntries(metadata))}\n${columns.map((column) => column.name).join(',')}\n`))
  }

  encode(chunk: TableChunk): void {
    const { columns, runStart } = chunk
    for (let run = 0; run < chunk.runCount; run++) {
      columns.forEach((buffer, i) => {
        const cell = this.cells[i]
        if (cell === undefined || !buffer.perRun) return
        cell.length = 0
        putCell(cell, buffer, run, chunk.epochDay)
      })
      for (let row = runStart[run] ?? 0, end = runStart[run + 1] ?? 0; row < end; row++) this.putRow(chunk, row)
      if (this.out.length > FLUSH_BYTES) this.drain()
    }
  }

  finish(): void {
    this.drain()
  }

  private putRow(chunk: TableChunk, row: number): void {
    const { out } = this
    const { columns } = chunk
    for (let i = 0; i < columns.length; i++) {
      if (i > 0) out.put(COMMA)
      const buffer = columns[i]
      const cell = this.cells[i]
      if (buffer === undefined || cell === undefined) continue
      if (buffer.perRun) out.append(cell.result())
      else putCell(out, buffer, row, chunk.epochDay)
    }
    out.put(NEWLINE)
    if (out.length > FLUSH_BYTES) this.drain()
  }

  private drain(): void {
    this.sink(this.out.result())
    this.out.length = 0
  }
}
