import type { DrawnId, Id } from '../model/id.js'
import type { Amount } from '../model/amount.js'
import { keptValue } from '../model/kept-value.js'
import { restoredState, savedState, type Saved } from '../model/saved-state.js'
import {
  exactInteger, ScaledDecimal, textOfExact, WORD, WORD_DIGITS, type DecimalWords, type ExactInteger,
} from './exact-integer.js'
import { BLOCK_BITS, BLOCK_ROWS } from './row-store.js'
import { BlockColumn, type RowTable, type TableColumn } from './row-table.js'

const BLOCK_MASK = BLOCK_ROWS - 1

/** Numbers of any kind, NaN among them. */
export class NumberColumn extends BlockColumn<Float64Array> {
  /** `empty`: what stands in a row of which nothing was ever set, 0 or NaN. */
  constructor(table: RowTable, name: string, empty = 0) {
    super(table, name, (length) => new Float64Array(length), empty)
  }

  set(row: number, value: number): void {
    const block = this.blocks[row >> BLOCK_BITS]
    const at = row & BLOCK_MASK
    if (block !== undefined && at < block.length) block[at] = value
    else if (!Object.is(value, this.empty) || !this.isAbsent(row)) this.grown(row)[at] = value
  }

  at(row: number): number {
    return this.cellsOf(row)?.[row & BLOCK_MASK] ?? this.empty
  }
}

/** Integers of 32 bits with a sign; -1 in rows of which nothing was ever set. */
export class IndexColumn extends BlockColumn<Int32Array> {
  constructor(table: RowTable, name: string) {
    super(table, name, (length) => new Int32Array(length), -1)
  }

  set(row: number, value: number): void {
    const block = this.blocks[row >> BLOCK_BITS]
    const at = row & BLOCK_MASK
    if (block !== undefined && at < block.length) block[at] = value
    else if (value !== -1 || !this.isAbsent(row)) this.grown(row)[at] = value
  }

  at(row: number): number {
    return this.cellsOf(row)?.[row & BLOCK_MASK] ?? -1
  }
}

/** Integers from 0 to 255. */
export class ByteColumn extends BlockColumn<Uint8Array> {
  constructor(table: RowTable, name: string) {
    super(table, name, (length) => new Uint8Array(length))
  }

  set(row: number, value: number): void {
    const block = this.blocks[row >> BLOCK_BITS]
    const at = row & BLOCK_MASK
    if (block !== undefined && at < block.length) block[at] = value
    else if (value !== 0 || !this.isAbsent(row)) this.grown(row)[at] = value
  }

  at(row: number): number {
    return this.cellsOf(row)?.[row & BLOCK_MASK] ?? 0
  }
}

/** Values that few rows have, null elsewhere. They stay in memory. */
export class RareColumn<Value> implements TableColumn {
  /** Null before the first value: a table has many such columns, and most of them none. */
  #values: Map<number, Value> | null = null

  constructor(table: RowTable, name: string) {
    table.register(name, this)
  }

  /** False as long as no row has a value. */
  get isUsed(): boolean {
    return this.#values !== null && this.#values.size > 0
  }

