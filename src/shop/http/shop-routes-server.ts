import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import type { ShopBucket } from '../../protocol/shop/shop-limits.js'
import { checkoutFault, type RequestPart } from '../../protocol/shop/shop-requests.js'
import type { ShopRouteName } from '../../protocol/shop/shop-routes.js'
import { foreignRequest } from '../../web/http-hosts.js'
import { passBody } from '../../web/request-body.js'
import type { ShopHandler, ShopHandlers, ShopRequest } from '../server/shop-reply.js'
import { callsPerMinute, type CallBuckets } from './call-buckets.js'
import { deliveryText } from './delivery-text.js'
import { documentSchema } from './openapi-document.js'
import { sendRefusal, sendReply } from './reply-writer.js'
import { requestBody } from './request-body-reader.js'
import { partCheck } from './route-checks.js'
import { bodyMedia, fastifyPath, hasRanges, routeNames, ROUTES, RoutePaths } from './route-table.js'
import { invalidInput, refusal, ShopRefusal } from './shop-refusal.js'

/** The parts that routes need. */
export interface RouteParts {
  readonly hosts: 'address' | 'loopback'
  readonly onLog: (text: string) => void
  readonly buckets: CallBuckets
  /** The address of a client as its calls are counted: of IPv6 its network. */
  readonly addressOf: (ip: string) => string
}

/** A part of a request that a schema checks. */
type Fields = Readonly<Record<string, string | number>>

/** The routes of the tables that have handlers, as routes of Fastify. */
export class ShopRoutes {
  readonly handlers: ShopHandlers
  readonly #paths: RoutePaths
  #description = ''

  constructor(handlers: ShopHandlers, private readonly parts: RouteParts) {
    const openApi: ShopHandler = () => ({
      kind: 'text', status: 200, media: 'application/json', text: this.#description,
    })
    const llms: ShopHandler = () => ({ kind: 'text', status: 200, media: 'text/plain', text: deliveryText() })
    this.handlers = { ...handlers, openApi, wellKnownOpenApi: openApi, llms }
    this.#paths = new RoutePaths(this.handlers)
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
      global: false, store: Store, errorResponseBuilder: () => refusal('tooManyCalls'),
      addHeaders: { ...hidden, 'retry-after': true }, addHeadersOnExceeding: hidden,
    }
  }

  /** Adds hooks and routes. */
  add(app: FastifyInstance): void {
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
      done(this.#foreign(request) ?? undefined)
    })
    app.addHook('onSend', async ({ raw }) => { await passBody(raw) })
    for (const name of routeNames()) {
      const handler = this.handlers[name]
      if (handler !== undefined) this.#addRoute(app, name, handler)
    }
  }

  /** Refuses a URL whose escapes are broken. */
  refuseUrl(request: FastifyRequest, reply: FastifyReply): void {
    const fault = { path: '', expected: 'a path whose escapes are whole', found: 'another' }
    void passBody(request.raw).then(() => {
      this.#refuse(request, reply, this.#foreign(request) ?? invalidInput(fault, 'the path'))
    })
  }

  #refuse(request: FastifyRequest, reply: FastifyReply, error: ShopRefusal): void {
    sendRefusal(reply, error, this.#paths.isPage(request.raw.url ?? ''))
  }

  #addRoute(app: FastifyInstance, name: ShopRouteName, handler: ShopHandler): void {
    const route = ROUTES[name]
    const media = bodyMedia(route)
    const check = (part: RequestPart): object => ({ check: partCheck(name, part) })
    const schema = {
      params: check('path'), querystring: check('query'), ...media === null ? {} : { body: check('body') },
    }
    const options = (method: HTTPMethods): RouteOptions => ({
      method, url: fastifyPath(route), schema: method === 'HEAD' ? { ...schema, hide: true } : schema,
      config: {
        rateLimit: this.#limit(route.bucket),
        swaggerTransform: ({ url }: { url: string }) => ({ schema: documentSchema(name), url }),
      },
      ...media === null ? {} : {
        preValidation: async (request: FastifyRequest, reply: FastifyReply) => {
          const body = await requestBody(request.raw, media)
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
    name: ShopRouteName, handler: ShopHandler, { request, reply }: { request: FastifyRequest, reply: FastifyReply },
  ): Promise<void> {
    const asked = shopRequest(request)
    if (name === 'checkout') {
      const fault = checkoutFault(asked.body, asked.headers['idempotency-key'], asked.origin)
      if (fault !== null) throw invalidInput(fault, 'the body')
    }
    const answer = await handler(asked)
    try {
      await sendReply(request, reply, answer)
    } catch (error) {
      if (!reply.sent) throw error
      this.#log(error, request)
    }
  }

  #limit(bucket: ShopBucket): { max: number, keyGenerator: (request: FastifyRequest) => string } {
    return {
      max: callsPerMinute(bucket), keyGenerator: ({ ip }) => `${bucket} ${this.parts.addressOf(ip)}`,
    }
  }

  #foreign({ headers: { host, origin } }: FastifyRequest): ShopRefusal | null {
    const reason = foreignRequest({ host, origin }, this.parts.hosts)
    return reason === null ? null : refusal('foreignPage')
  }

  /** The refusal of a path that is not there, or not with this method. */
  #unknown({ raw }: FastifyRequest): ShopRefusal {
    const allow = this.#paths.allowed(raw.url ?? '')
    return allow === '' ? refusal('notFound') : refusal('wrongMethod', { allow })
  }

  #refusalOf(error: unknown, request: FastifyRequest): ShopRefusal {
    if (error instanceof ShopRefusal) return error
    if (request.is404) return this.#unknown(request)
    if ((error as { readonly statusCode?: number }).statusCode === 415) return refusal('wrongMediaType')
    this.#log(error, request)
    return refusal('failed')
  }

  /** A sentence without the query and the body: they may hold secrets. */
  #log(error: unknown, { method, routeOptions }: FastifyRequest): void {
    const words = error instanceof Error ? error.message : String(error)
    this.parts.onLog(`shop: ${method} ${routeOptions.url ?? ''} failed: ${words}`)
  }
}

/** The schemas that Fastify has are their checks. */
function isMarked(schema: unknown): schema is { readonly check: ReturnType<typeof partCheck> } {
  return typeof schema === 'object' && schema !== null && 'check' in schema
}

/** A request as handlers read it. Its `Host` has been checked. */
function shopRequest({ params, query, body, headers }: FastifyRequest): ShopRequest {
  const texts = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return {
    path: params as Fields, query: query as Fields, body,
    headers: Object.fromEntries(texts) as ShopRequest['headers'],
    origin: new URL(`http://${headers.host ?? ''}`).origin,
  }
}
