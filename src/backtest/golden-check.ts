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
import { journalLine, type JournalLine } from '../results/journal-line.js'

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

function instrumentName({ summary }: GoldenWorld): (instrumentId: unknown) => string {
  const stated = isJsonObject(summary) ? summary['markets'] : null
  const markets: readonly unknown[] = Array.isArray(stated) ? stated : []
  return (instrumentId) => {
    const market = markets.filter(isJsonObject).find((one) => one['instrumentId'] === instrumentId)
    return typeof market?.['instrument'] === 'string' ? market['instrument'] : `instrument ${String(instrumentId)}`
  }
}

/**
 * Parts of the set-up that differ: `parameters (size)`, `data (binance_swap:BTCUSDT 2024-07-18)`, `signals (model)`,
 * `source`. Null where the golden does not hold its own.
 */
export function changedInputs(expected: GoldenWorld, found: GoldenWorld): readonly string[] | null {
  const [before, now] = [expected.inputs, found.inputs]
  if (before === undefined || now === undefined) return null
  const changed = changedFields(before, now).map((part) => {
    const nameOf = instrumentName(found)
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

/** The outcome of reading two journals side by side, to their first difference. */
export interface JournalComparison {
  /** A sentence that names time and order, without its beginning; null where all lines are equal. */
  readonly difference: string | null
  /**
   * The last line that both have, and the last order that any of them names: by which a difference elsewhere is
   * described.
   */
  readonly lastWords: string
  readonly lineCount: number
}

type Lines = AsyncIterator<string> | Iterator<string>

function orderWords(line: JournalLine, lastOrderId: string | null): string {
  if (line.orderId !== null) return `order ${line.orderId}`
  return lastOrderId === null ? 'before any order' : `after order ${lastOrderId}`
}

/** The words of one line beside another; where they say the same, the first field that differs. */
function pairWords(expected: JournalLine, found: JournalLine): string {
  if (expected.words !== found.words) return `expected ${expected.words}, found ${found.words}`
  const difference = firstDifference(expected.fields, found.fields)
  if (difference === null) return `expected and found ${expected.words}, but not byte for byte`
  return `${expected.words}: ${difference.path} expected ${difference.expected}, found ${difference.found}`
}

function differenceWords(
  lineNumber: number, expected: string | undefined, found: string | undefined, before: JournalLine | null,
  lastOrderId: string | null,
): string {
  const [wanted, came] = [expected, found].map((text) => (text === undefined ? null : journalLine(text)))
  const at = came ?? wanted
  const where =
    at == null
      ? ''
      : `at ${at.time}, ${orderWords(wanted?.orderId == null ? at : wanted, lastOrderId)} (journal line ${lineNumber})`
  const what =
    wanted == null
      ? `expected the end, found ${came?.words ?? ''}`
      : came == null
        ? `expected ${wanted.words}, found the end`
        : pairWords(wanted, came)
  const beforeIt = before === null ? 'it is the first event' : `the event before it, at ${before.time}: ${before.words}`
  return `${where}: ${what}; ${beforeIt}`
}

/** Reads two journals line by line, to the first difference; memory holds one line of each. */
async function compareJournals(expectedLines: Lines, foundLines: Lines): Promise<JournalComparison> {
  let before: JournalLine | null = null
  let last: string | null = null
  let lastOrderLine: string | null = null
  for (let lineNumber = 1; ; lineNumber++) {
    const [expected, found] = [await expectedLines.next(), await foundLines.next()]
    const wanted = expected.done === true ? undefined : expected.value
    const came = found.done === true ? undefined : found.value
    if (wanted === undefined && came === undefined) {
      return { difference: null, lastWords: endWords(last, lastOrderLine), lineCount: lineNumber - 1 }
    }
    if (wanted !== came) {
      before = last === null ? null : journalLine(last)
      const lastOrderId = lastOrderLine === null ? null : journalLine(lastOrderLine).orderId
      return {
        difference: differenceWords(lineNumber, wanted, came, before, lastOrderId),
        lastWords: endWords(last, lastOrderLine), lineCount: lineNumber - 1,
      }
    }
    const line = wanted as string
    last = line
    if (line.includes('wnOrderId"')) lastOrderLine = line
  }
}

function endWords(last: string | null, lastOrderLine: string | null): string {
  if (last === null) return 'no event'
  const order = lastOrderLine === null ? null : journalLine(lastOrderLine)
  const ofOrder = order === null ? 'of no order' : `the latest order ${order.orderId ?? '?'} at ${order.time}`
  return `the last at ${journalLine(last).time}, ${ofOrder}`
}

/** The options of the check of a run file. */
export interface GoldenCheckOptions extends Pick<RunFileExtras, 'signal' | 'onProgress' | 'jobs'> {
  /** Accepts what the run does: writes its golden where it is missing or differs. */
  readonly update?: boolean
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
  /** Journals of this run, where they differ; beside the golden. */
  readonly newJournals: readonly string[]
  /** Journals of goldens that an update took away, as no parameter set has them any more; absent without an update. */
  readonly removed?: readonly string[]
}

/** The first of these files that is not there; null where all are. */
async function firstAbsent(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) if (!(await isFileThere(path))) return path
  return null
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

/** Which digest differs where the journals are equal. */
function segmentWords(expected: GoldenWorld, found: GoldenWorld): string | null {
  const count = Math.max(expected.journalSegments.length, found.journalSegments.length)
  for (let index = 0; index < count; index++) {
    const [wanted, came] = [expected.journalSegments[index], found.journalSegments[index]]
    if (wanted !== came)
      return `the digest of journal segment ${index + 1} was expected to be ${wanted ?? 'none'}, found ` +
        (came ?? 'none')
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

/** The first difference between two worlds, the journal first, since everything else follows from it. */
async function worldDifference(
  expected: GoldenWorld, found: GoldenWorld, goldenJournal: string, newJournal: string, isSameFormat: boolean,
): Promise<string | null> {
  const compared = await compareJournals(readJournalLines(goldenJournal), readJournalLines(newJournal))
  if (compared.difference !== null) return `${compared.difference}${inputWords(expected, found)}`
  const segment = isSameFormat ? segmentWords(expected, found) : null
  const difference = figureDifference(expected, found, isSameFormat)
  if (segment === null && difference === null) return null
  const words =
    segment ??
    (difference === null
      ? ''
      : `${difference.path} was expected to be ${difference.expected}, found ${difference.found}`)
  return `${words}; the journals are equal in all ${compared.lineCount} lines, ` +
    `${compared.lastWords}${inputWords(expected, found)}`
}

async function differenceOf(
  path: string, golden: Golden, found: readonly GoldenWorld[], journals: readonly JournalFile[],
): Promise<string | null> {
  if (golden.worlds.length !== found.length)
    return `${golden.worlds.length} worlds were expected, found ${found.length}: the list of parameters has changed`
  const paths = goldenPaths(path, found.length)
  for (const [number, world] of found.entries()) {
    const difference = await worldDifference(
      golden.worlds[number] ?? world, world, paths.journals[number] ?? '', journals[number]?.temporaryPath ?? '',
      golden.journalFormat === JOURNAL_FORMAT,
    )
    if (difference !== null) return found.length === 1 ? difference : `parameters ${number}, ${difference}`
  }
  return null
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
  const absent = golden === null ? null : await firstAbsent(paths.journals)
  if (!update && (golden === null || absent !== null)) {
    const difference =
      absent === null ? `there is no ${paths.golden}` : `there is no ${absent}, the journal of its golden`
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
      throw new BacktapeError('STOPPED', `Cannot verify ${path}: the run was stopped before its end`, { file: path })
    for (const journal of journals) journal.flush()
    const source = sourcesDigest(runStrategies(run.options)) ?? null
    const found = results.map((result) => goldenWorldOf(result, source))
    const compared = (known: Golden): Promise<string | null> =>
      differenceOf(path, known, found, journals).catch((error: unknown) => {
        // What is made anew may have been cut off.
        if (update && error instanceof BacktapeError && error.code === 'FILE_UNREADABLE') return error.message
        throw error
      })
    const difference = golden === null || absent !== null ? 'there was none' : await compared(golden)
    if (difference !== null && !update) {
      for (const journal of journals) await journal.commit()
      return { path, outcome: 'differs', difference, newJournals: paths.newJournals }
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
    return { path, outcome, ...(isNewFormat ? { isNewFormat } : {}), difference, newJournals: [], removed }
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
