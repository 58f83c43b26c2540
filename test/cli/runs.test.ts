import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { differencesText } from '../../src/cli/run-differences.js'
import { readRunRecords, readSets } from '../../src/results/run-records-reader.js'
import { writeRunRecord } from '../../src/results/run-record-writer.js'
import { runRecord, type RunRecord, type SetRecord } from '../../src/results/run-record.js'
import { backtape, type CommandResult } from '../support/command.js'

const root = resolve(import.meta.dirname, '../..')
const made: string[] = []
const fresh = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'runs-'))
  made.push(folder)
  return folder
}
afterAll(() => { for (const folder of made) rmSync(folder, { recursive: true, force: true }) })

/** A folder with a run file that plays ten minutes. */
function withRunFile(): string {
  const folder = fresh()
  cpSync(join(root, 'examples/inventory-maker'), folder, { recursive: true, filter: (source) => !source.includes('.backtape') })
  const path = join(folder, 'inventory-maker.run.json')
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('../../datasets', join(root, 'datasets')))
  return folder
}

const run = (cwd: string, args: readonly string[], CI = ''): Promise<CommandResult> => backtape(args, { cwd, env: { CI } })
const runs = (folder: string): string => join(folder, '.backtape/runs')
const recorded = (folder: string): string[] => { try { return readdirSync(runs(folder)).filter((name) => name !== 'index.jsonl') } catch { return [] } }

