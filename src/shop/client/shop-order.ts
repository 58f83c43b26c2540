import type { Decimal } from '../../model/decimal.js'
import { showAsText } from '../../model/display.js'
import { BacktapeError } from '../../model/error.js'
import { eurOfCents } from './eur-amount.js'
import type { ShopItem } from './shop-baskets.js'
import { ServerWords } from './shop-failure.js'
import type { ShopFields } from './shop-fields.js'

/** A paid order. Its download token is in it, and shows as `***`. */
export interface ShopOrder {
  /** The id of the order. */
  readonly orderId: string
  /** `paid`, or what became of it: `refunded`. */
  readonly status: string
  /** Time of the payment, as the shop says it: ISO-8601 in UTC. */
  readonly paidAt: string
  /** `EUR`. */
  readonly currency: string
  /** The price with tax, euro cents. */
  readonly totalCents: number
  /** The same in EUR, exact; it prints as `1.00`. */
  readonly totalEur: Decimal
  /** The days that were bought: sizes in bytes, prices in euro cents. */
  readonly items: readonly ShopFields<'OrderItem'>[]
  /** Address of the receipt as a page; null: none. It may hold the token: it is for the buyer alone. */
  readonly invoiceHostedUrl: string | null
  /** Address of the receipt as PDF; null: none. It may hold the token: it is for the buyer alone. */
  readonly invoicePdfUrl: string | null
  /** The order for JSON, secrets as `***`. */
  toJSON(): object
}

/** An order that was bought here; its token is kept on the disk. */
export interface KeptOrder {
  /** The id of the order. */
  readonly orderId: string
  /** When the payment was seen: ISO-8601 in UTC. */
  readonly paidAt: string
  /** The days that were bought. */
  readonly items: readonly ShopItem[]
}

class TokenOrder implements ShopOrder {
  readonly orderId: string
  readonly status: string
  readonly paidAt: string
  readonly currency: string
  readonly totalCents: number
  readonly totalEur: Decimal
  readonly items: readonly ShopFields<'OrderItem'>[]
  readonly #token: string
  /** True where the token is an account's. */
  readonly #isAccount: boolean
  readonly #hosted: string | null
  readonly #pdf: string | null

  constructor(order: ShopFields<'Order'>, token: string, isAccount: boolean) {
    this.orderId = order.orderId
    this.status = order.status
    this.paidAt = order.paidAt
    this.currency = order.currency
    this.totalCents = order.totalCents
    this.totalEur = eurOfCents(order.totalCents)
    this.items = order.items
    this.#token = token
    this.#isAccount = isAccount
    this.#hosted = order.invoiceHostedUrl ?? null
    this.#pdf = order.invoicePdfUrl ?? null
  }

  static tokenOf(order: ShopOrder): string {
    // An account's token opens more than one order: it must not stand in the URL of a download.
    if (order instanceof TokenOrder && !order.#isAccount) return order.#token
    const [expected, found] = order instanceof TokenOrder
      ? ['an order with its own token (the `t` of its receipt, by `shop get --order ID --token`)', "an account's"]
      : ['an order of this shop client', 'another object']
    const sentence = `Cannot download: order must be ${expected}, found ${found}`
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'order', expected, found })
  }

  get invoiceHostedUrl(): string | null {
    return this.#hosted
  }

  get invoicePdfUrl(): string | null {
    return this.#pdf
  }

  toJSON(): object {
    const { orderId, status, paidAt, currency, totalCents, totalEur, items, invoiceHostedUrl, invoicePdfUrl } = this
    const texts = { orderId, status, paidAt, currency, totalCents, items, invoiceHostedUrl, invoicePdfUrl }
    const shown = new ServerWords([this.#token, ...urlTokens(invoiceHostedUrl), ...urlTokens(invoicePdfUrl)])
      .maskedValue(texts)
    return Object.assign({}, shown, { totalEur, downloadToken: '***' })
  }
}

/** The token in the address of a receipt, which is the order's own. */
function urlTokens(url: string | null): readonly string[] {
  const token = url === null || !URL.canParse(url) ? null : new URL(url).searchParams.get('t')
  return token === null || token === '' ? [] : [token]
}

showAsText(TokenOrder.prototype, (order) => `ShopOrder ${JSON.stringify(order, null, 2)}`)

/** An order with its token; `isAccount` where that is an account's. */
export function orderOf(order: ShopFields<'Order'>, token: string, isAccount: boolean): ShopOrder {
  return new TokenOrder(order, token, isAccount)
}

/** The download token of an order. Throws OPTION_INVALID for another object, and for one that an account has read. */
export function tokenOf(order: ShopOrder): string {
  return TokenOrder.tokenOf(order)
}
