import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTickFile, readEvents, type TickDay } from '../../src/day/tick-day.js'
import type { EventTableOptions } from '../../src/day/event-table.js'
import { Decimal } from '../../src/model/decimal.js'
import { convertFiles } from '../../src/export/convert.js'
import { EXPORT_KINDS, type ExportKind } from '../../src/export/export-kind.js'
import { readTable } from '../../src/tables/reading/table-reader.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { EVERY_KIND, masterLine, T0, writeTickFile } from '../support/export-lines.ts'
import { expectSame } from '../support/expected-same.ts'
import { newFolder } from '../support/new-folder.ts'
import { refusalOf } from '../support/collected.ts'
import { hasSharedData, sharedData } from '../support/shared-data.ts'

const XRP = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const every = async (): Promise<TickDay> => openTickFile(await writeTickFile(newFolder(), 'test-ABC-2026-07-01.txt.zst', [masterLine(), ...EVERY_KIND]))

describe('a table of events', () => {
  test('has the rows of trades, every digit of them', async () => {
    const trades = await (await every()).table('trades')
    expect(trades.rows).toEqual([
      { ts: T0 + 5n, exchange_ts: T0 + 4n, side: 'BID', price: '100.2', qty: '0.5', trade_id: 'a,b', trade_ts: T0 + 4n, event_index: 5, event_id: 18_446_744_073_709_551_615n, previous_event_id: 0n },
      { ts: T0 + 5n, exchange_ts: T0 + 4n, side: 'ASK', price: '100.1', qty: '1', trade_id: '', trade_ts: null, event_index: 5, event_id: 18_446_744_073_709_551_615n, previous_event_id: 0n },
      { ts: T0 + 5n, exchange_ts: T0 + 4n, side: 'ASK', price: '100.1', qty: '2', trade_id: null, trade_ts: T0 + 3n, event_index: 5, event_id: 18_446_744_073_709_551_615n, previous_event_id: 0n },
    ])
    expect(trades.metadata.get('instrument_code')).toBe('ABC')
    expect(trades.timesNs('trade_ts')).toEqual(new BigInt64Array([T0 + 4n, -(2n ** 63n), T0 + 3n]))
    expect(trades.epochMs('trade_ts')).toEqual(Float64Array.of(Number(T0 / 1_000_000n), NaN, Number(T0 / 1_000_000n)))
    expect(() => trades.epochMs('price')).toThrow(RangeError)
    expect(() => trades.epochMs('no')).toThrow(RangeError)
    expect(trades.numbers('side')).toEqual(new Float64Array([1, -1, -1]))
  })

  test('has nulls, values and texts of other kinds', async () => {
    const day = await every()
    expect((await day.table('mark')).rows[1]).toMatchObject({ price: '0.0070174072573915', delta: null })
    expect((await day.table('mark')).rows[0]).toMatchObject({ price: '100.12345678', delta: 0.5, gamma: null, theta: 0.001 })
    expect((await day.table('funding')).column('rate')).toEqual(['-0.0001', '0.0001'])
    expect((await day.table('states')).column('text')).toEqual(['said "go", # 1\nthen, more', ''])
    expect((await day.table('bbo')).rows[2]).toMatchObject({ bid_price: null, ask_qty: null })
    expect((await day.table('depth')).column('qty')).toContain('9007199254740.991')
  })

  test('float64 gives the nearest doubles in typed arrays and says so', async () => {
    const day = await every()
    const [exact, doubles] = [await day.table('trades'), await day.table('trades', { numbers: 'float64' })]
    expect(doubles.numbers('price')).toEqual(Float64Array.from(exact.column('price'), Number))
    expect(doubles.column('price')).toEqual([100.2, 100.1, 100.1])
    expect(doubles.timesNs('ts')).toEqual(exact.timesNs('ts'))
    expect(doubles.metadata.get('numbers')).toBe('float64')
    const mark = await day.table('mark', { numbers: 'float64' })
    expect([...mark.numbers('price'), mark.numbers('delta')[1]]).toEqual([100.12345678, 0.0070174072573915, NaN])
    expect(exact.numbers('price')).toEqual(doubles.numbers('price'))
  })

  test('begins again where the file has finer digits or other ids than its master data say', async () => {
    const lines = [masterLine(), ...EVERY_KIND, `[2,7,"0","x-1",${String(T0 + 20n)},0,[[0,"100.25","0.0005","f",0]]]`]
    const day = await openTickFile(await writeTickFile(newFolder(), 'test-ABC-2026-07-01.txt.zst', lines))
    const trades = await day.table('trades')
    expect(trades.column('price')).toEqual(['100.2', '100.1', '100.1', '100.25'])
    expect(trades.column('event_id')).toEqual(['18446744073709551615', '18446744073709551615', '18446744073709551615', 'x-1'])
    expect(trades.metadata.get('event_ids')).toBe('text')
  })

  test('has the same span as events have, margins and steps of the clock too', async () => {
    const day = await openTickFile(XRP)
    for (const window of [{ from: '23:56', to: '23:57' }, { to: '23:55:30' }, { from: '23:59:59.5' }, { from: '23:57', to: '23:57' }]) {
      const wanted: unknown[] = []
      for await (const event of readEvents(day, { kinds: ['trades'], ...window })) for (const trade of event.trades) wanted.push([event.adapterTimestampNs, trade.price.toString(), trade.aggressorSide])
      const table = await day.table('trades', window)
      expect(table.rows.map(({ ts, price, side }) => [ts, price, side])).toEqual(wanted)
    }
    expect((await day.table('trades', { margins: 'keep' })).rowCount).toBeGreaterThanOrEqual((await day.table('trades')).rowCount)
  })

  test.each(['parquet', 'arrow', 'arrows'] as const)('is the table that convert writes as %s, rows and metadata', async (to) => {
    const path = await writeTickFile(newFolder(), 'test-ABC-2026-07-01.txt.zst', [masterLine(), ...EVERY_KIND])
    await sameAsConverted(path, to)
    await sameAsConverted(join(datasetsFolder, 'synthetic_option-BTC-68000-C-2026-07-01.txt.zst'), to)
  })

  test('is, as JSON, what convert writes as JSON', async () => {
    const path = await writeTickFile(newFolder(), 'test-ABC-2026-07-01.txt.zst', [masterLine(), ...EVERY_KIND])
    for (const file of [path, join(datasetsFolder, 'synthetic_option-BTC-68000-C-2026-07-01.txt.zst')]) {
      const { inputs } = await convertFiles([file], { out: newFolder(), to: 'json' })
      const day = await openTickFile(file)
      for (const { kind, path: written } of (inputs[0]?.outputs ?? []).filter(({ path: at }) => at !== null)) {
        const table = await day.table(kind)
        // A column of a file has as many decimals in every row.
        const decimals = new Set(table.columns.filter(({ type }) => type.form === 'decimal').map(({ name }) => name))
        const plain = (name: string, value: unknown): unknown => decimals.has(name) && typeof value === 'string' ? new Decimal(value).toFixed() : value
        expectSame(JSON.parse(JSON.stringify(table)), JSON.parse(readFileSync(written ?? '', 'utf8'), plain), kind)
        expectSame([...table], table.rows)
      }
    }
  })

  test.skipIf(!hasSharedData)('is the table that convert writes of a recorded day', async () => {
    await sameAsConverted(sharedData('days/binance_swap-ETHUSDT-2024-07-18.txt.zst'), 'parquet', ['trades', 'funding', 'liquidations', 'mark'])
  }, 60_000)
})

