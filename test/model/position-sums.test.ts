import { Amount } from '../../src/model/amount.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Contract } from '../../src/model/contract.js'
import { averageEntryPrice, emptyPosition, postFill, unrealizedPnl } from '../../src/model/position-sums.js'
import type { Side } from '../../src/model/side.js'

const linear: Contract = { instrumentId: 1, kind: 'linear', size: Amount.from('0.01'), settlementUnderlyingId: 2, baseUnderlyingId: null }
const inverse: Contract = { instrumentId: 1, kind: 'inverse', size: Amount.from(100), settlementUnderlyingId: 1, baseUnderlyingId: null }
type Row = [side: Side, quantity: string, price: string, realized: string, position: string, average: string | null]

const tables: [name: string, contract: Contract, rows: Row[]][] = [
  ['linear: entry, partial close, flip', linear, [
    ['BID', '300', '1.10', '0', '300', '1.1'],
    ['BID', '100', '1.20', '0', '400', '1.125'],
    ['ASK', '200', '1.30', '0.35', '200', '1.125'],
    ['ASK', '500', '1.00', '-0.25', '-300', '1'],
    ['BID', '300', '0.90', '0.3', '0', null],
  ]],
  ['linear below 0: a long gains when the price rises', linear, [
    ['BID', '200', '-3', '0', '200', '-3'],
    ['ASK', '100', '-1', '2', '100', '-3'],
    ['BID', '100', '1', '0', '200', '-1'],
    ['BID', '100', '3', '0', '300', '0.333333333333333333'],
    ['ASK', '300', '0', '-1', '0', null],
  ]],
  ['linear below 0: a short gains when the price falls, a flip through 0', linear, [
    ['ASK', '200', '-1', '0', '-200', '-1'],
    ['BID', '100', '-3', '2', '-100', '-1'],
    ['ASK', '100', '1', '0', '-200', '0'],
    ['BID', '500', '-2', '4', '300', '-2'],
    ['ASK', '300', '2', '12', '0', null],
  ]],
  ['inverse: profit in coin, a long gains 1/entry - 1/exit', inverse, [
    ['BID', '10', '50000', '0', '10', '50000'],
    ['ASK', '5', '62500', '0.002', '5', '50000'],
    ['ASK', '15', '40000', '-0.0025', '-10', '40000'],
  ]],
]

describe.each(tables)('%s', (_name, contract, rows) => {
  test('each posting as computed by hand', () => {
    const position = emptyPosition()
    for (const [side, quantity, price, realized, held, average] of rows) {
      expect(postFill(contract, position, side, Amount.from(quantity), Amount.from(price)).toFixed()).toBe(realized)
      expect(position.quantity.toFixed()).toBe(held)
      expect(averageEntryPrice(contract, position)?.toFixed() ?? null).toBe(average)
    }
  })
})

test('realised plus unrealised profit of a linear position is the cash of its fills plus its value, to the last digit of the quotients', () => {
  const fill = fc.record({ buy: fc.boolean(), quantity: fc.integer({ min: 1, max: 5000 }), price: fc.integer({ min: -99_999, max: 99_999 }) })
  fc.assert(fc.property(fc.array(fill, { minLength: 1, maxLength: 40 }), fc.integer({ min: -99_999, max: 99_999 }), (fills, mark) => {
    const position = emptyPosition()
    let [cash, turnover] = [Amount.ZERO, Amount.ZERO]
    for (const { buy, quantity, price } of fills) {
      turnover = turnover.plus(linear.size.times(Amount.from(quantity * Math.abs(price))))
      postFill(linear, position, buy ? 'BID' : 'ASK', Amount.from(quantity), Amount.from(price))
      cash = cash.plus(linear.size.times(Amount.from(quantity)).times(Amount.from(price)).signed(buy ? -1 : 1))
    }
    const expected = cash.plus(position.quantity.times(linear.size).times(Amount.from(mark)))
    const found = position.realizedPnl.plus(unrealizedPnl(linear, position, Amount.from(mark)))
    expect(found.toFixed()).toBe(expected.toFixed())
    expect(position.turnover.toFixed()).toBe(turnover.toFixed())
  }))
})

test.each([
  ['a fill', (price: Amount) => postFill(inverse, emptyPosition(), 'BID', Amount.from(1), price)],
  ['a valuation', (price: Amount) => unrealizedPnl(inverse, { ...emptyPosition(), quantity: Amount.from(1), openValue: Amount.from('0.1') }, price)],
] as const)('%s of an inverse contract at 0 or below is refused: it has no value there', (_what, valued) => {
  for (const price of ['0', '-1', '-0.00001']) {
    expect(() => valued(Amount.from(price))).toThrow(expect.objectContaining({ code: 'PRICE_INVALID', place: { field: 'price', expected: 'a price above 0', found: price } }))
  }
})

