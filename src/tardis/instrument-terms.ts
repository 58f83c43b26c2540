import { BacktapeError } from '../model/error.js'
import type { MarketKind, StatedTerms } from './stated-terms.js'
import { fileSymbol } from './tardis-layout.js'

/** Exchanges of tardis.dev that trade one asset for another and nothing else. */
const SPOT_EXCHANGES: ReadonlySet<string> = new Set([
  'binance', 'binance-us', 'bitfinex', 'bitstamp', 'bybit-spot', 'coinbase', 'gate-io', 'gemini', 'huobi', 'kraken',
  'kucoin', 'okcoin', 'okex',
])
/** Perpetuals and futures whose amounts are in the base asset and whose profit is paid in what prices are in. */
const LINEAR_EXCHANGES: ReadonlySet<string> = new Set(['binance-futures'])

/** Exchanges without a market priced in US dollars: `BNBUSD` elsewhere, but never `BNB` priced in `BUSD` as here. */
const WITHOUT_DOLLAR: ReadonlySet<string> = new Set(['binance', 'binance-futures'])
/** Assets that prices are in, where a symbol has no separator. */
const QUOTES: readonly string[] = [
  'FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'USD', 'EUR', 'GBP', 'JPY', 'KRW', 'TRY', 'BRL', 'BTC', 'ETH', 'BNB',
]
const FIATS: ReadonlySet<string> = new Set(['USD', 'EUR', 'GBP', 'JPY', 'KRW', 'TRY', 'BRL', 'AUD', 'CAD', 'CHF'])
const STABLES: ReadonlySet<string> = new Set(['USDT', 'USDC', 'BUSD', 'TUSD', 'FDUSD', 'DAI'])

/** The terms of an instrument but its steps, and what was inferred of them. */
export interface InstrumentTerms {
  readonly exchange: string
  readonly symbol: string
  readonly type: string
  readonly isInverse: boolean
  readonly isQuanto: boolean
  readonly contractValue: string | null
  readonly multiplier: string | null
  readonly base: string
  readonly quote: string
  readonly settle: string
  readonly expiry: string | null
  readonly stated: StatedTerms | null
  /** A sentence for each thing that nobody stated. */
  readonly notes: readonly string[]
}

function missing(exchange: string, symbol: string, what: string, example: Record<string, unknown>): BacktapeError {
  const text = JSON.stringify({ exchange, symbol, ...example })
  const sentence = `Cannot import ${exchange} ${symbol}: its files do not say ${what}, and money depends on it; ` +
    `state it in a file given with --instrument, such as ${text}`
  return new BacktapeError('OPTION_INVALID', sentence, { field: 'instrument', expected: what, found: 'nothing' })
}

/** The assets of a symbol; null where it can be read in two ways or in none. */
function assetsOf(exchange: string, symbol: string): readonly [base: string, quote: string] | null {
  const parts = symbol.split(/[-/_:]/)
  const [base = '', quote = ''] = parts
  if (parts.length === 2 && base !== '' && /^[A-Z]{2,6}$/.test(quote)) return [base, quote]
  if (parts.length !== 1) return null
  const ends = QUOTES.filter((one) => symbol.endsWith(one) && symbol.length > one.length)
    .filter((one) => one !== 'USD' || !WITHOUT_DOLLAR.has(exchange))
  const [end = ''] = ends
  return ends.length === 1 ? [symbol.slice(0, -end.length), end] : null
}

/** `BTCUSDT_260925` of Binance is a future that expires on that day at 08:00 UTC. */
const DATED = /^(.+)_(\d{2})(\d{2})(\d{2})$/

/** The type, in words of the tick-file layout; a call or put has to be stated. */
function typeOf(exchange: string, symbol: string, kind: MarketKind | null, stated: StatedTerms | null): string | null {
  if (stated?.type !== undefined) return stated.type
  if (kind === 'option') return null
  if (kind !== null) return kind
  if (SPOT_EXCHANGES.has(exchange)) return 'spot'
  if (LINEAR_EXCHANGES.has(exchange)) return DATED.test(symbol) ? 'future' : 'perpetual'
  return null
}

