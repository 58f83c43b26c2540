import { Amount } from '../../src/model/amount.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contractFromInstrument, contractValue } from '../../src/model/contract.js'
import { bankruptcyPrice, bracketOf, initialMargin, isBeyondBrackets, liquidationPrice, maintenanceMargin, type MarginBracket } from '../../src/exchange/accounts/margin.js'
import { madeInstrument } from '../support/market-lines.ts'

/** Steps that meet: each deduction is what makes the margin at its beginning that of the step before. */
function stepsOf(...steps: readonly (readonly [upTo: number | null, initial: string, maintenance: string])[]): MarginBracket[] {
  let deduction = Amount.ZERO
  return steps.map(([upTo, initial, maintenance], at) => {
    const [before, , rate] = steps[at - 1] ?? [0, '', '0']
    deduction = at === 0 ? deduction : deduction.plus(Amount.from(maintenance).minus(Amount.from(rate)).times(Amount.from(before ?? 0)))
    return { upTo: upTo === null ? null : Amount.from(upTo), initialRate: Amount.from(initial), maintenanceRate: Amount.from(maintenance), deduction }
  })
}

const THREE = stepsOf([1000, '0.1', '0.05'], [5000, '0.2', '0.1'], [20_000, '0.5', '0.25'])
const OPEN_ENDED = stepsOf([1000, '0.1', '0.05'], [5000, '0.2', '0.1'], [null, '0.5', '0.25'])
const contracts = { linear: contractFromInstrument(madeInstrument()), inverse: contractFromInstrument(madeInstrument({ isInverse: true, contractValue: '100' })) }

describe('steps of margin', () => {
  test.each([
    // 0.05 up to 1000, 0.1 less 50, 0.25 less 800.
    [500, '50', '25'], [1000, '100', '50'], [1001, '200.2', '50.1'], [5000, '1000', '450'], [8000, '4000', '1200'], [20_000, '10000', '4200'], [30_000, '15000', '6700'],
  ])('a value of %s takes %s to open and %s to keep; beyond the last step by the last one', (value, initial, maintenance) => {
    for (const steps of [THREE, OPEN_ENDED]) expect([initialMargin(steps, Amount.from(value)).toFixed(), maintenanceMargin(steps, Amount.from(value)).toFixed()]).toEqual([initial, maintenance])
  })

  test('only a bounded last step has a beyond', () => {
    const beyond = (steps: readonly MarginBracket[]) => [5001, 20_000, 20_001].map((value) => isBeyondBrackets(steps, Amount.from(value)))
    expect([beyond(THREE), beyond(OPEN_ENDED), beyond([])]).toEqual([[false, false, true], [false, false, false], [false, false, false]])
  })

  test('without steps no margin is known, and none is taken', () => {
    const value = Amount.from(500)
    expect([bracketOf([], value), initialMargin([], value).toFixed(), maintenanceMargin([], value).toFixed()]).toEqual([undefined, '0', '0'])
    expect(liquidationPrice({ contract: contracts.linear, isLong: true, quantity: value, openValue: value }, Amount.ZERO, [])).toBeNull()
  })

  test('a deduction leaves no margin below 0', () => {
    expect(maintenanceMargin([{ ...THREE[0]!, deduction: Amount.from(30) }], Amount.from(500)).toFixed()).toBe('0')
  })
})

describe('the price at which a position is liquidated', () => {
  const position = fc.record({
    kind: fc.constantFrom('linear', 'inverse'), isLong: fc.boolean(), quantity: fc.integer({ min: 1, max: 300 }), price: fc.integer({ min: 1, max: 200 }), collateral: fc.integer({ min: 1, max: 12_000 }), steps: fc.constantFrom(THREE, OPEN_ENDED),
  }) as fc.Arbitrary<{ kind: 'linear' | 'inverse', isLong: boolean, quantity: number, price: number, collateral: number, steps: MarginBracket[] }>

  test('is where what stands for it comes down to its maintenance margin, in the step of its value there, and no other price is', () => {
    fc.assert(fc.property(position, ({ kind, isLong, quantity, price, collateral, steps }) => {
      const contract = contracts[kind]
      const valueAt = (at: Amount): Amount => contractValue(contract, Amount.from(quantity), at)
      const openValue = valueAt(Amount.from(price))
      const gainsWithValue = isLong === (kind === 'linear')
      /** What is left above the maintenance margin at a value of the position; it falls from better values to worse. */
      const spare = (value: Amount): Amount => Amount.from(collateral).plus(gainsWithValue ? value.minus(openValue) : openValue.minus(value)).minus(maintenanceMargin(steps, value))
      const found = liquidationPrice({ contract, isLong, quantity: Amount.from(quantity), openValue }, Amount.from(collateral), steps)
      if (found === null) {
        // Only what gains as its value falls to nothing, or loses too little for all of it, is never due.
        expect([gainsWithValue, spare(Amount.ZERO).sign >= 0]).toEqual([true, true])
        return
      }
      const there = valueAt(found)
      expect(spare(there).abs().lt(Amount.from('1e-9'))).toBe(true)
      const [better, worse] = gainsWithValue ? ['1.001', '0.999'] : ['0.999', '1.001']
      expect([spare(there.times(Amount.from(better))).sign > 0, spare(there.times(Amount.from(worse))).sign < 0]).toEqual([true, true])
    }), { numRuns: 500 })
  })

  test('below 0 too, where entry or price are: what is left is nothing there, less beyond it and more before it', () => {
    fc.assert(fc.property(position, fc.integer({ min: -200, max: 200 }), ({ isLong, quantity, collateral, steps }, price) => {
      const openValue = contractValue(contracts.linear, Amount.from(quantity), Amount.from(price))
      const spare = (value: Amount): Amount => Amount.from(collateral).plus(isLong ? value.minus(openValue) : openValue.minus(value)).minus(maintenanceMargin(steps, value))
      const below = { contract: contracts.linear, isLong, quantity: Amount.from(quantity), openValue, isBelowZero: true }
      const found = liquidationPrice(below, Amount.from(collateral), steps)!
      const there = contractValue(contracts.linear, Amount.from(quantity), found)
      const step = Amount.from(isLong ? '0.001' : '-0.001')
      expect(spare(there).abs().lt(Amount.from('1e-9'))).toBe(true)
      expect([spare(there.plus(step)).sign, spare(there.minus(step)).sign]).toEqual([1, -1])
      const lost = contractValue(contracts.linear, Amount.from(quantity), bankruptcyPrice(below, Amount.from(collateral))!)
      expect(lost.minus(openValue).plus(Amount.from(isLong ? collateral : -collateral)).abs().lt(Amount.from('1e-9'))).toBe(true)
    }), { numRuns: 500 })
  })

  test('lies before the one at which nothing is left at all', () => {
    const long = { contract: contracts.linear, isLong: true, quantity: Amount.from(100), openValue: Amount.from(10_000) }
    const short = { ...long, isLong: false }
    // 10,000 - v = 2,000; 2,000 + v - 10,000 = 0.25 v - 800, so v = 9,600; the other way 12,800 = 1.25 v.
    expect([long, short].map((one) => bankruptcyPrice(one, Amount.from(2000))?.toFixed())).toEqual(['80', '120'])
    expect([long, short].map((one) => liquidationPrice(one, Amount.from(2000), THREE)?.toFixed())).toEqual(['96', '102.4'])
    expect([bankruptcyPrice(long, Amount.from(10_000)), bankruptcyPrice(long, Amount.from(9_999))?.toFixed()]).toEqual([null, '0.01'])
  })
})
