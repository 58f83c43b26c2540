import { isJsonObject } from '../../model/json-object.js'
import { parseNestedJson } from '../../model/nested-json.js'
import type { ShopItem } from './shop-baskets.js'

/** A checkout that was begun. */
export interface CheckoutRecord {
  /** Digest of the basket: of buyer, items and return addresses. */
  readonly basket: string
  /** The `Idempotency-Key`. */
  readonly key: string
  /** Epoch milliseconds. */
  readonly startMs: number
  readonly items: readonly ShopItem[]
  /** The price, euro cents. */
  readonly totalCents: number
  /** The answer of the shop; null: none came so far. */
  readonly session: SessionRecord | null
  /** True once its payment was seen: the same basket finds its order, and is not paid again. */
  readonly isPaid?: boolean
}

/** A checkout session of a shop. */
export interface SessionRecord {
  readonly sessionId: string
  readonly orderId: string
  readonly checkoutUrl: string
}

/** An order that was paid. */
export interface OrderRecord {
  readonly orderId: string
  readonly token: string
  /** Epoch milliseconds at which the payment was seen. */
  readonly paidMs: number
  readonly items: readonly ShopItem[]
}

/** Everything that is kept of one shop. */
export interface ShopRecords {
  readonly checkouts: readonly CheckoutRecord[]
  readonly orders: readonly OrderRecord[]
}

/** The records of shops by their addresses, as a file holds them. */
export type AllRecords = Readonly<Record<string, ShopRecords>>

/** Checkouts that are kept of a shop at most: of more, the oldest go, paid ones first. */
const CHECKOUTS_MAX = 1000
/** Orders that are kept of a shop at most: of more, those go that the shop has forgotten. */
export const ORDERS_MAX = 2000

const NO_RECORDS: ShopRecords = { checkouts: [], orders: [] }

/** The records of a file; null where it holds something else. */
export function recordsOf(text: string | null): AllRecords | null {
  if (text === null) return {}
  const content = parsed(text)
  if (!isJsonObject(content) || content['backtape'] !== 'shops' || content['version'] !== 1) return null
  const { shops } = content
  if (!isJsonObject(shops)) return null
  const all: Record<string, ShopRecords> = {}
  for (const [shop, records] of Object.entries(shops)) {
    if (!isRecords(records)) return null
    all[shop] = records
  }
  return all
}

/** The text of a file that holds records. */
export function recordsText(shops: AllRecords): string {
  return `${JSON.stringify({ backtape: 'shops', version: 1, shops })}\n`
}

/** The records of one shop. */
export function recordsOfShop(all: AllRecords, shop: string): ShopRecords {
  return all[shop] ?? NO_RECORDS
}

/** The records with a checkout, which takes the place of those of the same basket or key. */
export function withCheckout({ checkouts, orders }: ShopRecords, checkout: CheckoutRecord): ShopRecords {
  const others = checkouts.filter(({ basket, key }) => basket !== checkout.basket && key !== checkout.key)
  return { checkouts: fewEnough([...others, checkout]), orders }
}

function fewEnough(checkouts: readonly CheckoutRecord[]): readonly CheckoutRecord[] {
  if (checkouts.length <= CHECKOUTS_MAX) return checkouts
  const isPaid = ({ isPaid = false }: CheckoutRecord): boolean => isPaid
  const surplus = checkouts.find(isPaid) ?? checkouts[0]
  return fewEnough(checkouts.filter((one) => one !== surplus))
}

/** The records without the checkout of a key. */
export function withoutCheckout({ checkouts, orders }: ShopRecords, key: string): ShopRecords {
  return { checkouts: checkouts.filter((one) => one.key !== key), orders }
}

/**
 * The records with an order, in the place of the same order; the checkouts that led to it are paid. Of too many orders
 * the oldest go, as far as they are older than `oldMs`; null where there are too many of younger ones.
 */
export function withOrder({ checkouts, orders }: ShopRecords, order: OrderRecord, oldMs: number): ShopRecords | null {
  const others = orders.filter(({ orderId }) => orderId !== order.orderId)
  const left = [...others, order]
  while (left.length > ORDERS_MAX && (left[0]?.paidMs ?? Infinity) < oldMs) left.shift()
  if (left.length > ORDERS_MAX) return null
  const paid = checkouts.map((one) => (one.session?.orderId === order.orderId ? { ...one, isPaid: true } : one))
  return { checkouts: paid, orders: left }
}

function parsed(text: string): unknown {
  try {
    return parseNestedJson(text)
  } catch {
    return null
  }
}

function isRecords(value: unknown): value is ShopRecords {
  if (!isJsonObject(value)) return false
  const { checkouts, orders } = value
  return Array.isArray(checkouts) && Array.isArray(orders) && checkouts.every(isCheckout) && orders.every(isOrder)
}

function isCheckout(value: unknown): value is CheckoutRecord {
  if (!isJsonObject(value)) return false
  const { basket, key, startMs, items, totalCents, session, isPaid = false } = value
  return typeof basket === 'string' && typeof key === 'string' && isCount(startMs) && areItems(items)
    && isCount(totalCents) && (session === null || isSession(session)) && typeof isPaid === 'boolean'
}

function isSession(value: unknown): value is SessionRecord {
  if (!isJsonObject(value)) return false
  const { sessionId, orderId, checkoutUrl } = value
  return typeof sessionId === 'string' && typeof orderId === 'string' && typeof checkoutUrl === 'string'
}

function isOrder(value: unknown): value is OrderRecord {
  if (!isJsonObject(value)) return false
  const { orderId, token, paidMs, items } = value
  return typeof orderId === 'string' && typeof token === 'string' && isCount(paidMs) && areItems(items)
}

function areItems(value: unknown): value is readonly ShopItem[] {
  return Array.isArray(value) && value.every((one) => isJsonObject(one) && isCount(one['instrumentId'])
    && typeof one['date'] === 'string' && (one['kind'] === undefined || typeof one['kind'] === 'string'))
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
