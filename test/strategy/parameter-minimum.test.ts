import { expect, test } from 'vitest'
import { Quantity, Price } from '../../src/model/fixed-decimal.js'
import { BigDecimal, Integer, List, Long, Parameter, TwoSides, type AnyParameterType, type ParameterOptions } from '../../src/strategy/parameter.js'
import { readParameters, type ParameterResolver } from '../../src/strategy/parameter-values.js'

/** Reads one value; what it is refused with, or nothing. */
function refusal(type: AnyParameterType, options: ParameterOptions, value: unknown): string {
  class Subject {
    readonly name = 'subject'
  }
  ;(Parameter as (type: AnyParameterType, options: ParameterOptions) => (target: object, key: string) => void)(type, options)(Subject.prototype, 'size')
  try {
    readParameters(new Subject(), { size: value }, {} as ParameterResolver)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test.each<readonly [type: AnyParameterType, options: ParameterOptions, value: unknown]>([
  [Quantity, {}, '0'], [Quantity, {}, '1.5'], [Quantity, { min: '-5' }, '-5'], [Quantity, { min: -5 }, '-4.99'], [Price, {}, '-1'], [Number, {}, -1], [Integer, {}, -1], [BigDecimal, {}, '-1'], [Long, { min: '9007199254740993' }, '9007199254740993'],
  [Number, { min: 0.5 }, 0.5], [List(Quantity), {}, ['0', '1']], [List(Quantity), { min: '-1' }, ['-1']], [TwoSides(Quantity), {}, '1'], [Boolean, { min: 1 }, false], [String, { min: 1 }, 'a'],
])('%o with %j takes %j', (type, options, value) => {
  expect(refusal(type, options, value)).toBe('')
})

test.each<readonly [type: AnyParameterType, options: ParameterOptions, value: unknown, path: string, least: string]>([
  [Quantity, {}, '-1', 'size', 'a quantity of at least 0; a declaration with min allows less, found -1'],
  [Quantity, {}, '-0.000001', 'size', 'a quantity of at least 0'],
  [Quantity, { min: '0.1' }, '0.09', 'size', 'a quantity of at least 0.1, found 0.09'],
  [Quantity, { min: -5 }, '-5.1', 'size', 'a quantity of at least -5, found -5.1'],
  [Price, { min: '1' }, '0.5', 'size', 'a value of at least 1, found 0.5'],
  [Number, { min: 1 }, 0, 'size', 'a value of at least 1, found 0'],
  [Integer, { min: 1 }, 0, 'size', 'a value of at least 1'],
  [Long, { min: '9007199254740993' }, '9007199254740992', 'size', 'a value of at least 9007199254740993, found 9007199254740992'],
  [BigDecimal, { min: '0.1' }, '0.01', 'size', 'a value of at least 0.1'],
  [List(Quantity), {}, ['1', '-1'], 'size[1]', 'a quantity of at least 0'],
  [TwoSides(Quantity), {}, { bid: '1', ask: '-1' }, 'size.ask', 'a quantity of at least 0'],
  [TwoSides(Quantity), {}, '-1', 'size', 'a quantity of at least 0'],
])('%o with %j refuses %j at %s', (type, options, value, path, least) => {
  const message = refusal(type, options, value)
  expect(message).toContain(`${path}: expected ${least}`)
})

test.each(['one', '', 'NaN', '1e'])('a min of %j is refused where it is declared', (min) => {
  expect(() => Parameter(Quantity, { min })(class { size!: Quantity }.prototype, 'size')).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }) as Error)
})
