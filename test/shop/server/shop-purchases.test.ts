import { describe, expect, test } from 'vitest'
import { FakeGoods } from '../../support/fake-goods.ts'
import { bought, checkoutRequest, type OpenedShop, openedShop, SHOP_NOW } from '../../support/opened-shop.ts'
import { SHOP_ORIGIN, shopJson, shopRefusal, shopReply } from '../../support/shop-answers.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ANN = { name: 'ann', token: 'token-of-ann', realtimeKey: 'key-of-ann' }
const BOB = { name: 'bob', token: 'token-of-bob', realtimeDays: [{ bought: '2024-08-01T12:00:00Z', instruments: [5], days: ['2024-08-02'] }] }
const opened = (): Promise<OpenedShop> => openedShop({ accounts: [ANN, BOB] }, new FakeGoods().add(5, 'BTC', { days: ['2024-08-01 10'] }).bundle(90, 'chain', { '2024-08-01': [5] }))
const NO_ACCESS = { kind: 'refusal', error: 'noAccess' }
const OF_ANN = { authorization: `Bearer ${ANN.token}` }

describe('a session', () => {
  test('that is not there is refused', async () => {
    const { service: { handlers, purchases } } = await opened()
    for (const id of ['cs_1', '', 'ord_1', '__proto__', '%']) expect(await shopRefusal(handlers, 'session', { path: { session_id: id } })).toEqual(NO_ACCESS)
    expect([purchases.pay('cs_1'), purchases.session('cs_1'), purchases.order('ord_1'), purchases.refund('ord_1'), purchases.expire('ord_1')]).toEqual([null, null, null, null, null])
  })

  test('of an account that has a day of it by now is not paid; one of a guest, or of another account, is', async () => {
    const { service: { handlers, purchases } } = await opened()
    const begin = async (days: string[], headers: Record<string, string> = {}): Promise<string> => {
      const request = checkoutRequest(days)
      return (await shopJson(handlers, 'checkout', { ...request, headers: { ...request.headers, ...headers } }, 201))['session_id'] as string
    }
    const day = '5 2024-08-01'
    const ofBob = { authorization: `Bearer ${BOB.token}` }
    const [first, second, both, other, guest] = [await begin([day], OF_ANN), await begin([day], OF_ANN), await begin([day, '90 2024-08-01 series'], OF_ANN), await begin([day], ofBob), await begin([day])]
    expect([first, second, both, other, guest, first, second].map((id) => purchases.pay(id)?.record.state)).toEqual(['paid', 'pending', 'pending', 'paid', 'paid', 'paid', 'pending'])
    expect([first, second, guest].map((id) => purchases.owned(purchases.session(id)!).length)).toEqual([1, 1, 0])
    purchases.refund(purchases.session(first)!.orderId)
    expect([second, both].map((id) => purchases.pay(id)?.record.state)).toEqual(['paid', 'pending'])
  })

  test('is pending, then paid, and says its token again', async () => {
    const shop = await opened()
    const { session_id: id = '', order_id: orderId = '' } = await shopJson(shop.service.handlers, 'checkout', checkoutRequest(['5 2024-08-01', '90 2024-08-01 series']), 201) as Record<string, string>
    const poll = (): Promise<Record<string, unknown>> => shopJson(shop.service.handlers, 'session', { path: { session_id: id } })
    expect(await poll()).toEqual({ status: 'pending' })
    const token = shop.service.purchases.downloadToken(orderId)
    const headers = { authorization: `Bearer ${token}` }
    expect(await shopRefusal(shop.service.handlers, 'order', { path: { order_id: orderId }, headers })).toEqual(NO_ACCESS)
    expect(shop.service.purchases.pay(id)?.record.state).toBe('paid')
    const paid = await poll()
    expect(paid).toEqual({ status: 'paid', order_id: orderId, download_token: token, invoice_hosted_url: `${SHOP_ORIGIN}/shop/receipt/${orderId}?t=${token}`, invoice_pdf_url: `${SHOP_ORIGIN}/shop/receipt/${orderId}/pdf?t=${token}` })
    // Paying again changes nothing.
    shop.time.ms += DAY_MS
    expect(shop.service.purchases.pay(id)?.record).toMatchObject({ state: 'paid', sinceMs: SHOP_NOW })
    await shop.reopen()
    expect(await poll()).toEqual(paid)
    expect(await shopJson(shop.service.handlers, 'order', { path: { order_id: orderId }, headers })).toEqual({
      order_id: orderId, status: 'paid', paid_at: '2024-08-10T12:00:00Z', currency: 'EUR', total_cents: 250, item_count: 2, invoice_hosted_url: paid['invoice_hosted_url'], invoice_pdf_url: paid['invoice_pdf_url'],
      items: [
        { instrument_id: 5, code: 'BTC', exchange_code: 'a_spot', type: 'spot', date: '2024-08-01', kind: 'tick', bytes: 10, price_cents: 100 },
        { instrument_id: 90, code: 'chain', exchange_code: 'a_spot', type: 'option_chain', date: '2024-08-01', kind: 'series_day', bytes: 10, price_cents: 150 },
      ],
    })
  })

  test('expires after 24 hours, stays so when the clock steps back, and is forgotten after a week', async () => {
    const shop = await opened()
    const { session_id: id = '' } = await shopJson(shop.service.handlers, 'checkout', checkoutRequest(['5 2024-08-01']), 201) as Record<string, string>
    const poll = (): Promise<unknown> => shopReply(shop.service.handlers, 'session', { path: { session_id: id } })
    shop.time.ms += 24 * HOUR_MS - 1
    expect(await poll()).toMatchObject({ body: { status: 'pending' } })
    shop.time.ms++
    expect(await poll()).toMatchObject({ body: { status: 'expired' } })
    shop.time.ms = SHOP_NOW
    await shop.reopen()
    expect(await poll()).toMatchObject({ body: { status: 'expired' } })
    expect(shop.service.purchases.pay(id)?.record.state).toBe('expired')
    shop.time.ms = SHOP_NOW + 8 * DAY_MS
    await shop.reopen()
    expect(await poll()).toMatchObject({ body: { status: 'expired' } })
    shop.time.ms++
    await shop.reopen()
    expect(await poll()).toEqual(NO_ACCESS)
  })
})

