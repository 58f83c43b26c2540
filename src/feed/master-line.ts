import type { Instrument, Underlying } from '../model/instrument.js'

/** Line 1 of a tick file as an object (spec 4, section 2): what `masterDataFromLine` reads back to the same terms. */
export function masterLine(instrument: Instrument, underlyings: readonly Underlying[]): object {
  return { instrument: instrumentFields(instrument), underlyings: underlyings.map(underlyingFields) }
}

function instrumentFields(i: Instrument): object {
  return {
    id: i.id, code: i.code, code_alias: i.codeAlias,
    native_code: i.nativeCode === null ? null : { default: i.nativeCode }, exchange_id: i.exchangeId,
    exchange_code: i.exchangeCode, type: i.type, state: i.state, active: i.active, is_inverse: i.isInverse,
    is_quanto: i.isQuanto, contract_value: i.contractValue, multiplier: i.multiplier, strike_price: i.strikePrice,
    start: i.start, expiry: i.expiry, ticksize: i.tickSize,
    tick_table: i.tickBands.length === 0
      ? null : { e: i.tickBands.map((band) => ({ p: band.floor, t: band.tickSize })) },
    significant_digits: textOf(i.significantDigits), max_decimals: textOf(i.maxDecimals), lot_size: i.lotSize,
    min_order: i.minOrder, max_order: i.maxOrder, min_value: i.minValue,
    funding_interval: textOf(i.fundingIntervalSeconds), base_underlying_id: i.baseUnderlyingId,
    counter_underlying_id: i.counterUnderlyingId, valuation_underlying_id: i.valuationUnderlyingId,
    fee_underlying_id: i.feeUnderlyingId,
  }
}

function underlyingFields({ id, code, name, type, fxRate, fxTime }: Underlying): object {
  return { id, code, name, type, fx_rate: fxRate, ts_fx: fxTime }
}

function textOf(value: number | null): string | null {
  return value === null ? null : String(value)
}

/** The underlyings that an instrument names, each once. */
export function underlyingsOf(
  instrument: Instrument, get: (underlyingId: number) => Underlying | undefined,
): Underlying[] {
  const { baseUnderlyingId, counterUnderlyingId, valuationUnderlyingId, feeUnderlyingId } = instrument
  const ids = new Set([baseUnderlyingId, counterUnderlyingId, valuationUnderlyingId, feeUnderlyingId])
  return [...ids].flatMap((id) => {
    const underlying = id === null ? undefined : get(id)
    return underlying === undefined ? [] : [underlying]
  })
}