describe('a backtest leaves a record', { timeout: 180_000 }, () => {
  const folder = withRunFile()
  const BACKTEST = ['backtest', 'inventory-maker.run.json']

  beforeAll(async () => {
    for (const more of [[], ['--set', 'size=50', '--name', 'half', '--note', 'half the size'], ['--grid', 'size=20,50']])
      expect((await run(folder, [...BACKTEST, ...more])).code).toBe(0)
  }, 180_000)

  test('beside its run file, small: what was run, the strategy, the sets', async () => {
    const names = recorded(folder)
    expect(names).toHaveLength(3)
    for (const name of names) {
      expect(name).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{6}$/)
      const files = readdirSync(join(runs(folder), name))
      expect(files.toSorted()).toEqual(['configuration.json', 'curves.json.gz', 'record.json', 'sets.jsonl.gz', 'strategy.mjs'])
      expect(files.reduce((sum, file) => sum + statSync(join(runs(folder), name, file)).size, 0)).toBeLessThan(200_000)
    }
    const { records } = await readRunRecords(folder)
    expect(records.map((record) => [record.name, record.note, record.overrides, record.setCount])).toEqual([
      [null, null, null, 1], ['half', 'half the size', '--set size=50', 1], [null, null, '--grid size=20,50', 2],
    ])
  })

  test('its configuration runs the same again', async () => {
    const [, half = ''] = recorded(folder).toSorted()
    writeFileSync(join(folder, 'again.run.json'), readFileSync(join(runs(folder), half, 'configuration.json')))
    const printed = await run(folder, ['backtest', 'again.run.json', '--no-record', '--json'])
    expect((JSON.parse(printed.out) as { fingerprint: string }).fingerprint).toBe((await readRunRecords(folder)).records[1]!.fingerprint)
  })

  test.each([['--no-record', ''], ['', 'true'], ['', '1']])('not with %s, CI=%s', async (flag, CI) => {
    const count = recorded(folder).length
    expect((await run(folder, [...BACKTEST, ...(flag === '' ? [] : [flag])], CI)).code).toBe(0)
    expect(recorded(folder)).toHaveLength(count)
  })

  test('a record that cannot be written is a warning, and the run goes well', async () => {
    const own = withRunFile()
    writeFileSync(join(own, '.backtape'), 'a file')
    const { code, out, err } = await run(own, BACKTEST)
    expect([code, out.includes('profit'), /Warning: the run is not recorded: .*\.backtape/.test(err)]).toEqual([0, true, true])
  })

  test('runs lists them, the oldest first, by words too', async () => {
    const { out } = await run(folder, ['runs'])
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(1, 2).join(''))).toEqual(['name', 'inventory-maker.run.json', 'half', 'inventory-maker.run.json', ''])
    expect((await run(folder, ['runs', 'list', 'size=50', 'half'])).out.split('\n')).toHaveLength(3)
    expect(JSON.parse((await run(folder, ['runs', '--json'])).out)).toHaveLength(3)
    expect((await run(folder, ['runs', '--limit', '1'])).err).toContain('The last 1 of 3 runs')
    expect(await run(root, ['runs', '--in', fresh()])).toMatchObject({ code: 0, out: '', err: expect.stringContaining('No run is recorded') as string })
  })

  test('runs show prints the summary that the run printed', async () => {
    const ids = recorded(folder).toSorted()
    const [whole, half, sets] = await Promise.all([['--no-record'], ['--no-record', '--set', 'size=50'], ['--no-record', '--grid', 'size=20,50']].map(async (more) => (await run(folder, [...BACKTEST, ...more])).out))
    expect((await run(folder, ['runs', 'show', ids[0]!])).out).toBe(whole)
    expect((await run(folder, ['runs', 'show', 'half'])).out).toBe(half)
    expect((await run(folder, ['runs', 'show', 'last'])).out).toBe(sets)
    expect((await run(folder, ['runs', 'show', 'last:1'])).out).toBe(half)
    expect((await run(folder, ['runs', 'show', 'best'])).out).toBe(whole)
  })

  test('runs compare says set-up, figures, journal', async () => {
    const { out } = await run(folder, ['runs', 'compare', 'half', 'best'])
    expect(out).toMatch(/^set-up .*\nparameters\.size +"50" +"100"\n\nfigures .*\nprofit USDT/)
    expect(out).toContain('The journals differ first between lines 1 and 4,096')
    const same = (await run(folder, ['runs', 'compare', 'half', 'last:1'])).out
    expect(same).toMatch(/^The set-up of .* is the same\./)
    expect(same).toMatch(/The journals are the same: [\d,]+ lines\./)
  })

  const valued = (set: SetRecord, currency: string, profit: string | null, codes: readonly string[]): SetRecord => ({
    ...set, summary: { ...set.summary, money: codes.map((underlying, at) => ({ ...set.summary.money[0]!, underlyingId: at, underlying })), total: { ...set.summary.total, currency, profit } },
  })
  test.each<[string, readonly [currency: string, profit: string | null, codes: readonly string[]][], RegExp | null]>([
    ['no total of runs with money in their currency alone', [['USDT', '1', ['USDT']], ['USDT', '2', ['USDT']]], null],
    ['none of two runs in a currency each', [['USDT', '1', ['USDT']], ['BTC', '2', ['BTC']]], null],
    ['a total with fees in a coin', [['USDT', '-1234.5', ['USDT', 'BNB']], ['USDT', '2', ['USDT', 'BNB']]], /^total profit USDT +-1,234\.50 +2\.00$/m],
    ['a total where one of them alone has other money', [['USDT', '1', ['USDT']], ['USDT', '2', ['USDT', 'BNB']]], /^total profit USDT +1\.00 +2\.00$/m],
    ['each in its own currency', [['USDT', '1', ['USDT', 'BNB']], ['BTC', '0.25', ['BTC']]], /^total profit +1\.00 USDT +0\.25 BTC$/m],
    ['a rate that is missing', [['USDT', null, ['USDT', 'BNB']], ['USDT', '2', ['USDT', 'BNB']]], /^total profit USDT +no rate +2\.00$/m],
  ])('runs compare has %s', async (_what, totals, wanted) => {
    const { records } = await readRunRecords(folder)
    const [set] = await readSets(folder, records[0]!.id)
    const [a, b] = totals.map(([currency, profit, codes], at) => ({ name: `run ${at}`, set: valued(set!, currency, profit, codes) }))
    const text = differencesText(a!, b!)
    if (wanted === null) expect(text).not.toContain('total')
    else expect(text).toMatch(wanted)
  })

  test('runs are found from the project around them, which is said; prune wants one folder', async () => {
    const project = fresh()
    writeFileSync(join(project, 'package.json'), '{}')
    for (const name of ['strategies', 'others']) cpSync(folder, join(project, name), { recursive: true })
    const listed = await run(project, ['runs', '--json'])
    expect(listed.err).toContain('Runs recorded in others, strategies')
    const found = JSON.parse(listed.out) as { id: string, folder: string }[]
    expect(found.map(({ folder: place }) => place).toSorted()).toEqual(['others', 'others', 'others', 'strategies', 'strategies', 'strategies'])
    expect(await run(project, ['runs', 'prune', '--keep', '1'])).toMatchObject({ code: 2, err: expect.stringContaining('--in: it must be one of others, strategies') as string })
    rmSync(join(project, 'others'), { recursive: true })
    mkdirSync(join(project, 'notebooks'))
    expect((await run(join(project, 'notebooks'), ['runs', 'show', 'half'])).err).toContain('Runs recorded in ../strategies')
  })

  test.each([
    [['runs', 'shwo'], 'did you mean show?'], [['runs', 'show', 'nothing'], 'last, best, the beginning of an id or a name, found "nothing"'],
    [['runs', 'show', '2'], '3 runs'], [['runs', 'show', 'last:2'], 'a set below 2, found 2'], [['runs', 'compare', 'last'], 'found ""'],
    [['runs', 'prune'], '--keep: it must be given'], [['runs', 'prune', '--keep', '1', '--older-than', '1d'], '--keep: it must be given'],
    [['runs', 'prune', '--older-than', 'x'], '--older-than: it must be a duration'], [['runs', '--limit', '0'], '--limit'],
  ])('%j is refused', async (args, words) => {
    const { code, err } = await run(folder, args)
    expect([code, err]).toEqual([2, expect.stringContaining(words)])
  })

  test('a record whose sets cannot be read is named', async () => {
    const own = fresh()
    cpSync(folder, own, { recursive: true })
    const [first = ''] = recorded(own).toSorted()
    writeFileSync(join(runs(own), first, 'sets.jsonl.gz'), 'no gzip')
    const { code, err } = await run(own, ['runs', 'show', first])
    expect([code, err]).toEqual([1, expect.stringMatching(/^Cannot read the run .*sets\.jsonl\.gz: incorrect header check/)])
  })

  test('runs prune keeps the last ones, and those with a name', async () => {
    const own = fresh()
    cpSync(folder, own, { recursive: true })
    expect((await run(own, ['runs', 'prune', '--keep', '1'])).err).toContain('Removed 1 run; 2 runs left')
    expect(recorded(own)).toEqual(recorded(folder).toSorted().slice(1))
    expect((await run(own, ['runs', 'prune', '--older-than', '30d'])).err).toContain('Removed 0 runs; 2 runs left')
    expect((await run(own, ['runs', 'prune', '--keep', '0', '--named'])).err).toContain('Removed 2 runs; 0 runs left')
    expect(recorded(own)).toEqual([])
  })
})

