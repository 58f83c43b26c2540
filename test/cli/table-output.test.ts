import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.js'
import { dayBytes, masterData, time } from '../support/hand-made-day.js'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.js'
import { EXPORT_FORMATS, type ExportFormat } from '../../src/tables/output-format.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-table-output-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const day = join(folder, 'made-HAND-2026-07-01.txt.zst')
writeFileSync(day, dayBytes(masterData({}), [
  [0, '0', 'a', time('11:59:59'), 0, [[0, '100', '2', 1], [0, '99', '1', 1], [1, '101', '4', 1]]],
  [2, '0', 't1', time('12:00:01'), 0, [[0, '101', '1', 'x', time('12:00:00')]]],
  [1, 'a', 'b', time('12:00:02'), 0, [[1, '101', '3', 1]]],
  [1, 'b', 'c', time('12:03:02'), 0, [[1, '101', '2', 1]]],
]))

/** What the bytes of a file are, whatever it is called. */
function formatOf(bytes: Buffer): string {
  const text = bytes.subarray(0, 2).equals(Buffer.from([31, 139])) ? String(gunzipSync(bytes)) : bytes.toString('latin1')
  const packed = bytes[0] === 31 ? '.gz' : ''
  if (text.startsWith('PAR1')) return 'parquet'
  if (text.startsWith('ARROW1')) return 'arrow'
  if (text.startsWith('\xff\xff\xff\xff')) return 'arrows'
  if (text.startsWith('[') || text.startsWith('{"instrument_id"')) return `json${packed}`
  return text.startsWith('{') ? `jsonl${packed}` : `csv${packed}`
}

const COMMANDS = { minutes: ['minutes', day], book: ['book', day, '--every', '1min', '--levels', '1'] } as const
type Command = keyof typeof COMMANDS

let count = 0
const fresh = (): string => {
  const path = join(folder, `out-${String(count++)}`)
  mkdirSync(path)
  return path
}

