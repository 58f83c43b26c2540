import type { Side } from '../../model/side.js'
import type { TouchBook } from '../market/touch-book.js'

const FIRST_LEVELS = 16

/** Walks the shown levels of a side, best first, in columns that grow only when somebody looks deep. */
export class LiquidityWalk {
  #prices: Float64Array = new Float64Array(FIRST_LEVELS)
  #quantities: Float64Array = new Float64Array(FIRST_LEVELS)

  /** Visits shown levels up to and including `limit` until `visit` says false. A visit must not walk. */
  walk(shown: TouchBook, side: Side, limit: number, visit: (price: number, displayed: number) => boolean): void {
    let count = FIRST_LEVELS
    let from = 0
    for (;;) {
      const found = shown.copyShown(side, count, this.#prices, this.#quantities)
      for (let i = from; i < found; i++) {
        const price = this.#prices[i] as number
        if (side === 'ASK' ? price > limit : price < limit) return
        if (!visit(price, this.#quantities[i] as number)) return
      }
      if (found < count) return
      from = count
      count *= 4
      if (count <= this.#prices.length) continue
      this.#prices = new Float64Array(count)
      this.#quantities = new Float64Array(count)
    }
  }
}
