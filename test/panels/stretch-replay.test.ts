import { describe, expect, test } from 'vitest'
import { STRETCH_EVENTS, type StretchColumns, type StretchEvent } from '../../src/panels/stretch-columns.js'
import { StretchReplay, type StepKind } from '../../src/panels/stretch-replay.js'

const KINDS: readonly StretchEvent[] = ['begin', 'book', 'request', 'trade', 'order', 'execution', 'book', 'receipt', 'trade', 'log', 'other', 'end']
const NO_ROWS = { event: [], side: [], price: [], quantity: [] }

/** Two instruments; order 0 is accepted at 4 and filled at 5, order 1 is sent at 2, accepted at 4 and stays open. */
const COLUMNS: StretchColumns = {
  format: 'backtape-stretch/1', name: 'r', facts: [], fromEpochNs: '0', levelCount: 1, unseenCount: 0,
  events: { kind: KINDS.map((kind) => STRETCH_EVENTS.indexOf(kind)), timeNs: [0, 10, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], instrument: KINDS.map(() => 0) },
  instruments: [
    {
      name: 'a:A', priceScale: 0, quantityScale: 0, levels: NO_ROWS,
      trades: { event: [3, 8, 8], side: [0, 1, 0], price: [100, 99, 101], quantity: [4, 5, 6] },
      states: { event: [1, 5, 6, 9], state: ['READY', 'ERROR', 'SUSPENDED', 'READY'] },
    },
    { name: 'a:B', priceScale: 0, quantityScale: 0, levels: NO_ROWS, trades: NO_ROWS, states: { event: [], state: [] } },
  ],
  orders: ['1', '2'].map((ownOrderId) => ({ account: 'acc', client: 'c', ownOrderId, instrument: 0, side: 'BID', type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL' })),
  orderRows: {
    event: [2, 2, 4, 4, 5], order: [0, 1, 0, 1, 0], state: ['SENT', 'SENT', 'CONFIRMED', 'CONFIRMED', 'FILLED'],
    price: [100, null, 100, 98, 100], total: [4, 7, 4, 7, 4], executed: [0, 0, 0, 0, 4], ahead: [null, null, 3, 0, 0],
  },
  fills: {
    order: [1, 0, 1], event: [-1, 5, 8], receipt: [3, 7, -1], price: [98, 100, 98], quantity: [1, 4, 2], cause: ['', 'trade', 'trade'], ahead: [null, 3, 0],
    isMaker: [true, true, true], fee: ['0', '0', '0'], position: ['', '5', '7'],
  },
  positions: [{ account: 'acc', instrument: 0, quantity: '1' }, { account: 'acc', instrument: 1, quantity: '-2' }],
  lines: { event: [4, 9], text: ['{}', '{}'] },
}

const replay = new StretchReplay(COLUMNS)
const all = KINDS.map((_, event) => event)

describe('a stretch that is stepped through', () => {
  test('has the state of the market data from the event on that names it', () => {
    expect(all.map((event) => replay.stateOf(0, event))).toEqual([
      '', 'READY', 'READY', 'READY', 'READY', 'ERROR', 'SUSPENDED', 'SUSPENDED', 'SUSPENDED', 'READY', 'READY', 'READY',
    ])
  })

  test('has no state of an instrument that was never asked for, nor of one that is not there', () => {
    expect(all.map((event) => [replay.stateOf(1, event), replay.stateOf(2, event)])).toEqual(all.map(() => ['', '']))
  })

  test.each<readonly [kind: StepKind, events: number[]]>([
    ['fill', [3, 5, 8]], ['trade', [3, 8]], ['order', [2, 4, 5, 7]], ['event', all],
  ])('goes by %s to the next and the previous one, and no further than the last', (kind, events) => {
    expect(replay.countOf(kind)).toBe(events.length)
    expect(all.map((event) => replay.next(event, kind))).toEqual(all.map((event) => events.find((one) => one > event) ?? event))
    expect(all.map((event) => replay.previous(event, kind))).toEqual(all.map((event) => events.findLast((one) => one < event) ?? event))
  })

  test.each([[-5, 0], [0, 0], [9, 0], [10, 2], [11, 2], [100, 11], [999, 11]])('is at %d ns at event %d', (timeNs, event) => {
    expect(replay.eventAt(timeNs)).toBe(event)
  })

  test('has orders as they are behind an event, those that are over last', () => {
    const at = (event: number, overCount?: number): unknown[] => replay.orders(event, overCount).map(({ number, state, price, total, executed, ahead, changed, first, isOver }) => [number, state, price, total, executed, ahead, changed, first, isOver])
    expect(at(1)).toEqual([])
    expect(at(3)).toEqual([[1, 'SENT', null, 7, 0, null, 2, 2, false], [0, 'SENT', 100, 4, 0, null, 2, 2, false]])
    expect(at(4)).toEqual([[1, 'CONFIRMED', 98, 7, 0, 0, 4, 2, false], [0, 'CONFIRMED', 100, 4, 0, 3, 4, 2, false]])
    expect(at(5)).toEqual([[1, 'CONFIRMED', 98, 7, 0, 0, 4, 2, false], [0, 'FILLED', 100, 4, 4, 0, 5, 2, true]])
    expect(at(11, 0)).toEqual([[1, 'CONFIRMED', 98, 7, 0, 0, 4, 2, false]])
    expect([replay.endOf(0), replay.endOf(1), replay.endOf(2)]).toEqual([5, 11, 11])
    expect([replay.orderNumber('acc', '2'), replay.orderNumber('acc', '3'), replay.orderNumber('other', '2')]).toEqual([1, -1, -1])
  })

  test('has trades, fills and lines up to an event, the newest first and no more than asked for', () => {
    const trades = (event: number, limit: number): unknown[] => replay.trades(0, event, limit).map(({ event: at, isBuy, price, quantity }) => [at, isBuy, price, quantity])
    expect(trades(2, 9)).toEqual([])
    expect(trades(7, 9)).toEqual([[3, true, 100, 4]])
    expect(trades(8, 9)).toEqual([[8, true, 101, 6], [8, false, 99, 5], [3, true, 100, 4]])
    expect(trades(8, 2)).toEqual([[8, true, 101, 6], [8, false, 99, 5]])
    expect([replay.trades(1, 11, 9), replay.trades(2, 11, 9)]).toEqual([[], []])
    // The fill that executed before the stretch is shown when it was received.
    expect([2, 3, 5, 8].map((event) => replay.fills(event, 9))).toEqual([[], [0], [1, 0], [2, 1, 0]])
    expect(replay.fills(8, 1)).toEqual([2])
    expect([2, 3, 4, 5, 7, 8].map((event) => replay.fillsAt(event))).toEqual([[], [0], [], [1], [], [2]])
    expect([3, 4, 8, 9].map((event) => replay.lines(event, 9))).toEqual([[], [0], [0], [1, 0]])
    expect(replay.lines(9, 1)).toEqual([1])
  })

  test('has positions from the begin on, then those of the fills that state one', () => {
    expect([0, 3, 4, 5, 7, 8].map((event) => replay.positions(0, event)[0]!.quantity)).toEqual(['1', '1', '1', '5', '5', '7'])
    expect(replay.positions(1, 11)).toEqual([{ account: 'acc', quantity: '-2' }])
    expect(replay.positions(2, 11)).toEqual([])
  })
})
