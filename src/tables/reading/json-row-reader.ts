import { jsonParser } from 'stream-json/core/parser.js'
import { fileRefusal, rowRefusal, type CellKind, type RowColumn, type RowFile } from './row-file.js'
import { openedRows, ROW_LIMIT, TextRowFile } from './text-row-reader.js'

/** A piece of JSON as its parser gives it. */
interface Token {
  readonly name: string
  readonly value?: unknown
}

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

  #take(token: Token): void {
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
class JsonRowFile extends TextRowFile<JsonRow> {
  readonly #objects: JsonRows

  constructor(path: string, kinds: Readonly<Record<string, CellKind>>) {
    super(path, kinds)
    this.#objects = new JsonRows((row, expected, found) => { throw rowRefusal(path, row, 'it', expected, found) })
  }

  protected override cut(piece: string | null): JsonRow[] {
    if (piece !== null) return this.#objects.push(piece)
    this.#objects.end()
    return []
  }

  protected override namesOf([first]: JsonRow[]): readonly string[] {
    if (first === undefined) throw fileRefusal(this.path, 'JSON with at least one object', 'none')
    return [...first.keys()]
  }

  protected override check(row: JsonRow, number: number): void {
    const names = this.columns.map(({ name }) => name)
    const other = [...row.keys()].find((name) => !names.includes(name))
    if (other === undefined) return
    const expected = `an object with the names of the first one (${names.join(', ').slice(0, 200)})`
    throw rowRefusal(this.path, number, 'it', expected, JSON.stringify(other))
  }

  /** A name that a row lacks is null. */
  protected override cell(row: JsonRow, at: number): string | null {
    return this.#at(row, at)?.text ?? null
  }

  protected override mayBeText(row: JsonRow, at: number): boolean {
    return this.#at(row, at)?.isText === true
  }

  #at(row: JsonRow, at: number): JsonCell | null {
    return row.get((this.columns[at] as RowColumn).name) ?? null
  }
}

/**
 * Opens objects of JSON, a line each or all in one array; `kinds` states those of some columns. The others have the
 * kind of their first value, as in CSV, whether it stands in quotes or not. Numbers are exact.
 */
export function openJsonRows(path: string, kinds: Readonly<Record<string, CellKind>>): Promise<RowFile> {
  return openedRows(new JsonRowFile(path, kinds))
}
