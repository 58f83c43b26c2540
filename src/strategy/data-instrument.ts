import { copyBookLevels } from '../measures/book-measures.js'
import type { BookView } from '../model/book-view.js'
import { brand } from '../model/brand.js'
import { Decimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { decimalAt, epochNsOrNull, liquidationRows, tradeRows, type RowColumns } from '../model/event-rows.js'
import type { Liquidation, Trade } from '../model/events.js'
import { FixedDecimal, Price, Quantity, widePrice } from '../model/fixed-decimal.js'
import type { Instrument } from '../model/instrument.js'
import type { Writable } from '../model/writable.js'
import type { InstrumentEntry, MarketDataState, MarketView } from '../venue/venue.js'
import { HeldLine } from './held-line.js'
import { foundText } from '../model/fault.js'
import { roundableText, roundedToStep, steppedPrice, tickSizeOf, type RoundingDirection } from './step-rounding.js'

/** One price with its total quantity. */
export interface Level {
  /** Price of the level, exact. */
  readonly price: Price
  /** Total quantity at this price, in the instrument's own unit. */
  readonly quantity: Quantity
}

/** The funding state that was last published: not a payment. */
export interface FundingRate {
  /** Published funding rate, a fraction: 0.0001 is 0.01 %. */
  readonly rate: Decimal
  /** Time of the next payment, epoch nanoseconds; null where not available. */
  readonly nextFundingTimestampNs: bigint | null
  /** Rate that the venue predicts, a fraction; null where none was published. */
  readonly predictedRate: Decimal | null
}

// What the runtime alone does with an instrument: nothing of it is seen on the class.
/** The batches of lines taken over are about to be written over. */
export let keepLines: (instrument: DataInstrument) => void
/** Takes over a line of trades, liquidations or funding; its batch stays as it is until {@link keepLines}. */
export let takeLine: (instrument: DataInstrument, batch: EventBatch, index: number) => void
/** Shows another market, or none, from now on. */
export let takeView: (instrument: DataInstrument, view: MarketView) => void
/** Takes over what a checkpoint holds. */
export let putLines: (
  instrument: DataInstrument, trades: readonly Trade[], liquidations: readonly Liquidation[],
  fundingRate: FundingRate | null,
) => void

/**
 * An instrument whose market data a strategy reads. Friendly values are objects that are made when they are read: a
 * best level again only where it has changed since, a book each time, some 100 ns a level. `view` is the hot form:
 * scaled integers without allocation.
 *
 * @example
 * ```ts
 * import { DataInstrument, Parameter, Strategy } from 'backtape'
 * class Watch extends Strategy {
 *   @Parameter(DataInstrument) instrument!: DataInstrument
 *   override onInstrumentTopOfBook(): void {
 *     const { bestBid, bestAsk } = this.instrument
 *     if (bestBid !== null && bestAsk !== null) this.log(`${bestBid.price} ${bestAsk.price}`)
 *   }
 * }
 * console.log(Watch.name)
 * ```
 */
export class DataInstrument {
  /** Id of the instrument. */
  readonly id: number
  /** Code of the instrument, such as `BTCUSDT`. */
  readonly code: string
  /** Code of the exchange, such as `binance_swap`. */
  readonly exchangeCode: string
  /** The directory's entry: the scales at which `view` holds integers. */
  readonly entry: InstrumentEntry
  /** Scaled integers at `view.book.priceScale` and `quantityScale`; live. */
  readonly view: MarketView
  readonly #lastTrades: HeldLine<readonly Trade[]> = new HeldLine<readonly Trade[]>([], tradeRows)
  readonly #lastLiquidations: HeldLine<readonly Liquidation[]> = new HeldLine<readonly Liquidation[]>(
    [], liquidationRows,
  )
  readonly #fundingRate: HeldLine<FundingRate | null> = new HeldLine<FundingRate | null>(null, fundingRateOf)
  /** The best levels as they were read last. */
  #bid: Level | null = null
  #ask: Level | null = null

  static {
    keepLines = (instrument): void => {
      instrument.#lastTrades.keep()
      instrument.#lastLiquidations.keep()
      instrument.#fundingRate.keep()
    }
    takeLine = (instrument, batch, index): void => {
      const kind = batch.kind[index]
      if (kind === EVENT_KINDS.trades) instrument.#lastTrades.hold(batch, index)
      else if (kind === EVENT_KINDS.liquidations) instrument.#lastLiquidations.hold(batch, index)
      else if (kind === EVENT_KINDS.funding) instrument.#fundingRate.hold(batch, index)
    }
    takeView = (instrument, view): void => {
      (instrument as Writable<DataInstrument>).view = view
    }
    putLines = (instrument, trades, liquidations, fundingRate): void => {
      instrument.#lastTrades.put(trades)
      instrument.#lastLiquidations.put(liquidations)
      instrument.#fundingRate.put(fundingRate)
    }
  }

  constructor(entry: InstrumentEntry, view: MarketView) {
    const { instrument } = entry
    this.id = instrument.id
    this.code = instrument.code
    this.exchangeCode = instrument.exchangeCode
    this.entry = entry
    this.view = view
  }

  /**
   * Its master data as they hold now: a later day of a run may have another tick, lot or state (exchange rules 1.7).
   */
  get master(): Instrument {
    return this.entry.instrument
  }

  /**
   * State of the market data: PENDING before its first snapshot, ERROR while the book cannot be trusted; FAILED and
   * GONE are states of instruments that were subscribed while the strategy ran, of which nothing is seen then.
   */
  get marketDataState(): MarketDataState {
    return this.view.state
  }

  /**
   * Best bid of depth and top of book, whichever is newer; null where the side is empty, and while the market data are
   * PENDING or in ERROR.
   */
  get bestBid(): Level | null {
    return (this.#bid = this.#level(this.view.bestBidPrice, this.view.bestBidQuantity, this.#bid))
  }

  /** Best ask, by the same rules as `bestBid`. */
  get bestAsk(): Level | null {
    return (this.#ask = this.#level(this.view.bestAskPrice, this.view.bestAskQuantity, this.#ask))
  }

  /** The depth book. `suspect` says that it cannot be trusted just now. */
  get book(): { readonly bids: readonly Level[]; readonly asks: readonly Level[]; readonly suspect: boolean } {
    const { book } = this.view
    return { bids: levelsOf(book, 'BID'), asks: levelsOf(book, 'ASK'), suspect: book.suspect }
  }

  /**
   * All trades since the trades callback before the last one, in file order: inside `onInstrumentTrades` those that it
   * is about. Objects are made when this is called, once. Empty where the strategy has no `onInstrumentTrades`: trades
   * are subscribed for it alone.
   */
  getLastTrades(): readonly Trade[] {
    return this.#lastTrades.get()
  }

  /** The rows of the last liquidations callback; empty where the strategy has no `onInstrumentLiquidations`. */
  getLastLiquidations(): readonly Liquidation[] {
    return this.#lastLiquidations.get()
  }

  /** Last funding state; null before the first, and where the strategy has no `onInstrumentFundingRate`. */
  get fundingRate(): FundingRate | null {
    return this.#fundingRate.get()
  }

  /** Last mark price, null before the first. */
  get markPrice(): Price | null {
    const { markPrice, markScale, markDigits } = this.view
    if (Number.isNaN(markPrice)) return null
    return markDigits === null ? new Price(markPrice, markScale) : widePrice(markDigits)
  }

  /** Last index price, null before the first. */
  get indexPrice(): Price | null {
    const { indexPrice, indexScale, indexDigits } = this.view
    if (Number.isNaN(indexPrice)) return null
    return indexDigits === null ? new Price(indexPrice, indexScale) : widePrice(indexDigits)
  }

  /** A price of this instrument from its text; exact. Throws where the text is no decimal. */
  price(text: string): Price
  /**
   * The next price on the tick (of the price's band) from a number or a text, down or up. A number counts as
   * JavaScript writes it: 0.3 is 0.3, 0.1 + 0.2 is 0.30000000000000004. Throws OPTION_INVALID for NaN and infinities
   * and where the master data has no tick size, VALUE_INEXACT where the price does not fit 2^53.
   */
  price(value: number | string, direction: RoundingDirection): Price
  /** By text alone, or by a value and a direction. */
  price(value: number | string, direction?: RoundingDirection): Price {
    if (direction === undefined) return Price.from(exactText(value, 'price'))
    const text = roundableText(value, 'price')
    return new Price(...roundedToStep(text, tickSizeOf(this.master, new Decimal(text)), direction))
  }

  /** A quantity of this instrument from its text; exact. Throws where the text is no decimal. */
  quantity(text: string): Quantity
  /** The next quantity on the lot from a number or a text, down or up; as `price` takes them. */
  quantity(value: number | string, direction: RoundingDirection): Quantity
  /** By text alone, or by a value and a direction. */
  quantity(value: number | string, direction?: RoundingDirection): Quantity {
    if (direction === undefined) return Quantity.from(exactText(value, 'quantity'))
    return new Quantity(...roundedToStep(roundableText(value, 'quantity'), this.master.lotSize ?? '1', direction))
  }

  /**
   * The next price on the tick (of the price's band), down or up; exact, of a Decimal such as an average too. Nothing
   * rounds a price without a direction.
   */
  roundPrice(price: FixedDecimal | Decimal, direction: RoundingDirection): Price {
    const text = decimalText(price, 'round')
    return new Price(...roundedToStep(text, tickSizeOf(this.master, new Decimal(text)), direction))
  }

  /**
   * The price `count` ticks above `price`, below it where `count` is below 0; exact, each tick that of the band it
   * leads through. From between two ticks the next one is the first. Throws OPTION_INVALID where `count` is not whole
   * or the master data has no tick size.
   */
  stepPrice(price: FixedDecimal | Decimal, count: number): Price {
    const text = decimalText(price, 'step')
    // The ticks around an average do, where the average itself has too many digits.
    if (price instanceof FixedDecimal || !Number.isSafeInteger(count) || count === 0)
      return steppedPrice(this.master, text, count)
    return steppedPrice(this.master, this.roundPrice(price, count > 0 ? 'down' : 'up').toString(), count)
  }

  /** The next quantity on the lot, down or up; exact, of a Decimal too. */
  roundQuantity(quantity: FixedDecimal | Decimal, direction: RoundingDirection = 'down'): Quantity {
    return new Quantity(...roundedToStep(decimalText(quantity, 'round'), this.master.lotSize ?? '1', direction))
  }

  /** The tick size at a price: its band's, else the instrument's. Throws where the master data has none. */
  tickSizeAt(price: FixedDecimal | Decimal): string {
    return tickSizeOf(this.master, new Decimal(decimalText(price, 'find the tick size at')))
  }

  /** Values never change, so what was made before serves again. */
  #level(price: number, quantity: number, before: Level | null): Level | null {
    if (Number.isNaN(price) || this.view.state !== 'READY') return null
    const { priceScale, quantityScale } = this.view.book
    if (before === null || before.price.integer !== price || before.price.scale !== priceScale)
      return { price: new Price(price, priceScale), quantity: new Quantity(quantity, quantityScale) }
    if (before.quantity.integer === quantity && before.quantity.scale === quantityScale) return before
    return { price: before.price, quantity: new Quantity(quantity, quantityScale) }
  }
}

brand(DataInstrument, 'DataInstrument')

function fundingRateOf(batch: RowColumns, index: number): FundingRate | null {
  const from = batch.valueStart[index] as number
  const rate = decimalAt(batch, from)
  if (rate === null) return null
  return {
    rate, nextFundingTimestampNs: epochNsOrNull(batch.values[from + 1] as number, batch.epochDay),
    predictedRate: from + 2 < (batch.valueStart[index + 1] as number) ? decimalAt(batch, from + 2) : null,
  }
}

function levelsOf(book: BookView, side: 'BID' | 'ASK'): Level[] {
  const { prices, quantities, count } = copyBookLevels(book, side)
  const levels: Level[] = []
  for (let i = 0; i < count; i++)
    levels.push({
      price: new Price(prices[i] as number, book.priceScale),
      quantity: new Quantity(quantities[i] as number, book.quantityScale),
    })
  return levels
}

function exactText(value: number | string, noun: string): string {
  if (typeof value !== 'number') return value
  const expected = `a text with a decimal, as in '1.5', or a number and a direction, as in ${noun}(1.5, 'down')`
  const found = `the number ${value}`
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot take a ${noun}: it must be ${expected}, found ${found}`, { field: noun, expected, found },
  )
}

/** The plain text of a price, a quantity or a Decimal. Throws OPTION_INVALID for anything else. */
function decimalText(value: unknown, verb: string): string {
  if (value instanceof FixedDecimal) return value.toString()
  if (Decimal.isDecimal(value) && value.isFinite()) return value.toFixed()
  const [expected, found] = ['a price, a quantity or a finite Decimal', foundText(value)]
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot ${verb} ${found}: it must be ${expected}; price() and quantity() take numbers and texts`,
    { expected, found },
  )
}
