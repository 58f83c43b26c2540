import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { decompress } from 'fzstd'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTickFile } from '../../src/day/tick-day.js'
import { importTardis } from '../../src/tardis/tardis-import-writer.js'
import { backtape } from '../support/command.ts'
import { madeFiles } from '../support/made-files.ts'
import { TardisMaker, writeSheet, writeSheets } from '../support/tardis-maker.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-tardis-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PLACE = { exchange: 'binance-futures', symbol: 'XRPUSDT', day: '2026-07-01' } as const
const NAME = 'binance_futures-XRPUSDT-2026-07-01.txt.zst'
const maker = new TardisMaker(PLACE)

interface Imported {
  readonly master: { readonly instrument: Record<string, unknown>; readonly import: { readonly notes: string[] } }
  readonly lines: readonly (readonly unknown[])[]
}

function imported(path: string): Imported {
  const [first = '', ...lines] = new TextDecoder().decode(decompress(readFileSync(path))).trimEnd().split('\n')
  const wide = lines.map((line) => JSON.parse(line.replace(/(?<=[,[])\d{16,}(?=[,\]])/g, '"$&"')) as unknown[])
  return { master: JSON.parse(first) as Imported['master'], lines: wide }
}

/** Kind, times and data of a line as tardis.dev can say them: microseconds, no tail, prices of a kind where they change. */
function told(lines: readonly (readonly unknown[])[]): string[] {
  const last = new Map<unknown, string>()
  return lines.flatMap((line) => {
    const [kind, , , , adapterNs, exchangeNs, data] = line
    const content = JSON.stringify(data).replace(/(\d{16})\d{3}"/g, '$1000"')
    if ([7, 8, 9].includes(kind as number) && last.get(kind) === content) return []
    last.set(kind, content)
    // Trades and liquidations have a venue time a row, and none for the line.
    const venue = kind === 2 || kind === 17 ? '-' : cut(exchangeNs)
    return [`${String(kind)} ${cut(adapterNs)} ${venue} ${content}`]
  })
}

const cut = (ns: unknown): string => (String(ns) === '0' ? '0' : String(ns).slice(0, -3))

beforeAll(() => {
  const [text = ''] = madeFiles({ seed: 5, minutes: 3, kind: 'perpetual' }).values()
  for (const line of text.trimEnd().split('\n').slice(1)) maker.add(line)
  const { book_snapshot_25: depth, ...sheets } = maker.sheets
  writeSheets(join(folder, 'all'), PLACE, sheets)
  const { incremental_book_L2: _, ...shallow } = maker.sheets
  writeSheets(join(folder, 'shallow'), PLACE, { ...shallow, book_snapshot_25: depth })
})

describe('a made-up day, published as CSV and imported again', () => {
  test('is the same day: trades, books, tops, marks, index, funding and liquidations', async () => {
    const out = join(folder, 'days')
    const { days, skipped } = await importTardis(join(folder, 'all'), { out })
    expect(skipped).toEqual([])
    expect(days).toMatchObject([{ outcome: 'imported', path: join(out, NAME), audit: { ok: true, reasons: [] }, error: null }])
    const { master, lines } = imported(join(out, NAME))
    expect(told(lines)).toEqual(told(maker.kept))
    expect(new Set(lines.map(([kind]) => kind)).size).toBeGreaterThanOrEqual(7)
    expect(days[0]?.eventCount).toBe(lines.length)
    expect(master.instrument).toMatchObject({
      code: 'XRPUSDT', exchange_code: 'binance_futures', type: 'perpetual', is_inverse: false, multiplier: '1', ticksize: '0.0001', lot_size: '0.1',
    })
    expect(master.import.notes.join('\n')).toMatch(/tick size inferred from prices: 0\.0001.*lot size inferred from amounts: 0\.1.*no rate of USDT/s)
  })

  test('its book chain has no gap, and every later snapshot is a reset', () => {
    const { lines } = imported(join(folder, 'days', NAME))
    let bookId = '0'
    for (const [at, line] of lines.entries()) {
      const [kind, , before, id] = line
      expect(id).toBe(String(20_635 * 1e10 + at + 1))
      expect(before).toBe(kind === 1 ? bookId : '0')
      if (kind === 0) expect(line[7]).toBe(bookId !== '0')
      if (kind === 0 || kind === 1) bookId = String(id)
    }
  })

  test('book_snapshot_25 alone gives the best 25 levels at every instant', async () => {
    const out = join(folder, 'shallow-days')
    const { days } = await importTardis(join(folder, 'shallow'), { out })
    expect(days[0]?.notes).toContain('book made from differences of book_snapshot_25: nothing is known beyond 25 levels a side')
    const [whole, shallow] = await Promise.all([openTickFile(join(folder, 'days', NAME)), openTickFile(join(out, NAME))])
    for (const at of ['00:00:31', '00:01:02.5', '00:02:00', '00:02:47']) {
      const [wanted, found] = await Promise.all([whole.bookAt(at), shallow.bookAt(at)])
      for (const side of ['bids', 'asks'] as const) {
        const texts = (levels: typeof wanted.bids): string[] => levels.slice(0, 25).map(({ price, quantity }) => `${price.toString()} ${quantity.toString()}`)
        expect(texts(found[side])).toEqual(texts(wanted[side]))
        expect(found[side].length).toBeGreaterThan(0)
      }
    }
  })

  test('the same command skips what is whole, refuses what another made, and overwrites with force', async () => {
    const out = join(folder, 'days')
    const before = readFileSync(join(out, NAME))
    const { mtimeMs } = statSync(join(out, NAME))
    expect((await importTardis(join(folder, 'all'), { out })).days).toMatchObject([{ outcome: 'skipped' }])
    expect(statSync(join(out, NAME)).mtimeMs).toBe(mtimeMs)
    const other = await importTardis(join(folder, 'shallow'), { out })
    expect(other.days).toMatchObject([{ outcome: 'failed', error: { code: 'OUTPUT_EXISTS' } }])
    expect(readFileSync(join(out, NAME)).equals(before)).toBe(true)
    expect((await importTardis(join(folder, 'all'), { out, force: true })).days).toMatchObject([{ outcome: 'imported' }])
    expect(readFileSync(join(out, NAME)).equals(before)).toBe(true)
    expect(readdirSync(out)).toEqual([NAME])
  })

  test('a backtest runs on it', async () => {
    const runFile = join(folder, 'taker.run.json')
    writeFileSync(runFile, JSON.stringify({
      strategy: `${join(import.meta.dirname, '../../examples/flow-taker/flow-taker.ts')}#FlowTaker`, data: [join(folder, 'days', NAME)],
      parameters: { instrument: 'XRPUSDT', size: '10', threshold: 2000 }, account: { balances: { USDT: '100000' } },
    }))
    const result = await backtape(['backtest', runFile, '--json'])
    expect(result).toMatchObject({ code: 0 })
    expect(result.out).toMatch(/"filledOrderShare":\s*0\.[5-9]/)
  })
})

describe('what the files say in ways of their own', () => {
  const place = { exchange: 'binance', symbol: 'BTCUSDT', day: '2026-07-01' }
  const at = (us: number): string => String(1_782_864_000_000_000 + us)
  const lead = (us: number, venueUs = us - 7): string => `binance,BTCUSDT,${at(venueUs)},${at(us)}`
  let count = 0
  async function linesOf(write: (path: string) => void): Promise<{ lines: Imported['lines']; notes: readonly string[]; master: Imported['master'] }> {
    const path = join(folder, `own${count++}`)
    write(path)
    const { days } = await importTardis(path, { out: join(path, 'out') })
    expect(days).toMatchObject([{ outcome: 'imported', error: null }])
    return { ...imported(days[0]!.path), notes: days[0]!.notes }
  }

  test('rows before the first snapshot are left out and counted; a snapshot goes on over arrivals', async () => {
    const { lines, notes } = await linesOf((path) => {
      writeSheet(path, place, 'incremental_book_L2', [
        `${lead(5)},false,bid,99,1`, `${lead(10)},true,bid,100,1`, `${lead(10)},true,ask,101,0`, `${lead(12)},true,ask,101,2`,
        `${lead(20)},false,bid,100,0`, `${lead(20)},false,bid,99.5,3.0`, `${lead(30)},true,bid,98,1`,
      ])
    })
    expect(lines.map(([kind, , , , , , data, ...tail]) => [kind, data, ...tail])).toEqual([
      [0, [[0, '100', '1', 1]], false], [1, [[1, '101', '2', 1]]], [1, [[0, '100', '0', 1], [0, '99.5', '3.0', 1]]], [0, [[0, '98', '1', 1]], true],
    ])
    expect(notes).toContain('1 book rows before the first snapshot left out, as they fit no known book')
  })

  test.each<[name: string, rows: readonly [us: number, text: string][], lines: unknown[]]>([
    ['that names a level again', [[20, 'true,bid,100,3'], [20, 'true,bid,99,1']], [[0, [[0, '100', '3', 1], [0, '99', '1', 1]], true]]],
    ['whose first level is new, and that has an empty one', [[20, 'true,ask,103,3'], [20, 'true,bid,98,0'], [20, 'true,bid,100,1']], [[0, [[1, '103', '3', 1], [0, '100', '1', 1]], true]]],
    ['that goes on over arrivals', [[20, 'true,bid,100,3'], [21, 'true,bid,97,3'], [22, 'true,bid,97,4']], [[0, [[0, '100', '3', 1]], true], [1, [[0, '97', '3', 1]]], [0, [[0, '97', '4', 1]], true]]],
    ['of other levels, more than a second later', [[1_000_011, 'true,bid,97,3']], [[0, [[0, '97', '3', 1]], true]]],
    ['which is none: another level within a second', [[1_000_010, 'true,bid,97,3']], [[1, [[0, '97', '3', 1]]]]],
    ['which is none: the same price of the other side', [[20, 'true,ask,100,3']], [[1, [[1, '100', '3', 1]]]]],
  ])('a second snapshot replaces the book: one %s', async (_name, rows, expected) => {
    const { lines } = await linesOf((path) => {
      writeSheet(path, place, 'incremental_book_L2', [`${lead(10)},true,bid,100,1`, `${lead(10)},true,ask,101,2`, ...rows.map(([us, text]) => `${lead(us)},${text}`)])
    })
    expect(lines.slice(1).map(([kind, , , , , , data, ...tail]) => [kind, data, ...tail])).toEqual(expected)
  })

  test('CRLF line ends and a byte order mark change nothing, across pieces of the file too', async () => {
    const rows = Array.from({ length: 9_000 }, (_, i) => `${lead(5 + i)},id-${String(i)},buy,100.10,1.5`)
    const [plain, saved] = [await linesOf((path) => { writeSheet(path, place, 'trades', rows) }), await linesOf((path) => {
      writeSheet(path, place, 'trades', rows)
      for (const name of readdirSync(path).filter((one) => one.includes('trades'))) {
        const file = join(path, name)
        const bytes = readFileSync(file)
        const text = name.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
        const crlf = `\ufeff${text.replaceAll('\n', '\r\n')}`
        writeFileSync(file, name.endsWith('.gz') ? gzipSync(crlf) : crlf)
      }
    })]
    expect(saved.lines).toHaveLength(9_000)
    expect(saved.lines).toEqual(plain.lines)
  })

  test('a repeated arrival is no venue time, an empty id is null, an unknown side is left out', async () => {
    const { lines, notes } = await linesOf((path) => {
      writeSheet(path, place, 'trades', [`${lead(5, 5)},,buy,100.10,1`, `${lead(5)},a-1,sell,100,2`, `${lead(9)},b,unknown,100,2`])
    })
    expect(lines.map((line) => line.slice(4))).toEqual([[
      `${at(5)}000`, `${at(-2)}000`, [[0, '100.10', '1', null, 0], [1, '100', '2', 'a-1', `${at(-2)}000`]],
    ]])
    expect(notes).toContain('1 trades of unknown side left out: a tick file has no such side')
  })

  test('trades come before books, books before quotes, of the same microsecond; a side may be missing', async () => {
    const { lines } = await linesOf((path) => {
      writeSheet(path, place, 'quotes', [`${lead(5)},2,101,,`])
      writeSheet(path, place, 'incremental_book_L2', [`${lead(5)},true,bid,100,1`], false)
      writeSheet(path, place, 'trades', [`${lead(5)},1,buy,100,1`])
    })
    expect(lines.map(([kind]) => kind)).toEqual([2, 0, 6])
    expect(lines[2]?.[6]).toEqual([[1, '101', '2', 1]])
  })

  test('of two sources of one thing the better is read', async () => {
    const { notes, lines } = await linesOf((path) => {
      writeSheet(path, place, 'quotes', [`${lead(5)},2,101,100,1`])
      writeSheet(path, place, 'book_ticker', [`${lead(6)},2,101,100,1`, `${lead(7)},2,101.5,100,1`])
    })
    expect(notes).toContain('quotes is not needed: book_ticker of that day is read')
    expect(lines).toHaveLength(2)
  })

  test('steps are those of all days of an instrument; an empty file is a day without that data', async () => {
    const path = join(folder, 'two-days')
    writeSheet(path, place, 'trades', [`${lead(5)},1,buy,100.5,0.2`])
    writeFileSync(join(path, 'binance_liquidations_2026-07-01_BTCUSDT.csv'), '')
    const next = 86_400_000_000
    writeSheet(path, { ...place, day: '2026-07-02' }, 'trades', [`${lead(next)},1,buy,100.25,0.4`])
    const { days } = await importTardis(path, { out: join(path, 'out') })
    expect(days.map(({ outcome }) => outcome)).toEqual(['imported', 'imported'])
    for (const day of days) expect(imported(day.path).master.instrument).toMatchObject({ ticksize: '0.25', lot_size: '0.2' })
  })
})

describe('numbers', () => {
  const place = { exchange: 'binance-futures', symbol: 'BTCUSDT', day: '2026-07-01' }
  const lead = (us: number): string => `binance-futures,BTCUSDT,${String(1_782_864_000_000_000 + us)},${String(1_782_864_000_000_001 + us)}`
  function write(name: string): string {
    const path = join(folder, name)
    writeSheet(path, place, 'trades', [`${lead(5)},1,buy,6.00001e4,1e-7`, `${lead(6)},2,buy,60000.2,0.30000000000000004`, `${lead(7)},3,sell,60000.2,2E+1`])
    writeSheet(path, place, 'derivative_ticker', [`${lead(8)},,1.5e-5,,,,60000.123456789012,60000.5`, `${lead(9)},,1.5e-5,,,,60000.5,60000.5`])
    writeSheet(path, place, 'liquidations', [`${lead(10)},1,buy,60000,12345678901234567.5`, `${lead(11)},2,buy,60000,900719925`])
    return path
  }

  test('in scientific form are exact, marks of any digits too; rows that no run holds are left out, counted and named, and the day is sound', async () => {
    const path = write('inexact')
    const { days } = await importTardis(path, { out: join(path, 'out') })
    expect(days).toMatchObject([{ outcome: 'imported', leftOutCount: 2, audit: { ok: true, reasons: [] } }])
    const note = days[0]!.notes.find((one) => one.includes('left out, as a run'))
    expect(note).toMatch(/^2 rows left out.*: the first is \w+ \d+\.?\d*, line \d of binance-futures_\w+_2026-07-01_BTCUSDT\.csv/)
    const { lines, master } = imported(days[0]!.path)
    expect(master.import.notes).toContain(note)
    expect(lines.flatMap(([kind, , , , , , data]) => (kind === 2 || kind === 17 ? (data as unknown[][]).map((row) => row.slice(0, 3)) : [data]))).toEqual([
      [0, '60000.1', '0.0000001'], [1, '60000.2', '20'], '60000.5', '60000.123456789012', ['0.000015', 0], '60000.5', [0, '60000', '900719925'],
    ])
    expect((await importTardis(path, { out: join(path, 'out') })).days).toMatchObject([{ outcome: 'skipped' }])
  })

  test('with --strict the first of them ends its day', async () => {
    const path = write('strict')
    const told = await backtape(['import', 'tardis', path, '--out', join(path, 'out'), '--strict'])
    expect(told).toMatchObject({ code: 1 })
    expect(told.out).toMatch(/failed.*must be a decimal whose digits are at most 2\^53 - 1, found/)
    const loose = await backtape(['import', 'tardis', path, '--out', join(path, 'out')])
    expect(loose).toMatchObject({ code: 0 })
    expect(loose.out).toMatch(/: \d events, sound, 2 values left out\n/)
  })

  test('a day whose audit finds faults has no final name, and a second run says the same', async () => {
    const path = join(folder, 'unsound')
    // The book ends crossed.
    writeSheet(path, place, 'incremental_book_L2', [`${lead(5)},true,bid,100,1`, `${lead(5)},true,ask,101,2`, `${lead(6)},false,bid,102,1`])
    const run = () => backtape(['import', 'tardis', path, '--out', join(path, 'out')])
    const [first, second] = [await run(), await run()]
    expect(first).toMatchObject({ code: 1 })
    expect(first.out).toMatch(/BTCUSDT-2026-07-01\.txt\.zst\.unsound: 2 events, not sound/)
    expect(second).toEqual(first)
    expect(readdirSync(join(path, 'out'))).toEqual(['binance_futures-BTCUSDT-2026-07-01.txt.zst.unsound'])
  })
})

describe('the command', () => {
  test('prints a line a day, notes beside it, and ends with 1 where a day failed', async () => {
    const out = join(folder, 'command-days')
    const fine = await backtape(['import', 'tardis', join(folder, 'all'), '--out', out])
    expect(fine.code).toBe(0)
    expect(fine.out).toMatch(/binance_futures-XRPUSDT-2026-07-01\.txt\.zst: [\d,]+ events, sound\n$/)
    expect(fine.err).toMatch(/tick size inferred from prices: 0\.0001.*1 imported, 0 whole already, 0 failed/s)
    const failed = await backtape(['import', 'tardis', join(folder, 'shallow'), '--out', out, '--json'])
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.out)).toMatchObject({ days: [{ outcome: 'failed', error: { code: 'OUTPUT_EXISTS' } }] })
  })
})
