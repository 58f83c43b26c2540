import type { Order } from '../order.js'
import type { TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { exposureOf } from './exposure.js'
import { OrderSlot, type SavedSlot } from './order-slot.js'
import { Quantity } from '../../model/fixed-decimal.js'
import { NS_PER_MS } from '../../model/time.js'
import { endsByItself, takesStill, takingOrder } from './taking-order.js'

/** Cancels that failed are asked for again after so long. */
const RETRY_NS = 100 * NS_PER_MS

/** A flattening as a checkpoint holds it. */
export interface SavedFlattening {
  readonly asked: readonly (readonly [ownOrderId: string, againNs: number])[]
  readonly slot: SavedSlot
}

/** Cancels every order of the strategy on one instrument, then closes its position. */
export class Flattening {
  readonly #slot: OrderSlot
  /** When each cancel may be asked for again; Infinity while its answer is awaited. */
  readonly #asked: Map<string, number> = new Map()

  constructor(readonly instrument: TradingInstrument, private readonly host: TacticHost) {
    this.#slot = new OrderSlot({ instrument, host, retryMs: 100 })
  }

  /** Sends the next step. */
  tend(): void {
    const nowNs = this.host.nowNs()
    const own = this.#slot.order
    const others = this.instrument.openOrders.filter((order) => order !== own)
    for (const id of this.#asked.keys()) if (!others.some(({ ownOrderId }) => ownOrderId === id)) this.#asked.delete(id)
    for (const order of others) {
      if (nowNs < (this.#asked.get(order.ownOrderId) ?? 0)) continue
      this.#asked.set(order.ownOrderId, Infinity)
      order.cancel()
    }
    if (others.length > 0 || !this.#slot.isReady) return
    if (own !== null) {
      if (!endsByItself(own) && !takesStill(this.instrument, own)) this.#slot.cancel()
    } else this.#close()
  }

  onOrder(order: Order): void {
    this.#slot.onOrder(order)
  }

  onError(order: Order): void {
    this.#slot.onError(order)
    if (this.#asked.has(order.ownOrderId)) this.#asked.set(order.ownOrderId, this.host.nowNs() + RETRY_NS)
  }

  /** When something may be tried again. */
  timesNs(): readonly number[] {
    return [this.#slot.retryNs, ...this.#asked.values()]
  }

  save(): SavedFlattening {
    // JSON has no Infinity.
    return { asked: [...this.#asked].map(([id, ns]) => [id, ns === Infinity ? -1 : ns]), slot: this.#slot.save() }
  }

  restore(saved: SavedFlattening): void {
    this.#asked.clear()
    for (const [id, ns] of saved.asked) this.#asked.set(id, ns === -1 ? Infinity : ns)
    this.#slot.restore(saved.slot)
  }

  #close(): void {
    const { instrument } = this
    const { held, bids, asks } = exposureOf(instrument, this.host)
    if (bids.sign > 0 || asks.sign > 0) return
    const quantity = instrument.roundQuantity(held.abs(), 'down')
    const { minOrder } = instrument.master
    if (quantity.sign <= 0 || (minOrder !== null && quantity.compare(Quantity.from(minOrder)) < 0)) return
    const side = held.sign > 0 ? 'ASK' : 'BID'
    const params = takingOrder(instrument, this.host, { side, quantity, price: null, isReducing: !instrument.isSpot })
    if (params !== null) this.#slot.place(params)
  }
}
