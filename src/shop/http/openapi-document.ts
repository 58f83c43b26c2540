import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { isPageRoute, partSchema } from '../../protocol/shop/shop-requests.js'
import type { ShopCredential } from '../../protocol/shop/shop-credentials.js'
import type { ShopError, ShopErrorName } from '../../protocol/shop/shop-errors.js'
import type { ShopAnswer, ShopRoute, ShopRouteName } from '../../protocol/shop/shop-routes.js'
import type { ObjectSchema, ShopSchema } from '../../protocol/shop/shop-schema.js'
import type { ShopSchemaName } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { bodyMedia, hasRanges, ROUTES } from './route-table.js'

const ERRORS: Readonly<Record<ShopErrorName, ShopError>> = SHOP.errors

/** The objects of requests that stand as parameters: the document names no schema for them. */
function isOfParameters(name: string): boolean {
  const isNamed = ({ query, headers }: ShopRoute): boolean => name === query || name === headers
  return name === 'PathParameters' || Object.values(ROUTES).some(isNamed)
}

/** The credentials as OpenAPI has them, by those of the tables. */
const SCHEMES: { readonly [Name in ShopCredential]: readonly { readonly name: string, readonly scheme: object }[] } = {
  none: [],
  bearer: [{
    name: 'downloadToken', scheme: { type: 'http', scheme: 'bearer', description: SHOP.credentials.bearer.where },
  }],
  query: [],
  account: [{
    name: 'accountToken', scheme: { type: 'http', scheme: 'bearer', description: SHOP.credentials.account.where },
  }],
}

/** The options of `@fastify/swagger`: OpenAPI 3.1 with the objects of the tables by their names. */
export function openApiOptions(): FastifyDynamicSwaggerOptions {
  const schemas = Object.keys(SHOP.schemas).filter((name) => !isOfParameters(name))
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Market data shop', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' },
        description: 'Historical tick data by instrument and UTC day: find, quote, buy, download. /llms.txt has the ' +
          'delivery in words.',
      },
      servers: [{ url: '/' }],
      tags: TAGS.map(([name]) => ({ name })),
      components: {
        schemas: Object.fromEntries(schemas.map((name) => [name, named(SHOP.jsonSchema(schemaOf(name)))])),
        securitySchemes: Object.fromEntries(Object.values(SCHEMES).flat().map(({ name, scheme }) => [name, scheme])),
      },
    },
    stripBasePath: false,
  } as FastifyDynamicSwaggerOptions
}

function schemaOf(name: string): ShopSchema {
  const schemas: Readonly<Record<string, ShopSchema>> = SHOP.schemas
  const schema = schemas[name]
  if (schema === undefined) throw new Error(`No schema of the shop has the name ${name}`)
  return schema
}

/** A schema of the tables with its references as OpenAPI has them: `Coverage#` is `#/components/schemas/Coverage`. */
function named(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => (
    key === '$ref' && typeof value === 'string' ? `#/components/schemas/${value.slice(0, -1)}` : value)) as object
}

function jsonOf(schema: ShopSchema): object {
  return named(SHOP.jsonSchema(schema))
}

