import type { Decimal } from '../../model/decimal.js'
import { eurOfCents } from './eur-amount.js'
import type { ShopItem } from './shop-baskets.js'
import type { ShopStop } from './shop-options.js'
import type { ShopOrder } from './shop-order.js'
import type { CheckoutRecord, SessionRecord } from './shop-records.js'

/** A checkout that a person pays in a browser. It is kept on the disk: the same checkout of the same quote goes on. */
export interface ShopCheckout {
  /** The address of the page where a person pays: show it, no program opens it. */
  readonly checkoutUrl: string
  /** The session at the shop. */
  readonly sessionId: string
  /** The order that it becomes. */
  readonly orderId: string
  /** False where the shop did not know the session, or its order, when it was asked: both are kept till their end. */
  readonly isKnown: boolean
  /** The days that are bought. */
  readonly items: readonly ShopItem[]
  /** The price with tax, euro cents. */
  readonly totalCents: number
  /** The same in EUR, exact; it prints as `1.00`. */
  readonly totalEur: Decimal
  /**
   * The order, once it is paid: asks every 10 to 15 seconds. The token of the order is on the disk before it resolves.
   * Throws SHOP_SESSION_EXPIRED where the session ends unpaid, or where the shop does not know it (it is kept until it
   * would have expired), STOPPED (the session stays), and as other calls do.
   */
  paid(options?: ShopStop): Promise<ShopOrder>
}

/** A checkout of a record, whose `paid` is given. */
export function checkoutOf(
  { items, totalCents }: CheckoutRecord, session: SessionRecord, isKnown: boolean, paid: ShopCheckout['paid'],
): ShopCheckout {
  return { ...session, isKnown, items, totalCents, totalEur: eurOfCents(totalCents), paid }
}
