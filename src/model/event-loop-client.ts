/** Longer than any work takes: 2^31 - 1 ms is the longest timer. */
const NEVER_MS = 2_147_483_647

/**
 * Holds the event loop while work goes on that holds nothing itself, as a module of WASM that is compiled. Where the
 * loop is empty Node 20 waits for its background threads instead, and one of them that compiles JavaScript may wait for
 * the main thread to collect garbage: neither ends.
 */
export async function keptAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, NEVER_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}

const STOP_DEADLINE_MS = 1000

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
