import type { FilledSlot, TextSlots, TextStage } from './text-slots.js'
import { createZstdTextDecoder, type ZstdOptions, type ZstdTextDecoder } from './zstd-text-decoder.js'

/** A small file, decompressed on the calling thread, a slot for every `next`. */
export class InlineText implements TextStage {
  private readonly slots: readonly Uint8Array[]
  private readonly free: number[]
  private released: (() => void) | null = null
  private failure: Error | null = null
  private ended = false
  private closed = false

  private constructor(
    private readonly chunks: Uint8Array[],
    slots: TextSlots,
    private readonly decoder: ZstdTextDecoder,
  ) {
    this.slots = slots.offsets.map((offset) => new Uint8Array(slots.buffer, offset, slots.capacityBytes))
    this.free = this.slots.map((_, slot) => slot)
  }

  static async open(chunks: readonly Uint8Array[], slots: TextSlots, options: ZstdOptions): Promise<InlineText> {
    return new InlineText([...chunks], slots, await createZstdTextDecoder(options))
  }

  get compressedBytes(): number {
    return this.decoder.compressedBytes
  }

  async next(): Promise<FilledSlot | null> {
    while (this.free.length === 0 && !this.closed) await new Promise<void>((resolve) => { this.released = resolve })
    if (this.closed) return null
    const slot = this.free[0] ?? 0
    const lengthBytes = this.fill(this.slots[slot] ?? new Uint8Array(0))
    if (lengthBytes > 0) {
      this.free.shift()
      return { slot, lengthBytes }
    }
    await this.stop()
    if (this.failure !== null) throw this.failure
    return null
  }

  release(slot: number): void {
    this.free.push(slot)
    this.wake()
  }

  stop(): Promise<void> {
    if (!this.closed) this.decoder.close()
    this.closed = true
    this.wake()
    return Promise.resolve()
  }

  private wake(): void {
    this.released?.()
    this.released = null
  }

  /** Fills a slot; fewer bytes than it holds come at the end and before a fault only. */
  private fill(target: Uint8Array): number {
    let length = 0
    try {
      while (length < target.length && !this.ended && this.failure === null) {
        const step = this.decoder.read(target.subarray(length))
        length += step
        if (step > 0) continue
        const chunk = this.chunks.shift()
        if (chunk !== undefined) this.decoder.push(chunk)
        else this.end()
      }
    } catch (error) {
      this.failure = error as Error
    }
    return length
  }

  private end(): void {
    this.decoder.end()
    this.ended = true
  }
}
