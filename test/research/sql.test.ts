import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { convertFiles, openCatalog } from '../../src/index.js'
import { writeDays, type Catalog } from '../../src/columns.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { eventSums, type EventSums } from '../support/event-sums.ts'
import { dayFiles, hasSharedData } from '../support/shared-data.ts'

const root = mkdtempSync(join(tmpdir(), 'backtape-sql-'))
const made = join(root, 'made')
const archive = join(root, 'archive')
const cache = join(root, 'cache')
let count = 0
afterAll(() => { rmSync(root, { recursive: true, force: true }) })

const SUMS = 'select count(*) as n, sum(qty) filter (where side = \'ASK\') as ask, sum(qty) filter (where side = \'BID\') as bid, sum(price::decimal(38, 8) * qty::decimal(38, 8)) as turnover'
const base = (day: number): string => `synthetic_swap-XRPUSDT-2026-07-0${String(day)}`
const tick = (day: number): string => join(made, `${base(day)}.txt.zst`)
const isDay = (day: number): string => `day = '2026-07-0${String(day)}'`

function newFolder(): string {
  const folder = join(root, `folder-${String(count++)}`)
  mkdirSync(folder)
  return folder
}

/** A folder with the tables of days, without their tick files and their manifest. */
function tablesOf(...days: readonly number[]): string {
  const folder = newFolder()
  for (const name of readdirSync(archive))
    if (days.some((day) => name.startsWith(base(day)))) copyFileSync(join(archive, name), join(folder, name))
  return folder
}

function rowOf({ rows, quantity, turnover }: EventSums): object {
  return { n: String(rows), ask: quantity['ASK'], bid: quantity['BID'], turnover }
}

beforeAll(async () => {
  await writeDays(made, { seed: 11, kind: 'perpetual', minutes: 1, days: 3, day: '2026-07-01' })
  await convertFiles([1, 2, 3].map(tick), { out: archive })
})

describe('sums over views equal those of the tick files', () => {
  test.each(['trades', 'depth'] as const)('%s of made-up days, from tables', async (kind) => {
    const catalog = await openCatalog(tablesOf(1, 2, 3))
    for (const day of [1, 2, 3])
      expect((await catalog.sql(`${SUMS} from ${kind} where ${isDay(day)}`)).rows).toEqual([rowOf(await eventSums(tick(day), kind))])
    const all = await catalog.sql(`select count(*) as n from ${kind}`)
    const parts = await Promise.all([1, 2, 3].map((day) => eventSums(tick(day), kind)))
    expect(all.column('n')).toEqual([String(parts.reduce((sum, { rows }) => sum + rows, 0))])
    await catalog.close()
  })

  test('trades of tick files, a bundle among them, converted on first use', async () => {
    const folder = newFolder()
    const tar = readdirSync(datasetsFolder).find((name) => name.endsWith('.tar')) ?? ''
    copyFileSync(tick(2), join(folder, `${base(2)}.txt.zst`))
    copyFileSync(join(datasetsFolder, tar), join(folder, tar))
    const catalog = await openCatalog(folder)
    expect((await catalog.sql(`${SUMS} from trades where instrument = 'synthetic_swap:XRPUSDT'`)).rows).toEqual([rowOf(await eventSums(tick(2), 'trades'))])
    const member = `${join(folder, tar)}#synthetic_option-BTC-72000-C-2026-07-01.txt.zst`
    expect((await catalog.sql(`${SUMS} from trades where instrument like '%BTC%' and day < '2026-07-02'`)).rows).toEqual([rowOf(await eventSums(member, 'trades'))])
    await catalog.close()
  })

  test.skipIf(!hasSharedData)('trades of a recorded day', async () => {
    const file = dayFiles.find((path) => path.includes('binance_spot-ETHUSDT')) ?? ''
    const catalog = await openCatalog(file, { cache: join(root, 'recorded') })
    expect((await catalog.sql(`${SUMS} from trades`)).rows).toEqual([rowOf(await eventSums(file, 'trades'))])
    await catalog.close()
  })

  test('the minutes are those of the day', async () => {
    const catalog = await openCatalog(tick(1), { cache: newFolder() })
    const { rows } = await catalog.sql('select day, sum(trades) as n, min(time) as first from minutes group by day')
    const trades = await catalog.sql('select count(*) as n from trades')
    expect(rows).toEqual([{ day: '2026-07-01', n: trades.rows[0]?.['n'], first: expect.any(BigInt) as bigint }])
    await catalog.close()
  })
})

