import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InstrumentFeed } from '../../src/replay/instrument-feed.js'
import { recordedFeedLatency } from '../../src/replay/feed-latency.js'
import { BatchMemory, ownedBatch, widenBatch } from '../../src/simulation/owned-batch.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { ExchangeMarket } from '../../src/exchange/market/exchange-market.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { log2Queue, logQueue, powerQueue, riskAverseQueue } from '../../src/exchange/matching/queue-model.js'
import { marketLines, script } from '../support/exchange-arbitraries.ts'
import { ExchangeBench, placeEntry, type BenchCommand, type BenchOptions } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { marginProfile } from '../support/played-money.ts'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { OrderEntry } from '../../src/venue/venue.js'

const instrument = madeInstrument()
const lines: MarketLine[] = [
  { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 102, 4]] },
  { kind: 'trades', timeNs: 9, adapterTimeNs: 20, rows: [[1, 100, 6]] },
]
/** Finer digits; its exchange times lie before the last item of the batch in front of it. */
const finer: MarketLine[] = [{ kind: 'update', timeNs: 5, adapterTimeNs: 21, rows: [[0, 10000, 500], [1, 10150, 100]] }, { kind: 'trades', timeNs: 30, rows: [[1, 10000, 100]] }]

test('a market and its orders move to finer scales with the feed; messages keep the scales of the run', () => {
  const wider = lineBatch(finer, { instrument, priceScale: 2, quantityScale: 2 })
  const first = ownedBatch(lineBatch(lines, { instrument }), 0, { price: 0, quantity: 0 }, new BatchMemory())
  const batches = [lineBatch([lines[0]!], { instrument }), (widenBatch(first, wider), first), wider]
  const fills: (readonly number[])[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches }],
    delivered: (_world, _client, timeNs, message) => { if (message.kind === 'fill') fills.push(...message.fills.map((fill) => [timeNs, fill.price, fill.quantity])) },
  })
  bench.run([{ timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { price: 100, totalQuantity: 2 })]) } }])
  expect(fills).toEqual([[9, 100, 1], [30, 100, 1]])
  expect([bench.markets.get(1)!.priceScale, bench.markets.get(1)!.quantityScale]).toEqual([2, 2])
})

test('bounds of orders are those of the master data, whatever digits the market has come to', () => {
  const bounded = madeInstrument({ minOrder: '5', maxOrder: '9', minValue: '600' })
  const answers: string[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument: bounded, batches: [lineBatch([lines[0]!], { instrument: bounded }), lineBatch(finer, { instrument: bounded, priceScale: 2, quantityScale: 2 })] }],
    delivered: (_world, _client, _timeNs, message) => { if (message.kind === 'placeResponse') answers.push(...message.results.map(({ ownOrderId, error }) => `${String(ownOrderId)} ${error?.message ?? 'ok'}`)) },
  })
  bench.run([4, 5, 6, 9, 10].map((totalQuantity): BenchCommand => ({ timeNs: 40 + totalQuantity, send: (entry) => { entry.place([placeEntry(`of ${totalQuantity}`, { price: 100, totalQuantity })]) } })))
  expect([bench.markets.get(1)!.quantityScale, answers]).toEqual([2, [
    'of 4 totalQuantity must be at least 5, found 4', 'of 5 the order\'s value must be at least 600, found 500', 'of 6 ok', 'of 9 ok', 'of 10 totalQuantity must be at most 9, found 10',
  ]])
})

test('what executes is whole lots of the master data where the market has finer digits', () => {
  const filled = (quantityScale: number, lotSize: string, of: number, traded: number, scales: { readonly priceScale: number, readonly quantityScale: number }): readonly number[] => {
    const own = madeInstrument({ lotSize })
    const unit = 10 ** scales.quantityScale
    const rows = (price: number): [number, number, number][] => [[0, price * 10 ** scales.priceScale, 5 * unit], [1, (price + 2) * 10 ** scales.priceScale, 5 * unit]]
    const fills: number[] = []
    const bench = new ExchangeBench({
      instruments: [{ instrument: own, quantityScale, batches: [lineBatch([{ kind: 'snapshot', timeNs: 1, rows: rows(100) }, { kind: 'trades', timeNs: 9, rows: [[1, 101 * 10 ** scales.priceScale, traded]] }], { instrument: own, ...scales })] }],
      delivered: (_world, _client, _timeNs, message) => { if (message.kind === 'fill') fills.push(...message.fills.map(({ quantity }) => quantity)) },
    })
    bench.run([{ timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { price: 101, totalQuantity: of })]) } }])
    return [...fills, bench.markets.get(1)!.quantityScale]
  }
  // 3.5 are traded: 3 whole ones, and 2 in lots of 2.
  expect(filled(0, '1', 4, 35, { priceScale: 0, quantityScale: 1 })).toEqual([3, 1])
  expect(filled(0, '2', 4, 35, { priceScale: 1, quantityScale: 1 })).toEqual([2, 1])
})

