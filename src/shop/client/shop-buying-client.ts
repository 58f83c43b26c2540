import { createHash, randomUUID } from 'node:crypto'
import { BacktapeError } from '../../model/error.js'
import type { RandomNumbers } from '../../model/random.js'
import { checkoutFault } from '../../protocol/shop/shop-requests.js'
import type { Sent, Taken } from '../../protocol/shop/shop-schemas.js'
import { SHOP_TIMES } from '../../protocol/shop/shop-states.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { refuse } from './request-check.js'
import type { ShopAsker } from './shop-asker-client.js'
import { itemKey, sentItem, type ShopItem } from './shop-baskets.js'
import type { ShopCall } from './shop-call.js'
import { checkoutOf, type ShopCheckout } from './shop-checkout.js'
import { waited, type ShopClock } from './shop-clock-client.js'
import { shopError, ShopRefusedError } from './shop-failure.js'
import type { ShopCheckoutOptions, ShopStop } from './shop-options.js'
import type { ShopOrders } from './shop-orders-client.js'
import type { ShopQuote } from './shop-quote.js'
import type { CheckoutRecord, OrderRecord, SessionRecord } from './shop-records.js'
import { isSafeScheme } from './redirect-client.js'
import type { ShopStore } from './shop-store-writer.js'

/** The parts that a checkout is made with. */
export interface BuyingParts {
  readonly asker: ShopAsker
  readonly store: ShopStore
  readonly orders: ShopOrders
  readonly clock: ShopClock
  readonly random: RandomNumbers
  /** The token of the buyer's account; absent: a guest buys. */
  readonly account: { readonly token?: string }
}

/** The words of a session that will not be paid any more. */
const ENDED: ReadonlySet<string> = new Set(['expired', 'canceled', 'cancelled', 'failed', 'closed'])
/** Refusals that say: nothing was begun under this key. */
const NOTHING_BEGUN: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

/**
 * The state of a checkout: `unknown` while the shop does not know it, though it has not expired; `lost` where it has by
 * now, though it may have been paid; `over` where it gives no order any more.
 */
type Going = 'known' | 'unknown' | 'lost' | 'over'

/** Begins checkouts, and waits for their payment. */
export class ShopBuying {
  #pollCount = 0

  constructor(private readonly parts: BuyingParts) {}

  /**
   * A checkout of a quote of one basket. Its key is on the disk before the request leaves: the same quote for the same
   * buyer goes on with the session that was begun, until this has expired. Where it was paid, `paid` gives its order at
   * once, as long as the shop has it. Throws OPTION_INVALID, SHOP_REFUSED (422: days of it are gone, and are named in
   * `refusal.details.missing`), and as `ShopAsker.ask` does.
   */
  async checkout(quote: ShopQuote, options: ShopCheckoutOptions): Promise<ShopCheckout> {
    const { store, clock } = this.parts
    const items = itemsOf(quote)
    const body = this.#body(items, options)
    for (let isAnew = false; ; isAnew = true) {
      const fresh = {
        basket: this.#digest(body), key: randomUUID(), startMs: clock.nowMs(), items, totalCents: quote.totalCents,
        session: null,
      }
      refuse('A checkout of a basket', checkoutFault(body, fresh.key, this.parts.asker.shop.origin))
      const begun = await store.begun(fresh, options.signal)
      const asked = begun.session === null
        ? await this.#ask({ ...begun, totalCents: quote.totalCents }, body, options) : begun
      const { session } = asked
      if (session === null) throw new Error('A checkout that was answered has a session')
      const record = { ...asked, session }
      const going = begun.key === fresh.key ? 'known' : await this.#going(record, session, options)
      if (going === 'known' || (going === 'unknown' && options.again !== true))
        return this.reopened(record, session, going === 'known')
      await (going === 'over' ? store.forget(record) : store.setAside(record))
      if (isAnew) throw this.#expired(session, 'another one')
    }
  }

