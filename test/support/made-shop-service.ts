import { filledReturnUrl } from '../../src/protocol/shop/shop-requests.js'
import type { Sent } from '../../src/protocol/shop/shop-schemas.js'
import { accountOfCookie } from '../../src/shop/server/account-session.js'
import type { AccountView, CheckoutView, PageService } from '../../src/shop/server/page-service.js'
import type { ShopHandlers, ShopRequest } from '../../src/shop/server/shop-reply.js'
import { ShopTokens } from '../../src/shop/server/shop-tokens.js'
import { bearerOf } from '../../src/web/bearer-token.js'

const CENTS = 100
/** Days that are sold of instrument 5: 2024-08-01 to 2024-08-20 without the 5th; of others none. */
const isSold = (date: string): boolean => date >= '2024-08-01' && date <= '2024-08-20' && date !== '2024-08-05'
const DAYS = Array.from({ length: 20 }, (_none, at) => `2024-08-${String(at + 1).padStart(2, '0')}`).filter(isSold)
export const EVIL = 'BTC<script>"\'&USDT'
export const ACCOUNT_TOKEN = 'account-token-1'

/** A service of pages in memory, with the answers that they ask for. */
export class MadeService implements PageService {
  readonly tokens = new ShopTokens(new Uint8Array(32).fill(7))
  readonly handlers: ShopHandlers
  readonly account: { -readonly [Name in keyof AccountView]: AccountView[Name] } = { name: 'ann & co', realtimeKey: 'key-1', realtimeDays: ['2024-08-09 binance_swap'] }
  readonly checkouts = new Map<string, Sent<'CheckoutRequest'> & { status: CheckoutView['status'], key: string }>()
  /** Dates that the account has. */
  readonly owned = new Set<string>()
  /** Dates that are gone at the checkout. */
  readonly gone = new Set<string>()
  nowMs = Date.UTC(2024, 7, 21)
  readonly time = { nowMs: (): number => this.nowMs }

  constructor() {
    const hit = { instrument_id: 5, code: EVIL, type: 'perpetual', exchange: { code: 'a_swap', name: 'A & B' }, state: 'open', data: { days: DAYS.length, first_day: DAYS[0]!, last_day: DAYS.at(-1)!, total_bytes: 1_234_567_890 } }
    const coverage = { first_day: '2024-08-01', last_day: '2024-08-20', days_with_data: DAYS.length, coverage_pct: 95, gaps: [], total_bytes: 5 }
    const days = ({ query }: ShopRequest) => {
      const left = DAYS.filter((date) => date < String(query['before'] ?? '9')).reverse().slice(0, 7)
      return { kind: 'json' as const, status: 200, body: { days: left.map((date) => ({ date, size: 1_000 })), next_cursor: left.at(-1) === DAYS[0] ? null : left.at(-1)! } }
    }
    this.handlers = {
      search: ({ query: { q } }) => {
        const isFound = q === undefined || q === '5' || q === 'btc'
        return { kind: 'json', status: 200, body: { query: {}, filters: {}, total: isFound ? 1 : 0, results: isFound ? [hit] : [], ...isFound ? { interpretation: { class: ['perpetual'], rest: '' } } : { did_you_mean: { venues: ['a_swap'], drop: ['<b>'] } } } }
      },
      days, bundleDays: days,
      bundles: () => ({ kind: 'json', status: 200, body: { bundles: [{ bundle_id: 7, series_key: 'BTC-<1>', price_cents: 250, coverage, kind: 'option_chain' }] } }),
      quote: ({ body }) => this.#quote(body as Sent<'QuoteRequest'>),
      checkout: (request) => this.#checkout(request),
      order: ({ path, headers }) => path['order_id'] === 'ord_1' && headers['authorization'] === 'Bearer tok' ? { kind: 'json', status: 200, body: this.#order() } : { kind: 'refusal', error: path['order_id'] === 'old' ? 'orderExpired' : 'noAccess' },
    }
  }

  #quote({ items }: Sent<'QuoteRequest'>) {
    const kindOf = ({ kind = 'tick' }: Sent<'QuoteItem'>) => kind
    const available = items.filter(({ date }) => isSold(date)).map((item) => ({ ...item, kind: kindOf(item) }))
    const missing = items.filter(({ date }) => !isSold(date)).map((item) => ({ ...item, kind: kindOf(item), reason: item.date > '2024-08-20' ? 'not_sellable_yet' : 'no_data' }))
    const cents = available.reduce((sum, { kind }) => sum + (kind === 'tick' ? CENTS : 250), 0)
    return { kind: 'json' as const, status: 200, body: { items_requested: items.length, items_available: available.length, total_cents: cents, total_eur: '1.00', currency: 'EUR', price_eur_per_day: '1.00', available, missing, vat_note: 'Tax is included.', terms_url: '/llms.txt', checkout: { method: 'POST', url: '/', headers: {} } } }
  }

