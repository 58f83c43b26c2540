import { isBranded } from '../model/brand.js'
import { Decimal, decimalDigits } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { FixedDecimal, Price, Quantity } from '../model/fixed-decimal.js'
import type { Account } from './account.js'
import type { DataInstrument } from './data-instrument.js'
import { foundText, type Fault } from '../model/fault.js'
import { isJsonObject } from '../model/json-object.js'
import { ParameterError, ValueRefusal } from './instrument-reference.js'
import { parametersOf, type AnyParameterType, type ParameterDeclaration, type ParameterType } from './parameter.js'
import type { TradingInstrument } from './trading-instrument.js'

/** The parameters of a strategy as JSON: values keyed by parameter name, nested objects for composite parameters. */
export interface ParameterConfig {
  readonly [name: string]: unknown
}

/** Makes instruments and accounts out of what a config says; throws `ValueRefusal` where it names none. */
export interface ParameterResolver {
  /** The instrument that a config names. */
  dataInstrument(reference: unknown): DataInstrument
  /** The trading instrument that a config names. */
  tradingInstrument(reference: unknown): TradingInstrument
  /** The account that a config names. */
  account(reference: unknown): Account
}

/** Reads one config; collects what is wrong instead of stopping at it. */
interface ParameterReading {
  /** The least value that the declaration at hand allows; null where it has none. */
  readonly min: Decimal | null
  readonly resolver: ParameterResolver
  readonly faults: Fault[]
}

/**
 * Sets the `@Parameter` fields of `target` (a strategy, or any instance with parameters) from a config. Nothing is
 * rounded: exact decimals come from text. Throws OPTION_INVALID with every fault of the config at once: its path, what
 * was expected, what was found.
 */
export function readParameters(target: object, config: unknown, resolver: ParameterResolver): void {
  const reading: ParameterReading = { resolver, faults: [], min: null }
  readFields(target, config, '', reading)
  if (reading.faults.length > 0) throw new ParameterError(target.constructor.name, reading.faults)
}

function readFields(target: object, config: unknown, path: string, reading: ParameterReading): void {
  const declarations = parametersOf(target)
  if (!isJsonObject(config)) {
    reading.faults.push({ path, expected: 'an object of parameters', found: foundText(config) })
    return
  }
  for (const declaration of declarations) readField(target, config, declaration, path, reading)
  const known = declarations.map(({ name }) => name)
  for (const name of Object.keys(config)) {
    if (known.includes(name)) continue
    const expected = known.length === 0 ? 'no parameters' : `one of ${known.join(', ')}`
    reading.faults.push({ path: joined(path, name), expected, found: `the unknown parameter ${JSON.stringify(name)}` })
  }
}

function readField(
  target: object, config: ParameterConfig, declaration: ParameterDeclaration, path: string, reading: ParameterReading,
): void {
  const { name, field, type, isOptional, min } = declaration
  const at = joined(path, name)
  const value = Object.hasOwn(config, name) ? config[name] : undefined
  if (value === undefined) {
    if (!isOptional) reading.faults.push({ path: at, expected: expectedOf(type), found: 'nothing' })
    return
  }
  const faultCount = reading.faults.length
  const read = readValue(type, value, at, { ...reading, min })
  if (reading.faults.length === faultCount) (target as { [field: string]: unknown })[field] = read
}

