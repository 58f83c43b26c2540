import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import { newFolder } from '../support/new-folder.ts'
import { checkoutBody, checkoutHeaders, listed } from '../support/served-shop.ts'
import { SWAP_DAYS, SWAP_ID } from '../support/shop-folder.ts'
import { bought, bundle, bundleOf, BUNDLE_DAY, BEYOND, ANN, clientSeen, DAY, NEXT, SPOT_ID, SERIES, file, ordered, range, rows, scene, sold, stateOf, tick, rowCase, until } from '../support/shop-row-scenes.ts'
import { type Asked, camelCased, clientRows, type Seen, shopRows } from '../support/shop-rows.ts'
import { limitCases } from '../support/shop-row-cases.ts'

/** Rows that no answer of this shop can have, or that take a machine of their own, and where they are held. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'error headersTooLong': 'test/shop/http/shop-http.test.ts',
  'limit archiveBytes': 'test/protocol/shop/shop-states.test.ts',
  'limit linkLines': 'a cart has one instrument or bundle, and a link spans 366 days',
  'limit pollSecondsMax': 'test/shop/client/shop-buying.test.ts',
  'limit pollSecondsMin': 'test/shop/client/shop-buying.test.ts',
  'transition archive: pending overLimit too_large': 'test/protocol/shop/shop-states.test.ts',
  'transition archive: ready overLimit too_large': 'test/protocol/shop/shop-states.test.ts',
  'transition export: failed request converting': 'test/serve/goods-exports.test.ts',
  'transition export: ready evict none': 'test/serve/goods-exports.test.ts',
}

/** Rows that the client has no use for, or that the local shop does not have. */
const CLIENT_ELSEWHERE: Readonly<Record<string, string>> = {
  'answer download: 200 ArchiveCounts for kind=series_day&status=1': 'it asks the probe of the zip, which starts the copying',
  'answer download: 200 DayState for restore=1': 'it restores what is cold alone',
  'answer download: 202 ArchiveState for kind=series_day&zip=1': 'it asks for bytes that are ready',
  'answer download: 202 Preparing for nothing else': 'it asks for bytes that are ready',
  'answer range: 200 ArchiveCounts for restore=1': 'it restores what is cold alone',
  'answer range: 202 ArchiveCounts for nothing else': 'it asks for bytes that are ready',
}

