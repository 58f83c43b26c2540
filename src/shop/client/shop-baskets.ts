import { BacktapeError } from '../../model/error.js'
import type { Sent } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'

/** A day to buy: of an instrument, or of a bundle. */
export interface ShopItem {
  /** The instrument; for a bundle day the `bundleId`. */
  readonly instrumentId: number
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string
  /** `tick` (default): a day of an instrument. `series_day`: a day of a bundle. */
  readonly kind?: string
}

/** The key of an item: equal for equal items. */
export function itemKey({ instrumentId, date, kind = 'tick' }: ShopItem): string {
  return `${kind} ${instrumentId} ${date}`
}

/** The goods of an item: its instrument or bundle. */
function goodsKey({ instrumentId, kind = 'tick' }: ShopItem): string {
  return `${kind} ${instrumentId}`
}

/**
 * Items as baskets that a shop takes, each item once: at most 365 items of 20 instruments or bundles in each,
 * instruments together, in the order of their first item. Throws OPTION_INVALID where there is none.
 *
 * @example `basketsOf([{ instrumentId: 7, date: '2024-08-08' }])` is `[[{ instrumentId: 7, date: '2024-08-08' }]]`
 */
export function basketsOf(items: readonly ShopItem[]): readonly (readonly ShopItem[])[] {
  const goods = new Map<string, Map<string, ShopItem>>()
  for (const item of items) {
    const days = goods.get(goodsKey(item)) ?? new Map<string, ShopItem>()
    goods.set(goodsKey(item), days.set(itemKey(item), item))
  }
  const { quoteItems, quoteInstruments } = SHOP.limits
  const baskets: ShopItem[][] = []
  let goodsCount: number = quoteInstruments.value
  for (const days of goods.values()) {
    let isCounted = false
    for (const item of days.values()) {
      const last = baskets.at(-1)
      const isFull = last === undefined || last.length >= quoteItems.value
        || (!isCounted && goodsCount >= quoteInstruments.value)
      if (isFull) {
        baskets.push([item])
        goodsCount = 1
      } else {
        last.push(item)
        if (!isCounted) goodsCount++
      }
      isCounted = true
    }
  }
  if (baskets.length > 0) return baskets
  throw itemError('items', 'at least one', 'none')
}

/** An item as it goes over the wire. */
export function sentItem({ instrumentId, date, kind }: ShopItem): Sent<'QuoteItem'> {
  const item = { instrument_id: instrumentId, date }
  if (kind === undefined) return item
  if (kind === 'tick' || kind === 'series_day') return { ...item, kind }
  throw itemError('kind', '"tick" or "series_day"', JSON.stringify(kind).slice(0, 80))
}

function itemError(field: string, expected: string, found: string): BacktapeError {
  const sentence = `Cannot ask the shop for a price: ${field} must be ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', sentence, { field, expected, found })
}
