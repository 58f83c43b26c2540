import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { filledReturnUrl } from '../../../src/protocol/shop/shop-requests.js'
import { shopPages } from '../../../src/shop/pages/shop-pages.js'
import { madeShop, type MadeShop } from '../../support/made-shop.ts'
import { FakeGoods } from '../../support/fake-goods.ts'
import { type OpenedShop, openedShop } from '../../support/opened-shop.ts'
import { textLines } from '../../support/pdf-lines.ts'
import { countIn, pageDocument, pageWords, type PageDocument } from '../../support/page-document.ts'

const EVIL = 'BTC<script>"\'&USDT'
const ANN = { name: 'ann & co', token: 'token-of-ann', realtimeKey: 'key-1', realtimeDays: [{ bought: '2024-08-08T10:00:00Z', markets: ['a_spot'], instruments: [5], days: ['2024-08-09', '2024-08-11'] }], owns: [`a_spot:${EVIL} 2024-08-09`] }
const DATES = ['2024-08-01', '2024-08-02', '2024-08-03', '2024-08-04', '2024-08-06', '2024-08-07', '2024-08-08', '2024-08-09']

let opened: OpenedShop
let shop: MadeShop
beforeEach(async () => {
  const goods = new FakeGoods().add(5, EVIL, { type: 'perpetual', exchangeName: 'A & B', base: 'BTC', days: [...DATES, '2024-08-10'] }).add(6, 'SECRET', { days: DATES })
    .bundle(7, 'BTC-<1>', Object.fromEntries(DATES.map((date) => [date, [5]])), { priceCents: 250 }).add(8, 'LONG', { days: Array.from({ length: 400 }, (_none, at) => new Date(Date.UTC(2022, 0, 1 + at)).toISOString().slice(0, 10)) })
  opened = await openedShop({ accounts: [ANN, { name: 'bob', token: 'token-of-bob', realtimeKey: 'key-2' }], hidden: [6] }, goods)
  const { service } = opened
  shop = await madeShop({ handlers: { ...service.handlers, ...shopPages(service) } })
  formCookie = ''
})
afterEach(() => shop.close())

