import { fileRefusal, rowRefusal, type CellKind, type RowFile } from './row-file.js'
import { openedRows, ROW_LIMIT, TextRowFile } from './text-row-reader.js'

/** A row of cells: null where nothing stands between two commas, `''` for an empty text in quotes. */
export type CsvRow = (string | null)[]

const UNEXPECTED = 'a quote only around a whole cell'

/**
 * Cuts the text of a CSV file (RFC 4180: commas, double quotes, LF or CRLF) into rows of cells, however the text is
 * split into pieces. Lines without a character are left out. `refuse` throws the refusal of the row at hand: 0 is the
 * header.
 */
export class CsvCells {
  #count = 0
  #rows: CsvRow[] = []
  #row: CsvRow = []
  #cell = ''
  #state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin'
  #length = 0

  constructor(private readonly refuse: (row: number, expected: string, found: string) => never) {}

  /** Rows that are whole, which the caller owns. */
  take(): CsvRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  push(text: string): void {
    let at = 0
    while (at < text.length) {
      const begin = at
      if (this.#state === 'quoted') at = this.#quoted(text, at)
      else at = this.#plain(text, at)
      this.#length += at - begin
      if (this.#length > ROW_LIMIT) this.refuse(this.#count, `at most ${ROW_LIMIT} characters`, 'more')
    }
  }

  /** The text has ended: its last line needs no end of line. */
  end(): void {
    if (this.#state === 'quoted') this.refuse(this.#count, 'a cell whose quote is closed', 'the end of the file')
    if (this.#state !== 'begin' || this.#row.length > 0) this.#endRow()
  }

  #quoted(text: string, from: number): number {
    const end = text.indexOf('"', from)
    this.#cell += text.slice(from, end < 0 ? text.length : end)
    if (end < 0) return text.length
    this.#state = 'closed'
    return end + 1
  }

  /** Outside of quotes: up to and including the next comma, quote or end of line. */
  #plain(text: string, from: number): number {
    let at = from
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code === 44 || code === 10 || code === 34) break
      at++
    }
    if (at > from) this.#append(text.slice(from, at))
    if (at === text.length) return at
    const code = text.charCodeAt(at)
    if (code === 34) this.#quote()
    else if (code === 44) this.#endCell()
    else this.#endRow()
    return at + 1
  }

  #append(text: string): void {
    // A carriage return before the end of line belongs to it.
    if (this.#state === 'closed') {
      if (text !== '\r') this.refuse(this.#count, UNEXPECTED, JSON.stringify(text.slice(0, 40)))
      return
    }
    this.#cell += text
    this.#state = 'plain'
  }

  #quote(): void {
    // A second quote inside of quotes stands for one.
    if (this.#state === 'closed') this.#cell += '"'
    else if (this.#state === 'plain') this.refuse(this.#count, UNEXPECTED, JSON.stringify(`${this.#cell.slice(-40)}"`))
    this.#state = 'quoted'
  }

  #endCell(): void {
    this.#row.push(this.#state === 'begin' ? null : this.#cell)
    this.#cell = ''
    this.#state = 'begin'
  }

  #endRow(): void {
    if (this.#state === 'plain' && this.#cell.endsWith('\r')) {
      this.#cell = this.#cell.slice(0, -1)
      if (this.#cell === '') this.#state = 'begin'
    }
    const isEmpty = this.#state === 'begin' && this.#row.length === 0
    this.#endCell()
    if (!isEmpty) {
      this.#rows.push(this.#row)
      this.#count++
    }
    this.#row = []
    this.#length = 0
  }
}

/** A CSV file with a header. */
class CsvRowFile extends TextRowFile<CsvRow> {
  readonly #cells: CsvCells

  constructor(path: string, kinds: Readonly<Record<string, CellKind>>) {
    super(path, kinds)
    this.#cells = new CsvCells((row, expected, found) => {
      throw row === 0
        ? fileRefusal(path, `a CSV file whose header has ${expected}`, found)
        : rowRefusal(path, row, 'it', `a row of CSV with ${expected}`, found)
    })
  }

  protected override cut(piece: string | null): CsvRow[] {
    if (piece === null) this.#cells.end()
    else this.#cells.push(piece)
    return this.#cells.take()
  }

  protected override namesOf(rows: CsvRow[]): readonly string[] {
    const header = rows.shift()
    if (header === undefined) throw fileRefusal(this.path, 'a CSV file with a header', 'no line')
    return header.map((name) => name ?? '')
  }

  protected override check({ length }: CsvRow, number: number): void {
    const count = this.columns.length
    if (length !== count) throw rowRefusal(this.path, number, 'it', `a row of ${count} cells`, `${length}`)
  }

  protected override cell(row: CsvRow, at: number): string | null {
    return row[at] ?? null
  }

  protected override mayBeText(): boolean {
    return true
  }
}

/** Opens a CSV file; `kinds` states those of some columns. The others have the kind of their first value. */
export function openCsvRows(path: string, kinds: Readonly<Record<string, CellKind>>): Promise<RowFile> {
  return openedRows(new CsvRowFile(path, kinds))
}
