import type { RandomNumbers } from '../../model/random.js'

const FIRST_MS = 1_000
const MOST_MS = 60_000
const DOUBLINGS_MAX = 10
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Milliseconds of a `Retry-After`, in seconds or as a date of HTTP: 0 for a date that has passed; null where the header
 * is absent or has another form.
 *
 * @example `retryAfterMs('7', 0)` is 7000, `retryAfterMs('Thu, 01 Jan 1970 00:00:09 GMT', 2000)` too
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const dateMs = HTTP_DATE.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs)
}

/**
 * Milliseconds before the next attempt: twice as long each time, 1 s to 60 s, less up to a half by chance. `attempt` is
 * 0 after the first failure, `draw` the number of the draw.
 */
export function backOffMs(attempt: number, random: RandomNumbers, draw: number): number {
  const wholeMs = Math.min(MOST_MS, FIRST_MS * (1 << Math.min(attempt, DOUBLINGS_MAX)))
  return Math.ceil(wholeMs * (0.5 + random.uniform(draw) / 2))
}
