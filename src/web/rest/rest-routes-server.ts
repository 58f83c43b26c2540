import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { callsPerMinute, entryOf, type RequestPart, type RestTables } from '../../protocol/rest/rest-tables.js'
import { foreignRequest } from '../http-hosts.js'
import { passBody } from '../request-body.js'
import type { CallBuckets } from './call-buckets.js'
import type { OpenApiDocument } from './openapi-document.js'
import { sendRefusal, sendReply } from './reply-writer.js'
import { requestBody } from './request-body-reader.js'
import type { RefusalReply, RestHandler, RestRequest, TextReply } from './rest-reply.js'
import { refusal, RestRefusal, unreadable } from './rest-refusal.js'
import { partCheck } from './route-checks.js'
import { bodyMedia, fastifyPath, hasRanges, RoutePaths } from './route-table.js'

/** An interface over HTTP: its tables, the answers of its routes, and what it does in its own way. */
export interface RestInterface {
  readonly tables: RestTables
  /** Names it in sentences of the log: `shop`. */
  readonly name: string
  /** Answers by route; a route without one is not there. */
  readonly handlers: Readonly<Record<string, RestHandler | undefined>>
  /** Hosts that a request may name: every address, or those of this machine alone. */
  readonly hosts: 'address' | 'loopback'
  /** Receives a sentence where a request failed: without its query and its body. */
  readonly onLog?: (text: string) => void
  /**
   * Refuses a request before anything of it is read, as one without a token; null: it goes on. Routes whose credential
   * is `none` are not asked about.
   */
  readonly entryRefusal?: (headers: RestRequest['headers'], method: string) => RefusalReply | null
  /** Refuses a request of a route for reasons beyond its schemas and rules; null: it goes on. */
  readonly refusalOf?: (route: string, request: RestRequest) => RefusalReply | null
  /** The page of a refusal, for routes that are pages; `url` is that of the request. */
  readonly refusalPage?: (status: number, sentence: string, url: string) => TextReply
}

/** The parts that routes need beside their interface. */
export interface RouteParts {
  readonly buckets: CallBuckets
  /** The address of a client as its calls are counted: of IPv6 its network. */
  readonly addressOf: (ip: string) => string
}

/** A part of a request that a schema checks. */
type Fields = Readonly<Record<string, string | number>>

/** The routes of the tables that have handlers, as routes of Fastify. */
export class RestRoutes {
  readonly paths: RoutePaths
  readonly #handlers: RestInterface['handlers']
  #description = ''

  constructor(private readonly rest: RestInterface, private readonly parts: RouteParts) {
    const openApi: RestHandler = () => ({
      kind: 'text', status: 200, media: 'application/json', text: this.#description,
    })
    const descriptions = Object.fromEntries(['openApi', 'wellKnownOpenApi']
      .filter((name) => Object.hasOwn(rest.tables.routes, name)).map((name) => [name, openApi]))
    this.#handlers = { ...rest.handlers, ...descriptions }
    this.paths = new RoutePaths(rest.tables, this.#handlers)
  }

  /** Sets the description of the interface, as JSON. */
  describe(text: string): void {
    this.#description = text
  }

  /** The options of `@fastify/rate-limit`. */
  limits(): RateLimitPluginOptions {
    const { buckets } = this.parts
    class Store {
      incr: CallBuckets['incr'] = (...call) => { buckets.incr(...call) }

      child(): this {
        return this
      }
    }
    const hidden = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
    return {
      global: false, store: Store, errorResponseBuilder: () => refusal(this.rest.tables, 'tooManyCalls'),
      addHeaders: { ...hidden, 'retry-after': true }, addHeadersOnExceeding: hidden,
    }
  }

  /** Adds hooks and routes. */
  add(app: FastifyInstance, document: OpenApiDocument): void {
    app.removeAllContentTypeParsers()
    // Bodies are read by `requestBody`, those of refused requests by `passBody`.
    app.addContentTypeParser('*', (_request, _payload, done) => { done(null, undefined) })
    app.setValidatorCompiler(({ schema }) => (value: unknown) => isMarked(schema) ? schema.check(value) : { value })
    app.setErrorHandler((error, request, reply) => {
      this.#refuse(request, reply, this.#refusalOf(error, request))
    })
    app.setNotFoundHandler({ preHandler: app.rateLimit(this.#limit('general')) }, (request) => {
      throw this.#unknown(request)
    })
    app.addHook('onRequest', (request, _reply, done) => {
      done(this.#foreign(request) ?? this.#barred(request) ?? undefined)
    })
    app.addHook('onSend', async ({ raw }) => { await passBody(raw) })
    for (const name of Object.keys(this.rest.tables.routes)) {
      const handler = this.#handlers[name]
      if (handler !== undefined) this.#addRoute(app, name, handler, document)
    }
  }

  /** Refuses a URL whose escapes are broken. */
  refuseUrl(request: FastifyRequest, reply: FastifyReply): void {
    const fault = { path: '', expected: 'a path whose escapes are whole', found: 'another' }
    void passBody(request.raw).then(() => {
      const unclear = unreadable(this.rest.tables, fault, 'the path')
      this.#refuse(request, reply, this.#foreign(request) ?? this.#barred(request) ?? unclear)
    })
  }

  #refuse(request: FastifyRequest, reply: FastifyReply, error: RestRefusal): void {
    const { refusalPage } = this.rest
    const { url = '' } = request.raw
    const isPage = refusalPage !== undefined && this.paths.isPage(url)
    sendRefusal(reply, error, isPage ? refusalPage(error.statusCode, error.message, url) : null)
  }

  #addRoute(app: FastifyInstance, name: string, handler: RestHandler, document: OpenApiDocument): void {
    const { tables } = this.rest
    const route = entryOf(tables.routes, name)
    const media = bodyMedia(route)
    const check = (part: RequestPart): object => ({ check: partCheck(tables, name, part) })
    const schema = {
      params: check('path'), querystring: check('query'), ...media === null ? {} : { body: check('body') },
    }
    const options = (method: HTTPMethods): RouteOptions => ({
      method, url: fastifyPath(route), schema: method === 'HEAD' ? { ...schema, hide: true } : schema,
      config: {
        rateLimit: this.#limit(route.bucket),
        swaggerTransform: ({ url }: { url: string }) => ({ schema: document.schemaOf(name), url }),
      },
      ...media === null ? {} : {
        preValidation: async (request: FastifyRequest, reply: FastifyReply) => {
          const body = await requestBody(tables, route, request.raw, media)
          if (body === null) reply.hijack()
          else request.body = body.value
        },
      },
      handler: async (request, reply) => {
        await this.#answer(name, handler, { request, reply })
        return reply
      },
    })
    app.route(options(route.method))
    if (hasRanges(route)) app.route(options('HEAD'))
  }

  async #answer(
    name: string, handler: RestHandler, { request, reply }: { request: FastifyRequest, reply: FastifyReply },
  ): Promise<void> {
    const { tables, refusalOf } = this.rest
    const asked = askedOf(request)
    const answer = refusalOf?.(name, asked) ?? await handler(asked)
    try {
      await sendReply(tables, request, reply, answer)
    } catch (error) {
      if (!reply.sent) throw error
      this.#log(error, request)
    }
  }

