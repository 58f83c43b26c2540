/**
 * One band of a price-banded tick table: from `floor` (inclusive) upwards the tick size is `tickSize`. Decimal texts.
 */
export interface TickBand {
  /** Least price of the band. */
  readonly floor: string
  /** Price step within the band. */
  readonly tickSize: string
}

/**
 * Master data of one instrument (spec 4, section 2), read by name. Decimals are plain decimal texts with the digits of
 * the source (`1.0E-4` becomes `0.0001`); what the source leaves out or sets to null is null.
 */
export interface Instrument {
  /** Id of the instrument, as events name it. */
  readonly id: number
  /** Code of the instrument, unique on its exchange. */
  readonly code: string
  /** Another code of the instrument. */
  readonly codeAlias: string | null
  /** Code that the venue itself uses. */
  readonly nativeCode: string | null
  /** Id of the exchange. */
  readonly exchangeId: number | null
  /** Code of the exchange, such as `binance_swap`. */
  readonly exchangeCode: string
  /** The class as recorded: `perpetual`, `spot`, `future`, `call`, `put`; prediction contracts say `perpetual`. */
  readonly type: string
  /** State of the instrument at its venue, as recorded. */
  readonly state: string | null
  /** True for an instrument that was active, as recorded. */
  readonly active: boolean | null
  /** True for a contract that is settled in its base underlying. */
  readonly isInverse: boolean
  /** True for a contract that is settled in its valuation underlying. */
  readonly isQuanto: boolean
  /** Factor from quantity to money of inverse and quanto contracts (spec 4, section 5). */
  readonly contractValue: string | null
  /** Factor from quantity to base underlying of all other contracts (spec 4, section 5). */
  readonly multiplier: string | null
  /** Strike price of an option. */
  readonly strikePrice: string | null
  /** ISO-8601 as the file has it. */
  readonly start: string | null
  /** ISO-8601 as the file has it; a far-future date means none. */
  readonly expiry: string | null
  /** Least price step; `tickBands` where it depends on the price. */
  readonly tickSize: string | null
  /** Bands in ascending order of their floor; empty where the tick size is the same at every price. */
  readonly tickBands: readonly TickBand[]
  /** Most significant digits of a price. */
  readonly significantDigits: number | null
  /** Most decimal places of a price. */
  readonly maxDecimals: number | null
  /** Least quantity step. */
  readonly lotSize: string | null
  /** Least quantity of an order. */
  readonly minOrder: string | null
  /** Greatest quantity of an order. */
  readonly maxOrder: string | null
  /** Least value of an order. */
  readonly minValue: string | null
  /** Time between two funding payments, seconds. */
  readonly fundingIntervalSeconds: number | null
  /** Id of the underlying that is bought and sold. */
  readonly baseUnderlyingId: number | null
  /** Id of the underlying in which the price is quoted. */
  readonly counterUnderlyingId: number | null
  /** Id of the underlying in which positions are valued. */
  readonly valuationUnderlyingId: number | null
  /** Id of the underlying in which the venue charges fees. */
  readonly feeUnderlyingId: number | null
}

/** An asset that an instrument is made of, priced in or settled in. */
export interface Underlying {
  /** Id of the underlying, as instruments and wallets name it. */
  readonly id: number
  /** Code of the underlying, such as `USDT`. */
  readonly code: string
  /** Full name; null where the source has none. */
  readonly name: string | null
  /** `coin`, `stable_coin`, `fiat`, or whatever the source says. */
  readonly type: string | null
  /** USD for one unit, a decimal text, sampled once at `fxTime`. */
  readonly fxRate: string | null
  /** When `fxRate` was sampled, as the file has it. */
  readonly fxTime: string | null
}

/** The name of an instrument over all exchanges: `exchange:code`. */
export function instrumentName({ exchangeCode, code }: Pick<Instrument, 'exchangeCode' | 'code'>): string {
  return `${exchangeCode}:${code}`
}
