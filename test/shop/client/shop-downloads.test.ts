import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BacktapeError } from '../../../src/model/error.js'
import { RandomNumbers } from '../../../src/model/random.js'
import type { ByteChecks, ExpectedContent } from '../../../src/shop/client/byte-checks.js'
import { ShopClient } from '../../../src/shop/client/shop-client.js'
import type { ShopDownloadOptions, ShopFile, ShopProgress } from '../../../src/shop/client/shop-download.js'
import type { ShopOrder } from '../../../src/shop/client/shop-order.js'
import { refusalOf } from '../../support/collected.ts'
import { newFolder } from '../../support/new-folder.ts'
import { QuickClock } from '../../support/quick-clock.ts'
import { jsonAnswer, scriptedNetwork } from '../../support/scripted-network.ts'
import { ScriptedShop, SHOP_SECRET, type WireItem } from '../../support/scripted-shop.ts'

const ZSTD = [0x28, 0xb5, 0x2f, 0xfd]
const MANIFEST = 'backtape-shop-manifest.json'

function bytes(head: readonly number[], length = 2000, seed = 1): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => head[at] ?? (at * 7 + seed) & 255)
}

interface Opened { readonly shop: ScriptedShop, readonly client: ShopClient, readonly clock: QuickClock, readonly order: ShopOrder, readonly out: string, readonly seen: ExpectedContent[] }

/** A paid order of items, with a shop that has their files. */
async function ordered(items: readonly WireItem[], put: (shop: ScriptedShop) => void, more: { checks?: ByteChecks, free?: number | null } = {}): Promise<Opened> {
  const shop = new ScriptedShop()
  put(shop)
  const clock = new QuickClock()
  const folder = newFolder()
  const seen: ExpectedContent[] = []
  const checks: ByteChecks = (content, level) => {
    seen.push(content)
    return more.checks?.(content, level) ?? null
  }
  const freeBytes = async (): Promise<number | null> => (more.free === undefined ? 1e9 : more.free)
  const client = new ShopClient({ url: shop.origin, configFolder: join(folder, 'config') }, {
    random: new RandomNumbers(1, 'test', 0), checks, network: scriptedNetwork(shop.answer), clock, answerMs: 20_000, freeBytes,
  })
  const asked = items.map(({ instrument_id: instrumentId, date, kind = 'tick' }) => ({ instrumentId, date, kind }))
  const checkout = await client.checkout(await client.quote(asked), { email: 'a@b.example' })
  shop.pay()
  const order = await checkout.paid()
  shop.calls.length = 0
  return { shop, client, clock, order, out: join(folder, 'out'), seen }
}

async function filesOf({ client, order, out }: Opened, options: Partial<ShopDownloadOptions> = {}): Promise<ShopFile[]> {
  const files: ShopFile[] = []
  for await (const file of client.download(order, { out, ...options })) files.push(file)
  return files
}

const day = (date: string, id = 7): WireItem => ({ instrument_id: id, date })
const bundleDay = (date: string): WireItem => ({ instrument_id: 9, date, kind: 'series_day' })
const ready = (of: Uint8Array, ...states: string[]): { bytes: Uint8Array, states: string[] } => ({ bytes: of, states: [...states, 'ready'] })

