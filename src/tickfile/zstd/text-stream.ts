import { refuseStopped, stoppedError, type StopSignal } from '../../model/stop-signal.js'
import { InlineText } from './inline-text.js'
import type { FilledSlot, TextSlots, TextStage } from './text-slots.js'
import { WorkerText } from './worker-text.js'
import type { ZstdOptions } from './zstd-text-decoder.js'
import { eventLoopTurn, settledSoon } from '../../model/event-loop-client.js'

export type { FilledSlot, TextSlots }

/** The text of a zstd file, slot by slot. */
export interface TextStream {
  /**
   * The next filled slot in order, null at the end. The slot is the caller's until `release`. Throws NOT_ZSTD, ZSTD_*
   * (byte offset in the compressed file) or the error of the source, after all text before the fault was delivered. One
   * call at a time.
   */
  next(): Promise<FilledSlot | null>
  release(slot: number): void
  /** Compressed bytes decompressed so far. */
  readonly compressedBytes: number
  /** Stops the decompression and closes the source; harmless after the end and when called again; never hangs. */
  close(): Promise<void>
}

// A file that expands without end gives text as fast as it is asked for: between so many slots the event loop, and with
// it Ctrl-C, gets its turn.
const SLOTS_PER_TURN = 4

// Below these a worker's start and messages cost more processor than the decompression itself. Of a source whose size
// is not known, no more is waited for than one has in a moment.
const INLINE_FILE_BYTES = 4_194_304
const INLINE_BYTES = 65_536

/**
 * Decompresses a zstd file into slots: in a worker, which waits when every slot is full, so that memory is bounded
 * whatever the file expands to; files of up to 4 MiB on the calling thread. Nothing is read before the first `next`.
 * Once `signal` has fired, `next` throws STOPPED.
 */
export function openTextStream(
  source: AsyncIterable<Uint8Array>, slots: TextSlots, options: ZstdOptions, signal?: StopSignal,
): TextStream {
  return new ZstdTextStream(source, slots, options, signal)
}

class ZstdTextStream implements TextStream {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #slots: TextSlots
  readonly #options: ZstdOptions
  #opening: Promise<TextStage> | null = null
  #stage: TextStage | null = null
  #over = false
  #closing: Promise<void> | null = null
  readonly #signal: StopSignal | undefined
  #slotCount = 0
  #giveUp: ((error: Error) => void) | null = null
  readonly #stop = (): void => {
    this.#giveUp?.(stoppedError(this.#options.fileName, this.#signal))
    void this.close()
  }

  constructor(
    source: AsyncIterable<Uint8Array>, slots: TextSlots, options: ZstdOptions, signal: StopSignal | undefined,
  ) {
    this.#signal = signal
    signal?.addEventListener('abort', this.#stop)
    this.#source = source[Symbol.asyncIterator]()
    this.#slots = slots
    this.#options = options
  }

  get compressedBytes(): number {
    return this.#stage?.compressedBytes ?? 0
  }

  async next(): Promise<FilledSlot | null> {
    try {
      refuseStopped(this.#signal, this.#options.fileName)
      if (this.#over) return null
      if (++this.#slotCount % SLOTS_PER_TURN === 0) await eventLoopTurn()
      const filled = await (this.#signal === undefined ? this.#take() : this.#takeUnlessStopped())
      // A stop during the turn of the event loop ends the text of the stage: that is no end of the file.
      refuseStopped(this.#signal, this.#options.fileName)
      if (filled === null) this.#over = true
      return filled
    } catch (error) {
      this.#over = true
      await this.close()
      throw error
    }
  }

  async #take(): Promise<FilledSlot | null> {
    this.#opening ??= this.#open()
    const stage = this.#stage ?? await this.#opening
    return await stage.next()
  }

  /** Does not wait for a source that is stuck in a read. */
  #takeUnlessStopped(): Promise<FilledSlot | null> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject
      this.#take().then(resolve, reject)
    })
  }

  release(slot: number): void {
    this.#stage?.release(slot)
  }

  async close(): Promise<void> {
    this.#over = true
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#stop)
    await this.#stage?.stop()
    // A source that is stuck in a read cannot be closed before the read is over: it is asked to stop, and left.
    const closed = this.#source.return?.()
    if (closed !== undefined) await settledSoon(closed)
  }

  async #open(): Promise<TextStage> {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    const limitBytes = (this.#options.sizeBytes ?? Infinity) <= INLINE_FILE_BYTES ? INLINE_FILE_BYTES : INLINE_BYTES
    while (sizeBytes <= limitBytes) {
      const chunk = await this.#source.next()
      if (chunk.done === true) return this.#stage = await InlineText.open(chunks, this.#slots, this.#options)
      // The source may use the memory of a chunk again.
      chunks.push(chunk.value.slice())
      sizeBytes += chunk.value.length
    }
    if (this.#closing !== null) return this.#stage = await InlineText.open([], this.#slots, this.#options)
    return this.#stage = new WorkerText(chunks, this.#source, this.#slots, this.#options)
  }
}
