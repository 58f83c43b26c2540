import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ShopRoute } from '../../src/protocol/shop/shop-routes.js'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import { checkoutBody, checkoutHeaders, servedScene, type ServedScene } from './served-shop.ts'
import { folderWith, SWAP_DAYS, SWAP_ID } from './shop-folder.ts'
import { bought, bundleOf, BUNDLE_DAY, ANN, NOW, DAY, NEXT, SPOT_ID, SERIES, file, formOf, range, routeNames, rowCase, rows, scene, stateOf, tick, until, type Bought } from './shop-row-scenes.ts'
import { camelCased, type Seen } from './shop-rows.ts'

/** Registers the cases of pages, limits and time. */
export function limitCases(): void {
  describe('pages', () => {
    rowCase('a cart, its checkout, pay page and receipt', async () => {
      const shop = await scene()
      await bundleOf(shop)
      const { url } = shop
      expect((await rows.ask(url, 'cart', { query: { q: 'xrp' } })).bytes.toString()).toContain('XRPUSDT')
      const email = { email: 'me@example.org' }
      const cart = formOf(await rows.ask(url, 'cart', { query: { i: SWAP_ID, d: DAY } }), '/shop/checkout')
      const bundle = formOf(await rows.ask(url, 'bundleCart', { query: { bundle: SERIES, d: DAY } }), '/shop/checkout')
      expect((await rows.ask(url, 'cartCheckout', { body: { ...bundle, ...email } })).status).toBe(303)
      const location = (await rows.ask(url, 'cartCheckout', { body: { ...cart, ...email } })).headers.get('location')!
      const sessionId = new URL(location).pathname.split('/').at(-1)!
      const path = { session_id: sessionId }
      const form = formOf(await rows.ask(url, 'payPage', { path }), `/shop/pay/${sessionId}`)
      for (const action of ['decline', 'leave', 'pay']) expect((await rows.ask(url, 'pay', { path, body: { ...form, action } })).headers.get('location')).toMatch(/\/shop/)
      const { body } = await rows.ask(url, 'session', { path })
      expect(body['status']).toBe('paid')
      const query = { t: body['download_token'] as string }
      const orderId = body['order_id'] as string
      expect((await rows.ask(url, 'receipt', { path: { order_id: orderId }, query })).bytes.toString()).toContain(`${SWAP_ID}/${DAY}`)
      expect((await rows.ask(url, 'receiptPdf', { path: { order_id: orderId }, query })).bytes.toString()).toContain(orderId)
      for (const name of ['receipt', 'receiptPdf'] as const) expect((await rows.ask(url, name, { path: { order_id: orderId }, query: { t: 'wrong' } })).error).toBe('noAccess')
      expect((await rows.ask(url, 'cart', { query: { i: 5 } })).error).toBe('notFound')
      expect((await rows.ask(url, 'bundleCart', { query: { bundle: 'none' } })).error).toBe('notFound')
      expect((await rows.ask(url, 'payPage', { path: { session_id: 'cs_none' } })).error).toBe('noAccess')
      expect((await rows.ask(url, 'pay', { path: { session_id: 'cs_none' }, body: { ...form, action: 'pay' } })).error).toBe('noAccess')
      expect((await rows.ask(url, 'pay', { path, body: { ...form, csrf: 'wrong', action: 'pay' } })).error).toBe('foreignPage')
      expect((await rows.ask(url, 'cartCheckout', { body: { ...cart, ...email, i: '5' } })).error).toBe('notFound')
      const span = SHOP.limits.linkSpan.value
      const link = (days: number): string => `2026-01-01..${new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10)}`
      expect([(await rows.ask(url, 'cart', { query: { i: SWAP_ID, d: link(span) } })).status, (await rows.ask(url, 'cart', { query: { i: SWAP_ID, d: link(span + 1) } })).error]).toEqual([200, 'invalidInput'])
      rows.saw('limit linkSpan')
    })

    rowCase('an account: signing in, its key, what it owns, signing out', async () => {
      const shop = await scene()
      const { url } = shop
      const guest = formOf(await rows.ask(url, 'account'), '/account/sign-in')
      const signedIn = await rows.ask(url, 'signIn', { body: { ...guest, token: ANN.token } })
      const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
      const page = await rows.ask(url, 'account', { headers })
      expect(page.bytes.toString()).toContain(ANN.realtimeKey)
      const cart = formOf(await rows.ask(url, 'cart', { query: { i: SWAP_ID, d: NEXT }, headers }), '/shop/checkout')
      expect((await rows.ask(url, 'cartCheckout', { body: { ...cart, email: 'me@example.org' }, headers })).error).toBe('alreadyOwned')
      const begin = async (): Promise<{ path: { session_id: string }, body: object }> => {
        const form = formOf(await rows.ask(url, 'cart', { query: { i: SWAP_ID, d: DAY }, headers }), '/shop/checkout')
        const begun = await rows.ask(url, 'cartCheckout', { body: { ...form, email: 'me@example.org' }, headers })
        const path = { session_id: new URL(begun.headers.get('location')!).pathname.split('/').at(-1)! }
        return { path, body: { ...formOf(await rows.ask(url, 'payPage', { path }), `/shop/pay/${path.session_id}`), action: 'pay' } }
      }
      const [one, other] = [await begin(), await begin()]
      const [paid, refused] = [await rows.ask(url, 'pay', one), await rows.ask(url, 'pay', other)]
      expect([paid.status, refused.error, refused.bytes.toString().includes('Your account has some of it already')]).toEqual([303, 'alreadyOwned', true])
      expect((await rows.ask(url, 'payPage', { path: other.path })).bytes.toString()).not.toContain('value="pay"')
      expect((await rows.ask(url, 'session', { path: other.path })).body['status']).toBe('pending')
      const { csrf } = formOf(page, '/account') as { csrf: string }
      expect((await rows.ask(url, 'rotateKey', { body: { csrf }, headers })).headers.get('location')).toBe('/account')
      expect((await rows.ask(url, 'account', { headers })).bytes.toString()).not.toContain(ANN.realtimeKey)
      expect((await rows.ask(url, 'rotateKey', { body: { csrf } })).error).toBe('noAccess')
      expect((await rows.ask(url, 'signOut', { body: { csrf } })).error).toBe('noAccess')
      expect((await rows.ask(url, 'signOut', { body: { csrf }, headers })).headers.get('set-cookie')).toContain('Max-Age=0')
      expect((await rows.ask(url, 'signIn', { body: { ...guest, token: 'no-such-account-token' } })).error).toBe('noAccess')
    })
  })

  const PATHS = { id: SWAP_ID, instrument_id: SWAP_ID, bundle_id: 1, date: DAY, series_key: SERIES, order_id: 'ord_none', session_id: 'cs_none' }

  describe('every route', () => {
    rowCase('refuses foreign pages and other methods', async () => {
      const { url } = await scene()
      for (const name of routeNames) {
        expect([name, (await rows.ask(url, name, { path: PATHS, headers: { origin: 'https://elsewhere.example' }, ...SHOP.routes[name].method === 'POST' ? { body: '' } : {} })).error]).toEqual([name, 'foreignPage'])
        expect([name, (await rows.ask(url, name, { path: PATHS, method: 'PUT' })).error]).toEqual([name, 'wrongMethod'])
      }
    })

    rowCase('refuses bodies that are too long, and of other media types', async () => {
      const { url } = await scene()
      const limit = SHOP.limits.bodyBytes.value
      for (const name of routeNames.filter((one) => 'body' in SHOP.routes[one])) {
        const media = name === 'quote' || name === 'checkout' ? 'application/json' : 'application/x-www-form-urlencoded'
        const ask = (length: number, type = media): Promise<Seen> => rows.ask(url, name, { path: PATHS, body: 'x'.repeat(length), headers: { 'content-type': type } })
        expect([name, (await ask(limit + 1)).error, (await ask(limit)).error, (await ask(3, 'text/csv')).error]).toEqual([name, 'tooLarge', 'invalidInput', 'wrongMediaType'])
      }
      rows.saw('limit bodyBytes')
    })
  })

  describe('limits', () => {
    rowCase('baskets', async () => {
      const { url } = await scene()
      const quote = async (count: number, instruments: number): Promise<string | null> => {
        const items = Array.from({ length: count }, (_none, at) => tick(at % instruments, new Date(Date.UTC(2025, 0, 1 + Math.floor(at / instruments))).toISOString().slice(0, 10)))
        return (await rows.ask(url, 'quote', { body: { items } })).error
      }
      const { quoteItemsMin: { value: least }, quoteItems: { value: most }, quoteInstruments: { value: many } } = SHOP.limits
      expect([await quote(least - 1, 1), await quote(least, 1), await quote(most, 1), await quote(most + 1, 1)]).toEqual(['invalidInput', null, null, 'invalidInput'])
      expect([await quote(many, many), await quote(many + 1, many + 1)]).toEqual([null, 'invalidInput'])
      rows.saw('limit quoteItemsMin', 'limit quoteItems', 'limit quoteInstruments')
    })

    const BUCKETS = [['general', 'samples', 200], ['quote', 'quote', 400], ['checkout', 'checkout', 400], ['orders', 'order', 404], ['downloads', 'download', 404]] as const
    for (const [bucket, name, status] of BUCKETS) rowCase(`the calls a minute of the bucket ${bucket}`, async () => {
      const { url } = await scene()
      const limit = SHOP.buckets[bucket]
      const { method }: ShopRoute = SHOP.routes[name]
      const asked = { path: PATHS, ...name === 'download' ? { query: { t: 'x' } } : {}, ...method === 'POST' ? { body: {} } : {} }
      const before = performance.now()
      const counts = new Map<number, number>()
      for (let sent = 0; sent < SHOP.limits[limit].value; sent += 10) {
        const answers = await Promise.all(Array.from({ length: 10 }, () => rows.ask(url, name, asked)))
        for (const one of answers) counts.set(one.status, (counts.get(one.status) ?? 0) + 1)
      }
      expect([...counts]).toEqual([[status, SHOP.limits[limit].value]])
      // What has come in since then is there too.
      const more = Math.ceil((performance.now() - before) * SHOP.limits[limit].value / 60_000) + 5
      const beyond = await Promise.all(Array.from({ length: more * 2 }, () => rows.ask(url, name, asked)))
      const refused = beyond.filter(({ error }) => error === 'tooManyCalls')
      expect(refused.length).toBeGreaterThan(0)
      expect(refused[0]!.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
      rows.saw(`limit ${limit}`, `bucket ${bucket}`)
    })
  })

  /** The clock of a shop that goes on from {@link NOW}. */
  const later = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString().replace(/\.\d+Z/, 'Z')
  const HOUR_MS = 3_600_000

  describe('time', () => {
    rowCase('sessions and orders end, an order of an account only when it is ended', async () => {
      const shop = await scene()
      await bundleOf(shop)
      const items = [tick(SWAP_ID, DAY), BUNDLE_DAY()]
      const orders = [await bought(shop, items), await bought(shop, items), await bought(shop, items), await bought(shop, items)]
      const account = { authorization: `Bearer ${ANN.token}` }
      const ofAnn = [await bought(shop, items, account), await bought(shop, [tick(SPOT_ID, DAY)], account)]
      const { body } = await rows.ask(shop.url, 'checkout', { body: checkoutBody(shop.url, items), headers: checkoutHeaders() })
      const read = (at: ServedScene, { orderId, token }: Bought): Promise<Seen> => rows.ask(at.url, 'order', { path: { order_id: orderId }, headers: { authorization: `Bearer ${token}` } })
      const end = async (change: 'refund' | 'expire-order', order: Bought, [machine, from, to]: readonly [string, string, string]): Promise<void> => {
        expect(await shop.act(change, { order: order.orderId })).toBe(200)
        const answer = await read(shop, order)
        expect([answer.error, answer.body['status']]).toEqual(to === 'expired' ? ['orderExpired', undefined] : [null, to])
        expect((await file(shop, order, {})).error).toBe(to === 'expired' ? 'orderExpired' : 'noAccess')
        rows.saw(`transition ${machine}: ${from} ${change === 'refund' ? 'refund' : 'expire'} ${to}`)
      }
      const [kept, refunded, both, expired] = orders as [Bought, Bought, Bought, Bought]
      await end('refund', refunded, ['guestOrder', 'paid', 'refunded'])
      await end('refund', both, ['guestOrder', 'paid', 'refunded'])
      await end('expire-order', both, ['guestOrder', 'refunded', 'expired'])
      await end('expire-order', expired, ['guestOrder', 'paid', 'expired'])
      expect((await range(shop, expired)).error).toBe('orderExpired')
      for (const name of ['receipt', 'receiptPdf'] as const) expect((await rows.ask(shop.url, name, { path: { order_id: expired.orderId }, query: { t: expired.token } })).error).toBe('orderExpired')
      await end('refund', ofAnn[1]!, ['accountOrder', 'paid', 'refunded'])
      await end('expire-order', ofAnn[1]!, ['accountOrder', 'refunded', 'expired'])
      await shop.close()

      const reopened = async (ms: number): Promise<ServedScene> => scene({ stateFolder: shop.state, now: later(ms) })
      const session = async (at: ServedScene): Promise<unknown> => (await rows.ask(at.url, 'session', { path: { session_id: body['session_id'] as string } })).body['status']
      const { sessionHours: { value: hours }, guestOrderDays: { value: days } } = SHOP.limits
      let now = await reopened((hours - 1) * HOUR_MS)
      expect(await session(now)).toBe('pending')
      await now.close()
      now = await reopened((hours + 1) * HOUR_MS)
      expect(await session(now)).toBe('expired')
      rows.saw('transition session: pending time expired', 'limit sessionHours')
      await now.close()
      now = await reopened(days * 24 * HOUR_MS - HOUR_MS)
      expect([(await read(now, kept)).status, (await read(now, refunded)).body['status']]).toEqual([200, 'refunded'])
      await now.close()
      now = await reopened(days * 24 * HOUR_MS + HOUR_MS)
      expect([(await read(now, kept)).error, (await read(now, refunded)).error, (await read(now, ofAnn[0]!)).status]).toEqual(['orderExpired', 'orderExpired', 200])
      rows.saw('transition guestOrder: paid time expired', 'transition guestOrder: refunded time expired', 'limit guestOrderDays')
      expect([await now.act('expire-order', { order: ofAnn[0]!.orderId }), (await read(now, ofAnn[0]!)).error]).toEqual([200, 'orderExpired'])
      rows.saw('transition accountOrder: paid expire expired')
    }, 30_000)

    rowCase('days become cold, and a restore takes its hours', async () => {
      const { coldDays: { value: days }, restoreHours: { value: hours } } = SHOP.limits
      // The end of the day is the beginning of the next one.
      const coldMs = Date.parse(NEXT) + days * 24 * HOUR_MS - Date.parse(NOW)
      let shop = await scene({ cold: true })
      const order = await bought(shop, [tick(SWAP_ID, DAY)])
      const state = (): Promise<string> => stateOf(file(shop, order, {}, { status: '1' }))
      const reopen = async (ms: number): Promise<void> => {
        await shop.close()
        shop = await scene({ cold: true, stateFolder: shop.state, now: later(ms) })
      }
      // The order ends on its 30th day, which is later.
      await reopen(coldMs - HOUR_MS)
      expect(await state()).toBe('ready')
      await reopen(coldMs + HOUR_MS)
      expect(await state()).toBe('cold')
      rows.saw('transition dayFile: ready time cold', 'limit coldDays')
      expect((await file(shop, order, {}, { restore: '1' })).status).toBe(202)
      await reopen(coldMs + hours * HOUR_MS)
      expect(await state()).toBe('pending')
      await reopen(coldMs + (hours + 2) * HOUR_MS)
      expect(await state()).toBe('ready')
      rows.saw('limit restoreHours')
    }, 30_000)
  })

  describe('things that are wrong, or gone', () => {
    rowCase('a missing day is a gap, an export that fails says so', async () => {
      const folder = folderWith(...SWAP_DAYS)
      // The events are of another day than the name says.
      copyFileSync(join(folder, SWAP_DAYS[1]), join(folder, SWAP_DAYS[1].replace(NEXT, '2026-07-04')))
      const shop = await servedScene(folder, { now: NOW })
      const { body } = await rows.ask(shop.url, 'coverage', { path: { id: SWAP_ID } })
      expect([body['gaps'], body['coverage_pct']]).toEqual([[{ from: '2026-07-03', to: '2026-07-03', days: 1 }], 75])
      expect(await shop.client().coverage(SWAP_ID)).toEqual(camelCased(body))
      const order = await bought(shop, [tick(SWAP_ID, DAY), tick(SWAP_ID, '2026-07-04')])
      const damaged = { date: '2026-07-04' }
      const probe = (): Promise<Seen> => file(shop, order, damaged, { format: 'trades.parquet', probe: '1' })
      await file(shop, order, damaged, { format: 'trades.parquet' })
      await until(probe, ({ body: { state } }) => state === 'failed')
      expect((await file(shop, order, damaged, { format: 'trades.parquet' })).error).toBe('failed')
      rows.saw('transition export: converting fail failed')
    }, 30_000)

    rowCase('a day, a cart and a store', async () => {
      const folder = folderWith(...SWAP_DAYS)
      const shop = await servedScene(folder, { now: NOW })
      const order = await bought(shop, [tick(SWAP_ID, DAY), tick(SWAP_ID, NEXT)])
      const cart = formOf(await rows.ask(shop.url, 'cart', { query: { i: SWAP_ID, d: NEXT } }), '/shop/checkout')
      rmSync(join(folder, SWAP_DAYS[1]))
      await until(() => file(shop, order, { date: NEXT }, { status: '1' }), ({ error }) => error === 'notFound')
      expect((await rows.ask(shop.url, 'cartCheckout', { body: { ...cart, email: 'me@example.org' } })).error).toBe('notAvailable')
      rmSync(join(folder, SWAP_DAYS[0]))
      shop.serving.shop!.service.close()
      const failed = await rows.ask(shop.url, 'session', { path: { session_id: order.sessionId } })
      expect([failed.error, shop.notes.at(-1)]).toEqual(['failed', expect.stringMatching(/^shop: GET .* failed: /)])
    })
  })
}
