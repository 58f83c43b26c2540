import { textFromScaled } from '../model/decimal.js'

/** The kinds of instrument that can be made up. */
export const SYNTHETIC_KINDS = ['perpetual', 'inverse', 'spot', 'paired-spot', 'option', 'prediction'] as const
/** The kind of a made-up day: one of {@link SYNTHETIC_KINDS}. */
export type SyntheticKind = (typeof SYNTHETIC_KINDS)[number]

/**
 * The terms and the liveliness of one kind of made-up instrument. Prices inside are whole multiples of the finest tick,
 * quantities of the lot.
 */
export interface InstrumentProfile {
  readonly kind: SyntheticKind
  readonly id: number
  readonly exchangeId: number
  readonly exchangeCode: string
  readonly code: string
  /** The finest tick is `tickUnits * 10^-priceScale`. */
  readonly tickUnits: number
  readonly priceScale: number
  /** The lot is `lotUnits * 10^-quantityScale`. */
  readonly lotUnits: number
  readonly quantityScale: number
  /** Ticks between prices at a price in ticks (1, or more in upper bands). */
  readonly stepAt: (tick: number) => number
  readonly minTick: number
  readonly maxTick: number
  readonly startTick: number
  /**
   * The path that the fair value follows: its first value and its volatility per square root of a second (relative; of
   * the log odds for a prediction).
   */
  readonly startIndex: number
  readonly volatility: number
  /** The kind whose path it follows at a distance that comes back to zero; `null`: a path of its own. */
  readonly follows: SyntheticKind | null
  readonly strike: number
  /** The multiplier of an option's volatility that its strike makes. */
  readonly smile: number
  /** The id that seeds the path of the fair value, where several instruments share one; `null`: its own. */
  readonly pathId: number | null
  /** Multiplies all rates of the order flow. */
  readonly activity: number
  readonly meanLots: number
  /** Depth is published in batches every so many milliseconds; 0: at once. */
  readonly depthIntervalMs: number
  /** Venue times are whole milliseconds, or nanoseconds. */
  readonly venueTime: 'milliseconds' | 'nanoseconds' | 'milliseconds, none for top of book'
  readonly ids: 'sequence' | 'hash'
  readonly tradeIds: 'sequence' | 'uuid' | 'none'
  readonly tradesChained: boolean
  readonly topOfBook: boolean
  /** Milliseconds between mark, index and funding; 0: the kind has none. */
  readonly markMs: number
  readonly indexMs: number
  readonly fundingMs: number
  /** Decimals of mark and index prices. */
  readonly markScale: number
  /** Members of the master data's instrument that differ by kind, as JSON members without braces. */
  readonly contractText: string
  readonly underlyings: readonly number[]
}

const WHOLE_STEP = (): number => 1
const COMMON = {
  stepAt: WHOLE_STEP, minTick: 1, maxTick: 1e9, strike: 0, smile: 1, pathId: null, follows: null,
  venueTime: 'milliseconds', ids: 'sequence',
  tradesChained: true, topOfBook: true,
} as const
const MARKED = { markMs: 1000, indexMs: 1000, fundingMs: 3000 } as const
const UNMARKED = { markMs: 0, indexMs: 0, fundingMs: 0, markScale: 0 } as const
/** Of the perpetual and of the spot market that is paired with it. */
const XRP = {
  code: 'XRPUSDT', tickUnits: 1, priceScale: 4, lotUnits: 1, quantityScale: 1, startTick: 11080, startIndex: 1.108,
  volatility: 6e-5,
} as const

