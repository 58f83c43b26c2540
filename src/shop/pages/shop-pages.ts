import { html, type Markup } from '../../web/page-markup.js'
import { sessionCookie } from '../server/account-session.js'
import type { PageService } from '../server/page-service.js'
import type { RefusalReply, ShopHandler, ShopHandlers, ShopReply, ShopRequest } from '../server/shop-reply.js'
import { accountPage, signInPage } from './account-page.js'
import { cartOf, cartPage, instrumentGood, itemOf, seriesGood, type CartGood } from './cart-page.js'
import { bundlesPage, calendarPage, cataloguePage } from './catalogue-page.js'
import { formNonce, formToken, uuidOf } from './form-token.js'
import { payPage } from './pay-page.js'
import { reasonText } from './page-words.js'
import { receiptPage } from './receipt-page.js'
import { PageRefusal, RouteAnswers } from './route-answers.js'

/** The pages of a shop, by their routes: what they show and do is the service's. */
export function shopPages(service: PageService): ShopHandlers {
  const pages = new ShopPages(service)
  return {
    cart: asPage((request) => pages.cart(request)), bundleCart: asPage((request) => pages.bundleCart(request)),
    cartCheckout: asPage((request) => pages.checkout(request)),
    payPage: asPage((request) => pages.payment(request)), pay: asPage((request) => pages.pay(request)),
    receipt: asPage((request) => pages.receipt(request)), account: asPage((request) => pages.account(request)),
    rotateKey: asPage((request) => pages.rotateKey(request)), signIn: asPage((request) => pages.signIn(request)),
    signOut: asPage((request) => pages.signOut(request)),
  }
}

/** A handler whose page refuses what a route refuses it. */
function asPage(make: (request: ShopRequest) => Promise<ShopReply>): ShopHandler {
  return async (request) => {
    try {
      return await make(request)
    } catch (error) {
      if (error instanceof PageRefusal) return error.reply
      throw error
    }
  }
}

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

class ShopPages {
  readonly #service: PageService

  constructor(service: PageService) {
    this.#service = service
  }

  async cart(request: ShopRequest): Promise<ShopReply> {
    const answers = this.#answers(request)
    const { i, d, q } = request.query
    if (i === undefined) return cataloguePage(answers, String(q ?? ''))
    return this.#goodPage(request, await instrumentGood(answers, Number(i)), d)
  }

  async bundleCart(request: ShopRequest): Promise<ShopReply> {
    const answers = this.#answers(request)
    const { bundle, d } = request.query
    if (bundle === undefined) return bundlesPage(answers)
    return this.#goodPage(request, await seriesGood(answers, String(bundle)), d)
  }

