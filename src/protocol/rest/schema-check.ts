import { fault, joinedPath, pathPart, type Fault } from '../../model/fault.js'
import { isJsonObject } from '../../model/json-object.js'
import { epochDayFromText } from '../../model/time.js'
import {
  resolvedIn, type ListSchema, type MessageSchema, type NamedSchemas, type NumberSchema, type ObjectSchema,
  type TextFormat, type TextSchema,
} from './message-schema.js'

interface TextForm {
  readonly words: string
  readonly fits: (text: string) => boolean
}

/** The words for the days of a buy link. */
export const DAYS_WORDS = 'days as 2024-08-08 or 2024-08-01..2024-08-08, with commas between'

const TEXTS: { readonly [Format in TextFormat]: TextForm } = {
  date: { words: 'a day that exists, YYYY-MM-DD', fits: (text) => epochDayFromText(text) !== null },
  days: { words: DAYS_WORDS, fits: (text) => /^[-0-9.,]*$/.test(text) },
  month: { words: 'a month, YYYY-MM', fits: (text) => epochDayFromText(`${text}-01`) !== null },
  time: { words: 'a time', fits: (text) => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) },
  decimal: { words: 'a decimal', fits: (text) => /^\d{1,30}(?:\.\d{1,30})?$/.test(text) },
  id: { words: 'an id without spaces', fits: (text) => /^[!-~]{1,200}$/.test(text) },
  uuid: {
    words: 'a UUID', fits: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  },
  email: { words: 'an email address', fits: (text) => /^[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}]+$/u.test(text) },
  uri: { words: 'a URL', fits: (text) => URL.canParse(text) },
}

/**
 * The first thing in a value that its schema refuses, or null. `schemas` has those that it names, `path` is where the
 * value stands.
 */
export function schemaFault(schemas: NamedSchemas, schema: MessageSchema, value: unknown, path: string): Fault | null {
  const named = resolvedIn(schemas, schema)
  switch (named.type) {
    case 'string': return textFault(named, value, path)
    case 'array': return listFault(schemas, named, value, path)
    case 'object': return objectFault(schemas, named, value, path)
    case 'boolean': return typeof value === 'boolean' ? null : fault(path, 'true or false', value)
    case 'any': return value === undefined ? fault(path, 'a value', value) : null
    default: return numberFault(named, value, path)
  }
}

function textFault(schema: TextSchema, value: unknown, path: string): Fault | null {
  const { enum: words, format, minLength = 1, maxLength = Infinity, isSecret } = schema
  const form = format === undefined ? null : TEXTS[format]
  const expected = words !== undefined ? words.map((word) => JSON.stringify(word)).join(' or ')
    : form?.words ?? (maxLength === Infinity ? 'a text' : `a text of at most ${maxLength} characters`)
  const fits = typeof value === 'string' && value.length >= minLength && value.length <= maxLength &&
    (words === undefined || words.includes(value)) && (form === null || form.fits(value))
  return fits ? null : fault(path, expected, isSecret === true ? '***' : value)
}

function numberFault(schema: NumberSchema, value: unknown, path: string): Fault | null {
  const { type, minimum = -Infinity, maximum = Infinity } = schema
  const isRight = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  if (isRight && typeof value === 'number' && value >= minimum && value <= maximum) return null
  const most = maximum === Infinity ? String(Number.MAX_SAFE_INTEGER) : String(maximum)
  return fault(path, `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${most}`, value)
}

function listFault(schemas: NamedSchemas, schema: ListSchema, value: unknown, path: string): Fault | null {
  const { items, minItems = 0, maxItems = Infinity } = schema
  const expected = `a list of ${minItems} to ${maxItems}`
  if (!Array.isArray(value)) return fault(path, expected, value)
  if (value.length < minItems || value.length > maxItems) return { path, expected, found: `${value.length}` }
  for (const [at, item] of value.entries()) {
    const found = schemaFault(schemas, items, item, `${path}[${at}]`)
    if (found !== null) return found
  }
  return null
}

function objectFault(
  schemas: NamedSchemas, { properties = {}, isClosed }: ObjectSchema, value: unknown, path: string,
): Fault | null {
  if (!isJsonObject(value)) return fault(path, 'an object', value)
  const at = (name: string): string => joinedPath(path, pathPart(name).replace(/^\./, ''))
  const names = Object.keys(properties)
  const more = isClosed === true ? Object.keys(value).find((name) => !names.includes(name)) : undefined
  if (more !== undefined)
    return {
      path: at(more.slice(0, 80)), expected: names.length === 0 ? 'no field' : `one of ${names.join(', ')}`,
      found: 'another name',
    }
  for (const [name, field] of Object.entries(properties)) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined
    if (found === undefined && field.isOptional === true) continue
    const wrong = schemaFault(schemas, field, found, at(name))
    if (wrong !== null) return wrong
  }
  return null
}
