import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { frameOf, openCatalog, readEvents, type Table } from '../../src/index.js'
import { createTable, type Catalog } from '../../src/columns.js'
import { datasetsFolder } from '../support/datasets-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'backtape-frame-'))
const file = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
let catalog: Catalog
beforeAll(async () => { catalog = await openCatalog(file, { cache: root }) })
afterAll(async () => {
  await catalog.close()
  rmSync(root, { recursive: true, force: true })
})

const decimal = { form: 'decimal', precision: 18, scale: 2 } as const
const small: Table = createTable([
  { name: 'ts', type: { form: 'timestamp' }, nullable: false, values: [1_000_000_001n, 1_000_000_002n, 61_000_000_000n] },
  { name: 'price', type: decimal, nullable: true, values: ['1.5', null, '-0.25'] },
  { name: 'id', type: { form: 'uint64' }, nullable: true, values: [18_446_744_073_709_551_615n, null, 0n] },
  { name: 'n', type: { form: 'uint32' }, nullable: false, values: [1, 2, 3] },
  { name: 'is', type: { form: 'boolean' }, nullable: false, values: [true, false, true] },
  { name: 'a "b" c', type: { form: 'text' }, nullable: true, values: ['x', "it's", null] },
  { name: 'v', type: { form: 'double' }, nullable: true, values: [0.1, null, 2.5] },
  { name: 'side', type: { form: 'side' }, nullable: false, values: ['BID', 'ASK', 'BID'] },
])

describe('arguments that are none', () => {
  const frame = frameOf(small)
  const raw = frame as unknown as Record<string, (...values: readonly unknown[]) => unknown>
  test.each<[string, () => unknown, RegExp]>([
    ['groupBy of a list', () => raw['groupBy']!(['side']), /^Cannot group: expected names of columns as texts, one argument each, found \["side"\]$/],
    ['sort of a list', () => raw['sort']!(['qty']), /^Cannot sort: expected names of columns.*found \["qty"\]$/],
    ['select of null', () => raw['select']!(null), /^Cannot select columns: expected an object of expressions by name.*found null$/],
    ['select of a list', () => raw['select']!(['n']), /^Cannot select columns: .*found \["n"\]$/],
    ['select of an expression that is a number', () => raw['select']!({ one: 1 }), /the expression of one as a text, found 1$/],
    ['filter of a function', () => raw['filter']!(() => true), /^Cannot filter: expected the condition as a text, found function$/],
    ['asofJoin of a name', () => raw['asofJoin']!('bbo'), /^Cannot join frames: expected right as a frame, found "bbo"$/],
    ['asofJoin by a name', () => raw['asofJoin']!(frame, { by: 'n' }), /^Cannot join frames: expected by as a list of names of columns, found "n"$/],
    ['aggregate of a text', () => raw['aggregate']!('sum(n)'), /^Cannot aggregate: expected an object of expressions.*found "sum\(n\)"$/],
    ['aggregate of groups without anything', () => frame.groupBy('side').aggregate(undefined as never), /^Cannot aggregate: .*found undefined$/],
    ['resample of a number', () => raw['resample']!(60, {}), /^Cannot resample: expected a span as a text.*found 60$/],
    ['resample of columns as a text', () => raw['resample']!('1m', 'max(n)'), /^Cannot resample: .*found "max\(n\)"$/],
  ])('%s', (_what, call, words) => {
    expect(call).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(words) as string }))
  })

  test.each([['2026-07-02', '2026-07-01'], ['2026-07-01T02:00:00Z', '2026-07-01T01:00:00Z'], ['2026-07-01T02:00:00Z', '2026-07-01T02:00:00Z'], ['2026-07-02', '2026-07-01T23:00:00Z']])('a selection from %s to %s', async (from, to) => {
    const words = `Cannot select days: from must be before to (${to}), found ${from}`
    expect(() => catalog.frame('trades', { from, to })).toThrow(words)
    await expect(catalog.audit({ from, to })).rejects.toThrow(words)
  })

  test('one day and a part of it are fine', () => {
    expect(() => catalog.frame('trades', { from: '2026-07-01', to: '2026-07-01' })).not.toThrow()
    expect(() => catalog.frame('trades', { from: '2026-07-01T01:00:00Z', to: '2026-07-01' })).not.toThrow()
  })
})