describe('days', () => {
  test('come whole, under names that nothing of the shop makes, with a manifest', async () => {
    const opened = await ordered([day('2024-08-08'), day('2024-08-09')], ({ files }) => {
      files.set('7 2024-08-08', ready(bytes(ZSTD))).set('7 2024-08-09', ready(bytes(ZSTD, 3000, 2)))
    })
    const { out, seen, shop } = opened
    const progress: ShopProgress[] = []
    const files = await filesOf(opened, { onProgress: (one) => progress.push(one) })
    const names = ['a_spot-BTC_u002fUSDT-2024-08-08.txt.zst', 'a_spot-BTC_u002fUSDT-2024-08-09.txt.zst']
    expect(files.map(({ path, state }) => [path, state]).sort()).toEqual(names.map((name) => [join(out, name), 'new']))
    expect([readdirSync(out).sort(), new Uint8Array(readFileSync(join(out, names[0]!)))]).toEqual([[...names, MANIFEST], bytes(ZSTD)])
    // Files come as they are whole, in any order.
    expect(seen.find(({ name }) => name === names[0])).toEqual({ name: names[0], kind: 'tick', day: { instrumentId: 7, code: 'BTC/USDT', exchangeCode: 'a_spot', date: '2024-08-08' }, members: null })
    const { entries } = JSON.parse(readFileSync(join(out, MANIFEST), 'utf8')) as { readonly entries: readonly { readonly file: string }[] }
    expect(entries.find(({ file }) => file === names[0])).toEqual({ file: names[0], sizeBytes: 2000, checksum: files.find(({ sizeBytes }) => sizeBytes === 2000)!.checksum, goods: 'tick 7 2024-08-08', check: 'whole' })
    expect([progress.at(-1), progress.some(({ state, doneBytes, sizeBytes }) => state === 'downloading' && doneBytes === 3000 && sizeBytes === 3000)]).toEqual([expect.objectContaining({ state: 'done', doneCount: 2, fileCount: 2 }), true])
    expect([shop.calls.filter((call) => !call.includes('status')).length, readFileSync(join(out, MANIFEST), 'utf8').includes(SHOP_SECRET)]).toEqual([2, false])
  })

  test('that are there whole stay, and nothing is asked; what is not the same is refused, or replaced by force', async () => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', ready(bytes(ZSTD))) })
    const [first] = await filesOf(opened)
    opened.shop.calls.length = 0
    expect([await filesOf(opened), opened.shop.calls]).toEqual([[{ ...first, state: 'kept' }], []])
    const path = first!.path!
    const changed = bytes(ZSTD)
    changed[1000]! ^= 1
    for (const other of [changed, bytes(ZSTD, 1999), new Uint8Array(0)]) {
      writeFileSync(path, other)
      expect((await refusalOf(() => filesOf(opened))).code).toBe('OUTPUT_EXISTS')
    }
    expect((await filesOf(opened, { force: true })).map(({ state }) => state)).toEqual(['new'])
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes(ZSTD))
  })

  const cuts = [['with the length of the rest', true], ['without a length', false]] as const
  test.each(cuts)('that end too early, %s, are fetched anew once, else they stay as .bad and are no files', async (_, isStated) => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', ready(bytes(ZSTD))) })
    const { out, shop } = opened
    const name = 'a_spot-BTC_u002fUSDT-2024-08-08.txt.zst'
    let cutCount = 2
    const short = bytes(ZSTD).slice(0, 1200)
    shop.before = ({ url }) => (!url.includes('/download/') || url.includes('status') || cutCount-- <= 0 ? null
      : new Response(short, { headers: { 'content-type': 'application/octet-stream', ...(isStated ? { 'content-length': '1200', etag: '"cut"' } : {}) } }))
    const { code, message } = await refusalOf(() => filesOf(opened))
    expect([code, message]).toEqual(['SHOP_FILE_WRONG', `Cannot take ${name}: expected 2000 bytes, as the order says, found 1200 bytes`])
    expect([readdirSync(out), new Uint8Array(readFileSync(join(out, `${name}.bad`)))]).toEqual([[`${name}.bad`], short])
    cutCount = 1
    expect((await filesOf(opened)).map(({ state, sizeBytes }) => [state, sizeBytes])).toEqual([['new', 2000]])
    expect(JSON.parse(readFileSync(join(out, MANIFEST), 'utf8')).entries).toMatchObject([{ file: name, sizeBytes: 2000, check: 'whole' }])
  })

  test('of another length than was bought are not there whole, unless nothing is to be checked', async () => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', ready(bytes(ZSTD))) })
    const { shop } = opened
    shop.before = ({ url }) => (url.includes('/download/') && !url.includes('status') ? new Response(bytes(ZSTD).slice(0, 1200)) : null)
    expect((await filesOf(opened, { check: 'none' })).map(({ state, sizeBytes }) => [state, sizeBytes])).toEqual([['new', 1200]])
    shop.before = () => null
    shop.calls.length = 0
    const { code, message } = await refusalOf(() => filesOf(opened))
    expect([code, message.includes('found 1200 bytes; --force fetches it anew'), shop.calls]).toEqual(['SHOP_FILE_WRONG', true, []])
    expect((await filesOf(opened, { check: 'none' })).map(({ state }) => state)).toEqual(['kept'])
    expect((await filesOf(opened, { force: true })).map(({ state, sizeBytes }) => [state, sizeBytes])).toEqual([['new', 2000]])
  })

  test('whose length the order does not say are taken as they come', async () => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', ready(new Uint8Array(0))) })
    opened.shop.files.set('7 2024-08-08', ready(bytes(ZSTD)))
    expect((await filesOf(opened)).map(({ sizeBytes }) => sizeBytes)).toEqual([2000])
  })

  test('that were taken without a check are checked where one is wanted', async () => {
    let isBad = false
    const checks: ByteChecks = () => ({ begin: () => undefined, take: () => undefined, end: () => { if (isBad) throw new BacktapeError('ZSTD_CHECKSUM', 'bad') } })
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', ready(bytes(ZSTD))) }, { checks })
    await filesOf(opened, { check: 'none' })
    expect(opened.seen).toEqual([])
    isBad = true
    expect((await refusalOf(() => filesOf(opened))).code).toBe('ZSTD_CHECKSUM')
    isBad = false
    expect([(await filesOf(opened))[0]!.state, (await filesOf(opened, { check: 'none' }))[0]!.state, opened.seen.length]).toEqual(['kept', 'kept', 2])
  })

  test('that are cold are restored and awaited', async () => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', { bytes: bytes(ZSTD), states: ['cold', 'pending', 'pending', 'pending', 'ready'] }) })
    const states: string[] = []
    expect((await filesOf(opened, { onProgress: ({ state }) => states.push(state) })).length).toBe(1)
    const asked = opened.shop.calls.map((call) => call.split('?')[1] ?? '')
    expect([asked, states[0], opened.clock.waits.filter((ms) => ms < 30_000).length]).toEqual([['status=1', 'restore=1', 'status=1', 'status=1', 'status=1', ''], 'waiting', 3])
  })

  test('any number of which may wait at once, without a warning of the system', async () => {
    const dates = Array.from({ length: 25 }, (_none, at) => `2024-08-${String(at + 1).padStart(2, '0')}`)
    const opened = await ordered(dates.map((date) => day(date)), ({ files }) => {
      for (const date of dates) files.set(`7 ${date}`, { bytes: bytes(ZSTD), states: ['cold', 'pending', 'ready'] })
    })
    const warnings: Error[] = []
    const warned = (warning: Error): void => { warnings.push(warning) }
    process.on('warning', warned)
    try {
      expect((await filesOf(opened)).length).toBe(25)
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      process.off('warning', warned)
    }
    expect(warnings).toEqual([])
  })

  test('that are cold and not awaited are named, and the others come', async () => {
    const opened = await ordered([day('2024-08-08'), day('2024-08-09'), day('2024-08-10')], ({ files }) => {
      files.set('7 2024-08-08', { bytes: bytes(ZSTD), states: ['cold'] }).set('7 2024-08-09', ready(bytes(ZSTD))).set('7 2024-08-10', { bytes: bytes(ZSTD), states: ['pending'] })
    })
    const files: ShopFile[] = []
    const { code, message } = await refusalOf(async () => {
      for await (const file of opened.client.download(opened.order, { out: opened.out, wait: false })) files.push(file)
    })
    expect([code, files.length, message.includes('1 more file could not be fetched'), opened.shop.calls.filter((call) => call.includes('restore=1')).length]).toEqual(['SHOP_NOT_READY', 1, true, 1])
  })

  test('one of which fails lets the others come, and its error is thrown at the end', async () => {
    const opened = await ordered([day('2024-08-08'), day('2024-08-09'), day('2024-08-10')], ({ files }) => {
      files.set('7 2024-08-09', ready(bytes(ZSTD))).set('7 2024-08-10', ready(Uint8Array.from(Buffer.from('<html>'))))
      files.set('7 2024-08-08', ready(bytes(ZSTD)))
    })
    opened.shop.before = (_, path) => (path.endsWith('2024-08-08') ? jsonAnswer({ error: {} }, 404) : null)
    const files: ShopFile[] = []
    const { message } = await refusalOf(async () => {
      for await (const file of opened.client.download(opened.order, { out: opened.out, jobs: 1 })) files.push(file)
    })
    expect([files.map(({ items }) => items[0]!.date), message.includes('; 1 more file could not be fetched')]).toEqual([['2024-08-09'], true])
  })

  test('of a disk without room are not begun', async () => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', ready(bytes(ZSTD))) }, { free: 1999 })
    const { code, message } = await refusalOf(() => filesOf(opened))
    expect([code, message.includes('2000 bytes, and 1999 bytes are free'), opened.shop.calls]).toEqual(['OUTPUT_FAILED', true, []])
    mkdirSync(opened.out, { recursive: true })
    writeFileSync(join(opened.out, 'a_spot-BTC_u002fUSDT-2024-08-08.txt.zst.part'), 'x')
    expect((await filesOf(opened)).length).toBe(1)
  })

  test('whoever wants no more gets no more', async () => {
    const dates = Array.from({ length: 20 }, (_, at) => `2024-08-${String(at + 1).padStart(2, '0')}`)
    const opened = await ordered(dates.map((date) => day(date)), ({ files }) => { for (const date of dates) files.set(`7 ${date}`, ready(bytes(ZSTD))) })
    for await (const file of opened.client.download(opened.order, { out: opened.out, jobs: 2 })) if (file.state === 'new') break
    const left = readdirSync(opened.out).filter((name) => name.endsWith('.zst')).length
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([left < 20, readdirSync(opened.out).filter((name) => name.endsWith('.zst')).length]).toEqual([true, left])
  })

  test('a signal stops everything', async () => {
    const opened = await ordered([day('2024-08-08'), day('2024-08-09')], ({ files }) => { for (const date of ['2024-08-08', '2024-08-09']) files.set(`7 ${date}`, { bytes: bytes(ZSTD), states: ['pending'] }) })
    const abort = new AbortController()
    setTimeout(() => { abort.abort() }, 30)
    expect((await refusalOf(() => filesOf(opened, { signal: abort.signal }))).code).toBe('STOPPED')
    expect((await refusalOf(() => filesOf(opened, { signal: abort.signal }))).code).toBe('STOPPED')
  })

  test('two at once share one file', async () => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08', ready(bytes(ZSTD, 200_000))) })
    const all = await Promise.all([filesOf(opened), filesOf(opened), filesOf(opened)])
    expect(all.flat().map(({ state }) => state).sort()).toEqual(['kept', 'kept', 'new'])
    expect(readdirSync(opened.out).length).toBe(2)
  })

  test.each<readonly [string, Partial<ShopDownloadOptions>]>([
    ['no job', { jobs: 0 }], ['nine jobs', { jobs: 9 }], ['half a job', { jobs: 1.5 }], ['a format that is none', { format: 'bbo.parquet' }], ['a check that is none', { check: 'deep' as 'none' }], ['no folder', { out: '' }],
    ['a day that was not bought', { items: [{ instrumentId: 7, date: '2024-08-09' }] }],
  ])('with %s are refused', async (_, options) => {
    const opened = await ordered([day('2024-08-08')], () => undefined)
    expect([(await refusalOf(() => filesOf(opened, options))).code, opened.shop.calls, existsSync(opened.out)]).toEqual(['OPTION_INVALID', [], false])
  })

  test('of an object that only looks like an order are refused', async () => {
    const opened = await ordered([day('2024-08-08')], () => undefined)
    const order = JSON.parse(JSON.stringify(opened.order)) as ShopOrder
    expect((await refusalOf(() => filesOf({ ...opened, order }))).code).toBe('OPTION_INVALID')
  })
})

