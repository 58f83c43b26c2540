import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { shopPages } from '../../../src/shop/pages/shop-pages.js'
import { madeShop, type MadeShop } from '../../support/made-shop.ts'
import { ACCOUNT_TOKEN, EVIL, MadeService } from '../../support/made-shop-service.ts'
import { countIn, pageDocument, pageWords, type PageDocument } from '../../support/page-document.ts'

let service: MadeService
let shop: MadeShop
beforeEach(async () => {
  service = new MadeService()
  shop = await madeShop({ handlers: shopPages(service) })
})
afterEach(() => shop.close())

interface Page { readonly status: number, readonly headers: Headers, readonly text: string, readonly words: string, readonly document: PageDocument }
async function page(path: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(path.startsWith('http') ? path : shop.url + path, { redirect: 'manual', ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, words: pageWords(text), document: pageDocument(text) }
}

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> =>
  page(path, { method: 'POST', headers, body: new URLSearchParams(fields) })

/** The fields of the form of a page that goes to a place, as a browser sends them. */
function formOf({ document }: Page, action: string): Record<string, string> {
  const form = [...document.querySelectorAll('form')].find((one) => one.getAttribute('action') === action)
  if (form === undefined) throw new Error(`no form to ${action}`)
  return Object.fromEntries([...form.querySelectorAll('input[type=hidden]')].map((one) => [one.getAttribute('name')!, one.getAttribute('value')!]))
}

const locationOf = ({ status, headers }: Page): string | null => status === 303 ? headers.get('location') : `status ${status}`
const CART = '/shop?i=5&d=2024-08-01..2024-08-03'

/** A checkout of the cart; the address of its pay page. */
async function bought(path = CART, more: Record<string, string> = {}): Promise<string> {
  const fields = formOf(await page(path), '/shop/checkout')
  const answer = await post('/shop/checkout', { ...fields, email: 'me@example.org', ...more })
  return locationOf(answer) ?? ''
}

describe('every page', () => {
  test('is safe, whole, and asks for nothing', async () => {
    const pay = await bought()
    const cookie = (await post('/account/sign-in', { ...formOf(await page('/account'), '/account/sign-in'), token: ACCOUNT_TOKEN })).headers.get('set-cookie')!.split(';')[0]!
    const all = [
      '/shop', '/shop?q=btc', '/shop?q=%3Cscript%3E', '/shop?i=5', CART, '/shop?i=5&d=2024-08-05', '/shop?i=9', '/shop?i=5&d=x', '/shop/bundles', '/shop/bundles?bundle=BTC-%3C1%3E', '/shop/bundles?bundle=BTC-%3C1%3E&d=2024-08-01',
      pay, '/shop/pay/none', '/shop/receipt/ord_1?t=tok', '/shop/receipt/ord_1?t=wrong', '/account',
    ]
    for (const path of [...all, 'account'] as const) {
      const one = path === 'account' ? await page('/account', { headers: { cookie } }) : await page(path)
      const { document, headers } = one
      expect([path, headers.get('content-type'), headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([path, 'text/html; charset=utf-8', 'same-origin', 'no-store'])
      const policy = headers.get('content-security-policy')!
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/)
      expect([path, countIn(document, 'script,iframe,object,embed,[onclick],[style]')]).toEqual([path, 0])
      expect([path, document.documentElement.getAttribute('lang'), countIn(document, 'h1'), countIn(document, 'main')]).toEqual([path, 'en', 1, 1])
      for (const input of document.querySelectorAll('input:not([type=hidden])')) expect([path, input.closest('label') !== null]).toEqual([path, true])
      for (const link of document.querySelectorAll('[href],[action],[src]')) {
        const target = link.getAttribute('href') ?? link.getAttribute('action') ?? link.getAttribute('src')!
        expect([path, target]).toEqual([path, expect.stringMatching(/^(?:\/(?!\/)|#|data:,$)/)])
      }
      expect([path, one.text.includes('undefined'), one.text.includes('[object')]).toEqual([path, false, false])
    }
  })
})

describe('the catalogue', () => {
  test('instruments by words, with names that are no markup', async () => {
    const { status, document, words } = await page('/shop?q=+btc+')
    expect([status, document.querySelector('input[name=q]')?.getAttribute('value')]).toEqual([200, 'btc'])
    expect(document.querySelector('td a')?.textContent).toBe(EVIL)
    expect(document.querySelector('td a')?.getAttribute('href')).toBe('/shop?i=5')
    expect(words).toContain('1 instrument. Instrument Venue Class Days From, to Size')
    expect(words).toContain('A & B perpetual 19 2024-08-01 to 2024-08-20 1.23 GB')
    expect(words).toContain('Understood: class perpetual.')
    expect([(await page('/shop')).status, (await page('/shop?q=')).status]).toEqual([200, 200])
  })

  test('nothing found: what to drop', async () => {
    expect((await page('/shop?q=zzz')).words).toContain('Nothing was found. Venues with a like name: a_swap There are hits without: <b>')
  })

  test('the calendar has a box for each day that is sold, and no other', async () => {
    for (const path of ['/shop?i=5', '/shop/bundles?bundle=BTC-%3C1%3E']) {
      const { document, words } = await page(path)
      const dates = [...document.querySelectorAll('input[type=checkbox][name=d]')].map((one) => one.getAttribute('value'))
      expect(dates).toEqual(Array.from({ length: 20 }, (_none, at) => `2024-08-${String(at + 1).padStart(2, '0')}`).filter((date) => !date.endsWith('-05')))
      expect(words).toContain('19 days, 2024-08-01 to 2024-08-20, 19.0 kB')
      const cells = [...document.querySelectorAll('.month td')].map((one) => one.textContent)
      // The first of August 2024 was a Thursday.
      expect([cells.length, cells.slice(0, 5)]).toEqual([35, ['', '', '', '1', '2']])
    }
  })

  test('bundles', async () => {
    const { document, words } = await page('/shop/bundles')
    expect(document.querySelector('td a')?.getAttribute('href')).toBe('/shop/bundles?bundle=BTC-%3C1%3E')
    expect(words).toContain('BTC-<1> option chain 19 2024-08-01 to 2024-08-20 2.50 EUR')
  })

  test.each(['/shop?i=9', '/shop?i=9&d=2024-08-01', '/shop/bundles?bundle=x', '/shop/bundles?bundle=x&d=2024-08-01'])('%s is not known', async (path) => {
    expect((await page(path)).status).toBe(404)
  })
})

describe('the cart', () => {
  test('days that are sold, and those that are not, with the reason', async () => {
    const { words, document } = await page('/shop?i=5&d=2024-08-04..2024-08-06,2024-08-20..2024-08-21')
    expect(words).toContain('2 days are not sold, and not in this cart: 2024-08-05: there are no data of this day 2024-08-21: this day is not over yet')
    expect(words).toContain('3.00 EUR')
    expect(document.querySelector('input[name=d]')?.getAttribute('value')).toBe('2024-08-04,2024-08-06,2024-08-20')
  })

  test('boxes of the calendar, with and without words beside them', async () => {
    for (const path of ['/shop?i=5&d=2024-08-02&d=2024-08-01', '/shop?i=5&d=&d=2024-08-02&d=2024-08-01', '/shop?i=5&d=2024-08-01&d=2024-08-01..2024-08-02'])
      expect([path, (await page(path)).document.querySelector('input[name=d]')?.getAttribute('value')]).toEqual([path, '2024-08-01,2024-08-02'])
    expect((await page('/shop?i=5&d=&d=')).words).toContain('19 days')
  })

  test('a bundle has its own price', async () => {
    const { words } = await page('/shop/bundles?bundle=BTC-%3C1%3E&d=2024-08-01..2024-08-02')
    expect(words).toContain('2024-08-01 BTC-<1> 2.50 EUR')
    expect(words).toContain('5.00 EUR')
  })

  test('nothing of it is sold: there is nothing to buy', async () => {
    const { status, words, document } = await page('/shop?i=5&d=2024-08-05')
    expect([status, document.querySelector('form')]).toEqual([200, null])
    expect(words).toContain('One day is not sold')
  })

  test.each([
    ['x', 'd must be days'], ['2024-08-32', 'd must be days'], ['2024-08-02..2024-08-01', 'd must be a range'], ['2024-01-01..2025-01-01', 'd must be a range of 1 to 366 days'], ['2024-01-01,2025-01-01', 'd must be at most 366 days'], ['2024-08-01,,2024-08-02', 'd must be days'],
  ])('%s is refused', async (days, words) => {
    const one = await page(`/shop?i=5&d=${days}`)
    expect([one.status, one.document.querySelector('h1')?.textContent]).toEqual([400, expect.stringContaining(words)])
  })

  test('a checkout goes to the pay page, and the same form sent twice is one checkout', async () => {
    const cart = await page(CART)
    const fields = { ...formOf(cart, '/shop/checkout'), email: 'me@example.org' }
    expect(Object.keys(fields)).toEqual(['i', 'd', 'csrf', 'email'])
    for (let time = 0; time < 2; time++) expect(locationOf(await post('/shop/checkout', fields))).toBe(`${shop.url}/shop/pay/ses_1`)
    expect(service.checkouts.get('ses_1')).toMatchObject({
      email: 'me@example.org', items: ['01', '02', '03'].map((day) => ({ instrument_id: 5, date: `2024-08-${day}`, kind: 'tick' })), success_url: `${shop.url}/shop/pay/{CHECKOUT_SESSION_ID}`, cancel_url: `${shop.url}/shop?i=5`,
      key: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
    })
    await post('/shop/checkout', { ...fields, email: 'you@example.org' })
    await bought()
    expect(service.checkouts.size).toBe(3)
  })

  test('a bundle is bought by its id', async () => {
    await bought('/shop/bundles?bundle=BTC-%3C1%3E&d=2024-08-01')
    expect(service.checkouts.get('ses_1')?.items).toEqual([{ instrument_id: 7, date: '2024-08-01', kind: 'series_day' }])
  })

  test.each<[string, Record<string, string>, number]>([
    ['no token', { csrf: '' }, 400], ['a made-up token', { csrf: 'a.b' }, 403], ['more behind the token', { csrf: '+.x' }, 403], ['other days', { d: '2024-08-01' }, 403], ['another instrument', { i: '9' }, 404], ['a bundle', { i: '', bundle: 'BTC-<1>' }, 400],
    ['no email', { email: 'me' }, 400], ['no days', { d: '' }, 400],
  ])('%s is refused', async (_name, { csrf, ...more }, status) => {
    const fields = formOf(await page(CART), '/shop/checkout')
    const token = csrf === undefined ? fields['csrf']! : csrf.replace('+', fields['csrf']!)
    expect([(await post('/shop/checkout', { ...fields, email: 'me@example.org', ...more, csrf: token })).status, service.checkouts.size]).toEqual([status, 0])
  })

  test('the token of another instrument, and a form of a page elsewhere', async () => {
    const other = formOf(await page('/shop/bundles?bundle=BTC-%3C1%3E&d=2024-08-01'), '/shop/checkout')
    expect((await post('/shop/checkout', { i: '5', d: '2024-08-01', csrf: other['csrf']!, email: 'me@example.org' })).status).toBe(403)
    const fields = { ...formOf(await page(CART), '/shop/checkout'), email: 'me@example.org' }
    expect([(await post('/shop/checkout', fields, { origin: 'http://evil.example' })).status, service.checkouts.size]).toEqual([403, 0])
    expect((await post('/shop/checkout', fields, { origin: shop.url })).status).toBe(303)
  })

  test('what cannot be bought is named, and the cart stays', async () => {
    const owns = await page(CART)
    service.owned.add('2024-08-02')
    const owned = await post('/shop/checkout', { ...formOf(owns, '/shop/checkout'), email: 'me@example.org' })
    expect([owned.status, owned.document.querySelector('[role=alert]')?.textContent.trim()]).toEqual([409, 'Your account has some of it already:2024-08-02'])
    service.owned.clear()
    service.gone.add('2024-08-03')
    const gone = await post('/shop/checkout', { ...formOf(owned, '/shop/checkout'), email: 'me@example.org' })
    expect([gone.status, gone.document.querySelector('[role=alert]')?.textContent.trim()]).toEqual([422, 'Some of it is no longer sold:2024-08-03: there are no data of this day'])
  })
})

describe('the pay page', () => {
  test('pay: the browser goes to the success page, which leads to the receipt', async () => {
    const address = await bought()
    const open = await page(address)
    expect(open.words).toContain('No money moves.')
    expect([...open.document.querySelectorAll('button[name=action]')].map((one) => one.getAttribute('value'))).toEqual(['pay', 'decline', 'leave'])
    const action = '/shop/pay/ses_1'
    const done = await post(action, { ...formOf(open, action), action: 'pay' })
    expect([locationOf(done), service.checkouts.get('ses_1')?.status]).toEqual([`${shop.url}${action}`, 'paid'])
    const paid = await page(address)
    expect([paid.document.querySelector('form'), paid.document.querySelector('a.main')?.getAttribute('href')]).toEqual([null, '/shop/receipt/ord_1?t=tok'])
    expect(locationOf(await post(action, { ...formOf(open, action), action: 'pay' }))).toBe(`${shop.url}${action}`)
  })

  test.each(['decline', 'leave'])('%s: the browser goes to the cancel page, and the checkout stays open', async (action) => {
    const open = await page(await bought())
    expect([locationOf(await post('/shop/pay/ses_1', { ...formOf(open, '/shop/pay/ses_1'), action })), service.checkouts.get('ses_1')?.status]).toEqual([`${shop.url}/shop?i=5`, 'pending'])
  })

  test('a checkout that has expired', async () => {
    const open = await page(await bought())
    service.checkouts.get('ses_1')!.status = 'expired'
    expect(locationOf(await post('/shop/pay/ses_1', { ...formOf(open, '/shop/pay/ses_1'), action: 'pay' }))).toBe('/shop/pay/ses_1')
    const { words, document } = await page('/shop/pay/ses_1')
    expect([words.includes('not paid in time'), document.querySelector('form')]).toEqual([true, null])
  })

  test('a wrong token, one of another session, and an unknown session', async () => {
    await bought()
    const other = await page(await bought())
    const wrong = formOf(other, '/shop/pay/ses_2')
    expect((await post('/shop/pay/ses_1', { ...wrong, action: 'pay' })).status).toBe(403)
    expect((await post('/shop/pay/ses_1', { csrf: 'x', action: 'pay' })).status).toBe(403)
    expect((await post('/shop/pay/ses_1', { ...formOf(await page('/shop/pay/ses_1'), '/shop/pay/ses_1'), action: 'steal' })).status).toBe(400)
    expect([(await post('/shop/pay/none', { ...wrong, action: 'pay' })).status, (await page('/shop/pay/none')).status]).toEqual([404, 404])
    expect([...service.checkouts.values()].map(({ status }) => status)).toEqual(['pending', 'pending'])
  })
})

test('the receipt has its files, each with its link', async () => {
  const { words, document } = await page('/shop/receipt/ord_1?t=tok')
  expect(words).toContain('Order ord_1 Paid 2024-08-21 00:00:00 UTC Items 2 items, 2.00 kB Total 3.50 EUR, tax included. No money has moved.')
  expect([...document.querySelectorAll('td a')].map((one) => one.getAttribute('href'))).toEqual([
    '/api/download/order/ord_1/5/2024-08-01?t=tok', '/api/download/order/ord_1/7/2024-08-01?kind=series_day&zip=1&t=tok',
  ])
  expect(words).toContain('This order was refunded.')
})

test('a wrong token and an unknown order have the same answer', async () => {
  const [wrong, unknown] = [await page('/shop/receipt/ord_1?t=x'), await page('/shop/receipt/ord_2?t=x')]
  expect([wrong.status, unknown.text]).toEqual([404, wrong.text])
  const headers = ({ headers: all }: Page): unknown[] => [...all].filter(([name]) => name !== 'date')
  expect(headers(unknown)).toEqual(headers(wrong))
  expect([(await page('/shop/receipt/ord_1')).status, (await page('/shop/receipt/old?t=x')).status]).toEqual([400, 410])
})

describe('the account', () => {
  const signedIn = async (token = ACCOUNT_TOKEN): Promise<Page> => post('/account/sign-in', { ...formOf(await page('/account'), '/account/sign-in'), token })
  const cookieOf = ({ headers }: Page): string => headers.get('set-cookie')?.split(';')[0] ?? ''

  test('sign in, a new key, sign out', async () => {
    const entered = await signedIn()
    expect([locationOf(entered), entered.headers.get('set-cookie')]).toEqual(['/account', expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)])
    const headers = { cookie: `other=1; ${cookieOf(entered)}` }
    const own = await page('/account', { headers })
    expect([own.document.querySelector('h1')?.textContent, own.words.includes('key-1'), own.words.includes('2024-08-09 binance_swap')]).toEqual(['ann & co', true, true])
    expect((await page('/shop?i=5&d=2024-08-01', { headers })).words).toContain('You are signed in as ann & co.')
    expect(locationOf(await post('/account', formOf(own, '/account'), headers))).toBe('/account')
    expect((await page('/account', { headers })).words).toContain('key-2')
    const left = await post('/account/sign-out', formOf(own, '/account/sign-out'), headers)
    expect([locationOf(left), left.headers.get('set-cookie')]).toEqual(['/account', 'backtape-shop=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0'])
  })

  test('the token as a header opens the page too', async () => {
    expect((await page('/account', { headers: { authorization: `Bearer ${ACCOUNT_TOKEN}` } })).words).toContain('key-1')
  })

  test('a session ends, and is of its name and its end alone', async () => {
    const cookie = cookieOf(await signedIn())
    const [, name = '', until = '', token = ''] = /=(.*)\.(\d+)\.(.*)$/.exec(cookie)!
    const other = Buffer.from('bob').toString('base64url')
    const shown = async (value: string): Promise<boolean> => (await page('/account', { headers: { cookie: value } })).words.includes('key-1')
    expect(await shown(cookie)).toBe(true)
    for (const wrong of [`${other}.${until}.${token}`, `${name}.${Number(until) + 1}.${token}`, `${name}.${until}.${token.slice(0, -1)}A`, `${name}.${until}.`, '', `${name}.${'9'.repeat(30)}.${token}`])
      expect([wrong, await shown(`backtape-shop=${wrong}`)]).toEqual([wrong, false])
    service.nowMs += 7 * 86_400_000 - 1
    expect(await shown(cookie)).toBe(true)
    service.nowMs += 1
    expect(await shown(cookie)).toBe(false)
  })

  test.each<[string, Record<string, string>, number]>([['a wrong token', { token: 'x' }, 404], ['no token of the form', { csrf: 'x', token: ACCOUNT_TOKEN }, 403], ['no token', {}, 400]])('%s signs nobody in', async (_name, fields, status) => {
    const answer = await post('/account/sign-in', { ...formOf(await page('/account'), '/account/sign-in'), ...fields })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null])
  })

  test('forms without a session, and with the token of another form', async () => {
    const entry = formOf(await page('/account'), '/account/sign-in')
    expect([(await post('/account', entry)).status, (await post('/account/sign-out', entry)).status]).toEqual([404, 404])
    const headers = { cookie: cookieOf(await signedIn()) }
    expect([(await post('/account', entry, headers)).status, (await post('/account/sign-out', entry, headers)).status, service.account.realtimeKey]).toEqual([403, 403, 'key-1'])
  })
})
