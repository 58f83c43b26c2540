import type { Fault } from '../../model/fault.js'
import { isJsonObject } from '../../model/json-object.js'
import { resolvedIn, type NamedSchemas, type ObjectSchema, type OwnSchema } from './message-schema.js'
import { entryOf, type RequestPart, type RestRoute, type RestTables } from './rest-tables.js'
import { schemaFault } from './schema-check.js'

/** True for a route that answers with what a person opens in a browser: parameters not its own are ignored. */
export function isPageRoute({ answers }: Pick<RestRoute, 'answers'>): boolean {
  return answers.some(({ media }) => media === 'text/html' || media === 'application/pdf')
}

/**
 * The schema of the path or the query of a route's requests. A route without parameters takes none, a page ignores
 * them.
 */
export function partSchema(schemas: NamedSchemas, route: RestRoute, part: 'path' | 'query'): ObjectSchema {
  if (part === 'query' && route.query !== undefined) return objectSchema(schemas, route.query)
  const { properties = {} } = objectSchema(schemas, 'PathParameters')
  const isNamed = ([name]: readonly [string, unknown]): boolean => part === 'path' && route.path.includes(`{${name}}`)
  const named = Object.fromEntries(Object.entries(properties).filter(isNamed))
  return { type: 'object', properties: named, ...isPageRoute(route) ? {} : { isClosed: true } }
}

/** The schema of the body of a route's requests; null: it has none. */
export function bodySchema(schemas: NamedSchemas, { body }: RestRoute): OwnSchema | null {
  return body === undefined ? null : resolvedIn(schemas, entryOf(schemas, body))
}

function objectSchema(schemas: NamedSchemas, name: string): ObjectSchema {
  const schema = resolvedIn(schemas, entryOf(schemas, name))
  if (schema.type !== 'object') throw new Error(`${name} is no object: a request cannot be checked by it`)
  return schema
}

function anyPartSchema({ schemas }: RestTables, route: RestRoute, part: RequestPart): OwnSchema | null {
  return part === 'body' ? bodySchema(schemas, route) : partSchema(schemas, route, part)
}

/** The reason to refuse a part of a request, or null. */
export function partFault(tables: RestTables, name: string, part: RequestPart, value: unknown): Fault | null {
  const rule = tables.rules[name]?.[part]
  if (rule !== undefined) return rule(value)
  const schema = anyPartSchema(tables, entryOf(tables.routes, name), part)
  return schema === null ? null : schemaFault(tables.schemas, schema, value, '')
}

const INTEGER = /^(?:0|[1-9]\d{0,15})$/

/**
 * The fields of a path, a query or a form, all of them texts, with numbers where their schema is of integers. A text
 * that is no such number stays, and is refused. A page forgets parameters that it does not know or that it takes empty,
 * and takes several of one name as a list with commas: the days of a calendar.
 *
 * @example `readFields(SHOP, 'days', 'query', { limit: '5' })` is `{ limit: 5 }`
 */
export function readFields(tables: RestTables, name: string, part: RequestPart, fields: unknown): unknown {
  const schema = anyPartSchema(tables, entryOf(tables.routes, name), part)
  const { properties = {}, isClosed }: ObjectSchema = schema?.type === 'object' ? schema : { type: 'object' }
  if (!isJsonObject(fields)) return fields
  const isLoose = isClosed !== true && part === 'query'
  return Object.fromEntries(Object.entries(fields).flatMap(([field, given]) => {
    const own = Object.hasOwn(properties, field) ? properties[field] : undefined
    // A closed schema refuses it.
    if (own === undefined) return isClosed === true ? [[field, given]] : []
    const text = isLoose ? joinedText(given) : given
    if (isLoose && text === '' && 'minLength' in own && own.minLength === 0) return []
    const { type } = resolvedIn(tables.schemas, own)
    return [[field, type === 'integer' && typeof text === 'string' && INTEGER.test(text) ? Number(text) : text]]
  }))
}

/** Several texts as one, without those that are empty; an empty list is a broken escape, and stays. */
function joinedText(given: unknown): unknown {
  return Array.isArray(given) && given.length > 0 ? given.filter((one) => one !== '').join(',') : given
}
