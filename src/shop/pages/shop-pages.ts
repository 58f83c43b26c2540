import { callPath, filledReturnUrl, RETURN_PLACEHOLDER } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { html, type Markup } from '../../web/page-markup.js'
import type { Shelf } from '../server/shelf.js'
import { SHOP_COOKIE } from '../server/shop-accounts.js'
import type { RefusalReply, ShopHandler, ShopHandlers, ShopReply, ShopRequest } from '../server/shop-reply.js'
import type { ShopService } from '../server/shop-service.js'
import type { ShopAccount } from '../server/shop-settings.js'
import type { StoredSession } from '../store/stored-rows.js'
import { accountPage, signInPage } from './account-page.js'
import {
  cartOf, cartPage, dayOf, instrumentGood, seriesGood, type Cart, type CartGood, type CartProblem,
} from './cart-page.js'
import { bundlesPage, calendarPage, cataloguePage } from './catalogue-page.js'
import { BrowserForms, uuidOf } from './form-token.js'
import { payPage } from './pay-page.js'
import { reasonText } from './page-words.js'
import { receiptPage } from './receipt-page.js'
import { receiptPdf } from './receipt-pdf.js'
import { PageRefusal, RouteAnswers } from './route-answers.js'

/** The parts of a service that pages use. */
export type PageService = Pick<ShopService, 'handlers' | 'shelves' | 'purchases' | 'accounts' | 'tokens'>

/** The pages of a shop, by their routes: what they show and do is the service's. */
export function shopPages(service: PageService): ShopHandlers {
  const pages = new ShopPages(service)
  const asPage = (make: PageMaker): ShopHandler => async (request) => {
    const forms = new BrowserForms(service.tokens, request)
    try {
      return forms.sent(await make(request, forms))
    } catch (error) {
      if (error instanceof PageRefusal) return error.reply
      throw error
    }
  }
  return {
    cart: asPage((request, forms) => pages.cart(request, forms)),
    bundleCart: asPage((request, forms) => pages.bundleCart(request, forms)),
    cartCheckout: asPage((request, forms) => pages.checkout(request, forms)),
    payPage: asPage((request, forms) => pages.payment(request, forms)),
    pay: asPage((request, forms) => pages.pay(request, forms)),
    receipt: asPage((request) => pages.receipt(request)), receiptPdf: asPage((request) => pages.receiptPdf(request)),
    account: asPage((request, forms) => pages.account(request, forms)),
    rotateKey: asPage((request, forms) => pages.rotateKey(request, forms)),
    signIn: asPage((request, forms) => pages.signIn(request, forms)),
    signOut: asPage((request, forms) => pages.signOut(request, forms)),
  }
}

/** Makes a page, with the forms of its browser. Throws {@link PageRefusal} where a route refuses it. */
type PageMaker = (request: ShopRequest, forms: BrowserForms) => Promise<ShopReply> | ShopReply

const UNKNOWN: RefusalReply = { kind: 'refusal', error: 'notFound' }
const NO_ACCESS: RefusalReply = { kind: 'refusal', error: 'noAccess' }
/** A form without the token of its page. */
const FOREIGN: RefusalReply = { kind: 'refusal', error: 'foreignPage' }

/** Sends the browser to another page. */
function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): ShopReply {
  return { kind: 'text', status: 303, media: 'text/html', text: '', headers: { location, ...headers } }
}

/** The fields of a form, which its schema has accepted. */
function fieldsOf({ body }: ShopRequest): Readonly<Record<string, string | number | undefined>> {
  return body as Readonly<Record<string, string | number | undefined>>
}

/** The download token in the address of a receipt. */
function tokenOf({ query }: ShopRequest): string {
  return String(query['t'])
}

/** A session in a browser lasts so long, seconds. */
const SESSION_SECONDS = 7 * 86_400

/** The value of `Set-Cookie`: no script reads it, and no page of another site sends it. Empty: it ends. */
function cookieText(value: string): string {
  const life = value === '' ? 0 : SESSION_SECONDS
  return `${SHOP_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${life}`
}

/** A request for a page with a form. */
interface AskedForm {
  readonly request: ShopRequest
  readonly forms: BrowserForms
}

class ShopPages {
  readonly #service: PageService