describe('search and discovery', () => {
  rowCase('instruments by words', async () => {
    const shop = await scene()
    const client = shop.client()
    const query = { q: 'xrp', venue: 'synthetic_swap', class: 'perp', base: 'XRP', limit: 5 }
    const raw = await rows.ask(shop.url, 'search', { query })
    expect(raw.body).toMatchObject({ total: 1, query, filters: { venue: 'synthetic_swap', class: ['perpetual'], base: 'XRP' } })
    expect(await client.search(query)).toEqual(camelCased(raw.body))
    const words = await rows.ask(shop.url, 'search', { query: { q: 'xrp perp' } })
    expect(words.body['interpretation']).toMatchObject({ class: ['perpetual'] })
    expect(await client.search('xrp perp')).toEqual(camelCased(words.body))
    const none = await rows.ask(shop.url, 'search', { query: { q: 'nothing-of-it' } })
    expect([none.body['total'], none.body['did_you_mean']]).toEqual([0, { venues: expect.any(Array) as unknown, drop: expect.any(Array) as unknown }])
    expect(await client.search('nothing-of-it')).toEqual(camelCased(none.body))
    for (const [word, classes] of Object.entries(SHOP.classes)) {
      const { body } = await rows.ask(shop.url, 'search', { query: { class: word } })
      expect([word, (body['filters'] as Record<string, unknown>)['class']]).toEqual([word, classes])
      rows.saw(`class ${word}`)
    }
    const unknown = await rows.ask(shop.url, 'search', { query: { class: 'bond' } })
    expect([unknown.error, (unknown.body['error'] as { details: { allowed: string[] } }).details.allowed]).toEqual(['unknownClass', Object.keys(SHOP.classes)])
    expect((await rows.ask(shop.url, 'search', { query: { limit: SHOP.limits.searchResults.value } })).status).toBe(200)
    expect((await rows.ask(shop.url, 'search', { query: { limit: SHOP.limits.searchResults.value + 1 } })).error).toBe('invalidInput')
    rows.saw('limit searchResults')
  })

  rowCase('days, gaps, months, bundles, samples and minutes', async () => {
    const shop = await scene()
    const client = shop.client()
    await bundleOf(shop)
    const id = { path: { id: SWAP_ID } }
    const coverage = await rows.ask(shop.url, 'coverage', id)
    expect(coverage.body).toMatchObject({ first_day: DAY, last_day: NEXT, days_with_data: 2, coverage_pct: 100, gaps: [] })
    expect(await client.coverage(SWAP_ID)).toEqual(camelCased(coverage.body))
    const first = await rows.ask(shop.url, 'days', { ...id, query: { limit: 1 } })
    expect(first.body).toMatchObject({ days: [{ date: NEXT }], next_cursor: NEXT })
    expect(await client.daysPage(SWAP_ID, { limit: 1 })).toEqual(camelCased(first.body))
    const last = await rows.ask(shop.url, 'days', { ...id, query: { before: NEXT } })
    expect(last.body).toMatchObject({ days: [{ date: DAY }], next_cursor: null })
    expect(await client.daysPage(SWAP_ID, { before: NEXT })).toEqual(camelCased(last.body))
    const month = await rows.ask(shop.url, 'calendar', { ...id, query: { month: '2026-07' } })
    expect(await client.calendar(SWAP_ID, '2026-07')).toEqual(camelCased(month.body))
    const bundles = await rows.ask(shop.url, 'bundles')
    expect(await listed(client.bundles())).toEqual(camelCased(bundles.body['bundles']))
    const ofSeries = await rows.ask(shop.url, 'bundleDays', { path: { series_key: SERIES }, query: { limit: 5, before: '2026-07-05' } })
    expect(await client.bundleDaysPage(SERIES, { limit: 5, before: '2026-07-05' })).toEqual(camelCased(ofSeries.body))
    const samples = await rows.ask(shop.url, 'samples')
    expect(await listed(client.samples())).toEqual(camelCased(samples.body['samples']))
    const minutes = await rows.ask(shop.url, 'statistics', { ...id, query: { format: 'csv' } })
    expect(minutes.bytes.toString().split('\n')[1]!.split(',')).toHaveLength(22)
    expect(Buffer.from(await client.statistics(SWAP_ID)).equals(minutes.bytes)).toBe(true)
    for (const [name, path] of [['coverage', { id: 5 }], ['days', { id: 5 }], ['bundleDays', { series_key: 'none' }], ['statistics', { id: 5 }]] as const)
      expect((await rows.ask(shop.url, name, { path })).error).toBe('notFound')
    expect((await rows.ask(shop.url, 'calendar', { path: { id: 5 }, query: { month: '2026-07' } })).error).toBe('notFound')
    await expect(client.coverage(5)).rejects.toMatchObject({ code: 'SHOP_REFUSED' })
  })

  rowCase('before the first day is sold there is none', async () => {
    const shop = await scene({ now: '2026-07-01T12:00:00Z' })
    const coverage = await rows.ask(shop.url, 'coverage', { path: { id: SWAP_ID } })
    expect(coverage.body).toMatchObject({ first_day: null, last_day: null, days_with_data: 0, coverage_pct: 0 })
    expect(await shop.client().coverage(SWAP_ID)).toEqual(camelCased(coverage.body))
    const search = await rows.ask(shop.url, 'search', { query: { q: 'xrpusdt' } })
    expect((search.body['results'] as readonly object[])[0]).toMatchObject({ data: { days: 0, first_day: null, last_day: null } })
    expect(await shop.client().search('xrpusdt')).toEqual(camelCased(search.body))
  })

  rowCase('free days, whole and as an export', async () => {
    const shop = await scene()
    const path = { id: SWAP_ID, date: DAY }
    const whole = await rows.ask(shop.url, 'sample', { path })
    const lies = readFileSync(join(sold.folder, SWAP_DAYS[0]))
    expect(whole.bytes.equals(lies)).toBe(true)
    const client = shop.client()
    const [sample] = await listed(client.samples())
    const table = { out: newFolder(), format: 'bbo.csv.gz' }
    await expect(client.downloadSample(sample!, { ...table, format: 'liquidations.parquet', wait: false })).rejects.toMatchObject({ code: 'SHOP_NOT_READY' })
    const ask = (): Promise<Seen> => rows.ask(shop.url, 'sample', { path, query: { format: 'bbo.csv.gz' } })
    expect((await ask()).body).toEqual({ state: 'pending', reason: 'converting' })
    expect((await until(ask, ({ status }) => status === 200)).bytes.subarray(0, 2).toString('hex')).toBe('1f8b')
    expect((await rows.ask(shop.url, 'sample', { path, ...BEYOND })).headers.get('content-range')).toBe(`bytes */${String(lies.length)}`)
    expect((await rows.ask(shop.url, 'sample', { path: { id: SWAP_ID, date: NEXT } })).error).toBe('notFound')
    expect((await client.downloadSample(sample!, table)).state).toBe('new')
    const { path: at } = await client.downloadSample(sample!, { out: newFolder() })
    expect(readFileSync(at!).equals(lies)).toBe(true)
  })

  rowCase('descriptions', async () => {
    const shop = await scene()
    const [one, two, text] = [await rows.ask(shop.url, 'openApi'), await rows.ask(shop.url, 'wellKnownOpenApi'), await rows.ask(shop.url, 'llms')]
    expect(one.bytes.equals(two.bytes)).toBe(true)
    const document = JSON.parse(one.bytes.toString()) as { openapi: string, paths: Record<string, object> }
    expect([document.openapi.startsWith('3.1'), Object.keys(document.paths).sort()]).toEqual([true, [...new Set(Object.values(SHOP.routes).map(({ path }) => path))].sort()])
    expect(text.bytes.toString()).toContain('/api/quote')
  })
})

