import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BacktapeError } from '../../src/model/error.js'
import { isPattern } from '../../src/tickfile/archive/file-pattern-reader.js'
import { dataFromText, daysOfSpan, type DataInput } from '../../src/tickfile/data-input.js'
import { selectionLine, type SelectionOptions } from '../../src/tickfile/data-selection-reader.js'
import { NamedSources } from '../../src/tickfile/named-sources.js'
import { datasetsFolder } from '../support/datasets-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-selection-'))
afterAll(() => { rmSync(folder, { recursive: true, force: true }) })

const [XRP1, XRP2] = ['synthetic_swap-XRPUSDT-2026-07-01.txt.zst', 'synthetic_swap-XRPUSDT-2026-07-02.txt.zst']
const SOL = 'synthetic_spot-SOLUSDT-2025-07-01.txt.zst'
const OPTION = 'synthetic_option-BTC-72000-C-2026-07-01.txt.zst'
const TAR = 'synthetic_option-BTC-72000-C-2026-07-01..2026-07-02.tar'
const OPTION2 = `${TAR}#synthetic_option-BTC-72000-C-2026-07-02.txt.zst`

function put(source: string, path: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  copyFileSync(join(datasetsFolder, source), join(folder, path))
}
/** The same events in other bytes: an empty frame that is skipped stands behind them. */
function putTwin(source: string, path: string): void {
  put(source, path)
  appendFileSync(join(folder, path), Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0))
}
put(XRP1, `days/a/${XRP1}`)
put(XRP2, `days/b/${XRP2}`)
put(SOL, `days/${SOL}`)
put(SOL, `days/.hidden/${SOL}`)
put(SOL, `days/.${SOL}.backtape-part-1.txt.zst`)
writeFileSync(join(folder, 'days/notes.md'), 'x')
writeFileSync(join(folder, 'days/b/table.parquet'), 'x')
symlinkSync('..', join(folder, 'days/b/up'))
put(XRP1, `twice/${XRP1}`)
put(XRP1, 'twice/other_9100001_2026-07-01.txt.zst')
putTwin(XRP1, 'twice/9100001_2026-07-01.txt.zst')
put(XRP1, `copies/${XRP1}`)
put(XRP1, 'copies/9100001_2026-07-01.txt.zst')
putTwin(XRP1, 'copies/twin-XRPUSDT-2026-07-01.txt.zst')
put(TAR, `bundles/${TAR}`)
put(XRP1, 'odd/day.txt.zst')
put(XRP1, `odd/x[1]*.txt.zst`)
writeFileSync(join(folder, 'odd/broken.zip'), 'this is no zip at all')
writeFileSync(join(folder, 'odd/synthetic_swap-XRPUSDT-2026-07-03.txt.zst'), 'this is no zstd')
mkdirSync(join(folder, 'empty/inside'), { recursive: true })

interface Selected {
  readonly names: readonly string[]
  readonly notes: readonly string[]
  readonly refusals: readonly string[]
}
const shortened = (text: string): string => text.replaceAll(`${folder}/`, '').replaceAll(folder, '.')

async function select(inputs: readonly DataInput[], options: SelectionOptions = {}): Promise<Selected> {
  const [names, notes, refusals]: [string[], string[], string[]] = [[], [], []]
  const named = new NamedSources({ ...options, onSelection: (note) => notes.push(shortened(selectionLine(note))) })
  for (const input of inputs)
    for await (const one of named.open(input)) {
      if ('error' in one) refusals.push(shortened(one.error.message))
      else names.push(relative(folder, one.name))
    }
  return { names, notes, refusals }
}
const at = (path: string): string => join(folder, path)
const refusal = async (inputs: readonly DataInput[], options: SelectionOptions = {}): Promise<string> =>
  select(inputs, options).then(() => 'nothing', (error: unknown) => `${(error as BacktapeError).code}: ${shortened((error as Error).message)}`)