describe('only what a statement needs is opened and converted', () => {
  test.each([
    ['a day', `select count(*) from trades where ${isDay(2)}`, [2]],
    ['an instrument that is not there', "select count(*) from trades where instrument = 'x:Y'", []],
    ['days behind a view and a join', `with b as (select * from bbo where ${isDay(3)}) select count(*) from b join trades t using (instrument, day)`, [3]],
    ['days of a list', "select count(*) from trades where day in ('2026-07-01', '2026-07-03')", [1, 3]],
    ['no file for words alone', "select 'trades'", []],
    ['a view by a hidden name', "select count(*) from query_table('tra' || 'des') where day = '2026-07-01'", [1]],
  ])('%s', async (_, statement, days) => {
    const folder = newFolder()
    const catalog = await openCatalog(made, { cache: folder })
    await catalog.sql(statement)
    const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.parquet'))
    expect([...new Set(names.map((name) => Number(/-0(\d)\.\w+\.parquet$/.exec(name)?.[1])))].sort()).toEqual(days)
    await catalog.close()
  })

  test('days that were used least recently leave the cache, and come back', async () => {
    const folder = newFolder()
    const first = await openCatalog(made, { cache: folder })
    await first.sql(`select count(*) from trades where ${isDay(1)}`)
    await first.close()
    const tables = join(folder, 'tables')
    const [kept = ''] = readdirSync(tables)
    const size = readdirSync(join(tables, kept)).reduce((sum, name) => sum + statSync(join(tables, kept, name)).size, 0)
    utimesSync(join(tables, kept, 'used'), 1, 1)
    const small = await openCatalog(made, { cache: folder, cacheLimitBytes: Math.round(size * 1.5) })
    await small.sql(`select count(*) from trades where ${isDay(2)}`)
    expect(readdirSync(tables)).toHaveLength(1)
    expect(readdirSync(tables)).not.toContain(kept)
    const again = await small.sql(`select count(*) as n from trades where ${isDay(1)}`)
    expect(again.column('n')).toEqual([String((await eventSums(tick(1), 'trades')).rows)])
    await expect(small.sql('select count(*) from trades')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('cacheLimitBytes') as string })
    await small.close()
  })
})

