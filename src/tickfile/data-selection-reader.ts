import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { BacktapeError, type ErrorPlace } from '../model/error.js'
import { instrumentName, type Instrument } from '../model/instrument.js'
import { dayText } from '../model/time.js'
import { epochDayFromFileName } from './archive/file-day.js'
import { checkFileCount, isPattern, matchedFiles } from './archive/file-pattern-reader.js'
import type { ReadOptions } from './archive/read-options.js'
import { isSkippedMember, openSources } from './archive/source-reader.js'
import type { TickSource } from './archive/tick-source.js'
import {
  commonDays, isInRange, isInstrumentDays, isNamed, rangeOf, type DayRange, type InstrumentDays,
} from './data-input.js'
import { leaveOutCopies, type TickCopy } from './source-copies-reader.js'
import { readTickFile } from './tick-file-reader.js'
import { keptValue } from '../model/kept-value.js'

/** A tick file or archive that cannot be taken. */
export interface RefusedSource {
  readonly name: string
  readonly error: BacktapeError
}

/** Something to know about a selection, in a sentence. */
export interface SelectionNote {
  /**
   * `matched`: the files of a folder, a pattern or an instrument. `copies`: files that are left out, as others hold the
   * same bytes. `missingDays`: an instrument lacks some.
   */
  readonly code: 'matched' | 'copies' | 'missingDays'
  /** The note, without the path. */
  readonly sentence: string
  /** The folder or pattern, as it was named. */
  readonly path: string
  /** The instrument that lacks days; null of `matched`. */
  readonly instrumentId: number | null
}

/** The way in which inputs are selected. */
export interface SelectionOptions extends Pick<ReadOptions, 'signal'> {
  /** Of folders and patterns, only files of these days; default: of all. */
  readonly days?: DayRange
  /** Part of the name of the file to take, where two are of one instrument and day; default: both are refused. */
  readonly prefer?: string
  /** True where a folder or pattern may have no file of the days; default false: that is refused. */
  readonly mayBeEmpty?: boolean
  /** Takes both of two files of one instrument and day; default false. */
  readonly takesBoth?: boolean
  /** Receives a note on what a folder or pattern matched, and one for each instrument with missing days. */
  readonly onSelection?: (note: SelectionNote) => void
}

/** A matched file; `instrument` is null where its line 1 cannot be read. */
interface Match {
  readonly source: TickSource
  readonly day: number | null
  readonly instrument: Instrument | null
}

/** Files that a selection looked at and did not take. */
interface LeftOut {
  /** No tick files. */
  others: number
  otherDays: number
  /** The first and the last of them; null where none is known. */
  firstDay: number | null
  lastDay: number | null
  /** Files by the name of their instrument. */
  readonly instruments: Map<string, number>
}

const ALL_DAYS: DayRange = { first: null, last: null }

/** True for a folder, and for a pattern that is not the name of a file. */
export async function isWide(input: string): Promise<boolean> {
  if (input === '' || input === '-' || input.includes('\0')) return false
  const found = await stat(input).catch(() => null)
  return found === null ? !input.includes('://') && (await isPattern(input)) : found.isDirectory()
}

/**
 * The paths that a folder or pattern names, any other path itself. Throws FILE_NOT_FOUND where it names none,
 * LIMIT_EXCEEDED above 10,000 files.
 */
export async function selectedPaths(path: string): Promise<readonly string[]> {
  if (!(await isWide(path))) return [path]
  const { paths } = await matchedFiles(path)
  checkFileCount(path, paths.length)
  return paths
}

/** The instrument of line 1; null where it cannot be read: whoever reads the file says why. */
async function instrumentOf(source: TickSource, signal: ReadOptions['signal']): Promise<Instrument | null> {
  try {
    const reading = await readTickFile(source, signal === undefined ? {} : { signal })
    await reading.close()
    return reading.instrument
  } catch (error) {
    if (error instanceof BacktapeError && error.code !== 'STOPPED') return null
    throw error
  }
}