/** Every made-up instrument. Codes are of the field; exchanges are no exchange's. */
export const PROFILES: Readonly<Record<SyntheticKind, InstrumentProfile>> = {
  perpetual: {
    ...COMMON,
    ...MARKED,
    kind: 'perpetual',
    id: 9100001,
    exchangeId: 901,
    exchangeCode: 'synthetic_swap',
    ...XRP,
    activity: 1,
    meanLots: 4000,
    depthIntervalMs: 100,
    tradeIds: 'sequence',
    markScale: 8,
    contractText:
      '"type":"perpetual","state":"open","active":true,"is_inverse":false,"is_quanto":false,"contract_value":null,' +
      '"multiplier":1,' +
      '"strike_price":null,"start":"2020-01-06T08:00:00Z","expiry":"2100-12-25T08:00:00Z",' +
      '"ticksize":1.0E-4,"tick_table":null,"significant_digits":null,"max_decimals":4,' +
      '"lot_size":0.1,"min_order":0.1,"max_order":2000000,"min_value":5,"funding_interval":"28800",' +
      '"base_underlying_id":104,"counter_underlying_id":103,"valuation_underlying_id":103,"fee_underlying_id":103',
    underlyings: [104, 103],
  },
  inverse: {
    ...COMMON,
    ...MARKED,
    kind: 'inverse',
    id: 9100002,
    exchangeId: 902,
    exchangeCode: 'synthetic_coin_swap',
    code: 'ETHUSD',
    tickUnits: 5,
    priceScale: 2,
    lotUnits: 1,
    quantityScale: 0,
    startTick: 53000,
    startIndex: 2650,
    volatility: 2.5e-5,
    activity: 0.7,
    meanLots: 60,
    depthIntervalMs: 100,
    venueTime: 'nanoseconds',
    ids: 'hash',
    tradeIds: 'uuid',
    markScale: 4,
    contractText:
      '"type":"perpetual","state":"open","active":true,"is_inverse":true,"is_quanto":false,"contract_value":10,' +
      '"multiplier":1,"strike_price":null,' +
      '"start":"2019-08-14T00:00:00Z","expiry":"2100-12-25T08:00:00Z","ticksize":0.05,"tick_table":null,' +
      '"significant_digits":null,"max_decimals":2,' +
      '"lot_size":1,"min_order":1,"max_order":1000000,"min_value":null,"funding_interval":"28800",' +
      '"base_underlying_id":101,"counter_underlying_id":1,"valuation_underlying_id":101,"fee_underlying_id":101',
    underlyings: [101, 1],
  },
  spot: {
    ...COMMON,
    ...UNMARKED,
    kind: 'spot',
    id: 9100003,
    exchangeId: 903,
    exchangeCode: 'synthetic_spot',
    code: 'SOLUSDT',
    tickUnits: 1,
    priceScale: 2,
    lotUnits: 1,
    quantityScale: 3,
    startTick: 14850,
    startIndex: 148.5,
    volatility: 6e-5,
    activity: 0.8,
    meanLots: 9000,
    depthIntervalMs: 100,
    venueTime: 'milliseconds, none for top of book',
    tradeIds: 'sequence',
    contractText:
      '"type":"spot","state":"open","active":true,"is_inverse":false,"is_quanto":false,"contract_value":null,' +
      '"multiplier":1,"strike_price":null,' +
      '"start":null,"expiry":null,"ticksize":0.01,"tick_table":null,"significant_digits":null,"max_decimals":2,' +
      '"lot_size":0.001,"min_order":0.001,"max_order":90000,"min_value":5,"funding_interval":null,' +
      '"base_underlying_id":105,"counter_underlying_id":103,"valuation_underlying_id":103,"fee_underlying_id":103',
    underlyings: [105, 103],
  },
  'paired-spot': {
    ...COMMON,
    ...UNMARKED,
    kind: 'paired-spot',
    id: 9100006,
    exchangeId: 903,
    exchangeCode: 'synthetic_spot',
    ...XRP,
    follows: 'perpetual',
    activity: 0.6,
    meanLots: 2500,
    depthIntervalMs: 100,
    venueTime: 'milliseconds, none for top of book',
    tradeIds: 'sequence',
    contractText:
      '"type":"spot","state":"open","active":true,"is_inverse":false,"is_quanto":false,"contract_value":null,' +
      '"multiplier":1,"strike_price":null,' +
      '"start":null,"expiry":null,"ticksize":1.0E-4,"tick_table":null,"significant_digits":null,"max_decimals":4,' +
      '"lot_size":0.1,"min_order":0.1,"max_order":900000,"min_value":5,"funding_interval":null,' +
      '"base_underlying_id":104,"counter_underlying_id":103,"valuation_underlying_id":103,"fee_underlying_id":103',
    underlyings: [104, 103],
  },
  option: {
    ...COMMON,
    kind: 'option',
    id: 9100004,
    exchangeId: 904,
    exchangeCode: 'synthetic_option',
    code: 'BTC-68000-C',
    tickUnits: 1,
    priceScale: 4,
    lotUnits: 1,
    quantityScale: 1,
    stepAt: (tick) => (tick >= 50 ? 5 : 1),
    startTick: 45,
    startIndex: 61000,
    strike: 68000,
    volatility: 9e-5,
    activity: 0.12,
    meanLots: 30,
    depthIntervalMs: 0,
    ids: 'sequence',
    tradeIds: 'sequence',
    tradesChained: false,
    markMs: 1000,
    indexMs: 1000,
    fundingMs: 0,
    markScale: 2,
    contractText:
      '"type":"call","state":"open","active":true,"is_inverse":false,"is_quanto":false,"contract_value":1.0,' +
      '"multiplier":1,"strike_price":68000.0,' +
      '"start":"START","expiry":"EXPIRY","ticksize":1.0E-4,"tick_table":{"e":[{"p":0,"t":1.0E-4},{"p":0.005,' +
      '"t":5.0E-4}],"i":true},' +
      '"significant_digits":null,"max_decimals":4,"lot_size":0.1,"min_order":0.1,"max_order":null,' +
      '"min_value":null,"funding_interval":null,' +
      '"base_underlying_id":100,"counter_underlying_id":1,"valuation_underlying_id":100,"fee_underlying_id":100',
    underlyings: [100, 1],
  },
  prediction: {
    ...COMMON,
    ...UNMARKED,
    kind: 'prediction',
    id: 9100005,
    exchangeId: 905,
    exchangeCode: 'synthetic_prediction',
    code: 'BTC-ABOVE-65000',
    tickUnits: 1,
    priceScale: 2,
    lotUnits: 1,
    quantityScale: 0,
    maxTick: 99,
    startTick: 42,
    startIndex: -0.32,
    volatility: 0.012,
    activity: 0.3,
    meanLots: 150,
    depthIntervalMs: 0,
    ids: 'sequence',
    tradeIds: 'none',
    tradesChained: false,
    topOfBook: false,
    contractText:
      '"type":"perpetual","state":"open","active":true,"is_inverse":false,"is_quanto":false,"contract_value":1,' +
      '"multiplier":1,"strike_price":null,' +
      '"start":"START","expiry":"EXPIRY","ticksize":0.01,"tick_table":null,"significant_digits":null,' +
      '"max_decimals":2,' +
      '"lot_size":1,"min_order":1,"max_order":null,"min_value":null,"funding_interval":null,' +
      '"base_underlying_id":106,"counter_underlying_id":1,"valuation_underlying_id":1,"fee_underlying_id":1',
    underlyings: [106, 1],
  },
}

