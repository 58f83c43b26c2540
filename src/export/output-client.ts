import { Worker } from 'node:worker_threads'
import { BacktapeError } from '../model/error.js'
import { copyBatch } from '../model/event-batch-columns.js'
import type { EventBatch } from '../model/event-batch.js'
import type { OutputPlan, OutputReply, OutputRequest, WrittenOutput } from './output-plan.js'

/** How many batches may be on their way to the workers: enough to keep them busy, few enough to keep memory small. */
const SLOT_COUNT = 3

interface Slot {
  buffer: SharedArrayBuffer
  /** Workers that still read it. */
  readers: number
}

interface Part {
  readonly worker: Worker
  readonly indexes: readonly number[]
}

/**
 * Writes several tables of one source at once in worker threads: all in one, or depth, most of the work, in one and everything else in another.
 * Batches are copied into shared slots that are used again.
 */
export class OutputClient {
  private readonly parts: readonly Part[]
  private readonly slots: Slot[] = Array.from({ length: SLOT_COUNT }, () => ({ buffer: new SharedArrayBuffer(0), readers: 0 }))
  private readonly results: (readonly WrittenOutput[] | undefined)[] = []
  private error: BacktapeError | null = null
  private wake: (() => void) | null = null

  constructor(plans: readonly OutputPlan[], threads: 1 | 2) {
    const indexes = plans.map((_, i) => i)
    const groups = threads === 1 ? [indexes] : [indexes.filter((i) => plans[i]?.kind === 'depth'), indexes.filter((i) => plans[i]?.kind !== 'depth')].filter((group) => group.length > 0)
    this.parts = groups.map((group, part) => {
      const worker = new Worker(new URL('./output-worker.js', import.meta.url), { workerData: group.map((i) => plans[i]), resourceLimits: { maxYoungGenerationSizeMb: 4 } })
      worker.on('message', (reply: OutputReply) => { this.take(part, reply) })
      worker.on('error', (error: unknown) => { this.fail(new BacktapeError('OUTPUT_FAILED', `Cannot convert: a worker failed: ${String(error)}`, {}, error)) })
      return { worker, indexes: group }
    })
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

  /** Ends the threads; what they wrote stays as it is. */
  async close(): Promise<void> {
    await Promise.all(this.parts.map(({ worker }) => worker.terminate()))
  }

  private send(request: OutputRequest): void {
    for (const { worker } of this.parts) worker.postMessage(request)
  }

  private freeSlot(): number {
    return this.error !== null ? 0 : this.slots.findIndex((slot) => slot.readers === 0)
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
