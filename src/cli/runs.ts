import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { Decimal } from '../model/decimal.js'
import { durationNsFromText } from '../model/duration.js'
import { NS_PER_DAY } from '../model/time.js'
import { amountText } from '../report/short-summary.js'
import { writeReportFiles } from '../results/run-report-writer.js'
import { makeComparison } from '../report/pages/comparison-making.js'
import { recordPlaces } from '../results/record-places-reader.js'
import { readCurves, readRunRecords, readSets, recordsFolder } from '../results/run-records-reader.js'
import type { RunRecord, SetRecord } from '../results/run-record.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import { LIST_LIMIT } from './command-options.js'
import { pathWords } from './report-files.js'
import type { Output } from './terminal/output.js'
import { recordedPartsText } from './parts-text.js'
import { resultText } from './result-text.js'
import { setsText } from './sets-text.js'
import { suggestion } from '../model/suggestion.js'
import { alignedLines, counted } from './terminal/text-table.js'
import { differencesText, setUpDifferences, type ComparedRun } from './run-differences.js'

const JOBS: Readonly<Record<string, (args: Arguments, output: Output) => Promise<number>>> = {
  list, show, compare, prune,
}
/** Ten years. */
const OLDEST_NS = 3650 * NS_PER_DAY

/** A record, and the folder of its run file as it is seen from here. */
export interface FoundRecord extends RunRecord {
  readonly folder: string
}

/** The folders whose records a command means: `--in`, else what lies around this folder, which is noted. */
async function placesOf(args: Arguments, output: Output): Promise<readonly string[]> {
  const given = args.text('in')
  if (given !== undefined) return [given]
  const places = (await recordPlaces('.')).map((place) => relative('.', place) || '.')
  if (places.some((place) => place !== '.')) output.note(`Runs recorded in ${places.join(', ')}`)
  return places.length === 0 ? ['.'] : places
}

