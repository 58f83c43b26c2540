import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { openShopStore, type ShopStore } from '../../../src/shop/store/shop-store-writer.js'
import { ShopTokens } from '../../../src/shop/server/shop-tokens.js'
import { newFolder } from '../../support/new-folder.ts'
import { refusalOf } from '../../support/collected.ts'
import { repeated } from '../../support/repetitions.ts'

interface Database { exec(sql: string): void, close(): void }
const Libsql = createRequire(import.meta.url)('libsql') as new (path: string) => Database

const ITEM = { kind: 'tick', instrumentId: 5, date: '2024-08-01', code: 'A', exchangeCode: 'x', type: 'spot', bytes: 9, priceCents: 100 } as const
const PENDING = { state: 'pending', startMs: 1000, sinceMs: 1000 } as const
const PAID = { state: 'paid', startMs: 2000, sinceMs: 2000 } as const

function put(store: ShopStore, name: string, { account = null, startMs = 1000 }: { account?: string | null, startMs?: number } = {}): void {
  const session = { sessionId: `cs_${name}`, orderId: `ord_${name}`, account, email: 'a@b', successUrl: 's', cancelUrl: 'c', totalCents: 100, record: { ...PENDING, startMs } }
  store.addSession(session, [ITEM, { ...ITEM, kind: 'series_day', instrumentId: 6 }], { key: `key_${name}`, digest: 'd', sessionId: `cs_${name}`, answer: '{}' })
}

function pay(store: ShopStore, name: string, account: string | null = null, startMs = 2000): void {
  store.changeSession(`cs_${name}`, { ...PENDING, ...PAID })
  store.addOrder({ orderId: `ord_${name}`, sessionId: `cs_${name}`, account, totalCents: 100, record: { ...PAID, startMs } })
}

/** A store with a session, closed; the path of its file. */
async function closedStore(): Promise<{ readonly folder: string, readonly path: string }> {
  const folder = newFolder()
  const store = await openShopStore(folder)
  for (let at = 0; at < 50; at++) put(store, String(at))
  store.close()
  return { folder, path: store.path }
}

/** Changes a closed store by a database of our own. */
async function changed(sql: string): Promise<string> {
  const { folder, path } = await closedStore()
  const database = new Libsql(path)
  database.exec(sql)
  database.close()
  return folder
}

describe('a store that is refused', () => {
  test('one that another shop has open, in one sentence; it is free when that one ends', async () => {
    const folder = newFolder()
    const store = await openShopStore(folder)
    put(store, 'a')
    const { code, message } = await refusalOf(() => openShopStore(folder))
    expect([code, message]).toEqual(['SHOP_STORE_TAKEN', `Cannot open the store ${store.path}: another shop has it open; end that one, or name another folder`])
    put(store, 'b')
    store.close()
    store.close()
    const again = await openShopStore(folder)
    expect([again.session('cs_a'), again.session('cs_b')].map((one) => one?.orderId)).toEqual(['ord_a', 'ord_b'])
    again.close()
  })

  test.each<readonly [what: string, sql: string, found: RegExp]>([
    ['another version', 'PRAGMA user_version = 7', /it has version 7, and this shop knows 1/], ['an older version', 'PRAGMA user_version = 0', /it has version 0/],
    ['another program', 'PRAGMA application_id = 5', /another database/], ['no mark', 'PRAGMA application_id = 0', /another database/], ['a secret of another form', 'UPDATE secrets SET value = \'zz\'', /another secret/],
  ])('one of %s', async (_, sql, found) => {
    const folder = await changed(sql)
    const { code, message } = await refusalOf(() => openShopStore(folder))
    expect([code, found.test(message) ? found : message]).toEqual(['SHOP_STORE_INVALID', found])
    // It stays as it is, and is free.
    expect(await refusalOf(() => openShopStore(folder))).toMatchObject({ code: 'SHOP_STORE_INVALID' })
  })

  test.each<readonly [what: string, damage: (path: string) => void]>([
    ['no database', (path) => { writeFileSync(path, 'hello '.repeat(3000)) }],
    ['cut in half', (path) => { writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size / 2)) }],
    ['with other bytes', (path) => {
      const file = openSync(path, 'r+')
      for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(file, Buffer.alloc(300, 0xff), 0, 300, at)
      closeSync(file)
    }],
  ])('one that is %s', async (_, damage) => {
    const { folder, path } = await closedStore()
    damage(path)
    const { code, place } = await refusalOf(() => openShopStore(folder))
    expect([code, place.file]).toEqual(['SHOP_STORE_INVALID', path])
  })

  test.each<readonly [string, string, (store: ShopStore) => unknown]>([
    ['a state that there is none of', 'UPDATE sessions SET state = \'lost\'', (store) => store.session('cs_1')], ['a state of Object', 'UPDATE sessions SET state = \'toString\'', (store) => store.session('cs_1')],
    ['another kind', 'UPDATE items SET kind = \'all\'', (store) => store.items('ord_1')], ['a number beyond exact ones', 'UPDATE sessions SET start_ms = 9007199254740993', (store) => store.session('cs_1')],
  ])('a row with %s', async (_, sql, read) => {
    const store = await openShopStore(await changed(sql))
    expect(await refusalOf(() => read(store))).toMatchObject({ code: 'SHOP_STORE_INVALID', place: { file: store.path } })
    store.close()
  })

  test('one in a folder that is a file, and one that is a folder', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'file'), '')
    mkdirSync(join(folder, 'there/shop.db'), { recursive: true })
    for (const name of ['file', 'file/in-it', 'there']) expect(await refusalOf(() => openShopStore(join(folder, name)))).toMatchObject({ code: 'OUTPUT_FAILED' })
  })

  test('one in a folder that cannot be written', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o500)
    // The administrator may write there all the same; nothing can be made among the processes of Linux.
    const place = process.getuid?.() === 0 ? '/proc/backtape-shop' : folder
    expect(await refusalOf(() => openShopStore(place))).toMatchObject({ code: 'OUTPUT_FAILED' })
    chmodSync(folder, 0o700)
  })
})

