import { shortInteger, shortScale } from '../model/short-decimal.js'
import { textFromScaled } from '../model/decimal.js'
import { keptValue } from '../model/kept-value.js'
import { BacktapeError } from '../model/error.js'

/**
 * The form in which a field of a record is kept: `number`: an integer, NaN or null; `numbers`: a list of
 * {@link LIST_LENGTH} of them; `decimal`: a text, mostly a decimal in its shortest form, or
 * null; `word`: one of few values;
 * `id`: a text, mostly a UUID, or null; `rare`: anything, mostly null.
 */
export type PackedForm = 'number' | 'numbers' | 'decimal' | 'word' | 'id' | 'rare'

/** Values in a field of the form `numbers`. */
const LIST_LENGTH = 4

/** Rows come in chunks, so that nothing is copied while they grow and little is kept empty. */
const CHUNK_BITS = 11
const CHUNK_ROWS = 1 << CHUNK_BITS
const CHUNK_MASK = CHUNK_ROWS - 1
/** Stands for null among numbers, of which none is infinite. */
const NO_NUMBER = Infinity
const ID_BYTES = 16
const MINUS = 45
/** Places of the minus signs in a UUID of 36 characters. */
const MINUS_PLACES = [8, 13, 18, 23]
const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The value of a lower-case hex digit by its character code; 16 for any other character. */
const WORTH: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const worth = '0123456789abcdef'.indexOf(String.fromCharCode(code))
  return worth < 0 ? 16 : worth
})

interface PackedColumn {
  set(row: number, value: unknown): void
  get(row: number): unknown
  /** One value of a list, where values are lists. */
  item?(row: number, index: number): number | null
}

class NumberColumn implements PackedColumn {
  readonly #chunks: Float64Array[] = []

  set(row: number, value: unknown): void {
    const chunk = (this.#chunks[row >> CHUNK_BITS] ??= new Float64Array(CHUNK_ROWS))
    chunk[row & CHUNK_MASK] = value === null ? NO_NUMBER : value as number
  }

  get(row: number): number | null {
    const value = this.#chunks[row >> CHUNK_BITS]?.[row & CHUNK_MASK] as number
    return value === NO_NUMBER ? null : value
  }
}

class NumbersColumn implements PackedColumn {
  readonly #columns: readonly NumberColumn[] = Array.from({ length: LIST_LENGTH }, () => new NumberColumn())

  set(row: number, value: unknown): void {
    const list = value as readonly (number | null)[]
    for (let i = 0; i < LIST_LENGTH; i++) this.#columns[i]?.set(row, list[i])
  }

  get(row: number): (number | null)[] {
    return this.#columns.map((column) => column.get(row))
  }

  item(row: number, index: number): number | null {
    return this.#columns[index]?.get(row) ?? null
  }
}

class WordColumn implements PackedColumn {
  readonly #chunks: Uint32Array[] = []
  readonly #numbers: Map<unknown, number> = new Map()
  readonly #words: unknown[] = []
  readonly #add = (word: unknown): number => this.#words.push(word) - 1

