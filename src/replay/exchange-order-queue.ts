import type { EventBatch } from '../model/event-batch.js'
import type { ExchangeOrder } from '../model/exchange-order.js'

const FIRST_CAPACITY = 1 << 15

/** As many items are moved one by one. */
const NEAR = 64

/**
 * The producer's side of {@link ExchangeOrder}: items arrive in file order, nearly sorted, and are put where their time
 * says, behind every item of the same time (stable). Nothing is allocated but when the queue grows.
 */
export class ExchangeOrderQueue implements ExchangeOrder {
  head = 0
  tail = 0
  /** Behind the last item stands Infinity: whoever looks at the next time needs no other case. */
  timeNs: Float64Array = new Float64Array(FIRST_CAPACITY).fill(Infinity, 0, 1)
  batchNumber: Uint32Array = new Uint32Array(FIRST_CAPACITY)
  event: Uint32Array = new Uint32Array(FIRST_CAPACITY)
  row: Int32Array = new Int32Array(FIRST_CAPACITY)
  readonly batches: EventBatch[] = []
  firstBatch = 0
  /** Items that did not arrive in order: 0 means exchange order is file order so far. */
  reorderedCount = 0
  depthInOrderUntilNs: number = Infinity
  /** Items that were consumed and moved out of the columns. */
  #goneCount = 0
  /** Times of the items of {@link nextSingleNs} from `#singleAt` on, ascending; those before are passed. */
  readonly #singles: number[] = []
  #singleAt = 0

  /** The number of items the consumer has passed since the beginning: a place that a checkpoint can name. */
  get consumedCount(): number {
    return this.#goneCount + this.head
  }

  /** Makes room for so many items more, and forgets single items that are passed: {@link append} needs it. */
  reserve(count: number): void {
    this.nextSingleNs()
    this.#singles.splice(0, this.#singleAt)
    this.#singleAt = 0
    if (this.tail + count >= this.timeNs.length) this.#makeRoom(count)
  }

  /** Puts an item where its time says; room for it has been made. */
  append(timeNs: number, batchNumber: number, event: number, row: number): void {
    const { timeNs: times, tail } = this
    let at = tail
    if (at > this.head && (times[at - 1] as number) > timeNs) {
      at = this.#openPlace(timeNs)
      this.reorderedCount++
    }
    times[at] = timeNs
    this.batchNumber[at] = batchNumber
    this.event[at] = event
    this.row[at] = row
    this.tail = tail + 1
    times[tail + 1] = Infinity
  }

  firstAfter(timeNs: number): number {
    let low = this.head
    let high = this.tail
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.timeNs[middle] as number) <= timeNs) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Notes that an item of this time, appended now, is one of those that {@link nextSingleNs} gives. */
  appendedSingle(timeNs: number): void {
    const singles = this.#singles
    let at = singles.push(timeNs) - 1
    for (; at > this.#singleAt && (singles[at - 1] as number) > timeNs; at--) singles[at] = singles[at - 1] as number
    singles[at] = timeNs
  }

  nextSingleNs(): number {
    const nowNs = this.timeNs[this.head] as number
    while (this.#singleAt < this.#singles.length && (this.#singles[this.#singleAt] as number) < nowNs) this.#singleAt++
    return this.#singles[this.#singleAt] ?? Infinity
  }

  /**
   * Moves the waiting items later than `timeNs` up by one; returns the place that is free now. Most items are late by
   * few places, where a loop costs less than four calls.
   */
  #openPlace(timeNs: number): number {
    const { head, tail, timeNs: times, batchNumber, event, row } = this
    const nearest = Math.max(head, tail - NEAR)
    let at = tail
    if ((times[nearest] as number) > timeNs) {
      at = this.firstAfter(timeNs)
      times.copyWithin(at + 1, at, tail)
      batchNumber.copyWithin(at + 1, at, tail)
      event.copyWithin(at + 1, at, tail)
      row.copyWithin(at + 1, at, tail)
      return at
    }
    for (; at > nearest && (times[at - 1] as number) > timeNs; at--) {
      times[at] = times[at - 1] as number
      batchNumber[at] = batchNumber[at - 1] as number
      event[at] = event[at - 1] as number
      row[at] = row[at - 1] as number
    }
    return at
  }

  // Moves the waiting items to the front, and doubles the columns until so many fit, once at least where moving frees
  // less than half.
  #makeRoom(count: number): void {
    const { head, tail } = this
    const waiting = tail - head
    let capacity = waiting > this.timeNs.length >> 1 ? this.timeNs.length * 2 : this.timeNs.length
    while (waiting + count >= capacity) capacity *= 2
    const move = <T extends Float64Array | Uint32Array | Int32Array>(from: T, into: T): T => {
      into.set(from.subarray(head, tail))
      return into
    }
    const grown = capacity > this.timeNs.length
    this.timeNs = grown ? move(this.timeNs, new Float64Array(capacity)) : this.timeNs.copyWithin(0, head, tail)
    this.batchNumber = grown
      ? move(this.batchNumber, new Uint32Array(capacity))
      : this.batchNumber.copyWithin(0, head, tail)
    this.event = grown ? move(this.event, new Uint32Array(capacity)) : this.event.copyWithin(0, head, tail)
    this.row = grown ? move(this.row, new Int32Array(capacity)) : this.row.copyWithin(0, head, tail)
    this.#goneCount += head
    this.head = 0
    this.tail = waiting
    this.timeNs[waiting] = Infinity
  }
}
