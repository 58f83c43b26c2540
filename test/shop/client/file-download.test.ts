import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BacktapeError } from '../../../src/model/error.js'
import { RandomNumbers } from '../../../src/model/random.js'
import type { ByteCheck } from '../../../src/shop/client/byte-check.js'
import { downloadFile, type DownloadedFile, type FileDownload } from '../../../src/shop/client/file-download-client.js'
import { ShopAsker } from '../../../src/shop/client/shop-asker-client.js'
import { shopFileName } from '../../../src/model/shop-file-name.js'
import { refusalOf } from '../../support/collected.ts'
import { FAULT_KINDS, FaultyShop, etagOf, type FaultyFile, type ShopFault } from '../../support/faulty-shop.ts'
import { newFolder } from '../../support/new-folder.ts'
import { QuickClock } from '../../support/quick-clock.ts'
import { caseCount, isNight } from '../../support/repetitions.ts'
import { timeLimitMs } from '../../support/time-limit.ts'

const SECRET = 'sentinel-4c1e/Token+9f8e'
const STALL_MS = 150
const ANSWER_MS = 20_000
const NAME = 'a_spot-BTCUSDT-2026-01-02.txt.zst'

let shop: FaultyShop
beforeAll(async () => { shop = await FaultyShop.started() })
afterAll(() => { shop.close() })

const makes: Map<string, Uint8Array> = new Map()

/** Bytes that begin like zstd and end with their own sum, made of a number. */
function made(seed: number, length = 3000): Uint8Array {
  const key = `${String(seed)} ${String(length)}`
  const known = makes.get(key)
  if (known !== undefined) return known
  const random = new RandomNumbers(seed, 'bytes', 0)
  const bytes = Uint8Array.from({ length }, (_, at) => (at < 4 ? [0x28, 0xb5, 0x2f, 0xfd][at]! : Math.floor(random.uniform(at) * 256)))
  bytes[length - 1] = bytes.subarray(0, -1).reduce((sum, byte) => (sum + byte) & 255, 0)
  makes.set(key, bytes)
  return bytes
}

/** Checks the sum at the end. */
function sumCheck(): ByteCheck & { readonly begins: string[] } {
  let [sum, last] = [0, 0]
  const begins: string[] = []
  return {
    begins,
    begin(name) {
      begins.push(name)
      ;[sum, last] = [0, 0]
    },
    take(bytes) {
      for (const byte of bytes) [sum, last] = [(sum + last) & 255, byte]
    },
    end() {
      if (sum !== last) throw new BacktapeError('ZSTD_CHECKSUM', 'The sum is wrong')
    },
  }
}

const NONE: ShopFault = { kind: 'none' }
const notes: string[] = []

function download(id: string, file: Partial<FaultyFile>, folder: string, more: Partial<FileDownload> = {}): Promise<DownloadedFile> {
  shop.files.set(id, { bytes: made(1), next: made(2), faults: [], last: NONE, ...file })
  const onNote = (note: string): void => { notes.push(note) }
  const asker = new ShopAsker({ url: shop.url, clock: new QuickClock(0, [STALL_MS, ANSWER_MS]), random: new RandomNumbers(1, 'test', 0), answerMs: ANSWER_MS, onNote })
  const call = { route: 'download', path: { order_id: 'o', instrument_id: 7, date: id }, token: SECRET } as const
  return downloadFile(asker, { call, folder, name: NAME, kind: 'tick', stallMs: STALL_MS, ...more })
}

const textOf = (folder: string, name: string): string => readFileSync(join(folder, name), 'latin1')
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
/** Leaves the files of an earlier attempt. */
function left(folder: string, state: unknown, bytes: Uint8Array): void {
  writeFileSync(join(folder, `${NAME}.part`), bytes)
  writeFileSync(join(folder, `${NAME}.part.json`), typeof state === 'string' ? state : JSON.stringify(state))
}
const stateOf = (bytes: Uint8Array, syncedBytes: number): object => ({ sizeBytes: bytes.length, etag: etagOf(bytes), date: null, syncedBytes })
const ranges = (id: string): (string | null)[] => shop.requests.filter((head) => head.includes(`/${id}?`)).map((head) => /^range: (.*)\r$/im.exec(head)?.[1] ?? null)

