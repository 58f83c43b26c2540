import type { Decimal } from '../../model/decimal.js'
import { eurAmount, eurOfCents } from './eur-amount.js'
import { itemKey, type ShopItem } from './shop-baskets.js'
import { shopError } from './shop-failure.js'
import type { ShopFields } from './shop-fields.js'

/** The price of days: what it costs to buy what is available. */
export interface ShopQuote {
  /** The days that can be bought. */
  readonly items: readonly ShopFields<'AvailableItem'>[]
  /** The days that cannot be bought, each with the reason of the shop: `no_data`, for one. */
  readonly missing: readonly ShopFields<'MissingItem'>[]
  /** Number of days that were asked for. */
  readonly itemsRequested: number
  /** Price of `items` with tax, euro cents. */
  readonly totalCents: number
  /** The same in EUR, exact; it prints as `1.00`. */
  readonly totalEur: Decimal
  /** `EUR`. */
  readonly currency: string
  /** Price of a day of one instrument, EUR; bundles have prices of their own. */
  readonly priceEurPerDay: Decimal
  /** The bundles of the quote with their prices of a day, euro cents; empty where the shop does not say them. */
  readonly bundles: readonly ShopFields<'BundlePrice'>[]
  /** The bundle days with their prices, euro cents; empty where the shop does not say them. */
  readonly bundleDays: readonly ShopFields<'BundleDay'>[]
  /** The shop's sentence on tax. */
  readonly vatNote: string
  /** Address of the shop's terms. */
  readonly termsUrl: string
  /** The shop's hints for the checkout. */
  readonly checkout: ShopFields<'CheckoutHint'>
  /** The parts that are paid one by one, each a quote: several for over 365 days or 20 instruments; none for no day. */
  readonly baskets: readonly ShopQuote[]
}

/** The quote of one basket. Throws SHOP_ANSWER_INVALID for one that contradicts itself, or what was asked. */
export function quoteOf(asked: readonly ShopItem[], answer: ShopFields<'Quote'>, place: string): ShopQuote {
  const wanted = new Set(asked.map(itemKey))
  const other = answer.available.find((item) => !wanted.delete(itemKey(item)))
  if (other !== undefined)
    throw shopError('SHOP_ANSWER_INVALID', place, 'items that were asked for, each once', itemKey(other))
  const totalEur = eurAmount(answer.totalEur)
  if (!totalEur.times(100).equals(answer.totalCents))
    throw shopError('SHOP_ANSWER_INVALID', place, `total_eur of ${answer.totalCents} cents`, answer.totalEur)
  const baskets: ShopQuote[] = []
  const quote: ShopQuote = {
    items: answer.available, missing: answer.missing, itemsRequested: asked.length, totalCents: answer.totalCents,
    totalEur, currency: answer.currency, priceEurPerDay: eurAmount(answer.priceEurPerDay),
    bundles: answer.bundles ?? [], bundleDays: answer.bundleDays ?? [], vatNote: answer.vatNote,
    termsUrl: answer.termsUrl, checkout: answer.checkout, baskets,
  }
  if (quote.items.length > 0) baskets.push(quote)
  // As it holds itself, neither JSON nor a console could show it.
  return Object.defineProperty(quote, 'baskets', { enumerable: false })
}

/** Quotes of several baskets as one. */
export function joinedQuote(quotes: readonly ShopQuote[]): ShopQuote {
  const [first] = quotes
  if (first === undefined) throw new Error('A quote has at least one basket')
  if (quotes.length === 1) return first
  const cents = quotes.reduce((sum, { totalCents }) => sum + totalCents, 0)
  return {
    ...first, baskets: quotes.flatMap(({ baskets }) => baskets), items: quotes.flatMap(({ items }) => items),
    missing: quotes.flatMap(({ missing }) => missing),
    itemsRequested: quotes.reduce((sum, { itemsRequested }) => sum + itemsRequested, 0), totalCents: cents,
    totalEur: eurOfCents(cents), bundles: quotes.flatMap(({ bundles }) => bundles),
    bundleDays: quotes.flatMap(({ bundleDays }) => bundleDays),
  }
}
