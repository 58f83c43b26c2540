import { createBatch, type BatchCapacity, type WritableBatch } from '../../model/event-batch-columns.js'
import type { BacktapeError } from '../../model/error.js'
import { LineFault } from './line-cursor.js'
import { countDamage, errorFromFault, errorOfLongLine } from './line-damage.js'
import type { LineDecoder } from './line-decoder.js'
import { LINE_OUTCOMES } from './line-outcomes.js'
import type { CountingSummary } from './reading.js'
import type { FarLine } from './settled-batches.js'
import type { TextLines } from './text-lines.js'
import { WASM_STATUS, type WasmLineDecoder } from './wasm-line-decoder.js'

/** `[` */
const LINE_BEGIN = 0x5b
const SPACE = 32

/** The parts of a decoder of text. */
export interface TickTextParts {
  readonly fileName: string
  readonly text: TextLines
  readonly lines: LineDecoder
  /** Null: the JavaScript decoder does every line. */
  readonly wasm: WasmLineDecoder | null
  readonly summary: CountingSummary
  readonly lineLimitBytes: number
  readonly isCounting: boolean
}

/** Turns fed text into batches: WASM where it knows a line, the complete decoder for the rest. */
export class TickTextDecoder {
  readonly #parts: TickTextParts
  readonly #main: WritableBatch
  readonly #capacity: BatchCapacity
  /** Lines of the batch whose adapter time is of another year: infinite in its column. */
  readonly farLines: FarLine[] = []
  /** Lines of the events of the batch, and the line that follows on the last of them. */
  #lines: (readonly [index: number, line: number])[] = []
  #nextLine = NaN
  /** The first bad line, where bad lines end the reading. */
  failure: BacktapeError | null = null

  constructor(parts: TickTextParts) {
    this.#parts = parts
    this.#main = parts.lines.filler.batch
    this.#capacity = parts.lines.filler.capacity
    parts.lines.keepsFarLines = true
  }

  /** Decodes until a batch is ready (true), or more text is needed or a bad line ends it all (false). */
  advance(): boolean {
    const { text, lines, wasm, lineLimitBytes } = this.#parts
    while (this.failure === null) {
      const { region } = text
      if (region.at >= region.end) {
        if (text.takeNext()) continue
        return false
      }
      if (lines.filler.count >= lines.filler.capacity.eventCount) return true
      if (
        wasm !== null &&
        lines.epochDay !== null &&
        lines.filler.batch === this.#main &&
        region.bytes.buffer instanceof SharedArrayBuffer
      ) {
        this.#decodeCommon(wasm)
        if (wasm.status === WASM_STATUS.FULL) return true
        if (region.at >= region.end) continue
        // What the program does not know may be the rest of a slot: a fault to find that out costs more than a look for
        // its end.
        if (region.bytes[region.at] === LINE_BEGIN && region.end - region.at <= lineLimitBytes && text.newline() < 0)
          return false
      }
      const first = region.bytes[region.at] ?? 0
      if (first <= SPACE && text.passBlankLines()) continue
      const outcome = this.#decodeOne()
      if (outcome === 'full') return true
      if (outcome === 'partial' && !text.takeNext()) return false
    }
    return false
  }

