import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.js'
import { dayBytes, dayText, masterData, storedFrame, time, type Line } from '../support/hand-made-day.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-bad-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (second: number, day = 1): bigint => time('12:00:00') + BigInt(second) * 1_000_000_000n + BigInt(day - 1) * 86_400_000_000_000n
const linesOf = (day: number): Line[] => [
  [0, '0', 'a', at(0, day), 0, [[0, '100', '2', 1], [1, '101', '4', 1]]],
  ...Array.from({ length: 20 }, (_, i): Line => [2, String(i), String(i + 1), at(i, day), 0, [[0, '101', '1', `id-${String(day)}-${String(i)}`, 0]]]),
]
const put = (name: string, bytes: Uint8Array | string): void => { writeFileSync(join(folder, name), bytes) }
const BAD_LINE: Line = [2, '8', '9', at(9, 2), 0, [[0, 'abc', '1', 'x', 0]]]
const [GOOD, BAD, LAST, JUNK, OTHER] = ['made-A-2026-07-01.txt.zst', 'made-A-2026-07-02.txt.zst', 'made-A-2026-07-03.txt.zst', 'made-B-2026-07-01.txt.zst', 'made-C-2026-07-01.txt.zst']
beforeAll(() => {
  put(GOOD, dayBytes(masterData({}), linesOf(1)))
  put(BAD, dayBytes(masterData({}), [...linesOf(2).slice(0, 9), BAD_LINE, ...linesOf(2).slice(10)]))
  put(LAST, dayBytes(masterData({}), linesOf(3)))
  put(JUNK, 'no zstd at all')
  put(OTHER, storedFrame(new TextEncoder().encode(dayText(masterData({ id: 9, code: 'C' }), linesOf(1)).replace(/^\[(\d+),7,/gm, '[$1,9,'))))
})
const run = (...args: string[]) => backtape(args, { cwd: folder })
const ALL = [GOOD, BAD, LAST, JUNK, OTHER]

describe('a bad file of a batch is named, the others are taken, and the exit code is 1', () => {
  test.each<[name: string, args: string[], failed: string[]]>([
    ['info', ['info'], [BAD, JUNK]], ['info --quick', ['info', '--quick'], [JUNK]], ['info --cache', ['info', '--cache', 'kept'], [BAD, JUNK]],
    ['audit', ['audit'], [BAD, JUNK]],
  ])('%s, as one whole array too', async (_name, [command = '', ...options], failed) => {
    const { code, out, err } = await run(command, ...ALL, ...options, '--json')
    const rows = JSON.parse(out) as { file: string, failure?: { code: string, message: string } }[]
    expect([code, rows.map(({ file }) => file)]).toEqual([1, ALL])
    if (command === 'info') expect(rows.filter(({ failure }) => failure !== undefined).map(({ file }) => file)).toEqual(failed)
    const plain = await run(command, ...ALL, ...options)
    expect(plain.code).toBe(1)
    for (const name of failed) expect(command === 'audit' ? plain.out : plain.err).toContain(name)
    expect(plain.out).toContain(LAST)
    expect(command === 'audit' || failed.every((name) => err.includes(name))).toBe(true)
  })

  test('minutes writes those of the others', async () => {
    const { code, err } = await run('minutes', ...ALL, '--out', 'minutes')
    expect(code).toBe(1)
    for (const name of [BAD, JUNK]) expect(err).toContain(name)
    for (const name of [GOOD, LAST, OTHER]) expect(err).toMatch(new RegExp(`Wrote \\d+ minutes? to minutes/${name.replace('.txt.zst', '')}`))
  })

  test('events goes on behind it: what was whole, the days after it, the other instruments', async () => {
    const { code, out, err } = await run('events', ...ALL, '--kind', 'trades')
    const trades = out.split('\n').filter(Boolean).map((line) => JSON.parse(line) as { trades: { tradeId: string }[] })
    const ids = trades.flatMap((event) => event.trades.map(({ tradeId }) => tradeId))
    const days = [1, 2, 3, 1].map((day, index) => Array.from({ length: index === 1 ? 8 : 20 }, (_, i) => `id-${String(day)}-${String(i)}`))
    expect([code, ids]).toEqual([1, days.flat()])
    for (const name of [BAD, JUNK]) expect(err.split(name)).toHaveLength(2)
  })

  test.each([
    ['info', ['info', 'missing.txt.zst', GOOD], /missing\.txt\.zst/, 1], ['minutes', ['minutes', 'missing.txt.zst', GOOD, '--out', 'more'], /missing\.txt\.zst/, 1],
    ['events', ['events', 'missing.txt.zst', GOOD], /missing\.txt\.zst/, 1], ['one alone', ['info', 'missing.txt.zst'], /missing\.txt\.zst/, 1],
    ['a file named twice', ['info', GOOD, GOOD], /named twice/, 2], ['an option that is wrong for all', ['info', GOOD, BAD, '--day', 'x'], /a day as YYYY-MM-DD/, 2],
    ['the same of events', ['events', GOOD, LAST, '--day', 'x'], /a day as YYYY-MM-DD/, 2], ['the same of minutes', ['minutes', GOOD, '--every', 'x', '--out', 'every'], /--every/, 2],
  ] as const)('%s', async (_name, args, words, exitCode) => {
    const { code, out, err } = await run(...args)
    expect([code, `${out}${err}`.split('\n').filter((line) => words.test(line))]).toEqual([exitCode, [expect.any(String)]])
  })
})

describe('copies in a folder', () => {
  test('convert leaves byte-equal copies out with a note; files that differ are refused as before', async () => {
    for (const name of ['copies/a', 'copies/b', 'other']) mkdirSync(join(folder, name), { recursive: true })
    copyFileSync(join(folder, GOOD), join(folder, 'copies/a', GOOD))
    copyFileSync(join(folder, GOOD), join(folder, 'copies/b', GOOD))
    const copied = await run('convert', 'copies', '--out', 'copied')
    expect([copied.code, copied.err]).toEqual([0, expect.stringContaining(`copies: byte-equal copies left out: copies/b/${GOOD} is copies/a/${GOOD}`)])
    expect(copied.err).toContain('copies: 1 tick file\n')
    copyFileSync(join(folder, GOOD), join(folder, 'other', GOOD))
    writeFileSync(join(folder, 'other', `second-${GOOD}`), dayBytes(masterData({}), linesOf(1).with(3, [2, '2', '3', at(2), 0, [[0, '101', '2', 'id-1-2', 0]]])))
    expect(await run('convert', 'other', '--out', 'others')).toMatchObject({ code: 1, out: expect.stringContaining('both are of') as string })
  })
})
