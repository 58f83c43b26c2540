import type { IncomingMessage, ServerResponse } from 'node:http'
import { loadPackage } from '../../files/package-reader.js'
import { steadyMs } from '../../model/wall-client.js'
import type { ShopHandlers } from '../server/shop-reply.js'
import { CallBuckets } from './call-buckets.js'
import { openApiOptions } from './openapi-document.js'
import { fieldsOf } from './request-fields.js'
import { RoutePaths } from './route-table.js'
import { ShopRoutes } from './shop-routes-server.js'

/** The options of {@link openShopHttp}. */
export interface ShopHttpOptions {
  /** Answers by route; a route without one is not there. The descriptions (OpenAPI, llms.txt) are made here. */
  readonly handlers: ShopHandlers
  /** Hosts that a request may name: every address, or those of this machine alone. */
  readonly hosts: 'address' | 'loopback'
  /** Receives a sentence where a request failed: without its query and its body. */
  readonly onLog?: (text: string) => void
  /** A clock that never steps back, milliseconds: of the limits of calls. Default: that of the machine. */
  readonly steadyMs?: () => number
}

/** The shop behind a listener that others share. */
export interface ShopHttp {
  /** Answers a request of the shop; false: the path is of another part of the server, and nothing was done. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends what belongs to it; the listener is closed before. Harmless twice. */
  close(): Promise<void>
}

/** The listener limits the length of a path. */
const PARAMETER_LENGTH_MAX = 65_536

/**
 * The shop over HTTP: Fastify without a listener of its own. Routes, checks, limits and descriptions are made of the
 * tables of `SHOP`. Throws PACKAGE_MISSING without the part `servers`.
 */
export async function openShopHttp(options: ShopHttpOptions): Promise<ShopHttp> {
  const { fastify } = await loadPackage('fastify', () => import('fastify'))
  const { default: swagger } = await loadPackage('@fastify/swagger', () => import('@fastify/swagger'))
  const { default: rateLimit } = await loadPackage('@fastify/rate-limit', () => import('@fastify/rate-limit'))
  const routes = new ShopRoutes(options.handlers, {
    hosts: options.hosts, onLog: options.onLog ?? ((): void => undefined), addressOf: rateLimit.normalizeIP,
    buckets: new CallBuckets(options.steadyMs ?? steadyMs),
  })
  const app = fastify({
    logger: false, exposeHeadRoutes: false, requestIdHeader: false,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX, querystringParser: fieldsOf },
    frameworkErrors: (error, request, reply) => { routes.refuseUrl(request, reply) },
  })
  await app.register(swagger, openApiOptions())
  await app.register(rateLimit, routes.limits())
  routes.add(app)
  await app.ready()
  routes.describe(JSON.stringify(app.swagger()))
  const paths = new RoutePaths(routes.handlers)
  let closed: Promise<void> | null = null
  return {
    request: (request, response) => {
      const isOurs = paths.isOurs(request.url ?? '')
      if (isOurs) app.routing(request, response)
      return isOurs
    },
    close: () => closed ??= app.close().then(() => undefined),
  }
}
