import { shortDurationText } from '../../model/duration.js'
import { BacktapeError } from '../../model/error.js'
import type { OrderLatency } from '../../model/order-latency.js'
import type { RandomNumbers } from '../../model/random.js'
import { NS_PER_MINUTE } from '../../model/time.js'

/**
 * The longest way of a message: an hour. Seeded draws and multiples of the feed's latency that come out longer take
 * this long.
 */
export const LATENCY_LIMIT_NS: number = 60 * NS_PER_MINUTE

/** Whole nanoseconds from 0 to the limit. */
function withinLimit(ns: number): number {
  return Math.min(LATENCY_LIMIT_NS, Math.max(0, Math.round(ns)))
}

/** The same for every message. */
export function constantLatency(ns: number): OrderLatency {
  return { name: `constant ${shortDurationText(ns)}`, latencyNs: () => ns }
}

/** A seeded draw for every message: a pure function of the client's random numbers and the message's number. */
export function sampledLatency(
  name: string, sampleNs: (random: RandomNumbers, number: number) => number,
): OrderLatency {
  return { name, latencyNs: ({ random, number }) => withinLimit(sampleNs(random, number)) }
}

/** A multiple of the feed's latency at that moment plus a constant: busy feeds and slow orders come together. */
export function proportionalLatency(multiple: number, plusNs: number): OrderLatency {
  return {
    name: `${multiple} x feed + ${shortDurationText(plusNs)}`,
    latencyNs: ({ feedLatencyNs }) => withinLimit(Math.round(feedLatencyNs * multiple) + plusNs),
  }
}

/**
 * One recorded order: when it was sent, when the exchange had it, when the answer was back; nanoseconds since the run's
 * first midnight.
 */
export interface RecordedRoundTrip {
  readonly requestNs: number
  readonly exchangeNs: number
  readonly responseNs: number
}

/**
 * Linear interpolation between recorded round trips, by the time of sending (requests) or of the exchange (responses);
 * before the first and after the last recorded one the nearest counts. hftbacktest's IntpOrderLatency reads the same
 * three columns.
 */
export function interpolatedLatency(trips: readonly RecordedRoundTrip[], way: 'request' | 'response'): OrderLatency {
  if (trips.length === 0)
    throw new BacktapeError('OPTION_INVALID', 'Cannot interpolate latencies: the recording has no rows', {
      field: 'latency',
    })
  const times = trips.map((trip) => (way === 'request' ? trip.requestNs : trip.exchangeNs))
  const delays = trips.map((trip) =>
    way === 'request' ? trip.exchangeNs - trip.requestNs : trip.responseNs - trip.exchangeNs,
  )
  return {
    name: `interpolated (${trips.length} recorded)`, latencyNs: ({ timeNs }) => interpolate(times, delays, timeNs),
  }
}

function interpolate(times: readonly number[], delays: readonly number[], timeNs: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] as number) <= timeNs) low = middle + 1
    else high = middle
  }
  if (low === 0) return delays[0] as number
  if (low === times.length) return delays[low - 1] as number
  const from = times[low - 1] as number
  const share = (timeNs - from) / ((times[low] as number) - from)
  const before = delays[low - 1] as number
  return Math.max(0, Math.round(before + ((delays[low] as number) - before) * share))
}

const WANTED = 'whole nanoseconds from 0 to 1h'

/** One direction of a client's way: first in, first out, also among messages of one arrival (exchange rules 1.2). */
export class LatencyQueue {
  #past = { count: 0, lastArrivalNs: -Infinity, lastInstrumentId: 0 }

  constructor(private readonly random: RandomNumbers) {}

  /** When a message that leaves now arrives; {@link lastInstrumentId} is then the instrument by which it is ordered. */
  carry(latency: OrderLatency, timeNs: number, feedLatencyNs: number, instrumentId: number): number {
    const latencyNs = latency.latencyNs({ timeNs, number: this.#past.count++, feedLatencyNs, random: this.random })
    if (!Number.isSafeInteger(latencyNs) || latencyNs < 0 || latencyNs > LATENCY_LIMIT_NS) {
      throw new BacktapeError(
        'OPTION_INVALID',
        `Cannot send a message with the latency ${latency.name}: it must give ${WANTED}, found ${String(latencyNs)}`,
        {
          field: 'latency', expected: WANTED, found: String(latencyNs),
        },
      )
    }
    const arrival = timeNs + latencyNs
    const past = this.#past
    const isLater = arrival > past.lastArrivalNs
    past.lastInstrumentId = isLater ? instrumentId : Math.max(instrumentId, past.lastInstrumentId)
    if (isLater) past.lastArrivalNs = arrival
    return past.lastArrivalNs
  }

  /** The instrument of the last message: what a message of no instrument goes by. */
  get lastInstrumentId(): number {
    return this.#past.lastInstrumentId
  }

  state(): LatencyQueueState {
    const { lastArrivalNs } = this.#past
    return { ...this.#past, lastArrivalNs: Number.isFinite(lastArrivalNs) ? lastArrivalNs : null }
  }

  restore(state: LatencyQueueState): void {
    this.#past = { ...state, lastArrivalNs: state.lastArrivalNs ?? -Infinity }
  }
}

/** One direction of a channel: how many messages it carried, and the latest arrival (null: none yet). */
export interface LatencyQueueState {
  readonly count: number
  readonly lastArrivalNs: number | null
  readonly lastInstrumentId: number
}