const UNDERLYINGS: Readonly<Record<number, string>> = {
  1: '"code":"USD","name":"US Dollar","type":"fiat","fx_rate":1.0',
  100: '"code":"BTC","name":"Bitcoin","type":"coin","fx_rate":61000.0',
  101: '"code":"ETH","name":"Ether","type":"coin","fx_rate":2650.0',
  103: '"code":"USDT","name":"Tether","type":"stable_coin","fx_rate":0.99846',
  104: '"code":"XRP","name":"XRP","type":"coin","fx_rate":1.1071',
  105: '"code":"SOL","name":"Solana","type":"coin","fx_rate":148.27',
  106: '"code":"BTC65K","name":"Bitcoin above 65000","type":"coin","fx_rate":0.42',
}

/** Line 1 of the file of a profile (spec 4, section 2). `day` is `YYYY-MM-DD`, `expiry` ISO-8601. */
export function masterDataText(profile: InstrumentProfile, day: string, expiry: string): string {
  const start = `${day}T00:00:00Z`
  const contract = profile.contractText.replace('START', start).replace('EXPIRY', expiry)
  const underlyings = profile.underlyings.map(
    (id) =>
      `{"id":${String(id)},${UNDERLYINGS[id] ?? ''},"ts_fx":"${start}","verified":true,"about":"made up by backtape ` +
        'synth","meta":{}}',
  )
  const { id, code } = profile
  const names = `"id":${String(id)},"code":"${code}","code_alias":null,"native_code":{"default":"${code}"}`
  const exchange = `"exchange_id":${String(profile.exchangeId)},"exchange_code":"${profile.exchangeCode}"`
  return `{"instrument":{${names},${exchange},${contract}},"underlyings":[${underlyings.join(',')}]}`
}

/** The decimal text of a price in ticks. */
export function priceText(profile: InstrumentProfile, tick: number): string {
  return textFromScaled(tick * profile.tickUnits, profile.priceScale)
}

/** The decimal text of a quantity in lots. */
export function quantityText(profile: InstrumentProfile, lots: number): string {
  return textFromScaled(lots * profile.lotUnits, profile.quantityScale)
}

/** The size of the finest tick in the quote unit, for models of value; prices themselves stay whole ticks. */
export function tickSize(profile: InstrumentProfile): number {
  return Number(priceText(profile, 1))
}
