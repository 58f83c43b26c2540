import type { PriceRows } from './stretch-columns.js'

/** One side of a book, best first; integers at the scales of its instrument. */
export interface LadderSide {
  readonly prices: number[]
  readonly quantities: number[]
}

/** The levels of a book as its client saw them. */
export interface Ladder {
  readonly bids: LadderSide
  readonly asks: LadderSide
}

/** A level that an event changed; 0: it was or is not among those that are kept. */
export interface LevelChange {
  readonly isBid: boolean
  readonly price: number
  readonly before: number
  readonly after: number
}

/** The best prices behind each event that changed a level; NaN where a side is empty. */
export interface TouchColumns {
  readonly event: readonly number[]
  readonly bid: readonly number[]
  readonly ask: readonly number[]
}

/** Rows between two states that are kept whole. */
const KEY_ROWS = 1024

/** The number of entries of an ascending column that are at most a value. */
export function countUpTo(column: readonly number[], value: number): number {
  let low = 0
  let high = column.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((column[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low
}

const emptyLadder = (): Ladder => ({ bids: { prices: [], quantities: [] }, asks: { prices: [], quantities: [] } })

function copied({ bids, asks }: Ladder): Ladder {
  const side = (one: LadderSide): LadderSide => ({ prices: [...one.prices], quantities: [...one.quantities] })
  return { bids: side(bids), asks: side(asks) }
}

/** Puts a row into its place. */
function set({ prices, quantities }: LadderSide, price: number, quantity: number, worse: number): void {
  let low = 0
  let high = prices.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (((prices[middle] as number) - price) * worse < 0) low = middle + 1
    else high = middle
  }
  const isThere = prices[low] === price
  if (quantity === 0) {
    if (!isThere) return
    prices.splice(low, 1)
    quantities.splice(low, 1)
  } else if (isThere) quantities[low] = quantity
  else {
    prices.splice(low, 0, price)
    quantities.splice(low, 0, quantity)
  }
}

function best({ prices }: LadderSide): number {
  return prices[0] ?? NaN
}

/**
 * The book of one instrument at any event of a stretch, rebuilt of its rows. Whole states are kept at intervals, so
 * that a step back costs no more than a step forward.
 */
export class LadderReplay {
  readonly touch: TouchColumns
  readonly #touch: { readonly event: number[]; readonly bid: number[]; readonly ask: number[] } = {
    event: [], bid: [], ask: [],
  }
  readonly #keys: Ladder[] = [emptyLadder()]
  /** The levels behind all rows that were taken. */
  readonly #newest: Ladder = emptyLadder()
  #takenCount = 0
  /** The levels that were looked at last. */
  #ladder: Ladder = emptyLadder()
  #rowCount = 0

  constructor(private readonly rows: PriceRows, private readonly keyRows: number = KEY_ROWS) {
    this.touch = this.#touch
    this.grow()
  }

  /** Takes the rows that were added since: they are of later events than those before. */
  grow(): void {
    const { event } = this.rows
    while (this.#takenCount < event.length) {
      const row = this.#takenCount++
      this.#apply(this.#newest, row)
      if (this.#takenCount % this.keyRows === 0) this.#keys.push(copied(this.#newest))
      if (event[row] === event[row + 1]) continue
      this.#touch.event.push(event[row] as number)
      this.#touch.bid.push(best(this.#newest.bids))
      this.#touch.ask.push(best(this.#newest.asks))
    }
  }

  /** The levels behind an event. They are this object's own until the next call. */
  at(event: number): Ladder {
    const target = countUpTo(this.rows.event, event)
    if (target < this.#rowCount || target - this.#rowCount > this.keyRows) {
      const key = Math.floor(target / this.keyRows)
      this.#ladder = copied(this.#keys[key] as Ladder)
      this.#rowCount = key * this.keyRows
    }
    while (this.#rowCount < target) this.#apply(this.#ladder, this.#rowCount++)
    return this.#ladder
  }

  /** The levels that an event changed, in the order of its rows. */
  changes(event: number): LevelChange[] {
    const { side, price, quantity } = this.rows
    const [from, to] = [countUpTo(this.rows.event, event - 1), countUpTo(this.rows.event, event)]
    if (from === to) return []
    const { bids, asks } = this.at(event - 1)
    const changes: LevelChange[] = []
    for (let row = from; row < to; row++) {
      const isBid = side[row] === 0
      const { prices, quantities } = isBid ? bids : asks
      const at = prices.indexOf(price[row] as number)
      const before = at < 0 ? 0 : (quantities[at] as number)
      changes.push({ isBid, price: price[row] as number, before, after: quantity[row] as number })
    }
    return changes
  }

  #apply({ bids, asks }: Ladder, row: number): void {
    const { side, price, quantity } = this.rows
    const isBid = side[row] === 0
    set(isBid ? bids : asks, price[row] as number, quantity[row] as number, isBid ? -1 : 1)
  }
}
