import { jsonParser } from 'stream-json/core/parser.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { parseWireJson } from './wire-json.js'

/** Options for reading a long list of JSON. */
export interface JsonListOptions {
  /** The field of the document that holds the list; a document that is a list itself is taken too. */
  readonly list: string
  /**
   * `exact`: integers that a double cannot hold are bigints, as in messages. `digits`: numbers are texts with their
   * digits.
   */
  readonly numbers: 'exact' | 'digits'
  /** Longest item, and all fields beside the list together, in letters; default 1 MiB. */
  readonly lettersMax?: number
}

const LETTERS_MAX = 1 << 20
const DEPTH_MAX = 64
/** Letters that a value counts beside those of its text. */
const VALUE_LETTERS = 8

/** A fault of the text: it is no JSON, or is larger than a limit. */
export class JsonListFault extends Error {
  constructor(readonly kind: 'malformed' | 'too large', readonly expected: string) {
    super(`expected ${expected}`)
  }
}

type Container = Record<string, unknown> | unknown[]

/**
 * Reads a document of JSON whose list may have any length: an item at a time, in the memory of one item. Text comes in
 * pieces of any size.
 *
 * @example
 * const list = new JsonListReader({ list: 'days', numbers: 'exact' })
 * list.push('{"days": [{"size": 1}, {"si') // [{ size: 1 }]
 * list.push('ze": 2}], "next": null}') // [{ size: 2 }]
 * list.end() // { next: null }
 */
export class JsonListReader {
  readonly #options: JsonListOptions
  readonly #lettersMax: number
  readonly #parse = jsonParser({ packValues: false, streamValues: true })
  /** Containers that are open, but not the list and the document. */
  readonly #open: Container[] = []
  readonly #names: (string | null)[] = []
  #rest: Record<string, unknown> = {}
  #place: 'before' | 'document' | 'list' | 'behind' = 'before'
  #isBareList = false
  #hasList = false
  /** The name of the next value; null in a list. */
  #name: string | null = null
  #text = ''
  #letters = 0
  #restLetters = 0
  #items: unknown[] = []

  constructor(options: JsonListOptions) {
    this.#options = options
    this.#lettersMax = options.lettersMax ?? LETTERS_MAX
  }

  /** The items that are whole with this piece of the text. Throws {@link JsonListFault}. */
  push(text: string): readonly unknown[] {
    this.#items = []
    const found = this.#parsed(text)
    if (typeof found !== 'symbol') for (const token of found.values) this.#take(token)
    return this.#items
  }

  /** The fields beside the list, once the text is whole; null where there was no list. Throws {@link JsonListFault}. */
  end(): JsonObject | null {
    if (this.#place !== 'behind') throw new JsonListFault('malformed', 'a document of JSON that is whole')
    return this.#hasList ? this.#rest : null
  }

  #parsed(text: string): ReturnType<ReturnType<typeof jsonParser>> {
    try {
      return this.#parse(text)
    } catch {
      throw new JsonListFault('malformed', 'JSON')
    }
  }

  #take(token: { readonly name: string, readonly value?: unknown }): void {
    switch (token.name) {
      case 'startObject': return this.#begin({})
      case 'startArray': return this.#begin([])
      case 'endObject': case 'endArray': return this.#endContainer()
      case 'stringChunk': case 'numberChunk': return this.#addText(String(token.value))
      case 'endKey': return this.#endName()
      case 'endString': return this.#value(this.#takeText())
      case 'endNumber': return this.#value(this.#number(this.#takeText()))
      case 'nullValue': case 'trueValue': case 'falseValue': return this.#value(token.value)
      default:
    }
  }

  #begin(container: Container): void {
    const isList = Array.isArray(container)
    if (this.#place === 'before') {
      this.#isBareList = isList
      this.#place = isList ? 'list' : 'document'
      this.#hasList = isList
      return
    }
    const isOutermost = this.#place === 'document' && this.#open.length === 0
    if (isOutermost && isList && this.#name === this.#options.list && !this.#hasList) {
      this.#place = 'list'
      this.#hasList = true
      return
    }
    if (this.#open.length >= DEPTH_MAX)
      throw new JsonListFault('malformed', `brackets nested at most ${DEPTH_MAX} deep`)
    this.#count(VALUE_LETTERS)
    this.#open.push(container)
    this.#names.push(this.#name)
    this.#name = null
  }

  #endContainer(): void {
    const container = this.#open.pop()
    if (container === undefined) {
      this.#place = this.#place === 'list' && !this.#isBareList ? 'document' : 'behind'
      return
    }
    this.#name = this.#names.pop() ?? null
    this.#add(container)
  }

  #endName(): void {
    this.#name = this.#takeText()
  }

  #value(value: unknown): void {
    if (this.#place === 'before') throw new JsonListFault('malformed', 'an object or a list')
    this.#count(VALUE_LETTERS)
    this.#add(value)
  }

  /** Puts a value where it belongs: into what is open, to the items, or to the fields beside the list. */
  #add(value: unknown): void {
    const container = this.#open.at(-1)
    if (container === undefined && this.#place === 'list') {
      this.#items.push(value)
      this.#letters = 0
      return
    }
    if (Array.isArray(container)) container.push(value)
    else define(container ?? this.#rest, this.#name ?? '', value)
    if (container === undefined) {
      this.#restLetters += this.#letters
      this.#letters = 0
    }
  }

  #addText(text: string): void {
    this.#count(text.length)
    this.#text += text
  }

  #takeText(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  #count(letters: number): void {
    this.#letters += letters
    const before = this.#place === 'list' ? 0 : this.#restLetters
    if (before + this.#letters > this.#lettersMax)
      throw new JsonListFault('too large', `an item of at most ${this.#lettersMax} letters`)
  }

  #number(digits: string): unknown {
    if (this.#options.numbers === 'digits') return digits
    if (digits.length <= 15 && /^-?\d+$/.test(digits)) return Number(digits)
    try {
      return parseWireJson(digits).value
    } catch {
      throw new JsonListFault('malformed', 'numbers that can be read')
    }
  }
}

function define(object: Record<string, unknown> | unknown[], name: string, value: unknown): void {
  if (!isJsonObject(object)) return
  // An assignment would set the prototype of `__proto__`.
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else Object.assign(object, { [name]: value })
}
