import { rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { BacktestResult } from '../backtest/backtest-options.js'
import type { TableValue } from '../export/table-value.js'
import type { Table } from '../export/table.js'
import { makeFolder } from '../files/folder-writer.js'
import { createWholeFile, type WholeFile, type WholeFileOptions } from '../files/whole-file-writer.js'

/** Forms of the tables of a result; each is also the extension that names it. */
export const RESULT_FORMATS = ['csv', 'arrows'] as const
export type ResultFormat = (typeof RESULT_FORMATS)[number]

const TABLES = ['fills', 'orders', 'equity'] as const
const PIECE_ROWS = 4096

function cell(value: TableValue | undefined): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  return /[",\r\n#]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
}

type CsvTable = Pick<Table, 'columns' | 'rowCount' | 'column'>

async function writeCsv({ columns, rowCount, column }: CsvTable, file: WholeFile): Promise<void> {
  const encoder = new TextEncoder()
  const values = columns.map(({ name }) => column(name))
  await file.write(encoder.encode(`${columns.map(({ name }) => name).join(',')}\r\n`))
  for (let from = 0; from < rowCount; from += PIECE_ROWS) {
    let text = ''
    for (let row = from; row < Math.min(from + PIECE_ROWS, rowCount); row++) text += `${values.map((own) => cell(own[row])).join(',')}\r\n`
    await file.write(encoder.encode(text))
  }
}

/** Takes folders away that nothing was written into, from one up to another. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  try {
    for (let at = resolve(folder); ; at = dirname(at)) {
      await rmdir(at)
      if (at === resolve(top)) return
    }
  } catch {
    // Something lies in it.
  }
}

/**
 * Creates the files of the tables of every world in a folder, so that a name that is taken is told before the run: `fills.csv`, or
 * `fills.0.csv` for the first of several.
 */
export async function openResultFiles(folder: string, format: ResultFormat, worldCount: number, options: WholeFileOptions): Promise<ResultFiles> {
  const made = await makeFolder(folder)
  const files: WholeFile[] = []
  const abort = async (): Promise<void> => {
    for (const file of files) await file.abort()
    if (made !== null) await removeEmpty(folder, made)
  }
  try {
    for (let world = 0; world < worldCount; world++) {
      for (const name of TABLES) files.push(await createWholeFile(join(folder, `${name}${worldCount === 1 ? '' : `.${String(world)}`}.${format}`), options))
    }
  } catch (error) {
    await abort()
    throw error
  }
  const write = async (results: readonly BacktestResult[]): Promise<readonly string[]> => {
    for (const [index, file] of files.entries()) {
      const table = results[Math.floor(index / TABLES.length)]?.[TABLES[index % TABLES.length] ?? 'fills']
      if (table === undefined) continue
      if (format === 'csv') await writeCsv(table, file)
      else await file.write(table.toArrow())
      await file.commit()
    }
    return files.map(({ path }) => path)
  }
  return { paths: files.map(({ path }) => path), write, abort }
}

/** Files that wait for the tables of a run. */
export interface ResultFiles {
  readonly paths: readonly string[]
  /** Writes them all and says their paths. */
  write(results: readonly BacktestResult[]): Promise<readonly string[]>
  /** Takes what is not whole away; harmless after `write`. */
  abort(): Promise<void>
}
