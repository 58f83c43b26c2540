import { afterAll, describe, expect, test } from 'vitest'
import { openCatalog } from '../../src/index.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cache = mkdtempSync(join(tmpdir(), 'backtape-values-'))
const opened = openCatalog(datasetsFolder, { cache })
afterAll(() => { rmSync(cache, { recursive: true, force: true }) })

test('the bundled days as they are: each day of an instrument stands there once', async () => {
  const { rows } = await (await opened).sql('select instrument, day, count(*) as n from trades group by all order by all')
  expect(rows).toHaveLength(19)
})

describe('values arrive exact', () => {
  test.each<[string, unknown, string]>([
    ["'2024-08-08 00:00:00.123456789'::timestamp_ns", 1_723_075_200_123_456_789n, 'timestamp'],
    ["'2024-08-08 00:00:00.123456'::timestamp", 1_723_075_200_123_456_000n, 'timestamp'],
    ["'2024-08-08 02:00:00.5+02'::timestamptz", 1_723_075_200_500_000_000n, 'timestamp'],
    ["'2024-08-08'::timestamp_s", 1_723_075_200_000_000_000n, 'timestamp'],
    ["date '2024-08-08'", '2024-08-08', 'text'],
    ['12345678901234567.890::decimal(20, 3)', '12345678901234567.89', 'decimal'],
    ['-0.05::decimal(18, 4)', '-0.05', 'decimal'],
    ['0::decimal(18, 4)', '0', 'decimal'],
    ['sum(99999999999999999999999999999999.123456::decimal(38, 6))', '99999999999999999999999999999999.123456', 'decimal'],
    ['9007199254740993', '9007199254740993', 'decimal'],
    ['(-9223372036854775808)::bigint', '-9223372036854775808', 'decimal'],
    ['99999999999999999999999999999999999999::hugeint', '9'.repeat(38), 'decimal'],
    ['18446744073709551615::ubigint', 18_446_744_073_709_551_615n, 'uint64'],
    ['4294967295::uinteger', 4_294_967_295, 'uint32'],
    ['0.1::double', 0.1, 'double'],
    ['true', true, 'boolean'],
    ["'ü''s'", "ü's", 'text'],
    ['null::decimal(18, 2)', null, 'decimal'],
    ["'a'::enum('a', 'b')", 'a', 'text'],
    ["time '12:00:00.5'", '12:00:00.5', 'text'],
    ["'0195a0c0-0000-7000-8000-000000000000'::uuid", '0195a0c0-0000-7000-8000-000000000000', 'text'],
  ])('%s', async (expression, value, form) => {
    const table = await (await opened).sql(`select ${expression} as v`)
    expect(table.rows).toEqual([{ v: value }])
    expect(table.columns[0]?.type.form).toBe(form)
    expect(table.toArrow().length).toBeGreaterThan(0)
  })

  test.each([
    ['170141183460469231731687303715884105727::hugeint', /at most 38 digits/],
    ['[1, 2]', /column v of type INTEGER\[\]/],
    ['{a: 1}', /type STRUCT/],
    ["interval '1 day'", /epoch_ns\(a\) - epoch_ns\(b\)/],
    ["'x'::blob", /hex/],
    ["'infinity'::timestamp", /between 1677 and 2262/],
    ["'infinity'::date", /years 1 to 9999/],
    ["'3000-01-01'::timestamp", /between 1677 and 2262/],
  ])('%s is refused by name', async (expression, words) => {
    await expect((await opened).sql(`select ${expression} as v`)).rejects.toMatchObject({ code: 'VALUE_INEXACT', message: expect.stringMatching(words) as string })
  })

  test('columns of one name are told apart', async () => {
    expect((await (await opened).sql('select 1 as a, 2 as a, 3 as a_1')).columns.map(({ name }) => name)).toEqual(['a', 'a_1', 'a_1_1'])
  })
})
