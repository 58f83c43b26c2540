import { BacktapeError } from '../model/error.js'
import type { CanonicalValue } from '../model/canonical-json.js'
import { firstDifference, type ValueDifference } from '../model/json-difference.js'
import { goldenPaths, type Golden, type GoldenWorld } from './golden.js'
import {
  isFileThere, readGolden, readJournalLines, removeFiles, removeStaleJournals, writeGolden,
} from './golden-writer.js'
import { JOURNAL_FORMAT } from '../protocol/record-layout.js'
import type { JournalSink } from '../report/journal-sink.js'
import { createJournalFile, keepFailedJournals, type JournalFile } from '../results/journal-file-writer.js'
import { parameterSetsOf, runRunFile, type RunFileExtras } from './run-file.js'
import { readRunFile } from '../configuration/run-file-reader.js'
import { runStrategies, sourcesDigest } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { isJsonObject } from '../model/json-object.js'
import type { InstrumentNames } from '../results/journal-line.js'
import { compareJournals, type DifferencePlace } from './journal-comparison.js'

/** Parts of the set-up under the words of a run file; parts that it lacks keep their names. */
const WORDS: Readonly<Record<string, string>> = {
  accounts: 'account', from: 'times', to: 'times', shuffleSeed: 'seed', strategy: 'strategy class', trim: 'trim',
}

/** Names of the fields that differ, in order; none where either is no object. */
function changedFields(a: unknown, b: unknown): string[] {
  if (!isJsonObject(a) || !isJsonObject(b)) return []
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .sort()
    .filter((name) => firstDifference(a[name], b[name]) !== null)
}

/** Files of the data by instrument and day. */
function filesOf(inputs: unknown, nameOf: (instrumentId: unknown) => string): Record<string, unknown> {
  const all = Array.isArray(inputs) ? inputs.filter(isJsonObject) : []
  return Object.fromEntries(all.flatMap(({ instrumentId, days, files }) => (Array.isArray(days) && Array.isArray(files)
    ? days.map((day, at) => [`${nameOf(instrumentId)} ${String(day)}`, files[at]] as const)
    : [])))
}

/** Signals by their name. */
function signalsOf(signals: unknown): Record<string, unknown> {
  const all = Array.isArray(signals) ? signals.filter(isJsonObject) : []
  return Object.fromEntries(all.map((one) => [String(one['name']), one]))
}

function namesOf({ summary }: GoldenWorld): InstrumentNames {
  const stated = isJsonObject(summary) ? summary['markets'] : null
  const markets: readonly unknown[] = Array.isArray(stated) ? stated : []
  return (instrumentId) => {
    const market = markets.filter(isJsonObject).find((one) => one['instrumentId'] === instrumentId)
    return typeof market?.['instrument'] === 'string' ? market['instrument'] : null
  }
}

/**
 * Parts of the set-up that differ: `parameters (size)`, `data (binance_swap:BTCUSDT 2024-07-18)`, `signals (model)`,
 * `source`. Null where the golden does not hold its own.
 */
export function changedInputs(expected: GoldenWorld, found: GoldenWorld): readonly string[] | null {
  const [before, now] = [expected.inputs, found.inputs]
  if (before === undefined || now === undefined) return null
  const names = namesOf(found)
  const nameOf = (instrumentId: unknown): string => names(instrumentId) ?? `instrument ${String(instrumentId)}`
  const changed = changedFields(before, now).map((part) => {
    const fields =
      part === 'inputs'
        ? changedFields(filesOf(before[part], nameOf), filesOf(now[part], nameOf))
        : part === 'signals'
          ? changedFields(signalsOf(before[part]), signalsOf(now[part]))
          : changedFields(before[part], now[part])
    const word = part === 'inputs' ? 'data' : (WORDS[part] ?? part)
    return fields.length === 0 ? word : `${word} (${fields.join(', ')})`
  })
  return [...new Set(changed)]
}

