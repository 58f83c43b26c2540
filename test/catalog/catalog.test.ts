import { appendFileSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { convertFiles, openCatalog } from '../../src/index.js'
import { writeDays } from '../../src/columns.js'
import { datasetsFolder } from '../support/datasets-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'backtape-catalog-'))
const made = join(root, 'made')
let count = 0
afterAll(() => { rmSync(root, { recursive: true, force: true }) })

/** A folder of its own with three made-up days, of which a test may take what it likes. */
function folderOf(...names: readonly string[]): string {
  const folder = join(root, `folder-${String(count++)}`)
  mkdirSync(folder)
  for (const name of names.length === 0 ? readdirSync(made) : names) copyFileSync(join(made, name), join(folder, name))
  return folder
}

const dayName = (day: number): string => `synthetic_swap-XRPUSDT-2026-07-0${String(day)}.txt.zst`

beforeAll(async () => {
  await writeDays(made, { seed: 11, kind: 'perpetual', minutes: 1, days: 3, day: '2026-07-01' })
})

describe('a catalog of tick files', () => {
  test('has a row for each instrument and day, and knows what nobody has read as unknown', async () => {
    const catalog = await openCatalog(folderOf())
    const table = catalog.table()
    expect(table.column('day')).toEqual(['2026-07-01', '2026-07-02', '2026-07-03'])
    expect(new Set(table.column('instrument'))).toEqual(new Set(['synthetic_swap:XRPUSDT']))
    expect(table.rows[0]).toMatchObject({ files: 'ticks', kinds: null, first_ts: null, audit: null, problem: null, table_bytes: 0n })
    expect(inspect(catalog)).toContain('synthetic_swap:XRPUSDT  2026-07-02  ticks')
  })

  test('names the days without a file', async () => {
    const catalog = await openCatalog(folderOf(dayName(1), dayName(3)))
    expect(catalog.missingDays()).toEqual([{ instrument: 'synthetic_swap:XRPUSDT', day: '2026-07-02' }])
    expect(String(catalog)).toContain('days without a file: synthetic_swap:XRPUSDT 2026-07-02')
  })

  test('sees files that come, go and come back', async () => {
    const folder = folderOf(dayName(1))
    const catalog = await openCatalog(folder)
    copyFileSync(join(made, dayName(2)), join(folder, dayName(2)))
    expect((await catalog.refresh()).table().rowCount).toBe(2)
    rmSync(join(folder, dayName(1)))
    expect((await catalog.refresh()).table().column('day')).toEqual(['2026-07-02'])
    copyFileSync(join(made, dayName(1)), join(folder, dayName(1)))
    expect((await catalog.refresh()).table().column('day')).toEqual(['2026-07-01', '2026-07-02'])
  })

  test('an audit is remembered while the file stays as it is', async () => {
    const folder = folderOf(dayName(1), dayName(2))
    const audited: string[] = []
    const onAudit = (name: string): void => { audited.push(name) }
    const first = await (await openCatalog(folder, { onAudit })).audit({ from: '2026-07-02' })
    expect(first.column('audit')).toEqual([null, 'sound'])
    expect(first.rows[1]).toMatchObject({ chain_gaps: expect.any(Number) as number, kinds: 'trades bbo depth mark index funding liquidations states' })
    const again = await openCatalog(folder, { onAudit })
    expect(again.table().column('audit')).toEqual([null, 'sound'])
    await again.audit()
    expect(audited.map((name) => name.slice(-18))).toEqual(['2026-07-02.txt.zst', '2026-07-01.txt.zst'])
    copyFileSync(join(made, dayName(3)), join(folder, dayName(2)))
    expect((await again.refresh()).table().column('audit')).toEqual(['sound', null])
  })

  test.each([
    ['is gone', (path: string) => { rmSync(path) }],
    ['is cut', (path: string) => { writeFileSync(path, readFileSync(path, 'utf8').slice(0, -40)) }],
    ['is no index', (path: string) => { writeFileSync(path, 'an index\nof something else\n') }],
    ['has lines of another kind', (path: string) => { appendFileSync(path, '{"file":{"stamp":1}}\n{"file":null}\nnull\n7\n') }],
  ])('an index that %s costs nothing but time', async (_, damage) => {
    const [folder, cache] = [folderOf(), join(root, `cache-${String(count++)}`)]
    const before = (await openCatalog(folder, { cache })).table().rows
    const [index = ''] = readdirSync(join(cache, 'indexes'))
    damage(join(cache, 'indexes', index))
    expect((await openCatalog(folder, { cache })).table().rows).toEqual(before)
  })

  test('members of archives, and several folders', async () => {
    const tar = readdirSync(datasetsFolder).find((name) => name.endsWith('.tar')) ?? ''
    const folder = folderOf(dayName(1))
    cpSync(join(datasetsFolder, tar), join(folder, tar))
    const other = folderOf(dayName(2))
    const catalog = await openCatalog([folder, join(other, dayName(2))], { cache: join(root, 'cache-of-two') })
    expect(catalog.table().rows.map(({ instrument, day }) => `${String(instrument)} ${String(day)}`)).toEqual([
      'synthetic_option:BTC-72000-C 2026-07-01', 'synthetic_option:BTC-72000-C 2026-07-02',
      'synthetic_swap:XRPUSDT 2026-07-01', 'synthetic_swap:XRPUSDT 2026-07-02',
    ])
    expect(readdirSync(folder).sort()).toEqual([tar, dayName(1)].sort())
  })

  test('a file that cannot be read is a row with its reason', async () => {
    const folder = folderOf(dayName(1))
    writeFileSync(join(folder, dayName(2)), 'no zstd')
    const { rows } = (await openCatalog(folder)).table()
    expect(rows[1]).toMatchObject({ instrument: 'synthetic_swap:XRPUSDT', day: '2026-07-02', files: 'unreadable' })
    expect(rows[1]?.['problem']).toContain(dayName(2))
  })
})

describe('a catalog of converted tables', () => {
  test('says by their own metadata what they hold, whatever they are called', async () => {
    const folder = folderOf(dayName(1))
    const out = join(root, 'archive')
    await convertFiles([join(folder, dayName(1))], { out })
    renameSync(join(out, dayName(1).replace('.txt.zst', '.trades.parquet')), join(out, 'renamed.parquet'))
    writeFileSync(join(out, 'notes.parquet'), 'no Parquet')
    const { rows } = (await openCatalog(out)).table()
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({
      instrument: 'synthetic_swap:XRPUSDT', day: '2026-07-01', files: 'tables', kinds: 'trades bbo depth mark index funding liquidations states', problem: null,
    })
    const first = rows[0]?.['first_ts'] as bigint
    expect(first >= BigInt(Date.parse('2026-07-01T00:00:00Z')) * 1_000_000n && first < (rows[0]?.['last_ts'] as bigint)).toBe(true)
    expect(rows[1]).toMatchObject({ instrument: null, day: null })
    expect(rows[1]?.['problem']).toMatch(/notes\.parquet/)
  })
})

describe('refusals', () => {
  test.each([
    ['a folder that is not there', () => openCatalog(join(root, 'nothing')), 'FILE_NOT_FOUND', /nothing/],
    ['no folder', () => openCatalog([]), 'OPTION_INVALID', /it must have a folder/],
    ['an empty name', () => openCatalog(''), 'OPTION_INVALID', /it must have a folder/],
    ['a limit of none', () => openCatalog(made, { limitRows: 0 }), 'OPTION_INVALID', /limitRows/],
    ['half a byte', () => openCatalog(made, { cacheLimitBytes: 1.5 }), 'OPTION_INVALID', /cacheLimitBytes/],
  ])('%s', async (_, open, code, words) => {
    await expect(open()).rejects.toMatchObject({ code, message: expect.stringMatching(words) as string })
  })
})
