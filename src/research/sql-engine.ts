import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { FoundTable, FoundTick } from '../catalog/catalog-day.js'
import { stampKey, type FileStamp } from '../catalog/catalog-file.js'
import { currentStamp } from '../catalog/catalog-scan-reader.js'
import { DayConversions } from '../catalog/day-conversion-writer.js'
import { reasonText } from '../catalog/duck-text.js'
import type { FolderCatalog } from '../catalog/folder-catalog.js'
import { checkTable } from '../catalog/table-check-reader.js'
import { columnsOfKind, type TableKind } from '../catalog/table-kind.js'
import type { ConvertProgress } from '../export/convert-options.js'
import type { TableShape } from '../export/export-kind.js'
import { READING_METADATA, readingNotes } from '../model/clock-words.js'
import { BacktapeError } from '../model/error.js'
import { keptValue } from '../model/kept-value.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { Table } from '../tables/table.js'
import { isFileError, sqlError } from './sql-error.js'
import { SqlSession } from './sql-session-client.js'
import { StatementPlanner, type NamedTables } from './statement-planner.js'
import { branchesOf, decoderNote, isTable, type ViewBranch, type ViewTrust } from './view-branch.js'
import { branchSelect } from './view-sql.js'
import type { ViewPart } from './wide-columns.js'

/** The bounds of an engine. */
export interface SqlEngineOptions {
  /** The folder of converted days and of what does not fit into memory. */
  readonly cacheFolder: string
  readonly cacheLimitBytes: number
  readonly memoryLimitBytes: number
  readonly prefer: string | null
  readonly signal?: StopSignal | undefined
  readonly onProgress?: ((progress: ConvertProgress) => void) | undefined
  /** Called by each statement with a sentence on a file that it reads: damage, a cut, clock jumps, another decoder. */
  readonly onNote?: ((sentence: string) => void) | undefined
}

/** The terms of one statement. */
export interface StatementTerms {
  readonly trust: boolean
  readonly limitRows: number
}

/** A branch of a view with the table that it reads. */
interface OpenBranch {
  readonly branch: ViewBranch
  readonly path: string
  /** The tick file that the table was made of by this catalog; null for a table of the user's folders. */
  readonly tick: FoundTick | null
  readonly stamp: FileStamp | null
}

const NONE: NamedTables = new Map()

/** Statements that ask for the types of a view. */
const DESCRIPTION = /\bdescribe\b/i

/**
 * Runs statements over the views of a catalog, one at a time: finds the files that a statement needs, converts those
 * that are tick files, checks tables against their manifests, and opens no other file.
 */
export class SqlEngine {
  readonly #catalog: FolderCatalog
  readonly #options: SqlEngineOptions
  readonly #conversions: DayConversions
  #planner: { readonly planner: StatementPlanner; readonly version: number; readonly trust: boolean } | null = null
  #session: SqlSession | null = null
  #turn: Promise<unknown> = Promise.resolve()
  /** States of tables whose checksum was found right. */
  readonly #sound: Set<string> = new Set()
  /** Sentences on tables that were read, by their state. */
  readonly #notes: Map<string, readonly string[]> = new Map()

