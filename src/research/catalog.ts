import type { Closing } from '../model/closing.js'
import { join, resolve } from 'node:path'
import { missingDays } from '../catalog/catalog-day.js'
import { catalogTable } from '../catalog/catalog-table.js'
import { indexPath } from '../catalog/catalog-index-writer.js'
import { FolderCatalog, type CatalogState } from '../catalog/folder-catalog.js'
import type { TableKind } from '../catalog/table-kind.js'
import type { TickCopy } from '../tickfile/source-copies-reader.js'
import type { ConvertProgress } from '../export/convert-options.js'
import { userCacheFolder } from '../files/user-folder-reader.js'
import { brand } from '../model/brand.js'
import { BacktapeError } from '../model/error.js'
import { checkOptionNames, type OptionNames } from '../model/option-names.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { Table } from '../tables/table.js'
import { daysOf, viewQuery, type FrameSelection } from './frame-selection.js'
import { Frame } from './frame.js'
import { SqlEngine, type StatementTerms } from './sql-engine.js'
import { tableText } from './table-text.js'

/** The options of {@link openCatalog}. */
export interface CatalogOptions {
  /**
   * The folder for the index, for days that were converted and for what a statement cannot hold in memory; default:
   * `catalog` in the user's folder for caches, never one of the data: `BACKTAPE_CACHE`, else `backtape` in
   * `XDG_CACHE_HOME` or `~/.cache`, on macOS in `~/Library/Caches`, on Windows in `%LOCALAPPDATA%`.
   */
  readonly cache?: string
  /** Most bytes of converted days; default 20,000,000,000. Days that were used least recently leave first. */
  readonly cacheLimitBytes?: number
  /** Most memory of a statement; default 2,000,000,000 bytes. */
  readonly memoryLimitBytes?: number
  /** Most rows of a result; default 1,000,000. */
  readonly limitRows?: number
  /**
   * Part of the path of the file to take, where two hold the same day of an instrument; default: both are refused, but
   * tick files of the same bytes are taken once.
   */
  readonly prefer?: string
  /** Stops the work. */
  readonly signal?: StopSignal
  /** Called while tick files are converted. */
  readonly onProgress?: (progress: ConvertProgress) => void
  /** Called with the name of each tick file whose audit begins. */
  readonly onAudit?: (name: string) => void
  /**
   * Called by each statement with a sentence on each file that it reads of which damaged lines were left out, that was
   * cut, whose adapter clock jumped, or that another decoder made.
   */
  readonly onNote?: (sentence: string) => void
}

/** The options of one statement. */
export interface SqlOptions {
  /**
   * Takes tables whose metadata do not say what they hold; default false: they are refused by name. A file that does
   * not say its day is taken only where no other one is of its instrument, as it could hold the same.
   */
  readonly trust?: boolean
  /** Most rows of the result; default: that of the catalog. */
  readonly limitRows?: number
}

const CATALOG_NAMES: OptionNames<CatalogOptions> = {
  cache: true, cacheLimitBytes: true, memoryLimitBytes: true, limitRows: true, prefer: true, signal: true,
  onProgress: true, onAudit: true, onNote: true,
}
const SQL_NAMES: OptionNames<SqlOptions> = { trust: true, limitRows: true }
const SELECTION_NAMES: OptionNames<FrameSelection> = { instrument: true, from: true, to: true }

/** A day without any file, between days that have one. */
export interface MissingDay {
  /** `exchange:code`. */
  readonly instrument: string
  /** `YYYY-MM-DD`. */
  readonly day: string
}

interface CatalogParts {
  readonly folders: readonly string[]
  readonly catalog: FolderCatalog
  readonly engine: SqlEngine
  readonly limitRows: number
  readonly onAudit: ((name: string) => void) | undefined
  readonly state: CatalogState
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Rows that a catalog shows of itself. */
const SHOWN_ROWS = 20

/**
 * The contents of folders, as a table and for SQL. The folders are the truth: files that come, go or change are seen by
 * the next call. A closed catalog opens itself again.
 */
export class Catalog implements Closing {
  /** The folders as they were named. */
  readonly folders: readonly string[]
  readonly #catalog: FolderCatalog
  readonly #engine: SqlEngine
  readonly #limitRows: number
  readonly #onAudit: ((name: string) => void) | undefined
  #state: CatalogState

