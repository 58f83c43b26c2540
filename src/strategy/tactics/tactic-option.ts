import { BacktapeError } from '../../model/error.js'
import { foundText } from '../../model/fault.js'
import { FixedDecimal, Price, Quantity } from '../../model/fixed-decimal.js'
import type { TradingInstrument } from '../trading-instrument.js'

/** The error of an option, or of an argument, of a tactic. */
export function tacticRefusal(label: string, field: string, expected: string, found: unknown): BacktapeError {
  const words = found instanceof FixedDecimal ? found.toString() : foundText(found)
  return new BacktapeError(
    'OPTION_INVALID', `Cannot use ${label}: ${field} must be ${expected}, found ${words}`,
    { field, expected, found: words },
  )
}

/** Checks of the values that tactics take; each throws OPTION_INVALID with the label of the tactic. */
export class TacticOptions {

  constructor(private readonly label: string, private readonly instrument: TradingInstrument) {}

  /** Refuses what is no object, and fields that are not among those. */
  fields(given: object, known: readonly string[]): void {
    if (typeof given !== 'object' || (given as unknown) === null)
      throw tacticRefusal(this.label, 'options', 'an object', given)
    const unknown = Object.keys(given).find((field) => !known.includes(field))
    if (unknown !== undefined) throw tacticRefusal(this.label, 'options', known.join(', '), unknown)
  }

  /** One of some words. */
  word<W extends string>(field: string, value: unknown, words: readonly W[]): W {
    const found = words.find((word) => word === value)
    if (found === undefined) throw tacticRefusal(this.label, field, words.join(', '), value)
    return found
  }

  /** A finite number from a least one on, whole where asked for. */
  number(field: string, value: unknown, least: number, isWhole = false): number {
    if (
      typeof value === 'number' && Number.isFinite(value) && value >= least && value <= 1e9 &&
      (!isWhole || Number.isInteger(value))
    )
      return value
    throw tacticRefusal(this.label, field, `a ${isWhole ? 'whole ' : ''}number from ${least} to 10^9`, value)
  }

  /** A price above 0 on the tick. */
  price(field: string, value: unknown): Price {
    if (!(value instanceof Price)) throw tacticRefusal(this.label, field, "a Price, as instrument.price('1.5')", value)
    if (value.sign <= 0) throw tacticRefusal(this.label, field, 'above 0', value)
    if (!this.instrument.roundPrice(value, 'down').equals(value))
      throw tacticRefusal(
        this.label, field, `on the tick, ${this.instrument.tickSizeAt(value)}, as instrument.roundPrice makes it`,
        value,
      )
    return value
  }

  /** A quantity as it was given, or of a text. */
  quantity(field: string, value: unknown): Quantity {
    if (value instanceof Quantity) return value
    if (typeof value === 'string') return this.instrument.quantity(value)
    throw tacticRefusal(this.label, field, "a Quantity or a text, as '0.1'", value)
  }

  /** A quantity above 0 of whole lots that is at least the smallest order. */
  orderQuantity(field: string, value: unknown): Quantity {
    const quantity = this.lots(field, this.quantity(field, value), undefined)
    if (quantity.sign <= 0) throw tacticRefusal(this.label, field, 'above 0', quantity)
    if (isTooSmall(this.instrument, quantity))
      throw tacticRefusal(
        this.label, field, `at least the smallest order, ${String(this.instrument.master.minOrder)}`, quantity,
      )
    return quantity
  }

  /** Whole lots: what lies between two is refused, or rounded towards 0 (`down`) or away from it (`up`). */
  lots(field: string, quantity: Quantity, round: 'down' | 'up' | undefined): Quantity {
    const whole = this.instrument.roundQuantity(quantity.abs(), round ?? 'down')
    if (round === undefined && !whole.equals(quantity.abs()))
      throw tacticRefusal(
        this.label, field, `of whole lots, ${lotOf(this.instrument).toString()}, unless round says 'down' or 'up'`,
        quantity,
      )
    return quantity.sign < 0 ? whole.negated() : whole
  }
}

/** The lot of an instrument as its master data have it now, 1 where they have none. */
export function lotOf({ master: { lotSize } }: TradingInstrument): Quantity {
  return Quantity.from(lotSize ?? '1')
}

/** True for a quantity below the smallest order of an instrument. */
export function isTooSmall({ master: { minOrder } }: TradingInstrument, quantity: Quantity): boolean {
  return minOrder !== null && quantity.compare(Quantity.from(minOrder)) < 0
}