/** The day that the name of a plain tick file states; undefined for an archive, which may hold any. */
function dayOfPath(path: string): number | null | undefined {
  return path.endsWith('.zst') ? epochDayFromFileName(basename(path)) : undefined
}

function mayBeOf(range: DayRange): (path: string) => boolean {
  return (path) => {
    const day = dayOfPath(path)
    return day === undefined || isInRange(day, range)
  }
}

/** The files at `paths` that are of the days and of the instrument. */
async function* matchesOf(
  paths: readonly string[], range: DayRange, wanted: string | null, leftOut: LeftOut, { signal }: SelectionOptions,
): AsyncGenerator<Match | RefusedSource, void, undefined> {
  const mayBe = mayBeOf(range)
  for (const path of paths) {
    if (!mayBe(path)) {
      leaveOutDay(leftOut, dayOfPath(path) ?? null)
      continue
    }
    try {
      for await (const source of openSources(path)) {
        const day = isSkippedMember(source) ? null : epochDayFromFileName(source.fileName)
        if (isSkippedMember(source)) leftOut.others += 1
        else if (!isInRange(day, range)) leaveOutDay(leftOut, day)
        else {
          const instrument = await instrumentOf(source, signal)
          if (wanted === null || instrument === null || isNamed(instrument, wanted)) yield { source, day, instrument }
          else {
            const name = instrumentName(instrument)
            leftOut.instruments.set(name, (leftOut.instruments.get(name) ?? 0) + 1)
          }
        }
      }
    } catch (error) {
      if (!(error instanceof BacktapeError) || error.code === 'STOPPED') throw error
      yield { name: path, error }
    }
  }
}

function leaveOutDay(leftOut: LeftOut, day: number | null): void {
  leftOut.otherDays += 1
  if (day === null) return
  leftOut.firstDay = Math.min(day, leftOut.firstDay ?? day)
  leftOut.lastDay = Math.max(day, leftOut.lastDay ?? day)
}

/** Files of one instrument and day stand in one group; a file of an unknown day or instrument stands alone. */
function groupsOf(matches: readonly Match[]): Match[][] {
  const groups = new Map<string, Match[]>()
  for (const match of matches) {
    const { day, instrument, source } = match
    const key = day === null || instrument === null ? source.name : `${instrument.id} ${day}`
    keptValue(groups, key, (): Match[] => []).push(match)
  }
  return [...groups.values()]
}

/** Of files of one instrument and day those that are preferred; all where none is. */
function preferredOf(group: Match[], prefer: string | undefined): Match[] {
  const preferred = prefer === undefined ? [] : group.filter(({ source }) => source.name.includes(prefer))
  return preferred.length === 0 ? group : preferred
}

/** The one file of a group, or the refusal of both. */
function onlyOf(group: readonly Match[], prefer: string | undefined): Match | RefusedSource {
  const [first, second] = group
  if (first === undefined) throw new RangeError('a group has at least one file')
  if (second === undefined) return first
  const { day, instrument, source } = first
  const of = `${instrument === null ? 'one instrument' : instrumentName(instrument)} on ${dayText(day ?? 0)}`
  const advice =
    prefer === undefined
      ? 'choose one by a part of its name, with prefer (--prefer on the command line)'
      : `prefer ${JSON.stringify(prefer)} stands in ${source.name.includes(prefer) ? 'both' : 'neither'} of their names`
  const sentence = `Cannot take ${source.name} and ${second.source.name}: both are of ${of}; ${advice}`
  const error = new BacktapeError('OPTION_INVALID', sentence, {
    file: source.name, field: 'prefer', expected: 'one file for each instrument and day', found: second.source.name,
  })
  return { name: source.name, error }
}

function rangeText({ first, last }: DayRange): string {
  return `${first === null ? '' : ` from ${dayText(first)}`}${last === null ? '' : ` to ${dayText(last)}`}`
}

