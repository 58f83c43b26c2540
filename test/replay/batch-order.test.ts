import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import type { SameStamp } from '../../src/model/exchange-order.js'
import { NS_PER_DAY } from '../../src/model/time.js'
import { batchOrderOf, orderBlock } from '../../src/replay/batch-order.js'
import { BatchOrders, type OrderMemory } from '../../src/replay/batch-order-making.js'
import { ExchangeOrderQueue } from '../../src/replay/exchange-order-queue.js'
import { ExchangeTimes } from '../../src/replay/exchange-times.js'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const SECOND = 1_000_000_000
const { SILENCE, SILENCE_END, CROSSED, CROSSED_GAP, SEAM, CLOCK_JUMPED } = EVENT_FLAGS
const instrument = madeInstrument()
const memoryOf = (sizeBytes: number): OrderMemory => ({ buffer: new SharedArrayBuffer(sizeBytes + 8), byteOffset: 8 })

/** Lines of a batch, and flags that its lines get before or after its order is made. */
interface Given {
  readonly lines: readonly MarketLine[]
  readonly before?: readonly (readonly [index: number, flag: number])[]
  readonly after?: readonly (readonly [index: number, flag: number])[]
}

/** A batch of the day before that of the run, with its order, as the run takes it over. */
function taken({ lines, before = [], after = [] }: Given, orders: BatchOrders | null): EventBatch {
  const batch: EventBatch = { ...lineBatch(lines, { instrument }), epochDay: 1 }
  for (const [index, flag] of before) batch.flags[index]! |= flag
  if (orders !== null) orderBlock(batch.kind.buffer, orders.orderOf(batch, memoryOf))
  for (const times of [batch.adapterTimeNs, batch.exchangeTimeNs, batch.rowTimeNs]) times.forEach((time, at) => { times[at] = time + NS_PER_DAY })
  for (const [index, flag] of after) batch.flags[index]! |= flag
  return { ...batch, epochDay: 0 }
}

/** The queue behind each batch; consumers take what is before `takenNs` in between. */
function queued(batches: readonly Given[], takenNs: readonly number[], sameStamp: SameStamp, made: SameStamp | null): unknown[] {
  const [times, order] = [new ExchangeTimes(undefined, sameStamp), new ExchangeOrderQueue()]
  const orders = made === null ? null : new BatchOrders(made)
  return batches.map((given, number) => {
    const batch = taken(given, orders)
    const lineTimesNs = new Float64Array(batch.count)
    times.queue(batch, number, order, lineTimesNs)
    const { head, tail } = order
    const columns = [order.timeNs, order.batchNumber, order.event, order.row].map((column) => [...column.subarray(head, tail)])
    const seen = [columns, order.timeNs[tail], order.depthInOrderUntilNs, order.nextSingleNs(), order.waitingSingles(), times.mark(), [...lineTimesNs], [...batch.flags]]
    while (order.head < order.tail && order.timeNs[order.head]! < Math.min(takenNs[number]! + NS_PER_DAY, times.greatestNs - 10 * SECOND)) order.head++
    return seen
  })
}

const timeNs = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 8 }) }, { weight: 2, arbitrary: fc.integer({ min: 0, max: 40 * SECOND }) }, { weight: 1, arbitrary: fc.constant(NaN) })
const lineArb: fc.Arbitrary<MarketLine> = fc.record({
  kind: fc.constantFrom('update', 'update', 'top', 'trades', 'trades', 'liquidations', 'mark', 'snapshot', 'READY'), timeNs, lagNs: fc.integer({ min: -2, max: 5 }),
  rowTimesNs: fc.array(timeNs, { minLength: 1, maxLength: 3 }), gap: fc.boolean(),
}).map(({ kind, timeNs: givenNs, lagNs, rowTimesNs, gap }) => ({
  kind, timeNs: givenNs, adapterTimeNs: (Number.isNaN(givenNs) ? 5 : givenNs) + lagNs, value: 1, gap: gap && kind === 'update', rows: rowTimesNs.map((rowNs) => [0, 99, 1, rowNs] as const),
}))
const flagged = (bits: readonly number[]): fc.Arbitrary<[number, number][]> => fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(...bits)), { maxLength: 1 })
const givenArb: fc.Arbitrary<Given> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ lines: fc.array(lineArb, { minLength: 4, maxLength: 30 }), before: flagged([CLOCK_JUMPED, SEAM, CROSSED]), after: flagged([CROSSED, SILENCE_END, 0]) }) },
  { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 0, max: 40 * SECOND }), fc.constantFrom(SILENCE, CROSSED_GAP)).map(([atNs, flag]): Given => ({ lines: [{ kind: 'ERROR', timeNs: NaN, adapterTimeNs: atNs }], before: [[0, flag]] })) },
)