describe('exports', () => {
  const FORMAT = 'trades.parquet'
  const file = bytes([...Buffer.from('PAR1')])
  test.each<readonly [string, string[], string]>([
    ['are started and awaited', ['pending', 'pending', 'pending', 'ready', 'ready'], 'new'], ['are there at once', ['ready'], 'new'], ['of a cold day wait for the day', ['cold', 'pending', 'ready', 'ready'], 'new'],
    ['that failed are asked for anew', ['failed', 'pending', 'ready', 'ready'], 'new'], ['without rows are empty', ['pending', 'pending', 'empty'], 'empty'],
  ])('%s', async (_, states, wanted) => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08 trades.parquet', { bytes: file, states }).set('7 2024-08-08', { bytes: file, states: ['cold', 'pending', 'ready'] }) })
    const [found] = await filesOf(opened, { format: FORMAT })
    const path = join(opened.out, 'a_spot-BTC_u002fUSDT-2024-08-08.trades.parquet')
    expect([found!.state, found!.path, existsSync(path)]).toEqual([wanted, wanted === 'new' ? path : null, wanted === 'new'])
    if (wanted === 'new') expect([opened.seen[0]!.kind, statSync(path).size]).toEqual(['parquet', 2000])
  })

  test('that fail twice are refused', async () => {
    const opened = await ordered([day('2024-08-08')], ({ files }) => { files.set('7 2024-08-08 trades.parquet', { bytes: file, states: ['failed'] }) })
    expect((await refusalOf(() => filesOf(opened, { format: FORMAT }))).code).toBe('SHOP_EXPORT_FAILED')
  })

  test('there are none of bundles', async () => {
    const opened = await ordered([bundleDay('2024-08-08')], () => undefined)
    expect((await refusalOf(() => filesOf(opened, { format: FORMAT }))).code).toBe('OPTION_INVALID')
  })
})

