import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ClientMarket } from '../../src/simulation/client-market.js'
import { BatchMemory, ownedBatch, widenBatch } from '../../src/simulation/owned-batch.js'
import { ExchangeMarket } from '../../src/exchange/market/exchange-market.js'
import type { MarketParticipant } from '../../src/exchange/market/price-watch.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { recordedFeedLatency } from '../../src/replay/feed-latency.js'
import { InstrumentFeed } from '../../src/replay/instrument-feed.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const RUNS = 600
const SECOND = 1_000_000_000
const instrument = madeInstrument()

/** What happens between two looks: time passes, the exchange side is played or left behind, somebody comes or goes. */
interface Step {
  readonly seconds: number
  readonly isPlayed: boolean
  readonly act: 'look' | 'save' | 'attach' | 'detach' | 'none'
}

/** Lines with how they are cut into batches (`sizes`), how late they are heard, how early they happen, and where digits grow. */
interface DayOfLines {
  readonly lines: readonly MarketLine[]
  readonly sizes: readonly number[]
  readonly lags: readonly number[]
  readonly jitters: readonly number[]
  readonly widensAt: number
}

const steps = fc.array(fc.record({ seconds: fc.integer({ min: 0, max: 40 }), isPlayed: fc.boolean(), act: fc.constantFrom('look', 'save', 'attach', 'detach', 'none') }), { minLength: 3, maxLength: 20 }) as fc.Arbitrary<Step[]>
const days = fc.record({
  lines: marketLines(true), sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 }), lags: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 9 }),
  jitters: fc.oneof(fc.constant([0]), fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 9 })), widensAt: fc.integer({ min: 0, max: 60 }),
})

/** Lines in file order: seconds of market time, the exchange's up to some seconds earlier than the line before, the adapter's later. */
function batchesOf({ lines, sizes, lags, jitters, widensAt }: DayOfLines): EventBatch[] {
  const timed = lines.map((line, i): MarketLine => {
    const timeNs = Math.max(0, line.timeNs * 3 - jitters[i % jitters.length]!) * SECOND
    const isFine = i >= widensAt
    return { ...line, timeNs, adapterTimeNs: (line.timeNs * 3 + lags[i % lags.length]!) * SECOND, rows: (line.rows ?? []).map(([side, price, quantity]) => [side, isFine ? price * 10 : price, quantity]) }
  })
  const batches: EventBatch[] = []
  for (let from = 0, turn = 0; from < timed.length; turn++) {
    const bound = from < widensAt ? Math.max(widensAt, from + 1) : timed.length
    const to = Math.min(from + sizes[turn % sizes.length]!, bound, timed.length)
    batches.push(lineBatch(timed.slice(from, to), { instrument, priceScale: from >= widensAt ? 1 : 0 }))
    from = to
  }
  return batches
}

const UPDATE: MarketLine = { kind: 'update', timeNs: 1, rows: [[0, 96, 0]] }
const LOOK: Step = { seconds: 0, isPlayed: false, act: 'look' }

/** What the property found once: lines that change places while levels lag behind. */
const FOUND: [DayOfLines, Step[]][] = [
  [{ lines: [{ kind: 'snapshot', timeNs: 0, rows: [[1, 101, 1]] }, { kind: 'trades', timeNs: 1, rows: [[0, 96, 1]] }, UPDATE, UPDATE, UPDATE], sizes: [1], lags: [0], jitters: [0, 3], widensAt: 0 }, [LOOK, LOOK, LOOK]],
  [{
    lines: [{ kind: 'snapshot', timeNs: 0, rows: [] }, { ...UPDATE, rows: [[0, 104, 4]] }, UPDATE, { kind: 'top', timeNs: 1, rows: [[0, 97, 1], [1, 98, 1]] }, { ...UPDATE, timeNs: 34 }, { ...UPDATE, timeNs: 48, rows: [[0, 98, 7], [0, 100, 7]] }, { ...UPDATE, timeNs: 48 }],
    sizes: [1], lags: [0], jitters: [4, 3], widensAt: 0,
  }, [...[29, 17, 4, 22, 13, 11].map((seconds) => ({ ...LOOK, seconds })), { seconds: 35, isPlayed: true, act: 'none' }, { ...LOOK, act: 'none' }, { ...LOOK, seconds: 13, act: 'none' }, LOOK]],
]