  /**
   * The checkouts that were begun and not paid, oldest first. The shop is asked of each: of one that was paid meanwhile
   * the order is kept, one that has ended goes. One that the shop does not know stays until it would have expired, and
   * is asked for as long as its order could be had. Throws as `ShopAsker.ask` does.
   */
  async unpaid(stop: ShopStop = {}): Promise<readonly ShopCheckout[]> {
    const { checkouts } = await this.parts.store.records()
    const open: ShopCheckout[] = []
    for (const one of checkouts) {
      const { session, isPaid = false } = one
      if (session === null || isPaid) continue
      const state = await this.#state(session, stop)
      if (await this.#paidOrder(one, session, state) !== null) continue
      const going = this.#unpaidGoing(one, state)
      if (going === 'over') await this.parts.store.forget(one)
      else if (going !== 'lost') open.push(this.reopened(one, session, going === 'known'))
    }
    return open
  }

  /** A checkout of a record. */
  reopened(record: CheckoutRecord, session: SessionRecord, isKnown: boolean): ShopCheckout {
    return checkoutOf(record, session, isKnown, async ({ signal } = {}) => {
      const token = await this.#payment(record, session, { signal })
      return this.parts.orders.read({ ...token, signal })
    })
  }

  #body(items: readonly ShopItem[], { email, successUrl, cancelUrl }: ShopCheckoutOptions): Sent<'CheckoutRequest'> {
    const { origin, pathname } = this.parts.asker.shop
    const page = `${origin}${pathname.replace(/\/+$/, '')}/shop`
    return {
      email, items: items.map(sentItem), success_url: successUrl ?? `${page}?session={CHECKOUT_SESSION_ID}`,
      cancel_url: cancelUrl ?? page,
    }
  }

  #digest(body: Sent<'CheckoutRequest'>): string {
    const { token = '' } = this.parts.account
    return createHash('sha256').update(JSON.stringify([body, token === '' ? null : sha256(token)])).digest('hex')
  }

  /** Sends the request of a checkout, and keeps what the shop answers. */
  async #ask(
    begun: CheckoutRecord, body: Sent<'CheckoutRequest'>, { signal }: ShopStop,
  ): Promise<CheckoutRecord> {
    const { asker, store, account } = this.parts
    const headers = { 'idempotency-key': begun.key, 'x-service-client': 'http' }
    const call: ShopCall = { route: 'checkout', body, headers, signal, ...account }
    try {
      const { answer } = await asker.ask(call, 'Checkout')
      return await store.keepSession(begun, sessionOf(answer, begun, asker.placeOf(call)))
    } catch (error) {
      if (error instanceof ShopRefusedError && NOTHING_BEGUN.has(error.refusal.status)) await store.forget(begun)
      throw error
    }
  }

  /** The session as the shop says it; null: the shop does not know it. */
  async #state({ sessionId }: SessionRecord, { signal }: ShopStop): Promise<Taken<'Session'> | null> {
    const call: ShopCall = { route: 'session', path: { session_id: sessionId }, signal }
    try {
      return (await this.parts.asker.ask(call, 'Session')).answer
    } catch (error) {
      if (!(error instanceof ShopRefusedError)) throw error
      const { status } = error.refusal
      if (status === 404) return null
      if (status === 410) return { status: 'expired' }
      throw error
    }
  }

  /** The state of an earlier checkout, by its order where it was paid. */
  async #going(record: CheckoutRecord, session: SessionRecord, stop: ShopStop): Promise<Going> {
    const state = await this.#state(session, stop)
    const paid = await this.#paidOrder(record, session, state)
    if (paid !== null) return this.parts.orders.going({ ...paid, ...stop })
    return this.#unpaidGoing(record, state)
  }

  /** The order of a session that was paid, which is kept, also where the shop forgot the session; null: it was not. */
  async #paidOrder(
    { items, isPaid = false }: CheckoutRecord, session: SessionRecord, state: Taken<'Session'> | null,
  ): Promise<Pick<OrderRecord, 'orderId' | 'token'> | null> {
    const { asker, orders, store } = this.parts
    if (state?.status !== 'paid')
      return (await store.records()).orders.find((one) => one.orderId === session.orderId) ?? null
    const { order_id: orderId, download_token: token } = state
    if (orderId === undefined || token === undefined) return null
    const place = asker.placeOf({ route: 'session', path: { session_id: session.sessionId } })
    if (!isPaid) await orders.keep({ orderId, token, items }, place)
    return { orderId, token }
  }

  /** The state of a checkout without an order: as the shop says, or by its age where the shop does not know it. */
  #unpaidGoing({ startMs, isPaid = false }: CheckoutRecord, state: Taken<'Session'> | null): Going {
    if (state !== null) return ENDED.has(state.status) ? 'over' : 'known'
    const lateMs = this.parts.clock.nowMs() - startMs - SHOP_TIMES.sessionMs
    return isPaid || lateMs < 0 ? 'unknown' : lateMs < SHOP_TIMES.guestOrderMs ? 'lost' : 'over'
  }

  /** Asks until the session is paid; the token is kept then. */
  async #payment(
    record: CheckoutRecord, session: SessionRecord, { signal }: { readonly signal?: ShopStop['signal'] | undefined },
  ): Promise<Pick<OrderRecord, 'orderId' | 'token'>> {
    const { asker, clock, store } = this.parts
    const place = asker.placeOf({ route: 'session', path: { session_id: session.sessionId } })
    const stop = signal === undefined ? {} : { signal }
    for (;;) {
      const state = await this.#state(session, stop)
      const paid = await this.#paidOrder(record, session, state)
      if (paid !== null) return paid
      const going = this.#unpaidGoing(record, state)
      if (going === 'over') await store.forget(record)
      if (going !== 'known') throw this.#expired(session, state?.status ?? 'no session', going !== 'unknown')
      await waited(clock, this.#pollMs(), place, signal)
    }
  }

  /** 10 to 15 seconds, as the shop asks for. */
  #pollMs(): number {
    const { pollSecondsMin, pollSecondsMax } = SHOP.limits
    const more = this.parts.random.uniform(this.#pollCount++) * (pollSecondsMax.value - pollSecondsMin.value)
    return Math.round((pollSecondsMin.value + more) * 1000)
  }

  #expired(session: SessionRecord, found: string, isEnded = true): BacktapeError {
    const place = this.parts.asker.placeOf({ route: 'session', path: { session_id: session.sessionId } })
    return shopError('SHOP_SESSION_EXPIRED', place, 'a payment', found, isEnded ? 'check out the quote again'
      : 'it is kept until it would have expired; `again` checks the quote out anew')
  }
}