  #limit(bucket: string): { max: number, keyGenerator: (request: FastifyRequest) => string } {
    return {
      max: callsPerMinute(this.rest.tables, bucket), keyGenerator: ({ ip }) => `${bucket} ${this.parts.addressOf(ip)}`,
    }
  }

  #foreign({ headers: { host, origin } }: FastifyRequest): RestRefusal | null {
    const reason = foreignRequest({ host, origin }, this.rest.hosts)
    return reason === null ? null : refusal(this.rest.tables, 'foreignPage')
  }

  #barred({ headers, method, raw }: FastifyRequest): RestRefusal | null {
    if (this.paths.isOpen(raw.url ?? '')) return null
    const barred = this.rest.entryRefusal?.(headersOf(headers), method) ?? null
    return barred === null ? null : new RestRefusal(this.rest.tables, barred)
  }

  /** The refusal of a path that is not there, or not with this method. */
  #unknown({ raw }: FastifyRequest): RestRefusal {
    const { tables } = this.rest
    const allow = this.paths.allowed(raw.url ?? '')
    return allow === '' ? refusal(tables, 'notFound') : refusal(tables, 'wrongMethod', { allow })
  }

  #refusalOf(error: unknown, request: FastifyRequest): RestRefusal {
    if (error instanceof RestRefusal) return error
    if (request.is404) return this.#unknown(request)
    const { statusCode } = error as { readonly statusCode?: number }
    if (statusCode === 415) return refusal(this.rest.tables, 'wrongMediaType')
    this.#log(error, request)
    return refusal(this.rest.tables, 'failed')
  }

  /** A sentence without the query and the body: they may hold secrets. */
  #log(error: unknown, { method, routeOptions }: FastifyRequest): void {
    const words = error instanceof Error ? error.message : String(error)
    this.rest.onLog?.(`${this.rest.name}: ${method} ${routeOptions.url ?? ''} failed: ${words}`)
  }
}

/** The schemas that Fastify has are their checks. */
function isMarked(schema: unknown): schema is { readonly check: ReturnType<typeof partCheck> } {
  return typeof schema === 'object' && schema !== null && 'check' in schema
}

/** A request as handlers read it. Its `Host` has been checked. */
function askedOf({ params, query, body, headers }: FastifyRequest): RestRequest {
  return {
    path: params as Fields, query: query as Fields, body, headers: headersOf(headers),
    origin: new URL(`http://${headers.host ?? ''}`).origin,
  }
}

function headersOf(headers: FastifyRequest['headers']): RestRequest['headers'] {
  const texts = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return Object.fromEntries(texts) as RestRequest['headers']
}
