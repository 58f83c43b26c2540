import { createRequire } from 'node:module'
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { COMMON_ERRORS, type ShopError, type ShopErrorName } from '../../src/protocol/shop/shop-errors.js'
import { bodySchema, isPageRoute, partSchema } from '../../src/protocol/rest/rest-requests.js'
import { callPath } from '../../src/protocol/shop/shop-requests.js'
import type { ShopAnswer, ShopRoute, ShopRouteName } from '../../src/protocol/shop/shop-routes.js'
import type { MessageSchema } from '../../src/protocol/rest/message-schema.js'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import { closed } from './shop-answers.ts'

const addFormats = createRequire(import.meta.url)('ajv-formats') as (ajv: Ajv2020) => void
const ajv = new Ajv2020({ strict: false, schemas: SHOP.jsonSchemas().map(closed) as AnySchemaObject[] })
addFormats(ajv)

const ROUTES = Object.entries(SHOP.routes) as (readonly [ShopRouteName, ShopRoute])[]
const ERRORS: Readonly<Record<ShopErrorName, ShopError>> = SHOP.errors
const JSON_MEDIA = 'application/json'

export const answerRow = (route: string, { status, schema, media, when = 'nothing else' }: ShopAnswer): string => `answer ${route}: ${String(status)} ${schema ?? media!} for ${when}`
const errorRow = (route: string, name: ShopErrorName): string => `error ${route}: ${name}`

/** The rows of the fields of a schema with their types, those of named schemas by their own names. */
function fieldRows(place: string, schema: MessageSchema): string[] {
  if ('$ref' in schema) return fieldRows(schema.$ref.slice(0, -1), SHOP.resolved(schema))
  if (schema.type === 'array') return [`field ${place}: array`, ...fieldRows(`${place}[]`, schema.items)]
  const own = [`field ${place}: ${schema.type}`, ...schema.type === 'string' && schema.isNullable === true ? [`field ${place}: null`] : []]
  return schema.type === 'object' ? [...own, ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => fieldRows(`${place}.${name}`, field))] : own
}

/** The fields of a value with the types that they have. */
function seenFields(place: string, schema: MessageSchema, value: unknown): string[] {
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
  const names = (schema: MessageSchema | null): string[] => schema !== null && 'properties' in schema ? Object.keys(schema.properties ?? {}) : []
  return [...names(partSchema(SHOP.schemas, route, 'path')), ...route.query === undefined ? [] : names(partSchema(SHOP.schemas, route, 'query')),
    ...route.headers === undefined ? [] : names(SHOP.schema(route.headers)), ...names(bodySchema(SHOP.schemas, route))]
}

/** The rows of the answers, parameters and fields of routes. */
function rowsOf(routes: readonly (readonly [ShopRouteName, ShopRoute])[]): string[] {
  return routes.flatMap(([name, route]) => [
    ...route.answers.map((answer) => answerRow(name, answer)),
    ...parametersOf(route).map((one) => `parameter ${name}: ${one}`),
    ...route.answers.flatMap(({ schema }) => schema === undefined ? [] : fieldRows(schema, SHOP.schema(schema))),
  ])
}

/** Every row of the tables that a case must have seen. */
export function shopRows(): Set<string> {
  const errors = ROUTES.flatMap(([name, route]) => [...route.errors, 'foreignPage' as const, 'wrongMethod' as const].map((error) => errorRow(name, error)))
  const machines = Object.entries(SHOP.machines).flatMap(([name, { transitions }]) => transitions.map(({ from, on, to }) => `transition ${name}: ${from} ${on} ${to}`))
  return new Set([
    ...rowsOf(ROUTES), ...errors, ...fieldRows('Failure', SHOP.schema('Failure')), ...Object.keys(ERRORS).map((name) => `error ${name}`), ...machines,
    ...Object.keys(SHOP.limits).map((name) => `limit ${name}`), ...Object.keys(SHOP.buckets).map((name) => `bucket ${name}`), ...Object.keys(SHOP.classes).map((word) => `class ${word}`),
  ])
}

/** True for the routes that the client asks: others are pages, and descriptions for programs. */
const isOfClient = ([name, route]: readonly [ShopRouteName, ShopRoute]): boolean => (
  !['openApi', 'wellKnownOpenApi', 'llms'].includes(name) && !isPageRoute(route))

