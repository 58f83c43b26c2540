import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openShop } from '../../src/shop/checked/open-shop.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { ShopPurchases } from '../../src/shop/server/shop-purchases.js'
import { backtape, backtapeProcess, type CommandResult } from '../support/command.ts'
import { isNight } from '../support/repetitions.ts'

const day = (date: string): string => resolve(`datasets/synthetic_swap-XRPUSDT-${date}.txt.zst`)
const NAME = 'synthetic_swap:XRPUSDT'
const ACCOUNT = { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } }
let [home, address] = ['', '']
let serving: Serving | null = null

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'backtape-cli-shop-'))
  serving = await openServing({
    data: [day('2026-07-01'), day('2026-07-02')], account: ACCOUNT, httpPort: 0, replay: { start: 'paused' },
    shop: { stateFolder: join(home, 'state'), samples: [`${NAME} 2026-07-01`], now: '2026-07-04T12:00:00Z' },
  })
  address = serving.addresses.http
})

afterAll(async () => {
  await serving?.close()
  rmSync(home, { recursive: true, force: true })
})

/** The shop of this file, and its buyer. */
const surroundings = (): { cwd: string, env: Record<string, string> } => (
  { cwd: home, env: { BACKTAPE_SHOP: address, BACKTAPE_CONFIG: join(home, 'config') } })

/** Runs `backtape shop` with the shop of this file. */
function shop(...args: readonly string[]): Promise<CommandResult> {
  return backtape(['shop', ...args], surroundings())
}

/** Pays every open session, as a person at the pay page does. */
async function payWhenAsked(): Promise<void> {
  for (let looks = 0; looks < 600; looks++) {
    const { out } = await shop('orders', '--json')
    const { unpaid } = JSON.parse(out) as { unpaid: { sessionId: string }[] }
    for (const { sessionId } of unpaid) serving?.shop?.service.purchases.pay(sessionId)
    if (unpaid.length > 0) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error('nothing was to be paid')
}

/** Pays a session as it is looked at for the nth time from now on: who finds it unpaid looks again after ten seconds. */
function payAtLook(nth: number): void {
  const { purchases } = serving!.shop!.service
  let left = nth
  purchases.session = (sessionId) => {
    if (--left > 0) return ShopPurchases.prototype.session.call(purchases, sessionId)
    Reflect.deleteProperty(purchases, 'session')
    return purchases.pay(sessionId)
  }
}

describe('finding', () => {
  test('an instrument is found by words, and its days are those of the folder', async () => {
    const search = await shop('search', 'xrp', 'perp', '--json')
    const { results, interpretation } = JSON.parse(search.out) as {
      results: { instrumentId: number, code: string, data: { days: number } }[], interpretation: { class: string[] }
    }
    expect(results).toMatchObject([{ code: 'XRPUSDT', type: 'perpetual', data: { days: 2 } }])
    expect(interpretation.class).toEqual(['perpetual'])
    expect((await shop('days', NAME)).out.match(/2026-07-0\d +\d+/g)?.map((line) => line.replace(/ +/, ' '))).toEqual([
      `2026-07-02 ${statSync(day('2026-07-02')).size}`, `2026-07-01 ${statSync(day('2026-07-01')).size}`,
    ])
    expect((await shop('coverage', 'XRPUSDT')).out).toMatch(/2 days from 2026-07-01 to 2026-07-02 \(100 %\)/)
    expect((await shop('calendar', 'xrpusdt', '2026-07')).out).toMatch(/2026-07-01.*\n2026-07-02/)
    expect((await shop('samples')).out).toContain('XRPUSDT')
  })

  test.each<[string, readonly string[], readonly string[]]>([
    ['a word too many', ['xrp', 'foo'], ['Try it without: foo']],
    ['a venue that is none', ['xrp', 'syntetic_swap'], ['Nearest venues: synthetic_swap', 'Try it without: syntetic_swap']],
    ['another class', ['xrp', '--class', 'call'], ['Try it without: call']], ['nothing of it', ['foo', 'bar'], []],
  ])('a search that finds nothing says what to change: %s', async (_what, words, hints) => {
    const { code, err } = await shop('search', ...words)
    expect([code, err.trimEnd().split('\n')]).toEqual([0, [...hints, '0 instruments of 0']])
  })

  test('minutes are CSV with their source above', async () => {
    const { code, out } = await shop('stats', NAME)
    expect(code).toBe(0)
    const [source = '', header = ''] = out.split('\n')
    expect([source.startsWith('# source: '), header.split(',').length]).toEqual([true, 22])
    const rows = out.trimEnd().split(/\r?\n/).slice(2)
    const { note, minutes } = JSON.parse((await shop('stats', NAME, '--json')).out) as { note: string, minutes: object[] }
    expect(`# ${note}`).toBe(source.trimEnd())
    expect(minutes.map((minute) => [Object.keys(minute), Object.values(minute).join(',')])).toEqual(rows.map((row) => [header.trimEnd().split(','), row]))
  })

  test.each([
    ['quoted cells, empty ones, and a last line without its end', '# source: made\na,b\r\n"1,5",\r\n"x ""y""",0.10', 0,
      { note: 'source: made', minutes: [{ a: '1,5', b: null }, { a: 'x "y"', b: '0.10' }] }],
    ['no line above', 'a,b\n1,2\n', 0, { note: '', minutes: [{ a: '1', b: '2' }] }],
    ['no minute', '# source: made\na,b\n', 0, { note: 'source: made', minutes: [] }],
    ['a cell too few', '# source: made\na,b\n1,2\n3\n', 1, /row 2 must have 2 cells, found 1/],
    ['a cell too many', 'a,b\n1,2,3\n', 1, /row 1 must have 2 cells, found 3/],
    ['a quote that stays open', 'a,b\n1,"2\n', 1, /row 1 must have a cell whose quote is closed/],
  ] as const)('minutes of another shop with %s', async (_what, csv, code, expected) => {
    const server = createServer((_, response) => { response.writeHead(200, { 'content-type': 'text/csv' }).end(csv) })
    await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done) })
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const found = await shop('stats', '7', '--json', '--shop', url)
      expect(found.code).toBe(code)
      if (expected instanceof RegExp) expect([found.out, found.err]).toEqual(['', expect.stringMatching(expected)])
      else expect(JSON.parse(found.out)).toEqual(expected)
    } finally {
      server.close()
    }
  })

  test('a price names the days that do not exist, and those that are not sold yet', async () => {
    const { code, out } = await shop('quote', NAME, '2026-07-02..2026-07-04')
    expect(code).toBe(0)
    expect(out).toMatch(/^1 day: 1\.00 EUR/)
    expect(out.match(/^missing: .*$/gm)).toEqual([
      `missing: ${NAME} 2026-07-03 (no_data)`, `missing: ${NAME} 2026-07-04 (not_sellable_yet)`,
    ])
  })

  test('a link is the address of a cart', async () => {
    expect((await shop('link', NAME, '2026-07-01..2026-07-02')).out).toBe(
      `${address}/shop?i=9100001&d=2026-07-01..2026-07-02\n`)
    expect((await shop('link', NAME, '2025-07-02..2026-07-02')).code).toBe(0)
    for (const days of ['2025-07-01..2026-07-02', '2025-07-01,2026-07-02']) {
      const { code, out, err } = await shop('link', NAME, days)
      expect([code, out, err]).toEqual([2, '', expect.stringMatching(/366 days/)])
    }
  })
})

