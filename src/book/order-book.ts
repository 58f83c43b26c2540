import { BacktapeError } from '../model/error.js'
import { scaledFromText } from '../model/decimal.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { Instrument } from '../model/instrument.js'
import { SIDE_CODES, type Side } from '../model/side.js'
import type { BookView } from '../model/book-view.js'
import { BookSide } from './book-side.js'
import { exactRescale } from './outer-levels.js'
import { hasWidePrice, WideQuantities } from './wide-quantities.js'

/** The limits of an order book. */
export interface OrderBookOptions {
  /**
   * Ticks of each side's window around the touch: a multiple of 32; default 65,536. Smaller saves memory, larger saves
   * time on deep books.
   */
  readonly windowTicks?: number
  /** Most levels that a side may hold; default 262,144. More is LIMIT_EXCEEDED. */
  readonly levelLimit?: number
}

/** An order book as plain data, exact, for checkpoints: it survives JSON and structured clones. */
export interface OrderBookState {
  /** Decimal places of prices: value = integer * 10^-scale. */
  readonly priceScale: number
  /** Decimal places of quantities: value = integer * 10^-scale. */
  readonly quantityScale: number
  /** True for a book that cannot be trusted. */
  readonly suspect: boolean
  /** Scaled prices and quantities, best first. */
  readonly bids: LevelColumns
  /** Scaled prices and quantities, best first. */
  readonly asks: LevelColumns
}

/** Levels as two columns of scaled integers. */
export interface LevelColumns {
  /** Scaled prices. */
  readonly prices: readonly number[]
  /** Scaled quantities, one for each price. */
  readonly quantities: readonly number[]
  /** Prices and texts of the quantities that are beyond 2^53 - 1 at the scale; absent where none is. */
  readonly wide?: readonly (readonly [price: number, quantity: string])[]
}

/**
 * The depth book of one instrument: exact, bounded, fast. Snapshots (0) replace it, updates (1) set absolute quantities
 * and 0 removes, a state ERROR (5) or a chain gap makes it `suspect` until the next snapshot; every other kind leaves
 * it as it is. A crossed book is kept as it stands. Prices and quantities are scaled integers of the batch applied
 * last; when a batch brings another scale the levels move to it exactly. A quantity beyond 2^53 - 1 is the double next
 * to it, and {@link wideQuantity} has its digits; an event with such a price is not applied, and makes the book
 * `suspect`. After an error the book's content means nothing.
 *
 * @example
 * ```ts
 * import { OrderBook } from 'backtape/columns'
 * const book = new OrderBook()
 * book.restore({
 *   priceScale: 1, quantityScale: 0, suspect: false,
 *   bids: { prices: [1000], quantities: [5] }, asks: { prices: [1001], quantities: [7] },
 * })
 * if (book.bestAskPrice !== 1001 || book.quantityAt('BID', 1000) !== 5) throw new Error('as restored')
 * ```
 */
export class OrderBook implements BookView {
  /** Decimal places of prices: value = integer * 10^-scale. */
  priceScale = 0
  /** Decimal places of quantities: value = integer * 10^-scale. */
  quantityScale = 0
  /** True until the first snapshot, and from a chain gap or a state ERROR to the next snapshot. */
  suspect = true
  private readonly bids: BookSide
  private readonly asks: BookSide
  /** Null while every quantity is an integer. */
  private wide: WideQuantities | null = null