function checkOption(exchange: string, symbol: string, stated: StatedTerms | null): void {
  if (stated?.strike_price !== undefined && stated.expiry !== undefined && stated.is_inverse !== undefined) return
  const example = {
    type: '<call or put>', strike_price: '<strike>', expiry: '<2026-09-25T08:00:00Z>', is_inverse: '<true or false>',
    '<contract_value or multiplier>': '<what one unit of an amount is>', base: '<BTC>', quote: '<USD>',
  }
  throw missing(exchange, symbol, 'the strike, the expiry and what the option is paid in', example)
}

/** Inverse, quanto and linear contracts: what one unit of the amount is worth, which nothing in the files says. */
function sizesOf(
  exchange: string, symbol: string, type: string, stated: StatedTerms | null,
): Pick<InstrumentTerms, 'isInverse' | 'isQuanto' | 'contractValue' | 'multiplier'> {
  const { is_inverse: inverse, is_quanto: isQuanto = false, contract_value: contractValue = null } = stated ?? {}
  const multiplier = stated?.multiplier ?? null
  if (type === 'spot') return { isInverse: false, isQuanto: false, contractValue: null, multiplier: '1' }
  const isKnown = LINEAR_EXCHANGES.has(exchange) && inverse === undefined && !isQuanto
  const isInverse = inverse ?? false
  if (inverse === undefined && !isKnown && !isQuanto)
    throw missing(exchange, symbol, 'if the contract is inverse and what one unit of its amounts is worth', {
      type, is_inverse: '<true or false>', '<contract_value or multiplier>': '<what one unit of an amount is>',
    })
  if ((isInverse || isQuanto) && contractValue === null)
    throw missing(exchange, symbol, 'the contract value, which is what one unit of its amounts is worth', {
      type, ...(isQuanto ? { is_quanto: true, settle: '<BTC>' } : { is_inverse: true }),
      contract_value: '<contract value>',
    })
  if (!isInverse && !isQuanto && multiplier === null && !isKnown)
    throw missing(exchange, symbol, 'the multiplier, which is how much of the base asset one unit of its amounts is', {
      type, is_inverse: false, multiplier: '<multiplier>',
    })
  return { isInverse, isQuanto, contractValue, multiplier: multiplier ?? '1' }
}

function expiryOf(type: string, symbol: string, stated: StatedTerms | null): string | null {
  if (stated?.expiry !== undefined) return stated.expiry
  const match = type === 'future' ? DATED.exec(symbol) : null
  return match === null ? null : `20${String(match[2])}-${String(match[3])}-${String(match[4])}T08:00:00Z`
}

/**
 * The terms of an instrument: as stated, else as far as exchange and symbol say them beyond doubt. Throws
 * OPTION_INVALID, with a line to write, where money depends on what is not stated: kind of market, contract value,
 * multiplier, assets, strike and expiry.
 */
export function instrumentTerms(
  exchange: string, symbol: string, kind: MarketKind | null, stated: StatedTerms | null,
): InstrumentTerms {
  const type = typeOf(exchange, symbol, kind, stated)
  if (type === null && kind === 'option') checkOption(exchange, symbol, null)
  if (type === null)
    throw missing(exchange, symbol, 'the kind of market', { type: '<spot, perpetual, future, call or put>' })
  if (type === 'call' || type === 'put') checkOption(exchange, symbol, stated)
  const sizes = sizesOf(exchange, symbol, type, stated)
  const dated = DATED.exec(symbol)
  const assets = assetsOf(exchange, dated?.[1] ?? symbol)
  const base = stated?.base ?? assets?.[0]
  const quote = stated?.quote ?? assets?.[1]
  if (base === undefined || quote === undefined)
    throw missing(exchange, symbol, 'its assets', { base: 'BTC', quote: 'USD' })
  if (sizes.isQuanto && stated?.settle === undefined)
    throw missing(exchange, symbol, 'the asset that profit is paid in', { settle: 'BTC' })
  const settle = stated?.settle ?? (sizes.isInverse ? base : quote)
  const expiry = expiryOf(type, symbol, stated)
  const notes: string[] = []
  if (stated?.type === undefined && kind === null) notes.push(`type inferred from the exchange: ${type}`)
  if (stated?.base === undefined || stated.quote === undefined)
    notes.push(`assets inferred from the symbol: ${base} priced in ${quote}`)
  if (type !== 'spot' && stated?.multiplier === undefined && !sizes.isInverse && !sizes.isQuanto)
    notes.push(`amounts of ${exchange} are in ${base}: multiplier 1`)
  if (expiry !== null && stated?.expiry === undefined) notes.push(`expiry inferred from the symbol: ${expiry}`)
  return { exchange, symbol, type, ...sizes, base, quote, settle, expiry, stated, notes }
}