describe('purchase', () => {
  rowCase('a price, a checkout, its payment and its order', async () => {
    const shop = await scene()
    await bundleOf(shop)
    const client = shop.client()
    const items = [tick(SWAP_ID, DAY), BUNDLE_DAY(), tick(SWAP_ID, '2026-07-03'), tick(5, DAY), tick(SWAP_ID, '2026-07-08')]
    const quote = await rows.ask(shop.url, 'quote', { body: { items } })
    expect(quote.body).toMatchObject({ items_requested: 5, items_available: 2, total_cents: 200, total_eur: '2.00', price_eur_per_day: '1.00' })
    expect((quote.body['missing'] as readonly { reason: string }[]).map(({ reason }) => reason)).toEqual(['no_data', 'unknown_instrument', 'not_sellable_yet'])
    const asked = items.map((one) => camelCased(one)) as readonly { instrumentId: number, date: string, kind: 'tick' | 'series_day' }[]
    const answer = await client.quote(asked)
    const { total_eur: eur, price_eur_per_day: perDay, items_available: _available, bundles, bundle_days: bundleDays, available, missing, checkout: _hint, ...plain } = quote.body
    expect([answer.totalEur.toFixed(2), answer.priceEurPerDay.toFixed(2)]).toEqual([eur, perDay])
    expect(answer).toMatchObject({ ...camelCased({ ...plain, bundles, bundle_days: bundleDays }) as object, items: camelCased(available) })
    expect(new Set(answer.missing)).toEqual(new Set(camelCased(missing) as object[]))
    const hint = quote.body['checkout'] as Record<string, object>
    expect(answer.checkout).toMatchObject({ method: hint['method'], url: hint['url'], bodyExample: hint['body_example'], then: hint['then'] })

    const checkout = await client.checkout(answer, { email: 'me@example.org' })
    const path = { session_id: checkout.sessionId }
    expect((await rows.ask(shop.url, 'session', { path })).body).toEqual({ status: 'pending' })
    shop.pay(checkout.sessionId)
    const paid = await rows.ask(shop.url, 'session', { path })
    const order = await checkout.paid()
    const raw = await rows.ask(shop.url, 'order', { path: { order_id: order.orderId }, headers: { authorization: `Bearer ${String(paid.body['download_token'])}` } })
    expect(raw.body).toMatchObject({ order_id: checkout.orderId, status: 'paid', total_cents: 200, item_count: 2, paid_at: expect.stringMatching(/^2026-07-08T00:00:\d\dZ$/) as unknown })
    const { item_count: _count, ...shown } = raw.body
    expect({ ...order }).toMatchObject(camelCased({ order_id: shown['order_id'], status: shown['status'], paid_at: shown['paid_at'], total_cents: 200, items: shown['items'] }) as object)
    expect([order.invoiceHostedUrl, order.invoicePdfUrl, order.currency]).toEqual([shown['invoice_hosted_url'], shown['invoice_pdf_url'], 'EUR'])

    const key = checkoutHeaders()
    const ask = (one: object): Promise<Seen> => rows.ask(shop.url, 'checkout', { body: one, headers: key })
    const body = checkoutBody(shop.url, [tick(SWAP_ID, DAY)])
    const [first, again] = [await ask(body), await ask(body)]
    expect([first.status, again.status, again.bytes.equals(first.bytes)]).toEqual([201, 201, true])
    expect((await ask(checkoutBody(shop.url, [tick(SWAP_ID, NEXT)]))).error).toBe('invalidInput')
    expect((await rows.ask(shop.url, 'checkout', { body })).error).toBe('invalidInput')
    expect((await rows.ask(shop.url, 'checkout', { body: { ...body, success_url: 'https://elsewhere.example/' }, headers: checkoutHeaders() })).error).toBe('invalidInput')
    const gone = await rows.ask(shop.url, 'checkout', { body: checkoutBody(shop.url, [tick(SWAP_ID, '2026-07-03')]), headers: checkoutHeaders() })
    expect([gone.error, (gone.body['error'] as { details: { missing: object[] } }).details.missing]).toEqual(['notAvailable', [{ ...tick(SWAP_ID, '2026-07-03'), reason: 'no_data' }]])
    const owned = await rows.ask(shop.url, 'checkout', { body: checkoutBody(shop.url, [tick(SWAP_ID, NEXT)]), headers: { ...checkoutHeaders(), authorization: `Bearer ${ANN.token}` } })
    expect([owned.error, (owned.body['error'] as { details: object }).details]).toEqual(['alreadyOwned', { owned: [tick(SWAP_ID, NEXT)] }])
  })

  rowCase('unknown sessions and orders, and wrong tokens, get equal answers', async () => {
    const shop = await scene()
    const order = await bought(shop, [tick(SWAP_ID, DAY)])
    const session = await rows.ask(shop.url, 'session', { path: { session_id: 'cs_none' } })
    const orders = await Promise.all([order.orderId, 'ord_none'].map((id) => rows.ask(shop.url, 'order', { path: { order_id: id }, headers: { authorization: 'Bearer wrong' } })))
    const files = await Promise.all([order, { ...order, orderId: 'ord_none' }].map((one) => file(shop, { ...one, token: 'wrong' }, {})))
    const plain = ({ status, bytes, headers, error }: Seen): object => ({ status, error, text: bytes.toString(), headers: [...headers].filter(([name]) => name !== 'date') })
    expect(session.error).toBe('noAccess')
    expect(plain(orders[0]!)).toEqual(plain(orders[1]!))
    expect(plain(files[0]!)).toEqual(plain(files[1]!))
    expect(plain(orders[0]!)).toEqual(plain(files[0]!))
    await expect(shop.client().order(order.orderId, { token: 'wrong' })).rejects.toMatchObject({ code: 'SHOP_REFUSED' })
  })
})

