import { mkdirSync, symlinkSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { runRunFile } from '../../src/backtest/run-file.js'
import { joined, statedDepth, withPaths, readRunFile } from '../../src/configuration/run-file-reader.js'
import { BacktapeError } from '../../src/model/error.js'
import { backtape } from '../support/command.ts'
import { RunFolder, runContent, strategyModule, XRP_DAY } from '../support/run-folder.ts'
import { timeLimitMs } from '../support/time-limit.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())
const at = (name: string): string => join(folder.path, name)
const asWritten = (text: string): string => text.replaceAll(`${folder.path}/`, '').replaceAll(folder.path, '.')

const BODY = `  @Parameter(Quantity) size = Quantity.from('10')
  override onStart(): void { this.after(1500, () => this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: Price.from('0.5') })) }`
folder.write('base/subject.ts', strategyModule(BODY))

async function refusalOf(path: string): Promise<string> {
  const error = await readRunFile(path).then(() => null, (thrown: unknown) => thrown)
  if (!(error instanceof BacktapeError)) throw new Error(`${path} was read`)
  expect(error.code).toBe('RUN_FILE_INVALID')
  return asWritten(error.message)
}

describe('joined', () => {
  test.each<[parent: unknown, own: unknown, result: unknown]>([
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }], [{ a: 1 }, { a: 2 }, { a: 2 }], [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }], [{ a: { b: 1 } }, { a: [1] }, { a: [1] }], [{ a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: { b: 1 } }, { a: 'x' }, { a: 'x' }], [{ a: { b: 1 } }, { a: null }, { a: null }], [{ a: 1 }, {}, { a: 1 }], [{}, { a: {} }, { a: {} }],
    [{ parameters: { size: '1' } }, { parameters: [{ size: '2' }] }, { parameters: [{ size: '2' }] }],
    [JSON.parse('{"__proto__":{"a":1}}'), { constructor: 2 }, Object.fromEntries([['__proto__', { a: 1 }], ['constructor', 2]])],
  ])('%j under %j', (parent, own, result) => {
    expect(joined(parent, own)).toEqual(result)
    expect(Object.getPrototypeOf(joined(parent, own))).toBe(Object.prototype)
  })

  test('is the same in whatever order three are joined, and states every value of the nearest', () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    fc.assert(fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), json), fc.dictionary(fc.constantFrom('a', 'b', 'c'), json), fc.dictionary(fc.constantFrom('a', 'b', 'c'), json), (a, b, c) => {
      const whole = joined(joined(a, b), c)
      for (const [name, value] of Object.entries(c)) if (typeof value !== 'object' || value === null || Array.isArray(value)) expect((whole as Record<string, unknown>)[name]).toEqual(value)
      expect(new Set(Object.keys(whole as object))).toEqual(new Set([...Object.keys(a), ...Object.keys(b), ...Object.keys(c)]))
      expect(joined(c, {})).toEqual(c)
      expect(joined(c, c)).toEqual(c)
    }))
  })
})

describe('statedDepth', () => {
  test.each<[content: unknown, path: string, depth: number]>([
    [{ data: ['a', { in: 'b' }] }, 'data[1].in', 3], [{ data: ['a'] }, 'data[1].in', 1], [{ account: { balances: { 'US DT': '1' } } }, 'account.balances["US DT"]', 3],
    [{ account: {} }, 'account.fees.maker', 1], [{}, 'seed', 0], [{ seed: 1 }, '', 0], [null, 'seed', 0], [{ a: 'text' }, 'a.length', 1], [{ a: { 'x"y.z': 1 } }, String.raw`a["x\"y.z"]`, 2],
  ])('of %j, %s: %i', (content, path, depth) => { expect(statedDepth(content, path)).toBe(depth) })
})

