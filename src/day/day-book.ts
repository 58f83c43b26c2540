import { showAs } from '../model/display.js'
import { shownTable, type Shown } from '../model/display-table.js'
import type { BookView } from '../model/book-view.js'
import { BacktapeError } from '../model/error.js'
import { Price, Quantity, wideQuantity } from '../model/fixed-decimal.js'
import type { Side } from '../model/side.js'
import { isoFromEpochNs } from '../model/time.js'

/** The part of a book that is wanted. */
export interface DayBookOptions {
  /** Most levels of each side; default all. */
  readonly levels?: number
}

/** One price with its total quantity. */
export interface BookLevel {
  /** Price of the level, exact. */
  readonly price: Price
  /** Total quantity at this price, in the instrument's own unit. */
  readonly quantity: Quantity
}

/** Levels of each side that a book shows of itself. */
const SHOWN_LEVELS = 10

/**
 * An order book at one instant: the caller's own, it does not change. Index 0 of a side is its best level.
 *
 * @example
 * ```ts
 * import { openTickFile, type DayBook, type TickDay } from 'backtape'
 * const day: TickDay = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const book: DayBook = await day.bookAt('12:00:00')
 * console.log(book.bids[0]?.price.toString(), book.bids[0]?.quantity.toString(), book.suspect)
 * ```
 */
export class DayBook {
  /** True after a gap or an outage, and before the first snapshot, until the next snapshot: the levels may be wrong. */
  readonly suspect: boolean
  /** Bid levels, best first. */
  readonly bids: readonly BookLevel[]
  /** Ask levels, best first. */
  readonly asks: readonly BookLevel[]

  constructor(
    book: BookView,
    /** Epoch nanoseconds on the adapter clock. */
    readonly timestampNs: bigint,
    options: DayBookOptions = {},
  ) {
    const limit = options.levels ?? Infinity
    if (!(limit >= 0) || (limit !== Infinity && !Number.isSafeInteger(limit))) {
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot show a book: levels must be a whole number not below 0, found ${String(limit)}`,
        { field: 'levels', found: String(limit) },
      )
    }
    this.suspect = book.suspect
    this.bids = levelsOf(book, 'BID', Math.min(limit, book.bidLevelCount))
    this.asks = levelsOf(book, 'ASK', Math.min(limit, book.askLevelCount))
  }

  /** `2024-08-08T12:00:00.000000000Z`. */
  get time(): string {
    return isoFromEpochNs(this.timestampNs)
  }

  /** Plain data with decimals and the time as text. */
  toJSON(): object {
    const { time, suspect, bids, asks } = this
    return { time, timestampNs: String(this.timestampNs), suspect, bids, asks }
  }
}

function levelsOf(book: BookView, side: Side, count: number): BookLevel[] {
  const prices = new Float64Array(count)
  const quantities = new Float64Array(count)
  const written = book.copyLevels(side, count, prices, quantities)
  const levels: BookLevel[] = []
  for (let level = 0; level < written; level++) {
    const price = prices[level] as number
    const digits = book.wideQuantity?.(side, price)
    levels.push({
      price: new Price(price, book.priceScale),
      quantity: digits === undefined ? new Quantity(quantities[level] as number, book.quantityScale)
        : wideQuantity(digits),
    })
  }
  return levels
}

/** A book as it is shown: the levels of both sides beside each other. */
function shownBook({ time, suspect, bids, asks }: DayBook): Shown {
  const cells = (level: BookLevel | undefined): [price: string, quantity: string] => (
    level === undefined ? ['', ''] : [level.price.toString(), level.quantity.toString()])
  return shownTable({
    title: `Book at ${time}${suspect ? ', suspect' : ''}: ${String(bids.length)} bids, ${String(asks.length)} asks`,
    columns: ['bid quantity', 'bid price', 'ask price', 'ask quantity'].map((name) => ({ name, isNumber: true })),
    rowCount: Math.min(SHOWN_LEVELS, Math.max(bids.length, asks.length)),
    rowAt: (index) => [...cells(bids[index]).reverse(), ...cells(asks[index])],
  })
}

showAs(DayBook.prototype, shownBook)