describe('folders and patterns', () => {
  test.each<[input: string, names: string[], note: string]>([
    ['days', [`days/a/${XRP1}`, `days/b/${XRP2}`, `days/${SOL}`], 'days: 3 tick files; left out: 2 no tick files'],
    ['days/**', [`days/a/${XRP1}`, `days/b/${XRP2}`, `days/${SOL}`], 'days/**: 3 tick files; left out: 2 no tick files'],
    ['days/*', [`days/${SOL}`], 'days/*: 1 tick file; left out: 1 no tick files'],
    ['days/*/*-2026-07-0[12]*', [`days/a/${XRP1}`, `days/b/${XRP2}`], 'days/*/*-2026-07-0[12]*: 2 tick files'],
    ['days/{a,b}/*.zst', [`days/a/${XRP1}`, `days/b/${XRP2}`], 'days/{a,b}/*.zst: 2 tick files'],
    ['days/?/*.zst', [`days/a/${XRP1}`, `days/b/${XRP2}`], 'days/?/*.zst: 2 tick files'],
    // Links are followed, each folder once: `up` leads to `days`.
    ['days/b/', [`days/b/${XRP2}`, `days/b/up/a/${XRP1}`, `days/b/up/${SOL}`], 'days/b/: 3 tick files; left out: 2 no tick files'],
    ['bundles/*.tar', [`bundles/${TAR}#${OPTION}`, `bundles/${OPTION2}`], 'bundles/*.tar: 2 tick files'],
  ])('%s', async (input, names, note) => {
    expect(await select([at(input)])).toEqual({ names, notes: [note], refusals: [] })
  })

  test('relative to the working folder, with names as they were typed', async () => {
    const there = relative(process.cwd(), at('days/a/*.zst'))
    const named = new NamedSources()
    const names: string[] = []
    for await (const one of named.open(there)) names.push(one.name)
    expect(names).toEqual([relative(process.cwd(), at(`days/a/${XRP1}`))])
  })

  test('a file whose own name looks like a pattern is itself', async () => {
    expect(await select([at('odd/x[1]*.txt.zst')])).toEqual({ names: ['odd/x[1]*.txt.zst'], notes: [], refusals: [] })
    expect(await Promise.all(['a*b', 'a{b', 'days/a.zst', 'bundle.tar#x'].map(isPattern))).toEqual([true, false, false, false])
  })

  test('what cannot be opened is refused in its place, what cannot be read is for its reader to say', async () => {
    const { names, refusals } = await select([at('odd')])
    expect(names).toEqual(['odd/day.txt.zst', 'odd/synthetic_swap-XRPUSDT-2026-07-03.txt.zst', 'odd/x[1]*.txt.zst'])
    expect(refusals).toEqual(['Cannot read odd/broken.zip: the archive is cut off: it ends at byte 21'])
  })

  test('a file that a pattern and a path name is named twice', async () => {
    const { names, refusals } = await select([at(`days/a/${XRP1}`), at('days/**')])
    expect(names).toEqual([`days/a/${XRP1}`, `days/b/${XRP2}`, `days/${SOL}`])
    expect(refusals).toEqual([`days/a/${XRP1} is named twice; name each file once`])
  })

  test.each<[input: string, error: string]>([
    ['empty', 'FILE_NOT_FOUND: Cannot find a tick file in empty: there is none (files that end in .txt.zst, .tar or .zip)'],
    ['days/*.md', 'FILE_NOT_FOUND: Cannot find a tick file in days/*.md: there is none among its 1 files (files that end in .txt.zst, .tar or .zip)'],
    ['nowhere/**', 'FILE_NOT_FOUND: Cannot open nowhere: there is no such file; check the path'],
    ['days/*.arrow', 'FILE_NOT_FOUND: Cannot find a tick file in days/*.arrow: there is none (files that end in .txt.zst, .tar or .zip)'],
    ['days/none.txt.zst', 'FILE_NOT_FOUND: Cannot open days/none.txt.zst: there is no such file; check the path'],
  ])('%s is refused', async (input, error) => {
    expect(await refusal([at(input)])).toBe(error)
  })
})

describe('more files than are taken', () => {
  const [few, many] = [{ first: 20636, last: 20636 }, { first: 20635, last: 20635 }]
  beforeAll(() => {
    mkdirSync(join(folder, 'many'))
    for (let number = 0; number <= 10_000; number++) writeFileSync(join(folder, `many/v-A${String(number)}-2026-07-01.txt.zst`), '')
    put(XRP2, `many/${XRP2}`)
  })
  afterAll(() => { rmSync(join(folder, 'many'), { recursive: true }) })

  test('are narrowed by days before they are refused, with an instrument and without', async () => {
    expect(await select([at('many')], { days: few })).toMatchObject({ names: [`many/${XRP2}`], notes: ['many: 1 tick file; left out: 10001 of other days'] })
    expect(await select([{ instrument: 'XRPUSDT', from: '2026-07-02', to: '2026-07-02', in: at('many/*.zst') }])).toMatchObject({ names: [`many/${XRP2}`], refusals: [] })
  })

  test.each<[string, SelectionOptions]>([['all', {}], ['those of their day', { days: many }]])('%s are refused before one is opened', async (_name, options) => {
    await expect(select([at('many')], options)).rejects.toThrow(/Cannot take .*many: it holds at least 1000\d tick files, and at most 10000 are taken/)
  })
})

