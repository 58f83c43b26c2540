import { Worker } from 'node:worker_threads'
import { BacktapeError, type ErrorCode, type ErrorPlace } from '../model/error.js'
import type { Frame, FrameSource } from './day-frame-reader.js'

/** A cached day to be read from a frame on. */
export interface FrameJob {
  readonly path: string
  readonly byteOffset: number
}

/** Asks for one frame; it is laid into the block where it fits. */
export interface FrameRequest {
  readonly block: SharedArrayBuffer
}

/** One frame, or why there is none. */
export type FrameReply =
  | { readonly kind: 'frame'; readonly content: Frame['content']; readonly block: SharedArrayBuffer; readonly columnsAt: number }
  | { readonly kind: 'failure'; readonly code: ErrorCode; readonly message: string; readonly place: ErrorPlace }

/** Frames that are read before they are asked for; as many blocks of memory. */
const AHEAD = 3

/** Frames of a large cached day, read and checked in a thread of their own. */
export class ThreadFrames implements FrameSource {
  readonly #worker: Worker
  readonly #replies: FrameReply[] = []
  #waiting: (() => void) | null = null
  #held: SharedArrayBuffer | null = null

  constructor(job: FrameJob) {
    this.#worker = new Worker(new URL('./day-frame-worker.js', import.meta.url), { workerData: job, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4 } })
    this.#worker.on('message', (reply: FrameReply) => { this.#take(reply) })
    this.#worker.on('error', (error: unknown) => {
      this.#take({ kind: 'failure', code: 'FILE_UNREADABLE', message: `Cannot read the cached day ${job.path}: its thread failed: ${String(error)}`, place: { file: job.path } })
    })
    for (let i = 0; i < AHEAD; i++) this.#ask(new SharedArrayBuffer(0))
  }

  async next(): Promise<Frame> {
    if (this.#held !== null) this.#ask(this.#held)
    this.#held = null
    while (this.#replies.length === 0) await new Promise<void>((resolve) => { this.#waiting = resolve })
    const reply = this.#replies.shift() as FrameReply
    if (reply.kind === 'failure') throw new BacktapeError(reply.code, reply.message, reply.place)
    this.#held = reply.block
    return { content: reply.content, buffer: reply.block, columnsAt: reply.columnsAt }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #ask(block: SharedArrayBuffer): void {
    this.#worker.postMessage({ block } satisfies FrameRequest)
  }

  #take(reply: FrameReply): void {
    this.#replies.push(reply)
    this.#waiting?.()
    this.#waiting = null
  }
}