/** Every row that the client must have asked for or been given in a case; its refusals are in client-rows.test.ts. */
export function clientRows(): Set<string> {
  return new Set(rowsOf(ROUTES.filter(isOfClient)))
}

/** The routes that the client asks. */
export const clientRoutes: readonly ShopRouteName[] = ROUTES.filter(isOfClient).map(([name]) => name)

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

/** Values of parameters by their names. */
type Values = Readonly<Record<string, string | number | undefined>>

/** The routes of a path, of any method, with the values in it. */
export function routesOf(pathname: string): readonly { readonly name: ShopRouteName, readonly method: string, readonly path: Values }[] {
  return ROUTES.flatMap(([name, { method, path: template }]) => {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, one]) => one!)
    const parts = new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname)
    if (parts === null || (name === 'download' && parts[3] === 'range')) return []
    return [{ name, method, path: Object.fromEntries(names.map((one, at) => [one, decodeURIComponent(parts[at + 1]!)])) }]
  })
}

/** The answer of a route that a status and a media type are for these parameters; undefined: there is none. */
export function answerOf(route: ShopRoute, query: Values, status: number, type: string): ShopAnswer | undefined {
  const asksFor = ({ when = '' }: ShopAnswer): string[] => when.split(/&| with /).filter((one) => one !== '')
  const isAsked = (one: string): boolean => {
    const [parameter = '', value] = one.split('=')
    const given = query[parameter]
    return given !== undefined && (value === undefined || String(given) === value)
  }
  // A refusal by 206 is no row: ranges are part of the 200.
  const wanted = status === 206 ? 200 : status
  const fitting = route.answers.filter((one) => one.status === wanted && asksFor(one).every(isAsked) && (one.schema === undefined ? type.startsWith(one.media!) : type === JSON_MEDIA))
  return fitting.sort((a, b) => asksFor(b).length - asksFor(a).length)[0]
}

/** The refusals of a route that an answer may be: by its status, its code and its details, on a page by its sentence. */
export function errorsOf(route: ShopRoute, { status, headers, bytes, body }: Omit<Seen, 'error'>): readonly ShopErrorName[] {
  const isPage = headers.get('content-type')?.startsWith('text/html') === true
  const text = bytes.toString()
  const known = [...route.errors, ...COMMON_ERRORS].filter((one) => ERRORS[one].status === status)
  const failure = body['error'] as { readonly code?: string, readonly details?: object } | undefined
  const details = Object.keys(failure?.details ?? {}).sort().join()
  const detailsOf = (one: ShopErrorName): string => [...ERRORS[one].details ?? []].sort().join()
  return known.filter((one) => isEmpty({ status, bytes }) || (known.length === 1 && isPage) || (isPage ? text.includes(ERRORS[one].sentence) : failure?.code === ERRORS[one].code && details === detailsOf(one)))
}

// The description says it too: a range beyond the end is answered without a byte.
const isEmpty = ({ status, bytes }: Pick<Seen, 'status' | 'bytes'>): boolean => status === ERRORS.beyondEnd.status && bytes.length === 0

const BYTES_MEDIA = /^application\/(?:zstd|octet-stream|zip|x-tar)$/

/** The headers that an answer must have. */
function headersOf(name: ShopRouteName, { status, headers, error }: Seen): readonly string[] {
  const type = headers.get('content-type') ?? ''
  const isBytes = status < 300 && BYTES_MEDIA.test(type)
  return [
    ...isBytes ? ['content-length', 'accept-ranges', 'etag', 'content-disposition', ...status === 206 ? ['content-range'] : []] : [],
    ...status === 202 ? ['retry-after'] : [], ...status === 303 ? ['location'] : [], ...error === null ? [] : ERRORS[error].headers ?? [],
    ...status === 303 && (name === 'signIn' || name === 'signOut') ? ['set-cookie'] : [],
  ]
}

/** An answer of the server as a case sees it. */
async function seenOf(response: Response): Promise<Omit<Seen, 'error'>> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type') ?? ''
  const body = (type.startsWith(JSON_MEDIA) ? JSON.parse(bytes.toString()) : {}) as Record<string, unknown>
  return { status: response.status, headers: response.headers, bytes, body }
}