  constructor(catalog: FolderCatalog, options: SqlEngineOptions) {
    this.#catalog = catalog
    this.#options = options
    this.#conversions = new DayConversions({
      folder: join(options.cacheFolder, 'tables'), limitBytes: options.cacheLimitBytes,
      limitOption: 'cacheLimitBytes', workName: 'statement', signal: options.signal, onProgress: options.onProgress,
    })
  }

  /** The result of a statement. */
  run(statement: string, terms: StatementTerms, tables: NamedTables = NONE): Promise<Table> {
    return this.#ordered(async () => {
      try {
        return await this.#run(statement, terms, tables)
      } catch (error) {
        throw sqlError(error)
      }
    })
  }

  /** The names of the columns of a query. */
  columns(query: string, tables: NamedTables): Promise<readonly string[]> {
    return this.#ordered(async () => (await this.#plannerOf(false)).columns(query, tables))
  }

  /** Closes the databases; the next statement opens them again. */
  close(): Promise<void> {
    return this.#ordered(() => {
      this.#planner?.planner.close()
      this.#session?.close()
      this.#planner = null
      this.#session = null
      return Promise.resolve()
    })
  }

  #ordered<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #run(statement: string, terms: StatementTerms, tables: NamedTables, isAgain = false): Promise<Table> {
    this.#conversions.unpin()
    const { planner, needed } = await this.#plan(statement, terms.trust, tables)
    for (const { source } of needed) if (source instanceof BacktapeError) throw source
    const isDescription = needed.length === 0 && DESCRIPTION.test(statement)
    const open = await (isDescription ? this.#existing(planner.named()) : this.#open(needed, terms.trust))
    const session = await this.#sessionFor(open.map(({ path }) => path))
    try {
      await session.setViews(viewsOf(open), unopenedShapes(planner.named(), open, isDescription))
      const table = await session.run(statement, tables, {
        limitRows: terms.limitRows, signal: this.#options.signal,
        isSteady: planner.isSteady(statement) && open.every(({ tick }) => tick === null),
      })
      if (!isDescription) await this.#note(session, open)
      return table
    } catch (error) {
      if (error instanceof BacktapeError) throw error
      const bad = await faulty(session, open, error)
      if (bad === null) throw error
      this.#drop()
      if (bad.open.tick === null || isAgain) throw bad.error
      await this.#conversions.forget(bad.open.tick, await this.#catalog.digest(bad.open.tick))
      return this.#run(statement, terms, tables, true)
    }
  }

  /** The branches that a statement needs; where manifests leave open which, the digests of tick files say it first. */
  async #plan(statement: string, trust: boolean, tables: NamedTables):
    Promise<{ readonly planner: StatementPlanner; readonly needed: readonly ViewBranch[] }> {
    for (;;) {
      const planner = await this.#plannerOf(trust)
      const needed = await planner.branches(statement, tables)
      const undecided = new Set(needed.flatMap((branch) => branch.undecided))
      if (undecided.size === 0) return { planner, needed }
      await this.#catalog.decide([...undecided])
    }
  }

  async #plannerOf(trust: boolean): Promise<StatementPlanner> {
    const state = await this.#catalog.refresh()
    const known = this.#planner
    if (known?.version === state.version && known.trust === trust) return known.planner
    known?.planner.close()
    this.#planner = null
    this.#session?.forget()
    const terms: ViewTrust = { trust, prefer: this.#options.prefer }
    const planner = await StatementPlanner.create((kind) => branchesOf(state.days, kind, terms))
    this.#planner = { planner, version: state.version, trust }
    return planner
  }

  /** The tables behind branches, made and checked where that is to do. */
  async #open(branches: readonly ViewBranch[], trust: boolean): Promise<OpenBranch[]> {
    const open: OpenBranch[] = []
    const ticks = new Map<FoundTick, ViewBranch[]>()
    for (const branch of branches) {
      const { source } = branch
      if (source instanceof BacktapeError) continue
      if (!isTable(source)) keptValue(ticks, source, (): ViewBranch[] => []).push(branch)
      else {
        if (!trust) await this.#check(source)
        open.push({ branch, path: source.stamp.path, tick: null, stamp: source.stamp })
      }
    }
    try {
      for (const [tick, own] of ticks) {
        const digest = await this.#catalog.digest(tick)
        const paths = await this.#conversions.tables(tick, digest, own.map(({ kind }) => kind))
        for (const [at, branch] of own.entries())
          open.push({ branch, path: paths[at] ?? '', tick, stamp: null })
      }
    } finally {
      await this.#catalog.keep()
    }
    return open
  }

  /** The branches whose tables are there already: what describes a view makes none. */
  async #existing(branches: readonly ViewBranch[]): Promise<OpenBranch[]> {
    const open: OpenBranch[] = []
    for (const branch of branches) {
      const { source } = branch
      if (source instanceof BacktapeError) continue
      if (isTable(source)) open.push({ branch, path: source.stamp.path, tick: null, stamp: source.stamp })
      else {
        const digest = this.#catalog.knownDigest(source)
        const path = digest === null ? null : await this.#conversions.kept(source, digest, branch.kind)
        if (path !== null) open.push({ branch, path, tick: source, stamp: null })
      }
    }
    return open
  }

  /** Reports what the readings behind tables left out or did not take as it stands, each time that they are read. */
  async #note(session: SqlSession, open: readonly OpenBranch[]): Promise<void> {
    const { onNote } = this.#options
    if (onNote === undefined) return
    const keyOf = ({ path, stamp }: OpenBranch): string => (stamp === null ? path : stampKey(stamp))
    const unknown = open.filter((one) => !this.#notes.has(keyOf(one)))
    const metadata = await session.metadataOf(unknown.map(({ path }) => path), READING_METADATA)
    for (const one of unknown) this.#notes.set(keyOf(one), readingNotes(metadata.get(one.path) ?? new Map()))
    const said = open.flatMap((one) => {
      const { branch: { source }, path, tick } = one
      const older = 'listed' in source ? decoderNote(source) : null
      const words = [...(older === null ? [] : [older]), ...(this.#notes.get(keyOf(one)) ?? [])]
      return words.map((sentence) => `${tick?.facts.name ?? path}: ${sentence}`)
    })
    for (const sentence of new Set(said)) onNote(sentence)
  }

  /** Compares a table with its checksum where this process reads it for the first time in its state. */
  async #check(table: FoundTable): Promise<void> {
    const key = stampKey(table.stamp)
    if (this.#sound.has(key)) return
    await checkTable(table)
    this.#sound.add(key)
  }

  async #sessionFor(paths: readonly string[]): Promise<SqlSession> {
    if (this.#session?.covers(paths) === true) return this.#session
    this.#session?.close()
    this.#session = null
    const { memoryLimitBytes, cacheFolder, cacheLimitBytes } = this.#options
    const state = await this.#catalog.refresh()
    const all = [...paths, ...state.days.flatMap(({ tables }) => tables.map(({ stamp }) => stamp.path))]
    this.#session = await SqlSession.create({
      paths: all, memoryLimitBytes, temporaryFolder: join(cacheFolder, 'temporary', randomUUID()),
      temporaryLimitBytes: cacheLimitBytes,
    })
    return this.#session
  }

  /** Closes the database: what it has read of a file that is not as it was is not used again. */
  #drop(): void {
    this.#session?.close()
    this.#session = null
  }
}

