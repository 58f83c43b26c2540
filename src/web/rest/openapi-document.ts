import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { jsonSchema } from '../../protocol/rest/json-schema.js'
import type { MessageSchema, ObjectSchema } from '../../protocol/rest/message-schema.js'
import { isPageRoute, partSchema } from '../../protocol/rest/rest-requests.js'
import {
  callsPerMinute, entryOf, type RestAnswer, type RestError, type RestRoute, type RestTables,
} from '../../protocol/rest/rest-tables.js'
import { bodyMedia, hasRanges } from './route-table.js'

/** Examples of a route: of its body, and of parameters by their names. */
export interface RouteExamples {
  readonly body?: unknown
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** An operation of the document, as far as examples are put into it. */
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string, example?: unknown }[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { example?: unknown }>> }
}

/** The words of a description beside the tables. */
export interface OpenApiWords {
  readonly title: string
  readonly description: string
  /** Groups of routes, by the begin of their paths; the first that fits. */
  readonly tags: readonly (readonly [name: string, begin: RegExp])[]
  /** The credentials as OpenAPI has them, by those of the tables. */
  readonly schemes: Readonly<Record<string, readonly { readonly name: string, readonly scheme: object }[]>>
  /** Examples of parameters and bodies: of a route, then of all of them under `*`. */
  readonly examples?: Readonly<Record<string, RouteExamples>>
  /** The parameters of a route as they are shown, where the schema that checks them says less. */
  readonly shown?: (route: string, properties: Readonly<Record<string, object>>) => Readonly<Record<string, object>>
}

/** A schema of the tables with its references as OpenAPI has them: `Coverage#` is `#/components/schemas/Coverage`. */
function jsonOf(schema: MessageSchema): object {
  return JSON.parse(JSON.stringify(jsonSchema(schema)), (key, value: unknown) => (
    key === '$ref' && typeof value === 'string' ? `#/components/schemas/${value.slice(0, -1)}` : value)) as object
}

/** The description of an interface in OpenAPI 3.1, made of its tables, as `@fastify/swagger` reads it. */
export class OpenApiDocument {
  constructor(private readonly tables: RestTables, private readonly words: OpenApiWords) {}

