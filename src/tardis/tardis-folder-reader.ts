import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { dayText } from '../model/time.js'
import { fileSymbol, tardisFileFromName, type TardisFile, type TardisType } from './tardis-layout.js'

/** The files of one instrument and UTC day. */
export interface TardisDay {
  readonly exchange: string
  readonly symbol: string
  readonly epochDay: number
  /** Files that are read: at most one that holds the book and one that holds the best prices. */
  readonly files: readonly TardisFile[]
  /** Files that another of the same day makes needless, each with the reason. */
  readonly needless: readonly { readonly file: TardisFile; readonly because: string }[]
}

/** The content of a folder. */
export interface TardisFolder {
  /** By exchange, symbol and day. */
  readonly days: readonly TardisDay[]
  /** Files that are not imported. */
  readonly skipped: readonly { readonly path: string; readonly because: string }[]
}

/** Of the types of one line the first that is there is read: it holds what the others were made from. */
const INSTEAD: readonly (readonly TardisType[])[] = [
  ['incremental_book_L2', 'book_snapshot_25', 'book_snapshot_5'], ['book_ticker', 'quotes'],
]

function dayOf(files: readonly TardisFile[]): TardisDay {
  const [first] = files as [TardisFile, ...TardisFile[]]
  const types = new Map<TardisType, TardisFile>()
  for (const file of files) {
    const other = types.get(file.type)
    if (other !== undefined) {
      const sentence = `Cannot import ${file.path}: ${other.path} is also ${file.type} of ${file.exchange} ` +
        `${file.symbol} on ${dayText(file.epochDay)}; leave one of them`
      const place = { file: file.path, field: 'name', found: other.path.slice(0, 80) }
      throw new BacktapeError('OPTION_INVALID', sentence, place)
    }
    types.set(file.type, file)
  }
  const needless = INSTEAD.flatMap((line) => {
    const [best, ...others] = line.filter((type) => types.has(type))
    const because = `${String(best)} of that day is read`
    return others.map((type) => ({ file: types.get(type) as TardisFile, because }))
  })
  const { exchange, symbol, epochDay } = first
  const read = files.filter((one) => !needless.some(({ file }) => file === one))
  return { exchange, symbol, epochDay, files: read, needless }
}

function folderError(path: string, cause: unknown): BacktapeError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const isMissing = (cause as { readonly code?: string }).code === 'ENOENT'
  const words = isMissing ? 'there is no such folder; check the path' : `the system says ${reason}`
  return new BacktapeError(
    isMissing ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE', `Cannot import ${path}: ${words}`, { file: path }, cause,
  )
}

/**
 * The files of a folder and its sub-folders, by instrument and day. Throws FILE_NOT_FOUND where it is missing or holds
 * no CSV file in the layout of tardis.dev, FILE_UNREADABLE, and OPTION_INVALID where two files are of one data type,
 * instrument and day.
 */
export async function readTardisFolder(folder: string): Promise<TardisFolder> {
  const names = await stat(folder)
    .then(async (found) => {
      if (!found.isDirectory()) throw new Error('it is no folder; name the folder that holds the CSV files')
      return readdir(folder, { recursive: true })
    })
    .catch((error: unknown) => {
      throw folderError(folder, error)
    })
  const skipped: { path: string; because: string }[] = []
  const byDay = new Map<string, TardisFile[]>()
  for (const name of names.sort()) {
    if (!/\.csv(\.gz)?$/.test(name)) continue
    const path = join(folder, name)
    const file = tardisFileFromName(path, basename(name))
    if (typeof file === 'string') {
      skipped.push({ path, because: file })
      continue
    }
    const key = `${file.exchange} ${fileSymbol(file.symbol)} ${dayText(file.epochDay)}`
    byDay.set(key, [...(byDay.get(key) ?? []), file])
  }
  if (byDay.size === 0) {
    const [first] = skipped
    const words = first === undefined ? 'it holds no .csv or .csv.gz' : `${first.path}: ${first.because}`
    throw new BacktapeError('FILE_NOT_FOUND', `Cannot find a file to import in ${folder}: ${words}`, { file: folder })
  }
  return { days: [...byDay.keys()].sort().map((key) => dayOf(byDay.get(key) ?? [])), skipped }
}