/**
 * The shapes of files that count without being opened: of all files of a view that is described, else of a view of
 * which a statement needs none.
 */
function unopenedShapes(
  named: readonly ViewBranch[], open: readonly OpenBranch[], isDescription: boolean,
): Map<TableKind, TableShape[]> {
  const opened = new Set(open.map(({ branch }) => branch))
  const kinds = new Set(open.map(({ branch }) => branch.kind))
  const shapes = new Map<TableKind, TableShape[]>()
  for (const branch of named)
    if (!opened.has(branch) && !(branch.source instanceof BacktapeError) && (isDescription || !kinds.has(branch.kind)))
      keptValue(shapes, branch.kind, (): TableShape[] => []).push(branch.shape)
  return shapes
}

function viewsOf(open: readonly OpenBranch[]): Map<TableKind, ViewPart[]> {
  const views = new Map<TableKind, ViewPart[]>()
  for (const { branch, path } of open)
    keptValue(views, branch.kind, (): ViewPart[] => []).push({ select: branchSelect(branch, path), path })
  return views
}

/** The file that made a statement fail; null where none of them did. */
async function faulty(session: SqlSession, open: readonly OpenBranch[], error: unknown):
  Promise<{ readonly open: OpenBranch; readonly error: BacktapeError } | null> {
  for (const one of open) {
    const now = await currentStamp(one.path)
    if (now === null) return { open: one, error: fileError(one, 'it is gone', error) }
    if (one.stamp !== null && stampKey(now) !== stampKey(one.stamp))
      return { open: one, error: fileError(one, 'it has changed while the statement was running', error) }
  }
  const message = error instanceof Error ? error.message : String(error)
  const named = open.find(({ path }) => message.includes(path))
  if (named !== undefined) return { open: named, error: fileError(named, reasonText(error), error) }
  for (const one of open) {
    const missing = await missingColumns(session, one)
    if (missing.length > 0) return { open: one, error: columnsError(one, missing) }
  }
  if (!isFileError(error)) return null
  for (const one of open) {
    const fault = await session.fault(one.path)
    if (fault !== null) return { open: one, error: fileError(one, reasonText(fault), fault) }
  }
  return null
}

/** Columns of a kind that a table of the user's folders does not have, as one that is only trusted may not. */
async function missingColumns(session: SqlSession, { branch, path, tick }: OpenBranch): Promise<readonly string[]> {
  if (tick !== null || !isTable(branch.source) || branch.source.listed !== null) return []
  const names = new Set(await session.columnsOf(path).catch((): readonly string[] => []))
  if (names.size === 0) return []
  return columnsOfKind(branch.kind, branch.shape).map(({ name }) => name).filter((name) => !names.has(name))
}

function columnsError({ branch: { kind }, path }: OpenBranch, missing: readonly string[]): BacktapeError {
  const expected = `the columns of ${kind}`
  const found = `none called ${missing.join(', ')}`
  const sentence = `Cannot query ${kind}: ${path} must have ${expected}, found ${found}; move it away, also where it ` +
    'is trusted (--trust)'
  return new BacktapeError('OPTION_INVALID', sentence, { file: path, field: kind, expected, found: found.slice(0, 80) })
}

function fileError({ path, tick }: OpenBranch, found: string, cause: unknown): BacktapeError {
  const made = tick === null ? '' : ` (made of ${tick.facts.name})`
  return new BacktapeError(
    'FILE_UNREADABLE', `Cannot read ${path}${made}: it must be a Parquet table that can be read, found ${found}`,
    { file: path, found: found.slice(0, 80) }, cause,
  )
}