/** The value, or undefined where a fault was noted. */
function readValue(type: AnyParameterType, value: unknown, path: string, reading: ParameterReading): unknown {
  if (isNamedType(type) && type.element !== undefined) {
    return type.parameterType === 'List'
      ? readList(type.element, value, path, reading)
      : readSides(type.element, value, path, reading)
  }
  try {
    if (isNamedType(type) || isBranded(type, 'Price') || isBranded(type, 'Quantity') || BUILT_IN.has(type))
      return atLeast(reading.min, nameOf(type), readPlain(nameOf(type), value))
    if (isBranded(type, 'TradingInstrument')) return reading.resolver.tradingInstrument(value)
    if (isBranded(type, 'DataInstrument')) return reading.resolver.dataInstrument(value)
    if (isBranded(type, 'Account')) return reading.resolver.account(value)
  } catch (error) {
    if (!(error instanceof ValueRefusal)) throw error
    reading.faults.push({ path, expected: error.expected, found: error.found })
    return undefined
  }
  const instance = madeOf(type, path)
  if (parametersOf(instance).length === 0) {
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot read parameter ${path}: its type ${nameOf(type)} is a class without @Parameter fields`,
      { field: path },
    )
  }
  readFields(instance, value, path, reading)
  return instance
}

/** An object of a class of parameters; a sentence for a class that cannot be made of nothing, such as Decimal. */
function madeOf(type: AnyParameterType, path: string): object {
  try {
    return new (type as new () => object)()
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error)
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot read parameter ${path}: new ${nameOf(type)}() fails (${says}), so it is no type`,
      { field: path }, error,
    )
  }
}

function readList(element: AnyParameterType, value: unknown, path: string, reading: ParameterReading): unknown {
  if (!Array.isArray(value)) {
    reading.faults.push({ path, expected: `a list, each element ${expectedOf(element)}`, found: foundText(value) })
    return undefined
  }
  return value.map((item: unknown, index) => readValue(element, item, `${path}[${index}]`, reading))
}

function readSides(element: AnyParameterType, value: unknown, path: string, reading: ParameterReading): unknown {
  if (!isJsonObject(value) || !('bid' in value || 'ask' in value)) {
    const faultCount = reading.faults.length
    const bid = readValue(element, value, path, reading)
    return reading.faults.length > faultCount ? undefined : { bid, ask: readValue(element, value, path, reading) }
  }
  for (const side of ['bid', 'ask'])
    if (value[side] === undefined)
      reading.faults.push({ path: joined(path, side), expected: expectedOf(element), found: 'nothing' })
  for (const key of Object.keys(value))
    if (key !== 'bid' && key !== 'ask')
      reading.faults.push({
        path: joined(path, key), expected: 'bid and ask', found: `the unknown side ${JSON.stringify(key)}`,
      })
  const sideOf = (side: 'bid' | 'ask'): unknown =>
    value[side] === undefined ? undefined : readValue(element, value[side], joined(path, side), reading)
  return { bid: sideOf('bid'), ask: sideOf('ask') }
}

interface PlainReader {
  readonly expected: string
  /** Undefined where the value does not fit. */
  read(value: unknown): unknown
}

const ZERO = new Decimal(0)
const INTEGER_LIMIT = 2147483648
const LONG_LIMIT = 9223372036854775808n
const DOUBLE: PlainReader = {
  expected: 'a number', read: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
}

const PLAIN: ReadonlyMap<string, PlainReader> = new Map([
  ['Boolean', { expected: 'true or false', read: (value) => (typeof value === 'boolean' ? value : undefined) }],
  ['String', { expected: 'a text', read: (value) => (typeof value === 'string' ? value : undefined) }],
  ['Number', DOUBLE],
  ['Double', DOUBLE],
  ['Float', DOUBLE],
  [
    'Integer',
    {
      expected: 'a whole number from -2147483648 to 2147483647',
      read: (value) =>
        typeof value === 'number' && Number.isInteger(value) && value >= -INTEGER_LIMIT && value < INTEGER_LIMIT
          ? value
          : undefined,
    },
  ],
  ['Long', { expected: 'a whole number of 64 bits, as digits in a text where it is beyond 2^53', read: longOf }],
  [
    'BigDecimal',
    {
      expected: 'an exact decimal as text, such as "0.01"',
      read: (value) => (Decimal.isDecimal(value) ? value : exact(value, (text) => new Decimal(text))),
    },
  ],
  [
    'Price',
    {
      expected: 'an exact price as text, such as "1.5"',
      read: (value) => (value instanceof Price ? value : exact(value, (text) => Price.from(text))),
    },
  ],
  [
    'Quantity',
    {
      expected: 'an exact quantity as text, such as "0.01"',
      read: (value) => (value instanceof Quantity ? value : exact(value, (text) => Quantity.from(text))),
    },
  ],
])

