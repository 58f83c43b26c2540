import { isLoopback } from '../../web/http-hosts.js'
import { shownUrl } from '../../protocol/option-url.js'
import { addressesOf, hostOf, isPrivateHost } from './private-address-client.js'
import { shopError } from './shop-failure.js'

/** The way to the network: the global `fetch`, and the look-up of names. */
export interface ShopNetwork {
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>
  /** The addresses of a name, empty where it has none. */
  readonly addressesOf: (host: string) => Promise<readonly string[]>
}

/** The network of this process. */
export const SHOP_NETWORK: ShopNetwork = { fetch: (url, init) => fetch(url, init), addressesOf }

/** A request of HTTP. */
export interface ShopRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const REDIRECTS_MAX = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const SAME_METHOD: ReadonlySet<number> = new Set([307, 308])

/** True where a URL may be asked: https, or http on this machine. */
export function isSafeScheme(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url)))
}

/**
 * The answer to a request behind at most five redirects: never to http (but from loopback to loopback), never from a
 * public host to a private address, at another origin without `Authorization` from there on. A POST follows 307 and 308
 * within its origin alone. Throws SHOP_REDIRECTED for any other redirect; what the network throws passes through.
 */
export async function fetchBehindRedirects(
  { method, url, headers, body }: ShopRequest, network: ShopNetwork, signal: AbortSignal,
): Promise<Response> {
  let [at, sent] = [url, headers]
  for (let count = 0; ; count++) {
    const init: RequestInit = { method, headers: sent, redirect: 'manual', signal }
    const response = await network.fetch(at, body === undefined ? init : { ...init, body })
    if (!REDIRECTS.has(response.status)) return response
    await response.body?.cancel()
    const place = `${method} ${shownUrl(at.href)}`
    const location = response.headers.get('location')
    const to = location !== null && URL.canParse(location, at.href) ? new URL(location, at) : null
    if (to === null) throw refused(place, 'an address in Location', 'none')
    const reason = count === REDIRECTS_MAX ? `at most ${REDIRECTS_MAX} redirects`
      : method === 'POST' && (to.origin !== at.origin || !SAME_METHOD.has(response.status))
        ? 'no redirect of a POST but 307 and 308 within its origin' : await redirectFault(at, to, network)
    if (reason !== null) throw refused(place, reason, `a redirect to ${shownUrl(to.href)}`)
    if (to.origin !== at.origin) sent = withoutCredentials(sent)
    at = to
  }
}

function refused(place: string, expected: string, found: string): Error {
  return shopError('SHOP_REDIRECTED', place, expected, found, 'it was not followed')
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(?:authorization|cookie)$/i.test(name)))
}

/** The demand that a redirect breaks, in words; null: none. */
async function redirectFault(from: URL, to: URL, network: ShopNetwork): Promise<string | null> {
  if (to.username !== '' || to.password !== '') return 'an address without user and password'
  const isLocal = from.protocol === 'http:' && isSafeScheme(from) && isSafeScheme(to)
  if (to.protocol !== 'https:' && !isLocal) return 'an address with https'
  if (to.hostname === from.hostname) return null
  const leadsInside = await isPrivateHost(hostOf(to), 'some', network.addressesOf)
    && !(await isPrivateHost(hostOf(from), 'every', network.addressesOf))
  return leadsInside ? 'no private address behind a public host' : null
}
