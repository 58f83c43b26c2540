import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { extract } from 'tar-stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import type { BytesReply, ShopReply } from '../../../src/shop/server/shop-reply.js'
import type { Segments } from '../../../src/shop/server/segments.js'
import { fileSegments, readSegments } from '../../../src/shop/server/segments-reader.js'
import { FakeGoods } from '../../support/fake-goods.ts'
import { newFolder } from '../../support/new-folder.ts'
import { type BoughtOrder, bought, type OpenedShop, openedShop } from '../../support/opened-shop.ts'
import { shopRefusal, shopReply } from '../../support/shop-answers.ts'

const NO_ACCESS = { kind: 'refusal', error: 'noAccess' }
const PARTIAL = { kind: 'refusal', error: 'partialArchive' }
const HOUR_MS = 3_600_000
const ZIP = { kind: 'series_day', zip: '1' }
const DAYS = ['2024-08-01 50', '2024-08-02 60', '2024-08-03 70']

let shop: OpenedShop
let order: BoughtOrder
beforeEach(async () => {
  const goods = new FakeGoods().add(5, 'BTC', { days: DAYS }).add(6, 'ETH', { days: DAYS }).add(7, 'DARK', { days: DAYS })
  goods.bundle(90, 'all/of-it', { '2024-08-01': [5, 6, 7], '2024-08-02': [5], '2024-08-03': [6] }).bundle(91, 'other', { '2024-08-01': [5] })
  shop = await openedShop({ hidden: [7], restoreTime: '1h' }, goods)
  order = await bought(shop, ['90 2024-08-03 series', '90 2024-08-01 series', '5 2024-08-02'])
})
type Query = Record<string, string>
const json = (status: number, body: object): object => ({ kind: 'json', status, body })
const ask = (query: Query = {}, date = '2024-08-01', id = 90, { orderId, token }: BoughtOrder = order): Promise<ShopReply> =>
  shopReply(shop.service.handlers, 'download', { path: { order_id: orderId, instrument_id: id, date }, query: { t: token, kind: 'series_day', ...query } })
const range = (query: Query = {}, id = 90, { orderId, token }: BoughtOrder = order): Promise<ShopReply> =>
  shopReply(shop.service.handlers, 'range', { path: { order_id: orderId, bundle_id: id }, query: { t: token, kind: 'series_day', from: '2024-08-01', to: '2024-08-03', ...query } })

async function whole({ parts }: Segments): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of readSegments(parts, new Uint8Array(1 << 16))) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** The members of a zip, read by another program, which checks their checksums. */
async function unzipped(reply: ShopReply): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(await whole((reply as BytesReply).segments), { lazyEntries: true })
  const found: Record<string, string> = {}
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry) as AsyncIterable<Buffer>) pieces.push(piece)
    found[entry.fileName] = Buffer.concat(pieces).toString()
  }
  return found
}

async function untarred(reply: ShopReply): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const reader = extract()
  reader.end(await whole((reply as BytesReply).segments))
  for await (const entry of reader) {
    const pieces: Buffer[] = []
    for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece)
    found[entry.header.name] = Buffer.concat(pieces).toString()
  }
  return found
}
const text = (id: number, date: string, size: number): string => `${id} ${date}`.padEnd(size, '.')
const member = (name: string, id: number, day: number, state = 'ready'): object => ({ name: `a_spot-${name}-2024-08-0${day}.txt.zst`, instrument_id: id, date: `2024-08-0${day}`, bytes: 40 + 10 * day, state })

