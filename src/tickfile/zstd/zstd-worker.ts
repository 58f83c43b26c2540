import { parentPort } from 'node:worker_threads'
import { BacktapeError } from '../../model/error.js'
import { CONTROL, INPUT, RING_BYTES, SLOTS_MAX, type ZstdJob, type ZstdNotice } from './zstd-channel.js'
import { createZstdTextDecoder, type ZstdTextDecoder } from './zstd-text-decoder.js'

// Taking more of the ring at once would let the stream refill it late.
const TAKE_BYTES_MAX = RING_BYTES / 4

/**
 * One decompression: runs to the end of its file without ever returning to the event loop, asleep in `Atomics.wait`
 * when it must.
 */
class Job {
  private readonly control: Int32Array
  private readonly ring: Uint8Array
  private readonly slots: readonly Uint8Array[]
  private slot = -1
  private length = 0

  constructor(private readonly job: ZstdJob, private readonly decoder: ZstdTextDecoder) {
    this.control = new Int32Array(job.control)
    this.ring = new Uint8Array(job.ring)
    this.slots = job.offsets.map((offset) => new Uint8Array(job.slots, offset, job.capacityBytes))
  }

  run(): void {
    try {
      while (this.takeInput());
      if (!this.stopped()) this.decoder.end()
    } finally {
      this.deliver()
      this.countCompressed()
      this.decoder.close()
    }
  }

  /** Decompresses what stands in the ring; false at the end of the file or when asked to stop. */
  private takeInput(): boolean {
    const taken = Atomics.load(this.control, CONTROL.inputTaken)
    const wake = Atomics.load(this.control, CONTROL.wake)
    const state = Atomics.load(this.control, CONTROL.inputState)
    const waiting = (Atomics.load(this.control, CONTROL.inputWritten) - taken) >>> 0
    if (state === INPUT.stopped || (waiting === 0 && state === INPUT.ended)) return false
    if (waiting === 0) {
      if (Atomics.load(this.control, CONTROL.readerWaits) === 1) this.deliver()
      this.sleep(wake)
      return true
    }
    const start = (taken >>> 0) % RING_BYTES
    const length = Math.min(waiting, RING_BYTES - start, TAKE_BYTES_MAX)
    this.decoder.push(this.ring.subarray(start, start + length))
    if (!this.decompress()) return false
    Atomics.store(this.control, CONTROL.inputTaken, (taken + length) | 0)
    this.countCompressed()
    this.notify()
    return true
  }

  /** Reads text into slots until the decoder wants more bytes; false when asked to stop. */
  private decompress(): boolean {
    for (;;) {
      if (this.slot < 0 && !this.takeSlot()) return false
      const slot = this.slots[this.slot] as Uint8Array
      const length = this.decoder.read(slot.subarray(this.length))
      if (length === 0) return true
      this.length += length
      if (this.length === slot.length) this.deliver()
    }
  }

  private takeSlot(): boolean {
    const taken = Atomics.load(this.control, CONTROL.filled)
    for (;;) {
      if (this.stopped()) return false
      const wake = Atomics.load(this.control, CONTROL.wake)
      if (Atomics.load(this.control, CONTROL.freed) !== taken) break
      this.sleep(wake)
    }
    this.slot = Atomics.load(this.control, CONTROL.freeQueue + (taken >>> 0) % SLOTS_MAX)
    this.length = 0
    return true
  }

  private deliver(): void {
    if (this.slot < 0 || this.length === 0) return
    const filled = Atomics.load(this.control, CONTROL.filled)
    const at = CONTROL.filledQueue + 2 * ((filled >>> 0) % SLOTS_MAX)
    Atomics.store(this.control, at, this.slot)
    Atomics.store(this.control, at + 1, this.length)
    Atomics.store(this.control, CONTROL.filled, (filled + 1) | 0)
    this.slot = -1
    this.notify()
  }

  private stopped(): boolean {
    return Atomics.load(this.control, CONTROL.inputState) === INPUT.stopped
  }

  private sleep(wake: number): void {
    Atomics.wait(this.control, CONTROL.wake, wake)
  }

  private notify(): void {
    if (Atomics.exchange(this.control, CONTROL.readerWaits, 0) === 1) send({ job: this.job.job, kind: 'progress' })
  }

  private countCompressed(): void {
    const bytes = this.decoder.compressedBytes
    Atomics.store(this.control, CONTROL.compressedLow, bytes | 0)
    Atomics.store(this.control, CONTROL.compressedHigh, Math.floor(bytes / 0x100000000))
  }
}

function send(notice: ZstdNotice): void {
  parentPort?.postMessage(notice)
}

async function work(job: ZstdJob): Promise<void> {
  try {
    new Job(job, await createZstdTextDecoder(job)).run()
    send({ job: job.job, kind: 'end' })
  } catch (error) {
    const known = error instanceof BacktapeError
    const message = error instanceof Error ? error.message : String(error)
    send({ job: job.job, kind: 'failure', code: known ? error.code : null, message, place: known ? error.place : {} })
  }
}

parentPort?.on('message', (job: ZstdJob) => void work(job))
