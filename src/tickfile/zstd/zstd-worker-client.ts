import { Worker } from 'node:worker_threads'
import { RING_BYTES, type ZstdJob, type ZstdNotice } from './zstd-channel.js'

// Starting a worker takes tens of milliseconds, a bundle holds many members: a few workers outlive their job.
const IDLE_WORKERS_MAX = 2
const STOP_DEADLINE_MS = 1000

/** A worker thread that decompresses, one job at a time. An idle or waiting worker does not keep the process alive; `hold` does. */
export class ZstdWorker {
  readonly ring: SharedArrayBuffer = new SharedArrayBuffer(RING_BYTES)
  readonly #thread: Worker
  #listener: ((notice: ZstdNotice) => void) | null = null
  #job = 0
  #dead = false

  constructor() {
    this.#thread = new Worker(new URL('./zstd-worker.js', import.meta.url), { name: 'backtape zstd', execArgv: [] })
    this.#thread.unref()
    this.#thread.on('message', (notice: ZstdNotice) => {
      if (notice.job === this.#job) this.#listener?.(notice)
    })
    this.#thread.on('error', (error) => { this.#die(error instanceof Error ? error.message : String(error)) })
    this.#thread.on('exit', () => { this.#die('the zstd worker ended') })
  }

  get dead(): boolean {
    return this.#dead
  }

  /** Starts a job; `listener` hears of it until `end` or `failure`. */
  start(job: Omit<ZstdJob, 'job' | 'ring'>, listener: (notice: ZstdNotice) => void): void {
    this.#listener = listener
    this.#thread.postMessage({ ...job, ring: this.ring, job: ++this.#job } satisfies ZstdJob)
  }

  /** Keeps the process alive until `hold(false)`. */
  hold(held: boolean): void {
    if (held) this.#thread.ref()
    else this.#thread.unref()
  }

  async terminate(): Promise<void> {
    this.#listener = null
    this.#dead = true
    await this.#thread.terminate()
  }

  #die(message: string): void {
    this.#dead = true
    this.#listener?.({ job: this.#job, kind: 'failure', code: null, message, place: {} })
  }
}

const idle: ZstdWorker[] = []

/** An idle worker, or a new one. */
export function takeZstdWorker(): ZstdWorker {
  for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
    if (!worker.dead) return worker
  }
  return new ZstdWorker()
}

/** Gives back a worker whose job is through. */
export function returnZstdWorker(worker: ZstdWorker): void {
  worker.hold(false)
  if (worker.dead) return
  if (idle.length < IDLE_WORKERS_MAX) idle.push(worker)
  else void worker.terminate()
}

/** Waits for what should be quick; false when it took longer than a second. */
export async function settledSoon(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<false>((resolve) => { timer = setTimeout(() => { resolve(false) }, STOP_DEADLINE_MS) })
  try {
    return await Promise.race([work.then(() => true, () => true), deadline])
  } finally {
    clearTimeout(timer)
  }
}

/** Lets the event loop take one turn, so that reads of the source go on while text is plenty. */
export async function eventLoopTurn(): Promise<void> {
  await new Promise<void>((resolve) => { setImmediate(resolve) })
}