function daysText({ firstDay, lastDay }: LeftOut): string {
  return firstDay === null || lastDay === null ? '' : `, ${dayText(firstDay)} to ${dayText(lastDay)}`
}

/** Days that were asked for twice, by the input and by the run, and have none in common. */
function noCommonDay(path: string, asked: DayRange, days: DayRange): BacktapeError {
  const found = `those${rangeText(days)}`
  const sentence = `Cannot take days${rangeText(asked)} of ${path}: the run asks for ${found}, so no day is in both`
  return new BacktapeError('OPTION_INVALID', sentence, { field: 'data', expected: 'days of the run', found })
}

function noMatch(path: string, range: DayRange, wanted: string | null, leftOut: LeftOut): BacktapeError {
  const name = `${wanted ?? 'a tick file'}${rangeText(range)}`
  const there = [
    ...[...leftOut.instruments].sort().slice(0, 6).map(([one, count]) => `${count} of ${one}`),
    ...(leftOut.instruments.size > 6 ? [`files of ${leftOut.instruments.size - 6} more instruments`] : []),
    ...(leftOut.otherDays > 0 ? [`${leftOut.otherDays} of other days${daysText(leftOut)}`] : []),
  ]
  const found = there.length === 0 ? 'none' : there.join(', ')
  return new BacktapeError('FILE_NOT_FOUND', `Cannot find ${name} in ${path}: it has ${found}`, {
    field: 'data', expected: name, found: found.slice(0, 80), ...missingPlace(wanted, range),
  })
}

/** The instrument and its days, where both are stated. */
function missingPlace(wanted: string | null, { first, last }: DayRange): ErrorPlace {
  if (wanted === null || first === null || last === null) return {}
  const days = first === last ? dayText(first) : `${dayText(first)}..${dayText(last)}`
  return { instrument: wanted, days }
}

/** Refuses a bare code that several instruments have. */
function checkOne(matches: readonly Match[], wanted: string): void {
  const names = new Set(matches.flatMap(({ instrument }) => (instrument === null ? [] : [instrumentName(instrument)])))
  if (names.size < 2) return
  const found = [...names].sort().join(', ')
  throw new BacktapeError('OPTION_INVALID', `Cannot tell which ${wanted} is meant: ${found}; name one of them`, {
    field: 'instrument', expected: 'an instrument that only one fits', found: found.slice(0, 80),
  })
}

function matchedNote(path: string, takenCount: number, leftCount: number, leftOut: LeftOut): SelectionNote {
  const ofOthers = [...leftOut.instruments.values()].reduce((sum, count) => sum + count, 0)
  const left = [
    [leftOut.otherDays, 'of other days'], [ofOthers, 'of other instruments'], [leftCount, 'not preferred'],
    [leftOut.others, 'no tick files'],
  ] as const
  const words = left.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(', ')
  const sentence = `${takenCount} tick file${takenCount === 1 ? '' : 's'}${words === '' ? '' : `; left out: ${words}`}`
  return { code: 'matched', sentence, path, instrumentId: null }
}

function copiesNote(path: string, copies: readonly TickCopy[]): SelectionNote {
  const named = copies.slice(0, COPIES_NAMED).map(({ name, of }) => `${name} is ${of}`)
  const more = copies.length > COPIES_NAMED ? `, and ${copies.length - COPIES_NAMED} more` : ''
  const sentence = `byte-equal copies left out: ${named.join(', ')}${more}`
  return { code: 'copies', sentence, path, instrumentId: null }
}

/** So many copies are named; of more, the first ones. */
const COPIES_NAMED = 3

/** So many missing days are named; of more, the first ones. */
const DAYS_NAMED = 5

