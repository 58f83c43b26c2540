import { createRequire } from 'node:module'
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { COMMON_ERRORS, type ShopError, type ShopErrorName } from '../../src/protocol/shop/shop-errors.js'
import { callPath, partSchema } from '../../src/protocol/shop/shop-requests.js'
import type { ShopAnswer, ShopRoute, ShopRouteName } from '../../src/protocol/shop/shop-routes.js'
import type { ShopSchema } from '../../src/protocol/shop/shop-schema.js'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import { closed } from './shop-answers.ts'

const addFormats = createRequire(import.meta.url)('ajv-formats') as (ajv: Ajv2020) => void
const ajv = new Ajv2020({ strict: false, schemas: SHOP.jsonSchemas().map(closed) as AnySchemaObject[] })
addFormats(ajv)

const ROUTES = Object.entries(SHOP.routes) as (readonly [ShopRouteName, ShopRoute])[]
const ERRORS: Readonly<Record<ShopErrorName, ShopError>> = SHOP.errors
const JSON_MEDIA = 'application/json'

const answerRow = (route: string, { status, schema, media, when = 'nothing else' }: ShopAnswer): string => `answer ${route}: ${String(status)} ${schema ?? media!} for ${when}`
const errorRow = (route: string, name: ShopErrorName): string => `error ${route}: ${name}`

/** The rows of the fields of a schema with their types, those of named schemas by their own names. */
function fieldRows(place: string, schema: ShopSchema): string[] {
  if ('$ref' in schema) return fieldRows(schema.$ref.slice(0, -1), SHOP.resolved(schema))
  if (schema.type === 'array') return [`field ${place}: array`, ...fieldRows(`${place}[]`, schema.items)]
  const own = [`field ${place}: ${schema.type}`, ...schema.type === 'string' && schema.isNullable === true ? [`field ${place}: null`] : []]
  return schema.type === 'object' ? [...own, ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => fieldRows(`${place}.${name}`, field))] : own
}

/** The fields of a value with the types that they have. */
function seenFields(place: string, schema: ShopSchema, value: unknown): string[] {
  if ('$ref' in schema) return seenFields(schema.$ref.slice(0, -1), SHOP.resolved(schema), value)
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'number' ? schema.type === 'number' ? 'number' : Number.isInteger(value) ? 'integer' : 'number' : typeof value
  const own = [`field ${place}: ${type}`]
  if (schema.type === 'array') return [...own, ...(value as unknown[]).flatMap((one) => seenFields(`${place}[]`, schema.items, one))]
  if (schema.type !== 'object') return own
  const fields = value as Record<string, unknown>
  return [...own, ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => Object.hasOwn(fields, name) ? seenFields(`${place}.${name}`, field, fields[name]) : [])]
}

/** The parameters of a route: of its path, query, headers and body. */
function parametersOf(route: ShopRoute): string[] {
  const names = (schema: ShopSchema | null): string[] => schema !== null && 'properties' in schema ? Object.keys(schema.properties ?? {}) : []
  return [...names(partSchema(route, 'path')), ...route.query === undefined ? [] : names(partSchema(route, 'query')),
    ...route.headers === undefined ? [] : names(SHOP.schema(route.headers)), ...names(partSchema(route, 'body'))]
}

/** Every row of the tables that a case must have seen. */
export function shopRows(): Set<string> {
  const rows = ROUTES.flatMap(([name, route]) => [
    ...route.answers.map((answer) => answerRow(name, answer)),
    ...parametersOf(route).map((one) => `parameter ${name}: ${one}`),
    ...route.errors.map((error) => errorRow(name, error)), errorRow(name, 'foreignPage'), errorRow(name, 'wrongMethod'),
    ...route.answers.flatMap(({ schema }) => schema === undefined ? [] : fieldRows(schema, SHOP.schema(schema))),
  ])
  const machines = Object.entries(SHOP.machines).flatMap(([name, { transitions }]) => transitions.map(({ from, on, to }) => `transition ${name}: ${from} ${on} ${to}`))
  return new Set([
    ...rows, ...fieldRows('Failure', SHOP.schema('Failure')), ...Object.keys(ERRORS).map((name) => `error ${name}`), ...machines,
    ...Object.keys(SHOP.limits).map((name) => `limit ${name}`), ...Object.keys(SHOP.buckets).map((name) => `bucket ${name}`), ...Object.keys(SHOP.classes).map((word) => `class ${word}`),
  ])
}

/** A request of a route. */
export interface Asked {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON, that of a page as a form; a text as it is. */
  readonly body?: object | string
  readonly method?: string
}

/** An answer that is one of the tables. */
export interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The object of an answer of JSON. */
  readonly body: Record<string, unknown>
  /** The refusal that it is. */
  readonly error: ShopErrorName | null
}

/** Asks a server, holds each answer against the tables, and remembers the rows that were seen. */
export class ShopRows {
  readonly seen = new Set<string>()

