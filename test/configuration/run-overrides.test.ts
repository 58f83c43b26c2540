import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runStrategies } from '../../src/configuration/run-strategies.js'
import { overridesText, withOverrides, withParameters, type RunOverrides } from '../../src/configuration/run-overrides.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { plainDecimal } from '../../src/model/decimal.js'
import { BigDecimal, Double, Integer, List, Long, Parameter, TwoSides, type AnyParameterType } from '../../src/strategy/parameter.js'
import { textAsParameter } from '../../src/strategy/parameter-text.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { backtape } from '../support/command.ts'
import { RunFolder, runContent, strategyModule, XRP_DAY } from '../support/run-folder.ts'
import { timeLimitMs } from '../support/time-limit.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())

const declare = (target: object, types: Readonly<Record<string, AnyParameterType>>): void => {
  for (const [field, type] of Object.entries(types)) (Parameter(type) as unknown as (target: object, field: string) => void)(target, field)
}
class Quotes {
  readonly kind = 'quotes'
}
declare(Quotes.prototype, { depth: Integer, edge: BigDecimal, name: String })
class Maker extends Strategy {}
declare(Maker.prototype, { size: BigDecimal, ratio: Double, plain: Number, count: Integer, id: Long, isOn: Boolean, label: String, quotes: Quotes as never, sides: TwoSides(Integer), levels: List(Double), instrument: TradingInstrument })

describe('a text of a command line by the declared type', () => {
  test.each<[path: string, text: string, value: unknown]>([
    ['size', '0.02', '0.02'], ['size', '2', '2'], ['size', '1e-5', '1e-5'], ['ratio', '0.02', 0.02], ['ratio', '-3', -3], ['ratio', '1e-5', 1e-5], ['plain', '7', 7], ['count', '250', 250], ['count', '2.5', 2.5],
    ['ratio', '0.70000000000000000001', '0.70000000000000000001'], ['count', '9007199254740993', '9007199254740993'], ['id', '9223372036854775807', '9223372036854775807'], ['id', '5', 5], ['ratio', 'x', 'x'], ['ratio', '', ''],
    ['isOn', 'true', true], ['isOn', 'false', false], ['isOn', '1', '1'], ['label', 'true', 'true'], ['label', '5', '5'], ['label', '{"a":1}', '{"a":1}'], ['label', '"x"', '"x"'],
    ['quotes.depth', '3', 3], ['quotes.edge', '3', '3'], ['quotes.name', '3', '3'], ['quotes.other', '3', '3'], ['quotes', '{"depth":3,"edge":"0.1"}', { depth: 3, edge: '0.1' }], ['quotes', '{"depth":', '{"depth":'],
    ['sides', '4', 4], ['sides.bid', '4', 4], ['sides.bid.x', '4', '4'], ['levels', '[1,2.5]', [1, 2.5]], ['instrument', 'XRPUSDT', 'XRPUSDT'], ['instrument', '9100001', '9100001'],
    ['instrument', '{"instrument":"X","account":"a"}', { instrument: 'X', account: 'a' }], ['nothing', '5', '5'], ['nothing', 'true', true],
  ])('%s=%s', (path, text, value) => {
    expect(textAsParameter(Maker, path.split('.'), text)).toEqual(value)
  })

  test('a number has the value that was typed, or stays a text', () => {
    fc.assert(fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), fc.tuple(fc.bigInt(), fc.nat()).map(([whole, fraction]) => `${whole}.${fraction}`)), (text) => {
      const value = textAsParameter(Maker, ['ratio'], text)
      if (typeof value === 'number') expect(plainDecimal(String(value))).toBe(plainDecimal(text))
      else expect(value).toBe(text)
    }))
  })

  test('a strategy that cannot be made declares nothing', () => {
    class Broken extends Maker {
      constructor() {
        super()
        throw new Error('no')
      }
    }
    expect(textAsParameter(Broken, ['count'], '5')).toBe('5')
  })
})

