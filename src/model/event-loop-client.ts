/** Longer than any work takes: 2^31 - 1 ms is the longest timer. */
const NEVER_MS = 2_147_483_647

/**
 * Holds the event loop while work goes on that holds nothing itself, as a module of WASM that is compiled. Where the loop is empty Node 20 waits for its
 * background threads instead, and one of them that compiles JavaScript may wait for the main thread to collect garbage: neither ends.
 */
export async function keptAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, NEVER_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
