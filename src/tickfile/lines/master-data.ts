import { showAs } from '../../model/display.js'
import { shownInstrument } from '../../model/instrument-display.js'
import { decimalScale, plainDecimal } from '../../model/decimal.js'
import { BacktapeError } from '../../model/error.js'
import { Decimal } from '../../model/decimal.js'
import type { Instrument, TickBand, Underlying } from '../../model/instrument.js'

/** Line 1 of a tick file. */
export interface MasterData {
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
  /** Line 1 as it stands, without its line end. */
  readonly text: string
}

/** Scales that a file's prices and quantities start with. */
export interface Scales {
  readonly price: number
  readonly quantity: number
}

const NESTING_LIMIT = 64
// A tick size finer than this would leave no room for prices below 2^53; a file that needs it widens.
const FIRST_SCALE_LIMIT = 12
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

class Field {
  constructor(
    readonly value: unknown,
    readonly name: string,
    readonly fileName: string,
  ) {}

  fail(expected: string): never {
    const found = this.value === undefined ? 'nothing' : JSON.stringify(this.value).slice(0, 80)
    throw malformed(this.fileName, this.name, expected, found)
  }

  get isMissing(): boolean {
    return this.value === undefined || this.value === null
  }

  /** A member of this object; of its own, so that no name means anything but data. */
  get(name: string): Field {
    const { value } = this
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.fail('an object')
    const inner: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    return new Field(inner, name, this.fileName)
  }

  text(): string | null {
    if (this.isMissing) return null
    return typeof this.value === 'string' ? this.value : this.fail('a text')
  }

  wantedText(): string {
    return this.text() ?? this.fail('a text')
  }

  decimal(): string | null {
    const text = this.text()
    if (text === null || text === '') return null
    const digits = /[eE][+-]?\d{4}/.test(text) ? null : plainDecimal(text)
    return digits ?? this.fail('a decimal')
  }

  integer(): number | null {
    const text = this.text()
    if (text === null) return null
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN
    return Number.isSafeInteger(value) ? value : this.fail('an integer')
  }

  flag(): boolean | null {
    if (this.isMissing) return null
    return typeof this.value === 'boolean' ? this.value : this.fail('true or false')
  }

  list(): Field[] {
    if (this.isMissing) return []
    if (!Array.isArray(this.value)) return this.fail('a list')
    return this.value.map((item: unknown, i) => new Field(item, `${this.name}[${String(i)}]`, this.fileName))
  }
}

function malformed(fileName: string, field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'MASTER_DATA_MALFORMED',
    `Cannot read the master data of ${fileName}: ${field} must be ${expected}, found ${found}`,
    {
      file: fileName,
      line: 1,
      field,
      expected,
      found,
    },
  )
}

/** JSON whose numbers are texts, so that `1.0E-4` keeps its digits. */
function textualNumbers(text: string, fileName: string): string {
  let depth = 0
  // A text that never ends is one token too: where the pattern fails, it is tried again at every quote.
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*|[[\]{}]/g, (token) => {
    if (token === '[' || token === '{') {
      if (++depth > NESTING_LIMIT)
        throw malformed(fileName, 'line', `nested at most ${String(NESTING_LIMIT)} deep`, 'deeper brackets')
    } else if (token === ']' || token === '}') depth--
    else if (!token.startsWith('"') && JSON_NUMBER.test(token)) return `"${token}"`
    return token
  })
}

