import { Worker } from 'node:worker_threads'

/** Unfinished files and locks of a running process have their times refreshed this often. */
export const HEARTBEAT_MS = 20_000

/** A file to keep fresh, or to keep so no longer. */
export interface HeartbeatRequest {
  readonly path: string
  readonly isKept: boolean
}

let thread: Worker | null = null

/** The thread starts with the first file and ends with the process, which it does not keep alive. */
function heartbeat(): Worker {
  if (thread !== null) return thread
  const started = new Worker(new URL('./heartbeat-worker.js', import.meta.url), {
    name: 'backtape heartbeat',
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  started.unref()
  started.on('error', () => {
    thread = null
  })
  started.on('exit', () => {
    thread = null
  })
  thread = started
  return started
}

/**
 * Keeps the times of a file fresh until the returned function is called, also while this thread computes without a
 * pause: so processes that cannot see this one know that its file is no leftover.
 */
export function keepFresh(path: string): () => void {
  heartbeat().postMessage({ path, isKept: true } satisfies HeartbeatRequest)
  return () => {
    thread?.postMessage({ path, isKept: false } satisfies HeartbeatRequest)
  }
}
