import { BacktapeError } from '../../model/error.js'
import { buyLinkDays } from '../../protocol/shop/shop-requests.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { Shop } from '../../shop/client/shop.js'
import type { ShopItem } from '../../shop/client/shop-baskets.js'
import type { ShopStop } from '../../shop/client/shop-options.js'

/** An instrument or a series that a word of the command line means. */
export interface ChosenGoods {
  /** The id of the instrument, or of the bundle. */
  readonly id: number
  /** `tick`, or `series_day` for a series. */
  readonly kind: 'tick' | 'series_day'
  /** `exchange:CODE`, the `series_key`, or the id where that was typed. */
  readonly name: string
}

/** Days of one goods. */
export interface ChosenDays {
  readonly goods: ChosenGoods
  /** Ascending. */
  readonly days: readonly string[]
}

/** Days of a command at most: ten years. */
const DAYS_MAX = 3660

/**
 * The goods that a word means: an id, `exchange:CODE`, a code that one instrument alone has, or a `series_key`. Throws
 * OPTION_INVALID where there is none, or several instruments have the code.
 */
export async function goodsOf(shop: Shop, word: string, stop: ShopStop): Promise<ChosenGoods> {
  if (/^\d{1,15}$/.test(word)) return { id: Number(word), kind: 'tick', name: word }
  const [, exchange, named = word] = /^([^:]+):(.+)$/.exec(word) ?? []
  const { results } = await shop.search({
    q: named, limit: SHOP.limits.searchResults.value, ...(exchange === undefined ? {} : { venue: exchange }),
  }, stop)
  const isMeant = (wanted: string, exact: boolean): boolean => (
    exact ? wanted === named : wanted.toLowerCase() === named.toLowerCase())
  const hits = results.filter((hit) => exchange === undefined || hit.exchange.code === exchange)
  const exact = hits.filter(({ code }) => isMeant(code, true))
  const found = exact.length > 0 ? exact : hits.filter(({ code }) => isMeant(code, false))
  const [first] = found
  if (first !== undefined && found.length === 1)
    return { id: first.instrumentId, kind: 'tick', name: `${first.exchange.code}:${first.code}` }
  if (found.length > 1) {
    const names = found.slice(0, 8).map((hit) => `${hit.exchange.code}:${hit.code}`)
    throw refused(word, 'the instrument with its exchange', `${String(found.length)} instruments: ${names.join(', ')}`)
  }
  for await (const bundle of shop.bundles(stop))
    if (bundle.seriesKey === word) return { id: bundle.bundleId, kind: 'series_day', name: bundle.seriesKey }
  throw refused(word, 'an id, code, exchange:CODE or series_key of the shop', 'none of it')
}

/**
 * The days of a word: `2024-08-08`, `2024-08-07..2024-08-09`, a comma list of both; so many from the first to the last
 * at most. Throws OPTION_INVALID.
 */
export function daysOf(word: string, spanDays: number = DAYS_MAX): readonly string[] {
  const days = buyLinkDays(word, spanDays)
  if ('path' in days) throw refused(word, days.expected, days.found)
  return days
}

/** The goods and days of words in turn: `BTCUSDT 2024-08-08 ETHUSDT 2024-08-09`. Throws OPTION_INVALID. */
export async function chosenDays(shop: Shop, words: readonly string[], stop: ShopStop): Promise<readonly ChosenDays[]> {
  if (words.length % 2 !== 0) {
    const last = words.at(-1) ?? ''
    throw refused(last, 'days behind each instrument', `nothing behind ${JSON.stringify(last)}`)
  }
  const chosen: ChosenDays[] = []
  // Days are looked at before the shop is asked for anything.
  const days = words.flatMap((word, at) => (at % 2 === 1 ? [daysOf(word)] : []))
  for (const [at, some] of days.entries())
    chosen.push({ goods: await goodsOf(shop, words[at * 2] ?? '', stop), days: some })
  return chosen
}

/** The items of goods and days, as a basket has them. */
export function itemsOf(chosen: readonly ChosenDays[]): readonly ShopItem[] {
  return chosen.flatMap(({ goods: { id, kind }, days }) => days.map((date) => ({ instrumentId: id, date, kind })))
}

/** First and last day of items. */
export function daysText(items: readonly ShopItem[]): string {
  const days = items.map(({ date }) => date).sort()
  const [first = '', last = ''] = [days[0], days.at(-1)]
  return first === last ? first : `${first}..${last}`
}

/** The error of a word. */
export function refused(word: string, expected: string, found: string): BacktapeError {
  const words = `Cannot take ${JSON.stringify(word.slice(0, 60))}: expected ${expected}, found ${found}`
  return new BacktapeError('OPTION_INVALID', words, { field: 'input', expected, found })
}