test('lots stay as large as they are where digits grow under orders that rest', () => {
  const own = madeInstrument({ lotSize: '2' })
  const fine = { instrument: own, priceScale: 1, quantityScale: 1 }
  const fills: number[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument: own, batches: [lineBatch([lines[0]!], { instrument: own }), lineBatch([{ kind: 'trades', timeNs: 9, rows: [[1, 1010, 35]] }, { kind: 'trades', timeNs: 10, rows: [[1, 1005, 39]] }, { kind: 'update', timeNs: 11, rows: [[1, 990, 25]] }], fine)] }],
    delivered: (_world, _client, _timeNs, message) => { if (message.kind === 'fill') fills.push(...message.fills.map(({ quantity }) => quantity)) },
  })
  bench.run([{ timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { price: 101, totalQuantity: 20 })]) } }])
  // Of 3.5, 3.9 and 2.5 units one lot of 2 each.
  expect([fills, bench.markets.get(1)!.quantityScale]).toEqual([[2, 2, 2], 1])
})

test('a feed brings the batches in hand to the scales of the newest', async () => {
  const scales = { price: 0, quantity: 0 }
  const source = (async function* (): AsyncGenerator<EventBatch> {
    yield lineBatch(lines, { instrument })
    yield lineBatch(finer, { instrument, priceScale: 2, quantityScale: 2 })
  })()
  const feed = new InstrumentFeed({ instrumentId: 1, batches: source, own: (batch, day) => ownedBatch(batch, day, scales, new BatchMemory()), widen: widenBatch, recycle: () => undefined }, 0, recordedFeedLatency())
  await feed.load()
  await feed.load()
  const market = new ExchangeMarket(1, feed.order, 'fused')
  market.advance(Infinity, () => false)
  expect([market.shown.bestBidPrice, market.shown.bestBidQuantity, market.shown.bestAskPrice]).toEqual([10000, 500, 10150])
})

test('a batch of narrower scales after a wider one is refused', () => {
  const bench = new ExchangeBench({ instruments: [{ instrument, batches: [lineBatch(finer, { instrument, priceScale: 2, quantityScale: 2 }), lineBatch([{ ...lines[0]!, timeNs: 40 }], { instrument })] }] })
  expect(() => { bench.run([]) }).toThrow(/scales that only grow|already/)
})

/** The same lines in finer digits. */
function finely(lines: readonly MarketLine[], [priceDigits, quantityDigits]: readonly [number, number] = [1, 2]): MarketLine[] {
  return lines.map((line) => ({ ...line, rows: (line.rows ?? []).map(([side, price, quantity]) => [side, price * 10 ** priceDigits, quantity * 10 ** quantityDigits]) }))
}

function messagesOf(batches: readonly EventBatch[], commands: readonly BenchCommand[], assumptions: object, more: Partial<BenchOptions> = {}): string[] {
  const told: string[] = []
  // The bench does not widen the batches in hand, as a feed does: no row of a finer one may go before lines of another.
  const bench = new ExchangeBench({ ...more, sameStamp: 'file', instruments: [{ instrument, batches }], assumptions, delivered: (_world, _client, timeNs, message) => told.push(`${timeNs} ${JSON.stringify(message)}`) })
  bench.run(commands)
  const { shown } = bench.markets.get(1)!
  return [...told, JSON.stringify([shown.bestBidPrice, shown.bestBidQuantity, shown.bestAskPrice, shown.bestAskQuantity])]
}

test('a feed whose digits grow finer on the way gives the messages of one that had them from the start', () => {
  const assumptions = fc.record({
    queue: fc.constantFrom(riskAverseQueue, powerQueue(), logQueue, log2Queue), gaps: fc.constantFrom('assumeWorst', 'cancelAndWait', 'freeze'), requestLatency: fc.constantFrom(0, 3).map(constantLatency),
  })
  fc.assert(fc.property(marketLines(true), script, fc.nat(39), assumptions, fc.constantFrom([1, 2] as const, [1, 0] as const, [0, 1] as const), (all, commands, cut, more, digits) => {
    const at = 1 + (cut % (all.length - 1))
    const fine = { instrument, priceScale: digits[0], quantityScale: digits[1] }
    const grown = [lineBatch(all.slice(0, at), { instrument }), lineBatch(finely(all.slice(at), digits), fine)]
    expect(messagesOf(grown, commands, more)).toEqual(messagesOf([lineBatch(finely(all, digits), fine)], commands, more))
  }), { numRuns: 400 })
})

