import { Amount } from '../../model/amount.js'
import { isValueInverse, priceOfValue, type Contract } from '../../model/contract.js'
import type { ShortOptionMargin, MarginProfile, MarginBracket as WrittenBracket } from '../profile/venue-profile.js'
import type { Instrument } from '../../model/instrument.js'
import type { Leg } from './account-position.js'

/** One step of a venue's table of margins. Values and deductions are in the settlement underlying. */
export interface MarginBracket {
  /** Greatest position value of the step; null: without bound. */
  readonly upTo: Amount | null
  /** Part of the position's value that must be there to open it: 1 by the greatest leverage of the step. */
  readonly initialRate: Amount
  /** Part that must stay. */
  readonly maintenanceRate: Amount
  /** Taken off `value * maintenanceRate`, so that steps meet ("maintenance amount", "cum"). */
  readonly deduction: Amount
}

/** A position as margin sees it: a side, a quantity above 0, and the value at which it was opened, as a long one's. */
export interface OpenPosition {
  readonly contract: Contract
  readonly isLong: boolean
  readonly quantity: Amount
  readonly openValue: Amount
  /** True where prices below 0 are possible too: its entry or its price is one. */
  readonly isBelowZero?: boolean
}

const ZERO: Amount = Amount.ZERO
const ONE: Amount = Amount.ONE

/** The step of a position value, which counts without its sign; the last one for values beyond it. */
export function bracketOf(brackets: readonly MarginBracket[], value: Amount): MarginBracket | undefined {
  const size = value.abs()
  return brackets.find(({ upTo }) => upTo === null || size.lte(upTo)) ?? brackets.at(-1)
}

/** True where a position value is beyond the last step: such a position cannot be opened. */
export function isBeyondBrackets(brackets: readonly MarginBracket[], value: Amount): boolean {
  const last = brackets.at(-1)?.upTo ?? null
  return last !== null && value.abs().gt(last)
}

/** Margin that opening a position of this value takes: value * initial rate of its step. */
export function initialMargin(brackets: readonly MarginBracket[], value: Amount): Amount {
  return value.abs().times(bracketOf(brackets, value)?.initialRate ?? ZERO)
}

/**
 * Margin that a position of this value must keep: value * maintenance rate - deduction
 * (https://www.binance.com/en/futures/trading-rules/perpetual/portfolio-margin/notional-limit, read 2026-11-21).
 */
export function maintenanceMargin(brackets: readonly MarginBracket[], value: Amount): Amount {
  const bracket = bracketOf(brackets, value)
  return bracket === undefined
    ? ZERO
    : Amount.max(ZERO, value.abs().times(bracket.maintenanceRate).minus(bracket.deduction))
}

/**
 * The position value at which `collateral + profit = |value| * rate - deduction`; null where none of that sign does.
 */
function valueWhere(
  { contract, isLong, openValue, isBelowZero = false }: OpenPosition, collateral: Amount, rate: Amount,
  deduction: Amount, sign: 1 | -1,
): Amount | null {
  // A long of a linear contract and a short of an inverse one lose as their value falls.
  const losesWhenFalling = isLong !== isValueInverse(contract)
  const [whole, share] = losesWhenFalling
    ? [openValue.minus(collateral).minus(deduction), ONE.minus(rate.signed(sign))]
    : [openValue.plus(collateral).plus(deduction), ONE.plus(rate.signed(sign))]
  const value = share.isZero() ? null : whole.ratio(share)
  return value?.sign === sign || (isBelowZero && value?.isZero() === true) ? value : null
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
  position: OpenPosition, collateral: Amount, brackets: readonly MarginBracket[],
): Amount | null {
  for (const sign of signsOf(position)) {
    let from = ZERO
    for (const { upTo, maintenanceRate, deduction } of brackets) {
      const value = valueWhere(position, collateral, maintenanceRate, deduction, sign)
      const isLast = upTo === null || brackets.at(-1)?.upTo === upTo
      const size = value?.abs() ?? ZERO
      if (value !== null && (size.gt(from) || from.isZero()) && (isLast || size.lte(upTo)))
        return priceOfValue(position.contract, position.quantity, value)
      from = upTo ?? from
    }
  }
  return null
}

