import { NS_PER_DAY, NS_PER_SECOND } from './time.js'

const NS_PER_MS = 1_000_000

/** Milliseconds of a clock that never steps back. */
export function steadyMs(): number {
  return performance.now()
}

/** The wall's time, nanoseconds since the midnight of `epochDay`; it does not step back while the process lives. */
export function wallTimeNs(epochDay: number): number {
  const nowMs = performance.timeOrigin + performance.now() - epochDay * (NS_PER_DAY / NS_PER_MS)
  const seconds = Math.floor(nowMs / 1_000)
  return seconds * NS_PER_SECOND + Math.floor((nowMs - seconds * 1_000) * NS_PER_MS)
}

/** Days since 1970-01-01 of the wall's time. */
export function wallEpochDay(): number {
  return Math.floor(Date.now() / (NS_PER_DAY / NS_PER_MS))
}

/** Calls back after some milliseconds; the function returned takes that back. */
export function afterMs(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => { clearTimeout(timer) }
}

/** The same, unless the program ends before. */
export function laterMs(ms: number, callback: () => void): void {
  setTimeout(callback, ms).unref()
}
