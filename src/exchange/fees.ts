import { Decimal } from '../model/decimal.js'
import type { Side } from '../model/side.js'

/** A rate for both sides, or one for each; a decimal text, negative for a rebate. */
export type FeeRate = string | { readonly buy: string; readonly sell: string }

/** What an account pays per fill. Amounts are in the fee underlying. */
export interface FeeSchedule {
  readonly maker: FeeRate
  readonly taker: FeeRate
  /** What the rate is taken of: the fill's value (default), its quantity, or the fill itself (the rate is the fee). */
  readonly by?: 'value' | 'quantity' | 'fill'
  /** Least fee of a fill; a rebate is not raised to it. */
  readonly minimum?: string
}

/** The default: nothing is charged, and the result says so. */
export const NO_FEES: FeeSchedule = { maker: '0', taker: '0' }

function rateOf(rate: FeeRate, side: Side): Decimal {
  if (typeof rate === 'string') return new Decimal(rate)
  return new Decimal(side === 'BID' ? rate.buy : rate.sell)
}

/** The exact fee of a fill; positive is a cost. `value` and `quantity` are above 0. */
export function feeOf(schedule: FeeSchedule, side: Side, isMaker: boolean, value: Decimal, quantity: Decimal): Decimal {
  const rate = rateOf(isMaker ? schedule.maker : schedule.taker, side)
  const by = schedule.by ?? 'value'
  const fee = by === 'fill' ? rate : rate.times(by === 'value' ? value : quantity)
  const minimum = schedule.minimum === undefined ? null : new Decimal(schedule.minimum)
  return minimum !== null && !fee.isNegative() && fee.lt(minimum) ? minimum : fee
}