describe('files that change between statements', () => {
  test('tables that come and go', async () => {
    const folder = tablesOf(1, 2)
    const catalog = await openCatalog(folder)
    const days = async (): Promise<unknown> => (await catalog.sql('select distinct day from trades order by day')).column('day')
    expect(await days()).toEqual(['2026-07-01', '2026-07-02'])
    rmSync(join(folder, `${base(1)}.trades.parquet`))
    expect(await days()).toEqual(['2026-07-02'])
    copyFileSync(join(archive, `${base(3)}.trades.parquet`), join(folder, `${base(3)}.trades.parquet`))
    expect(await days()).toEqual(['2026-07-02', '2026-07-03'])
    await catalog.close()
  })

  test('a table that is made again under its name answers the same statement anew', async () => {
    const [other, folder] = [newFolder(), tablesOf(1)]
    await writeDays(other, { seed: 12, kind: 'perpetual', minutes: 2, days: 1, day: '2026-07-01' })
    const again = join(other, `${base(1)}.txt.zst`)
    await convertFiles([again], { out: join(other, 'archive') })
    const catalog = await openCatalog(folder)
    for (const file of [tick(1), tick(1), again]) {
      if (file === again) copyFileSync(join(other, 'archive', `${base(1)}.trades.parquet`), join(folder, `${base(1)}.trades.parquet`))
      expect((await catalog.sql(`${SUMS} from trades`)).rows).toEqual([rowOf(await eventSums(file, 'trades'))])
    }
    await catalog.close()
  })

  test('a table that is damaged is named; without it the others answer', async () => {
    const folder = tablesOf(1, 2)
    const catalog = await openCatalog(folder)
    await catalog.sql('select count(*) from trades')
    const path = join(folder, `${base(1)}.trades.parquet`)
    truncateSync(path, 1000)
    await expect(catalog.sql('select count(*) from trades')).rejects.toMatchObject({ code: 'FILE_UNREADABLE', place: { file: path } })
    expect((await catalog.sql(`select count(*) as n from trades where ${isDay(2)}`)).column('n')).toEqual([String((await eventSums(tick(2), 'trades')).rows)])
    await catalog.close()
  })

  test('bytes that are turned within a table are found by its manifest, or by the database', async () => {
    const folder = newFolder()
    for (const name of readdirSync(archive)) copyFileSync(join(archive, name), join(folder, name))
    const path = join(folder, `${base(1)}.trades.parquet`)
    const bytes = readFileSync(path)
    bytes[600] = (bytes[600] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
    const catalog = await openCatalog(folder)
    await expect(catalog.sql('select sum(qty) from trades')).rejects.toMatchObject({ code: 'OUTPUT_DIFFERS', place: { file: path } })
    rmSync(join(folder, 'backtape-manifest.json'))
    bytes.fill(0x5a, 500, 5000)
    writeFileSync(path, bytes)
    await expect(catalog.sql('select sum(hash(columns(*))) from trades')).rejects.toMatchObject({ code: 'FILE_UNREADABLE', place: { file: path } })
    await catalog.close()
  })

  test('a damaged day of the cache is made again', async () => {
    const folder = newFolder()
    const catalog = await openCatalog(tick(1), { cache: folder })
    const before = await catalog.sql('select sum(qty) as q from trades')
    const name = (readdirSync(folder, { recursive: true }) as string[]).find((one) => one.endsWith('trades.parquet')) ?? ''
    truncateSync(join(folder, name), 700)
    expect((await catalog.sql('select sum(qty) as q from trades')).rows).toEqual(before.rows)
    const bytes = readFileSync(join(folder, name))
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 255, bytes.length >> 1)
    writeFileSync(join(folder, name), bytes)
    expect((await catalog.sql('select sum(qty) as q from trades')).rows).toEqual(before.rows)
    await catalog.close()
    const again = await openCatalog(tick(1), { cache: folder })
    bytes.writeUInt8(0, bytes.length >> 2)
    writeFileSync(join(folder, name), bytes)
    expect((await again.sql('select sum(qty) as q from trades')).rows).toEqual(before.rows)
    await again.close()
  })

  test('a tick file that changed is converted anew, and a table beside it that is of the old one is not taken', async () => {
    const folder = newFolder()
    for (const name of [`${base(1)}.trades.parquet`, 'backtape-manifest.json']) copyFileSync(join(archive, name), join(folder, name))
    const path = join(folder, `${base(1)}.txt.zst`)
    copyFileSync(tick(1), path)
    const catalog = await openCatalog(folder)
    const n = async (): Promise<unknown> => (await catalog.sql('select count(*) as n from trades')).rows[0]?.['n']
    expect(await n()).toBe(String((await eventSums(tick(1), 'trades')).rows))
    const other = join(root, 'other')
    await writeDays(other, { seed: 12, kind: 'perpetual', minutes: 1, days: 1, day: '2026-07-01' })
    copyFileSync(join(other, `${base(1)}.txt.zst`), path)
    expect(await n()).toBe(String((await eventSums(path, 'trades')).rows))
    await catalog.close()
  })

  test('a damaged tick file is named', async () => {
    const folder = newFolder()
    const path = join(folder, `${base(1)}.txt.zst`)
    writeFileSync(path, readFileSync(tick(1)).subarray(0, -2000))
    copyFileSync(tick(2), join(folder, `${base(2)}.txt.zst`))
    const catalog = await openCatalog(folder)
    await expect(catalog.sql('select count(*) from trades')).rejects.toMatchObject({ code: 'ZSTD_TRUNCATED', place: { file: path } })
    writeFileSync(path, 'nothing')
    await expect(catalog.sql('select count(*) from trades')).rejects.toThrow(path)
    await catalog.sql(`select count(*) from trades where ${isDay(2)}`)
    await catalog.close()
  })
})

