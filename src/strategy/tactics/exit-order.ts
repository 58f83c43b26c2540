import { Quantity } from '../../model/fixed-decimal.js'
import { NS_PER_MS } from '../../model/time.js'
import type { Side } from '../../model/side.js'
import type { OrderParams } from '../order-params.js'
import type { Order } from '../order.js'
import { savedQuantity, savedText } from '../saved-decimal.js'
import type { TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { OrderSlot, type SavedSlot } from './order-slot.js'
import { endsByItself } from './taking-order.js'

/** So long an order may seem too large while messages of one execution are on their way. */
const GRACE_NS = 100 * NS_PER_MS

/** An exit as a checkpoint holds it. */
export interface SavedExit {
  readonly side: Side
  readonly ended: string
  readonly counted: string | null
  readonly apartNs: number | null
  readonly slot: SavedSlot
}

/**
 * The one order by which a position is left, and the quantity that it and those before it have executed. It never comes
 * to more than what it was given, nor, of a derivative, to more than the position.
 */
export class ExitOrder {
  readonly slot: OrderSlot
  #side: Side = 'ASK'
  /** Executed quantity of orders before the present one. */
  #ended: Quantity = Quantity.ZERO
  #order: Order | null = null
  #apartNs: number | null = null

  constructor(private readonly instrument: TradingInstrument, private readonly host: TacticHost, retryMs: number) {
    this.slot = new OrderSlot({ instrument, host, retryMs })
  }

  /** Side of the exit: `ASK` leaves a long position. */
  get side(): Side {
    return this.#side
  }

  /** Executed quantity since {@link begin}, as far as is known. */
  get executed(): Quantity {
    return this.#order === null ? this.#ended : this.#ended.plus(this.#order.executedQuantity)
  }

  /** When an order that seems too large is taken for too large; 0 where it does not seem so. */
  get graceNs(): number {
    return this.#apartNs === null ? 0 : this.#apartNs + GRACE_NS
  }

  begin(side: Side): void {
    this.#side = side
    this.#ended = Quantity.ZERO
    this.#order = null
    this.#apartNs = null
  }

  /** The part of a quantity that is still to be left: of a derivative at most the position. */
  leftOf(quantity: Quantity): Quantity {
    const left = quantity.minus(this.executed)
    if (this.instrument.isSpot) return left.sign > 0 ? left : Quantity.ZERO
    const { position } = this.instrument
    const held = this.#side === 'ASK' ? position : position.negated()
    const least = held.compare(left) < 0 ? held : left
    return least.sign > 0 ? least : Quantity.ZERO
  }

  /**
   * Keeps an order of this quantity, made by `params`; `isMeant` tells whether the order that is there is of that kind.
   */
  keep(quantity: Quantity, params: () => OrderParams | null, isMeant: (order: Order) => boolean): void {
    const { order } = this.slot
    if (order === null) {
      this.#apartNs = null
      const { minOrder } = this.instrument.master
      if (quantity.sign <= 0 || (minOrder !== null && quantity.compare(Quantity.from(minOrder)) < 0)) return
      if (!this.slot.isReady) return
      const given = params()
      if (given !== null) this.#place(given)
    } else if (!endsByItself(order)) {
      if (isMeant(order)) this.#size(order, quantity)
      else this.slot.cancel()
    }
  }

  save(): SavedExit {
    return {
      side: this.#side, ended: savedText(this.#ended), apartNs: this.#apartNs, slot: this.slot.save(),
      counted: this.#order?.ownOrderId ?? null,
    }
  }

  restore(saved: SavedExit): void {
    this.#side = saved.side
    this.#ended = savedQuantity(saved.ended)
    this.#apartNs = saved.apartNs
    this.slot.restore(saved.slot)
    this.#order = saved.counted === null ? null : (this.host.orderOf(saved.counted) ?? null)
  }

  #place(params: OrderParams): void {
    if (!this.slot.place(params)) return
    this.#ended = this.executed
    this.#order = this.slot.order
  }

  /** More is known for certain at once, less only when the messages of one execution have come. */
  #size(order: Order, quantity: Quantity): void {
    const open = order.totalQuantity.minus(order.executedQuantity)
    const difference = open.compare(quantity)
    if (difference <= 0) this.#apartNs = null
    else this.#apartNs ??= this.host.nowNs()
    if (difference === 0 || (difference > 0 && this.host.nowNs() < this.graceNs)) return
    if (quantity.sign <= 0) this.slot.cancel()
    else if (order.price === null) this.slot.cancel()
    else this.slot.move(order.price, order.executedQuantity.plus(quantity))
  }
}
