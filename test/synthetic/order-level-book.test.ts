import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Side } from '../../src/model/side.js'
import { OrderLevelBook, type OrderListener } from '../../src/synthetic/order-level-book.js'

interface NaiveOrder { id: number; side: Side; tick: number; lots: number }
type Heard = readonly [string, ...(number | string)[]]

function recordingBook(): { book: OrderLevelBook; received: Heard[] } {
  const received: Heard[] = []
  const listener: OrderListener = {
    onAdded: (id, side, tick, lots) => received.push(['added', id, side, tick, lots]),
    onCanceled: (id, side, tick, lots) => received.push(['canceled', id, side, tick, lots]),
    onExecuted: (id, aggressorId, side, tick, lots, rest) => received.push(['executed', id, aggressorId, side, tick, lots, rest]),
  }
  return { book: new OrderLevelBook(listener), received }
}

/** Orders by priority in the plainest way: a stable sort by price of what came first. */
function byPriority(orders: readonly NaiveOrder[], side: Side): NaiveOrder[] {
  const sign = side === 'BID' ? -1 : 1
  return orders.filter((order) => order.side === side).sort((a, b) => (a.tick - b.tick) * sign)
}

const shown = (book: OrderLevelBook, side: Side): number[][] => [...book.orders(side)].map(({ id, tick, lots }) => [id, tick, lots])

describe('scenarios', () => {
  test('first come, first served at one price; better prices first', () => {
    const { book, received } = recordingBook()
    book.add(1, 'ASK', 101, 5)
    book.add(2, 'ASK', 100, 3)
    book.add(3, 'ASK', 100, 4)
    expect(book.execute(9, 'BID', 9)).toBe(0)
    expect(received.slice(3)).toEqual([['executed', 2, 9, 'ASK', 100, 3, 0], ['executed', 3, 9, 'ASK', 100, 4, 0], ['executed', 1, 9, 'ASK', 101, 2, 3]])
    expect([...book.levels('ASK')]).toEqual([[101, 3]])
  })
  test('what finds nobody is returned', () => {
    const { book } = recordingBook()
    book.add(1, 'BID', 99, 5)
    expect(book.execute(2, 'ASK', 8)).toBe(3)
    expect(book.bestTick('BID')).toBeNaN()
    expect(book.execute(3, 'ASK', 1)).toBe(1)
  })
  test.each([['BID', 100], ['BID', 101], ['ASK', 98], ['ASK', 97]] as const)('a crossing %s at %d is an assertion', (side, tick) => {
    const { book } = recordingBook()
    book.add(1, 'ASK', 100, 1)
    book.add(2, 'BID', 98, 1)
    expect(() => book.add(3, side, tick, 1)).toThrow('crosses')
    expect([...book.levels(side)]).toHaveLength(1)
  })
})

test('any sequence of orders: equal to a naive book, quantity conserved, never crossed, first in first out', () => {
  const command = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean(), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 20 }), fc.nat(99), fc.boolean())
  fc.assert(
    fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
      const { book, received } = recordingBook()
      let naive: NaiveOrder[] = []
      let added = 0
      let id = 0
      for (const [what, buys, distance, lots, pick, patient] of commands) {
        const side: Side = buys ? 'BID' : 'ASK'
        const other: Side = buys ? 'ASK' : 'BID'
        id += 1
        if (what < 5) {
          const opposite = book.bestTick(other)
          const tick = (Number.isNaN(opposite) ? 100 : opposite) + (buys ? -distance : distance)
          book.add(id, side, tick, lots, patient ? 'patient' : 'eager')
          naive.push({ id, side, tick, lots })
          added += lots
        } else if (what < 8) {
          const patience = patient ? 'patient' : 'eager'
          const order = book.orderAt(side, patience, pick % Math.max(1, book.orderCount(side, patience)))
          if (order === undefined) continue
          book.cancel(order)
          naive = naive.filter((known) => known.id !== order.id)
        } else {
          let rest = lots
          for (const order of byPriority(naive, other)) {
            const taken = Math.min(rest, order.lots)
            order.lots -= taken
            rest -= taken
          }
          naive = naive.filter((order) => order.lots > 0)
          expect(book.execute(id, side, lots)).toBe(rest)
        }
        for (const each of ['BID', 'ASK'] as const) {
          expect(shown(book, each)).toEqual(byPriority(naive, each).map((order) => [order.id, order.tick, order.lots]))
          expect(book.orderCount(each, 'eager') + book.orderCount(each, 'patient')).toBe(shown(book, each).length)
          for (const [tick, total] of book.levels(each)) expect(book.lotsAt(each, tick)).toBe(total)
        }
        expect(book.bestTick('BID') >= book.bestTick('ASK')).toBe(false)
      }
      const left = naive.reduce((sum, order) => sum + order.lots, 0)
      const gone = received.reduce((sum, [what, ...rest]) => sum + (what === 'executed' ? Number(rest[4]) : what === 'canceled' ? Number(rest[3]) : 0), 0)
      expect(added).toBe(left + gone)
    }),
    { numRuns: 150 },
  )
})
