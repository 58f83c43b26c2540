import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventBatch } from '../../src/model/event-batch.js'
import type { SameStamp } from '../../src/model/exchange-order.js'
import { recordedFeedLatency } from '../../src/replay/feed-latency.js'
import { InstrumentFeed } from '../../src/replay/instrument-feed.js'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { naiveExchangeOrder } from '../support/naive-exchange-order.ts'

const SECOND = 1_000_000_000
const instrument = madeInstrument()

/** Lines in batches of these sizes, in turn. */
function batchesOf(lines: readonly MarketLine[], sizes: readonly number[]): EventBatch[] {
  const batches: EventBatch[] = []
  for (let from = 0; from < lines.length;) {
    const to = from + sizes[batches.length % sizes.length]!
    batches.push({ ...lineBatch(lines.slice(from, to), { instrument }), firstEventIndex: from })
    from = to
  }
  return batches
}

/** Items as a consumer gets them that takes each as soon as it may: time, line, and the row of a trade. */
async function itemsOf(lines: readonly MarketLine[], sizes: readonly number[], sameStamp: SameStamp): Promise<unknown[]> {
  const source = (async function* (): AsyncGenerator<EventBatch> { yield* batchesOf(lines, sizes) })()
  const feed = new InstrumentFeed({ instrumentId: 1, batches: source, own: (batch) => batch, recycle: () => undefined }, 0, recordedFeedLatency(), sameStamp)
  const { order } = feed
  const items: unknown[] = []
  do {
    await feed.load()
    while (order.head < order.tail && order.timeNs[order.head]! < feed.horizonNs()) {
      const { head, timeNs, batchNumber, event, row, batches, firstBatch } = order
      const batch = batches[batchNumber[head]! - firstBatch]!
      const at = row[head]! < 0 ? -1 : row[head]! - batch.rowStart[event[head]!]!
      items.push([timeNs[head], batch.firstEventIndex + event[head]!, at])
      order.head++
    }
    while (feed.nextLocalNs() < feed.horizonNs()) feed.localNext()
    feed.releaseBefore(feed.slowestBatchNumber())
  } while (!feed.ended || order.head < order.tail)
  return items
}

const naiveItems = (lines: readonly MarketLine[], sameStamp: SameStamp): unknown[] => naiveExchangeOrder(lines, sameStamp).map(({ timeNs, line, row, isTrade }) => [timeNs, line, isTrade ? row : -1])

const book = (timeNs: number, adapterTimeNs = timeNs): MarketLine => ({ kind: 'update', timeNs, adapterTimeNs, rows: [[0, 99, 1]] })
const top = (timeNs: number, adapterTimeNs = timeNs): MarketLine => ({ kind: 'top', timeNs, adapterTimeNs, rows: [[0, 99, 1], [1, 100, 1]] })
const rowsOf = (kind: 'trades' | 'liquidations') => (adapterTimeNs: number, ...timesNs: number[]): MarketLine => ({ kind, timeNs: timesNs[0]!, adapterTimeNs, rows: timesNs.map((timeNs) => [1, 99, 1, timeNs]) })
const [trades, liquidations] = [rowsOf('trades'), rowsOf('liquidations')]
const ready = (adapterTimeNs: number): MarketLine => ({ kind: 'READY', timeNs: NaN, adapterTimeNs })

/** Items as words: the line's place in the file, and its row where it has rows. */
const words = (items: readonly unknown[]): string => (items as [number, number, number][]).map(([, line, row]) => (row < 0 ? String(line) : `${line}.${row}`)).join(' ')