describe('paths of a run file', () => {
  const moved = (content: unknown): unknown => withPaths(content, (path) => `>${path}`)
  test.each<[content: unknown, result: unknown]>([
    [{ strategy: './a.ts#B' }, { strategy: '>./a.ts#B' }], [{ strategy: '/x/a.ts#B' }, { strategy: '/x/a.ts#B' }], [{ strategy: 'nothing' }, { strategy: 'nothing' }], [{ strategy: 5 }, { strategy: 5 }],
    [{ data: ['a', '/b', { instrument: 'X', in: 'c' }, 'https://x/y', '', 7, null] }, { data: ['>a', '/b', { instrument: 'X', in: '>c' }, 'https://x/y', '', 7, null] }],
    [{ account: { profile: 'generic' }, accounts: { a: { profile: 'p.json' }, b: {}, c: 5 } }, { account: { profile: 'generic' }, accounts: { a: { profile: '>p.json' }, b: {}, c: 5 } }],
    [{ assumptions: { requestLatency: 'recorded l.csv', responseLatency: '5ms', queue: 'log' } }, { assumptions: { requestLatency: 'recorded >l.csv', responseLatency: '5ms', queue: 'log' } }],
    [{ seed: 1 }, { seed: 1 }], [5, 5], [['a'], ['a']], [{ data: 'a', accounts: [], assumptions: 'x' }, { data: 'a', accounts: [], assumptions: 'x' }],
  ])('%j', (content, result) => { expect(moved(content)).toEqual(result) })
})

