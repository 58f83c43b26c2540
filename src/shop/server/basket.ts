import { randomUUID } from 'node:crypto'
import { callPath, RETURN_PLACEHOLDER } from '../../protocol/shop/shop-requests.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { StoredItem } from '../store/stored-rows.js'
import type { Shelf } from './shelf.js'
import { dayAmong } from './sold-days.js'

/** The price of a day of one instrument. */
const TICK_DAY_CENTS = 100

/** Days with their prices. */
export interface Basket {
  /** Days that are sold, in the order in which they were asked for. */
  readonly lines: readonly StoredItem[]
  readonly missing: readonly Sent<'MissingItem'>[]
  readonly totalCents: number
}

/** The basket of items, which {@link quoteFault} has checked. */
export function basketOf(shelf: Shelf, items: readonly Sent<'QuoteItem'>[]): Basket {
  const lines: StoredItem[] = []
  const missing: Sent<'MissingItem'>[] = []
  for (const { instrument_id: id, date, kind = 'tick' } of items) {
    const line = kind === 'tick' ? tickLine(shelf, id, date) : seriesLine(shelf, id, date)
    if (typeof line === 'string') missing.push({ instrument_id: id, date, kind, reason: line })
    else lines.push(line)
  }
  return { lines, missing, totalCents: lines.reduce((sum, { priceCents }) => sum + priceCents, 0) }
}

type Reason = Sent<'MissingItem'>['reason']

function tickLine(shelf: Shelf, id: number, date: string): StoredItem | Reason {
  const sold = shelf.instrument(id)
  if (sold === null) return 'unknown_instrument'
  const day = dayAmong(sold.days, date)
  if (day === null) return date < shelf.today ? 'no_data' : 'not_sellable_yet'
  const { code, exchangeCode, type } = sold
  return {
    kind: 'tick', instrumentId: id, date, code, exchangeCode, type, bytes: day.sizeBytes, priceCents: TICK_DAY_CENTS,
  }
}

function seriesLine(shelf: Shelf, id: number, date: string): StoredItem | Reason {
  const sold = shelf.bundle(id)
  if (sold === null) return 'unknown_instrument'
  const day = dayAmong(sold.days, date)
  if (day === null) return date < shelf.today ? 'no_data' : 'not_sellable_yet'
  const { seriesKey, exchangeCode, kind, priceCents } = sold
  return {
    kind: 'series_day', instrumentId: id, date, code: seriesKey, exchangeCode, type: kind, bytes: day.sizeBytes,
    priceCents,
  }
}

/**
 * Euros of whole cents, with two decimals.
 *
 * @example `eurosOf(105)` is `1.05`
 */
function eurosOf(cents: number): string {
  const rest = cents % 100
  return `${(cents - rest) / 100}.${String(rest).padStart(2, '0')}`
}

/** An item of a basket as requests have it. */
export function itemOf({ instrumentId, date, kind }: StoredItem): Sent<'AvailableItem'> {
  return { instrument_id: instrumentId, date, kind }
}

/** The answer to a quote of items. */
export function quoteOf(
  { lines, missing, totalCents }: Basket, items: readonly Sent<'QuoteItem'>[], origin: string,
): Sent<'Quote'> {
  const available = lines.map(itemOf)
  const bundleLines = lines.filter(({ kind }) => kind === 'series_day')
  const bundles = new Map(bundleLines.map(({ instrumentId, code, priceCents }) => [
    instrumentId, { bundle_id: instrumentId, series_key: code, price_cents: priceCents },
  ]))
  return {
    items_requested: items.length, items_available: lines.length, total_cents: totalCents,
    total_eur: eurosOf(totalCents), currency: 'EUR', price_eur_per_day: eurosOf(TICK_DAY_CENTS), available, missing,
    ...bundleLines.length === 0 ? {} : {
      bundles: [...bundles.values()],
      bundle_days: bundleLines.map(({ instrumentId, date, priceCents }) => (
        { instrument_id: instrumentId, date, kind: 'series_day' as const, price_cents: priceCents })),
    },
    vat_note: 'Prices include VAT. This is a local shop: no money moves.', terms_url: `${origin}${callPath('llms')}`,
    checkout: checkoutHint(available.length > 0 ? available : items, origin),
  }
}

/** The request that buys items. */
function checkoutHint(items: readonly Sent<'QuoteItem'>[], origin: string): Sent<'CheckoutHint'> {
  const { pollSecondsMin, pollSecondsMax } = SHOP.limits
  const example: Sent<'CheckoutRequest'> = {
    email: 'you@example.org', items,
    success_url: `${origin}${SHOP.routes.payPage.path.replace('{session_id}', RETURN_PLACEHOLDER)}`,
    cancel_url: `${origin}${callPath('cart')}`,
  }
  return {
    method: SHOP.routes.checkout.method, url: `${origin}${callPath('checkout')}`,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), 'X-Service-Client': 'http' },
    body_example: { ...example },
    then: [
      'Use one Idempotency-Key for a basket: the same one for a retry, never for another basket.',
      'Show checkout_url to a person, who pays there in a browser; do not fetch it.',
      `Poll GET ${SHOP.routes.session.path} every ${pollSecondsMin.value} to ${pollSecondsMax.value} seconds until ` +
        'its status is paid: it then has order_id and download_token.',
      `Download each item by GET ${SHOP.routes.download.path}?t=DOWNLOAD_TOKEN.`,
    ],
  }
}