describe('resume', () => {
  const bytes = made(1)

  test.each<readonly [string, Partial<FaultyFile>, (string | null)[]]>([
    ['honest', {}, ['bytes=1000-']], ['If-Range answered by 200', { faults: [{ kind: 'ignores If-Range' }] }, ['bytes=1000-', 'bytes=1000-']],
    ['200 with and without If-Range', { last: { kind: 'whole for part' } }, ['bytes=1000-', 'bytes=1000-']],
    ['a range that begins elsewhere', { faults: [{ kind: 'wrong begin' }] }, ['bytes=1000-', null]],
    ['a range of another total', { faults: [{ kind: 'wrong total' }] }, ['bytes=1000-', null]],
    ['a stall', { faults: [{ kind: 'stall', at: 500 }] }, ['bytes=1000-', 'bytes=1500-']],
    ['a status 429', { faults: [{ kind: 'status 429' }] }, ['bytes=1000-', 'bytes=1000-']],
    ['a reset and a stall', { faults: [{ kind: 'cut', at: 0 }, { kind: 'stall', at: 700 }] }, ['bytes=1000-', 'bytes=1000-', 'bytes=1700-']],
  ])('%s', async (name, file, asked) => {
    const [folder, id] = [newFolder(), `resume-${name.replaceAll(' ', '-')}`]
    // What lies behind the synced length is not trusted.
    left(folder, stateOf(bytes, 1000), new Uint8Array([...bytes.subarray(0, 1000), ...new Uint8Array(5000).fill(9)]))
    const check = sumCheck()
    expect(await download(id, file, folder, { check })).toEqual({ path: join(folder, NAME), sizeBytes: 3000 })
    expect([textOf(folder, NAME), readdirSync(folder), ranges(id)]).toEqual([latin(bytes), [NAME], asked])
  })

  test('at full length 416 is the end, and the part is checked', async () => {
    const [folder, check] = [newFolder(), sumCheck()]
    left(folder, stateOf(bytes, 3000), bytes)
    await download('full', {}, folder, { check })
    expect([textOf(folder, NAME), ranges('full'), check.begins]).toEqual([latin(bytes), ['bytes=3000-'], [NAME]])
  })

  test('416 of a file that became shorter begins anew', async () => {
    const folder = newFolder()
    const short = made(3, 500)
    left(folder, stateOf(bytes, 1000), bytes)
    shop.requests.length = 0
    await download('shorter', { bytes: short, faults: [{ kind: 'ignores If-Range' }] }, folder)
    expect(textOf(folder, NAME)).toBe(latin(short))
  })

  test.each([
    ['no JSON', 'x'], ['a list', []], ['no length', { ...stateOf(bytes, 1000), sizeBytes: -1 }], ['more than there is', stateOf(bytes, 2500)],
    ['more than its size', { ...stateOf(bytes, 1000), sizeBytes: 900 }], ['no validator', { ...stateOf(bytes, 1000), etag: null }],
    ['half a byte', stateOf(bytes, 0.5)], ['a text', { ...stateOf(bytes, 1000), syncedBytes: '1000' }],
  ])('a part with %s is dropped', async (name, state) => {
    const [folder, id] = [newFolder(), `dropped-${name.replaceAll(' ', '-')}`]
    left(folder, state, new Uint8Array(2000).fill(7))
    await download(id, {}, folder)
    expect([textOf(folder, NAME), readdirSync(folder), ranges(id)]).toEqual([latin(bytes), [NAME], [null]])
  })

  test('another version begins anew', async () => {
    const folder = newFolder()
    left(folder, stateOf(bytes, 1000), bytes)
    await download('version', { faults: [{ kind: 'changed' }] }, folder)
    expect(textOf(folder, NAME)).toBe(latin(made(2)))
  })

  test('what came before a failure is kept, without the token', async () => {
    const folder = newFolder()
    const { code } = await refusalOf(() => download('kept', { faults: [{ kind: 'stall', at: 1200 }], last: { kind: 'status 404' } }, folder))
    expect([code, readdirSync(folder)]).toEqual(['SHOP_REFUSED', [`${NAME}.part`, `${NAME}.part.json`]])
    expect(JSON.parse(textOf(folder, `${NAME}.part.json`))).toEqual({ ...stateOf(bytes, 1200), date: 'Mon, 05 Jan 2026 00:00:00 GMT' })
    shop.requests.length = 0
    await download('kept', {}, folder)
    expect([textOf(folder, NAME), ranges('kept')]).toEqual([latin(bytes), ['bytes=1200-']])
  })

  test('every request asks for bytes as they are', () => {
    expect(shop.requests.filter((head) => !/^accept-encoding: identity\r$/im.test(head))).toEqual([])
  })
})

