import { BacktapeError } from '../../model/error.js'
import type { StopSignal } from '../../model/stop-signal.js'
import { optionToken } from '../../protocol/option-token.js'
import { optionUrl, shownUrl } from '../../protocol/option-url.js'
import type { ShopRoute, ShopRouteName } from '../../protocol/shop/shop-routes.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { isSafeScheme, type ShopRequest } from './redirect-client.js'

/** A call of an endpoint of the shop. */
export interface ShopCall {
  readonly route: ShopRouteName
  /** Values of the parameters in the path. */
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number>>
  /** The body, which goes out as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The credential, which goes to the place that the table of routes states. */
  readonly token?: string
  readonly signal?: StopSignal | undefined
}

/**
 * The address of a shop that an option holds. Throws OPTION_INVALID, also for http to another machine and for a query.
 */
export function shopAddress(text: unknown): URL {
  const action = 'reach the shop'
  const url = optionUrl(text, { option: 'url', action, form: 'https://host', alsoSchemes: ['http'] })
  if (isSafeScheme(url) && url.search === '') return url
  const expected = url.search === '' ? 'https, or http on this machine' : 'a URL without query'
  throw invalid(action, 'url', expected, shownUrl(url.href))
}

/** The route of a call. */
export function routeOf({ route }: ShopCall): ShopRoute {
  return SHOP.routes[route]
}

/** True where a call may be sent again: a checkout with its key alone. */
export function isRepeatable(call: ShopCall): boolean {
  return routeOf(call).headers === undefined || call.headers?.['idempotency-key'] !== undefined
}

/** The request of a call. Throws OPTION_INVALID for a parameter of the path or a token that cannot be sent. */
export function shopRequest(shop: URL, call: ShopCall): ShopRequest {
  const { method, path: pattern, credential } = routeOf(call)
  const { query = {}, body, token } = call
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => pathValue(name, call.path?.[name]))
  const url = new URL(shop.pathname.replace(/\/+$/, '') + path, shop)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  const headers: Record<string, string> = { ...call.headers }
  if (token !== undefined) {
    const sent = optionToken(token, { option: 'token', action: 'ask the shop' })
    if (credential === 'query') url.searchParams.set('t', sent)
    else headers['authorization'] = `Bearer ${sent}`
  }
  if (body === undefined) return { method, url, headers }
  return { method, url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** A value as one part of a path: what would leave its place is refused. */
function pathValue(name: string, value: string | number | undefined): string {
  const text = String(value ?? '')
  if (!/^\.{0,2}$|\p{Surrogate}/u.test(text)) return encodeURIComponent(text)
  throw invalid('ask the shop', name, 'one part of a path', JSON.stringify(text.slice(0, 40)))
}

function invalid(action: string, field: string, expected: string, found: string): BacktapeError {
  const words = `Cannot ${action}: ${field} must be ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', words, { field, expected, found })
}
