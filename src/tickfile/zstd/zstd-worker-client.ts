import { Worker } from 'node:worker_threads'
import { RING_BYTES, type ZstdJob, type ZstdNotice } from './zstd-channel.js'

// Starting a worker takes tens of milliseconds, a bundle holds many members: a few workers outlive their job.
const IDLE_WORKERS_MAX = 2

/**
 * A worker thread that decompresses, one job at a time. An idle or waiting worker does not keep the process alive;
 * `hold` does.
 */
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

  /** Starts a job; `listener` receives its notices until `end` or `failure`. */
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

/** Returns a worker whose job is through. */
export function returnZstdWorker(worker: ZstdWorker): void {
  worker.hold(false)
  if (worker.dead) return
  if (idle.length < IDLE_WORKERS_MAX) idle.push(worker)
  else void worker.terminate()
}
