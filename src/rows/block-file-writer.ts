import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that are collected before they are written. */
const BUFFER_BYTES = 1 << 18

/** Closes files of which nothing is known any more: tables of a result are read whenever somebody asks for them. */
const openFiles = new FinalizationRegistry<number>((handle) => { closeSync(handle) })

/** Removes the folder of a file: at once where the system lets it, the file being open, else when the process ends. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true })
  } catch {
    process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  }
}

/**
 * Blocks of bytes in a temporary file, which has no name as soon as it is open: nothing is left of it, however the
 * process ends. Everything is synchronous.
 */
export class BlockFile {
  readonly #handle: number
  readonly #buffer = new Uint8Array(BUFFER_BYTES)
  #bufferedBytes = 0
  #writtenBytes = 0

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'backtape-rows-'))
    this.#handle = openSync(join(folder, 'rows'), 'wx+', 0o600)
    openFiles.register(this, this.#handle)
    removeFolder(folder)
  }

  /** Writes bytes at the end and returns their place. */
  append(bytes: Uint8Array): number {
    const place = this.#writtenBytes + this.#bufferedBytes
    if (this.#bufferedBytes + bytes.length > BUFFER_BYTES) this.#flush()
    if (bytes.length > BUFFER_BYTES) {
      this.rewrite(place, bytes)
      this.#writtenBytes += bytes.length
      return place
    }
    this.#buffer.set(bytes, this.#bufferedBytes)
    this.#bufferedBytes += bytes.length
    return place
  }

  /** Writes bytes over those at a place. */
  rewrite(place: number, bytes: Uint8Array): void {
    this.#flush()
    for (let at = 0; at < bytes.length;)
      at += writeSync(this.#handle, bytes, at, bytes.length - at, place + at)
  }

  /** Fills `bytes` from a place. */
  read(place: number, bytes: Uint8Array): void {
    this.#flush()
    for (let at = 0; at < bytes.length;) {
      const count = readSync(this.#handle, bytes, at, bytes.length - at, place + at)
      if (count === 0) throw new Error('The temporary file of rows is shorter than what was written')
      at += count
    }
  }

  #flush(): void {
    const [count, place] = [this.#bufferedBytes, this.#writtenBytes]
    this.#bufferedBytes = 0
    this.#writtenBytes += count
    for (let at = 0; at < count;) at += writeSync(this.#handle, this.#buffer, at, count - at, place + at)
  }
}
