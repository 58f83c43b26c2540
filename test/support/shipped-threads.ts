import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import threads from 'node:worker_threads'

/**
 * Threads of tests run what ships: a thread loads its modules anew, a second of processor time from the hundreds of
 * dist/, a quarter of one from the chunks of lib/.
 */
const chunks = join(import.meta.dirname, '../../lib/chunks')
const { Worker } = threads

function shipped(file: string | URL): string | URL {
  if (!(file instanceof URL) || !/\/dist\/.+-worker\.js$/.test(file.pathname)) return file
  const chunk = join(chunks, basename(file.pathname))
  return existsSync(chunk) ? chunk : file
}

class ShippedWorker extends Worker {
  constructor(file: string | URL, options?: threads.WorkerOptions) {
    super(shipped(file), options)
  }
}

// A worker of vitest runs this file before each of its test files.
if (Worker.name !== ShippedWorker.name) {
  threads.Worker = ShippedWorker
  syncBuiltinESMExports()
}
