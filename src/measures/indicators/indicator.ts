import { brand } from '../../model/brand.js'
import { BacktapeError } from '../../model/error.js'
import { foundText } from '../../model/fault.js'
import type { FixedDecimal } from '../../model/fixed-decimal.js'

/** A number, or an exact value that counts as the nearest double. */
export type IndicatorInput = number | FixedDecimal

/** The state of an indicator as plain JSON: its label, and numbers by the names of its fields, NaN as null. */
export interface SavedIndicator {
  readonly [field: string]: string | number | null | readonly (number | null)[] | SavedIndicator
}

const PERIOD_MAX = 100_000

/**
 * The base of the indicators: doubles in, doubles out, one value a call of `next`. The result of the same inputs in the
 * same order is the same, whatever process or machine. Nothing in it is exact money: orders are rounded from it
 * by `instrument.price(value, 'down')`.
 *
 * @example
 * ```ts
 * import { ema } from 'backtape/measures'
 * const fast = ema(3)
 * for (const close of [1, 2, 3, 4]) fast.next(close)
 * if (!fast.isReady || fast.value !== 3) throw new Error('the average of 1, 2, 3 is 2; half of the way to 4 is 3')
 * ```
 */
export abstract class Indicator {
  constructor(
    /** `ema(20)`: the words for it in errors. */
    readonly label: string,
  ) {
    made()?.push(this)
  }

  /** The last value; NaN until {@link isReady}. */
  abstract get value(): number

  /** True once it has received as many inputs as its definition needs. */
  get isReady(): boolean {
    return !Number.isNaN(this.value)
  }

  /** The state for {@link restore}. */
  save(): SavedIndicator {
    return Object.fromEntries(Object.entries(this).map(([name, field]) => [name, savedField(field)]))
  }

  /** Takes back what {@link save} gave of an indicator of the same kind and periods. Throws OPTION_INVALID. */
  restore(saved: SavedIndicator): void {
    const fields = this as unknown as Record<string, unknown>
    for (const [name, field] of Object.entries(fields)) {
      const value = Object.hasOwn(saved, name) ? saved[name] : undefined
      if (['string', 'boolean'].includes(typeof field) && value === String(field)) continue
      if (field instanceof Indicator && isSaved(value)) field.restore(value)
      else if (field instanceof Float64Array && Array.isArray(value) && value.length === field.length)
        field.set(value.map(numberOf))
      else if (typeof field === 'number' && (typeof value === 'number' || value === null))
        fields[name] = numberOf(value)
      else throw refusal(`Cannot restore ${this.label}`, name, 'the state of the same indicator', value)
    }
  }

  /** The indicators that it is made of, and theirs. */
  parts(): readonly Indicator[] {
    const own = Object.values(this).filter((field): field is Indicator => field instanceof Indicator)
    return own.flatMap((part) => [part, ...part.parts()])
  }

  /** An input as a double. Throws OPTION_INVALID for what is no finite number. */
  protected input(name: string, value: IndicatorInput): number {
    const given = typeof value === 'number' ? value : numberIn(value)
    if (Number.isFinite(given)) return given
    throw refusal(`Cannot feed ${this.label}`, name, 'a finite number', value)
  }
}

/** Where indicators that are made just now are noted: one place for all copies of this package. */
const MADE: unique symbol = Symbol.for('backtape.madeIndicators') as never

interface Noting {
  [MADE]?: Indicator[] | undefined
}

function made(): Indicator[] | undefined {
  return (globalThis as Noting)[MADE]
}

/** The result of `make`, and the indicators that were made while it ran. For runtimes. */
export function madeIndicators<T>(make: () => T): readonly [result: T, made: readonly Indicator[]] {
  const noting = globalThis as Noting
  const before = noting[MADE]
  const list: Indicator[] = []
  noting[MADE] = list
  try {
    return [make(), list]
  } finally {
    noting[MADE] = before
  }
}

function numberIn(value: unknown): number {
  const exact = value as { toNumber?: unknown } | null | undefined
  return typeof exact?.toNumber === 'function' ? (exact as FixedDecimal).toNumber() : NaN
}

function numberOf(value: number | null): number {
  return value ?? NaN
}

function isSaved(value: unknown): value is SavedIndicator {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Fields are texts, truths, numbers, lists of doubles and indicators. */
function savedField(field: unknown): SavedIndicator[string] {
  const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)
  if (typeof field === 'number') return orNull(field)
  if (field instanceof Float64Array) return Array.from(field, orNull)
  return field instanceof Indicator ? field.save() : String(field)
}

/** An option or an input that means nothing, in the usual words. */
export function refusal(failed: string, field: string, expected: string, found: unknown): BacktapeError {
  const words = foundText(found)
  return new BacktapeError('OPTION_INVALID', `${failed}: ${field} must be ${expected}, found ${words}`, {
    field, expected, found: words,
  })
}

/** A period as it was given. Throws OPTION_INVALID for what is no whole number from `least` to 100,000. */
export function checkedPeriod(indicator: string, period: number, least = 1, name = 'period'): number {
  if (Number.isInteger(period) && period >= least && period <= PERIOD_MAX) return period
  throw refusal(`Cannot make ${indicator}`, name, `a whole number from ${least} to ${PERIOD_MAX}`, period)
}

/** A factor as it was given. Throws OPTION_INVALID for what is no finite number above 0. */
export function checkedFactor(indicator: string, factor: number): number {
  if (Number.isFinite(factor) && factor > 0) return factor
  throw refusal(`Cannot make ${indicator}`, 'factor', 'a number above 0', factor)
}

brand(Indicator, 'Indicator')
