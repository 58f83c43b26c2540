import { durationNsFromText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { epochNsFromText, isoFromEpochNs, isoFromTime, timeFromEpochNs } from '../model/time.js'
import { foundText } from '../strategy/parameter-fault.js'
import type { Refusals } from './refusals.js'

/** The time that the data of a run cover, nanoseconds since its first midnight. */
export interface DataSpan {
  /** The run's clock: `epochDay` is its first midnight. */
  readonly clock: { readonly epochDay: number }
  readonly startNs: number
  /** Infinity where files are played whole. */
  readonly endNs: number
  /** Days since 1970-01-01. */
  readonly lastEpochDay: number
}

/** When strategies begin and the run ends, nanoseconds since its first midnight. */
export interface RunSpan {
  readonly fromNs: number
  /** Nothing at or after it is played; Infinity where each world ends with its data (exchange rules 1.6). */
  readonly toNs: number
  /**
   * The same where `to` is given, else 24:00 of the last day of the data: what is planned lies before it. Infinity
   * where files are played whole.
   */
  readonly latestNs: number
}

/**
 * Nanoseconds of market time as users write them (`1h`, `10min`, `30s`), from `1ns` to 30 days. OPTION_INVALID for
 * anything else.
 */
export function spanNs(text: string, field: string): number {
  return durationNsFromText(text, {}, (expected) => {
    const found = foundText(text)
    return new BacktapeError('OPTION_INVALID', `Cannot read ${field}: it must be ${expected}, found ${found}`, {
      field, expected, found,
    })
  })
}

function timeOf(value: string | bigint, epochDay: number, data: DataSpan, field: 'from' | 'to'): number {
  try {
    return timeFromEpochNs(typeof value === 'bigint' ? value : epochNsFromText(value, epochDay), data.clock.epochDay)
  } catch (error) {
    if (!(error instanceof BacktapeError) || error.code !== 'TIME_INVALID') throw error
    throw new BacktapeError(
      'TIME_INVALID',
      `Cannot read ${field}: it must be ${error.place.expected ?? 'a time'}, found ${JSON.stringify(String(value))}`,
      { ...error.place, field }, error,
    )
  }
}

function beginOf(from: string | bigint | undefined, data: DataSpan): number {
  const { clock, startNs, endNs } = data
  const fromNs = from === undefined ? startNs : timeOf(from, clock.epochDay, data, 'from')
  if (fromNs >= startNs && fromNs < endNs) return fromNs
  const iso = (timeNs: number): string => isoFromTime(timeNs, clock.epochDay)
  const span = endNs === Infinity ? `at or after ${iso(startNs)}` : `from ${iso(startNs)} to before ${iso(endNs)}`
  throw new BacktapeError('OPTION_INVALID', `Cannot begin at ${iso(fromNs)}: the data cover the time ${span}`, {
    field: 'from', expected: span, found: iso(fromNs),
  })
}

function endOf(to: string | bigint | undefined, data: DataSpan, fromNs: number): number {
  const { clock, endNs, lastEpochDay } = data
  const toNs = to === undefined ? endNs : timeOf(to, lastEpochDay, data, 'to')
  if (toNs > fromNs && toNs <= endNs) return toNs
  const iso = (timeNs: number): string => isoFromTime(timeNs, clock.epochDay)
  const bound = `after ${iso(fromNs)}${endNs === Infinity ? '' : ` and at most ${iso(endNs)}`}`
  throw new BacktapeError('OPTION_INVALID', `Cannot end at ${iso(toNs)}: it must be ${bound}`, {
    field: 'to', expected: bound, found: iso(toNs),
  })
}

/** The span of a run; what is empty or lies outside of the data is refused, and the span of the data stands for it. */
export function runSpan(
  { from, to }: { readonly from?: string | bigint; readonly to?: string | bigint }, data: DataSpan, refusals: Refusals,
): RunSpan {
  const fromNs = refusals.read(() => beginOf(from, data)) ?? data.startNs
  const latestNs = refusals.read(() => endOf(to, data, fromNs)) ?? data.endNs
  return { fromNs, toNs: to === undefined ? Infinity : latestNs, latestNs }
}

/** Where in its run something must happen, in words; `heldNs` is for how long it does. Null where it may. */
export function outsideOfRun(
  timeNs: number, heldNs: number, { fromNs, latestNs: toNs }: RunSpan, epochDay: number,
): string | null {
  if (timeNs < toNs && timeNs + heldNs > fromNs) return null
  const iso = (atNs: number): string => isoFromTime(atNs, epochDay)
  return 'within the run ' +
    `(${toNs === Infinity ? `at or after ${iso(fromNs)}` : `from ${iso(fromNs)} to before ${iso(toNs)}`})`
}

/** A time of a plan, nanoseconds since the run's first midnight; clock times are of its first day. */
export function planTimeNs(text: string, epochDay: number, refused: (expected: string) => BacktapeError): number {
  try {
    return timeFromEpochNs(epochNsFromText(text, epochDay), epochDay)
  } catch (error) {
    if (error instanceof BacktapeError && error.code === 'TIME_INVALID') throw refused(error.place.expected ?? 'a time')
    throw error
  }
}

/**
 * A bound of a run as its configuration states it: absolute, so that clock times and ISO texts of one instant are the
 * same.
 */
export function boundText(value: string | bigint, epochDay: number): string {
  return isoFromEpochNs(typeof value === 'bigint' ? value : epochNsFromText(value, epochDay))
}
