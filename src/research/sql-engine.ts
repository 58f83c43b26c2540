import { join } from 'node:path'
import type { CatalogDay, FoundTable, FoundTick } from '../catalog/catalog-day.js'
import { stampKey, type FileStamp } from '../catalog/catalog-file.js'
import { currentStamp } from '../catalog/catalog-scan-reader.js'
import { DayConversions } from '../catalog/day-conversion-writer.js'
import { reasonText } from '../catalog/duck-text.js'
import type { CatalogState, FolderCatalog } from '../catalog/folder-catalog.js'
import { checkTable } from '../catalog/table-check-reader.js'
import type { TableKind } from '../catalog/table-kind.js'
import type { ConvertProgress } from '../export/convert-options.js'
import { BacktapeError } from '../model/error.js'
import { keptValue } from '../model/kept-value.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { Table } from '../tables/table.js'
import { isFileError, sqlError } from './sql-error.js'
import { SqlSession } from './sql-session-client.js'
import { StatementPlanner, type NamedTables } from './statement-planner.js'
import { branchOf, isTable, type ViewBranch, type ViewTrust } from './view-branch.js'
import { branchSelect } from './view-sql.js'

/** The bounds of an engine. */
export interface SqlEngineOptions {
  /** The folder of converted days and of what does not fit into memory. */
  readonly cacheFolder: string
  readonly cacheLimitBytes: number
  readonly memoryLimitBytes: number
  readonly prefer: string | null
  readonly signal?: StopSignal | undefined
  readonly onProgress?: ((progress: ConvertProgress) => void) | undefined
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

  constructor(catalog: FolderCatalog, options: SqlEngineOptions) {
    this.#catalog = catalog
    this.#options = options
    this.#conversions = new DayConversions({
      folder: join(options.cacheFolder, 'tables'), limitBytes: options.cacheLimitBytes, signal: options.signal,
      onProgress: options.onProgress,
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
    const planner = await this.#plannerOf(terms.trust)
    const needed = await planner.branches(statement, tables)
    for (const { source } of needed) if (source instanceof BacktapeError) throw source
    const open = await this.#open(needed, terms.trust)
    const session = await this.#sessionFor(open.map(({ path }) => path))
    try {
      await session.setViews(viewsOf(open))
      return await session.run(statement, tables, {
        limitRows: terms.limitRows, signal: this.#options.signal,
        isSteady: planner.isSteady(statement) && open.every(({ tick }) => tick === null),
      })
    } catch (error) {
      if (error instanceof BacktapeError) throw error
      const bad = await faulty(session, open, error)
      if (bad === null) throw error
      this.#drop()
      if (bad.open.tick === null || isAgain) throw bad.error
      await this.#conversions.forget(bad.open.tick)
      return this.#run(statement, terms, tables, true)
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
    const planner = await StatementPlanner.create((kind) => branchesOf(state, kind, terms))
    this.#planner = { planner, version: state.version, trust }
    return planner
  }

  /** The tables behind branches, made and checked where that is to do. */
  async #open(branches: readonly ViewBranch[], trust: boolean): Promise<OpenBranch[]> {
    const open: OpenBranch[] = []
    const checked: FileStamp[] = []
    const ticks = new Map<FoundTick, ViewBranch[]>()
    for (const branch of branches) {
      const { source } = branch
      if (source instanceof BacktapeError) continue
      if (!isTable(source)) keptValue(ticks, source, (): ViewBranch[] => []).push(branch)
      else {
        if (await this.#check(source, trust)) checked.push(source.stamp)
        open.push({ branch, path: source.stamp.path, tick: null, stamp: source.stamp })
      }
    }
    await this.#catalog.keepChecked(checked)
    for (const [tick, own] of ticks) {
      const paths = await this.#conversions.tables(tick, own.map(({ kind }) => kind))
      for (const [at, branch] of own.entries())
        open.push({ branch, path: paths[at] ?? '', tick, stamp: null })
    }
    return open
  }

  /** True where a table was compared with its checksum now. */
  async #check(table: FoundTable, trust: boolean): Promise<boolean> {
    if (trust || table.listed === null || this.#catalog.isChecked(table.stamp)) return false
    await checkTable(table)
    return true
  }

  async #sessionFor(paths: readonly string[]): Promise<SqlSession> {
    if (this.#session?.covers(paths) === true) return this.#session
    this.#session?.close()
    this.#session = null
    const { memoryLimitBytes, cacheFolder, cacheLimitBytes } = this.#options
    const state = await this.#catalog.refresh()
    const all = [...paths, ...state.days.flatMap(({ tables }) => tables.map(({ stamp }) => stamp.path))]
    this.#session = await SqlSession.create({
      paths: all, memoryLimitBytes, temporaryFolder: join(cacheFolder, 'temporary'),
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

function branchesOf({ days }: CatalogState, kind: TableKind, trust: ViewTrust): ViewBranch[] {
  return days.flatMap((day: CatalogDay) => branchOf(day, kind, trust) ?? [])
}

function viewsOf(open: readonly OpenBranch[]): Map<TableKind, string[]> {
  const views = new Map<TableKind, string[]>()
  for (const { branch, path } of open)
    keptValue(views, branch.kind, (): string[] => []).push(branchSelect(branch, path))
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
  if (!isFileError(error)) return null
  for (const one of open) {
    const fault = await session.fault(one.path)
    if (fault !== null) return { open: one, error: fileError(one, reasonText(fault), fault) }
  }
  return null
}

function fileError({ path, tick }: OpenBranch, found: string, cause: unknown): BacktapeError {
  const made = tick === null ? '' : ` (made of ${tick.facts.name})`
  return new BacktapeError(
    'FILE_UNREADABLE', `Cannot read ${path}${made}: it must be a Parquet table that can be read, found ${found}`,
    { file: path, found: found.slice(0, 80) }, cause,
  )
}
