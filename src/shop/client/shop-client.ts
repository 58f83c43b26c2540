import { userConfigFolder } from '../../files/user-folder-reader.js'
import { BacktapeError } from '../../model/error.js'
import type { RandomNumbers } from '../../model/random.js'
import type { ByteChecks } from './byte-checks.js'
import type { Shop, ShopOptions } from './shop.js'
import { ShopAsker } from './shop-asker-client.js'
import type { ShopItem } from './shop-baskets.js'
import { ShopBuying } from './shop-buying-client.js'
import type { ShopCheckout } from './shop-checkout.js'
import { WALL_CLOCK, type ShopClock } from './shop-clock-client.js'
import type { ShopDownloadOptions, ShopFile, ShopFileOptions } from './shop-download.js'
import { downloadOrder, type DownloadParts } from './shop-downloads-client.js'
import type { ShopFields } from './shop-fields.js'
import { ShopFinding } from './shop-finding-client.js'
import type {
  ShopCheckoutOptions, ShopDaysOptions, ShopDayState, ShopOrderOptions, ShopRestoreOptions, ShopSearchWords, ShopStop,
} from './shop-options.js'
import type { KeptOrder, ShopOrder } from './shop-order.js'
import { ShopOrders } from './shop-orders-client.js'
import type { ShopQuote } from './shop-quote.js'
import { askQuote } from './shop-quoting-client.js'
import type { ShopNetwork } from './redirect-client.js'
import { restoreOrder } from './shop-restoring-client.js'
import { downloadSample } from './shop-sample-client.js'
import { ShopStore } from './shop-store-writer.js'

/** The parts that a client is made with; those that are left out are the system's. */
export interface ShopParts {
  /** Chance: of waits, and of polls. */
  readonly random: RandomNumbers
  readonly checks: ByteChecks
  readonly network: ShopNetwork
  readonly clock?: ShopClock
  readonly freeBytes?: (folder: string) => Promise<number | null>
  /** Longest wait for an answer, milliseconds. */
  readonly answerMs?: number
}

/** The variable that names the shop. */
const SHOP_VARIABLE = 'BACKTAPE_SHOP'

/** The client of a shop over its parts. Throws OPTION_INVALID for an address that is none of a shop. */
export class ShopClient implements Shop {
  readonly url: string
  readonly #asker: ShopAsker
  readonly #finding: ShopFinding
  readonly #orders: ShopOrders
  readonly #buying: ShopBuying
  readonly #downloads: DownloadParts
  readonly #account: { readonly token?: string }

  constructor({ url, accountToken, configFolder, onNote }: ShopOptions, parts: ShopParts) {
    const { random, network, clock = WALL_CLOCK, answerMs } = parts
    this.#asker = new ShopAsker({
      url: url ?? shopOfEnvironment(), clock, random, network, ...(onNote === undefined ? {} : { onNote }),
      ...(answerMs === undefined ? {} : { answerMs }),
    })
    this.url = this.#asker.shop.href.replace(/\/+$/, '')
    this.#account = accountToken === undefined ? {} : { token: accountToken }
    const store = new ShopStore(configFolder ?? userConfigFolder(), this.#asker.shop)
    const shared = { asker: this.#asker, clock, random }
    this.#finding = new ShopFinding(this.#asker)
    this.#orders = new ShopOrders(this.#asker, store, clock, this.#account)
    this.#buying = new ShopBuying({ ...shared, store, orders: this.#orders, account: this.#account })
    const { checks, freeBytes } = parts
    this.#downloads = { ...shared, checks, ...(freeBytes === undefined ? {} : { freeBytes }) }
  }

  search(words: string | ShopSearchWords, options?: ShopStop): Promise<ShopFields<'Search'>> {
    return this.#finding.search(typeof words === 'string' ? { q: words } : words, options)
  }

  coverage(instrumentId: number, options?: ShopStop): Promise<ShopFields<'Coverage'>> {
    return this.#finding.coverage(instrumentId, options)
  }

  days(instrumentId: number, options?: ShopDaysOptions): AsyncIterableIterator<ShopFields<'DaySize'>> {
    return this.#finding.days(instrumentId, options)
  }

  daysPage(instrumentId: number, options?: ShopDaysOptions): Promise<ShopFields<'Days'>> {
    return this.#finding.daysPage(instrumentId, options)
  }

  calendar(instrumentId: number, month: string, options?: ShopStop): Promise<ShopFields<'Calendar'>> {
    return this.#finding.calendar(instrumentId, month, options)
  }

  bundles(options?: ShopStop): AsyncIterableIterator<ShopFields<'Bundle'>> {
    return this.#finding.bundles(options)
  }

  bundleDays(seriesKey: string, options?: ShopDaysOptions): AsyncIterableIterator<ShopFields<'DaySize'>> {
    return this.#finding.bundleDays(seriesKey, options)
  }

  bundleDaysPage(seriesKey: string, options?: ShopDaysOptions): Promise<ShopFields<'Days'>> {
    return this.#finding.bundleDaysPage(seriesKey, options)
  }

  samples(options?: ShopStop): AsyncIterableIterator<ShopFields<'Sample'>> {
    return this.#finding.samples(options)
  }

  statistics(instrumentId: number, options?: ShopStop): Promise<Uint8Array> {
    return this.#finding.statistics(instrumentId, options)
  }

  quote(items: readonly ShopItem[], options?: ShopStop): Promise<ShopQuote> {
    return askQuote(this.#asker, items, options, this.#account)
  }

  checkout(quote: ShopQuote, options: ShopCheckoutOptions): Promise<ShopCheckout> {
    return this.#buying.checkout(quote, options)
  }

  unpaid(options?: ShopStop): Promise<readonly ShopCheckout[]> {
    return this.#buying.unpaid(options)
  }

  orders(): Promise<readonly KeptOrder[]> {
    return this.#orders.kept()
  }

  order(orderId: string, options?: ShopOrderOptions): Promise<ShopOrder> {
    return this.#orders.order(orderId, options)
  }

  restore(order: ShopOrder, options: ShopRestoreOptions = {}): Promise<readonly ShopDayState[]> {
    return restoreOrder(this.#asker, order, options)
  }

  download(order: ShopOrder, options: ShopDownloadOptions): AsyncIterableIterator<ShopFile> {
    return downloadOrder(this.#downloads, order, options)
  }

  downloadSample(sample: { readonly href: string }, options: ShopFileOptions): Promise<ShopFile> {
    return downloadSample(this.#downloads, this.#finding, sample, options)
  }

  /** The client for JSON: no secret. */
  toJSON(): object {
    return { url: this.url }
  }
}

function shopOfEnvironment(): string {
  const url = process.env[SHOP_VARIABLE] ?? ''
  if (url !== '') return url
  const expected = 'the address of a shop'
  const sentence = `Cannot reach the shop: expected ${expected}, found none; name one with ${SHOP_VARIABLE}, as in ` +
    `${SHOP_VARIABLE}=https://shop.example`
  throw new BacktapeError('OPTION_INVALID', sentence, { field: 'url', expected, found: 'none' })
}