describe('the average entry price of inverse contracts has no digits of its roundings', () => {
  const HALF_UNITS = 2n * 10n ** 18n
  const filled = (fills: readonly (readonly [side: Side, quantity: number, price: string])[]): ReturnType<typeof emptyPosition> => {
    const position = emptyPosition()
    for (const [side, quantity, price] of fills) postFill(inverse, position, side, Amount.from(quantity), Amount.from(price))
    return position
  }

  test.each<[fills: [Side, number, string][], average: string]>([
    [[['BID', 7, '61804.8']], '61804.8'],
    [[['BID', 1, '60001'], ['BID', 1, '60001'], ['BID', 1, '60001']], '60001'],
    [[['ASK', 3, '60001'], ['ASK', 5, '60001'], ['BID', 2, '59999.9']], '60001'],
    [[['BID', 3, '60001'], ['ASK', 10, '61804.8']], '61804.8'],
    [[['BID', 1, '0.00001234']], '0.00001234'],
    // 6300000 / 107 = 58878.50467289719626..., of which the roundings leave 15 digits.
    [[['BID', 1, '50000'], ['BID', 1, '60000'], ['BID', 1, '70000']], '58878.5046728972'],
  ])('%j: %s', (fills, average) => {
    expect(averageEntryPrice(inverse, filled(fills))?.toFixed()).toBe(average)
  })

  test('equal prices give that price, whatever was closed between', () => {
    const tenths = fc.integer({ min: 1, max: 9_999_999 })
    fc.assert(fc.property(tenths, fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 60 }), fc.boolean(), (price, sizes, isLong) => {
      const position = emptyPosition()
      for (const [i, size] of sizes.entries()) {
        const closes = i % 3 === 2 && position.quantity.abs().gt(Amount.from(size))
        const side: Side = closes === isLong ? 'ASK' : 'BID'
        postFill(inverse, position, side, Amount.from(size), Amount.scaled(price, 1))
      }
      expect(averageEntryPrice(inverse, position)?.toFixed()).toBe(Amount.scaled(price, 1).toFixed())
    }))
  })

  /** An exact fraction, above 0. */
  const plus = ([a, b]: [bigint, bigint], [c, d]: [bigint, bigint]): [bigint, bigint] => [a * d + c * b, b * d]

  test('against exact fractions: the true value lies within the stated bound, the average too, and no shorter one', () => {
    const fill = fc.record({ closes: fc.nat({ max: 3 }), quantity: fc.integer({ min: 1, max: 900 }), tenths: fc.integer({ min: 100, max: 9_999_999 }) })
    fc.assert(fc.property(fc.array(fill, { minLength: 1, maxLength: 25 }), (fills) => {
      const position = emptyPosition()
      let [held, value]: [bigint, [bigint, bigint]] = [0n, [0n, 1n]]
      for (const { closes, quantity, tenths } of fills) {
        const isClosing = closes === 0 && held > BigInt(quantity)
        if (isClosing) value = [value[0] * (held - BigInt(quantity)), value[1] * held]
        else value = plus(value, [BigInt(quantity) * 1000n, BigInt(tenths)])
        held += BigInt(isClosing ? -quantity : quantity)
        postFill(inverse, position, isClosing ? 'ASK' : 'BID', Amount.from(quantity), Amount.scaled(tenths, 1))
      }
      const stated = BigInt(position.openValue.times(Amount.from('1e18')).toFixed())
      const roundings = BigInt(position.roundings)
      // |stated / 10^18 - value| <= roundings / (2 * 10^18)
      const distance = (([a, b]: [bigint, bigint]): [bigint, bigint] => [stated * b - a * 10n ** 18n, b])(value)
      expect(2n * (distance[0] < 0n ? -distance[0] : distance[0]) <= roundings * distance[1]).toBe(true)
      // A price p = n / 10^scale is in it where |amount / p - stated / 10^18| <= roundings / (2 * 10^18).
      const isIn = (n: bigint, scale: number): boolean => {
        const amount = held * 100n * 10n ** BigInt(scale)
        const off = amount * HALF_UNITS - 2n * stated * n
        return n > 0n && (off < 0n ? -off : off) <= roundings * n
      }
      const average = averageEntryPrice(inverse, position)?.toFixed() ?? ''
      const scale = average.split('.')[1]?.length ?? 0
      // Of a large value in coin not even a price of 18 decimals may be in it: the nearest is taken.
      const nearest = position.quantity.times(Amount.from(100)).quotient(position.openValue).toFixed()
      if (average !== nearest) expect(isIn(BigInt(average.replace('.', '')), scale)).toBe(true)
      if (scale === 0 || (average === nearest && !isIn(BigInt(average.replace('.', '')), scale))) return
      const shorter = (held * 100n * 10n ** BigInt(scale - 1) * 10n ** 18n) / stated
      for (const n of [shorter - 1n, shorter, shorter + 1n, shorter + 2n]) expect(isIn(n, scale - 1)).toBe(false)
    }))
  })
})