/** Groups of routes, by the begin of their paths; the first that fits. */
const TAGS: readonly (readonly [name: string, begin: RegExp])[] = [
  ['Download', /^\/api\/download\//], ['Purchase', /^\/(?:v1\/|api\/quote)/], ['Find', /^\/api\//],
  ['Descriptions', /^\/(?:openapi|\.well-known|llms)/], ['Pages', /./],
]

/** A route as `@fastify/swagger` reads it. */
export function documentSchema(name: ShopRouteName): FastifySchema {
  const route = ROUTES[name]
  const schemes = SCHEMES[route.credential].map((one) => ({ [one.name]: [] }))
  const media = bodyMedia(route)
  const query = partSchema(route, 'query')
  return {
    operationId: name, summary: route.summary,
    tags: [TAGS.find(([, begin]) => begin.test(route.path))?.[0] ?? ''],
    description: `${route.choice === undefined ? '' : `${route.choice}. `}Calls a minute: ${bucketLimit(route)}`,
    // A browser has the session cookie: a page answers those who are not signed in as it likes.
    security: isPageRoute(route) ? [{}, ...schemes] : schemes,
    ...!route.path.includes('{') ? {} : { params: parameters(partSchema(route, 'path'), name) },
    ...Object.keys(query?.properties ?? {}).length === 0 ? {} : { querystring: parameters(query, name) },
    ...route.headers === undefined ? {} : { headers: parameters(headersOf(route.headers), name) },
    ...route.body === undefined || media === null ? {} : {
      body: { $ref: `#/components/schemas/${route.body}` }, consumes: [media],
    },
    response: responses(route),
  }
}

function bucketLimit({ bucket }: ShopRoute): string {
  return `${SHOP.limits[SHOP.buckets[bucket]].value} (bucket \`${bucket}\`)`
}

function parameters(schema: ObjectSchema | null, name: ShopRouteName): object {
  const json = jsonOf(schema ?? { type: 'object' }) as { properties: Record<string, object> }
  const { class: words, ...rest } = json.properties
  if (name !== 'search' || words === undefined) return json
  // The schema of a search takes any word: an unknown one is refused with the vocabulary.
  const known = { class: { ...words, enum: Object.keys(SHOP.classes) } }
  return { ...json, properties: { ...rest, ...known } }
}

/** `Content-Type` is no parameter in OpenAPI: the body's media type says it. */
function headersOf(name: ShopSchemaName): ObjectSchema {
  const schema = schemaOf(name)
  if (!('type' in schema) || schema.type !== 'object') throw new Error(`${name} is no object`)
  const { 'content-type': _type, ...properties } = schema.properties ?? {}
  return { ...schema, properties }
}

/** The answers of a route by status. */
function responses(route: ShopRoute): object {
  const byStatus = new Map<number, ShopAnswer[]>()
  for (const answer of route.answers) byStatus.set(answer.status, [...byStatus.get(answer.status) ?? [], answer])
  const own = [...byStatus].map(([status, answers]) => [status, answersOf(status, answers, route)])
  const errors = new Map<number, ShopError[]>()
  for (const name of [...SHOP.commonErrors, ...route.errors]) {
    const error = ERRORS[name]
    errors.set(error.status, [...errors.get(error.status) ?? [], error])
  }
  const refusals = [...errors].map(([status, list]) => [status, refusalOf(list, route)])
  const part = hasRanges(route) ? [[206, partOf(answersOf(200, byStatus.get(200) ?? [], route))]] : []
  return Object.fromEntries([...own, ...part, ...refusals].sort(([a], [b]) => Number(a) - Number(b))) as object
}

/** An answer as `@fastify/swagger` reads it; one without content has the type null. */
interface DocumentedAnswer {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
  readonly type?: 'null'
  readonly headers: Readonly<Record<string, object>>
}

function answersOf(status: number, answers: readonly ShopAnswer[], route: ShopRoute): DocumentedAnswer {
  const names = [...new Set(answers.flatMap(({ schema }) => schema === undefined ? [] : [schema]))]
  const schemas = names.map(reference)
  const [only = {}] = schemas
  const media = answers.flatMap((one) => one.media === undefined ? [] : [one.media])
  const ranges = status === 200 && hasRanges(route) ? ['accept-ranges', 'etag', 'content-disposition'] : []
  return {
    description: answers.map(answerWords).join('; '),
    content: {
      ...schemas.length === 0 ? {} : {
        'application/json': { schema: schemas.length === 1 ? only : { anyOf: schemas } },
      },
      ...Object.fromEntries(media.map((one) => [one, { schema: mediaSchema(one) }])),
    },
    headers: headersFor([...status === 202 ? ['retry-after'] : [], ...status === 303 ? ['location'] : [], ...ranges]),
  }
}

function answerWords({ schema, media = '', when, choice }: ShopAnswer): string {
  const asked = when === undefined ? '' : ` with \`${when}\``
  return `${schema ?? media}${asked}${choice === undefined ? '' : ` (${choice})`}`
}

function reference(name: ShopSchemaName): object {
  return { $ref: `#/components/schemas/${name}` }
}

/** The schema of a body that is no object of the tables. Bytes have none: OpenAPI 3.1 says so by an empty one. */
function mediaSchema(media: string): object {
  if (media === 'application/json') return { type: 'object' }
  return media.startsWith('text/') ? { type: 'string' } : {}
}

/** The answer to a `Range`: of the bytes alone. */
function partOf({ content = {}, headers }: DocumentedAnswer): DocumentedAnswer {
  const bytes = Object.entries(content).filter(([media]) => media !== 'application/json')
  return {
    description: 'the part that `Range` asks for', content: Object.fromEntries(bytes),
    headers: { ...headers, ...headersFor(['content-range']) },
  }
}

function refusalOf(errors: readonly ShopError[], route: ShopRoute): DocumentedAnswer {
  const description = errors
    .map(({ code, condition }) => `${code === undefined ? '' : `\`${code}\`: `}${condition}`).join('; ')
  const headers = headersFor(errors.flatMap((one) => one.headers ?? []))
  if (errors.some(({ isEmpty }) => isEmpty === true)) return { description, type: 'null', headers }
  const media = isPageRoute(route) ? 'text/html' : 'application/json'
  return { description, content: { [media]: { schema: isPageRoute(route) ? mediaSchema(media) : FAILURE } }, headers }
}

const FAILURE = reference('Failure')

/** Headers of answers by their names in small letters. */
const HEADERS: Readonly<Record<string, object>> = {
  'retry-after': { type: 'string', pattern: '^[0-9]+$', description: 'whole seconds to wait' },
  'location': { type: 'string', minLength: 1 },
  'accept-ranges': { type: 'string', enum: ['bytes'] },
  'etag': { type: 'string', pattern: '^"[!-~]+"$', description: 'strong: other bytes have another' },
  'content-disposition': { type: 'string' },
  'content-range': { type: 'string', pattern: '^bytes (?:[0-9]+-[0-9]+|\\*)/[0-9]+$' },
  'allow': { type: 'string', minLength: 1 },
}

function headersFor(names: readonly string[]): DocumentedAnswer['headers'] {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name] ?? { type: 'string' }]))
}
