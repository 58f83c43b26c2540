import { BacktapeError } from '../../model/error.js'
import type { ShopItem } from '../../shop/client/shop-baskets.js'
import type { ShopCheckout } from '../../shop/client/shop-checkout.js'
import type { ShopRefusedError } from '../../shop/client/shop-failure.js'
import type { ShopStop } from '../../shop/client/shop-options.js'
import type { ShopOrder } from '../../shop/client/shop-order.js'
import type { Shop } from '../../shop/client/shop.js'

/** An order that was bought here, and the wanted days that it holds. */
export interface HeldDays {
  readonly order: ShopOrder
  readonly items: readonly ShopItem[]
}

/** A checkout that is not paid. */
export interface OpenCheckout {
  readonly checkout: ShopCheckout
  /** Its days that an order holds already. */
  readonly ownedCount: number
}

/** Days by the orders that hold them. */
export interface Holdings {
  /** Newest first; each day stands in the newest order that gives it. */
  readonly held: readonly HeldDays[]
  /** The days that no order gives. */
  readonly others: readonly ShopItem[]
  /** The checkouts that are not paid, oldest first. */
  readonly unpaid: readonly ShopCheckout[]
  /** The refusal of an order that had one of them, such as 410 after 30 days; null: there is none. */
  readonly refusal: ShopRefusedError | null
}

/**
 * The orders that hold days. Sessions that were paid meanwhile are asked for first; orders that were refunded, or that
 * the shop gives no more, hold nothing. Throws as `Shop.order` does where the shop cannot be asked.
 */
export async function holdingsOf(shop: Shop, items: readonly ShopItem[], stop: ShopStop): Promise<Holdings> {
  const unpaid = await shop.unpaid(stop)
  return { ...await heldDays(shop, items, stop), unpaid }
}

/** Checkouts with the count of their days that were bought by another order. Throws as {@link holdingsOf} does. */
export async function openCheckouts(
  shop: Shop, unpaid: readonly ShopCheckout[], stop: ShopStop,
): Promise<readonly OpenCheckout[]> {
  const { others } = await heldDays(shop, unpaid.flatMap(({ items }) => items), stop)
  const free = new Set(others.map(dayKey))
  return unpaid.map((checkout) => (
    { checkout, ownedCount: checkout.items.filter((item) => !free.has(dayKey(item))).length }))
}

async function heldDays(shop: Shop, items: readonly ShopItem[], stop: ShopStop): Promise<Omit<Holdings, 'unpaid'>> {
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
