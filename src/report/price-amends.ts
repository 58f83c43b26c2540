import type { Id } from '../model/id.js'
import type { TwiceMid } from './mark-outs.js'

/** A change of price that a client has sent, and the mid that it saw then. */
interface PriceAmend {
  /** The id of the terms that it asks for. */
  readonly clientOrderId: Id
  readonly price: number
  readonly mid: TwiceMid
}

/** The recorder as plain data: by row of the order, in the order of sending. */
export type PriceAmendsState = Map<number, PriceAmend[]>

/** Changes of price on their way: with one that the exchange takes, the arrival mid of its order moves. */
export class PriceAmends {
  #waiting: PriceAmendsState = new Map()

  /** The client of an order of a row has asked for a price; one that asks for the price that stands moves nothing. */
  sent(row: number, clientOrderId: Id, price: number, standing: number, mid: TwiceMid): void {
    const waiting = this.#waiting.get(row) ?? []
    const last = waiting.at(-1)
    if (last === undefined && price === standing) return
    this.#waiting.set(row, [...waiting, { clientOrderId, price, mid: last?.price === price ? last.mid : mid }])
  }

  /** The mid of the terms that an order has now; null where they came with no change of price. */
  taken(row: number, clientOrderId: Id): TwiceMid | null {
    const waiting = this.#waiting.get(row)
    if (waiting === undefined) return null
    const at = waiting.findIndex((one) => one.clientOrderId === clientOrderId)
    if (at < 0) return null
    const { mid } = waiting[at] as PriceAmend
    this.#keep(row, waiting.slice(at + 1))
    return mid
  }

  refused(row: number, clientOrderId: Id): void {
    const waiting = this.#waiting.get(row)
    if (waiting !== undefined) this.#keep(row, waiting.filter((one) => one.clientOrderId !== clientOrderId))
  }

  /** The order is over. */
  ended(row: number): void {
    this.#waiting.delete(row)
  }

  state(): PriceAmendsState {
    return this.#waiting
  }

  restore(state: PriceAmendsState): void {
    this.#waiting = state
  }

  #keep(row: number, waiting: PriceAmend[]): void {
    if (waiting.length === 0) this.#waiting.delete(row)
    else this.#waiting.set(row, waiting)
  }
}
