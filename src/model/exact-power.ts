/*
 * General power after fdlibm 5.3 (e_pow.c): "Copyright (C) 2004 by Sun Microsystems, Inc. All rights reserved.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
 * preserved." (https://www.netlib.org/fdlibm/). Math.pow and the power operator give different last bits on Node 20 and
 * 24; this gives the same everywhere.
 */
import { doubleFromWords, exponentialRest, highWord, lowWord } from './exact-math.js'

const BREAK_HIGH = [0, 5.84962487220764160156e-1] as const
const BREAK_LOW = [0, 1.35003920212974897128e-8] as const
const TWO_53 = 9007199254740992
const L1 = 5.99999999999994648725e-1
const L2 = 4.28571428578550184252e-1
const L3 = 3.33333329818377432918e-1
const L4 = 2.72728123808534006489e-1
const L5 = 2.30660745775561754067e-1
const L6 = 2.06975017800338417784e-1
const LN2 = 6.93147180559945286227e-1
const LN2_HIGH = 6.93147182464599609375e-1
const LN2_LOW = -1.90465429995776804525e-9
const OVERFLOW_TAIL = 8.008566259537294437e-17
const CP = 9.61796693925975554329e-1
const CP_HIGH = 9.61796700954437255859e-1
const CP_LOW = -7.02846165095275826516e-9

/** The double with its lower 32 bits cleared. */
function upper(x: number): number {
  return doubleFromWords(highWord(x), 0)
}

/**
 * log2 of a positive finite x as a sum of two doubles, the first with 21 bits. Written to the scratch, so that no pair
 * is allocated.
 */
const log2 = { high: 0, low: 0 }
function setLog2(x: number): void {
  let n = 0
  if (highWord(x) < 0x00100000) {
    x *= TWO_53
    n = -53
  }
  const bits = highWord(x)
  n += (bits >> 20) - 0x3ff
  const mantissa = bits & 0xfffff
  let high = mantissa | 0x3ff00000
  let k: 0 | 1 = 0
  if (mantissa > 0x3988e && mantissa < 0xbb67a) {
    k = 1
  } else if (mantissa >= 0xbb67a) {
    n += 1
    high -= 0x00100000
  }
  const ax = doubleFromWords(high, lowWord(x))
  const breakPoint = k === 0 ? 1 : 1.5
  const u = ax - breakPoint
  const v = 1 / (ax + breakPoint)
  const s = u * v
  const sHigh = upper(s)
  const tHigh = doubleFromWords(((high >> 1) | 0x20000000) + 0x00080000 + (k << 18), 0)
  const tLow = ax - (tHigh - breakPoint)
  const sLow = v * (u - sHigh * tHigh - sHigh * tLow)
  const s2 = s * s
  const rest = s2 * s2 * (L1 + s2 * (L2 + s2 * (L3 + s2 * (L4 + s2 * (L5 + s2 * L6))))) + sLow * (sHigh + s)
  const sSquare = sHigh * sHigh
  const threeHigh = upper(3 + sSquare + rest)
  const threeLow = rest - (threeHigh - 3 - sSquare)
  const product = sHigh * threeHigh
  const productLow = sLow * threeHigh + threeLow * s
  const pHigh = upper(product + productLow)
  const pLow = productLow - (pHigh - product)
  const zHigh = CP_HIGH * pHigh
  const zLow = CP_LOW * pHigh + pLow * CP + BREAK_LOW[k]
  log2.high = upper(zHigh + zLow + BREAK_HIGH[k] + n)
  log2.low = zLow - (log2.high - n - BREAK_HIGH[k] - zHigh)
}

/** 2^(high + low) for an exponent within the range of doubles. */
function exp2(high: number, low: number): number {
  let z = high + low
  let n = 0
  if (Math.abs(z) > 0.5) {
    n = Math.floor(z + 0.5)
    high -= n
  }
  const t = upper(low + high)
  const u = t * LN2_HIGH
  const v = (low - (t - high)) * LN2 + t * LN2_LOW
  z = u + v
  const w = v - (z - u)
  const c = exponentialRest(z)
  const r = (z * c) / (c - 2) - (w + z * w)
  z = 1 - (r - z)
  const exponent = (highWord(z) >> 20) + n
  if (exponent > 0) return doubleFromWords((highWord(z) + (n << 20)) | 0, lowWord(z))
  return doubleFromWords((highWord(z) + ((n + 1000) << 20)) | 0, lowWord(z)) * 9.332636185032189e-302
}

/** x^y of positive finite x and finite y. */
function powerOfPositive(x: number, y: number): number {
  if (Math.abs(y) > 18446744073709551616) {
    if (x === 1) return 1
    return x > 1 === y > 0 ? Infinity : 0
  }
  setLog2(x)
  const yHigh = upper(y)
  const low = (y - yHigh) * log2.high + y * log2.low
  const high = yHigh * log2.high
  const z = high + low
  if (z > 1024 || (z === 1024 && low + OVERFLOW_TAIL > z - high)) return Infinity
  if (z < -1075 || (z === -1075 && low <= z - high)) return 0
  return exp2(high, low)
}

/**
 * `x` to the power `y`, within 1 ulp, the same bits on every engine; the special cases are those of Math.pow.
 *
 * @example
 * ```ts
 * import { exactPower } from 'backtape/columns'
 * if (exactPower(2, 0.5) !== 1.4142135623730951) throw new Error('the same bits everywhere')
 * ```
 */
export function exactPower(x: number, y: number): number {
  if (y === 0) return 1
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN
  const magnitude = Math.abs(x)
  if (!Number.isFinite(y)) {
    if (magnitude === 1) return NaN
    return magnitude > 1 === y > 0 ? Infinity : 0
  }
  const yIsInteger = Math.trunc(y) === y
  const half = y * 0.5
  const negative = (x < 0 || Object.is(x, -0)) && yIsInteger && Math.trunc(half) !== half
  if (magnitude === 0 || magnitude === Infinity) {
    const result = (magnitude === 0) === y > 0 ? 0 : Infinity
    return negative ? -result : result
  }
  if (x < 0 && !yIsInteger) return NaN
  if (y === 2) return x * x
  if (y === 0.5) return Math.sqrt(x)
  if (y === -1) return 1 / x
  const result = powerOfPositive(magnitude, y)
  return negative ? -result : result
}
