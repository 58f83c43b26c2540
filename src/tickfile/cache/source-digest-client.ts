import { closeSync, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { fileError } from '../archive/byte-range-reader.js'

/** Asks for the digest of an open file. */
export interface DigestRequest {
  readonly number: number
  readonly fd: number
}

/** The digest of a file, or what the system said. */
export type DigestReply =
  | { readonly number: number, readonly sha256: string }
  | { readonly number: number, readonly failure: { readonly code?: string, readonly message: string } }

interface Waiting {
  resolve(sha256: string): void
  reject(error: unknown): void
}

/**
 * Digests files one after the other in one thread beside the one that plays them; the thread begins with the first
 * file.
 */
export class SourceDigests {
  #worker: Worker | null = null
  readonly #waiting: Map<number, Waiting> = new Map()
  /** Open files. */
  readonly #files: Set<number> = new Set()
  #count = 0

  /**
   * SHA-256 of a file, 64 hex digits: of the one that has this path now, wherever it is moved to while it is read.
   * Fails as {@link fileError} says; nobody has to wait for it.
   */
  digest(path: string): Promise<string> {
    const digest = this.#digest(path)
    digest.catch(() => {})
    return digest
  }

  /** Ends the thread; digests that are not there yet never come. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
    for (const fd of this.#files) closeSync(fd)
    this.#files.clear()
  }

  async #digest(path: string): Promise<string> {
    let fd: number | null = null
    try {
      // At once: a moment later another file may have this path.
      fd = openSync(path, 'r')
      this.#files.add(fd)
      return await this.#ask(fd)
    } catch (error) {
      throw fileError(path, error)
    } finally {
      if (fd !== null && this.#files.delete(fd)) closeSync(fd)
    }
  }

  #ask(fd: number): Promise<string> {
    const number = this.#count++
    return new Promise<string>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject })
      this.#thread().postMessage({ number, fd } satisfies DigestRequest)
    })
  }

  #thread(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(new URL('./source-digest-worker.js', import.meta.url), {
      name: 'backtape digest', execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    worker.on('message', (reply: DigestReply) => {
      this.#take(reply)
    })
    worker.on('error', (error: unknown) => {
      if (this.#worker === worker) this.#worker = null
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    })
    this.#worker = worker
    return worker
  }

  #take(reply: DigestReply): void {
    const waiting = this.#waiting.get(reply.number)
    this.#waiting.delete(reply.number)
    if ('sha256' in reply) waiting?.resolve(reply.sha256)
    else waiting?.reject(reply.failure)
  }
}
