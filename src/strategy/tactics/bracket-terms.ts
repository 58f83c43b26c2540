import type { Price } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import { tacticRefusal, type TacticOptions } from './tactic-option.js'
import { priceOrNull, savedOrNull } from './watched-stop.js'

/** Prices of a bracket: both, or one of them. */
export interface BracketTerms {
  /** Price of the limit order. */
  readonly takeProfit?: Price
  /** Price of the stop. */
  readonly stop?: Price
}

/** The same, checked. */
export interface BracketPrices {
  readonly takeProfit: Price | null
  readonly stop: Price | null
}

/** The prices of a bracket whose orders are of a side. Throws OPTION_INVALID. */
export function bracketPrices(check: TacticOptions, terms: BracketTerms, side: Side): BracketPrices {
  check.fields(terms, ['takeProfit', 'stop'])
  const takeProfit = terms.takeProfit === undefined ? null : check.price('takeProfit', terms.takeProfit)
  const stop = terms.stop === undefined ? null : check.price('stop', terms.stop)
  if (takeProfit === null && stop === null)
    throw tacticRefusal('a bracket', 'its prices', 'takeProfit, stop or both', terms)
  if (takeProfit !== null && stop !== null && takeProfit.compare(stop) * (side === 'ASK' ? 1 : -1) <= 0)
    throw tacticRefusal(
      'a bracket', 'takeProfit', `${side === 'ASK' ? 'above' : 'below'} the stop, ${stop.toString()}`, takeProfit,
    )
  return { takeProfit, stop }
}

/** Prices for a checkpoint. */
export function savedPrices(
  prices: BracketPrices | null,
): { readonly [K in keyof BracketPrices]: string | null } | null {
  return prices === null ? null : { takeProfit: savedOrNull(prices.takeProfit), stop: savedOrNull(prices.stop) }
}

/** Prices of a checkpoint. */
export function restoredPrices(saved: ReturnType<typeof savedPrices>): BracketPrices | null {
  return saved === null ? null : { takeProfit: priceOrNull(saved.takeProfit), stop: priceOrNull(saved.stop) }
}
