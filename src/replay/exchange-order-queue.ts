import type { EventBatch } from '../model/event-batch.js'
import type { ExchangeOrder } from '../model/exchange-order.js'
import type { BatchOrder } from './batch-order.js'

const FIRST_CAPACITY = 1 << 11

/** {@link ExchangeOrder.row} of an item that no trade row of its time goes before. */
export const STAYS = -1
/** The same of one that each such row goes before. */
export const YIELDS = -2

/** As many items are moved one by one. */
const NEAR = 64

/**
 * The producer's side of {@link ExchangeOrder}: items arrive in file order, nearly sorted, and are put where their time
 * says, behind every item of the same time (stable); trade rows go before the items that yield to them. Nothing is
 * allocated but when the queue grows.
 */
export class ExchangeOrderQueue implements ExchangeOrder {
  head = 0
  tail = 0
  /** Behind the last item stands Infinity: whoever looks at the next time needs no other case. */
  timeNs: Float64Array = new Float64Array(FIRST_CAPACITY).fill(Infinity, 0, 1)
  batchNumber: Uint32Array = new Uint32Array(FIRST_CAPACITY)
  event: Uint32Array = new Uint32Array(FIRST_CAPACITY)
  /** Row of a trade line; {@link STAYS} or {@link YIELDS} of all else. */
  row: Int32Array = new Int32Array(FIRST_CAPACITY)
  readonly batches: EventBatch[] = []
  firstBatch = 0
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

  /**
   * Puts an item behind all of its time; room for it has been made. `row`: of a trade, {@link STAYS} or {@link YIELDS}.
   */
  append(timeNs: number, batchNumber: number, event: number, row: number): void {
    this.#put(this.#placeBehind(timeNs), timeNs, batchNumber, event, row)
  }

  /**
   * Puts a trade row before the last items of its time that yield to it, behind all others of that time. None of its
   * time may be consumed yet.
   */
  appendTrade(timeNs: number, batchNumber: number, event: number, row: number): void {
    const { head, timeNs: times, row: rows } = this
    let at = this.#placeBehind(timeNs)
    while (at > head && rows[at - 1] === YIELDS && (times[at - 1] as number) === timeNs) at--
    this.#put(at, timeNs, batchNumber, event, row)
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

  /** Times of the single items that wait, ascending. */
  waitingSingles(): readonly number[] {
    this.nextSingleNs()
    return this.#singles.slice(this.#singleAt)
  }

  /**
   * Puts the items of a batch, which are in order among themselves, in between those that wait. `isStated`: a trade row
   * goes before items of its time that yield to it.
   */
  appendInOrder(
    { timeNs, event, row, singleNs }: Pick<BatchOrder, 'timeNs' | 'event' | 'row' | 'singleNs'>, batchNumber: number,
    shiftNs: number, isStated: (event: number, row: number, timeNs: number) => boolean,
  ): void {
    const count = timeNs.length
    this.reserve(count)
    const lastNs = this.tail > this.head ? (this.timeNs[this.tail - 1] as number) : -Infinity
    let from = 0
    for (; from < count; from++) {
      const time = (timeNs[from] as number) + shiftNs
      if (time > lastNs) break
      const [at, number] = [event[from] as number, row[from] as number]
      if (number >= 0 && isStated(at, number, time)) this.appendTrade(time, batchNumber, at, number)
      else this.append(time, batchNumber, at, number)
    }
    const { tail, timeNs: times } = this
    this.event.set(event.subarray(from), tail)
    this.row.set(row.subarray(from), tail)
    this.batchNumber.fill(batchNumber, tail, tail + count - from)
    times.set(timeNs.subarray(from), tail)
    this.tail = tail + count - from
    if (shiftNs !== 0) for (let i = tail; i < this.tail; i++) times[i] = (times[i] as number) + shiftNs
    times[this.tail] = Infinity
    for (const single of singleNs) this.appendedSingle(single + shiftNs)
  }

  nextSingleNs(): number {
    const nowNs = this.timeNs[this.head] as number
    while (this.#singleAt < this.#singles.length && (this.#singles[this.#singleAt] as number) < nowNs) this.#singleAt++
    return this.#singles[this.#singleAt] ?? Infinity
  }

  /** The place behind all waiting items of a time. Most items come last, others are late by few places. */
  #placeBehind(timeNs: number): number {
    const { head, tail, timeNs: times } = this
    if (tail === head || (times[tail - 1] as number) <= timeNs) return tail
    const nearest = Math.max(head, tail - NEAR)
    let at = tail
    while (at > nearest && (times[at - 1] as number) > timeNs) at--
    return at === nearest && at > head ? this.firstAfter(timeNs) : at
  }

  #put(at: number, timeNs: number, batchNumber: number, event: number, row: number): void {
    const { tail } = this
    if (at < tail) this.#moveUp(at)
    this.timeNs[at] = timeNs
    this.batchNumber[at] = batchNumber
    this.event[at] = event
    this.row[at] = row
    this.tail = tail + 1
    this.timeNs[tail + 1] = Infinity
  }

  /** Moves the items from a place on up by one: few of them in a loop, which costs less than four calls. */
  #moveUp(from: number): void {
    const { tail, timeNs, batchNumber, event, row } = this
    if (tail - from > NEAR) {
      timeNs.copyWithin(from + 1, from, tail)
      batchNumber.copyWithin(from + 1, from, tail)
      event.copyWithin(from + 1, from, tail)
      row.copyWithin(from + 1, from, tail)
      return
    }
    for (let at = tail; at > from; at--) {
      timeNs[at] = timeNs[at - 1] as number
      batchNumber[at] = batchNumber[at - 1] as number
      event[at] = event[at - 1] as number
      row[at] = row[at - 1] as number
    }
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