describe('a run file that extends another', () => {
  folder.write('base/far.json', { account: { balances: { USDT: '10000' }, fees: { maker: '0', taker: '0.001' } }, seed: 3 })
  folder.write('base/base.run.json', { $schema: 'x', ...runContent({ strategy: './subject.ts#Subject', data: [relative(at('base'), XRP_DAY)] }), extends: './far.json', assumptions: { requestLatency: '7ms', fills: 'whole' } })
  const child = folder.write('runs/deep/child.run.json', '{ // a comment\n "extends": "../../base/base.run.json", "parameters": { "size": "20" }, "assumptions": { "fills": "partial" }, }')

  test('is the run of a file that has all of it, and of what run-file prints', async () => {
    const flat = folder.write('base/flat.run.json', runContent({
      strategy: './subject.ts#Subject', account: { balances: { USDT: '10000' }, fees: { maker: '0', taker: '0.001' } }, seed: 3,
      parameters: { instrument: 'XRPUSDT', size: '20' }, assumptions: { requestLatency: '7ms', fills: 'partial' },
    }))
    const [wanted] = await runRunFile(await readRunFile(flat))
    const run = await readRunFile(child)
    const [found] = await runRunFile(run)
    expect(found!.fingerprint).toBe(wanted!.fingerprint)
    expect(found!.configDigest).toBe(wanted!.configDigest)
    expect(run.inputs.map((path) => asWritten(isAbsolute(path) ? path : resolve(path)))).toEqual(expect.arrayContaining(['runs/deep/child.run.json', 'base/base.run.json', 'base/far.json', 'base/subject.ts']))
    const { out, code } = await backtape(['run-file', child])
    expect(code).toBe(0)
    const copy = folder.write('runs/deep/copy.run.json', out)
    expect(JSON.parse(out)).not.toHaveProperty('extends')
    expect((await runRunFile(await readRunFile(copy)))[0]!.fingerprint).toBe(wanted!.fingerprint)
  }, timeLimitMs(60_000))

  test('run-file prints overrides where they go', async () => {
    const { out, code } = await backtape(['run-file', child, '--set', 'size=30', '--assume', 'queue=log', '--seed', '5', '--to', '23:55:35'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ parameters: { instrument: 'XRPUSDT', size: '30' }, assumptions: { queue: 'log', requestLatency: '7ms' }, seed: 5, from: '23:55:30', to: '23:55:35' })
  })

  test('none of its parents may be an output', async () => {
    const { code, err } = await backtape(['backtest', child, '--journal', at('base/far.json'), '--force'])
    expect(code).not.toBe(0)
    expect(err).toContain('far.json')
  })

  test.each<[name: string, content: object, refusal: string]>([
    ['none', { extends: './gone.json' }, 'Cannot read the run file bad/none.run.json: extends: expected a file that exists, found bad/gone.json'],
    ['itself', { extends: './itself.run.json' }, 'Cannot read the run file bad/itself.run.json: extends: expected a file that does not lead back to one before it, found bad/itself.run.json extends bad/itself.run.json'],
    ['linked', { extends: '../linked/linked.run.json' }, 'Cannot read the run file bad/linked.run.json: extends: expected a file that does not lead back to one before it, found bad/linked.run.json extends linked/linked.run.json'],
    ['number', { extends: 5 }, 'Cannot read the run file bad/number.run.json: extends: expected the path of a run file, found 5'],
    ['empty', { extends: '' }, 'Cannot read the run file bad/empty.run.json: extends: expected the path of a run file, found ""'],
    ['several', { extends: ['a', 'b'] }, 'Cannot read the run file bad/several.run.json: extends: expected the path of a run file, found ["a","b"]'],
    ['thin', { extends: '../base/far.json', data: [XRP_DAY] }, 'Cannot read the run file bad/thin.run.json: strategy: expected a module and a class such as ./maker.ts#Maker, found nothing'],
    ['wrong', { extends: '../base/base.run.json', seed: -1 }, 'Cannot read the run file bad/wrong.run.json: seed: expected a whole number from 0 to 9007199254740991, found -1'],
    ['child', { extends: './faulty.json', strategy: '../base/subject.ts#Subject', account: { fees: { maker: '0' } } }, `Cannot read the run file bad/child.run.json: 3 faults:
  account.fees.taker: expected a decimal in quotes such as "0.0002", or { "buy": ..., "sell": ... }, found "much"; stated in bad/faulty.json
  seed: expected a whole number from 0 to 9007199254740991, found "x"; stated in bad/faulty.json
  data[0]: expected a file that exists, found "no.txt.zst", which is no file in bad; stated in bad/faulty.json`],
    ['list', { extends: './list.json' }, 'Cannot read the run file bad/list.json: the file: expected an object that describes a run, found [1]'],
  ])('%s is refused', async (name, content, refusal) => {
    mkdirSync(at('linked'), { recursive: true })
    if (name === 'linked') symlinkSync(at('bad/linked.run.json'), at('linked/linked.run.json'))
    folder.write('bad/list.json', '[1]')
    folder.write('bad/faulty.json', { account: { fees: { taker: 'much' } }, seed: 'x', data: ['no.txt.zst'] })
    expect(await refusalOf(folder.write(`bad/${name}.run.json`, content))).toBe(refusal)
  })

  test('a parent that is no JSON is named with the place of its fault', async () => {
    folder.write('bad/broken.json', '{\n  "seed": }\n')
    expect(await refusalOf(folder.write('bad/of-broken.run.json', { extends: './broken.json' }))).toBe('Cannot read the run file bad/broken.json: the file: expected a value, found } at line 2, column 11')
  })

  test('a chain of more than 16 is refused', async () => {
    for (let one = 0; one <= 16; one += 1) folder.write(`chain/${one}.json`, { extends: `./${one + 1}.json` })
    folder.write('chain/17.json', runContent({ strategy: '../base/subject.ts#Subject' }))
    expect(await refusalOf(at('chain/0.json'))).toBe('Cannot read the run file chain/16.json: extends: expected at most 16 files, one over the other, found more')
    expect((await readRunFile(at('chain/1.json'))).inputs).toHaveLength(19)
  })

  test('options of a program extend nothing', async () => {
    const { runBacktest } = await import('../../src/index.js')
    await expect(runBacktest({ extends: './x.json' } as never)).rejects.toThrow('extends: expected one of strategy, strategies, data')
  })
})
