import { dayText, epochDayFromText } from './time.js'

/** Days in a row that are missing, both ends missing too. */
export interface DayGap {
  /** The first missing day, `2024-08-08`. */
  readonly from: string
  /** The last missing day. */
  readonly to: string
  /** The number of them. */
  readonly days: number
}

/** The days that something has, from the first to the last. */
export interface DayCoverage {
  /** Null where there is no day. */
  readonly firstDay: string | null
  /** Null where there is no day. */
  readonly lastDay: string | null
  /** Different days. */
  readonly dayCount: number
  /** The share of days that are there, percent with two decimals; 0 where there is no day. */
  readonly percent: number
  /** Ascending. */
  readonly gaps: readonly DayGap[]
}

/**
 * The coverage of days in any order, `2024-08-08` each, UTC; a day that is there twice counts once, and texts that are
 * no days do not count.
 *
 * @example `dayCoverage(['2024-08-08', '2024-08-10']).gaps` is `[{ from: '2024-08-09', to: '2024-08-09', days: 1 }]`
 */
export function dayCoverage(days: Iterable<string>): DayCoverage {
  const known = new Set<number>()
  for (const day of days) {
    const epochDay = epochDayFromText(day)
    if (epochDay !== null) known.add(epochDay)
  }
  const sorted = [...known].sort((a, b) => a - b)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined)
    return { firstDay: null, lastDay: null, dayCount: 0, percent: 0, gaps: [] }
  const gaps: DayGap[] = []
  for (const [at, day] of sorted.entries()) {
    const before = sorted[at - 1] ?? day - 1
    if (day > before + 1) gaps.push({ from: dayText(before + 1), to: dayText(day - 1), days: day - before - 1 })
  }
  const percent = Math.floor((sorted.length * 10_000) / (last - first + 1)) / 100
  return { firstDay: dayText(first), lastDay: dayText(last), dayCount: sorted.length, percent, gaps }
}

/** The days of a gap, ascending. */
export function gapDays({ from, days }: DayGap): string[] {
  const first = epochDayFromText(from) ?? 0
  return Array.from({ length: days }, (_, at) => dayText(first + at))
}
