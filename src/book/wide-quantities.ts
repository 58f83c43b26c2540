import { scaledFromText, textFromScaled } from '../model/decimal.js'
import type { EventBatch } from '../model/event-batch.js'
import { factorBetween } from '../model/scale-factor.js'
import { SIDE_CODES, type Side } from '../model/side.js'
import { wideDouble } from '../model/wide-numbers.js'

/**
 * The quantities of a book's levels that no integer of its scale holds: their plain texts, by side and price. The book
 * itself has the double next to each.
 */
export class WideQuantities {
  readonly #bids: Map<number, string> = new Map()
  readonly #asks: Map<number, string> = new Map()

  /** The digits of the quantity at a price; undefined where the book's integer has them. */
  at(side: Side, price: number): string | undefined {
    return (side === 'ASK' ? this.#asks : this.#bids).get(price)
  }

  get isEmpty(): boolean {
    return this.#bids.size === 0 && this.#asks.size === 0
  }

  clear(): void {
    this.#bids.clear()
    this.#asks.clear()
  }

  /** Takes the rows of an event over, which the book has applied. */
  follow({ rowStart, side, price, wide }: EventBatch, index: number): void {
    for (let row = rowStart[index] as number, end = rowStart[index + 1] as number; row < end; row++) {
      const texts = side[row] === SIDE_CODES.ASK ? this.#asks : this.#bids
      const text = wide?.quantity.get(row)
      if (text === undefined) texts.delete(price[row] as number)
      else texts.set(price[row] as number, text)
    }
  }

  /** Moves the quantities of a side to another scale: to an integer where one holds it, else to the double beside. */
  rescaler(side: Side, fromScale: number, toScale: number): (quantity: number, from: number, to: number) => number {
    const before = side === 'ASK' ? this.#asks : this.#bids
    const texts = new Map(before)
    before.clear()
    const factor = factorBetween(0, Math.abs(toScale - fromScale))
    return (quantity, from, to) => {
      const known = texts.get(from)
      const moved = known !== undefined ? scaledFromText(known, toScale)
        : toScale >= fromScale ? quantity * factor : quantity / factor
      if (moved !== null && Number.isSafeInteger(moved)) return moved
      const text = known ?? textFromScaled(quantity, fromScale)
      before.set(to, text)
      return wideDouble(text, toScale)
    }
  }

  /** The levels of a side as plain data. */
  state(side: Side): readonly (readonly [price: number, quantity: string])[] {
    return [...(side === 'ASK' ? this.#asks : this.#bids)]
  }

  restore(side: Side, levels: readonly (readonly [price: number, quantity: string])[]): void {
    for (const [price, quantity] of levels) (side === 'ASK' ? this.#asks : this.#bids).set(price, quantity)
  }
}

/** True where an event has a price that no integer of the scale holds: levels are ordered by integers. */
export function hasWidePrice({ rowStart, wide }: EventBatch, index: number): boolean {
  if (wide === null || wide.price.size === 0) return false
  for (let row = rowStart[index] as number, end = rowStart[index + 1] as number; row < end; row++)
    if (wide.price.has(row)) return true
  return false
}
