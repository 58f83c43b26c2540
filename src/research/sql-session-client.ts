import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement, DuckDBResult } from '@duckdb/node-api'
import { loadPackage } from '../files/package-reader.js'
import { globLiteral, globPath, sqlName, sqlText } from '../catalog/duck-text.js'
import { TABLE_KINDS, type TableKind } from '../catalog/table-kind.js'
import type { TableShape } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'
import { refuseStopped, stoppedError, type StopSignal } from '../model/stop-signal.js'
import type { TableColumn, TableValue } from '../tables/column.js'
import { createTable, type Table } from '../tables/table.js'
import { sqlError } from './sql-error.js'
import { distinctNames, duckValues, readingOf } from './sql-values.js'
import type { NamedTables } from './statement-planner.js'
import { sqlType, viewSql } from './view-sql.js'
import { castsOf, type ViewPart } from './wide-columns.js'

/** The bounds of a session. */
export interface SessionOptions {
  /** Files that statements may read; nothing else on the disk is open to them. */
  readonly paths: readonly string[]
  readonly memoryLimitBytes: number
  /** The folder for what does not fit into memory, and most bytes there. */
  readonly temporaryFolder: string | null
  readonly temporaryLimitBytes: number
}

/** Rows that are handed over at once. */
const APPENDED_ROWS = 2048

const INTERRUPT_MS = 50

/** Statements that stay prepared. */
const PREPARED_MAX = 100

/** The terms of one statement of a session. */
export interface SessionTerms {
  readonly limitRows: number
  readonly signal: StopSignal | undefined
  /** True for a statement that means the same whenever it runs: it stays prepared while views and files do. */
  readonly isSteady: boolean
}