  set(row: number, value: unknown): void {
    const number = keptValue(this.#numbers, value, this.#add)
    const chunk = (this.#chunks[row >> CHUNK_BITS] ??= new Uint32Array(CHUNK_ROWS))
    chunk[row & CHUNK_MASK] = number
  }

  get(row: number): unknown {
    return this.#words[this.#chunks[row >> CHUNK_BITS]?.[row & CHUNK_MASK] as number]
  }
}

class RareColumn implements PackedColumn {
  readonly #values: Map<number, unknown> = new Map()

  set(row: number, value: unknown): void {
    if (value !== null) this.#values.set(row, value)
  }

  get(row: number): unknown {
    return this.#values.get(row) ?? null
  }
}

/** Short decimals as integers at their own scale; every other text is rare. */
class DecimalColumn implements PackedColumn {
  readonly #integers: NumberColumn = new NumberColumn()
  readonly #scales: Uint8Array[] = []
  readonly #others: RareColumn = new RareColumn()

  set(row: number, value: unknown): void {
    const text = value as string | null
    const scale = text === null ? null : shortScale(text)
    if (scale === null) this.#others.set(row, text)
    this.#integers.set(row, text === null || scale === null ? null : shortInteger(text))
    const scales = (this.#scales[row >> CHUNK_BITS] ??= new Uint8Array(CHUNK_ROWS))
    scales[row & CHUNK_MASK] = scale ?? 0
  }

  get(row: number): unknown {
    const integer = this.#integers.get(row)
    return integer === null
      ? this.#others.get(row)
      : textFromScaled(integer, this.#scales[row >> CHUNK_BITS]?.[row & CHUNK_MASK] as number)
  }
}

/** The bytes of a UUID; null are those of the one that is all zeros, and every other text is rare. */
class IdColumn implements PackedColumn {
  readonly #chunks: Uint8Array[] = []
  readonly #others: RareColumn = new RareColumn()

  set(row: number, value: unknown): void {
    const chunk = (this.#chunks[row >> CHUNK_BITS] ??= new Uint8Array(CHUNK_ROWS * ID_BYTES))
    const at = (row & CHUNK_MASK) * ID_BYTES
    if (value === null || (typeof value === 'string' && packed(value, chunk, at))) return
    chunk.fill(0, at, at + ID_BYTES)
    this.#others.set(row, value)
  }

  get(row: number): unknown {
    const chunk = this.#chunks[row >> CHUNK_BITS] as Uint8Array
    const at = (row & CHUNK_MASK) * ID_BYTES
    let text = ''
    let isZero = true
    for (let i = 0; i < ID_BYTES; i++) {
      const byte = chunk[at + i] as number
      if (byte !== 0) isZero = false
      text += i === 4 || i === 6 || i === 8 || i === 10 ? `-${DIGITS[byte] as string}` : DIGITS[byte] as string
    }
    return isZero ? this.#others.get(row) : text
  }
}

/** Puts a UUID into bytes; false where it is none, or would be all zeros. */
function packed(text: string, bytes: Uint8Array, from: number): boolean {
  if (text.length !== 36) return false
  for (const place of MINUS_PLACES) if (text.charCodeAt(place) !== MINUS) return false
  let at = from
  let all = 0
  for (let i = 0; i < 36; i += 2) {
    if (i === 8 || i === 13 || i === 18 || i === 23) i++
    const high = WORTH[text.charCodeAt(i)] ?? 16
    const low = WORTH[text.charCodeAt(i + 1)] ?? 16
    if (high > 15 || low > 15) return false
    const byte = (high << 4) | low
    all |= byte
    bytes[at++] = byte
  }
  return all !== 0
}

const COLUMNS: Readonly<Record<PackedForm, new () => PackedColumn>> = {
  number: NumberColumn, numbers: NumbersColumn, word: WordColumn, id: IdColumn, decimal: DecimalColumn,
  rare: RareColumn,
}

/** Which row a record has; -1 for none. */
export interface Rowed {
  readonly row: number
}

/** The sums of an account that has none yet, by instrument id. */
export function noInstruments<Sums>(): Map<number, Sums> {
  return new Map()
}

/**
 * Records by row, objects while they may still change and columns of bytes afterwards: a table of a long run is held in
 * a third of the memory, and what is not held need not be moved by the collector.
 */
export class PackedRows<Record extends Rowed> {
  readonly #columns: readonly PackedColumn[]
  readonly #names: readonly string[]
  readonly #live: Map<number, Record> = new Map()
  #length = 0

  /** `forms` says every field but `row`, in the order in which records have them. */
  constructor(forms: { readonly [Name in Exclude<keyof Record, 'row'>]: PackedForm }) {
    this.#names = Object.keys(forms)
    this.#columns = Object.values<PackedForm>(forms).map((form) => new COLUMNS[form]())
  }

  get length(): number {
    return this.#length
  }

  /** Puts a record at the end, whose row is {@link length}. */
  add(record: Record): void {
    this.#live.set(this.#length++, record)
  }

  /** A record changes no more. */
  pack(row: number): void {
    const record = this.#live.get(row)
    if (record === undefined) return
    this.#live.delete(row)
    let place = 0
    for (const name in record) {
      if (name === 'row') continue
      const column = this.#names[place] === name ? place : this.#names.indexOf(name)
      this.#columns[column]?.set(row, record[name])
      place++
    }
  }

  /** The record of a row: the object itself while it may change. */
  at(row: number): Record {
    const live = this.#live.get(row)
    if (live !== undefined) return live
    const record: { [name: string]: unknown } = { row }
    for (let i = 0; i < this.#names.length; i++) record[this.#names[i] as string] = this.#columns[i]?.get(row)
    return record as unknown as Record
  }

  /** Reads one field of any row, without the record around it. */
  field<Name extends Exclude<keyof Record, 'row'> & string>(name: Name): (row: number) => Record[Name] {
    const column = this.#columns[this.#names.indexOf(name)] as PackedColumn
    return (row) => {
      const live = this.#live.size === 0 ? undefined : this.#live.get(row)
      return live === undefined ? column.get(row) as Record[Name] : live[name]
    }
  }

  /** Reads one value of a field of the form `numbers`. */
  item(name: Exclude<keyof Record, 'row'> & string, index: number): (row: number) => number | null {
    const column = this.#columns[this.#names.indexOf(name)] as PackedColumn
    return (row) => {
      const live = this.#live.size === 0 ? undefined : this.#live.get(row)
      if (live === undefined) return column.item?.(row, index) ?? null
      return (live[name] as readonly (number | null)[])[index] ?? null
    }
  }

  /** All records in the order of their rows. */
  all(): Record[] {
    return Array.from({ length: this.#length }, (_, row) => this.at(row))
  }
}

/** Rows of all tables that a pass keeps in memory, all worlds together; about 300 bytes each. */
const ROW_LIMIT = 2_000_000

/** Counts the rows that are kept; one for all worlds of a pass. */
export class RowBudget {
  #count = 0

  constructor(
    /** False: tables stay empty, the summary is the same. */
    readonly isKeeping = true,
    private readonly limit: number = ROW_LIMIT,
  ) {}

  /** To be called for every row that is kept, or for `count`; throws LIMIT_EXCEEDED where there are too many. */
  take(table: string, count = 1): void {
    this.#count += count
    if (this.#count <= this.limit) return
    const sentence = `Cannot keep another row of ${table}: a pass keeps at most ${this.limit} rows of its ` +
      `tables; set tables to 'none' and read the journal instead`
    throw new BacktapeError('LIMIT_EXCEEDED', sentence, {
      field: 'tables', expected: `at most ${this.limit} rows`, found: 'more',
    })
  }
}