describe('damage', () => {
  const damaged = made(1).with(50, 0).with(51, 1)

  test('a resumed file that fails its check is fetched anew once', async () => {
    const [folder, check] = [newFolder(), sumCheck()]
    left(folder, stateOf(made(1), 1000), damaged)
    await download('anew', {}, folder, { check })
    expect([textOf(folder, NAME), check.begins.length]).toEqual([latin(made(1)), 2])
  })

  test.each([['fresh', false, 1], ['resumed', true, 2]])('a %s file that is damaged at the shop stays as .bad', async (name, isResumed, begins) => {
    const [folder, check] = [newFolder(), sumCheck()]
    if (isResumed) left(folder, stateOf(damaged, 1000), damaged)
    expect((await refusalOf(() => download(`bad-${name}`, { bytes: damaged }, folder, { check }))).code).toBe('ZSTD_CHECKSUM')
    expect([readdirSync(folder), textOf(folder, `${NAME}.bad`), check.begins.length]).toEqual([[`${NAME}.bad`], latin(damaged), begins])
  })

  test.each(['gzip', 'login page', 'lying login page', 'JSON', 'status 202', 'longer'] as const)('%s is not taken for bytes, and the part stays', async (kind) => {
    for (const isResumed of [false, true]) {
      const folder = newFolder()
      if (isResumed) left(folder, stateOf(made(1), 1000), made(1))
      const result = await download(`page-${kind.replaceAll(' ', '-')}`, { last: { kind } }, folder).then(() => 'whole', (error: unknown) => (error as BacktapeError).code)
      if (kind === 'longer') expect([result, textOf(folder, NAME)]).toEqual(['whole', latin(made(1))])
      else expect([['SHOP_ANSWER_INVALID', 'SHOP_REFUSED'].includes(result), readdirSync(folder)]).toEqual([true, isResumed ? [`${NAME}.part`, `${NAME}.part.json`] : []])
    }
  })

  test('gzip, Parquet, zip and tar have heads of their own', async () => {
    for (const kind of ['gzip', 'parquet', 'zip', 'tar'] as const)
      expect((await refusalOf(() => download(`kind-${kind}`, {}, newFolder(), { kind }))).code).toBe('SHOP_ANSWER_INVALID')
    expect((await refusalOf(() => download('tiny', { bytes: new Uint8Array([0x28, 0xb5]) }, newFolder()))).code).toBe('SHOP_ANSWER_INVALID')
    expect((await refusalOf(() => download('empty', { bytes: new Uint8Array(0) }, newFolder()))).code).toBe('SHOP_ANSWER_INVALID')
  })
})

