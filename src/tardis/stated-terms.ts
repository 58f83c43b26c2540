import { plainDecimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { isJsonObject } from '../model/json-object.js'
import { nearestNames } from '../model/word-distance.js'
import { fileSymbol } from './tardis-layout.js'

/** A kind of market that can be stated for a whole folder. */
export type MarketKind = 'spot' | 'perpetual' | 'future' | 'option'

/** Every {@link MarketKind}. */
export const MARKET_KINDS: readonly MarketKind[] = ['spot', 'perpetual', 'future', 'option']

/** Terms of one instrument that a user states, with the names of the tick-file layout. */
export interface StatedTerms {
  /** Exchange id and symbol as tardis.dev has them. */
  readonly exchange: string
  readonly symbol: string
  /** `spot`, `perpetual`, `future`, `call` or `put`. */
  readonly type?: string
  readonly is_inverse?: boolean
  readonly is_quanto?: boolean
  /** Decimals as text. */
  readonly contract_value?: string
  readonly multiplier?: string
  readonly ticksize?: string
  readonly lot_size?: string
  readonly min_order?: string
  readonly max_order?: string
  readonly min_value?: string
  readonly strike_price?: string
  /** ISO-8601 with zone. */
  readonly start?: string
  readonly expiry?: string
  /** Seconds between two payments of funding, as text. */
  readonly funding_interval?: string
  /** Codes of the assets: what is traded, what prices are in, what profit is paid in. */
  readonly base?: string
  readonly quote?: string
  readonly settle?: string
  /** USD for one unit of an asset, by its code. */
  readonly usd_rates?: Readonly<Record<string, string>>
  /** Id of the instrument; default: made from exchange and symbol. */
  readonly id?: number
}

type FieldKind = 'text' | 'decimal' | 'flag' | 'type' | 'time' | 'seconds' | 'rates' | 'id'

const FIELDS: Readonly<Record<keyof StatedTerms, FieldKind>> = {
  exchange: 'text', symbol: 'text', type: 'type', is_inverse: 'flag', is_quanto: 'flag', contract_value: 'decimal',
  multiplier: 'decimal', ticksize: 'decimal', lot_size: 'decimal', min_order: 'decimal', max_order: 'decimal',
  min_value: 'decimal', strike_price: 'decimal', start: 'time', expiry: 'time', funding_interval: 'seconds',
  base: 'text', quote: 'text', settle: 'text', usd_rates: 'rates', id: 'id',
}
const TYPES: readonly string[] = ['spot', 'perpetual', 'future', 'call', 'put']
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z$/

function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) && plainDecimal(value) !== '0'
}

/** Each kind of field: the values that are possible, in words, and the check. */
const CHECKS: Readonly<Record<FieldKind, readonly [expected: string, isRight: (value: unknown) => boolean]>> = {
  text: ['a text', (value) => typeof value === 'string' && value !== ''],
  decimal: ['a decimal above 0 in quotation marks', isDecimal],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  type: [`one of ${TYPES.join(', ')}`, (value) => typeof value === 'string' && TYPES.includes(value)],
  time: [
    'a time as 2026-07-01T08:00:00Z',
    (value) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
  ],
  seconds: ['whole seconds in quotation marks', (value) => typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)],
  rates: [
    'decimals in quotation marks by the codes of assets',
    (value) => isJsonObject(value) && Object.values(value).every(isDecimal),
  ],
  id: ['a whole number above 0', (value) => Number.isSafeInteger(value) && (value as number) > 0],
}

function termsError(file: string, field: string, expected: string, value: unknown): BacktapeError {
  const found = value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80)
  return new BacktapeError(
    'OPTION_INVALID', `Cannot take instruments from ${file}: ${field} must be ${expected}, found ${found}`,
    { file, field, expected, found },
  )
}

function checkedTerms(file: string, value: unknown, place: string): StatedTerms {
  if (!isJsonObject(value)) throw termsError(file, place, 'an object', value)
  for (const [name, found] of Object.entries(value)) {
    const kind = Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof StatedTerms] : undefined
    if (kind === undefined) {
      const [nearest = ''] = nearestNames(name, Object.keys(FIELDS), 1)
      throw termsError(file, `${place}${name}`, `a known field, such as ${nearest}`, name)
    }
    const [expected, isRight] = CHECKS[kind]
    if (!isRight(found)) throw termsError(file, `${place}${name}`, expected, found)
  }
  for (const name of ['exchange', 'symbol'])
    if (value[name] === undefined) throw termsError(file, `${place}${name}`, 'a text', undefined)
  return value as unknown as StatedTerms
}

/**
 * The instruments of a JSON file: one object, or a list of them. Throws OPTION_INVALID with file, field, expected and
 * found, and where two are of one exchange and symbol.
 */
export function statedTermsFromText(text: string, file: string): StatedTerms[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw termsError(file, 'its content', 'JSON', text.slice(0, 60))
  }
  const list = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed]
  const terms = list.map((one, i) => checkedTerms(file, one, Array.isArray(parsed) ? `[${String(i)}].` : ''))
  for (const [i, one] of terms.entries())
    if (statedFor(terms.slice(0, i), one.exchange, one.symbol) !== null)
      throw termsError(file, 'symbol', 'stated once', `${one.exchange} ${one.symbol}`)
  return terms
}

/** The terms of an instrument among those that were stated; null where nobody stated them. */
export function statedFor(terms: readonly StatedTerms[], exchange: string, symbol: string): StatedTerms | null {
  return terms.find((one) => one.exchange === exchange && fileSymbol(one.symbol) === fileSymbol(symbol)) ?? null
}
