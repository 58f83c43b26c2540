import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backtape, type CommandResult } from '../support/command.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())
const at = (name: string): string => join(folder.path, name)
const namesOf = (start: string): string[] => readdirSync(folder.path).filter((name) => name.startsWith(start)).sort()
const played = (...args: readonly string[]): Promise<CommandResult> => backtape(['backtest', at('once.run.json'), ...args], { cwd: folder.path, env: { CI: 'true' } })

beforeAll(() => {
  folder.write('subject.ts', strategyModule(`  @Parameter(Quantity) size = Quantity.from('10')
  override onStart(): void { this.every(5000, () => { this.instrument.placeOrder({ side: 'BID', quantity: this.size, type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }) }) }`))
  folder.write('once.run.json', runContent({ parameters: { instrument: 'XRPUSDT', size: '10' }, account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0.0005' } } }))
})

describe('backtape backtest --report', { timeout: 180_000 }, () => {
  test('writes page and data whole, and says where', async () => {
    const { code, out, err } = await played('--report', 'one.html')
    expect([code, err]).toEqual([0, 'Wrote the report one.html and one.json\n'])
    expect(out).toContain('fingerprint bt3:')
    expect(readFileSync(at('one.html'), 'utf8')).toMatch(/^<!doctype html>[^]*<\/html>\n?$/i)
    expect(JSON.parse(readFileSync(at('one.json'), 'utf8'))).toMatchObject({ kind: 'run', run: { about: { file: 'once.run.json' } } })
    expect(namesOf('one')).toEqual(['one.html', 'one.json'])
  })

  test('with --json has the result alone on standard output', async () => {
    const { code, out, err } = await played('--report', 'json.html', '--json')
    const { fingerprint } = JSON.parse(out) as { fingerprint: string }
    expect([code, err]).toEqual([0, 'Wrote the report json.html and json.json\n'])
    expect(JSON.parse(readFileSync(at('json.json'), 'utf8'))).toMatchObject({ run: { fingerprint } })
  })

  test('alone goes into the folder of --out where no record is kept', async () => {
    const { code, err } = await played('--out', 'kept', '--report')
    expect([code, err.split('\n').filter((line) => line.includes('report'))]).toEqual([0, ['Wrote the report kept/report.html and kept/report.json']])
    expect(readdirSync(at('kept'))).toEqual(expect.arrayContaining(['report.html', 'report.json']))
  })

  test('of several sets is a comparison, with --show the report of one', async () => {
    const grid = ['--grid', 'size=10,20']
    const [all, one] = [await played(...grid, '--report', 'sets.html', '--png'), await played(...grid, '--show', '1', '--report', 'set.html')]
    expect([all.code, one.code]).toEqual([0, 0])
    expect(JSON.parse(readFileSync(at('sets.json'), 'utf8'))).toMatchObject({ kind: 'comparison', setCount: 2 })
    expect(JSON.parse(readFileSync(at('set.json'), 'utf8'))).toMatchObject({ kind: 'run', run: { parameters: { size: '20' } } })
    expect(readdirSync(at('sets-pictures'))).toEqual(['01-equity-usdt.png'])
  })

  test('with --png writes the pictures of the page beside it; --force takes those of before away, and nothing else', async () => {
    mkdirSync(at('png-pictures'))
    for (const name of ['99-of-before.png', 'mine.png', '01 mine.png', '20240101-trip.png', '2024.png', '012-x.png', '10-.png']) writeFileSync(at(`png-pictures/${name}`), '')
    const { code, err } = await played('--report', 'png.html', '--png', '--force')
    expect([code, err]).toEqual([0, 'Wrote the report png.html and png.json, and its pictures into png-pictures\n'])
    const names = readdirSync(at('png-pictures')).sort()
    expect(names.filter((name) => !/^\d\d-[a-z]/.test(name))).toEqual(['01 mine.png', '012-x.png', '10-.png', '2024.png', '20240101-trip.png', 'mine.png'])
    const pictures = names.filter((name) => /^\d\d-[a-z]/.test(name))
    expect(pictures).toEqual([
      '01-equity-and-drawdown-usdt.png', '02-return-beside-buying-and-holding-usdt.png', '03-position-synthetic-swap-xrpusdt.png', '04-value-of-positions-usdt.png',
      '05-leverage-value-over-equity-usdt.png', '06-price-and-own-fills-synthetic-swap-xrpusdt.png', '07-mark-outs-synthetic-swap-xrpusdt.png', '08-latencies.png',
    ])
    expect(readFileSync(at('png.html'), 'utf8').match(/<div class="wide"><svg/g)).toHaveLength(pictures.length)
    for (const name of pictures) {
      const bytes = readFileSync(at(`png-pictures/${name}`))
      expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16)]).toEqual(['PNG', 1800])
    }
  })

  test('with --out stands in its folder, its pictures too', async () => {
    expect((await played('--out', 'tables', '--png')).code).toBe(0)
    expect(readdirSync(at('tables'))).toEqual(expect.arrayContaining(['report.html', 'report.json', 'report-pictures']))
  })
})

