import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { convertFiles } from '../../src/export/convert.js'
import { openCatalog } from '../../src/research/catalog.js'
import { backtape } from '../support/command.ts'
import { dayBytes, masterData, type Line } from '../support/hand-made-day.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-wide-'))
afterAll(() => { rmSync(folder, { recursive: true, force: true }) })

const MASTER = masterData({ type: 'spot', lot_size: 1e-8, min_order: 1e-8, ticksize: 1e-8 })
/** A day with one book, a top of book, a trade, a mark, an index and a funding. */
function day(name: string, date: string, quantity: string, mark: string): string {
  const at = (second: number): bigint => BigInt(Date.parse(`${date}T00:01:00Z`)) * 1_000_000n + BigInt(second) * 1_000_000_000n
  const head = (kind: number, second: number): Line => [kind, '0', String(second), at(second), at(second)]
  const path = join(folder, name, `made-HAND-${date}.txt.zst`)
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(path, dayBytes(MASTER, [
    [...head(0, 1), [[0, '0.00000123', quantity, 1], [1, '0.00000124', '1.5', 1]], false], [...head(6, 2), [[1, '0.00000124', quantity, 1]]],
    [...head(2, 3), [[0, '0.00000124', quantity, 't', at(3)]]], [...head(7, 4), mark], [...head(8, 5), mark], [...head(9, 6), [mark, 0, mark]],
  ]))
  return path
}
function newFolder(name: string): string {
  return mkdtempSync(join(folder, name))
}

describe('tables of numbers beyond 2^53', () => {
  const DIGITS_38 = `1234567890123456789012345678.${'9'.repeat(10)}`
  test.each([
    ['parquet', '100000000.00000001', '0.9166666666666666'], ['arrow', '100000000.00000001', '1.0123456789012345678901'], ['csv', '12345678901234567890', '1.0123456789012345678901'],
    ['json', '0.30000000000000004', '-1.0123456789012345'], ['jsonl.gz', DIGITS_38, DIGITS_38], ['parquet', DIGITS_38, DIGITS_38], ['arrow', DIGITS_38, DIGITS_38],
    ['parquet', `1.${'7'.repeat(50)}`, `1.${'7'.repeat(50)}`], ['arrow', `${'7'.repeat(50)}.5`, `${'7'.repeat(50)}.5`], ['csv', `1.${'7'.repeat(50)}`, `0.${'7'.repeat(50)}`],
  ] as const)('%s holds %s and %s, read back by others', async (to, quantity, mark) => {
    const name = newFolder('convert').slice(folder.length + 1)
    const input = day(name, '2026-07-01', quantity, mark)
    const result = await convertFiles([input], { out: join(folder, name, 'out'), to, check: true })
    expect(result.inputs[0]?.error).toBeNull()
    // Resumed: what is whole stays.
    expect((await convertFiles([input], { out: join(folder, name, 'out'), to, check: true })).convertedCount).toBe(0)
    if (to !== 'csv') return
    expect(readFileSync(join(folder, name, 'out/made-HAND-2026-07-01.trades.csv'), 'utf8')).toContain(`,${quantity.includes('.') ? quantity : `${quantity}.0`},`)
    expect(readFileSync(join(folder, name, 'out/made-HAND-2026-07-01.index.csv'), 'utf8')).toContain(`,${mark},`)
  })

  test('SQL over days of several forms rounds nothing', async () => {
    const name = newFolder('sql').slice(folder.length + 1)
    const days = [['2026-07-01', '250.1', '1.5'], ['2026-07-02', '100000000.00000001', '1.0123456789012345678901'], ['2026-07-03', '0.30000000000000004', '0.9166666666666666']] as const
    for (const [date, quantity, mark] of days) day(name, date, quantity, mark)
    const catalog = await openCatalog(join(folder, name), { cache: join(folder, name, 'cache') })
    try {
      const texts = async (sql: string): Promise<string[]> => (await catalog.sql(sql)).column('v').map(String)
      expect(await texts('select qty as v from trades order by ts')).toEqual(days.map(([, quantity]) => quantity))
      expect(await texts('select price as v from mark order by ts')).toEqual(days.map(([, , mark]) => mark))
      expect(await texts('select sum(qty) as v from trades')).toEqual(['100000250.40000001000000004'])
    } finally {
      await catalog.close()
    }
  })

  test('bars of trades say file, line and field; other files of a batch go on', async () => {
    const name = newFolder('bars').slice(folder.length + 1)
    const paths = [day(name, '2026-07-01', '100000000.00000001', '1'), day(name, '2026-07-02', '2', '1')]
    const out = join(folder, name, 'out')
    const bars = await backtape(['minutes', ...paths, '--every', 'trades=1', '--out', out])
    expect([bars.code, `${bars.out}${bars.err}`]).toEqual([1, expect.stringMatching(/line 4 of .*2026-07-01.*: qty must be at most 2\^53 - 1 without its point, found 100000000.00000001/) as string])
    expect(readdirSync(out).sort()).toEqual(['made-HAND-2026-07-02.1-trades.csv', 'made-HAND-2026-07-02.1-trades.csv.json'])
    const minutes = await backtape(['minutes', paths[0]!])
    expect([minutes.code, minutes.out]).toEqual([0, expect.stringContaining('100000000.00000001') as string])
  })
})