test('batches with an order of their own are queued as line by line', () => {
  fc.assert(fc.property(fc.array(givenArb, { maxLength: 8 }), fc.array(fc.integer({ min: 0, max: 40 * SECOND }), { minLength: 8, maxLength: 8 }), fc.constantFrom<SameStamp>('trades', 'file'), (batches, takenNs, sameStamp) => {
    expect(queued(batches, takenNs, sameStamp, sameStamp)).toEqual(queued(batches, takenNs, sameStamp, null))
  }), { numRuns: 1000 })
})

const book = (atNs: number, adapterTimeNs = atNs): MarketLine => ({ kind: 'update', timeNs: atNs, adapterTimeNs, rows: [[0, 99, 1]] })
const trade = (atNs: number, adapterTimeNs: number): MarketLine => ({ kind: 'trades', timeNs: atNs, adapterTimeNs, rows: [[0, 99, 1, atNs]] })

test.each<readonly [what: string, made: SameStamp, batches: readonly Given[], byOrder: number]>([
  ['plain lines', 'trades', [{ lines: [book(20), book(19, 21)] }, { lines: [book(20, 22), trade(20, 23)] }], 2],
  ['an order for another setting', 'file', [{ lines: [book(20)] }], 0],
  ['a line that is moved up by one of its batch', 'trades', [{ lines: [book(12 * SECOND), book(SECOND, 13 * SECOND)] }], 0],
  ['one that is moved up by the batch before', 'trades', [{ lines: [book(12 * SECOND)] }, { lines: [book(SECOND, 13 * SECOND)] }], 1],
  ['one at the end of the window', 'trades', [{ lines: [book(12 * SECOND)] }, { lines: [book(2 * SECOND, 13 * SECOND)] }], 2],
  ['flags that came later', 'trades', [{ lines: [book(20)], after: [[0, CROSSED]] }], 0],
  ['a silence, and the batch that may end it', 'trades', [{ lines: [{ kind: 'ERROR', timeNs: NaN, adapterTimeNs: 5 }], before: [[0, SILENCE]] }, { lines: [book(20)] }, { lines: [book(30)] }], 1],
  ['a line that no file holds', 'trades', [{ lines: [book(20)], before: [[0, SEAM]] }], 0],
])('%s: an order is taken where it holds', (_what, made, batches, byOrder) => {
  const append = vi.spyOn(ExchangeOrderQueue.prototype, 'appendInOrder')
  try {
    queued(batches, batches.map(() => 0), 'trades', made)
    expect(append).toHaveBeenCalledTimes(byOrder)
  } finally {
    append.mockRestore()
  }
})

test('a part of a batch, and a block that is used again, have none', () => {
  const batch = lineBatch([book(1), book(2)], { instrument })
  const order = new BatchOrders('trades').orderOf(batch, memoryOf)
  orderBlock(batch.kind.buffer, order)
  expect([batchOrderOf(batch), batchOrderOf({ ...batch, count: 1 })]).toEqual([order, null])
  orderBlock(batch.kind.buffer, null)
  expect(batchOrderOf(batch)).toBeNull()
})
