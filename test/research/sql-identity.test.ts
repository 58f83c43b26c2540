import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeDays } from '../../src/columns.js'
import { convertFiles, openCatalog } from '../../src/index.js'
import type { BacktapeError } from '../../src/model/error.js'
import { backtapeProcess } from '../support/command.ts'
import { eventSums } from '../support/event-sums.ts'
import { dayBytes, masterData, time } from '../support/hand-made-day.js'
import { isNight, repeated } from '../support/repetitions.ts'

const root = mkdtempSync(join(tmpdir(), 'backtape-identity-'))
afterAll(() => { rmSync(root, { recursive: true, force: true }) })
let count = 0

function newFolder(): string {
  const folder = join(root, `folder-${String(count++)}`)
  mkdirSync(folder)
  return folder
}

const NAME = 'made-HAND-2026-07-01.txt.zst'

/** A day whose only trade has this quantity of one digit, which the size of the file does not show. */
const dayWith = (quantity: number): Uint8Array => dayBytes(masterData({}), [[2, '0', 't1', time('00:00:02'), 0, [[0, '101', String(quantity), 'x1', 0]]]])

const quantityIn = async (folder: string, cache: string): Promise<unknown> => {
  const catalog = await openCatalog(folder, { cache })
  try {
    return (await catalog.sql('select sum(qty)::varchar as q from trades')).rows[0]?.['q']
  } finally {
    await catalog.close()
  }
}

/** Ways of putting other bytes of the same size in the place of a file. */
const REPLACEMENTS: readonly [name: string, replace: (path: string, bytes: Uint8Array) => void][] = [
  ['written over', (path, bytes) => { writeFileSync(path, bytes) }],
  ['written over, its time of modification put back', (path, bytes) => {
    const { atime, mtime } = statSync(path)
    writeFileSync(path, bytes)
    utimesSync(path, atime, mtime)
  }],
  ['replaced by another file of the same time', (path, bytes) => {
    const { atime, mtime } = statSync(path)
    writeFileSync(`${path}.new`, bytes)
    utimesSync(`${path}.new`, atime, mtime)
    renameSync(`${path}.new`, path)
  }],
]

/** Ways of giving a file another state without another byte. */
const TOUCHES: readonly [name: string, touch: (path: string) => void][] = [
  ['with a new time', (path) => { utimesSync(path, 1_000_000_000, 1_000_000_000) }],
  ['copied back', (path) => {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  }],
]

const keptFiles = (cache: string): string[] => (readdirSync(join(cache, 'tables'), { recursive: true }) as string[]).filter((name) => name.endsWith('.parquet')).map((name) => join(cache, 'tables', name))