describe('bundles', () => {
  const zip = bytes([0x50, 0x4b, 3, 4])
  const tar = bytes([...Buffer.from('a_spot-X')])
  const member = { name: 'a.txt.zst', instrument_id: 11, date: '2024-08-08', bytes: 5, state: 'ready' }

  test('come as a zip a day: probed, listed, complete', async () => {
    const opened = await ordered([bundleDay('2024-08-08')], ({ files, members }) => {
      files.set('zip 9 2024-08-08', { bytes: zip, states: ['pending', 'pending', 'ready'] })
      members.set('zip 9 2024-08-08', [member])
    })
    expect((await filesOf(opened)).map(({ path }) => path)).toEqual([join(opened.out, 'a_spot-btc-options-2024-08-08.zip')])
    expect(opened.shop.calls.map((call) => call.split('?')[1])).toEqual([...Array.from({ length: 3 }, () => 'kind=series_day&zip=1&probe=1'), 'kind=series_day&manifest=1', 'kind=series_day&zip=1&complete=1'])
    expect(opened.seen[0]).toEqual({ name: 'a_spot-btc-options-2024-08-08.zip', kind: 'zip', day: null, members: [{ name: 'a.txt.zst', instrumentId: 11, date: '2024-08-08', sizeBytes: 5 }] })
  })

  test('whose zip is too large come as a tar', async () => {
    const opened = await ordered([bundleDay('2024-08-08')], ({ files }) => {
      files.set('zip 9 2024-08-08', { bytes: zip, states: ['too_large'] }).set('range 9 2024-08-08 2024-08-08', { bytes: tar, states: ['cold', 'pending', 'ready'] })
    })
    expect((await filesOf(opened)).map(({ path }) => path)).toEqual([join(opened.out, 'a_spot-btc-options-2024-08-08.tar')])
    expect([opened.seen[0]!.members, opened.shop.calls.filter((call) => call.includes('restore=1')).length]).toEqual([null, 1])
  })

  test('that are partial again are waited for again', async () => {
    const opened = await ordered([bundleDay('2024-08-08')], ({ files }) => { files.set('zip 9 2024-08-08', ready(zip)) })
    let conflicts = 0
    opened.shop.before = ({ url }) => (url.includes('complete=1') && conflicts++ < 2 ? jsonAnswer({ error: {} }, 409) : null)
    expect([(await filesOf(opened)).length, conflicts]).toEqual([1, 3])
    opened.shop.before = ({ url }) => (url.includes('complete=1') ? jsonAnswer({ error: {} }, 409) : null)
    expect((await refusalOf(() => filesOf({ ...opened, out: `${opened.out}2` }))).message).toContain('status 409')
  })

  test('come as tars of at most 100 days', async () => {
    const dates = ['2024-01-01', '2024-04-09', '2024-04-10', '2024-12-31']
    const opened = await ordered([...dates.map(bundleDay).reverse(), day('2024-01-01')], ({ files }) => {
      files.set('7 2024-01-01', ready(bytes(ZSTD)))
      for (const [from, to] of [['2024-01-01', '2024-04-09'], ['2024-04-10', '2024-04-10'], ['2024-12-31', '2024-12-31']]) files.set(`range 9 ${from!} ${to!}`, ready(tar))
    })
    const files = await filesOf(opened, { ranges: true })
    expect(files.map(({ path }) => path!.slice(opened.out.length + 1)).sort()).toEqual([
      'a_spot-BTC_u002fUSDT-2024-01-01.txt.zst', 'a_spot-btc-options-2024-01-01_2024-04-09.tar', 'a_spot-btc-options-2024-04-10.tar', 'a_spot-btc-options-2024-12-31.tar',
    ])
  })
})

