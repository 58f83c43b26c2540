import { scaledFromText } from '../../model/decimal.js'
import type { InstrumentEntry } from '../../venue/venue.js'

interface TickStep {
  readonly floor: number
  readonly tick: number
}

/**
 * The prices of one instrument that an order may have, at the market's scale, which may be finer than the directory's.
 */
export class TickGrid {
  readonly #steps: readonly TickStep[]

  constructor(
    { instrument, priceScale }: InstrumentEntry,
    /** Market price = directory price * factor. */
    public factor: number,
  ) {
    const plain = instrument.tickSize === null ? null : scaledFromText(instrument.tickSize, priceScale)
    const steps: TickStep[] = [{ floor: -Infinity, tick: plain ?? 1 }]
    for (const band of instrument.tickBands) {
      const floor = scaledFromText(band.floor, priceScale)
      const tick = scaledFromText(band.tickSize, priceScale)
      if (floor !== null && tick !== null) steps.push({ floor, tick })
    }
    this.#steps = steps
  }

  /** The greatest price on a tick that is not above `price`. */
  down(price: number): number {
    const { factor } = this
    const whole = (price - modulo(price, factor)) / factor
    return (whole - modulo(whole, this.#tickAt(whole))) * factor
  }

  /** The least price on a tick that is not below `price`. */
  up(price: number): number {
    const { factor } = this
    const whole = (price + modulo(-price, factor)) / factor
    return (whole + modulo(-whole, this.#tickAt(whole))) * factor
  }

  #tickAt(price: number): number {
    return this.#steps.findLast(({ floor }) => price >= floor)?.tick ?? 1
  }
}

/** The remainder of a whole number, from 0 up to below the divisor: exact in doubles. */
function modulo(value: number, divisor: number): number {
  const left = value % divisor
  return left < 0 ? left + divisor : left + 0
}
