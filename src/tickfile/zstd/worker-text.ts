import { BacktapeError, type ErrorCode } from '../../model/error.js'
import type { FilledSlot, TextSlots, TextStage } from './text-slots.js'
import { CONTROL, CONTROL_BYTES, INPUT, RING_BYTES, SLOTS_MAX, type ZstdNotice } from './zstd-channel.js'
import type { ZstdOptions } from './zstd-text-decoder.js'
import { returnZstdWorker, takeZstdWorker, type ZstdWorker } from './zstd-worker-client.js'
import { eventLoopTurn, settledSoon } from '../../model/event-loop-client.js'

/**
 * A file that a worker decompresses. Two activities run here: the pump fills the ring from the source, `next` takes
 * filled slots.
 */
export class WorkerText implements TextStage {
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_BYTES))
  readonly #ring: Uint8Array
  readonly #worker: ZstdWorker
  #waiting: (() => void)[] = []
  #nextFilled = 0
  #outcome: 'running' | 'ended' | 'failed' | 'stopped' = 'running'
  #failure: unknown = null
  #sourceFailure: unknown = null
  #pumping = true
  readonly #ended: Promise<void>
  #settle: () => void = () => undefined

  constructor(
    chunks: readonly Uint8Array[], source: AsyncIterator<Uint8Array>, slots: TextSlots, options: ZstdOptions,
  ) {
    if (slots.offsets.length > SLOTS_MAX) throw new RangeError(`a text stream has at most ${SLOTS_MAX} slots`)
    this.#worker = takeZstdWorker()
    this.#ring = new Uint8Array(this.#worker.ring)
    this.#ended = new Promise((resolve) => { this.#settle = resolve })
    slots.offsets.forEach((_, slot) => { this.release(slot) })
    const { buffer, offsets, capacityBytes } = slots
    const { fileName, zstd, windowLimitBytes } = options
    const control = this.#control.buffer
    this.#worker.start(
      { control, slots: buffer, offsets, capacityBytes, fileName, zstd, windowLimitBytes },
      (notice) => {
        this.#hear(notice)
      },
    )
    void this.#pump(chunks, source)
  }

  get compressedBytes(): number {
    return (
      Atomics.load(this.#control, CONTROL.compressedHigh) * 0x100000000 +
      (Atomics.load(this.#control, CONTROL.compressedLow) >>> 0)
    )
  }

  async next(): Promise<FilledSlot | null> {
    // While text is plenty, awaiting it never reaches the event loop, where the source is read.
    if (this.#pumping && this.#ringFree() > RING_BYTES / 2) await eventLoopTurn()
    for (;;) {
      const filled = this.#takeFilled()
      if (filled !== null) return filled
      if (this.#outcome === 'failed') throw this.#sourceFailure ?? this.#failure
      if (this.#outcome !== 'running') return null
      this.#worker.hold(true)
      await this.#sleep(() => this.#filledCount() === this.#nextFilled)
      if (this.#running()) this.#worker.hold(false)
    }
  }

  release(slot: number): void {
    const freed = Atomics.load(this.#control, CONTROL.freed)
    Atomics.store(this.#control, CONTROL.freeQueue + (freed >>> 0) % SLOTS_MAX, slot)
    Atomics.store(this.#control, CONTROL.freed, (freed + 1) | 0)
    this.#wakeWorker()
  }

  async stop(): Promise<void> {
    if (this.#outcome !== 'running') return
    this.#outcome = 'stopped'
    Atomics.store(this.#control, CONTROL.inputState, INPUT.stopped)
    this.#wakeWorker()
    this.#resume()
    this.#worker.hold(true)
    if (await settledSoon(this.#ended)) returnZstdWorker(this.#worker)
    else await this.#worker.terminate()
  }

  #takeFilled(): FilledSlot | null {
    if (this.#filledCount() === this.#nextFilled) return null
    const at = CONTROL.filledQueue + 2 * ((this.#nextFilled >>> 0) % SLOTS_MAX)
    this.#nextFilled = (this.#nextFilled + 1) | 0
    return { slot: Atomics.load(this.#control, at), lengthBytes: Atomics.load(this.#control, at + 1) }
  }

  #running(): boolean {
    return this.#outcome === 'running'
  }

  #filledCount(): number {
    return Atomics.load(this.#control, CONTROL.filled)
  }

  #ringFree(): number {
    return (
      RING_BYTES -
      ((Atomics.load(this.#control, CONTROL.inputWritten) - Atomics.load(this.#control, CONTROL.inputTaken)) >>> 0)
    )
  }

  async #pump(chunks: readonly Uint8Array[], source: AsyncIterator<Uint8Array>): Promise<void> {
    try {
      for (const chunk of chunks) await this.#write(chunk)
      while (this.#outcome === 'running') {
        const chunk = await source.next()
        if (chunk.done === true) break
        await this.#write(chunk.value)
      }
    } catch (error) {
      this.#sourceFailure = error
    }
    this.#pumping = false
    // Never over `stopped`, which says more.
    Atomics.compareExchange(this.#control, CONTROL.inputState, INPUT.open, INPUT.ended)
    this.#wakeWorker()
  }

  async #write(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length && this.#outcome === 'running';) {
      const free = this.#ringFree()
      if (free === 0) {
        await this.#sleep(() => this.#ringFree() === 0)
        continue
      }
      const written = Atomics.load(this.#control, CONTROL.inputWritten)
      const at = (written >>> 0) % RING_BYTES
      const length = Math.min(chunk.length - from, free, RING_BYTES - at)
      this.#ring.set(chunk.subarray(from, from + length), at)
      from += length
      Atomics.store(this.#control, CONTROL.inputWritten, (written + length) | 0)
      this.#wakeWorker()
    }
  }

  /** Sleeps until the worker did something, unless what is waited for came about meanwhile. */
  async #sleep(stillNothing: () => boolean): Promise<void> {
    Atomics.store(this.#control, CONTROL.readerWaits, 1)
    this.#wakeWorker()
    if (!stillNothing() || this.#outcome !== 'running') return
    await new Promise<void>((resolve) => { this.#waiting.push(resolve) })
  }

  #resume(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  #wakeWorker(): void {
    Atomics.add(this.#control, CONTROL.wake, 1)
    Atomics.notify(this.#control, CONTROL.wake)
  }

  #hear(notice: ZstdNotice): void {
    if (notice.kind !== 'progress') {
      this.#settle()
      if (this.#outcome === 'running') {
        if (notice.kind === 'failure') this.#fail(notice)
        else if (this.#sourceFailure !== null) this.#outcome = 'failed'
        else this.#outcome = 'ended'
        returnZstdWorker(this.#worker)
      }
    }
    this.#resume()
  }

  #fail(notice: ZstdNotice & { kind: 'failure' }): void {
    this.#outcome = 'failed'
    const { code, message, place } = notice
    this.#failure = code === null ? new Error(message) : new BacktapeError(code as ErrorCode, message, place)
  }
}
