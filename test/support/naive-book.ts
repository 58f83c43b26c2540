import type { EventBatch } from '../../src/model/event-batch.js'
import { EVENT_FLAGS } from '../../src/model/event-batch.js'

/** The book as anybody would write it: one Map a side, sorted when asked. The fast book must equal it. */
export class NaiveBook {
  suspect = true
  priceScale = 0
  quantityScale = 0
  readonly sides: [Map<number, number>, Map<number, number>] = [new Map(), new Map()]

  apply(batch: EventBatch, index: number): void {
    const kind = batch.kind[index]
    if (kind === 5) {
      const at = batch.textStart[index]!
      const bytes = batch.text.bytes.slice(batch.text.start[at], batch.text.start[at + 1])
      if (new TextDecoder().decode(bytes) === 'ERROR') this.suspect = true
      return
    }
    if (kind !== 0 && kind !== 1) return
    if (kind === 0) {
      this.suspect = false
      for (const side of this.sides) side.clear()
    } else if ((batch.flags[index]! & EVENT_FLAGS.CHAIN_GAP) !== 0) this.suspect = true
    this.rescale(batch.priceScale, batch.quantityScale)
    for (let row = batch.rowStart[index]!; row < batch.rowStart[index + 1]!; row++) {
      const side = this.sides[batch.side[row] === 1 ? 1 : 0]
      const price = batch.price[row]!
      if (batch.quantity[row] === 0) side.delete(price)
      else side.set(price, batch.quantity[row]!)
    }
  }

  /** Levels of a side, best first. */
  levels(code: 0 | 1): [price: number, quantity: number][] {
    const sign = code === 0 ? -1 : 1
    return [...this.sides[code]].sort((a, b) => sign * (a[0] - b[0]))
  }

  private rescale(priceScale: number, quantityScale: number): void {
    if (priceScale === this.priceScale && quantityScale === this.quantityScale) return
    const price = 10 ** Math.max(0, priceScale - this.priceScale)
    const quantity = 10 ** Math.max(0, quantityScale - this.quantityScale)
    for (const side of this.sides) {
      const levels = [...side]
      side.clear()
      for (const [p, q] of levels) side.set(p * price, q * quantity)
    }
    this.priceScale = priceScale
    this.quantityScale = quantityScale
  }
}