describe.concurrent('the output of a command that writes one table', { timeout: 180_000 }, () => {
  const files = (['minutes', 'book'] as const).flatMap((command) => EXPORT_FORMATS.map((format): [Command, ExportFormat] => [command, format]))
  test.each(files)('%s --out x.%s is that, with its metadata in it or beside it', async (command, format) => {
    const out = fresh()
    expect(await backtape([...COMMANDS[command], '--out', join(out, `x.${format}`)])).toMatchObject({ code: 0, out: '' })
    expect(formatOf(readFileSync(join(out, `x.${format}`)))).toBe(format)
    const isDescribed = !['parquet', 'arrow', 'arrows'].includes(format) && !(command === 'minutes' && format === 'json')
    expect(readdirSync(out)).toEqual(isDescribed ? [`x.${format}`, `x.${format}.json`] : [`x.${format}`])
    if (!isDescribed) return
    const { metadata, ...own } = JSON.parse(readFileSync(join(out, `x.${format}.json`), 'utf8')) as { metadata: unknown }
    expect(own).toMatchObject({ backtape: 'table', file: `x.${format}`, format })
    expect(metadata).toMatchObject({ table: command, instrument_id: '7' })
  })

  test.each([
    ['minutes', ['--out', 'X.PARQUET'], 'X.PARQUET', 'parquet'],
    ['minutes', ['--out', 'x.csv', '--to', 'parquet'], 'x.csv', 'parquet'],
    ['minutes', ['--out', 'x', '--to', 'arrow'], 'x', 'arrow'],
    ['minutes', ['--out', 'x', '--json'], 'x', 'json'],
    ['minutes', ['--out', 'tables/'], 'tables/made-HAND-2026-07-01.minutes.csv', 'csv'],
    ['minutes', ['--out', '.', '--to', 'jsonl'], 'made-HAND-2026-07-01.minutes.jsonl', 'jsonl'],
    ['minutes', ['--out', '.', '--every', '10s', '--to', 'csv'], 'made-HAND-2026-07-01.10s.csv', 'csv'],
    ['book', ['--out', 'x.csv', '--to', 'parquet', '--to', '12:02'], 'x.csv', 'parquet'],
    ['book', ['--out', 'tables/', '--to', '12:02,arrow-stream'], 'tables/made-HAND-2026-07-01.book.arrows', 'arrows'],
  ] as const)('%s %j is %s as %s', async (command, args, name, format) => {
    const cwd = fresh()
    expect(await backtape([...COMMANDS[command], ...args], { cwd })).toMatchObject({ code: 0, out: '' })
    expect(formatOf(readFileSync(join(cwd, name)))).toBe(format)
  })

  test.each([
    ['minutes', []], ['minutes', ['--out', '-']], ['minutes', ['--out', '-', '--to', 'jsonl']], ['minutes', ['--json']],
    ['book', ['--out', '-']], ['book', ['--to', 'json']], ['book', ['--to', 'jsonl', '--times', 'iso']],
  ] as const)('%s %j is what a file would hold, on standard output', async (command, args) => {
    const cwd = fresh()
    const { code, out } = await backtape([...COMMANDS[command], ...args], { cwd })
    expect([code, readdirSync(cwd)]).toEqual([0, []])
    const format = formatOf(Buffer.from(out))
    const rest = args.filter((word) => word !== '--out' && word !== '-')
    await backtape([...COMMANDS[command], ...rest, '--out', 'x', ...(rest.includes('--to') ? [] : ['--to', format])], { cwd })
    const undated = (text: string): string => text.replace(/"generated_at":"[^"]*"/, '')
    expect(undated(out)).toBe(undated(readFileSync(join(cwd, 'x'), 'utf8')))
  })

  test('has times as timestamps in Arrow, as ISO-8601 or nanoseconds in text, and a # line where asked for', async () => {
    const cwd = fresh()
    await backtape([...COMMANDS.minutes, '--out', 'm.arrow'], { cwd })
    const arrow = tableFromIPC(readFileSync(join(cwd, 'm.arrow')))
    expect([String(arrow.schema.fields[0]?.type), arrow.schema.fields.length]).toEqual(['Timestamp<NANOSECOND>', 22])
    expect((arrow.getChild('time')?.data[0]?.values as BigInt64Array)[0]).toBe(time('11:59:00'))
    await backtape([...COMMANDS.minutes, '--every', '1h', '--out', 'h.arrow'], { cwd })
    const hours = tableFromIPC(readFileSync(join(cwd, 'h.arrow')))
    expect([hours.schema.fields.slice(-2).map((field) => field.name), hours.schema.metadata.get('every'), arrow.schema.metadata.has('every')]).toEqual([['volume_buy', 'volume_sell'], '1h', false])
    const printed = async (args: readonly string[]): Promise<string[]> => (await backtape(args)).out.split(/\r?\n/)
    expect((await printed(COMMANDS.minutes))[1]).toMatch(/^2026-07-01T11:59:00Z,/)
    expect((await printed([...COMMANDS.minutes, '--to', 'jsonl']))[0]).toMatch(/^\{"time":"2026-07-01T11:59:00.000000000Z",/)
    expect((await printed([...COMMANDS.minutes, '--comment']))[0]).toMatch(/^# source: backtape minutes of made-HAND-2026-07-01.txt.zst, made:HAND \(7\); book columns/)
    expect((await printed(COMMANDS.book))[1]).toMatch(new RegExp(`^${String(time('12:00:00'))},false,1,100`))
    expect((await printed([...COMMANDS.book, '--times', 'iso', '--comment'])).slice(0, 3).map((line) => line.slice(0, 30))).toEqual([
      '# {"table":"book","instrument_', 'ts,suspect,level,bid_price,bid', '2026-07-01T12:00:00.000000000Z',
    ])
  })
})

describe.concurrent('outputs that are refused', { timeout: 180_000 }, () => {
  test.each([
    [[...COMMANDS.minutes, '--out', 'x.xls'], ['--out', '.parquet, .arrows, .arrow, .csv.gz, .csv, .jsonl.gz, .jsonl, .json', '"x.xls"']],
    [[...COMMANDS.minutes, '--out', 'minutes'], ['.parquet', '"minutes"']],
    [[...COMMANDS.minutes, '--every', '7s'], ['--every', 'whole seconds of which a whole number makes a day', '7s']],
    [[...COMMANDS.minutes, '--every', '100ms'], ['--every', 'from 1s to 1d', '100ms']],
    [[...COMMANDS.minutes, '--columns', 'alll'], ['--columns', 'did you mean all?']],
    [[...COMMANDS.minutes, '--out', 'x.csv', '--to', 'shop'], ['--to', '"shop"']],
    [[...COMMANDS.minutes, '--out', 'x.csv', '--times', 'isoo'], ['--times', 'did you mean iso?']],
    [[...COMMANDS.minutes, '--numbers', 'float32'], ['--numbers', 'did you mean float64?']],
    [[...COMMANDS.book, '--out', 'x.txt'], ['--out', '"x.txt"']],
    [[...COMMANDS.book, '--to', 'csv', '--to', 'parquet'], ['--to', 'one time and one format']],
    [[...COMMANDS.book, '--json', '--out', 'x.json'], ['--json', '--to jsonl']],
    [['convert', day, '--out', 'x.parquet'], ['--out', 'a folder', '"x.parquet"']],
    [['convert', day, '--out', '-'], ['--out', 'a folder', 'standard output']],
  ])('%j', async (args, words) => {
    const cwd = fresh()
    const { code, out, err } = await backtape(args, { cwd })
    expect([code, out, readdirSync(cwd)]).toEqual([2, '', []])
    for (const word of words) expect(err).toContain(word)
  })

  test('a table whose metadata cannot lie beside it', async () => {
    const cwd = fresh()
    writeFileSync(join(cwd, 'x.csv.json'), 'mine')
    const { code, err } = await backtape([...COMMANDS.minutes, '--out', 'x.csv'], { cwd })
    expect([code, readdirSync(cwd)]).toEqual([2, ['x.csv.json']])
    expect(err).toContain('x.csv.json: it exists')
  })
})

describe('the outputs of a run', { timeout: 180_000 }, () => {
  const runs = new RunFolder()
  const run = join(runs.path, 'trader.run.json')
  beforeAll(() => {
    runs.write('subject.ts', strategyModule(`  override onStart(): void {
    this.after(1000, () => this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: this.instrument.bestBid.price }))
  }`))
    runs.write('trader.run.json', runContent({}))
  })
  afterAll(() => { runs.remove() })

  test.each([['csv', []], ['parquet', []], ['arrow', []], ['jsonl.gz', ['--times', 'iso']], ['json', []]] as const)('are tables in %s', async (format, args) => {
    const out = fresh()
    expect((await backtape(['backtest', run, '--out', join(out, 'tables'), '--to', format, ...args])).code).toBe(0)
    for (const name of ['fills', 'orders', 'equity']) expect(formatOf(readFileSync(join(out, 'tables', `${name}.${format}`)))).toBe(format)
    expect(existsSync(join(out, 'tables', `equity.${format}.json`))).toBe(!['parquet', 'arrow'].includes(format))
  })

  test.each([
    [['--out', 'x.parquet'], ['--out', 'a folder', '--to parquet']],
    [['--out', '-'], ['--out', 'a folder']],
    [['--journal', 'x.json'], ['--journal', '.jsonl.gz, .jsonl', '"x.json"']],
    [['--journal', '-'], ['--journal', 'the summary goes to standard output']],
    [['--out', 'tables', '--to', 'xls'], ['--to']],
  ] as const)('are refused: %j', async (args, words) => {
    const cwd = fresh()
    const { code, out, err } = await backtape(['backtest', run, ...args], { cwd })
    expect([code, out, readdirSync(cwd)]).toEqual([2, '', []])
    for (const word of words) expect(err).toContain(word)
  })

  test('have their journal in a folder as journal.jsonl', async () => {
    const cwd = fresh()
    expect((await backtape(['backtest', run, '--journal', `${basename(cwd)}/`], { cwd: folder })).code).toBe(0)
    expect(readdirSync(cwd)).toEqual(['journal.jsonl'])
  })
})
