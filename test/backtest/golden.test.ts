import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import type { Golden, GoldenWorld } from '../../src/backtest/golden.js'
import { changedInputs } from '../../src/backtest/golden-check.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { expectRun } from '../../src/testing.js'
import { backtape } from '../support/command.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
const run = folder.write('maker.run.json', runContent())
const golden = run.replace('.run.json', '.golden.json')
const journal = run.replace('.run.json', '.golden.jsonl.gz')
const newJournal = run.replace('.run.json', '.new.jsonl')
let goldenText = ''
let journalBytes: Uint8Array = new Uint8Array()
let lines: readonly string[] = []

/** Quotes both sides of the touch once and leaves them. */
const MAKER = strategyModule(`  override onStart(): void { this.after(1000, () => this.quote('10')) }
  quote(size: string): void {
    const { bestBid, bestAsk } = this.instrument
    if (bestBid === null || bestAsk === null) return
    this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from(size), price: bestBid.price })
    this.instrument.placeOrder({ side: 'ASK', quantity: Quantity.from(size), price: bestAsk.price })
  }
  override onOrderFill(order: Order): void { this.log(\`filled \${order.side}\`) }`)

beforeAll(async () => {
  folder.write('subject.ts', MAKER)
  await expectRun(run, { update: true }).toMatchGolden()
  goldenText = readFileSync(golden, 'utf8')
  journalBytes = readFileSync(journal)
  lines = gunzipSync(journalBytes).toString().trimEnd().split('\n')
})
beforeEach(() => {
  writeFileSync(golden, goldenText)
  writeFileSync(journal, journalBytes)
  rmSync(newJournal, { force: true })
})
afterAll(() => folder.remove())

function difference(): Promise<string> {
  return expectRun(run).toMatchGolden().then(() => 'none', (error: unknown) => (error as Error).message)
}

/** Changes the last digit of the first match in the golden's journal. */
function changeJournal(kind: string, field: string): { readonly time: string; readonly order: string; readonly number: number } {
  const number = lines.findIndex((line) => line.includes(`"kind":"${kind}"`) && line.includes(`"${field}":"`))
  const line = lines[number]!
  const changed = line.replace(new RegExp(`("${field}":"[^"]*?)(\\d)"`), (_all, head: string, digit: string) => `${head}${(Number(digit) + 1) % 10}"`)
  expect(changed).not.toBe(line)
  writeFileSync(journal, gzipSync(`${lines.with(number, changed).join('\n')}\n`))
  const ns = BigInt(/"time":"(\d+)"/.exec(line)![1]!)
  const iso = `${new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19)}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`
  return { time: iso, order: /"ownOrderId":"([^"]+)"/.exec(line)?.[1] ?? '', number: number + 1 }
}

test('a run equals its golden, again and again, and leaves nothing behind', async () => {
  await expectRun(run).toMatchGolden()
  expect(existsSync(newJournal)).toBe(false)
  expect(JSON.parse(goldenText)).toMatchObject({ golden: 1, journalFormat: 1, worlds: [{ fingerprint: expect.stringMatching(/^bt3:[0-9a-f]{64}$/), journalLineCount: lines.length, journalSegments: [expect.stringMatching(/^[0-9a-f]{64}$/)] }] })
})

describe('a golden changed by one digit', () => {
  test.each([['place', 'price'], ['placeResponse', 'executedQuantity'], ['orderUpdate', 'totalQuantity'], ['fill', 'quantity'], ['fill', 'fees'], ['fill', 'price']])(
    'in its journal (%s, %s) is told with order, time, event before it, what was expected and what came', async (kind, field) => {
      const { time, order, number } = changeJournal(kind, field)
      const words = await difference()
      expect(words.startsWith(`${run} differs from its golden: at ${time}, order ${order} (journal line ${number}): `)).toBe(true)
      expect(words).toMatch(/: .*expected .+, found .+; the event before it, at 2026-07-01T23:55:3\d\.\d{9}Z: /)
      expect(words).toContain(`The journal of this run is ${newJournal}; accept it with: backtape verify ${run} --update`)
      expect(readFileSync(newJournal, 'utf8').trimEnd().split('\n')).toEqual(lines)
    })

  test.each([
    ['the summary', (text: string) => text.replace(/"fillCount": (\d+)/, (_all, count: string) => `"fillCount": ${Number(count) + 1}`), /summary\.[\w[\].]*fillCount was expected to be \d+, found \d+;/],
    ['the fingerprint', (text: string) => text.replace(/bt3:./, (start) => `bt3:${start.endsWith('1') ? '2' : '1'}`), /fingerprint was expected to be "bt3:\w+", found "bt3:\w+";/],
    ['a segment', (text: string) => text.replace(/(journalSegments": \[\s+")./, '$1x'), /the digest of journal segment 1 was expected to be x\w+, found \w+;/],
    ['the line count', (text: string) => text.replace(/"journalLineCount": \d+/, '"journalLineCount": 1'), /journalLineCount was expected to be 1, found \d+;/],
  ])('in %s is told with the latest order and its time', async (_name, change, words) => {
    writeFileSync(golden, change(goldenText))
    const told = await difference()
    expect(told).toMatch(words)
    expect(told).toMatch(/the journals are equal in all \d+ lines, the last at 2026-07-01T23:55:\d\d\.\d{9}Z, the latest order [0-9a-f-]{36} at 2026-07-01T23:55:\d\d\.\d{9}Z; none of its inputs has changed; profit .* before, .* now; fills \S+ before, \d+ now\./)
  })
})

