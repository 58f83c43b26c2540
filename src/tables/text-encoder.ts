import type { ColumnBuffer, TableChunk, ByteSink, TableEncoder, Column } from './column.js'
import { ByteWriter } from '../model/byte-writer.js'
import { isoFromTime, NS_PER_SECOND, epochNsFromTime } from '../model/time.js'
import type { TimeForm, TableForm } from './table-form.js'

const FLUSH_BYTES = 1_048_576
const SECONDS_PER_DAY = 86_400

/** Writes the cell of a place in a buffer. */
export type PutCell = (index: number) => void

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
  /** The writer of the cells of a column of a chunk: what its type asks for is decided here, once for all rows. */
  cellsOf(out: ByteWriter, buffer: ColumnBuffer, epochDay: number): PutCell
}

/** Writes rows as text in a layout; a cell that stands for a run of rows is rendered once. */
export class TextTableEncoder implements TableEncoder {
  private readonly out = new ByteWriter()
  /** The rendered cell of the current run, a column each. */
  private readonly cells: ByteWriter[]
  private isFirst = true

  constructor(private readonly layout: TextLayout, private readonly sink: ByteSink) {
    this.cells = layout.beforeCells.map(() => new ByteWriter(RUN_CELL_BYTES))
    this.out.piece(layout.begin)
  }

  encode({ columns, runStart, runCount, epochDay }: TableChunk): void {
    const { out, layout } = this
    const ofRuns: PutCell[] = []
    const puts = columns.map((buffer, i): PutCell => {
      const cell = this.cells[i]
      if (!buffer.perRun || cell === undefined) return layout.cellsOf(out, buffer, epochDay)
      const put = layout.cellsOf(cell, buffer, epochDay)
      ofRuns.push((run) => {
        cell.count = 0
        put(run)
      })
      return () => { out.range(cell.bytes, 0, cell.count) }
    })
    for (let run = 0; run < runCount; run++) {
      for (const put of ofRuns) put(run)
      for (let row = runStart[run] ?? 0, end = runStart[run + 1] ?? 0; row < end; row++) this.putRow(puts, row)
    }
  }

  finish(): void {
    this.out.piece(this.layout.end)
    this.drain()
  }

  private putRow(puts: readonly PutCell[], row: number): void {
    const { out, layout: { beforeCells, betweenRows, rowEnd } } = this
    if (!this.isFirst) putBytes(out, betweenRows)
    this.isFirst = false
    for (let i = 0; i < puts.length; i++) {
      putBytes(out, beforeCells[i] as Uint8Array)
      const put = puts[i] as PutCell
      put(row)
    }
    putBytes(out, rowEnd)
    if (out.count > FLUSH_BYTES) this.drain()
  }

  private drain(): void {
    this.sink(this.out.slice())
    this.out.count = 0
  }
}

function putBytes(out: ByteWriter, bytes: Uint8Array): void {
  if (bytes.length === 1) out.byte(bytes[0] as number)
  else if (bytes.length > 0) out.range(bytes, 0, bytes.length)
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

/** Writes a decimal with at least one digit behind its point, as {@link pointed} has it. */
function putPointed(out: ByteWriter, integer: number, scale: number): void {
  const from = out.count
  out.scaled(integer, scale)
  const { bytes } = out
  for (let at = out.count - 1; at > from; at--) if (bytes[at] === POINT) return
  out.text('.0')
}

function putShort(out: ByteWriter, integer: number, scale: number): void {
  out.scaled(integer, scale)
}

/** Writes the second of a time, and what it has of nanoseconds behind that. */
function putEpochNs(out: ByteWriter, timeNs: number, epochDay: number): void {
  const second = Math.floor(timeNs / NS_PER_SECOND)
  const epochSecond = epochDay * SECONDS_PER_DAY + second
  if (epochSecond <= 0) return out.text(String(epochNsFromTime(timeNs, epochDay)))
  out.integer(epochSecond)
  out.padded(timeNs - second * NS_PER_SECOND, 9)
}

/** Writes times as ISO-8601 with nanoseconds, as `isoFromTime` has them; those of one second share its text. */
function isoTimes(out: ByteWriter, epochDay: number): (timeNs: number) => void {
  let [second, text] = [NaN, '']
  return (timeNs) => {
    const own = Math.floor(timeNs / NS_PER_SECOND)
    if (own !== second) {
      second = own
      text = isoFromTime(own * NS_PER_SECOND, epochDay).slice(0, -10)
    }
    out.text(text)
    out.padded(timeNs - own * NS_PER_SECOND, 9)
    out.byte(UTC)
  }
}

/** The form of plain cells. */
interface CellForm {
  readonly times: TimeForm
  /** True where decimals have a point wherever their column may have one. */
  readonly isPointed: boolean
}

function decimalCells(
  out: ByteWriter, buffer: ColumnBuffer, precision: 18 | 38, scale: number, isPointed: boolean,
): PutCell {
  const { numbers, scales, pairs } = buffer
  const hasPoint = isPointed && scale > 0
  if (pairs.length > 0) {
    return (index) => {
      const text = wideText(buffer.wideAt(index), scale)
      out.text(hasPoint ? pointed(text) : text)
    }
  }
  const put = hasPoint ? putPointed : putShort
  if (precision === 18) return (index) => { put(out, numbers[index] as number, scale) }
  return (index) => {
    const own = scales[index] as number
    // Throws for more decimals than the column has.
    if (own > scale) buffer.wideAt(index)
    put(out, numbers[index] as number, own)
  }
}

/**
 * The writer of values that are neither null nor text: digits of every decimal; times as the form has them; the nearest
 * short text of a double.
 */
function plainCells(out: ByteWriter, buffer: ColumnBuffer, chunkDay: number, { times, isPointed }: CellForm): PutCell {
  const { column: { type }, numbers, bytes, high, low } = buffer
  switch (type.form) {
    case 'side': return (index) => { out.text(bytes[index] === 1 ? 'ASK' : 'BID') }
    case 'boolean': return (index) => { out.text(bytes[index] === 1 ? 'true' : 'false') }
    case 'uint64': return (index) => { out.integer64(high[index] as number, low[index] as number) }
    case 'decimal': return decimalCells(out, buffer, type.precision, type.scale, isPointed)
    case 'timestamp': {
      const epochDay = buffer.epochDay ?? chunkDay
      if (times === 'ns') return (index) => { putEpochNs(out, numbers[index] as number, epochDay) }
      const put = isoTimes(out, epochDay)
      return (index) => { put(numbers[index] as number) }
    }
    default: return (index) => { out.text(String(numbers[index])) }
  }
}

const POINT = 46
const COMMA = 44
const NEWLINE = 10
const RETURN = 13
const SPACE = 32
const QUOTE = 34
const BACKSLASH = 92
const TILDE = 126
const HASH = 35
const UTC = 90
/** Most cells of a run are shorter. */
const RUN_CELL_BYTES = 64

const encoder = new TextEncoder()

/** 1 for the bytes for which a cell is quoted. */
const IS_SPECIAL = new Uint8Array(256)
for (const byte of [COMMA, QUOTE, NEWLINE, RETURN, HASH]) IS_SPECIAL[byte] = 1

/** Text with commas, quotes, line ends or `#` is quoted; so is empty text, as an empty cell is a null. */
function putCsvText(out: ByteWriter, bytes: Uint8Array, from: number, to: number): void {
  out.reserve(to - from)
  const { bytes: own, count } = out
  let special = to > from ? 0 : 1
  let place = count
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    own[place++] = byte
    special |= IS_SPECIAL[byte] as number
  }
  if (special === 0) {
    out.count = place
    return
  }
  out.byte(QUOTE)
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) out.byte(QUOTE)
    out.byte(byte)
  }
  out.byte(QUOTE)
}

