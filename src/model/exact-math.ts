/*
 * Logarithm and exponential after fdlibm 5.3 (e_log.c, e_exp.c): "Copyright (C) 1993 by Sun Microsystems, Inc. All
 * rights reserved. Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and
 * distribute this software is freely granted, provided that this notice is preserved."
 * (https://www.netlib.org/fdlibm/). Only IEEE 754 additions, multiplications, divisions and bit operations, so that
 * every engine gives the same bits; Math.log and Math.exp are the engine's own affair.
 */

const doubles = new Float64Array(1)
const words = new Int32Array(doubles.buffer)
doubles[0] = 1
/** Where the sign and exponent of a double lie on this machine. */
const HIGH: 0 | 1 = words[0] === 0 ? 1 : 0

/** The upper 32 bits of a double, signed. */
export function highWord(x: number): number {
  doubles[0] = x
  return words[HIGH] ?? 0
}

/** The lower 32 bits of a double, signed. */
export function lowWord(x: number): number {
  doubles[0] = x
  return words[1 - HIGH] ?? 0
}

/** The double of two 32-bit halves. */
export function doubleFromWords(high: number, low: number): number {
  words[HIGH] = high
  words[1 - HIGH] = low
  return doubles[0] ?? 0
}

const LN2_HIGH = 6.931471803691238e-1
const LN2_LOW = 1.9082149292705877e-10
const INVERSE_LN2 = 1.4426950408889634
const TWO_54 = 18014398509481984
const LG1 = 6.66666666666673513e-1
const LG2 = 3.999999999940941908e-1
const LG3 = 2.857142874366239149e-1
const LG4 = 2.222219843214978396e-1
const LG5 = 1.818357216161805012e-1
const LG6 = 1.531383769920937332e-1
const LG7 = 1.479819860511658591e-1

/** log of 1 + f, plus k ln 2; `high` are the 20 upper mantissa bits that choose the form with less cancellation. */
function logOfParts(f: number, k: number, high: number): number {
  if ((0xfffff & (2 + high)) < 3) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HIGH + k * LN2_LOW
    const small = f * f * (0.5 - 0.3333333333333333 * f)
    return k === 0 ? f - small : k * LN2_HIGH - (small - k * LN2_LOW - f)
  }
  const s = f / (2 + f)
  const z = s * s
  const w = z * z
  const rest = z * (LG1 + w * (LG3 + w * (LG5 + w * LG7))) + w * (LG2 + w * (LG4 + w * LG6))
  if (((high - 0x6147a) | (0x6b851 - high)) > 0) {
    const half = 0.5 * f * f
    return k === 0 ? f - (half - s * (half + rest)) : k * LN2_HIGH - (half - (s * (half + rest) + k * LN2_LOW) - f)
  }
  return k === 0 ? f - s * (f - rest) : k * LN2_HIGH - (s * (f - rest) - k * LN2_LOW - f)
}

/**
 * The natural logarithm, within 1 ulp, the same bits on every engine. -Infinity at 0, NaN below.
 *
 * @example
 * ```ts
 * import { exactLog } from 'backtape/columns'
 * if (exactLog(10) !== 2.302585092994046) throw new Error('the same bits everywhere')
 * ```
 */
export function exactLog(x: number): number {
  let high = highWord(x)
  let k = 0
  if (high < 0x00100000) {
    if (x === 0) return -Infinity
    if (high < 0) return NaN
    k = -54
    x *= TWO_54
    high = highWord(x)
  }
  if (high >= 0x7ff00000) return x + x
  k += (high >> 20) - 1023
  high &= 0xfffff
  const carry = (high + 0x95f64) & 0x100000
  const mantissa = doubleFromWords(high | (carry ^ 0x3ff00000), lowWord(x))
  return logOfParts(mantissa - 1, k + (carry >> 20), high)
}

const EXP_OVERFLOW = 7.09782712893384e2
const EXP_UNDERFLOW = -7.451332191019411e2
const P1 = 1.66666666666666019037e-1
const P2 = -2.77777777770155933842e-3
const P3 = 6.61375632143793436117e-5
const P4 = -1.6533902205465251539e-6
const P5 = 4.13813679705723846039e-8
const TWO_M1000 = 9.332636185032189e-302
const TWO_1023 = 8.98846567431158e307

/** x less the even part of its quotient, of which the exponential of a small x is made: c of fdlibm. */
export function exponentialRest(x: number): number {
  const t = x * x
  return x - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))))
}

/** y * 2^k by the exponent bits, in two steps where one would leave the normal range. */
function timesPowerOfTwo(y: number, k: number): number {
  if (k === 1024) return y * 2 * TWO_1023
  if (k >= -1021) return doubleFromWords((highWord(y) + (k << 20)) | 0, lowWord(y))
  return doubleFromWords((highWord(y) + ((k + 1000) << 20)) | 0, lowWord(y)) * TWO_M1000
}

/**
 * The exponential, within 1 ulp, the same bits on every engine.
 *
 * @example
 * ```ts
 * import { exactExp } from 'backtape/columns'
 * if (exactExp(1) !== 2.7182818284590455) throw new Error('fdlibm rounds e up: within 1 ulp, the same bits everywhere')
 * ```
 */
export function exactExp(x: number): number {
  if (Number.isNaN(x)) return NaN
  if (x > EXP_OVERFLOW) return Infinity
  if (x < EXP_UNDERFLOW) return 0
  const high = highWord(x) & 0x7fffffff
  let k = 0
  let hi = x
  let lo = 0
  if (high > 0x3fd62e42) {
    if (high < 0x3ff0a2b2) k = x < 0 ? -1 : 1
    else k = Math.trunc(INVERSE_LN2 * x + (x < 0 ? -0.5 : 0.5))
    hi = x - k * LN2_HIGH
    lo = k * LN2_LOW
    x = hi - lo
  } else if (high < 0x3e300000) {
    return 1 + x
  }
  const c = exponentialRest(x)
  if (k === 0) return 1 - ((x * c) / (c - 2) - x)
  return timesPowerOfTwo(1 - (lo - (x * c) / (2 - c) - hi), k)
}