function profitText({ summary }: GoldenWorld): string {
  const money: readonly unknown[] = isJsonObject(summary) && Array.isArray(summary['money']) ? summary['money'] : []
  const texts = money.filter(isJsonObject).map(({ profit, underlying }) => `${String(profit)} ${String(underlying)}`)
  return texts.length === 0 ? 'none' : texts.join(', ')
}

function fillText({ summary }: GoldenWorld): string {
  return isJsonObject(summary) && typeof summary['fillCount'] === 'number' ? String(summary['fillCount']) : 'unknown'
}

/** Inputs that changed, and profit and fills before and after: the end of a sentence that says what differs first. */
function inputWords(expected: GoldenWorld, found: GoldenWorld): string {
  const changed = changedInputs(expected, found)
  const sameSetUp = expected.configDigest === found.configDigest
  const old = sameSetUp
    ? ''
    : "; the run is also set up in another way than the golden's (configDigest): its parameters, account, " +
      'assumptions, seed, times or data'
  const inputs =
    changed === null
      ? old
      : changed.length === 0
        ? '; none of its inputs has changed'
        : `; changed inputs: ${changed.join(', ')}`
  return `${inputs}; profit ${profitText(expected)} before, ${profitText(found)} now; fills ${fillText(expected)} ` +
    `before, ${fillText(found)} now`
}

/** The options of the check of a run file. */
export interface GoldenCheckOptions extends Pick<RunFileExtras, 'signal' | 'onProgress' | 'jobs'> {
  /** Accepts what the run does: writes its golden where it is missing or differs. */
  readonly update?: boolean
}

/** A place in which a run differs from its golden. */
export interface GoldenPlace extends DifferencePlace {
  /** Number of the parameter set; null where the run has one alone. */
  readonly parameters: number | null
}

/** The outcome of the check of one run file. */
export interface GoldenCheck {
  /** As it was named. */
  readonly path: string
  readonly outcome: 'same' | 'differs' | 'missing' | 'written'
  /** True where the run is the golden's, whose journal has an earlier format: all lines are equal, digests are not. */
  readonly isNewFormat?: boolean
  /** The first difference, in words; null where there is none. */
  readonly difference: string | null
  /** The place of that difference; absent where the two runs could not be compared line by line or figure by figure. */
  readonly place?: GoldenPlace
  /** Journals of the golden that are not there: their runs were compared by digests; absent where all are. */
  readonly absentJournals?: readonly string[]
  /** Journals of this run, where they differ; beside the golden. */
  readonly newJournals: readonly string[]
  /** Journals of goldens that an update took away, as no parameter set has them any more; absent without an update. */
  readonly removed?: readonly string[]
}

/** Of these files, the ones that are not there. */
async function absentOf(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(isFileThere))
  return paths.filter((_, number) => found[number] !== true)
}

/** Digests of all segments of a journal, an open one as it is; the digest of the journal is that of the last. */
function segmentsOf({ segmentDigests, journalDigest }: BacktestResult): readonly string[] {
  return segmentDigests.at(-1) === journalDigest ? segmentDigests : [...segmentDigests, journalDigest]
}

function goldenWorldOf(result: BacktestResult, source: string | null): GoldenWorld {
  const { fingerprint, configDigest, journalDigest, journalLineCount, summary, configuration } = result
  const plain = JSON.parse(JSON.stringify(summary)) as CanonicalValue
  const inputs = JSON.parse(JSON.stringify({ ...configuration, source })) as Record<string, CanonicalValue>
  return {
    fingerprint, configDigest, journalDigest, journalLineCount, journalSegments: segmentsOf(result),
    summary: plain, inputs,
  }
}

/** The first digest of a segment that differs. */
function segmentDifference(expected: GoldenWorld, found: GoldenWorld): ValueDifference | null {
  const count = Math.max(expected.journalSegments.length, found.journalSegments.length)
  for (let index = 0; index < count; index++) {
    const [wanted, came] = [expected.journalSegments[index] ?? 'none', found.journalSegments[index] ?? 'none']
    if (wanted !== came) return { path: `journalSegments[${index}]`, expected: wanted, found: came }
  }
  return null
}