describe('an order', () => {
  const read = (shop: OpenedShop, orderId: string, token: string): Promise<unknown> => shopReply(shop.service.handlers, 'order', { path: { order_id: orderId }, headers: token === '' ? {} : { authorization: `Bearer ${token}` } })

  test('is refused without its token, in the words for one that is not there', async () => {
    const shop = await opened()
    const one = await bought(shop, ['5 2024-08-01'])
    const other = await bought(shop, ['5 2024-08-01'], OF_ANN)
    for (const token of ['', 'x', other.token, `${one.token}x`, ANN.token, BOB.token, one.sessionId]) expect(await read(shop, one.orderId, token)).toEqual(NO_ACCESS)
    for (const token of [BOB.token, one.token, shop.service.accounts.cookieOf(BOB)]) expect(await read(shop, other.orderId, token)).toEqual(NO_ACCESS)
    for (const id of ['ord_1', '', 'cs_1', one.sessionId]) for (const token of [one.token, ANN.token]) expect(await read(shop, id, token)).toEqual(NO_ACCESS)
    expect(await read(shop, other.orderId, ANN.token)).toMatchObject({ body: { order_id: other.orderId, status: 'paid' } })
    expect(await read(shop, other.orderId, other.token)).toMatchObject({ body: { order_id: other.orderId } })
  })

  test('of a guest expires after 30 days, of an account never', async () => {
    const shop = await opened()
    const guest = await bought(shop, ['5 2024-08-01'])
    const account = await bought(shop, ['5 2024-08-01'], OF_ANN)
    shop.time.ms += 30 * DAY_MS - 1
    for (const { orderId, token } of [guest, account]) expect(await read(shop, orderId, token)).toMatchObject({ body: { status: 'paid' } })
    shop.time.ms++
    expect(await read(shop, guest.orderId, guest.token)).toEqual({ kind: 'refusal', error: 'orderExpired' })
    expect(await read(shop, guest.orderId, 'x')).toEqual(NO_ACCESS)
    shop.time.ms = SHOP_NOW
    expect(await read(shop, guest.orderId, guest.token)).toEqual({ kind: 'refusal', error: 'orderExpired' })
    shop.time.ms = SHOP_NOW + 3000 * DAY_MS
    await shop.reopen()
    expect(await read(shop, guest.orderId, guest.token)).toEqual(NO_ACCESS)
    expect(await read(shop, account.orderId, account.token)).toMatchObject({ body: { status: 'paid' } })
  })

  test('is refunded, and expires on demand', async () => {
    const shop = await opened()
    for (const headers of [{}, OF_ANN]) {
      const { orderId, token } = await bought(shop, ['5 2024-08-01'], headers)
      expect(shop.service.purchases.refund(orderId)?.record.state).toBe('refunded')
      expect(await read(shop, orderId, token)).toMatchObject({ body: { status: 'refunded' } })
      await shop.reopen()
      expect(await read(shop, orderId, token)).toMatchObject({ body: { status: 'refunded' } })
      expect(shop.service.purchases.expire(orderId)?.record.state).toBe('expired')
      expect(shop.service.purchases.refund(orderId)?.record.state).toBe('expired')
      expect(await read(shop, orderId, token)).toEqual({ kind: 'refusal', error: 'orderExpired' })
    }
  })
})

test('the realtime key is that of the settings until it is rotated; others have one of their own', async () => {
  const shop = await opened()
  const { accounts } = shop.service
  expect(accounts.realtimeKey(ANN)).toBe('key-of-ann')
  const bobs = accounts.realtimeKey(BOB)
  expect(bobs).toMatch(/^[\w-]{43}$/)
  const rotated = [accounts.rotateKey(ANN), accounts.rotateKey(ANN), accounts.rotateKey(BOB)]
  expect(new Set([...rotated, bobs, 'key-of-ann']).size).toBe(5)
  await shop.reopen()
  expect([ANN, BOB].map((one) => shop.service.accounts.realtimeKey(one))).toEqual([rotated[1], rotated[2]])
  // A cookie ends when the token is another one.
  const cookie = shop.service.accounts.cookieOf(ANN)
  expect(shop.service.accounts.accountOf(cookie)?.name).toBe('ann')
  await shop.reopen({ accounts: [{ ...ANN, token: 'another' }] })
  expect(['', cookie, 'token-of-ann'].map((given) => shop.service.accounts.accountOf(given))).toEqual([null, null, null])
})