describe('the disk', () => {
  test('what exists is not overwritten but by force', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, NAME), 'mine')
    shop.requests.length = 0
    expect((await refusalOf(() => download('exists', {}, folder))).code).toBe('OUTPUT_EXISTS')
    expect([textOf(folder, NAME), ranges('exists')]).toEqual(['mine', []])
    await download('exists', {}, folder, { force: true })
    expect(textOf(folder, NAME)).toBe(latin(made(1)))
  })

  test.runIf(existsSync('/dev/full'))('a full disk and a folder that takes nothing are one sentence each', async () => {
    const folder = newFolder()
    symlinkSync('/dev/full', join(folder, `${NAME}.part`))
    const full = await refusalOf(() => download('full-disk', {}, folder))
    expect([full.code, full.message]).toEqual(['OUTPUT_FAILED', `Cannot write ${join(folder, NAME)}: the disk is full; free some space or choose another folder`])
    const barren = await refusalOf(() => download('barren', {}, '/proc/1/backtape'))
    expect([barren.code, barren.message.includes('\n')]).toEqual(['OUTPUT_FAILED', false])
    const taken = newFolder()
    mkdirSync(join(taken, `${NAME}.part`))
    expect((await refusalOf(() => download('taken', {}, taken))).code).toBe('OUTPUT_FAILED')
  })

  test.each([
    ['a_spot', 'BTCUSDT', 'a_spot-BTCUSDT-2026-01-02.txt.zst'], ['../..', '/etc/passwd', '.._u002f..-_u002fetc_u002fpasswd-2026-01-02.txt.zst'],
    ['a', 'B\0C\u202eD\u00e9\u{1f600}', 'a-B_u0000C_u202eD_u00e9_ud83d_ude00-2026-01-02.txt.zst'], ['a', 'B_u002fC', 'a-B_u005fu002fC-2026-01-02.txt.zst'],
    ['a', 'C:\\x y*?', 'a-C_u003a_u005cx_u0020y_u002a_u003f-2026-01-02.txt.zst'],
  ])('the name of %j %j is %s', (exchange, code, name) => {
    expect(shopFileName(exchange, code, '2026-01-02', 'txt.zst')).toBe(name)
  })
})

const CODES = ['SHOP_REFUSED', 'SHOP_UNREACHABLE', 'SHOP_ANSWER_INVALID']

test('whatever a server does, there are the right bytes of one version or a typed error, and the token nowhere', { timeout: timeLimitMs(120_000) }, async () => {
  const random = new RandomNumbers(20_260_106, 'faults', 0)
  const count = isNight ? caseCount(2000) : 160
  const outcomes: Record<string, number> = {}
  async function play(number: number): Promise<void> {
    let part = 0
    const draw = (limit: number): number => Math.floor(random.uniform(number, part++) * limit)
    const fault = (): ShopFault => {
      const kind = FAULT_KINDS[draw(FAULT_KINDS.length)]!
      if (kind === 'stall' && draw(8) > 0) return NONE
      return kind === 'cut' || kind === 'stall' || kind === 'reset' ? { kind, at: draw(3200) } : { kind }
    }
    const [id, bytes, next] = [`case-${String(number)}`, made(number % 50), made(1000 + (number % 50))]
    const file = { bytes, next, faults: Array.from({ length: draw(6) }, fault), last: draw(4) === 0 ? fault() : NONE }
    const folder = join(root, id)
    mkdirSync(folder)
    const at = draw(3000)
    if (draw(2) === 0) left(folder, stateOf(bytes, at), bytes)
    const words = `case ${String(number)}: ${JSON.stringify(file.last)}`
    for (let attempt = 0; attempt < 2; attempt++) {
      const result = await download(id, file, folder, draw(2) === 0 ? { check: sumCheck() } : {}).then(() => null, (error: unknown) => error)
      const names = readdirSync(folder)
      const outcome = result === null ? 'whole' : result instanceof BacktapeError ? result.code : 'another error'
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      const shown = inspect(result, { depth: 5 }) + names.filter((name) => name.endsWith('json')).map((name) => textOf(folder, name)).join('')
      if (/sentinel|[?&]t=(?!\*)/.test(shown)) throw new Error(`${words}: the token is shown: ${shown}`)
      if (result === null) {
        const isRight = [bytes, next].some((one) => textOf(folder, NAME) === latin(one))
        if (!isRight || names.length !== 1) throw new Error(`${words}: wrong bytes, ${names.join(' ')}`)
        return
      }
      if (!CODES.includes(outcome) || names.includes(NAME)) throw new Error(`${words}: ${inspect(result)} ${names.join(' ')}`)
    }
  }
  const root = newFolder()
  let at = 0
  await Promise.all(Array.from({ length: 24 }, async () => { while (at < count) await play(at++) }))
  expect(outcomes['whole']).toBeGreaterThan(count / 4)
  for (const code of CODES) expect(outcomes[code]).toBeGreaterThan(0)
  expect(notes.filter((note) => /sentinel|[?&]t=(?!\*)/.test(note))).toEqual([])
})
