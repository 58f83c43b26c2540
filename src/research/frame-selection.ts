import type { CatalogDay } from '../catalog/catalog-day.js'
import { sqlName, sqlText } from '../catalog/duck-text.js'
import { TABLE_KINDS, timeColumn, type TableKind } from '../catalog/table-kind.js'
import { BacktapeError } from '../model/error.js'
import { suggestion } from '../model/suggestion.js'
import { dayText, epochDayFromNs, epochDayFromText, epochNsFromText } from '../model/time.js'

/** A part of the days of a catalog. */
export interface FrameSelection {
  /** `exchange:code`, a bare code where only one fits, or the id in digits; default: all. */
  readonly instrument?: string
  /** The first day, or a time from which on rows are taken; default: the first. */
  readonly from?: string
  /** The last day, included, or a time before which rows are taken; default: the last. */
  readonly to?: string
}

/** One end of a selection: its day, and its nanoseconds where it is a time within that day. */
interface Bound {
  readonly day: string
  readonly timeNs: bigint | null
}

function boundOf(text: string, isEnd: boolean): Bound {
  const day = epochDayFromText(text)
  if (day !== null) return { day: dayText(day), timeNs: null }
  const timeNs = epochNsFromText(text, null)
  return { day: dayText(epochDayFromNs(isEnd ? timeNs - 1n : timeNs)), timeNs }
}

function refusal(field: string, expected: string, found: string, near = ''): BacktapeError {
  const sentence = `Cannot select days: ${field} must be ${expected}, found ${found}${near}`
  return new BacktapeError('OPTION_INVALID', sentence, { field, expected, found: found.slice(0, 80) })
}

function isNamed({ instrument }: CatalogDay, reference: string): boolean {
  if (instrument === null) return false
  const { id, name } = instrument
  return name === reference || name.slice(name.indexOf(':') + 1) === reference || String(id) === reference
}

/** The name of the instrument that a reference means. Throws OPTION_INVALID where it means none, or several. */
function instrumentName(days: readonly CatalogDay[], reference: string): string {
  const found = [...new Set(days.filter((day) => isNamed(day, reference)).map((day) => day.instrument?.name ?? ''))]
  const [name, other] = found
  if (name === undefined) {
    const there = [...new Set(days.flatMap(({ instrument }) => instrument?.name ?? []))]
    const words = there.length === 0 ? 'none' : there.slice(0, 6).join(', ')
    const near = suggestion(reference, there.flatMap((one) => [one, one.slice(one.indexOf(':') + 1)]))
    throw refusal('instrument', `one of the catalog (${words})`, JSON.stringify(reference), near)
  }
  if (other !== undefined) throw refusal('instrument', `one that only one fits (${found.join(', ')})`, reference)
  return name
}

/** Throws OPTION_INVALID for a selection that begins behind its end. */
function checkOrder({ from, to }: FrameSelection): void {
  if (from === undefined || to === undefined) return
  const [first, last] = [boundOf(from, false), boundOf(to, true)]
  const isBehind = first.timeNs !== null && last.timeNs !== null
    ? first.timeNs >= last.timeNs
    : first.day > last.day
  if (isBehind) throw refusal('from', `before to (${to})`, from)
}

/** The days of a selection. Throws OPTION_INVALID, TIME_INVALID. */
export function daysOf(days: readonly CatalogDay[], { instrument, from, to }: FrameSelection): CatalogDay[] {
  checkOrder({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) })
  const name = instrument === undefined ? null : instrumentName(days, instrument)
  const first = from === undefined ? null : boundOf(from, false).day
  const last = to === undefined ? null : boundOf(to, true).day
  return days.filter((one) => (
    (name === null || one.instrument?.name === name) &&
    (one.day === null || ((first === null || one.day >= first) && (last === null || one.day <= last)))))
}

/** The conditions of a bound in SQL. */
function conditions({ day, timeNs }: Bound, time: string, [onDay, onTime]: readonly [string, string]): string[] {
  const ofDay = `day ${onDay} DATE ${sqlText(day)}`
  return timeNs === null ? [ofDay] : [ofDay, `${time} ${onTime} make_timestamp_ns(${String(timeNs)})`]
}

/**
 * The query of a view and a selection, made when the days are known. Throws OPTION_INVALID for a view that is none,
 * TIME_INVALID at once.
 */
export function viewQuery(view: TableKind, selection: FrameSelection): (days: readonly CatalogDay[]) => string {
  const given: string = view
  if (!TABLE_KINDS.includes(view)) {
    const expected = `one of ${TABLE_KINDS.join(', ')}`
    throw refusal('view', expected, JSON.stringify(given), suggestion(given, TABLE_KINDS))
  }
  const { instrument, from, to } = selection
  checkOrder(selection)
  const time = sqlName(timeColumn(view))
  const ofTimes = [
    ...(from === undefined ? [] : conditions(boundOf(from, false), time, ['>=', '>='])),
    ...(to === undefined ? [] : conditions(boundOf(to, true), time, ['<=', '<'])),
  ]
  return (days) => {
    const own = instrument === undefined ? [] : [`instrument = ${sqlText(instrumentName(days, instrument))}`]
    const all = [...own, ...ofTimes]
    return `select * from ${sqlName(view)}${all.length === 0 ? '' : ` where ${all.join(' and ')}`}`
  }
}
