import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { loadPackage } from '../files/package-reader.js'
import { sqlName } from '../catalog/duck-text.js'
import { TABLE_KINDS, type TableKind } from '../catalog/table-kind.js'
import { BacktapeError } from '../model/error.js'
import type { Table } from '../tables/table.js'
import { sqlError } from './sql-error.js'
import { NO_SHAPE, type ViewBranch } from './view-branch.js'
import { planSelect, planTable, sqlType, viewSql } from './view-sql.js'

/** The tables that a statement may name beside the views. */
export type NamedTables = ReadonlyMap<string, Table>

const READS = 'a statement that only reads (select)'

/** Begins the names of tables that stand for a whole view, until a statement is known to need the view. */
const UNMADE = 'plan_unmade_'

/** First words of statements that do not read, behind comments: refused before the database looks for their names. */
const OTHER_WORDS = new RegExp(
  '^(?:\\s|--[^\\n]*\\n|/\\*[^]*?\\*/)*(?:alter|attach|copy|create|delete|detach|drop|export|import|insert|' +
    'install|load|set|update|use)\\b', 'i',
)

const UNSTEADY_WORDS = [
  'age', 'current_setting', 'current_time', 'current_timestamp', 'getvariable', 'localtime', 'localtimestamp', 'query',
  'query_table',
]

/** Plans that are kept. */
const PLANS_MAX = 100

/** A text in which nothing but comments stands. */
const EMPTY = /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*$/

/** Many statements in one call of the library are faster than one by one. */
const STATEMENTS_AT_ONCE = 500

/**
 * Finds which files a statement needs, before any of them is opened or converted. It holds the views over tables
 * without rows, one for each file, and asks the database's own optimizer for its plan: a file whose instrument and day
 * no row of the statement can have is not in the plan. The optimizer may not look at the statistics of the tables,
 * which are empty for it alone.
 */
export class StatementPlanner {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #branchesOf: (kind: TableKind) => readonly ViewBranch[]
  /** The branch behind each table without rows. */
  readonly #byTable: Map<string, ViewBranch> = new Map()
  readonly #made: Set<TableKind> = new Set()
  /** Plans of statements that mean the same whenever they are asked. */
  readonly #plans: Map<string, readonly ViewBranch[]> = new Map()
  /** Names of functions whose value may be another one in the next statement, as one pattern. */
  #unsteady: RegExp = /./

  private constructor(
    instance: DuckDBInstance, connection: DuckDBConnection, branchesOf: (kind: TableKind) => readonly ViewBranch[],
  ) {
    this.#instance = instance
    this.#connection = connection
    this.#branchesOf = branchesOf
  }

  static async create(branchesOf: (kind: TableKind) => readonly ViewBranch[]): Promise<StatementPlanner> {
    const { DuckDBInstance: Instance } = await loadPackage('@duckdb/node-api', () => import('@duckdb/node-api'))
    const instance = await Instance.create(':memory:', {
      threads: '1', memory_limit: '512MB', enable_external_access: 'false', autoload_known_extensions: 'false',
      autoinstall_known_extensions: 'false',
    })
    const connection = await instance.connect()
    await connection.run("set disabled_optimizers = 'statistics_propagation'")
    await connection.run('set lock_configuration = true')
    const planner = new StatementPlanner(instance, connection, branchesOf)
    for (const kind of TABLE_KINDS) {
      const unknown = { kind, instrument: null, day: null, shape: NO_SHAPE }
      await connection.run(planTable(unknown, `${UNMADE}${kind}`))
      await connection.run(viewSql(kind, [planSelect(unknown, `${UNMADE}${kind}`)]))
    }
    planner.#unsteady = await unsteadyNames(connection)
    return planner
  }

  close(): void {
    this.#instance.closeSync()
  }

  /** The branches that a statement needs. Throws SQL_INVALID for what is no single statement that only reads. */
  async branches(statement: string, tables: NamedTables): Promise<readonly ViewBranch[]> {
    const known = tables.size === 0 ? this.#plans.get(statement) : undefined
    if (known !== undefined) return known
    const branches = await this.#branches(statement, tables)
    if (tables.size > 0 || !this.isSteady(statement)) return branches
    if (this.#plans.size >= PLANS_MAX) this.#plans.clear()
    this.#plans.set(statement, branches)
    return branches
  }

  /** True for a statement that means the same whenever it is asked. */
  isSteady(statement: string): boolean {
    return this.#plans.has(statement) || !this.#unsteady.test(statement)
  }

  async #branches(statement: string, tables: NamedTables): Promise<readonly ViewBranch[]> {
    await this.#prepare(statement)
    return this.#withTables(tables, async () => {
      await this.#refuseOthers(statement)
      let plan = await this.#plan(statement)
      // A text can hide the name of a view: query_table('tra' || 'des').
      const hidden = TABLE_KINDS.filter((kind) => !this.#made.has(kind) && plan.includes(`${UNMADE}${kind}`))
      for (const kind of hidden) await this.#makeView(kind)
      if (hidden.length > 0) plan = await this.#plan(statement)
      const found = new Set(plan.match(/\bplan_file_\d+\b/g) ?? [])
      return [...found].flatMap((name) => this.#byTable.get(name) ?? [])
    })
  }

