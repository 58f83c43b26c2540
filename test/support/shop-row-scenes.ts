import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeDays } from '../../src/columns.js'
import type { ShopRouteName } from '../../src/protocol/shop/shop-routes.js'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import type { ShopOrder } from '../../src/shop/client/shop-order.js'
import type { ShopSettings } from '../../src/shop/server/shop-settings.js'
import { pageDocument } from './page-document.ts'
import { checkoutBody, checkoutHeaders, closeScenes, servedScene, type ServedScene } from './served-shop.ts'
import { folderWith, SWAP_ID } from './shop-folder.ts'
import { type Asked, type Seen, ShopRows } from './shop-rows.ts'
import { isTakable, takenOut } from './taken-out.ts'

export const SPOT_ID = 9_100_006
export const SERIES = 'synthetic_option-BTC-calls'
export const NOW = '2026-07-08T00:00:00Z'
export const [DAY, NEXT] = ['2026-07-01', '2026-07-02']
const SAMPLE = `synthetic_swap:XRPUSDT ${DAY}`
export const ANN = { name: 'ann', token: 'account-token-of-ann', realtimeKey: 'realtime-key-of-ann', owns: [`synthetic_swap:XRPUSDT ${NEXT}`] }
export const BEYOND = { headers: { range: 'bytes=999999999999-' } }

/** The rows that the cases of a file of tests have seen, and those of the client in them. */
export const rows = new ShopRows()
export const clientSeen = new ShopRows()
const { fetch: plainFetch } = globalThis
afterAll(() => { globalThis.fetch = plainFetch })
/** The folder that is sold, and the bundle in it. */
export const sold = { folder: '' }
export const bundle = { id: 0 }
beforeAll(async () => {
  globalThis.fetch = clientSeen.watching
  sold.folder = folderWith('synthetic_option-BTC-calls-2026-07-01.tar')
  // Days of a minute: each scene opens them, and some convert them.
  for (const kind of ['perpetual', 'paired-spot'] as const) await writeDays(sold.folder, { seed: 3, kind, minutes: 1, days: 2, day: DAY })
})

/** True where a server lacks a row and a case passes all the same. */
async function passesWithout(row: string, run: () => Promise<void>): Promise<boolean> {
  const before = [...rows.seen]
  rows.seen.clear()
  takenOut.row = row
  try {
    await run()
    return rows.seen.has(row)
  } catch {
    return false
  } finally {
    takenOut.row = null
    await closeScenes()
    rows.saw(...before)
  }
}

/** A case of rows; with BACKTAPE_TAKEN_OUT also against servers that lack one of the rows that it is the first to see. */
export function rowCase(name: string, run: () => Promise<void>, limitMs?: number): void {
  const own: string[] = []
  test(name, async () => {
    const before = new Set(rows.seen)
    await run()
    own.push(...[...rows.seen].filter((row) => isTakable(row) && !before.has(row)))
  }, limitMs)
  if (process.env['BACKTAPE_TAKEN_OUT'] === undefined) return
  test(`${name}: not without one of its rows`, async () => {
    const passed: string[] = []
    for (const row of own) if (await passesWithout(row, run)) passed.push(row)
    expect(passed).toEqual([])
  }, 3_600_000)
}

export const scene = (settings: ShopSettings = {}): Promise<ServedScene> => servedScene(sold.folder, { now: NOW, samples: [SAMPLE], accounts: [ANN], ...settings })
export const tick = (id: number, date: string): { instrument_id: number, date: string, kind: 'tick' } => ({ instrument_id: id, date, kind: 'tick' })
export const BUNDLE_DAY = (): object => ({ instrument_id: bundle.id, date: DAY, kind: 'series_day' })
/** The routes of the tables. */
export const routeNames = Object.keys(SHOP.routes) as ShopRouteName[]

/** The bundle that is sold. */
export async function bundleOf({ url }: ServedScene): Promise<number> {
  const { body } = await rows.ask(url, 'bundles')
  bundle.id = (body['bundles'] as readonly { bundle_id: number }[])[0]!.bundle_id
  return bundle.id
}

export interface Bought { readonly orderId: string, readonly sessionId: string, readonly token: string }

/** Buys items, and pays for them. */
export async function bought(shop: ServedScene, items: readonly object[], headers: Record<string, string> = {}): Promise<Bought> {
  const checkout = await rows.ask(shop.url, 'checkout', { body: checkoutBody(shop.url, items), headers: { ...checkoutHeaders(), ...headers } })
  expect(checkout.status).toBe(201)
  const sessionId = String(checkout.body['session_id'])
  shop.pay(sessionId)
  rows.saw('transition session: pending pay paid')
  const { body } = await rows.ask(shop.url, 'session', { path: { session_id: sessionId } })
  return { orderId: String(body['order_id']), sessionId, token: String(body['download_token']) }
}

/** Asks for a file of an order. */
export function file(shop: ServedScene, { orderId, token }: Bought, item: { id?: number, date?: string }, query: Record<string, string> = {}, more: Asked = {}): Promise<Seen> {
  return rows.ask(shop.url, 'download', { path: { order_id: orderId, instrument_id: item.id ?? SWAP_ID, date: item.date ?? DAY }, query: { t: token, ...query }, ...more })
}
export function range(shop: ServedScene, { orderId, token }: Bought, query: Record<string, string> = {}, more: Asked = {}): Promise<Seen> {
  return rows.ask(shop.url, 'range', { path: { order_id: orderId, bundle_id: bundle.id }, query: { kind: 'series_day', from: DAY, to: NEXT, t: token, ...query }, ...more })
}
export const stateOf = async (answer: Promise<Seen>): Promise<string> => (await answer).body['state'] as string

/** Waits until an answer is so. */
export async function until(ask: () => Promise<Seen>, isSo: (answer: Seen) => boolean): Promise<Seen> {
  for (let looks = 0; looks < 600; looks++) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await new Promise((done) => setTimeout(done, 30))
  }
  throw new Error('it did not become so')
}

/** An order through the client, with the token of one that was bought. */
export const ordered = (shop: ServedScene, { orderId, token }: Bought): Promise<ShopOrder> => shop.client().order(orderId, { token })

/** The fields of the form of a page that goes to a place, as a browser sends them. */
export function formOf({ bytes }: Seen, action: string): Record<string, string> {
  const form = [...pageDocument(bytes.toString()).querySelectorAll('form')].find((one) => one.getAttribute('action') === action)
  if (form === undefined) throw new Error(`no form to ${action}`)
  return Object.fromEntries([...form.querySelectorAll('input[type=hidden]')].map((one) => [one.getAttribute('name')!, one.getAttribute('value')!]))
}
