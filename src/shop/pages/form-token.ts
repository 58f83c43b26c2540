import { createHash, randomUUID } from 'node:crypto'
import { cookieOf } from '../../web/request-cookie.js'
import type { ShopReply, ShopRequest } from '../server/shop-reply.js'
import type { ShopTokens } from '../server/shop-tokens.js'

/** The cookie by which a browser shows that a form is of a page that it was given. */
const FORM_COOKIE = 'backtape_form'
const COOKIE_VALUE = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * The forms of a browser. The token of a form is a random part, and one that only this shop can make for it, this form,
 * its subject (a session, a cart, an account) and the cookie of this browser: a page elsewhere and another browser have
 * none.
 */
export class BrowserForms {
  readonly #tokens: ShopTokens
  readonly #known: string | null
  readonly #browser: string
  #isUsed = false

  constructor(tokens: ShopTokens, { headers }: Pick<ShopRequest, 'headers'>) {
    const cookie = cookieOf({ cookie: headers['cookie'] }, FORM_COOKIE)
    this.#tokens = tokens
    this.#known = cookie !== null && COOKIE_VALUE.test(cookie) ? cookie : null
    this.#browser = this.#known ?? randomUUID()
  }

  /** A new token of a form: the page with it must be sent by {@link sent}. */
  token(form: string, subject: string): string {
    this.#isUsed = true
    const nonce = randomUUID()
    return `${nonce}.${this.#tokens.tokenOf(this.#holder(form, subject, nonce))}`
  }

  /** The random part of the token of a form; null: of another form, of another browser, or of a page elsewhere. */
  nonce(form: string, subject: string, given: string): string | null {
    const [nonce = '', token = '', ...more] = given.split('.')
    const isRight = this.#tokens.isTokenOf(this.#holder(form, subject, nonce), token)
    return isRight && this.#known !== null && more.length === 0 ? nonce : null
  }

  /** A page, with the cookie for its form where the browser has none. No script and no page elsewhere sends it. */
  sent(page: ShopReply): ShopReply {
    if (page.kind !== 'text' || !this.#isUsed || this.#known !== null) return page
    const cookie = `${FORM_COOKIE}=${this.#browser}; Path=/; HttpOnly; SameSite=Strict`
    return { ...page, headers: { ...page.headers, 'set-cookie': cookie } }
  }

  #holder(form: string, subject: string, nonce: string): { readonly form: string, readonly subject: string } {
    return { form, subject: `${nonce} ${this.#browser} ${subject}` }
  }
}

/** A UUID of texts: the same texts have the same one. It is the `Idempotency-Key` of a form that is sent twice. */
export function uuidOf(texts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
    .join('-')
}
