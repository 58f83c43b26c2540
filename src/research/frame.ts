import { sqlName } from '../catalog/duck-text.js'
import { brand } from '../model/brand.js'
import { durationNsFromText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { NS_PER_DAY } from '../model/time.js'
import { createTableFile } from '../tables/table-file-writer.js'
import { writeTable } from '../tables/table-stream.js'
import type { Table, TableRow } from '../tables/table.js'
import type { NamedTables } from './statement-planner.js'
import { runOverTables } from './sql-session-client.js'

/** Where the statements of a frame run. */
export interface FrameEngine {
  /** Frames of one owner can be joined; null: of tables alone, which can be joined with any. */
  readonly owner: object | null
  run(statement: string, tables: NamedTables): Promise<Table>
  columns(statement: string, tables: NamedTables): Promise<readonly string[]>
}

/** The services that the text of a frame may need while it is made. */
export interface FrameText {
  /** The name under which a statement finds a table in memory. */
  nameOf(table: Table): string
  /** The names of the columns of a query. */
  columns(query: string): Promise<readonly string[]>
}

/** New columns by name, each an expression of SQL: `{ notional: 'price * qty' }`. */
export type FrameColumns = Readonly<Record<string, string>>

/** The options of {@link Frame.asofJoin}. */
export interface AsofOptions {
  /** Columns that must be equal; default: those of `instrument` and `day` that both frames have. */
  readonly by?: readonly string[]
  /** The column of times; default `ts`. */
  readonly on?: string
  /** Behind the names of columns that the left frame has too; default `_right`. */
  readonly suffix?: string
  /** Rows of the right frame at the very time of the left row count too; default true. */
  readonly allowsEqual?: boolean
}

/** The options of {@link Frame.resample}. */
export interface ResampleOptions {
  /** The column of times; default `ts`. */
  readonly on?: string
  /** Further columns of the group; default: none. */
  readonly by?: readonly string[]
}

/** The bounds of statements over tables alone. */
const TABLE_BOUNDS = { limitRows: 1_000_000, memoryLimitBytes: 2_000_000_000 }

/** The engine of tables in memory. */
const TABLE_ENGINE: FrameEngine = {
  owner: null,
  run: (statement, tables) => runOverTables(statement, tables, TABLE_BOUNDS),
  columns: async (statement, tables) => {
    const described = await runOverTables(`select * from (describe ${statement}\n)`, tables, TABLE_BOUNDS)
    return described.column('column_name').map(String)
  },
}

const inner = (text: string): string => `(${text}\n)`

function refusal(action: string, expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot ${action}: expected ${expected}, found ${found}`, {
    expected, found: found.slice(0, 80),
  })
}

/** A value of JavaScript in a sentence. */
function shown(value: unknown): string {
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value
  return (typeof value === 'bigint' ? String(value) : JSON.stringify(value) ?? 'undefined').slice(0, 80)
}

/** A text that a caller gave. Throws OPTION_INVALID for anything else. */
function given(action: string, expected: string, value: unknown): string {
  if (typeof value !== 'string') throw refusal(action, expected, shown(value))
  return value
}

/** Names of columns as a caller gave them. */
const named = (action: string, columns: readonly unknown[]): string[] =>
  columns.map((name) => given(action, 'names of columns as texts, one argument each', name))

/** New columns in SQL. Throws OPTION_INVALID where they are no object of texts. */
function listed(action: string, columns: FrameColumns): string[] {
  const value: unknown = columns
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal(action, 'an object of expressions by name, such as { volume: \'sum(qty)\' }', shown(value))
  return Object.entries(value).map(([name, expression]) => (
    `${given(action, `the expression of ${name} as a text`, expression)}\n as ${sqlName(name)}`))
}

/** The names of an option; `name` stands in the sentence. */
function listOf(action: string, name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw refusal(action, `${name} as a list of names of columns`, shown(value))
  return named(action, value)
}

/** Rows in groups, until they are summed up. */
export interface FrameGroups {
  /** One row a group: the columns of the group, then the given ones: `{ volume: 'sum(qty)' }`. */
  aggregate(columns: FrameColumns): Frame
}

/**
 * A table that is still a question: each step gives a new frame and does nothing, `table`, `rows`, `toArrow` and
 * `toParquet` ask the database (DuckDB) once. Conditions and expressions are SQL; names of columns stand as they are.
 * Rows have no order but that of `sort`, which comes last.
 */
export class Frame {
  readonly #make: (text: FrameText) => Promise<string>
  readonly #engine: FrameEngine

  /** Use {@link frameOf}, or `frame` of a catalog. */
  constructor(make: (text: FrameText) => Promise<string>, engine: FrameEngine) {
    this.#make = make
    this.#engine = engine
  }

  /** The named columns in this order; an object adds expressions under new names. */
  select(...columns: readonly (string | FrameColumns)[]): Frame {
    const parts = columns.flatMap((one) => (typeof one === 'string' ? [sqlName(one)] : listed('select columns', one)))
    if (parts.length === 0) throw refusal('select columns', 'at least one', 'none')
    return this.#step((from) => `select ${parts.join(', ')} from ${from}`)
  }

  /** The rows for which a condition holds: `side = 'BID' and qty > 1`. */
  filter(condition: string): Frame {
    const text = given('filter', 'the condition as a text', condition)
    return this.#step((from) => `select * from ${from} where (${text}\n)`)
  }

  /** Groups of rows with equal values in the named columns. */
  groupBy(...columns: readonly string[]): FrameGroups {
    const names = named('group', columns).map(sqlName)
    return {
      aggregate: (aggregates) => {
        const all = [...names, ...listed('aggregate', aggregates)].join(', ')
        return this.#step((from) => (
          `select ${all} from ${from}${names.length === 0 ? '' : ` group by ${names.join(', ')}`}`))
      },
    }
  }

  /** One row of all: `{ volume: 'sum(qty)', trades: 'count(*)' }`. */
  aggregate(columns: FrameColumns): Frame {
    return this.groupBy().aggregate(columns)
  }

  /**
   * Each row with the last row of another frame up to its time: trades with the quotes they met. Rows without one have
   * nulls. Rows of one file (equal `instrument` and `day`, both frames with `event_index`) meet what stood before them
   * in that file, so a clock that steps back shows nothing of the future. Otherwise times decide: of rows at one time
   * the last by `event_index` is taken, and any of them where the right frame has none.
   */
  asofJoin(right: Frame, options: AsofOptions = {}): Frame {
    const { on = 'ts', suffix = '_right', allowsEqual = true } = options
    if (!(right instanceof Frame)) throw refusal('join frames', 'right as a frame', shown(right))
    given('join frames', 'on as the name of a column', on)
    given('join frames', 'suffix as a text', suffix)
    if (options.by !== undefined) listOf('join frames', 'by', options.by)
    const engine = joined(this.#engine, right.#engine)
    return new Frame(async (text) => {
      const [left, other] = [await this.#make(text), await right.#make(text)]
      const [own, others] = [await text.columns(left), await text.columns(other)]
      const by = options.by ?? ['instrument', 'day'].filter((name) => own.includes(name) && others.includes(name))
      for (const name of [on, ...by]) {
        const lacking = !own.includes(name) ? 'left' : !others.includes(name) ? 'right' : null
        if (lacking !== null) throw refusal('join frames', `a column ${name} in both`, `none on the ${lacking}`)
      }
      const taken = others.filter((name) => !by.includes(name))
      const columns = taken.map((name) =>
        `r.${sqlName(name)} as ${sqlName(own.includes(name) ? `${name}${suffix}` : name)}`)
      const conditions = [
        ...by.map((name) => `l.${sqlName(name)} = r.${sqlName(name)}`),
        asofCondition({ own, others, by, on, allowsEqual }),
      ]
      return `select l.*, ${columns.join(', ')} from ${inner(left)} l asof left join ${inner(other)} r ` +
        `on ${conditions.join(' and ')}`
    }, engine)
  }

  /**
   * Rows of equal spans of time, named by the begin of each: `resample('1m', { high: 'max(price)' })`. `by` are further
   * columns of the group; default: none. Spans without rows are absent. `every` is at most a day and counts from
   * 1970-01-01. Throws OPTION_INVALID.
   */
  resample(every: string, columns: FrameColumns, options: ResampleOptions = {}): Frame {
    const { on = 'ts', by = [] } = options
    given('resample', 'on as the name of a column', on)
    const span = given('resample', 'a span as a text, such as 1m', every)
    const everyNs = String(durationNsFromText(span, { mostNs: NS_PER_DAY }, (expected) =>
      refusal('resample', `a span that is ${expected}`, JSON.stringify(every))))
    if (everyNs === '0') throw refusal('resample', 'a span above 0', JSON.stringify(every))
    const names = listOf('resample', 'by', by).map(sqlName)
    const sums = listed('resample', columns)
    const begin = `make_timestamp_ns(epoch_ns(${sqlName(on)}) // ${everyNs} * ${everyNs})`
    return this.#step((from) => (
      `select ${[...names, `${begin} as ${sqlName(on)}`, ...sums].join(', ')} from ${from} ` +
      `group by ${[...names, begin].join(', ')} order by ${[...names, begin].join(', ')}`))
  }

  /** The rows in the order of the named columns; a `-` in front turns one around: `sort('instrument', '-qty')`. */
  sort(...columns: readonly string[]): Frame {
    const parts = named('sort', columns)
      .map((name) => (name.startsWith('-') ? `${sqlName(name.slice(1))} desc` : sqlName(name)))
    if (parts.length === 0) throw refusal('sort', 'at least one column', 'none')
    return this.#step((from) => `select * from ${from} order by ${parts.join(', ')}`)
  }

  /** At most so many rows. */
  limit(rows: number): Frame {
    if (!Number.isSafeInteger(rows) || rows < 0) throw refusal('limit', 'a whole number of rows', String(rows))
    return this.#step((from) => `select * from ${from} limit ${String(rows)}`)
  }

  /** The table: asks the database. Throws as `sql` of a catalog. */
  async table(): Promise<Table> {
    const tables = new Map<string, Table>()
    const statement = await this.#make(textOver(tables, this.#engine))
    return this.#engine.run(statement, tables)
  }

  /** The rows of {@link Frame.table}. */
  async rows(): Promise<readonly TableRow[]> {
    return (await this.table()).rows
  }

  /** The table as an Arrow IPC stream. */
  async toArrow(): Promise<Uint8Array> {
    return (await this.table()).toArrow()
  }

  /** Writes the table as a Parquet file. Throws OUTPUT_EXISTS unless `force` is set, OUTPUT_FAILED. */
  async toParquet(path: string, options: { readonly force?: boolean } = {}): Promise<void> {
    const form = { format: 'parquet' } as const
    const file = await createTableFile(path, form, options)
    try {
      const table = await this.table()
      await writeTable(table, form, file)
      await file.commit(table.metadata)
    } finally {
      await file.abort()
    }
  }

  /** The statement that the frame stands for; tables in memory are `frame_0`, `frame_1` and so on. */
  sql(): Promise<string> {
    return this.#make(textOver(new Map(), this.#engine))
  }

  #step(of: (from: string) => string): Frame {
    return new Frame(async (text) => of(inner(await this.#make(text))), this.#engine)
  }
}

brand(Frame, 'Frame')

/** The condition that a right row came no later than the left one. */
function asofCondition({ own, others, by, on, allowsEqual }: {
  readonly own: readonly string[]
  readonly others: readonly string[]
  readonly by: readonly string[]
  readonly on: string
  readonly allowsEqual: boolean
}): string {
  const than = allowsEqual ? '>=' : '>'
  const index = 'event_index'
  if (on !== 'ts' || !others.includes(index)) return `l.${sqlName(on)} ${than} r.${sqlName(on)}`
  if (own.includes(index) && by.includes('instrument') && by.includes('day')) return `l.${index} ${than} r.${index}`
  // Time and index in one number: all rows at the time of the left one count, or none.
  return `epoch_ns(l.ts)::HUGEINT * 4294967296 + ${allowsEqual ? '4294967295' : '0'} ${than} ` +
    `epoch_ns(r.ts)::HUGEINT * 4294967296 + r.${index}`
}

function textOver(tables: Map<string, Table>, engine: FrameEngine): FrameText {
  return {
    nameOf: (table) => {
      for (const [name, known] of tables) if (known === table) return name
      const name = `frame_${String(tables.size)}`
      tables.set(name, table)
      return name
    },
    columns: (query) => engine.columns(query, tables),
  }
}

function joined(left: FrameEngine, right: FrameEngine): FrameEngine {
  if (left.owner === null) return right
  if (right.owner !== null && right.owner !== left.owner)
    throw refusal('join frames', 'frames of one catalog', 'two; frameOf(await frame.table()) is of none')
  return left
}

/**
 * A table in memory as a frame: to filter, group, join and resample it, also with frames of a catalog.
 *
 * @example
 * ```ts
 * import { frameOf, openTickFile } from 'backtape'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const busy = frameOf(await day.minutes()).filter('trades > 10').sort('-trades').limit(3)
 * console.log(await busy.rows())
 * ```
 */
export function frameOf(table: Table): Frame {
  return new Frame((text) => Promise.resolve(`select * from ${sqlName(text.nameOf(table))}`), TABLE_ENGINE)
}