async function recordsIn(places: readonly string[], output: Output): Promise<readonly FoundRecord[]> {
  const found: FoundRecord[] = []
  for (const folder of places) {
    const { records, unreadable } = await readRunRecords(folder)
    for (const one of unreadable) output.note(`Warning: ${one} holds no record that can be read`)
    for (const record of records) found.push({ ...record, folder })
  }
  return places.length === 1 ? found : found.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** The records beside the run files of `--in`, else those around this folder, the oldest first. */
export async function recordsOf(args: Arguments, output: Output): Promise<readonly FoundRecord[]> {
  return recordsIn(await placesOf(args, output), output)
}

async function list(args: Arguments, output: Output): Promise<number> {
  const words = args.words.slice(1)
  const limit = args.count('limit') ?? LIST_LIMIT
  const places = await placesOf(args, output)
  const all = await recordsIn(places, output)
  const fitting = all.filter((record) => words.every((word) => textOf(record).includes(word)))
  if (args.flag('json')) {
    await output.line(JSON.stringify(fitting, null, 2))
    return 0
  }
  if (fitting.length === 0) {
    const which = words.length === 0 ? 'is recorded' : `of ${words.join(' ')}`
    output.note(`No run ${which} in ${places.map(recordsFolder).join(', ')}`)
    return 0
  }
  const shown = fitting.slice(-limit)
  if (shown.length < fitting.length)
    output.note(`The last ${String(limit)} of ${counted(fitting.length, 'run')}; --limit shows more`)
  const rows = shown.map((record) => [
    record.id, record.name ?? '', record.runFile, setWords(record),
    profitWords(record),
    String(record.fillCount),
    [stopWords(record), record.overrides, record.note].filter((one) => one !== null).join('; '),
  ])
  const heads = ['run', 'name', 'run file', 'best set', 'profit', 'fills', 'changed, note']
  await output.text(`${alignedLines([heads, ...rows], new Set([4, 5]), output.width).join('\n')}\n`)
  return 0
}

/** The profits by underlying, and the total of several. */
function profitWords({ profits, total }: RunRecord): string {
  const own = profits.map(({ profit, underlying }) => `${amountText(profit, underlying)} ${underlying}`).join(', ')
  if (total === null || profits.every(({ underlying }) => underlying === total.currency)) return own
  return `${amountText(total.profit, total.currency)} ${total.currency} in all (${own})`
}

/** `2 of 4`: the figures of the row are of set 2, the best one; with parts of those that were chosen. */
function setWords({ set, setCount, parts }: RunRecord): string {
  const chosen = [...new Set(parts?.map((part) => part.set) ?? [set])].sort((a, b) => a - b)
  return setCount === 1 ? '' : `${chosen.join(', ')} of ${String(setCount)}`
}

function stopWords({ isPartial, end }: RunRecord): string | null {
  return isPartial ? `STOPPED at ${end.slice(0, 19).replace('T', ' ')}, before the data ended` : null
}

function textOf({ id, name, runFile, overrides, note }: RunRecord): string {
  return [id, name, runFile, overrides, note].filter((one) => one !== null).join(' ')
}

/** One set of one run. */
export interface Chosen {
  readonly record: FoundRecord
  readonly sets: readonly SetRecord[]
  /** Null where the word names no set of several. */
  readonly set: number | null
}

/**
 * The run of `last`, `best`, a name, or the beginning of an id; `:3` behind it is a set. Throws OPTION_INVALID where
 * no run or several fit.
 */
export async function chosen(
  word: string, records: readonly FoundRecord[], output: Output,
): Promise<Chosen> {
  const [, name = word, number] = /^(.*?)(?::(\d+))?$/s.exec(word) ?? []
  const stoppedCount = name === 'best' ? records.filter(({ isPartial }) => isPartial).length : 0
  if (stoppedCount > 0)
    output.note(`${counted(stoppedCount, 'run')} that stopped before the data ended left out of best`)
  const unvaluedCount = name === 'best' ? records.filter(({ total }) => total === null).length : 0
  if (unvaluedCount > 0)
    output.note(`${counted(unvaluedCount, 'run')} whose total has no rate left out of best`)
  const named = runsOf(name, records)
  const [record, other] = named
  if (record === undefined || other !== undefined) {
    const ids = records.map(({ id }) => id)
    const hint = record === undefined ? suggestion(name, ids) : `: ${counted(named.length, 'run')}`
    throw wordError('last, best, the beginning of an id or a name', `${JSON.stringify(name)}${hint}`)
  }
  const sets = await readSets(record.folder, record.id)
  const set = number === undefined ? (sets.length === 1 ? 0 : null) : Number(number)
  if (set !== null && set >= sets.length) throw wordError(`a set below ${String(sets.length)}`, String(set))
  return { record, sets, set: set ?? (name === 'best' && record.parts === undefined ? record.set : null) }
}

/** Runs by the beginning of their id, else the last one of a name. */
function runsOf(name: string, records: readonly FoundRecord[]): readonly FoundRecord[] {
  if (name === 'last') return records.slice(-1)
  if (name === 'best') return bestOf(records)
  const exact = records.filter(({ id }) => id === name)
  const found = name === '' || exact.length > 0 ? exact : records.filter(({ id }) => id.startsWith(name))
  return found.length > 0 ? found : records.filter((record) => record.name === name).slice(-1)
}

/** The run of the greatest total that was not stopped early; of several currencies nobody knows which. */
function bestOf(all: readonly FoundRecord[]): FoundRecord[] {
  const records = all.filter(({ isPartial }) => !isPartial)
  const codes = new Set(records.flatMap(({ total }) => total?.currency ?? []))
  if (codes.size > 1) throw wordError('an id, as totals are in several currencies', `best of ${[...codes].join(', ')}`)
  let best: FoundRecord | null = null
  for (const record of records) {
    const profit = record.total?.profit
    const known = best?.total?.profit
    if (profit !== undefined && (known === undefined || new Decimal(profit).gt(known))) best = record
  }
  return best === null ? [] : [best]
}

function wordError(expected: string, found: string): BacktapeError {
  const sentence = `Cannot find the run: expected ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', sentence, { expected, found })
}

async function show(args: Arguments, output: Output): Promise<number> {
  const { record, sets, set } = await chosen(args.words[1] ?? 'last', await recordsOf(args, output), output)
  const { id, runFile, started, name, note, overrides } = record
  const head = [
    `Run ${id} of ${runFile}, ${started}${name === null ? '' : `, ${name}`}`, ...(note === null ? [] : [note]),
    ...(overrides === null ? [] : [`Instead of the run file's: ${overrides}`]),
  ]
  output.note(head.join('\n'))
  if (set === null && record.parts !== undefined) await output.text(recordedPartsText(record.parts, sets))
  else if (set === null) await output.text(setsText(sets, args.text('sort'), output.width))
  else await output.text(resultText(sets[set] as SetRecord, { full: args.flag('full') }))
  return 0
}

