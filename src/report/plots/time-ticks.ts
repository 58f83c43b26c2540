/** Marks of a time axis: their times, UTC milliseconds, and their words. */
export interface TimeTicks {
  readonly epochMs: readonly number[]
  /** `12:00`, with the day below it on the first mark and where the day changes. */
  readonly labels: readonly string[]
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE,
  2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR,
  12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY,
]
const MONTHS: readonly number[] = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400]
const MONTH = 30 * DAY
/** The last time that has a date. */
const LAST_MS = 8_640_000_000_000_000

const dateText = (epochMs: number): string => new Date(epochMs).toISOString()

function clockText(epochMs: number, stepMs: number): string {
  const text = dateText(epochMs)
  const at = text.indexOf('T') + 1
  if (stepMs < SECOND) return text.slice(at, at + 12)
  return text.slice(at, at + (stepMs < MINUTE ? 8 : 5))
}

/** `2024-08-08`. */
export const dayOf = (epochMs: number): string => dateText(epochMs).split('T')[0] ?? ''

function monthTicks(fromMs: number, toMs: number, countMax: number): TimeTicks {
  const months = MONTHS.find((one) => (toMs - fromMs) / (one * MONTH) <= countMax) ?? 12_000
  const epochMs: number[] = []
  const start = new Date(fromMs)
  const first = Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months) * months
  for (let month = first; ; month += months) {
    const time = Date.UTC(Math.floor(month / 12), month % 12)
    if (!(time <= toMs)) break
    if (time >= fromMs) epochMs.push(time)
  }
  return { epochMs, labels: epochMs.map((time) => dateText(time).slice(0, -17)) }
}

/**
 * The marks of a time axis from `fromMs` to `toMs`, both UTC milliseconds: whole multiples of a round step, at most
 * `countMax` of them and `leastMs` or more apart, each with its UTC time in words. Times
 * beyond the calendar of JavaScript have none.
 */
export function timeTicks(fromMs: number, toMs: number, countMax: number, leastMs = 0): TimeTicks {
  if (!(Math.abs(fromMs) <= LAST_MS && Math.abs(toMs) <= LAST_MS && toMs >= fromMs)) return { epochMs: [], labels: [] }
  const step = STEPS.find((one) => one >= leastMs && (toMs - fromMs) / one <= countMax)
  if (step === undefined) return monthTicks(fromMs, toMs, countMax)
  const epochMs: number[] = []
  for (let time = Math.ceil(fromMs / step) * step; time <= toMs; time += step) epochMs.push(time)
  const labels = epochMs.map((time, index) => {
    if (step >= DAY) return dayOf(time)
    const before = epochMs[index - 1]
    const isNew = before === undefined || dayOf(before) !== dayOf(time)
    return isNew ? `${clockText(time, step)}\n${dayOf(time)}` : clockText(time, step)
  })
  return { epochMs, labels }
}

/** `1.5 s` of milliseconds, in the unit that reads best; at most three digits that count. */
export function durationText(durationMs: number): string {
  const size = Math.abs(durationMs)
  const [unit, factor]: readonly [string, number] = (
    size >= DAY ? ['d', DAY] : size >= HOUR ? ['h', HOUR] : size >= MINUTE ? ['min', MINUTE]
      : size >= SECOND ? ['s', SECOND] : size >= 1 || size === 0 ? ['ms', 1]
        : size >= 1e-3 ? ['µs', 1e-3] : ['ns', 1e-6]
  )
  return `${String(Number((durationMs / factor).toPrecision(3)))} ${unit}`
}