  /** A row was seen by other means than one answer. */
  saw(...rows: readonly string[]): void {
    for (const row of rows) this.seen.add(row)
  }

  /** The answer of a route, which must be one that the tables have for this request. */
  async ask(url: string, name: ShopRouteName, { path = {}, query = {}, headers = {}, body, method }: Asked = {}): Promise<Seen> {
    const route: ShopRoute = SHOP.routes[name]
    const isPage = route.answers.some(({ media }) => media === 'text/html')
    const isText = typeof body === 'string' || body === undefined
    const sent = isText ? body : isPage ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
    const media: Record<string, string> = isText ? {} : { 'content-type': isPage ? 'application/x-www-form-urlencoded' : JSON_MEDIA }
    const response = await fetch(url + callPath(name, path, query), {
      method: method ?? route.method, redirect: 'manual', headers: { ...media, ...headers }, ...sent === undefined ? {} : { body: sent },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    const object = (type.startsWith(JSON_MEDIA) ? JSON.parse(bytes.toString()) : {}) as Record<string, unknown>
    const seen = { status: response.status, headers: response.headers, bytes, body: object }
    if (response.status >= 400) return { ...seen, error: this.#refused(name, route, { ...seen, error: null }) }
    this.#answered(name, route, query, { ...seen, error: null })
    const given = [...Object.keys(path), ...Object.keys(query), ...Object.keys(headers), ...isText ? [] : Object.keys(body)]
    this.saw(...given.map((one) => `parameter ${name}: ${one}`))
    return { ...seen, error: null }
  }

  #answered(name: ShopRouteName, route: ShopRoute, query: object, { status, headers, bytes, body }: Seen): void {
    const type = headers.get('content-type') ?? ''
    const asksFor = ({ when = '' }: ShopAnswer): string[] => when.split(/&| with /).filter((one) => one !== '')
    const isAsked = (one: string): boolean => {
      const [parameter = '', value] = one.split('=')
      const given = (query as Record<string, string | number | undefined>)[parameter]
      return given !== undefined && (value === undefined || String(given) === value)
    }
    // A refusal by 206 is no row: ranges are part of the 200.
    const wanted = status === 206 ? 200 : status
    const fitting = route.answers.filter((one) => one.status === wanted && asksFor(one).every(isAsked) && (one.schema === undefined ? type.startsWith(one.media!) : type === JSON_MEDIA))
    const [answer] = fitting.sort((a, b) => asksFor(b).length - asksFor(a).length)
    if (answer === undefined) throw new Error(`${name} has no answer ${String(status)} ${type}: ${bytes.toString().slice(0, 300)}`)
    this.saw(answerRow(name, answer))
    if (status === 202) {
      expect(headers.get('retry-after')).toBe(String(SHOP.limits.retrySeconds.value))
      this.saw('error preparing', 'limit retrySeconds')
    }
    if (answer.schema === undefined) return
    expect([answer.schema, ajv.validate(`${answer.schema}#`, body), ajv.errorsText()]).toEqual([answer.schema, true, 'No errors'])
    this.saw(...seenFields(answer.schema, SHOP.schema(answer.schema), body))
  }

  /** The row of a refusal: by its status, its code and its details, on a page by its sentence. */
  #refused(name: ShopRouteName, route: ShopRoute, { status, headers, bytes, body }: Seen): ShopErrorName {
    const isPage = headers.get('content-type')?.startsWith('text/html') === true
    // The description says it too: a range beyond the end is answered without a byte.
    const isEmpty = status === ERRORS.beyondEnd.status && bytes.length === 0
    const text = bytes.toString()
    const known = [...route.errors, ...COMMON_ERRORS].filter((one) => ERRORS[one].status === status)
    const failure = body['error'] as { readonly code?: string, readonly message: string, readonly details?: object } | undefined
    const details = Object.keys(failure?.details ?? {}).sort().join()
    const detailsOf = (one: ShopErrorName): string => [...ERRORS[one].details ?? []].sort().join()
    const fitting = known.filter((one) => isEmpty || (known.length === 1 && isPage) || (isPage ? text.includes(ERRORS[one].sentence) : failure?.code === ERRORS[one].code && details === detailsOf(one)))
    const [error] = fitting
    if (error === undefined || fitting.length > 1) throw new Error(`${name} has no error ${String(status)}: ${text.slice(-600)}`)
    for (const header of ERRORS[error].headers ?? []) expect([error, header, headers.get(header)]).toEqual([error, header, expect.stringMatching(/./)])
    if (!isPage && !isEmpty) {
      expect([error, ajv.validate('Failure#', body), ajv.errorsText()]).toEqual([error, true, 'No errors'])
      this.saw(...seenFields('Failure', SHOP.schema('Failure'), body))
    }
    this.saw(errorRow(name, error), `error ${error}`)
    return error
  }
}

/** An answer with the names of the client, `instrument_id` as `instrumentId`. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase()), camelCased(field)]))
}