  set(row: number, value: Value | null): void {
    if (value !== null) (this.#values ??= new Map()).set(row, value)
    else this.clear(row)
  }

  clear(row: number): void {
    this.#values?.delete(row)
  }

  at(row: number): Value | null {
    return this.#values?.get(row) ?? null
  }

  state(): Saved<Map<number, Value>> {
    return savedState(this.#values ?? new Map<number, Value>())
  }

  restore(state: Saved<Map<number, Value>>): void {
    const values = restoredState(state)
    this.#values = values.size > 0 ? values : null
  }
}

/** The number of a cell whose word is rare. */
const RARE_WORD = 255

/** Words of which there are few; all rows have one. */
export class WordColumn<Word extends string | number> implements TableColumn {
  readonly #cells: ByteColumn
  readonly #rare: RareColumn<Word>
  readonly #numbers: Map<Word, number> = new Map()
  #words: Word[] = []
  /** The word that was set last, mostly the next one too, and its number. */
  #lastWord: Word | null = null
  #lastNumber = 0
  readonly #add = (word: Word): number => this.#words.push(word) - 1

  constructor(table: RowTable, name: string) {
    this.#cells = new ByteColumn(table, `${name} numbers`)
    this.#rare = new RareColumn(table, `rare ${name}`)
    table.register(name, this)
  }

  set(row: number, word: Word): void {
    const number = word === this.#lastWord ? this.#lastNumber : this.#numberOf(word)
    this.#cells.set(row, number)
    if (number === RARE_WORD) this.#rare.set(row, word)
    else if (this.#rare.isUsed) this.#rare.clear(row)
  }

  #numberOf(word: Word): number {
    const number = this.#words.length < RARE_WORD
      ? keptValue(this.#numbers, word, this.#add) : this.#numbers.get(word) ?? RARE_WORD
    this.#lastWord = word
    this.#lastNumber = number
    return number
  }

  at(row: number): Word {
    const number = this.#cells.at(row)
    return (number === RARE_WORD ? this.#rare.at(row) : this.#words[number]) as Word
  }

  state(): readonly Word[] {
    return this.#words
  }

  restore(words: readonly Word[]): void {
    this.#words = [...words]
    this.#lastWord = null
    for (const [number, word] of words.entries()) this.#numbers.set(word, number)
  }
}

/** Amounts that no safe integer holds are split: what lies below this, two words of a Decimal, and multiples of it. */
const LOW_PART = BigInt(WORD * WORD)

const scaled = new ScaledDecimal()

/** Exact decimals: an integer and its scale, or null. */
export class AmountColumn {
  readonly #low: NumberColumn
  readonly #high: NumberColumn
  readonly #scale: ByteColumn
  readonly #rare: RareColumn<bigint>

  constructor(table: RowTable, name: string) {
    this.#low = new NumberColumn(table, name)
    this.#high = new NumberColumn(table, `${name} high`)
    this.#scale = new ByteColumn(table, `${name} scale`)
    this.#rare = new RareColumn(table, `rare ${name}`)
  }

  setAmount(row: number, { units, scale }: Amount): void {
    this.set(row, exactInteger(units), scale)
  }

  /** Takes a finite Decimal: mostly its words as they are. */
  setDecimal(row: number, { s: sign, e: exponent, d: words }: DecimalWords): void {
    const count = words.length
    const fraction = count - 1 - Math.floor(exponent / WORD_DIGITS)
    // Below 0 there are words of zeros before the point.
    const zeros = fraction < 0 ? -fraction : 0
    if (count + zeros > 4) {
      const { integer, scale } = scaled.read({ s: sign, e: exponent, d: words })
      return this.set(row, integer, scale)
    }
    const third = zeros > 1 ? 0 : (words[count - 2 + zeros] ?? 0)
    const low = third * WORD + (zeros > 0 ? 0 : words[count - 1] as number)
    const high = (words[count - 4 + zeros] ?? 0) * WORD + (words[count - 3 + zeros] ?? 0)
    this.#set(row, sign * low, sign * high, fraction > 0 ? fraction * WORD_DIGITS : 0)
  }

  /** The columns that few amounts need are only touched where an amount has one, or had. */
  #set(row: number, low: number, high: number, scale: number): void {
    this.#low.set(row, low)
    this.#scale.set(row, scale)
    if (high !== 0 || this.#high.isUsed) this.#high.set(row, high)
    if (this.#rare.isUsed) this.#rare.clear(row)
  }

  /** Null is stated as NaN. */
  set(row: number, integer: ExactInteger, scale: number): void {
    if (typeof integer === 'number') return this.#set(row, integer, 0, scale)
    const high = Number(integer / LOW_PART)
    if (Number.isSafeInteger(high)) return this.#set(row, Number(integer % LOW_PART), high, scale)
    this.#set(row, 0, 0, scale)
    this.#rare.set(row, integer)
  }

  /** The integer of a row at its scale; NaN for null. */
  integerAt(row: number): ExactInteger {
    const [low, high] = [this.#low.at(row), this.#high.at(row)]
    return this.#rare.at(row) ?? (high === 0 ? low : exactInteger(BigInt(high) * LOW_PART + BigInt(low)))
  }

  scaleAt(row: number): number {
    return this.#scale.at(row)
  }

  /** The shortest plain decimal text, null for null. */
  textAt(row: number): string | null {
    const integer = this.integerAt(row)
    return Number.isNaN(integer) ? null : textOfExact(integer, this.scaleAt(row))
  }
}

/** Identifiers: the bytes of a UUID in four numbers; null and every other text are rare. */
export class IdColumn extends BlockColumn<Uint32Array> {
  readonly #rare: RareColumn<string>
  /** The rows that were set last and their ids: an id mostly comes again and again. */
  readonly #lastRows: number[] = Array.from({ length: LAST_ROWS }, () => -1)
  readonly #lastIds: (Id | null)[] = Array.from({ length: LAST_ROWS }, () => null)

  constructor(table: RowTable, name: string) {
    super(table, name, (length) => new Uint32Array(length), 0, ID_WORDS)
    this.#rare = new RareColumn(table, `rare ${name}`)
  }

  set(row: number, id: Id | null): void {
    const place = row & (LAST_ROWS - 1)
    if (this.#lastRows[place] === row && this.#lastIds[place] === id) return
    this.#lastRows[place] = row
    this.#lastIds[place] = id
    this.#write(row, id)
  }

  override clear(row: number): void {
    super.clear(row)
    this.#lastRows[row & (LAST_ROWS - 1)] = -1
  }

  #write(row: number, id: Id | null): void {
    const isUuid = id !== null && readId(id)
    if (!isUuid || this.#rare.isUsed) this.#rare.set(row, isUuid ? null : id)
    if (!isUuid) {
      uuid.fill(0)
      if (this.isAbsent(row) && this.blocks[row >> BLOCK_BITS] === undefined) return
    }
    const at = (row & BLOCK_MASK) * ID_WORDS
    let block = this.blocks[row >> BLOCK_BITS]
    if (block === undefined || at >= block.length) block = this.grown(row)
    block[at] = uuid[0] as number
    block[at + 1] = uuid[1] as number
    block[at + 2] = uuid[2] as number
    block[at + 3] = uuid[3] as number
  }

  /** The place among some rows of the first one with an id; -1 where there is none. */
  placeOf(rows: readonly number[], id: Id): number {
    if (rows.length === 0) return -1
    if (!readId(id)) return rows.findIndex((row) => this.#rare.at(row) === id)
    return rows.findIndex((row) => {
      const block = this.cellsOf(row)
      const at = (row & BLOCK_MASK) * ID_WORDS
      return block !== undefined && uuid.every((word, i) => block[at + i] === word)
    })
  }

  at(row: number): string | null {
    const block = this.cellsOf(row)
    const at = (row & BLOCK_MASK) * ID_WORDS
    const [a, b, c, d] = [block?.[at] ?? 0, block?.[at + 1] ?? 0, block?.[at + 2] ?? 0, block?.[at + 3] ?? 0]
    if ((a | b | c | d) === 0) return this.#rare.at(row)
    return `${hexText(a, 16)}${hexText(a, 0)}-${hexText(b, 16)}-${hexText(b, 0)}-${hexText(c, 16)}-` +
      `${hexText(c, 0)}${hexText(d, 16)}${hexText(d, 0)}`
  }
}

/** Four hex digits of a number, `shift` bits from its end. */
function hexText(word: number, shift: number): string {
  return (HEX_TEXTS[(word >>> (shift + 8)) & 255] as string) + (HEX_TEXTS[(word >>> shift) & 255] as string)
}

const HEX_TEXTS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Numbers of a UUID. */
const ID_WORDS = 4
const LAST_ROWS = 8
/** The UUID that was read last. */
const uuid = new Uint32Array(ID_WORDS)
const MINUS = 45
/** The value of a lower-case hex digit by its character code below 128; 16 for any other character. */
const HEX_VALUES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code))
  return value < 0 ? 16 : value
})

/** All character codes, and all values of digits, of the text read last, or-ed together. */
let codes = 0
let values = 0

/** The number of four hex digits. */
function hexQuarter(text: string, at: number): number {
  const [a, b, c, d] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2), text.charCodeAt(at + 3)]
  codes |= a | b | c | d
  const [v, w, x, y] = [
    HEX_VALUES[a & 127] as number, HEX_VALUES[b & 127] as number, HEX_VALUES[c & 127] as number,
    HEX_VALUES[d & 127] as number,
  ]
  values |= v | w | x | y
  return (v << 12) | (w << 8) | (x << 4) | y
}

/** Takes an id apart; false for a text that is no UUID. */
function readId(id: Id): id is DrawnId {
  if (typeof id === 'string') return readUuid(id)
  id.words(uuid)
  return true
}

/** Takes the text of a UUID apart; false where it is none in its usual form, or all zeros. */
function readUuid(text: string): boolean {
  if (
    text.length !== 36 || text.charCodeAt(8) !== MINUS || text.charCodeAt(13) !== MINUS ||
    text.charCodeAt(18) !== MINUS || text.charCodeAt(23) !== MINUS
  )
    return false
  codes = values = 0
  const a = (hexQuarter(text, 0) << 16) | hexQuarter(text, 4)
  const b = (hexQuarter(text, 9) << 16) | hexQuarter(text, 14)
  const c = (hexQuarter(text, 19) << 16) | hexQuarter(text, 24)
  const d = (hexQuarter(text, 28) << 16) | hexQuarter(text, 32)
  uuid[0] = a
  uuid[1] = b
  uuid[2] = c
  uuid[3] = d
  return codes < 128 && values < 16 && (a | b | c | d) !== 0
}