describe('download', () => {
  rowCase('the bytes, the states and the exports of a day', async () => {
    const shop = await scene()
    const order = await bought(shop, [tick(SWAP_ID, DAY), tick(SPOT_ID, DAY)])
    const lies = readFileSync(join(sold.folder, SWAP_DAYS[0]))
    const whole = await file(shop, order, {})
    expect(whole.bytes.equals(lies)).toBe(true)
    const part = await file(shop, order, {}, {}, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range'), part.bytes.equals(lies.subarray(10, 20))]).toEqual([206, `bytes 10-19/${String(lies.length)}`, true])
    expect((await file(shop, order, {}, {}, BEYOND)).error).toBe('beyondEnd')
    expect([await stateOf(file(shop, order, {}, { status: '1' })), await stateOf(file(shop, order, {}, { restore: '1' }))]).toEqual(['ready', 'ready'])
    const probe = (format: string, id = SWAP_ID): Promise<Seen> => file(shop, order, { id }, { format, probe: '1' })
    expect((await file(shop, order, {}, { format: 'trades.csv.gz' })).body).toEqual({ state: 'pending', reason: 'converting' })
    await until(() => probe('trades.csv.gz'), ({ body }) => body['state'] === 'ready')
    expect((await file(shop, order, {}, { format: 'trades.csv.gz' })).bytes.subarray(0, 2).toString('hex')).toBe('1f8b')
    rows.saw('transition export: none request converting', 'transition export: converting built ready')
    expect(await stateOf(probe('liquidations.csv.gz', SPOT_ID))).toBe('pending')
    rows.saw('transition export: none probe converting')
    await until(() => probe('liquidations.csv.gz', SPOT_ID), ({ body }) => body['state'] === 'empty')
    expect((await file(shop, order, { id: SPOT_ID }, { format: 'liquidations.csv.gz' })).error).toBe('notFound')
    rows.saw('transition export: converting empty empty')
    const mine = await ordered(shop, order)
    const files = await listed(shop.client().download(mine, { out: newFolder(), items: [{ instrumentId: SWAP_ID, date: DAY, kind: 'tick' }] }))
    expect(files.map(({ path }) => readFileSync(path!).equals(lies))).toEqual([true])
    // One that waits looks again after five seconds.
    await expect(listed(shop.client().download(mine, { out: newFolder(), format: 'liquidations.csv.gz', wait: false }))).rejects.toMatchObject({ code: 'SHOP_NOT_READY' })
    await until(() => probe('liquidations.csv.gz'), ({ body }) => body['state'] === 'ready')
    const tables = await listed(shop.client().download(mine, { out: newFolder(), format: 'liquidations.csv.gz' }))
    expect(tables.map(({ state }) => state).sort()).toEqual(['empty', 'new'])
    expect((await file(shop, order, {}, { status: '1', restore: '1' })).error).toBe('invalidInput')
  }, 30_000)

  rowCase('cold days: the control port, restores, and the client that waits', async () => {
    const shop = await scene({ restoreTime: '1s' })
    const order = await bought(shop, [tick(SWAP_ID, DAY)])
    const goods = { goods: 'synthetic_swap:XRPUSDT', day: DAY }
    const state = (): Promise<string> => stateOf(file(shop, order, {}, { status: '1' }))
    const freeze = async (from: string): Promise<void> => {
      expect([await shop.act('cold', goods), await state()]).toEqual([200, 'cold'])
      rows.saw(`transition dayFile: ${from} freeze cold`)
    }
    const restore = async (): Promise<void> => {
      expect((await file(shop, order, {}, { restore: '1' })).body).toEqual({ state: 'pending' })
      expect((await file(shop, order, {})).body).toEqual({ state: 'pending', reason: 'restoring' })
      rows.saw('transition dayFile: cold restore restoring')
    }
    const thaw = async (from: string): Promise<void> => {
      expect([await shop.act('thaw', goods), await state()]).toEqual([200, 'ready'])
      rows.saw(`transition dayFile: ${from} thaw restored`)
    }
    await freeze('ready')
    expect([(await file(shop, order, {})).body, await stateOf(file(shop, order, {}, { format: 'trades.csv.gz', probe: '1' }))]).toEqual([{ state: 'cold' }, 'cold'])
    await thaw('cold')
    await freeze('restored')
    await restore()
    await thaw('restoring')
    await freeze('restored')
    await restore()
    await freeze('restoring')
    await restore()
    await until(() => file(shop, order, {}, { status: '1' }), ({ body }) => body['state'] === 'ready')
    rows.saw('transition dayFile: restoring time restored')
    await freeze('restored')
    const mine = await ordered(shop, order)
    await expect(listed(shop.client().download(mine, { out: newFolder(), wait: false }))).rejects.toMatchObject({ code: 'SHOP_NOT_READY' })
    expect(await shop.client().restore(mine)).toMatchObject([{ state: 'pending' }])
    expect(await shop.act('hide', { goods: SWAP_ID })).toBe(200)
    expect((await rows.ask(shop.url, 'coverage', { path: { id: SWAP_ID } })).error).toBe('notFound')
    await until(() => file(shop, order, {}, { status: '1' }), ({ body }) => body['state'] === 'ready')
    expect((await file(shop, order, {})).status).toBe(200)
  }, 30_000)

  rowCase('a bundle day as zip, a window as tar, their manifests and counts', async () => {
    const shop = await scene()
    await bundleOf(shop)
    const order = await bought(shop, [BUNDLE_DAY()])
    const zip = (query: Record<string, string> = {}, more: Asked = {}): Promise<Seen> => file(shop, order, { id: bundle.id }, { kind: 'series_day', zip: '1', ...query }, more)
    const whole = { kind: 'series_day' }
    const count = ((await file(shop, order, { id: bundle.id }, { ...whole, manifest: '1' })).body['members'] as readonly object[]).length
    expect(count).toBeGreaterThan(1)
    const counts = (ready: number, pending: number, cold: number): object => ({ ready, pending, cold })
    expect((await file(shop, order, { id: bundle.id }, { ...whole, status: '1' })).body).toEqual(counts(count, 0, 0))
    await until(() => zip({ probe: '1' }), ({ body }) => body['state'] === 'ready')
    rows.saw('transition archive: pending allReady ready')
    const archive = await until(() => zip(), ({ status }) => status === 200)
    expect(archive.bytes.subarray(0, 2).toString()).toBe('PK')
    expect((await zip({}, BEYOND)).error).toBe('beyondEnd')
    const tar = await range(shop, order)
    expect([tar.bytes.length % 512, (await range(shop, order, { status: '1' })).body, (await range(shop, order, { restore: '1' })).status]).toEqual([0, counts(count, 0, 0), 200])
    expect((await range(shop, order, {}, BEYOND)).error).toBe('beyondEnd')
    expect((await range(shop, order, { manifest: '1' })).body).toEqual((await file(shop, order, { id: bundle.id }, { ...whole, manifest: '1' })).body)
    expect((await range(shop, { ...order, token: 'wrong' })).error).toBe('noAccess')
    const members = (await range(shop, order, { manifest: '1' })).body['members'] as readonly { instrument_id: number }[]
    expect(await shop.act('cold', { goods: members[0]!.instrument_id, day: DAY })).toBe(200)
    expect([(await zip({ complete: '1' })).error, (await range(shop, order, { complete: '1' })).error]).toEqual(['partialArchive', 'partialArchive'])
    expect((await range(shop, order, { status: '1' })).body).toEqual(counts(count - 1, 0, 1))
    const mine = await ordered(shop, order)
    expect([(await zip({ probe: '1' })).body, (await zip()).status]).toEqual([{ state: 'pending' }, 202])
    rows.saw('transition archive: ready notReady pending')
    expect((await range(shop, order, { restore: '1' })).body).toEqual(counts(count - 1, 1, 0))
    for (const { instrument_id: goods } of members) await shop.act('cold', { goods, day: DAY })
    expect([(await range(shop, order)).body, (await range(shop, order)).status]).toEqual([counts(0, 0, count), 202])
    await expect(listed(shop.client().download(mine, { out: newFolder(), ranges: true, wait: false }))).rejects.toMatchObject({ code: 'SHOP_NOT_READY' })
    for (const { instrument_id: goods } of members) await shop.act('thaw', { goods, day: DAY })
    expect([(await zip({ complete: '1' })).status, (await range(shop, order, { complete: '1' })).status]).toEqual([200, 200])
    for (const ranges of [false, true]) {
      const [one] = await listed(shop.client().download(mine, { out: newFolder(), ranges }))
      expect(readFileSync(one!.path!).equals(ranges ? tar.bytes : archive.bytes)).toBe(true)
    }
    const span = { from: '2026-07-01', to: '2026-10-08' }
    expect([(await range(shop, order, span)).status, (await range(shop, order, { ...span, to: '2026-10-09' })).error]).toEqual([200, 'invalidInput'])
    rows.saw('limit rangeDays')
  }, 30_000)
})

limitCases()

test('every row of the tables has its case', () => {
  const wanted = shopRows()
  const missing = [...wanted].filter((row) => !rows.seen.has(row))
  expect(missing.sort()).toEqual(Object.keys(ELSEWHERE).sort())
  for (const place of Object.values(ELSEWHERE)) expect([place, !place.startsWith('test/') || existsSync(place)]).toEqual([place, true])
})

test('every row of the client has its case', () => {
  const missing = [...clientRows()].filter((row) => !clientSeen.seen.has(row))
  expect(missing.sort()).toEqual(Object.keys(CLIENT_ELSEWHERE).sort())
})
