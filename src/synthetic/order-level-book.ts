import type { Side } from '../model/side.js'

/** The events of orders, in the order in which they happen. Prices are ticks, quantities lots. */
export interface OrderListener {
  onAdded(orderId: number, side: Side, tick: number, lots: number): void
  onCanceled(orderId: number, side: Side, tick: number, lots: number): void
  /** A resting order was hit. `side` is the resting order's; `rest` is what it still has. */
  onExecuted(orderId: number, aggressorId: number, side: Side, tick: number, lots: number, rest: number): void
}

/** The time until an order is cancelled: a flow draws its cancellations from either list. */
export type Patience = 'eager' | 'patient'

/** A resting order. Orders of one price stand in a doubly linked queue, first in, first out. */
export interface RestingOrder {
  readonly id: number
  readonly side: Side
  readonly tick: number
  lots: number
  /** Patient orders are rarely cancelled; they stand in a list of their own. */
  readonly patience: Patience
  /** Place in the side's list of live orders of its patience, for drawing one at random. */
  place: number
  previous: RestingOrder | null
  next: RestingOrder | null
}

interface Level {
  readonly tick: number
  lots: number
  head: RestingOrder | null
  tail: RestingOrder | null
}

/** One side: levels by price, their ticks in a column whose last is the best, live orders in a list. */
class BookSide {
  readonly levels: Map<number, Level> = new Map()
  /** Ascending for bids; negated, so ascending as well, for asks. */
  readonly keys: number[] = []
  readonly live: Readonly<Record<Patience, RestingOrder[]>> = { eager: [], patient: [] }
  readonly sign: 1 | -1

  constructor(side: Side) {
    this.sign = side === 'BID' ? 1 : -1
  }

  levelFor(tick: number): Level {
    const known = this.levels.get(tick)
    if (known !== undefined) return known
    const level: Level = { tick, lots: 0, head: null, tail: null }
    this.levels.set(tick, level)
    this.keys.splice(this.place(tick * this.sign), 0, tick * this.sign)
    return level
  }

  remove(level: Level): void {
    this.levels.delete(level.tick)
    this.keys.splice(this.place(level.tick * this.sign), 1)
  }

  best(): number {
    const key = this.keys.at(-1)
    return key === undefined ? NaN : key * this.sign
  }

  private place(key: number): number {
    let low = 0
    let high = this.keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.keys[middle] ?? 0) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * An exact order book that knows every order: integer ticks and lots, price-time priority, never crossed.
 * The listener receives every change after it has happened.
 */
export class OrderLevelBook {
  readonly #sides: Readonly<Record<Side, BookSide>> = { BID: new BookSide('BID'), ASK: new BookSide('ASK') }

  constructor(private readonly listener: OrderListener) {}

  /** The best tick of a side, NaN where it is empty. */
  bestTick(side: Side): number {
    return this.#sides[side].best()
  }

  lotsAt(side: Side, tick: number): number {
    return this.#sides[side].levels.get(tick)?.lots ?? 0
  }

  orderCount(side: Side, patience: Patience): number {
    return this.#sides[side].live[patience].length
  }

  /** One of the side's live orders, in no particular order; `index` is below `orderCount`. */
  orderAt(side: Side, patience: Patience, index: number): RestingOrder | undefined {
    return this.#sides[side].live[patience][index]
  }

  /** Prices of a side, best first, with their total lots. */
  *levels(side: Side): Generator<readonly [tick: number, lots: number]> {
    const { keys, levels, sign } = this.#sides[side]
    for (let i = keys.length - 1; i >= 0; i--) {
      const level = levels.get((keys[i] ?? 0) * sign)
      if (level !== undefined) yield [level.tick, level.lots]
    }
  }

  /** Orders of a side by priority: best price first, then first come. */
  *orders(side: Side): Generator<RestingOrder> {
    for (const [tick] of this.levels(side)) {
      for (let order = this.#sides[side].levels.get(tick)?.head ?? null; order !== null; order = order.next) yield order
    }
  }

  /**
   * Puts an order at the back of its price. The caller prices it so that it does not cross; a crossing one is a
   * programmer's mistake.
   */
  add(id: number, side: Side, tick: number, lots: number, patience: Patience = 'eager'): void {
    const opposite = this.bestTick(side === 'BID' ? 'ASK' : 'BID')
    if (side === 'BID' ? tick >= opposite : tick <= opposite)
      throw new Error(`assertion: order ${String(id)} at ${String(tick)} crosses ${String(opposite)}`)
    const live = this.#sides[side].live[patience]
    const level = this.#sides[side].levelFor(tick)
    const order: RestingOrder = { id, side, tick, lots, patience, place: live.length, previous: level.tail, next: null }
    live.push(order)
    if (level.tail === null) level.head = order
    else level.tail.next = order
    level.tail = order
    level.lots += lots
    this.listener.onAdded(id, side, tick, lots)
  }

  cancel(order: RestingOrder): void {
    const level = this.#sides[order.side].levelFor(order.tick)
    level.lots -= order.lots
    this.#unlink(order, level)
    this.listener.onCanceled(order.id, order.side, order.tick, order.lots)
  }

  /**
   * Executes an aggressive order against the other side, best price and first come first; returns the lots that found
   * nobody.
   */
  execute(aggressorId: number, aggressorSide: Side, lots: number): number {
    const side = aggressorSide === 'BID' ? 'ASK' : 'BID'
    const book = this.#sides[side]
    let rest = lots
    while (rest > 0) {
      const level = book.levels.get(book.best())
      const order = level?.head
      if (level === undefined || order === null || order === undefined) break
      const taken = Math.min(rest, order.lots)
      rest -= taken
      order.lots -= taken
      level.lots -= taken
      if (order.lots === 0) this.#unlink(order, level)
      this.listener.onExecuted(order.id, aggressorId, side, order.tick, taken, order.lots)
    }
    return rest
  }

  #unlink(order: RestingOrder, level: Level): void {
    const side = this.#sides[order.side]
    if (order.previous === null) level.head = order.next
    else order.previous.next = order.next
    if (order.next === null) level.tail = order.previous
    else order.next.previous = order.previous
    if (level.head === null) side.remove(level)
    const live = side.live[order.patience]
    const last = live.pop()
    if (last === undefined || last === order) return
    live[order.place] = last
    last.place = order.place
  }
}