describe('a tick file that is replaced by one of the same size', () => {
  test.each(repeated(REPLACEMENTS, (_, at) => at === 1))('%s: its kept tables are not taken', async (_, replace) => {
    const [folder, cache] = [newFolder(), newFolder()]
    const path = join(folder, NAME)
    writeFileSync(path, dayWith(3))
    expect(await quantityIn(folder, cache)).toBe('3')
    replace(path, dayWith(7))
    expect(await quantityIn(folder, cache)).toBe('7')
  })

  test.each(repeated(REPLACEMENTS, (_, at) => at === 1))('%s: tables beside it, which a manifest lists, are not taken', async (_, replace) => {
    const [folder, cache] = [newFolder(), newFolder()]
    const path = join(folder, NAME)
    writeFileSync(path, dayWith(3))
    await convertFiles([path], { out: folder, kinds: ['trades'] })
    expect(await quantityIn(folder, cache)).toBe('3')
    replace(path, dayWith(7))
    expect(await quantityIn(folder, cache)).toBe('7')
    // Not known to an index either.
    expect(await quantityIn(folder, newFolder())).toBe('7')
    writeFileSync(path, dayWith(3))
    expect(await quantityIn(folder, cache)).toBe('3')
  })

  test('while a catalog is open', async () => {
    const [folder, cache] = [newFolder(), newFolder()]
    const path = join(folder, NAME)
    writeFileSync(path, dayWith(3))
    const catalog = await openCatalog(folder, { cache })
    const ask = async (): Promise<unknown> => (await catalog.sql('select sum(qty)::varchar as q from trades')).rows[0]?.['q']
    expect(await ask()).toBe('3')
    for (const [quantity, [, replace]] of REPLACEMENTS.entries()) {
      replace(path, dayWith(quantity + 4))
      expect(await ask()).toBe(String(quantity + 4))
    }
    await catalog.close()
  })

  test('a kind that a manifest lists as empty is asked of the new bytes', async () => {
    const [folder, cache] = [newFolder(), newFolder()]
    const path = join(folder, NAME)
    const bytes = (kind: number): Uint8Array => dayBytes(masterData({}), [[kind, '0', 'm', time('00:00:03'), 0, '100']])
    writeFileSync(path, bytes(7))
    await convertFiles([path], { out: folder })
    const countOf = async (kind: string): Promise<unknown> => {
      const catalog = await openCatalog(folder, { cache })
      const table = await catalog.sql(`select count(*) as n from ${kind}`)
      await catalog.close()
      return table.rows[0]?.['n']
    }
    expect([await countOf('mark'), await countOf('index')]).toEqual(['1', '0'])
    expect(statSync(path).size).toBe(bytes(8).length)
    writeFileSync(path, bytes(8))
    expect([await countOf('mark'), await countOf('index')]).toEqual(['0', '1'])
  })

  test.each(REPLACEMENTS)('%s: its audit is not taken', async (_, replace) => {
    const [folder, cache] = [newFolder(), newFolder()]
    const path = join(folder, NAME)
    writeFileSync(path, dayWith(3))
    const audited: string[] = []
    const audit = async (): Promise<void> => { await (await openCatalog(folder, { cache, onAudit: (name) => audited.push(name) })).audit() }
    await audit()
    await audit()
    expect(audited).toHaveLength(1)
    replace(path, dayWith(7))
    expect((await openCatalog(folder, { cache })).table().column('audit')).toEqual([null])
    await audit()
    expect(audited).toHaveLength(2)
  })
})

