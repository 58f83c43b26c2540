import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import workerThreads from 'node:worker_threads'
import { afterAll } from 'vitest'

const chunks = resolve(import.meta.dirname, '../../lib/chunks')
const { Worker } = workerThreads

/** A thread of the build runs the packed code, as one of a user does. */
class PackedWorker extends Worker {
  constructor(file: string | URL, options?: workerThreads.WorkerOptions) {
    const packed = join(chunks, basename(fileURLToPath(file)))
    if (!existsSync(packed)) throw new Error(`Cannot start a thread: ${packed} is not packed; run npm run build`)
    super(packed, options)
  }
}

/** The threads that the tests of a file start load the few files of `lib/`, in a third of the time of those of `dist/`. */
export function packWorkers(): void {
  use(PackedWorker)
  afterAll(() => { use(Worker) })
}

function use(worker: typeof Worker): void {
  workerThreads.Worker = worker
  syncBuiltinESMExports()
}
