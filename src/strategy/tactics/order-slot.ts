import type { Price, Quantity } from '../../model/fixed-decimal.js'
import { NS_PER_MS } from '../../model/time.js'
import type { OrderParams } from '../order-params.js'
import type { Order } from '../order.js'
import type { TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'

interface SlotState {
  readonly order: Order | null
  /** The order that was given up last: an answer that comes late may say that it lives. */
  readonly last: Order | null
  isCancelAsked: boolean
  /** Terms of the last change, until an answer comes. */
  asked: string | null
  failureCount: number
  retryNs: number
  isDiscarded: boolean
}

/** A slot as a checkpoint holds it: orders by their own ids. */
export type SavedSlot = Readonly<Omit<SlotState, 'order' | 'last'>> & {
  readonly order: string | null
  readonly last: string | null
}

const RETRY_NS_MAX = 60_000_000_000

/** The order of a checkpoint; null where it ended long ago. */
export function savedOrder(host: TacticHost, ownOrderId: string | null): Order | null {
  return ownOrderId === null ? null : (host.orderOf(ownOrderId) ?? null)
}

/**
 * One order at a time: the next is placed once the one before is known to be over. A request that failed is not sent
 * again before some time has passed, twice as long after each failure, up to a minute.
 */
export class OrderSlot {
  #state: SlotState = {
    order: null, last: null, isCancelAsked: false, asked: null, failureCount: 0, retryNs: 0, isDiscarded: false,
  }

  constructor(
    private readonly instrument: TradingInstrument,
    private readonly host: TacticHost,
    /** The first wait after a failure. */
    private readonly retryMs: number,
  ) {}

  /** The order that is not known to be over; null where there is none. */
  get order(): Order | null {
    this.#settle()
    return this.#state.order
  }

  /** The last order, over or not; null before the first. */
  get kept(): Order | null {
    return this.#state.order ?? this.#state.last
  }

  /** When the next request may be sent; 0 for at once. */
  get retryNs(): number {
    return this.#state.retryNs
  }

  /** True where a request may be sent now. */
  get isReady(): boolean {
    return this.retryNs === 0 || this.host.nowNs() >= this.retryNs
  }

  /** A new wish: what was never sent may be tried again at once, in another instant. */
  renew(): void {
    if (this.#state.isDiscarded && this.host.nowNs() > this.retryNs - this.#waitNs()) this.#succeed()
  }

  /** Places an order where there is none; false where it was discarded or has to wait. */
  place(params: OrderParams): boolean {
    if (this.order !== null || !this.isReady) return false
    const order = this.instrument.placeOrder(params)
    if (order.isDiscarded) {
      this.#state.isDiscarded = true
      this.#fail()
      return false
    }
    this.#state = { ...this.#state, order, isCancelAsked: false, asked: null, retryNs: 0, isDiscarded: false }
    return true
  }

  /** Asks for the end of the order, once until an answer comes. */
  cancel(): void {
    const { order } = this
    if (order === null || this.#state.isCancelAsked || !this.isReady) return
    this.#state.isCancelAsked = true
    order.cancel()
  }

  /** Asks for another price, and quantity in total, where the venue can; else for the end. */
  move(price: Price, totalQuantity?: Quantity): void {
    const { order } = this
    if (order === null || this.#state.isCancelAsked || !this.isReady) return
    if (!this.host.capabilities(this.instrument).amend) return this.cancel()
    // An order that the venue has not confirmed cannot be amended for certain.
    if (order.state !== 'CONFIRMED') return
    const asked = `${price.toString()} ${(totalQuantity ?? order.totalQuantity).toString()}`
    if (asked === this.#state.asked) return
    this.#state.asked = asked
    order.amend({ price, ...(totalQuantity === undefined ? {} : { quantity: totalQuantity }) })
  }

  /** Takes an update of any order over. */
  onOrder(order: Order): void {
    if (order === this.#state.order) {
      if (order.state === 'CONFIRMED') this.#state.asked = null
      if (order.state === 'CONFIRMED' && !this.#state.isCancelAsked) this.#succeed()
      this.#settle()
    } else if (order === this.#state.last && order.isOpen) {
      if (this.#state.order === null) this.#state = { ...this.#state, order, isCancelAsked: false }
      else order.cancel()
    }
  }

  /** Takes the failure of a request of any order over. */
  onError(order: Order): void {
    if (order !== this.#state.order) return
    this.#state.asked = null
    if (order.isOpen) {
      this.#state.isCancelAsked = false
      this.#fail()
    } else this.#settle()
  }

  save(): SavedSlot {
    const { order, last, ...rest } = this.#state
    return { order: order?.ownOrderId ?? null, last: last?.ownOrderId ?? null, ...rest }
  }

  restore(saved: SavedSlot): void {
    this.#state = { ...saved, order: savedOrder(this.host, saved.order), last: savedOrder(this.host, saved.last) }
  }

  #settle(): void {
    const { order, isCancelAsked } = this.#state
    if (order === null || order.isOpen) return
    this.#state = { ...this.#state, order: null, last: order, isCancelAsked: false, asked: null }
    // One that was rejected was not cancelled, though that was asked for too.
    if (order.state === 'FILLED' || (isCancelAsked && order.state === 'CANCELED')) this.#succeed()
    else this.#fail()
  }

  #succeed(): void {
    this.#state = { ...this.#state, failureCount: 0, retryNs: 0, isDiscarded: false }
  }

  #fail(): void {
    this.#state.failureCount++
    this.#state.retryNs = this.host.nowNs() + this.#waitNs()
  }

  #waitNs(): number {
    let waitNs = Math.round(this.retryMs * NS_PER_MS)
    for (let count = 1; count < this.#state.failureCount && waitNs < RETRY_NS_MAX; count++) waitNs *= 2
    return Math.min(waitNs, RETRY_NS_MAX)
  }
}