function signsOf({ isBelowZero = false }: OpenPosition): readonly (1 | -1)[] {
  return isBelowZero ? [1, -1] : [1]
}

/** The price at which a position's loss has used up its collateral; null where no price does. */
export function bankruptcyPrice(position: OpenPosition, collateral: Amount): Amount | null {
  for (const sign of signsOf(position)) {
    const value = valueWhere(position, collateral, ZERO, ZERO, sign)
    if (value !== null) return priceOfValue(position.contract, position.quantity, value)
  }
  return null
}

/** The same with its texts read. */
export interface ShortOptionTerms {
  readonly initialRate: Amount
  readonly minimumInitialRate: Amount
  readonly maintenanceRate: Amount
}

/** Margin of short options in their settlement underlying, their own value left out. */
export interface ShortMargin {
  readonly initial: Amount
  readonly maintenance: Amount
}

/** Reads what a profile says. */
export function shortOptionTerms({
  initialRate, minimumInitialRate, maintenanceRate,
}: ShortOptionMargin): ShortOptionTerms {
  return {
    initialRate: Amount.from(initialRate), minimumInitialRate: Amount.from(minimumInitialRate),
    maintenanceRate: Amount.from(maintenanceRate),
  }
}

/** The margin of a number of sold options of one kind at an index; null where the contract is no option. */
export function shortOptionMargin(
  { initialRate, minimumInitialRate, maintenanceRate }: ShortOptionTerms, { option, size }: Contract, quantity: Amount,
  index: Amount,
): ShortMargin | null {
  if (option === undefined || index.sign <= 0) return null
  const outOfTheMoney = Amount.max(
    ZERO, option.right === 'call' ? option.strike.minus(index) : index.minus(option.strike),
  )
  const rate = Amount.max(initialRate.minus(outOfTheMoney.quotient(index)), minimumInitialRate)
  const amount = quantity.times(size).times(option.paidIn === 'coin' ? ONE : index)
  return { initial: amount.times(rate), maintenance: amount.times(maintenanceRate) }
}

/** The margin terms of an account's venue, their texts read once. */
export interface MarginTerms {
  readonly liquidationFeeRate: Amount
  /** The margin of the seller of options; null where the profile does not state it. */
  readonly shortOptions: ShortOptionTerms | null
  bracketsOf(instrument: Instrument): readonly MarginBracket[]
  /** True where a leg stands for itself with its isolated margin, or with the whole wallet behind it. */
  isIsolated(leg: Leg): boolean
}

function readBrackets(brackets: readonly WrittenBracket[]): readonly MarginBracket[] {
  return brackets.map(({ upTo, initialRate, maintenanceRate, deduction }) => ({
    upTo: upTo === null ? null : Amount.from(upTo), initialRate: Amount.from(initialRate),
    maintenanceRate: Amount.from(maintenanceRate), deduction: Amount.from(deduction),
  }))
}

/**
 * Reads a profile's margin section. Isolated long and short positions are isolated where the venue has that mode, and
 * cross otherwise; net positions are cross where it has that, and isolated otherwise.
 */
export function marginTermsOf({
  modes, brackets, instruments = {}, liquidationFeeRate = '0', shortOptions,
}: MarginProfile): MarginTerms {
  const general = readBrackets(brackets)
  const byCode = new Map(Object.entries(instruments).map(([code, own]) => [code, readBrackets(own)]))
  return {
    liquidationFeeRate: Amount.from(liquidationFeeRate),
    shortOptions: shortOptions === undefined ? null : shortOptionTerms(shortOptions),
    bracketsOf: ({ code }) => byCode.get(code) ?? general,
    isIsolated: (leg) => (leg === 'net' ? !modes.includes('cross') : modes.includes('isolated')),
  }
}
