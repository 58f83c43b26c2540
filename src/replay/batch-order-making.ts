import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { SameStamp } from '../model/exchange-order.js'
import type { BatchOrder } from './batch-order.js'
import { ExchangeOrderQueue } from './exchange-order-queue.js'
import { ExchangeTimes } from './exchange-times.js'

/** Lines that no file holds, and ends of a silence, depend on what comes before their batch. */
const DEPENDENT = EVENT_FLAGS.SEAM | EVENT_FLAGS.SILENCE | EVENT_FLAGS.CROSSED_GAP | EVENT_FLAGS.SILENCE_END

/** Where the columns of an order are laid: from a multiple of eight on. */
export interface OrderMemory {
  readonly buffer: ArrayBufferLike
  readonly byteOffset: number
}

/** Makes the orders of the batches of a reading, each by itself; `memoryOf` gives so many bytes. */
export class BatchOrders {
  readonly #queue = new ExchangeOrderQueue()
  #lineTimesNs = new Float64Array(0)

  constructor(private readonly sameStamp: SameStamp) {}

  /** Null where a time depends on lines before it by the window of rule 1.1, or a line is in no file. */
  orderOf(batch: EventBatch, memoryOf: (sizeBytes: number) => OrderMemory): BatchOrder | null {
    const { flags, count, epochDay } = batch
    for (let i = 0; i < count; i++) if (((flags[i] as number) & DEPENDENT) !== 0) return null
    if (this.#lineTimesNs.length < count) this.#lineTimesNs = new Float64Array(count)
    const times = new ExchangeTimes(undefined, this.sameStamp)
    const queue = this.#queue
    queue.head = queue.tail
    queue.depthInOrderUntilNs = Infinity
    times.queue(batch, 0, queue, this.#lineTimesNs)
    const { counts, greatestNs } = times
    if (counts.movedUp > 0) return null
    return {
      sameStamp: this.sameStamp, epochDay, ...this.#columns(batch, memoryOf), greatestNs, ...this.#depthTimes(batch),
      lateDepthNs: queue.depthInOrderUntilNs, counts,
    }
  }

  #columns(
    { flags, count }: EventBatch, memoryOf: (sizeBytes: number) => OrderMemory,
  ): Pick<BatchOrder, 'timeNs' | 'event' | 'row' | 'singleNs' | 'flags'> {
    const { head, tail, timeNs, event, row } = this.#queue
    const singles = this.#queue.waitingSingles()
    const itemCount = tail - head
    const { buffer, byteOffset } = memoryOf(16 * itemCount + 8 * singles.length + 2 * count)
    const singlesAt = byteOffset + 8 * itemCount
    const eventsAt = singlesAt + 8 * singles.length
    const columns = {
      timeNs: new Float64Array(buffer, byteOffset, itemCount),
      singleNs: new Float64Array(buffer, singlesAt, singles.length),
      event: new Uint32Array(buffer, eventsAt, itemCount),
      row: new Int32Array(buffer, eventsAt + 4 * itemCount, itemCount),
      flags: new Uint16Array(buffer, eventsAt + 8 * itemCount, count),
    }
    columns.timeNs.set(timeNs.subarray(head, tail))
    columns.singleNs.set(singles)
    columns.event.set(event.subarray(head, tail))
    columns.row.set(row.subarray(head, tail))
    columns.flags.set(flags.subarray(0, count))
    return columns
  }

  #depthTimes({ kind, count }: EventBatch): Pick<BatchOrder, 'leastDepthNs' | 'greatestDepthNs'> {
    let [leastDepthNs, greatestDepthNs] = [Infinity, -Infinity]
    for (let i = 0; i < count; i++) {
      if ((kind[i] as number) > EVENT_KINDS.update) continue
      const timeNs = this.#lineTimesNs[i] as number
      if (timeNs < leastDepthNs) leastDepthNs = timeNs
      if (timeNs > greatestDepthNs) greatestDepthNs = timeNs
    }
    return { leastDepthNs, greatestDepthNs }
  }
}