describe('two files of one instrument and day', () => {
  const names = ['twice/9100001_2026-07-01.txt.zst', 'twice/other_9100001_2026-07-01.txt.zst', `twice/${XRP1}`]
  // The second has a name of no pattern: its day is unknown, so it stands alone.
  test('are refused by both names', async () => {
    expect(await select([at('twice')])).toEqual({
      names: [names[1]], notes: ['twice: 1 tick file'],
      refusals: [`Cannot take ${names[0]} and ${names[2]}: both are of synthetic_swap:XRPUSDT on 2026-07-01; choose one by a part of its name, with prefer (--prefer on the command line)`],
    })
  })

  test('prefer chooses one, and says so where it does not', async () => {
    expect(await select([at('twice')], { prefer: 'synthetic' })).toEqual({ names: [names[1], names[2]], notes: ['twice: 2 tick files; left out: 1 not preferred'], refusals: [] })
    expect((await select([at('twice')], { prefer: 'nothing' })).refusals).toEqual([expect.stringContaining('prefer "nothing" stands in neither of their names')])
    expect((await select([at('twice')], { prefer: '2026' })).refusals).toEqual([expect.stringContaining('prefer "2026" stands in both of their names')])
  })

  test('byte-equal copies are left out by name, files of other bytes are refused, and what is preferred comes before', async () => {
    const [first, other, twin] = ['copies/9100001_2026-07-01.txt.zst', `copies/${XRP1}`, 'copies/twin-XRPUSDT-2026-07-01.txt.zst']
    const left = `copies: byte-equal copies left out: ${other} is ${first}`
    expect(await select([at('copies')])).toEqual({ names: [], notes: ['copies: 0 tick files', left], refusals: [expect.stringContaining(`Cannot take ${first} and ${twin}`)] })
    expect(await select([at('copies/[s9]*')])).toEqual({ names: [first], notes: ['copies/[s9]*: 1 tick file', left.replace('copies', 'copies/[s9]*')], refusals: [] })
    expect(await select([at('copies')], { prefer: 'synthetic' })).toEqual({ names: [other], notes: ['copies: 1 tick file; left out: 2 not preferred'], refusals: [] })
  })

  test('an audit takes both', async () => {
    expect((await select([at('twice')], { takesBoth: true })).names).toEqual(names)
  })
})

