import type { TouchBook } from '../exchange/market/touch-book.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { factorBetween } from '../model/scale-factor.js'
import type { InstrumentColumns } from '../panels/stretch-columns.js'
import type { InstrumentEntry, MarketDataState } from '../venue/venue.js'
import { instrumentName } from '../model/instrument.js'

/** Rows of levels or trades, as they come. */
interface Rows {
  readonly event: number[]
  readonly side: number[]
  readonly price: number[]
  readonly quantity: number[]
}

const noRows = (): Rows => ({ event: [], side: [], price: [], quantity: [] })

/** The best levels of a side as last looked at, best first. */
interface Ladder {
  readonly prices: Float64Array
  readonly quantities: Float64Array
  count: number
}

const SIDES = ['BID', 'ASK'] as const

/** A market as its clients have received it. */
export interface TrackedView {
  readonly state: MarketDataState
  /** The books with every line received so far. */
  received(): TouchBook
}

/** A market as orders there have it. */
export interface TrackedMarket {
  readonly priceScale: number
  readonly quantityScale: number
  /** Orders learn their places in queues. */
  settleQueues(): void
}

/** Scales of prices and quantities. */
export interface TrackScales {
  readonly price: number
  readonly quantity: number
}

/**
 * One instrument of a stretch: the levels that its clients see, newer top of book included (exchange rules
 * 2.2), and public trades. Integers at the finest scales so far; they grow where the feed's do.
 */
export class InstrumentTrack {
  #levels: Rows = noRows()
  #trades: Rows = noRows()
  /** Of trades that have times of their own. */
  #tradeTimesNs: number[] = []
  #states: { readonly event: number[]; readonly state: string[] } = { event: [], state: [] }
  #state: string | null = null
  readonly #ladders: readonly [Ladder, Ladder]
  readonly #next: Ladder
  #priceScale: number
  #quantityScale: number
  /** Rows of all kinds that fit its scales; multiplied where those grow. */
  #scaled: readonly ((priceFactor: number, quantityFactor: number) => void)[] = []

  constructor(
    /** Its place in the stretch's list. */
    readonly place: number,
    readonly entry: InstrumentEntry, private readonly view: TrackedView, private readonly market: TrackedMarket,
    private readonly levelCount: number,
  ) {
    const ladder = (): Ladder => (
      { prices: new Float64Array(levelCount), quantities: new Float64Array(levelCount), count: 0 })
    this.#ladders = [ladder(), ladder()]
    this.#next = ladder()
    this.#priceScale = entry.priceScale
    this.#quantityScale = entry.quantityScale
  }

  /** Rows so far, without those that were handed over. */
  get rowCount(): number {
    return this.#levels.event.length + this.#trades.event.length + this.#states.event.length
  }

  /** Registers another holder of integers at these scales, which grow with them. */
  onGrowth(multiply: (priceFactor: number, quantityFactor: number) => void): void {
    this.#scaled = [...this.#scaled, multiply]
  }

  /** Notes under an event what its client sees otherwise than before; true where that is anything. */
  look(event: number): boolean {
    const { depth } = this.view.received()
    this.growTo(depth.priceScale, depth.quantityScale)
    const isOtherState = this.lookAtState(event)
    const isOtherBid = this.#lookAt(event, 0, depth.priceScale, depth.quantityScale)
    return this.#lookAt(event, 1, depth.priceScale, depth.quantityScale) || isOtherBid || isOtherState
  }

