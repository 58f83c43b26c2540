import { Decimal } from '../../model/decimal.js'
import type { Instrument } from '../../model/instrument.js'
import type { Leg } from './account-position.js'
import type { MarginBracket } from './margin.js'
import { shortOptionTerms, type ShortOptionTerms } from './short-option-margin.js'
import type { MarginProfile, MarginBracket as WrittenBracket } from '../profile/venue-profile-money.js'

/** The margin terms of an account's venue, their texts read once. */
export interface MarginTerms {
  readonly liquidationFeeRate: Decimal
  /** The margin of the seller of options; null where the profile does not state it. */
  readonly shortOptions: ShortOptionTerms | null
  bracketsOf(instrument: Instrument): readonly MarginBracket[]
  /** True where a leg stands for itself with its isolated margin, or with the whole wallet behind it. */
  isIsolated(leg: Leg): boolean
}

function readBrackets(brackets: readonly WrittenBracket[]): readonly MarginBracket[] {
  return brackets.map(({ upTo, initialRate, maintenanceRate, deduction }) => ({
    upTo: upTo === null ? null : new Decimal(upTo), initialRate: new Decimal(initialRate),
    maintenanceRate: new Decimal(maintenanceRate), deduction: new Decimal(deduction),
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
    liquidationFeeRate: new Decimal(liquidationFeeRate),
    shortOptions: shortOptions === undefined ? null : shortOptionTerms(shortOptions),
    bracketsOf: ({ code }) => byCode.get(code) ?? general,
    isIsolated: (leg) => (leg === 'net' ? !modes.includes('cross') : modes.includes('isolated')),
  }
}
