import { EVENT_FLAGS, type EventBatch } from './event-batch.js'
import { EVENT_KINDS } from './event-kind.js'
import { factorBetween } from './scale-factor.js'
import { SIDE_CODES } from './side.js'
import { NS_PER_SECOND } from './time.js'

const { snapshot: SNAPSHOT, update: UPDATE, trades: TRADES, state: STATE, topOfBook: TOP } = EVENT_KINDS

/** The longest time from a book line to a later trade row that it shows. */
const LIMIT_NS = NS_PER_SECOND / 10
/** A run looks at so many lines out of each cycle: all would cost it a tenth of its speed. */
const [SAMPLE, CYCLE] = [4_096, 32_768]
/** So many prices of a side are followed: the last best ones and the last at which something traded. */
const PRICE_COUNT = 8

/** The trade rows of a market, and those that a book line of an earlier stamp showed before. */
export interface ShownTradeCounts {
  /** Rows of trade lines. Formula: trade rows in the first 4,096 of each 32,768 lines of a file. */
  readonly tradeRows: number
  /**
   * Those of them that a book line of an earlier exchange stamp showed before. Formula: of these the rows whose price
   * lost their quantity in a book line of an earlier stamp, at most 100 ms before.
   */
  readonly shownBefore: number
}

/**
 * True above 5 % of the rows: then books come before their trades. Up to 3 % of the rows of recorded days count by
 * chance, as as much was cancelled just before them.
 */
export function isShownOften({ tradeRows, shownBefore }: ShownTradeCounts): boolean {
  return shownBefore * 20 > tradeRows
}

/**
 * Counts trade rows that a book line (depth or top of book) of an earlier exchange stamp showed before: rule 1.1 puts
 * the row behind that line, and a resting order would be served twice. A row counts where its price had lost the row's
 * quantity, at most 100 ms earlier and by no other trade, and where the next line of its price, of the row's stamp or a
 * later one, does not show it; or where its price displays less than the row's quantity by then. Lines without a stamp,
 * or with one after the adapter's time, have the adapter's time. Follows a few prices of each side; a snapshot, a gap
 * and a state forget them.
 */
export class ShownTrades {
  #tradeRows = 0
  /** Top of book shows a trade at once; depth, which comes in batches, is read where the file has none. */
  #hasTops = false
  readonly #sides = [new FollowedPrices(true), new FollowedPrices(false)] as const
  #priceScale = 0
  #quantityScale = 0

