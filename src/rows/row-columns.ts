import type { Amount } from '../model/amount.js'
import { keptValue } from '../model/kept-value.js'
import {
  exactInteger, ScaledDecimal, textOfExact, WORD, WORD_DIGITS, type DecimalWords, type ExactInteger,
} from './exact-integer.js'
import type { ExactCell } from '../model/exact-cell.js'
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

  state(): Map<number, Value> {
    return this.#values ?? new Map<number, Value>()
  }

  restore(state: Map<number, Value>): void {
    const values = state
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
const LOW_END = WORD * WORD
const LOW_PART = BigInt(LOW_END)

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

  /** Sets what another row has. */
  copy(row: number, from: number): void {
    const rare = this.#rare.at(from)
    if (rare !== null) this.set(row, rare, this.#scale.at(from))
    else this.#set(row, this.#low.at(from), this.#high.at(from), this.#scale.at(from))
  }

  /** Null is stated as NaN. */
  set(row: number, integer: ExactInteger, scale: number): void {
    if (typeof integer === 'number') return this.#set(row, integer, 0, scale)
    const high = Number(integer / LOW_PART)
    if (Number.isSafeInteger(high)) return this.#set(row, Number(integer % LOW_PART), high, scale)
    this.#set(row, 0, 0, scale)
    this.#rare.set(row, integer)
  }

  /** Reads the amount of a row; the integer is NaN for null. */
  read(row: number, cell: ExactCell): void {
    cell.integer = this.integerAt(row)
    cell.scale = this.#scale.at(row)
  }

  /** The integer of a row at its scale; NaN for null. */
  integerAt(row: number): ExactInteger {
    const [low, high] = [this.#low.at(row), this.#high.at(row)]
    if (high === 0) return this.#rare.at(row) ?? low
    // Both have one sign: a product that is not safe does not come to a safe sum.
    const sum = high * LOW_END + low
    return Number.isSafeInteger(sum) ? sum : exactInteger(BigInt(high) * LOW_PART + BigInt(low))
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