describe('a table is judged by the bytes of every tick file of its instrument and day', () => {
  const ID_NAME = '7_2026-07-01.txt.zst'
  const TABLE = NAME.replace('.txt.zst', '.trades.parquet')
  const OLD = [100, 3] as const
  const NEW = [120, 5] as const
  type Trades = readonly [tradeCount: number, quantity: number]
  const bytesOf = ([tradeCount, quantity]: Trades): Uint8Array => dayBytes(masterData({}), Array.from({ length: tradeCount }, (_, i) => [2, '0', `t${String(i)}`, time('00:00:02') + BigInt(i), 0, [[0, '101', String(quantity), `x${String(i)}`, 0]]]))
  const put = (folder: string, name: string, trades: Trades): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytesOf(trades))
  }
  const move = (folder: string, from: string, to: string): void => {
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    renameSync(join(folder, from), join(folder, to))
  }
  const answer = async (folder: string, cache: string, prefer?: string): Promise<string> => {
    const catalog = await openCatalog(folder, { cache, ...(prefer === undefined ? {} : { prefer }) })
    try {
      const [row] = (await catalog.sql('select sum(qty)::varchar as s, count(*) as n from trades')).rows
      return `${String(row!['s'])}/${String(row!['n'])}`
    } catch (error) {
      const { code, message } = error as BacktapeError
      if (code === 'FILE_UNREADABLE' && message.includes('move it away')) return 'unreadable'
      return code === 'OPTION_INVALID' && message.includes('hold the same') ? 'two' : String(error)
    } finally {
      await catalog.close()
    }
  }

  type Step = readonly ['put', name: string, trades: Trades] | readonly ['convert' | 'remove', name: string] | readonly ['move', from: string, to: string] | readonly ['fill', name: string, bytes: Uint8Array]
  const take = async (folder: string, step: Step): Promise<void> => {
    if (step[0] === 'put') put(folder, step[1], step[2])
    else if (step[0] === 'move') move(folder, step[1], step[2])
    else if (step[0] === 'fill') writeFileSync(join(folder, step[1]), step[2])
    else if (step[0] === 'convert') await convertFiles([join(folder, step[1])], { out: folder, kinds: ['trades'] })
    else rmSync(join(folder, step[1]))
  }
  const CHANGES: readonly (readonly [string, readonly Step[], Record<string, string>])[] = [
    ['replaced, and copied to another name', [['put', NAME, NEW], ['put', ID_NAME, NEW]], { '': '600/120' }],
    ['replaced, and copied to a name after it', [['put', NAME, NEW], ['put', 'z/7_2026-07-01.txt.zst', NEW]], { '': '600/120' }],
    ['deleted, and a new one of another name', [['remove', NAME], ['put', ID_NAME, NEW]], { '': '600/120' }],
    ['deleted, and a new one of another name in another folder', [['remove', NAME], ['put', `new/${ID_NAME}`, NEW]], { '': '600/120' }],
    ['replaced by an empty file', [['fill', NAME, new Uint8Array()]], { '': 'unreadable', [TABLE]: '300/100' }],
    ['replaced by noise', [['fill', NAME, Uint8Array.from({ length: 100 }, (_, i) => (i * 37) & 255)]], { '': 'unreadable', [TABLE]: '300/100' }],
    ['replaced by a new one that is cut', [['fill', NAME, bytesOf(NEW).subarray(0, 60)]], { '': 'unreadable', [TABLE]: '300/100' }],
    ['a different one of another name beside it', [['put', ID_NAME, NEW]], { '': 'two', '7_': '600/120', 'made-': '300/100', 'trades.parquet': '300/100', 'none such': 'two' }],
    ['a different one of the same name beside it', [['put', `b/${NAME}`, NEW]], { '': 'two', [join('b', NAME)]: '600/120', [TABLE]: '300/100' }],
    ['both have a table', [['put', ID_NAME, NEW], ['convert', ID_NAME]], { '': 'two', '7_': '600/120', 'made-': '300/100' }],
    ['both have a table, and only the other tick file stays', [['put', ID_NAME, NEW], ['convert', ID_NAME], ['remove', NAME]], { '': '600/120', 'made-': '600/120' }],
    ['both have a table, and no tick file stays', [['put', ID_NAME, NEW], ['convert', ID_NAME], ['remove', NAME], ['remove', ID_NAME]], { '': 'two', '7_': '600/120' }],
    ['renamed', [['move', NAME, ID_NAME]], { '': '300/100' }],
    ['moved to another folder', [['move', NAME, `b/${NAME}`]], { '': '300/100' }],
    ['deleted', [['remove', NAME]], { '': '300/100' }],
    ['replaced by one of as many bytes, of another name', [['remove', NAME], ['put', ID_NAME, [100, 5]]], { '': '500/100' }],
    ['its manifest is lost, and it is replaced', [['remove', 'backtape-manifest.json'], ['put', NAME, NEW]], { '': '600/120', [TABLE]: '300/100' }],
    ['its table is renamed, and it is replaced', [['move', TABLE, 'old.parquet'], ['put', NAME, NEW]], { '': '600/120' }],
    ['its table lies elsewhere, without a manifest', [['move', TABLE, `b/${TABLE}`], ['put', NAME, NEW]], { '': '600/120' }],
  ]
  const byDay = /^(?:replaced, and copied to another|replaced by a new|a different one of another|its manifest)/
  test.each(repeated(CHANGES, ([words]) => byDay.test(words)))('%s', async (_, steps, answers) => {
    const [folder, cache] = [newFolder(), newFolder()]
    put(folder, NAME, OLD)
    await take(folder, ['convert', NAME])
    expect(await answer(folder, cache)).toBe('300/100')
    for (const step of steps) await take(folder, step)
    for (const [prefer, expected] of Object.entries(answers))
      expect([prefer, await answer(folder, cache, prefer === '' ? undefined : prefer)]).toEqual([prefer, expected])
    if (isNight) expect(await answer(folder, newFolder())).toBe(answers[''])
  })

  test('two copies from the begin, both replaced; then one', async () => {
    const [folder, cache] = [newFolder(), newFolder()]
    for (const name of [NAME, ID_NAME]) put(folder, name, OLD)
    await take(folder, ['convert', NAME])
    expect(await answer(folder, cache)).toBe('300/100')
    for (const name of [NAME, ID_NAME]) put(folder, name, NEW)
    expect(await answer(folder, cache)).toBe('600/120')
    put(folder, NAME, OLD)
    expect([await answer(folder, cache), await answer(folder, cache, '7_')]).toEqual(['two', '600/120'])
    put(folder, ID_NAME, OLD)
    expect(await answer(folder, cache)).toBe('300/100')
  })

  test('a catalog that is open sees it, and an unchanged table is not made again', async () => {
    const [folder, cache] = [newFolder(), newFolder()]
    put(folder, NAME, OLD)
    await take(folder, ['convert', NAME])
    const catalog = await openCatalog(folder, { cache })
    const ask = async (): Promise<unknown> => (await catalog.sql('select sum(qty)::varchar as s from trades')).rows[0]?.['s']
    expect(await ask()).toBe('300')
    move(folder, NAME, `bundle/${ID_NAME}`)
    expect(await ask()).toBe('300')
    expect(existsSync(join(cache, 'tables'))).toBe(false)
    put(folder, `bundle/${ID_NAME}`, NEW)
    expect(await ask()).toBe('600')
    put(folder, NAME, OLD)
    await expect(ask()).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    await catalog.close()
  })
})

