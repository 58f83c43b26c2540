import { BacktapeError } from '../../model/error.js'
import type { ShopItem } from '../../shop/client/shop-baskets.js'
import type { ShopRefusedError } from '../../shop/client/shop-failure.js'
import type { ShopStop } from '../../shop/client/shop-options.js'
import type { ShopOrder } from '../../shop/client/shop-order.js'
import type { Shop } from '../../shop/client/shop.js'

/** An order that was bought here, and the wanted days that it holds. */
export interface HeldDays {
  readonly order: ShopOrder
  readonly items: readonly ShopItem[]
}

/** Days by the orders that hold them. */
export interface Holdings {
  /** Newest first; each day stands in the newest order that gives it. */
  readonly held: readonly HeldDays[]
  /** The days that no order gives. */
  readonly others: readonly ShopItem[]
  /** The refusal of an order that had one of them, such as 410 after 30 days; null: there is none. */
  readonly refusal: ShopRefusedError | null
}

/**
 * The orders that hold days. Sessions that were paid meanwhile are asked for first; orders that were refunded, or that
 * the shop gives no more, hold nothing. Throws as `Shop.order` does where the shop cannot be asked.
 */
export async function holdingsOf(shop: Shop, items: readonly ShopItem[], stop: ShopStop): Promise<Holdings> {
  await shop.unpaid(stop)
  const wanted = new Map(items.map((item) => [dayKey(item), item]))
  const held: HeldDays[] = []
  let refusal: ShopRefusedError | null = null
  for (const { orderId, items: bought } of await shop.orders()) {
    const some = bought.filter((item) => wanted.has(dayKey(item)))
    if (some.length === 0) continue
    const order = await shop.order(orderId, stop).catch((error: unknown) => {
      if (!isRefusal(error) || ![404, 410].includes(error.refusal.status)) throw error
      refusal = error
      return null
    })
    if (order === null || order.status === 'refunded') continue
    for (const item of some) wanted.delete(dayKey(item))
    held.push({ order, items: some })
  }
  return { held, others: [...wanted.values()], refusal }
}

/** True for the answer of a shop that refuses. */
export function isRefusal(error: unknown): error is ShopRefusedError {
  return error instanceof BacktapeError && error.code === 'SHOP_REFUSED'
}

/** The text by which a day is found. */
export function dayKey({ instrumentId, date, kind = 'tick' }: ShopItem): string {
  return `${kind} ${String(instrumentId)} ${date}`
}