  /** Notes the state of the market data where it is another one. */
  lookAtState(event: number): boolean {
    const { state } = this.view
    if (this.#state === state) return false
    this.#state = state
    this.#states.event.push(event)
    this.#states.state.push(state)
    return true
  }

  /** Notes the rows of a line of trades. */
  traded(event: number, batch: EventBatch, index: number): void {
    this.growTo(batch.priceScale, batch.quantityScale)
    const end = batch.rowStart[index + 1] as number
    for (let row = batch.rowStart[index] as number; row < end; row++) {
      this.tradedRow(event, batch.side[row] as number, batch.price[row] as number, batch.quantity[row] as number, {
        price: batch.priceScale, quantity: batch.quantityScale,
      }, null)
    }
  }

  /** Notes a row of trades, at scales of its own; null: at the time of its event. */
  tradedRow(
    event: number, side: number, price: number, quantity: number, scales: TrackScales, timeNs: number | null,
  ): void {
    if (timeNs !== null) this.#tradeTimesNs.push(timeNs)
    add(
      this.#trades, event, side, this.priceFrom(price, scales.price), this.quantityFrom(quantity, scales.quantity),
    )
  }

  /** Its own scales. */
  get scales(): TrackScales {
    return { price: this.#priceScale, quantity: this.#quantityScale }
  }

  /** A price of another scale as an integer at this one, which grows where it is coarser. */
  priceFrom(price: number, scale: number): number {
    this.growTo(scale, 0)
    return exact(price * factorBetween(scale, this.#priceScale))
  }

  /** The same of a quantity; what a queue model has made of one may be no integer. */
  quantityFrom(quantity: number, scale: number): number {
    this.growTo(0, scale)
    return exact(quantity * factorBetween(scale, this.#quantityScale))
  }

  /** Scales of the exchange's own integers. */
  get marketScales(): TrackScales {
    return { price: this.market.priceScale, quantity: this.market.quantityScale }
  }

  /** Orders of the market know their places in queues. */
  settleQueues(): void {
    this.market.settleQueues()
  }

  /** Brings everything to finer scales. */
  growTo(priceScale: number, quantityScale: number): void {
    if (priceScale <= this.#priceScale && quantityScale <= this.#quantityScale) return
    const priceFactor = factorBetween(this.#priceScale, priceScale)
    const quantityFactor = factorBetween(this.#quantityScale, quantityScale)
    this.#priceScale = Math.max(priceScale, this.#priceScale)
    this.#quantityScale = Math.max(quantityScale, this.#quantityScale)
    for (const { price, quantity } of [this.#levels, this.#trades]) {
      multiply(price, priceFactor)
      multiply(quantity, quantityFactor)
    }
    for (const { prices, quantities, count } of this.#ladders) {
      for (let i = 0; i < count; i++) {
        prices[i] = (prices[i] as number) * priceFactor
        quantities[i] = (quantities[i] as number) * quantityFactor
      }
    }
    for (const grown of this.#scaled) grown(priceFactor, quantityFactor)
  }

  columns(): InstrumentColumns {
    return {
      name: instrumentName(this.entry.instrument), priceScale: this.#priceScale, quantityScale: this.#quantityScale,
      levels: this.#levels, trades: this.#trades, states: this.#states,
    }
  }

  /** Its columns, which it hands over: new ones begin behind them. Trades have times behind the begin, at `fromNs`. */
  drain(fromNs: number): InstrumentColumns {
    const timeNs = this.#tradeTimesNs.map((own) => Math.max(0, own - fromNs))
    const columns = { ...this.columns(), trades: { ...this.#trades, timeNs } }
    this.#tradeTimesNs = []
    this.#levels = noRows()
    this.#trades = noRows()
    this.#states = { event: [], state: [] }
    return columns
  }

  /** Writes down how the best levels of a side differ from those of the last look. */
  #lookAt(event: number, side: 0 | 1, priceScale: number, quantityScale: number): boolean {
    const [before, after] = [this.#ladders[side], this.#next]
    after.count = this.view.received().copyShown(SIDES[side], this.levelCount, after.prices, after.quantities)
    const priceFactor = factorBetween(priceScale, this.#priceScale)
    const quantityFactor = factorBetween(quantityScale, this.#quantityScale)
    for (let i = 0; i < after.count; i++) {
      after.prices[i] = (after.prices[i] as number) * priceFactor
      after.quantities[i] = (after.quantities[i] as number) * quantityFactor
    }
    const rowCount = this.#levels.event.length
    const worse = side === 0 ? -1 : 1
    let [old, now] = [0, 0]
    while (old < before.count || now < after.count) {
      const [oldPrice, newPrice] = [priceAt(before, old, worse), priceAt(after, now, worse)]
      if (oldPrice === newPrice) {
        const quantity = after.quantities[now++] as number
        if (quantity !== before.quantities[old++]) add(this.#levels, event, side, newPrice, exact(quantity))
      } else if ((oldPrice - newPrice) * worse < 0) {
        add(this.#levels, event, side, oldPrice, 0)
        old++
      } else add(this.#levels, event, side, exact(newPrice), exact(after.quantities[now++] as number))
    }
    before.prices.set(after.prices)
    before.quantities.set(after.quantities)
    before.count = after.count
    return this.#levels.event.length > rowCount
  }
}

/** The price of a level, worse than all others behind the last one. */
function priceAt({ prices, count }: Ladder, at: number, worse: number): number {
  return at < count ? (prices[at] as number) : worse * Infinity
}

function add(rows: Rows, event: number, side: number, price: number, quantity: number): void {
  rows.event.push(event)
  rows.side.push(side)
  rows.price.push(price)
  rows.quantity.push(quantity)
}

function multiply(column: number[], factor: number): void {
  if (factor === 1) return
  for (let i = 0; i < column.length; i++) column[i] = exact((column[i] as number) * factor)
}

/** The value itself, where a double holds it exactly. */
function exact(value: number): number {
  if (!(Math.abs(value) > Number.MAX_SAFE_INTEGER)) return value
  throw new BacktapeError(
    'VALUE_INEXACT', `Cannot record a stretch: ${value} is no exact integer at the scales of its instrument`,
    { expected: 'at most 2^53 - 1', found: String(value) },
  )
}
