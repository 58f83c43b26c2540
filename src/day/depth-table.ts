import { OrderBook } from '../book/order-book.js'
import { DepthTable, type DepthSide } from '../measures/market/book-depth.js'
import type { Side } from '../model/side.js'
import { checkOptionNames, type OptionNames } from '../model/option-names.js'
import type { Table } from '../tables/table.js'
import { shapeFromInstrument } from '../export/export-kind.js'
import { readingMetadata } from '../model/clock-words.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import { gridMetadata, type GridSubject } from './book-grid.js'
import { tooManyRows, type RowLimit } from './book-table.js'
import { DEFAULT_MAX_ROWS } from './event-table.js'
import { sampledTimes, type BookGridOptions, type SampledDay } from './sampled-books.js'

/** Options of `TickDay.depth`: a grid of whole books. */
export interface DepthOptions extends Omit<BookGridOptions, 'levels'>, RowLimit {}

const NAMES: OptionNames<DepthOptions> = { everyMs: true, from: true, to: true, margins: true, maxRows: true }

/** Every level of a side of a book, in columns that grow with it and are reused. */
class WholeSide implements DepthSide {
  prices: Float64Array = new Float64Array(0)
  quantities: Float64Array = new Float64Array(0)
  count = 0
  readonly isWhole = true

  constructor(private readonly side: Side) {}

  read(book: OrderBook): void {
    const levels = this.side === 'BID' ? book.bidLevelCount : book.askLevelCount
    if (levels > this.prices.length)
      [this.prices, this.quantities] = [new Float64Array(2 * levels), new Float64Array(2 * levels)]
    this.count = book.copyLevels(this.side, levels, this.prices, this.quantities)
  }
}

/** A day as far as the depth of its books needs it: a `TickDay` is one. */
type DepthDay = SampledDay & GridSubject & { readonly summary: ReadingSummary }

/** Depth near the mid from whole books: see `TickDay.depth`. */
export async function readDepthTable(
  day: DepthDay, basisPoints: readonly number[], given: DepthOptions,
): Promise<Table> {
  checkOptionNames('measure depth', given, NAMES)
  const { maxRows = DEFAULT_MAX_ROWS, ...options } = given
  const made = new DepthTable(basisPoints)
  const [book, bids, asks] = [new OrderBook(), new WholeSide('BID'), new WholeSide('ASK')]
  for await (const timeNs of sampledTimes(day, book, options)) {
    if (made.rowCount === maxRows) throw tooManyRows(day.name, 'take a longer everyMs or a span', maxRows)
    bids.read(book)
    asks.read(book)
    const { suspect: isSuspect, priceScale, quantityScale } = book
    made.add(timeNs, { isSuspect, bids, asks, priceUnit: 10 ** priceScale, quantityUnit: 10 ** quantityScale })
  }
  const metadata = gridMetadata(day, shapeFromInstrument(day.instrument), options)
  return made.table({ metadata }, readingMetadata(day.summary))
}
