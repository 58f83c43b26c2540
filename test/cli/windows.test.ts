import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.js'
import { dayBytes, masterData, time, type Line } from '../support/hand-made-day.js'
import { hasSharedData, sharedData } from '../support/shared-data.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-windows-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const before = (clock: string): bigint => time(clock) - 86_400_000_000_000n
const LINES: Line[] = [
  [0, '0', 'a', before('23:57:02'), 0, [[0, '100', '2', 1], [1, '101', '4', 1]]],
  [2, '0', 't1', time('00:01:00'), 0, [[0, '101', '1', 'x1', 0]]],
  [1, 'a', 'b', time('00:05:10'), 0, [[1, '101', '3', 1]]],
]
const write = (name: string, lines: readonly Line[]): string => {
  const path = join(folder, name)
  writeFileSync(path, dayBytes(masterData({}), lines))
  return path
}
const day = write('made-HAND-2026-07-01.txt.zst', LINES)
const marginOnly = write('made-MARGIN-2026-07-01.txt.zst', LINES.slice(0, 1))
const empty = write('made-EMPTY-2026-07-01.txt.zst', [])
const nameless = write('nameless.zst', LINES)

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

describe.concurrent('a window without an event says where the data lie; exit code 1 only with --strict', { timeout: 180_000 }, () => {
  test.each<[string[], string, number]>([
    [['events', day, '--from', '12:00', '--to', '12:05'], `${day}: no event between 12:00:00 and 12:05:00: the data begin 00:01:00 and end 00:05:10`, 0],
    [['events', day, '--kind', 'mark'], `${day}: no mark: the data begin 00:01:00 and end 00:05:10`, 0],
    [['events', empty], `${empty}: no event: the data hold no event`, 0],
    [['book', day, '--every', '1s', '--from', '12:00', '--to', '12:05'], `${day}: no book between 12:00:00 and 12:05:00: the data begin 2026-06-30 23:57:02 and end 00:05:10`, 1],
    [['book', day, '--every', '1s', '--from', '12:00', '--json'], `${day}: no book from 12:00:00 on: the data begin 2026-06-30 23:57:02 and end 00:05:10`, 0],
    [['book', day, '--every', '1m', '--from', '2026-06-30T23:58', '--to', '00:00'], `2026-06-30 23:58:00 lies outside the day of ${day}, whose margins are left out: --margins keep shows them`, 1],
    [['book', day, '--at', '2026-06-30T12:00'], `${day}: no event up to 2026-06-30 12:00:00: the data begin 2026-06-30 23:57:02`, 2],
    [['book', day, '--at', '12:00'], `${day}: no event at 12:00:00 or later, the book is the last one: the data begin 2026-06-30 23:57:02 and end 00:05:10`, 3],
    [['book', empty, '--at', '12:00'], `${empty}: no event up to 12:00:00: the data hold no event`, 2],
    [['minutes', empty, '--json'], `${empty}: no minute of 2026-07-01 with a trade or a known book: the data hold no event`, 2],
  ])('%j', async (args, sentence, rowCount) => {
    const [lenient, strict] = await Promise.all([backtape(args), backtape([...args, '--strict'])])
    expect(linesOf(lenient.err)).toContain(sentence)
    expect(strict.err).toBe(lenient.err)
    expect([lenient.code, strict.code]).toEqual([0, 1])
    expect(Math.min(linesOf(lenient.out).length, 3)).toBe(rowCount)
    expect(strict.out.length).toBe(lenient.out.length)
  })

  test.each([
    [['events', day]],
    [['book', day, '--at', '00:05:10']],
    [['book', day, '--at', '00:03']],
    [['book', day, '--every', '1m']],
    [['minutes', day]],
  ])('%j holds something: --strict changes nothing', async (args) => {
    const { code, err } = await backtape([...args, '--strict'])
    expect(code).toBe(0)
    expect(err).not.toContain(': no ')
  })
})

describe.concurrent('a book behind the data', { timeout: 180_000 }, () => {
  test.each<[at: string, stale: boolean, since: string | null, noteCount: number]>([
    ['00:05:10', false, null, 0], ['00:06:10', false, null, 1], ['00:06:11', true, '2026-07-01T00:05:10.000000000Z', 1], ['12:00', true, '2026-07-01T00:05:10.000000000Z', 1],
    // The trade of 00:01:00 is no line of the book of a perpetual.
    ['00:01:30', true, '2026-06-30T23:57:02.000000000Z', 0],
  ])('%s: stale %s', async (at, stale, staleSince, noteCount) => {
    const [json, text] = await Promise.all([backtape(['book', day, '--at', at, '--json']), backtape(['book', day, '--at', at])])
    const book = JSON.parse(json.out) as { stale: boolean, staleSince: string | null, notes: string[] }
    expect([book.stale, book.staleSince, book.notes.length, text.out.includes('  STALE: no data since ')]).toEqual([stale, staleSince, noteCount, stale])
    expect(json.err).toBe(book.notes.map((note) => `${note}\n`).join(''))
  })

  test('events of clock times that end before they begin: a date is what lacks', async () => {
    expect(await backtape(['events', day, '--from', '23:59', '--to', '00:01'])).toMatchObject({ code: 2, err: expect.stringContaining('; swap the two, or write the date of a later day, as clock times are of the first one') as string })
    expect((await backtape(['events', day, '--from', '2026-07-02', '--to', '2026-06-30'])).err).toMatch(/; swap the two\n$/)
  })

  test('a format that overrides the ending of a name is noted', async () => {
    const out = join(folder, 'm.parquet')
    const [other, same] = await Promise.all([backtape(['minutes', day, '--out', out, '--to', 'csv']), backtape(['minutes', day, '--out', join(folder, 'm.csv'), '--to', 'csv'])])
    expect(other.err).toContain(`Note: ${out} holds csv, as --to says, whatever its name ends in\n`)
    expect(same.err).not.toContain('Note:')
  })
})

