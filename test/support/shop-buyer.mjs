// Buys a day and downloads it: `node shop-buyer.mjs URL CONFIG OUT`. Built code, so that it can be killed at any moment.
import { RandomNumbers } from '../../dist/model/random.js'
import { SHOP_NETWORK } from '../../dist/shop/client/redirect-client.js'
import { ShopClient } from '../../dist/shop/client/shop-client.js'

const [url, configFolder, out] = process.argv.slice(2)
const clock = {
  nowMs: () => Date.now(),
  // Pauses of seconds pass in milliseconds; limits of time stay.
  afterMs(ms, callback) {
    const timer = setTimeout(callback, ms >= 30_000 ? ms : ms / 1000)
    return () => { clearTimeout(timer) }
  },
}
const shop = new ShopClient({ url, configFolder }, { random: new RandomNumbers(process.pid, 'buyer', 0), checks: () => null, network: SHOP_NETWORK, clock })
const day = { instrumentId: 7, date: '2024-08-08' }
const owned = (await shop.orders()).find(({ items }) => items.some(({ instrumentId }) => instrumentId === day.instrumentId))
let order
if (owned === undefined) {
  const checkout = await shop.checkout(await shop.quote([day]), { email: 'me@example.org' })
  console.log('checkout')
  order = await checkout.paid()
} else order = await shop.order(owned.orderId)
for await (const file of shop.download(order, { out })) console.log(file.path)
