import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backtape, type CommandResult } from '../support/command.js'
import { datasetsFolder } from '../support/datasets-folder.js'
import { dayBytes, masterData, time, type Line } from '../support/hand-made-day.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const MANY = 6_000
const LINES: Line[] = [
  [0, '0', 'a', time('11:59:59'), 0, [[0, '100', '2', 1], [0, '99', '1', 1], [1, '101', '4', 1]]],
  [2, '0', 't1', time('12:00:01'), 0, [[0, '101', '1', 'x', time('12:00:00')]]],
  [1, 'a', 'b', time('12:00:02'), 0, [[1, '101', '3', 1]]],
  ...Array.from({ length: MANY }, (_, i): Line => [1, i === 0 ? 'b' : String(i - 1), String(i), time('12:00:03') + BigInt(i) * 1_000_000_000n, 0, [[0, '98', String(i + 1), 1]]]),
]
const day = join(folder, 'made-HAND-2026-07-01.txt.zst')
writeFileSync(day, dayBytes(masterData({}), LINES))
const other = join(folder, 'made-HAND-2026-07-02.txt.zst')
writeFileSync(other, dayBytes(masterData({}), LINES))
const nameless = join(folder, 'nameless.zst')
writeFileSync(nameless, dayBytes(masterData({}), LINES.slice(0, 3)))
const damaged = join(folder, 'made-CUT-2026-07-01.txt.zst')
writeFileSync(damaged, readFileSync(day).subarray(0, 70_000))
const malformed = join(folder, 'made-BAD-2026-07-01.txt.zst')
writeFileSync(malformed, dayBytes(masterData({}), [...LINES.slice(0, 2), [1, 'a', 'b', time('12:00:02'), 0, [[1, 'abc', '3', 1]]], LINES[2]!]))

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** A refusal: nothing on standard output, one sentence on standard error, no stack. */
function expectRefusal(result: CommandResult, code: number, ...words: string[]): void {
  expect(result.out).toBe('')
  expect(lines(result.err)).toHaveLength(1)
  for (const word of words) expect(result.err).toContain(word)
  expect(result.err).not.toMatch(/\n\s+at /)
  expect(result.code).toBe(code)
}

