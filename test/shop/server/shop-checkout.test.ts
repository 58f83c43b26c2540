import { describe, expect, test } from 'vitest'
import { requestFault, returnUrlFault } from '../../../src/protocol/shop/shop-requests.js'
import { SHOP_COOKIE } from '../../../src/shop/server/shop-accounts.js'
import { FakeGoods } from '../../support/fake-goods.ts'
import { refusalOf } from '../../support/collected.ts'
import { basketItem, bought, checkoutRequest, type OpenedShop, openedShop } from '../../support/opened-shop.ts'
import { SHOP_ORIGIN, shopJson, shopRefusal } from '../../support/shop-answers.ts'

const DAY_MS = 86_400_000
const DAYS = ['2024-08-01 10', '2024-08-02 20', '2024-08-09 30', '2024-08-10 40']
const goods = (): FakeGoods => new FakeGoods().add(5, 'BTC', { days: DAYS }).add(6, 'SECRET', { days: DAYS }).bundle(90, 'chain', { '2024-08-01': [5], '2024-08-10': [5] }).bundle(91, 'dark', { '2024-08-01': [6] })
const ANN = { name: 'ann', token: 'token-of-ann', owns: ['a_spot:BTC 2024-08-02'] }
const BOB = { name: 'bob', token: 'token-of-bob' }
const opened = (): Promise<OpenedShop> => openedShop({ hidden: [6], accounts: [ANN, BOB] }, goods())
const KEY = '6f9619ff-8b86-d011-b42d-00cf4fc964ff'
const MISSING: readonly (readonly [item: string, reason: string])[] = [
  ['4 2024-08-01', 'unknown_instrument'], ['6 2024-08-01', 'unknown_instrument'], ['90 2024-08-01', 'unknown_instrument'], ['5 2024-08-01 series', 'unknown_instrument'], ['91 2024-08-01 series', 'unknown_instrument'],
  ['5 2024-08-03', 'no_data'], ['5 2020-01-01', 'no_data'], ['90 2024-08-02 series', 'no_data'], ['5 2024-08-10', 'not_sellable_yet'], ['5 2030-01-01', 'not_sellable_yet'], ['90 2024-08-10 series', 'not_sellable_yet'],
]
const missingOf = (items: readonly (readonly [string, string])[]): object[] => items.map(([item, reason]) => ({ ...basketItem(item), reason }))

describe('a quote', () => {
  test.each<readonly [unknown, string]>([
    [undefined, ''], [{}, 'items'], [{ items: [] }, 'items'], [{ items: [basketItem('5 2024-08-01')], more: 1 }, 'more'], [{ items: [{ ...basketItem('5 2024-08-01'), more: 1 }] }, 'items[0].more'],
    [{ items: [basketItem('5 2024-02-30')] }, 'items[0].date'], [{ items: [basketItem('5 2024-08-01'), basketItem('5 2024-08-01')] }, 'items[1]'], [{ items: [{ instrument_id: '5', date: '2024-08-01' }] }, 'items[0].instrument_id'],
    [{ items: Array.from({ length: 21 }, (_, at) => basketItem(`${at} 2024-08-01`)) }, 'items'], [{ items: Array.from({ length: 366 }, () => basketItem('5 2024-08-01')) }, 'items'],
  ])('of %j is refused', async (body, field) => {
    const { service } = await opened()
    expect(await shopRefusal(service.handlers, 'quote', { body })).toMatchObject({ error: 'invalidInput', details: { field } })
  })

  test('of days that are not sold names each, and the reason', async () => {
    const { service } = await opened()
    const body = await shopJson(service.handlers, 'quote', { body: { items: MISSING.map(([item]) => basketItem(item)) } })
    expect(body).toMatchObject({ items_requested: 11, items_available: 0, total_cents: 0, total_eur: '0.00', available: [], missing: missingOf(MISSING) })
    expect(body).not.toHaveProperty('bundles')
    expect(requestFault('CheckoutRequest', (body['checkout'] as { body_example: object }).body_example)).toBeNull()
  })

  test('has prices in cents, and the request that buys what there is', async () => {
    const { service } = await opened()
    const items = ['5 2024-08-01', '5 2024-08-03', '90 2024-08-01 series', '5 2024-08-09'].map(basketItem)
    const quote = await shopJson(service.handlers, 'quote', { body: { items: [{ instrument_id: 5, date: '2024-08-01' }, ...items.slice(1)] } })
    const { checkout, ...rest } = quote as { checkout: { method: string, url: string, headers: Record<string, string>, body_example: { success_url: string, cancel_url: string, items: unknown } } }
    const available = [items[0], items[2], items[3]]
    expect(rest).toEqual({
      items_requested: 4, items_available: 3, total_cents: 350, total_eur: '3.50', currency: 'EUR', price_eur_per_day: '1.00', available, missing: missingOf([['5 2024-08-03', 'no_data']]),
      bundles: [{ bundle_id: 90, series_key: 'chain', price_cents: 150 }], bundle_days: [{ instrument_id: 90, date: '2024-08-01', kind: 'series_day', price_cents: 150 }],
      vat_note: 'Prices include VAT. This is a local shop: no money moves.', terms_url: `${SHOP_ORIGIN}/llms.txt`,
    })
    expect([checkout.method, checkout.url, checkout.body_example.items]).toEqual(['POST', `${SHOP_ORIGIN}/v1/checkout/session`, available])
    for (const name of ['success_url', 'cancel_url'] as const) expect(returnUrlFault(name, checkout.body_example[name], SHOP_ORIGIN)).toBeNull()
    // It is a request as it stands.
    const headers = Object.fromEntries(Object.entries(checkout.headers).map(([name, value]) => [name.toLowerCase(), value]))
    expect(await shopJson(service.handlers, 'checkout', { body: checkout.body_example, headers }, 201)).toMatchObject({ item_count: 3, subtotal_cents: 350 })
  })
})

