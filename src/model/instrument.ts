/**
 * One band of a price-banded tick table: from `floor` (inclusive) upwards the tick size is `tickSize`. Decimal texts.
 */
export interface TickBand {
  readonly floor: string
  readonly tickSize: string
}

/**
 * Master data of one instrument (spec 4, section 2), read by name. Decimals are plain decimal texts with the digits of
 * the source (`1.0E-4` becomes `0.0001`); what the source leaves out or sets to null is null.
 */
export interface Instrument {
  readonly id: number
  readonly code: string
  readonly codeAlias: string | null
  readonly nativeCode: string | null
  readonly exchangeId: number | null
  readonly exchangeCode: string
  /** The class as recorded: `perpetual`, `spot`, `future`, `call`, `put`; prediction contracts say `perpetual`. */
  readonly type: string
  readonly state: string | null
  readonly active: boolean | null
  readonly isInverse: boolean
  readonly isQuanto: boolean
  readonly contractValue: string | null
  readonly multiplier: string | null
  readonly strikePrice: string | null
  /** ISO-8601 as the file has it. */
  readonly start: string | null
  /** ISO-8601 as the file has it; a far-future date means none. */
  readonly expiry: string | null
  readonly tickSize: string | null
  /** Bands in ascending order of their floor; empty where the tick size is the same at every price. */
  readonly tickBands: readonly TickBand[]
  readonly significantDigits: number | null
  readonly maxDecimals: number | null
  readonly lotSize: string | null
  readonly minOrder: string | null
  readonly maxOrder: string | null
  readonly minValue: string | null
  readonly fundingIntervalSeconds: number | null
  readonly baseUnderlyingId: number | null
  readonly counterUnderlyingId: number | null
  readonly valuationUnderlyingId: number | null
  readonly feeUnderlyingId: number | null
}

/** An asset that an instrument is made of, priced in or settled in. */
export interface Underlying {
  readonly id: number
  readonly code: string
  readonly name: string | null
  /** `coin`, `stable_coin`, `fiat`, or whatever the source says. */
  readonly type: string | null
  /** USD for one unit, a decimal text, sampled once at `fxTime`. */
  readonly fxRate: string | null
  /** When `fxRate` was sampled, as the file has it. */
  readonly fxTime: string | null
}