/** A note for each instrument that has no file of some day of a stated range, by ascending id. */
function missingDays(path: string, matches: readonly Match[], { first, last }: DayRange): SelectionNote[] {
  if (first === null || last === null) return []
  const found = new Map<number, { readonly name: string; readonly days: Set<number> }>()
  for (const { day, instrument } of matches) {
    if (day === null || instrument === null) continue
    keptValue(found, instrument.id, () => ({ name: instrumentName(instrument), days: new Set<number>() })).days.add(day)
  }
  return [...found].sort(([a], [b]) => a - b).flatMap(([instrumentId, { name, days }]): SelectionNote[] => {
    const missing: string[] = []
    for (let day = first; day <= last; day += 1) if (!days.has(day)) missing.push(dayText(day))
    if (missing.length === 0) return []
    const more = missing.length > DAYS_NAMED ? ` and ${missing.length - DAYS_NAMED} more days` : ''
    const sentence = `${name} has no file of ${missing.slice(0, DAYS_NAMED).join(', ')}${more}: a gap`
    return [{ code: 'missingDays', sentence, path, instrumentId }]
  })
}

/** The note in one line, with its path. */
export function selectionLine({ path, sentence }: SelectionNote): string {
  return `${path}: ${sentence}`
}

/**
 * The tick files of a folder, a pattern or days of an instrument, in ascending order of their paths. Files that are
 * no tick files by their name are left out, hidden ones are never seen. Two files of one instrument and day, and
 * archives that cannot be opened, come as refusals in their place. Throws FILE_NOT_FOUND where nothing is selected,
 * OPTION_INVALID for fields that are none, LIMIT_EXCEEDED above 10,000 files, STOPPED once `signal` has fired.
 */
export async function* selectedSources(
  input: string | InstrumentDays, options: SelectionOptions,
): AsyncGenerator<TickSource | RefusedSource, void, undefined> {
  const asked = isInstrumentDays(input) ? rangeOf(input) : ALL_DAYS
  const wanted = isInstrumentDays(input) ? input.instrument : null
  const path = isInstrumentDays(input) ? input.in : input
  const { paths, otherCount } = (await isWide(path)) ? await matchedFiles(path) : { paths: [path], otherCount: 0 }
  const range = commonDays(asked, options.days ?? ALL_DAYS)
  if (range.first !== null && range.last !== null && range.first > range.last && options.mayBeEmpty !== true)
    throw noCommonDay(path, asked, options.days ?? ALL_DAYS)
  // Of an instrument only line 1 of each file knows: those that it names are counted.
  if (wanted === null) checkFileCount(path, paths.filter(mayBeOf(range)).length)
  const leftOut: LeftOut = { others: otherCount, otherDays: 0, firstDay: null, lastDay: null, instruments: new Map() }
  const matches: Match[] = []
  let isRefused = false
  for await (const one of matchesOf(paths, range, wanted, leftOut, options)) {
    if ('source' in one) matches.push(one)
    else yield one
    checkFileCount(path, matches.length)
    isRefused ||= !('source' in one)
  }
  if (matches.length === 0 && !isRefused && options.mayBeEmpty !== true) throw noMatch(path, range, wanted, leftOut)
  if (wanted !== null) checkOne(matches, wanted)
  const all = options.takesBoth === true ? matches.map((one) => [one]) : groupsOf(matches)
  const groups = all.map((group) => preferredOf(group, options.prefer))
  const notPreferred = matches.length - groups.flat().length
  const copies = await leaveOutCopies(groups, options.signal)
  // By the match in whose place it comes.
  const chosen = new Map<Match, Match | RefusedSource>()
  for (const group of groups) {
    const only = onlyOf(group, options.prefer)
    for (const match of group.slice(0, 1)) chosen.set('source' in only ? only : match, only)
  }
  const taken = matches.filter((match) => chosen.get(match) === match)
  options.onSelection?.(matchedNote(path, taken.length, notPreferred, leftOut))
  if (copies.length > 0) options.onSelection?.(copiesNote(path, copies))
  for (const note of missingDays(path, taken, range)) options.onSelection?.(note)
  for (const match of matches) {
    const one = chosen.get(match)
    if (one !== undefined) yield 'source' in one ? one.source : one
  }
}
