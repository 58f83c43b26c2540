import { createHash, randomBytes } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.js'
import { callPath, checkoutFault, isRequest } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP_TIMES, stateAfter } from '../../protocol/shop/shop-states.js'
import type { ShopEvent } from '../../protocol/shop/shop-transitions.js'
import type { ShopStore } from '../store/shop-store-writer.js'
import type { StoredItem, StoredOrder, StoredSession } from '../store/stored-rows.js'
import { basketOf, itemOf } from './basket.js'
import type { Shelf } from './shelf.js'
import type { ShopAccounts } from './shop-accounts.js'
import { invalidInput, json, refusal } from './shop-replies.js'
import type { ShopReply, ShopRequest } from './shop-reply.js'
import type { ShopTime } from './shop-settings.js'
import type { ShopTokens } from './shop-tokens.js'

const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 24 * MS_PER_HOUR
/** A session that was never paid is forgotten so long after its end. */
const SESSION_KEPT_MS = 7 * MS_PER_DAY
/** An expired order of a guest answers 410 for so long, then 404. */
const ORDER_KEPT_MS = 365 * MS_PER_DAY
/** Bytes of an id: it cannot be guessed. */
const ID_BYTES = 18

/** The parts that purchases need. */
export interface PurchaseParts {
  readonly store: ShopStore
  readonly tokens: ShopTokens
  readonly accounts: ShopAccounts
  readonly time: ShopTime
}

/** A checkout that {@link ShopPurchases.checkout} may keep. */
type CheckoutRequest = Pick<ShopRequest, 'body' | 'headers' | 'origin'>

/** Checkout sessions and orders. What a method answers is on the disk. */
export class ShopPurchases {
  readonly #store: ShopStore
  readonly #tokens: ShopTokens
  readonly #accounts: ShopAccounts
  readonly #time: ShopTime
  #prunedMs = -Infinity

  constructor({ store, tokens, accounts, time }: PurchaseParts) {
    this.#store = store
    this.#tokens = tokens
    this.#accounts = accounts
    this.#time = time
    this.#prune(time.nowMs())
  }

  /** A checkout of a basket: the same key and basket get the same answer. */
  checkout(shelf: Shelf, { body, headers, origin }: CheckoutRequest): ShopReply {
    const key = headers['idempotency-key']
    const fault = checkoutFault(body, key, origin)
    if (fault !== null || key === undefined || !isRequest('CheckoutRequest', body))
      return invalidInput(fault ?? { path: '', expected: 'a checkout', found: 'something else' })
    const account = this.#accounts.signedIn(headers)
    if (account === 'unknown')
      return invalidInput({ path: 'Authorization', expected: 'the token of an account', found: '***' })
    const name = account?.name ?? null
    const digest = digestOf(body, name)
    const known = this.#store.key(key.toLowerCase())
    if (known !== null) return known.digest === digest ? repeated(known.answer) : usedKey()
    const { lines, missing, totalCents } = basketOf(shelf, body.items)
    if (missing.length > 0) return refusal('notAvailable', { missing })
    const owned = account === null ? [] : lines.filter((line) => this.#accounts.isOwned(account, line))
    if (owned.length > 0) return refusal('alreadyOwned', { owned: owned.map(itemOf) })
    const nowMs = this.#time.nowMs()
    this.#prune(nowMs)
    const session: StoredSession = {
      sessionId: newId('cs'), orderId: newId('ord'), account: name, email: body.email, successUrl: body.success_url,
      cancelUrl: body.cancel_url, totalCents, record: { state: 'pending', startMs: nowMs, sinceMs: nowMs },
    }
    const { sessionId, orderId } = session
    const answer: Sent<'Checkout'> = {
      order_id: orderId, checkout_url: `${origin}${callPath('payPage', { session_id: sessionId })}`,
      session_id: sessionId, currency: 'EUR', item_count: lines.length, subtotal_cents: totalCents,
    }
    const kept = { key: key.toLowerCase(), digest, sessionId, answer: JSON.stringify(answer) }
    this.#store.addSession(session, lines, kept)
    return json('Checkout', answer, 201)
  }

  /** A session as it is now; null: there is none. */
  session(sessionId: string): StoredSession | null {
    return this.#sessionAfter(sessionId, 'time')
  }

  /** The days of a session that its account has by now; a guest has none. */
  owned({ account, orderId }: StoredSession): readonly StoredItem[] {
    return account === null ? [] : this.items(orderId).filter((item) => this.#accounts.isOwned({ name: account }, item))
  }

  /**
   * Pays a session that is pending, which makes its order; the session as it is then. One with days that its account
   * has by now stays pending. No money moves.
   */
  pay(sessionId: string): StoredSession | null {
    return this.#store.together(() => {
      const before = this.session(sessionId)
      if (before?.record.state !== 'pending' || this.owned(before).length > 0) return before
      const paid = this.#sessionAfter(sessionId, 'pay')
      if (paid === null) return null
      const { orderId, account, totalCents, record: { sinceMs } } = paid
      const record = { state: 'paid', startMs: sinceMs, sinceMs } as const
      this.#store.addOrder({ orderId, sessionId, account, totalCents, record })
      return paid
    })
  }

