import fc from 'fast-check'
import { test } from 'vitest'
import { ClientMarket } from '../../src/simulation/client-market.js'
import { BatchMemory, ownedBatch, widenBatch } from '../../src/simulation/owned-batch.js'
import { lendBlock } from '../../src/model/batch-loan.js'
import { trackBlock, type BookTrack } from '../../src/model/book-track.js'
import { copyBatch } from '../../src/model/event-batch-columns.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import type { Side } from '../../src/model/side.js'
import { recordedFeedLatency } from '../../src/replay/feed-latency.js'
import { InstrumentFeed } from '../../src/replay/instrument-feed.js'
import { BookTracker } from '../../src/book/book-tracker.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { expectSame } from '../support/expected-same.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const RUNS = 300
const SECOND = 1_000_000_000
const instrument = madeInstrument()

/** What becomes of a batch's track: it is there, it is not, its reading begins anew (same book or another one), or its batch is not played. */
type TrackKind = 'kept' | 'none' | 'new chain' | 'new tracker' | 'left out'

interface Day {
  readonly lines: readonly MarketLine[]
  readonly sizes: readonly number[]
  readonly tracks: readonly TrackKind[]
  /** Where prices, and where quantities, get another digit. */
  readonly widensAt: readonly [price: number, quantity: number]
}

/** How many lines are heard, and what is read then. */
interface Step {
  readonly lineCount: number
  readonly read: 'best' | 'levels' | 'one level' | 'nothing'
}

const days: fc.Arbitrary<Day> = fc.record({
  lines: marketLines(true),
  sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 }),
  tracks: fc.array(fc.constantFrom<TrackKind[]>('kept', 'kept', 'kept', 'kept', 'none', 'new chain', 'new tracker', 'left out'), { minLength: 1, maxLength: 12 }),
  widensAt: fc.tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 80 })),
})
const steps = fc.array(fc.record({ lineCount: fc.integer({ min: 0, max: 9 }), read: fc.constantFrom<Step['read'][]>('best', 'best', 'best', 'levels', 'one level', 'nothing') }), { minLength: 3, maxLength: 30 })

function batchesOf({ lines, sizes, widensAt: [priceAt, quantityAt] }: Day): EventBatch[] {
  const batches: EventBatch[] = []
  for (let from = 0, turn = 0; from < lines.length; turn++) {
    const [next] = [priceAt, quantityAt, lines.length].filter((at) => at > from).sort((a, b) => a - b)
    const to = Math.min(from + sizes[turn % sizes.length]!, next!, lines.length)
    const [price, quantity] = [from >= priceAt ? 10 : 1, from >= quantityAt ? 10 : 1]
    const wide = lines.slice(from, to).map((line, i): MarketLine => (
      { ...line, timeNs: (from + i) * 3 * SECOND, rows: (line.rows ?? []).map(([side, p, q, timeNs]) => (timeNs === undefined ? [side, p * price, q * quantity] : [side, p * price, q * quantity, timeNs])) }))
    batches.push(lineBatch(wide, { instrument, priceScale: price === 10 ? 1 : 0, quantityScale: quantity === 10 ? 1 : 0 }))
    from = to
  }
  return batches
}

/** The batches in memory of their own, as a reader of cached days lends them; what is given back is no batch any more. */
function lentBatches(batches: readonly EventBatch[], kinds: readonly TrackKind[]): EventBatch[] {
  let [tracker, chain, number] = [new BookTracker(), {}, 0]
  return batches.map((batch, turn) => {
    const kind = kinds[turn % kinds.length]!
    const lent = copyBatch(batch)
    const block = lent.kind.buffer
    lendBlock(block, lent.count, { keep: () => undefined, repayUnused: () => new Uint8Array(block).fill(0x55) })
    if (kind === 'new tracker') tracker = new BookTracker()
    if (kind === 'new tracker' || kind === 'new chain') chain = {}
    const found = tracker.track(lent)!
    const { before, marks, prices, quantities } = found
    const track: BookTrack = { chain, number: number++, priceScale: lent.priceScale, quantityScale: lent.quantityScale, marks: marks.slice(), prices: prices.slice(), quantities: quantities.slice(), before }
    trackBlock(block, lent.count, kind === 'none' ? null : track)
    return lent
  })
}

class Heard {
  readonly #feed: InstrumentFeed
  readonly #market: ClientMarket

  constructor(batches: readonly EventBatch[]) {
    const scales = { price: 0, quantity: 0 }
    const memory = new BatchMemory()
    const source = (async function* (): AsyncGenerator<EventBatch> { yield* batches })()
    this.#feed = new InstrumentFeed({ instrumentId: 1, batches: source, own: (batch, day) => ownedBatch(batch, day, scales, memory), widen: widenBatch, recycle: (batch) => memory.repayUnused(batch) }, 0, recordedFeedLatency())
    this.#market = new ClientMarket(this.#feed, 'fused')
  }

  async step({ lineCount, read }: Step): Promise<unknown> {
    const feed = this.#feed
    for (let i = 0; i < lineCount; i++) {
      while (!feed.ended && feed.horizonNs() <= feed.nextLocalNs()) await feed.load()
      feed.order.head = feed.order.tail
      this.#market.received()
      feed.releaseBefore(feed.slowestBatchNumber())
      if (feed.localBatch !== null) feed.localNext()
    }
    return this.#read(read)
  }

  #read(read: Step['read']): unknown {
    const { book, state } = this.#market
    if (read === 'nothing') return null
    if (read === 'levels') return [state, this.#side('BID'), this.#side('ASK'), book.priceScale, book.quantityScale, book.suspect]
    if (read === 'one level') return [[95, 99, 101, 990, 1010].map((price) => book.quantityAt('BID', price) + book.quantityAt('ASK', price)), book.bidLevelCount, book.askLevelCount]
    const top = new Float64Array(6)
    this.#market.copyTop(top)
    const { bestBidPrice, bestBidQuantity, bestAskPrice, bestAskQuantity, markPrice, indexPrice } = this.#market
    expectSame([...top.subarray(0, 4)], [bestBidPrice, bestBidQuantity, bestAskPrice, bestAskQuantity])
    return [...top, state, book.bestBidPrice, book.bestBidQuantity, book.bestAskPrice, book.bestAskQuantity, book.suspect, book.priceScale, book.quantityScale, markPrice, indexPrice]
  }

  #side(side: Side): readonly number[] {
    const [prices, quantities] = [new Float64Array(100), new Float64Array(100)]
    const count = this.#market.book.copyLevels(side, 100, prices, quantities)
    return [...prices.subarray(0, count), ...quantities.subarray(0, count)]
  }
}

// The second seed reads a best level between the line that changed it and the batch that brings more digits.
test.each([[{}], [{ seed: 151_212_900 }]])('a market that follows tracks of its book shows what one shows that applies every row (%j)', async (seed) => {
  const ALL: Step[] = Array.from({ length: 100 }, () => ({ lineCount: 1, read: 'best' }))
  await fc.assert(fc.asyncProperty(days, steps, async (day, program) => {
    const batches = batchesOf(day)
    const isPlayed = (_batch: EventBatch, turn: number): boolean => day.tracks[turn % day.tracks.length] !== 'left out'
    const [plain, tracked] = [new Heard(batches.filter(isPlayed)), new Heard(lentBatches(batches, day.tracks).filter(isPlayed))]
    for (const step of [...program, ...ALL, { lineCount: 1, read: 'levels' as const }]) expectSame(await tracked.step(step), await plain.step(step))
  }), { numRuns: RUNS, ...seed })
})
