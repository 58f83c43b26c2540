import type { ColumnBuffer, TableChunk, ByteSink, TableEncoder, Column } from './column.js'
import { ByteWriter } from '../model/byte-writer.js'
import { textFromScaled } from '../model/decimal.js'
import { isoFromEpochNs, epochNsFromTime } from '../model/time.js'
import type { TimeForm, TableForm } from './table-form.js'

const FLUSH_BYTES = 1_048_576

/** The text around the cells of a text format. */
export interface TextLayout {
  /** Before everything, and behind everything. */
  readonly begin: Uint8Array
  readonly end: Uint8Array
  /** Before every row but the first. */
  readonly betweenRows: Uint8Array
  /** Before the cell of each column, and behind the last one. */
  readonly beforeCells: readonly Uint8Array[]
  readonly rowEnd: Uint8Array
  putCell(out: ByteWriter, buffer: ColumnBuffer, index: number, epochDay: number): void
}

/** Writes rows as text in a layout; a cell that stands for a run of rows is rendered once. */
export class TextTableEncoder implements TableEncoder {
  private readonly out = new ByteWriter()
  /** The rendered cell of the current run, a column each. */
  private readonly cells: ByteWriter[]
  private isFirst = true

  constructor(private readonly layout: TextLayout, private readonly sink: ByteSink) {
    this.cells = layout.beforeCells.map(() => new ByteWriter())
    this.out.piece(layout.begin)
  }

  encode(chunk: TableChunk): void {
    const { columns, runStart } = chunk
    for (let run = 0; run < chunk.runCount; run++) {
      columns.forEach((buffer, i) => {
        const cell = this.cells[i]
        if (cell === undefined || !buffer.perRun) return
        cell.count = 0
        this.layout.putCell(cell, buffer, run, chunk.epochDay)
      })
      for (let row = runStart[run] ?? 0, end = runStart[run + 1] ?? 0; row < end; row++) this.putRow(chunk, row)
      if (this.out.count > FLUSH_BYTES) this.drain()
    }
  }

  finish(): void {
    this.out.piece(this.layout.end)
    this.drain()
  }

  private putRow(chunk: TableChunk, row: number): void {
    const { out, layout } = this
    const { columns } = chunk
    if (!this.isFirst && layout.betweenRows.length > 0) out.piece(layout.betweenRows)
    this.isFirst = false
    for (let i = 0; i < columns.length; i++) {
      const before = layout.beforeCells[i]
      const buffer = columns[i]
      const cell = this.cells[i]
      if (before === undefined || buffer === undefined || cell === undefined) continue
      if (before.length === 1) out.byte(before[0] ?? 0)
      else if (before.length > 1) out.piece(before)
      if (buffer.perRun) out.piece(cell.slice())
      else layout.putCell(out, buffer, row, chunk.epochDay)
    }
    out.piece(layout.rowEnd)
    if (out.count > FLUSH_BYTES) this.drain()
  }

  private drain(): void {
    this.sink(this.out.slice())
    this.out.count = 0
  }
}

