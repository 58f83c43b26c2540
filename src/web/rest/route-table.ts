import { isPageRoute } from '../../protocol/rest/rest-requests.js'
import type { RestRoute, RestTables } from '../../protocol/rest/rest-tables.js'
import { requestPath, unescapedPart } from '../request-url.js'

/** The media type of a form. */
export const FORM = 'application/x-www-form-urlencoded'
/** The media type of JSON. */
export const JSON_MEDIA = 'application/json'
/** The media type of a text. */
export const TEXT_MEDIA = 'text/plain'

/** The media types of bodies. */
export type BodyMedia = typeof FORM | typeof JSON_MEDIA | typeof TEXT_MEDIA

/** The media type of the body of a route; null: it has none. */
export function bodyMedia(route: RestRoute): BodyMedia | null {
  if (route.body === undefined) return null
  return route.bodyMedia ?? (isPageRoute(route) ? FORM : JSON_MEDIA)
}

/** True where a route may answer with bytes of which a client asks for a part: HEAD is allowed there alone. */
export function hasRanges({ errors }: RestRoute): boolean {
  return errors.includes('beyondEnd')
}

/** The methods of a route. */
function methodsOf(route: RestRoute): readonly ('GET' | 'POST' | 'HEAD')[] {
  return hasRanges(route) ? [route.method, 'HEAD'] : [route.method]
}

/** A path of the tables as Fastify writes it: `/api/instrument/:id/coverage`. */
export function fastifyPath({ path }: RestRoute): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** The paths of routes that have handlers. */
export class RoutePaths {
  readonly #routes: readonly RestRoute[]

  constructor({ routes }: RestTables, handlers: Readonly<Record<string, unknown>>) {
    this.#routes = Object.entries(routes).flatMap(([name, route]) => (handlers[name] === undefined ? [] : [route]))
  }

  /** True for a URL whose first part begins a path of the interface: `/api/x`, `/shop`. */
  isOurs(url: string): boolean {
    const [, first = ''] = partsOf(requestPath(url))
    return this.#routes.some(({ path }) => partsOf(path)[1] === unescapedPart(first))
  }

  /** True for the path of a page. */
  isPage(url: string): boolean {
    return this.#routesOf(url).some(isPageRoute)
  }

  /** True for a path of routes that need no credential. */
  isOpen(url: string): boolean {
    const routes = this.#routesOf(url)
    return routes.length > 0 && routes.every(({ credential }) => credential === 'none')
  }

  /** The methods of a path, `GET, HEAD`; empty: there is no such path. */
  allowed(url: string): string {
    return [...new Set(this.#routesOf(url).flatMap(methodsOf))].join(', ')
  }

  #routesOf(url: string): readonly RestRoute[] {
    const parts = partsOf(requestPath(url))
    const fitting = this.#routes.filter(({ path }) => isPathOf(partsOf(path), parts))
    // A path that is written out is no parameter of another one: /instance/start is no instance.
    const least = Math.min(...fitting.map(parameterCount))
    return fitting.filter((route) => parameterCount(route) === least)
  }
}

function parameterCount({ path }: RestRoute): number {
  return path.split('{').length
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
