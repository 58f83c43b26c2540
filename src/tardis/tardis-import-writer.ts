import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '../files/folder-writer.js'
import { existsError } from '../files/output-fault.js'
import { exists } from '../files/whole-file-writer.js'
import { BacktapeError } from '../model/error.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import { dayText } from '../model/time.js'
import { openSource } from '../tickfile/archive/source-reader.js'
import { auditVerdict, type AuditVerdict } from '../tickfile/audit/audit-report.js'
import { auditReading } from '../tickfile/audit/audit.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import { dayLimits } from './data-limits.js'
import { writeImportedDay } from './imported-day-writer.js'
import {
  type ImportRecord, importedMasterData, type InstrumentTerms, instrumentTerms, outputName, rateNotes,
} from './instrument-terms.js'
import { MARKET_KINDS, type MarketKind, statedFor, statedTermsFromText, type StatedTerms } from './stated-terms.js'
import { StepFinder } from './step-finder.js'
import { dayEvents } from './tardis-day-reader.js'
import { readTardisFolder, type TardisDay } from './tardis-folder-reader.js'
import type { TardisFile } from './tardis-layout.js'
import { InexactRows, type RowFindings } from './tick-event.js'

/** Behind the name of a file until its audit finds it sound. */
const UNSOUND = '.unsound'

/** The options of an import. */
export interface ImportOptions {
  /** Folder for the tick files, made where it is missing. */
  readonly out: string
  /** JSON files with terms of instruments that the data do not say. */
  readonly instruments?: readonly string[]
  /** The kind of every instrument that no such file names; default: by the exchange, where that says it. */
  readonly kind?: MarketKind
  /** Overwrite what exists; default false: what this import wrote before is kept, anything else is an error. */
  readonly force?: boolean
  /**
   * A price, amount or rate that a reader of tick files cannot hold exactly ends its day; default false: its row is
   * left out, counted and named in a note.
   */
  readonly strict?: boolean
  /** Stops the work: it then throws STOPPED, and no unfinished file stays. */
  readonly signal?: StopSignal
  /** Called now and then while files are read: every file is read three times, the last time as a tick file. */
  readonly onProgress?: (step: ImportStep) => void
  /** Called for each instrument and day as soon as its fate is known, in their order. */
  readonly onDay?: (day: ImportedDay) => void
}

/** One step of an import. */
export interface ImportStep {
  /** Exchange, symbol and day. */
  readonly name: string
  /** Each day is checked, then written, then audited. */
  readonly phase: 'checking' | 'writing' | 'auditing'
  /** Bytes of the CSV files that were read in this phase. */
  readonly bytesDone: number
  /** Bytes of all CSV files of the day. */
  readonly bytesTotal: number
}

/** The fate of one instrument and day. */
export interface ImportedDay {
  /** Exchange id of tardis.dev. */
  readonly exchange: string
  /** The symbol as the names of the files have it. */
  readonly symbol: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** Where its tick file is or would be; one whose audit finds faults has `.unsound` behind its name. */
  readonly path: string
  /** `skipped`: the same files were imported before with the same terms. */
  readonly outcome: 'imported' | 'skipped' | 'failed'
  /** Number of events that were written; 0 where none were. */
  readonly eventCount: number
  /** Rows and values that were left out, as a reader of tick files cannot hold their digits. */
  readonly leftOutCount: number
  /** Sentences on what was inferred, left out, or is not in such data at all. */
  readonly notes: readonly string[]
  /** The verdict of the audit; null where nothing was written. */
  readonly audit: AuditVerdict | null
  /** The reason of `failed`, else null. */
  readonly error: BacktapeError | null
}

