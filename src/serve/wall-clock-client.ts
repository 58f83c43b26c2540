/** Monotonic time of the machine, milliseconds. */
export function wallMs(): number {
  return performance.now()
}

/** Calls a function once, so many milliseconds later; the function returned takes it back. */
export function afterMs(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms)
  return () => { clearTimeout(timer) }
}

/** Calls a function once, so many milliseconds later, unless the program ends before. */
export function laterMs(ms: number, call: () => void): void {
  setTimeout(call, ms).unref()
}
