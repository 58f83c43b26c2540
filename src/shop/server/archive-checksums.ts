import { checksumOf } from './segments-reader.js'
import type { Segments } from './segments.js'

/** Checksums that are kept; the oldest leave first. */
const KEPT_MAX = 50_000
/** Files with so many bytes together are read while the request waits. */
const AT_ONCE_BYTES = 32 << 20

/** The CRC-32 of files, which a zip states: each is read once as long as it is the same file, one at a time. */
export class ArchiveChecksums {
  /** By ETag. */
  readonly #known = new Map<string, number>()
  readonly #wanted = new Map<string, Segments>()
  #work: Promise<void> | null = null

  /**
   * The checksums of files in their order; null while they are worked out. A few bytes are read at once, more of them
   * behind the request. Throws as `checksumOf` does.
   */
  async of(files: readonly Segments[]): Promise<readonly number[] | null> {
    const unknown = files.filter(({ etag }) => !this.#known.has(etag))
    const bytes = unknown.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (bytes <= AT_ONCE_BYTES) for (const one of unknown) this.#keep(one.etag, await checksumOf(one))
    else for (const one of unknown) this.#wanted.set(one.etag, one)
    this.#work ??= this.#wanted.size > 0 ? this.#readAll() : null
    const found = files.flatMap(({ etag }) => this.#known.get(etag) ?? [])
    return found.length === files.length ? found : null
  }

  async #readAll(): Promise<void> {
    for (const [etag, file] of this.#wanted) {
      try {
        this.#keep(etag, await checksumOf(file))
      } catch {
        // The next request for it says why: the file is gone, or another one.
      }
      this.#wanted.delete(etag)
    }
    this.#work = null
  }

  #keep(etag: string, checksum: number): void {
    this.#known.delete(etag)
    this.#known.set(etag, checksum)
    const [oldest] = this.#known.keys()
    if (this.#known.size > KEPT_MAX && oldest !== undefined) this.#known.delete(oldest)
  }
}
