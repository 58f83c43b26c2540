import { DrawnId, type Id } from '../model/id.js'
import type { RandomNumbers } from '../model/random.js'
import { uuidWords } from '../model/uuid.js'
import { ByteColumn, NumberColumn, RareColumn } from './row-columns.js'
import { BLOCK_BITS, BLOCK_ROWS } from './row-store.js'
import { BlockColumn, type RowTable, type TableColumn } from './row-table.js'

const BLOCK_MASK = BLOCK_ROWS - 1
/** The number of a row whose id was not drawn, or whose source has no number. */
const NOT_DRAWN = 0
const SOURCE_LIMIT = 255

/** An id column as plain data, beside its numbers and texts. */
interface IdColumnState {
  readonly sources: readonly RandomNumbers[]
  readonly isMixed: boolean
}

/**
 * Ids: of one that was drawn its source and counter, so that its text is made when somebody reads it; of others their
 * text. Null where there is none.
 */
export class IdColumn implements TableColumn {
  readonly #sourceNumbers: ByteColumn
  readonly #counts: NumberColumn
  readonly #texts: UuidColumn
  /** Sources by number, from 1 on. */
  #sources: RandomNumbers[] = []
  /** The source that was set last, mostly the next one too, and its number. */
  #lastSource: RandomNumbers | null = null
  #lastNumber = NOT_DRAWN
  /** True where an id is a text: one that was drawn may have come back as such. */
  #isMixed = false

  constructor(table: RowTable, name: string) {
    this.#sourceNumbers = new ByteColumn(table, `${name} sources`)
    this.#counts = new NumberColumn(table, `${name} counts`)
    this.#texts = new UuidColumn(table, `${name} texts`)
    table.register(name, this)
  }

  set(row: number, id: Id | null): void {
    if (id !== null && typeof id !== 'string') {
      const number = id.source === this.#lastSource ? this.#lastNumber : this.#numberOf(id.source)
      if (number !== NOT_DRAWN) {
        this.#sourceNumbers.set(row, number)
        this.#counts.set(row, id.count)
        return
      }
    }
    this.#sourceNumbers.set(row, NOT_DRAWN)
    this.#texts.set(row, id === null ? null : id.toString())
    if (id !== null) this.#isMixed = true
  }

  at(row: number): string | null {
    const source = this.#sources[this.#sourceNumbers.at(row) - 1]
    return source === undefined ? this.#texts.at(row) : new DrawnId(source, this.#counts.at(row)).toString()
  }

  /** Reads the id of a row as the four numbers of its UUID; false, and nothing is read, where it is none. */
  words(row: number, into: Uint32Array): boolean {
    const source = this.#sources[this.#sourceNumbers.at(row) - 1]
    if (source === undefined) return this.#texts.words(row, into)
    uuidWords(source, this.#counts.at(row), into)
    return true
  }

  /** The place among some rows of the first one with an id; -1 where there is none. */
  placeOf(rows: readonly number[], id: Id): number {
    if (rows.length === 0) return -1
    if (typeof id !== 'string' && !this.#isMixed) {
      const number = this.#sources.indexOf(id.source) + 1
      return rows.findIndex((row) => this.#sourceNumbers.at(row) === number && this.#counts.at(row) === id.count)
    }
    const text = id.toString()
    return rows.findIndex((row) => this.at(row) === text)
  }

  state(): IdColumnState {
    return { sources: this.#sources, isMixed: this.#isMixed }
  }

  restore({ sources, isMixed }: IdColumnState): void {
    this.#sources = [...sources]
    this.#lastSource = null
    this.#isMixed = isMixed
  }

  #numberOf(source: RandomNumbers): number {
    let number = this.#sources.indexOf(source) + 1
    if (number === NOT_DRAWN && this.#sources.length < SOURCE_LIMIT) number = this.#sources.push(source)
    this.#lastSource = source
    this.#lastNumber = number
    return number
  }
}

/** Texts: the bytes of a UUID in four numbers; null and every other text are rare. */
class UuidColumn extends BlockColumn<Uint32Array> {
  readonly #rare: RareColumn<string>

  constructor(table: RowTable, name: string) {
    super(table, name, (length) => new Uint32Array(length), 0, ID_WORDS)
    this.#rare = new RareColumn(table, `rare ${name}`)
  }

  set(row: number, text: string | null): void {
    const isUuid = text !== null && readUuid(text)
    if (!isUuid || this.#rare.isUsed) this.#rare.set(row, isUuid ? null : text)
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

  /** Reads the numbers of a row; false where it has none. */
  words(row: number, into: Uint32Array): boolean {
    const block = this.cellsOf(row)
    const at = (row & BLOCK_MASK) * ID_WORDS
    if (block === undefined || at >= block.length) return false
    let bits = 0
    for (let word = 0; word < ID_WORDS; word++) bits |= into[word] = block[at + word] as number
    return bits !== 0
  }

  at(row: number): string | null {
    if (!this.words(row, uuid)) return this.#rare.at(row)
    const [a, b, c, d] = [uuid[0] as number, uuid[1] as number, uuid[2] as number, uuid[3] as number]
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