/** A database in memory that reads the named files and nothing else, and can neither write nor be reconfigured. */
export class SqlSession {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #paths: ReadonlySet<string>
  readonly #views: Map<TableKind, string> = new Map()
  readonly #prepared: Map<string, DuckDBPreparedStatement> = new Map()

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, paths: readonly string[]) {
    this.#instance = instance
    this.#connection = connection
    this.#paths = new Set(paths)
  }

  static async create(options: SessionOptions): Promise<SqlSession> {
    const { paths, memoryLimitBytes, temporaryFolder, temporaryLimitBytes } = options
    const { DuckDBInstance: Instance } = await loadPackage('@duckdb/node-api', () => import('@duckdb/node-api'))
    const instance = await Instance.create(':memory:', {
      memory_limit: `${String(memoryLimitBytes)}B`, autoload_known_extensions: 'false',
      autoinstall_known_extensions: 'false',
    })
    const connection = await instance.connect()
    // A path with brackets is opened as itself and looked for as a pattern.
    const open = [...new Set(paths.flatMap((path) => [path, globPath(path)]))]
    await connection.run(`set allowed_paths = [${open.map(sqlText).join(', ')}]`)
    await connection.run(`set temp_directory = ${sqlText(temporaryFolder ?? '')}`)
    await connection.run(`set max_temp_directory_size = ${sqlText(`${String(temporaryLimitBytes)}B`)}`)
    // A footer is read once, and again when its file has changed.
    await connection.run('set parquet_metadata_cache = true')
    await connection.run('set enable_external_access = false')
    await connection.run('set lock_configuration = true')
    return new SqlSession(instance, connection, paths)
  }

  close(): void {
    this.forget()
    this.#instance.closeSync()
  }

  /** Drops what is prepared: files, whose footers a prepared statement holds, may have changed. */
  forget(): void {
    for (const prepared of this.#prepared.values()) prepared.destroySync()
    this.#prepared.clear()
  }

  /** True where every file may be read. */
  covers(paths: readonly string[]): boolean {
    return paths.every((path) => this.#paths.has(path))
  }

  /**
   * Makes the views; those that are already so stay. `shapes` are those of files that count without being opened.
   * Throws the database's own error, which may be about a file.
   */
  async setViews(
    views: ReadonlyMap<TableKind, readonly ViewPart[]>, shapes: ReadonlyMap<TableKind, readonly TableShape[]>,
  ): Promise<void> {
    for (const kind of TABLE_KINDS) {
      const parts = views.get(kind) ?? []
      const sql = viewSql(kind, parts.map(({ select }) => select), shapes.get(kind))
      if (this.#views.get(kind) === sql) continue
      this.#views.delete(kind)
      this.forget()
      const cast = await castsOf(this.#connection, parts)
      await this.#connection.run(cast === '' ? sql : viewSql(
        kind, parts.map(({ select }) => `select * replace (${cast}) from (${select})`), shapes.get(kind),
      ))
      this.#views.set(kind, sql)
    }
  }

  /**
   * Runs a statement that only reads. Throws the database's own error, LIMIT_EXCEEDED for more rows than the limit,
   * VALUE_INEXACT, STOPPED.
   */
  async run(
    statement: string, tables: NamedTables, { limitRows, signal, isSteady }: SessionTerms,
  ): Promise<Table> {
    refuseStopped(signal, 'the statement')
    let interrupting: NodeJS.Timeout | undefined
    // An interruption of a statement that has not begun is forgotten, so it is repeated.
    const stop = (): void => {
      this.#connection.interrupt()
      interrupting = setInterval(() => { this.#connection.interrupt() }, INTERRUPT_MS)
    }
    signal?.addEventListener('abort', stop)
    try {
      for (const [name, table] of tables) await this.#append(name, table)
      return await this.#result(statement, { limitRows, isSteady: isSteady && tables.size === 0 })
    } catch (error) {
      if (signal?.aborted === true) throw stoppedError('the statement', signal)
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      clearInterval(interrupting)
      for (const name of tables.keys()) await this.#connection.run(`drop table if exists ${sqlName(name)}`)
    }
  }

  /** The names of the columns of a file. */
  async columnsOf(path: string): Promise<readonly string[]> {
    const result = await this.#connection.runAndReadAll(
      `describe select * from read_parquet(${globLiteral(path)}, hive_partitioning = false)`,
    )
    return result.getRows().map(([name]) => String(name))
  }

  /** Pairs of metadata with some names, by file. */
  async metadataOf(paths: readonly string[], names: readonly string[]): Promise<Map<string, Map<string, string>>> {
    const found = new Map(paths.map((path) => [path, new Map<string, string>()]))
    if (paths.length === 0) return found
    const result = await this.#connection.runAndReadAll(
      'select file_name, decode(key), decode(value) from ' +
        `parquet_kv_metadata([${paths.map(globLiteral).join(', ')}]) where key in (${
          names.map((name) => `encode(${sqlText(name)})`).join(', ')})`,
    )
    for (const [file, key, value] of result.getRows()) found.get(String(file))?.set(String(key), String(value))
    return found
  }

  /** The database's words on a file that cannot be read to its end; null for a sound one. */
  async fault(path: string): Promise<unknown> {
    try {
      await this.#connection.run(
        `select sum(hash(COLUMNS(*))::HUGEINT % 2) from read_parquet(${globLiteral(path)}, hive_partitioning = false)`,
      )
      return null
    } catch (error) {
      return error
    }
  }

  /** A statement that fails, or whose rows are not all taken, does not stay prepared. */
  async #result(statement: string, { limitRows, isSteady }: Omit<SessionTerms, 'signal'>): Promise<Table> {
    const prepared = this.#prepared.get(statement) ?? (await this.#connection.prepare(statement))
    this.#prepared.delete(statement)
    try {
      const table = await tableOf(await prepared.stream(), limitRows)
      if (!isSteady) return table
      if (this.#prepared.size >= PREPARED_MAX) this.forget()
      this.#prepared.set(statement, prepared)
      return table
    } finally {
      if (this.#prepared.get(statement) !== prepared) prepared.destroySync()
    }
  }

  /** Makes a table of the session out of one in memory. */
  async #append(name: string, table: Table): Promise<void> {
    const { DuckDBDataChunk, DuckDBDecimalValue, DuckDBTimestampNanosecondsValue } = await loadPackage(
      '@duckdb/node-api', () => import('@duckdb/node-api'),
    )
    const declared = table.columns.map((column) => `${sqlName(column.name)} ${sqlType(column.type)}`)
    await this.#connection.run(`create or replace temp table ${sqlName(name)} (${declared.join(', ')})`)
    if (table.rowCount === 0) return
    const types = (await this.#connection.run(`select * from ${sqlName(name)} limit 0`)).columnTypes()
    const make = {
      decimal: (value: bigint, width: number, scale: number) => new DuckDBDecimalValue(value, width, scale),
      timestamp: (nanos: bigint) => new DuckDBTimestampNanosecondsValue(nanos),
    }
    const columns = table.columns.map((column) => duckValues({ ...column, values: table.column(column.name) }, make))
    const appender = await this.#connection.createAppender(name, null, 'temp')
    for (let from = 0; from < table.rowCount; from += APPENDED_ROWS) {
      const chunk = DuckDBDataChunk.create(types)
      chunk.setColumns(columns.map((values) => values.slice(from, from + APPENDED_ROWS)) as never)
      appender.appendDataChunk(chunk)
    }
    appender.closeSync()
  }
}

/** The rows of a result as a table. Throws LIMIT_EXCEEDED, VALUE_INEXACT. */
async function tableOf(result: DuckDBResult, limitRows: number): Promise<Table> {
  const names = distinctNames(result.columnNames())
  const readings = result.columnTypes().map((type, at) => readingOf(names[at] ?? '', String(type)))
  const columns: TableValue[][] = names.map(() => [])
  let rowCount = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    rowCount += chunk.rowCount
    if (rowCount > limitRows) throw tooManyRows(limitRows)
    for (const [at, { read }] of readings.entries()) {
      const vector = chunk.getColumnVector(at)
      const values = columns[at] as TableValue[]
      for (let row = 0; row < chunk.rowCount; row++) {
        const value: unknown = vector.getItem(row)
        values.push(value === null ? null : read(value as Parameters<typeof read>[0]))
      }
    }
  }
  return createTable(names.map((name, at): TableColumn => (
    { name, type: readings[at]?.type ?? { form: 'text' }, nullable: true, values: columns[at] ?? [] })))
}

function tooManyRows(limitRows: number): BacktapeError {
  const expected = `at most ${String(limitRows)} rows (limitRows)`
  return new BacktapeError(
    'LIMIT_EXCEEDED',
    `Cannot take the result of the statement: it must have ${expected}, found more; sum up, add a limit to the ` +
      'statement, or raise limitRows (--limit-rows)',
    { field: 'limitRows', expected },
  )
}

/** Runs a statement over tables in memory alone. Throws SQL_INVALID and what {@link SqlSession.run} throws. */
export async function runOverTables(
  statement: string, tables: NamedTables, bounds: { readonly limitRows: number; readonly memoryLimitBytes: number },
): Promise<Table> {
  const session = await SqlSession.create({
    paths: [], memoryLimitBytes: bounds.memoryLimitBytes, temporaryFolder: null, temporaryLimitBytes: 0,
  })
  try {
    return await session.run(statement, tables, { limitRows: bounds.limitRows, signal: undefined, isSteady: false })
  } catch (error) {
    throw sqlError(error)
  } finally {
    session.close()
  }
}
