import { expect, test } from 'vitest'
import { RequestCounters } from '../../src/report/request-counters.js'
import { ExchangeBench, placeEntry } from '../support/exchange-bench.ts'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'

const instrument = madeInstrument()

test('the latency of a request is its own, though the adapter refuses a later one of the same order before its answer', () => {
  const counters = new RequestCounters()
  const lines = lineBatch([{ kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 110, 5]] }], { instrument })
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lines] }], assumptions: { requestLatency: constantLatency(10), responseLatency: constantLatency(5) },
    observer: () => ({
      delivered: (_client, timeNs, message, _account, { sentNs }) => {
        if (message.kind === 'amendResponse') for (const result of message.results) counters.answered('amend', sentNs, timeNs, result)
      },
    }),
  })
  const amend = (timeNs: number, to: string, price: number) => ({ timeNs, send: (entry: ReturnType<ExchangeBench['entryOf']>) => { entry.amend([{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: to, price }]) } })
  // The second one is off the tick: the adapter refuses it while the first is on its way.
  bench.run([{ timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { price: 90, totalQuantity: 2 })]) } }, amend(40, 'b', 91), amend(45, 'c', 91.5)])
  expect(counters.rejections().map(({ request, source, count }) => [request, source, count])).toEqual([['amend', 'INTERNAL', 1]])
  expect([counters.requestNs.quantiles(), counters.responseNs.quantiles()]).toMatchObject([{ count: 1, smallestNs: 10, largestNs: 10 }, { count: 1, smallestNs: 5, largestNs: 5 }])
})