describe('days of an instrument', () => {
  const XRP = 'synthetic_swap:XRPUSDT'
  test.each<[days: object, names: string[], notes: string[]]>([
    [{ instrument: XRP }, [`days/a/${XRP1}`, `days/b/${XRP2}`], ['days: 2 tick files; left out: 1 of other instruments, 2 no tick files']],
    [{ instrument: 'XRPUSDT', from: '2026-07-02' }, [`days/b/${XRP2}`], ['days: 1 tick file; left out: 2 of other days, 2 no tick files']],
    [{ instrument: '9100001', to: '2026-07-01' }, [`days/a/${XRP1}`], ['days: 1 tick file; left out: 1 of other days, 1 of other instruments, 2 no tick files']],
    [
      { instrument: XRP, from: '2026-06-30', to: '2026-07-03' }, [`days/a/${XRP1}`, `days/b/${XRP2}`],
      ['days: 2 tick files; left out: 1 of other days, 2 no tick files', `days: ${XRP} has no file of 2026-06-30, 2026-07-03: a gap`],
    ],
    [
      { instrument: XRP, from: '2026-07-01', to: '2026-07-09' }, [`days/a/${XRP1}`, `days/b/${XRP2}`],
      ['days: 2 tick files; left out: 1 of other days, 2 no tick files', `days: ${XRP} has no file of 2026-07-03, 2026-07-04, 2026-07-05, 2026-07-06, 2026-07-07 and 2 more days: a gap`],
    ],
  ])('%j', async (days, names, notes) => {
    expect(await select([{ in: at('days'), ...days } as DataInput])).toEqual({ names, notes, refusals: [] })
  })

  test('days that the run has none of in common are refused as such, and not as a range that runs backwards', async () => {
    const input = { in: at('days'), instrument: XRP, from: '2026-09-18', to: '2026-09-19' }
    const refused = select([input], { days: { first: null, last: 20_636 } })
    await expect(refused).rejects.toThrow('Cannot take days from 2026-09-18 to 2026-09-19 of ')
    await expect(refused).rejects.toThrow('the run asks for those to 2026-07-02, so no day is in both')
  })

  test('in a bundle and in a pattern', async () => {
    const option = { instrument: 'BTC-72000-C', from: '2026-07-02' }
    expect((await select([{ ...option, in: at(`bundles/${TAR}`) }])).names).toEqual([`bundles/${OPTION2}`])
    expect((await select([{ ...option, in: at('bundles/*') }])).names).toEqual([`bundles/${OPTION2}`])
  })

  test.each<[days: object, error: string]>([
    [{ instrument: 'BTCUSDT' }, 'FILE_NOT_FOUND: Cannot find BTCUSDT in days: it has 1 of synthetic_spot:SOLUSDT, 2 of synthetic_swap:XRPUSDT'],
    [{ instrument: XRP, from: '2026-08-01', to: '2026-08-02' }, `FILE_NOT_FOUND: Cannot find ${XRP} from 2026-08-01 to 2026-08-02 in days: it has 3 of other days, 2025-07-01 to 2026-07-02`],
    [{ instrument: XRP, from: '2026-07-02', to: '2026-07-01' }, 'OPTION_INVALID: Cannot select data: to must be a day from 2026-07-02 on, found "2026-07-01"'],
    [{ instrument: XRP, from: '12:00' }, 'OPTION_INVALID: Cannot select data: from must be a day such as 2024-07-18, found "12:00"'],
    [{ instrument: XRP, to: '2026-02-30' }, 'OPTION_INVALID: Cannot select data: to must be a day such as 2024-07-18, found "2026-02-30"'],
    [{ instrument: XRP, until: '2026-07-01' }, 'OPTION_INVALID: Cannot select data: until must be left out: data have instrument, from, to and in, found "until"'],
    [{ instrument: '' }, 'OPTION_INVALID: Cannot select data: instrument must be a text, found ""'],
    [{ instrument: 5 }, 'OPTION_INVALID: Cannot select data: instrument must be a text, found 5'],
  ])('%j is refused', async (days, error) => {
    expect(await refusal([{ in: at('days'), ...days } as unknown as DataInput])).toBe(error)
  })
})

describe('data as a user types them', () => {
  test.each<[text: string, data: unknown]>([
    ['days', 'days'], ['{a,b}/*.tar', '{a,b}/*.tar'], ['{', '{'], ['', ''], ['["a"]', '["a"]'],
    ['{"instrument":"X","in":"days"}', { instrument: 'X', in: 'days' }], ['{ "instrument": "X", "from": "2026-07-01", "to": "2026-07-02", "in": "d" }', { instrument: 'X', from: '2026-07-01', to: '2026-07-02', in: 'd' }],
  ])('%s', (text, data) => { expect(dataFromText(text)).toEqual(data) })

  test.each([
    ['{"instrument":"X"}', 'in must be a text, found nothing'], ['{}', 'instrument must be a text, found nothing'], ['{"instrument":"X","in":"d","day":"x"}', 'day must be left out'], ['{"instrument":"X","in":"d","to":"x"}', 'to must be a day such as'],
  ])('%s is refused', (text, words) => { expect(() => dataFromText(text)).toThrow(words) })
})

describe('the days that a span opens', () => {
  const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 86_400_000
  test.each<[span: { from?: string | bigint; to?: string | bigint }, first: string | null, last: string | null]>([
    [{}, null, null], [{ from: '12:00', to: '13:00' }, null, null], [{ from: '2026-07-01', to: '2026-07-02' }, '2026-07-01', '2026-07-02'],
    [{ from: '2026-07-01T12:00:00Z', to: '2026-07-02T00:00:00Z' }, '2026-07-01', '2026-07-01'], [{ to: '2026-07-02T00:00:00.000000001Z' }, null, '2026-07-02'],
    [{ from: 1_782_864_000_000_000_000n }, '2026-07-01', null], [{ to: 1_782_864_000_000_000_000n }, null, '2026-06-30'], [{ from: '2026-07-01T01:00:00+02:00' }, '2026-06-30', null],
  ])('%o', (span, first, last) => {
    expect(daysOfSpan(span)).toEqual({ first: first === null ? null : day(first), last: last === null ? null : day(last) })
  })

  test('of a pattern alone: a file that is named is opened whatever its day', async () => {
    const days = daysOfSpan({ from: '2026-07-02', to: '2026-07-02' })
    expect((await select([at('days')], { days })).names).toEqual([`days/b/${XRP2}`])
    expect((await select([at(`days/a/${XRP1}`)], { days })).names).toEqual([`days/a/${XRP1}`])
  })
})
