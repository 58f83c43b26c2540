import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ownOwner } from '../../../src/files/leftover-writer.js'
import { refusalOf } from '../../support/collected.ts'
import { newFolder } from '../../support/new-folder.ts'
import { jsonAnswer, resetError } from '../../support/scripted-network.ts'
import { opened } from '../../support/scripted-client.ts'
import { ScriptedShop, SHOP_SECRET } from '../../support/scripted-shop.ts'

const DAY = { instrumentId: 7, date: '2024-08-08' }
const BUYER = { email: 'me@example.org' }

describe('a checkout', () => {
  test('is paid by a person, and becomes an order whose token is kept', async () => {
    const { client, shop, network, clock, store } = opened()
    const quote = await client.quote([{ ...DAY, date: '2024-08-09' }, DAY])
    const checkout = await client.checkout(quote, BUYER)
    expect([checkout.checkoutUrl, checkout.totalEur.toString(), checkout.items.length]).toEqual(['https://shop.example/shop/pay/s1', '2.00', 2])
    const { headers, body } = network.seen.at(-1)!
    expect([headers['x-service-client'], headers['content-type'], headers['idempotency-key']!.length]).toEqual(['http', 'application/json', 36])
    expect(JSON.parse(body!)).toEqual({
      email: 'me@example.org', items: [{ instrument_id: 7, date: '2024-08-08', kind: 'tick' }, { instrument_id: 7, date: '2024-08-09', kind: 'tick' }],
      success_url: 'https://shop.example/shop?session={CHECKOUT_SESSION_ID}', cancel_url: 'https://shop.example/shop',
    })
    expect((await client.unpaid()).map(({ sessionId }) => sessionId)).toEqual(['s1'])
    let polls = 0
    shop.before = (_, path) => {
      if (path.includes('/session/') && ++polls === 4) shop.pay()
      return null
    }
    const order = await checkout.paid()
    expect([order.orderId, order.totalEur.toString(), order.items.map(({ code, priceCents }) => [code, priceCents])]).toEqual(['o1', '2.00', [['BTC/USDT', 100], ['BTC/USDT', 100]]])
    expect([polls, clock.waits.length, clock.waits.every((ms) => ms >= 10_000 && ms <= 15_000), new Set(clock.waits).size > 1]).toEqual([4, 3, true, true])
    expect([readFileSync(store, 'utf8').includes(JSON.stringify(SHOP_SECRET)), statSync(store).mode & 0o777, await client.unpaid()]).toEqual([true, 0o600, []])
    expect((await client.orders()).map(({ orderId, items }) => [orderId, items.length])).toEqual([['o1', 2]])
    expect([(await client.order('last')).orderId, (await client.order('o1')).orderId]).toEqual(['o1', 'o1'])
  })

  test('shows no secret', async () => {
    const { client, shop } = opened()
    const checkout = await client.checkout(await client.quote([DAY]), BUYER)
    shop.pay()
    const order = await checkout.paid()
    for (const one of [client, checkout, order, await client.orders()]) {
      const shown = inspect(one, { depth: 9, showHidden: true }) + JSON.stringify(one)
      expect(shown.includes(SHOP_SECRET) || shown.includes(encodeURIComponent(SHOP_SECRET))).toBe(false)
    }
    expect([JSON.stringify(order).includes('"downloadToken":"***"'), JSON.parse(JSON.stringify(order)).totalEur]).toEqual([true, '1.00'])
    expect(order.invoiceHostedUrl).toContain('t=sentinel')
  })

  test('of the same basket has the same key, of another one another', async () => {
    const { client, shop } = opened()
    const days = [DAY, { ...DAY, date: '2024-08-09' }]
    await client.checkout(await client.quote(days), BUYER)
    const again = await client.checkout(await client.quote(days.toReversed()), BUYER)
    expect([again.sessionId, new Set(shop.keys).size, shop.sessions.size]).toEqual(['s1', 1, 1])
    await client.checkout(await client.quote([DAY]), BUYER)
    await client.checkout(await client.quote(days), { email: 'you@example.org' })
    await client.checkout(await client.quote(days), { ...BUYER, cancelUrl: 'https://shop.example/other' })
    expect([new Set(shop.keys).size, shop.sessions.size]).toEqual([4, 4])
  })

  test('that was paid is not paid again: the same basket has the same key and gives its order', async () => {
    const { client, shop, configFolder } = opened()
    const checkout = await client.checkout(await client.quote([DAY]), BUYER)
    shop.pay()
    const { orderId } = await checkout.paid()
    const { client: later } = opened(shop, configFolder)
    const again = await later.checkout(await later.quote([DAY]), BUYER)
    expect([again.sessionId, (await again.paid()).orderId, new Set(shop.keys).size]).toEqual([checkout.sessionId, orderId, 1])
    expect([await later.unpaid(), (await later.orders()).length]).toEqual([[], 1])
  })

  test('that was paid while nothing waited gives its order, and is not paid again', async () => {
    const { client, shop, configFolder } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    shop.pay()
    const { client: later } = opened(shop, configFolder)
    expect([await later.orders(), await later.unpaid()]).toEqual([[], []])
    expect((await later.orders()).map(({ items }) => items)).toEqual([[{ ...DAY, kind: 'tick' }]])
    expect([(await (await later.checkout(await later.quote([DAY]), BUYER)).paid()).orderId, new Set(shop.keys).size]).toEqual(['o1', 1])
  })

  /** A checkout that was paid, and whose order the shop answers with a status from then on. */
  async function paidWithout(status: number) {
    const all = opened()
    const checkout = await all.client.checkout(await all.client.quote([DAY]), BUYER)
    all.shop.pay()
    await checkout.paid()
    all.shop.before = (_, path) => (path.includes('/orders/') ? jsonAnswer({ error: { message: 'gone' } }, status) : null)
    const next = async (again = false) => all.client.checkout(await all.client.quote([DAY]), { ...BUYER, again })
    return { ...all, next }
  }

  test.each([
    ['too old', 410, 0, false], ['unknown, behind its 30 days', 404, 30, false], ['unknown, where this is wanted', 404, 0, true],
    ['forbidden, where this is wanted', 403, 0, true],
  ])('that was paid and whose order is %s is begun anew', async (_what, status, days, again) => {
    const { clock, shop, next } = await paidWithout(status)
    clock.pass(days * 24 * 3_600_000)
    const { sessionId, isKnown } = await next(again)
    expect([sessionId, isKnown, new Set(shop.keys).size]).toEqual(['s2', true, 2])
  })

  test.each([401, 403, 404])('that was paid is not asked for again where the shop does not know its order for a while (%s)', async (status) => {
    const { client, shop, clock, next } = await paidWithout(status)
    clock.pass(29 * 24 * 3_600_000)
    const later = await next()
    expect([later.sessionId, later.isKnown, new Set(shop.keys).size]).toEqual(['s1', false, 1])
    expect((await refusalOf(() => later.paid())).message).toContain(`status ${String(status)}`)
    shop.before = () => null
    expect([(await later.paid()).orderId, (await next()).isKnown, await client.unpaid()]).toEqual(['o1', true, []])
  })

  test('that has ended is no longer among the unpaid ones, and its record goes', async () => {
    const { client, shop, store } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    shop.before = (_, path) => (path.endsWith('/s1') ? jsonAnswer({ error: {} }, 410) : null)
    expect([await client.unpaid(), readFileSync(store, 'utf8').includes('"s1"')]).toEqual([[], false])
  })

  test('that the shop does not know for a while is kept, and gives its order later', async () => {
    const { client, shop } = opened()
    const checkout = await client.checkout(await client.quote([DAY]), BUYER)
    expect((await client.unpaid()).map(({ isKnown }) => isKnown)).toEqual([true])
    shop.before = (_, path) => (path.endsWith('/s1') ? jsonAnswer({ error: {} }, 404) : null)
    expect((await client.unpaid()).map(({ sessionId, isKnown }) => [sessionId, isKnown])).toEqual([['s1', false]])
    const { code, message } = await refusalOf(() => checkout.paid())
    expect([code, message.includes('it is kept until it would have expired')]).toEqual(['SHOP_SESSION_EXPIRED', true])
    const again = await client.checkout(await client.quote([DAY]), BUYER)
    expect([again.sessionId, again.isKnown, shop.sessions.size]).toEqual(['s1', false, 1])
    shop.before = () => null
    shop.pay()
    expect([(await again.paid()).orderId, await client.unpaid(), (await client.orders()).length]).toEqual(['o1', [], 1])
  })

  test('that the shop does not know goes with its own end, not before', async () => {
    const { client, shop, clock, store } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    shop.before = (_, path) => (path.endsWith('/s1') ? jsonAnswer({ error: {} }, 404) : null)
    const dayMs = 24 * 3_600_000
    clock.pass(dayMs - 60_000)
    expect((await client.unpaid()).length).toBe(1)
    clock.pass(60_000)
    expect([await client.unpaid(), readFileSync(store, 'utf8').includes('"s1"')]).toEqual([[], true])
    clock.pass(30 * dayMs)
    expect([await client.unpaid(), readFileSync(store, 'utf8').includes('"s1"')]).toEqual([[], false])
  })

  test('that was refused for its price goes on, with its key, at the price of a later quote', async () => {
    const { client, shop } = opened()
    const quote = await client.quote([DAY])
    const { code } = await refusalOf(() => client.checkout({ ...quote, totalCents: 50, baskets: [quote] }, BUYER))
    const { totalCents } = await client.checkout(quote, BUYER)
    expect([code, totalCents, new Set(shop.keys).size]).toEqual(['SHOP_ANSWER_INVALID', 100, 1])
  })

  test.each(['unpaid', 'checkout', 'paid'] as const)('that was paid unseen gives its order after its day too, whatever %s met at a 404', async (way) => {
    const { client, shop, clock } = opened()
    const checkout = await client.checkout(await client.quote([DAY]), BUYER)
    shop.pay()
    clock.pass(2 * 24 * 3_600_000)
    shop.before = (_, path) => (path.endsWith('/s1') ? jsonAnswer({ error: {} }, 404) : null)
    for (let looks = 0; looks < 3; looks++) {
      if (way === 'unpaid') expect(await client.unpaid()).toEqual([])
      else if (way === 'checkout') expect((await client.checkout(await client.quote([DAY]), BUYER)).sessionId).toBe('s2')
      else expect((await refusalOf(() => checkout.paid())).code).toBe('SHOP_SESSION_EXPIRED')
    }
    shop.before = () => null
    await client.unpaid()
    expect((await client.orders()).map(({ orderId }) => orderId)).toEqual(['o1'])
  })

  test('that the shop does not know is begun anew where this is wanted, and stays beside the new one', async () => {
    const { client, shop } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    shop.before = (_, path) => (path.endsWith('/s1') ? jsonAnswer({ error: {} }, 404) : null)
    const second = await client.checkout(await client.quote([DAY]), { ...BUYER, again: true })
    expect([second.sessionId, (await client.unpaid()).map(({ sessionId }) => sessionId)]).toEqual(['s2', ['s1', 's2']])
    shop.before = () => null
    expect((await client.checkout(await client.quote([DAY]), { ...BUYER, again: true })).sessionId).toBe('s2')
  })

  test.each([404, 410])('that was paid outlives a session that the shop gives no more (%s)', async (status) => {
    const { client, shop } = opened()
    await (async () => {
      const checkout = await client.checkout(await client.quote([DAY]), BUYER)
      shop.pay()
      await checkout.paid()
    })()
    shop.before = (_, path) => (path.endsWith('/s1') ? jsonAnswer({ error: {} }, status) : null)
    for (const again of [false, true]) {
      const checkout = await client.checkout(await client.quote([DAY]), { ...BUYER, again })
      expect([checkout.sessionId, (await checkout.paid()).orderId]).toEqual(['s1', 'o1'])
    }
    expect([new Set(shop.keys).size, await client.unpaid(), (await client.orders()).length]).toEqual([1, [], 1])
  })

  test.each(['expired', 'canceled', 'gone'])('whose session is %s gets a new key', async (status) => {
    const { client, shop } = opened()
    const first = await client.checkout(await client.quote([DAY]), BUYER)
    if (status === 'gone') shop.before = (_, path) => (path.endsWith('/s1') ? jsonAnswer({ error: {} }, 410) : null)
    else for (const session of shop.sessions.values()) session.status = status
    const { code, message } = await refusalOf(() => first.paid())
    expect([code, message.includes('check out the quote again')]).toEqual(['SHOP_SESSION_EXPIRED', true])
    expect((await client.checkout(await client.quote([DAY]), BUYER)).sessionId).toBe('s2')
  })

  test('that was begun before and has expired is begun anew at once', async () => {
    const { client, shop } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    for (const session of shop.sessions.values()) session.status = 'expired'
    expect([(await client.checkout(await client.quote([DAY]), BUYER)).sessionId, new Set(shop.keys).size]).toEqual(['s2', 2])
  })

  test('its key is on the disk before the request leaves, and stays when no answer comes', async () => {
    const { client, shop, store } = opened()
    const quote = await client.quote([DAY])
    const kept: boolean[] = []
    let isBroken = true
    shop.before = ({ headers }, path) => {
      if (path !== '/v1/checkout/session') return null
      kept.push(readFileSync(store, 'utf8').includes(headers['idempotency-key']!))
      shop.keys.push(headers['idempotency-key']!)
      return isBroken ? resetError() : null
    }
    expect((await refusalOf(() => client.checkout(quote, BUYER))).code).toBe('SHOP_UNREACHABLE')
    isBroken = false
    const { sessionId } = await opened(shop, join(store, '..')).client.checkout(quote, BUYER)
    expect([sessionId, kept.length > 6, kept.every((one) => one), new Set(shop.keys).size]).toEqual(['s1', true, true, 1])
  })

  test.each([[422, { missing: [{ instrument_id: 7 }] }], [409, {}], [400, {}]])('that is refused with %s leaves no key', async (status, details) => {
    const { client, shop, store } = opened()
    const quote = await client.quote([DAY])
    shop.before = (_, path) => (path === '/v1/checkout/session' ? jsonAnswer({ error: { code: 'X', details } }, status) : null)
    const error = await client.checkout(quote, BUYER).then(() => null, (one: unknown) => one) as { refusal: { details: object } }
    expect([error.refusal.details, JSON.parse(readFileSync(store, 'utf8')).shops[shop.origin].checkouts]).toEqual([details, []])
  })

  test('a signal ends the wait, and the session stays', async () => {
    const { client } = opened()
    const checkout = await client.checkout(await client.quote([DAY]), BUYER)
    const abort = new AbortController()
    const paid = refusalOf(() => checkout.paid({ signal: abort.signal }))
    setTimeout(() => { abort.abort() }, 20)
    expect([(await paid).code, (await client.unpaid()).length]).toEqual(['STOPPED', 1])
  })

  test.each([
    ['no email', { email: 'me' }], ['a page elsewhere', { ...BUYER, successUrl: 'https://evil.example/' }], ['a page that only looks like it', { ...BUYER, cancelUrl: 'https://shop.example@evil.example/' }],
  ])('with %s is refused before anything is sent', async (_, options) => {
    const { client, shop } = opened()
    const quote = await client.quote([DAY])
    expect([(await refusalOf(() => client.checkout(quote, options))).code, shop.keys]).toEqual(['OPTION_INVALID', []])
  })

  test('of several baskets, or of none, is refused', async () => {
    const { client } = opened()
    const many = await client.quote(Array.from({ length: 21 }, (_, at) => ({ ...DAY, instrumentId: at })))
    expect((await refusalOf(() => client.checkout(many, BUYER))).message).toContain('expected one basket'.slice(9))
    expect((await client.checkout(many.baskets[1]!, BUYER)).items.length).toBe(1)
    expect((await refusalOf(() => client.checkout({ ...many.baskets[1]!, items: [], baskets: [many] }, BUYER))).code).toBe('OPTION_INVALID')
  })

  test.each([
    ['a dearer session', { subtotal_cents: 101 }], ['more items', { item_count: 2 }], ['a page without https', { checkout_url: 'http://pay.example/' }], ['a program in place of a page', { checkout_url: 'javascript:alert(1)' }],
    ['no session', { session_id: null }],
  ])('%s is refused', async (_, changes) => {
    const { client, shop } = opened()
    const quote = await client.quote([DAY])
    shop.before = (_request, path) => (path === '/v1/checkout/session'
      ? jsonAnswer({ order_id: 'o', session_id: 's', checkout_url: 'https://pay.example/', currency: 'EUR', item_count: 1, subtotal_cents: 100, ...changes }, 201) : null)
    expect((await refusalOf(() => client.checkout(quote, BUYER))).code).toBe('SHOP_ANSWER_INVALID')
  })

  test.each([['a token that cannot be sent', 'a\nb'], ['no token', undefined], ['an empty one', '']])('%s is refused, and shown nowhere', async (_, token) => {
    const { client, shop, notes } = opened()
    const checkout = await client.checkout(await client.quote([DAY]), BUYER)
    shop.before = (_request, path) => (path.includes('/session/') ? jsonAnswer({ status: 'paid', order_id: 'o1', download_token: token }) : null)
    const { code, message } = await refusalOf(() => checkout.paid())
    expect([code, message.includes('a\nb'), notes]).toEqual(['SHOP_ANSWER_INVALID', false, []])
  })
})