/** The items of a quote in one order, so that the same basket has the same body. */
function itemsOf(quote: ShopQuote): readonly ShopItem[] {
  const { baskets, items } = quote
  const [expected, found] = baskets.length > 1
    ? ['one basket', `${baskets.length}`] : ['days that can be bought', 'none']
  if (baskets.length === 1 && items.length > 0)
    return items.toSorted((a, b) => (itemKey(a) < itemKey(b) ? -1 : 1))
  const advice = baskets.length > 1 ? '; check out each of quote.baskets, which are paid one by one' : ''
  const sentence = `Cannot check out a quote: it must have ${expected}, found ${found}${advice}`
  throw new BacktapeError('OPTION_INVALID', sentence, { field: 'quote', expected, found })
}

/** The session that a shop answers, of the price that was quoted. */
function sessionOf(answer: Taken<'Checkout'>, { items, totalCents }: CheckoutRecord, place: string): SessionRecord {
  const url = URL.canParse(answer.checkout_url) ? new URL(answer.checkout_url) : null
  if (url === null || !isSafeScheme(url))
    throw shopError('SHOP_ANSWER_INVALID', place, 'checkout_url with https', 'another address')
  if (answer.item_count > items.length)
    throw shopError('SHOP_ANSWER_INVALID', place, `at most ${items.length} items`, String(answer.item_count))
  const { subtotal_cents: cents } = answer
  if (cents > totalCents)
    throw shopError('SHOP_ANSWER_INVALID', place, `a price of at most ${totalCents} cents`, String(cents))
  return { sessionId: answer.session_id, orderId: answer.order_id, checkoutUrl: url.href }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