  /** The counts so far. */
  counts(): ShownTradeCounts {
    const [bids, asks] = this.#sides
    return { tradeRows: this.#tradeRows, shownBefore: bids.shownBefore + asks.shownBefore }
  }

  /** The same as {@link count} of the first {@link SAMPLE} of each {@link CYCLE} lines of a file alone. */
  countSample(batch: EventBatch, from: number, to: number): void {
    for (let i = from; i < to;) {
      const at = (batch.firstEventIndex + i) % CYCLE
      if (at === 0) this.#forget()
      const next = Math.min(to, i + (at < SAMPLE ? SAMPLE : CYCLE) - at)
      if (at < SAMPLE) this.count(batch, i, next)
      i = next
    }
  }

  /** Counts the lines `from` to `to` of a batch: each line once, in file order. */
  count(batch: EventBatch, from: number, to: number): void {
    const { kind, flags, adapterTimeNs, exchangeTimeNs, rowStart, side, price, quantity } = batch
    const [bids, asks] = this.#sides
    this.#bringTo(batch)
    for (let i = from; i < to; i++) {
      const k = kind[i] as number
      if (k === TRADES) {
        this.#countTrades(batch, i)
        continue
      }
      if (k === SNAPSHOT || k === STATE || ((flags[i] as number) & EVENT_FLAGS.CHAIN_GAP) !== 0) this.#forget()
      if (k === TOP) this.#hasTops = true
      else if (k !== UPDATE || this.#hasTops) continue
      const given = exchangeTimeNs[i] as number
      const adapter = adapterTimeNs[i] as number
      const time = given <= adapter ? given : adapter
      const end = rowStart[i + 1] as number
      for (let r = rowStart[i] as number; r < end; r++) {
        const at = price[r] as number
        const followed = side[r] === SIDE_CODES.BID ? bids : asks
        if (k === TOP) followed.best(at, quantity[r] as number, time)
        else if (at >= followed.lowest && at <= followed.highest) followed.shown(at, quantity[r] as number, time)
      }
    }
  }

  #countTrades(batch: EventBatch, index: number): void {
    const { adapterTimeNs, rowStart, tradeRowStart, rowTimeNs, side, price, quantity } = batch
    const first = rowStart[index] as number
    const end = rowStart[index + 1] as number
    const adapter = adapterTimeNs[index] as number
    const tradeFirst = (tradeRowStart[index] as number) - first
    this.#tradeRows += end - first
    for (let r = first; r < end; r++) {
      const given = rowTimeNs[tradeFirst + r] as number
      const passive = side[r] === SIDE_CODES.ASK ? this.#sides[0] : this.#sides[1]
      passive.traded(price[r] as number, quantity[r] as number, given <= adapter ? given : adapter)
    }
  }

  #forget(): void {
    for (const side of this.#sides) side.forget()
  }

  #bringTo({ priceScale, quantityScale }: EventBatch): void {
    const priceFactor = factorBetween(this.#priceScale, priceScale)
    const quantityFactor = factorBetween(this.#quantityScale, quantityScale)
    this.#priceScale = priceScale
    this.#quantityScale = quantityScale
    if (priceFactor * quantityFactor > 1) for (const side of this.#sides) side.rescale(priceFactor, quantityFactor)
  }
}

/**
 * Numbers of a followed price in {@link FollowedPrices}: what the newest line of the price displays (NaN: not known)
 * and the time of that line; what the last line that lowered it took away and no trade explains, and that line's time;
 * the rows that no line has shown yet, their number and what they traded; the same of rows in doubt, which an earlier
 * line may have shown; and the latest time of all of these rows.
 */
const [SHOWN, SHOWN_NS, LOST, LOST_NS, ROWS, TRADED, DOUBTS, DOUBTED, TRADED_NS, WIDTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
const QUANTITIES = [SHOWN, LOST, TRADED, DOUBTED] as const

/** A few prices of a side. Prices and quantities are scaled integers. */
class FollowedPrices {
  shownBefore = 0
  /** The lowest and the highest price that is followed. */
  lowest = Infinity
  highest = -Infinity
  #best = NaN
  #bestAt = 0
  #next = 0
  readonly #prices: Float64Array = new Float64Array(PRICE_COUNT).fill(NaN)
  readonly #numbers: Float64Array = new Float64Array(PRICE_COUNT * WIDTH)

  constructor(private readonly isBid: boolean) {}

  /** A line of top of book: the best price of the side, and what it displays. */
  best(price: number, quantity: number, timeNs: number): void {
    const before = this.#best
    if (price !== before) {
      // What was the best price is passed, and empty.
      if (this.isBid ? price < before : price > before) this.shown(before, 0, timeNs)
      this.#best = price
    }
    if ((this.#prices[this.#bestAt] as number) !== price) this.#bestAt = this.#follow(price)
    this.#shownAt(this.#bestAt * WIDTH, quantity, timeNs)
  }

  /** A line displays a quantity at a price; nothing where the price is not followed. */
  shown(price: number, quantity: number, timeNs: number): void {
    const i = this.#placeOf(price)
    if (i >= 0) this.#shownAt(i * WIDTH, quantity, timeNs)
  }

  /** A row that traded at a price of this side. */
  traded(price: number, quantity: number, timeNs: number): void {
    const numbers = this.#numbers
    const at = this.#follow(price) * WIDTH
    const lost = numbers[at + LOST] as number
    const lostNs = numbers[at + LOST_NS] as number
    if (lost >= quantity && timeNs - lostNs <= LIMIT_NS) {
      numbers[at + LOST] = lost - quantity
      // A line of its stamp comes behind it (rule 1.1), one of a later stamp as well.
      if (lostNs >= timeNs) return
      if ((numbers[at + SHOWN] as number) < quantity) {
        this.shownBefore++
        return
      }
      this.#add(at + DOUBTS, 1, quantity)
    } else this.#add(at + ROWS, 1, quantity)
    if (timeNs > (numbers[at + TRADED_NS] as number)) numbers[at + TRADED_NS] = timeNs
  }

  forget(): void {
    this.#prices.fill(NaN)
    this.lowest = Infinity
    this.highest = -Infinity
    this.#best = NaN
  }

  rescale(priceFactor: number, quantityFactor: number): void {
    this.lowest *= priceFactor
    this.highest *= priceFactor
    this.#best *= priceFactor
    for (let i = 0; i < PRICE_COUNT; i++) {
      this.#prices[i] = (this.#prices[i] as number) * priceFactor
      for (const of of QUANTITIES) {
        const at = i * WIDTH + of
        this.#numbers[at] = (this.#numbers[at] as number) * quantityFactor
      }
    }
  }

  /** The same as {@link shown} by the place of the price's numbers. */
  #shownAt(at: number, quantity: number, timeNs: number): void {
    const numbers = this.#numbers
    if (timeNs < (numbers[at + SHOWN_NS] as number)) return
    const shown = numbers[at + SHOWN] as number
    const tradedNs = numbers[at + TRADED_NS] as number
    numbers[at + SHOWN_NS] = timeNs
    numbers[at + SHOWN] = quantity
    // Most lines lower nothing, and nothing has traded.
    if (tradedNs === -Infinity && shown <= quantity) return
    const fell = shown - quantity
    const lost = timeNs >= tradedNs ? this.#explained(at, fell) : this.#doubted(at, fell, timeNs)
    if (!(lost > 0)) return
    numbers[at + LOST] = timeNs === (numbers[at + LOST_NS] as number) ? (numbers[at + LOST] as number) + lost : lost
    numbers[at + LOST_NS] = timeNs
  }

  /** A line behind all rows of its price says which of them it shows; what it took away beyond those. */
  #explained(at: number, lost: number): number {
    const numbers = this.#numbers
    const doubted = numbers[at + DOUBTED] as number
    const isShownNow = lost >= doubted
    if (!isShownNow) this.shownBefore += numbers[at + DOUBTS] as number
    const rest = lost - (isShownNow ? doubted : 0) - (numbers[at + TRADED] as number)
    numbers[at + DOUBTED] = numbers[at + DOUBTS] = numbers[at + TRADED] = numbers[at + ROWS] = 0
    numbers[at + TRADED_NS] = -Infinity
    return rest
  }

  /** A line before the last row of its price puts rows in doubt whose quantity it took away; what it took beyond. */
  #doubted(at: number, lost: number, timeNs: number): number {
    const numbers = this.#numbers
    const traded = numbers[at + TRADED] as number
    if (traded === 0 || !(lost >= traded) || (numbers[at + TRADED_NS] as number) - timeNs > LIMIT_NS) return lost
    this.#add(at + DOUBTS, numbers[at + ROWS] as number, traded)
    numbers[at + TRADED] = numbers[at + ROWS] = 0
    return lost - traded
  }

  /** Adds to a number of rows, and to the quantity behind it. */
  #add(at: number, rowCount: number, quantity: number): void {
    this.#numbers[at] = (this.#numbers[at] as number) + rowCount
    this.#numbers[at + 1] = (this.#numbers[at + 1] as number) + quantity
  }

  /** The place of a price; -1 where it is not followed. A loop, as `indexOf` of so few costs several times as much. */
  #placeOf(price: number): number {
    const prices = this.#prices
    for (let i = 0; i < PRICE_COUNT; i++) if (prices[i] === price) return i
    return -1
  }

  /** The place of a price, which is followed from now on: that of the one followed longest, where it is new. */
  #follow(price: number): number {
    const found = this.#placeOf(price)
    if (found >= 0) return found
    const i = this.#next
    this.#next = (i + 1) % PRICE_COUNT
    this.#prices[i] = price
    const at = i * WIDTH
    this.#numbers.fill(0, at, at + WIDTH)
    this.#numbers[at + SHOWN] = NaN
    this.#numbers[at + SHOWN_NS] = this.#numbers[at + LOST_NS] = this.#numbers[at + TRADED_NS] = -Infinity
    this.lowest = Infinity
    this.highest = -Infinity
    for (let j = 0; j < PRICE_COUNT; j++) {
      const one = this.#prices[j] as number
      if (one < this.lowest) this.lowest = one
      if (one > this.highest) this.highest = one
    }
    return i
  }
}
