import type { RandomNumbers } from './random.js'

/**
 * The facts that a latency may depend on: when the message starts, its number on its way, and how late the feed is just
 * then.
 */
export interface LatencyMoment {
  /** Time of sending, nanoseconds since the midnight of the clock's epochDay. */
  readonly timeNs: number
  /** Ordinal of the message among those of its client and direction: the counter of seeded draws. */
  readonly number: number
  /** Local time less exchange time of the instrument's latest event, in nanoseconds. */
  readonly feedLatencyNs: number
  /** Random numbers of the client and the direction. */
  readonly random: RandomNumbers
}

/** The time of a message one way, in whole nanoseconds >= 0. A pure function. */
export interface OrderLatency {
  /** Names the assumption in a result. */
  readonly name: string
  /** Latency of the message that is sent at this moment, nanoseconds. */
  latencyNs(moment: LatencyMoment): number
  /** The same for a run that counts its times from a midnight, where the latency goes by the calendar. */
  from?(epochDay: number): OrderLatency
}
