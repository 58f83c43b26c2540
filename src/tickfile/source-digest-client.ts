import { Worker } from 'node:worker_threads'
import { fileError } from './byte-range-reader.js'

/** Asks for the digest of a file. */
export interface DigestRequest {
  readonly number: number
  readonly path: string
}

/** The digest of a file, or what the system said. */
export type DigestReply =
  | { readonly number: number, readonly sha256: string }
  | { readonly number: number, readonly failure: { readonly code?: string, readonly message: string } }

interface Waiting {
  readonly path: string
  resolve(sha256: string): void
  reject(error: Error): void
}

/** Digests files one after the other in one thread beside the one that plays them; the thread begins with the first file. */
export class SourceDigests {
  #worker: Worker | null = null
  readonly #waiting: Map<number, Waiting> = new Map()
  #count = 0

  /** SHA-256 of a file, 64 hex digits. Fails as {@link fileError} says. */
  digest(path: string): Promise<string> {
    const number = this.#count++
    const digest = new Promise<string>((resolve, reject) => {
      this.#waiting.set(number, { path, resolve, reject })
      this.#thread().postMessage({ number, path } satisfies DigestRequest)
    })
    // Who asked may look at it much later, or never.
    digest.catch(() => {})
    return digest
  }

  /** Ends the thread; digests that are not there yet never come. */
  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = null
  }

  #thread(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(new URL('./source-digest-worker.js', import.meta.url), { name: 'backtape digest', execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4 } })
    worker.on('message', (reply: DigestReply) => { this.#take(reply) })
    worker.on('error', (error: unknown) => {
      for (const { path, reject } of this.#waiting.values()) reject(fileError(path, error))
      this.#waiting.clear()
    })
    this.#worker = worker
    return worker
  }

  #take(reply: DigestReply): void {
    const waiting = this.#waiting.get(reply.number)
    this.#waiting.delete(reply.number)
    if ('sha256' in reply) waiting?.resolve(reply.sha256)
    else waiting?.reject(fileError(waiting.path, reply.failure))
  }
}