  /** Use {@link openCatalog}. */
  constructor(parts: CatalogParts) {
    this.folders = parts.folders
    this.#catalog = parts.catalog
    this.#engine = parts.engine
    this.#limitRows = parts.limitRows
    this.#onAudit = parts.onAudit
    this.#state = parts.state
  }

  /** Looks at the folders again; every other call but `table` and `missingDays` does so by itself. */
  async refresh(): Promise<this> {
    this.#state = await this.#catalog.refresh()
    return this
  }

  /**
   * A row for each instrument and day, as they were found last: `instrument`, `day`, `files` (ticks, tables, both),
   * `kinds`, `first_ts`, `last_ts`, `coverage_percent`, `chain_gaps`, `quiet_periods`, `tick_bytes`, `table_bytes`,
   * `audit`, `problem`. What neither a conversion nor an audit has said is null.
   */
  table(): Table {
    return catalogTable(this.#state.days)
  }

  /** Days without a file between the first and the last day of each instrument, ascending. */
  missingDays(): readonly MissingDay[] {
    return missingDays(this.#state.days)
  }

  /** Tick files that hold the same bytes as another one of their instrument and day, as were found last: left out. */
  copies(): readonly TickCopy[] {
    return this.#state.copies
  }

  /**
   * Audits the tick files, all or those of a selection, and remembers what it found: a file is read once while it stays
   * as it is. Returns the table. Throws STOPPED and what opening a file throws.
   */
  async audit(selection: FrameSelection = {}): Promise<Table> {
    checkOptionNames('audit the catalog', selection, SELECTION_NAMES)
    this.#state = await this.#catalog.refresh()
    this.#state = await this.#catalog.audit(daysOf(this.#state.days, selection), this.#onAudit)
    return this.table()
  }

  /**
   * The result of one statement of SQL that only reads, over the views `trades`, `bbo`, `depth`, `mark`, `index`,
   * `funding`, `liquidations`, `states` and `minutes`. Each has the columns `instrument` (`exchange:code`) and `day` (a
   * date) in front of those that `convert` writes. Only the files of the instruments and days that the statement's
   * filters leave are opened, and converted where they are tick files. Timestamps come as epoch nanoseconds, decimals,
   * their sums and signed whole numbers as exact texts, days as `YYYY-MM-DD`; averages are doubles. Rows have no order
   * but that of an `order by`.
   *
   * Throws SQL_INVALID for a statement that is refused or wrong, OPTION_INVALID for a table that does not say what it
   * holds or two files of one day, FILE_UNREADABLE, OUTPUT_DIFFERS, LIMIT_EXCEEDED, VALUE_INEXACT, STOPPED.
   */
  async sql(statement: string, options: SqlOptions = {}): Promise<Table> {
    checkOptionNames('run the statement', options, SQL_NAMES)
    const { trust = false, limitRows = this.#limitRows } = options
    checkLimit('limitRows', limitRows)
    const table = await this.#engine.run(statement, { trust, limitRows })
    this.#state = this.#catalog.state ?? this.#state
    return table
  }

  /**
   * A view as a frame, which runs nothing before its rows are asked for. `instrument` as everywhere (`exchange:code`,
   * a bare code where one fits, the id); `from` and `to` are days, both included, or times, `to` excluded. Throws
   * OPTION_INVALID, TIME_INVALID.
   */
  frame(view: TableKind, selection: FrameSelection & SqlOptions = {}): Frame {
    checkOptionNames('make a frame', selection, { ...SELECTION_NAMES, ...SQL_NAMES })
    const { trust = false, limitRows = this.#limitRows, ...rest } = selection
    checkLimit('limitRows', limitRows)
    const terms: StatementTerms = { trust, limitRows }
    const engine = this.#engine
    const query = viewQuery(view, rest)
    return new Frame(async () => query((await this.refresh()).#state.days), {
      owner: this,
      run: (statement, tables) => engine.run(statement, terms, tables),
      columns: (statement, tables) => engine.columns(statement, tables),
    })
  }

  /** Closes the databases behind the catalog. */
  close(): Promise<void> {
    return this.#engine.close()
  }

  /** Closes it where `await using` leaves its block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The table in a terminal, without what is too much for one. */
  toString(): string {
    const missing = this.missingDays()
    const lines = [tableText(this.table(), { limitRows: SHOWN_ROWS })]
    if (missing.length > 0) {
      const named = missing.slice(0, 5).map(({ instrument, day }) => `${instrument} ${day}`).join(', ')
      lines.push(`days without a file: ${named}${missing.length > 5 ? ` and ${String(missing.length - 5)} more` : ''}`)
    }
    return lines.join('\n')
  }
}

brand(Catalog, 'Catalog')
// Node and notebooks show a catalog as its table.
Object.defineProperty(Catalog.prototype, INSPECT, { value(this: Catalog) { return this.toString() } })

function checkLimit(field: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return
  const expected = 'a whole number above 0'
  throw new BacktapeError('OPTION_INVALID', `Cannot use the catalog: ${field} must be ${expected}, found ${value}`, {
    field, expected, found: String(value),
  })
}

/**
 * Opens what lies in folders, or in files that are named themselves: tick files, archives of them, and the Parquet
 * tables that `convert` writes. Nothing is changed in them, and they may be read-only: the index and the days that a
 * statement converts lie in the user's folder for caches, unless `cache` names another. Throws FILE_NOT_FOUND,
 * FILE_UNREADABLE, OPTION_INVALID, LIMIT_EXCEEDED.
 *
 * @example
 * ```ts
 * import { openCatalog } from 'backtape'
 * const catalog = await openCatalog('datasets', { cache: 'out/catalog' })
 * console.log(await catalog.sql("select side, sum(qty) from trades where instrument like '%spot:XRP%' group by side"))
 * const quotes = catalog.frame('bbo', { instrument: 'synthetic_spot:XRPUSDT' })
 * const trades = catalog.frame('trades', { instrument: 'synthetic_spot:XRPUSDT' }).asofJoin(quotes)
 * console.log(await trades.select('ts', 'price', 'bid_price', 'ask_price').limit(5).rows())
 * await catalog.close()
 * ```
 */
export async function openCatalog(
  folder: string | readonly string[], options: CatalogOptions = {},
): Promise<Catalog> {
  checkOptionNames('open a catalog', options, CATALOG_NAMES)
  const folders = typeof folder === 'string' ? [folder] : [...folder]
  if (folders.length === 0 || folders.includes(''))
    throw new BacktapeError('OPTION_INVALID', 'Cannot open a catalog: it must have a folder, found none', {
      field: 'folder', expected: 'a folder',
    })
  const {
    cacheLimitBytes = 20_000_000_000, memoryLimitBytes = 2_000_000_000, limitRows = 1_000_000, prefer = null, signal,
    onProgress, onAudit, onNote,
  } = options
  const limits = { cacheLimitBytes, memoryLimitBytes, limitRows }
  for (const [field, value] of Object.entries(limits)) checkLimit(field, value)
  const cacheFolder = resolve(options.cache ?? join(userCacheFolder(), 'catalog'))
  const catalog = new FolderCatalog({ folders, indexPath: indexPath(cacheFolder, folders), signal })
  const state = await catalog.refresh()
  const engine = new SqlEngine(catalog, {
    cacheFolder, cacheLimitBytes, memoryLimitBytes, prefer, signal, onProgress, onNote,
  })
  return new Catalog({ folders, catalog, engine, limitRows, onAudit, state })
}
