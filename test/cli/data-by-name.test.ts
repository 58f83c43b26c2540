import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRunFile } from '../../src/backtest/run-file.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { convertFiles, readEvents, runBacktest, type DataInput } from '../../src/index.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { backtape, type CommandResult } from '../support/command.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const XRP = 'synthetic_swap:XRPUSDT'
const [DAY1, DAY2] = ['synthetic_swap-XRPUSDT-2026-07-01.txt.zst', 'synthetic_swap-XRPUSDT-2026-07-02.txt.zst']
const SOL = 'synthetic_spot-SOLUSDT-2025-07-01.txt.zst'
const folder = new RunFolder()
afterAll(() => folder.remove())
const at = (name: string): string => join(folder.path, name)
const put = (source: string, name: string): void => {
  mkdirSync(join(at(name), '..'), { recursive: true })
  copyFileSync(join(datasetsFolder, source), at(name))
}
beforeAll(() => {
  put(DAY1, `days/${DAY1}`)
  put(DAY2, `days/later/${DAY2}`)
  put(SOL, `days/${SOL}`)
  put(DAY1, `twice/${DAY1}`)
  put(DAY1, 'twice/copy-of-XRPUSDT-2026-07-01.txt.zst')
  // An empty frame that is skipped: the same events in other bytes.
  appendFileSync(at(`twice/${DAY1}`), Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0))
  writeFileSync(at('days/notes.txt'), 'x')
  folder.write('subject.ts', strategyModule(`  override onStart(): void { this.after(1500, () => this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: Price.from('0.5') })) }`))
})

const said = ({ out, err }: CommandResult): string => `${out}${err}`.replaceAll(`${folder.path}/`, '').replaceAll(folder.path, '.')

