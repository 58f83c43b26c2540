import { NS_PER_DAY, NS_PER_MINUTE, NS_PER_MS, NS_PER_SECOND } from './time.js'

/** The longest duration where nothing else is said: 30 days. Sums with the times of a run stay exact. */
export const DURATION_LIMIT_NS: number = 30 * NS_PER_DAY

/** From and up to how many nanoseconds a duration may be. */
export interface DurationBounds {
  /** Default 1. */
  readonly leastNs?: number
  /** Default {@link DURATION_LIMIT_NS}. */
  readonly mostNs?: number
}

/** The longest unit first: a bound is written in the first one that divides it. */
const UNITS_NS: Readonly<Record<string, number>> = {
  d: NS_PER_DAY, h: 60 * NS_PER_MINUTE, min: NS_PER_MINUTE, m: NS_PER_MINUTE, s: NS_PER_SECOND, ms: NS_PER_MS,
  us: 1_000, ns: 1,
}

/** The schemas of run files and profiles hold the same pattern. */
const DURATION = /^([0-9]{1,15})(?:\.([0-9]{1,9}))?(ns|us|ms|s|m|min|h|d)$/

/** A text without the white space between its numbers and their units: `10ms` of `10 ms`. */
export function closedUpDurations(text: string): string {
  return text.trim().replace(/([0-9])\s+(ns|us|ms|s|m|min|h|d)(?![A-Za-z0-9])/g, '$1$2')
}

/** True where a text has the form of a duration, whatever its length. */
export function isDurationText(text: string): boolean {
  return DURATION.test(text)
}

/** `1h`, `90s`: whole nanoseconds in the longest unit that states them exactly. */
export function shortDurationText(ns: number): string {
  for (const [unit, length] of Object.entries(UNITS_NS))
    if (ns !== 0 && ns % length === 0) return `${ns / length}${unit}`
  return `${ns}ns`
}

/**
 * Whole nanoseconds of a duration as users write it: a whole or decimal number and one of `ns us ms s m min h d`,
 * without a space (`500ms`, `1.5s`, `5m`, `1d`). Of any other text, and of one out of its bounds: the words of what was
 * wanted.
 */
export function durationOf(
  text: string, { leastNs = 1, mostNs = DURATION_LIMIT_NS }: DurationBounds = {},
): number | string {
  const match = DURATION.exec(text)
  if (match === null) {
    const closed = closedUpDurations(text)
    return DURATION.test(closed) ? `a duration without a space: write ${closed}` : 'a duration such as 10ms, 30s or 1h'
  }
  const [, whole = '', fraction = '', unit = 'ns'] = match
  const parts = BigInt(whole + fraction) * BigInt(UNITS_NS[unit] ?? 1)
  const divisor = 10n ** BigInt(fraction.length)
  if (parts % divisor !== 0n) return 'a duration of whole nanoseconds'
  const ns = parts / divisor
  if (ns >= BigInt(leastNs) && ns <= BigInt(mostNs)) return Number(ns)
  return `a duration from ${shortDurationText(leastNs)} to ${shortDurationText(mostNs)}`
}

/** The same, where `refused` makes the error of what was wanted. */
export function durationNsFromText(text: string, bounds: DurationBounds, refused: (expected: string) => Error): number {
  const ns = durationOf(text, bounds)
  if (typeof ns === 'string') throw refused(ns)
  return ns
}