  async #plan(statement: string): Promise<string> {
    const result = await this.#connection.runAndReadAll(`explain (format json) ${statement}`)
      .catch((error: unknown) => { throw sqlError(error) })
    return result.getRows().map((row) => row.map(String).join('\n')).join('\n')
  }

  /** The branches of the views that statements have named so far. */
  named(): readonly ViewBranch[] {
    return [...this.#byTable.values()]
  }

  /** The names of the columns of a query, in their order. */
  async columns(statement: string, tables: NamedTables): Promise<readonly string[]> {
    await this.#prepare(statement)
    return this.#withTables(tables, async () => {
      const result = await this.#connection.runAndReadAll(`describe ${statement}`)
        .catch((error: unknown) => { throw sqlError(error) })
      return result.getRows().map(([name]) => String(name))
    })
  }

  /** Makes the views that the text may name: its words hold the name of each. */
  async #prepare(statement: string): Promise<void> {
    for (const kind of TABLE_KINDS)
      if (!this.#made.has(kind) && new RegExp(kind, 'i').test(statement)) await this.#makeView(kind)
  }

  async #makeView(kind: TableKind): Promise<void> {
    const selects: string[] = []
    const tables: string[] = []
    for (const branch of this.#branchesOf(kind)) {
      const name = `plan_file_${String(this.#byTable.size)}`
      this.#byTable.set(name, branch)
      tables.push(planTable(branch, name))
      selects.push(planSelect(branch, name))
    }
    for (let from = 0; from < tables.length; from += STATEMENTS_AT_ONCE)
      await this.#connection.run(tables.slice(from, from + STATEMENTS_AT_ONCE).join(';'))
    await this.#connection.run(viewSql(kind, selects))
    this.#made.add(kind)
  }

  async #withTables<Result>(tables: NamedTables, work: () => Promise<Result>): Promise<Result> {
    for (const [name, { columns }] of tables) {
      const texts = columns.map((column) => `${sqlName(column.name)} ${sqlType(column.type)}`)
      await this.#connection.run(`create or replace temp table ${sqlName(name)} (${texts.join(', ')})`)
    }
    try {
      return await work()
    } finally {
      for (const name of tables.keys()) await this.#connection.run(`drop table ${sqlName(name)}`)
    }
  }

  async #refuseOthers(statement: string): Promise<void> {
    if (EMPTY.test(statement)) throw refusal('one statement', 'none')
    const [word] = OTHER_WORDS.exec(statement) ?? []
    if (word !== undefined) throw refusal(READS, word.trim().split(/\s/).at(-1) ?? word)
    const { StatementType } = await loadPackage('@duckdb/node-api', () => import('@duckdb/node-api'))
    const found = await this.#connection.extractStatements(statement)
      .catch((error: unknown) => { throw sqlError(error) })
    if (found.count !== 1) throw refusal('one statement', `${String(found.count)} statements`)
    const prepared = await found.prepare(0).catch((error: unknown) => { throw sqlError(error) })
    try {
      if (prepared.statementType !== StatementType.SELECT)
        throw refusal(READS, StatementType[prepared.statementType].toLowerCase())
      if (prepared.parameterCount > 0) throw refusal('a statement without parameters', String(prepared.parameterCount))
    } finally {
      prepared.destroySync()
    }
  }
}

/**
 * Functions such as `now` and `random`, by the database's own list; also its macros, which it says nothing of, words
 * that are functions without brackets, and `query`, whose text is another statement.
 */
async function unsteadyNames(connection: DuckDBConnection): Promise<RegExp> {
  const result = await connection.runAndReadAll(
    "select distinct function_name from duckdb_functions() where function_type in ('scalar', 'macro') and " +
      "stability is distinct from 'CONSISTENT' and regexp_full_match(function_name, '\\w+')",
  )
  const names = [...result.getRows().map(([name]) => String(name)), ...UNSTEADY_WORDS]
  return new RegExp(`\\b(?:${names.join('|')})\\b`, 'i')
}

function refusal(expected: string, found: string): BacktapeError {
  return new BacktapeError('SQL_INVALID', `Cannot run the statement: it must be ${expected}, found ${found}`, {
    expected, found,
  })
}
