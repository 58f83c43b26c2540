import { Amount, exactProduct } from './amount.js'
import { BacktapeError } from './error.js'
import type { Instrument } from './instrument.js'

/**
 * The rule by which an instrument's quantity turns into money (spec 4, section 5). `linear`, `inverse` and `quanto` are
 * derivatives of which only the profit is settled; `spot` exchanges two assets; of an `option` and a `prediction`
 * contract the price itself is paid.
 */
type ContractKind = 'linear' | 'inverse' | 'quanto' | 'spot' | 'option' | 'prediction'

/** The terms of an instrument that the ledger needs. */
export interface Contract {
  readonly instrumentId: number
  readonly kind: ContractKind
  /** Multiplier (linear, option, prediction), contract value (inverse, quanto), 1 (spot). */
  readonly size: Amount
  /**
   * Where profit is settled: counter (linear, spot, prediction), base (inverse), valuation (quanto); base or counter of
   * an option.
   */
  readonly settlementUnderlyingId: number
  /** Spot only: the asset that is bought and sold. */
  readonly baseUnderlyingId: number | null
  /** Options only: what is paid at expiry. */
  readonly option?: OptionTerms
}

/** The terms of an option. */
export interface OptionTerms {
  readonly right: 'call' | 'put'
  readonly strike: Amount
  /** Priced and settled in the base coin (`coin`), or in the counter (`money`). */
  readonly paidIn: 'coin' | 'money'
}

function kindOf({ type, isInverse, isQuanto }: Instrument, isPrediction: boolean): ContractKind {
  if (type === 'spot') return 'spot'
  if (type === 'call' || type === 'put') return 'option'
  if (isPrediction) return 'prediction'
  if (isQuanto) return 'quanto'
  return isInverse ? 'inverse' : 'linear'
}

/**
 * An option whose profit is counted in its base coin is priced in that coin, whatever its strike is quoted in: a
 * contract of one coin whose premium is a part of it, as on Deribit
 * (https://support.deribit.com/hc/en-us/articles/25944688327069-Inverse-Options, read 2026-11-21).
 */
function optionTerms(instrument: Instrument): OptionTerms | null {
  const { type, strikePrice, isInverse, valuationUnderlyingId, baseUnderlyingId } = instrument
  if (strikePrice === null) return null
  const isCoin = isInverse || (valuationUnderlyingId !== null && valuationUnderlyingId === baseUnderlyingId)
  return {
    right: type === 'call' ? 'call' : 'put', strike: Amount.from(strikePrice), paidIn: isCoin ? 'coin' : 'money',
  }
}

/** The master data fields that a kind of contract needs, by their names in the file. */
type SettlementField = 'base_underlying_id' | 'counter_underlying_id' | 'valuation_underlying_id'

function settlementField(kind: ContractKind, option: OptionTerms | null): SettlementField {
  if (kind === 'inverse' || option?.paidIn === 'coin') return 'base_underlying_id'
  return kind === 'quanto' ? 'valuation_underlying_id' : 'counter_underlying_id'
}

function missing({ code }: Instrument, field: string): BacktapeError {
  return new BacktapeError('MASTER_DATA_MALFORMED', `Cannot account for ${code}: its master data has no ${field}`, {
    field, expected: 'a value', found: 'null',
  })
}

/** The reading of the master data where they do not state it. */
export interface ContractReading {
  /** Prediction contracts carry the type `perpetual` (spec 4, section 2): the venue or the run says that it is one. */
  readonly isPrediction?: boolean
}

/** The contract of an instrument; a sentence where its master data does not say enough. */
export function contractFromInstrument(
  instrument: Instrument, { isPrediction = false }: ContractReading = {},
): Contract {
  const kind = kindOf(instrument, isPrediction)
  const option = kind === 'option' ? optionTerms(instrument) : null
  if (kind === 'option' && option === null) throw missing(instrument, 'strike_price')
  const field = settlementField(kind, option)
  const { baseUnderlyingId, counterUnderlyingId, valuationUnderlyingId, contractValue: value, multiplier } = instrument
  const settlement = {
    base_underlying_id: baseUnderlyingId, counter_underlying_id: counterUnderlyingId,
    valuation_underlying_id: valuationUnderlyingId,
  }[field]
  if (settlement === null) throw missing(instrument, field)
  const size = kind === 'spot' ? '1' : kind === 'inverse' || kind === 'quanto' ? value : (multiplier ?? '1')
  if (size === null) throw missing(instrument, 'contract_value')
  return {
    instrumentId: instrument.id, kind, size: Amount.from(size), settlementUnderlyingId: settlement,
    baseUnderlyingId: kind === 'spot' ? baseUnderlyingId : null, ...(option === null ? {} : { option }),
  }
}

/** True where the value of a quantity falls when its price rises: inverse contracts, whose value is in coin. */
export function isValueInverse({ kind }: Contract): boolean {
  return kind === 'inverse'
}

/** True where the price itself changes hands when the contract is bought, and not only profit when it is closed. */
export function isPaidInFull({ kind }: Contract): boolean {
  return kind === 'spot' || kind === 'option' || kind === 'prediction'
}

/** True where a price values an instrument: 0 or below is no price of an inverse contract. */
export function isValuedAt(instrument: Instrument, price: Amount): boolean {
  return price.sign > 0 || kindOf(instrument, false) !== 'inverse'
}

/**
 * Value of a quantity at a price in the settlement underlying: quantity * size * price, or quantity * size / price for
 * inverse. It has the sign of the price, which spreads may have below 0. Throws PRICE_INVALID where an inverse contract
 * has none.
 */
export function contractValue(contract: Contract, quantity: Amount, price: Amount): Amount {
  const amount = exactProduct(quantity, contract.size, 'a contract value')
  if (!isValueInverse(contract)) return exactProduct(amount, price, 'a contract value')
  if (price.sign <= 0) throw withoutValue(contract, price)
  return amount.quotient(price)
}

function withoutValue({ instrumentId }: Contract, price: Amount): BacktapeError {
  const found = price.toFixed()
  return new BacktapeError(
    'PRICE_INVALID',
    `Cannot value the inverse contract ${instrumentId}: its value is a quantity by a price above 0, found ${found}`,
    { field: 'price', expected: 'a price above 0', found },
  )
}

/** The price at which a value would be that of a quantity: the inverse of {@link contractValue}, rounded once. */
export function priceOfValue(contract: Contract, quantity: Amount, value: Amount): Amount {
  const amount = exactProduct(quantity, contract.size, 'a contract value')
  return isValueInverse(contract) ? amount.quotient(value) : value.quotient(amount)
}

/**
 * The value of an option at expiry per contract of size 1, in the underlying it is paid in, by the index then: the
 * intrinsic value, for one paid in coin divided by the index.
 */
export function optionPayoff({ right, strike, paidIn }: OptionTerms, index: Amount): Amount {
  const inner = Amount.max(Amount.ZERO, right === 'call' ? index.minus(strike) : strike.minus(index))
  if (paidIn === 'money') return inner
  if (index.sign > 0) return inner.quotient(index)
  throw new BacktapeError('PRICE_INVALID', 'Cannot settle an option in its coin: its index must be above 0', {
    field: 'index', expected: 'an index above 0', found: index.toFixed(),
  })
}
