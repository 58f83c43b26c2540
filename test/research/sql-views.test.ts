import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { convertFiles, openCatalog } from '../../src/index.js'
import { writeDays, type Catalog } from '../../src/columns.js'
import { runsTable } from '../../src/results/runs-table.js'
import { createTableFile } from '../../src/tables/table-file-writer.js'
import { writeTable } from '../../src/tables/table-stream.js'
import { createTable } from '../../src/tables/table.js'
import { eventSums } from '../support/event-sums.ts'
import { dayBytes, masterData, type Line } from '../support/hand-made-day.ts'
import { plannedRun } from '../support/planned-run.ts'

const root = mkdtempSync(join(tmpdir(), 'backtape-views-'))
const made = join(root, 'made')
const archive = join(root, 'archive')
let count = 0
afterAll(() => { rmSync(root, { recursive: true, force: true }) })

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

beforeAll(async () => {
  await writeDays(made, { seed: 11, kind: 'perpetual', minutes: 1, days: 2, day: '2026-07-01' })
  await convertFiles([1, 2].map(tick), { out: archive })
})

describe('the types of a view', () => {
  const declared = async (catalog: Catalog, statement: string): Promise<unknown> => (
    Object.fromEntries((await catalog.sql(statement)).rows.map((row) => [row['column_name'], row['column_type']])))

  test.each<[string, () => string]>([
    ['of tables', () => tablesOf(1, 2)], ['of tick files', () => made], ['of one day of each', () => {
      const folder = tablesOf(1)
      copyFileSync(tick(2), join(folder, `${base(2)}.txt.zst`))
      return folder
    }],
  ])('%s are described as their values have them', async (_, folderOf) => {
    const catalog = await openCatalog(folderOf(), { cache: newFolder() })
    for (const view of ['trades', 'bbo', 'depth']) {
      const described = await declared(catalog, `describe ${view}`) as Record<string, string>
      const types = Object.keys(described).map((name) => `typeof(${name}) as ${name}`)
      expect([described]).toEqual((await catalog.sql(`select ${types.join(', ')} from ${view} limit 1`)).rows)
    }
    await catalog.close()
  })

  test('are those of all of its files where a statement needs none of them', async () => {
    const catalog = await openCatalog(made, { cache: newFolder() })
    const types = await declared(catalog, 'describe trades')
    expect(types).toMatchObject({ price: 'DECIMAL(18,4)', qty: 'DECIMAL(18,1)' })
    expect(await declared(catalog, "describe select * from trades where day = '2030-01-01'")).toEqual(types)
    expect(await declared(catalog, 'select * from (describe trades)')).toEqual(types)
    // Each column has the type of a statement over both days: one has finer digits than its master data state.
    const folder = newFolder()
    const finer = (day: number, quantity: string): void => {
      const at = BigInt(Date.parse(`2026-07-0${day}T00:00:01Z`)) * 1_000_000n
      const lines: Line[] = [[2, '0', 't1', at, 0, [[0, '101', quantity, 'x1', 0]]]]
      writeFileSync(join(folder, `made-HAND-2026-07-0${day}.txt.zst`), dayBytes(masterData({ lot_size: 0.1 }), lines))
    }
    finer(1, '1.25')
    finer(2, '1')
    const mixed = await openCatalog(folder, { cache: newFolder() })
    expect(await declared(mixed, 'describe trades')).toMatchObject({ qty: 'DECIMAL(18,1)' })
    expect((await mixed.sql('select distinct typeof(qty) as t from trades')).rows).toEqual([{ t: 'DECIMAL(19,2)' }])
    expect(await declared(mixed, 'describe trades')).toMatchObject({ qty: 'DECIMAL(19,2)' })
    await mixed.close()
    const empty = await openCatalog(newFolder(), { cache: newFolder() })
    expect(await declared(empty, 'describe trades')).toMatchObject({ price: 'DECIMAL(18,0)' })
    await Promise.all([catalog.close(), empty.close()])
  })
})

describe('the tables of a run', () => {
  test('are never those of a market, whatever they are called, trusted or not', async () => {
    const folder = tablesOf(1)
    const [plan, line] = [[['10s BID 101 2 IOC']], { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 500], [1, 101, 500]] }] as const
    const [result] = await plannedRun({ files: [[line]], plans: plan })
    for (const [name, table] of [['hours.parquet', result!.hours], [`${base(2)}.trades.parquet`, result!.fills], ['made-X-2026-07-01.bbo.parquet', runsTable([result!])]] as const) {
      const text = createTable(table.columns.filter(({ type }) => type.form === 'text').map((column) => ({ ...column, values: table.column(column.name) })), new Map([['table', 'trades'], ...table.metadata]))
      const file = await createTableFile(join(folder, name), { format: 'parquet' }, {})
      await writeTable(text, { format: 'parquet' }, file)
      await file.commit(text.metadata)
    }
    const catalog = await openCatalog(folder)
    const wanted = [{ n: String((await eventSums(tick(1), 'trades')).rows) }]
    for (const trust of [false, true]) expect((await catalog.sql('select count(*) as n from trades', { trust })).rows).toEqual(wanted)
    expect(catalog.table().column('day')).toEqual(['2026-07-01'])
    await catalog.close()
  })

  test('a trusted table without the columns of its kind is refused by name', async () => {
    const folder = tablesOf(1)
    const path = join(folder, `${base(2)}.trades.parquet`)
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:')
    await (await instance.connect()).run(`copy (select price, qty from '${join(archive, `${base(2)}.trades.parquet`)}') to '${path}' (format parquet)`)
    instance.closeSync()
    const catalog = await openCatalog(folder)
    await expect(catalog.sql('select count(*) from trades')).rejects.toThrow(/trust \(--trust\) takes it as it stands/)
    await expect(catalog.sql('select count(*) from trades', { trust: true })).rejects.toMatchObject({
      code: 'OPTION_INVALID', place: { file: path }, message: expect.stringContaining('found none called ts, exchange_ts, side') as string,
    })
    expect((await catalog.sql(`select count(*) as n from trades where ${isDay(1)}`, { trust: true })).rowCount).toBe(1)
    await catalog.close()
  })
})
