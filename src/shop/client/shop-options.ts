import type { StopSignal } from '../../model/stop-signal.js'
import type { ShopItem } from './shop-baskets.js'

/** Words of a search. What is left out does not narrow it. */
export interface ShopSearchWords {
  /** Ticker, pair, base asset or numeric id; venue and class words inside are understood. */
  readonly q?: string
  /** Venue code or family of venues. */
  readonly venue?: string
  /** `spot`, `perpetual`, `future`, `call`, `put`, `prediction`, `perp`, `swap`, `futures` or `option`. */
  readonly class?: string
  /** Base asset. */
  readonly base?: string
  /** Results at most, 1 to 100. */
  readonly limit?: number
}

/** Which days are wanted. */
export interface ShopDaysOptions {
  /** Only days before this one, `YYYY-MM-DD`. */
  readonly before?: string
  /** Days of one answer at most, 1 to 1000; default: the shop's. */
  readonly limit?: number
  /** Stops the work. */
  readonly signal?: StopSignal
}

/** The signal that stops a call. */
export interface ShopStop {
  /** Stops the work. */
  readonly signal?: StopSignal
}

/** The options of a checkout. */
export interface ShopCheckoutOptions extends ShopStop {
  /** The buyer's email address, for the receipt. */
  readonly email: string
  /**
   * Where the shop leads the browser after the payment, on its own origin; `{CHECKOUT_SESSION_ID}` in it is filled by
   * the shop. Default: its page `/shop`.
   */
  readonly successUrl?: string
  /** Where the shop leads the browser without a payment, on its own origin. Default: its page `/shop`. */
  readonly cancelUrl?: string
  /**
   * Begin anew where the shop does not know the session of this quote now, or its paid order; default false: both are
   * kept till their end.
   */
  readonly again?: boolean
}

/** The options of reading an order. */
export interface ShopOrderOptions extends ShopStop {
  /** The download token of an order that was bought elsewhere; it is kept where the order answers. */
  readonly token?: string
}

/** The options of bringing days back. */
export interface ShopRestoreOptions extends ShopStop {
  /** Only these days of the order; default all. */
  readonly items?: readonly ShopItem[]
}

/** The state of a day of an order. */
export interface ShopDayState {
  /** The day. */
  readonly item: ShopItem
  /** The name of its file. */
  readonly name: string
  /** `ready`; `pending` while it is brought back or copied; another word of the shop. */
  readonly state: string
}
