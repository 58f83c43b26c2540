import { jsonParser } from 'stream-json/core/parser.js'
import type { SignalValue } from '../../model/signal-row.js'
import { ROW_LIMIT, TextColumns, textOf } from './cell-text-reader.js'
import { fileRefusal, rowRefusal, type CellKind, type RowBatch, type RowColumn, type RowFile } from './row-file.js'

type Token = ReturnType<ReturnType<typeof jsonParser>> extends infer Found
  ? Found extends { readonly values: readonly (infer One)[] } ? One : never : never

/** A value of JSON: its text, and whether it stood in quotes. */
interface JsonCell {
  readonly text: string
  readonly isText: boolean
}

/** The fields of an object in their order; null for a null. */
type JsonRow = Map<string, JsonCell | null>

/** Letters that a value counts beside those of its text. */
const VALUE_LETTERS = 8

/**
 * Cuts objects of plain values out of a text, one behind the other or in one array, however the text is split into
 * pieces. `refuse` throws the refusal of the row at hand, which counts from 1.
 */
class JsonRows {
  readonly #parse = jsonParser({ packValues: false, streamValues: true, jsonStreaming: true })
  #place: 'before' | 'array' | 'lines' | 'behind' = 'before'
  #row: JsonRow | null = null
  #name = ''
  #text = ''
  #letters = 0
  #count = 0
  #rows: JsonRow[] = []

  constructor(private readonly refuse: (row: number, expected: string, found: string) => never) {}

  /** The objects that are whole with this piece, which the caller owns. */
  push(text: string): JsonRow[] {
    this.#rows = []
    // Line by line, so that what is malformed is known by its row.
    for (let from = 0; from < text.length;) {
      const to = text.indexOf('\n', from) + 1 || text.length
      for (const token of this.#parsed(text.slice(from, to))) this.#take(token)
      from = to
    }
    return this.#rows
  }

  /** The text has ended. */
  end(): void {
    if (this.#row !== null || this.#place === 'array') this.#malformed('the end of the file')
  }

  #parsed(text: string): readonly Token[] {
    let found: ReturnType<ReturnType<typeof jsonParser>>
    try {
      found = this.#parse(text)
    } catch {
      return this.#malformed('other text')
    }
    return typeof found === 'symbol' ? [] : found.values
  }

  #take(token: { readonly name: string, readonly value?: unknown }): void {
    switch (token.name) {
      case 'startObject': return this.#begin()
      case 'startArray': return this.#beginArray()
      case 'endObject': return this.#endRow()
      case 'endArray':
        this.#place = 'behind'
        return
      case 'stringChunk': case 'numberChunk': return this.#addText(String(token.value))
      case 'endKey':
        this.#name = this.#takeText()
        return
      case 'endString': return this.#value({ text: this.#takeText(), isText: true })
      case 'endNumber': return this.#value({ text: this.#takeText(), isText: false })
      case 'trueValue': case 'falseValue': return this.#value({ text: String(token.value), isText: false })
      case 'nullValue': return this.#value(null)
      default:
    }
  }

  #begin(): void {
    if (this.#row !== null) this.#refuseNested('an object')
    if (this.#place === 'behind') this.#malformed('more behind the array')
    if (this.#place === 'before') this.#place = 'lines'
    this.#row = new Map()
    this.#letters = 0
  }

  #beginArray(): void {
    if (this.#row !== null) this.#refuseNested('an array')
    if (this.#place !== 'before') this.#malformed('an array')
    this.#place = 'array'
  }

  #endRow(): void {
    if (this.#row !== null) this.#rows.push(this.#row)
    this.#row = null
    this.#count++
  }

  #value(cell: JsonCell | null): void {
    if (this.#row === null) return this.#malformed('a value that is no object')
    if (this.#row.has(this.#name))
      this.refuse(this.#count + 1, 'an object whose names differ', `two of the name ${JSON.stringify(this.#name)}`)
    this.#row.set(this.#name, cell)
    this.#counted(VALUE_LETTERS)
  }

  #addText(text: string): void {
    this.#counted(text.length)
    this.#text += text
  }

  #takeText(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  #counted(letters: number): void {
    this.#letters += letters
    if (this.#letters > ROW_LIMIT) this.refuse(this.#count + 1, `an object of at most ${ROW_LIMIT} characters`, 'more')
  }

  #refuseNested(found: string): never {
    return this.refuse(
      this.#count + 1, `an object of plain values, where ${JSON.stringify(this.#name)} is one`, found,
    )
  }

  #malformed(found: string): never {
    return this.refuse(this.#count + 1, 'an object of JSON', found)
  }
}

/** Objects of JSON, a row each; the first one states the columns. */
class JsonRowFile implements RowFile {
  readonly #text: AsyncGenerator<string, void, undefined>
  readonly #cut: JsonRows
  readonly #columns: TextColumns
  #rowCount = 0
  #rest: JsonRow[] = []

  constructor(private readonly path: string, kinds: Readonly<Record<string, CellKind>>) {
    this.#text = textOf(path)
    this.#columns = new TextColumns(path, kinds)
    this.#cut = new JsonRows((row, expected, found) => { throw rowRefusal(path, row, 'it', expected, found) })
  }

  get columns(): readonly RowColumn[] {
    return this.#columns.columns
  }

  async open(): Promise<void> {
    await this.#read()
    const [first] = this.#rest
    if (first === undefined) throw fileRefusal(this.path, 'JSON with at least one object', 'none')
    this.#columns.take([...first.keys()])
  }

  async next(): Promise<RowBatch | null> {
    if (this.#rest.length === 0) await this.#read()
    const rows = this.#rest
    this.#rest = []
    if (rows.length === 0) return null
    const columns = this.columns.map((): SignalValue[] => [])
    for (const row of rows) {
      this.#rowCount++
      this.#checkNames(row)
      for (const [at, values] of columns.entries()) {
        // A name that a row lacks is null.
        const cell = row.get((this.columns[at] as RowColumn).name) ?? null
        values.push(this.#columns.value(at, this.#rowCount, cell?.text ?? null, cell?.isText === true))
      }
    }
    return { rowCount: rows.length, columns }
  }

  async close(): Promise<void> {
    await this.#text.return()
  }

  /** Reads until an object is whole, or the file has ended. */
  async #read(): Promise<void> {
    while (this.#rest.length === 0) {
      const piece = await this.#text.next()
      if (piece.done === true) {
        this.#cut.end()
        return
      }
      this.#rest = this.#cut.push(piece.value)
    }
  }

  #checkNames(row: JsonRow): void {
    for (const name of row.keys())
      if (!this.columns.some((column) => column.name === name))
        throw rowRefusal(
          this.path, this.#rowCount, 'it', `an object with the names of the first one (${this.#names()})`,
          JSON.stringify(name),
        )
  }

  #names(): string {
    return this.columns.map(({ name }) => name).join(', ').slice(0, 200)
  }
}

/**
 * Opens objects of JSON, a line each or all in one array; `kinds` states those of some columns. The others have the
 * kind of their first value, as in CSV, whether it stands in quotes or not. Numbers are exact.
 */
export async function openJsonRows(path: string, kinds: Readonly<Record<string, CellKind>>): Promise<RowFile> {
  const file = new JsonRowFile(path, kinds)
  try {
    await file.open()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
