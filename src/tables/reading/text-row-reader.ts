import { createReadStream } from 'node:fs'
import { Decimal } from '../../model/decimal.js'
import type { SignalValue } from '../../model/signal-row.js'
import { epochNsFromText } from '../../model/time.js'
import {
  checkNames, fileRefusal, integerValue, rowRefusal, type CellKind, type RowBatch, type RowColumn, type RowFile,
} from './row-file.js'

/** The form of a time in text: a date, and a clock time and zone where they are stated. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/
const NUMBER = /^[+-]?\d{1,100}(?:\.\d{1,100})?(?:[eE][+-]?\d{1,3})?$/
const INTEGER = /^[+-]?\d{1,40}$/
/** A number that is no code with zeros in front of it. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NO_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['nan', NaN], ['inf', Infinity], ['infinity', Infinity], ['-inf', -Infinity], ['-infinity', -Infinity],
])

/** Epoch nanoseconds of a time in ISO-8601, in UTC where it states no zone; null for any other text. */
function isoTimeOf(text: string): bigint | null {
  if (!ISO.test(text)) return null
  try {
    return epochNsFromText(text, null)
  } catch {
    return null
  }
}

function booleanOf(text: string): boolean | null {
  const lower = text.toLowerCase()
  return lower === 'true' ? true : lower === 'false' ? false : null
}

function doubleOf(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : (NO_NUMBERS.get(text.toLowerCase()) ?? null)
}

const READERS: Readonly<Record<CellKind, (text: string) => SignalValue>> = {
  integer: (text) => (INTEGER.test(text) ? integerValue(BigInt(text.replace('+', ''))) : null),
  decimal: (text) => (NUMBER.test(text) ? new Decimal(text) : null),
  double: doubleOf,
  timestamp: isoTimeOf,
  boolean: booleanOf,
  text: (text) => text,
}

/** The words for values of a kind. */
const KIND_WORDS: Readonly<Record<CellKind, string>> = {
  integer: 'an integer', decimal: 'a decimal', double: 'a number', timestamp: 'an ISO-8601 time',
  boolean: 'true or false', text: 'a text',
}

/** The value of a cell in a column of a kind; null where the text is none. */
function valueOfText(kind: CellKind, text: string): SignalValue {
  return READERS[kind](text)
}

/** The kind of a column whose first value is this text. */
function kindOfText(text: string): CellKind {
  if (PLAIN_NUMBER.test(text) && NUMBER.test(text)) return 'decimal'
  if (booleanOf(text) !== null) return 'boolean'
  return isoTimeOf(text) === null ? 'text' : 'timestamp'
}

/** Characters that one row of text may have. */
export const ROW_LIMIT = 1_048_576

const CHUNK_BYTES = 65_536

/** The text of a file in pieces; refuses bytes that are no UTF-8. */
async function* textOf(path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch (error) {
      throw fileRefusal(path, 'text in UTF-8', 'other bytes', error)
    }
  }
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  for await (const bytes of stream) yield decoded(bytes as Uint8Array)
  yield decoded()
}

/**
 * A file of text whose rows state no types: the first value of a column decides its kind where nothing states it, so
 * that a later row never does. {@link open} comes first.
 */
export abstract class TextRowFile<Row> implements RowFile {
  readonly #text: AsyncGenerator<string, void, undefined>
  #columns: RowColumn[] = []
  /** Rows that were given back. */
  #rowCount = 0
  #rest: Row[] = []

  /** `kinds` states those of some columns. */
  constructor(protected readonly path: string, private readonly kinds: Readonly<Record<string, CellKind>>) {
    this.#text = textOf(path)
  }

  get columns(): readonly RowColumn[] {
    return this.#columns
  }

  /** The rows that are whole with a piece of the text, which the caller owns; null: the text has ended. */
  protected abstract cut(piece: string | null): Row[]
  /** Names of the columns, by the first rows; a row that holds nothing else is taken out of them. */
  protected abstract namesOf(rows: Row[]): readonly string[]
  /** Throws where a row has not the cells of the columns. */
  protected abstract check(row: Row, number: number): void
  /** The text of a cell; null where nothing stands. */
  protected abstract cell(row: Row, at: number): string | null
  /** False where a cell stands without quotes, and texts have some. */
  protected abstract mayBeText(row: Row, at: number): boolean

  /** Reads the first rows. Throws FILE_UNREADABLE for names that no row can have. */
  async open(): Promise<void> {
    await this.#read()
    const names = this.namesOf(this.#rest)
    checkNames(this.path, names)
    const kinds = new Map(Object.entries(this.kinds))
    this.#columns = names.map((name) => ({ name, kind: kinds.get(name) ?? null }))
  }

  async next(): Promise<RowBatch | null> {
    if (this.#rest.length === 0) await this.#read()
    const rows = this.#rest
    this.#rest = []
    if (rows.length === 0) return null
    const columns = this.#columns.map((): SignalValue[] => [])
    for (const row of rows) {
      this.check(row, ++this.#rowCount)
      for (const [at, values] of columns.entries()) values.push(this.#value(row, at))
    }
    return { rowCount: rows.length, columns }
  }

  async close(): Promise<void> {
    await this.#text.return()
  }

  /** Reads until a row is whole, or the file has ended. */
  async #read(): Promise<void> {
    while (this.#rest.length === 0) {
      const piece = await this.#text.next()
      this.#rest = this.cut(piece.done === true ? null : piece.value)
      if (piece.done === true) return
    }
  }

  #value(row: Row, at: number): SignalValue {
    const text = this.cell(row, at)
    if (text === null) return null
    const { name, kind } = this.#columns[at] as RowColumn
    const known = kind ?? kindOfText(text)
    if (kind === null) this.#columns[at] = { name, kind: known }
    const mayBeText = this.mayBeText(row, at)
    const value = known === 'text' && !mayBeText ? null : valueOfText(known, text)
    if (value !== null) return value
    const expected = Object.hasOwn(this.kinds, name)
      ? KIND_WORDS[known]
      : `${KIND_WORDS[known]} like its first value (or state its type in types)`
    const found = text.slice(0, 60)
    throw rowRefusal(
      this.path, this.#rowCount, JSON.stringify(name), expected, mayBeText ? JSON.stringify(found) : found,
    )
  }
}

/** Opens such a file; it is closed where that throws. */
export async function openedRows<Row>(file: TextRowFile<Row>): Promise<RowFile> {
  try {
    await file.open()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