describe('samples', () => {
  test.each(['/api/download/sample/7/2024-08-08', 'https://shop.example/api/download/sample/7/2024-08-08'])('%s comes without a token', async (href) => {
    const { client, out, shop } = await ordered([day('2024-08-08')], ({ files }) => { files.set('sample 7 2024-08-08', ready(bytes(ZSTD))) })
    expect(await client.downloadSample({ href }, { out })).toMatchObject({ state: 'new', path: join(out, 'a_spot-BTC_u002fUSDT-2024-08-08.txt.zst') })
    expect(shop.calls).toEqual(['GET /api/search?q=7', 'GET /api/download/sample/7/2024-08-08'])
  })

  test('may be exports, and of instruments that no search finds', async () => {
    const gzip = bytes([0x1f, 0x8b, 8])
    const { client, out } = await ordered([day('2024-08-08')], ({ files }) => { files.set('sample 8 2024-08-08 bbo.csv.gz', { bytes: gzip, states: ['pending', 'pending', 'ready', 'ready'] }) })
    expect(await client.downloadSample({ href: '/api/download/sample/8/2024-08-08' }, { out, format: 'bbo.csv.gz' })).toMatchObject({ path: join(out, 'sample-8-2024-08-08.bbo.csv.gz') })
  })

  test.each([
    'https://evil.example/api/download/sample/7/2024-08-08', '//evil.example/api/download/sample/7/2024-08-08', 'http://shop.example/api/download/sample/7/2024-08-08', 'https://u@shop.example/api/download/sample/7/2024-08-08', 'file:///etc/passwd',
    '/api/download/order/o1/7/2024-08-08', '/api/download/sample/7/2024-08-08/../../../x', '/api/download/sample/7', '', 'https://shop.example:444/api/download/sample/7/2024-08-08',
  ])('%j does not lie on the shop', async (href) => {
    const { client, out, shop } = await ordered([day('2024-08-08')], () => undefined)
    expect([(await refusalOf(() => client.downloadSample({ href }, { out }))).code, shop.calls]).toEqual(['SHOP_ANSWER_INVALID', []])
  })
})
