import { Amount, declaredAmount, exactProduct } from '../../model/amount.js'
import { BacktapeError } from '../../model/error.js'
import { instrumentName, type Instrument } from '../../model/instrument.js'
import type { Side } from '../../model/side.js'
import type { UnderlyingDirectory } from '../../venue/venue.js'
import { contractFromInstrument, type Contract } from '../../model/contract.js'

/** The fees of an account per fill. Amounts are in the fee underlying. */
export interface FeeSchedule {
  /** The rate of fills that added liquidity: of both sides, or of each; decimal texts, negative for a rebate. */
  readonly maker: string | { readonly buy: string; readonly sell: string }
  /** The same of fills that removed liquidity. */
  readonly taker: FeeSchedule['maker']
  /**
   * The base of the rate: the fill's value (default; of options paid in their coin the coins), its quantity, or the
   * fill itself (the rate is the fee).
   */
  readonly by?: 'value' | 'quantity' | 'fill'
  /** Least fee of a fill; a rebate is not raised to it. */
  readonly minimum?: string
  /** Greatest fee of a fill of an option, as a part of its premium: above 0 and below 1. It wins over `minimum`. */
  readonly maximumOfValue?: string
}

/** The default: nothing is charged, and the result says so. */
export const NO_FEES: FeeSchedule = { maker: '0', taker: '0' }

function rateText(rate: FeeSchedule['maker']): string {
  return typeof rate === 'string' ? rate : `${rate.buy} buying and ${rate.sell} selling`
}

/** A traded instrument as far as its fees need it; a position is one. */
interface ChargedInstrument {
  readonly contract: Contract
  readonly entry: { readonly instrument: Instrument }
}

/**
 * A schedule in words: `maker 0.0002, taker 0.0005 by value`; where one of the instruments is an option of which the
 * value that counts is its coins, with a word on that.
 */
export function feeText(
  { maker, taker, by = 'value', minimum, maximumOfValue: cap }: FeeSchedule, traded: Iterable<ChargedInstrument> = [],
): string {
  const isFree = [maker, taker].every((rate) => rate === '0') && minimum === undefined
  if (isFree) return 'none'
  const options = by === 'value' && hasCoinFees(traded) ? ' (options: by quantity)' : ''
  const least = minimum === undefined ? '' : `, at least ${minimum}`
  const most = cap === undefined ? '' : `, of options at most ${cap} of the premium`
  return `maker ${rateText(maker)}, taker ${rateText(taker)} by ${by}${options}${least}${most}`
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

/** The fill that a fee is of: its quantity above 0, and its value in the settlement underlying. */
export interface ChargedFill {
  readonly side: Side
  readonly isMaker: boolean
  readonly quantity: Amount
  readonly value: Amount
}

/**
 * The exact fee of a fill in the fee underlying of its instrument; positive is a cost. Values count without their sign.
 */
export function feeOf(
  schedule: FeeSchedule, { contract, entry: { instrument } }: ChargedInstrument,
  { side, isMaker, quantity, value }: ChargedFill,
): Amount {
  const rate = feeRateOf(schedule, side, isMaker)
  const { by = 'value', minimum, maximumOfValue } = schedule
  const base = by === 'quantity' ? quantity : (feeValueOf(contract, instrument, quantity, value) ?? value).abs()
  const fee = by === 'fill' ? rate : exactProduct(rate, base, 'a fee')
  const raised = minimum === undefined || fee.sign < 0 ? fee : Amount.max(fee, declaredAmount(minimum))
  if (maximumOfValue === undefined || contract.option === undefined) return raised
  return Amount.min(raised, exactProduct(declaredAmount(maximumOfValue), value.abs(), 'a fee'))
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
 * Refuses an account whose fees by value could not be posted in an instrument's fee underlying (exchange rules 8.4), or
 * whose bound is of a premium in another one.
 */
export function checkFees(
  accountId: string, schedule: FeeSchedule, instrument: Instrument, underlyings?: UnderlyingDirectory,
): void {
  if (schedule.maximumOfValue !== undefined) checkBound(accountId, schedule.maximumOfValue, instrument, underlyings)
  if ((schedule.by ?? 'value') !== 'value') return
  const rates = [schedule.maker, schedule.taker].flatMap((rate) =>
    typeof rate === 'string' ? [rate] : [rate.buy, rate.sell],
  )
  if (rates.every((rate) => Amount.from(rate).isZero()) && schedule.minimum === undefined) return
  const one = Amount.ONE
  if (feeValueOf(contractFromInstrument(instrument), instrument, one, one) !== null) return
  throw new BacktapeError(
    'OPTION_INVALID',
    `Cannot charge account ${accountId} fees by value on ${instrumentName(instrument)}: its fee underlying ` +
      `${feeCode(instrument, underlyings)} is neither base nor counter`,
    {
      field: 'fees', expected: 'fees by quantity or by fill', found: 'fees by value',
    },
  )
}

function checkBound(
  accountId: string, bound: string, instrument: Instrument, underlyings?: UnderlyingDirectory,
): void {
  const { option, settlementUnderlyingId } = contractFromInstrument(instrument)
  if (option === undefined || (instrument.feeUnderlyingId ?? settlementUnderlyingId) === settlementUnderlyingId) return
  throw new BacktapeError(
    'OPTION_INVALID',
    `Cannot bound the fees of account ${accountId} on ${instrumentName(instrument)} by its premium: its fee ` +
      `underlying ${feeCode(instrument, underlyings)} is not the one of the premium`,
    {
      field: 'fees.maximumOfValue', expected: 'no bound, or options whose fee is in the underlying of their premium',
      found: bound,
    },
  )
}

function feeCode({ feeUnderlyingId }: Instrument, underlyings?: UnderlyingDirectory): string {
  return underlyings?.get(feeUnderlyingId ?? NaN)?.code ?? String(feeUnderlyingId)
}