describe('tables that do not say what they hold', () => {
  test('a table with its margins is trimmed to its day', async () => {
    const folder = newFolder()
    await convertFiles([tick(2)], { out: folder, margins: 'keep' })
    const catalog = await openCatalog(folder)
    expect((await catalog.sql(`${SUMS} from trades`)).rows).toEqual([rowOf(await eventSums(tick(2), 'trades'))])
    await catalog.close()
  })

  test('one without metadata is refused by name, and taken where it is trusted', async () => {
    const folder = newFolder()
    const path = join(folder, `${base(2)}.trades.parquet`)
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:')
    await (await instance.connect()).run(`copy (from '${join(archive, `${base(2)}.trades.parquet`)}') to '${path}' (format parquet)`)
    instance.closeSync()
    const catalog = await openCatalog(folder)
    await expect(catalog.sql('select count(*) from trades')).rejects.toMatchObject({
      code: 'OPTION_INVALID', message: `Cannot query trades of synthetic_swap:XRPUSDT on 2026-07-02: ${path} does not say whether it holds its day alone (metadata margins); trust (--trust) takes it as it stands`,
    })
    await catalog.sql(`select count(*) from trades where ${isDay(1)}`)
    expect((await catalog.sql(`${SUMS} from trades`, { trust: true })).rows).toEqual([rowOf(await eventSums(tick(2), 'trades'))])
    await catalog.close()
  })

  test('nearest doubles are no exact decimals', async () => {
    const folder = newFolder()
    await convertFiles([tick(2)], { out: folder, numbers: 'float64', kinds: ['trades'] })
    const catalog = await openCatalog(folder)
    await expect(catalog.sql('select sum(qty) from trades')).rejects.toThrow(/holds the nearest doubles/)
    expect((await catalog.sql('select sum(qty) as q from trades', { trust: true })).columns[0]?.type).toEqual({ form: 'double' })
    await catalog.close()
  })

  test('tick files of the same bytes are taken once, those of others are refused', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'b'))
    const [first, copy] = [join(folder, `${base(1)}.txt.zst`), join(folder, 'b', `${base(1)}.txt.zst`)]
    for (const path of [first, copy]) copyFileSync(tick(1), path)
    const catalog = await openCatalog(folder)
    expect(catalog.copies()).toEqual([{ name: first, of: copy }])
    expect((await catalog.sql('select count(*) as n from trades')).column('n')).toEqual([String((await eventSums(tick(1), 'trades')).rows)])
    expect(catalog.table().column('tick_bytes')).toEqual([BigInt(statSync(first).size)])
    // Bytes that differ, of the same size.
    const bytes = readFileSync(tick(1))
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1
    writeFileSync(copy, bytes)
    await expect(catalog.sql('select count(*) from trades')).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('hold the same') as string })
    expect((await catalog.refresh()).copies()).toEqual([])
    // Another size.
    copyFileSync(tick(2), copy)
    await expect(catalog.sql('select count(*) from trades')).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    rmSync(copy)
    expect((await catalog.sql('select count(*) as n from trades')).rowCount).toBe(1)
    await catalog.close()
  })

  test('two files of one day are refused, and one can be preferred', async () => {
    const folder = newFolder()
    for (const name of ['one', 'two']) {
      mkdirSync(join(folder, name))
      copyFileSync(join(archive, `${base(1)}.trades.parquet`), join(folder, name, `${base(1)}.trades.parquet`))
    }
    const catalog = await openCatalog(folder)
    await expect(catalog.sql('select count(*) from trades')).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('hold the same') as string })
    const chosen = await openCatalog(folder, { prefer: join('two', base(1)) })
    expect((await chosen.sql('select count(*) as n from trades')).column('n')).toEqual([String((await eventSums(tick(1), 'trades')).rows)])
    await Promise.all([catalog.close(), chosen.close()])
  })

  test('minutes need the tick file or a table of minutes', async () => {
    const catalog = await openCatalog(tablesOf(1))
    await expect(catalog.sql('select * from minutes')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', message: expect.stringContaining('the minutes of synthetic_swap:XRPUSDT on 2026-07-01') as string })
    await catalog.close()
  })
})

describe('names', () => {
  test.each(["it's a [day]*?", 'a "quoted" {name}', 'day=2020-01-01', 'a;b--c', 'ünï#x'])('a folder called %j', async (name) => {
    const folder = join(newFolder(), name)
    mkdirSync(folder)
    const isConverted = name.startsWith('ünï') || name.startsWith('it')
    if (isConverted) copyFileSync(tick(1), join(folder, `${base(1)}.txt.zst`))
    else copyFileSync(join(archive, `${base(1)}.trades.parquet`), join(folder, `${base(1)}.trades.parquet`))
    copyFileSync(join(archive, `${base(2)}.trades.parquet`), join(folder, 'a[1]*\'".parquet'))
    const catalog = await openCatalog(folder)
    expect((await catalog.sql('select distinct day from trades order by day')).column('day')).toEqual(['2026-07-01', '2026-07-02'])
    await catalog.close()
  })

  test('a file whose name is a pattern of another is read as itself', async () => {
    const folder = newFolder()
    copyFileSync(join(archive, `${base(1)}.trades.parquet`), join(folder, 'a[1].parquet'))
    copyFileSync(join(archive, `${base(2)}.trades.parquet`), join(folder, 'a1.parquet'))
    const catalog = await openCatalog(folder)
    expect((await catalog.sql('select day, count(*) as n from trades group by day order by day')).column('n')).toEqual([
      String((await eventSums(tick(1), 'trades')).rows), String((await eventSums(tick(2), 'trades')).rows),
    ])
    await catalog.close()
  })
})