async function sameAsConverted(path: string, to: 'parquet' | 'arrow' | 'arrows', kinds: readonly ExportKind[] = EXPORT_KINDS): Promise<void> {
  const { inputs } = await convertFiles([path], { out: newFolder(), to, kinds })
  const day = await openTickFile(path)
  for (const output of inputs[0]?.outputs ?? []) {
    const [own, read] = [await day.table(output.kind), await readTable(output.path ?? '')]
    expect(read.columns.map(({ name, type, nullable }) => ({ name, type, nullable })), output.kind).toEqual(own.columns.map(({ name, type, nullable }) => ({ name, type, nullable })))
    // A stream states its metadata before what is known at the end alone.
    const late = to === 'arrows' ? ['events_left_out_after'] : []
    expect(Object.fromEntries(read.metadata), output.kind).toEqual(Object.fromEntries([...own.metadata].filter(([key]) => !late.includes(key))))
    for (const { name } of own.columns) expectSame(read.column(name), own.column(name), `${output.kind} ${name}`)
  }
}

describe('a table of events is refused', () => {
  test.each([
    ['a word that is no kind', 'trade', {}, 'OPTION_INVALID', 'Cannot make a table: kind must be one of trades, bbo, depth, mark, index, funding, liquidations, states, found "trade"'],
    ['another form of numbers', 'trades', { numbers: 'decimal' }, 'OPTION_INVALID', 'Cannot make a table: numbers must be one of exact, float64, found "decimal"'],
    ['no limit', 'trades', { maxRows: 0 }, 'OPTION_INVALID', 'Cannot make a table: maxRows must be a whole number above 0, found 0'],
    ['a misspelt option', 'trades', { form: '12:00' }, 'OPTION_INVALID', 'Cannot make a table: an option must be one of from, to, numbers, margins, maxRows, found the unknown option "form"; did you mean from?'],
    ['options that are none', 'trades', 'from', 'OPTION_INVALID', 'Cannot make a table: the options must be an object, found "from"'],
    ['other margins', 'trades', { margins: 'cut' }, 'OPTION_INVALID', 'Cannot read a file: margins must be trim or keep, found "cut"'],
    ['a span that ends before it begins', 'trades', { from: '12:00', to: '11:00' }, 'OPTION_INVALID', /it must not end before it begins/],
    ['a time that is none', 'trades', { from: 'noon' }, 'TIME_INVALID', /noon/],
    ['a time of another year', 'trades', { from: '2020-01-01' }, 'TIME_INVALID', /the file is of 2026-07-01/],
    ['more rows than the limit', 'trades', { maxRows: 2 }, 'LIMIT_EXCEEDED', /^Cannot hold the table trades of .*test-ABC-2026-07-01.txt.zst: it must have at most 2 rows, found more; take a span by from and to, or raise maxRows$/],
  ])('%s', async (_, kind, options, code, words) => {
    const day = await every()
    const refusal = await refusalOf(() => day.table(kind as ExportKind, options as EventTableOptions))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(words)
  })

  test.each<[string, (day: TickDay) => Promise<unknown>, string]>([
    ['a misspelt option of books', (day) => day.bookTable({ everyMs: 1000, level: 5 } as never), 'Cannot make a table of books: an option must be one of everyMs, from, to, levels, margins, maxRows, found the unknown option "level"; did you mean levels?'],
    ['books without options', (day) => day.bookTable(undefined as never), 'Cannot make a table of books: the options must be an object, found undefined'],
    ['a misspelt option of a file', () => readTable('no.parquet', { maxrows: 1 } as never), 'Cannot read no.parquet: an option must be one of maxRows, found the unknown option "maxrows"; did you mean maxRows?'],
  ])('%s', async (_, work, words) => {
    expect(await refusalOf(async () => work(await every()))).toMatchObject({ code: 'OPTION_INVALID', message: words })
  })

  test('a stream that is read twice, and a damaged file', async () => {
    const bytes = readFileSync(XRP)
     
    const stream = await openTickFile((async function* () { yield new Uint8Array(bytes) })(), { day: '2026-07-01' })
    expect((await stream.table('trades')).rowCount).toBeGreaterThan(0)
    expect(await refusalOf(() => stream.table('trades'))).toMatchObject({ code: 'OPTION_INVALID' })
    const cut = await openTickFile(new Uint8Array(bytes.subarray(0, bytes.length - 100)), { day: '2026-07-01' })
    expect((await refusalOf(() => cut.table('trades'))).code).toMatch(/^ZSTD_/)
    expect(basename(XRP)).toBe('synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
  })
})
