import { Decimal } from '../../model/decimal.js'
import type { SignalValue } from '../../model/signal-row.js'
import { epochNsFromText } from '../../model/time.js'
import { integerValue, type CellKind } from './row-file.js'

/** The form of a time in text: a date, and a clock time and zone where they are stated. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/
const NUMBER = /^[+-]?\d{1,100}(?:\.\d{1,100})?(?:[eE][+-]?\d{1,3})?$/
const INTEGER = /^[+-]?\d{1,40}$/
/** A number that is no code with zeros in front of it. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NO_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['nan', NaN], ['inf', Infinity], ['infinity', Infinity], ['-inf', -Infinity], ['-infinity', -Infinity],
])

/** Epoch nanoseconds of a time in ISO-8601, in UTC where it states no zone; null for any other text. */
function isoTimeOf(text: string): bigint | null {
  if (!ISO.test(text)) return null
  try {
    return epochNsFromText(text, null)
  } catch {
    return null
  }
}

function booleanOf(text: string): boolean | null {
  const lower = text.toLowerCase()
  return lower === 'true' ? true : lower === 'false' ? false : null
}

function doubleOf(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : (NO_NUMBERS.get(text.toLowerCase()) ?? null)
}

const READERS: Readonly<Record<CellKind, (text: string) => SignalValue>> = {
  integer: (text) => (INTEGER.test(text) ? integerValue(BigInt(text.replace('+', ''))) : null),
  decimal: (text) => (NUMBER.test(text) ? new Decimal(text) : null),
  double: doubleOf,
  timestamp: isoTimeOf,
  boolean: booleanOf,
  text: (text) => text,
}

/** The words for values of a kind. */
export const KIND_WORDS: Readonly<Record<CellKind, string>> = {
  integer: 'an integer', decimal: 'a decimal', double: 'a number', timestamp: 'an ISO-8601 time',
  boolean: 'true or false', text: 'a text',
}

/** The value of a cell in a column of a kind; null where the text is none. */
export function valueOfText(kind: CellKind, text: string): SignalValue {
  return READERS[kind](text)
}

/** The kind of a column whose first value is this text. */
export function kindOfText(text: string): CellKind {
  if (PLAIN_NUMBER.test(text) && NUMBER.test(text)) return 'decimal'
  if (booleanOf(text) !== null) return 'boolean'
  return isoTimeOf(text) === null ? 'text' : 'timestamp'
}