/** The result of an import. */
export interface ImportResult {
  /** By exchange, symbol and day. */
  readonly days: readonly ImportedDay[]
  /** CSV files that were not imported, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly because: string }[]
}

/** Tick and lot size; null where nothing shows them. */
interface Steps {
  readonly tickSize: string | null
  readonly lotSize: string | null
}

/** One day on its way: checked, then written. */
interface OpenDay {
  readonly source: TardisDay
  readonly path: string
  readonly digests: ImportRecord['sources']
  readonly findings: RowFindings
  readonly eventCount: number
  readonly venueSymbol: string
}

function newFindings(prices: StepFinder, amounts: StepFinder, isStrict = false): RowFindings {
  const inexact = new InexactRows(isStrict)
  return { prices, amounts, inexact, rowsBeforeSnapshot: 0, sidelessTrades: 0, tickerRows: 0, fundingTimes: 0 }
}

async function digestOf({ path }: TardisFile, signal: StopSignal | undefined): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) {
    refuseStopped(signal, path)
    hash.update(chunk as Uint8Array)
  }
  return hash.digest('hex')
}

/** The record of an earlier import in line 1; null where the file is not one of ours. */
async function recordOf(path: string): Promise<{ readonly record: ImportRecord; readonly instrument: string } | null> {
  try {
    const reading = await readTickFile(await openSource(path))
    const { masterDataText } = reading
    await reading.close()
    const { import: record } = JSON.parse(masterDataText) as { readonly import?: ImportRecord }
    return record === undefined ? null : { record, instrument: reading.instrument.code }
  } catch {
    return null
  }
}

