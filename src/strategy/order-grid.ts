import { Decimal, scaledFromText } from '../model/decimal.js'
import type { FixedDecimal } from '../model/fixed-decimal.js'
import type { Instrument } from '../model/instrument.js'
import type { InstrumentEntry } from '../venue/venue.js'

const POWERS: readonly number[] = Array.from({ length: 16 }, (_, power) => Number(`1e${String(power)}`))

/** A value as an integer of a scale, exactly; null where it does not fit. */
export function integerAtScale(value: FixedDecimal, scale: number): number | null {
  const { integer } = value
  if (value.scale === scale && value.digits === undefined) return integer
  const power = POWERS[Math.abs(scale - value.scale)]
  if (power === undefined || integer === 0 || !Number.isSafeInteger(integer))
    return scaledFromText(value.toString(), scale)
  const moved = scale > value.scale ? integer * power : integer / power
  return Number.isSafeInteger(moved) ? moved : null
}

interface TickStep {
  readonly floor: number
  readonly tick: number
}

/** Tick sizes, lot size and smallest order of one instrument as integers at its directory's scales, worked out once. */
export class OrderGrid {
  /** Whose terms it holds. */
  readonly instrument: Instrument
  readonly priceScale: number
  readonly quantityScale: number
  /** 1 where the master data has no lot size: any quantity that the scale can hold. */
  readonly lot: number
  /** The smallest order in units of the quantity scale, 0 where the master data has none. */
  readonly minimum: number
  readonly #steps: readonly TickStep[]

  constructor({ instrument, priceScale, quantityScale }: InstrumentEntry) {
    this.instrument = instrument
    this.priceScale = priceScale
    this.quantityScale = quantityScale
    this.lot = instrument.lotSize === null ? 1 : (scaledFromText(instrument.lotSize, quantityScale) ?? 1)
    this.minimum = instrument.minOrder === null ? 0 : unitsUp(instrument.minOrder, quantityScale)
    const tickOf = (text: string | null): number | null => (text === null ? null : scaledFromText(text, priceScale))
    const bands = instrument.tickBands.flatMap(({ floor, tickSize }): TickStep[] => {
      const tick = tickOf(tickSize)
      return tick === null ? [] : [{ floor: unitsUp(floor, priceScale), tick }]
    })
    this.#steps = [{ floor: -Infinity, tick: tickOf(instrument.tickSize) ?? 1 }, ...bands]
  }

  /** The integer of a price, or null where the price is off the tick of its band. */
  price(value: FixedDecimal): number | null {
    const integer = integerAtScale(value, this.priceScale)
    return integer !== null && integer % this.#tickAt(integer) === 0 ? integer : null
  }

  /** The integer of an offset from a price: on the finest tick. */
  offset(value: FixedDecimal): number | null {
    return integerAtScale(value, this.priceScale)
  }

  /** The integer of a quantity, or null where it is off the lot. */
  quantity(value: FixedDecimal): number | null {
    const integer = integerAtScale(value, this.quantityScale)
    return integer !== null && integer % this.lot === 0 ? integer : null
  }

  #tickAt(price: number): number {
    let tick = 1
    for (const step of this.#steps) {
      if (price < step.floor) break
      tick = step.tick
    }
    return tick
  }
}

/** Units of a scale that are at least as much as a decimal text. */
function unitsUp(text: string, scale: number): number {
  return new Decimal(text).times(new Decimal(10).pow(scale)).ceil().toNumber()
}
