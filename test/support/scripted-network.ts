import type { ShopNetwork } from '../../src/shop/client/redirect-client.js'

/** A request that reached a {@link scriptedNetwork}. */
export interface SeenRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The reply to a request: an answer, or an error of the connection. */
export type ScriptedAnswer = (request: SeenRequest) => Response | Error

/** A network without sockets: requests are written down in `seen`, names lead to `addresses`. */
export function scriptedNetwork(
  answer: ScriptedAnswer, addresses: Readonly<Record<string, readonly string[]>> = {},
): ShopNetwork & { readonly seen: SeenRequest[] } {
  const seen: SeenRequest[] = []
  return {
    seen,
    addressesOf: async (host) => addresses[host] ?? [],
    fetch: async (url, { method = 'GET', headers, body }) => {
      const request = { url: url.href, method, headers: Object.fromEntries(new Headers(headers)), body: typeof body === 'string' ? body : null }
      seen.push(request)
      const given = answer(request)
      if (given instanceof Error) throw given
      return given
    },
  }
}

/** An answer of JSON. */
export function jsonAnswer(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } })
}

/** A redirect. */
export function redirectTo(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } })
}

/** The error of `fetch` for a connection that was reset. */
export function resetError(): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) })
}
