import type { EventBatch } from '../../model/event-batch.js'
import { NS_PER_DAY } from '../../model/time.js'
import type { LineDecoderProgram } from './line-decoder-reader.js'
import type { LineDecoder } from './line-decoder.js'

/** Bytes at the start of the memory that belong to the program. */
export const PROGRAM_BYTES = 65_536

/** Why the program stopped. */
export const WASM_STATUS = { MORE: 0, FULL: 1, UNKNOWN: 2 } as const

// Addresses and words as in assembly/line-decoder.ts.
const STATE = 64
const COLUMNS = 2048
const WORD = {
  count: 0, rows: 1, tradeRows: 2, idBytes: 3, values: 4, texts: 5, lines: 6, status: 7, priceScale: 8,
  quantityScale: 9,
} as const
const LIMIT = { rows: 10, tradeRows: 11, idBytes: 12, events: 13, line: 14 } as const
const BLANKS = 15
const BASE_NS = 128
const PREFIX = 144
const PREFIX_MASK = 160
const PREFIX_LENGTH = 176

/** Columns in the order in which the program has their addresses. */
function columnsOf(batch: EventBatch): ArrayBufferView[] {
  const { previousEventId: previous, eventId: id, tradeId } = batch
  return [
    batch.kind, batch.flags, batch.adapterTimeNs, batch.exchangeTimeNs, previous.form, previous.high, previous.low,
    id.form, id.high, id.low, batch.rowStart, batch.tradeRowStart, batch.valueStart, batch.textStart, batch.side,
    batch.price, batch.quantity, batch.rowTimeNs, tradeId.start, tradeId.bytes, tradeId.isNull,
  ]
}

/** The WASM decoder of common lines, on the columns of a batch in its memory. */
export class WasmLineDecoder {
  readonly #program: LineDecoderProgram
  readonly #state: Uint32Array
  readonly #base: BigInt64Array
  #baseDay = NaN
  status = 0
  /** Lines decoded by the last `decode`. */
  lineCount = 0
  /** Empty lines passed by it. */
  blankCount = 0

  constructor(
    program: LineDecoderProgram, memory: WebAssembly.Memory, batch: EventBatch, instrumentId: number,
    lineLimitBytes: number,
  ) {
    this.#program = program
    this.#state = new Uint32Array(memory.buffer, STATE, 16)
    this.#base = new BigInt64Array(memory.buffer, BASE_NS, 1)
    program.initialize()
    const columns = columnsOf(batch)
    new Uint32Array(memory.buffer, COLUMNS, columns.length).set(columns.map((column) => column.byteOffset))
    const bytes = new Uint8Array(memory.buffer)
    const prefix = new TextEncoder().encode(`${String(instrumentId)},"`)
    // Instrument ids longer than the program compares never match: every line goes to the JavaScript decoder.
    const length = Math.min(prefix.length, 16)
    bytes.set(prefix.subarray(0, length), PREFIX)
    bytes.fill(0, PREFIX + length, PREFIX_MASK)
    bytes.fill(255, PREFIX_MASK, PREFIX_MASK + length)
    bytes.fill(0, PREFIX_MASK + length, PREFIX_LENGTH)
    new Uint32Array(memory.buffer, PREFIX_LENGTH, 1)[0] = prefix.length
    this.#state[LIMIT.line] = Math.min(lineLimitBytes, 0xffff_ffff)
  }

  /** Decodes from `at` as far as it can; where it stopped, with `status` and `lineCount`. */
  decode(lines: LineDecoder, at: number, end: number): number {
    const state = this.#state
    const { filler } = lines
    const { capacity } = filler
    if (lines.epochDay !== this.#baseDay) {
      this.#baseDay = lines.epochDay ?? 0
      this.#base[0] = BigInt(this.#baseDay) * BigInt(NS_PER_DAY)
    }
    state[WORD.count] = filler.count
    state[WORD.rows] = filler.rowCount
    state[WORD.tradeRows] = filler.tradeRowCount
    state[WORD.idBytes] = filler.tradeIdBytes
    state[WORD.values] = filler.valueCount
    state[WORD.texts] = filler.textCount
    state[WORD.lines] = 0
    state[WORD.priceScale] = lines.priceScale
    state[WORD.quantityScale] = lines.quantityScale
    state[LIMIT.rows] = capacity.rowCount
    state[LIMIT.tradeRows] = capacity.tradeRowCount
    state[LIMIT.idBytes] = capacity.tradeIdBytes
    state[LIMIT.events] = capacity.eventCount
    const stopped = this.#program.decode(at, end) >>> 0
    filler.count = state[WORD.count] ?? 0
    filler.rowCount = state[WORD.rows] ?? 0
    filler.tradeRowCount = state[WORD.tradeRows] ?? 0
    filler.tradeIdBytes = state[WORD.idBytes] ?? 0
    this.lineCount = state[WORD.lines] ?? 0
    this.blankCount = state[BLANKS] ?? 0
    this.status = state[WORD.status] ?? 0
    return stopped
  }
}
