import { closing } from '../model/closing.js'
import { BATCH_CAPACITY } from '../model/event-batch-columns.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { epochDayFromText } from '../model/time.js'
import { BatchFiller } from './lines/batch-filler.js'
import { epochDayFromFileName } from './archive/file-day.js'
import { errorOfLongLine } from './lines/line-damage.js'
import { readLineDecoder } from './lines/line-decoder-reader.js'
import { LineDecoder } from './lines/line-decoder.js'
import { masterDataFromLine, readingScales, type MasterData } from './lines/master-data.js'
import { checkReadOptions } from './lines/read-option-check.js'
import { emptySummary, type CountingSummary, type Reading } from './lines/reading.js'
import { SettledBatches } from './lines/settled-batches.js'
import { TextLines } from './lines/text-lines.js'
import {
  createReadingBatch, HEADROOM_BYTES, returnTextMemory, takeTextMemory, type TextMemory,
} from './lines/text-memory.js'
import { openTextStream, type TextStream } from './zstd/text-stream.js'
import type { TickSource } from './archive/tick-source.js'
import { TickTextDecoder } from './lines/tick-text-decoder.js'
import { WasmLineDecoder } from './lines/wasm-line-decoder.js'
import type { ReadOptions } from './archive/read-options.js'

/** Longest line accepted by default. */
const LINE_LIMIT_BYTES = 16_777_216
/** Largest zstd window accepted by default. */
const WINDOW_LIMIT_BYTES = 134_217_728

/** Text of one source on its way into {@link TextLines}. */
class TextFlow {
  readonly text: TextLines
  private held = -1

  constructor(private readonly stream: TextStream, private readonly memory: TextMemory, lineLimitBytes: number) {
    this.text = new TextLines(lineLimitBytes, HEADROOM_BYTES)
  }

  get compressedBytes(): number {
    return this.stream.compressedBytes
  }

  /** Feeds the next slot; false at the end. The region's rest must have been carried. */
  async feed(): Promise<boolean> {
    if (this.held >= 0) this.stream.release(this.held)
    this.held = -1
    const filled = await this.stream.next()
    if (filled === null) return false
    this.held = filled.slot
    this.text.feed(this.memory.bytes, this.memory.slots.offsets[filled.slot] ?? 0, filled.lengthBytes)
    return true
  }

  /** Passes over the rest of the text. */
  async drain(): Promise<void> {
    if (this.held >= 0) this.stream.release(this.held)
    this.held = -1
    for (let filled = await this.stream.next(); filled !== null; filled = await this.stream.next())
      this.stream.release(filled.slot)
  }

  close(): Promise<void> {
    return this.stream.close()
  }
}

function dayOf(source: TickSource, day: string | undefined): number | null {
  if (day === undefined) return epochDayFromFileName(source.fileName)
  const epochDay = epochDayFromText(day)
  if (epochDay !== null) return epochDay
  throw new BacktapeError(
    'OPTION_INVALID',
    `Cannot read ${source.name}: day must be YYYY-MM-DD, found ${JSON.stringify(day)}`,
    {
      field: 'day',
      expected: 'YYYY-MM-DD',
      found: day.slice(0, 80),
    },
  )
}

/** Line 1 is a few kilobytes: what is a hundred times as long is none, and would cost many times its length as JSON. */
const MASTER_LIMIT_BYTES = 1_048_576