  /** The cart of a good, or the calendar of its days. */
  async #goodPage(
    request: ShopRequest, good: CartGood | null, days: string | number | undefined,
  ): Promise<ShopReply> {
    if (good === null) return UNKNOWN
    const answers = this.#answers(request)
    if (days !== undefined) return this.#cartPage(request, good, String(days))
    const { title, lead, field, kind, id } = good
    const listed = await answers.days(kind === 'tick' ? id : title)
    return calendarPage({ title, lead, field, action: kind === 'tick' ? '/shop' : '/shop/bundles', days: listed })
  }

  async #cartPage(
    request: ShopRequest, good: CartGood, days: string, problem?: { status: number, words: Markup },
  ): Promise<ShopReply> {
    const cart = await cartOf(this.#answers(request), good, days)
    const token = formToken(this.#service.tokens, 'cart', subjectOf(good, cart.days))
    const account = await this.#service.accountOf(request.headers)
    return cartPage(cart, { token, account: account?.name ?? null, ...problem === undefined ? {} : { problem } })
  }

  async checkout(request: ShopRequest): Promise<ShopReply> {
    const { i, bundle, d = '', email = '', csrf = '' } = fieldsOf(request)
    const answers = this.#answers(request)
    const good = i === undefined
      ? await seriesGood(answers, String(bundle ?? '')) : await instrumentGood(answers, Number(i))
    if (good === null) return UNKNOWN
    const dates = String(d).split(',')
    const nonce = formNonce(this.#service.tokens, 'cart', subjectOf(good, dates), String(csrf))
    if (nonce === null) return FOREIGN
    const { origin } = request
    const body = {
      email, items: dates.map((date) => itemOf(good, date)), success_url: `${origin}/shop/pay/{CHECKOUT_SESSION_ID}`,
      cancel_url: `${origin}${good.href}`,
    }
    const key = uuidOf([nonce, JSON.stringify(body)])
    try {
      const { checkout_url: url } = await answers.of('checkout', {
        body, headers: { ...request.headers, 'idempotency-key': key },
      })
      return seeOther(url)
    } catch (error) {
      const problem = error instanceof PageRefusal ? problemOf(error.reply) : null
      if (problem === null) throw error
      return this.#cartPage(request, good, String(d), problem)
    }
  }

  async payment(request: ShopRequest): Promise<ShopReply> {
    const session = String(request.path['session_id'])
    const checkout = await this.#service.checkoutOf(session)
    return checkout === null ? NO_ACCESS : payPage(session, checkout, formToken(this.#service.tokens, 'pay', session))
  }

  async pay(request: ShopRequest): Promise<ShopReply> {
    const session = String(request.path['session_id'])
    const { action, csrf = '' } = fieldsOf(request)
    const checkout = await this.#service.checkoutOf(session)
    if (checkout === null) return NO_ACCESS
    if (formNonce(this.#service.tokens, 'pay', session, String(csrf)) === null) return FOREIGN
    if (action !== 'pay') return seeOther(checkout.cancelUrl)
    return seeOther(await this.#service.pay(session) ? checkout.successUrl : `/shop/pay/${encodeURIComponent(session)}`)
  }

  async receipt(request: ShopRequest): Promise<ShopReply> {
    const token = String(request.query['t'])
    const order = await this.#answers(request).of('order', {
      path: { order_id: request.path['order_id'] ?? '' }, headers: { authorization: `Bearer ${token}` },
    })
    return receiptPage(order, token)
  }

  async account(request: ShopRequest): Promise<ShopReply> {
    const { tokens } = this.#service
    const account = await this.#service.accountOf(request.headers)
    return account === null
      ? signInPage(formToken(tokens, 'sign-in', ''), false)
      : accountPage(account, formToken(tokens, 'account', account.name))
  }

  async signIn(request: ShopRequest): Promise<ShopReply> {
    const { tokens, time } = this.#service
    const { token = '', csrf = '' } = fieldsOf(request)
    if (formNonce(tokens, 'sign-in', '', String(csrf)) === null) return FOREIGN
    const name = this.#service.accountNameOf(String(token))
    return name === null
      ? signInPage(formToken(tokens, 'sign-in', ''), true)
      : seeOther('/account', { 'set-cookie': sessionCookie(tokens, name, time.nowMs()) })
  }

  async signOut(request: ShopRequest): Promise<ShopReply> {
    const { tokens, time } = this.#service
    const account = await this.#formAccount(request)
    return typeof account === 'string'
      ? seeOther('/account', { 'set-cookie': sessionCookie(tokens, null, time.nowMs()) }) : account
  }

  async rotateKey(request: ShopRequest): Promise<ShopReply> {
    const account = await this.#formAccount(request)
    if (typeof account !== 'string') return account
    await this.#service.rotateKey(account)
    return seeOther('/account')
  }

  /** The name of the account of a form, or why it is refused. */
  async #formAccount(request: ShopRequest): Promise<string | RefusalReply> {
    const account = await this.#service.accountOf(request.headers)
    if (account === null) return NO_ACCESS
    const { csrf = '' } = fieldsOf(request)
    const isOwn = formNonce(this.#service.tokens, 'account', account.name, String(csrf)) !== null
    return isOwn ? account.name : FOREIGN
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
function problemOf({ error, details = {} }: RefusalReply): { status: number, words: Markup } | null {
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