describe('statements that are refused', () => {
  let catalog: Catalog
  beforeAll(async () => { catalog = await openCatalog(tablesOf(1), { cache }) })
  afterAll(() => catalog.close())
  test.each([
    ['two statements', 'select 1; select 2', /must be one statement, found 2/],
    ['none', ' ; ', /must be one statement, found none/],
    ['a comment alone', '-- select 1', /one statement, found none/],
    ['a copy', "copy (select 1) to 'x.csv'", /only reads \(select\), found copy/],
    ['a table', 'create table t as select 1', /found create/],
    ['a change', '/* x */ insert into trades values (1)', /found insert/],
    ['a setting', "set memory_limit = '1TB'", /found set/],
    ['another database', "attach 'x.db'", /found attach/],
    ['an explanation', 'explain select 1', /only reads/],
    ['a call', 'call pragma_version()', /only reads/],
    ['a parameter', 'select ?', /without parameters/],
    ['files of others', "select * from read_csv('/etc/passwd')", /Permission Error/],
    ['names of files', "select * from glob('/etc/*')", /Permission Error/],
    ['a file by its path', "select * from '/etc/passwd'", /Cannot run the statement/],
    ['words that are no SQL', 'selec 1', /Parser Error: syntax error at or near "selec"$/],
    ['a column that is not there', 'select foo from trades', /Binder Error: Referenced column "foo" not found/],
    ['a failure while it runs', "select 'x'::int from trades", /Conversion Error: Could not convert string 'x' to INT32$/],
  ])('%s', async (_, statement, words) => {
    await expect(catalog.sql(statement)).rejects.toMatchObject({ code: 'SQL_INVALID', message: expect.stringMatching(words) as string })
  })

  test('no statement writes over a table of the folder', async () => {
    const folder = tablesOf(1)
    const path = join(folder, `${base(1)}.trades.parquet`)
    const before = readFileSync(path)
    const catalog = await openCatalog(folder)
    await expect(catalog.sql(`copy (select * from trades limit 1) to '${path}' (format parquet, use_tmp_file false)`)).rejects.toThrow(/found copy/)
    await expect(catalog.sql(`with x as (select 1) copy x to '${path}'`)).rejects.toMatchObject({ code: 'SQL_INVALID' })
    expect(readFileSync(path).equals(before)).toBe(true)
    await catalog.close()
  })

  test('more rows than the limit', async () => {
    const catalog = await openCatalog(tablesOf(1), { limitRows: 10 })
    expect((await catalog.sql('select * from trades limit 10')).rowCount).toBe(10)
    await expect(catalog.sql('select * from trades limit 11')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('at most 10 rows (limitRows)') as string })
    expect((await catalog.sql('select * from trades limit 11', { limitRows: 11 })).rowCount).toBe(11)
    await catalog.close()
  })

  test('a signal ends a statement', { timeout: 30_000 }, async () => {
    const controller = new AbortController()
    const catalog = await openCatalog(tablesOf(1), { signal: controller.signal })
    const endless = catalog.sql('select sum(a.range * b.range) from range(100000000) a, range(1000000) b')
    setTimeout(() => { controller.abort() }, 200)
    await expect(endless).rejects.toMatchObject({ code: 'STOPPED' })
    await catalog.close()
  })
})

test('statements at once wait for each other', async () => {
  const catalog = await openCatalog(tablesOf(1, 2))
  const results = await Promise.all([1, 2, 1].map((day) => catalog.sql(`select min(day) as d from trades where ${isDay(day)}`)))
  expect(results.map((table) => table.rows[0]?.['d'])).toEqual(['2026-07-01', '2026-07-02', '2026-07-01'])
  await catalog.close()
  expect((await catalog.sql('select 1 as one')).rows).toEqual([{ one: '1' }])
  await catalog.close()
})

test('a table whose file goes while its session stays is asked for anew', async () => {
  const folder = tablesOf(1)
  const catalog = await openCatalog(folder)
  await catalog.sql('select count(*) from trades')
  renameSync(join(folder, `${base(1)}.trades.parquet`), join(folder, 'elsewhere.parquet'))
  expect((await catalog.sql('select count(*) as n from trades')).column('n')).toEqual([String((await eventSums(tick(1), 'trades')).rows)])
  await catalog.close()
})
