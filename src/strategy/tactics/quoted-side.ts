import { Quantity, type Price } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { Order } from '../order.js'
import { savedPrice, savedQuantity, savedText } from '../saved-decimal.js'
import type { TradingInstrument } from '../trading-instrument.js'
import type { OrderSlot, SavedSlot } from './order-slot.js'

/** One side of a quote, checked. */
export interface SideWish {
  readonly price: Price
  readonly quantity: Quantity
}

/** One side as a checkpoint holds it. */
export interface SavedSide {
  readonly price: string | null
  readonly left: string
  readonly counted: string
  readonly slot: SavedSlot
}

/** One side of a quote keeper: its wish and its order. */
export class QuotedSide {
  #price: Price | null = null
  /** The part of the wished quantity that has not been executed. */
  #left: Quantity = Quantity.ZERO
  /** Executed quantity of the order that is counted in it. */
  #counted: Quantity = Quantity.ZERO
  #order: Order | null = null

  constructor(
    readonly side: Side,
    private readonly instrument: TradingInstrument,
    readonly slot: OrderSlot,
    private readonly toleranceTicks: number,
  ) {}

  /** The part of the wished quantity that has not been executed, as far as is known. */
  get left(): Quantity {
    return this.#price === null ? Quantity.ZERO : this.#left
  }

  /** A new wish, or null for none. */
  wish(wish: SideWish | null): void {
    this.#count()
    this.#price = wish?.price ?? null
    this.#left = wish?.quantity ?? Quantity.ZERO
    this.slot.renew()
  }

  /** Sends what makes the order what is wished. */
  tend(): void {
    this.#count()
    const { order } = this.slot
    const price = this.#price
    if (price === null || this.#left.sign <= 0) return this.slot.cancel()
    if (order === null) return this.#place(price)
    const open = order.totalQuantity.minus(order.executedQuantity)
    const isNear = order.price !== null && this.#isNear(order.price, price)
    if (isNear && open.compare(this.#left) <= 0) return
    this.slot.move(isNear && order.price !== null ? order.price : price, order.executedQuantity.plus(this.#left))
  }

  save(): SavedSide {
    return {
      price: this.#price === null ? null : savedText(this.#price), left: savedText(this.#left),
      counted: savedText(this.#counted), slot: this.slot.save(),
    }
  }

  restore(saved: SavedSide): void {
    this.#price = saved.price === null ? null : savedPrice(saved.price)
    this.#left = savedQuantity(saved.left)
    this.#counted = savedQuantity(saved.counted)
    this.slot.restore(saved.slot)
    this.#order = this.slot.kept
  }

  #place(price: Price): void {
    const { minOrder } = this.instrument.master
    if (minOrder !== null && this.#left.compare(Quantity.from(minOrder)) < 0) return
    if (!this.slot.place({ side: this.side, price, quantity: this.#left, postOnly: true })) return
    this.#order = this.slot.order
    this.#counted = Quantity.ZERO
  }

  /** Takes off what the order has executed since it was looked at last. */
  #count(): void {
    if (this.#order === null) return
    this.#left = this.#left.minus(this.#order.executedQuantity.minus(this.#counted))
    this.#counted = this.#order.executedQuantity
  }

  #isNear(price: Price, wished: Price): boolean {
    if (this.toleranceTicks === 0 || price.equals(wished)) return price.equals(wished)
    const least = this.instrument.stepPrice(wished, -this.toleranceTicks)
    return price.compare(least) >= 0 && price.compare(this.instrument.stepPrice(wished, this.toleranceTicks)) <= 0
  }
}
