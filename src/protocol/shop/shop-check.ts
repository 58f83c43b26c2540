import { BacktapeError } from '../../model/error.js'
import { foundText, pathPart } from '../../model/fault.js'
import { isJsonObject, type JsonObject } from '../../model/json-object.js'
import { epochDayFromText } from '../../model/time.js'
import type { ListSchema, NumberSchema, ObjectSchema, MessageSchema, TextSchema } from '../rest/message-schema.js'
import { resolvedSchema, shopSchema, type ShopSchemaName, type Taken } from './shop-schemas.js'

/** The first thing that is wrong with an answer. */
interface AnswerFault {
  readonly path: string
  readonly expected: string
  readonly found: string
}

/**
 * The answer of a server as a client may count on it. Fields that are known have their types; fields and words that are
 * not known pass through. A field that is ours is left out where it has another form. An integer may stand as a text of
 * digits, a decimal and an id as a number. Throws SHOP_ANSWER_INVALID with the path of the field; `place` names the
 * answer.
 *
 * @example `checkedAnswer('DayState', { state: 'ready', more: 1 }, 'GET /x').state` is `'ready'`
 */
export function checkedAnswer<Name extends ShopSchemaName>(name: Name, value: unknown, place: string): Taken<Name> {
  const reader = new AnswerReader()
  const answer = reader.read(shopSchema(name), value)
  if (reader.fault === null && isRead(name, answer)) return answer
  const { path: around, expected, found } = reader.fault ?? { path: '', expected: 'an answer', found: typeof answer }
  const path = around.replace(/^\./, '')
  const words = `${path === '' ? 'it' : path} must be ${expected}, found ${found}`
  throw new BacktapeError('SHOP_ANSWER_INVALID', `Cannot read the answer of ${place}: ${words}`, {
    ...(path === '' ? {} : { field: path }), expected, found,
  })
}

/** An answer that was read without a fault is of its schema's type. */
function isRead<Name extends ShopSchemaName>(_name: Name, answer: unknown): answer is Taken<Name> {
  return answer !== undefined
}

class AnswerReader {
  /** The first fault; null: none. */
  fault: AnswerFault | null = null

  /** The value in its schema's form; undefined after a fault. */
  read(schema: MessageSchema, value: unknown): unknown {
    const named = resolvedSchema(schema)
    switch (named.type) {
      case 'string': return this.#text(named, value)
      case 'array': return this.#list(named, value)
      case 'object': return this.#object(named, value)
      case 'any': return value
      case 'boolean': return typeof value === 'boolean' ? value : this.#refuse('true or false', foundText(value))
      default: return this.#number(named, value)
    }
  }

  #refuse(expected: string, found: string): unknown {
    this.fault = { path: '', expected, found }
    return undefined
  }

  /** A fault inside gets the name of what is around it: paths of millions of right values are never made. */
  #inside(name: string): unknown {
    if (this.fault !== null) this.fault = { ...this.fault, path: pathPart(name) + this.fault.path }
    return undefined
  }

  #text(schema: TextSchema, value: unknown): unknown {
    if (value === null && schema.isNullable === true) return null
    const text = textOf(schema, value)
    if (text !== null) return text
    return this.#refuse(textWords(schema), schema.isSecret === true ? '***' : shown(value))
  }

  #number({ type, minimum }: NumberSchema, value: unknown): unknown {
    const pattern = type === 'integer' ? /^-?\d{1,16}$/ : /^-?\d{1,30}(?:\.\d{1,30})?$/
    const number = typeof value === 'string' && pattern.test(value) ? Number(value) : value
    const isRight = type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)
    if (isRight && typeof number === 'number' && number >= (minimum ?? -Infinity)) return number
    const least = minimum === undefined ? '' : ` from ${minimum}`
    const most = type === 'integer' ? `${least} to ${Number.MAX_SAFE_INTEGER}` : least
    return this.#refuse(`${type === 'integer' ? 'an integer' : 'a number'}${most}`, shown(value))
  }

  #list({ items }: ListSchema, value: unknown): unknown {
    if (!Array.isArray(value)) return this.#refuse('a list', shown(value))
    const list: unknown[] = []
    for (const [at, item] of value.entries()) {
      list.push(this.read(items, item))
      if (this.fault !== null) return this.#inside(String(at))
    }
    return list
  }

  #object(schema: ObjectSchema, value: unknown): unknown {
    const { properties = {}, envelopeOf } = schema
    if (envelopeOf !== undefined && Array.isArray(value)) return this.#object(schema, { [envelopeOf]: value })
    if (!isJsonObject(value)) return this.#refuse('an object', shown(value))
    const answer: Record<string, unknown> = { ...value }
    for (const [name, field] of Object.entries(properties)) {
      const found = Object.hasOwn(value, name) ? value[name] : undefined
      const read = this.#field(field, found, value)
      if (this.fault !== null) return this.#inside(name)
      if (read === undefined) Reflect.deleteProperty(answer, name)
      else answer[name] = read
    }
    return answer
  }

  /** The value of a field; undefined: it is absent, or in a form of its own where the field is ours. */
  #field(schema: MessageSchema, value: unknown, around: JsonObject): unknown {
    if (schema.isOurs === true) return value === undefined ? undefined : new AnswerReader().read(schema, value)
    const { neededWhen } = schema
    const isNeeded = neededWhen === undefined
      ? schema.isOptional !== true : around[neededWhen.field] === neededWhen.is
    const isAbsent = value === undefined || (value === null && schema.isOptional === true)
    return isAbsent && !isNeeded ? undefined : this.read(schema, value)
  }
}

/** The text of a value that has the form of a schema, or null. */
function textOf({ format }: TextSchema, value: unknown): string | null {
  if (typeof value === 'number') {
    const text = String(value)
    if (format === 'id' && Number.isSafeInteger(value)) return text
    return format === 'decimal' && DECIMAL.test(text) ? text : null
  }
  if (typeof value !== 'string') return null
  if (format === 'date') return epochDayFromText(value) === null ? null : value
  if (format === 'decimal') return DECIMAL.test(value) ? value : null
  return format === 'id' && !/^\S{1,200}$/.test(value) ? null : value
}

const DECIMAL = /^-?\d{1,30}(?:\.\d{1,30})?$/

function textWords({ format, isNullable }: TextSchema): string {
  const words = format === 'date' ? 'a date YYYY-MM-DD' : format === 'decimal' ? 'a decimal' : format === 'id'
    ? 'an id without spaces' : 'a text'
  return isNullable === true ? `${words} or null` : words
}

/** A value as an error shows it: objects and lists by their kind alone, as they may hold credentials. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return isJsonObject(value) ? 'an object' : foundText(value)
}
