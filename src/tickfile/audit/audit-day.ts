import { BacktapeError } from '../../model/error.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { Instrument } from '../../model/instrument.js'
import { dayText, epochNsFromText, epochNsFromTime, NS_PER_DAY, NS_PER_MINUTE } from '../../model/time.js'

/** The part of its UTC day that a file covers. */
export interface DayCoverage {
  /** `2024-08-08`. */
  readonly day: string
  /**
   * Share of the day between the first and the last event inside it, quiet periods of more than a minute taken off, in
   * percent.
   */
  readonly percent: number
  /** Events before 00:00 and from 24:00 on: the overlap with the neighbouring files. */
  readonly eventsBefore: number
  /** Events from 24:00 on. */
  readonly eventsAfter: number
  /**
   * The part of the day in which the contract existed, by `start` and `expiry` of the master data, in nanoseconds from
   * midnight: 0 and 86,400,000,000,000 where it existed all day. Equal where it did not exist on that day.
   */
  readonly existedFromNs: number
  /** End of that part, nanoseconds from midnight. */
  readonly existedToNs: number
  /**
   * Share of that part that is covered, in percent: as `percent`, with the events of the margins. Null where there is
   * no such part.
   */
  readonly percentOfExistence: number | null
}

/** The least share of its part of the day, in percent, that a recording covers without a finding. */
export const COVERAGE_PERCENT_MIN = 99

/** Nanoseconds from a day's midnight of a text of the master data, within that day; null where it states no time. */
function timeOnDay(text: string | null, day: number): number | null {
  if (text === null || !/^\d{4}-/.test(text)) return null
  try {
    return Math.max(0, Math.min(NS_PER_DAY, Number(epochNsFromText(text, null) - epochNsFromTime(0, day))))
  } catch (error) {
    if (error instanceof BacktapeError) return null
    throw error
  }
}

function percentOf(partNs: number, wholeNs: number): number {
  return Math.round((partNs / wholeNs) * 1e6) / 1e4
}

/** Which part of its UTC day a file covers, by clamped adapter time. */
export class AuditDay {
  private readonly existedFromNs: number
  private readonly existedToNs: number
  private maximum: number = -Infinity
  private before = 0
  private after = 0
  private coveredNs = 0
  private coveredExistenceNs = 0
  private lastInside = NaN

  constructor(private readonly day: number, { start, expiry }: Instrument) {
    this.existedFromNs = timeOnDay(start, day) ?? 0
    this.existedToNs = Math.max(this.existedFromNs, timeOnDay(expiry, day) ?? NS_PER_DAY)
  }

  check(batch: EventBatch): void {
    const { adapterTimeNs, count, epochDay } = batch
    const midnightNs = (this.day - epochDay) * NS_PER_DAY
    for (let i = 0; i < count; i++) {
      const given = adapterTimeNs[i] as number
      if (given > this.maximum) {
        this.coverExistence(this.maximum - midnightNs, given - midnightNs)
        this.maximum = given
      }
      const time = this.maximum - midnightNs
      if (time < 0) this.before++
      else if (time >= NS_PER_DAY) this.after++
      else {
        const step = time - this.lastInside
        if (step <= NS_PER_MINUTE) this.coveredNs += step
        this.lastInside = time
      }
    }
  }

  report(): DayCoverage {
    const { existedFromNs, existedToNs } = this
    const existedNs = existedToNs - existedFromNs
    return {
      day: dayText(this.day),
      percent: percentOf(this.coveredNs, NS_PER_DAY),
      eventsBefore: this.before,
      eventsAfter: this.after,
      existedFromNs,
      existedToNs,
      percentOfExistence: existedNs === 0 ? null : percentOf(this.coveredExistenceNs, existedNs),
    }
  }

  /** Counts what a step of the clock covers of the part in which the contract existed. */
  private coverExistence(fromNs: number, toNs: number): void {
    if (toNs - fromNs > NS_PER_MINUTE) return
    const covered = Math.min(toNs, this.existedToNs) - Math.max(fromNs, this.existedFromNs)
    if (covered > 0) this.coveredExistenceNs += covered
  }
}