describe('the index follows the folders', () => {
  const set = { fingerprint: `bt3:${'9f2c41'.padEnd(64, '0')}`, parameters: {}, isPartial: false, summary: { money: [], total: { currency: 'USDT', profit: '0' }, fillCount: 3 } } as unknown as SetRecord
  const label = { started: '2024-07-18T12:00:00Z', runFile: 'a.run.json', name: null, note: null, overrides: null }
  const write = (folder: string, record: RunRecord = runRecord([set], label)): Promise<string> => writeRunRecord(folder, { record, sets: [set], configuration: {}, strategy: null })
  const idsOf = async (folder: string): Promise<readonly string[]> => (await readRunRecords(folder)).records.map(({ id }) => id)
  const indexOf = (folder: string): string => readFileSync(join(runs(folder), 'index.jsonl'), 'utf8')

  test('runs of one second and one fingerprint have names of their own, written at once too', async () => {
    const folder = fresh()
    await Promise.all(Array.from({ length: 8 }, () => write(folder)))
    const ids = ['', '-2', '-3', '-4', '-5', '-6', '-7', '-8'].map((twin) => `20240718T120000Z-9f2c41${twin}`)
    expect((await idsOf(folder)).toSorted()).toEqual(ids)
    expect(readdirSync(runs(folder)).filter((name) => name.startsWith('.part'))).toEqual([])
  })

  test.each<readonly [string, (folder: string) => void]>([
    ['is missing', (folder) => { rmSync(join(runs(folder), 'index.jsonl')) }],
    ['lacks a line', (folder) => { writeFileSync(join(runs(folder), 'index.jsonl'), indexOf(folder).split('\n').slice(1).join('\n')) }],
    ['has a line that was cut', (folder) => { writeFileSync(join(runs(folder), 'index.jsonl'), indexOf(folder).slice(0, -40)) }],
    ['has a line of a folder that is gone', (folder) => { appendFileSync(join(runs(folder), 'index.jsonl'), indexOf(folder).split('\n')[0]!.replace('-9f2c41', '-aaaaaa') + '\n') }],
    ['is a folder', (folder) => {
      rmSync(join(runs(folder), 'index.jsonl'))
      mkdirSync(join(runs(folder), 'index.jsonl'))
    }],
  ])('an index that %s is made again', async (_name, spoil) => {
    const folder = fresh()
    for (let at = 0; at < 3; at++) await write(folder)
    const ids = await idsOf(folder)
    spoil(folder)
    expect(await idsOf(folder)).toEqual(ids)
    expect(await idsOf(folder)).toEqual(ids)
  })

  test('a folder without a record is named, and the others stand', async () => {
    const folder = fresh()
    await write(folder)
    mkdirSync(join(runs(folder), '20240718T120001Z-123456'))
    mkdirSync(join(runs(folder), 'mine'))
    const { records, unreadable } = await readRunRecords(folder)
    expect([records.length, unreadable]).toEqual([1, [join(runs(folder), '20240718T120001Z-123456')]])
  })
})