describe('refused are', () => {
  test.each<Query>([{ status: '1' }, { manifest: '1' }, { zip: '1' }, { zip: '1', probe: '1' }, { zip: '1', complete: '1' }])('a bundle day that was not bought, in the same words: %j', async (query) => {
    const other = await bought(shop, ['91 2024-08-01 series'])
    for (const [date, id, one] of [['2024-08-02', 90, order], ['2024-08-01', 91, order], ['2024-08-01', 5, order], ['2024-08-02', 5, order], ['2024-08-01', 90, other], ['2024-08-01', 90, { ...order, token: 'x' }]] as const) expect(await ask(query, date, id, one)).toEqual(NO_ACCESS)
  })

  test('a single file of a bundle that was bought', async () => {
    expect(await shopRefusal(shop.service.handlers, 'download', { path: { order_id: order.orderId, instrument_id: 5, date: '2024-08-01' }, query: { t: order.token } })).toEqual(NO_ACCESS)
    expect(await shopRefusal(shop.service.handlers, 'download', { path: { order_id: order.orderId, instrument_id: 90, date: '2024-08-01' }, query: { t: order.token } })).toEqual(NO_ACCESS)
  })

  test.each<Query>([{}, { status: '1' }, { restore: '1' }, { manifest: '1' }, { complete: '1' }])('a range of which nothing was bought, in the same words: %j', async (query) => {
    const other = await bought(shop, ['91 2024-08-01 series'])
    for (const [more, id, one] of [[{ from: '2024-08-02', to: '2024-08-02' }, 90, order], [{ from: '2024-08-04', to: '2024-08-09' }, 90, order], [{}, 91, order], [{}, 5, order], [{}, 90, other], [{}, 90, { ...order, orderId: 'ord_x' }]] as const) expect(await range({ ...query, ...more }, id, one)).toEqual(NO_ACCESS)
  })

  test.each<readonly [Query, string]>([
    [{ kind: 'tick' }, 'kind'], [{ from: '2024-08-04' }, 'to'], [{ to: '2024-11-09' }, 'to'], [{ from: '2024-02-30' }, 'from'], [{ status: '1', manifest: '1' }, 'status and manifest'], [{ zip: '1' }, 'zip'], [{ t: '' }, 't'],
  ])('a range with %j', async (query, field) => {
    expect(await range(query)).toMatchObject({ kind: 'refusal', error: 'invalidInput', details: { field } })
  })

  test('downloads of a refunded and of an expired order', async () => {
    shop.service.purchases.refund(order.orderId)
    expect([await ask(ZIP), await range()]).toEqual([NO_ACCESS, NO_ACCESS])
    shop.service.purchases.expire(order.orderId)
    expect([await ask(ZIP), await range()]).toEqual([{ kind: 'refusal', error: 'orderExpired' }, { kind: 'refusal', error: 'orderExpired' }])
  })

  test('a bundle that is gone', async () => {
    shop.goods.series.clear()
    shop.goods.add(8, 'x')
    expect([await ask(ZIP), await range()]).toEqual([{ kind: 'refusal', error: 'notFound' }, NO_ACCESS])
  })
})

describe('a bundle day', () => {
  test('that is ready: its list, its counts, its zip', async () => {
    expect(await ask({ manifest: '1' })).toEqual(json(200, { members: [member('BTC', 5, 1), member('ETH', 6, 1)] }))
    expect(await ask({ status: '1' })).toEqual(json(200, { ready: 2, pending: 0, cold: 0 }))
    expect(await ask({ zip: '1', probe: '1' })).toEqual(json(200, { state: 'ready' }))
    for (const query of [{ zip: '1' }, { zip: '1', complete: '1' }] as Query[]) {
      const reply = await ask(query)
      expect(reply).toMatchObject({ kind: 'bytes', media: 'application/zip', fileName: 'a_spot-all_u002fof-it-2024-08-01.zip' })
      expect(await unzipped(reply)).toEqual({ 'a_spot-BTC-2024-08-01.txt.zst': text(5, '2024-08-01', 50), 'a_spot-ETH-2024-08-01.txt.zst': text(6, '2024-08-01', 50) })
    }
    const etags = await Promise.all([1, 2].map(async () => (await ask(ZIP) as BytesReply).segments.etag))
    expect(etags[0]).toBe(etags[1])
  })

  test('with a cold file: a part without complete=1, which a probe restores', async () => {
    await shop.service.control.freeze(6, '2024-08-01')
    expect(await ask({ status: '1' })).toEqual(json(200, { ready: 1, pending: 0, cold: 1 }))
    expect(await ask({ zip: '1', complete: '1' })).toEqual(PARTIAL)
    expect(await unzipped(await ask(ZIP))).toEqual({ 'a_spot-BTC-2024-08-01.txt.zst': text(5, '2024-08-01', 50) })
    expect(await ask({ status: '1' })).toEqual(json(200, { ready: 1, pending: 0, cold: 1 }))
    expect(await ask({ zip: '1', probe: '1' })).toEqual(json(200, { state: 'pending' }))
    // Until every file is local, as the document has it.
    expect(await ask(ZIP)).toEqual(json(202, { state: 'pending' }))
    expect(await ask({ zip: '1', complete: '1' })).toEqual(PARTIAL)
    expect(await ask({ manifest: '1' })).toEqual(json(200, { members: [member('BTC', 5, 1), member('ETH', 6, 1, 'pending')] }))
    shop.time.ms += HOUR_MS
    expect(await ask({ zip: '1', probe: '1' })).toEqual(json(200, { state: 'ready' }))
    expect(Object.keys(await unzipped(await ask({ zip: '1', complete: '1' })))).toHaveLength(2)
  })

  test('of which everything is cold is restored by its first request', async () => {
    for (const id of [5, 6]) await shop.service.control.freeze(id, null)
    expect(await ask({ zip: '1', complete: '1' })).toEqual(PARTIAL)
    expect(await ask({ status: '1' })).toEqual(json(200, { ready: 0, pending: 0, cold: 2 }))
    expect(await ask(ZIP)).toEqual(json(202, { state: 'pending' }))
    expect(await ask({ status: '1' })).toEqual(json(200, { ready: 0, pending: 2, cold: 0 }))
  })

  test('over 4 GB has no zip, and restores nothing for one', async () => {
    shop.goods.add(5, 'BTC', { days: ['2024-08-01 2000000000'] }).add(6, 'ETH', { days: ['2024-08-01 2000000001'] }).bundle(90, 'all/of-it', { '2024-08-01': [5, 6] })
    await shop.service.control.freeze(5, null)
    for (const query of [{ zip: '1' }, { zip: '1', probe: '1' }, { zip: '1', complete: '1' }] as Query[]) expect(await ask(query)).toEqual(json(200, { state: 'too_large' }))
    expect(await ask({ status: '1' })).toEqual(json(200, { ready: 1, pending: 0, cold: 1 }))
  })

  test('with a file that is gone is never whole', async () => {
    shop.goods.gone.add('6 2024-08-01')
    expect(await ask({ status: '1' })).toEqual(json(200, { ready: 1, pending: 1, cold: 0 }))
    expect(await ask({ zip: '1', probe: '1' })).toEqual(json(200, { state: 'pending' }))
    expect(await ask({ zip: '1', complete: '1' })).toEqual(PARTIAL)
  })

  test('with much to read is read behind the request', async () => {
    const path = join(newFolder(), 'day')
    writeFileSync(path, Buffer.alloc(33 << 20, 7))
    const segments = await fileSegments(path)
    const { dayFile } = shop.goods
    shop.goods.dayFile = (id, date) => (id === 5 ? Promise.resolve(segments) : dayFile.call(shop.goods, id, date))
    expect(await ask({ zip: '1', probe: '1' })).toEqual(json(200, { state: 'pending' }))
    expect(await ask(ZIP)).toEqual(json(202, { state: 'pending' }))
    const until = Date.now() + 10_000
    let reply = await ask(ZIP)
    while (reply.kind === 'json' && Date.now() < until) {
      await new Promise((done) => setTimeout(done, 20))
      reply = await ask(ZIP)
    }
    expect((await unzipped(reply))['a_spot-BTC-2024-08-01.txt.zst']).toHaveLength(33 << 20)
  })

  test('with codes of one name in other letters has a name for each', async () => {
    shop.goods.add(5, 'Btc', { days: DAYS }).add(6, 'bTC', { days: DAYS }).bundle(90, 'all/of-it', { '2024-08-01': [5, 6] })
    expect(Object.keys(await unzipped(await ask(ZIP)))).toEqual(['a_spot-Btc_u00235-2024-08-01.txt.zst', 'a_spot-bTC_u00236-2024-08-01.txt.zst'])
  })

  test('keeps what is hidden after it was bought', async () => {
    shop.time.ms++
    await shop.service.control.setHidden(6, true)
    expect(await ask({ status: '1' })).toMatchObject({ body: { ready: 2 } })
    const later = await bought(shop, ['90 2024-08-01 series'])
    expect(await ask({ status: '1' }, '2024-08-01', 90, later)).toMatchObject({ body: { ready: 1 } })
  })
})

