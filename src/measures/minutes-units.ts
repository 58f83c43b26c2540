import { decimalDigits } from '../model/decimal.js'
import type { Instrument, Underlying } from '../model/instrument.js'

/** An exact decimal as a fraction of a power of ten: `integer * 10^-scale`. */
export interface ExactFactor {
  readonly integer: bigint
  readonly scale: number
}

/** The factors from quantities of an instrument to base units, quote values and USD (spec 4, section 5). */
export interface MinuteUnits {
  /** Inverse: the quote value of a quantity does not depend on its price, its base value does. */
  readonly isInverse: boolean
  /** Base units of 1 quantity (linear), or of 1 quantity times 1 / price (inverse). */
  readonly base: ExactFactor
  /** USD of quantity times price (linear), or of quantity (inverse); null where no rate is known. */
  readonly usd: ExactFactor | null
  /** The rate behind {@link usd}; null where none is known. */
  readonly usdRate: MinuteUsdRate | null
}

/** The rate at which minutes are valued in USD: one for the whole file, as its master data state it. */
export interface MinuteUsdRate {
  /** The underlying that is valued. */
  readonly code: string
  /** USD for one unit of it, a decimal text. */
  readonly rate: string
  /** The time at which it was sampled, as the file has it; null where it does not say. */
  readonly sampledAt: string | null
}

const ONE: ExactFactor = { integer: 1n, scale: 0 }

function factor(text: string | null): ExactFactor {
  const parts = decimalDigits(text ?? '1')
  if (parts === null) return ONE
  const digits = BigInt(parts.digits) * (parts.negative ? -1n : 1n)
  return parts.scale >= 0
    ? { integer: digits, scale: parts.scale }
    : { integer: digits * 10n ** BigInt(-parts.scale), scale: 0 }
}

function product(left: ExactFactor, right: ExactFactor): ExactFactor {
  return { integer: left.integer * right.integer, scale: left.scale + right.scale }
}

/**
 * The units of an instrument. Linear: base = quantity * multiplier, quote = base * price. Inverse: quote = quantity *
 * contract value, in the counter underlying, base = quote / price. Quanto: quote = quantity * multiplier * contract
 * value * price in the valuation underlying. USD is the quote value times the rate of the underlying in which it
 * stands: the counter for inverse contracts, else the valuation (options quoted in coin have a USD counter and a coin
 * valuation), else the counter.
 */
export function minuteUnits(instrument: Instrument, underlyings: readonly Underlying[]): MinuteUnits {
  const { isInverse, multiplier, contractValue, counterUnderlyingId, valuationUnderlyingId } = instrument
  const currency = isInverse
    ? (counterUnderlyingId ?? valuationUnderlyingId)
    : (valuationUnderlyingId ?? counterUnderlyingId)
  const valued = underlyings.find((underlying) => underlying.id === currency)
  const rate = valued?.fxRate ?? null
  const base = factor(isInverse ? contractValue : multiplier)
  const quote = quoteFactor(instrument)
  if (valued === undefined || rate === null) return { isInverse, base, usd: null, usdRate: null }
  const usdRate = { code: valued.code, rate, sampledAt: valued.fxTime }
  return { isInverse, base, usd: product(quote, factor(rate)), usdRate }
}

/** The factor from quantity times price (linear), or quantity (inverse), to the value in the quote currency. */
export function quoteFactor({ isInverse, isQuanto, multiplier, contractValue }: Instrument): ExactFactor {
  if (isInverse) return factor(contractValue)
  return isQuanto ? product(factor(multiplier), factor(contractValue)) : factor(multiplier)
}

/** Decimals of every quotient that is printed. */
const PRINTED_DIGITS = 18

/**
 * `numerator / denominator * 10^-scale` as a plain decimal of at most 18 decimals, rounded half-even, in shortest form;
 * null where the denominator is 0.
 */
export function quotientText(numerator: bigint, denominator: bigint, scale: number): string | null {
  if (denominator === 0n) return null
  const exponent = PRINTED_DIGITS - scale
  const over = exponent >= 0 ? numerator * 10n ** BigInt(exponent) : numerator
  const under = exponent >= 0 ? denominator : denominator * 10n ** BigInt(-exponent)
  const isNegative = over < 0n !== under < 0n
  const dividend = over < 0n ? -over : over
  const divisor = under < 0n ? -under : under
  let quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) quotient++
  const digits = String(quotient).padStart(PRINTED_DIGITS + 1, '0')
  const fraction = digits.slice(-PRINTED_DIGITS).replace(/0+$/, '')
  const sign = isNegative && quotient !== 0n ? '-' : ''
  return `${sign}${digits.slice(0, -PRINTED_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`
}

/** `total * factor * 10^-scale / weight` as text; null without a factor or weight. */
export function averageText(total: bigint, weight: bigint, scale: number, by: ExactFactor | null): string | null {
  return by === null ? null : quotientText(total * by.integer, weight, scale + by.scale)
}