describe('rows of trade lines come first of their stamp (exchange rules 1.1)', () => {
  test.each<readonly [what: string, lines: readonly MarketLine[], first: string, inFile: string]>([
    ['a book and a top before their trade', [book(5), top(5, 6), trades(7, 5)], '2.0 0 1', '0 1 2.0'],
    ['one line of three stamps between the books of these', [book(5), book(6), book(7, 8), trades(9, 5, 6, 7)], '3.0 0 3.1 1 3.2 2', '0 3.0 1 3.1 2 3.2'],
    ['two lines of one stamp in file order', [book(5), trades(7, 5, 5), top(5, 8), trades(9, 5)], '1.0 1.1 3.0 0 2', '0 1.0 1.1 2 3.0'],
    ['a trade line that comes before an earlier stamp', [book(5), trades(9, 6), trades(9, 5)], '2.0 0 1.0', '0 2.0 1.0'],
    ['a liquidation stays among the others', [liquidations(6, 5), book(5, 6), liquidations(7, 5), trades(8, 5)], '3.0 0 1 2', '0 1 2 3.0'],
    ['a mark of that stamp', [{ kind: 'mark', timeNs: 5, value: 1 }, trades(8, 5)], '1.0 0', '0 1.0'],
    ['an earlier stamp is earlier', [book(4, 5), trades(7, 5)], '0 1.0', '0 1.0'],
    ['a row without a stamp, its adapter time in its place', [book(9), trades(9, NaN)], '0 1.0', '0 1.0'],
    ['a row later than its adapter time', [book(9), trades(9, 11)], '0 1.0', '0 1.0'],
    ['rows with a stamp and without one', [book(9), trades(9, NaN, 9), trades(9, 9)], '0 1.0 1.1 2.0', '0 1.0 1.1 2.0'],
    ['no trade row goes before a top without a stamp', [book(9), top(NaN, 9), trades(10, 9)], '0 1 2.0', '0 1 2.0'],
    ['nor before one later than its adapter time', [book(9), top(11, 9), top(9), trades(10, 9)], '0 1 3.0 2', '0 1 2 3.0'],
    ['nor before a state', [book(9), ready(9), book(9), trades(10, 9)], '0 1 3.0 2', '0 1 2 3.0'],
    ['nor before a line that no file holds', [{ ...book(9), kind: 'snapshot', seam: true }, book(9), trades(10, 9)], '0 2.0 1', '0 1 2.0'],
    ['a row that is moved up', [book(SECOND), book(11 * SECOND), trades(12 * SECOND, 0.5 * SECOND)], '0 2.0 1', '0 2.0 1'],
    ['a book that is moved up to the stamp of a trade', [book(SECOND), book(11 * SECOND), book(0.5 * SECOND, 12 * SECOND), trades(12 * SECOND, SECOND)], '0 2 3.0 1', '0 2 3.0 1'],
    ['ten seconds late', [book(SECOND), book(11 * SECOND), trades(11 * SECOND, SECOND)], '2.0 0 1', '0 2.0 1'],
  ])('%s', async (_what, lines, first, inFile) => {
    for (const sizes of [[100], [1], [2, 1]]) expect([words(await itemsOf(lines, sizes, 'trades')), words(await itemsOf(lines, sizes, 'file'))]).toEqual([first, inFile])
    expect([naiveItems(lines, 'trades'), naiveItems(lines, 'file')]).toEqual([await itemsOf(lines, [9], 'trades'), await itemsOf(lines, [9], 'file')])
  })

  test('a trade in the next batch, behind more than are moved one by one', async () => {
    const lines = [book(1), ...Array.from({ length: 16_383 }, () => book(5)), trades(6, 5, 5), book(5, 6), trades(6, 5)]
    const items = await itemsOf(lines, [16_384], 'trades')
    expect(words(items.slice(0, 6))).toBe('0 16384.0 16384.1 16386.0 1 2')
    expect(items).toEqual(naiveItems(lines, 'trades'))
  })

  const kind = fc.constantFrom<MarketLine['kind'][]>('update', 'update', 'top', 'top', 'trades', 'trades', 'trades', 'liquidations', 'snapshot', 'mark', 'READY')
  const line = fc.record({
    kind, stepNs: fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 10 * SECOND, 11 * SECOND), backNs: fc.constantFrom(0, 0, 0, 1, 2, 10 * SECOND, 12 * SECOND), isMissing: fc.constantFrom(false, false, false, false, true), isAhead: fc.constantFrom(false, false, false, false, true),
    isSeam: fc.constantFrom(false, false, false, true), rows: fc.array(fc.constantFrom(0, 0, 0, 1, 2, NaN, -3), { maxLength: 4 }),
  })

  test('as a naive reference orders them, whatever the batches, taken as soon as they may be', async () => {
    await fc.assert(fc.asyncProperty(fc.array(line, { maxLength: 60 }), fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }), fc.constantFrom<SameStamp[]>('trades', 'trades', 'file'), async (drawn, sizes, sameStamp) => {
      let adapterTimeNs = 20 * SECOND
      const lines = drawn.map(({ kind, stepNs, backNs, isMissing, isAhead, isSeam, rows }): MarketLine => {
        adapterTimeNs += stepNs
        const timeNs = isMissing || kind === 'READY' ? NaN : isAhead ? adapterTimeNs + 3 : adapterTimeNs - backNs
        const isTimed = kind === 'trades' || kind === 'liquidations'
        return { kind, timeNs, adapterTimeNs, value: 1, seam: isSeam && kind === 'snapshot', rows: isTimed ? rows.map((back) => [1, 99, 1, timeNs - back]) : [] }
      })
      expect(await itemsOf(lines, sizes, sameStamp)).toEqual(naiveItems(lines, sameStamp))
    }), { numRuns: 700 })
  })
})
