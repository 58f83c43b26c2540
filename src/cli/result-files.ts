import { rmdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { BacktestResult } from '../backtest/backtest-options.js'
import { checkMoney, textColumns } from '../backtest/money-column.js'
import { runsTable } from '../backtest/runs-table.js'
import { createTableFile, type TableFile } from '../export/table-file-writer.js'
import { hasDoubles, isTextFormat, type TableForm } from '../export/table-form.js'
import { writeTable } from '../export/table-stream.js'
import type { Table } from '../export/table.js'
import { makeFolder } from '../files/folder-writer.js'
import { whileUnfinished } from '../files/unfinished-writer.js'
import type { WholeFileOptions } from '../files/whole-file-writer.js'

const TABLES = ['fills', 'orders', 'equity'] as const

type ResultColumns = Pick<Table, 'columns' | 'rowCount' | 'column' | 'metadata'>

/** Formats of text hold every digit of a value; the others refuse what their types do not hold, unless doubles were asked for. */
async function writeResult(name: string, table: ResultColumns, form: TableForm, file: TableFile): Promise<void> {
  const { rowCount, column } = table
  const isText = isTextFormat(form.format)
  if (!isText && !hasDoubles(form)) checkMoney(name, table)
  const metadata = new Map([['table', name], ...table.metadata])
  await writeTable({ columns: isText ? textColumns(table) : table.columns, rowCount, column, metadata }, form, file)
  await file.commit(metadata)
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
 * Creates the files of the tables of every world in a folder, so that a name that is taken is reported before the run: `fills.csv`, or
 * `fills.0.csv` for the first of several; and `runs.csv`, a row for each.
 */
export async function openResultFiles(folder: string, form: TableForm, worldCount: number, options: WholeFileOptions): Promise<ResultFiles> {
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
      for (const name of TABLES) {
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
    const tables = [...results.flatMap((result) => TABLES.map((name) => [name, result[name]] as const)), ['runs', runsTable(results)] as const]
    for (const [index, file] of files.entries()) {
      const [name, table] = tables[index] ?? []
      if (name !== undefined && table !== undefined) await writeResult(name, table, form, file)
    }
    return files.map(({ path }) => path)
  }
  return { paths: files.map(({ path }) => path), write, abort }
}

/** Files that wait for the tables of a run. */
export interface ResultFiles {
  readonly paths: readonly string[]
  /** Writes them all; their paths. */
  write(results: readonly BacktestResult[]): Promise<readonly string[]>
  /** Takes what is not whole away; harmless after `write`. */
  abort(): Promise<void>
}
