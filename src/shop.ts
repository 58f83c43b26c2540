/**
 * The types of the client of a shop, which `openShop` of `backtape` opens: quotes, checkouts, orders, downloads, and
 * the options of its functions.
 *
 * @module
 */
export type { ShopCheckLevel } from './shop/client/byte-checks.js'
export type { ShopItem } from './shop/client/shop-baskets.js'
export type { ShopCheckout } from './shop/client/shop-checkout.js'
export type {
  ShopDownloadOptions, ShopFile, ShopFileEmpty, ShopFileOptions, ShopFileThere, ShopProgress,
} from './shop/client/shop-download.js'
export type {
  ShopCheckoutOptions, ShopDayState, ShopDaysOptions, ShopOrderOptions, ShopRestoreOptions, ShopSearchWords, ShopStop,
} from './shop/client/shop-options.js'
export type { KeptOrder, ShopOrder } from './shop/client/shop-order.js'
export type { ShopQuote } from './shop/client/shop-quote.js'