/** From what people read to what only digests say; the others are made of records, and change with their format. */
const [FIGURES, RECORD_FIGURES] = [
  ['summary', 'journalLineCount', 'configDigest'], ['journalDigest', 'fingerprint'],
] as const

function figureDifference(
  expected: GoldenWorld, found: GoldenWorld, isSameFormat: boolean,
): ValueDifference | null {
  for (const name of [...FIGURES, ...(isSameFormat ? RECORD_FIGURES : [])]) {
    const difference = firstDifference(expected[name], found[name], name)
    if (difference !== null) return difference
  }
  return null
}

/** A difference in words, and its place. */
interface WorldDifference {
  readonly words: string
  readonly place: DifferencePlace
}

/** Two worlds that are compared, and the journals of both; no golden journal where it is not there. */
interface ComparedWorlds {
  readonly expected: GoldenWorld
  readonly found: GoldenWorld
  readonly goldenJournal: string | null
  readonly newJournal: string
  readonly isSameFormat: boolean
}

/** The first difference between two worlds, the journal first, since everything else follows from it. */
async function worldDifference({
  expected, found, goldenJournal, newJournal, isSameFormat,
}: ComparedWorlds): Promise<WorldDifference | null> {
  const compared = goldenJournal === null
    ? null
    : await compareJournals(readJournalLines(goldenJournal), readJournalLines(newJournal), namesOf(found))
  if (compared !== null && compared.difference !== null) {
    const { words, ...place } = compared.difference
    return { words: `${words}${inputWords(expected, found)}`, place }
  }
  const segment = isSameFormat ? segmentDifference(expected, found) : null
  const difference = segment ?? figureDifference(expected, found, isSameFormat)
  if (difference === null) return null
  const what = segment === null
    ? difference.path
    : `the digest of journal segment ${1 + Number(/\d+/.exec(segment.path)?.[0])}`
  const journals = compared === null
    ? 'the journal of the golden is not there'
    : `the journals are equal in all ${compared.lineCount} lines, ${compared.lastWords}`
  return {
    words: `${what} was expected to be ${difference.expected}, found ${difference.found}; ${journals}` +
      inputWords(expected, found),
    place: {
      time: null, order: null, line: null, field: difference.path, expected: difference.expected,
      found: difference.found,
    },
  }
}

type Difference = Pick<GoldenCheck, 'difference' | 'place'>

async function differenceOf(
  path: string, golden: Golden, found: readonly GoldenWorld[], journals: readonly JournalFile[],
  absent: readonly string[],
): Promise<Difference> {
  if (golden.worlds.length !== found.length) {
    const difference =
      `${golden.worlds.length} worlds were expected, found ${found.length}: the list of parameters has changed`
    return { difference }
  }
  const paths = goldenPaths(path, found.length)
  for (const [number, world] of found.entries()) {
    const goldenJournal = paths.journals[number] ?? ''
    const difference = await worldDifference({
      expected: golden.worlds[number] ?? world, found: world,
      goldenJournal: absent.includes(goldenJournal) ? null : goldenJournal,
      newJournal: journals[number]?.temporaryPath ?? '', isSameFormat: golden.journalFormat === JOURNAL_FORMAT,
    })
    if (difference === null) continue
    const { words, place } = difference
    const isAlone = found.length === 1
    return {
      difference: isAlone ? words : `parameters ${number}, ${words}`,
      place: { parameters: isAlone ? null : number, ...place },
    }
  }
  return { difference: null }
}

/**
 * Runs a run file and compares what it did with its golden: journal line by line, segment digests, summary,
 * fingerprint; of a golden with an earlier format of records the lines and the summary. Where they differ the new
 * journal is left beside the golden (`maker.new.jsonl`). Throws what `readRunFile` and `runBacktest` throw.
 */
