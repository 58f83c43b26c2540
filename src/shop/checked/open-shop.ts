import { randomInt } from 'node:crypto'
import { RandomNumbers } from '../../model/random.js'
import type { Shop, ShopOptions } from '../client/shop.js'
import { ShopClient } from '../client/shop-client.js'
import { networkOfEnvironment } from '../client/proxy-network-client.js'
import { contentChecks } from './content-checks.js'

/**
 * The client of a shop: finds, quotes, buys and downloads days. Keys and tokens lie in the folder of the user's
 * configuration, for the user alone; what is downloaded is checked. Nothing is sent before a function is called. Throws
 * OPTION_INVALID for an address that is none of a shop.
 *
 * @example
 * ```ts
 * import { openShop, type Shop } from 'backtape'
 * async function buyDay(shop: Shop, words: string, date: string): Promise<void> {
 *   const { results } = await shop.search(words)
 *   const quote = await shop.quote([{ instrumentId: results[0]?.instrumentId ?? 0, date }])
 *   const checkout = await shop.checkout(quote, { email: 'me@mail.test' })
 *   console.log(`${checkout.checkoutUrl} costs ${quote.totalEur.toFixed(2)} EUR`)
 *   for await (const file of shop.download(await checkout.paid(), { out: 'bought' })) console.log(file.path)
 * }
 * const shop = openShop({ url: 'http://127.0.0.1:8080' })
 * console.log(shop.url, buyDay.name)
 * ```
 */
export function openShop(options: ShopOptions = {}): Shop {
  const random = new RandomNumbers(randomInt(2 ** 47), 'shop', 0)
  return new ShopClient(options, { random, checks: contentChecks, network: networkOfEnvironment() })
}