describe('a file that does not say its day', () => {
  const NAMELESS = 'day.txt.zst'
  const DAY_TABLE = 'day.trades.parquet'
  const days: Record<string, (folder: string) => unknown> = {
    'its tables of a stated day': (folder) => convertFiles([join(folder, NAMELESS)], { out: folder, kinds: ['trades'], read: { day: '2026-07-01' } }),
    'its tables of a stated day in another folder, without a manifest': async (folder) => {
      await convertFiles([join(folder, NAMELESS)], { out: join(folder, 'b'), kinds: ['trades'], read: { day: '2026-07-01' } })
      rmSync(join(folder, 'b', 'backtape-manifest.json'))
    },
    'its tables without a day': (folder) => convertFiles([join(folder, NAMELESS)], { out: folder, kinds: ['trades'] }),
    'a copy of the same bytes with a name': (folder) => { copyFileSync(join(folder, NAMELESS), join(folder, NAME)) },
    'another copy without a name': (folder) => { copyFileSync(join(folder, NAMELESS), join(folder, 'copy.txt.zst')) },
    'a day of other bytes': (folder) => { writeFileSync(join(folder, NAME), dayWith(5)) },
  }
  const answer = async (folder: string, trust: boolean): Promise<unknown> => {
    const catalog = await openCatalog(folder, { cache: newFolder() })
    try {
      return (await catalog.sql('select sum(qty)::varchar as q from trades where instrument = \'made:HAND\'', { trust })).rows
    } catch (error) {
      const { code, message } = error as BacktapeError
      return `${code} ${message}`
    } finally {
      await catalog.close()
    }
  }
  test.each(Object.entries(days))('is refused beside %s, also where it is trusted: its rows would count twice', async (_, put) => {
    const folder = newFolder()
    writeFileSync(join(folder, NAMELESS), dayWith(3))
    await put(folder)
    for (const trust of [false, true])
      expect(await answer(folder, trust)).toMatch(/^OPTION_INVALID Cannot query trades of made:HAND on an unknown day: \S+ does not say its day, and \S+ may hold the same; (?:give the file a name with its day, or move one away|convert its tick file again with .*)$/)
  })
  test('is refused as a table beside the day of its instrument too', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, NAMELESS), dayWith(3))
    await days['its tables without a day']!(folder)
    renameSync(join(folder, NAMELESS), join(folder, NAME))
    const advice = 'convert its tick file again with the option day \\(--day\\), move it away, or name one file alone \\(--data\\)$'
    const refused = (name: string): RegExp => new RegExp(`^OPTION_INVALID .*${name} does not say its day, and \\S+${NAME} may hold the same; ${advice}`)
    for (const trust of [false, true]) expect(await answer(folder, trust)).toMatch(refused(DAY_TABLE))
    // Another name says no day of a table; the advice is what helps.
    const renamed = NAME.replace('.txt.zst', '.trades.parquet')
    renameSync(join(folder, DAY_TABLE), join(folder, renamed))
    expect(await answer(folder, true)).toMatch(refused(renamed))
    rmSync(join(folder, renamed))
    const elsewhere = newFolder()
    copyFileSync(join(folder, NAME), join(elsewhere, NAMELESS))
    await convertFiles([join(elsewhere, NAMELESS)], { out: folder, kinds: ['trades'], read: { day: '2026-07-01' }, force: true })
    expect(await answer(folder, false)).toEqual([{ q: '3' }])
  })
  test('is taken whole where it is trusted, alone of its instrument', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, NAMELESS), dayWith(3))
    writeFileSync(join(folder, 'made-OTHER-2026-07-01.txt.zst'), dayBytes(masterData({ id: 8, code: 'OTHER' }), []))
    expect(await answer(folder, false)).toMatch(/^OPTION_INVALID .*the name of \S+day.txt.zst does not say its day; trust \(--trust\) takes it whole$/)
    expect(await answer(folder, true)).toEqual([{ q: '3' }])
  })
})

