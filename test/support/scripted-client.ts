import { join } from 'node:path'
import { RandomNumbers } from '../../src/model/random.js'
import { ShopClient } from '../../src/shop/client/shop-client.js'
import { newFolder } from './new-folder.ts'
import { QuickClock } from './quick-clock.ts'
import { scriptedNetwork } from './scripted-network.ts'
import { ScriptedShop } from './scripted-shop.ts'

/** A client of a shop that is a script, and what it asked and noted. */
export function opened(shop = new ScriptedShop(), configFolder = join(newFolder(), 'config'), more: object = {}) {
  const network = scriptedNetwork(shop.answer)
  const clock = new QuickClock()
  const notes: string[] = []
  const options = { url: shop.origin, configFolder, onNote: (note: string) => notes.push(note), ...more }
  const client = new ShopClient(options, { random: new RandomNumbers(1, 'test', 0), checks: () => null, network, clock, answerMs: 20_000 })
  return { shop, client, network, clock, notes, configFolder, store: join(configFolder, 'shops.json') }
}
