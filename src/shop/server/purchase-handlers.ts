import { bearerOf } from '../../web/bearer-token.js'
import { isRequest, quoteFault } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import type { StoredItem, StoredOrder } from '../store/stored-rows.js'
import { basketOf, itemOf, quoteOf } from './basket.js'
import type { ShelfKeeper } from './shelf.js'
import type { ShopAccounts } from './shop-accounts.js'
import type { ShopPurchases } from './shop-purchases.js'
import { invalidInput, json, refusal } from './shop-replies.js'
import type { ShopHandlers } from './shop-reply.js'

/** The parts that the routes of "Purchase" need. */
export interface PurchaseRouteParts {
  readonly shelves: ShelfKeeper
  readonly purchases: ShopPurchases
  readonly accounts: ShopAccounts
}

/** The handlers of "Purchase" (spec 1). */
export function purchaseHandlers({ shelves, purchases, accounts }: PurchaseRouteParts): ShopHandlers {
  return {
    quote: async ({ body, origin }) => {
      const fault = quoteFault(body)
      if (fault !== null || !isRequest('QuoteRequest', body))
        return invalidInput(fault ?? { path: '', expected: 'a basket', found: 'something else' })
      return json('Quote', quoteOf(basketOf(await shelves.look(), body.items), body.items, origin))
    },
    checkout: async (request) => {
      // From here on nothing waits: two checkouts with one key are one after the other.
      const shelf = await shelves.look()
      return purchases.checkout(shelf, request)
    },
    session: ({ path, origin }) => {
      const session = purchases.session(String(path['session_id']))
      if (session === null) return refusal('noAccess')
      const { orderId, record: { state } } = session
      return json('Session', state !== 'paid' ? { status: state } : {
        status: 'paid', order_id: orderId, download_token: purchases.downloadToken(orderId),
        ...purchases.receiptUrls(orderId, origin),
      })
    },
    order: ({ path, headers, origin }) => {
      const orderId = String(path['order_id'])
      const token = bearerOf({ authorization: headers['authorization'] }) ?? ''
      const account = accounts.accountOf(token)
      const bought = account === null ? null : purchases.order(orderId)
      const order = purchases.orderOfToken(orderId, token) ?? (bought?.account === account?.name ? bought : null)
      if (order === null) return refusal('noAccess')
      if (order.record.state === 'expired') return refusal('orderExpired')
      const body = orderBody(order, purchases.items(orderId))
      return json('Order', { ...body, status: order.record.state, ...purchases.receiptUrls(orderId, origin) })
    },
  }
}

function orderBody(
  { orderId, totalCents, record: { startMs } }: StoredOrder, items: readonly StoredItem[],
): Omit<Sent<'Order'>, 'status'> {
  return {
    order_id: orderId, paid_at: new Date(startMs).toISOString().replace(/\.\d+Z$/, 'Z'), currency: 'EUR',
    total_cents: totalCents, item_count: items.length, items: items.map(orderItem),
  }
}

function orderItem(item: StoredItem): Sent<'OrderItem'> {
  const { code, exchangeCode, type, bytes, priceCents } = item
  return { ...itemOf(item), code, exchange_code: exchangeCode, type, bytes, price_cents: priceCents }
}
