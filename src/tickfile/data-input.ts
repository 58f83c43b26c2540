import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { refuseFarDigits } from '../model/epoch-digits.js'
import { endNsFromText, epochDayFromNs, epochDayFromText, epochNsFromText } from '../model/time.js'
import { instrumentName, type Instrument } from '../model/instrument.js'
import type { TickInput } from './archive/tick-source.js'

/**
 * Days of one instrument, wherever in a folder their files lie: line 1 of a file says its instrument, its name says its
 * day.
 *
 * @example
 * ```ts
 * import { readEvents, type InstrumentDays } from 'backtape'
 * const july: InstrumentDays = { instrument: 'synthetic_swap:XRPUSDT', from: '2026-07-01', in: 'datasets' }
 * for await (const event of readEvents(july)) {
 *   console.log(event.kind)
 *   break
 * }
 * ```
 */
export interface InstrumentDays {
  /** `exchange:code`, a bare code where only one fits, or the id in digits. */
  readonly instrument: string
  /** The first day, `YYYY-MM-DD`; default: the first that is there. */
  readonly from?: string
  /** The last day, included; default: the last that is there. */
  readonly to?: string
  /** A folder, a pattern, a file or a bundle. */
  readonly in: string
}

/** A name of data: files and bundles, folders, patterns (`days/**`), days of an instrument. */
export type DataInput = TickInput | InstrumentDays

/** Days since 1970-01-01, both included; null: no bound. */
export interface DayRange {
  readonly first: number | null
  readonly last: number | null
}

/** True for days of an instrument. */
export function isInstrumentDays(input: DataInput): input is InstrumentDays {
  const given: unknown = input
  return typeof given === 'object' && given !== null && 'instrument' in given && 'in' in given
}

function refusal(field: string, expected: string, found: unknown): BacktapeError {
  const words = foundText(found)
  return new BacktapeError('OPTION_INVALID', `Cannot select data: ${field} must be ${expected}, found ${words}`, {
    field, expected, found: words,
  })
}

/** The days that are asked for. Throws OPTION_INVALID for fields that are none. */
export function rangeOf({ instrument, from, to, in: place, ...rest }: InstrumentDays): DayRange {
  const texts = { instrument, in: place }
  for (const [field, value] of Object.entries(texts))
    if (typeof (value as unknown) !== 'string' || value === '') throw refusal(field, 'a text', value)
  for (const field of Object.keys(rest)) throw refusal(field, 'left out: data have instrument, from, to and in', field)
  const dayOf = (field: string, text: string | undefined): number | null => {
    if (text === undefined) return null
    const day = typeof (text as unknown) === 'string' ? epochDayFromText(text) : null
    if (day === null) throw refusal(field, 'a day such as 2024-07-18', text)
    return day
  }
  const range = { first: dayOf('from', from), last: dayOf('to', to) }
  if (range.first !== null && range.last !== null && range.first > range.last)
    throw refusal('to', `a day from ${String(from)} on`, to)
  return range
}

/**
 * Data as a user types them: days of an instrument as a JSON object, any other text as it stands. Throws OPTION_INVALID
 * for an object with other fields.
 */
export function dataFromText(text: string): string | InstrumentDays {
  if (!text.startsWith('{')) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  rangeOf(value as InstrumentDays)
  return value as InstrumentDays
}

/** The days of a span of time; clock times bound none, as they are of the data's own days. Throws TIME_INVALID. */
export function daysOfSpan(
  { from, to }: { readonly from?: string | bigint | undefined; readonly to?: string | bigint | undefined },
): DayRange {
  for (const time of [from, to]) if (typeof time === 'string') refuseFarDigits(time, null)
  // What is neither is refused by whoever takes the times.
  const isAbsolute = (value: string | bigint | undefined): value is string | bigint =>
    typeof value === 'bigint' || (typeof value === 'string' && !/^\d{1,2}:/.test(value))
  const last = (value: string | bigint): bigint => (typeof value === 'bigint' ? value : endNsFromText(value, null)) - 1n
  return {
    first: isAbsolute(from) ? epochDayFromNs(typeof from === 'bigint' ? from : epochNsFromText(from, null)) : null,
    last: isAbsolute(to) ? epochDayFromNs(last(to)) : null,
  }
}

/** The days that both ranges have. */
export function commonDays(one: DayRange, other: DayRange): DayRange {
  const bound = (a: number | null, b: number | null, choose: (...values: number[]) => number): number | null =>
    a === null ? b : b === null ? a : choose(a, b)
  return { first: bound(one.first, other.first, Math.max), last: bound(one.last, other.last, Math.min) }
}

/** True for a day in the range; a file of an unknown day may be of any. */
export function isInRange(day: number | null, { first, last }: DayRange): boolean {
  return day === null || ((first === null || day >= first) && (last === null || day <= last))
}

/** True where a reference may mean an instrument. */
export function isNamed(instrument: Instrument, reference: string): boolean {
  return (
    instrumentName(instrument) === reference || instrument.code === reference ||
    (/^\d{1,15}$/.test(reference) && instrument.id === Number(reference))
  )
}
