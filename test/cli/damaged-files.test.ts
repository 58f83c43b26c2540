import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, describe, expect, test } from 'vitest'
import { openTickFile } from '../../src/day/tick-day.js'
import { backtape } from '../support/command.js'
import { dayBytes, masterData, time, type Line } from '../support/hand-made-day.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-damaged-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const pathOf = (name: string): string => join(folder, name)
const fileOf = (name: string, bytes: Uint8Array): string => {
  writeFileSync(pathOf(name), bytes)
  return pathOf(name)
}

const at = (second: number): bigint => time('12:00:00') + BigInt(second) * 1_000_000_000n
const LINES: Line[] = [
  [0, '0', 'a', at(0), 0, [[0, '100', '2', 1], [1, '101', '4', 1]]],
  ...Array.from({ length: 8_000 }, (_, i): Line => [2, String(i), String(i + 1), at(i), 0, [[0, '101', '1', `id-${String(i)}`, 0]]]),
]
const whole = dayBytes(masterData({}), LINES)
const sound = fileOf('made-SOUND-2026-07-01.txt.zst', whole)
// Two blocks of 64 kB of text are whole.
const cut = fileOf('made-CUT-2026-07-01.txt.zst', whole.subarray(0, 150_000))
const bad = fileOf('made-BAD-2026-07-01.txt.zst', dayBytes(masterData({}), [...LINES.slice(0, 9), [2, '8', '9', at(9), 0, [[0, 'abc', '1', 'x', 0]]], ...LINES.slice(10)]))
// Its first block of 64 KiB ends inside the first event.
const room = 65_516 - JSON.stringify(masterData({ about: '' })).length
const headless = fileOf('made-HEADLESS-2026-07-01.txt.zst', dayBytes(masterData({ about: 'x'.repeat(room) }), LINES).subarray(0, 66_000))

const CUT = /the file ends inside its last frame, after event \d+ of 12:\d\d:\d\d; what was behind it is missing/
const BAD = /1 damaged line left out/

