import type { BookView } from '../model/book-view.js'
import { decimalScale, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { Trade } from '../model/events.js'
import { FixedDecimal, Price, Quantity } from '../model/fixed-decimal.js'
import type { Instrument } from '../model/instrument.js'
import type { InstrumentEntry, MarketView } from '../venue/venue.js'

/** One price with its total quantity. */
export interface Level {
  readonly price: Price
  readonly quantity: Quantity
}

/** How a value that lies between two steps is moved. */
export type RoundingDirection = 'down' | 'up'

/**
 * An instrument whose market data a strategy reads. Friendly values (`bestBid`, `book`) make objects each time they are read,
 * some 100 ns apiece; `view` is the hot form: scaled integers without allocation.
 */
export class DataInstrument {
  readonly id: number
  readonly code: string
  readonly exchangeCode: string
  readonly master: Instrument
  readonly entry: InstrumentEntry
  /** Scaled integers at `view.book.priceScale` and `quantityScale`; live. */
  readonly view: MarketView
  #lastTrades: readonly Trade[] = []

  constructor(entry: InstrumentEntry, view: MarketView) {
    const { instrument } = entry
    this.id = instrument.id
    this.code = instrument.code
    this.exchangeCode = instrument.exchangeCode
    this.master = instrument
    this.entry = entry
    this.view = view
  }

  /** Best bid of depth and top of book, whichever is newer; null where the side is empty. */
  get bestBid(): Level | null {
    return this.#level(this.view.bestBidPrice, this.view.bestBidQuantity)
  }

  get bestAsk(): Level | null {
    return this.#level(this.view.bestAskPrice, this.view.bestAskQuantity)
  }

  /** The depth book. `suspect` says that it cannot be trusted just now. */
  get book(): { readonly bids: readonly Level[]; readonly asks: readonly Level[]; readonly suspect: boolean } {
    const { book } = this.view
    return { bids: levelsOf(book, 'BID'), asks: levelsOf(book, 'ASK'), suspect: book.suspect }
  }

  /** All trades of the last trades callback and since the one before it. */
  getLastTrades(): readonly Trade[] {
    return this.#lastTrades
  }

  /** Last mark price, null before the first. */
  get markPrice(): Price | null {
    return Number.isNaN(this.view.markPrice) ? null : new Price(this.view.markPrice, this.view.markScale)
  }

  /** Last index price, null before the first. */
  get indexPrice(): Price | null {
    return Number.isNaN(this.view.indexPrice) ? null : new Price(this.view.indexPrice, this.view.indexScale)
  }

  /** A price of this instrument from its text; exact. Throws where the text is no decimal. */
  price(text: string): Price {
    return Price.from(text)
  }

  /** A quantity of this instrument from its text; exact. Throws where the text is no decimal. */
  quantity(text: string): Quantity {
    return Quantity.from(text)
  }

  /** The next price on the tick, down or up: the only way in which a price is ever rounded. */
  roundPrice(price: FixedDecimal, direction: RoundingDirection): Price {
    const [integer, scale] = rounded(price, this.tickSizeText(), direction)
    return new Price(integer, scale)
  }

  /** The next quantity on the lot, down or up. */
  roundQuantity(quantity: FixedDecimal, direction: RoundingDirection = 'down'): Quantity {
    const [integer, scale] = rounded(quantity, this.master.lotSize ?? '1', direction)
    return new Quantity(integer, scale)
  }

  /** The tick size, refused where it depends on the price. */
  tickSizeText(): string {
    if (this.master.tickSize !== null && this.master.tickBands.length === 0) return this.master.tickSize
    throw new BacktapeError('OPTION_INVALID', `Cannot round a price of ${this.code}: its master data has ${this.master.tickBands.length > 0 ? 'price-banded tick sizes' : 'no tick size'}`, { field: 'ticksize' })
  }

  /** For the runtime. */
  takeTrades(trades: readonly Trade[]): void {
    this.#lastTrades = trades
  }

  #level(price: number, quantity: number): Level | null {
    if (Number.isNaN(price)) return null
    const { priceScale, quantityScale } = this.view.book
    return { price: new Price(price, priceScale), quantity: new Quantity(quantity, quantityScale) }
  }
}

function levelsOf(book: BookView, side: 'BID' | 'ASK'): Level[] {
  const count = side === 'BID' ? book.bidLevelCount : book.askLevelCount
  const prices = new Float64Array(count)
  const quantities = new Float64Array(count)
  const copied = book.copyLevels(side, count, prices, quantities)
  const levels: Level[] = []
  for (let i = 0; i < copied; i++) levels.push({ price: new Price(prices[i] as number, book.priceScale), quantity: new Quantity(quantities[i] as number, book.quantityScale) })
  return levels
}

/** A value moved to a multiple of a step; integer and scale of the result. */
function rounded(value: FixedDecimal, stepText: string, direction: RoundingDirection): [integer: number, scale: number] {
  const scale = Math.max(value.scale, decimalScale(stepText) ?? 0)
  const step = scaledFromText(stepText, scale)
  const integer = scaledFromText(value.toString(), scale)
  if (step === null || integer === null || step <= 0) throw new BacktapeError('VALUE_INEXACT', `Cannot round ${value.toString()} to multiples of ${stepText}: they do not fit 2^53 together`)
  const steps = direction === 'down' ? Math.floor(integer / step) : Math.ceil(integer / step)
  return [steps * step, scale]
}
