import { createReadStream } from 'node:fs'
import type { SignalValue } from '../../model/signal-row.js'
import { CsvCells, type CsvRow } from './csv-cells.js'
import {
  checkNames, fileRefusal, rowRefusal, type CellKind, type RowBatch, type RowColumn, type RowFile,
} from './row-file.js'
import { KIND_WORDS, kindOfText, valueOfText } from './text-value.js'

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

/** A CSV file with a header. */
class CsvRowFile implements RowFile {
  readonly #text: AsyncGenerator<string, void, undefined>
  readonly #cells: CsvCells
  #columns: RowColumn[] = []
  /** Rows that were given back, without the header. */
  #rowCount = 0
  #rest: CsvRow[] = []

  constructor(private readonly path: string, private readonly kinds: Readonly<Record<string, CellKind>>) {
    this.#text = textOf(path)
    this.#cells = new CsvCells((row, expected, found) => {
      throw row === 0
        ? fileRefusal(path, `a CSV file whose header has ${expected}`, found)
        : rowRefusal(path, row, 'it', `a row of CSV with ${expected}`, found)
    })
  }

  get columns(): readonly RowColumn[] {
    return this.#columns
  }

  async open(): Promise<void> {
    await this.#read()
    const [header, ...rest] = this.#rest
    if (header === undefined) throw fileRefusal(this.path, 'a CSV file with a header', 'no line')
    const names = header.map((name) => name ?? '')
    checkNames(this.path, names)
    const kinds = new Map(Object.entries(this.kinds))
    this.#columns = names.map((name) => ({ name, kind: kinds.get(name) ?? null }))
    this.#rest = rest
  }

  async next(): Promise<RowBatch | null> {
    if (this.#rest.length === 0) await this.#read()
    const rows = this.#rest
    this.#rest = []
    if (rows.length === 0) return null
    const columns = this.#columns.map((): SignalValue[] => [])
    for (const row of rows) {
      this.#rowCount++
      if (row.length !== columns.length)
        throw rowRefusal(this.path, this.#rowCount, 'it', `a row of ${columns.length} cells`, `${row.length}`)
      for (const [at, values] of columns.entries()) values.push(this.#value(at, row[at] ?? null))
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
      if (piece.done === true) {
        this.#cells.end()
        this.#rest = this.#cells.take()
        return
      }
      this.#cells.push(piece.value)
      this.#rest = this.#cells.take()
    }
  }

  /** The first value of a column decides its kind where nothing states it: a later row never does. */
  #value(at: number, text: string | null): SignalValue {
    if (text === null) return null
    const { name, kind } = this.#columns[at] as RowColumn
    const known = kind ?? kindOfText(text)
    if (kind === null) this.#columns[at] = { name, kind: known }
    const value = valueOfText(known, text)
    if (value !== null) return value
    const expected = Object.hasOwn(this.kinds, name)
      ? KIND_WORDS[known]
      : `${KIND_WORDS[known]} like its first value (or state its type in types)`
    throw rowRefusal(this.path, this.#rowCount, JSON.stringify(name), expected, JSON.stringify(text.slice(0, 60)))
  }
}

/** Opens a CSV file; `kinds` states those of some columns. The others have the kind of their first value. */
export async function openCsvRows(path: string, kinds: Readonly<Record<string, CellKind>>): Promise<RowFile> {
  const file = new CsvRowFile(path, kinds)
  try {
    await file.open()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
