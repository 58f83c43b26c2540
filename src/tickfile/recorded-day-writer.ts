import { access, constants, open, rename, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isFolder } from '../files/folder-writer.js'
import { barrenError, outputError, systemCode } from '../files/output-fault.js'
import { exists, publishNew } from '../files/whole-file-writer.js'
import type { FrameCompressor } from '../files/zstd-compressor.js'
import type { EventBatch } from '../model/event-batch.js'
import { BacktapeError } from '../model/error.js'
import { LineEncoder } from './lines/line-encoder.js'
import {
  lookAtRecording, refuseOtherRecorder, RECORDED_BY, unfinishedPath,
} from './recorded-day-reader.js'

/** Text that fills a frame: little, as packing it holds up the feed, and a crash loses what waits for its frame. */
const FRAME_BYTES = 256 * 1024

/** The parts of a recorded day. */
export interface RecordedDayParts {
  /** Where it will stand. */
  readonly path: string
  readonly instrumentId: number
  /** Line 1 as an object. */
  readonly master: object
  readonly compress: FrameCompressor
  /** Packed bytes that the disk has not taken, of all files that share it. */
  readonly waiting: { bytes: number }
  /** The state ERROR that separates what an earlier recording wrote until a time (epoch nanoseconds) from the rest. */
  readonly seam: (lastTime: bigint) => EventBatch
  /** Called once where it cannot be written: nothing more is. */
  readonly onFault: (error: BacktapeError) => void
}

/**
 * A day file that grows while it is recorded: lines are taken at once and written behind, in whole zstd frames. Its
 * name says that it is unfinished until {@link close}. Where a recording of the day stands already, it goes on in that.
 */
export class RecordedDay {
  readonly path: string
  lineCount = 0
  fault: BacktapeError | null = null
  readonly #encoder = new LineEncoder()
  readonly #frames: Uint8Array[] = []
  readonly #temporaryPath: string
  #handle: FileHandle | null = null
  #atBytes = 0
  #isClosing = false
  #work: Promise<void> | null
  /** Resolves when the file is open, or cannot be. */
  readonly opened: Promise<void>

  constructor(private readonly parts: RecordedDayParts) {
    this.path = parts.path
    this.#temporaryPath = unfinishedPath(parts.path)
    this.opened = this.#work = this.#guarded(async () => { await this.#open() })
      .then(async () => { await this.#drain() })
  }

  /** Takes one line. */
  take(batch: EventBatch, index: number): void {
    if (this.fault !== null || this.#isClosing) return
    this.#encoder.encode(batch, index, index + 1)
    this.lineCount++
    if (this.#encoder.sink.count >= FRAME_BYTES) this.flush()
  }

  /** Lines that were taken go to the disk. */
  flush(): void {
    const { sink } = this.#encoder
    if (sink.count > 0) this.#put(sink.slice())
    sink.drop(sink.count)
    this.#write()
  }

  /** Writes what was taken and gives the file its name; of a file with a fault, of what is whole. */
  async close(): Promise<void> {
    if (!this.#isClosing) this.flush()
    this.#isClosing = true
    while (this.#work !== null) await this.#work
    const handle = this.#handle
    this.#handle = null
    if (handle === null) return
    await this.#guarded(async () => {
      if (this.fault !== null) await handle.truncate(this.#atBytes)
      await handle.sync()
      await handle.close()
      await publishNew(this.#temporaryPath, this.path)
    })
  }

  #put(text: Uint8Array): void {
    const frame = this.parts.compress(text)
    this.#frames.push(frame)
    this.parts.waiting.bytes += frame.length
  }

  /** Line 1, or the seam of what stands already, before anything that was taken meanwhile. */
  async #open(): Promise<void> {
    const { path, master, compress, instrumentId, seam } = this.parts
    const head = new LineEncoder()
    if (await exists(path)) {
      const { sizeBytes, lastTime } = await lookAtRecording(path, instrumentId)
      await refuseOtherRecorder(path)
      await rename(path, this.#temporaryPath)
      this.#handle = await open(this.#temporaryPath, 'r+')
      this.#atBytes = sizeBytes
      if (lastTime !== null) head.encode(seam(lastTime))
    } else {
      await refuseOtherRecorder(path)
      this.#handle = await open(this.#temporaryPath, 'wx+')
      head.sink.text(`${JSON.stringify({ ...RECORDED_BY, ...master })}\n`)
    }
    if (head.sink.count === 0) return
    const frame = compress(head.sink.slice())
    this.#frames.unshift(frame)
    this.parts.waiting.bytes += frame.length
  }

  #write(): void {
    this.#work ??= this.#drain()
  }

  async #drain(): Promise<void> {
    await this.#guarded(async () => {
      for (let [frame] = this.#frames; frame !== undefined && this.#handle !== null; [frame] = this.#frames) {
        for (let written = 0; written < frame.length;) {
          const at = this.#atBytes + written
          written += (await this.#handle.write(frame, written, frame.length - written, at)).bytesWritten
        }
        this.#atBytes += frame.length
        this.#frames.shift()
        this.parts.waiting.bytes -= frame.length
      }
    })
    this.#work = null
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      if (this.fault === null || this.#isClosing) await work()
    } catch (error) {
      for (const { length } of this.#frames.splice(0)) this.parts.waiting.bytes -= length
      this.#encoder.sink.drop(this.#encoder.sink.count)
      if (this.fault !== null) return
      this.fault = outputError(this.path, error)
      this.parts.onFault(this.fault)
    }
  }
}

/**
 * Sees that a day can be recorded at a path. Throws OUTPUT_EXISTS where a file stands there that no recording of the
 * instrument has written, OUTPUT_FAILED where its folder takes no file or another process records there.
 */
export async function checkRecordable(path: string, instrumentId: number): Promise<void> {
  const folder = dirname(path)
  try {
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const isBarren = systemCode(error) === 'ENOENT' && (await isFolder(folder))
    throw isBarren ? barrenError(path, folder, 'file', error) : outputError(path, error)
  }
  await refuseOtherRecorder(path)
  if (await exists(path)) await lookAtRecording(path, instrumentId)
}
