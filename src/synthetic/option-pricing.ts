import { exactExp, exactLog } from '../model/exact-math.js'

const INVERSE_SQRT_2PI = 0.3989422804014327

function density(x: number): number {
  return INVERSE_SQRT_2PI * exactExp(-0.5 * x * x)
}

/** The normal distribution function by its Taylor series (Marsaglia, "Evaluating the normal distribution", 2004). */
function normalBelow(x: number): number {
  if (x > 8) return 1
  if (x < -8) return 0
  let sum = x
  let term = x
  let previous = 0
  for (let i = 3; sum !== previous; i += 2) {
    previous = sum
    term *= (x * x) / i
    sum += term
  }
  return 0.5 + sum * density(x)
}

/**
 * A European call of Black and Scholes (1973) without interest. Value in units of the underlying, as coin-margined
 * venues quote it.
 */
export interface CallValue {
  readonly value: number
  readonly delta: number
  readonly gamma: number
  /** Quote units for one point of volatility (0.01). */
  readonly vega: number
  /** Quote units a day. */
  readonly theta: number
}

/** `years` to expiry and `volatility` a year are above 0. */
export function callValue(spot: number, strike: number, years: number, volatility: number): CallValue {
  const root = Math.sqrt(years)
  const spread = volatility * root
  const d1 = exactLog(spot / strike) / spread + spread / 2
  const density1 = density(d1)
  return {
    value: Math.max(0, normalBelow(d1) - (strike / spot) * normalBelow(d1 - spread)),
    delta: normalBelow(d1),
    gamma: density1 / (spot * spread),
    vega: (spot * density1 * root) / 100,
    theta: (-spot * density1 * volatility) / (2 * root * 365),
  }
}

/** The volatility at which the call is worth `value` (units of the underlying), by halving within 0.01 and 5. */
export function impliedVolatility(value: number, spot: number, strike: number, years: number): number {
  let low = 0.01
  let high = 5
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (callValue(spot, strike, years, middle).value < value) low = middle
    else high = middle
  }
  return (low + high) / 2
}
