import { BacktapeError } from './error.js'
import { dayText, epochDayFromNs, isoFromEpochNs } from './time.js'

/** Digits that lie farther from the data than this are in another unit, or a slip. */
const FAR_DAYS = 5 * 365
/** Where nothing says the day of the data, they are not from before 2000-01-01. */
const EARLIEST_DAY = 10_957

const UNITS = [['milliseconds', 1_000_000n], ['microseconds', 1000n], ['seconds', 1_000_000_000n]] as const

function isNear(epochNs: bigint, epochDay: number | null): boolean {
  const day = epochDayFromNs(epochNs)
  return epochDay === null ? day >= EARLIEST_DAY : Math.abs(day - epochDay) <= FAR_DAYS
}

/**
 * Refuses epoch nanoseconds in digits that are years off the data, with the unit in which they would not be. Any other
 * text passes. Throws TIME_INVALID.
 *
 * @example
 * ```ts
 * refuseFarDigits('1782907200000000000', 20_635) // 2026-07-01T12:00:00Z, for data of that day
 * ```
 */
export function refuseFarDigits(text: string, epochDay: number | null): void {
  if (!/^\d{9,20}$/.test(text)) return
  const given = BigInt(text)
  if (isNear(given, epochDay)) return
  const guess = UNITS
    .filter(([, ns]) => given * ns < 1n << 63n && isNear(given * ns, epochDay))
    .map(([unit, ns]) => `; in ${unit} it is ${isoFromEpochNs(given * ns)}: write ${String(given * ns)}`)
  const of = epochDay === null ? 'no data are so old' : `the data are of ${dayText(epochDay)}`
  const sentence = `Cannot take the time ${text}: as epoch nanoseconds it is ${isoFromEpochNs(given)}, and ${of}` +
    (guess[0] ?? '')
  throw new BacktapeError('TIME_INVALID', sentence, {
    field: 'time', expected: 'epoch nanoseconds of the data', found: text,
  })
}