/** A number from 1,000,000,000 on that depends on a text alone (FNV-1a, 32 bits). */
function idOfText(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return 1_000_000_000 + (hash >>> 0)
}

/** Name of the file of an instrument and day. */
export function outputName(exchange: string, symbol: string, day: string): string {
  return `${exchange.replaceAll('-', '_')}-${fileSymbol(symbol)}-${day}.txt.zst`
}

/** The record in line 1 of the import beside the master data. */
export interface ImportRecord {
  readonly from: 'tardis.dev CSV'
  readonly sources: readonly { readonly name: string; readonly sha256: string }[]
  readonly kind: MarketKind | null
  readonly stated: StatedTerms | null
  readonly notes: readonly string[]
}

function assetType(code: string): string {
  if (FIATS.has(code)) return 'fiat'
  return STABLES.has(code) ? 'stable_coin' : 'coin'
}

/** The rate of an asset in USD: as stated; of the US dollar 1. */
function usdRate(code: string, stated: StatedTerms | null): string | null {
  const rates = stated?.usd_rates ?? {}
  return Object.hasOwn(rates, code) ? (rates[code] ?? null) : code === 'USD' ? '1' : null
}

/** Line 1 of the tick file of an instrument and day. */
export function importedMasterData(
  terms: InstrumentTerms, steps: { readonly tickSize: string | null; readonly lotSize: string | null }, day: string,
  record: ImportRecord,
): string {
  const { exchange, symbol, stated, base, quote, settle } = terms
  const assetId = (code: string): number => idOfText(`asset ${code}`)
  const instrument = {
    id: stated?.id ?? idOfText(`${exchange} ${symbol}`),
    code: symbol,
    code_alias: null,
    native_code: { default: symbol },
    exchange_id: null,
    exchange_code: exchange.replaceAll('-', '_'),
    type: terms.type,
    state: null,
    active: null,
    is_inverse: terms.isInverse,
    is_quanto: terms.isQuanto,
    contract_value: terms.contractValue,
    multiplier: terms.multiplier,
    strike_price: stated?.strike_price ?? null,
    start: stated?.start ?? null,
    expiry: terms.expiry,
    ticksize: steps.tickSize,
    tick_table: null,
    significant_digits: null,
    max_decimals: null,
    lot_size: steps.lotSize,
    min_order: stated?.min_order ?? null,
    max_order: stated?.max_order ?? null,
    min_value: stated?.min_value ?? null,
    funding_interval: stated?.funding_interval ?? null,
    base_underlying_id: assetId(base),
    counter_underlying_id: assetId(quote),
    valuation_underlying_id: assetId(settle),
    fee_underlying_id: assetId(settle),
  }
  const underlyings = [...new Set([base, quote, settle])].map((code) => ({
    id: assetId(code), code, name: code, type: assetType(code), fx_rate: usdRate(code, stated),
    ts_fx: `${day}T00:00:00Z`, verified: false, about: 'imported from tardis.dev CSV', meta: {},
  }))
  return JSON.stringify({ instrument, underlyings, import: record })
}

/** The sentences on assets without a rate in USD. */
export function rateNotes({ quote, settle, stated }: InstrumentTerms): string[] {
  return [...new Set([quote, settle])]
    .filter((code) => usdRate(code, stated) === null)
    .map((code) => `no rate of ${code} in USD: columns in USD are empty; state usd_rates`)
}
