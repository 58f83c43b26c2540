import { refuseFarDigits } from '../model/epoch-digits.js'
import { BacktapeError } from '../model/error.js'
import {
  dayText, endNsFromText, epochNsFromText, epochNsFromTime, isoFromEpochNs, TIME_LIMIT_NS, timeFromEpochNs,
} from '../model/time.js'

/** A time: `12:00` or `12:00:00.5` on the file's day, ISO-8601, or epoch nanoseconds as digits or bigint. */
export type TimeInput = string | bigint

/** A span of epoch nanoseconds, `from` inclusive, `to` exclusive; null: no bound. A bare date as `to` is included. */
export interface TimeWindow {
  readonly from: bigint | null
  readonly to: bigint | null
}

/** Epoch nanoseconds of a time; clock times are on `epochDay`. Throws DAY_UNKNOWN where that is null, TIME_INVALID. */
export function epochNsFromInput(
  time: TimeInput, epochDay: number | null, read: (text: string, epochDay: number | null) => bigint = epochNsFromText,
): bigint {
  const given: unknown = time
  if (typeof given === 'bigint') return given
  if (typeof given === 'string') {
    refuseFarDigits(given, epochDay)
    return read(given, epochDay)
  }
  throw new BacktapeError(
    'TIME_INVALID',
    `Cannot read a time: it must be a text such as 12:00 or a bigint of epoch nanoseconds, found ${typeof given}`,
    { field: 'time', found: typeof given },
  )
}

/**
 * The same counted from the midnight of the file's day. Throws TIME_INVALID where it is months away: the file is of
 * another year.
 */
export function timeInFile(epochNs: bigint, epochDay: number): number {
  const midnight = epochNsFromTime(0, epochDay)
  const [least, most] = [midnight - BigInt(TIME_LIMIT_NS), midnight + BigInt(TIME_LIMIT_NS)]
  if (epochNs >= least && epochNs <= most) return timeFromEpochNs(epochNs, epochDay)
  const found = isoFromEpochNs(epochNs)
  throw new BacktapeError('TIME_INVALID', `Cannot use the time ${found}: the file is of ${dayText(epochDay)}`, {
    field: 'time', expected: `a time of ${dayText(epochDay)}`, found,
  })
}

/** The window of two times. Throws as {@link epochNsFromInput}, and OPTION_INVALID where it ends before it begins. */
export function windowOf(
  { from, to }: { readonly from?: TimeInput; readonly to?: TimeInput }, epochDay: number | null,
): TimeWindow {
  const window = {
    from: from === undefined ? null : epochNsFromInput(from, epochDay),
    to: to === undefined ? null : epochNsFromInput(to, epochDay, endNsFromText),
  }
  if (window.from === null || window.to === null || window.from <= window.to) return window
  const found = `${isoFromEpochNs(window.from)} to ${isoFromEpochNs(window.to)}`
  const isClock = [from, to].some((time) => typeof time === 'string' && /^\d{1,2}:/.test(time))
  const date = isClock ? ', or write the date of a later day, as clock times are of the first one' : ''
  throw new BacktapeError(
    'OPTION_INVALID',
    `Cannot select a span of time: it must not end before it begins, found ${found}; swap the two${date}`,
    { field: 'to', found },
  )
}