describe('overrides', () => {
  test('stand in place of the fields of a file, and nothing else changes', () => {
    const content = { strategy: './a.ts#A', data: ['x'], from: '1', seed: 4, assumptions: { queue: 'log', fills: 'whole' } }
    expect(withOverrides(content, {})).toEqual(content)
    expect(withOverrides(content, { data: ['a', '/b#c'], from: '12:00', to: '13:00', seed: 7, assume: ['queue={"model":"power","exponent":2}', 'requestLatency=uniform 1ms 2ms'] })).toEqual({
      strategy: './a.ts#A', data: [resolve('a'), resolve('/b#c')], from: '12:00', to: '13:00', seed: 7, assumptions: { queue: { model: 'power', exponent: 2 }, fills: 'whole', requestLatency: 'uniform 1ms 2ms' },
    })
    for (const other of [null, 5, [1]]) expect(withOverrides(other, { seed: 7 })).toEqual(other)
    expect(withOverrides({ assumptions: 5 }, { assume: ['queue=log'] })).toEqual({ assumptions: 5 })
  })

  test('of parameters stand in every set, fields of composite ones by their path', () => {
    const set = ['count=3', 'quotes.depth=5', 'size=0.5']
    expect(withParameters(undefined, { set }, runStrategies({ strategy: Maker }))).toEqual({ count: 3, quotes: { depth: 5 }, size: '0.5' })
    expect(withParameters([{ count: 1 }, { quotes: { edge: '1', depth: 2 } }], { set }, runStrategies({ strategy: Maker }))).toEqual([{ count: 3, quotes: { depth: 5 }, size: '0.5' }, { quotes: { edge: '1', depth: 5 }, count: 3, size: '0.5' }])
    const given = { count: 1 }
    expect(withParameters(given, {}, runStrategies({ strategy: Maker }))).toBe(given)
    expect(withParameters({ quotes: 7 }, { set: ['quotes.depth=1'] }, runStrategies({ strategy: Maker }))).toEqual({ quotes: { depth: 1 } })
    expect(withParameters({}, { set: ['__proto__.x=1', 'label=a=b'] }, runStrategies({ strategy: Maker }))).toHaveProperty('label', 'a=b')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test.each<[RunOverrides, string]>([
    [{ set: ['size'] }, 'Cannot use --set: it must be NAME=VALUE, such as size=0.02, found "size"'],
    [{ set: ['=5'] }, 'Cannot use --set: it must be NAME=VALUE, such as size=0.02, found "=5"'],
    [{ set: [' =5'] }, 'Cannot use --set: it must be NAME=VALUE, such as size=0.02, found " =5"'],
    [{ set: ['a=1', 'b=2', 'a=3'] }, 'Cannot use --set: it must be one value for each name, found "a=3"'],
    [{ assume: ['queue'] }, 'Cannot use --assume: it must be NAME=VALUE, such as queue=power3, found "queue"'],
    [{ assume: ['queue=log', 'queue = log2'] }, 'Cannot use --assume: it must be one value for each name, found "queue = log2"'],
  ])('%j is refused', (overrides, sentence) => {
    expect(() => {
      withOverrides({}, overrides)
      withParameters({}, overrides, runStrategies({ strategy: Maker }))
    }).toThrow(sentence)
  })

  test('in a line, as they were typed', () => {
    expect(overridesText({})).toBeNull()
    expect(overridesText({ set: ['a=1', 'b=2'], assume: ['queue=log'], data: ['x'], from: '1', to: '2', seed: 0 })).toBe('--set a=1 --set b=2 --assume queue=log --data x --from 1 --to 2 --seed 0')
  })
})

const BODY = `  @Parameter(Quantity) size = Quantity.from('10')
  @Parameter(Number, { optional: true }) edge = 0
  override onStart(): void { this.after(1500, () => this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: Price.from(String(this.edge)) })) }`

describe('a run with overrides', () => {
  const other = join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-02.txt.zst')
  const overrides = { set: ['size=20', 'edge=0.5'], assume: ['requestLatency=3ms'], data: [other], from: '00:00:30', to: '00:00:50', seed: 9 }
  const written = { data: [other], from: '00:00:30', to: '00:00:50', seed: 9, parameters: { instrument: 'XRPUSDT', size: '20', edge: 0.5 }, assumptions: { requestLatency: '3ms' } }

  test('is the run of a file that has these values, from a program and from the command line', async () => {
    folder.write('subject.ts', strategyModule(BODY))
    const plain = folder.write('plain.run.json', runContent({ parameters: { instrument: 'XRPUSDT', size: '10' } }))
    const [wanted] = await runRunFile(await readRunFile(folder.write('written.run.json', runContent(written))))
    const [found] = await runRunFile(await readRunFile(plain, overrides))
    expect(found!.fingerprint).toBe(wanted!.fingerprint)
    expect(found!.configDigest).toBe(wanted!.configDigest)
    expect((await readRunFile(plain, overrides)).inputs).toContain(other)
    const said = await backtape(['backtest', plain, '--json', '--set', 'size=20', '--set', 'edge=0.5', '--assume', 'requestLatency=3ms', '--data', other, '--from', '00:00:30', '--to', '00:00:50', '--seed', '9'])
    expect(JSON.parse(said.out)).toMatchObject({ fingerprint: wanted!.fingerprint })
    expect(said.err).toContain(`Instead of the run file's: --set size=20 --set edge=0.5 --assume requestLatency=3ms --data ${other} --from 00:00:30 --to 00:00:50 --seed 9\n`)
  }, timeLimitMs(60_000))

  test.each<[args: readonly string[], words: RegExp]>([
    [['--set', 'sise=20'], /parameters\.sise: expected one of instrument, size, edge, found the unknown parameter "sise"/],
    [['--set', 'size=abc'], /parameters\.size: expected an exact quantity as text, such as "0.01", found "abc"/],
    [['--assume', 'quue=log'], /assumptions\.quue: expected one of queue, /],
    [['--assume', 'queue=fast'], /assumptions\.queue: expected riskAverse, /],
    [['--data', 'nowhere.txt.zst'], /data\[0\]: expected a file that exists, found ".*nowhere\.txt\.zst", which is no file; stated on the command line$/m],
    [['--from', 'noon'], /from: expected 12:00, /], [['--to', '12'], /to: expected 12:00, /], [['--to', '12:00', '--to', '13:00'], /--to: it must be one time, one format or both, found 12:00 and 13:00/],
    [['--to', 'xlsx'], /--to: it must be one of parquet, /], [['--seed', '-1'], /--seed: it must be a whole number/], [['--set', ''], /--set: it must be followed by a value/], [['--assume', 'fills'], /--assume: it must be NAME=VALUE/],
  ])('%j is refused', async (args, words) => {
    folder.write('subject.ts', strategyModule(BODY))
    const plain = folder.write('plain.run.json', runContent({ parameters: { instrument: 'XRPUSDT', size: '10' } }))
    const { code, err } = await backtape(['backtest', plain, ...args])
    expect(err).toMatch(words)
    expect(code).not.toBe(0)
  }, timeLimitMs(30_000))

  test('takes a time and a format, both by --to', async () => {
    folder.write('subject.ts', strategyModule(BODY))
    const plain = folder.write('plain.run.json', runContent({ data: [XRP_DAY], parameters: { instrument: 'XRPUSDT', size: '10' } }))
    const { err, out } = await backtape(['backtest', plain, '--to', 'csv', '--to', '23:55:35', '--out', join(folder.path, 'tables')])
    expect(err).toMatch(/fills\.csv/)
    expect(out).toMatch(/to 2026-07-01 23:55:35/)
  }, timeLimitMs(30_000))
})
