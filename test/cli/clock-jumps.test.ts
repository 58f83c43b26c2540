import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backtape, type CommandResult } from '../support/command.js'
import { dayBytes, masterData, time, type Line } from '../support/hand-made-day.js'
import { repeated } from '../support/repetitions.ts'
import { RunFolder, strategyModule } from '../support/run-folder.js'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

const DAY = 86_400_000_000_000n
const at = (second: number): bigint => time('00:00:00') + BigInt(second) * 1_000_000_000n
/** Ten minutes with 59 trades, of which the lines from one second to another were stamped elsewhere. */
const day = (name: string, from: number, to: number, stamp: (timeNs: bigint) => bigint): string => {
  const lines: Line[] = [[0, '0', 'u0', at(1), at(1), [[0, '100', '1', 1], [1, '101', '1', 1]]]]
  for (let second = 10; second < 600; second += 10) {
    const received = (own: number): bigint => (own >= from && own < to ? stamp(at(own)) : at(own))
    lines.push([1, `u${String(second === 10 ? 0 : second - 10)}`, `u${String(second)}`, received(second), at(second), [[0, '99', String(1 + second % 7), 1]]])
    lines.push([2, '0', `t${String(second)}`, received(second + 1), at(second + 1), [[0, '101', '1', `x${String(second)}`, at(second + 1)]]])
  }
  mkdirSync(join(folder.path, name), { recursive: true })
  const path = join(folder.path, name, 'made-HAND-2026-07-01.txt.zst')
  writeFileSync(path, dayBytes(masterData({}), lines))
  return path
}

const rowsOf = ({ out }: CommandResult): Record<string, unknown>[] => out.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>)
const run = (name: string, data: string): string => {
  folder.write('subject.ts', strategyModule('trades = 0\n  onInstrumentTrades(): void { this.trades++ }\n  onStop(): void { console.error(`received ${String(this.trades)}`) }'))
  return folder.write(`${name}.run.json`, { strategy: './subject.ts#Subject', data: [data], parameters: { instrument: 'HAND' } })
}

describe.concurrent.each(repeated<[string, number, number, (timeNs: bigint) => bigint]>([
  ['one line into the next day', 100, 101, (timeNs) => timeNs + DAY],
  ['two jumps into the next day, ten seconds apart', 100, 200, (timeNs) => (timeNs < at(150) || timeNs > at(152) ? timeNs + DAY : timeNs)],
  ['half of the lines to 23:59:59', 200, 500, (timeNs) => time('23:59:59') + timeNs % 1_000n],
  ['the last lines into the next day', 500, 600, (timeNs) => timeNs + DAY],
  ['the first lines a year ahead', 0, 200, (timeNs) => timeNs + 365n * DAY],
], ([, , to]) => to === 200))('no command loses anything where the clock jumped: %s', (words, from, to, stamp) => {
  const name = words.replaceAll(/\W/g, '-')
  const path = day(name, from, to, stamp)
  const warning = new RegExp(`^Warning: .*the adapter clock jumped: \\d+ lines? took the time of the line before; the first: event \\d+, stamped 202`, 'm')

  test('events, minutes, convert, sql, book, info and audit', async () => {
    const at600 = ['--at', '00:10:00']
    const [events, minutes, bars, converted, book, grid, info, audit] = await Promise.all([
      backtape(['events', path, '--kind', 'trades', '--strict']), backtape(['minutes', path, '--to', 'jsonl', '--strict']), backtape(['minutes', path, '--every', 'trades=10', '--to', 'jsonl']),
      backtape(['convert', path, '--out', join(folder.path, name, 'out'), '--to', 'jsonl', '--json']), backtape(['book', path, ...at600]), backtape(['book', path, '--every', '1m', '--to', 'jsonl']),
      backtape(['info', path, '--json']), backtape(['audit', path]),
    ])
    expect([events.code, minutes.code, rowsOf(events).length, rowsOf(bars).length]).toEqual([0, 0, 59, 5])
    expect(rowsOf(minutes).reduce((sum, row) => sum + Number(row['trades']), 0)).toBe(59)
    const again = await backtape(['convert', path, '--out', join(folder.path, name, 'out'), '--to', 'jsonl', '--json'])
    for (const { out } of [converted, again])
      expect(JSON.parse(out)).toMatchObject({ inputs: [{ eventCount: 119, leftOut: { before: 0, after: 0 }, clockNotes: [expect.stringMatching(/^the adapter clock jumped/)], outputs: expect.arrayContaining([expect.objectContaining({ kind: 'trades', rowCount: 59 })]) as unknown }] })
    const [shown] = JSON.parse(info.out.startsWith('[') ? info.out : `[${info.out}]`) as Record<string, unknown>[]
    expect(shown).toMatchObject({ eventCount: 119, damagedLineCount: 0, clockJumps: { count: expect.any(Number) as number } })
    expect(BigInt(String(shown!['lastAdapterTimestampNs']))).toBeLessThanOrEqual(at(600))
    expect(audit.out).toMatch(/sound, with findings[\s\S]* {2}- {2}the adapter clock jumped: /)
    for (const { err } of [events, minutes, bars, converted, again, book, grid]) expect(err).toMatch(warning)
    expect(rowsOf(grid).length).toBeLessThan(400)
    const query = ['sql', 'SELECT count(*) AS n FROM trades', '--data', join(folder.path, name), '--cache', join(folder.path, `${name}-cache`), '--json']
    const tables = join(folder.path, `${name}-tables`)
    await backtape(['convert', path, '--out', tables, '--kinds', 'trades'])
    const minutesQuery = query.with(1, 'SELECT sum(trades)::INTEGER AS n FROM minutes')
    for (const words of [query, query, minutesQuery, minutesQuery, query.with(3, tables)]) {
      const sql = await backtape(words)
      expect([(JSON.parse(sql.out) as { n: unknown }[]).map(({ n }) => String(n)), sql.code]).toEqual([['59'], 0])
      expect(sql.err).toMatch(/^Warning: [^\n]*made-HAND-2026-07-01[^\n]*: the adapter clock jumped: \d+ lines? took the time of the line before; `backtape audit` names the first\n$/)
    }
    const catalog = await backtape(['catalog', path, '--audit', '--json', '--cache', join(folder.path, `${name}-cache`)])
    expect((JSON.parse(catalog.out) as { audit: string }[])[0]!.audit).toMatch(/^sound; the adapter clock jumped: /)
  })

  // By day one jump at its begin: runs hear all of them through the reading that `events` shows.
  for (const title of repeated(['a run, and a run over the kept day'], () => from === 0)) test(title, async () => {
    const file = run(name, path)
    const cache = join(folder.path, `${name}-days`)
    for (const more of [[], ['--cache', cache], ['--cache', cache]]) {
      const { out, err } = await backtape(['backtest', file, '--json', '--no-record', ...more])
      const { summary } = JSON.parse(out) as { summary: { warnings: string[]; markets: { clampedTimes: { adapterJumps: number }; lastEvent: string }[] } }
      const [market] = summary.markets
      expect(summary.warnings.join()).toMatch(/the adapter clock jumped, and \d+ lines? took the time of the line before; `backtape audit` names the first/)
      expect(market!.clampedTimes.adapterJumps).toBeGreaterThan(0)
      expect(market!.lastEvent.slice(0, 15)).toBe('2026-07-01T00:0')
      expect(err).toContain('received 59')
    }
  })
})

