import { exactLog } from '../model/exact-math.js'
import { type InstrumentProfile, PROFILES, tickSize } from './instrument-profile.js'
import { callValue } from './option-pricing.js'

/** The strikes that can be made up, whole thousands. */
export const STRIKES = { least: 40_000, most: 90_000, step: 1_000 } as const

/** Ids count from here by thousands of the strike. */
const FIRST_ID = 9_100_100
/** The volatility of a strike by its distance from the index: `CURVE` of its square less `SKEW` of itself. */
const CURVE = 8
const SKEW = 0.3
/** Volatility a year and years to expiry where the market begins, about: they place the first orders alone. */
const FIRST_VOLATILITY = 0.55
const FIRST_YEARS = 9 / 365

function smileAt(strike: number): number {
  const { startIndex } = PROFILES.option
  const distance = exactLog(strike / startIndex)
  return CURVE * distance * distance - SKEW * distance
}

/**
 * A made-up call with this strike. Calls of one seed share the path of their index; their volatility is least near it,
 * higher below than above. The bundled strike of 68,000 is the profile itself.
 */
export function optionProfile(strike: number): InstrumentProfile {
  const base = PROFILES.option
  if (strike === base.strike) return base
  const smile = 1 + smileAt(strike) - smileAt(base.strike)
  const ticks = callValue(base.startIndex, strike, FIRST_YEARS, FIRST_VOLATILITY * smile).value / tickSize(base)
  const step = base.stepAt(ticks)
  return {
    ...base,
    id: FIRST_ID + strike / STRIKES.step,
    code: `BTC-${String(strike)}-C`,
    strike,
    smile,
    pathId: base.id,
    startTick: Math.max(base.minTick, Math.round(ticks / step) * step),
    contractText: base.contractText.replace('"strike_price":68000.0', `"strike_price":${String(strike)}.0`),
  }
}
