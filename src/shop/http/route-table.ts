import { isPageRoute } from '../../protocol/shop/shop-requests.js'
import type { ShopRoute, ShopRouteName } from '../../protocol/shop/shop-routes.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { requestPath, unescapedPart } from '../../web/request-url.js'
import type { ShopHandlers } from '../server/shop-reply.js'

/** Every route by its name. */
export const ROUTES: Readonly<Record<ShopRouteName, ShopRoute>> = SHOP.routes

/** The names of the routes, in the order of the tables. */
export function routeNames(): readonly ShopRouteName[] {
  return Object.keys(ROUTES).filter(isRouteName)
}

function isRouteName(name: string): name is ShopRouteName {
  return Object.hasOwn(ROUTES, name)
}

/** The media type of a form. */
export const FORM = 'application/x-www-form-urlencoded'
/** The media type of JSON. */
export const JSON_MEDIA = 'application/json'

/** The media types of bodies. */
export type BodyMedia = typeof FORM | typeof JSON_MEDIA

/** The media type of the body of a route; null: it has none. */
export function bodyMedia(route: ShopRoute): BodyMedia | null {
  if (route.body === undefined) return null
  return isPageRoute(route) ? FORM : JSON_MEDIA
}

/** True where a route may answer with bytes of which a client asks for a part: HEAD is allowed there alone. */
export function hasRanges({ errors }: ShopRoute): boolean {
  return errors.includes('beyondEnd')
}

/** The methods of a route. */
function methodsOf(route: ShopRoute): readonly ('GET' | 'POST' | 'HEAD')[] {
  return hasRanges(route) ? [route.method, 'HEAD'] : [route.method]
}

/** A path of the tables as Fastify writes it: `/api/instrument/:id/coverage`. */
export function fastifyPath({ path }: ShopRoute): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** The paths of routes that have handlers. */
export class RoutePaths {
  readonly #routes: readonly ShopRoute[]

  constructor(handlers: ShopHandlers) {
    this.#routes = routeNames().filter((name) => handlers[name] !== undefined).map((name) => ROUTES[name])
  }

  /** True for a URL whose first part begins a path of the shop: `/api/x`, `/shop`. */
  isOurs(url: string): boolean {
    const [, first = ''] = partsOf(requestPath(url))
    return this.#routes.some(({ path }) => partsOf(path)[1] === unescapedPart(first))
  }

  /** True for the path of a page. */
  isPage(url: string): boolean {
    return this.#routesOf(url).some(isPageRoute)
  }

  /** The methods of a path, `GET, HEAD`; empty: there is no such path. */
  allowed(url: string): string {
    return [...new Set(this.#routesOf(url).flatMap(methodsOf))].join(', ')
  }

  #routesOf(url: string): readonly ShopRoute[] {
    const parts = partsOf(requestPath(url))
    return this.#routes.filter(({ path }) => isPathOf(partsOf(path), parts))
  }
}

function partsOf(path: string): readonly string[] {
  return path.split('/')
}

function isPathOf(wanted: readonly string[], parts: readonly string[]): boolean {
  return wanted.length === parts.length && wanted.every((one, at) => {
    // An empty parameter is one that its schema refuses.
    return one.startsWith('{') || one === unescapedPart(parts[at] ?? '')
  })
}