function wideText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : '.'}${fraction}`
}

/**
 * A decimal with at least one digit behind its point, so that readers that guess a column's type from its first rows
 * see no integers.
 */
export function pointed(text: string): string {
  return text.includes('.') ? text : `${text}.0`
}

/**
 * The text of a value that is neither null nor text itself: digits of every decimal, with a point wherever the column
 * may have one; times as the form has them; the nearest short text of a double.
 */
function cellText(buffer: ColumnBuffer, index: number, epochDay: number, times: TimeForm): string {
  const { type } = buffer.column
  if (type.form === 'side') return buffer.bytes[index] === 1 ? 'ASK' : 'BID'
  if (type.form === 'boolean') return buffer.bytes[index] === 1 ? 'true' : 'false'
  if (type.form === 'uint64') return String((BigInt(buffer.high[index] ?? 0) << 32n) | BigInt(buffer.low[index] ?? 0))
  const value = buffer.numbers[index] ?? 0
  if (type.form === 'timestamp') {
    const time = epochNsFromTime(value, buffer.epochDay ?? epochDay)
    return times === 'iso' ? isoFromEpochNs(time) : String(time)
  }
  if (type.form !== 'decimal') return String(value)
  const text = type.precision === 38 ? wideText(buffer.wideAt(index), type.scale) : textFromScaled(value, type.scale)
  return type.scale === 0 ? text : pointed(text)
}

const COMMA = 44
const NEWLINE = 10
const QUOTE = 34
const HASH = 35

const encoder = new TextEncoder()

/** Text with commas, quotes, line ends or `#` is quoted; so is empty text, as an empty cell is a null. */
function putCsvText(out: ByteWriter, text: Uint8Array): void {
  const plain =
    text.length > 0 &&
    text.every((byte) => byte !== COMMA && byte !== QUOTE && byte !== NEWLINE && byte !== 13 && byte !== HASH)
  if (plain) return out.piece(text)
  out.byte(QUOTE)
  for (const byte of text) {
    if (byte === QUOTE) out.byte(QUOTE)
    out.byte(byte)
  }
  out.byte(QUOTE)
}

/**
 * CSV: a header, `\n` line ends, exact decimals, times as the form has them, nulls as empty cells; above the header a
 * `#` line with the metadata as JSON where the form asks for it.
 */
export function csvLayout(
  columns: readonly Column[], metadata: ReadonlyMap<string, string>, form: TableForm,
): TextLayout {
  const { comment = false, times = 'ns' } = form
  const head = comment ? `# ${JSON.stringify(Object.fromEntries(metadata))}\n` : ''
  return {
    begin: encoder.encode(`${head}${columns.map((column) => column.name).join(',')}\n`),
    end: new Uint8Array(0),
    betweenRows: new Uint8Array(0),
    beforeCells: columns.map((_, i) => encoder.encode(i === 0 ? '' : ',')),
    rowEnd: Uint8Array.of(NEWLINE),
    putCell: (out, buffer, index, epochDay) => {
      if (buffer.isNullAt(index)) return
      if (buffer.column.type.form === 'text')
        putCsvText(out, buffer.textAt(index))
      else out.text(cellText(buffer, index, epochDay, times))
    },
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Numbers of JSON are doubles to most readers: what a double cannot hold stands as a string of its digits. */
function standsBare({ form }: Column['type']): boolean {
  return form === 'uint32' || form === 'double' || form === 'boolean'
}

function putJsonCell(
  out: ByteWriter, buffer: ColumnBuffer, index: number, epochDay: number, times: TimeForm,
): void {
  const { type } = buffer.column
  if (buffer.isNullAt(index)) return out.text('null')
  if (type.form === 'text') return out.text(JSON.stringify(decoder.decode(buffer.textAt(index))))
  const text = cellText(buffer, index, epochDay, times)
  if (!standsBare(type)) out.text(`"${text}"`)
  else out.text(type.form === 'double' && !Number.isFinite(buffer.numbers[index]) ? 'null' : text)
}

/**
 * JSON: `jsonl` is an object a line, `json` an array of such objects. Decimals, 64-bit ids and times in nanoseconds are
 * strings of their exact digits; counts and doubles are numbers; an empty value is null.
 */
export function jsonLayout(columns: readonly Column[], { format, times = 'ns' }: TableForm): TextLayout {
  const isArray = format === 'json'
  return {
    begin: encoder.encode(isArray ? '[\n' : ''),
    end: encoder.encode(isArray ? '\n]\n' : ''),
    betweenRows: encoder.encode(isArray ? ',\n' : ''),
    beforeCells: columns.map(({ name }, i) => encoder.encode(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)),
    rowEnd: encoder.encode(isArray ? '}' : '}\n'),
    putCell: (out, buffer, index, epochDay) => { putJsonCell(out, buffer, index, epochDay, times) },
  }
}
