import { dayCoverage } from '../../model/day-coverage.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import type { GoodsDay } from './shop-goods.js'

const MS_PER_DAY = 86_400_000
/** Days of a page where the request does not say. */
const DAYS_DEFAULT = 100

/** The UTC day of a moment in epoch milliseconds. */
export function dayOfMs(ms: number): string {
  return new Date(Math.floor(ms / MS_PER_DAY) * MS_PER_DAY).toISOString().slice(0, 10)
}

/** The end of a UTC day, epoch milliseconds. */
export function dayEndMs(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) + MS_PER_DAY
}

/** Those of ascending days that lie before a date; the list itself where all do. */
export function daysBefore<Day extends { readonly date: string }>(
  days: readonly Day[], date: string,
): readonly Day[] {
  const count = positionOf(days, date)
  return count === days.length ? days : days.slice(0, count)
}

/** The day of a date among ascending ones; null: it is not there. */
export function dayAmong<Day extends { readonly date: string }>(days: readonly Day[], date: string): Day | null {
  const found = days[positionOf(days, date)]
  return found?.date === date ? found : null
}

/** The number of ascending days that lie before a date. */
function positionOf(days: readonly { readonly date: string }[], date: string): number {
  let low = 0
  let high = days.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((days[middle]?.date ?? '') < date) low = middle + 1
    else high = middle
  }
  return low
}

/** The bytes of days together. */
export function bytesOfDays(days: readonly { readonly sizeBytes: number }[]): number {
  return days.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** The coverage of ascending days. */
export function coverageOf(days: readonly GoodsDay[]): Sent<'Coverage'> {
  const { firstDay, lastDay, dayCount, percent, gaps } = dayCoverage(days.map(({ date }) => date))
  return {
    first_day: firstDay, last_day: lastDay, days_with_data: dayCount, coverage_pct: percent, gaps,
    total_bytes: bytesOfDays(days),
  }
}

/** A page of ascending days, newest first. */
export function daysPage(days: readonly GoodsDay[], { limit = DAYS_DEFAULT, before }: Sent<'DaysQuery'>): Sent<'Days'> {
  const left = before === undefined ? days : daysBefore(days, before)
  const shown = left.slice(-limit).reverse()
  return { days: shown.map(daySize), next_cursor: left.length > limit ? shown.at(-1)?.date ?? null : null }
}

/** The ascending days of a month, `2024-08`. */
export function daysOfMonth(days: readonly GoodsDay[], month: string): readonly Sent<'DaySize'>[] {
  return days.filter(({ date }) => date.startsWith(`${month}-`)).map(daySize)
}

function daySize({ date, sizeBytes }: GoodsDay): Sent<'DaySize'> {
  return { date, size: sizeBytes }
}
