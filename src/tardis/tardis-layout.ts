import { BacktapeError } from '../model/error.js'
import { epochDayFromText } from '../model/time.js'

/**
 * The data types of tardis.dev's downloadable CSV files that are imported. Their order decides between rows that
 * arrived in the same microsecond: a trade comes before the book that it changed.
 */
export const TARDIS_TYPES = [
  'trades', 'liquidations', 'incremental_book_L2', 'book_snapshot_25', 'book_snapshot_5', 'book_ticker', 'quotes',
  'derivative_ticker',
] as const

/** A data type of {@link TARDIS_TYPES}. */
export type TardisType = (typeof TARDIS_TYPES)[number]

/** A CSV file by its name, `EXCHANGE_DATATYPE_YYYY-MM-DD_SYMBOL.csv` or `.csv.gz`. */
export interface TardisFile {
  readonly path: string
  /** Exchange id of tardis.dev, such as `binance-futures`. */
  readonly exchange: string
  readonly type: TardisType
  /** Days since 1970-01-01. */
  readonly epochDay: number
  /** The symbol as the name has it: `/` and `:` of the venue's symbol are hyphens there. */
  readonly symbol: string
  readonly isPacked: boolean
}

const LEAD = ['exchange', 'symbol', 'timestamp', 'local_timestamp'] as const
const QUOTE = [...LEAD, 'ask_amount', 'ask_price', 'bid_price', 'bid_amount'] as const
const TRADE = [...LEAD, 'id', 'side', 'price', 'amount'] as const

function snapshotColumns(levelCount: number): string[] {
  const levels = Array.from({ length: levelCount }, (_, i) => i).flatMap((i) => [
    `asks[${String(i)}].price`, `asks[${String(i)}].amount`, `bids[${String(i)}].price`, `bids[${String(i)}].amount`,
  ])
  return [...LEAD, ...levels]
}

/** The header of each data type, column by column (docs.tardis.dev, "Downloadable CSV files", read 2026-11-25). */
export const TARDIS_COLUMNS: Readonly<Record<TardisType, readonly string[]>> = {
  trades: TRADE,
  liquidations: TRADE,
  incremental_book_L2: [...LEAD, 'is_snapshot', 'side', 'price', 'amount'],
  book_snapshot_25: snapshotColumns(25),
  book_snapshot_5: snapshotColumns(5),
  book_ticker: QUOTE,
  quotes: QUOTE,
  derivative_ticker: [
    ...LEAD, 'funding_timestamp', 'funding_rate', 'predicted_funding_rate', 'open_interest', 'last_price',
    'index_price', 'mark_price',
  ],
}

const NAME = /^([a-z0-9-]+)_([A-Za-z0-9_]+?)_(\d{4}-\d{2}-\d{2})_(.+?)\.csv(\.gz)?$/

/** Symbols that stand for many instruments in one file. */
const GROUPED: ReadonlySet<string> = new Set(['SPOT', 'FUTURES', 'PERPETUALS', 'OPTIONS'])

/** The file that a name says, or in words why it is not imported. */
export function tardisFileFromName(path: string, baseName: string): TardisFile | string {
  const match = NAME.exec(baseName)
  if (match === null) return 'its name is not EXCHANGE_DATATYPE_YYYY-MM-DD_SYMBOL.csv or .csv.gz'
  const [, exchange = '', type = '', date = '', symbol = '', packed] = match
  if (type === 'options_chain')
    return 'options_chain is not supported: it holds many instruments, and greeks without the books they belong to'
  const known = TARDIS_TYPES.find((one) => one === type)
  if (known === undefined) return `${type} is none of the data types ${TARDIS_TYPES.join(', ')}`
  if (GROUPED.has(symbol)) return `${symbol} stands for many instruments in one file; download them one by one`
  const epochDay = epochDayFromText(date)
  if (epochDay === null) return `there is no day ${date}`
  return { path, exchange, type: known, epochDay, symbol, isPacked: packed !== undefined }
}

/** A symbol as file names have it. */
export function fileSymbol(symbol: string): string {
  return symbol.replace(/[/:]/g, '-').toUpperCase()
}

/** The error of a row of a CSV file: file, line, field, expected and found. */
export function rowError(file: string, line: number, field: string, expected: string, found: string): BacktapeError {
  const short = found.slice(0, 80)
  return new BacktapeError(
    'ROW_INVALID', `Cannot import line ${String(line)} of ${file}: ${field} must be ${expected}, found ${short}`,
    { file, line, field, expected, found: short },
  )
}

/** Throws ROW_INVALID where line 1 is not the header of the data type. */
export function checkHeader({ type, path }: Pick<TardisFile, 'type' | 'path'>, line: string): void {
  const wanted = TARDIS_COLUMNS[type]
  const found = line.split(',')
  const missing = wanted.find((column) => !found.includes(column))
  if (missing !== undefined)
    throw rowError(path, 1, 'header', `the columns of ${type}`, `no column ${missing} in ${JSON.stringify(line)}`)
  const at = Math.max(0, found.findIndex((column, i) => column !== wanted[i]))
  if (found.length !== wanted.length || found[at] !== wanted[at]) {
    const column = String(at + 1)
    const words = `${wanted[at] ?? 'nothing more'} in column ${column}`
    throw rowError(path, 1, 'header', words, JSON.stringify(found[at] ?? 'nothing'))
  }
}