  #decodeCommon(wasm: WasmLineDecoder): void {
    const { text, lines, summary } = this.#parts
    const { region } = text
    const { count } = lines.filler
    region.at = wasm.decode(lines, region.at, region.end)
    if (wasm.lineCount > 0) this.#noteLines(count, text.lineNumber, wasm.lineCount)
    text.lineNumber += wasm.lineCount + wasm.blankCount
    summary.lineCount += wasm.lineCount
  }

  #decodeOne(): 'next' | 'full' | 'partial' {
    const { text, lines, summary, lineLimitBytes } = this.#parts
    const { bytes, at, end } = text.region
    try {
      const outcome = lines.decode(bytes, at, Math.min(end, at + lineLimitBytes + 1))
      if (outcome === LINE_OUTCOMES.FULL || outcome === LINE_OUTCOMES.WIDER) return this.#makeRoom(outcome)
      if (outcome !== LINE_OUTCOMES.BLANK) summary.lineCount++
      if (outcome === LINE_OUTCOMES.UNKNOWN)
        summary.unknownTypes.set(lines.unknownType, (summary.unknownTypes.get(lines.unknownType) ?? 0) + 1)
      else if (outcome === LINE_OUTCOMES.EVENT) this.#noteEvent()
      text.moveTo(lines.cursor.at)
      return 'next'
    } catch (fault) {
      if (!(fault instanceof LineFault)) throw fault
      const newline = text.newline()
      if (newline < 0) return 'partial'
      this.#meetDamage(fault, newline)
      return 'next'
    }
  }

  /** Notes that events from `index` on stand in as many lines from `line` on. */
  #noteLines(index: number, line: number, count: number): void {
    if (index === 0 || line !== this.#nextLine) this.#lines.push([index, line])
    this.#nextLine = line + count
  }

  /** Counts the times of another year in the line that was decoded last, and notes its number. */
  #noteEvent(): void {
    const { text, lines, summary, fileName } = this.#parts
    this.#noteLines(lines.filler.count - 1, text.lineNumber, 1)
    summary.farTimeCount += lines.farTimeCount
    if (lines.farLine === null) return
    const place = { file: fileName, line: text.lineNumber, base: text.region.base }
    this.farLines.push({ index: lines.filler.count - 1, error: errorFromFault(lines.farLine, lines.cursor, place) })
  }

  /** The line needs an empty batch, a larger one, or wider scales; then it is decoded again. */
  #makeRoom(outcome: number): 'next' | 'full' {
    const { lines } = this.#parts
    const { filler } = lines
    if (outcome === LINE_OUTCOMES.FULL) {
      const needed = filler.needed()
      filler.rewind()
      if (filler.count > 0) return 'full'
      this.#takeLargeBatch(needed)
      return 'next'
    }
    if (filler.count > 0) return 'full'
    lines.priceScale = lines.widerScales.price
    lines.quantityScale = lines.widerScales.quantity
    return 'next'
  }

  /** A batch of its own for one event that exceeds the ordinary columns. */
  #takeLargeBatch(needed: BatchCapacity): void {
    const { filler } = this.#parts.lines
    const capacity = { ...needed, eventCount: 1 }
    filler.start(createBatch({ instrument: this.#main.instrument, epochDay: 0, capacity }), capacity)
  }

  #meetDamage(fault: LineFault, newline: number): void {
    const { text, lines, fileName, lineLimitBytes } = this.#parts
    const { at, base } = text.region
    const { cursor } = lines
    cursor.end = newline
    const isLong = newline - at > lineLimitBytes
    const error = isLong
      ? errorOfLongLine(lineLimitBytes, fileName, text.lineNumber, text.offset)
      : errorFromFault(fault, cursor, { file: fileName, line: text.lineNumber, base })
    this.#count(error)
    text.moveTo(newline + 1)
  }

  /** A line beyond the limit was met while text was carried over. */
  meetLongLine(byteOffset: number): void {
    const { text, fileName, lineLimitBytes } = this.#parts
    this.#count(errorOfLongLine(lineLimitBytes, fileName, text.lineNumber, byteOffset))
  }

  #count(error: BacktapeError): void {
    const { summary, isCounting } = this.#parts
    if (!isCounting) {
      this.failure = error
      return
    }
    summary.lineCount++
    countDamage(summary, error)
  }

  /** The batch as far as it is filled, or null where it is empty. Valid until `recycle`. */
  take(): WritableBatch | null {
    const { lines } = this.#parts
    const { batch, count } = lines.filler
    if (count === 0) return null
    batch.epochDay = lines.epochDay ?? 0
    batch.priceScale = lines.priceScale
    batch.quantityScale = lines.quantityScale
    batch.wide = lines.filler.wide
    batch.lines = this.#lines
    batch.count = count
    return batch
  }

  /** The batch taken is no longer needed. */
  recycle(): void {
    this.#parts.lines.filler.start(this.#main, this.#capacity)
    this.farLines.length = 0
    this.#lines = []
  }
}