/** Throws OPTION_INVALID where the kind of market is unknown, and what is wrong with the files of terms. */
async function statedTerms({ instruments = [], kind }: ImportOptions): Promise<StatedTerms[]> {
  if (kind !== undefined && !MARKET_KINDS.includes(kind)) {
    const expected = `one of ${MARKET_KINDS.join(', ')}`
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot import: kind must be ${expected}, found ${JSON.stringify(kind)}`,
      { field: 'kind', expected },
    )
  }
  const terms: StatedTerms[] = []
  for (const path of instruments) {
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const sentence = `Cannot read the instruments of ${path}: the system says ${reason}`
      throw new BacktapeError('FILE_NOT_FOUND', sentence, { file: path }, cause)
    })
    terms.push(...statedTermsFromText(text, path))
  }
  return terms
}

class TardisImport {
  private readonly days: ImportedDay[] = []

  constructor(
    private readonly options: ImportOptions,
    private readonly stated: readonly StatedTerms[],
  ) {}

  /** The days of one instrument: all are checked before the first is written, so that they share their steps. */
  async instrument(sources: readonly TardisDay[]): Promise<void> {
    const [first] = sources as readonly [TardisDay, ...TardisDay[]]
    const { kind = null } = this.options
    const stated = statedFor(this.stated, first.exchange, first.symbol)
    const terms = instrumentTerms(first.exchange, first.symbol, kind, stated)
    const finders = { prices: new StepFinder(), amounts: new StepFinder() }
    const open: OpenDay[] = []
    const fates = new Map<TardisDay, ImportedDay>()
    for (const source of sources) {
      const found = await this.guarded(source, () => this.check(source, terms, finders))
      if ('outcome' in found) fates.set(source, found)
      else open.push(found)
    }
    const steps = {
      tickSize: stated?.ticksize ?? finders.prices.text(), lotSize: stated?.lot_size ?? finders.amounts.text(),
    }
    for (const day of open) fates.set(day.source, await this.guarded(day.source, () => this.write(day, terms, steps)))
    for (const source of sources) this.report(fates.get(source))
  }

  result(): ImportedDay[] {
    return this.days
  }

  private report(day: ImportedDay | undefined): void {
    if (day === undefined) return
    this.days.push(day)
    this.options.onDay?.(day)
  }

  /** A bad day does not stop the others; a stop does. */
  private async guarded<T extends object>(source: TardisDay, work: () => Promise<T>): Promise<T | ImportedDay> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BacktapeError) || error.code === 'STOPPED') throw error
      return { ...this.fate(source, 'failed', 0), error }
    }
  }

  private fate(source: TardisDay, outcome: ImportedDay['outcome'], eventCount: number): ImportedDay {
    const { exchange, symbol } = source
    const day = dayText(source.epochDay)
    const path = join(this.options.out, outputName(exchange, symbol, day))
    return { exchange, symbol, day, path, outcome, eventCount, leftOutCount: 0, notes: [], audit: null, error: null }
  }

  /** Reads a day to its end without writing; or its fate, where it was imported before. */
  private async check(
    source: TardisDay, terms: InstrumentTerms, finders: Pick<RowFindings, 'prices' | 'amounts'>,
  ): Promise<OpenDay | ImportedDay> {
    const { signal, force, kind = null } = this.options
    const { path } = this.fate(source, 'failed', 0)
    const digests: { name: string; sha256: string }[] = []
    for (const file of source.files)
      digests.push({ name: basename(file.path), sha256: await digestOf(file, signal) })
    if (force !== true && (await exists(path))) {
      const earlier = await recordOf(path)
      const same = { sources: digests, kind, stated: terms.stated }
      const { sources, kind: earlierKind, stated } = earlier?.record ?? { sources: [], kind: null, stated: null }
      if (JSON.stringify({ sources, kind: earlierKind, stated }) !== JSON.stringify(same)) throw existsError(path)
      return this.fate(source, 'skipped', 0)
    }
    const findings = newFindings(finders.prices, finders.amounts, this.options.strict)
    let eventCount = 0
    let venueSymbol = source.symbol
    const onSymbol = (symbol: string): void => { venueSymbol = symbol }
    const reading = { findings, onSymbol, ...this.reading(source, 'checking') }
    for await (const events of dayEvents(source.files, reading)) eventCount += events.length
    return { source, path, digests, findings, eventCount, venueSymbol }
  }

  private async write(
    day: OpenDay, shared: InstrumentTerms, steps: Steps,
  ): Promise<ImportedDay> {
    const { source, path, findings, digests } = day
    const { kind = null, force = false, signal } = this.options
    if (day.eventCount === 0) throw emptyError(source)
    const terms = { ...shared, symbol: day.venueSymbol }
    const notes = [
      ...terms.notes, ...stepNotes(terms, steps), ...rateNotes(terms), ...dayLimits(source, findings, terms.type),
    ]
    const record: ImportRecord = { from: 'tardis.dev CSV', sources: digests, kind, stated: terms.stated, notes }
    const masterDataText = importedMasterData(terms, steps, dayText(source.epochDay), record)
    await makeFolder(this.options.out)
    const reading = {
      findings: newFindings(new StepFinder(), new StepFinder()), ...this.reading(source, 'writing'),
    }
    const events = dayEvents(source.files, reading)
    // A file has its name when its audit found it sound: what is there is whole, and another run looks no further.
    const unproven = `${path}${UNSOUND}`
    const eventCount = await writeImportedDay(unproven, masterDataText, source.epochDay, events, { force: true })
    this.reading(source, 'auditing').onBytes(0)
    const audit = await verdictOf(unproven, signal).catch(async (error: unknown) => {
      await rm(unproven, { force: true })
      throw error
    })
    const fate = { ...this.fate(source, 'imported', eventCount), leftOutCount: findings.inexact.count, notes, audit }
    if (!audit.ok) return { ...fate, path: unproven }
    if (!force && (await exists(path))) throw existsError(path)
    await rename(unproven, path)
    return fate
  }

  private reading(
    { files, exchange, symbol, epochDay }: TardisDay, phase: ImportStep['phase'],
  ): { readonly signal?: StopSignal; readonly onBytes: (count: number) => void } {
    const { signal, onProgress } = this.options
    const sizes = Promise.all(files.map(async ({ path }) => (await stat(path)).size))
    let bytesDone = 0
    let bytesTotal = 0
    void sizes.then((all) => (bytesTotal = all.reduce((sum, one) => sum + one, 0)), () => undefined)
    const name = `${exchange} ${symbol} ${dayText(epochDay)}`
    const onBytes = (count: number): void => {
      bytesDone += count
      onProgress?.({ name, phase, bytesDone, bytesTotal })
    }
    return signal === undefined ? { onBytes } : { signal, onBytes }
  }
}

async function verdictOf(path: string, signal: StopSignal | undefined): Promise<AuditVerdict> {
  const reading = await readTickFile(await openSource(path), {
    onDamage: 'count', ...(signal === undefined ? {} : { signal }),
  })
  try {
    return auditVerdict(await auditReading(reading))
  } finally {
    await reading.close()
  }
}

function emptyError({ files, exchange, symbol, epochDay }: TardisDay): BacktapeError {
  const [file] = files
  const sentence = `Cannot import ${exchange} ${symbol} of ${dayText(epochDay)}: ` +
    'its files hold no row that becomes an event'
  return new BacktapeError('ROW_INVALID', sentence, { file: file?.path ?? '', expected: 'rows', found: 'none' })
}

function stepNotes({ stated }: InstrumentTerms, { tickSize, lotSize }: Steps): string[] {
  const notes: string[] = []
  if (stated?.ticksize === undefined)
    notes.push(`tick size inferred from prices: ${tickSize ?? 'none'}; state ticksize where the venue's differs`)
  if (stated?.lot_size === undefined)
    notes.push(`lot size inferred from amounts: ${lotSize ?? 'none'}; state lot_size where the venue's differs`)
  return notes
}

/**
 * Turns the CSV files of tardis.dev in a folder and its sub-folders (`.csv` and `.csv.gz`: trades, incremental_book_L2,
 * book_snapshot_25 and _5, book_ticker, quotes, derivative_ticker, liquidations) into tick files, one for each
 * instrument and UTC day, and audits each. Prices, amounts and rates keep their digits, microseconds become
 * nanoseconds; `local_timestamp` is the adapter's time, `timestamp` the venue's. Every file is checked to its end
 * before its tick file begins; memory does not grow with them. A tick file that the same files made before with the
 * same terms is skipped, so that the same command goes on where it was stopped; any other existing file is an error of
 * its day without `force`. A file whose audit finds faults is named `.unsound` and never skipped. A value that
 * a reader cannot hold exactly is left out and counted. Throws OPTION_INVALID where money depends on terms that neither
 * the data nor `instruments` state, or two files are of one kind and day; FILE_NOT_FOUND, FILE_UNREADABLE, STOPPED.
 * What is wrong with one day is its `error`. The docs of the layout: https://docs.tardis.dev/downloadable-csv-files.
 *
 * @example
 * ```ts
 * import { mkdtempSync, writeFileSync } from 'node:fs'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 * import { importTardis } from 'backtape/columns'
 * const folder = mkdtempSync(join(tmpdir(), 'backtape-'))
 * writeFileSync(join(folder, 'binance_trades_2026-07-01_BTCUSDT.csv'), [
 *   'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
 *   'binance,BTCUSDT,1782864000000000,1782864000004321,17,buy,61000.10,0.5', '',
 * ].join('\n'))
 * const { days } = await importTardis(folder, { out: join(folder, 'days') })
 * if (days[0]?.outcome !== 'imported' || days[0].eventCount !== 1) throw new Error('one trade')
 * ```
 */
export async function importTardis(folder: string, options: ImportOptions): Promise<ImportResult> {
  const stated = await statedTerms(options)
  const { days, skipped } = await readTardisFolder(folder)
  const work = new TardisImport(options, stated)
  const byInstrument = new Map<string, TardisDay[]>()
  for (const day of days) {
    const key = `${day.exchange} ${day.symbol}`
    byInstrument.set(key, [...(byInstrument.get(key) ?? []), day])
  }
  // What money depends on is asked for before the first file is read.
  for (const [one] of byInstrument.values())
    if (one !== undefined)
      instrumentTerms(one.exchange, one.symbol, options.kind ?? null, statedFor(stated, one.exchange, one.symbol))
  for (const sources of byInstrument.values()) await work.instrument(sources)
  return { days: work.result(), skipped }
}
