import type { Decimal } from '../../model/decimal.js'
import { Decimal as DecimalClass } from '../../model/decimal.js'
import { isValueInverse, priceOfValue, type Contract } from '../../model/contract.js'

/** One step of a venue's table of margins. Values and deductions are in the settlement underlying. */
export interface MarginBracket {
  /** Greatest position value of the step; null: without bound. */
  readonly upTo: Decimal | null
  /** Part of the position's value that must be there to open it: 1 by the greatest leverage of the step. */
  readonly initialRate: Decimal
  /** Part that must stay. */
  readonly maintenanceRate: Decimal
  /** Taken off `value * maintenanceRate`, so that steps meet ("maintenance amount", "cum"). */
  readonly deduction: Decimal
}

/** A position as margin sees it: a side, a quantity and the value at which it was opened, both above 0. */
export interface OpenPosition {
  readonly contract: Contract
  readonly isLong: boolean
  readonly quantity: Decimal
  readonly openValue: Decimal
}

const ZERO: Decimal = new DecimalClass(0)
const ONE: Decimal = new DecimalClass(1)

/** The step of a position value; the last one for values beyond it. */
export function bracketOf(brackets: readonly MarginBracket[], value: Decimal): MarginBracket | undefined {
  return brackets.find(({ upTo }) => upTo === null || value.lte(upTo)) ?? brackets.at(-1)
}

/** True where a position value is beyond the last step: such a position cannot be opened. */
export function isBeyondBrackets(brackets: readonly MarginBracket[], value: Decimal): boolean {
  const last = brackets.at(-1)?.upTo ?? null
  return last !== null && value.gt(last)
}

/** Margin that opening a position of this value takes: value * initial rate of its step. */
export function initialMargin(brackets: readonly MarginBracket[], value: Decimal): Decimal {
  return value.times(bracketOf(brackets, value)?.initialRate ?? ZERO)
}

/**
 * Margin that a position of this value must keep: value * maintenance rate - deduction
 * (https://www.binance.com/en/futures/trading-rules/perpetual/portfolio-margin/notional-limit, read 2026-11-21).
 */
export function maintenanceMargin(brackets: readonly MarginBracket[], value: Decimal): Decimal {
  const bracket = bracketOf(brackets, value)
  return bracket === undefined
    ? ZERO
    : DecimalClass.max(ZERO, value.times(bracket.maintenanceRate).minus(bracket.deduction))
}

/** The position value at which `collateral + profit = value * rate - deduction`; null where no value above 0 does. */
function valueWhere(
  { contract, isLong, openValue }: OpenPosition, collateral: Decimal, rate: Decimal, deduction: Decimal,
): Decimal | null {
  // A long of a linear contract and a short of an inverse one lose as their value falls.
  const losesWhenFalling = isLong !== isValueInverse(contract)
  const value = losesWhenFalling
    ? openValue.minus(collateral).minus(deduction).div(ONE.minus(rate))
    : openValue.plus(collateral).plus(deduction).div(ONE.plus(rate))
  return value.gt(0) ? value : null
}

/**
 * The mark price at which a position is liquidated: where `collateral`, which is all else that stands for it (other
 * positions' profits in, their maintenance margins out), and its profit come down to its maintenance margin, in the
 * step of the value there. Null where no price does. Linear:
 * https://www.binance.com/en/support/faq/b3c689c1f50a44cabb3a84e663b81d93, inverse:
 * https://www.binance.com/en/support/faq/ceccfcfb4e3a45e3b48b0b1bb1a8ae46 (read 2026-11-21), solved for the value of
 * the position.
 */
export function liquidationPrice(
  position: OpenPosition, collateral: Decimal, brackets: readonly MarginBracket[],
): Decimal | null {
  let from = ZERO
  for (const { upTo, maintenanceRate, deduction } of brackets) {
    const value = valueWhere(position, collateral, maintenanceRate, deduction)
    const isLast = upTo === null || brackets.at(-1)?.upTo === upTo
    if (value !== null && value.gt(from) && (isLast || value.lte(upTo)))
      return priceOfValue(position.contract, position.quantity, value)
    from = upTo ?? from
  }
  return null
}

/** The price at which a position's loss has used up its collateral; null where no price does. */
export function bankruptcyPrice(position: OpenPosition, collateral: Decimal): Decimal | null {
  const value = valueWhere(position, collateral, ZERO, ZERO)
  return value === null ? null : priceOfValue(position.contract, position.quantity, value)
}