describe.concurrent('what is left out as damage is said', { timeout: 180_000 }, () => {
  const commands: readonly [string, (file: string, word: string) => string[]][] = [
    ['minutes', (file, word) => ['minutes', file, '--on-damage', word]],
    ['minutes --json', (file, word) => ['minutes', file, '--json', '--on-damage', word]],
    ['events', (file, word) => ['events', file, '--kind', 'trades', '--on-damage', word]],
    ['book --every', (file, word) => ['book', file, '--every', '10s', '--on-damage', word]],
    ['book --every --json', (file, word) => ['book', file, '--every', '10s', '--json', '--on-damage', word]],
    ['book --at', (file, word) => ['book', file, '--at', '12:59:00', '--on-damage', word]],
  ]
  test.each(commands)('%s: on standard error, and --strict is exit code 1', async (_name, args) => {
    const [lost, strict, line, lineStrict, fine] = await Promise.all([
      backtape(args(cut, 'skip')), backtape([...args(cut, 'skip'), '--strict']), backtape(args(bad, 'count')),
      backtape([...args(bad, 'count'), '--strict']), backtape([...args(sound, 'skip'), '--strict']),
    ])
    expect(lost.err).toMatch(/^Warning: .*made-CUT-2026-07-01\.txt\.zst: the file ends inside its last frame, after event /m)
    expect(lost.err).toMatch(CUT)
    expect(line.err).toMatch(/^Warning: .*: 1 damaged line left out; the first: Cannot decode line 11 of .*abc/m)
    expect([lost.code, strict.code, line.code, lineStrict.code, fine.code]).toEqual([0, 1, 0, 1, 0])
    expect(fine.err).not.toMatch(/left out|missing/)
  })

  test('convert: on standard error, in its line, its JSON, the manifest and the tables, when done before too', async () => {
    const convert = (file: string, word: string, out: string, ...more: string[]): ReturnType<typeof backtape> =>
      backtape(['convert', file, '--out', pathOf(out), '--on-damage', word, '--kinds', 'trades', ...more])
    const first = await convert(cut, 'skip', 'cut', '--to', 'arrow')
    const again = await convert(cut, 'skip', 'cut', '--to', 'arrow', '--json', '--strict')
    const line = await convert(bad, 'count', 'bad', '--to', 'csv', '--strict')
    expect(first.code).toBe(0)
    for (const text of [first.out, first.err, again.err]) expect(text).toMatch(CUT)
    expect(first.out).not.toContain('damaged line')
    expect(again.code).toBe(1)
    expect(JSON.parse(again.out)).toMatchObject({ inputs: [{ outcome: 'skipped', damagedLineCount: 1, cut: { lastAdapterTimestampNs: expect.stringMatching(/^\d{19}$/) as string } }] })
    expect(JSON.parse(readFileSync(pathOf('cut/backtape-manifest.json'), 'utf8'))).toMatchObject({ entries: [{ cut: { eventCount: expect.any(Number) as number } }] })
    expect(tableFromIPC(readFileSync(pathOf('cut/made-CUT-2026-07-01.trades.arrow'))).schema.metadata.get('cut')).toMatch(CUT)
    expect(line).toMatchObject({ code: 1, out: expect.stringMatching(BAD) as string })
    expect(readFileSync(pathOf('bad/backtape-manifest.json'), 'utf8')).toContain('"damaged_lines_left_out": "1"')
  })

  test('sql: on standard error whenever a table is read whose reading left something out', async () => {
    for (const [file, word, words] of [[cut, 'skip', CUT], [bad, 'count', BAD]] as const) {
      const out = pathOf(`sql-${word}`)
      await backtape(['convert', file, '--out', out, '--on-damage', word, '--kinds', 'trades'])
      for (let again = 0; again < 2; again++) {
        const { code, err } = await backtape(['sql', 'select count(*) from trades', '--data', out, '--cache', pathOf('sql-cache'), '--json'])
        expect([code, err]).toEqual([0, expect.stringMatching(/^Warning: \S+\.trades\.parquet: .+\n$/)])
        expect(err).toMatch(words)
      }
    }
  })

  test('minutes and grids in files: in their metadata and in the note of the JSON', async () => {
    const csv = await backtape(['minutes', cut, '--on-damage', 'skip', '--out', pathOf('m.csv')])
    const grid = await backtape(['book', cut, '--every', '10s', '--on-damage', 'skip', '--out', pathOf('g.csv')])
    const json = await backtape(['minutes', bad, '--on-damage', 'count', '--json'])
    expect([csv.code, grid.code, json.code]).toEqual([0, 0, 0])
    for (const name of ['m.csv.json', 'g.csv.json']) {
      const { metadata } = JSON.parse(readFileSync(pathOf(name), 'utf8')) as { metadata: Record<string, string> }
      expect(metadata['cut']).toMatch(CUT)
    }
    expect((JSON.parse(json.out) as { note: string }).note).toMatch(BAD)
  })

  test('info and audit: a cut is called a cut, no damaged line', async () => {
    const [info, infoJson, audit, auditJson] = await Promise.all([
      backtape(['info', cut, '--on-damage', 'skip']), backtape(['info', cut, '--on-damage', 'skip', '--json']),
      backtape(['audit', cut, '--on-damage', 'skip']), backtape(['audit', cut, '--on-damage', 'skip', '--json']),
    ])
    for (const { out } of [info, infoJson, audit, auditJson]) {
      expect(out).toMatch(CUT)
      expect(out).not.toContain('1 damaged line')
    }
    expect(audit.code).toBe(1)
    expect(JSON.parse(auditJson.out)).toMatchObject([{ ok: false, cut: { eventCount: expect.any(Number) as number } }])
  })

  test('a cut before the first event; a window before the cut, which is not met', async () => {
    const [none, window] = await Promise.all([
      backtape(['events', headless, '--on-damage', 'skip']), backtape(['events', cut, '--on-damage', 'skip', '--to', '12:01', '--strict']),
    ])
    expect(none.err).toMatch(/ends inside its last frame, before its first event; what was behind it is missing/)
    expect(window).toEqual({ code: 0, err: '', out: expect.stringContaining('id-1') as string })
  })

  test('a backtest states that it needs the whole file', async () => {
    writeFileSync(pathOf('idle.mjs'), "import { Strategy } from 'backtape'\nexport class Idle extends Strategy {}\n")
    writeFileSync(pathOf('idle.run.json'), JSON.stringify({ strategy: './idle.mjs#Idle', data: [cut], account: { balances: { USDT: '1' } } }))
    expect((await backtape(['backtest', pathOf('idle.run.json')])).err).toContain('; a backtest needs the whole file')
  })
})

test('in a program: summary, metadata of minutes, the note of readEvents', async () => {
  const day = await openTickFile(cut, { onDamage: 'skip' })
  const minutes = await day.minutes()
  const notes: string[] = []
  let count = 0
  for await (const _ of day.events({ onNote: ({ code, sentence }) => { notes.push(`${code} ${sentence}`) } })) count++
  expect(minutes.metadata.get('cut')).toMatch(CUT)
  expect(minutes.metadata.get('note')).toMatch(CUT)
  expect(day.summary.cut).toEqual({ eventCount: count, lastAdapterTimestampNs: String(at(count - 2)) })
  expect(notes).toEqual([expect.stringMatching(/^damaged .*made-CUT.*what was behind it is missing: download it again$/)])
  const plain = await (await openTickFile(sound)).minutes()
  expect([plain.metadata.get('table'), plain.metadata.get('cut'), plain.metadata.get('code')]).toEqual(['minutes', undefined, 'HAND'])
})