describe('a range', () => {
  const ALL = { 'a_spot-BTC-2024-08-01.txt.zst': text(5, '2024-08-01', 50), 'a_spot-ETH-2024-08-01.txt.zst': text(6, '2024-08-01', 50), 'a_spot-ETH-2024-08-03.txt.zst': text(6, '2024-08-03', 70) }

  test('has every day that was bought, in the order of days', async () => {
    const reply = await range()
    expect(reply).toMatchObject({ kind: 'bytes', media: 'application/x-tar', fileName: 'a_spot-all_u002fof-it-2024-08-01..2024-08-03.tar' })
    const found = await untarred(reply)
    expect(found).toEqual(ALL)
    expect(Object.keys(found)).toEqual(Object.keys(ALL))
    expect(await range({ manifest: '1' })).toEqual(json(200, { members: [member('BTC', 5, 1), member('ETH', 6, 1), member('ETH', 6, 3)] }))
    expect(await range({ status: '1' })).toEqual(json(200, { ready: 3, pending: 0, cold: 0 }))
    expect(await range({ restore: '1' })).toEqual(json(200, { ready: 3, pending: 0, cold: 0 }))
    expect(Object.keys(await untarred(await range({ from: '2024-08-02', complete: '1' })))).toEqual(['a_spot-ETH-2024-08-03.txt.zst'])
  })

  test('has what is ready, and is restored', async () => {
    await shop.service.control.freeze(6, null)
    expect(await range({ complete: '1' })).toEqual(PARTIAL)
    expect(Object.keys(await untarred(await range()))).toEqual(['a_spot-BTC-2024-08-01.txt.zst'])
    expect(await range({ from: '2024-08-03' })).toEqual(json(202, { ready: 0, pending: 0, cold: 1 }))
    expect(await range({ restore: '1', from: '2024-08-03' })).toEqual(json(202, { ready: 0, pending: 1, cold: 0 }))
    expect(await range({ status: '1' })).toEqual(json(200, { ready: 1, pending: 1, cold: 1 }))
    expect(await range({ restore: '1' })).toEqual(json(202, { ready: 1, pending: 2, cold: 0 }))
    shop.time.ms += HOUR_MS
    expect(await range({ restore: '1' })).toEqual(json(200, { ready: 3, pending: 0, cold: 0 }))
    expect(await untarred(await range({ complete: '1' }))).toEqual(ALL)
  })
})
