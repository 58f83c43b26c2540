import { Amount, declaredAmount, exactProduct } from '../../model/amount.js'
import { BacktapeError } from '../../model/error.js'
import { instrumentName, type Instrument } from '../../model/instrument.js'
import type { Side } from '../../model/side.js'
import type { UnderlyingDirectory } from '../../venue/venue.js'
import { contractFromInstrument, type Contract } from '../../model/contract.js'

/** A rate for both sides, or one for each; a decimal text, negative for a rebate. */
export type FeeRate = string | { readonly buy: string; readonly sell: string }

/** The fees of an account per fill. Amounts are in the fee underlying. */
export interface FeeSchedule {
  /** The rate of fills that added liquidity. */
  readonly maker: FeeRate
  /** The rate of fills that removed liquidity. */
  readonly taker: FeeRate
  /**
   * The base of the rate: the fill's value (default; of options paid in their coin the coins), its quantity, or the
   * fill itself (the rate is the fee).
   */
  readonly by?: 'value' | 'quantity' | 'fill'
  /** Least fee of a fill; a rebate is not raised to it. */
  readonly minimum?: string
}

/** The default: nothing is charged, and the result says so. */
export const NO_FEES: FeeSchedule = { maker: '0', taker: '0' }

function rateText(rate: FeeRate): string {
  return typeof rate === 'string' ? rate : `${rate.buy} buying and ${rate.sell} selling`
}

/** A traded instrument as far as its fees need it. */
interface ChargedInstrument {
  readonly contract: Contract
  readonly entry: { readonly instrument: Instrument }
}

/**
 * A schedule in words: `maker 0.0002, taker 0.0005 by value`; where one of the instruments is an option of which the
 * value that counts is its coins, with a word on that.
 */
export function feeText(
  { maker, taker, by = 'value', minimum }: FeeSchedule, traded: Iterable<ChargedInstrument> = [],
): string {
  const isFree = [maker, taker].every((rate) => rate === '0') && minimum === undefined
  const options = by === 'value' && hasCoinFees(traded) ? ' (options: by quantity)' : ''
  return isFree
    ? 'none'
    : `maker ${rateText(maker)}, taker ${rateText(taker)} by ` +
      `${by}${options}${minimum === undefined ? '' : `, at least ${minimum}`}`
}

function hasCoinFees(traded: Iterable<ChargedInstrument>): boolean {
  return [...traded].some(({ contract, entry: { instrument } }) => isChargedByCoins(contract, instrument))
}

/** True where the fee of an option is a part of the coins that it is about, not of its premium. */
function isChargedByCoins({ option }: Contract, { feeUnderlyingId, baseUnderlyingId }: Instrument): boolean {
  return option?.paidIn === 'coin' && feeUnderlyingId === baseUnderlyingId
}

/** The rate of a fill. */
export function feeRateOf({ maker, taker }: FeeSchedule, side: Side, isMaker: boolean): Amount {
  const rate = isMaker ? maker : taker
  if (typeof rate === 'string') return declaredAmount(rate)
  return declaredAmount(side === 'BID' ? rate.buy : rate.sell)
}

/** The exact fee of a fill; positive is a cost. Its value counts without its sign; `quantity` is above 0. */
export function feeOf(schedule: FeeSchedule, side: Side, isMaker: boolean, value: Amount, quantity: Amount): Amount {
  const rate = feeRateOf(schedule, side, isMaker)
  const by = schedule.by ?? 'value'
  const fee = by === 'fill' ? rate : exactProduct(rate, by === 'value' ? value.abs() : quantity, 'a fee')
  const minimum = schedule.minimum === undefined ? null : declaredAmount(schedule.minimum)
  return minimum !== null && fee.sign >= 0 && fee.lt(minimum) ? minimum : fee
}

/**
 * The value of a fill in the instrument's fee underlying: the settlement value, or the base amount (spot, linear), or
 * the counter amount (inverse); null where the fee underlying is another one, since nothing recorded says what it is
 * worth. Of an option that is paid in coin it is the coins that it is about, not its premium, as venues charge it
 * (https://support.deribit.com/hc/en-us/articles/25944746248989-Fees, read 2026-11-21).
 */
export function feeValueOf(
  contract: Contract, instrument: Instrument, quantity: Amount, value: Amount,
): Amount | null {
  const { feeUnderlyingId, baseUnderlyingId, counterUnderlyingId } = instrument
  if (isChargedByCoins(contract, instrument)) return quantity.times(contract.size)
  if (feeUnderlyingId === null || feeUnderlyingId === contract.settlementUnderlyingId) return value
  if (feeUnderlyingId === (contract.kind === 'inverse' ? counterUnderlyingId : baseUnderlyingId))
    return quantity.times(contract.size)
  return null
}

/**
 * Refuses an account whose fees by value could not be posted in an instrument's fee underlying (exchange rules 8.4).
 */
export function checkFees(
  accountId: string, schedule: FeeSchedule, instrument: Instrument, underlyings?: UnderlyingDirectory,
): void {
  if ((schedule.by ?? 'value') !== 'value') return
  const rates = [schedule.maker, schedule.taker].flatMap((rate) =>
    typeof rate === 'string' ? [rate] : [rate.buy, rate.sell],
  )
  if (rates.every((rate) => Amount.from(rate).isZero()) && schedule.minimum === undefined) return
  const one = Amount.ONE
  if (feeValueOf(contractFromInstrument(instrument), instrument, one, one) !== null) return
  const underlying = underlyings?.get(instrument.feeUnderlyingId ?? NaN)?.code ?? String(instrument.feeUnderlyingId)
  throw new BacktapeError(
    'OPTION_INVALID',
    `Cannot charge account ${accountId} fees by value on ${instrumentName(instrument)}: its fee underlying ` +
      `${underlying} is neither base nor counter`,
    {
      field: 'fees', expected: 'fees by quantity or by fill', found: 'fees by value',
    },
  )
}
