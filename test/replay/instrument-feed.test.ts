import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventBatch } from '../../src/model/event-batch.js'
import { recordedFeedLatency } from '../../src/replay/feed-latency.js'
import { InstrumentFeed } from '../../src/replay/instrument-feed.js'
import { changesState } from '../../src/replay/state-lines.js'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const SECOND = 1_000_000_000
const instrument = madeInstrument()
const line = fc.record({ kind: fc.constantFrom<MarketLine['kind'][]>('update', 'update', 'top', 'trades', 'mark', 'snapshot', 'ERROR', 'READY'), gap: fc.constantFrom(false, false, false, true), stepNs: fc.constantFrom(0, 0, 1, 7 * SECOND, 40 * SECOND) })
const program = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 120 }),
  sizes: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
  steps: fc.array(fc.record({ seconds: fc.integer({ min: 0, max: 60 }), isReceived: fc.boolean() }), { minLength: 1, maxLength: 40 }),
})

function feedOf(lines: readonly MarketLine[], sizes: readonly number[]): InstrumentFeed {
  const batches: EventBatch[] = []
  for (let from = 0; from < lines.length; from += sizes[(batches.length - 1) % sizes.length]!) batches.push(lineBatch(lines.slice(from, from + sizes[batches.length % sizes.length]!), { instrument }))
  const source = (async function* (): AsyncGenerator<EventBatch> { yield* batches })()
  return new InstrumentFeed({ instrumentId: 1, batches: source, own: (batch) => batch, recycle: () => undefined }, 0, recordedFeedLatency())
}

/** The next line that says something of the state, sought line by line. */
function naiveStateNs(lines: readonly MarketLine[], from: number, heldCount: number): number {
  const isState = ({ kind, gap }: MarketLine): boolean => kind === 'snapshot' || kind === 'ERROR' || kind === 'READY' || (kind === 'update' && gap === true)
  const found = lines.slice(0, heldCount).findIndex((one, i) => i >= from && isState(one))
  return found < 0 ? Infinity : lines[found]!.timeNs
}

test('lines that are passed at once leave a feed where passing them one by one does, before the next line that says something of a state', async () => {
  await fc.assert(fc.asyncProperty(program, async ({ lines: drawn, sizes, steps }) => {
    let timeNs = 0
    const lines = drawn.map(({ kind, gap, stepNs }): MarketLine => ({ kind, gap, timeNs: (timeNs += stepNs), rows: kind === 'trades' ? [[0, 99, 1]] : [], value: 1 }))
    const feed = feedOf(lines, sizes)
    let untilNs = 0
    for (const { seconds, isReceived } of steps) {
      untilNs += seconds * SECOND
      while (!feed.ended && feed.horizonNs() <= untilNs) {
        await feed.load()
        feed.order.head = feed.order.tail
        feed.releaseBefore(feed.slowestBatchNumber())
      }
      const heldCount = feed.receivedCount - feed.localIndex + feed.order.batches.slice(feed.localBatchNumber - feed.order.firstBatch).reduce((sum, { count }) => sum + count, 0)
      for (;;) {
        const stateNs = feed.nextStateNs()
        expect(stateNs).toBe(naiveStateNs(lines, feed.receivedCount, heldCount))
        const boundNs = Math.min(untilNs, stateNs - 1)
        const wanted = Math.max(feed.receivedCount, lines.slice(0, heldCount).filter((one) => one.timeNs <= boundNs).length)
        feed.passLines(boundNs)
        expect([feed.receivedCount, feed.nextLocalNs()]).toEqual([wanted, wanted < heldCount ? lines[wanted]!.timeNs : Infinity])
        if (stateNs > untilNs || !isReceived) break
        // Lines of its own instant come first; then it is heard itself.
        while (!changesState(feed.localBatch!, feed.localIndex)) feed.localNext()
        feed.localNext()
      }
      if (!isReceived) untilNs = Math.min(untilNs, feed.nextStateNs() - 1)
    }
  }), { numRuns: 1000 })
})