describe('frames of a table', () => {
  test('give the same table back, value by value', async () => {
    const table = await frameOf(small).table()
    expect(table.rows).toEqual(small.rows)
    expect(table.columns.map(({ type }) => type.form)).toEqual(['timestamp', 'decimal', 'uint64', 'uint32', 'boolean', 'text', 'double', 'text'])
  })

  test('select, filter, sort, limit', async () => {
    const frame = frameOf(small).filter('price is not null -- with a comment').select('a "b" c', { twice: 'price * 2' }, 'n').sort('-n').limit(1)
    expect(await frame.rows()).toEqual([{ 'a "b" c': null, twice: '-0.5', n: 3 }])
  })

  test('groups and sums are exact', async () => {
    const frame = frameOf(small).groupBy('side').aggregate({ sum: 'sum(price)', rows: 'count(*)' }).sort('side')
    expect(await frame.rows()).toEqual([{ side: 'ASK', sum: null, rows: '1' }, { side: 'BID', sum: '1.25', rows: '2' }])
    expect(await frameOf(small).aggregate({ rows: 'count(*)' }).rows()).toEqual([{ rows: '3' }])
  })

  test('spans of time begin at whole spans, to the nanosecond', async () => {
    expect(await frameOf(small).resample('1s', { rows: 'count(*)' }).rows()).toEqual([{ ts: 1_000_000_000n, rows: '2' }, { ts: 61_000_000_000n, rows: '1' }])
    expect(await frameOf(small).resample('1m', { last: 'max(n)' }, { by: ['side'] }).rows()).toEqual([
      { side: 'ASK', ts: 0n, last: 2 }, { side: 'BID', ts: 0n, last: 1 }, { side: 'BID', ts: 60_000_000_000n, last: 3 },
    ])
  })

  test('each row meets the last of the other frame up to its time', async () => {
    const quotes = createTable([
      { name: 'ts', type: { form: 'timestamp' }, nullable: false, values: [1_000_000_002n, 1_000_000_000n, 70_000_000_000n] },
      { name: 'n', type: { form: 'uint32' }, nullable: false, values: [20, 10, 70] },
    ])
    const joined = (allowsEqual: boolean) => frameOf(small).select('ts').asofJoin(frameOf(quotes), { suffix: '_q', allowsEqual }).sort('ts').rows()
    expect((await joined(true)).map(({ n, ts_q: at }) => [n, at])).toEqual([[10, 1_000_000_000n], [20, 1_000_000_002n], [20, 1_000_000_002n]])
    expect((await joined(false)).map(({ n }) => n)).toEqual([10, 10, 20])
  })

  test('Arrow and Parquet hold the same', async () => {
    const path = join(root, 'small.parquet')
    await frameOf(small).toParquet(path)
    expect(readFileSync(path).subarray(-4).toString()).toBe('PAR1')
    await expect(frameOf(small).toParquet(path)).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
    await frameOf(small).limit(1).toParquet(path, { force: true })
    expect(tableFromIPC(await frameOf(small).toArrow()).numRows).toBe(3)
  })

  test('an empty table', async () => {
    const none = createTable(small.columns.map((column) => ({ ...column, values: [] })))
    expect((await frameOf(none).table()).rowCount).toBe(0)
  })
})

describe('frames of a catalog', () => {
  test('trades with the quotes they met, as one pass over the events finds them', async () => {
    const quotes = catalog.frame('bbo')
    const rows = await catalog.frame('trades').asofJoin(quotes, { suffix: '_q' }).select('event_index', 'event_index_q', 'bid_price').sort('event_index', 'event_index_q').rows()
    const expected: (readonly [number, number | null, string | null])[] = []
    let last: { readonly index: number, readonly bid: string | null } | null = null
    for await (const event of readEvents(file, { kinds: ['topOfBook', 'trades'] })) {
      if (event.kind === 'topOfBook') last = { index: event.eventIndex, bid: event.bid?.price.toString() ?? null }
      else for (const _ of event.trades) expected.push([event.eventIndex, last?.index ?? null, last?.bid ?? null])
    }
    expect(rows.map(({ event_index: own, event_index_q: met, bid_price: bid }) => [own, met, bid])).toEqual(expected)
  })

  test.each([
    [{ from: '2026-07-01T23:58:00Z', to: '2026-07-01T23:59:00Z' }, "ts >= '2026-07-01 23:58:00' and ts < '2026-07-01 23:59:00'"],
    [{ instrument: 'XRPUSDT', from: '2026-07-01', to: '2026-07-01' }, 'true'],
    [{ instrument: '9100001', to: '2026-06-30' }, 'false'],
    [{ instrument: 'synthetic_swap:XRPUSDT', from: '2026-07-02' }, 'false'],
  ])('the selection %j', async (selection, condition) => {
    const [own] = await catalog.frame('trades', selection).aggregate({ n: 'count(*)' }).rows()
    expect(own).toEqual((await catalog.sql(`select count(*) as n from trades where ${condition}`)).rows[0])
  })

  test('join with tables of other places, and are one statement', async () => {
    const first = await catalog.frame('trades').sort('event_index').limit(2).table()
    const joined = catalog.frame('trades').select('ts', 'event_index').asofJoin(frameOf(first).select('ts', 'event_index', 'price'), { by: [] })
    const rows = await joined.sort('event_index').limit(3).rows()
    expect(rows.map(({ price }) => price)).toEqual([...first.column('price'), first.column('price')[1]])
    expect(await joined.sql()).toContain('asof left join')
  })

  test('shows itself as a catalog in one table', () => {
    expect(inspect(catalog).split('\n')).toHaveLength(2)
  })
})

