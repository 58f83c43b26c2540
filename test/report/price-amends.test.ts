import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OrderTable } from '../../src/orders/order-table.js'
import { OrderRecorder } from '../../src/report/order-recorder.js'
import { RowStore } from '../../src/rows/row-store.js'
import { fakeEntry } from '../support/fake-market.js'
import { madeOrder, SAME_SCALES } from '../support/made-orders.ts'
import { placeEntry } from '../support/exchange-bench.ts'
import { throughJson } from '../support/through-json.ts'

const directory = { entries: [fakeEntry()], get: () => fakeEntry() }
const SENDER = { clientId: 'c', accountId: 'A' }
const TERMS = { price: 100, totalQuantity: 5 }

/** `sent c1 101` an amend, `sent c1 - 7` one of the quantity, `taken c1 101`, `refused c1`, `ended`, `save`; the mid of each is its place and 100. */
type Step = string

/** Twice the arrival mid behind each step of an order that was placed at the mid 100. */
function arrivals(steps: readonly Step[]): number[] {
  let mid = 200
  const made = (table: OrderTable): OrderRecorder => new OrderRecorder(directory, table, () => ({ value: mid, scale: 0 }))
  let table = new OrderTable(new RowStore(), true)
  let orders = made(table)
  const row = table.add(SENDER, placeEntry('o', TERMS), 1)
  table.of('A').add('o', row)
  let order = madeOrder(TERMS, SAME_SCALES, table, row)
  /** The exchange has the order with these terms. */
  const change = (clientOrderId: string, price: number): void => {
    Object.assign(order, { clientOrderId, price })
    order.report(1)
    orders.changed(order, null, 0)
  }
  orders.sent(row)
  change('o', 100)
  return steps.map((step, at) => {
    mid = 200 + 2 * (at + 1)
    const [verb, client = '', price = '', quantity = ''] = step.split(' ')
    if (verb === 'sent')
      orders.amended('A', {
        ownOrderId: 'o', currentClientOrderId: 'x', newClientOrderId: client, ...(price === '-' ? {} : price.startsWith('peg') ? { pegOffsetValue: Number(price.slice(3)) } : { price: Number(price) }), ...(quantity === '' ? {} : { totalQuantity: Number(quantity) }),
      })
    else if (verb === 'taken') change(client, Number(price))
    else if (verb === 'refused') orders.amendRefused('A', 'o', client)
    else if (verb === 'save') {
      const state = throughJson([table.state(), orders.state()] as const)
      table = new OrderTable(new RowStore(), true)
      orders = made(table)
      table.restore(state[0])
      orders.restore(state[1])
      order = madeOrder({ price: order.price, totalQuantity: 5 }, SAME_SCALES, table, row)
    } else {
      order.state = 'CANCELED'
      table.of('A').end('o')
      table.over(row)
      change('o', 100)
    }
    return orders.rows.arrivalTwice.at(0)
  })
}

describe('the arrival mid of an order', () => {
  test.each<[string, readonly Step[], readonly number[]]>([
    ['moves with a change of price that is taken, to the mid of its sending', ['sent c1 101', 'save', 'taken c1 101'], [200, 200, 202]],
    ['stays with one of the quantity', ['sent c1 - 7', 'taken c1 100'], [200, 200]],
    ['stays with the price that stands', ['sent c1 100 7', 'taken c1 100'], [200, 200]],
    ['stays with one that is refused', ['sent c1 101', 'refused c1', 'sent c2 - 7', 'taken c2 100'], [200, 200, 200, 200]],
    ['follows each of several on their way', ['sent c1 101', 'sent c2 102', 'taken c1 101', 'taken c2 102'], [200, 200, 202, 204]],
    ['follows the later one where the one before was refused', ['sent c1 101', 'sent c2 102', 'refused c1', 'taken c2 102'], [200, 200, 200, 204]],
    ['is of the first sending of a price that is sent twice', ['sent c1 101', 'sent c2 101 9', 'refused c1', 'taken c2 101'], [200, 200, 200, 202]],
    ['moves back to the first price as to any other', ['sent c1 101', 'taken c1 101', 'sent c2 100', 'taken c2 100'], [200, 202, 202, 206]],
    ['moves with the offset of a peg', ['sent c1 peg2', 'taken c1 99'], [200, 202]],
    ['is what it was where the order ended before', ['sent c1 101', 'ended'], [200, 200]],
  ])('%s', (_what, steps, wanted) => {
    expect(arrivals(steps)).toEqual(wanted)
  })

  test('a save at any step changes nothing', () => {
    const id = fc.constantFrom('c1', 'c2', 'c3')
    const step = fc.tuple(fc.constantFrom('sent', 'taken', 'refused'), id, fc.integer({ min: 99, max: 102 })).map((words) => words.join(' '))
    fc.assert(fc.property(fc.array(step, { maxLength: 12 }), fc.nat(12), (steps, at) => {
      const saved = [...steps.slice(0, at), ...(at < steps.length ? ['sent c9 - 1'] : []), ...steps.slice(at)]
      const plain = arrivals(saved)
      expect(arrivals(saved.map((one) => (one === 'sent c9 - 1' ? 'save' : one)))).toEqual(plain)
    }), { numRuns: 200 })
  })
})