describe('buying and downloading', () => {
  test('a free day comes whole, and the same command finds it there', async () => {
    const first = await shop('get', NAME, '2026-07-01', '--out', 'free')
    expect([first.code, first.out]).toEqual([0, 'free/synthetic_swap-XRPUSDT-2026-07-01.txt.zst\n'])
    const file = join(home, 'free/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
    expect(readFileSync(file).equals(readFileSync(day('2026-07-01')))).toBe(true)
    const again = await shop('get', NAME, '2026-07-01', '--out', 'free')
    expect([again.code, again.err.includes('already there, whole')]).toEqual([0, true])
  })

  test.each([
    ['without a terminal or --yes', ['--email', 'me@example.org'], 1, /Nothing is bought: without a terminal/],
    ['over its limit', ['--email', 'me@example.org', '--yes', '--max-eur', '0.99'], 1, /it costs 1\.00, --max-eur is 0\.99/],
    ['as a dry run', ['--dry-run'], 0, /1 day: 1\.00 EUR/],
    ['without an address', ['--yes'], 2, /--email/],
    ['with a limit that is no amount', ['--email', 'a@b.c', '--max-eur', '1e3'], 2, /--max-eur/],
  ] as const)('nothing is bought %s', async (_what, options, code, sentence) => {
    const before = (await shop('orders', '--json')).out
    const found = await shop('buy', NAME, '2026-07-02', ...options)
    expect([found.code, found.err]).toEqual([code, expect.stringMatching(sentence)])
    expect((await shop('orders', '--json')).out).toBe(before)
  })

  test('a day is bought, paid, kept and downloaded, with an export', async () => {
    // Commands of one process take turns, and this one waits for the other.
    const args = ['shop', 'buy', NAME, '2026-07-02', '--email', 'me@example.org', '--yes', '--max-eur', '1']
    if (!isNight) payAtLook(1)
    const buying = backtapeProcess(args, surroundings())
    if (isNight) await payWhenAsked()
    const bought = await buying
    expect([bought.code, bought.out]).toEqual([0, expect.stringMatching(/^order \S+\n$/)])
    expect(bought.err).toContain(`${address}/shop/pay/`)
    const file = await shop('get', NAME, '2026-07-02', '--out', 'bought')
    expect([file.code, file.err.match(/Cannot.*/)?.[0]]).toEqual([0, undefined])
    expect(readFileSync(join(home, 'bought/synthetic_swap-XRPUSDT-2026-07-02.txt.zst'))
      .equals(readFileSync(day('2026-07-02')))).toBe(true)
    const table = await shop('get', '--order', 'last', '--format', 'trades.parquet', '--out', 'tables', '--json')
    const { files } = JSON.parse(table.out) as { files: { path: string, sizeBytes: number }[] }
    expect(files.map(({ path }) => path)).toEqual(['tables/synthetic_swap-XRPUSDT-2026-07-02.trades.parquet'])
    expect((await shop('orders')).out).toMatch(/1 day +2026-07-02/)
    expect((await shop('restore', 'last')).out).toMatch(/2026-07-02\.txt\.zst +ready/)
    expect(readdirSync(home).filter((name) => name.endsWith('.part'))).toEqual([])
  }, 60_000)

  test('the same command again buys nothing, and names the order', async () => {
    const before = (await shop('orders', '--json')).out
    const [order] = (JSON.parse(before) as { orders: { orderId: string }[] }).orders
    const options = ['--email', 'me@example.org', '--yes']
    const again = await shop('buy', NAME, '2026-07-02', ...options)
    expect([again.code, again.out, again.err.match(/.*bought already.*/)?.[0]]).toEqual(
      [0, `order ${order?.orderId}\n`, `1 day bought already; download: backtape shop get --order ${order?.orderId}`])
    const { out } = await shop('buy', NAME, '2026-07-02', ...options, '--json')
    expect((JSON.parse(out) as { orders: { orderId: string }[] }).orders.map(({ orderId }) => orderId)).toEqual([order?.orderId])
    const more = await shop('buy', NAME, '2026-07-01..2026-07-02', '--email', 'me@example.org')
    expect([more.code, more.err]).toEqual([1, expect.stringMatching(/1 day bought already.*\n1 day: 1\.00 EUR/)])
    expect((await shop('orders', '--json')).out).toBe(before)
  })

  test('days of a session that is not paid are named with its address, and not asked for in another one', async () => {
    const folder = join(home, 'other-config')
    const env = { BACKTAPE_SHOP: address, BACKTAPE_CONFIG: folder }
    const run = (...args: readonly string[]): Promise<CommandResult> => backtape(['shop', ...args], { cwd: home, env })
    const client = openShop({ url: address, configFolder: folder })
    const tick = (date: string): { instrumentId: number, date: string } => ({ instrumentId: 9100001, date })
    const first = await client.checkout(await client.quote([tick('2026-07-01')]), { email: 'me@example.org' })
    const named = `1 day not paid yet, 2026-07-01, in a session of 1 day for 1.00 EUR: ${first.checkoutUrl}\n`
    const more = await run('buy', NAME, '2026-07-01..2026-07-02', '--yes', '--dry-run')
    expect([more.code, more.err.includes(named), more.err.match(/^\d days?: [\d.]+ EUR/m)?.[0]]).toEqual([0, true, '1 day: 1.00 EUR'])
    const dear = await run('buy', NAME, '2026-07-01..2026-07-02', '--email', 'a@b.c', '--yes', '--max-eur', '1')
    expect([dear.code, dear.err]).toEqual([1, expect.stringContaining('it costs 2.00, --max-eur is 1')])
    const other = await run('buy', NAME, '2026-07-01', '--email', 'you@example.org', '--dry-run', '--json')
    expect([other.code, other.err.includes(named), JSON.parse(other.out)]).toEqual([0, true, { unpaid: [expect.objectContaining({ checkoutUrl: first.checkoutUrl })] }])
    const agreed = await run('buy', NAME, '2026-07-01..2026-07-02', '--again', '--dry-run')
    expect([agreed.err.includes(named), agreed.err]).toEqual([false, expect.stringContaining('2 days: 2.00 EUR')])
    const second = await client.checkout(await client.quote([tick('2026-07-01'), tick('2026-07-02')]), { email: 'me@example.org' })
    const both = await run('buy', NAME, '2026-07-01', '--dry-run')
    expect([both.err.includes(second.checkoutUrl), both.err.includes(first.checkoutUrl)]).toEqual([true, false])
    serving?.shop?.service.purchases.pay(second.sessionId)
    const orders = await run('orders')
    expect([orders.out.includes(second.orderId), orders.out.includes(first.checkoutUrl)]).toEqual([true, false])
    expect(orders.out).toContain('not to be paid: 1 day, 2026-07-01, of which 1 bought already by another order\n')
    expect((JSON.parse((await run('orders', '--json')).out) as { unpaid: object[] }).unpaid).toEqual([])
  })

  test('the same days with another address of the buyer go on with the session that was begun', async () => {
    const env = { BACKTAPE_SHOP: address, BACKTAPE_CONFIG: join(home, 'third-config') }
    const client = openShop({ url: address, configFolder: env.BACKTAPE_CONFIG })
    const quote = await client.quote([{ instrumentId: 9100001, date: '2026-07-02' }])
    const { sessionId, orderId } = await client.checkout(quote, { email: 'me@example.org' })
    // The days that it has, the session that it goes on with, and the payment are looked at.
    if (!isNight) payAtLook(2)
    const buying = backtapeProcess(['shop', 'buy', NAME, '2026-07-02', '--email', 'you@example.org'], { cwd: home, env })
    if (isNight) setTimeout(() => { serving?.shop?.service.purchases.pay(sessionId) }, 2000)
    expect(await buying).toMatchObject({ code: 0, out: `order ${orderId}\n` })
  }, 60_000)

  test('days of a session that the shop does not know are not asked for again', async () => {
    const folder = join(home, 'fourth-config')
    const env = { BACKTAPE_SHOP: address, BACKTAPE_CONFIG: folder }
    const client = openShop({ url: address, configFolder: folder })
    const { checkoutUrl, sessionId } = await client.checkout(await client.quote([{ instrumentId: 9100001, date: '2026-07-02' }]), { email: 'me@example.org' })
    const file = join(folder, 'shops.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`"sessionId":"${sessionId}"`, '"sessionId":"cs_other"'))
    for (const days of ['2026-07-02', '2026-07-01..2026-07-02']) {
      const { code, err } = await backtape(['shop', 'buy', NAME, days, '--email', 'me@example.org', '--yes', '--max-eur', '0.5'], { cwd: home, env })
      expect([code, err]).toEqual([1, expect.stringContaining(`${checkoutUrl} (the shop does not know it now)\n`)])
    }
    expect((await backtape(['shop', 'orders'], { cwd: home, env })).out).toBe(`not paid: 1 day, 1.00 EUR: ${checkoutUrl} (the shop does not know it now)\n`)
  })

  test('a basket in its turn is looked at once more: days that another command bought meanwhile are not asked for again', async () => {
    const env = { BACKTAPE_SHOP: address, BACKTAPE_CONFIG: join(home, 'sixth-config') }
    const client = openShop({ url: address, configFolder: env.BACKTAPE_CONFIG })
    const purchases = serving!.shop!.service.purchases
    const buying = backtapeProcess(['shop', 'buy', NAME, '2025-07-02..2026-07-02', '--email', 'me@example.org', '--yes'], { cwd: home, env })
    const begun = async (): Promise<string> => {
      for (;;) {
        const [one] = await client.unpaid()
        if (one !== undefined) return one.sessionId
        await new Promise((done) => setTimeout(done, 200))
      }
    }
    const first = await begun()
    const other = await client.checkout(await client.quote([{ instrumentId: 9100001, date: '2026-07-02' }]), { email: 'you@example.org' })
    for (const sessionId of [other.sessionId, first]) purchases.pay(sessionId)
    const { code, out, err } = await buying
    expect([code, out.match(/^order /gm)?.length, err.match(/ here: /g)?.length]).toEqual([1, 1, 1])
    expect(err).toContain('(payment 1 of 2)')
    expect(err).toContain('Another command has bought or begun some of it meanwhile: the same command goes on with the rest\n')
    expect((await backtape(['shop', 'buy', NAME, '2026-07-01..2026-07-02', '--email', 'me@example.org', '--yes'], { cwd: home, env })).code).toBe(0)
  }, 60_000)

  test('days of an order that the shop does not know for a while are not asked for again', async () => {
    const folder = join(home, 'fifth-config')
    const env = { BACKTAPE_SHOP: address, BACKTAPE_CONFIG: folder }
    const run = (...args: readonly string[]): Promise<CommandResult> => backtape(['shop', ...args], { cwd: home, env })
    const client = openShop({ url: address, configFolder: folder })
    const checkout = await client.checkout(await client.quote([{ instrumentId: 9100001, date: '2026-07-02' }]), { email: 'me@example.org' })
    serving?.shop?.service.purchases.pay(checkout.sessionId)
    const { orderId } = await checkout.paid()
    const file = join(folder, 'shops.json')
    const kept = readFileSync(file, 'utf8')
    writeFileSync(file, kept.replaceAll(orderId, 'ord_other'))
    const named = '1 day bought already, 2026-07-02, by the order ord_other, which the shop does not know now'
    for (const days of ['2026-07-02', '2026-07-01..2026-07-02']) {
      const { code, err } = await run('buy', NAME, days, '--email', 'me@example.org', '--yes', '--max-eur', '0.5')
      expect([code, err]).toEqual([1, expect.stringContaining(`${named}: not asked for in another basket; --again does that\n`)])
    }
    const agreed = await run('buy', NAME, '2026-07-02', '--again', '--dry-run')
    expect([agreed.code, agreed.err]).toEqual([0, expect.stringMatching(new RegExp(`^${named}\n1 day: 1\\.00 EUR`))])
    const { code, err } = await run('get', NAME, '2026-07-02', '--out', 'unknown')
    expect([code, err]).toEqual([1, expect.stringMatching(/orders\/ord_other: status 404/)])
    writeFileSync(file, kept)
    expect(await run('buy', NAME, '2026-07-02', '--email', 'me@example.org', '--yes')).toMatchObject({ code: 0, out: `order ${orderId}\n` })
    writeFileSync(file, kept.replaceAll(orderId, 'ord_other').replace(/"paidMs":\d+/, '"paidMs":1'))
    expect((await run('buy', NAME, '2026-07-02', '--dry-run')).err).toMatch(/^1 day: 1\.00 EUR/)
  })

  test('a day that was refunded can be bought again', async () => {
    const { orders: [order] } = JSON.parse((await shop('orders', '--json')).out) as { orders: { orderId: string }[] }
    serving?.shop?.service.purchases.refund(order?.orderId ?? '')
    const { code, err } = await shop('buy', NAME, '2026-07-02', '--dry-run')
    expect([code, err]).toEqual([0, expect.stringMatching(/^1 day: 1\.00 EUR/)])
  })

  test.each([
    [['--order', 'last'], '9100001 2026-07-02'], [[NAME, '2026-07-01..2026-07-02'], `${NAME} 2026-07-02`],
  ] as const)('an order that has expired says how its days are bought again: %s', async (words, again) => {
    const { orders: [order] } = JSON.parse((await shop('orders', '--json')).out) as { orders: { orderId: string }[] }
    serving?.shop?.service.purchases.expire(order?.orderId ?? '')
    const { code, err } = await shop('get', ...words, '--out', 'expired')
    expect([code, err.trimEnd()]).toEqual([1, expect.stringMatching(/status 410: ORDER_EXPIRED: .*expired; to buy again: .*/)])
    expect(err.trimEnd().endsWith(`backtape shop buy ${again}`)).toBe(true)
  })
})

describe('refusals', () => {
  test.each([
    ['a word that is no command', ['serch'], /did you mean search/],
    ['an instrument that is not there', ['days', 'NOPE'], /"NOPE".*none of it/],
    ['days that are none', ['quote', NAME, '2026-02-30'], /2026-02-30/],
    ['an instrument without days', ['quote', NAME], /no input|days behind/],
    ['a month that is none', ['calendar', NAME, '2026-13'], /YYYY-MM/],
    ['a class that is none', ['search', 'xrp', '--class', 'bond'], /--class/],
    ['a day that is not owned', ['get', NAME, '2026-07-03', '--out', 'x'], /to buy it: backtape shop buy/],
    ['an order that is not kept', ['get', '--order', 'ord_x', '--out', 'x'], /ord_x/],
    ['a format that is none', ['get', '--order', 'last', '--format', 'trades.xls'], /--format/],
    ['nothing to get', ['get', '--out', 'x'], /--order/],
  ] as const)('%s', async (_what, args, sentence) => {
    const { code, out, err } = await shop(...args)
    expect([code !== 0, out, err]).toEqual([true, '', expect.stringMatching(sentence)])
  })

  test('without a shop each command says how to name one', async () => {
    const { code, err } = await backtape(['shop', 'bundles'], { env: { BACKTAPE_SHOP: '' } })
    expect([code, err]).toEqual([2, expect.stringContaining('BACKTAPE_SHOP')])
  })
})
