import { randomUUID } from 'node:crypto'
import { afterEach } from 'vitest'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { openShop } from '../../src/shop/checked/open-shop.js'
import type { Shop, ShopOptions } from '../../src/shop/client/shop.js'
import type { ShopSettings } from '../../src/shop/server/shop-settings.js'
import { newFolder } from './new-folder.ts'
import { takenOut, withoutRow } from './taken-out.ts'

/** A shop that is served over a folder, with what it noted. */
export interface ServedScene {
  readonly serving: Serving
  readonly url: string
  readonly state: string
  readonly notes: string[]
  readonly close: () => Promise<void>
  /** An action of the control port: the status of its answer. */
  readonly act: (action: string, fields: object) => Promise<number>
  /** Pays a session, as a person at the pay page does. */
  readonly pay: (sessionId: string) => void
  readonly client: (options?: ShopOptions) => Shop
}

const opened: ServedScene[] = []
export async function closeScenes(): Promise<void> {
  for (const scene of opened.splice(0)) await scene.close()
}
afterEach(closeScenes)

/** Serves a folder whose replay is paused; it is closed after the test. */
export async function servedScene(data: string, settings: ShopSettings): Promise<ServedScene> {
  const state = settings.stateFolder ?? newFolder()
  const notes: string[] = []
  const serving = await openServing({
    data: [data], replay: { start: 'paused' }, httpPort: 0, controlPort: 0, onNote: (note) => { notes.push(note) },
    account: { exchange: 'synthetic_swap', balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } }, shop: { ...settings, stateFolder: state },
  })
  const proxy = takenOut.row === null ? null : await withoutRow(serving.addresses.http, takenOut.row)
  const { url } = proxy ?? { url: serving.addresses.http }
  const scene: ServedScene = {
    serving, url, state, notes,
    close: async () => {
      await proxy?.close()
      await serving.close()
    },
    act: async (action, fields) => {
      const { url: control, token } = serving.addresses.control!
      const answer = await fetch(`${control}/${action}`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(fields) })
      await answer.arrayBuffer()
      return answer.status
    },
    pay: (sessionId) => { serving.shop!.service.purchases.pay(sessionId) },
    client: (options = {}) => openShop({ url, configFolder: newFolder(), ...options }),
  }
  opened.push(scene)
  return scene
}

/** The body of a checkout of items. */
export function checkoutBody(url: string, items: readonly object[]): object {
  return { email: 'me@example.org', items, success_url: `${url}/shop?session={CHECKOUT_SESSION_ID}`, cancel_url: `${url}/shop` }
}

/** The headers of a checkout with a key of its own. */
export function checkoutHeaders(): Record<string, string> {
  return { 'content-type': 'application/json', 'idempotency-key': randomUUID(), 'x-service-client': 'http' }
}

/** What an iterator gives, as a list. */
export async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const one of items) list.push(one)
  return list
}