test('folder and files are their user\'s alone', async () => {
  const folder = join(newFolder(), 'a/b')
  const store = await openShopStore(folder)
  put(store, 'a')
  const modes = [folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => statSync(path).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600, 0o600])
  store.close()
  expect(existsSync(`${store.path}-wal`)).toBe(false)
  chmodSync(store.path, 0o644)
  const again = await openShopStore(folder)
  expect(statSync(again.path).mode & 0o777).toBe(0o600)
  again.close()
})

test('every store has a secret of its own, which stays', async () => {
  const [a, b] = [await openShopStore(newFolder()), await openShopStore(newFolder())]
  expect([a.secret().length, a.secret()]).toEqual([32, a.secret()])
  expect(a.secret()).not.toEqual(b.secret())
  const { path } = a
  const secret = a.secret()
  for (const one of [a, b]) one.close()
  const again = await openShopStore(join(path, '..'))
  expect(again.secret()).toEqual(secret)
  again.close()
})

describe('what is kept', () => {
  test('is as it was, also after it was closed', async () => {
    const folder = newFolder()
    const store = await openShopStore(folder)
    put(store, 'a', { account: 'ann' })
    pay(store, 'a', 'ann')
    store.changeDay({ instrumentId: 5, date: '2024-08-01', record: { state: 'restoring', startMs: 1, sinceMs: 2 } })
    store.changeDay({ instrumentId: 5, date: '2024-08-01', record: { state: 'cold', startMs: 1, sinceMs: 3 } })
    store.changeVisibility({ instrumentId: 5, isHidden: true, sinceMs: 4 })
    store.changeRotation('ann', 3)
    const seen = (one: ShopStore): unknown => [
      one.session('cs_a'), one.order('ord_a'), one.items('ord_a'), one.key('key_a'), one.days(), one.visibilities(), one.rotation('ann'), one.rotation('bob'), one.item('ord_a', 'tick', 5, '2024-08-01'),
    ]
    const before = seen(store)
    expect(before).toEqual([
      { sessionId: 'cs_a', orderId: 'ord_a', account: 'ann', email: 'a@b', successUrl: 's', cancelUrl: 'c', totalCents: 100, record: { state: 'paid', startMs: 1000, sinceMs: 2000 } },
      { orderId: 'ord_a', sessionId: 'cs_a', account: 'ann', totalCents: 100, record: PAID }, [ITEM, { ...ITEM, kind: 'series_day', instrumentId: 6 }],
      { key: 'key_a', digest: 'd', sessionId: 'cs_a', answer: '{}' }, [{ instrumentId: 5, date: '2024-08-01', record: { state: 'cold', startMs: 1, sinceMs: 3 } }],
      [{ instrumentId: 5, isHidden: true, sinceMs: 4 }], 3, 0, ITEM,
    ])
    store.close()
    const again = await openShopStore(folder)
    expect(seen(again)).toEqual(before)
    again.close()
  })

  test('is nothing where there was nothing', async () => {
    const store = await openShopStore(newFolder())
    put(store, 'a')
    expect([store.session('a'), store.order('ord_a'), store.key('a'), store.item('ord_a', 'tick', 6, '2024-08-01'), store.item('ord_a', 'series_day', 5, '2024-08-01'), store.item('ord_a', 'tick', 5, '2024-08-02')]).toEqual(Array(6).fill(null))
    expect([store.items('ord_b'), store.days(), store.visibilities()]).toEqual([[], [], []])
    expect(store.isOwned('ann', 'tick', 5, '2024-08-01')).toBe(false)
    store.close()
  })

  test('is owned as long as a paid order of the account holds it', async () => {
    const store = await openShopStore(newFolder())
    put(store, 'a', { account: 'ann' })
    const owned = (): boolean[] => [
      store.isOwned('ann', 'tick', 5, '2024-08-01'), store.isOwned('ann', 'series_day', 6, '2024-08-01'), store.isOwned('bob', 'tick', 5, '2024-08-01'), store.isOwned('ann', 'tick', 6, '2024-08-01'), store.isOwned('ann', 'tick', 5, '2024-08-02'),
    ]
    expect(owned()).toEqual([false, false, false, false, false])
    pay(store, 'a', 'ann')
    expect(owned()).toEqual([true, true, false, false, false])
    store.changeOrder('ord_a', { ...PAID, state: 'refunded' })
    expect(owned()).toEqual([false, false, false, false, false])
    store.close()
  })

  test('is kept together or not at all', async () => {
    const store = await openShopStore(newFolder())
    expect(() => store.together(() => {
      put(store, 'a')
      store.changeRotation('ann', 1)
      throw new Error('stopped')
    })).toThrow(/stopped/)
    expect([store.session('cs_a'), store.rotation('ann')]).toEqual([null, 0])
    put(store, 'a')
    // A key that is taken takes the session and its items back.
    expect(await refusalOf(() => { store.addSession({ ...store.session('cs_a')!, sessionId: 'cs_b', orderId: 'ord_b' }, [ITEM], store.key('key_a')!) })).toMatchObject({ code: 'OUTPUT_FAILED' })
    expect([store.session('cs_b'), store.items('ord_b')]).toEqual([null, []])
    store.close()
  })

  test('is forgotten when it is old: sessions that were not paid, orders of guests', async () => {
    const store = await openShopStore(newFolder())
    for (const name of ['old', 'paid', 'account', 'long-ago']) put(store, name, { account: name === 'account' ? 'ann' : null, startMs: 1000 })
    put(store, 'new', { startMs: 1001 })
    pay(store, 'paid', null, 2000)
    pay(store, 'long-ago', null, 1500)
    pay(store, 'account', 'ann', 1500)
    store.prune(1001, 2000)
    const left = ['old', 'paid', 'account', 'long-ago', 'new'].map((name) => [store.session(`cs_${name}`) !== null, store.order(`ord_${name}`) !== null, store.key(`key_${name}`) !== null, store.items(`ord_${name}`).length])
    expect(left).toEqual([[false, false, false, 0], [true, true, true, 2], [true, true, true, 2], [false, false, false, 0], [true, false, true, 2]])
    store.close()
  })
})

