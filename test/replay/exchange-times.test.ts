import { expect, test } from 'vitest'
import { EVENT_FLAGS } from '../../src/model/event-batch.js'
import { ExchangeOrderQueue } from '../../src/replay/exchange-order-queue.js'
import { ExchangeTimes } from '../../src/replay/exchange-times.js'
import { lineBatch, madeInstrument, type MarketLine, type MarketRow } from '../support/market-lines.ts'

const SECOND = 1_000_000_000
const instrument = madeInstrument()

/** Exchange-side times of items in the order in which they happen, and what was counted; both ways of counting agree. */
function timesOf(lines: readonly MarketLine[]): unknown {
  const [times, order] = [new ExchangeTimes(), new ExchangeOrderQueue()]
  const batch = lineBatch(lines, { instrument })
  times.queue(batch, 0, order, new Float64Array(lines.length))
  const counted = new ExchangeTimes()
  counted.count(batch, lines.length)
  expect(counted.counts).toEqual(times.counts)
  const { missing, afterAdapter, movedUp } = times.counts
  return [[...order.timeNs.subarray(order.head, order.tail)], { missing, afterAdapter, movedUp }]
}

const trades = (timeNs: number, adapterTimeNs: number, ...rowTimesNs: number[]): MarketLine => ({ kind: 'trades', timeNs, adapterTimeNs, rows: rowTimesNs.map((rowNs): MarketRow => [0, 99, 1, rowNs]) })
const mark = (timeNs: number, adapterTimeNs: number): MarketLine => ({ kind: 'mark', timeNs, adapterTimeNs, value: 1 })

test.each<readonly [what: string, lines: readonly MarketLine[], times: readonly number[], counts: object]>([
  ['a line at its own time', [mark(5, 9)], [5], {}],
  ['a line without one when the adapter had it', [mark(NaN, 9)], [9], { missing: 1 }],
  ['a line later than the adapter when the adapter had it', [mark(12, 9)], [9], { afterAdapter: 1 }],
  ['each row at its own time', [trades(7, 9, 5, 6, 7)], [5, 6, 7], {}],
  ['a row without one when the adapter had it, whatever its line says', [trades(7, 9, 5, NaN, 7)], [5, 7, 9], { missing: 1 }],
  ['a row later than the adapter', [trades(7, 9, 5, 11)], [5, 9], { afterAdapter: 1 }],
  ['within the window out of order', [mark(11 * SECOND, 11 * SECOND), mark(SECOND, 12 * SECOND)], [SECOND, 11 * SECOND], {}],
  ['beyond the window moved up to it', [mark(12 * SECOND, 12 * SECOND), trades(SECOND, 13 * SECOND, SECOND)], [2 * SECOND, 12 * SECOND], { movedUp: 1 }],
])('%s', (_what, lines, times, counts) => {
  expect(timesOf(lines)).toEqual([times, { missing: 0, afterAdapter: 0, movedUp: 0, ...counts }])
})

test('a silence is no line of the file: what is received behind it keeps its own time (rules 1.1, 6.4)', () => {
  const [times, order] = [new ExchangeTimes(), new ExchangeOrderQueue()]
  const lines: MarketLine[] = [
    mark(5 * SECOND, 5 * SECOND), { kind: 'ERROR', timeNs: 65 * SECOND }, mark(20 * SECOND, 75 * SECOND), trades(21 * SECOND, 75 * SECOND, 21 * SECOND),
  ]
  const batch = lineBatch(lines, { instrument })
  batch.flags[1] = EVENT_FLAGS.SILENCE
  times.queue(batch, 0, order, new Float64Array(lines.length))
  expect([...order.timeNs.subarray(order.head, order.tail)]).toEqual([5, 20, 21, 65].map((second) => second * SECOND))
  const counted = new ExchangeTimes()
  counted.count(batch, lines.length)
  expect([times.counts.movedUp, counted.counts]).toEqual([0, times.counts])
})
