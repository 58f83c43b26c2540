import { BacktapeError } from './error.js'

/** Nanoseconds in a UTC day. */
export const NS_PER_DAY = 86_400_000_000_000
export const NS_PER_SECOND = 1_000_000_000
export const NS_PER_MINUTE = 60_000_000_000
export const NS_PER_HOUR = 3_600_000_000_000
export const NS_PER_MS = 1_000_000
/** Times are exact while they stay within this many nanoseconds of their base day: 2^53 - 1, about 104 days. */
export const TIME_LIMIT_NS: number = Number.MAX_SAFE_INTEGER

const NS_PER_DAY_BIG = 86_400_000_000_000n

/** Days since 1970-01-01 of an epoch time. */
export function epochDayFromNs(epochNs: bigint): number {
  const day = epochNs / NS_PER_DAY_BIG
  return Number(epochNs < 0n && day * NS_PER_DAY_BIG !== epochNs ? day - 1n : day)
}

let lastDay = 0
let lastMidnight = 0n

/** Epoch nanoseconds of a time counted from the midnight of `epochDay`. */
export function epochNsFromTime(timeNs: number, epochDay: number): bigint {
  // Almost every call is for the same day, and a bigint product costs as much as all the rest.
  if (epochDay !== lastDay) [lastDay, lastMidnight] = [epochDay, BigInt(epochDay) * NS_PER_DAY_BIG]
  return lastMidnight + BigInt(timeNs)
}

/** Nanoseconds since the midnight of `epochDay`; NaN beyond 104 days. */
export function nearTimeFromEpochNs(epochNs: bigint, epochDay: number): number {
  const time = Number(epochNs - BigInt(epochDay) * NS_PER_DAY_BIG)
  return Number.isSafeInteger(time) ? time : NaN
}

/** Nanoseconds since the midnight of `epochDay`; throws VALUE_INEXACT beyond 104 days. */
export function timeFromEpochNs(epochNs: bigint, epochDay: number): number {
  const time = nearTimeFromEpochNs(epochNs, epochDay)
  if (!Number.isNaN(time)) return time
  throw new BacktapeError(
    'VALUE_INEXACT',
    `Cannot count ${String(epochNs)} ns from ${dayText(epochDay)}: more than 104 days apart`,
    {
      expected: `a time within 104 days of ${dayText(epochDay)}`,
      found: String(epochNs),
    },
  )
}

let lastDayText = '1970-01-01'
let lastTextDay = 0

/** `2024-08-08` of days since 1970-01-01. */
export function dayText(epochDay: number): string {
  // As above, and a text of a date costs more than the rest of a time.
  if (epochDay !== lastTextDay) {
    lastDayText = new Date(epochDay * 86_400_000).toISOString().slice(0, 10)
    lastTextDay = epochDay
  }
  return lastDayText
}

/** Days since 1970-01-01 of `YYYY-MM-DD`, or null where the text is no such day. */
export function epochDayFromText(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const ms = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text) return null
  return ms / 86_400_000
}

/** `2024-08-08T12:00:00.123456789Z` of epoch nanoseconds: always nine digits. */
export function isoFromEpochNs(epochNs: bigint): string {
  const day = epochDayFromNs(epochNs)
  return isoFromTime(Number(epochNs - BigInt(day) * NS_PER_DAY_BIG), day)
}

const DIGIT_PAIRS: readonly string[] = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'))

function twoDigits(value: number): string {
  return DIGIT_PAIRS[value] as string
}

/** `2024-08-08T12:00:00.123456789Z` of a time counted from the midnight of `epochDay`. */
export function isoFromTime(timeNs: number, epochDay: number): string {
  const days = Math.floor(timeNs / NS_PER_DAY)
  const rest = timeNs - days * NS_PER_DAY
  const seconds = Math.floor(rest / NS_PER_SECOND)
  const fraction = String(rest - seconds * NS_PER_SECOND).padStart(9, '0')
  const minutes = Math.floor(seconds / 60)
  const clock = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`
  return `${dayText(epochDay + days)}T${clock}.${fraction}Z`
}

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?(Z|[+-]\d{2}:?\d{2})?$/

/** Nanoseconds of `12:00`, `12:00:00` or `12:00:00.5` (up to `24:00`), or null where the text is no clock time. */
function nsFromClockText(text: string): number | null {
  const match = CLOCK.exec(text)
  if (match === null) return null
  const [, hours = '', minutes = '', seconds = '0', fraction = ''] = match
  const ns =
    (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * NS_PER_SECOND + Number(fraction.padEnd(9, '0'))
  return Number(minutes) > 59 || Number(seconds) > 59 || ns > NS_PER_DAY ? null : ns
}

function epochNsFromIso(match: RegExpExecArray): bigint | null {
  const [, date = '', clock = '00:00', zone = 'Z'] = match
  const day = epochDayFromText(date)
  const ns = nsFromClockText(clock)
  if (day === null || ns === null) return null
  const offset =
    zone === 'Z' ? 0 : (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))) * (zone.startsWith('-') ? -1 : 1)
  return epochNsFromTime(ns - offset * NS_PER_MINUTE, day)
}

/**
 * Epoch nanoseconds of what a user types: `12:00`, `12:00:00.5` (on `epochDay`), ISO-8601 (UTC unless it says
 * otherwise), or epoch nanoseconds in digits. Throws DAY_UNKNOWN for a clock time where `epochDay` is null,
 * TIME_INVALID for anything else.
 *
 * @example
 * ```ts
 * import { epochNsFromText } from 'backtape'
 * if (epochNsFromText('12:00', 0) !== 43_200_000_000_000n) throw new Error('noon of 1970-01-01')
 * ```
 */
export function epochNsFromText(text: string, epochDay: number | null): bigint {
  const clock = nsFromClockText(text)
  if (clock !== null) {
    if (epochDay !== null) return epochNsFromTime(clock, epochDay)
    throw new BacktapeError(
      'DAY_UNKNOWN', `Cannot place ${text}: the day of the file is unknown; name it with --day YYYY-MM-DD`,
      { field: 'time', found: text },
    )
  }
  if (/^\d{11,20}$/.test(text)) return BigInt(text)
  const iso = ISO.exec(text)
  const epochNs = iso === null ? null : epochNsFromIso(iso)
  if (epochNs !== null) return epochNs
  const expected = '12:00, 12:00:00.5, an ISO-8601 time such as 2024-08-08T12:00:00Z, or epoch nanoseconds'
  throw new BacktapeError('TIME_INVALID', `Cannot read the time ${JSON.stringify(text)}: it must be ${expected}`, {
    field: 'time', expected, found: text.slice(0, 80),
  })
}

/**
 * The end of a span of time that a user types, exclusive: a bare date includes that day, anything else is as in
 * {@link epochNsFromText}.
 */
export function endNsFromText(text: string, epochDay: number | null): bigint {
  const day = epochDayFromText(text)
  return day === null ? epochNsFromText(text, epochDay) : epochNsFromTime(0, day + 1)
}

/**
 * The due time after `dueNs` of what repeats every `intervalNs`. A clock may be late: what was missed is left out, the
 * rhythm stays.
 *
 * @example
 * ```ts
 * if (nextDueNs(10, 10, 10) !== 20 || nextDueNs(10, 10, 35) !== 40) throw new Error('the rhythm stays')
 * ```
 */
export function nextDueNs(dueNs: number, intervalNs: number, nowNs: number): number {
  return nowNs < dueNs + intervalNs
    ? dueNs + intervalNs
    : dueNs + (Math.floor((nowNs - dueNs) / intervalNs) + 1) * intervalNs
}
