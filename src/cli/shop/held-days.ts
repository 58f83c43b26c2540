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

/** An order that was bought here, and that the shop does not know now. */
export interface UnknownDays {
  readonly orderId: string
  /** The wanted days that it holds. */
  readonly items: readonly ShopItem[]
  readonly refusal: ShopRefusedError
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
  /** Days of orders that the shop does not know now, though they are not too old: it may know them again. */
  readonly unknown: readonly UnknownDays[]
  /** The days that no order gives. */
  readonly others: readonly ShopItem[]
  /** The checkouts that are not paid, oldest first. */
  readonly unpaid: readonly ShopCheckout[]
  /** The refusal of an order that had one of them, such as 410 after 30 days; null: there is none. */
  readonly refusal: ShopRefusedError | null
}

/**
 * The orders that hold days. Sessions that were paid meanwhile are asked for first; orders that were refunded, or are
 * too old, hold nothing. Throws as `Shop.order` does where the shop cannot be asked.
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
  const [held, unknown]: [HeldDays[], UnknownDays[]] = [[], []]
  let refusal: ShopRefusedError | null = null
  for (const { orderId, paidAt, items: bought } of await shop.orders()) {
    const some = bought.filter((item) => wanted.has(dayKey(item)))
    if (some.length === 0) continue
    const order = await shop.order(orderId, stop).catch((error: unknown) => {
      if (!isRefusal(error) || ![404, 410].includes(error.refusal.status)) throw error
      if (error.isOrderOver(Date.parse(paidAt), Date.now())) refusal = error
      else unknown.push({ orderId, items: some, refusal: error })
      return null
    })
    if (order === null || order.status === 'refunded') continue
    for (const item of some) wanted.delete(dayKey(item))
    held.push({ order, items: some })
  }
  // A day that another order gives is not missed.
  const missed = unknown.flatMap(({ items: some, ...one }) => {
    const left = some.filter((item) => wanted.delete(dayKey(item)))
    return left.length === 0 ? [] : [{ ...one, items: left }]
  })
  return { held, unknown: missed, others: [...wanted.values()], refusal }
}

/** True for the answer of a shop that refuses. */
export function isRefusal(error: unknown): error is ShopRefusedError {
  return error instanceof BacktapeError && error.code === 'SHOP_REFUSED'
}

/** The text by which a day is found. */
export function dayKey({ instrumentId, date, kind = 'tick' }: ShopItem): string {
  return `${kind} ${String(instrumentId)} ${date}`
}
