import { BacktapeError } from '../../model/error.js'
import type { RandomNumbers } from '../../model/random.js'
import type { OrderLatency } from '../../model/order-latency.js'
import { LATENCY_LIMIT_NS } from './order-latency.js'

const WANTED = 'whole nanoseconds from 0 to 1h'

/** One direction of a client's way: first in, first out, also among messages of one arrival (exchange rules 1.2). */
export class LatencyQueue {
  #count = 0
  #lastArrivalNs = -Infinity
  #lastInstrumentId = 0

  constructor(private readonly random: RandomNumbers) {}

  /** When a message that leaves now arrives, and the instrument by which it is ordered then. */
  carry(
    latency: OrderLatency, timeNs: number, feedLatencyNs: number, instrumentId: number,
  ): readonly [arrivalNs: number, orderedBy: number] {
    const latencyNs = latency.latencyNs({ timeNs, number: this.#count++, feedLatencyNs, random: this.random })
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
    const isLater = arrival > this.#lastArrivalNs
    this.#lastInstrumentId = isLater ? instrumentId : Math.max(instrumentId, this.#lastInstrumentId)
    if (isLater) this.#lastArrivalNs = arrival
    return [this.#lastArrivalNs, this.#lastInstrumentId]
  }

  /** The instrument of the last message: what a message of no instrument goes by. */
  get lastInstrumentId(): number {
    return this.#lastInstrumentId
  }

  state(): LatencyQueueState {
    return {
      count: this.#count, lastArrivalNs: Number.isFinite(this.#lastArrivalNs) ? this.#lastArrivalNs : null,
      lastInstrumentId: this.#lastInstrumentId,
    }
  }

  restore(state: LatencyQueueState): void {
    this.#count = state.count
    this.#lastArrivalNs = state.lastArrivalNs ?? -Infinity
    this.#lastInstrumentId = state.lastInstrumentId
  }
}

/** One direction of a channel: how many messages it carried, and the latest arrival (null: none yet). */
export interface LatencyQueueState {
  readonly count: number
  readonly lastArrivalNs: number | null
  readonly lastInstrumentId: number
}