const BUILT_IN: ReadonlySet<AnyParameterType> = new Set<AnyParameterType>([Boolean, String, Number])

function readPlain(name: string, value: unknown): unknown {
  const reader = PLAIN.get(name)
  if (reader === undefined) {
    const known = [...PLAIN.keys()].join(', ')
    throw new BacktapeError(
      'OPTION_INVALID',
      `Cannot read a parameter of type ${name}: it must be one of ${known}, an instrument, an account or a class ` +
        'with parameters',
    )
  }
  const read = reader.read(value)
  if (read === undefined) throw new ValueRefusal(reader.expected, foundText(value))
  return read
}

/** The value itself; refused below its least one. A quantity is at least 0 unless its declaration has another `min`. */
function atLeast(min: Decimal | null, name: string, value: unknown): unknown {
  const least = min ?? (name === 'Quantity' ? ZERO : null)
  const number = least === null ? null : decimalOf(value)
  if (least === null || number === null || number.gte(least)) return value
  const allowed = min === null ? '; a declaration with min allows less' : ''
  throw new ValueRefusal(
    `${name === 'Quantity' ? 'a quantity' : 'a value'} of at least ${least.toFixed()}${allowed}`, number.toFixed(),
  )
}

/** A value that is no number is null. */
function decimalOf(value: unknown): Decimal | null {
  if (value instanceof FixedDecimal) return value.toDecimal()
  if (typeof value === 'number' || typeof value === 'bigint') return new Decimal(String(value))
  return Decimal.isDecimal(value) ? value : null
}

function longOf(value: unknown): bigint | undefined {
  const isWhole =
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && /^-?\d{1,19}$/.test(value))
  if (!isWhole) return undefined
  const long = BigInt(value)
  return long >= -LONG_LIMIT && long < LONG_LIMIT ? long : undefined
}

/**
 * A value from decimal text. A JSON number is taken where it is whole: any other has been rounded to a binary fraction
 * before we see it.
 */
function exact<T>(value: unknown, make: (text: string) => T): T | undefined {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new ValueRefusal(
      `a text such as "${foundText(value)}"`,
      `the number ${foundText(value)}, which is a binary float: JSON has rounded it already, only a text says it ` +
        'exactly',
    )
  }
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || decimalDigits(text) === null) return undefined
  try {
    return make(text)
  } catch {
    throw new ValueRefusal('at most 2^53 - 1 without its point', foundText(value))
  }
}

/** The values that a parameter of this type takes, in words. */
function expectedOf(type: AnyParameterType): string {
  if (isNamedType(type) && type.element !== undefined) {
    const element = expectedOf(type.element)
    return type.parameterType === 'List'
      ? `a list, each element ${element}`
      : `{ "bid": ..., "ask": ... } or one value for both: ${element}`
  }
  const reader = PLAIN.get(nameOf(type))
  if (reader !== undefined) return reader.expected
  if (isBranded(type, 'TradingInstrument')) return 'an instrument, or { "instrument": ..., "account": ... }'
  if (isBranded(type, 'DataInstrument')) return 'an instrument'
  return isBranded(type, 'Account') ? 'the name of an account' : `an object with the parameters of ${nameOf(type)}`
}

function isNamedType(type: AnyParameterType): type is ParameterType<unknown> {
  return typeof type === 'object'
}

function nameOf(type: AnyParameterType): string {
  return isNamedType(type) ? type.parameterType : type.name
}

function joined(path: string, name: string): string {
  if (!/^[\w$]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
