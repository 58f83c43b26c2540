import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { convertFiles, openCatalog } from '../../src/index.js'
import { backtape } from '../support/command.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { eventSums } from '../support/event-sums.ts'

/** The programs of design/usage.md for SQL, as written; the folders hold a bundled day. */
const folder = mkdtempSync(join(tmpdir(), 'backtape-usage-sql-'))
const name = 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const start = process.cwd()
beforeAll(async () => {
  mkdirSync(join(folder, 'days'))
  copyFileSync(join(datasetsFolder, name), join(folder, 'days', name))
  await convertFiles([join(folder, 'days', name)], { out: join(folder, 'archive') })
})
afterAll(() => {
  process.chdir(start)
  rmSync(folder, { recursive: true, force: true })
})

describe('in a shell', { timeout: 60_000 }, () => {
  test('backtape sql "select side, sum(qty) from trades group by side" --data archive', async () => {
    const { code, out, err } = await backtape(['sql', 'select side, sum(qty) from trades group by side', '--data', 'archive'], { cwd: folder })
    const { quantity } = await eventSums(join(datasetsFolder, name), 'trades')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toBe('side,sum(qty)')
    expect(lines.slice(1).map((line) => line.replace(/\.0$/, '')).sort()).toEqual([`ASK,${quantity['ASK'] ?? ''}`, `BID,${quantity['BID'] ?? ''}`])
  })

  test('a name that no instrument has is noted', async () => {
    const { code, out, err } = await backtape(['sql', "select count(*) as n from trades where instrument = 'XRPUSDT'", '--data', 'archive'], { cwd: folder })
    expect({ code, out, err }).toEqual({ code: 0, out: 'n\n0\n', err: 'No file is of the instrument "XRPUSDT"; did you mean synthetic_swap:XRPUSDT?\n' })
  })

  test('backtape catalog archive days', async () => {
    const { code, out } = await backtape(['catalog', 'archive', 'days', '--json'], { cwd: folder })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject([{ instrument: 'synthetic_swap:XRPUSDT', day: '2026-07-01', files: 'ticks and tables' }])
    const shown = await backtape(['catalog', 'archive'], { cwd: folder })
    expect(shown.out).toMatch(/^instrument +day .*\nsynthetic_swap:XRPUSDT +2026-07-01 +tables/)
  })
})

test('in a program', async () => {
  process.chdir(folder)
  const catalog = await openCatalog('days')
  const table = await catalog.sql('select side, sum(qty) from trades group by side')
  const { quantity } = await eventSums(join(folder, 'days', name), 'trades')
  expect(Object.fromEntries(table.rows.map((row) => [row['side'], row['sum(qty)']]))).toEqual(quantity)
  await catalog.close()
})
