import type { IncomingMessage, ServerResponse } from 'node:http'
import { loadPackage } from '../../files/package-reader.js'
import { steadyMs } from '../../model/wall-client.js'
import { CallBuckets } from './call-buckets.js'
import { OpenApiDocument, type OpenApiWords } from './openapi-document.js'
import { fieldsOf } from './request-fields.js'
import { RestRoutes, type RestInterface } from './rest-routes-server.js'

/** The options of {@link openRest}. */
export interface RestOptions extends RestInterface {
  readonly words: OpenApiWords
  /** A clock that never steps back, milliseconds: of the limits of calls. Default: that of the machine. */
  readonly steadyMs?: () => number
}

/** An interface behind a listener that others share. */
export interface RestServer {
  /** Answers a request of the interface; false: the path is of another part of the server, and nothing was done. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  /** Answers a request of any path: one that no route has is refused. */
  answer(request: IncomingMessage, response: ServerResponse): void
  /** Ends what belongs to it; the listener is closed before. Harmless twice. */
  close(): Promise<void>
}

/** The listener limits the length of a path. */
const PARAMETER_LENGTH_MAX = 65_536

/**
 * An interface over HTTP: Fastify without a listener of its own. Routes, checks, limits and the description in OpenAPI
 * are made of the tables. Throws PACKAGE_MISSING without the part `servers`.
 */
export async function openRest(options: RestOptions): Promise<RestServer> {
  const { fastify } = await loadPackage('fastify', () => import('fastify'))
  const { default: swagger } = await loadPackage('@fastify/swagger', () => import('@fastify/swagger'))
  const { default: rateLimit } = await loadPackage('@fastify/rate-limit', () => import('@fastify/rate-limit'))
  const document = new OpenApiDocument(options.tables, options.words)
  const routes = new RestRoutes(options, {
    addressOf: rateLimit.normalizeIP, buckets: new CallBuckets(options.steadyMs ?? steadyMs),
  })
  const app = fastify({
    logger: false, exposeHeadRoutes: false, requestIdHeader: false,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX, querystringParser: fieldsOf },
    frameworkErrors: (error, request, reply) => { routes.refuseUrl(request, reply) },
  })
  await app.register(swagger, document.options())
  await app.register(rateLimit, routes.limits())
  routes.add(app, document)
  await app.ready()
  routes.describe(JSON.stringify(document.withExamples(app.swagger())))
  let closed: Promise<void> | null = null
  return {
    request: (request, response) => {
      const isOurs = routes.paths.isOurs(request.url ?? '')
      if (isOurs) app.routing(request, response)
      return isOurs
    },
    answer: (request, response) => { app.routing(request, response) },
    close: () => closed ??= app.close().then(() => undefined),
  }
}
