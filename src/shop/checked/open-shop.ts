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
 * import { openServing } from 'backtape/serve'
 * async function buyDay(shop: Shop, instrumentId: number, date: string): Promise<void> {
 *   const quote = await shop.quote([{ instrumentId, date }])
 *   const checkout = await shop.checkout(quote, { email: 'me@mail.test' })
 *   console.log(`${checkout.checkoutUrl} costs ${quote.totalEur} EUR`)
 *   for await (const file of shop.download(await checkout.paid(), { out: 'bought' })) console.log(file.path)
 * }
 * const served = await openServing({
 *   data: ['datasets/synthetic_spot-XRPUSDT-2026-07-01.txt.zst'], httpPort: 0, shop: { stateFolder: 'shop-state' },
 *   account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } },
 * })
 * const shop = openShop({ url: served.addresses.http })
 * const { results } = await shop.search('xrp spot')
 * console.log(results[0]?.code, buyDay.name)                    // 'XRPUSDT'
 * await served.close()
 * ```
 */
export function openShop(options: ShopOptions = {}): Shop {
  const random = new RandomNumbers(randomInt(2 ** 47), 'shop', 0)
  return new ShopClient(options, { random, checks: contentChecks, network: networkOfEnvironment() })
}
