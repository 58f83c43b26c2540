import { afterEach } from 'vitest'
import { randomUUID } from 'node:crypto'
import { openShopStore, type ShopStore } from '../../src/shop/store/shop-store-writer.js'
import { ShopService } from '../../src/shop/server/shop-service.js'
import type { ShopSettings } from '../../src/shop/server/shop-settings.js'
import type { ShopRequest } from '../../src/shop/server/shop-reply.js'
import { FakeGoods } from './fake-goods.ts'
import { newFolder } from './new-folder.ts'
import { SHOP_ORIGIN, shopJson } from './shop-answers.ts'

/** A service over fake goods and a store of its own. */
export interface OpenedShop {
  service: ShopService
  store: ShopStore
  readonly goods: FakeGoods
  readonly folder: string
  /** The clock. */
  readonly time: { ms: number, nowMs: () => number }
  /** Opens it anew, as a program that starts again does. */
  readonly reopen: (settings?: ShopSettings) => Promise<void>
}

const opened: OpenedShop[] = []
afterEach(() => { for (const { store } of opened.splice(0)) store.close() })

export const SHOP_NOW = Date.parse('2024-08-10T12:00:00Z')

/** A shop at noon of 2024-08-10; it is closed after the test. */
export async function openedShop(settings: ShopSettings = {}, goods: FakeGoods = new FakeGoods()): Promise<OpenedShop> {
  const folder = newFolder()
  const time = { ms: SHOP_NOW, nowMs: () => time.ms }
  const store = await openShopStore(folder)
  const shop: OpenedShop = {
    service: new ShopService({ goods, store, time, settings }), store, goods, folder, time,
    reopen: async (changed = settings) => {
      shop.store.close()
      shop.store = await openShopStore(folder)
      shop.service = new ShopService({ goods, store: shop.store, time, settings: changed })
    },
  }
  opened.push(shop)
  return shop
}

/** An item of a basket, `5 2024-08-01`; with `series` of a bundle. */
export function basketItem(text: string): { instrument_id: number, date: string, kind: 'tick' | 'series_day' } {
  const [id = '', date = '', series] = text.split(' ')
  return { instrument_id: Number(id), date, kind: series === undefined ? 'tick' : 'series_day' }
}

/** The request of a checkout. */
export function checkoutRequest(items: readonly string[], { key = randomUUID(), ...headers }: Record<string, string> = {}): Partial<ShopRequest> {
  return {
    body: { email: 'me@example.org', items: items.map(basketItem), success_url: `${SHOP_ORIGIN}/done`, cancel_url: `${SHOP_ORIGIN}/shop` },
    headers: { 'idempotency-key': key, ...headers },
  }
}

/** A paid order. */
export interface BoughtOrder {
  readonly orderId: string
  readonly sessionId: string
  readonly token: string
}

/** Buys days. */
export async function bought({ service }: OpenedShop, items: readonly string[], headers: Record<string, string> = {}): Promise<BoughtOrder> {
  const { session_id: sessionId } = await shopJson(service.handlers, 'checkout', checkoutRequest(items, headers), 201) as { session_id: string }
  service.purchases.pay(sessionId)
  const { order_id: orderId, download_token: token } = await shopJson(service.handlers, 'session', { path: { session_id: sessionId } }) as { order_id: string, download_token: string }
  return { orderId, sessionId, token }
}