describe('the file of tokens', () => {
  const others = process.platform === 'win32' ? [] : [0o644, 0o640, 0o604, 0o660, 0o602]
  test.each(others)('with mode %o is refused, and says what to do', async (mode) => {
    const { client, store, configFolder, network } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    chmodSync(store, mode)
    const asked = network.seen.length
    for (const work of [() => client.orders(), () => client.unpaid(), async () => client.checkout(await client.quote([{ ...DAY, instrumentId: 8 }]), BUYER)]) {
      const { code, message } = await refusalOf(work)
      expect([code, message.includes(`chmod 600 ${JSON.stringify(store)}`)]).toEqual(['SECRETS_EXPOSED', true])
    }
    chmodSync(store, 0o600)
    chmodSync(configFolder, 0o755)
    expect((await refusalOf(() => client.orders())).message).toContain(`chmod 700 ${JSON.stringify(configFolder)}`)
    expect([network.seen.length, readdirSync(configFolder)]).toEqual([asked + 1, ['shops.json']])
  })

  test.each(['', '{', '{}', '[]', '{"backtape":"shops","version":2,"shops":{}}', '{"backtape":"shops","version":1,"shops":{"https://shop.example":{"checkouts":[],"orders":[{"orderId":"o"}]}}}', '{"backtape":"shops","version":1,"shops":{"a":{"checkouts":[{}],"orders":[]}}}'])('%j is refused and stays', async (text) => {
    const { client, store, configFolder } = opened()
    mkdirSync(configFolder, { mode: 0o700 })
    writeFileSync(store, text, { mode: 0o600 })
    expect((await refusalOf(() => client.orders())).code).toBe('FILE_UNREADABLE')
    const quote = await client.quote([DAY])
    expect([(await refusalOf(() => client.checkout(quote, BUYER))).code, readFileSync(store, 'utf8')]).toEqual(['FILE_UNREADABLE', text])
  })

  test('has no unfinished version of a killed process beside it once it was read; that of a running one stays', async () => {
    const { client, configFolder } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    const { space, pid, start } = ownOwner()
    const [running, killed, other] = [['shops.json', start], ['shops.json', '1'], ['other.json', '1']].map(([name, began]) => `.${name}.backtape-part-${space}-${pid}-${began}-0123456789ab`)
    for (const name of [running, killed, other]) writeFileSync(join(configFolder, name!), SHOP_SECRET, { mode: 0o600 })
    expect(await client.orders()).toEqual([])
    expect(readdirSync(configFolder).sort()).toEqual([other, running, 'shops.json'].sort())
    rmSync(join(configFolder, running!))
  })

  test('is shared by shops and by clients at once', async () => {
    const folder = join(newFolder(), 'config')
    const shops = ['https://a.example', 'https://b.example'].map((origin) => new ScriptedShop(origin))
    await Promise.all(Array.from({ length: 12 }, async (_, at) => {
      const { client } = opened(shops[at % 2], folder)
      await client.checkout(await client.quote([{ ...DAY, instrumentId: Math.floor(at / 2) }]), BUYER)
    }))
    for (const shop of shops) expect([(await opened(shop, folder).client.unpaid()).length, shop.sessions.size]).toEqual([6, 6])
    expect([readdirSync(folder), statSync(folder).mode & 0o777]).toEqual([['shops.json'], process.platform === 'win32' ? expect.any(Number) : 0o700])
  })

  test('a shop that nothing names is asked for', () => {
    expect(() => opened(new ScriptedShop(), 'x', { url: undefined })).toThrow('name one with BACKTAPE_SHOP')
  })
})