describe('kill -9', () => {
  test.each(repeated([0, 1, 2, 5, 10, 30, 100, 250, 500, 1000], (lines) => lines === 30))('after %i answers loses none of them', async (lines) => {
    const folder = newFolder()
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../support/shop-store-child.mjs'), folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (piece: Buffer) => {
      text += piece.toString()
      if (text.split('\n').length > lines) child.kill('SIGKILL')
    })
    await once(child, 'close')
    const store = await openShopStore(folder)
    const tokens = new ShopTokens(store.secret())
    const answers = text.split('\n').slice(0, -1).map((line) => line.split(' '))
    for (const [kind, id = '', more = '', at = ''] of answers) {
      if (kind === 'session') {
        expect(store.session(id)).toMatchObject({ orderId: more, totalCents: 100 * (1 + Number(at) % 3) })
        expect(store.items(more)).toHaveLength(1 + Number(at) % 3)
        expect(store.key(id)?.answer).toBe(`{"at":${at}}`)
      } else expect([store.order(id)?.record.state, tokens.tokenOf({ orderId: id }), store.session(id.replace('ord', 'cs'))?.record.state]).toEqual(['paid', more, 'paid'])
    }
    expect(answers.length).toBeGreaterThanOrEqual(lines)
    store.close()
  })
})
