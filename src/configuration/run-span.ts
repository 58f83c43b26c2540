import { fault, type Fault } from '../model/fault.js'
import { epochNsFromText, isoFromEpochNs, isoFromTime, NS_PER_DAY } from '../model/time.js'

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

/** Times of a plan are nanoseconds since the run's first midnight, and lie in its span. */
export interface PlanSetting {
  readonly epochDay: number
  readonly span: RunSpan
}

/** A bound as epoch nanoseconds; clock times are of `epochDay`. */
function epochNsOf(value: string | bigint, epochDay: number): bigint {
  return typeof value === 'bigint' ? value : epochNsFromText(value, epochDay)
}

/** Nanoseconds since the midnight of a day; NaN beyond 104 days, where they would not be exact. */
function timeOf(epochNs: bigint, epochDay: number): number {
  const timeNs = Number(epochNs - BigInt(epochDay) * BigInt(NS_PER_DAY))
  return Number.isSafeInteger(timeNs) ? timeNs : NaN
}

/** `from A to before B`; without an end `at or after A`. */
function spanText(fromNs: number, toNs: number, epochDay: number): string {
  const from = isoFromTime(fromNs, epochDay)
  return toNs === Infinity ? `at or after ${from}` : `from ${from} to before ${isoFromTime(toNs, epochDay)}`
}

/** The span of a run; where `from` or `to` lies outside of the data that is a fault, and their span stands for it. */
export function runSpan(
  { from, to }: { readonly from?: string | bigint; readonly to?: string | bigint }, data: DataSpan, faults: Fault[],
): RunSpan {
  const { clock: { epochDay }, startNs, endNs, lastEpochDay } = data
  const begin = from === undefined ? null : epochNsOf(from, epochDay)
  let fromNs = begin === null ? startNs : timeOf(begin, epochDay)
  if (!(fromNs >= startNs && fromNs < endNs)) {
    const expected = `a time of the data (${spanText(startNs, endNs, epochDay)})`
    faults.push({ path: 'from', expected, found: begin === null ? 'nothing' : isoFromEpochNs(begin) })
    fromNs = startNs
  }
  const end = to === undefined ? null : epochNsOf(to, lastEpochDay)
  let latestNs = end === null ? endNs : timeOf(end, epochDay)
  if (!(latestNs > fromNs && latestNs <= endNs)) {
    const most = endNs === Infinity ? '' : ` and at most ${isoFromTime(endNs, epochDay)}`
    const expected = `a time after ${isoFromTime(fromNs, epochDay)}${most}`
    faults.push({ path: 'to', expected, found: end === null ? 'nothing' : isoFromEpochNs(end) })
    latestNs = endNs
  }
  return { fromNs, toNs: to === undefined ? Infinity : latestNs, latestNs }
}

/**
 * The time of a plan, of which a part of `forNs` must lie within the run; clock times are of its first day. The time is
 * checked text; outside of the run it is a fault.
 */
export function plannedTimeNs(
  text: string, forNs: number, path: string, { epochDay, span }: PlanSetting, faults: Fault[],
): number {
  const timeNs = timeOf(epochNsFromText(text, epochDay), epochDay)
  const { fromNs, latestNs } = span
  if (!(timeNs < latestNs && timeNs + forNs > fromNs))
    faults.push(fault(path, `within the run (${spanText(fromNs, latestNs, epochDay)})`, text))
  return timeNs
}

/**
 * A bound of a run as its configuration states it: absolute, so that clock times and ISO texts of one instant are the
 * same.
 */
export function boundText(value: string | bigint, epochDay: number): string {
  return isoFromEpochNs(epochNsOf(value, epochDay))
}
