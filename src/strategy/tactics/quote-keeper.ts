import { Quantity, type Price } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { Order } from '../order.js'
import { priceOrNull, savedOrNull, savedQuantity, savedText } from '../saved-decimal.js'
import type { SavedTactic } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { OrderSlot, type SavedSlot } from './order-slot.js'
import { SlotTactic } from './slot-tactic.js'
import { isTooSmall, TacticOptions, tacticRefusal } from './tactic-option.js'

/** Options of a quote keeper. */
export interface QuoteKeeperOptions {
  /** An order so many ticks from the quoted price, or fewer, stays where it is; default 0. */
  readonly toleranceTicks?: number
  /** Milliseconds before the next request where one failed, doubled each time up to a minute; default 100. */
  readonly retryMs?: number
}

/** One side of a quote. */
export interface QuoteSide {
  /** On the tick. */
  readonly price: Price
  /** The most that may be working, and that may be executed until the next quote: whole lots. */
  readonly quantity: Quantity | string
}

/** Both sides of a quote; null for none. */
export interface Quote {
  /** The side that buys. */
  readonly bid: QuoteSide | null
  /** The side that sells. */
  readonly ask: QuoteSide | null
}

/** One side of a quote, checked. */
interface SideWish {
  readonly price: Price
  readonly quantity: Quantity
}

interface SideState {
  price: Price | null
  /** The part of the wished quantity that has not been executed. */
  left: Quantity
  /** Executed quantity of the order that is counted in it. */
  counted: Quantity
  order: Order | null
}

/** One side as a checkpoint holds it. */
interface SavedSide {
  readonly price: string | null
  readonly left: string
  readonly counted: string
  readonly slot: SavedSlot
}

/** One side of a quote keeper: its wish and its order. */
class QuotedSide {
  #state: SideState = { price: null, left: Quantity.ZERO, counted: Quantity.ZERO, order: null }

  constructor(
    readonly side: Side,
    private readonly instrument: TradingInstrument,
    readonly slot: OrderSlot,
    private readonly toleranceTicks: number,
  ) {}

  /** The part of the wished quantity that has not been executed, as far as is known. */
  get left(): Quantity {
    return this.#state.price === null ? Quantity.ZERO : this.#state.left
  }

  /** A new wish, or null for none. */
  wish(wish: SideWish | null): void {
    this.#count()
    this.#state.price = wish?.price ?? null
    this.#state.left = wish?.quantity ?? Quantity.ZERO
    this.slot.renew()
  }

  /** Sends what makes the order what is wished. */
  tend(): void {
    this.#count()
    const { order } = this.slot
    const { price, left } = this.#state
    if (price === null || left.sign <= 0) return this.slot.cancel()
    if (order === null) return this.#place(price)
    const isNear = order.price !== null && this.#isNear(order.price, price)
    if (isNear && order.totalQuantity.minus(order.executedQuantity).compare(left) <= 0) return
    this.slot.move(isNear && order.price !== null ? order.price : price, order.executedQuantity.plus(left))
  }

  save(): SavedSide {
    const { price, left, counted } = this.#state
    return { price: savedOrNull(price), left: savedText(left), counted: savedText(counted), slot: this.slot.save() }
  }

  restore(saved: SavedSide): void {
    this.slot.restore(saved.slot)
    this.#state = {
      price: priceOrNull(saved.price), left: savedQuantity(saved.left), counted: savedQuantity(saved.counted),
      order: this.slot.kept,
    }
  }

  #place(price: Price): void {
    const { left: quantity } = this.#state
    if (isTooSmall(this.instrument, quantity)) return
    if (!this.slot.place({ side: this.side, price, quantity, postOnly: true })) return
    this.#state.order = this.slot.order
    this.#state.counted = Quantity.ZERO
  }

  /** Takes off what the order has executed since it was looked at last. */
  #count(): void {
    const { order, left, counted } = this.#state
    if (order === null) return
    this.#state.left = left.minus(order.executedQuantity.minus(counted))
    this.#state.counted = order.executedQuantity
  }

  #isNear(price: Price, wished: Price): boolean {
    if (this.toleranceTicks === 0 || price.equals(wished)) return price.equals(wished)
    const least = this.instrument.stepPrice(wished, -this.toleranceTicks)
    return price.compare(least) >= 0 && price.compare(this.instrument.stepPrice(wished, this.toleranceTicks)) <= 0
  }
}