describe('refusals', () => {
  test.each<[string, () => unknown, RegExp]>([
    ['no view', () => catalog.frame('ticks' as never), /view must be one of trades, bbo/],
    ['a view near to one', () => catalog.frame('trade' as never), /found "trade"; did you mean trades\?/],
    ['a misspelt option', () => catalog.frame('trades', { instruments: 'XRPUSDT' } as never), /^Cannot make a frame: an option must be one of instrument, from, to, trust, limitRows, found the unknown option "instruments"; did you mean instrument\?$/],
    ['a day that is none', () => catalog.frame('trades', { from: '2026-02-30' }), /2026-02-30/],
    ['no columns', () => frameOf(small).select(), /at least one/],
    ['no order', () => frameOf(small).sort(), /at least one column/],
    ['half a row', () => frameOf(small).limit(0.5), /whole number of rows/],
    ['a span that is none', () => frameOf(small).resample('soon', {}), /resample/],
  ])('%s at once', (_, make, words) => {
    expect(make).toThrow(words)
  })

  test.each<[string, () => Promise<unknown>, string, RegExp]>([
    ['an instrument that is not there', () => catalog.frame('trades', { instrument: 'BTC' }).rows(), 'OPTION_INVALID', /one of the catalog \(synthetic_swap:XRPUSDT\), found "BTC"/],
    ['a mistyped instrument', () => catalog.frame('trades', { instrument: 'XRPUSDTT' }).rows(), 'OPTION_INVALID', /found "XRPUSDTT"; did you mean XRPUSDT\?$/],
    ['a mistyped instrument of an audit', () => catalog.audit({ instrument: 'synthetic_swap:XRPUSD' }), 'OPTION_INVALID', /did you mean synthetic_swap:XRPUSDT\?$/],
    ['a misspelt option of an audit', () => catalog.audit({ form: '2026-07-01' } as never), 'OPTION_INVALID', /^Cannot audit the catalog: .*did you mean from\?$/],
    ['a misspelt option of a statement', () => catalog.sql('select 1', { limitrows: 5 } as never), 'OPTION_INVALID', /^Cannot run the statement: .*did you mean limitRows\?$/],
    ['a misspelt option of a catalog', () => openCatalog(file, { cach: root } as never), 'OPTION_INVALID', /^Cannot open a catalog: an option must be one of cache, .*found the unknown option "cach"; did you mean cache\?$/],
    ['a column that is not there', () => frameOf(small).select('nothing').rows(), 'SQL_INVALID', /"nothing" not found/],
    ['a condition that is none', () => frameOf(small).filter('n >').rows(), 'SQL_INVALID', /Parser Error/],
    ['a condition that ends the statement', () => frameOf(small).filter('true); drop table x; select (1').rows(), 'SQL_INVALID', /Cannot run/],
    ['a join without the column', () => frameOf(small).asofJoin(frameOf(small).select('n')).rows(), 'OPTION_INVALID', /a column ts in both, found none on the right/],
    ['a decimal beyond its column', () => frameOf(createTable([{ name: 'p', type: decimal, nullable: false, values: ['0.123'] }])).rows(), 'VALUE_INEXACT', /at most 2 decimals/],
  ])('%s when it is asked', async (_, ask, code, words) => {
    await expect(ask()).rejects.toMatchObject({ code, message: expect.stringMatching(words) as string })
  })

  test('two catalogs in one join', async () => {
    const other = await openCatalog(file, { cache: join(root, 'other') })
    expect(() => catalog.frame('trades').asofJoin(other.frame('bbo'))).toThrow(/frames of one catalog/)
    await other.close()
  })
})
