import { rmdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fittedTable, textColumns } from '../results/money-column.js'
import type { ResultTable } from '../results/lazy-table.js'
import { runsTable } from '../results/runs-table.js'
import { createTableFile, type TableFile } from '../tables/table-file-writer.js'
import { columnsIn, hasDoubles, isTextFormat, type TableForm } from '../tables/table-form.js'
import { writeTable } from '../tables/table-stream.js'
import type { Table } from '../tables/table.js'
import { makeFolder } from '../files/folder-writer.js'
import { whileUnfinished } from '../files/unfinished-writer.js'
import type { WholeFileOptions } from '../files/whole-file-writer.js'
import type { BacktestResult } from '../results/backtest-result.js'

/** The tables of a world by the names of their files. */
const TABLES = [
  ['fills', 'fills'], ['orders', 'orders'], ['equity', 'equity'], ['round-trips', 'roundTrips'], ['hours', 'hours'],
  ['days', 'days'],
] as const

type NamedTable = readonly [name: string, table: ResultTable<unknown>]
type ResultColumns = Pick<Table, 'columns' | 'rowCount' | 'column' | 'metadata'>

/** Text and doubles are made of every digit of a value; the other formats hold what {@link fittedTable} makes of it. */
function contentOf(name: string, table: ResultColumns, form: TableForm): ResultColumns {
  const { rowCount, column } = table
  const metadata = new Map([['table', name], ...table.metadata])
  if (isTextFormat(form.format)) return { columns: textColumns(table), rowCount, column, metadata }
  if (hasDoubles(form)) return { columns: columnsIn(form, table.columns), rowCount, column, metadata }
  return fittedTable(name, { columns: table.columns, column, metadata })
}

/** Writes a table to its end and flushes it; what then gives it its name. */
async function writeResult(
  name: string, table: ResultColumns, form: TableForm, file: TableFile,
): Promise<() => Promise<void>> {
  const content = contentOf(name, table, form)
  await writeTable(content, form, file)
  await file.prepare(content.metadata)
  return () => file.commit(content.metadata)
}

/** One sentence on all values that stand rounded in the tables of all worlds; null where none does. */
function roundingNote(tables: readonly NamedTable[], form: TableForm): string | null {
  if (isTextFormat(form.format) || hasDoubles(form)) return null
  const counts = new Map<string, number>()
  for (const [name, { rounded }] of tables) {
    for (const [own, count] of rounded) {
      const column = `${name}.${own}`
      counts.set(column, (counts.get(column) ?? 0) + count)
    }
  }
  if (counts.size === 0) return null
  const columns = [...counts].map(([column, count]) => `${column}: ${String(count)}`).join(', ')
  const places = `rounded half-even to 18 places in the ${form.format === 'parquet' ? 'Parquet' : 'Arrow'} tables`
  return `${columns} values of more than 18 decimals stand ${places}; CSV and JSON hold every digit`
}

/** Takes folders away that nothing was written into, from one up to another. */
function removeEmpty(folder: string, top: string): void {
  try {
    for (let at = resolve(folder); ; at = dirname(at)) {
      rmdirSync(at)
      if (at === resolve(top)) return
    }
  } catch {
    // Something lies in it.
  }
}

/**
 * Creates the files of the tables of every world in a folder, so that a name that is taken is reported before the run:
 * `fills.csv`, or `fills.0.csv` for the first of several; and `runs.csv`, a row for each.
 */
export async function openResultFiles(
  folder: string, form: TableForm, worldCount: number, options: WholeFileOptions,
): Promise<ResultFiles> {
  const made = await makeFolder(folder)
  const settled = whileUnfinished(() => { if (made !== null) removeEmpty(folder, made) })
  const files: TableFile[] = []
  const abort = async (): Promise<void> => {
    for (const file of files) await file.abort()
    if (made !== null) removeEmpty(folder, made)
    settled()
  }
  try {
    for (let world = 0; world < worldCount; world++) {
      for (const [name] of TABLES) {
        const path = join(folder, `${name}${worldCount === 1 ? '' : `.${String(world)}`}.${form.format}`)
        files.push(await createTableFile(path, form, options))
      }
    }
    files.push(await createTableFile(join(folder, `runs.${form.format}`), form, options))
  } catch (error) {
    await abort()
    throw error
  }
  const write = async (results: readonly BacktestResult[]): Promise<readonly string[]> => {
    const tables: NamedTable[] = results.flatMap((result) => (
      TABLES.map(([name, property]) => [name, result[property]] as const)))
    tables.push(['runs', runsTable(results)])
    // None gets its name before all are whole: a full disk leaves earlier tables as they were.
    const commits: (() => Promise<void>)[] = []
    for (const [index, file] of files.entries()) {
      const [name, table] = tables[index] ?? []
      if (name !== undefined && table !== undefined) commits.push(await writeResult(name, table, form, file))
    }
    for (const commit of commits) await commit()
    const rounding = roundingNote(tables, form)
    return [`Wrote ${files.map(({ path }) => path).join(', ')}`, ...(rounding === null ? [] : [rounding])]
  }
  return { paths: files.map(({ path }) => path), write, abort }
}

/** Files that wait for the tables of a run. */
export interface ResultFiles {
  readonly paths: readonly string[]
  /** Writes them all; what is to be noted of them: their paths, and values that stand rounded. */
  write(results: readonly BacktestResult[]): Promise<readonly string[]>
  /** Takes what is not whole away; harmless after `write`. */
  abort(): Promise<void>
}
