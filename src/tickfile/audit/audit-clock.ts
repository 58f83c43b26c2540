import { EVENT_KIND_NAMES, EVENT_KINDS, eventKindFromCode, type EventKind } from '../../model/event-kind.js'
import { EVENT_FLAGS, type EventBatch } from '../../model/event-batch.js'
import { NS_PER_MINUTE, epochNsFromTime } from '../../model/time.js'
import { ListCollector, type BoundedList } from '../lines/bounded-list.js'
import { LatencySketch, type LatencyQuantiles } from '../../model/latency-sketch.js'

/** A stretch of time. Epoch nanoseconds as text. */
export interface TimeSpan {
  /** Begin, epoch nanoseconds in digits. */
  readonly fromTimestampNs: string
  /** End, epoch nanoseconds in digits. */
  readonly toTimestampNs: string
  /** Length, nanoseconds. */
  readonly durationNs: number
}

/** The report on the clocks of a file. */
export interface ClockReport {
  /** Times that the adapter clock stood before the greatest time seen, and how far at most. */
  readonly stepsBack: number
  /** Largest step back, nanoseconds. */
  readonly largestStepBackNs: number
  /** Stretches of more than a minute without any event, by clamped adapter time. */
  readonly quietPeriods: BoundedList<TimeSpan>
  /** Exchange to adapter, of the kinds that carry exchange times; lines of a clock jump left out. */
  readonly feedLatency: Partial<Record<EventKind, LatencyQuantiles>>
  /** Events of these kinds without an exchange time. */
  readonly withoutExchangeTime: Partial<Record<EventKind, number>>
}

/** Follows adapter and exchange times over the batches of one file. */
export class ClockAudit {
  /** Events by msgType. */
  readonly counts: Float64Array = new Float64Array(256)
  firstNs: number = NaN
  lastNs: number = NaN
  /** Running maximum of the adapter time. */
  maximumNs: number = -Infinity
  private epochDay = 0
  private stepsBack = 0
  private largestStepBackNs = 0
  private readonly quiet = new ListCollector<TimeSpan>()
  private readonly sketches: LatencySketch[] = []
  private readonly missing = new Float64Array(256)

  constructor() {
    for (const name of EVENT_KIND_NAMES) this.sketches[EVENT_KINDS[name]] = new LatencySketch()
  }

  check(batch: EventBatch): void {
    const { adapterTimeNs, exchangeTimeNs, flags, kind, count, epochDay } = batch
    if (count === 0) return
    this.epochDay = epochDay
    if (Number.isNaN(this.firstNs)) this.firstNs = adapterTimeNs[0] as number
    this.lastNs = adapterTimeNs[count - 1] as number
    let maximum = this.maximumNs
    for (let i = 0; i < count; i++) {
      const time = adapterTimeNs[i] as number
      const code = kind[i] as number
      this.counts[code] = (this.counts[code] as number) + 1
      if (time < maximum) this.noteStepBack(maximum - time)
      else {
        if (time - maximum > NS_PER_MINUTE && maximum !== -Infinity) this.quiet.add(timeSpan(maximum, time, epochDay))
        maximum = time
      }
      const latency = time - (exchangeTimeNs[i] as number)
      if (((flags[i] as number) & EVENT_FLAGS.CLOCK_JUMPED) !== 0) continue
      if (latency === latency) (this.sketches[code] as LatencySketch).add(latency)
      else this.missing[code] = (this.missing[code] as number) + 1
    }
    this.maximumNs = maximum
  }

  report(): ClockReport {
    const feedLatency: Partial<Record<EventKind, LatencyQuantiles>> = {}
    const withoutExchangeTime: Partial<Record<EventKind, number>> = {}
    for (const name of EVENT_KIND_NAMES) {
      if (name === 'state') continue
      const quantiles = (this.sketches[EVENT_KINDS[name]] as LatencySketch).quantiles()
      if (quantiles.count > 0) feedLatency[name] = quantiles
      const missing = this.missing[EVENT_KINDS[name]] as number
      if (missing > 0) withoutExchangeTime[name] = missing
    }
    const { stepsBack, largestStepBackNs, quiet } = this
    return { stepsBack, largestStepBackNs, quietPeriods: quiet, feedLatency, withoutExchangeTime }
  }

  /** Epoch nanoseconds of a batch time as text. */
  timestamp(timeNs: number): string | null {
    return Number.isNaN(timeNs) ? null : String(epochNsFromTime(timeNs, this.epochDay))
  }

  /** Events by msgType, those that occur. */
  countsByType(): Record<string, number> {
    const counts: Record<string, number> = {}
    this.counts.forEach((count, code) => {
      if (count > 0 && eventKindFromCode(code) !== undefined) counts[String(code)] = count
    })
    return counts
  }

  private noteStepBack(distanceNs: number): void {
    this.stepsBack++
    if (distanceNs > this.largestStepBackNs) this.largestStepBackNs = distanceNs
  }
}

/** A span of batch times. */
export function timeSpan(fromNs: number, toNs: number, epochDay: number): TimeSpan {
  return {
    fromTimestampNs: String(epochNsFromTime(fromNs, epochDay)), toTimestampNs: String(epochNsFromTime(toNs, epochDay)),
    durationNs: toNs - fromNs,
  }
}