  constructor(service: PageService) {
    this.#service = service
  }

  async cart(request: ShopRequest, forms: BrowserForms): Promise<ShopReply> {
    const { i, d, q } = request.query
    if (i === undefined) return cataloguePage(this.#answers(request), String(q ?? ''))
    const shelf = await this.#service.shelves.look()
    return this.#goodPage({ request, forms }, { shelf, good: instrumentGood(shelf, Number(i)), days: d })
  }

  async bundleCart(request: ShopRequest, forms: BrowserForms): Promise<ShopReply> {
    const { bundle, d } = request.query
    if (bundle === undefined) return bundlesPage(this.#answers(request))
    const shelf = await this.#service.shelves.look()
    return this.#goodPage({ request, forms }, { shelf, good: seriesGood(shelf, String(bundle)), days: d })
  }

  /** The cart of a good, or the calendar of its days. */
  #goodPage(asked: AskedForm, { shelf, good, days }: {
    readonly shelf: Shelf, readonly good: CartGood | null, readonly days: string | number | undefined,
  }): ShopReply {
    if (good === null) return UNKNOWN
    return days === undefined ? calendarPage(good) : this.#cartPage(asked, cartOf(shelf, good, String(days)))
  }

  #cartPage({ request, forms }: AskedForm, cart: Cart | RefusalReply, problem?: CartProblem): ShopReply {
    if (!('good' in cart)) return cart
    const token = forms.token('cart', subjectOf(cart.good, cart.lines.map(({ date }) => date)))
    const account = this.#accountOf(request)
    return cartPage(cart, { token, account: account?.name ?? null, ...problem === undefined ? {} : { problem } })
  }

  async checkout(request: ShopRequest, forms: BrowserForms): Promise<ShopReply> {
    const { i, bundle, d = '', email = '', csrf = '' } = fieldsOf(request)
    const shelf = await this.#service.shelves.look()
    const good = i === undefined ? seriesGood(shelf, String(bundle ?? '')) : instrumentGood(shelf, Number(i))
    if (good === null) return UNKNOWN
    const dates = String(d).split(',')
    const nonce = forms.nonce('cart', subjectOf(good, dates), String(csrf))
    if (nonce === null) return FOREIGN
    const { origin, headers } = request
    const body = {
      email, items: dates.map((date) => dayOf(good, date)), cancel_url: `${origin}${good.href}`,
      success_url: `${origin}${SHOP.routes.payPage.path.replace('{session_id}', RETURN_PLACEHOLDER)}`,
    }
    const key = uuidOf([nonce, JSON.stringify(body)])
    try {
      const { checkout_url: url } = await this.#answers(request).of('checkout', {
        body, headers: { ...headers, 'idempotency-key': key },
      })
      return seeOther(url)
    } catch (error) {
      const problem = error instanceof PageRefusal ? problemOf(error.reply) : null
      if (problem === null) throw error
      return this.#cartPage({ request, forms }, cartOf(shelf, good, String(d)), problem)
    }
  }

  payment({ path }: ShopRequest, forms: BrowserForms): ShopReply {
    const { purchases } = this.#service
    const session = purchases.session(String(path['session_id']))
    return session === null ? NO_ACCESS : this.#payPage(session, forms, 200)
  }

  #payPage(session: StoredSession, forms: BrowserForms, status: number): ShopReply {
    const { purchases } = this.#service
    const { sessionId, orderId, record } = session
    const receiptUrl = callPath('receipt', { order_id: orderId }, { t: purchases.downloadToken(orderId) })
    return payPage({
      session, items: purchases.items(orderId), receiptUrl, token: forms.token('pay', sessionId), status,
      owned: record.state === 'pending' ? purchases.owned(session) : [],
    })
  }

  pay(request: ShopRequest, forms: BrowserForms): ShopReply {
    const { purchases } = this.#service
    const session = purchases.session(String(request.path['session_id']))
    const { action, csrf = '' } = fieldsOf(request)
    if (session === null) return NO_ACCESS
    const { sessionId, successUrl, cancelUrl } = session
    if (forms.nonce('pay', sessionId, String(csrf)) === null) return FOREIGN
    if (action !== 'pay') return seeOther(cancelUrl)
    const after = purchases.pay(sessionId) ?? session
    const isPaid = after.record.state === 'paid'
    if (after.record.state === 'pending') return this.#payPage(after, forms, SHOP.errors.alreadyOwned.status)
    return seeOther(isPaid ? filledReturnUrl(successUrl, sessionId) : callPath('payPage', { session_id: sessionId }))
  }

  async receipt(request: ShopRequest): Promise<ShopReply> {
    return receiptPage(await this.#order(request), tokenOf(request))
  }

  async receiptPdf(request: ShopRequest): Promise<ShopReply> {
    return receiptPdf(await this.#order(request))
  }

  /** The order of a receipt, by its token. Throws {@link PageRefusal}. */
  async #order(request: ShopRequest): Promise<Sent<'Order'>> {
    return this.#answers(request).of('order', {
      path: { order_id: request.path['order_id'] ?? '' }, headers: { authorization: `Bearer ${tokenOf(request)}` },
    })
  }

  account(request: ShopRequest, forms: BrowserForms): ShopReply {
    const { accounts } = this.#service
    const account = this.#accountOf(request)
    if (account === null) return signInPage(forms.token('sign-in', ''), false)
    const { name, realtimeDays = [] } = account
    const view = { name, realtimeKey: accounts.realtimeKey(account), realtimeDays }
    return accountPage(view, forms.token('account', name))
  }

  signIn(request: ShopRequest, forms: BrowserForms): ShopReply {
    const { accounts } = this.#service
    const { token = '', csrf = '' } = fieldsOf(request)
    if (forms.nonce('sign-in', '', String(csrf)) === null) return FOREIGN
    const account = accounts.accountOf(String(token))
    return account === null
      ? signInPage(forms.token('sign-in', ''), true)
      : seeOther('/account', { 'set-cookie': cookieText(accounts.cookieOf(account)) })
  }

  signOut(request: ShopRequest, forms: BrowserForms): ShopReply {
    const account = this.#formAccount(request, forms)
    return 'name' in account ? seeOther('/account', { 'set-cookie': cookieText('') }) : account
  }

  rotateKey(request: ShopRequest, forms: BrowserForms): ShopReply {
    const account = this.#formAccount(request, forms)
    if (!('name' in account)) return account
    this.#service.accounts.rotateKey(account)
    return seeOther('/account')
  }

  /** The account of a form, or why it is refused. */
  #formAccount(request: ShopRequest, forms: BrowserForms): ShopAccount | RefusalReply {
    const account = this.#accountOf(request)
    if (account === null) return NO_ACCESS
    const { csrf = '' } = fieldsOf(request)
    return forms.nonce('account', account.name, String(csrf)) === null ? FOREIGN : account
  }

  /** The account of a request; null: of a guest. */
  #accountOf({ headers }: ShopRequest): ShopAccount | null {
    const account = this.#service.accounts.signedIn(headers)
    return account === 'unknown' ? null : account
  }

  #answers(request: ShopRequest): RouteAnswers {
    return new RouteAnswers(this.#service.handlers, request)
  }
}

/** The form of a cart is for its days alone. */
function subjectOf({ kind, id }: CartGood, days: readonly string[]): string {
  return `${kind} ${id} ${days.join(',')}`
}

/** The words for a cart that cannot be bought as it is; null: another refusal. */
function problemOf({ error, details = {} }: RefusalReply): CartProblem | null {
  const listed = (list: unknown): readonly { readonly date?: unknown, readonly reason?: unknown }[] => (
    Array.isArray(list) ? list as { date?: unknown, reason?: unknown }[] : [])
  const { owned, missing } = details as { readonly owned?: unknown, readonly missing?: unknown }
  const dates = (list: unknown): Markup => html`<ul>${listed(list).map(({ date, reason }) => html`<li>${String(date)}${
    typeof reason === 'string' && `: ${reasonText(reason)}`}</li>`)}</ul>`
  if (error === 'alreadyOwned')
    return { status: 409, words: html`<p>Your account has some of it already:</p>${dates(owned)}` }
  if (error === 'notAvailable')
    return { status: 422, words: html`<p>Some of it is no longer sold:</p>${dates(missing)}` }
  return null
}
