import { isJsonObject, type JsonObject } from '../model/json-object.js'

/** The greatest depth of brackets in a message. */
const WIRE_DEPTH_LIMIT = 64

/** Longest integer that is read: no field has more digits, and a big integer's cost grows with their square. */
const DIGIT_LIMIT = 60
/** Integers of so many digits are exact as numbers. */
const EXACT_DIGITS = 15

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93]
const SPACE = 32
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
const WORDS: readonly (readonly [word: string, value: boolean | null])[] = [
  ['true', true], ['false', false], ['null', null],
]

/** A message as it was read. */
export interface WireJson {
  /** Integers beyond 2^53 are bigints, all other numbers are doubles. */
  readonly value: unknown
  /** A name that an object has twice; null where none has. */
  readonly repeatedName: string | null
}

/** Reads one text from its start to its end. */
class WireText {
  repeatedName: string | null = null
  #at = 0
  #depth = 0

  constructor(private readonly text: string) {}

  whole(): unknown {
    const value = this.#value()
    this.#skipSpace()
    if (this.#at < this.text.length) throw this.#fault('the end of the message')
    return value
  }

  #value(): unknown {
    this.#skipSpace()
    const code = this.text.charCodeAt(this.#at)
    switch (code) {
      case QUOTE: return this.#string()
      case OPEN_OBJECT: return this.#nested(() => this.#object())
      case OPEN_LIST: return this.#nested(() => this.#list())
      default: return this.#plain()
    }
  }

  #nested<T>(read: () => T): T {
    this.#at++
    if (++this.#depth > WIRE_DEPTH_LIMIT) throw this.#fault(`brackets nested at most ${WIRE_DEPTH_LIMIT} deep`)
    const value = read()
    this.#depth--
    return value
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    if (this.#ends(CLOSE_OBJECT)) return object
    do {
      this.#skipSpace()
      if (this.text.charCodeAt(this.#at) !== QUOTE) throw this.#fault('a name in double quotes')
      const name = this.#string()
      this.#expect(COLON, 'a colon')
      const value = this.#value()
      if (Object.hasOwn(object, name)) this.repeatedName ??= name
      if (name === '__proto__')
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
      else object[name] = value
    } while (this.#ends(COMMA))
    this.#expect(CLOSE_OBJECT, 'a comma or }')
    return object
  }

  #list(): unknown[] {
    const list: unknown[] = []
    if (this.#ends(CLOSE_LIST)) return list
    do list.push(this.#value())
    while (this.#ends(COMMA))
    this.#expect(CLOSE_LIST, 'a comma or ]')
    return list
  }

  #string(): string {
    const { text } = this
    const start = this.#at
    let hasEscape = false
    for (let at = start + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        this.#at = at + 1
        if (!hasEscape) return text.slice(start + 1, at)
        try {
          return JSON.parse(text.slice(start, at + 1)) as string
        } catch {
          this.#at = start
          throw this.#fault('a text with escapes of JSON')
        }
      }
      if (code === BACKSLASH) {
        hasEscape = true
        at++
      } else if (code < SPACE) {
        this.#at = at
        throw this.#fault('no control character in a text')
      }
    }
    throw this.#fault('the closing quote of a text')
  }

  #plain(): unknown {
    for (const [word, value] of WORDS) {
      if (!this.text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return value
    }
    NUMBER.lastIndex = this.#at
    const match = NUMBER.exec(this.text)
    if (match === null) throw this.#fault('a value')
    const [digits, fraction, exponent] = match
    if (digits.length > DIGIT_LIMIT) throw this.#fault(`a number of at most ${DIGIT_LIMIT} digits`)
    const value = Number(digits)
    if (!Number.isFinite(value)) throw this.#fault('a number that a double holds')
    this.#at += digits.length
    if (fraction !== undefined || exponent !== undefined || digits.length <= EXACT_DIGITS) return value
    return Number.isSafeInteger(value) ? value : BigInt(digits)
  }

  #ends(code: number): boolean {
    this.#skipSpace()
    if (this.text.charCodeAt(this.#at) !== code) return false
    this.#at++
    return true
  }

  #expect(code: number, what: string): void {
    if (!this.#ends(code)) throw this.#fault(what)
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.#at)
      if (code !== SPACE && code !== 9 && code !== 10 && code !== 13) return
      this.#at++
    }
  }

  #fault(expected: string): SyntaxError {
    const found = this.#at < this.text.length ? JSON.stringify(this.text.slice(this.#at, this.#at + 20)) : 'its end'
    return new SyntaxError(`expected ${expected} at character ${this.#at}, found ${found}`)
  }
}

/**
 * The value of a JSON message, exact: an integer that a double cannot hold is a bigint. Throws SyntaxError with the
 * place for a text that is no JSON, is nested deeper than {@link WIRE_DEPTH_LIMIT}, or has a number of more than 60
 * digits.
 */
export function parseWireJson(text: string): WireJson {
  const reader = new WireText(text)
  const value = reader.whole()
  return { value, repeatedName: reader.repeatedName }
}

/** An object of JSON; null for anything else, and for one that has a name twice, of which only one could count. */
export function wireObject(text: string): JsonObject | null {
  try {
    const { value, repeatedName } = parseWireJson(text)
    return repeatedName === null && isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** A value of JSON in a few words for sentences, at most 80 characters. */
export function foundOnWire(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${String(value)}`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'boolean') return String(value)
  return value === null ? 'null' : 'an object'
}