/** Asks a server, holds each answer against the tables, and remembers the rows that were seen. */
export class ShopRows {
  readonly seen = new Set<string>()
  readonly #fetch = globalThis.fetch
  /** The cookie for the forms of a server, by its address. */
  readonly #cookies: Map<string, string> = new Map()

  /** A row was seen by other means than one answer. */
  saw(...rows: readonly string[]): void {
    for (const row of rows) this.seen.add(row)
  }

  /** The answer of a route, which must be one that the tables have for this request. */
  async ask(url: string, name: ShopRouteName, { path = {}, query = {}, headers = {}, body, method }: Asked = {}): Promise<Seen> {
    const route: ShopRoute = SHOP.routes[name]
    const isPage = isPageRoute(route)
    const isText = typeof body === 'string' || body === undefined
    const sent = isText ? body : isPage ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
    const media: Record<string, string> = isText ? {} : { 'content-type': isPage ? 'application/x-www-form-urlencoded' : JSON_MEDIA }
    const cookie = [this.#cookies.get(url), headers['cookie']].filter((one) => one !== undefined).join('; ')
    const response = await this.#fetch(url + callPath(name, path, query), {
      method: method ?? route.method, redirect: 'manual', headers: { ...media, ...headers, ...cookie === '' ? {} : { cookie } }, ...sent === undefined ? {} : { body: sent },
    })
    for (const one of response.headers.getSetCookie()) if (one.startsWith('backtape_form=')) this.#cookies.set(url, one.split(';')[0]!)
    const given = [...Object.keys(path), ...Object.keys(query), ...Object.keys(headers), ...isText ? [] : Object.keys(body)]
    return this.#taken(name, query, given, await seenOf(response))
  }

  /** The `fetch` for a client whose requests and answers are remembered; bytes of files are not. */
  readonly watching: typeof fetch = async (to, init = {}) => {
    const response = await this.#fetch(to, init)
    const { pathname, searchParams } = new URL(to instanceof Request ? to.url : to)
    const asked = routesOf(pathname).find(({ method }) => method === (init.method ?? 'GET'))
    if (asked === undefined) return response
    const isFile = BYTES_MEDIA.test(response.headers.get('content-type') ?? '')
    const seen = isFile ? { status: response.status, headers: response.headers, bytes: Buffer.alloc(0), body: {} } : await seenOf(response.clone())
    const sent = typeof init.body === 'string' ? JSON.parse(init.body) as object : {}
    const query = Object.fromEntries(searchParams)
    this.#taken(asked.name, query, [...Object.keys(asked.path), ...Object.keys(query), ...new Headers(init.headers).keys(), ...Object.keys(sent)], seen)
    return response
  }

  /** Holds an answer against the tables; `given` are the names of the parameters of its request. */
  #taken(name: ShopRouteName, query: Values, given: readonly string[], answered: Omit<Seen, 'error'>): Seen {
    const route: ShopRoute = SHOP.routes[name]
    const error = answered.status >= 400 ? this.#refused(name, route, answered) : null
    if (error === null) {
      this.#answered(name, route, query, answered)
      this.saw(...given.map((one) => `parameter ${name}: ${one}`))
    }
    const seen = { ...answered, error }
    for (const header of headersOf(name, seen)) {
      expect([name, header, seen.headers.get(header)]).toEqual([name, header, expect.stringMatching(/./)])
      this.saw(`header ${name}: ${header}`)
    }
    return seen
  }

  #answered(name: ShopRouteName, route: ShopRoute, query: Values, { status, headers, bytes, body }: Omit<Seen, 'error'>): void {
    const type = headers.get('content-type') ?? ''
    const answer = answerOf(route, query, status, type)
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

  #refused(name: ShopRouteName, route: ShopRoute, answered: Omit<Seen, 'error'>): ShopErrorName {
    const { status, headers, bytes, body } = answered
    const [error, ...others] = errorsOf(route, answered)
    if (error === undefined || others.length > 0) throw new Error(`${name} has no error ${String(status)}: ${bytes.toString().slice(-600)}`)
    if (headers.get('content-type')?.startsWith('text/html') !== true && !isEmpty(answered)) {
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
