/** Calls a function when a time is over; the function that comes back ends the wait. */
export function afterMs(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms)
  return () => { clearTimeout(timer) }
}

/** Monotonic time of the wall, milliseconds. */
export function wallMs(): number {
  return performance.now()
}
