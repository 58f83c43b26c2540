import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkSetCount, combinationsOf, gridLineOf, spanNote } from '../../src/configuration/parameter-grid.js'
import { runStrategies } from '../../src/configuration/run-strategies.js'
import { withParameters, type RunOverrides } from '../../src/configuration/run-overrides.js'
import { Decimal } from '../../src/model/decimal.js'
import { BigDecimal, Integer, Parameter, type AnyParameterType } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'

class Quotes {
  readonly kind = 'quotes'
}
class Maker extends Strategy {}
const declare = (target: object, types: Readonly<Record<string, AnyParameterType>>): void => {
  for (const [field, type] of Object.entries(types)) (Parameter(type) as unknown as (target: object, field: string) => void)(target, field)
}
declare(Quotes.prototype, { depth: Integer })
declare(Maker.prototype, { size: BigDecimal, refreshMs: Integer, name: String, quotes: Quotes as never })

describe('the values of a grid', () => {
  test.each<[text: string, values: readonly string[]]>([
    ['size=0.01,0.02,0.05', ['0.01', '0.02', '0.05']], ['size= 1 , 2 ', ['1', '2']], ['size=7', ['7']], ['refreshMs=250..1000:250', ['250', '500', '750', '1000']], ['refreshMs=250..1100:250', ['250', '500', '750', '1000']],
    ['size=0.1..0.3:0.1', ['0.1', '0.2', '0.3']], ['size=-1..1:1', ['-1', '0', '1']], ['size=1e-5..3e-5:1e-5', ['0.00001', '0.00002', '0.00003']], ['size=5..5:1', ['5']], ['size=1..10:100', ['1']],
    ['size=0.10..0.12:0.01', ['0.1', '0.11', '0.12']], ['name=a..b', ['a..b']], ['name=["a,b","c"]', ['a,b', 'c']], ['sides=[[1,2],[3,4]]', ['[1,2]', '[3,4]']], ['flag=[true,false]', ['true', 'false']], ['quotes.depth=1,2', ['1', '2']],
  ])('%s', (text, values) => { expect(gridLineOf(text)).toEqual({ name: text.slice(0, text.indexOf('=')), values }) })

  test.each<[text: string, words: string]>([
    ['size', 'it must be NAME=VALUES'], ['=1,2', 'it must be NAME=VALUES'], ['', 'it must be NAME=VALUES'], ['size=', 'at least one value'], ['size=1,,2', 'none that is empty'], ['size=1,2,1', 'each value once'], ['size=[]', 'at least one value'],
    ['size=[1', 'a JSON list'], ['size=2..1:1', 'does not end before it begins'], ['size=1..2:0', 'a step above 0'], ['size=1..2:-1', 'a step above 0'], ['size=0..1:0.00001', 'Cannot run 100001 parameter sets: at most 10000 are taken in one run'], ['size=0..1e300:1', 'at most 10000'],
  ])('%s is refused', (text, words) => { expect(() => gridLineOf(text)).toThrow(words) })

  test('a span has every step from its first to its last value, exactly', () => {
    const decimal = fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(4)).map(([digits, scale]) => new Decimal(digits).div(new Decimal(10).pow(scale)))
    fc.assert(fc.property(decimal, decimal, fc.nat(50), (from, by, steps) => {
      fc.pre(by.gt(0))
      const { values } = gridLineOf(`x=${from.toFixed()}..${from.plus(by.times(steps)).toFixed()}:${by.toFixed()}`)
      expect(values).toEqual(Array.from({ length: steps + 1 }, (_, at) => from.plus(by.times(at)).toFixed()))
    }))
  })
})

describe('sets of a grid', () => {
  const sets = (overrides: RunOverrides, parameters?: Parameters<typeof withParameters>[0]): unknown => withParameters(parameters, overrides, runStrategies({ strategy: Maker }))

  test('are every combination, the last changing first, read by the declared types', () => {
    expect(sets({ grid: ['size=0.1,0.2', 'refreshMs=1..2:1'] }, { name: 'n' })).toEqual([
      { name: 'n', size: '0.1', refreshMs: 1 }, { name: 'n', size: '0.1', refreshMs: 2 }, { name: 'n', size: '0.2', refreshMs: 1 }, { name: 'n', size: '0.2', refreshMs: 2 },
    ])
    expect(sets({ grid: ['quotes.depth=1,2'], set: ['name=m'] }, [{ size: '1' }, { size: '2' }])).toEqual([
      { size: '1', name: 'm', quotes: { depth: 1 } }, { size: '1', name: 'm', quotes: { depth: 2 } }, { size: '2', name: 'm', quotes: { depth: 1 } }, { size: '2', name: 'm', quotes: { depth: 2 } },
    ])
    expect(sets({ grid: ['name=7'] })).toEqual([{ name: '7' }])
    expect(sets({}, { size: '1' })).toEqual({ size: '1' })
    expect(sets({ set: ['size=2'] })).toEqual({ size: '2' })
  })

  test('are as many as the product says, each once', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }), (counts) => {
      const grid = counts.map((count, at) => ({ name: `p${at}`, values: Array.from({ length: count }, (_, value) => String(value)) }))
      const all = combinationsOf(grid)
      expect(all.length).toBe(counts.reduce((product, count) => product * count, 1))
      expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(all.length)
    }))
  })

  test.each<[overrides: RunOverrides, words: string]>([
    [{ grid: ['size=1,2', 'size=3'] }, 'a name that no other --grid or --set states, found "size=3"'], [{ grid: ['size=1,2'], set: ['size=3'] }, 'a name that no other --grid or --set states'],
    [{ grid: ['size=1..101:1', 'refreshMs=1..100:1'] }, 'Cannot run 10100 parameter sets: at most 10000 are taken in one run'],
  ])('%j is refused', (overrides, words) => { expect(() => sets(overrides)).toThrow(words) })

  test('10,000 are taken, one more is not', () => {
    const line = (count: number): { name: string, values: string[] } => ({ name: 'x', values: Array.from({ length: count }, (_, at) => String(at)) })
    expect(() => { checkSetCount(1, [line(10_000)]) }).not.toThrow()
    expect(() => { checkSetCount(2, [line(5_001)]) }).toThrow('Cannot run 10002 parameter sets')
  })
})

test.each([
  ['size=0.1..0.5:0.15', '--grid size=0.1..0.5:0.15 ends at 0.4: its steps do not come to 0.5'], ['size=1..10:100', '--grid size=1..10:100 ends at 1: its steps do not come to 10'],
  ['size=0.1..0.4:0.15', null], ['size=0.10..0.40:0.1', null], ['size=5..5:1', null], ['size=1,2', null], ['name=a..b', null], ['size', null],
])('a span whose steps leave out its end is noted: %s', (text, note) => {
  expect(spanNote(text)).toBe(note)
})
