import type { Closing } from '../model/closing.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { LineEncoder } from './lines/line-encoder.js'
import { createWholeFile, type WholeFile } from '../files/whole-file-writer.js'
import { createFrameCompressor, type FrameCompressor } from '../files/zstd-compressor.js'

/** The options for writing a tick file. */
export interface TickFileWriterOptions {
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
  /** zstd level, 1 (default) to 19. */
  readonly level?: number
  /** Text per zstd frame in bytes; default 8 MiB. A line is never split between frames. */
  readonly frameBytes?: number
}

/** A tick file that comes into being: whole after `close`, absent before and after `abort`. */
export interface TickFileWriter extends Closing {
  /** Appends events. The batch may be reused once the promise has settled. */
  write(batch: EventBatch): Promise<void>
  /** Appends lines as they stand, in UTF-8, each with its line end. */
  writeText(lines: Uint8Array): Promise<void>
  /** Ends the file and gives it its name. */
  close(): Promise<void>
  /** Removes what was written; harmless after `close`. */
  abort(): Promise<void>
  /** Where `await using` leaves its block before `close`, what was written is removed: the file was not whole. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Events encoded before the size of the frame is looked at: bounds the buffer. */
const EVENTS_PER_STEP = 1024
const LINE_END = 10

/**
 * Cuts text into frames behind the first line that fills one, so that the bytes depend on the text alone, not on how it
 * came.
 */
class FramedText {
  private readonly encoder = new LineEncoder()

  constructor(
    private readonly file: WholeFile,
    private readonly compress: FrameCompressor,
    private readonly frameBytes: number,
  ) {}

  async append(lines: Uint8Array): Promise<void> {
    this.encoder.sink.piece(lines)
    await this.flushFull()
  }

  async encode(batch: EventBatch): Promise<void> {
    for (let from = 0; from < batch.count; from += EVENTS_PER_STEP) {
      this.encoder.encode(batch, from, Math.min(batch.count, from + EVENTS_PER_STEP))
      await this.flushFull()
    }
  }

  async flush(): Promise<void> {
    if (this.encoder.sink.count > 0) await this.flushTo(this.encoder.sink.count)
  }

  private async flushFull(): Promise<void> {
    const { sink } = this.encoder
    while (sink.count >= this.frameBytes) {
      const end = sink.slice().indexOf(LINE_END, this.frameBytes - 1) + 1
      if (end === 0) return
      await this.flushTo(end)
    }
  }

  private async flushTo(end: number): Promise<void> {
    const { sink } = this.encoder
    const frame = this.compress(sink.slice().subarray(0, end))
    sink.drop(end)
    await this.file.write(frame)
  }
}

function checkedOptions(options: TickFileWriterOptions): { level: number; frameBytes: number } {
  const { level = 1, frameBytes = 8_388_608 } = options
  const check = (field: string, value: number, low: number, high: number): void => {
    if (Number.isInteger(value) && value >= low && value <= high) return
    const expected = `a whole number from ${String(low)} to ${String(high)}`
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot write a tick file: ${field} must be ${expected}, found ${String(value)}`,
      { field, expected, found: String(value) },
    )
  }
  check('level', level, 1, 19)
  check('frameBytes', frameBytes, 1, 1 << 28)
  return { level, frameBytes }
}

/**
 * Begins a tick file: `masterDataText` is line 1 as it stands (`Reading.masterDataText`). zstd frames of about
 * `frameBytes` of text with content checksums, in memory bounded by one frame; the same lines give the same bytes on
 * every Node. Throws OUTPUT_EXISTS, OUTPUT_FAILED, OPTION_INVALID.
 *
 * @example
 * ```ts
 * import { mkdtempSync } from 'node:fs'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 * import { createTickFile } from 'backtape/columns'
 * const path = join(mkdtempSync(join(tmpdir(), 'backtape-')), '7_2025-01-03.txt.zst')
 * const file = await createTickFile(path, '{"instrument":{"id":7,"code":"A"},"underlyings":[]}')
 * await file.writeText(new TextEncoder().encode('[8,7,"0","1",1735862400000000000,0,"1.5"]\n'))
 * await file.close()
 * ```
 */
export async function createTickFile(
  path: string, masterDataText: string, options: TickFileWriterOptions = {},
): Promise<TickFileWriter> {
  const { level, frameBytes } = checkedOptions(options)
  const compress = await createFrameCompressor(level)
  const file = await createWholeFile(path, { force: options.force === true })
  const text = new FramedText(file, compress, frameBytes)
  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await file.abort()
      throw error
    }
  }
  await guarded(() => text.append(new TextEncoder().encode(`${masterDataText}\n`)))
  return {
    write: (batch) => guarded(() => text.encode(batch)),
    writeText: (lines) => guarded(() => text.append(lines)),
    close: () =>
      guarded(async () => {
        await text.flush()
        await file.commit()
      }),
    abort: () => file.abort(),
    [Symbol.asyncDispose]: () => file.abort(),
  }
}