  /** The options of `@fastify/swagger`: the objects of the tables by their names. */
  options(): FastifyDynamicSwaggerOptions {
    const { tables: { schemas }, words: { title, description, tags, schemes } } = this
    const named = Object.keys(schemas).filter((name) => !this.#isOfParameters(name))
    return {
      openapi: {
        openapi: '3.1.0',
        info: { title, version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' }, description },
        servers: [{ url: '/' }],
        tags: tags.map(([name]) => ({ name })),
        components: {
          schemas: Object.fromEntries(named.map((name) => [name, jsonOf(entryOf(schemas, name))])),
          securitySchemes: Object.fromEntries(Object.values(schemes).flat().map(({ name, scheme }) => [name, scheme])),
        },
      },
      stripBasePath: false,
    } as FastifyDynamicSwaggerOptions
  }

  /** The objects of requests that stand as parameters: the document names no schema for them. */
  #isOfParameters(name: string): boolean {
    const isNamed = ({ query, headers }: RestRoute): boolean => name === query || name === headers
    return name === 'PathParameters' || Object.values(this.tables.routes).some(isNamed)
  }

  /** A route as `@fastify/swagger` reads it. */
  schemaOf(name: string): FastifySchema {
    const { tables, words: { tags, schemes } } = this
    const route = entryOf(tables.routes, name)
    const needed = (schemes[route.credential] ?? []).map((one) => ({ [one.name]: [] }))
    const media = bodyMedia(route)
    const query = partSchema(tables.schemas, route, 'query')
    return {
      operationId: name, summary: route.summary,
      tags: [tags.find(([, begin]) => begin.test(route.path))?.[0] ?? ''],
      description: `${route.choice === undefined ? '' : `${route.choice}. `}Calls a minute: ${this.#calls(route)}`,
      // A browser has the session cookie: a page answers those who are not signed in as it likes.
      security: isPageRoute(route) ? [{}, ...needed] : needed,
      ...!route.path.includes('{') ? {} : { params: this.#parameters(partSchema(tables.schemas, route, 'path'), name) },
      ...Object.keys(query.properties ?? {}).length === 0 ? {} : { querystring: this.#parameters(query, name) },
      ...route.headers === undefined ? {} : { headers: this.#parameters(this.#headersOf(route.headers), name) },
      ...route.body === undefined || media === null ? {} : {
        body: { $ref: `#/components/schemas/${route.body}` }, consumes: [media],
      },
      response: this.#responses(route),
    }
  }

  /** The document that was made of all this, with the examples. */
  withExamples(document: object): object {
    const { examples = {} } = this.words
    const { paths } = document as { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
    for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
      const { body, parameters } = examples[operation.operationId] ?? {}
      const named: Readonly<Record<string, unknown>> = { ...examples['*']?.parameters, ...parameters }
      for (const one of operation.parameters ?? []) if (Object.hasOwn(named, one.name)) one.example = named[one.name]
      if (body === undefined) continue
      for (const one of Object.values(operation.requestBody?.content ?? {})) one.example = body
    }
    return document
  }

  #calls({ bucket }: RestRoute): string {
    return `${callsPerMinute(this.tables, bucket)} (bucket \`${bucket}\`)`
  }

  #parameters(schema: ObjectSchema, name: string): object {
    const json = jsonOf(schema) as { properties: Record<string, object> }
    const shown = this.words.shown?.(name, json.properties) ?? json.properties
    return { ...json, properties: shown }
  }

  /** `Content-Type` is no parameter in OpenAPI: the body's media type says it. */
  #headersOf(name: string): ObjectSchema {
    const schema = entryOf(this.tables.schemas, name)
    if (!('type' in schema) || schema.type !== 'object') throw new Error(`${name} is no object`)
    const { 'content-type': _type, ...properties } = schema.properties ?? {}
    return { ...schema, properties }
  }

  /** The answers of a route by status. */
  #responses(route: RestRoute): object {
    const byStatus = new Map<number, RestAnswer[]>()
    for (const answer of route.answers) byStatus.set(answer.status, [...byStatus.get(answer.status) ?? [], answer])
    const own = [...byStatus].map(([status, answers]) => [status, answersOf(status, answers, route)])
    const errors = new Map<number, RestError[]>()
    for (const name of [...this.tables.commonErrors, ...route.errors]) {
      const error = entryOf(this.tables.errors, name)
      errors.set(error.status, [...errors.get(error.status) ?? [], error])
    }
    const refusals = [...errors].map(([status, list]) => [status, refusalOf(list, route)])
    const part = hasRanges(route) ? [[206, partOf(answersOf(200, byStatus.get(200) ?? [], route))]] : []
    return Object.fromEntries([...own, ...part, ...refusals].sort(([a], [b]) => Number(a) - Number(b))) as object
  }
}

/** An answer as `@fastify/swagger` reads it; one without content has the type null. */
interface DocumentedAnswer {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
  readonly type?: 'null'
  readonly headers: Readonly<Record<string, object>>
}

function answersOf(status: number, answers: readonly RestAnswer[], route: RestRoute): DocumentedAnswer {
  if (status === 204) return { description: 'done', type: 'null', headers: {} }
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

function answerWords({ schema, media = '', when, choice }: RestAnswer): string {
  const asked = when === undefined ? '' : ` with \`${when}\``
  return `${schema ?? media}${asked}${choice === undefined ? '' : ` (${choice})`}`
}

function reference(name: string): object {
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

function refusalOf(errors: readonly RestError[], route: RestRoute): DocumentedAnswer {
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