async function compare(args: Arguments, output: Output): Promise<number> {
  const records = await recordsOf(args, output)
  const [a, b] = [
    await chosen(args.words[1] ?? '', records, output),
    await chosen(args.words[2] ?? '', records, output),
  ]
  const parts = [a, b].map(({ record, set }) => (set === null ? (record.parts ?? []) : []).map(({ name }) => name))
  const [own, other] = parts as [string[], string[]]
  if (own.join() !== other.join()) throw unlikeParts(a, b)
  const path = args.text('report')
  if (path === undefined && args.flag('png')) throw optionError('png', 'given with --report FILE', 'no report')
  if (path !== undefined) await writeComparison(path, [a, b], own, args, output)
  if (own.length === 0) await output.text(differencesText(sideOf(a), sideOf(b)))
  for (const [set, name] of own.entries())
    await output.text(`${name}:\n${differencesText(sideOf({ ...a, set }), sideOf({ ...b, set }))}\n`)
  return 0
}

/** Two runs side by side as a page; of runs in parts each part. */
async function writeComparison(
  path: string, [a, b]: readonly [Chosen, Chosen], parts: readonly string[], args: Arguments, output: Output,
): Promise<void> {
  if (parts.length > 0)
    throw optionError('report', 'left out with runs in parts, or a part of each such as ID:0', 'given')
  const sides = [sideOf(a), sideOf(b)] as const
  const inputs = await Promise.all([a, b].map(async (one, at) => {
    const { name, set } = sides[at] as ComparedRun
    const curves = await readCurves(one.record.folder, one.record.id)
    const { parameters, summary, fingerprint, isPartial } = set
    return { name, parameters, summary, fingerprint, isPartial, curves: curves[numberOf(one)] ?? [] }
  }))
  const options = {
    title: `${sides[0].name} and ${sides[1].name}`, setUp: setUpDifferences(...sides), isSideBySide: true,
  }
  const written = await writeReportFiles(
    path, () => makeComparison(inputs, options), { force: args.flag('force'), png: args.flag('png') })
  output.note(`Wrote the report ${pathWords(written)}`)
}

function unlikeParts(a: Chosen, b: Chosen): BacktapeError {
  const words = ({ record, set }: Chosen): string =>
    set === null && record.parts !== undefined ? `${record.id} in ${counted(record.parts.length, 'part')}` : 'one run'
  return wordError(`two runs of the same parts, or a part of each such as ${a.record.id}:0`, `${words(a)}, ${words(b)}`)
}

/** A run of several sets is compared by its best one. */
function sideOf(one: Chosen): ComparedRun {
  const { record, sets } = one
  const number = numberOf(one)
  return { name: sets.length === 1 ? record.id : `${record.id}:${String(number)}`, set: sets[number] as SetRecord }
}

function numberOf({ record, set }: Chosen): number {
  return set ?? record.set
}

async function prune(args: Arguments, output: Output): Promise<number> {
  const [keep, olderThan] = [args.count('keep', 0), args.text('olderThan')]
  if ((keep === undefined) === (olderThan === undefined))
    throw optionError('keep', 'given, or --older-than, and not both', 'nothing or both')
  const places = await placesOf(args, output)
  const [folder = '.'] = places
  if (places.length > 1) throw optionError('in', `one of ${places.join(', ')}`, 'none')
  const records = await recordsIn(places, output)
  const first = keep === undefined ? oldest(olderThan ?? '') : 0
  const old =
    keep === undefined
      ? records.filter(({ started }) => Date.parse(started) < first)
      : records.slice(0, Math.max(0, records.length - keep))
  // Named runs are kept until they are asked for by name.
  const gone = old.filter(({ name }) => name === null || args.flag('named'))
  for (const { id } of gone) await rm(join(recordsFolder(folder), id), { recursive: true, force: true })
  output.note(`Removed ${counted(gone.length, 'run')}; ${counted(records.length - gone.length, 'run')} left`)
  await readRunRecords(folder)
  return 0
}

function oldest(text: string): number {
  const refusal = (expected: string): BacktapeError => optionError('olderThan', expected, JSON.stringify(text))
  return Date.now() - durationNsFromText(text, { mostNs: OLDEST_NS }, refusal) / 1e6
}

/** The work of `backtape runs`. */
export async function runRuns(args: Arguments, output: Output): Promise<number> {
  const job = args.words[0] ?? 'list'
  const known = Object.hasOwn(JOBS, job) ? JOBS[job] : undefined
  if (known === undefined) {
    const expected = `one of ${Object.keys(JOBS).join(', ')}`
    throw wordError(expected, `${JSON.stringify(job)}${suggestion(job, Object.keys(JOBS))}`)
  }
  return known(args, output)
}
