import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readRunRecords, readSets } from '../../src/results/run-records-reader.js'
import type { SplitResult } from '../../src/sweep/split-run.js'
import type { WalkForwardResult } from '../../src/sweep/walk-forward.js'
import { backtape, type CommandResult } from '../support/command.ts'
import { isNight } from '../support/repetitions.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'parts-'))
cpSync(join(root, 'examples/inventory-maker'), folder, { recursive: true, filter: (source) => !source.includes('.backtape') })
const path = join(folder, 'inventory-maker.run.json')
writeFileSync(path, readFileSync(path, 'utf8').replaceAll('../../datasets', join(root, 'datasets')).replace('00:05:00Z', '00:00:30Z').replace('23:55:00Z', '23:59:00Z'))
afterAll(() => { rmSync(folder, { recursive: true, force: true }) })

const RUN = ['backtest', 'inventory-maker.run.json', '--grid', 'size=50,100']
const run = (args: readonly string[], CI = 'true'): Promise<CommandResult> => backtape(args, { cwd: folder, env: { CI } })

describe('parts of a run on the command line', { timeout: 180_000 }, () => {
  test('a split prints the choice, remembers it as one record, and JSON has every figure', async () => {
    const { out, code } = await run([...RUN, '--split', '2026-07-02', '--baseline', '20', '--name', 'halves'], '')
    expect(code).toBe(0)
    expect(out).toMatch(/^Part 1: 2026-07-01 23:59:00 to 2026-07-02 00:00:00 UTC\nPart 2: 2026-07-02 00:00:00 to 2026-07-02 00:00:30 UTC\n/)
    expect(out.split('\n').find((line) => line.includes('1: profit'))!.trim().split(/ {2,}/)).toEqual(['set', 'size', '1: profit USDT', '1: fills', '2: profit USDT', '2: fills'])
    expect(out).toMatch(/^\* best of 2 sets by profit in part 1: set [01]; profit: part 1 -?[\d.]+, part 2 -?[\d.]+$/m)
    expect(out).toMatch(/^Part 2: \d+ round trips? gained -?[\d.]+ USDT; random entries .*, \d+ of 20 draws did as well$/m)
    const found = JSON.parse((await run([...RUN, '--split', '2026-07-02', '--baseline', '20', '--json'])).out) as SplitResult & { readonly kind: string }
    expect([found.kind, found.setCount, found.parts.length, found.parts[0]!.results.length, found.parts[1]!.baseline![0]!.drawCount]).toEqual(['split', 2, 2, 2, 20])
    const [record] = (await readRunRecords(folder)).records
    const sets = await readSets(folder, record!.id)
    expect(record).toMatchObject({ name: 'halves', setCount: 2, overrides: '--grid size=50,100 --split 2026-07-02 --baseline 20', parts: [{ name: 'part 1', set: found.chosen }, { name: 'part 2', set: found.chosen }] })
    expect(sets.map(({ fingerprint }) => fingerprint)).toEqual(found.parts.map(({ results }) => results[found.chosen]!.fingerprint))
    expect(record!.profits).toEqual([{ underlying: 'USDT', profit: found.parts[1]!.results[found.chosen]!.summary.money[0]!.profit }])
    expect((await run(['runs'])).out).toMatch(/halves +inventory-maker\.run\.json +[01] of 2/)
    expect((await run(['runs', 'show', 'last'])).out).toMatch(/^0 +part 1 +2026-07-01 23:59:00 .*\n1 +part 2 /m)
    expect((await run(['runs', 'show', 'last:1'])).out).toContain(sets[1]!.fingerprint)
  })

  test('runs in parts are compared part by part, and with no other kind of run', async () => {
    await run([...RUN, '--split', '2026-07-02', '--baseline', '0', '--name', 'wide', '--set', 'skewTicks=1'], '')
    const { out } = await run(['runs', 'compare', 'halves', 'wide'])
    expect(out.match(/^part \d:$/gm)).toEqual(['part 1:', 'part 2:'])
    expect(out.match(/^parameters\.skewTicks +3 +1$/gm)).toHaveLength(2)
    expect((await run(['runs', 'show', 'best'])).out).toMatch(/^0 +part 1 /m)
    await run(['backtest', 'inventory-maker.run.json', '--name', 'whole'], '')
    const { err, code } = await run(['runs', 'compare', 'halves', 'whole'])
    expect([code, err]).toEqual([2, expect.stringMatching(/^Cannot find the run: expected two runs of the same parts, or a part of each such as .*:0, found .* in 2 parts, one run$/m)])
    expect((await run(['runs', 'compare', 'halves:1', 'whole'])).out).toMatch(/^figures /m)
  })

  test('a walk forward prints its windows and their sum', async () => {
    const { out, code } = await run([...RUN, '--walk-forward', 'train=30s,test=20s', '--baseline', '0'])
    expect(code).toBe(0)
    expect(out.match(/^ +\d  2026-07-01 23:59:/gm)).toHaveLength(3)
    expect(out).toMatch(/^Tests together: 3 windows, profit -?[\d.]+ USDT \(fees -?[\d.]+\), \d+ fills?; each set is the best of 2 sets by profit in its train$/m)
    if (!isNight) return
    const found = JSON.parse((await run([...RUN, '--walk-forward', 'train=30s,test=20s', '--baseline', '0', '--json'])).out) as WalkForwardResult
    expect([found.windows.length, found.windows[0]!.values.length, found.baseline]).toEqual([3, 2, null])
  })

  test('a walk forward with random entries is remembered, and JSON has no rows', async () => {
    const walk = [...RUN, '--walk-forward', 'train=30s,test=20s', '--baseline', '20']
    const { err, code } = await run([...walk, '--name', 'walked'], '')
    expect([code, err]).toEqual([0, expect.not.stringMatching(/Warning|MaxListeners/)])
    expect((await readRunRecords(folder)).records.find(({ name }) => name === 'walked')).toMatchObject({ isPartial: false, setCount: 2 })
    const found = JSON.parse((await run([...walk, '--json'])).out) as WalkForwardResult
    expect(Object.keys(found.windows[0]!.testResult).toSorted()).toEqual(
      ['configDigest', 'fingerprint', 'isPartial', 'journalDigest', 'journalLineCount', 'parameters', 'summary'])
    expect(found.baseline).toHaveLength(1)
  })

  test.each<[args: readonly string[], words: string]>([
    [['--split', '60/30'], 'Cannot split a run: split must be shares in percent that add up to 100, found "60/30: 90"'], [['--split', '2026-07-04'], 'Cannot split a run: split must be times after'], [['--walk-forward', 'train=1d,test=1d'], 'windows that fit into the 90s of the run'],
    [['--split', '60/40', '--walk-forward', 'train=1s,test=1s'], '--split: it must be given without --walk-forward'], [['--baseline', '5'], '--baseline: it must be given with --split or --walk-forward'], [['--split', '60/40', '--sort', 'luck'], 'Cannot choose the best set: sort must be one of'],
    ...['--journal', '--out', '--checkpoint', '--checkpoint-every', '--show'].map((name): [readonly string[], string] => [['--split', '60/40', name, '1'], `Cannot use ${name}: it must be left out with --split, as each part is a run of its own`]),
    ...['--resume', '--other-engine', '--full'].map((name): [readonly string[], string] => [['--walk-forward', 'train=1s,test=1s', name], `Cannot use ${name}: it must be left out with --walk-forward`]),
  ])('%j is refused in one sentence', async (args, words) => {
    const { err, out, code } = await run([...RUN, ...args])
    expect(err).toContain(words)
    expect([out, code === 0]).toEqual(['', false])
  })
})
