import { fault, type Fault } from '../model/fault.js'
import { endNsFromText, epochNsFromText, isoFromEpochNs, isoFromTime, NS_PER_DAY } from '../model/time.js'

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

/** Bounds of a run as its options state them. */
interface RunBounds {
  readonly from?: string | bigint
  readonly to?: string | bigint
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
function epochNsOf(value: string | bigint, epochDay: number, read = epochNsFromText): bigint {
  return typeof value === 'bigint' ? value : read(value, epochDay)
}

/** The end of a run as epoch nanoseconds: a bare date includes that day. */
function endNsOf(to: string | bigint, epochDay: number): bigint {
  return epochNsOf(to, epochDay, endNsFromText)
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
  { from, to }: RunBounds, data: DataSpan, faults: Fault[],
): RunSpan {
  const { clock: { epochDay }, startNs, endNs, lastEpochDay } = data
  const begin = from === undefined ? null : epochNsOf(from, epochDay)
  let fromNs = begin === null ? startNs : timeOf(begin, epochDay)
  if (!(fromNs >= startNs && fromNs < endNs)) {
    const expected = `a time of the data (${spanText(startNs, endNs, epochDay)})`
    faults.push({ path: 'from', expected, found: begin === null ? 'nothing' : isoFromEpochNs(begin) })
    fromNs = startNs
  }
  const end = to === undefined ? null : endNsOf(to, lastEpochDay)
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
 * The bounds of a run as its configuration states them: absolute, so that clock times and ISO texts of one instant are
 * the same.
 */
export function boundTexts(
  { from, to }: RunBounds, { epochDay, lastEpochDay }: { readonly epochDay: number; readonly lastEpochDay: number },
): { readonly from?: string; readonly to?: string } {
  return {
    ...(from === undefined ? {} : { from: isoFromEpochNs(epochNsOf(from, epochDay)) }),
    ...(to === undefined ? {} : { to: isoFromEpochNs(endNsOf(to, lastEpochDay)) }),
  }
}