/** The same day in two: digits that grow at `at`, and fine ones from the beginning. */
function bothWays(day: readonly MarketLine[], at: number): [grown: EventBatch[], fine: EventBatch[]] {
  const scales = { instrument, priceScale: 1, quantityScale: 2 }
  return [[lineBatch(day.slice(0, at), { instrument }), lineBatch(finely(day.slice(at)), scales)], [lineBatch(finely(day), scales)]]
}

const order = (timeNs: number, more: Partial<PlaceEntry>): BenchCommand => ({ timeNs, send: (entry) => entry.place([placeEntry(`o${timeNs}`, { price: 90, totalQuantity: 2, postOnly: false, ...more })]) })

test.each([3, 5, 7, 9])('stop and pegged orders that wait while digits grow behave as where they were fine before: from line %i on', (at) => {
  const day: MarketLine[] = [
    { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [0, 98, 5], [1, 102, 4], [1, 110, 9]] },
    { kind: 'trades', timeNs: 2, rows: [[0, 101, 1]] },
    { kind: 'update', timeNs: 20, rows: [[0, 101, 3]] },
    { kind: 'update', timeNs: 30, rows: [[0, 101, 0], [1, 103, 2]] },
    { kind: 'trades', timeNs: 40, rows: [[0, 104, 1]] },
    { kind: 'trades', timeNs: 50, rows: [[0, 106, 1], [1, 97, 1]] },
    { kind: 'update', timeNs: 60, rows: [[0, 99, 7], [1, 102, 1]] },
    { kind: 'trades', timeNs: 70, rows: [[1, 93, 1], [1, 94, 1]] },
    { kind: 'update', timeNs: 80, rows: [[0, 100, 0], [0, 99, 0], [1, 105, 6]] },
    { kind: 'trades', timeNs: 90, rows: [[0, 111, 4], [1, 90, 3]] },
  ]
  const commands = [
    order(10, { type: 'STOP_LIMIT', side: 'BID', triggerPrice: 105, price: 111 }), order(11, { type: 'STOP_LIMIT', side: 'ASK', triggerPrice: 95, price: 96 }),
    order(12, { type: 'STOP_LIMIT', side: 'BID', triggerPrice: 111, price: 97 }), order(13, { type: 'PRIMARY_PEGGED', side: 'BID', pegOffsetValue: -1 }), order(14, { type: 'MARKET_PEGGED', side: 'ASK', pegOffsetValue: 3 }),
    { timeNs: 45, send: (entry: OrderEntry) => { entry.amend([{ ownOrderId: 'o11', currentClientOrderId: 'o11', newClientOrderId: 'o11b', triggerPrice: 93, price: 92 }]) } },
  ]
  const [grown, fine] = bothWays(day, at)
  const told = messagesOf(fine, commands, {})
  expect(messagesOf(grown, commands, {})).toEqual(told)
  expect(told.filter((line) => line.includes('"triggered":true')).length).toBeGreaterThan(2)
})

test.each([1, 2])('a position is liquidated at the same price where digits grew: from line %i on', (at) => {
  const day: MarketLine[] = [{ kind: 'snapshot', timeNs: 1, rows: [[0, 99, 50], [1, 100, 50]] }, { kind: 'mark', timeNs: 2, value: 100 }, { kind: 'update', timeNs: 20, rows: [[0, 80, 1]] }, { kind: 'mark', timeNs: 30, value: 60 }]
  const accounts = [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, profile: marginProfile(['cross']) }]
  const [grown, fine] = bothWays(day, at)
  const commands = [order(10, { side: 'BID', price: 100, totalQuantity: 5 })]
  const told = messagesOf(fine, commands, {}, { accounts })
  expect(messagesOf(grown, commands, {}, { accounts })).toEqual(told)
  expect(told.filter((line) => line.includes('"type":"OTHER"')).map((line) => /"price":(\d+),"quantity":(\d+)/.exec(line)?.slice(1))).toEqual([['80', '5']])
})