function csvCells(out: ByteWriter, buffer: ColumnBuffer, epochDay: number, times: TimeForm): PutCell {
  if (buffer.column.type.form === 'text') {
    const { bytes, start, isNull } = buffer
    return (index) => {
      if (isNull[index] !== 1) putCsvText(out, bytes, start[index] as number, start[index + 1] as number)
    }
  }
  const put = plainCells(out, buffer, epochDay, { times, isPointed: true })
  return (index) => { if (!buffer.isNullAt(index)) put(index) }
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
    cellsOf: (out, buffer, epochDay) => csvCells(out, buffer, epochDay, times),
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Numbers of JSON are doubles to most readers: what a double cannot hold stands as a string of its digits. */
function standsBare({ form }: Column['type']): boolean {
  return form === 'uint32' || form === 'double' || form === 'boolean'
}

/** Writes a text as JSON has it; printable ASCII but the quotation mark and the backslash stands as it is. */
function putJsonText(out: ByteWriter, bytes: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    if (byte < SPACE || byte > TILDE || byte === QUOTE || byte === BACKSLASH)
      return out.text(JSON.stringify(decoder.decode(bytes.subarray(from, to))))
  }
  out.byte(QUOTE)
  out.range(bytes, from, to)
  out.byte(QUOTE)
}

function jsonCells(out: ByteWriter, buffer: ColumnBuffer, epochDay: number, form: CellForm): PutCell {
  const { column: { type }, numbers } = buffer
  if (type.form === 'text') {
    const { bytes, start, isNull } = buffer
    return (index) => {
      if (isNull[index] === 1) out.text('null')
      else putJsonText(out, bytes, start[index] as number, start[index + 1] as number)
    }
  }
  const put = plainCells(out, buffer, epochDay, form)
  if (type.form === 'double') return (index) => {
    if (Number.isFinite(numbers[index])) put(index)
    else out.text('null')
  }
  const isBare = standsBare(type)
  return (index) => {
    if (buffer.isNullAt(index)) return out.text('null')
    if (!isBare) out.byte(QUOTE)
    put(index)
    if (!isBare) out.byte(QUOTE)
  }
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
    cellsOf: (out, buffer, epochDay) => jsonCells(out, buffer, epochDay, { times, isPointed: true }),
  }
}

/** The writer of cells of JSON with decimals in their shortest form and times as ISO-8601. */
export function shortJsonCells(out: ByteWriter, buffer: ColumnBuffer, epochDay: number): PutCell {
  return jsonCells(out, buffer, epochDay, { times: 'iso', isPointed: false })
}

/** JSON of rows alone, each an array of {@link shortJsonCells}, with commas between them. */
export function jsonArrayLayout(columns: readonly Column[]): TextLayout {
  return {
    begin: encoder.encode(''), end: encoder.encode(''), betweenRows: encoder.encode(','),
    beforeCells: columns.map((_, i) => encoder.encode(i === 0 ? '[' : ',')), rowEnd: encoder.encode(']'),
    cellsOf: shortJsonCells,
  }
}