test('a golden of an earlier format of records has the same run where all lines are equal', async () => {
  const older = goldenText.replace(/ *"journalFormat": \d+,\n/, '').replace(/bt3:./, 'bt2:0').replace(/(journalSegments": \[\s+")./, '$1x').replace(/(journalDigest": ")./, '$1x')
  expect(older).not.toContain('journalFormat')
  writeFileSync(golden, older)
  expect(await difference()).toBe('none')
  expect(await backtape(['verify', run])).toMatchObject({ code: 0, out: `${run}: the same run, new record format\n` })
  expect(readFileSync(golden, 'utf8')).toBe(older)
  writeFileSync(golden, older.replace(/"fillCount": (\d+)/, (_all, count: string) => `"fillCount": ${Number(count) + 1}`))
  expect(await difference()).toContain('fillCount was expected to be')
  writeFileSync(golden, older)
  changeJournal('fill', 'price')
  expect(await difference()).toContain('(journal line ')
  writeFileSync(journal, journalBytes)
  await expectRun(run, { update: true }).toMatchGolden()
  expect(readFileSync(golden, 'utf8')).toBe(goldenText)
}, 180_000)

test('a golden without its journal is judged by its digests; --update makes it anew', async () => {
  rmSync(journal)
  expect(await difference()).toBe('none')
  expect(await backtape(['verify', run])).toMatchObject({ code: 0, out: `${run}: as its golden says by its digests; not there, and made by --update: ${journal}\n` })
  writeFileSync(golden, goldenText.replace(/(journalSegments": \[\s+")./, '$1x'))
  expect(await difference()).toMatch(/differs from its golden: the digest of journal segment 1 was expected to be x\w+, found \w+; the journal of the golden is not there; none of its inputs/)
  // Digests of another format of records say nothing.
  writeFileSync(golden, goldenText.replace(/ *"journalFormat": \d+,\n/, ''))
  const words = `Cannot verify ${run}: there is no ${journal}, the journal of its golden; make one with: backtape verify ${run} --update`
  expect(await difference()).toBe(words)
  expect(await backtape(['verify', run])).toMatchObject({ code: 1, out: `${words}\n` })
  await expectRun(run, { update: true }).toMatchGolden()
  expect([readFileSync(golden, 'utf8'), gunzipSync(readFileSync(journal)).toString()]).toEqual([goldenText, gunzipSync(journalBytes).toString()])
}, 180_000)

describe('verify --json', () => {
  const checked = async (): Promise<unknown> => (JSON.parse((await backtape(['verify', run, '--json'])).out) as unknown[])[0]

  test('states the place in a journal as fields, with the name of the instrument in words', async () => {
    const { time, order, number } = changeJournal('place', 'price')
    expect(await checked()).toMatchObject({
      path: run, outcome: 'differs', message: expect.stringMatching(/of synthetic_swap:XRPUSDT/) as string,
      place: { parameters: null, time, order, line: number, field: expect.stringContaining('price') as string, expected: expect.stringMatching(/^"[\d.]+"$/) as string, found: expect.stringMatching(/^"[\d.]+"$/) as string },
    })
  })

  test('states a figure, a line too many, and no place where there is none', async () => {
    writeFileSync(golden, goldenText.replace(/"fillCount": (\d+)/, '"fillCount": 99'))
    expect(await checked()).toMatchObject({ place: { time: null, line: null, field: expect.stringMatching(/^summary\..*fillCount$/) as string, expected: '99' } })
    writeFileSync(golden, goldenText)
    writeFileSync(journal, gzipSync(`${[...lines, lines[0]!].join('\n')}\n`))
    expect(await checked()).toMatchObject({ place: { line: lines.length + 1, field: null, found: null } })
    writeFileSync(journal, journalBytes)
    expect(await checked()).not.toHaveProperty('place')
  })
})

