import type { Price, Quantity } from '../../model/fixed-decimal.js'
import type { Order } from '../order.js'
import type { SavedTactic } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { OrderSlot } from './order-slot.js'
import { QuotedSide, type SavedSide, type SideWish } from './quoted-side.js'
import { SlotTactic } from './slot-tactic.js'
import { TacticOptions, tacticRefusal } from './tactic-option.js'

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
    const slot = (): OrderSlot => this.keep(new OrderSlot({ instrument, host: this.host, retryMs }))
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
