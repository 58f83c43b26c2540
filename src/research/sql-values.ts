import { BacktapeError } from '../model/error.js'
import { dayText } from '../model/time.js'
import type { ColumnType, TableColumn, TableValue } from '../tables/column.js'

/** A value as DuckDB's library gives it: one of its classes of values, or a plain value. */
export interface DuckValue {
  readonly value: bigint
  readonly scale: number
  readonly micros: bigint
  readonly millis: bigint
  readonly seconds: bigint
  readonly nanos: bigint
  readonly days: number
  toString(): string
}

/** The type of a column of a result, and its values as tables have them. */
export interface ResultReading {
  readonly type: ColumnType
  readonly read: (value: DuckValue) => TableValue
}

const WHOLE: ColumnType = { form: 'decimal', precision: 38, scale: 0 }
/** Ten to the 38th: a decimal of a table holds 38 digits. */
const DECIMAL_LIMIT = 10n ** 38n
/** Timestamps beyond 64 bits of nanoseconds, infinity among them. */
const NS_LIMIT = 1n << 63n

function inexact(found: string, expected: string): BacktapeError {
  const sentence = `Cannot take ${found} out of the database: ${expected}`
  return new BacktapeError('VALUE_INEXACT', sentence, { expected, found })
}

/** The shortest plain text of a decimal. */
function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return String(value)
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`
}

function wholeText(value: bigint): string {
  if (value >= DECIMAL_LIMIT || value <= -DECIMAL_LIMIT)
    throw inexact(String(value), 'a whole number has at most 38 digits; cast it to text')
  return String(value)
}

function nanoseconds(value: bigint): bigint {
  if (value > -NS_LIMIT && value < NS_LIMIT) return value
  throw inexact('a time', 'it must lie between 1677 and 2262, where nanoseconds fit; cast it to text')
}

const plain = (type: ColumnType): ResultReading => ({ type, read: (value) => value as unknown as TableValue })
const times = (read: (value: DuckValue) => bigint): ResultReading =>
  ({ type: { form: 'timestamp' }, read: (value) => nanoseconds(read(value)) })

const WHOLES: ResultReading = { type: WHOLE, read: (value) => wholeText(BigInt(value as unknown as bigint | number)) }
const COUNTS = plain({ form: 'uint32' })
const TEXTS = plain({ form: 'text' })
const PRINTED: ResultReading = { type: { form: 'text' }, read: (value) => value.toString() }

/** Far beyond any year that is written with four digits, as infinity is. */
const DAYS_MAX = 2_932_896

const READINGS: Readonly<Record<string, ResultReading>> = {
  TINYINT: WHOLES, SMALLINT: WHOLES, INTEGER: WHOLES, BIGINT: WHOLES, HUGEINT: WHOLES, UHUGEINT: WHOLES,
  UTINYINT: COUNTS, USMALLINT: COUNTS, UINTEGER: COUNTS, UBIGINT: plain({ form: 'uint64' }),
  FLOAT: plain({ form: 'double' }), DOUBLE: plain({ form: 'double' }), BOOLEAN: plain({ form: 'boolean' }),
  VARCHAR: TEXTS, UUID: PRINTED, TIME: PRINTED,
  TIMESTAMP: times(({ micros }) => micros * 1_000n), 'TIMESTAMP WITH TIME ZONE': times(({ micros }) => micros * 1_000n),
  TIMESTAMP_NS: times(({ nanos }) => nanos), TIMESTAMP_MS: times(({ millis }) => millis * 1_000_000n),
  TIMESTAMP_S: times(({ seconds }) => seconds * 1_000_000_000n),
  DATE: { type: { form: 'text' }, read: ({ days }) => {
    if (days <= DAYS_MAX && days >= -719_162) return dayText(days)
    throw inexact('a day', 'it must lie in the years 1 to 9999; cast it to text')
  } },
}

const ADVICE: Readonly<Record<string, string>> = {
  INTERVAL: 'the database cuts intervals to microseconds: take epoch_ns(a) - epoch_ns(b)',
  BLOB: 'take hex(...) of it',
}

/**
 * The reading of a column of a result. Timestamps become epoch nanoseconds, decimals and signed whole numbers exact
 * texts, UBIGINT `bigint`, days `YYYY-MM-DD`. Throws VALUE_INEXACT for a type that no column of a table holds.
 */
export function readingOf(name: string, type: string): ResultReading {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(type)
  if (decimal !== null) {
    const scale = Number(decimal[2])
    const precision = Number(decimal[1]) <= 18 ? 18 : 38
    return { type: { form: 'decimal', precision, scale }, read: ({ value }) => decimalText(value, scale) }
  }
  if (type.startsWith('ENUM')) return TEXTS
  const known = READINGS[type]
  if (known !== undefined) return known
  const advice = ADVICE[type] ?? 'cast it to text, or take its parts'
  const sentence = `Cannot take column ${name} of type ${type} out of the database: ${advice}`
  throw new BacktapeError('VALUE_INEXACT', sentence, { field: name, found: type.slice(0, 80) })
}

/** Names of columns, each once: a second `ts` is `ts_1`, as the database names it. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let own = name
    for (let count = 1; taken.has(own); count++) own = `${name}_${String(count)}`
    taken.add(own)
    return own
  })
}

/** A table's values as the database's library takes them; the classes are those of the loaded library. */
export function duckValues(
  { type, values, name }: TableColumn,
  make: {
    readonly decimal: (value: bigint, width: number, scale: number) => unknown
    readonly timestamp: (nanos: bigint) => unknown
  },
): unknown[] {
  return values.map((value) => {
    if (value === null) return null
    if (type.form === 'timestamp') return make.timestamp(value as bigint)
    if (type.form === 'decimal')
      return make.decimal(scaledOf(String(value), type.scale, name), type.precision, type.scale)
    if (type.form === 'uint64') return BigInt(value)
    return value
  })
}

/** A decimal text as a whole number at a scale. Throws VALUE_INEXACT where it has more digits behind its point. */
function scaledOf(text: string, scale: number, name: string): bigint {
  const found = /^(-?)(\d*)(?:\.(\d*))?$/.exec(text)
  const [, sign = '', whole = '', fraction = ''] = found ?? []
  const kept = fraction.replace(/0+$/, '')
  if (found === null || kept.length > scale) {
    const expected = `a plain decimal of at most ${String(scale)} decimals`
    throw new BacktapeError('VALUE_INEXACT', `Cannot query column ${name}: ${text} must be ${expected}`, {
      field: name, expected, found: text.slice(0, 80),
    })
  }
  return BigInt(`${sign}${whole === '' ? '0' : whole}${kept.padEnd(scale, '0')}`)
}
