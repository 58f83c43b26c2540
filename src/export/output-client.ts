import { Worker } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import { copyBatch } from '../model/event-batch-columns.js'
import type { EventBatch } from '../model/event-batch.js'
import type { OutputPlan, OutputReply, OutputRequest, WrittenOutput } from './output-plan.js'
import { OutputWriter } from './output-writer.js'

/**
 * The number of batches that may be on their way to the workers: enough to keep them busy, few enough to keep memory
 * small.
 */
const SLOT_COUNT = 3

interface Slot {
  buffer: SharedArrayBuffer
  /** Workers that still read it. */
  readers: number
}

/** Writes files as requests say: a thread, or this one. */
interface Writing {
  postMessage(request: OutputRequest): void
  terminate(): Promise<unknown>
}

interface Part {
  readonly worker: Writing
  readonly indexes: readonly number[]
}

/** Sources of together at most so many bytes are written sooner than a thread has started. */
const SMALL_BYTES = 262_144

/** Plans of one thread, or depth, most of the work, in one and everything else in another. */
function groupsOf(plans: readonly OutputPlan[], threads: 1 | 2): (readonly number[])[] {
  const indexes = plans.map((_, i) => i)
  if (threads === 1) return [indexes]
  const depth = indexes.filter((i) => plans[i]?.kind === 'depth')
  const others = indexes.filter((i) => plans[i]?.kind !== 'depth')
  return [depth, others].filter((group) => group.length > 0)
}

/**
 * Writes the tables of one source after the other in worker threads, those of a source at once: all in one thread, or
 * depth, most of the work, in one and everything else in another. Threads start once the sources are not small
 * together, those of a second pass counted again, and stay until `close`. Batches are copied into shared slots that
 * are used again.
 */
export class OutputClient {
  private readonly workers: Worker[] = []
  /** Writes a small source; null before and after. */
  private here: Writing | null = null
  /** Bytes of sources that were written without threads. */
  private bytesHere = 0
  private parts: readonly Part[] = []
  private readonly slots: Slot[] = Array.from({ length: SLOT_COUNT }, () => ({
    buffer: new SharedArrayBuffer(0), readers: 0,
  }))
  private results: (readonly WrittenOutput[] | undefined)[] = []
  private error: BacktapeError | null = null
  private wake: (() => void) | null = null

  constructor(private readonly threads: 1 | 2) {}

  /** Begins the files of a source of so many bytes, if known, after `finish` or `close` of the one before. */
  begin(plans: readonly OutputPlan[], sizeBytes: number | null): void {
    const isHere = this.workers.length === 0 && sizeBytes !== null && this.bytesHere + sizeBytes <= SMALL_BYTES
    if (isHere) this.bytesHere += sizeBytes
    const groups = groupsOf(plans, isHere ? 1 : this.threads)
    this.here = isHere ? this.writeHere() : null
    if (!isHere) while (this.workers.length < groups.length) this.workers.push(this.startWorker())
    this.results = []
    const writers = this.here === null ? this.workers : [this.here]
    this.parts = writers.slice(0, groups.length).map((worker, part) => ({ worker, indexes: groups[part] ?? [] }))
    for (const { worker, indexes } of this.parts) {
      const request: OutputRequest = { type: 'begin', plans: plans.filter((_, i) => indexes.includes(i)) }
      worker.postMessage(request)
    }
  }

  /** Hands a batch to the workers; returns when the caller may reuse it. Throws what a worker met. */
  async write(batch: EventBatch): Promise<void> {
    let free = this.freeSlot()
    for (; free < 0; free = this.freeSlot()) await this.change()
    const slot = this.slots[free]
    if (this.error !== null || slot === undefined) throw this.error ?? new RangeError('no slot')
    const copy = copyBatch(batch, { shared: true, buffer: slot.buffer })
    slot.buffer = copy.adapterTimeNs.buffer as SharedArrayBuffer
    slot.readers = this.parts.length
    this.send({ type: 'batch', slot: free, batch: copy })
  }

  /** Ends all files, with the metadata that is known by then; what became of each, in the order of the plans. */
  async finish(late: readonly (readonly [string, string])[] = []): Promise<WrittenOutput[]> {
    this.send({ type: 'finish', late })
    while (this.error === null && this.parts.some((_, part) => this.results[part] === undefined)) await this.change()
    if (this.error !== null) throw this.error
    const written: WrittenOutput[] = []
    this.parts.forEach(({ indexes }, part) => {
      indexes.forEach((index, i) => {
        const output = this.results[part]?.[i]
        if (output !== undefined) written[index] = output
      })
    })
    return written
  }

  /**
   * Ends the threads, also in the middle of a source: what they wrote stays as it is, and the next source has new ones.
   */
  async close(): Promise<void> {
    const workers = [...this.workers.splice(0), ...(this.here === null ? [] : [this.here])]
    this.here = null
    this.parts = []
    await Promise.all(workers.map((worker) => worker.terminate()))
    for (const slot of this.slots) slot.readers = 0
    this.error = null
  }

  private writeHere(): Writing {
    const writer = new OutputWriter()
    const here: Writing = {
      postMessage: (request) => {
        void writer.answer(request).then((reply) => { if (reply !== null) this.receive(here, reply) })
      },
      terminate: () => {
        writer.abandon()
        return Promise.resolve()
      },
    }
    return here
  }

  private startWorker(): Worker {
    const worker = new Worker(new URL('./output-worker.js', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    worker.on('message', (reply: OutputReply) => { this.receive(worker, reply) })
    worker.on('error', (error: unknown) => {
      if (this.workers.includes(worker))
        this.fail(new BacktapeError('OUTPUT_FAILED', `Cannot convert: a worker failed: ${String(error)}`, {}, error))
    })
    return worker
  }

  private send(request: OutputRequest): void {
    for (const { worker } of this.parts) worker.postMessage(request)
  }

  private freeSlot(): number {
    return this.error !== null ? 0 : this.slots.findIndex((slot) => slot.readers === 0)
  }

  /** Nobody listens to one that has been ended. */
  private receive(worker: Writing, reply: OutputReply): void {
    const part = this.parts.findIndex((one) => one.worker === worker)
    if (part >= 0) this.take(part, reply)
  }

  private take(part: number, reply: OutputReply): void {
    if (reply.type === 'failed') return this.fail(new BacktapeError(reply.code, reply.message, reply.place))
    if (reply.type === 'finished') this.results[part] = reply.outputs
    else {
      const slot = this.slots[reply.slot]
      if (slot !== undefined) slot.readers--
    }
    this.wake?.()
  }

  private fail(error: BacktapeError): void {
    this.error ??= error
    this.wake?.()
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }
}
