import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Contract } from '../../src/model/contract.js'
import { averageEntryPrice, emptyPosition, postFill, unrealizedPnl } from '../../src/model/position-sums.js'
import { Decimal } from '../../src/model/decimal.js'
import type { Side } from '../../src/model/side.js'

const linear: Contract = { instrumentId: 1, kind: 'linear', size: new Decimal('0.01'), settlementUnderlyingId: 2, baseUnderlyingId: null }
const inverse: Contract = { instrumentId: 1, kind: 'inverse', size: new Decimal(100), settlementUnderlyingId: 1, baseUnderlyingId: null }
type Row = [side: Side, quantity: string, price: string, realized: string, position: string, average: string | null]

const tables: [name: string, contract: Contract, rows: Row[]][] = [
  ['linear: entry, partial close, flip', linear, [
    ['BID', '300', '1.10', '0', '300', '1.1'],
    ['BID', '100', '1.20', '0', '400', '1.125'],
    ['ASK', '200', '1.30', '0.35', '200', '1.125'],
    ['ASK', '500', '1.00', '-0.25', '-300', '1'],
    ['BID', '300', '0.90', '0.3', '0', null],
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
      expect(postFill(contract, position, side, new Decimal(quantity), new Decimal(price)).toFixed()).toBe(realized)
      expect(position.quantity.toFixed()).toBe(held)
      expect(averageEntryPrice(contract, position)?.toFixed() ?? null).toBe(average)
    }
  })
})

test('realised plus unrealised profit of a linear position is the cash of its fills plus its value, to the last digit of the quotients', () => {
  const fill = fc.record({ buy: fc.boolean(), quantity: fc.integer({ min: 1, max: 5000 }), price: fc.integer({ min: 1, max: 99_999 }) })
  fc.assert(fc.property(fc.array(fill, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 99_999 }), (fills, mark) => {
    const position = emptyPosition()
    let cash = new Decimal(0)
    for (const { buy, quantity, price } of fills) {
      postFill(linear, position, buy ? 'BID' : 'ASK', new Decimal(quantity), new Decimal(price))
      cash = cash.plus(linear.size.times(quantity).times(price).times(buy ? -1 : 1))
    }
    const expected = cash.plus(position.quantity.times(linear.size).times(mark))
    const found = position.realizedPnl.plus(unrealizedPnl(linear, position, new Decimal(mark)))
    expect(found.toFixed()).toBe(expected.toFixed())
  }))
})