describe('a checkout that is refused', () => {
  interface Changed { body: Record<string, unknown>, headers: Record<string, string | undefined> }
  test.each<readonly [what: string, change: (request: Changed) => void, field: string]>([
    ['no key', ({ headers }) => { headers['idempotency-key'] = undefined }, 'Idempotency-Key'], ['a key that is no UUID', ({ headers }) => { headers['idempotency-key'] = 'mine' }, 'Idempotency-Key'],
    ['no email', ({ body }) => { delete body['email'] }, 'email'], ['another email', ({ body }) => { body['email'] = 'me' }, 'email'], ['no items', ({ body }) => { body['items'] = [] }, 'items'], ['more', ({ body }) => { body['more'] = 1 }, 'more'],
    ['another origin', ({ body }) => { body['success_url'] = 'http://evil.example/' }, 'success_url'], ['another port', ({ body }) => { body['cancel_url'] = 'http://127.0.0.1:8081/' }, 'cancel_url'],
    ['a user', ({ body }) => { body['cancel_url'] = 'http://me@127.0.0.1:8080/' }, 'cancel_url'], ['a script', ({ body }) => { body['success_url'] = 'javascript:alert(1)' }, 'success_url'],
    ['a wrong token', ({ headers }) => { headers['authorization'] = 'Bearer of-no-account' }, 'Authorization'], ['no body', (request) => { (request as { body: unknown }).body = undefined }, ''],
  ])('%s', async (_, change, field) => {
    const { service } = await opened()
    const request = checkoutRequest(['5 2024-08-01']) as Changed
    change(request)
    const refusal = await shopRefusal(service.handlers, 'checkout', request)
    expect(refusal).toMatchObject({ error: 'invalidInput', details: { field } })
    expect(JSON.stringify(refusal)).not.toContain('of-no-account')
  })

  test.each(MISSING)('%s: %s', async (item, reason) => {
    const { service } = await opened()
    expect(await shopRefusal(service.handlers, 'checkout', checkoutRequest(['5 2024-08-01', item]))).toEqual({ kind: 'refusal', error: 'notAvailable', details: { missing: missingOf([[item, reason]]) } })
  })

  test('a day that the account has: by the settings, or by an order', async () => {
    const shop = await opened()
    const of = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
    const refused = (items: readonly string[], headers = of(ANN.token)): Promise<object> => shopRefusal(shop.service.handlers, 'checkout', checkoutRequest(items, headers))
    const owned = (...items: string[]): object => ({ kind: 'refusal', error: 'alreadyOwned', details: { owned: items.map(basketItem) } })
    expect(await refused(['5 2024-08-01', '5 2024-08-02'])).toEqual(owned('5 2024-08-02'))
    const { orderId } = await bought(shop, ['5 2024-08-01', '90 2024-08-01 series'], of(ANN.token))
    const cookie = { cookie: `a=b; ${SHOP_COOKIE}=${shop.service.accounts.cookieOf(ANN)}` }
    expect(await refused(['5 2024-08-01', '5 2024-08-02', '5 2024-08-09', '90 2024-08-01 series'])).toEqual(owned('5 2024-08-01', '5 2024-08-02', '90 2024-08-01 series'))
    expect(await refused(['5 2024-08-01'], cookie)).toEqual(owned('5 2024-08-01'))
    // Others, and guests, have nothing of that; with a stale cookie one is a guest.
    for (const headers of [of(BOB.token), {}, { cookie: 'backtape_shop=x' }, { cookie: `backtape_shop=${ANN.name}` }]) expect((await bought(shop, ['5 2024-08-01', '5 2024-08-02'], headers)).token).toMatch(/^[\w-]{43}$/)
    shop.service.purchases.refund(orderId)
    expect(await shopJson(shop.service.handlers, 'checkout', checkoutRequest(['5 2024-08-01'], cookie), 201)).toMatchObject({ item_count: 1 })
  })

  test.each<readonly [string, (other: Changed) => void]>([
    ['another day', ({ body }) => { body['items'] = [basketItem('5 2024-08-02')] }], ['one more', ({ body }) => { body['items'] = ['5 2024-08-01', '5 2024-08-02'].map(basketItem) }], ['another email', ({ body }) => { body['email'] = 'you@example.org' }],
    ['another page', ({ body }) => { body['cancel_url'] = `${SHOP_ORIGIN}/other` }], ['an account', ({ headers }) => { headers['authorization'] = 'Bearer token-of-bob' }],
  ])('a key that was used, with %s', async (_, change) => {
    const { service } = await opened()
    await shopJson(service.handlers, 'checkout', checkoutRequest(['5 2024-08-01'], { key: KEY.toUpperCase() }), 201)
    const other = checkoutRequest(['5 2024-08-01'], { key: KEY }) as Changed
    change(other)
    expect(await shopRefusal(service.handlers, 'checkout', other)).toMatchObject({ error: 'invalidInput', details: { field: 'Idempotency-Key' } })
  })

  test('settings that mean nothing', async () => {
    for (const accounts of [[{ name: '', token: 'a' }], [{ name: 'a', token: '' }], [ANN, { ...BOB, name: 'ann' }], [ANN, { ...BOB, token: ANN.token }]]) {
      const { code, message } = await refusalOf(() => openedShop({ accounts }))
      expect([code, message.includes('token-of')]).toEqual(['OPTION_INVALID', false])
    }
    expect(await refusalOf(() => openedShop({ accounts: [{ ...ANN, owns: ['BTC'] }] }))).toMatchObject({ place: { field: 'accounts.owns' } })
    expect(await refusalOf(() => openedShop({ restoreTime: '12 hours' }))).toMatchObject({ code: 'OPTION_INVALID', place: { field: 'restoreTime' } })
  })
})