  /** An order as it is now; null: there is none, or it is not paid. */
  order(orderId: string): StoredOrder | null {
    return this.#orderAfter(orderId, 'time')
  }

  /** An order after its refund. */
  refund(orderId: string): StoredOrder | null {
    return this.#orderAfter(orderId, 'refund')
  }

  /** An order that has expired before its time. */
  expire(orderId: string): StoredOrder | null {
    return this.#orderAfter(orderId, 'expire')
  }

  /** The days of a session or an order. */
  items(orderId: string): readonly StoredItem[] {
    return this.#store.items(orderId)
  }

  /** The download token of an order. */
  downloadToken(orderId: string): string {
    return this.#tokens.tokenOf({ orderId })
  }

  /** The order that a download token opens; null: another token, or no such order. */
  orderOfToken(orderId: string, token: string): StoredOrder | null {
    // The token first: then an unknown order takes the time of a wrong token.
    return orderId !== '' && this.#tokens.isTokenOf({ orderId }, token) ? this.order(orderId) : null
  }

  /** The addresses of an order's receipt, as a page and as PDF. */
  receiptUrls(orderId: string, origin: string): Pick<Sent<'Order'>, 'invoice_hosted_url' | 'invoice_pdf_url'> {
    const urlOf = (route: 'receipt' | 'receiptPdf'): string => (
      origin + callPath(route, { order_id: orderId }, { t: this.downloadToken(orderId) }))
    return { invoice_hosted_url: urlOf('receipt'), invoice_pdf_url: urlOf('receiptPdf') }
  }

  #sessionAfter(sessionId: string, event: ShopEvent<'session'> | 'time'): StoredSession | null {
    const session = this.#store.session(sessionId)
    if (session === null) return null
    const record = stateAfter('session', session.record, event, this.#time.nowMs(), SHOP_TIMES)
    // What was answered once stays so, also where the clock steps back.
    if (record !== session.record) this.#store.changeSession(sessionId, record)
    return { ...session, record }
  }

  #orderAfter(orderId: string, event: ShopEvent<'accountOrder'> | 'time'): StoredOrder | null {
    const order = this.#store.order(orderId)
    if (order === null) return null
    const machine = order.account === null ? 'guestOrder' : 'accountOrder'
    const record = stateAfter(machine, order.record, event, this.#time.nowMs(), SHOP_TIMES)
    if (record !== order.record) this.#store.changeOrder(orderId, record)
    return { ...order, record }
  }

  /** Forgets what ended long ago, at most once an hour. */
  #prune(nowMs: number): void {
    if (Math.abs(nowMs - this.#prunedMs) < MS_PER_HOUR) return
    this.#prunedMs = nowMs
    const { sessionMs, guestOrderMs } = SHOP_TIMES
    this.#store.prune(nowMs - sessionMs - SESSION_KEPT_MS, nowMs - guestOrderMs - ORDER_KEPT_MS)
  }
}

function repeated(answer: string): ShopReply {
  return { kind: 'json', status: 201, body: JSON.parse(answer) as Sent<'Checkout'> }
}

function usedKey(): ShopReply {
  return invalidInput({
    path: 'Idempotency-Key', expected: 'a new one for another basket', found: 'one that another basket has',
  })
}

/** The digest of what a checkout asks for: the order of its fields means nothing. */
function digestOf({ email, items, success_url, cancel_url }: Sent<'CheckoutRequest'>, account: string | null): string {
  const days = items.map(({ instrument_id, date, kind = 'tick' }) => [instrument_id, date, kind])
  return createHash('sha256').update(canonicalJson([account, email, days, success_url, cancel_url])).digest('hex')
}

function newId(kind: string): string {
  return `${kind}_${randomBytes(ID_BYTES).toString('base64url')}`
}