test('a day whose clock did not jump says nothing of it', async () => {
  const path = day('sound', 0, 0, (timeNs) => timeNs)
  const { err, out } = await backtape(['info', path])
  expect(err + out).not.toMatch(/jumped/)
})

test('trades of the neighbouring days are counted', async () => {
  const path = join(folder.path, 'made-HAND-2026-07-01.txt.zst')
  const trade = (timeNs: bigint, id: string): Line => [2, '0', id, timeNs, timeNs, [[0, '101', '1', id, timeNs]]]
  writeFileSync(path, dayBytes(masterData({}), [trade(at(-30), 'a'), trade(at(-20), 'b'), trade(at(5), 'c'), trade(at(86_400), 'd')]))
  const [minutes, bars, csv] = await Promise.all([backtape(['minutes', path, '--json']), backtape(['minutes', path, '--every', 'trades=1']), backtape(['minutes', path])])
  expect(minutes.err).toMatch(/: 3 trades of the neighbouring days left out$/m)
  expect(bars.err).toMatch(/: 3 trades of the neighbouring days left out$/m)
  expect(minutes.out).toContain('; 3 trades of the neighbouring days left out')
  expect(csv.code).toBe(0)
})

test('digits of another unit are refused with the guess', async () => {
  const path = day('digits', 0, 0, (timeNs) => timeNs)
  const ms = String(at(300) / 1_000_000n)
  const refused = await Promise.all([
    backtape(['events', path, '--from', ms]), backtape(['events', path, '--to', ms]), backtape(['book', path, '--at', ms]), backtape(['book', path, '--every', '1m', '--from', ms]),
    backtape(['events', join(folder.path, 'digits'), '--to', ms]),
  ])
  for (const { code, err, out } of refused) {
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(new RegExp(`Cannot take the time ${ms}: as epoch nanoseconds it is 1970-01-01T00:29:42.* in milliseconds it is 2026-07-01T00:05:00.000000000Z: write ${String(at(300))}`))
  }
  expect(rowsOf(await backtape(['events', path, '--kind', 'trades', '--from', String(at(300))])).length).toBe(30)
  expect(readFileSync(path).length).toBeGreaterThan(0)
})