  constructor(options: OrderBookOptions = {}) {
    const { windowTicks: windowSize = 65_536, levelLimit = 262_144 } = options
    if (!Number.isInteger(windowSize) || windowSize < 32 || windowSize % 32 !== 0 || windowSize > 2 ** 24) {
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot make a book: windowTicks must be a multiple of 32 up to 2^24, found ${windowSize}`,
        { field: 'windowTicks' },
      )
    }
    this.bids = new BookSide(1, { windowSize, levelLimit })
    this.asks = new BookSide(-1, { windowSize, levelLimit })
  }

  /** Number of bid levels. */
  get bidLevelCount(): number {
    return this.bids.levelCount
  }

  /** Number of ask levels. */
  get askLevelCount(): number {
    return this.asks.levelCount
  }

  /** Best bid price at `priceScale`, NaN where the side is empty. */
  get bestBidPrice(): number {
    return this.bids.bestPrice
  }

  /** Best ask price at `priceScale`, NaN where the side is empty. */
  get bestAskPrice(): number {
    return this.asks.bestPrice
  }

  /** Quantity of the best bid at `quantityScale`, 0 where the side is empty. */
  get bestBidQuantity(): number {
    return this.bids.bestQuantity
  }

  /** Quantity of the best ask at `quantityScale`, 0 where the side is empty. */
  get bestAskQuantity(): number {
    return this.asks.bestQuantity
  }

  /** Quantity at a price, both as scaled integers; 0 where no level stands. */
  quantityAt(side: Side, price: number): number {
    return this.sideOf(side).quantityAt(price)
  }

  /** The digits of the quantity at a price where they are beyond 2^53 - 1 at the scale; else undefined. */
  wideQuantity(side: Side, price: number): string | undefined {
    return this.wide?.at(side, price)
  }

  /** True where a level has a quantity beyond 2^53 - 1. */
  get hasWide(): boolean {
    return this.wide?.isEmpty === false
  }

  /**
   * Price of a side's worst level, NaN where the side is empty: beyond it nothing is shown, which is not the same as
   * empty.
   */
  deepestPrice(side: Side): number {
    return this.sideOf(side).deepestPrice
  }

  /** Copies up to `limit` best levels of a side, best first, into the caller's columns; returns their number. */
  copyLevels(side: Side, limit: number, prices: Float64Array, quantities: Float64Array): number {
    return this.sideOf(side).copyLevels(limit, prices, quantities)
  }

  /** Applies event `index` of a batch. Allocates nothing but for snapshots. */
  apply(batch: EventBatch, index: number): void {
    const kind = batch.kind[index]
    if (kind === EVENT_KINDS.update) this.update(batch, index)
    else if (kind === EVENT_KINDS.snapshot) this.replace(batch, index)
    else if (kind === EVENT_KINDS.state && isErrorState(batch, index)) this.suspect = true
  }

  /**
   * Takes of event `index` what is not its rows: whether the book is suspect, and the scales. For a book whose levels
   * nobody reads until they are brought in later.
   */
  pass(batch: EventBatch, index: number): void {
    const kind = batch.kind[index] as number
    const isOther = batch.priceScale !== this.priceScale || batch.quantityScale !== this.quantityScale
    if (kind <= EVENT_KINDS.update && isOther) this.rescale(batch)
    this.suspect = suspectAfter(batch, index, this.suspect)
    if (batch.wide !== null && hasWidePrice(batch, index)) this.suspect = true
  }

  /** Applies the events `from` (inclusive) to `to` (exclusive) of a batch. */
  applyRange(batch: EventBatch, from: number, to: number): void {
    for (let index = from; index < to; index++) {
      if ((batch.kind[index] as number) <= EVENT_KINDS.state) this.apply(batch, index)
    }
  }

  /** The whole book as plain data. */
  state(): OrderBookState {
    const { priceScale, quantityScale, suspect } = this
    const levels = (side: Side): LevelColumns => {
      const wide = this.wide?.state(side) ?? []
      return { ...levelColumns(this.sideOf(side)), ...(wide.length === 0 ? {} : { wide }) }
    }
    return { priceScale, quantityScale, suspect, bids: levels('BID'), asks: levels('ASK') }
  }

  /** Makes the book what a state says. */
  restore(state: OrderBookState): void {
    this.priceScale = state.priceScale
    this.quantityScale = state.quantityScale
    this.suspect = state.suspect
    this.wide = null
    for (const side of ['BID', 'ASK'] as const) {
      const { prices, quantities, wide } = side === 'BID' ? state.bids : state.asks
      if (wide !== undefined) (this.wide ??= new WideQuantities()).restore(side, wide)
      const code = SIDE_CODES[side]
      this.sideOf(side).replace(
        code, new Uint8Array(prices.length).fill(code), Float64Array.from(prices), Float64Array.from(quantities), 0,
        prices.length, 0,
      )
    }
  }

  private update(batch: EventBatch, index: number): void {
    if (batch.priceScale !== this.priceScale || batch.quantityScale !== this.quantityScale) this.rescale(batch)
    if (((batch.flags[index] as number) & EVENT_FLAGS.CHAIN_GAP) !== 0) this.suspect = true
    const { side, price, quantity, rowStart } = batch
    if (batch.wide !== null && !this.prepareWide(batch, index)) {
      this.suspect = true
      return
    }
    const end = rowStart[index + 1] as number
    let row = rowStart[index] as number
    while (row < end) {
      const code = side[row]
      let stop = row + 1
      while (stop < end && side[stop] === code) stop++
      (code === SIDE_CODES.ASK ? this.asks : this.bids).applyRows(price, quantity, row, stop)
      row = stop
    }
    this.bids.settle()
    this.asks.settle()
    if (this.wide !== null) this.wide.follow(batch, index)
  }

  /** For an event of a batch with wide numbers, before it is applied; false where it cannot be. */
  private prepareWide(batch: EventBatch, index: number): boolean {
    this.wide ??= new WideQuantities()
    return !hasWidePrice(batch, index)
  }

  private replace(batch: EventBatch, index: number): void {
    const { side, price, quantity, rowStart, priceScale, quantityScale } = batch
    this.priceScale = priceScale
    this.quantityScale = quantityScale
    this.suspect = ((batch.flags[index] as number) & SUSPECT_SEAM) === SUSPECT_SEAM
    const isWhole = batch.wide === null || this.prepareWide(batch, index)
    if (!isWhole) this.suspect = true
    const step = coarsestTick(batch.instrument, priceScale)
    const from = rowStart[index] as number
    const to = isWhole ? (rowStart[index + 1] as number) : from
    this.bids.replace(SIDE_CODES.BID, side, price, quantity, from, to, step)
    this.asks.replace(SIDE_CODES.ASK, side, price, quantity, from, to, step)
    if (this.wide === null) return
    this.wide.clear()
    if (isWhole) this.wide.follow(batch, index)
  }

  /** Moves every level to other scales, exactly; `apply` does it by itself when a line brings them. */
  rescale(batch: Pick<EventBatch, 'instrument' | 'priceScale' | 'quantityScale'>): void {
    const rescalePrice = exactRescale('price', this.priceScale, batch.priceScale)
    const wide = this.wide ?? new WideQuantities()
    const step = coarsestTick(batch.instrument, batch.priceScale)
    this.bids.rescale(rescalePrice, wide.rescaler('BID', this.quantityScale, batch.quantityScale), step)
    this.asks.rescale(rescalePrice, wide.rescaler('ASK', this.quantityScale, batch.quantityScale), step)
    this.wide = wide.isEmpty ? null : wide
    this.priceScale = batch.priceScale
    this.quantityScale = batch.quantityScale
  }

  private sideOf(side: Side): BookSide {
    return side === 'BID' ? this.bids : this.asks
  }
}

/** The coarsest tick of an instrument in scaled price units, 0 where it is unknown or finer than the scale. */
function coarsestTick(instrument: Instrument, priceScale: number): number {
  const texts =
    instrument.tickBands.length > 0 ? instrument.tickBands.map((band) => band.tickSize) : [instrument.tickSize ?? '0']
  return Math.max(0, ...texts.map((text) => scaledFromText(text, priceScale) ?? 0))
}

/** True where a book is suspect after event `index` of a batch; `before`: true where it was so. */
export function suspectAfter(batch: EventBatch, index: number, before: boolean): boolean {
  const kind = batch.kind[index] as number
  const flags = batch.flags[index] as number
  if (kind === EVENT_KINDS.snapshot) return (flags & SUSPECT_SEAM) === SUSPECT_SEAM
  if (kind === EVENT_KINDS.update) return before || (flags & EVENT_FLAGS.CHAIN_GAP) !== 0
  return before || (kind === EVENT_KINDS.state && isErrorState(batch, index))
}

/** A seam's snapshot may hand over a book that is suspect; a file's own never does. */
const SUSPECT_SEAM = EVENT_FLAGS.SEAM | EVENT_FLAGS.CHAIN_GAP

const ERROR_BYTES = [69, 82, 82, 79, 82]

/** Flags of states that leave the chain and the book as they are. */
const TRUSTED_GAPS = EVENT_FLAGS.SILENCE | EVENT_FLAGS.CROSSED_GAP

/**
 * True where a line of the state reports ERROR; that of a silence or a crossed book does not, as it leaves the chain
 * and the book as they are (exchange rules 6.4, 6.5).
 */
export function isErrorState(batch: EventBatch, index: number): boolean {
  if (((batch.flags[index] as number) & TRUSTED_GAPS) !== 0) return false
  const { start, bytes } = batch.text
  const at = batch.textStart[index] as number
  const from = start[at] as number
  if ((start[at + 1] as number) - from !== ERROR_BYTES.length) return false
  return ERROR_BYTES.every((byte, i) => bytes[from + i] === byte)
}

function levelColumns(side: BookSide): LevelColumns {
  const prices = new Float64Array(side.levelCount)
  const quantities = new Float64Array(side.levelCount)
  side.copyLevels(side.levelCount, prices, quantities)
  return { prices: [...prices], quantities: [...quantities] }
}
