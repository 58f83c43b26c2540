// Sells days into the store of FOLDER, on and on, and writes each answer as a line. usage: node shop-store-child.mjs
// FOLDER. It ends by being killed.
import { writeSync } from 'node:fs'
import { join } from 'node:path'

const load = (path) => import(join(import.meta.dirname, '../../dist/shop', path))
const { openShopStore } = await load('store/shop-store-writer.js')
const { ShopTokens } = await load('server/shop-tokens.js')

const store = await openShopStore(process.argv[2])
const tokens = new ShopTokens(store.secret())
for (let at = 0; ; at++) {
  const [sessionId, orderId] = [`cs_${process.pid}_${at}`, `ord_${process.pid}_${at}`]
  const record = { state: 'pending', startMs: at, sinceMs: at }
  const item = {
    kind: 'tick', instrumentId: at, date: '2024-08-01', code: 'A', exchangeCode: 'x', type: 'spot', bytes: at, priceCents: 100,
  }
  const session = {
    sessionId, orderId, account: null, email: 'a@example.org', successUrl: 's', cancelUrl: 'c', totalCents: 100 * (1 + at % 3), record,
  }
  const items = Array.from({ length: 1 + at % 3 }, () => item)
  store.addSession(session, items, { key: sessionId, digest: String(at), sessionId, answer: JSON.stringify({ at }) })
  writeSync(1, `session ${sessionId} ${orderId} ${at}\n`)
  store.together(() => {
    store.changeSession(sessionId, { ...record, state: 'paid' })
    store.addOrder({ orderId, sessionId, account: null, totalCents: 100, record: { ...record, state: 'paid' } })
  })
  writeSync(1, `order ${orderId} ${tokens.tokenOf({ orderId })}\n`)
}
