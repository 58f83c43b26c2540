import type { Price, Quantity } from '../../model/fixed-decimal.js'
import { NS_PER_MS } from '../../model/time.js'
import type { OrderParams } from '../order-params.js'
import type { Order } from '../order.js'
import type { TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'

/** A slot as a checkpoint holds it. */
export interface SavedSlot {
  readonly order: string | null
  readonly last: string | null
  readonly isCancelAsked: boolean
  readonly asked: string | null
  readonly failureCount: number
  readonly retryNs: number
  readonly isDiscarded: boolean
}

const RETRY_NS_MAX = 60_000_000_000

/** Parts of a slot. */
export interface SlotOptions {
  readonly instrument: TradingInstrument
  readonly host: TacticHost
  /** The first wait after a failure. */
  readonly retryMs: number
}

/**
 * One order at a time: the next is placed once the one before is known to be over. A request that failed is not sent
 * again before some time has passed, twice as long after each failure, up to a minute.
 */
export class OrderSlot {
  readonly #instrument: TradingInstrument
  readonly #host: TacticHost
  readonly #retryMs: number
  #order: Order | null = null
  /** The order that was given up last: an answer that comes late may say that it lives. */
  #last: Order | null = null
  #isCancelAsked = false
  /** Terms of the last change, until an answer comes. */
  #asked: string | null = null
  #failureCount = 0
  #retryNs = 0
  #isDiscarded = false

  constructor({ instrument, host, retryMs }: SlotOptions) {
    this.#instrument = instrument
    this.#host = host
    this.#retryMs = retryMs
  }

  /** The order that is not known to be over; null where there is none. */
  get order(): Order | null {
    this.#settle()
    return this.#order
  }

  /** The last order, over or not; null before the first. */
  get kept(): Order | null {
    return this.#order ?? this.#last
  }

  /** When the next request may be sent; 0 for at once. */
  get retryNs(): number {
    return this.#retryNs
  }

  /** True where a request may be sent now. */
  get isReady(): boolean {
    return this.#retryNs === 0 || this.#host.nowNs() >= this.#retryNs
  }

  /** A new wish: what was never sent may be tried again at once, in another instant. */
  renew(): void {
    if (this.#isDiscarded && this.#host.nowNs() > this.#retryNs - this.#waitNs()) this.#succeed()
  }

  /** Places an order where there is none; false where it was discarded or has to wait. */
  place(params: OrderParams): boolean {
    if (this.order !== null || !this.isReady) return false
    const order = this.#instrument.placeOrder(params)
    if (order.isDiscarded) {
      this.#isDiscarded = true
      this.#fail()
      return false
    }
    this.#isDiscarded = false
    this.#retryNs = 0
    this.#order = order
    this.#isCancelAsked = false
    this.#asked = null
    return true
  }

  /** Asks for the end of the order, once until an answer comes. */
  cancel(): void {
    const { order } = this
    if (order === null || this.#isCancelAsked || !this.isReady) return
    this.#isCancelAsked = true
    order.cancel()
  }

  /** Asks for another price, and quantity in total, where the venue can; else for the end. */
  move(price: Price, totalQuantity?: Quantity): void {
    const { order } = this
    if (order === null || this.#isCancelAsked || !this.isReady) return
    if (!this.#host.capabilities(this.#instrument).amend) return this.cancel()
    // An order that the venue has not confirmed cannot be amended for certain.
    if (order.state !== 'CONFIRMED') return
    const asked = `${price.toString()} ${(totalQuantity ?? order.totalQuantity).toString()}`
    if (asked === this.#asked) return
    this.#asked = asked
    order.amend({ price, ...(totalQuantity === undefined ? {} : { quantity: totalQuantity }) })
  }

  /** Takes an update of any order over. */
  onOrder(order: Order): void {
    if (order === this.#order) {
      if (order.state === 'CONFIRMED') this.#asked = null
      if (order.state === 'CONFIRMED' && !this.#isCancelAsked) this.#succeed()
      this.#settle()
    } else if (order === this.#last && order.isOpen) this.#revive(order)
  }

  /** Takes the failure of a request of any order over. */
  onError(order: Order): void {
    if (order !== this.#order) return
    this.#asked = null
    if (order.isOpen) {
      this.#isCancelAsked = false
      this.#fail()
    } else this.#settle()
  }

  save(): SavedSlot {
    return {
      order: this.#order?.ownOrderId ?? null, last: this.#last?.ownOrderId ?? null,
      isCancelAsked: this.#isCancelAsked, asked: this.#asked, failureCount: this.#failureCount,
      retryNs: this.#retryNs, isDiscarded: this.#isDiscarded,
    }
  }

  restore(saved: SavedSlot): void {
    const orderOf = (id: string | null): Order | null => (id === null ? null : (this.#host.orderOf(id) ?? null))
    this.#order = orderOf(saved.order)
    this.#last = orderOf(saved.last)
    this.#isCancelAsked = saved.isCancelAsked
    this.#asked = saved.asked
    this.#failureCount = saved.failureCount
    this.#retryNs = saved.retryNs
    this.#isDiscarded = saved.isDiscarded
  }

  #revive(order: Order): void {
    if (this.#order === null) {
      this.#order = order
      this.#isCancelAsked = false
    } else order.cancel()
  }

  #settle(): void {
    const order = this.#order
    if (order === null || order.isOpen) return
    this.#order = null
    this.#last = order
    this.#asked = null
    // One that was rejected was not cancelled, though that was asked for too.
    if (order.state === 'FILLED' || (this.#isCancelAsked && order.state === 'CANCELED')) this.#succeed()
    else this.#fail()
    this.#isCancelAsked = false
  }

  #succeed(): void {
    this.#failureCount = 0
    this.#retryNs = 0
    this.#isDiscarded = false
  }

  #fail(): void {
    this.#failureCount++
    this.#retryNs = this.#host.nowNs() + this.#waitNs()
  }

  #waitNs(): number {
    let waitNs = Math.round(this.#retryMs * NS_PER_MS)
    for (let count = 1; count < this.#failureCount && waitNs < RETRY_NS_MAX; count++) waitNs *= 2
    return Math.min(waitNs, RETRY_NS_MAX)
  }
}