describe.concurrent('what the commands print', { timeout: 180_000 }, () => {
  test('info: one screen, and the same as JSON', async () => {
    const [screen, json] = await Promise.all([backtape(['info', day]), backtape(['info', '--json', day])])
    expect(screen).toMatchObject({ code: 0, err: '' })
    expect(lines(screen.out).length).toBeLessThan(24)
    for (const word of ['made:HAND (7), perpetual', '2026-07-01T11:59:59.000000000Z', '6,001', 'nothing']) expect(screen.out).toContain(word)
    expect(JSON.parse(json.out)).toMatchObject([{ day: '2026-07-01', eventCount: 6_003, eventsByKind: { update: 6_001, trades: 1 }, odd: [] }])
  })

  test('events: JSON lines, filtered by kinds and times', async () => {
    const { code, out } = await backtape(['events', day, '--kind', 'trades,update', '--from', '12:00', '--to', '12:00:03'])
    expect(code).toBe(0)
    expect(lines(out).map((line): unknown => JSON.parse(line))).toMatchObject([
      { kind: 'trades', eventIndex: 1, adapterTimestampNs: String(time('12:00:01')), trades: [{ aggressorSide: 'BID', price: '101', quantity: '1', tradeId: 'x' }] },
      { kind: 'update', eventIndex: 2, levels: [{ side: 'ASK', price: '101', quantity: '3' }] },
    ])
  })

  test('--version, and options as they are typed: --checkpoint-every in the help and in a suggestion', async () => {
    const [version, help, misspelt] = await Promise.all([backtape(['--version']), backtape(['backtest', '--help']), backtape(['backtest', 'x.run.json', '--checkpoint-evry', '1h'])])
    const { version: stated } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
    expect(version).toMatchObject({ code: 0, out: `${stated}\n` })
    expect(help.out).toMatch(/^ +--checkpoint-every /m)
    expect(help.out).not.toContain('--checkpointEvery')
    expectRefusal(misspelt, 2, 'there is no option --checkpoint-evry; did you mean --checkpoint-every?')
  })

  test.each([
    [['events', '-q', 'X'], 'there is no option -q; see backtape events --help'], [['events', 'x', '--q'], 'there is no option --q;'],
    [['events', '-qx'], 'there is no option -q;'], [['events', '--q=1'], 'there is no option --q;'],
  ])('%j is refused as it was typed', async (words, sentence) => {
    expectRefusal(await backtape(words), 2, sentence)
  })

  test('help NAME is the help of that command', async () => {
    const [help, option, unknown] = await Promise.all([backtape(['help', 'info']), backtape(['info', '--help']), backtape(['help', 'inof'])])
    expect(help).toEqual(option)
    expect(help.out).toContain('backtape info: ')
    expectRefusal(unknown, 2, 'Cannot run "inof": there is no such command; did you mean info?')
  })

  test('events --kinds and convert --kind: either spelling', async () => {
    const out = join(folder, 'spelling')
    const [events, convert] = await Promise.all([backtape(['events', day, '--kinds', 'trades']), backtape(['convert', day, '--kind', 'trades', '--out', out])])
    expect([events.code, lines(events.out).length, convert.code]).toEqual([0, 1, 0])
    expect(readdirSync(out).sort()).toEqual(['backtape-manifest.json', 'made-HAND-2026-07-01.trades.parquet'])
    expectRefusal(await backtape(['events', day, '--kinds', 'trade']), 2, 'did you mean trades?')
  })

  test('events from standard input, with the day named', async () => {
    const { code, out } = await backtape(['events', '-', '--day', '2026-07-01', '--kind', 'snapshot', '--to', '12:00'], { input: readFileSync(day) })
    expect([code, lines(out).length]).toEqual([0, 1])
  })

  test('book: a table at a time, JSON for machines', async () => {
    const [table, json] = await Promise.all([backtape(['book', day, '--at', '12:00:02', '--levels', '2']), backtape(['book', day, '--at', '2026-07-01T12:00:01Z', '--json'])])
    expect(table.out).toBe('made:HAND  2026-07-01T12:00:02.000000000Z\n   bid quantity  bid  ask  ask quantity\n1             2  100  101             3\n2             1   99\n')
    expect(JSON.parse(json.out)).toMatchObject({ suspect: false, bids: [{ price: '100', quantity: '2' }, { price: '99' }], asks: [{ price: '101', quantity: '4' }] })
  })

  test('book: a grid to standard output and to files', async () => {
    const grid = ['book', day, '--every', '1h', '--levels', '1']
    const [rows, parquet] = await Promise.all([backtape(grid), backtape([...grid, '--out', join(folder, 'grid.parquet')])])
    expect(lines(rows.out)).toEqual(['ts,suspect,level,bid_price,bid_qty,ask_price,ask_qty', `${String(time('12:00:00'))},false,1,100,2,101,4`, `${String(time('13:00:00'))},false,1,100,2,101,3`])
    expect(parquet).toMatchObject({ code: 0, out: '', err: `Wrote 2 books to ${join(folder, 'grid.parquet')}\n` })
    expect(readFileSync(join(folder, 'grid.parquet')).subarray(0, 4).toString()).toBe('PAR1')
  })

  test('minutes: CSV to standard output, files only once', async () => {
    const out = join(folder, 'minutes.csv')
    const [printed, written] = await Promise.all([backtape(['minutes', day]), backtape(['minutes', day, '--out', out])])
    expect(printed.out).toBe(readFileSync(out, 'utf8'))
    expect(printed.out.split('\r\n')[1]).toMatch(/^2026-07-01T11:59:00Z,,,,,,0,0,0,0,0\.0,0\.0,0\.0,1\.0,/)
    expect(written.out).toBe('')
    expectRefusal(await backtape(['minutes', day, '--out', out]), 2, 'it exists', '--force')
    expect((await backtape(['minutes', day, '--out', out, '--force'])).code).toBe(0)
  })

  test('audit: exit 0 for sound files; one array, exit 1 as soon as one is damaged', async () => {
    const [sound, mixed] = await Promise.all([backtape(['audit', day]), backtape(['audit', '--json', day, damaged, malformed, join(folder, 'none')])])
    expect(sound).toMatchObject({ code: 0, err: '' })
    expect(mixed.code).toBe(1)
    const reports = JSON.parse(mixed.out) as { file: string; ok: boolean; events?: number }[]
    expect(reports.map(({ ok }) => ok)).toEqual([true, false, false, false])
    expect(reports).toMatchObject([{ events: 6_003 }, { failure: { code: 'ZSTD_TRUNCATED' } }, { events: 3, damagedLines: 1 }, { failure: { code: 'FILE_NOT_FOUND' } }])
  })

  test('convert: tables and a manifest; the same command again skips', async () => {
    const out = join(folder, 'tables')
    const first = await backtape(['convert', day, '--to', 'csv', '--kinds', 'trades', '--out', out])
    expect(first).toMatchObject({ code: 0 })
    expect(readdirSync(out)).toContain('made-HAND-2026-07-01.trades.csv')
    const again = await backtape(['convert', day, '--to', 'csv', '--kinds', 'trades', '--out', out, '--json'])
    expect(JSON.parse(again.out)).toMatchObject({ skippedCount: 1, convertedCount: 0, failedCount: 0 })
    const failed = await backtape(['convert', damaged, day, '--to', 'csv', '--out', join(folder, 'more')])
    expect(failed.code).toBe(1)
    expect(readdirSync(join(folder, 'more')).filter((name) => name.startsWith('made-CUT'))).toEqual([])
    expect(existsSync(join(folder, 'more', 'made-HAND-2026-07-01.depth.csv'))).toBe(true)
  })
})