describe('no report', { timeout: 180_000 }, () => {
  beforeAll(() => {
    writeFileSync(at('page.html'), 'mine')
    writeFileSync(at('data.json'), 'mine')
    writeFileSync(at('file-pictures'), 'mine')
    mkdirSync(at('full-pictures'))
    writeFileSync(at('full-pictures/mine'), 'mine')
    mkdirSync(at('folder.html'))
  })

  test.each<[words: string, args: readonly string[], sentence: RegExp]>([
    ['over a page that stands', ['--report', 'page.html'], /^Cannot write page\.html: it exists/],
    ['over data that stand', ['--report', 'data.html'], /^Cannot write data\.json: it exists/],
    ['over a folder', ['--report', 'folder.html', '--force'], /^Cannot write folder\.html: /],
    ['over pictures that stand', ['--report', 'full.html', '--png'], /^Cannot write full-pictures: it exists/],
    ['over a file where pictures go', ['--report', 'file.html', '--png', '--force'], /^Cannot write file-pictures: it exists/],
    ['over the run file, --force or not', ['--report', 'once.run.html', '--force'], /^Cannot write once\.run\.json: it is an input of this command/],
    ['in a folder that is not there', ['--report', 'none/x.html'], /^Cannot write none\/x\.html: /],
    ['in a folder that takes no file', ['--report', '/proc/x.html'], /^Cannot write \/proc\/x\.html: /],
    ['of another ending', ['--report=report.pdf'], /^Cannot write the report to report\.pdf: the name must end in \.html$/m],
    ['without a record where none is kept', ['--report'], /^Cannot use --report: it must be a file such as report\.html, as no record of the run is kept/],
    ['without a record where the tables go to standard output', ['--report', '--out', '-'], /^Cannot use --(report|out): /],
    ['of pictures alone', ['--png'], /^Cannot use --png: it must be given with --report FILE or --out FOLDER/],
    ['of pictures in a record', ['--png', '--no-record'], /^Cannot use --png: it must be given with --report FILE or --out FOLDER/],
    ['that a journal has taken', ['--report', 'same.html', '--journal', 'same.json'], /^Cannot (write|use) /],
    ['of parts', ['--report', 'parts.html', '--split', '60/40'], /^Cannot use --report: it must be left out with --split, as each part is a run of its own/],
    ['of the pictures of parts', ['--png', '--walk-forward', 'train=10s,test=10s'], /^Cannot use --png: it must be (left out|given with)/],
  ])('%s', async (_, args, sentence) => {
    const before = readdirSync(folder.path)
    const { code, out, err } = await played(...args)
    expect(err).toMatch(sentence)
    expect([code === 0, out]).toEqual([false, ''])
    expect(readdirSync(folder.path)).toEqual(before)
  })

  test('of a strategy that fails, and none of its files', async () => {
    folder.write('falls.ts', strategyModule('  override onStart(): void { this.after(1000, () => { throw new Error(\'no\') }) }'))
    folder.write('falls.run.json', runContent({ strategy: './falls.ts#Subject' }))
    const { code } = await backtape(['backtest', at('falls.run.json'), '--report', 'falls.html', '--png'], { cwd: folder.path, env: { CI: 'true' } })
    expect([code, existsSync(at('falls.html')), existsSync(at('falls.json')), existsSync(at('falls-pictures'))]).toEqual([1, false, false, false])
    expect(readFileSync(at('page.html'), 'utf8')).toBe('mine')
  })
})