test('times are counted of the lines that have been heard, however far has been read ahead', async () => {
  // Every other line is later at the exchange than heard.
  const lines = Array.from({ length: 9 }, (_, at): MarketLine => ({ kind: at === 5 ? 'trades' : 'mark', timeNs: at * SECOND + (at % 2), adapterTimeNs: at * SECOND, rows: [[0, 99, 1]], value: 1 }))
  const feed = feedOf(lines, [2, 5])
  while (!feed.ended) await feed.load()
  expect(feed.times.counts.afterAdapter).toBe(4)
  const counted = [feed.receivedTimeCounts()]
  for (; feed.localBatch !== null; counted.push(feed.receivedTimeCounts())) feed.localNext()
  expect(counted).toEqual(Array.from({ length: 10 }, (_, received) => ({ missing: 0, afterAdapter: Math.floor(received / 2), movedUp: 0, adapterStepsBack: 0, adapterJumps: 0 })))
})

const BOOK: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [] }
const depth = (timeNs: number): MarketLine => ({ kind: 'update', timeNs, rows: [] })
test.each<readonly [what: string, lines: readonly MarketLine[], expected: readonly number[]]>([
  ['book lines alone', [BOOK, depth(2), depth(3)], [NaN, NaN, 1, 2]],
  ['a gap is not good itself', [BOOK, depth(2), { ...depth(5), gap: true }, { kind: 'trades', timeNs: 6, rows: [[0, 99, 1]] }], [NaN, NaN, 1, 2, 5]],
  ['an ERROR behind other lines', [BOOK, { kind: 'top', timeNs: 2, rows: [] }, { kind: 'mark', timeNs: 3, value: 1 }, { kind: 'ERROR', timeNs: 4 }], [NaN, NaN, 1, 1, 1]],
  ['none before', [{ kind: 'ERROR', timeNs: 1 }, BOOK], [NaN, NaN, NaN]],
])('the last book line before the line received last is the same however a file is cut into batches: %s', async (_what, lines, expected) => {
  for (let cuts = 0; cuts < 1 << (lines.length - 1); cuts++) {
    const sizes = lines.reduce<number[]>((found, _line, at) => (at > 0 && ((cuts >> (at - 1)) & 1) === 0 ? [...found.slice(0, -1), found.at(-1)! + 1] : [...found, 1]), [])
    const feed = feedOf(lines, sizes)
    while (!feed.ended) await feed.load()
    expect([sizes, [feed.lastDepthNs(), ...lines.map(() => {
      feed.localNext()
      return feed.lastDepthNs()
    })]]).toEqual([sizes, expected])
  }
})

const later = fc.record({ stepNs: fc.integer({ min: 0, max: 3 * SECOND }), latencyNs: fc.integer({ min: 0, max: 3 * SECOND }), isLook: fc.boolean() })
test('live lines that come within the lag have the order of a file; of others the feed knows how many', async () => {
  let lateCount = 0
  await fc.assert(fc.asyncProperty(fc.array(later, { minLength: 2, maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (steps, lag) => {
    const lagNs = lag * SECOND
    let [adapterTimeNs, reachedNs] = [10 * SECOND, -Infinity]
    const lines = steps.map(({ stepNs, latencyNs }): MarketLine => {
      adapterTimeNs += stepNs
      return { kind: 'mark', timeNs: adapterTimeNs - latencyNs, adapterTimeNs, value: 1 }
    })
    const nothing = lineBatch([], { instrument })
    const source = (async function* (): AsyncGenerator<EventBatch> {
      for (const [at, line] of lines.entries()) {
        yield lineBatch([line], { instrument })
        // The time of the feed is seen between two lines, or it is not.
        if (steps[at]!.isLook) reachedNs = line.adapterTimeNs!
        if (steps[at]!.isLook) yield nothing
      }
    })()
    const feed = new InstrumentFeed({ instrumentId: 1, batches: source, own: (batch) => batch, recycle: () => undefined, live: { lagNs, reachedNs: () => reachedNs } }, 0, recordedFeedLatency())
    const played: number[] = []
    while (!feed.ended) {
      await feed.load()
      const { order } = feed
      for (; feed.nextExchangeNs() < feed.horizonNs(); order.head++) played.push(order.timeNs[order.head]!)
    }
    // Whatever came, nothing was played twice, left out, or before something that it is behind.
    expect(played).toHaveLength(lines.length)
    expect(played).toEqual([...played].sort((a, b) => a - b))
    const { movedUp } = feed.times.counts
    lateCount += movedUp
    if (movedUp === 0) expect(played).toEqual(lines.map(({ timeNs }) => timeNs).sort((a, b) => a - b))
    if (steps.every(({ latencyNs }) => latencyNs <= lagNs)) expect(movedUp).toBe(0)
  }), { numRuns: 300 })
  expect(lateCount).toBeGreaterThan(10)
})