/** A set as far as a list needs it. */
function madeSet(digit: string, profit: string, fillCount: number, isPartial = false): SetRecord {
  const money = [{ underlyingId: 2, underlying: 'USDT', profit, fees: '0', turnover: '0', maxDrawdown: { amount: '0' } }]
  const summary = { money, total: { currency: 'USDT', profit }, fillCount, start: '2024-07-18T00:00:00.000000000Z', end: `2024-07-18T${isPartial ? '00:12' : '24:00'}:00.000000000Z`, isPartial, orders: { orderCount: 0 } }
  return { fingerprint: `bt3:${digit.repeat(64)}`, parameters: {}, configuration: {}, journalDigest: digit, segmentDigests: [], journalLineCount: 0, isPartial, summary } as unknown as SetRecord
}

describe('a row of the list is of one set, and marks what was stopped', { timeout: 180_000 }, () => {
  const label = (hour: string): Parameters<typeof runRecord>[1] => ({ started: `2024-07-18T${hour}:00:00Z`, runFile: 'a.run.json', name: null, note: null, overrides: null })
  const grid = [madeSet('a', '-571.51', 281), madeSet('b', '-34.93', 12, true), madeSet('c', '-1.15', 264), madeSet('d', '-1.15', 3)]
  const write = (folder: string, hour: string, sets: readonly SetRecord[]): Promise<string> => writeRunRecord(folder, { record: runRecord(sets, label(hour)), sets, configuration: {}, strategy: null })

  test('the best whole set, its fills, fingerprint and profits', () => {
    const record = runRecord(grid, label('12'))
    expect(record).toMatchObject({ set: 2, fillCount: 264, profits: [{ underlying: 'USDT', profit: '-1.15' }], fingerprint: `bt3:${'c'.repeat(64)}`, isPartial: true })
    expect(record.id).toBe('20240718T120000Z-aaaaaa')
    expect(runRecord([madeSet('a', '-5', 1, true), madeSet('b', '-3', 2, true)], label('12'))).toMatchObject({ set: 1, fillCount: 2 })
  })

  test('best leaves out a run that was stopped, the list marks it, compare says so', async () => {
    const folder = fresh()
    await write(folder, '12', [madeSet('a', '-571.51', 281)])
    await write(folder, '13', [madeSet('b', '-34.93', 12, true)])
    await write(folder, '14', [grid[0]!, grid[2]!].map((set, i) => (i === 0 ? set : madeSet('c', '-600', 264))))
    const { out } = await run(folder, ['runs'])
    const [, whole = '', stopped = '', several = ''] = out.split('\n')
    expect(whole).not.toContain('STOPPED')
    expect(stopped).toMatch(/-34\.93 USDT +12 +STOPPED at 2024-07-18 00:12:00, before the data ended$/)
    expect(several).toMatch(/0 of 2 +-571\.51 USDT +281/)
    const best = await run(folder, ['runs', 'compare', 'best', '20240718T13'])
    expect(best.err).toBe('1 run that stopped before the data ended left out of best\n')
    expect(best.out).toMatch(/figures +20240718T120000Z-aaaaaa +20240718T130000Z-bbbbbb/)
    expect(best.out).toMatch(/stopped before the data ended +no +at 2024-07-18T00:12:00/)
  })

  test('no run is best where all were stopped', async () => {
    const folder = fresh()
    await write(folder, '13', [madeSet('b', '-34.93', 12, true)])
    expect(await run(folder, ['runs', 'show', 'best'])).toMatchObject({ code: 2, err: expect.stringContaining('1 run that stopped before the data ended left out of best') as string })
  })

  test('best is by the total, leaves out runs without one and refuses several currencies; a record of an earlier build is named', async () => {
    const folder = fresh()
    const valued = (digit: string, profit: string, total: object): SetRecord => {
      const made = madeSet(digit, profit, 1)
      return { ...made, summary: { ...made.summary, total } } as unknown as SetRecord
    }
    // The greater profit in USDT pays more fees in BNB.
    await write(folder, '12', [valued('a', '10', { currency: 'USDT', profit: '-5' }), valued('b', '7', { currency: 'USDT', profit: '6' })])
    await write(folder, '13', [valued('c', '99', { currency: 'USDT', profit: null })])
    const best = await run(folder, ['runs', 'compare', 'best', '20240718T13'])
    expect(best.err).toBe('1 run whose total has no rate left out of best\n')
    expect(best.out).toMatch(/figures +20240718T120000Z-aaaaaa:1 +20240718T130000Z-cccccc/)
    await write(folder, '14', [valued('d', '1', { currency: 'USD', profit: '1' })])
    expect((await run(folder, ['runs', 'show', 'best'])).err).toContain('expected an id, as totals are in several currencies, found best of USDT, USD')
    const place = await write(folder, '15', [grid[0]!])
    const record = JSON.parse(readFileSync(join(place, 'record.json'), 'utf8')) as RunRecord
    writeFileSync(join(place, 'record.json'), JSON.stringify({ ...record, format: 'backtape-record/2' }))
    rmSync(join(runs(folder), 'index.jsonl'))
    expect((await readRunRecords(folder)).unreadable).toEqual([place])
  })
})