describe.concurrent('a closed pipe ends every command that prints rows quietly', { timeout: 180_000 }, () => {
  test.each([
    ['events', [day]],
    ['book', [day, '--every', '100ms']],
    ['book', [day, '--every', '100ms', '--json']],
    ['minutes', [day]],
    ['book', [day, '--at', '13:00']],
    ['info', [day, other]],
    // Sound days: a finding is 1 where the pipe is closed late.
    ['audit', ['01', '02'].map((number) => join(datasetsFolder, `synthetic_spot-XRPUSDT-2026-07-${number}.txt.zst`)).concat('--json')],
  ])('%s %j', async (command, args) => {
    const { code, err } = await backtape([command, ...args], { closeEarly: true })
    expect([code, err]).toEqual([0, ''])
  })
})

describe.concurrent('refusals', { timeout: 180_000 }, () => {
  test.each([
    [['evens', day], 2, ['"evens"', 'did you mean events?']],
    [['events', day, '--kind', 'trade'], 2, ['did you mean trades?', 'snapshot, update']],
    [['events', day, '--kidn', 'trades'], 2, ['--kidn', 'did you mean --kind?']],
    [['events', day, '--from', 'noon'], 2, ['"noon"', '12:00', 'ISO-8601']],
    [['events', nameless, '--from', '12:00'], 2, ['--day YYYY-MM-DD']],
    [['events', day, '--day', '2026-13-01'], 2, ['--day', 'YYYY-MM-DD']],
    [['events', '--kind', 'trades'], 2, ['no input was named']],
    [['book', day], 2, ['--at', '--every']],
    [['book', day, '--every', '1h', '--from', '13:00', '--to', '12:00'], 2, ['must not end before it begins']],
    [['book', day, '--every', '1h', '--json', '--from', '13:00', '--to', '12:00'], 2, ['must not end before it begins']],
    [['book', day, '--every', 'often'], 2, ['--every', '10ms, 30s or 1h']],
    [['book', day, '--every', '1h', '--levels', '0'], 2, ['--levels', 'from 1 upwards']],
    [['book', day, '--every', '1h', '--out', 'grid.xls'], 2, ['.parquet', 'grid.xls']],
    [['book', day, day, '--at', '12:00'], 2, ['one input']],
    [['events', day, '--zstd', 'nativ'], 2, ['did you mean native?']],
    [['convert', day, '--to', 'parqet'], 2, ['did you mean parquet?']],
    [['info', join(folder, 'none.zst')], 1, ['none.zst', 'no such file']],
    [['book', folder, '--at', '12:00'], 1, ['folder']],
    [['info', join(folder, '*.none')], 1, ['Cannot find a tick file in', '*.none', '.txt.zst']],
    [['events', join(folder, 'none.zst')], 1, ['none.zst', 'no such file; check the path']],
    [['book', join(folder, 'none.zst'), '--at', '12:00'], 1, ['none.zst', 'no such file; check the path']],
    [['minutes', join(folder, 'none.zst')], 1, ['none.zst', 'no such file; check the path']],
    [['convert', day, '--kinds', 'trade'], 2, ['did you mean trades?']],
    [['book', day, '--at', 'noon'], 2, ['"noon"', '12:00']],
    [['minutes', malformed], 1, ['line 4', 'price must be a decimal', '"abc"']],
  ])('%j', async (args, code, words) => {
    expectRefusal(await backtape(args), code, ...words)
  })

  test.skipIf(process.platform === 'win32')('a folder on standard input', () => {
    const handle = openSync(folder, 'r')
    const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(import.meta.dirname, '../../bin/backtape.js'), 'info', '-'], { stdio: [handle, 'pipe', 'pipe'], encoding: 'utf8' })
    closeSync(handle)
    expectRefusal({ code: status, out: stdout, err: stderr }, 1, 'standard input', 'it is a folder')
  })

  test('a damaged file: what came before is printed, then one sentence', async () => {
    const { code, out, err } = await backtape(['events', malformed])
    expect([code, lines(out).length, lines(err).length]).toEqual([1, 2, 1])
    const counted = await backtape(['events', malformed, '--onDamage', 'count'])
    expect([counted.code, lines(counted.out).length]).toEqual([0, 3])
  })
})

describe.concurrent('help', { timeout: 180_000 }, () => {
  test.each(['info', 'audit', 'events', 'book', 'minutes', 'convert', 'synth'])('%s alone says what it does, with one example', async (command) => {
    const { code, out, err } = await backtape([command])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(new RegExp(`^backtape ${command}: .+\nUsage: backtape ${command} .+\nExample: backtape ${command} .+\n`))
    const help = await backtape([command, '--help'])
    expect([help.code, help.err]).toEqual([0, ''])
    expect(help.out).toContain('Options:')
  })

  test('alone the program lists its commands', async () => {
    const { code, err } = await backtape([])
    expect(code).toBe(2)
    for (const command of ['info', 'audit', 'events', 'book', 'minutes', 'convert', 'synth']) expect(err).toContain(`  ${command} `)
    expect((await backtape(['--help'])).out).toBe(err)
  })
})
