import type { FileHandle } from 'node:fs/promises'

const BLOCK_BYTES = 1 << 20

/**
 * Bytes of a file in blocks of 1 MiB: one is written while the next is filled. A failure of the system is thrown by the
 * next block, and by each {@link flush} until {@link drop}.
 */
export class BlockWriter {
  #block = new Uint8Array(BLOCK_BYTES)
  #other = new Uint8Array(BLOCK_BYTES)
  #filled = 0
  #fromByte = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(private readonly handle: FileHandle) {}

  /** Takes bytes for a place in the file, behind those before; they are copied. */
  async write(bytes: Uint8Array, fromByte: number): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      if (this.#filled === 0) this.#fromByte = fromByte + at
      const piece = bytes.subarray(at, at + BLOCK_BYTES - this.#filled)
      this.#block.set(piece, this.#filled)
      this.#filled += piece.length
      at += piece.length
      if (this.#filled === BLOCK_BYTES) await this.#send()
    }
  }

  /** Resolves when the system has all bytes that were taken. */
  async flush(): Promise<void> {
    if (this.#filled > 0) await this.#send()
    await this.#writing
  }

  /** Forgets what the system does not have yet, and its failure. */
  async drop(): Promise<void> {
    this.#filled = 0
    await this.#writing.catch(() => undefined)
    this.#writing = Promise.resolve()
  }

  async #send(): Promise<void> {
    await this.#writing
    const full = this.#block
    this.#writing = this.#put(full.subarray(0, this.#filled), this.#fromByte)
    // It is thrown to the next that waits for it.
    this.#writing.catch(() => undefined)
    this.#block = this.#other
    this.#other = full
    this.#filled = 0
  }

  async #put(bytes: Uint8Array, fromByte: number): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      const left = bytes.length - written
      written += (await this.handle.write(bytes, written, left, fromByte + written)).bytesWritten
    }
  }
}
