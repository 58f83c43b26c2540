import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { StrategyErrorName } from '../protocol/strategies/strategy-errors.js'
import { bearerOf, isSameToken } from '../web/bearer-token.js'
import { foreignRequest, isLoopback } from '../web/http-hosts.js'
import { cookieOf } from '../web/request-cookie.js'
import type { RefusalReply, RestHandler, RestReply, RestRequest } from '../web/rest/rest-reply.js'
import type { HandshakeRefusal } from './socket-server.js'
import { loggedInPage, loginPage } from './login-page.js'
import { LoginSessions, SESSION_SECONDS } from './login-sessions.js'

/** Headers, names in small letters. */
type Headers = Readonly<Record<string, string | undefined>>

/** A path of this server, and nothing that a browser takes for another host's. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/
const FOREIGN: RefusalReply<StrategyErrorName> = { kind: 'refusal', error: 'foreignPage' }

/**
 * Access to a server: by an address or `localhost`, from no other page, and with the token if it has one: programs send
 * that themselves, browsers a cookie that they get for it.
 */
export class ServerAccess {
  /** Hosts that a request may name. */
  readonly hosts: 'address' | 'loopback'
  readonly #sessions: LoginSessions

  /** `token`: null where there is none; `steadyMs` is a clock that never steps back. */
  constructor(host: string, private readonly token: string | null, steadyMs: () => number) {
    this.hosts = isLoopback(host) ? 'loopback' : 'address'
    this.#sessions = new LoginSessions(steadyMs)
  }

  /** True where requests need a token. */
  get hasToken(): boolean {
    return this.token !== null
  }

  /** The handlers of its pages; none without a token. */
  get handlers(): Readonly<Record<'login' | 'logIn' | 'logOut', RestHandler | undefined>> {
    if (this.token === null) return { login: undefined, logIn: undefined, logOut: undefined }
    return {
      login: ({ headers }) => (this.#isLoggedIn(headers, 'GET') ? loggedInPage() : loginPage('/login')),
      logIn: (request) => this.#logIn(request), logOut: (request) => this.#logOut(request),
    }
  }

  /** The refusal of a request without the token; null: it has it, or the cookie of one of this server's own pages. */
  tokenRefusal(headers: Headers, method: string): RefusalReply<StrategyErrorName> | null {
    if (this.token === null || isSameToken(bearerOf(headers) ?? '', this.token)) return null
    if (this.#isLoggedIn(headers, method)) return null
    return { kind: 'refusal', error: 'noToken', headers: { 'www-authenticate': 'Bearer' } }
  }

  /** The refusal of a handshake; null: it has access. A browser states the origin of a WebSocket, always. */
  handshakeRefusal({ host, origin, authorization, cookie }: IncomingHttpHeaders): HandshakeRefusal | null {
    return this.#refusal({ host, origin, authorization, cookie }, 'UPGRADE')
  }

  /** The refusal of a request that no table of routes has; null: it has access. */
  pageRefusal({ headers, method = '' }: IncomingMessage): HandshakeRefusal | null {
    const { host, origin, authorization, cookie } = headers
    return this.#refusal({ host, origin, authorization, cookie, ...siteOf(headers) }, method)
  }

  #refusal(headers: Headers, method: string): HandshakeRefusal | null {
    const { host, origin } = headers
    const foreign = foreignRequest({ host, origin }, this.hosts)
    if (foreign !== null) return { status: 403, sentence: foreign }
    return this.tokenRefusal(headers, method) === null ? null : { status: 401, sentence: 'no token' }
  }

  #isLoggedIn(headers: Headers, method: string): boolean {
    const cookie = cookieOf(headers, cookieName(headers))
    return cookie !== null && this.#sessions.has(cookie) && isOwnPage(headers, method)
  }

  #logIn({ headers, body }: RestRequest): RestReply {
    if (!isOwnPage(headers, 'POST')) return FOREIGN
    const { token = '', to = '' } = body as { readonly token?: string, readonly to?: string }
    const path = OWN_PATH.test(to) ? to : '/login'
    if (!isSameToken(token, this.token ?? '')) return loginPage(path, { status: 401, isWrong: true })
    return seeOther(path, cookieText(headers, this.#sessions.begin(), SESSION_SECONDS))
  }

  #logOut({ headers }: RestRequest): RestReply {
    if (!isOwnPage(headers, 'POST')) return FOREIGN
    this.#sessions.end(cookieOf(headers, cookieName(headers)) ?? '')
    return seeOther('/login', cookieText(headers, '', 0))
  }
}

/**
 * True where a page of this server has made a request, or a person by its address: `Origin`, which was compared with
 * `Host` before, or `Sec-Fetch-Site` says so. Over plain HTTP from another machine a browser states neither for what it
 * only reads; no other page can read that, and none has the cookie sent (SameSite=Strict).
 */
function isOwnPage({ origin, 'sec-fetch-site': site }: Headers, method: string): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isRead)
  return origin !== undefined || isRead
}

/** The header by which a browser says where a request is from, as a text. */
function siteOf({ 'sec-fetch-site': site }: IncomingHttpHeaders): Headers {
  return typeof site === 'string' ? { 'sec-fetch-site': site } : {}
}

/** Cookies of a host are those of all its ports: each server has its own. */
function cookieName({ host = '' }: Headers): string {
  return `backtape_server_${/:(\d+)$/.exec(host)?.[1] ?? '80'}`
}

/** The value of `Set-Cookie`: no script reads it, and no page of another site has it sent. */
function cookieText(headers: Headers, value: string, lifeSeconds: number): string {
  return `${cookieName(headers)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${lifeSeconds}`
}

/** Sends the browser to another page. */
function seeOther(location: string, cookie: string): RestReply {
  const headers = { location, 'set-cookie': cookie }
  return { kind: 'text', status: 303, media: 'text/html', text: '', headers }
}
