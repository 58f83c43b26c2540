import { Worker } from 'node:worker_threads'
import type { SameStamp } from '../../model/exchange-order.js'
import type { BatchOrder } from '../../replay/batch-order.js'
import { BacktapeError, type ErrorCode, type ErrorPlace } from '../../model/error.js'
import { eventCount, type Frame, type FrameSource } from './day-frame-reader.js'
import { LentBlocks } from './lent-blocks.js'

/** A cached day to be read from a frame on. */
export interface FrameJob {
  readonly path: string
  readonly byteOffset: number
  /** The exchange order that frames come with; null: none. */
  readonly sameStamp: SameStamp | null
}

/** Asks for a frame for each block; it is laid into the block where it fits. */
export interface FrameRequest {
  readonly blocks: readonly SharedArrayBuffer[]
}

/** One frame, or why there is none. */
export type FrameReply =
  | {
      readonly kind: 'frame'
      readonly content: Frame['content']
      readonly block: SharedArrayBuffer
      readonly columnsAt: number
      /** Its columns lie in the block; null for none. */
      readonly order: BatchOrder | null
    }
  | { readonly kind: 'failure'; readonly code: ErrorCode; readonly message: string; readonly place: ErrorPlace }

/**
 * Frames that are read before they are asked for; as many blocks of memory, and one more for each that somebody keeps.
 */
const AHEAD = 6

/** So many are asked for at once: waking a thread takes as long as a third of a frame. */
const ASKED_AT_ONCE = 3

/** Frames of a large cached day, read and checked in a thread of their own, in blocks that can be kept. */
export class ThreadFrames implements FrameSource {
  readonly #worker: Worker
  readonly #replies: FrameReply[] = []
  #waiting: (() => void) | null = null
  #isBegun = false
  readonly #blocks = new LentBlocks<SharedArrayBuffer>()
  readonly #free: SharedArrayBuffer[] = []

  constructor(job: FrameJob) {
    this.#worker = new Worker(new URL('./day-frame-worker.js', import.meta.url), {
      workerData: job, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    this.#worker.on('message', (reply: FrameReply) => {
      this.#take(reply)
    })
    this.#worker.on('error', (error: unknown) => {
      this.#take({
        kind: 'failure', code: 'FILE_UNREADABLE',
        message: `Cannot read the cached day ${job.path}: its thread failed: ${String(error)}`,
        place: { file: job.path },
      })
    })
    this.#worker.postMessage({
      blocks: Array.from({ length: AHEAD }, () => new SharedArrayBuffer(0)),
    } satisfies FrameRequest)
  }

  async next(): Promise<Frame> {
    if (this.#isBegun) this.#free.push(this.#blocks.takeBack() ?? new SharedArrayBuffer(0))
    this.#isBegun = true
    if (this.#free.length >= ASKED_AT_ONCE)
      this.#worker.postMessage({ blocks: this.#free.splice(0) } satisfies FrameRequest)
    while (this.#replies.length === 0)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    const reply = this.#replies.shift() as FrameReply
    if (reply.kind === 'failure') throw new BacktapeError(reply.code, reply.message, reply.place)
    this.#blocks.lend(reply.block, eventCount(reply.content))
    return { content: reply.content, buffer: reply.block, columnsAt: reply.columnsAt, order: reply.order }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #take(reply: FrameReply): void {
    this.#replies.push(reply)
    this.#waiting?.()
    this.#waiting = null
  }
}