describe('a key', () => {
  test('gets its session again: after a restart, when it is paid, when the days are gone', async () => {
    const shop = await opened()
    const ask = (): Promise<Record<string, unknown>> => shopJson(shop.service.handlers, 'checkout', checkoutRequest(['5 2024-08-01'], { key: KEY }), 201)
    const first = await ask()
    const id = String(first['session_id'])
    expect(id).toMatch(/^cs_[\w-]{24}$/)
    expect(first).toEqual({ order_id: expect.stringMatching(/^ord_[\w-]{24}$/) as string, checkout_url: `${SHOP_ORIGIN}/shop/pay/${id}`, session_id: id, currency: 'EUR', item_count: 1, subtotal_cents: 100 })
    await shop.reopen()
    expect(await ask()).toEqual(first)
    shop.service.purchases.pay(id)
    shop.goods.instruments.clear()
    shop.goods.add(7, 'x')
    shop.time.ms += 2 * DAY_MS
    expect(await ask()).toEqual(first)
    // The order of fields, and a kind that goes without saying, mean nothing.
    const { body } = checkoutRequest([])
    const items = [{ date: '2024-08-01', instrument_id: 5 }]
    expect(await shopJson(shop.service.handlers, 'checkout', { body: { ...(body as object), items }, headers: { 'idempotency-key': KEY } }, 201)).toEqual(first)
  })

  test('that comes five times at once makes one session', async () => {
    const { service } = await opened()
    const request = checkoutRequest(['5 2024-08-01'])
    const answers = await Promise.all(Array.from({ length: 5 }, () => shopJson(service.handlers, 'checkout', request, 201)))
    expect(new Set(answers.map((one) => one['session_id'])).size).toBe(1)
  })
})