/**
 * Keeps a post-only order on each side at the price and quantity of the last quote: amended where the venue can, else
 * cancelled, and placed again once the cancel is confirmed. No side has two orders, or more than the quoted quantity
 * working. What is executed is not replaced before the next quote.
 *
 * @example
 * ```ts
 * import { Parameter, QuoteKeeper, Strategy, TradingInstrument } from 'backtape'
 * class Maker extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   keeper!: QuoteKeeper
 *   override onStart(): void {
 *     this.keeper = new QuoteKeeper(this.instrument, { toleranceTicks: 1 })
 *   }
 *   override onInstrumentTopOfBook(): void {
 *     const { bestBid, bestAsk } = this.instrument
 *     if (bestBid === null || bestAsk === null) this.keeper.stop()
 *     else this.keeper.quote({
 *       bid: { price: this.instrument.stepPrice(bestBid.price, -1), quantity: '0.1' },
 *       ask: { price: this.instrument.stepPrice(bestAsk.price, 1), quantity: '0.1' },
 *     })
 *   }
 * }
 * console.log(Maker.name)
 * ```
 */
export class QuoteKeeper extends SlotTactic {
  readonly #check: TacticOptions
  readonly #bid: QuotedSide
  readonly #ask: QuotedSide

  /** Throws OPTION_INVALID. */
  constructor(instrument: TradingInstrument, options: QuoteKeeperOptions = {}) {
    super('QuoteKeeper', [instrument])
    this.#check = new TacticOptions(this.label, instrument)
    this.#check.fields(options, ['toleranceTicks', 'retryMs'])
    const ticks = this.#check.number('toleranceTicks', options.toleranceTicks ?? 0, 0, true)
    const retryMs = this.#check.number('retryMs', options.retryMs ?? 100, 1)
    const slot = (): OrderSlot => this.keep(new OrderSlot(instrument, this.host, retryMs))
    this.#bid = new QuotedSide('BID', instrument, slot(), ticks)
    this.#ask = new QuotedSide('ASK', instrument, slot(), ticks)
  }

  /** Its orders that are not known to be over. */
  get orders(): { readonly bid: Order | null; readonly ask: Order | null } {
    return { bid: this.#bid.slot.order, ask: this.#ask.slot.order }
  }

  /** The parts of the quoted quantities that have not been executed, as far as is known. */
  get left(): { readonly bid: Quantity; readonly ask: Quantity } {
    return { bid: this.#bid.left, ask: this.#ask.left }
  }

  /**
   * New prices and quantities. Throws OPTION_INVALID for a price off the tick, a quantity that is not of whole lots or
   * below the smallest order, and where the bid is not below the ask.
   */
  quote({ bid, ask }: Quote): void {
    const [newBid, newAsk] = [this.#wish('bid', bid), this.#wish('ask', ask)]
    if (newBid !== null && newAsk !== null && newBid.price.compare(newAsk.price) >= 0)
      throw tacticRefusal(this.label, 'the bid', `below the ask, ${newAsk.price.toString()}`, newBid.price)
    if (this.host.isResuming) return
    this.#bid.wish(newBid)
    this.#ask.wish(newAsk)
    this.act()
  }

  /** Cancels both sides; the next quote begins again. */
  stop(): void {
    this.quote({ bid: null, ask: null })
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    return { bid: this.#bid.save(), ask: this.#ask.save(), dueNs: this.alarm.save() }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    this.#bid.restore(saved['bid'] as SavedSide)
    this.#ask.restore(saved['ask'] as SavedSide)
    this.alarm.restore(saved['dueNs'] as number | null)
  }

  #wish(name: string, side: QuoteSide | null): SideWish | null {
    if (side === null) return null
    this.#check.fields(side, ['price', 'quantity'])
    return {
      price: this.#check.price(`the price of the ${name}`, side.price),
      quantity: this.#check.orderQuantity(`the quantity of the ${name}`, side.quantity),
    }
  }

  protected override act(): void {
    this.#bid.tend()
    this.#ask.tend()
    this.alarm.setEarliest([this.#bid.slot.retryNs, this.#ask.slot.retryNs])
  }
}