interface Page { readonly status: number, readonly headers: Headers, readonly text: string, readonly words: string, readonly document: PageDocument }
/** The cookie for forms that the browser of a test has. */
let formCookie = ''
async function page(path: string, { headers = {}, ...init }: Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> } = {}): Promise<Page> {
  const cookie = [formCookie, headers['cookie'] ?? ''].filter((one) => one !== '').join('; ')
  const response = await fetch(path.startsWith('http') ? path : shop.url + path, { redirect: 'manual', ...init, headers: { ...headers, ...cookie === '' ? {} : { cookie } } })
  for (const one of response.headers.getSetCookie()) if (one.startsWith('backtape_form=')) formCookie = one.split(';')[0]!
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
const SERIES = '/shop/bundles?bundle=BTC-%3C1%3E'
const EMAIL = { email: 'me@example.org' }

/** A checkout of the cart: the path of its pay page, and its session. */
async function bought(path = CART): Promise<{ readonly path: string, readonly session: string }> {
  const answer = await post('/shop/checkout', { ...formOf(await page(path), '/shop/checkout'), ...EMAIL })
  const { pathname } = new URL(locationOf(answer) ?? '')
  return { path: pathname, session: pathname.replace('/shop/pay/', '') }
}

/** The path of the receipt of a cart that is paid. */
async function receiptOf(cart = CART): Promise<string> {
  const { path } = await bought(cart)
  await post(path, { ...formOf(await page(path), path), action: 'pay' })
  return (await page(path)).document.querySelector('a.main')!.getAttribute('href')!
}

const pdfOf = (receipt: string): string => receipt.replace('?', '/pdf?')
const stateOf = (session: string): string | undefined => opened.service.purchases.session(session)?.record.state
const datesOf = (session: string): string[] => opened.service.purchases.items(opened.service.purchases.session(session)!.orderId).map(({ kind, instrumentId, date }) => `${kind} ${instrumentId} ${date}`)

describe('every page', () => {
  test('is safe, whole, and asks for nothing', async () => {
    const [pay, receipt] = [await bought(), await receiptOf()]
    const cookie = (await post('/account/sign-in', { ...formOf(await page('/account'), '/account/sign-in'), token: ANN.token })).headers.get('set-cookie')!.split(';')[0]!
    const all = [
      '/shop', '/shop?q=btc', '/shop?q=%3Cscript%3E', '/shop?i=5', CART, '/shop?i=5&d=2024-08-05', '/shop?i=9', '/shop?i=5&d=x', '/shop/bundles', SERIES, `${SERIES}&d=2024-08-01`, '/shop?i=8&d=2022-01-01..2023-01-01',
      pay.path, '/shop/pay/none', receipt, '/shop/receipt/ord_1?t=wrong', '/account',
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
    const { status, document, words } = await page('/shop?q=+btc+perp+')
    expect([status, document.querySelector('input[name=q]')?.getAttribute('value')]).toEqual([200, 'btc perp'])
    expect(document.querySelector('td a')?.textContent).toBe(EVIL)
    expect(document.querySelector('td a')?.getAttribute('href')).toBe('/shop?i=5')
    expect(words).toContain('1 instrument. Instrument Venue Class Days From, to Size')
    expect(words).toContain('A & B perpetual 8 2024-08-01 to 2024-08-09 800 B')
    expect(words).toContain('Understood: class perpetual.')
    for (const path of ['/shop', '/shop?q=']) expect([path, (await page(path)).words.includes('2 instruments.')]).toEqual([path, true])
  })

  test('nothing found: what to drop', async () => {
    expect((await page('/shop?q=btc+%3Czzz%3E')).words).toContain('Nothing was found. There are hits without: <zzz>')
  })

  test('the calendar has a box for each day that is sold, and no other', async () => {
    for (const path of ['/shop?i=5', SERIES]) {
      const { document, words } = await page(path)
      expect([...document.querySelectorAll('input[type=checkbox][name=d]')].map((one) => one.getAttribute('value'))).toEqual(DATES)
      expect(words).toContain('8 days, 2024-08-01 to 2024-08-09, 800 B')
      const cells = [...document.querySelectorAll('.month td')].map((one) => one.textContent)
      // The first of August 2024 was a Thursday.
      expect([cells.length, cells.slice(0, 5)]).toEqual([35, ['', '', '', '1', '2']])
    }
  })

  test('years of days, the newest open', async () => {
    const { document } = await page('/shop?i=8')
    expect([...document.querySelectorAll('main details')].map((one) => [one.querySelector('summary')?.textContent, one.getAttribute('open') !== null])).toEqual([['2023', true], ['2022', false]])
    expect([countIn(document, '.month'), countIn(document, 'input[name=d][type=checkbox]')]).toEqual([14, 400])
  })

  test('bundles', async () => {
    const { document, words } = await page('/shop/bundles')
    expect(document.querySelector('td a')?.getAttribute('href')).toBe(SERIES)
    expect(words).toContain('BTC-<1> option chain 8 2024-08-01 to 2024-08-09 2.50 EUR')
  })

  test('unknown and hidden ones have the same answer', async () => {
    const paths = ['/shop?i=9', '/shop?i=6', '/shop?i=9&d=2024-08-01', '/shop?i=6&d=2024-08-01', '/shop/bundles?bundle=x', '/shop/bundles?bundle=x&d=2024-08-01']
    const pages = await Promise.all(paths.map((path) => page(path)))
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(pages[0]!.status).toBe(404)
  })
})

describe('the cart', () => {
  test('days that are sold, and those that are not, with the reason', async () => {
    const { words, document } = await page('/shop?i=5&d=2024-08-04..2024-08-06,2024-08-09..2024-08-10')
    expect(words).toContain('2 days are not sold, and not in this cart: 2024-08-05: there are no data of this day 2024-08-10: this day is not over yet')
    expect(words).toContain('3.00 EUR')
    expect(document.querySelector('input[name=d]')?.getAttribute('value')).toBe('2024-08-04,2024-08-06,2024-08-09')
  })

  test('boxes of the calendar, with and without words beside them', async () => {
    for (const path of ['/shop?i=5&d=2024-08-02&d=2024-08-01', '/shop?i=5&d=&d=2024-08-02&d=2024-08-01', '/shop?i=5&d=2024-08-01&d=2024-08-01..2024-08-02'])
      expect([path, (await page(path)).document.querySelector('input[name=d]')?.getAttribute('value')]).toEqual([path, '2024-08-01,2024-08-02'])
    expect((await page('/shop?i=5&d=&d=')).words).toContain('8 days')
  })

  test('a bundle has its own price', async () => {
    const { words } = await page(`${SERIES}&d=2024-08-01..2024-08-02`)
    expect(words).toContain('2024-08-01 BTC-<1> 100 B 2.50 EUR')
    expect(words).toContain('5.00 EUR')
  })

  test('nothing of it is sold: there is nothing to buy', async () => {
    const { status, words, document } = await page('/shop?i=5&d=2024-08-05')
    expect([status, document.querySelector('form')]).toEqual([200, null])
    expect(words).toContain('One day is not sold')
  })

  test('more days than a checkout takes: two carts', async () => {
    const { words, document } = await page('/shop?i=8&d=2022-01-01..2023-01-01')
    expect([words.includes('366.00 EUR'), document.querySelector('form')]).toEqual([true, null])
    const links = [...document.querySelectorAll('.note a')].map((one) => one.getAttribute('href')!)
    expect(links).toEqual(['/shop?i=8&d=2022-01-01..2022-12-31', '/shop?i=8&d=2023-01-01..2023-01-01'])
    for (const link of links) expect((await page(link)).document.querySelector('form')).not.toBeNull()
  })

  test.each([
    ['x', 'd must be days'], ['2024-08-32', 'd must be days'], ['2024-08-02..2024-08-01', 'd must be a range'], ['2024-01-01..2025-01-01', 'd must be a range of 1 to 366 days'], ['2024-01-01,2025-01-01', 'd must be at most 366 days'], ['2024-08-01,,2024-08-02', 'd must be days'],
  ])('%s is refused', async (days, words) => {
    const one = await page(`/shop?i=5&d=${days}`)
    expect([one.status, one.document.querySelector('h1')?.textContent]).toEqual([400, expect.stringContaining(words)])
  })

  test('a checkout goes to the pay page, and the same form sent twice is one checkout', async () => {
    const fields = { ...formOf(await page(CART), '/shop/checkout'), ...EMAIL }
    expect(Object.keys(fields)).toEqual(['i', 'd', 'csrf', 'email'])
    const places = [await post('/shop/checkout', fields), await post('/shop/checkout', fields)].map(locationOf)
    const [place = ''] = places as string[]
    expect([places[1], place]).toEqual([place, expect.stringMatching(`^${shop.url}/shop/pay/cs_`)])
    const session = place.slice(`${shop.url}/shop/pay/`.length)
    expect(datesOf(session)).toEqual(['tick 5 2024-08-01', 'tick 5 2024-08-02', 'tick 5 2024-08-03'])
    const { email, successUrl, cancelUrl } = opened.service.purchases.session(session)!
    expect([email, filledReturnUrl(successUrl, session), cancelUrl]).toEqual(['me@example.org', place, `${shop.url}/shop?i=5`])
    expect(locationOf(await post('/shop/checkout', { ...fields, email: 'you@example.org' }))).not.toBe(place)
    expect((await bought()).session).not.toBe(session)
  })

  test('a bundle is bought by its id', async () => {
    expect(datesOf((await bought(`${SERIES}&d=2024-08-01`)).session)).toEqual(['series_day 7 2024-08-01'])
  })

  test.each<[string, Record<string, string>, number]>([
    ['no token', { csrf: '' }, 400], ['a made-up token', { csrf: 'a.b' }, 403], ['more behind the token', { csrf: '+.x' }, 403], ['other days', { d: '2024-08-01' }, 403], ['another instrument', { i: '8' }, 403], ['an unknown instrument', { i: '9' }, 404],
    ['no instrument', { i: '', bundle: 'BTC-<1>' }, 400], ['no email', { email: 'me' }, 400], ['no days', { d: '' }, 400], ['days that are none', { d: 'x' }, 400], ['days that do not exist', { d: '2024-02-30' }, 403],
  ])('%s is refused', async (_name, { csrf, ...more }, status) => {
    const fields = formOf(await page(CART), '/shop/checkout')
    const token = csrf === undefined ? fields['csrf']! : csrf.replace('+', fields['csrf']!)
    expect((await post('/shop/checkout', { ...fields, ...EMAIL, ...more, csrf: token })).status).toBe(status)
  })

  test('the token of another instrument, and a form of a page elsewhere', async () => {
    const other = formOf(await page(`${SERIES}&d=2024-08-01`), '/shop/checkout')
    expect((await post('/shop/checkout', { i: '5', d: '2024-08-01', csrf: other['csrf']!, ...EMAIL })).status).toBe(403)
    const fields = { ...formOf(await page(CART), '/shop/checkout'), ...EMAIL }
    expect((await post('/shop/checkout', fields, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await post('/shop/checkout', fields, { origin: shop.url })).status).toBe(303)
  })

  test('what cannot be bought is named, and the cart stays', async () => {
    const headers = { authorization: `Bearer ${ANN.token}` }
    const cart = await page('/shop?i=5&d=2024-08-08..2024-08-09', { headers })
    const owned = await post('/shop/checkout', { ...formOf(cart, '/shop/checkout'), ...EMAIL }, headers)
    expect([owned.status, owned.document.querySelector('[role=alert]')?.textContent.trim()]).toEqual([409, 'Your account has some of it already:2024-08-09'])
    const { instruments } = opened.goods
    const { days: _days, ...rest } = instruments.get(5)!
    opened.goods.add(5, EVIL, { ...rest, days: DATES.slice(0, -1) })
    const gone = await post('/shop/checkout', { ...formOf(owned, '/shop/checkout'), ...EMAIL })
    expect([gone.status, gone.document.querySelector('[role=alert]')?.textContent.trim()]).toEqual([422, 'Some of it is no longer sold:2024-08-09: there are no data of this day'])
    expect(locationOf(await post('/shop/checkout', { ...formOf(gone, '/shop/checkout'), ...EMAIL }))).toContain('/shop/pay/')
  })
})

describe('the form of a page', () => {
  /** The cookie of another browser, in place of this one. */
  const sentWith = async (cookie: string, path: string, fields: Record<string, string>): Promise<number> => {
    formCookie = cookie
    return (await post(path, fields)).status
  }
  const OTHER = 'backtape_form=00000000-0000-4000-8000-000000000001'

  test('is for the browser that got it: its cookie is there once, for no script and no page elsewhere', async () => {
    const first = await page(CART)
    expect(first.headers.getSetCookie()).toEqual([expect.stringMatching(/^backtape_form=[\da-f-]{36}; Path=\/; HttpOnly; SameSite=Strict$/)])
    const own = formCookie
    expect([(await page(CART)).headers.getSetCookie(), (await page('/shop')).headers.getSetCookie()]).toEqual([[], []])
    formCookie = ''
    // A page without a form needs none.
    expect((await page('/shop')).headers.getSetCookie()).toEqual([])
    const fields = { ...formOf(first, '/shop/checkout'), ...EMAIL }
    for (const cookie of ['', OTHER, `${own}x`, own.replace('backtape_form', 'backtape_other')]) expect([cookie, await sentWith(cookie, '/shop/checkout', fields)]).toEqual([cookie, 403])
    expect(await sentWith(own, '/shop/checkout', fields)).toBe(303)
  })

  test('of a payment, an account and signing in likewise', async () => {
    const { path, session } = await bought()
    const pay = { ...formOf(await page(path), path), action: 'pay' }
    const enter = { ...formOf(await page('/account'), '/account/sign-in'), token: ANN.token }
    const headers = { authorization: `Bearer ${ANN.token}` }
    const own = formOf(await page('/account', { headers }), '/account')
    formCookie = OTHER
    expect([(await post(path, pay)).status, (await post('/account/sign-in', enter)).status, (await post('/account', own, headers)).status, (await post('/account/sign-out', own, headers)).status]).toEqual([403, 403, 403, 403])
    expect([stateOf(session), opened.service.accounts.realtimeKey(ANN)]).toEqual(['pending', 'key-1'])
  })

  test('a cookie that is none of ours gets another one', async () => {
    for (const cookie of ['backtape_form=', 'backtape_form=x', 'backtape_form=00000000-0000-4000-8000-00000000000g']) {
      formCookie = cookie
      expect((await page(CART)).headers.getSetCookie()).toHaveLength(1)
      expect((await bought()).session).toMatch(/^cs_/)
    }
  })
})

describe('the pay page', () => {
  test('pay: the browser goes to the success page, which leads to the receipt', async () => {
    const { path, session } = await bought()
    const open = await page(path)
    expect(open.words).toContain('3 days for me@example.org 3.00 EUR No money moves.')
    expect([...open.document.querySelectorAll('button[name=action]')].map((one) => one.getAttribute('value'))).toEqual(['pay', 'decline', 'leave'])
    const done = await post(path, { ...formOf(open, path), action: 'pay' })
    expect([locationOf(done), stateOf(session)]).toEqual([`${shop.url}${path}`, 'paid'])
    const paid = await page(path)
    expect([paid.document.querySelector('form'), paid.document.querySelector('a.main')?.getAttribute('href')]).toEqual([null, expect.stringMatching(/^\/shop\/receipt\/ord_[\w-]+\?t=[\w-]{43}$/)])
    expect(locationOf(await post(path, { ...formOf(open, path), action: 'pay' }))).toBe(`${shop.url}${path}`)
  })

  test.each(['decline', 'leave'])('%s: the browser goes to the cancel page, and the checkout stays open', async (action) => {
    const { path, session } = await bought()
    expect([locationOf(await post(path, { ...formOf(await page(path), path), action })), stateOf(session)]).toEqual([`${shop.url}/shop?i=5`, 'pending'])
  })

  test('a checkout that has expired', async () => {
    const { path } = await bought()
    const open = await page(path)
    opened.time.ms += 24 * 3_600_000
    expect(locationOf(await post(path, { ...formOf(open, path), action: 'pay' }))).toBe(path)
    const { words, document } = await page(path)
    expect([words.includes('not paid in time'), document.querySelector('form')]).toEqual([true, null])
  })

  test('a wrong token, one of another session, and an unknown session', async () => {
    const [one, other] = [await bought(), await bought()]
    const wrong = formOf(await page(other.path), other.path)
    for (const fields of [{ ...wrong, action: 'pay' }, { csrf: 'x', action: 'pay' }]) expect((await post(one.path, fields)).status).toBe(403)
    expect((await post(one.path, { ...formOf(await page(one.path), one.path), action: 'steal' })).status).toBe(400)
    expect([(await post('/shop/pay/none', { ...wrong, action: 'pay' })).status, (await page('/shop/pay/none')).status]).toEqual([404, 404])
    expect([stateOf(one.session), stateOf(other.session)]).toEqual(['pending', 'pending'])
  })
})

describe('the receipt', () => {
  test('has its files, each with its link, which gives its bytes', async () => {
    const { words, document } = await page(await receiptOf('/shop?i=5&d=2024-08-01'))
    expect(words).toMatch(/Order ord_[\w-]+ Paid 2024-08-10 12:00:00 UTC Items 1 item, 100 B Total 1.00 EUR, tax included. No money has moved. As PDF Files/)
    const href = document.querySelector('td a')!.getAttribute('href')!
    expect(href).toMatch(/^\/api\/download\/order\/ord_[\w-]+\/5\/2024-08-01\?t=[\w-]{43}$/)
    expect(await (await fetch(shop.url + href)).text()).toContain('5 2024-08-01...')
  })

  test('of a bundle links to its archive', async () => {
    const href = (await page(await receiptOf(`${SERIES}&d=2024-08-01`))).document.querySelector('td a')!.getAttribute('href')!
    expect(href).toMatch(/\/7\/2024-08-01\?kind=series_day&zip=1&t=/)
    const { status, headers } = await fetch(shop.url + href)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/zip'])
  })

  test('a wrong token and an unknown order have the same answer', async () => {
    const receipt = await receiptOf()
    const [wrong, unknown] = [await page(receipt.replace(/t=.*/, 't=x')), await page('/shop/receipt/ord_2?t=x')]
    expect([wrong.status, unknown.text]).toEqual([404, wrong.text])
    const headers = ({ headers: all }: Page): unknown[] => [...all].filter(([name]) => name !== 'date')
    expect(headers(unknown)).toEqual(headers(wrong))
    expect((await page(receipt.replace(/\?.*/, ''))).status).toBe(400)
    opened.time.ms += 30 * 86_400_000
    for (const path of [receipt, pdfOf(receipt)]) expect((await page(path)).status).toBe(410)
  })

  test('as PDF: the same token, equal bytes, in no frame and never guessed at', async () => {
    const receipt = await receiptOf()
    const link = [...(await page(receipt)).document.querySelectorAll('dd a')].map((one) => one.getAttribute('href'))
    expect(link).toEqual([pdfOf(receipt)])
    const [one, two] = [await page(pdfOf(receipt)), await page(pdfOf(receipt))]
    expect([one.status, two.text, textLines(one.text).at(-1)]).toEqual([200, one.text, 'No money has moved.'])
    expect(one.text).not.toContain(/t=(.*)/.exec(receipt)![1])
    expect(['content-type', 'content-disposition', 'x-content-type-options', 'content-security-policy', 'x-frame-options', 'cache-control'].map((name) => one.headers.get(name))).toEqual([
      'application/pdf', 'inline; filename="receipt.pdf"', 'nosniff', "default-src 'none'; frame-ancestors 'none'", 'DENY', 'no-store',
    ])
    const [wrong, unknown] = [await page(pdfOf(receipt).replace(/t=.*/, 't=x')), await page('/shop/receipt/ord_2/pdf?t=x')]
    expect([wrong.status, unknown.text]).toEqual([404, wrong.text])
    expect((await page(pdfOf(receipt).replace(/\?.*/, ''))).status).toBe(400)
  })

  test('of a refunded order says so', async () => {
    const receipt = await receiptOf()
    opened.service.purchases.refund(/ord_[\w-]+/.exec(receipt)![0])
    expect((await page(receipt)).words).toContain('This order was refunded.')
  })
})

describe('the account', () => {
  const signedIn = async (token = ANN.token): Promise<Page> => post('/account/sign-in', { ...formOf(await page('/account'), '/account/sign-in'), token })
  const cookieOf = ({ headers }: Page): string => headers.get('set-cookie')?.split(';')[0] ?? ''

  test('sign in, a new key, sign out', async () => {
    const entered = await signedIn()
    expect([locationOf(entered), entered.headers.get('set-cookie')]).toEqual(['/account', expect.stringMatching(/^backtape_shop=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)])
    const headers = { cookie: `other=1; ${cookieOf(entered)}` }
    const own = await page('/account', { headers })
    expect([own.document.querySelector('h1')?.textContent, own.words.includes('key-1'), own.words.includes('a_spot, 5 2024-08-09, 2024-08-11')]).toEqual(['ann & co', true, true])
    expect((await page(CART, { headers })).words).toContain('You are signed in as ann & co.')
    expect(locationOf(await post('/account', formOf(own, '/account'), headers))).toBe('/account')
    const next = await page('/account', { headers })
    expect([next.words.includes('key-1'), next.document.querySelector('section code')?.textContent]).toEqual([false, opened.service.accounts.realtimeKey(ANN)])
    const left = await post('/account/sign-out', formOf(own, '/account/sign-out'), headers)
    expect([locationOf(left), left.headers.get('set-cookie')]).toEqual(['/account', 'backtape_shop=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0'])
  })

  test('the token as a header opens the page too; others do not', async () => {
    const shown = async (headers: Record<string, string>): Promise<boolean> => (await page('/account', { headers })).words.includes('key-1')
    expect([await shown({ authorization: `Bearer ${ANN.token}` }), await shown({ authorization: 'Bearer x' }), await shown({ cookie: 'backtape_shop=x' }), await shown({ cookie: 'backtape_shop=' })]).toEqual([true, false, false, false])
  })

  test.each<[string, Record<string, string>, number]>([['a wrong token', { token: 'x' }, 404], ['no token of the form', { csrf: 'x', token: ANN.token }, 403], ['no token', {}, 400]])('%s signs nobody in', async (_name, fields, status) => {
    const answer = await post('/account/sign-in', { ...formOf(await page('/account'), '/account/sign-in'), ...fields })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null])
  })

  test('forms without a session, and with the token of another form or account', async () => {
    const entry = formOf(await page('/account'), '/account/sign-in')
    expect([(await post('/account', entry)).status, (await post('/account/sign-out', entry)).status]).toEqual([404, 404])
    const headers = { cookie: cookieOf(await signedIn()) }
    const bob = formOf(await page('/account', { headers: { authorization: 'Bearer token-of-bob' } }), '/account')
    for (const fields of [entry, bob]) expect([(await post('/account', fields, headers)).status, (await post('/account/sign-out', fields, headers)).status]).toEqual([403, 403])
    expect(opened.service.accounts.realtimeKey(ANN)).toBe('key-1')
  })
})
