import { decimalScale, plainDecimal, SCALE_LIMIT, scaledFromText } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { fileSymbol, rowError, TARDIS_COLUMNS, type TardisFile } from './tardis-layout.js'

const US_PER_DAY = 86_400_000_000
const MICROSECONDS = /^\d{16}$/
const DECIMAL = /^\d+(?:\.\d+)?$/
const POSITIVE = /^\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/
/** Texts of so many characters have digits that a tick file's reader holds in any case. */
const SHORT = 15
const RATE = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/

/** The cells that every row has, checked. */
export interface CsvRow {
  readonly cells: readonly string[]
  readonly line: number
  /** Microseconds since the Unix epoch at which the row arrived at the recorder. */
  readonly localUs: number
  /** Venue time in epoch nanoseconds as text; `0` where the venue gave none, as the row then repeats its arrival. */
  readonly exchangeNs: string
}

/**
 * Takes the rows of one file apart and refuses what is not in the published layout: another number of cells, quotation
 * marks, another exchange or symbol than the name of the file, times that are no microseconds, arrivals outside the day
 * of the file or before the row above.
 */
export class CsvRows {
  private readonly file: TardisFile
  private readonly cellCount: number
  private readonly dayUs: number
  private symbol: string | null = null
  private lastUs = 0

  constructor(file: TardisFile) {
    this.file = file
    this.cellCount = TARDIS_COLUMNS[file.type].length
    this.dayUs = file.epochDay * US_PER_DAY
  }

  /** The symbol of the rows as the venue writes it; null before the first row. */
  get venueSymbol(): string | null {
    return this.symbol
  }

  /** One row; throws ROW_INVALID. */
  row(text: string, line: number): CsvRow {
    if (text.includes('"')) this.fail(line, 'row', 'free of quotation marks, as the published files are', text)
    const cells = text.split(',')
    if (cells.length !== this.cellCount)
      this.fail(line, 'row', `${String(this.cellCount)} cells`, `${String(cells.length)} in ${JSON.stringify(text)}`)
    const [exchange = '', symbol = '', timestamp = '', local = ''] = cells
    if (symbol !== this.symbol || exchange !== this.file.exchange) this.checkNames(line, exchange, symbol)
    if (!MICROSECONDS.test(local)) this.fail(line, 'local_timestamp', 'microseconds since 1970 in 16 digits', local)
    const localUs = Number(local)
    if (localUs < this.lastUs)
      this.fail(line, 'local_timestamp', `at least ${String(this.lastUs)} of the row above, as files are sorted`, local)
    if (localUs < this.dayUs || localUs >= this.dayUs + US_PER_DAY)
      this.fail(line, 'local_timestamp', 'on the day that the name of the file says', local)
    this.lastUs = localUs
    if (!MICROSECONDS.test(timestamp)) this.fail(line, 'timestamp', 'microseconds since 1970 in 16 digits', timestamp)
    return { cells, line, localUs, exchangeNs: timestamp === local ? '0' : `${timestamp}000` }
  }

  /**
   * A price or amount, not negative, in plain digits: as it stands, or out of scientific form. Throws VALUE_INEXACT
   * where a run cannot hold it.
   */
  decimal({ cells, line }: CsvRow, column: number): string {
    const text = cells[column] ?? ''
    if (DECIMAL.test(text)) return this.held(line, column, text)
    const plain = POSITIVE.test(text) ? plainDecimal(text) : null
    return this.held(line, column, plain ?? this.failCell(line, column, 'a decimal, not negative', text))
  }

  /** True where a cell is empty: the venue gave no value. */
  isEmpty({ cells }: CsvRow, column: number): boolean {
    return cells[column] === ''
  }

  /** A rate or a price of a ticker, which may be negative or in scientific form, in plain digits of any number. */
  rate({ cells, line }: CsvRow, column: number): string {
    const text = cells[column] ?? ''
    const plain = RATE.test(text) ? plainDecimal(text) : null
    return plain ?? this.failCell(line, column, 'a decimal', text)
  }

  /** A time in microseconds as epoch nanoseconds; `0` for an empty cell. */
  timeNs({ cells, line }: CsvRow, column: number): string {
    const text = cells[column] ?? ''
    if (text === '') return '0'
    if (!MICROSECONDS.test(text)) this.failCell(line, column, 'microseconds since 1970 in 16 digits', text)
    return `${text}000`
  }

  /** 0 of the first word, 1 of the second. */
  choice({ cells, line }: CsvRow, column: number, words: readonly [string, string]): 0 | 1 {
    const text = cells[column] ?? ''
    if (text === words[0]) return 0
    return text === words[1] ? 1 : this.failCell(line, column, `${words[0]} or ${words[1]}`, text)
  }

  /** A value in plain digits, where its reader can hold it. */
  private held(line: number, column: number, text: string): string {
    if (text.length <= SHORT) return text
    const scale = decimalScale(text) ?? SCALE_LIMIT + 1
    if (scale <= SCALE_LIMIT && scaledFromText(text, scale) !== null) return text
    const { path: file, type } = this.file
    const field = TARDIS_COLUMNS[type][column] ?? 'row'
    const expected = 'a decimal whose digits are at most 2^53 - 1'
    throw new BacktapeError(
      'VALUE_INEXACT', `Cannot import line ${String(line)} of ${file}: ${field} must be ${expected}, found ${text}`,
      { file, line, field, expected, found: text },
    )
  }

  private checkNames(line: number, exchange: string, symbol: string): void {
    const { exchange: wanted } = this.file
    if (exchange !== wanted) this.fail(line, 'exchange', `${wanted}, as the name says`, exchange)
    if (fileSymbol(symbol) !== fileSymbol(this.file.symbol))
      this.fail(line, 'symbol', `${this.file.symbol}, as the name says`, symbol)
    if (this.symbol !== null && symbol !== this.symbol) this.fail(line, 'symbol', `${this.symbol} as above`, symbol)
    this.symbol = symbol
  }

  private failCell(line: number, column: number, expected: string, found: string): never {
    return this.fail(line, TARDIS_COLUMNS[this.file.type][column] ?? 'row', expected, JSON.stringify(found))
  }

  private fail(line: number, field: string, expected: string, found: string): never {
    throw rowError(this.file.path, line, field, expected, found === '' ? 'nothing' : found)
  }
}