test.each([['true', 1], ['', 0]])('an annotation stands beside the run file where GITHUB_ACTIONS is %j', async (GITHUB_ACTIONS, count) => {
  changeJournal('fill', 'price')
  const { out } = await backtape(['verify', run], { env: { GITHUB_ACTIONS } })
  const found = out.split('\n').filter((line) => line.startsWith('::error '))
  expect(found).toHaveLength(count)
  for (const line of found) expect(line).toMatch(/^::error file=\S+maker\.run\.json,title=backtape verify::.*differs from its golden: at /)
})

test('a journal that ends early, or goes on, is a difference too', async () => {
  writeFileSync(journal, gzipSync(`${lines.slice(0, -1).join('\n')}\n`))
  expect(await difference()).toContain(`(journal line ${lines.length}): expected the end, found `)
  writeFileSync(journal, gzipSync(`${[...lines, lines.at(-1)!].join('\n')}\n`))
  expect(await difference()).toMatch(new RegExp(`\\(journal line ${lines.length + 1}\\): expected .+, found the end; the event before it`))
})

describe('a golden that is no golden is refused', () => {
  test.each([['{', 'it is no JSON, '], ['{}', 'it must be an object with "golden": 1 and the worlds of a run'], ['null', 'it must be an object']])('%s', async (text, why) => {
    writeFileSync(golden, text)
    await expect(expectRun(run).toMatchGolden()).rejects.toMatchObject({ code: 'FILE_UNREADABLE', message: expect.stringContaining(`Cannot read the golden ${golden}: ${why}`) })
  })

  test('also where its journal is cut off', async () => {
    writeFileSync(journal, journalBytes.subarray(0, journalBytes.length - 20))
    await expect(expectRun(run).toMatchGolden()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  })

  test.each([[5, '5'], ['', '""'], [null, 'null'], [undefined, 'nothing'], [{}, '{}']])('what is no path: %j', async (path, found) => {
    const message = `Cannot read a run file: its path must be a text, found ${found}`
    await expect(expectRun(path as string).toMatchGolden()).rejects.toMatchObject({ code: 'OPTION_INVALID', message })
  })

  test('a golden of another count of worlds differs', async () => {
    const { worlds } = JSON.parse(goldenText) as Golden
    writeFileSync(golden, JSON.stringify({ golden: 1, worlds: [...worlds, ...worlds] }))
    expect(await difference()).toContain('2 worlds were expected, found 1: the list of parameters has changed')
  })
})

test('backtape verify: exit 1 with the sentence, the new journal beside it, --update accepts; a strategy that was changed is told', async () => {
  const told = (): Promise<{ readonly code: number | null; readonly out: string }> => backtape(['verify', 'maker.run.json'], { cwd: folder.path })
  expect(await told()).toMatchObject({ code: 0, out: 'maker.run.json: as its golden says\n' })
  folder.write('subject.ts', MAKER.replace('\'10\'', '\'20\''))
  const { code, out } = await told()
  expect(code).toBe(1)
  expect(out).toMatch(/^maker\.run\.json differs from its golden: at 2026-07-01T23:55:31\.0{9}Z, order [0-9a-f-]{36} \(journal line \d+\): expected the request to place LIMIT BID 10 at \S+ of synthetic_swap:XRPUSDT, found the request to place LIMIT BID 20 at /)
  expect(existsSync(newJournal)).toBe(true)
  expect(await backtape(['verify', folder.path, '--update'])).toMatchObject({ code: 0, out: `${run}: golden written\n` })
  expect(existsSync(newJournal)).toBe(false)
  expect(await told()).toMatchObject({ code: 0 })
  folder.write('subject.ts', MAKER)
}, 180_000)

test('a run that goes on with another strategy is refused; the same source anywhere is the same', async () => {
  const folders = ['one', 'other', 'changed'].map((name) => {
    folder.write(`${name}/subject.ts`, name === 'changed' ? MAKER.replace('\'10\'', '\'20\'') : `import { TEXT } from './words.js'\n${MAKER.replace('`filled', '`${TEXT}')}`)
    folder.write(`${name}/words.ts`, 'export const TEXT = import.meta.url === \'\' ? \'\' : \'filled\'\n')
    return readRunFile(folder.write(`${name}/maker.run.json`, runContent()))
  })
  const [one, other, changed] = await Promise.all(folders)
  let taken: Checkpoint | undefined
  await runRunFile(one!, { checkpoints: { everySteps: 2, take: (checkpoint) => {
    taken = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint
    return false
  } } })
  expect(taken?.strategySource).toMatch(/^[0-9a-f]{64}$/)
  const [[whole], [resumed]] = await Promise.all([runRunFile(one!), runRunFile(other!, { resume: taken! })])
  expect(resumed!.fingerprint).toBe(whole!.fingerprint)
  await expect(runRunFile(changed!, { resume: taken! })).rejects.toThrow(/: Cannot go on from the checkpoint: the source of the strategy has changed since it was taken/)
  // A program that has the class itself does not know its source.
  const { strategySource: _unknown, ...bare } = taken!
  expect((await runRunFile(changed!, { resume: bare })).length).toBe(1)
}, 180_000)

test('a run that is set up in another way is told so, beside what it does first', async () => {
  const settings = readFileSync(run, 'utf8')
  writeFileSync(run, JSON.stringify({ ...(JSON.parse(settings) as object), seed: 77 }))
  expect(await difference()).toMatch(/, order [0-9a-f-]{36} \(journal line \d+\): .*; changed inputs: seed; profit \S+ USDT before, \S+ USDT now; fills \d+ before, \d+ now\. The journal/)
  const { worlds: [{ inputs: _inputs, ...bare }] } = JSON.parse(goldenText) as { worlds: [{ inputs: unknown }] }
  writeFileSync(golden, JSON.stringify({ golden: 1, worlds: [bare] }))
  expect(await difference()).toMatch(/; the run is also set up in another way than the golden's \(configDigest\): its parameters, account, assumptions, seed, times or data; profit/)
  writeFileSync(run, settings)
})

test('backtape verify: a folder without run files, a run file without a golden, one that cannot run', async () => {
  const other = new RunFolder()
  expect(await backtape(['verify', other.path])).toMatchObject({ code: 1, err: `Cannot verify ${other.path}: there is no *.run.json in it\n` })
  expect(await backtape(['verify', 'nowhere'])).toMatchObject({ code: 1, err: 'Cannot verify nowhere: there is no such file or folder\n' })
  other.write('subject.ts', MAKER)
  const [first, second] = [other.write('a/new.run.json', runContent({ strategy: '../subject.ts#Subject' })), other.write('b/bad.run.json', runContent({ strategy: '../away.ts#Subject' }))]
  const { code, out } = await backtape(['verify', other.path])
  expect([code, out.trimEnd().split('\n')]).toEqual([1, [
    `Cannot verify ${first}: there is no ${first.replace('.run.json', '.golden.json')}; make one with: backtape verify ${first} --update`,
    `${second}: Cannot load the strategy ../away.ts#Subject: there is no file ${join(other.path, 'away.ts')}`,
  ]])
  other.remove()
}, 180_000)

const world = (inputs: object, more: object = {}): GoldenWorld => ({
  fingerprint: '', configDigest: JSON.stringify(inputs), journalDigest: '', journalLineCount: 0, journalSegments: [], inputs: inputs as NonNullable<GoldenWorld['inputs']>,
  summary: { markets: [{ instrumentId: 7, instrument: 'test:A' }], money: [], fillCount: 0 }, ...more,
})
const SET_UP = {
  strategy: 'Maker', parameters: { size: '1', ms: 5 }, accounts: [{ accountId: 'a' }], assumptions: { queue: 'power' }, seed: 1, from: '1', source: 'abc', inputs: [{ instrumentId: 7, days: ['2026-07-01', '2026-07-02'], files: ['x', 'y'] }],
}

test.each<readonly [more: object, expected: readonly string[]]>([
  [{}, []],
  [{ parameters: { size: '2', ms: 5 } }, ['parameters (size)']],
  [{ parameters: { size: '1', ms: 6, more: true } }, ['parameters (more, ms)']],
  [{ accounts: [{ accountId: 'b' }] }, ['account']],
  [{ assumptions: { queue: 'log' } }, ['assumptions (queue)']],
  [{ seed: 2 }, ['seed']],
  [{ from: '2', to: '3' }, ['times']],
  [{ inputs: [{ instrumentId: 7, days: ['2026-07-01', '2026-07-02'], files: ['x', 'z'] }] }, ['data (test:A 2026-07-02)']],
  [{ inputs: [{ instrumentId: 7, days: ['2026-07-01'], files: ['x'] }] }, ['data (test:A 2026-07-02)']],
  [{ source: 'abd' }, ['source']],
  [{ faults: [] }, ['faults']],
  [{ seed: 2, source: 'abd' }, ['seed', 'source']],
])('an input that changed is named: %j', (more, expected) => {
  expect(changedInputs(world(SET_UP), world({ ...SET_UP, ...more }))).toEqual(expected)
})

test('an update takes journals away that no set has any more, and nothing else', async () => {
  const own = new RunFolder()
  own.write('subject.ts', MAKER)
  const set = { instrument: 'XRPUSDT' }
  const write = (parameters: object): string => own.write('maker.run.json', runContent({ parameters }))
  const names = (): string[] => readdirSync(own.path).filter((name) => name.endsWith('.jsonl.gz')).sort()
  const strangers = ['maker.golden.x.jsonl.gz', 'maker.golden2.0.jsonl.gz', 'maker2.golden.0.jsonl.gz']
  for (const name of strangers) own.write(name, '')
  const path = write([set, set, set])
  await expectRun(path, { update: true }).toMatchGolden()
  expect(names()).toEqual(['maker.golden.0.jsonl.gz', 'maker.golden.1.jsonl.gz', 'maker.golden.2.jsonl.gz', ...strangers].sort())
  write([set, set])
  await expect(expectRun(path).toMatchGolden()).rejects.toThrow('3 worlds were expected, found 2')
  expect((await backtape(['verify', path, '--update'])).out).toContain(`golden written; removed ${join(own.path, 'maker.golden.2.jsonl.gz')}, which no parameter set has any more`)
  write(set)
  await expectRun(path, { update: true }).toMatchGolden()
  expect(names()).toEqual(['maker.golden.jsonl.gz', ...strangers].sort())
  own.remove()
}, 180_000)

test('several parameter sets have a journal each', async () => {
  const several = folder.write('several.run.json', runContent({ parameters: [{ instrument: 'XRPUSDT' }, { instrument: '9100001' }] }))
  await expectRun(several, { update: true }).toMatchGolden()
  expect(existsSync(several.replace('.run.json', '.golden.1.jsonl.gz'))).toBe(true)
  await expectRun(several).toMatchGolden()
  folder.write('several.run.json', runContent({ parameters: [{ instrument: 'XRPUSDT' }, { instrument: '9100001' }], from: '23:55:35' }))
  await expect(expectRun(several).toMatchGolden()).rejects.toThrow(/differs from its golden: parameters 0, .*The journals of this run are \S+several\.new\.0\.jsonl, /)
  const { out } = await backtape(['backtest', several, '--full'])
  expect(out.match(/^Parameters .*$/gm)).toEqual(['Parameters 0: {"instrument":"XRPUSDT"}', 'Parameters 1: {"instrument":"9100001"}'])
  rmSync(several)
})

describe('a run without a journal line', () => {
  const own = new RunFolder()
  const bare = own.write('bare.run.json', runContent({ strategy: './bare.ts#Bare', from: '00:00', to: '00:01' }))
  beforeAll(() => void own.write('bare.ts', strategyModule('', 'Bare')))
  afterAll(() => own.remove())

  test('has a golden that verifies, and whose journal is an empty file that unpacks', async () => {
    await expectRun(bare, { update: true }).toMatchGolden()
    const packed = readFileSync(bare.replace('.run.json', '.golden.jsonl.gz'))
    expect([packed.length > 0, gunzipSync(packed).length]).toEqual([true, 0])
    for (let again = 0; again < 2; again++) await expectRun(bare).toMatchGolden()
  })

  test('is made anew where its golden was cut off', async () => {
    writeFileSync(bare.replace('.run.json', '.golden.jsonl.gz'), '')
    await expect(expectRun(bare).toMatchGolden()).rejects.toThrow(/unexpected end of file; make it anew with --update/)
    await expectRun(bare, { update: true }).toMatchGolden()
    await expectRun(bare).toMatchGolden()
  })
})
