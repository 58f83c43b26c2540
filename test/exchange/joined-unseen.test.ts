import { expect, test } from 'vitest'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { playedInTwo } from '../support/played-in-two.ts'
import { throughJson } from '../support/through-json.ts'

const LINES: MarketLine[] = [
  { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 103, 3]] },
  { kind: 'snapshot', timeNs: 4, rows: [[0, 100, 5], [1, 101, 1]] },
  { kind: 'snapshot', timeNs: 6, rows: [[0, 100, 5], [1, 103, 3]] },
]
const ask = (timeNs: number, ownOrderId: string, world = 0): BenchCommand => ({ timeNs, world, send: (entry) => entry.place([placeEntry(ownOrderId, { side: 'ASK', price: 103 })]) })
const made = (worldCount = 1): ExchangeBench => new ExchangeBench({ worldCount, instruments: [{ instrument: madeInstrument(), batches: [lineBatch(LINES, { instrument: madeInstrument() })] }] })
const aheadOf = (bench: ExchangeBench, id: string): number | undefined => bench.openOrders().find(({ ownOrderId }) => ownOrderId === id)?.quantityAhead

test('an order that joins beyond the shown depth is told its place by the same quantity as before, whoever else watches the price', () => {
  const alone = made(2)
  alone.run([ask(5, 'late')])
  const beside = made(2)
  beside.run([ask(2, 'early', 1), ask(5, 'late')])
  const behind = made(2)
  behind.run([ask(2, 'early'), ask(5, 'late')])
  expect([alone, beside, behind].map((bench) => aheadOf(bench, 'late'))).toEqual([3, 3, 3])
})

test('a checkpoint in between knows that it waits for this', () => {
  const commands = [ask(2, 'early'), ask(5, 'late')]
  const first = made()
  first.run(commands, 5)
  expect(aheadOf(first, 'late')).toBe(NaN)
  const second = made()
  second.worlds[0]!.restore(throughJson(first.worlds[0]!.state()))
  second.markets.get(1)!.restore(throughJson(first.markets.get(1)!.state()))
  second.agenda.restore(first.agenda.entries())
  second.queues.get(1)!.head = first.queues.get(1)!.head
  second.run([])
  expect([aheadOf(second, 'early'), aheadOf(second, 'late')]).toEqual([3, 3])
})

test('what was ahead at its entry is what it is told first, and stays so', () => {
  const entryOf = (bench: ExchangeBench, id: string): number | undefined => bench.worlds[0]!.orders.of('A', id)?.entryQuantityAhead
  const until = (timeNs: number, lines: readonly MarketLine[] = LINES): ExchangeBench => {
    const bench = new ExchangeBench({ instruments: [{ instrument: madeInstrument(), batches: [lineBatch(lines, { instrument: madeInstrument() })] }] })
    bench.run([ask(2, 'early'), ask(5, 'late')], timeNs)
    return bench
  }
  const later: MarketLine[] = [...LINES, { kind: 'update', timeNs: 8, rows: [[1, 103, 9]] }, { kind: 'update', timeNs: 9, gap: true, rows: [] }, { kind: 'snapshot', timeNs: 12, rows: [[0, 100, 5], [1, 103, 7]] }]
  expect([until(5), until(6), until(8, later), until(12, later)].map((bench) => [entryOf(bench, 'early'), entryOf(bench, 'late')])).toEqual([[3, NaN], [3, 3], [3, 3], [3, 3]])
  // The level that shows again may hold more than it did.
  const more = [...LINES.slice(0, 2), { ...LINES[2]!, rows: [[0, 100, 5], [1, 103, 4]] } as MarketLine, { kind: 'update', timeNs: 8, rows: [[1, 103, 2]] } as MarketLine]
  expect([until(6, more), until(8, more)].map((bench) => [entryOf(bench, 'early'), entryOf(bench, 'late'), aheadOf(bench, 'late')])).toEqual([[3, 4, 4], [3, 4, 2]])
  const inGap = new ExchangeBench({ instruments: [{ instrument: madeInstrument(), batches: [lineBatch(later, { instrument: madeInstrument() })] }] })
  inGap.run([ask(10, 'blind')], 11)
  expect(entryOf(inGap, 'blind')).toBe(NaN)
  inGap.run([], 12)
  expect(entryOf(inGap, 'blind')).toBe(7)
  expect([aheadOf(until(12, later), 'early'), aheadOf(until(12, later), 'late')]).toEqual([7, 7])
})

test('after a checkpoint an iceberg shows its parts as before, though nothing else of its kind rests', () => {
  const lines: MarketLine[] = [{ kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 104, 4]] }, { kind: 'trades', timeNs: 10, rows: [[1, 100, 7]] }, { kind: 'trades', timeNs: 20, rows: [[1, 100, 20]] }]
  const fills = (cutNs: number): string[] => playedInTwo(
    (received) => new ExchangeBench({
      instruments: [{ instrument: madeInstrument(), batches: [lineBatch(lines, { instrument: madeInstrument() })] }],
      delivered: (_world, _client, timeNs, message) => { if (message.kind === 'fill') received.push(...message.fills.map(({ quantity }) => `${timeNs} ${quantity}`)) },
    }),
    [{ timeNs: 2, send: (entry) => { entry.place([placeEntry('i', { price: 100, totalQuantity: 9, displayQuantity: 3 })]) } }], cutNs,
  ).received
  // 5 were ahead: 2 of the part, then the third of it; the next part comes behind what the level shows.
  expect([5, 15, 25].map(fills)).toEqual([['10 2', '20 1'], ['10 2', '20 1'], ['10 2', '20 1']])
})
