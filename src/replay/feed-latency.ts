import { shortDurationText } from '../model/duration.js'
import type { EventBatch } from '../model/event-batch.js'

/**
 * When a client receives an event. `timesNs` fills `target` for the batch's events: the local time before the running
 * maximum is taken (exchange rules 1.1); `exchangeTimeNs` is the exchange-side time of the line. Never below the
 * exchange-side time.
 */
export interface FeedLatency {
  /** Names the assumption in a result. */
  readonly name: string
  /** Writes into `target` the local time of each event of the batch, nanoseconds of its base. */
  timesNs(batch: EventBatch, exchangeTimeNs: Float64Array, target: Float64Array): void
}

/** As recorded, plus a constant: adapter time + `plusNs` (0 is the default of a pass). */
export function recordedFeedLatency(plusNs = 0): FeedLatency {
  return {
    name: plusNs === 0 ? 'recorded' : `recorded+${shortDurationText(plusNs)}`,
    timesNs(batch, _exchangeTimeNs, target): void {
      const { adapterTimeNs, count } = batch
      if (plusNs === 0) target.set(adapterTimeNs.subarray(0, count))
      else for (let i = 0; i < count; i++) target[i] = (adapterTimeNs[i] as number) + plusNs
    },
  }
}

/** A constant after the exchange-side time, whatever the recorder's own delay was. */
export function constantFeedLatency(latencyNs: number): FeedLatency {
  return {
    name: `constant ${shortDurationText(latencyNs)} from exchange time`,
    timesNs(batch, exchangeTimeNs, target): void {
      for (let i = 0; i < batch.count; i++) target[i] = (exchangeTimeNs[i] as number) + latencyNs
    },
  }
}

/**
 * A seeded draw after the exchange-side time: `sampleNs(instrumentId, eventNumber)` must be a pure function that
 * returns whole nanoseconds >= 0, so that adding an instrument changes no other one's times.
 */
export function sampledFeedLatency(
  name: string, sampleNs: (instrumentId: number, eventNumber: number) => number,
): FeedLatency {
  return {
    name,
    timesNs(batch, exchangeTimeNs, target): void {
      const { instrument, firstEventIndex, count } = batch
      for (let i = 0; i < count; i++)
        target[i] = (exchangeTimeNs[i] as number) + sampleNs(instrument.id, firstEventIndex + i)
    },
  }
}

/** One for each exchange by its code; feeds of other exchanges come as recorded. */
export function exchangeFeedLatency(byExchange: ReadonlyMap<string, FeedLatency>): FeedLatency {
  const others = recordedFeedLatency()
  const ordered = [...byExchange].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    name: ordered.map(([code, { name }]) => `${code} ${name}`).join(', '),
    timesNs(batch, exchangeTimeNs, target): void {
      (byExchange.get(batch.instrument.exchangeCode) ?? others).timesNs(batch, exchangeTimeNs, target)
    },
  }
}
