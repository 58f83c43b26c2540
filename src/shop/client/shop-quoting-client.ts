import { quoteFault } from '../../protocol/shop/shop-requests.js'
import { refuse } from './request-check.js'
import type { ShopAsker } from './shop-asker-client.js'
import { basketsOf, sentItem, type ShopItem } from './shop-baskets.js'
import type { ShopCall } from './shop-call.js'
import { fieldsOf } from './shop-fields.js'
import type { ShopStop } from './shop-options.js'
import { joinedQuote, quoteOf, type ShopQuote } from './shop-quote.js'

/**
 * The price of days. More than 365 days or 20 instruments are asked for in several baskets, each of which is paid by
 * itself. Throws OPTION_INVALID for items that are none, and as `ShopAsker.ask` does.
 */
export async function askQuote(
  asker: ShopAsker, items: readonly ShopItem[], { signal }: ShopStop = {}, account: { readonly token?: string } = {},
): Promise<ShopQuote> {
  const baskets = basketsOf(items)
  const bodies = baskets.map((basket) => ({ items: basket.map(sentItem) }))
  for (const body of bodies) refuse('The price of a basket', quoteFault(body))
  const quotes: ShopQuote[] = []
  for (const [at, basket] of baskets.entries()) {
    const call: ShopCall = { route: 'quote', body: bodies[at], signal, ...account }
    const { answer } = await asker.ask(call, 'Quote')
    quotes.push(quoteOf(basket, fieldsOf('Quote', answer), asker.placeOf(call)))
  }
  return joinedQuote(quotes)
}