describe('a tick file in another state with the same bytes', () => {
  test.each(TOUCHES)('%s: nothing is made again', async (_, touch) => {
    const [folder, cache] = [newFolder(), newFolder()]
    const path = join(folder, NAME)
    writeFileSync(path, dayWith(3))
    const audited: string[] = []
    const open = (): ReturnType<typeof openCatalog> => openCatalog(folder, { cache, onAudit: (name) => audited.push(name) })
    await (await open()).audit()
    expect(await quantityIn(folder, cache)).toBe('3')
    const made = keptFiles(cache).map((file) => statSync(file, { bigint: true }).mtimeNs)
    touch(path)
    expect(await quantityIn(folder, cache)).toBe('3')
    await (await open()).audit()
    expect(keptFiles(cache).map((file) => statSync(file, { bigint: true }).mtimeNs)).toEqual(made)
    expect(audited).toHaveLength(1)
  })

  test('in another folder: its kept tables serve there too', async () => {
    const [first, second, cache] = [newFolder(), newFolder(), newFolder()]
    for (const folder of [first, second]) writeFileSync(join(folder, NAME), dayWith(3))
    expect([await quantityIn(first, cache), await quantityIn(second, cache)]).toEqual(['3', '3'])
    expect(keptFiles(cache)).toHaveLength(1)
  })
})

describe('bytes that are flipped in a table', () => {
  const made = join(root, 'made')
  const name = 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
  let wanted = ''
  beforeAll(async () => {
    await writeDays(made, { seed: 11, kind: 'perpetual', minutes: 1, days: 1, day: '2026-07-01' })
    wanted = String((await eventSums(join(made, name), 'trades')).rows)
  })

  const flip = (path: string, at: number): void => {
    const [bytes, { atime, mtime }] = [readFileSync(path), statSync(path)]
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
    utimesSync(path, atime, mtime)
  }

  test('one of the cache is made again, wherever the bytes are', async () => {
    const cache = newFolder()
    const ask = async (): Promise<unknown> => {
      const catalog = await openCatalog(made, { cache })
      try {
        return (await catalog.sql('select count(*) as n, sum(qty) as q, sum(price) as p from trades')).rows
      } finally {
        await catalog.close()
      }
    }
    const before = await ask()
    const [path = ''] = keptFiles(cache)
    for (const part of repeated(Array.from({ length: 24 }, (_, at) => at), (at) => at === 0 || at === 11 || at === 23)) {
      flip(path, Math.floor((statSync(path).size * part) / 24))
      expect(await ask()).toEqual(before)
    }
    expect(before).toMatchObject([{ n: wanted }])
  })

  test('one of the user is refused by each process that reads it, also where an earlier one found it right', async () => {
    const [folder, cache] = [newFolder(), newFolder()]
    await convertFiles([join(made, name)], { out: folder, kinds: ['trades'] })
    const path = join(folder, name.replace('.txt.zst', '.trades.parquet'))
    const ask = async (): Promise<unknown> => (await (await openCatalog(folder, { cache })).sql('select count(*) as n from trades')).rows[0]?.['n']
    expect(await ask()).toBe(wanted)
    flip(path, 700)
    for (let again = 0; again < 2; again++) await expect(ask()).rejects.toMatchObject({ code: 'OUTPUT_DIFFERS', place: { file: path } })
    flip(path, 700)
    expect(await ask()).toBe(wanted)
  })
})

test('processes that need the same unconverted days wait for each other', { timeout: 120_000 }, async () => {
  const [made, cache] = [newFolder(), newFolder()]
  const days = isNight ? 3 : 2
  await writeDays(made, { seed: 5, kind: 'perpetual', minutes: isNight ? 2 : 1, days, day: '2026-07-01' })
  const statement = 'select count(*) as n, (select count(*) from minutes) as m from trades'
  const results = await Promise.all(Array.from({ length: isNight ? 3 : 2 }, () => backtapeProcess(['sql', statement, '--data', made, '--cache', cache, '--json'])))
  expect(results.map(({ code, err }) => [code, err])).toEqual(results.map(() => [0, '']))
  expect(new Set(results.map(({ out }) => out)).size).toBe(1)
  expect(keptFiles(cache)).toHaveLength(2 * days)
})