  #checkout({ body, headers, origin }: ShopRequest) {
    const basket = body as Sent<'CheckoutRequest'>
    const owned = basket.items.filter(({ date }) => this.owned.has(date))
    if (owned.length > 0) return { kind: 'refusal' as const, error: 'alreadyOwned' as const, details: { owned } }
    const missing = basket.items.filter(({ date }) => this.gone.has(date)).map((item) => ({ ...item, reason: 'no_data' }))
    if (missing.length > 0) return { kind: 'refusal' as const, error: 'notAvailable' as const, details: { missing } }
    const key = headers['idempotency-key'] ?? ''
    const id = [...this.checkouts].find(([, one]) => one.key === key)?.[0] ?? `ses_${this.checkouts.size + 1}`
    this.checkouts.set(id, { ...basket, status: 'pending', key })
    return { kind: 'json' as const, status: 201, body: { order_id: 'ord_1', checkout_url: `${origin}/shop/pay/${id}`, session_id: id, currency: 'EUR', item_count: basket.items.length, subtotal_cents: basket.items.length * CENTS } }
  }

  #order(): Sent<'Order'> {
    const item = { instrument_id: 5, code: EVIL, exchange_code: 'a_swap', type: 'perpetual', date: '2024-08-01', kind: 'tick' as const, bytes: 1_000, price_cents: CENTS }
    return { order_id: 'ord_1', status: 'refunded', paid_at: '2024-08-21T00:00:00Z', currency: 'EUR', total_cents: 350, item_count: 2, items: [item, { ...item, instrument_id: 7, code: 'BTC-<1>', kind: 'series_day', price_cents: 250 }] }
  }

  checkoutOf(sessionId: string): Promise<CheckoutView | null> {
    const found = this.checkouts.get(sessionId)
    if (found === undefined) return Promise.resolve(null)
    const { status, email, items, success_url: success, cancel_url: cancelUrl } = found
    return Promise.resolve({
      status, email, totalCents: items.length * CENTS, successUrl: filledReturnUrl(success, sessionId), cancelUrl, receiptUrl: status === 'paid' ? '/shop/receipt/ord_1?t=tok' : null,
      lines: items.map(({ date, kind = 'tick' }) => ({ code: EVIL, exchangeCode: 'a_swap', date, kind, priceCents: CENTS })),
    })
  }

  pay(sessionId: string): Promise<boolean> {
    const found = this.checkouts.get(sessionId)
    if (found?.status === 'pending') found.status = 'paid'
    return Promise.resolve(found?.status === 'paid')
  }

  accountOf(headers: ShopRequest['headers']): Promise<AccountView | null> {
    const name = bearerOf(headers) === ACCOUNT_TOKEN ? this.account.name : accountOfCookie(this.tokens, headers['cookie'], this.nowMs)
    return Promise.resolve(name === this.account.name ? { ...this.account } : null)
  }

  accountNameOf(token: string): string | null {
    return token === ACCOUNT_TOKEN ? this.account.name : null
  }

  rotateKey(): Promise<void> {
    this.account.realtimeKey = 'key-2'
    return Promise.resolve()
  }
}