function parsed(text: string, fileName: string): Field {
  const found = JSON.stringify(text.slice(0, 60))
  if (/^\s*\[/.test(text))
    throw malformed(fileName, 'line', 'the master data {"instrument": ..., "underlyings": ...}', `an event: ${found}`)
  try {
    return new Field(JSON.parse(textualNumbers(text, fileName)), 'line', fileName)
  } catch (error) {
    if (error instanceof BacktapeError) throw error
    throw malformed(fileName, 'line', 'JSON', found)
  }
}

function bandsOf(table: Field): TickBand[] {
  if (table.isMissing) return []
  const bands = table
    .get('e')
    .list()
    .map((band) => {
      const floor = band.get('p')
      const tickSize = band.get('t')
      return {
        floor: floor.decimal() ?? floor.fail('a decimal'), tickSize: tickSize.decimal() ?? tickSize.fail('a decimal'),
      }
    })
  return bands.sort((a, b) => new Decimal(a.floor).comparedTo(b.floor))
}

function nativeCodeOf(field: Field): string | null {
  if (field.isMissing || typeof field.value === 'string') return field.text()
  return field.get('default').text()
}

function instrumentOf(f: Field): Instrument {
  return showAs({
    id: f.get('id').integer() ?? f.get('id').fail('an integer'),
    code: f.get('code').wantedText(),
    codeAlias: f.get('code_alias').text(),
    nativeCode: nativeCodeOf(f.get('native_code')),
    exchangeId: f.get('exchange_id').integer(),
    exchangeCode: f.get('exchange_code').text() ?? '',
    type: f.get('type').text() ?? '',
    state: f.get('state').text(),
    active: f.get('active').flag(),
    isInverse: f.get('is_inverse').flag() ?? false,
    isQuanto: f.get('is_quanto').flag() ?? false,
    contractValue: f.get('contract_value').decimal(),
    multiplier: f.get('multiplier').decimal(),
    strikePrice: f.get('strike_price').decimal(),
    start: f.get('start').text(),
    expiry: f.get('expiry').text(),
    tickSize: f.get('ticksize').decimal(),
    tickBands: bandsOf(f.get('tick_table')),
    significantDigits: f.get('significant_digits').integer(),
    maxDecimals: f.get('max_decimals').integer(),
    lotSize: f.get('lot_size').decimal(),
    minOrder: f.get('min_order').decimal(),
    maxOrder: f.get('max_order').decimal(),
    minValue: f.get('min_value').decimal(),
    fundingIntervalSeconds: f.get('funding_interval').integer(),
    baseUnderlyingId: f.get('base_underlying_id').integer(),
    counterUnderlyingId: f.get('counter_underlying_id').integer(),
    valuationUnderlyingId: f.get('valuation_underlying_id').integer(),
    feeUnderlyingId: f.get('fee_underlying_id').integer(),
  }, shownInstrument)
}

function underlyingOf(f: Field): Underlying {
  return {
    id: f.get('id').integer() ?? f.get('id').fail('an integer'),
    code: f.get('code').wantedText(),
    name: f.get('name').text(),
    type: f.get('type').text(),
    fxRate: f.get('fx_rate').decimal(),
    fxTime: f.get('ts_fx').text(),
  }
}

/**
 * Line 1 of a tick file (spec 4, section 2): read by name, unknown fields ignored, numbers and decimal texts both
 * accepted, their digits kept. Throws MASTER_DATA_MALFORMED with the field.
 */
export function masterDataFromLine(text: string, fileName: string): MasterData {
  const root = parsed(text, fileName)
  const instrument = root.get('instrument')
  if (instrument.isMissing) instrument.fail('an object')
  return { instrument: instrumentOf(instrument), underlyings: root.get('underlyings').list().map(underlyingOf), text }
}

/** A lot of more decimals leaves too little room for whole quantities: the digits of a file say what it needs. */
const COARSE_LOT_SCALE = 3

/** Scales that the reading of a file begins with. */
export function readingScales(instrument: Instrument): Scales {
  const { price, quantity } = scalesOfInstrument(instrument)
  return { price, quantity: quantity > COARSE_LOT_SCALE ? 0 : quantity }
}

/** Scales that hold the tick sizes and the lot size; where there is no tick size, `max_decimals`. */
export function scalesOfInstrument(instrument: Instrument): Scales {
  const ticks = instrument.tickBands.map((band) => band.tickSize)
  if (instrument.tickSize !== null) ticks.push(instrument.tickSize)
  const price =
    ticks.length === 0 ? (instrument.maxDecimals ?? 0) : Math.max(...ticks.map((tick) => decimalScale(tick) ?? 0))
  const quantity = instrument.lotSize === null ? 0 : (decimalScale(instrument.lotSize) ?? 0)
  return { price: Math.min(price, FIRST_SCALE_LIMIT), quantity: Math.min(quantity, FIRST_SCALE_LIMIT) }
}