/** Line 1; lines of white space alone before it are passed over, and so is a byte order mark. */
async function readMasterData(flow: TextFlow, name: string, lineLimitBytes: number): Promise<MasterData> {
  const { text } = flow
  const limitBytes = Math.min(lineLimitBytes, MASTER_LIMIT_BYTES)
  let isEnded = false
  for (;;) {
    text.passBlankLines()
    const newline = text.newline()
    if (newline >= 0) {
      const { bytes, at } = text.region
      if (newline - at > limitBytes) throw errorOfLongLine(limitBytes, name, text.lineNumber, text.offset)
      const line = newline === at ? '' : lineText(bytes.slice(at, newline), name)
      text.moveTo(newline + 1)
      if (line.trim() !== '') return masterDataFromLine(line, name)
      continue
    }
    if (text.takeNext()) continue
    if (isEnded)
      throw new BacktapeError(
        'MASTER_DATA_MALFORMED', `Cannot read ${name}: line 1 must be master data, found no line at all`,
        { file: name, line: 1 },
      )
    const tooLong = text.carryRest()
    if (tooLong !== null) throw errorOfLongLine(lineLimitBytes, name, text.lineNumber, tooLong)
    if (!await flow.feed()) isEnded = !text.finish() || isEnded
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

function lineText(bytes: Uint8Array, name: string): string {
  try {
    return UTF_8.decode(bytes).replace(/\r$/, '')
  } catch {
    throw new BacktapeError(
      'MASTER_DATA_MALFORMED',
      `Cannot read the master data of ${name}: line 1 must be UTF-8, found other bytes`,
      {
        file: name,
        line: 1,
        field: 'line',
        expected: 'UTF-8',
      },
    )
  }
}

interface Opened {
  readonly source: TickSource
  readonly flow: TextFlow
  readonly memory: TextMemory
  readonly master: MasterData
  readonly day: number | null
  readonly lineLimitBytes: number
  readonly onDamage: NonNullable<ReadOptions['onDamage']>
  /** True where the JavaScript decoder does every line. */
  readonly isPlain: boolean
}

function summaryOf(flow: TextFlow): CountingSummary {
  return Object.defineProperties(emptySummary(), {
    compressedBytes: { get: () => flow.compressedBytes }, textBytes: { get: () => flow.text.textBytes },
  })
}

async function createDecoder(opened: Opened, summary: CountingSummary): Promise<TickTextDecoder> {
  const { memory, master, day, lineLimitBytes } = opened
  const { instrument } = master
  const batch = createReadingBatch(memory, instrument)
  const lines = new LineDecoder(
    new BatchFiller(batch, BATCH_CAPACITY), instrument.id, day, readingScales(instrument),
  )
  const wasm = opened.isPlain
    ? null
    : new WasmLineDecoder(await readLineDecoder(memory.memory), memory.memory, batch, instrument.id, lineLimitBytes)
  return new TickTextDecoder({
    fileName: opened.source.name, text: opened.flow.text, lines, wasm, summary, lineLimitBytes,
    isCounting: opened.onDamage !== 'stop',
  })
}

/** True where a download ended early: the file ends inside a frame. */
function isCut(failure: unknown): failure is BacktapeError {
  return failure instanceof BacktapeError && failure.code === 'ZSTD_TRUNCATED'
}

function cutError(failure: BacktapeError, name: string, eventCount: number): BacktapeError {
  const readable = `${String(eventCount)} ${eventCount === 1 ? 'event' : 'events'} before the cut ` +
    `${eventCount === 1 ? 'is' : 'are'} readable with --on-damage skip; a backtest needs the whole file`
  return new BacktapeError(
    'ZSTD_TRUNCATED',
    `Cannot read ${name} to its end: the file ends inside its last frame: download it again; ${readable}`,
    failure.place, failure,
  )
}

/** Batches in order; after a fault of the text, what was whole before it comes first. */
async function* batchesOf(opened: Opened, summary: CountingSummary): AsyncGenerator<EventBatch, void, undefined> {
  const { flow } = opened
  const { text } = flow
  const settled = new SettledBatches(summary, opened.onDamage !== 'stop')
  let failure: unknown = null
  try {
    const decoder = await createDecoder(opened, summary)
    for (let isOpen = true; isOpen;) {
      while (settled.failure === null && decoder.advance()) {
        const batch = decoder.take()
        if (batch !== null) yield* settled.settle(batch, decoder.farLines)
        decoder.recycle()
      }
      if (settled.failure !== null || decoder.failure !== null) break
      const tooLong = text.carryRest()
      if (tooLong !== null) decoder.meetLongLine(tooLong)
      if (decoder.failure !== null) break
      try {
        isOpen = await flow.feed() || text.finish()
      } catch (error) {
        failure = error
        isOpen = false
      }
    }
    const last = settled.failure === null ? decoder.take() : null
    if (last !== null) yield* settled.settle(last, decoder.farLines)
    yield* settled.end()
    const fault = settled.failure ?? decoder.failure
    const error: unknown =
      fault ?? (isCut(failure) ? cutError(failure, opened.source.name, summary.eventCount) : failure)
    if (isCut(failure) && opened.onDamage === 'skip' && fault === null) settled.skipRest(failure)
    else if (error !== null) throw error
  } finally {
    await flow.close()
    returnTextMemory(opened.memory)
  }
}

/** A source whose line 1 was read. */
type OpenedText = Pick<Opened, 'flow' | 'memory' | 'master' | 'lineLimitBytes'>

async function openedText(source: TickSource, options: ReadOptions): Promise<OpenedText> {
  const lineLimitBytes = options.lineLimitBytes ?? LINE_LIMIT_BYTES
  const memory = takeTextMemory()
  const stream = openTextStream(source.open({ reuseChunks: true }), memory.slots, {
    fileName: source.name,
    zstd: options.zstd ?? 'auto',
    windowLimitBytes: options.windowLimitBytes ?? WINDOW_LIMIT_BYTES,
    sizeBytes: source.sizeBytes,
  }, options.signal)
  const flow = new TextFlow(stream, memory, lineLimitBytes)
  const master = await readMasterData(flow, source.name, lineLimitBytes).catch(async (error: unknown) => {
    await flow.close()
    returnTextMemory(memory)
    throw error
  })
  return { flow, memory, master, lineLimitBytes }
}

/**
 * Opens a tick file: master data at once, events as batches of columns, every field exact (spec 4). Decompression runs
 * in a worker, memory stays bounded whatever the size of the file.
 *
 * Throws NOT_ZSTD, ZSTD_*, MASTER_DATA_MALFORMED, LINE_TOO_LONG, OPTION_INVALID, STOPPED or the error of the source.
 * The batches throw LINE_MALFORMED, WRONG_INSTRUMENT, VALUE_INEXACT, LINE_TOO_LONG (unless `onDamage` is `count` or
 * `skip`) and ZSTD_* (but ZSTD_TRUNCATED under `skip`), each after all events before the fault. A byte order mark, CRLF
 * line ends, blank lines and a missing last line end are accepted.
 *
 * @example
 * ```ts
 * import { readTickFile, type TickSource } from 'backtape/columns'
 * const source: TickSource = {
 *   name: 'empty', fileName: 'empty', sizeBytes: 0, repeatable: true,
 *   async *open() { yield new Uint8Array(0) },
 * }
 * const problem = await readTickFile(source).catch((error: unknown) => error)
 * if (!(problem instanceof Error)) throw new Error('nothing is no tick file')
 * ```
 */
export async function readTickFile(source: TickSource, options: ReadOptions = {}): Promise<Reading> {
  checkReadOptions(options)
  const day = dayOf(source, options.day)
  const { flow, memory, master, lineLimitBytes } = await openedText(source, options)
  const summary = summaryOf(flow)
  const { instrument, underlyings, text: masterDataText } = master
  let isTaken = false
  return {
    name: source.name,
    fileName: source.fileName,
    instrument,
    underlyings,
    masterDataText,
    day,
    summary,
    batches() {
      if (isTaken)
        throw new BacktapeError(
          'OPTION_INVALID', `Cannot read ${source.name} twice: a reading gives its batches once; open the file again`,
          { file: source.name },
        )
      isTaken = true
      const { onDamage = 'stop' } = options
      const isPlain = options.lines === 'javascript'
      return batchesOf({ source, flow, memory, master, day, lineLimitBytes, onDamage, isPlain }, summary)
    },
    ...closing(async () => {
      await flow.close()
      // While the batches are being taken, the memory is theirs.
      if (!isTaken) returnTextMemory(memory)
      isTaken = true
    }),
  }
}

/**
 * Line 1 of a tick file that was read to its end without looking at its events: every frame was decompressed, and is of
 * the size and the checksum that it states. Throws what {@link readTickFile} throws of line 1, and ZSTD_*.
 */
export async function readTickFrames(source: TickSource, options: ReadOptions = {}): Promise<MasterData> {
  checkReadOptions(options)
  const { flow, memory, master } = await openedText(source, options)
  try {
    await flow.drain()
    return master
  } finally {
    await flow.close()
    returnTextMemory(memory)
  }
}