describe('a run over data by folder, pattern and instrument', () => {
  const bounds = { from: '2026-07-01T23:59:50Z', to: '2026-07-02T00:00:05Z' }
  async function run(data: readonly DataInput[], more: object = {}): Promise<BacktestResult> {
    const path = folder.write('by-name.run.json', runContent({ data, ...bounds, ...more }))
    const [result] = await runRunFile(await readRunFile(path))
    return result!
  }

  test('is the run over its files by name, and says what was matched', async () => {
    const named = await run([`days/${DAY1}`, `days/later/${DAY2}`])
    expect(named.summary.selection).toBeUndefined()
    const rows: [DataInput, string][] = [
      ['days/**', '2 tick files; left out: 1 of other days, 1 no tick files'], ['days', '2 tick files; left out: 1 of other days, 1 no tick files'], ['days/**/*XRP*', '2 tick files'],
      [{ instrument: XRP, in: 'days' }, '2 tick files; left out: 1 of other days, 1 no tick files'], [{ instrument: 'XRPUSDT', from: '2026-07-01', to: '2026-07-02', in: 'days' }, '2 tick files; left out: 1 of other days, 1 no tick files'],
    ]
    for (const [data, sentence] of rows) {
      const result = await run([data])
      expect(result.fingerprint).toBe(named.fingerprint)
      expect(result.summary.selection).toEqual([sentence])
      expect({ ...result.summary, selection: undefined }).toEqual({ ...named.summary, selection: undefined })
    }
  }, 180_000)

  test('a missing day of a stated range is a warning, in the result and on the screen', async () => {
    const days = { instrument: XRP, from: '2026-06-29', to: '2026-07-03', in: 'days' }
    expect((await run([days])).summary.warnings.join()).not.toContain('no file of')
    const result = await run([days], { from: undefined, to: undefined })
    expect(result.summary.warnings).toContain(`${XRP} has no file of 2026-06-29, 2026-06-30, 2026-07-03: a gap`)
    const path = folder.write('missing.run.json', runContent({ data: [{ instrument: XRP, from: '2026-06-30', in: 'days', to: '2026-07-01' }], from: undefined, to: undefined }))
    expect(said(await backtape(['backtest', path]))).toContain(`${XRP} has no file of 2026-06-30: a gap`)
  }, 180_000)

  test('a bare date as the end includes its day', async () => {
    const whole = await run(['days/**'], { from: '2026-07-02', to: '2026-07-02' })
    expect(whole.fingerprint).toBe((await run([`days/later/${DAY2}`], { from: '2026-07-02', to: '2026-07-03T00:00:00Z' })).fingerprint)
  }, 180_000)

  test.each<[data: readonly DataInput[], more: object, words: RegExp]>([
    [['none/**'], {}, /Cannot open .*none: there is no such file; check the path/], [['days/*.md'], {}, /Cannot find a tick file in .*days\/\*\.md: there is none \(files that end in/],
    [['days'], { from: '2031-01-01', to: '2031-01-02' }, /Cannot find a tick file from 2031-01-01 to 2031-01-02 in .*days: it has 3 of other days/],
    [[{ instrument: 'binance_swap:BTCUSDT', in: 'days' }], {}, /Cannot find binance_swap:BTCUSDT from 2026-07-01 to 2026-07-02 in .*days: it has 2 of synthetic_swap:XRPUSDT, 1 of other days/],
    [['twice'], {}, /Cannot take .*twice.* and .*twice.*: both are of synthetic_swap:XRPUSDT on 2026-07-01; choose one by a part of its name, with prefer \(--prefer on the command line\)/],
    [['twice'], { prefer: 'elsewhere' }, /prefer "elsewhere" stands in neither of their names/], [['days', `days/${DAY1}`], {}, /is named twice/],
  ])('over %j with %j is refused', async (data, more, words) => {
    await expect(run(data, more)).rejects.toThrow(words)
  }, 180_000)

  test('--prefer chooses of two files of one day, and --data takes a pattern', async () => {
    const path = folder.write('plain.run.json', runContent({ data: [`days/${DAY1}`] }))
    const [plain, chosen, refused] = await Promise.all([
      backtape(['backtest', path, '--json']), backtape(['backtest', path, '--json', '--data', at('twice/*'), '--prefer', 'copy-of']), backtape(['backtest', path, '--data', at('twice/*')]),
    ])
    const result = JSON.parse(chosen.out) as { fingerprint: string, summary: { selection: readonly string[] } }
    expect(result.fingerprint).toBe((JSON.parse(plain.out) as { fingerprint: string }).fingerprint)
    expect(result.summary.selection).toEqual(['1 tick file; left out: 1 not preferred'])
    expect(refused.code).not.toBe(0)
    expect(said(refused)).toContain('both are of synthetic_swap:XRPUSDT on 2026-07-01')
  }, 180_000)

  test('options of a program take the same', async () => {
    const { options: { parameters: _, ...rest } } = await readRunFile(folder.write('program.run.json', runContent({ data: [`days/${DAY1}`] })))
    const options = { ...rest, parameters: { instrument: 'XRPUSDT' } }
    const named = await runBacktest(options)
    const days = await runBacktest({ ...options, data: [{ instrument: XRP, to: '2026-07-01', in: at('days') }] })
    expect(days.fingerprint).toBe(named.fingerprint)
    await expect(runBacktest({ ...options, data: [{ instrument: XRP, to: 'monday', in: at('days') }] })).rejects.toThrow('to must be a day such as 2024-07-18, found "monday"')
  }, 180_000)
})

describe('commands over folders and patterns', () => {
  test('convert writes what each file gives by name, and says what was matched', async () => {
    const [wide, named] = await Promise.all([
      backtape(['convert', at('days'), '--to', 'csv', '--kinds', 'trades', '--out', at('wide')]), backtape(['convert', at(`days/${DAY1}`), at(`days/later/${DAY2}`), at(`days/${SOL}`), '--to', 'csv', '--kinds', 'trades', '--out', at('named')]),
    ])
    expect([wide.code, named.code]).toEqual([0, 0])
    expect(said(wide)).toContain('days: 3 tick files; left out: 1 no tick files')
    const tables = readdirSync(at('named')).filter((name) => name.endsWith('.csv')).sort()
    expect(tables).toHaveLength(3)
    for (const name of tables) expect(readFileSync(join(at('wide'), name)).equals(readFileSync(join(at('named'), name)))).toBe(true)
    const again = await backtape(['convert', at('days/**'), '--to', 'csv', '--kinds', 'trades', '--out', at('wide'), '--json'])
    expect(JSON.parse(again.out)).toMatchObject({ skippedCount: 3, convertedCount: 0, failedCount: 0 })
    const result = await convertFiles([{ instrument: XRP, in: at('days') }], { out: at('of-program'), to: 'csv', kinds: ['trades'] })
    expect(result.convertedCount).toBe(2)
  }, 180_000)

  test('convert says which of two files of one day it leaves undone', async () => {
    const both = await backtape(['convert', at('twice'), '--to', 'csv', '--kinds', 'trades', '--out', at('two')])
    expect(both.code).toBe(1)
    expect(said(both)).toContain('both are of synthetic_swap:XRPUSDT on 2026-07-01')
    expect(existsSync(at('two')) ? readdirSync(at('two')).filter((name) => name.endsWith('.csv')) : []).toEqual([])
    expect((await backtape(['convert', at('twice'), '--prefer', 'copy-of', '--to', 'csv', '--kinds', 'trades', '--out', at('one')])).code).toBe(0)
    expect(readdirSync(at('one')).filter((name) => name.endsWith('.csv'))).toHaveLength(1)
  }, 180_000)

  test('audit looks at every file, two of one day too', async () => {
    const { out, code } = await backtape(['audit', at('days'), at('twice'), '--json'])
    expect(code).toBe(0)
    expect((JSON.parse(out) as readonly object[]).length).toBe(5)
  }, 180_000)

  test('days of an instrument as JSON are those of a program', async () => {
    const days = JSON.stringify({ instrument: XRP, from: '2026-07-02', in: 'days' })
    const run = folder.write('typed.run.json', runContent({ data: [`days/${DAY2}`], from: undefined, to: '00:00:05' }))
    const [info, audit, minutes, events, convert, backtest, resolved] = await Promise.all([
      ['info', days], ['audit', days], ['minutes', days], ['events', days, '--kind', 'funding'], ['convert', days, '--to', 'csv', '--out', at('typed')], ['backtest', run, '--data', days], ['run-file', run, '--data', days],
    ].map((args) => backtape(args, { cwd: folder.path })))
    for (const { code, err } of [info!, audit!, minutes!, events!, convert!, backtest!, resolved!]) expect([code, err.match(/Cannot/)]).toEqual([0, null])
    for (const { out } of [info!, audit!]) expect(out).toContain(DAY2)
    expect(minutes!.out).toBe((await backtape(['minutes', at(`days/later/${DAY2}`)])).out)
    expect(events!.err).toContain('days: 1 tick file; left out: ')
    expect(JSON.parse(resolved!.out)).toMatchObject({ data: [{ instrument: XRP, from: '2026-07-02', in: at('days') }] })
    expect((await backtape(['info', '{"instrument":"X"}'])).err).toContain('in must be a text, found nothing')
  }, 180_000)

  test('no file of a folder is replaced by its minutes', async () => {
    put(DAY1, 'alone/day-2026-07-01.parquet')
    put(DAY1, `alone/${DAY1}`)
    const { code, err } = await backtape(['minutes', at('alone'), '--out', at(`alone/${DAY1}`), '--to', 'csv', '--force'])
    expect([code, err.includes('Cannot')]).toEqual([2, true])
    expect(readFileSync(at(`alone/${DAY1}`)).equals(readFileSync(join(datasetsFolder, DAY1)))).toBe(true)
  }, 180_000)

  test('info prints a screen for each', async () => {
    const { out, err, code } = await backtape(['info', at('days/**/*XRP*')])
    expect(code).toBe(0)
    expect(out.match(/^file /gm)).toHaveLength(2)
    expect(err).toContain('2 tick files')
  }, 180_000)

  test('minutes of several files go to a folder, a file each', async () => {
    const file = await backtape(['minutes', at('days/**/*XRP*'), '--out', at('all.csv')])
    expect([file.code, said(file)]).toEqual([2, expect.stringContaining('--out: it must be a folder, as 2 files have a table each, found all.csv')])
    expect(existsSync(at('all.csv'))).toBe(false)
    const both = await backtape(['minutes', at('days/**/*XRP*'), '--out', '-', '--json'])
    expect([both.code, both.out, said(both)]).toEqual([2, '', expect.stringContaining('--out: it must be a folder, as 2 files have a table each, found -')])
    const { code, err } = await backtape(['minutes', at('days/**/*XRP*'), '--out', at('minutes'), '--to', 'csv'])
    expect([code, err.includes('2 tick files')]).toEqual([0, true])
    expect((await backtape(['minutes', at(`days/later/${DAY2}`), '--out', at('one.csv')])).code).toBe(0)
    const written = readdirSync(at('minutes')).filter((name) => name.endsWith('.csv')).sort()
    expect(written).toHaveLength(2)
    expect(readFileSync(join(at('minutes'), written[1]!)).equals(readFileSync(at('one.csv')))).toBe(true)
  }, 180_000)

  test('events are those of the files by name, a bare date as the end included', async () => {
    const named = await backtape(['events', at(`days/${DAY1}`), at(`days/later/${DAY2}`), '--kind', 'trades'])
    const wide = await backtape(['events', at('days/**/*XRP*'), '--kind', 'trades'])
    expect(wide.out).toBe(named.out)
    expect(wide.err).toContain('2 tick files')
    const last = await backtape(['events', at('days'), '--kind', 'trades', '--from', '2026-07-02', '--to', '2026-07-02'])
    expect(last.out).not.toBe('')
    expect(named.out.endsWith(last.out)).toBe(true)
    expect(last.err).toContain('1 tick file; left out: 2 of other days, 1 no tick files')
    let count = 0
    for await (const _event of readEvents({ instrument: XRP, from: '2026-07-02', in: at('days') }, { kinds: ['trades'] })) count += 1
    expect(count).toBe(last.out.trimEnd().split('\n').length)
  }, 180_000)

  test.each<[args: readonly string[], words: string]>([
    [['events', 'twice'], 'both are of synthetic_swap:XRPUSDT'], [['info', 'days/*.md'], 'Cannot find a tick file in'], [['minutes', 'nowhere'], 'no such file'], [['events', 'days', '--from', '2031-01-01'], 'Cannot find a tick file from 2031-01-01 in days: it has 3 of other days'],
  ])('%j is refused', async (args, words) => {
    const { code, err } = await backtape(args, { cwd: folder.path })
    expect(err).toContain(words)
    expect(code).not.toBe(0)
  }, 180_000)
})
