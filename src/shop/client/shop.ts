import type { ShopItem } from './shop-baskets.js'
import type { ShopCheckout } from './shop-checkout.js'
import type { ShopDownloadOptions, ShopFile, ShopFileOptions } from './shop-download.js'
import type { ShopFields } from './shop-fields.js'
import type {
  ShopCheckoutOptions, ShopDaysOptions, ShopDayState, ShopOrderOptions, ShopRestoreOptions, ShopSearchWords, ShopStop,
} from './shop-options.js'
import type { KeptOrder, ShopOrder } from './shop-order.js'
import type { ShopQuote } from './shop-quote.js'

/** The options of a shop. */
export interface ShopOptions {
  /**
   * The address of the shop: https, or http on this machine. Default: the environment variable `BACKTAPE_SHOP`. Proxies
   * of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are used.
   */
  readonly url?: string
  /** The token of the buyer's account at the shop; without it a guest buys. */
  readonly accountToken?: string
  /**
   * The folder of keys and tokens, for the user alone. Default: `BACKTAPE_CONFIG`, else `backtape` in the folder that
   * the system has for the configuration of a user.
   */
  readonly configFolder?: string
  /** Receives a sentence whenever a call is going to be sent again, fit for a terminal. */
  readonly onNote?: (sentence: string) => void
}

/**
 * The client of a shop. Fields of answers have the names of the shop's interface, `instrument_id` as `instrumentId`;
 * fields and words that are not known pass through. Calls that fail for a while are sent again, within the shop's
 * limits. Every function throws SHOP_REFUSED, SHOP_UNREACHABLE, SHOP_REDIRECTED, SHOP_ANSWER_INVALID, LIMIT_EXCEEDED,
 * OPTION_INVALID before anything is sent, and STOPPED.
 */
export interface Shop {
  /** The address of the shop. */
  readonly url: string
  /** Instruments by words: `btc perp` is one way to say them. */
  search(words: string | ShopSearchWords, options?: ShopStop): Promise<ShopFields<'Search'>>
  /** First and last day of an instrument, its gaps, and the bytes of all its days. */
  coverage(instrumentId: number, options?: ShopStop): Promise<ShopFields<'Coverage'>>
  /** All days of an instrument, newest first, with their sizes in bytes. */
  days(instrumentId: number, options?: ShopDaysOptions): AsyncIterableIterator<ShopFields<'DaySize'>>
  /** The days of one answer; its `nextCursor` is the next `before`, null at the end. */
  daysPage(instrumentId: number, options?: ShopDaysOptions): Promise<ShopFields<'Days'>>
  /** The days of a month, `YYYY-MM`. */
  calendar(instrumentId: number, month: string, options?: ShopStop): Promise<ShopFields<'Calendar'>>
  /** All bundles: prices of a day in euro cents. */
  bundles(options?: ShopStop): AsyncIterableIterator<ShopFields<'Bundle'>>
  /** All days of a bundle, newest first, with their sizes in bytes. */
  bundleDays(seriesKey: string, options?: ShopDaysOptions): AsyncIterableIterator<ShopFields<'DaySize'>>
  /** The days of one answer; its `nextCursor` is the next `before`, null at the end. */
  bundleDaysPage(seriesKey: string, options?: ShopDaysOptions): Promise<ShopFields<'Days'>>
  /** The free days. */
  samples(options?: ShopStop): AsyncIterableIterator<ShopFields<'Sample'>>
  /** The minutes of the newest 24 hours: CSV of 22 columns below a line that begins with `#`. */
  statistics(instrumentId: number, options?: ShopStop): Promise<Uint8Array>
  /** The price of days; those that do not exist stand in `missing`. */
  quote(items: readonly ShopItem[], options?: ShopStop): Promise<ShopQuote>
  /**
   * A checkout of a quote, which a person pays in a browser. The same quote for the same buyer goes on with the session
   * that was begun, after a crash too, until it has expired. Where it was paid, `paid` gives its order at once, as long
   * as the shop has that: no basket is paid twice.
   */
  checkout(quote: ShopQuote, options: ShopCheckoutOptions): Promise<ShopCheckout>
  /** The checkouts that were begun here and not paid, oldest first. The shop is asked: `orders` has the paid ones. */
  unpaid(options?: ShopStop): Promise<readonly ShopCheckout[]>
  /** The orders that were bought here, newest first. */
  orders(): Promise<readonly KeptOrder[]>
  /** An order by its id, or the `last` that was bought here. */
  order(orderId: string, options?: ShopOrderOptions): Promise<ShopOrder>
  /** Starts the restore of the cold days of an order, without waiting for it; how each day stands then. */
  restore(order: ShopOrder, options?: ShopRestoreOptions): Promise<readonly ShopDayState[]>
  /**
   * Downloads the files of an order, and checks them: each comes when it is whole. What was there in part is resumed.
   * Cold days are restored and awaited. Throws OUTPUT_EXISTS, OUTPUT_FAILED, SHOP_NOT_READY, SHOP_EXPORT_FAILED,
   * SHOP_FILE_WRONG, and the errors of damaged files, whose bytes stay as `NAME.bad`.
   */
  download(order: ShopOrder, options: ShopDownloadOptions): AsyncIterableIterator<ShopFile>
  /** Downloads a free day as `download` does; `href` of `samples` says which. */
  downloadSample(sample: { readonly href: string }, options: ShopFileOptions): Promise<ShopFile>
}