export async function checkGolden(path: string, options: GoldenCheckOptions = {}): Promise<GoldenCheck> {
  const { update = false, ...extras } = options
  const run = await readRunFile(path)
  const paths = goldenPaths(path, parameterSetsOf(run).length)
  const golden = await readGolden(paths.golden)
  const absent = golden === null ? [] : await absentOf(paths.journals)
  // Digests judge for a journal that is not there, where they are of today's records.
  const isJudged = absent.length === 0 || golden?.journalFormat === JOURNAL_FORMAT
  if (!update && (golden === null || !isJudged)) {
    const difference = golden === null
      ? `there is no ${paths.golden}`
      : `there is no ${absent[0] ?? ''}, the journal of its golden`
    return { path, outcome: 'missing', difference, newJournals: [] }
  }
  const journals: JournalFile[] = []
  try {
    for (const newJournal of paths.newJournals)
      journals.push(await createJournalFile(newJournal, { force: true, inputs: run.inputs }))
    const sinkOf = (number: number): JournalSink => (journals[number] as JournalFile).sink
    const results = await runRunFile(run, { ...extras, strict: true, journal: sinkOf }).catch((error: unknown) => {
      throw keepFailedJournals(journals, error)
    })
    if (results.some(({ isPartial }) => isPartial))
      throw new BacktapeError(
        'STOPPED', `Cannot verify ${path}: the run was stopped before its end`, { file: path }, extras.signal?.reason,
      )
    for (const journal of journals) journal.flush()
    const source = sourcesDigest(runStrategies(run.options)) ?? null
    const found = results.map((result) => goldenWorldOf(result, source))
    const compared = (known: Golden): Promise<Difference> =>
      differenceOf(path, known, found, journals, absent).catch((error: unknown) => {
        // What is made anew may have been cut off.
        if (update && error instanceof BacktapeError && error.code === 'FILE_UNREADABLE')
          return { difference: error.message }
        throw error
      })
    const isUnknown = golden === null || (update && absent.length > 0)
    const { difference, place } = isUnknown ? { difference: 'there was none' } : await compared(golden)
    const differing = { difference, ...(place === undefined ? {} : { place }) }
    const without = absent.length === 0 ? {} : { absentJournals: absent }
    if (difference !== null && !update) {
      for (const journal of journals) await journal.commit()
      return { path, outcome: 'differs', ...differing, ...without, newJournals: paths.newJournals }
    }
    const isNewFormat = golden !== null && golden.journalFormat !== JOURNAL_FORMAT
    const isOutdated =
      golden === null || isNewFormat ||
      found.some(({ inputs }, number) => firstDifference(golden.worlds[number]?.inputs, inputs) !== null)
    const isWritten = difference !== null || (update && isOutdated)
    if (isWritten)
      await writeGolden(
        run, { golden: 1, journalFormat: JOURNAL_FORMAT, worlds: found },
        journals.map(({ temporaryPath }) => temporaryPath),
      )
    await removeFiles(paths.newJournals)
    const removed = update ? await removeStaleJournals(path, found.length) : []
    const outcome = isWritten ? 'written' : 'same'
    const absence = isWritten ? {} : without
    return {
      path, outcome, ...(isNewFormat ? { isNewFormat } : {}), ...differing, ...absence, newJournals: [], removed,
    }
  } finally {
    for (const journal of journals) await journal.abort()
  }
}

/** The sentence for a check that did not find what its golden says; null where it did. */
export function checkFailure({ path, outcome, difference, newJournals }: GoldenCheck): string | null {
  if (outcome === 'missing')
    return `Cannot verify ${path}: ${difference ?? ''}; make one with: backtape verify ${path} --update`
  if (outcome !== 'differs') return null
  const journals = `${newJournals.length > 1 ? 'The journals of this run are' : 'The journal of this run is'} ` +
    newJournals.join(', ')
  return `${path} differs from its golden: ${difference ?? ''}. ${journals}; accept it with: backtape verify ` +
    `${path} --update`
}