/** A feed with both sides of time, played as the run loop plays it. */
class Played {
  readonly feed: InstrumentFeed
  readonly market: ExchangeMarket
  readonly #local: ClientMarket
  readonly #participant: MarketParticipant = { onTrade: () => undefined, onShown: () => undefined, onChange: () => undefined, onGap: () => undefined, onRecovery: () => undefined, onUnbroken: () => undefined, onRecovered: () => undefined, onRescale: () => undefined, worldNumber: 0, followsChanges: false, levelCount: 0 }
  #nowNs = 0

  constructor(batches: readonly EventBatch[], mayFallBehind: boolean) {
    const scales = { price: 0, quantity: 0 }
    const memory = new BatchMemory()
    const source = (async function* (): AsyncGenerator<EventBatch> { yield* batches })()
    this.feed = new InstrumentFeed({ instrumentId: 1, batches: source, own: (batch, day) => ownedBatch(batch, day, scales, memory), widen: widenBatch, recycle: (batch) => memory.repayUnused(batch) }, 0, recordedFeedLatency())
    this.#local = new ClientMarket(this.feed, 'fused')
    const levels = { instrument, nowNs: () => this.#nowNs, levels: () => this.#local.levels(), refine: () => true }
    this.market = new ExchangeMarket(1, this.feed.order, 'fused', undefined, mayFallBehind ? levels : null)
    this.market.worlds.join(this.#participant)
  }

  async step({ seconds, isPlayed, act }: Step): Promise<string> {
    const { feed, market } = this
    const untilNs = this.#nowNs + seconds * SECOND
    while (!feed.ended && feed.horizonNs() <= untilNs) {
      await feed.load()
      if (!market.isWatched) market.advance(this.#nowNs, () => false)
      market.keepUp()
      this.#local.received()
      feed.releaseBefore(feed.slowestBatchNumber())
    }
    // What is watched is played before anything else of an instant; the local side never overtakes it.
    if (isPlayed || market.isWatched || act !== 'none') market.advance(untilNs, () => false)
    this.#nowNs = untilNs
    while (feed.nextLocalNs() <= untilNs) feed.localNext()
    if (act === 'attach') market.attach(this.#participant)
    if (act === 'detach') market.worlds.detach(this.#participant)
    if (act === 'look') return JSON.stringify([market.shown.state(), feed.order.consumedCount])
    return act === 'save' ? JSON.stringify([market.state(), feed.order.consumedCount]) : ''
  }
}

test.each([[1, 0], [0, 1], [1, 2]])('levels that were heard before digits grew, by %i and %i, come at the scales of the market', async (priceScale, quantityScale) => {
  const [price, quantity] = [10 ** priceScale, 10 ** quantityScale]
  const top = (timeNs: number, adapterTimeNs: number, factor = 1): MarketLine => ({ kind: 'top', timeNs: timeNs * SECOND, adapterTimeNs: adapterTimeNs * SECOND, rows: [[0, 99 * factor, 1], [1, 101 * factor, 1]] })
  const first = lineBatch([{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, top(1, 1)], { instrument })
  const batches = [first, ...[[60, 400], [200, 401], [300, 402]].map(([at, received]) => lineBatch([top(at!, received!)], { instrument })), lineBatch([top(310, 403, price)], { instrument, priceScale, quantityScale })]
  const [eager, lazy] = [new Played(batches, false), new Played(batches, true)]
  for (const seconds of [50, 150, 115]) {
    const step: Step = { seconds, isPlayed: true, act: seconds === 115 ? 'look' : 'none' }
    expect(await lazy.step(step)).toBe(await eager.step(step))
  }
  expect([lazy.market.priceScale, lazy.market.quantityScale, lazy.market.shown.lastDisplayed('BID', 99 * price)]).toEqual([priceScale, quantityScale, 1])
  expect(lazy.market.shown.book.quantityAt('BID', 99 * price)).toBe(5 * quantity)
})

test('a market whose levels fall behind where nobody looks shows what one shows that applies every line at its turn', async () => {
  await fc.assert(fc.asyncProperty(days, steps, async (day, program) => {
    const batches = batchesOf(day)
    const [eager, lazy] = [new Played(batches, false), new Played(batches, true)]
    const [seen, wanted]: [string[], string[]] = [[], []]
    for (const step of [...program, { seconds: 300, isPlayed: true, act: 'save' as const }]) {
      seen.push(await lazy.step(step))
      wanted.push(await eager.step(step))
    }
    expect(seen).toEqual(wanted)
  }), { numRuns: RUNS, examples: FOUND })
})