describe.concurrent('margins', { timeout: 180_000 }, () => {
  test('events: trimmed and said, kept where asked for', async () => {
    const [trimmed, kept] = await Promise.all([backtape(['events', day]), backtape(['events', day, '--margins', 'keep'])])
    expect(linesOf(trimmed.out).map((line) => (JSON.parse(line) as { made?: boolean }).made)).toEqual([true, undefined, undefined])
    expect(trimmed).toMatchObject({ code: 0, err: `${day}: 1 event of the neighbouring days left out; --margins keep shows them\n` })
    expect(linesOf(kept.out)).toHaveLength(3)
    expect(kept.err).toBe('')
  })

  test('events: a file of an unknown day is read whole, from standard input too', async () => {
    const [file, stream, named] = await Promise.all([
      backtape(['events', nameless]),
      backtape(['events', '-'], { input: readFileSync(nameless) }),
      backtape(['events', '-', '--day', '2026-07-01'], { input: readFileSync(nameless) }),
    ])
    expect(file.err).toBe(`${nameless}: its name does not end in -YYYY-MM-DD.txt.zst, so its day is unknown and its margins are kept; name the day with --day\n`)
    expect(stream.out).toBe(file.out)
    expect(linesOf(file.out)).toHaveLength(3)
    expect(linesOf(named.out)[0]).toContain('"made":true')
  })

  test('events: a word that is none is refused', async () => {
    const { code, out, err } = await backtape(['events', day, '--margins', 'trimm'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('did you mean trim?')
  })

  test('info, audit and book --at read the margins as before', async () => {
    const [info, audit, book] = await Promise.all([backtape(['info', '--json', marginOnly]), backtape(['audit', '--json', day]), backtape(['book', day, '--at', '2026-06-30T23:57:02', '--json'])])
    expect(JSON.parse(info.out)).toMatchObject([{ eventCount: 1 }])
    expect(JSON.parse(audit.out)).toMatchObject([{ events: 3, dayCoverage: { eventsBefore: 1, eventsAfter: 0 } }])
    expect(JSON.parse(book.out)).toMatchObject({ suspect: false, bids: [{ price: '100' }] })
  })

  test.skipIf(!hasSharedData)('events: a range tar gives each trade once, from a file and, a member at a time, from standard input', async () => {
    const tar = sharedData('bundles/binance_swap-BTCUSDT-2023-04-04..2023-04-05.tar')
    const [file, stream] = await Promise.all([backtape(['events', tar, '--kind', 'trades']), backtape(['events', '-', '--kind', 'trades'], { input: readFileSync(tar) })])
    const ids = linesOf(file.out).flatMap((line) => (JSON.parse(line) as { trades: { tradeId: string }[] }).trades.map(({ tradeId }) => tradeId))
    expect([ids.length, new Set(ids).size]).toEqual([12_934, 12_934])
    expect(stream.out).toBe(file.out)
  })
})

describe.concurrent('convert', { timeout: 180_000 }, () => {
  test('prints each file once, with its place, what was left out and what holds nothing', async () => {
    const out = join(folder, 'tables')
    const command = ['convert', day, marginOnly, nameless, '--out', out]
    const { code, out: text, err } = await backtape(command)
    expect(linesOf(text).map((line) => line.replace(/, [\d.]+ k?B/, ''))).toEqual([
      `1 of 3  ${day}: 2 events into 2 files, 1 event of the neighbouring days left out`,
      `2 of 3  ${marginOnly}: 0 events into 1 file, 1 event of the neighbouring days left out`,
      `3 of 3  ${nameless}: 3 events into 2 files`,
    ])
    expect(linesOf(err)).toEqual([`${marginOnly}: no event of its day`, `${nameless}: its name does not end in -YYYY-MM-DD.txt.zst, so its day is unknown and its margins are kept; name the day with --day`, `3 converted, 0 whole already, 0 failed; results in ${out}`])
    expect(code).toBe(0)
    const strict = await backtape([...command, '--strict', '--json'])
    expect(strict.code).toBe(1)
    expect(JSON.parse(strict.out)).toMatchObject({ skippedCount: 3, inputs: [{ leftOut: { before: 1, after: 0 }, openingSnapshot: 'made' }, { eventCount: 0 }, { margins: 'keep' }] })
    expect(linesOf(strict.err).filter((line) => line.includes(day))).toHaveLength(1)
  })

  test('keeps margins where asked for', async () => {
    const { out } = await backtape(['convert', day, '--margins', 'keep', '--out', join(folder, 'kept')])
    expect(out).toMatch(/: 3 events into 2 files, [\d.]+ k?B\n$/)
  })
})

test('audit counts in its last line the files that cover little of their day, exit code 0', { timeout: 180_000 }, async () => {
  const lines = Array.from({ length: 1_730 }, (_, i): Line => [8, '0', 'x', time('00:00:00') + BigInt(i) * 50_000_000_000n, 0, '1'])
  const whole = write('made-WHOLE-2026-07-01.txt.zst', lines)
  const again = write('made-AGAIN-2026-07-01.txt.zst', lines)
  const [mixed, good] = await Promise.all([backtape(['audit', day, whole]), backtape(['audit', whole, again])])
  expect(mixed).toMatchObject({ code: 0, err: '2 files audited, all of them sound, 1 covers less than 99 % of its day\n' })
  expect(mixed.out).toContain('  -  covers 0 % of 2026-07-01')
  expect(good.err).toBe('2 files audited, all of them sound\n')
})
