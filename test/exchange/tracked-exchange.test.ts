import fc from 'fast-check'
import { expect, test } from 'vitest'
import { trackBlock, type BookTrack } from '../../src/model/book-track.js'
import { copyBatch } from '../../src/model/event-batch-columns.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import type { Side } from '../../src/model/side.js'
import { BookTracker } from '../../src/book/book-tracker.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const RUNS = 400
const instrument = madeInstrument()

type TrackKind = 'kept' | 'none' | 'new chain' | 'new tracker'

/** Lines whose prices lie `spread` ticks apart, cut into batches, with tracks or not; some come early at the exchange. */
interface Day {
  readonly lines: readonly MarketLine[]
  readonly spread: number
  readonly sizes: readonly number[]
  readonly tracks: readonly TrackKind[]
  readonly early: readonly number[]
  /** From here on prices, and quantities, have a digit more. */
  readonly widensAt: readonly [price: number, quantity: number]
}

const days: fc.Arbitrary<Day> = fc.record({
  lines: marketLines(true),
  spread: fc.constantFrom(1, 3, 10, 25),
  sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
  tracks: fc.array(fc.constantFrom<TrackKind[]>('kept', 'kept', 'kept', 'kept', 'kept', 'none', 'new chain', 'new tracker'), { minLength: 1, maxLength: 8 }),
  early: fc.oneof(fc.constant([0]), fc.array(fc.constantFrom(0, 0, 0, 0, 4, 9), { minLength: 1, maxLength: 9 })),
  widensAt: fc.oneof(fc.constant([99, 99] as const), fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }))),
})

function batchesOf({ lines, spread, sizes, early, widensAt }: Day): EventBatch[] {
  const batches: EventBatch[] = []
  // Of lines that change places digits would shrink, as nobody widens the batches in hand here.
  const isInOrder = early.every((ns) => ns === 0) && lines.every(({ timeNs }, at) => at === 0 || timeNs > lines[at - 1]!.timeNs)
  const [priceAt, quantityAt] = isInOrder ? widensAt : [lines.length, lines.length]
  for (let from = 0, turn = 0; from < lines.length; turn++) {
    const [next] = [priceAt, quantityAt, lines.length].filter((at) => at > from).sort((a, b) => a - b)
    const to = Math.min(from + sizes[turn % sizes.length]!, next!, lines.length)
    const [price, quantity] = [from >= priceAt ? 10 : 1, from >= quantityAt ? 10 : 1]
    const cut = lines.slice(from, to).map((line, i): MarketLine => ({
      ...line, timeNs: Math.max(0, line.timeNs * 2 - early[(from + i) % early.length]!), adapterTimeNs: line.timeNs * 2,
      rows: (line.rows ?? []).map(([side, p, q]) => [side, (1000 + (p - 100) * spread) * price, q * quantity]),
    }))
    batches.push(lineBatch(cut, { instrument, priceScale: price === 10 ? 1 : 0, quantityScale: quantity === 10 ? 1 : 0 }))
    from = to
  }
  return batches
}

/** The same batches as a reader of cached days gives them. */
function tracked(batches: readonly EventBatch[], kinds: readonly TrackKind[]): EventBatch[] {
  let [tracker, chain, number] = [new BookTracker(), {}, 0]
  return batches.map((batch, turn) => {
    const kind = kinds[turn % kinds.length]!
    const copy = copyBatch(batch)
    if (kind === 'new tracker') tracker = new BookTracker()
    if (kind === 'new tracker' || kind === 'new chain') chain = {}
    const { before, marks, prices, quantities } = tracker.track(copy)!
    const track: BookTrack = { chain, number: number++, priceScale: copy.priceScale, quantityScale: copy.quantityScale, marks: marks.slice(), prices: prices.slice(), quantities: quantities.slice(), before }
    trackBlock(copy.kind.buffer, copy.count, kind === 'none' ? null : track)
    return copy
  })
}

const side = fc.constantFrom<Side[]>('BID', 'ASK')
const price = fc.integer({ min: -42, max: 42 }).map((ticks) => 1000 + ticks)
const totalQuantity = fc.integer({ min: 1, max: 30 })
const terms: fc.Arbitrary<Partial<PlaceEntry>> = fc.oneof(
  fc.record({ side, price, totalQuantity, timeInForce: fc.constantFrom('GOOD_TILL_CANCEL', 'GOOD_TILL_CANCEL', 'GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL') }),
  fc.record({ side, price, totalQuantity, postOnly: fc.constant(true) }),
  fc.record({ side, price, totalQuantity, displayQuantity: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ side, totalQuantity, type: fc.constant('MARKET' as const), price: fc.constant(null), timeInForce: fc.constant('IMMEDIATE_OR_CANCEL' as const) }),
  fc.record({ side, price: fc.constant(null), totalQuantity, type: fc.constantFrom('MARKET_PEGGED' as const, 'PRIMARY_PEGGED' as const), pegOffsetValue: fc.integer({ min: -2, max: 3 }) }),
  fc.record({ side, price, totalQuantity, triggerPrice: price, type: fc.constant('STOP_LIMIT' as const) }),
)
const program = fc.array(fc.record({ timeNs: fc.integer({ min: 1, max: 120 }), terms, back: fc.option(fc.integer({ min: 1, max: 4 })) }), { minLength: 1, maxLength: 25 })
  .map((steps) => steps.map(({ timeNs, terms: more, back }, at): BenchCommand => ({
    timeNs,
    send: (entry) => {
      if (back === null) entry.place([placeEntry(`o${at}`, more)])
      else entry.cancel([{ ownOrderId: `o${at - back}` }])
    },
  })))

/** Everything that a run shows: messages, executions, and what stands in the book when somebody looks. */
function played(batches: readonly EventBatch[], commands: readonly BenchCommand[], gaps: 'assumeWorst' | 'freeze', look: number, rows: boolean): unknown[] {
  const shown: unknown[] = []
  let turn = 0
  const bench: ExchangeBench = new ExchangeBench({
    instruments: [{ instrument, batches }], assumptions: { gaps }, accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100000000']]), fees: { maker: '0', taker: '0' } }],
    ...(rows ? { market: { gaps: 'observed', snapshots: 'rows' } } : {}),
    delivered: (_world, _clientId, timeNs, message) => shown.push([timeNs, message]),
    observer: () => ({ executed: (order, at, quantity, timeNs, cause) => shown.push([order.ownOrderId, at, quantity, timeNs, cause, order.quantityAhead]) }),
    played: (what) => {
      const { shown: book, bookUnknown } = bench.markets.get(1)!
      shown.push([what, book.bestBidPrice, book.bestBidQuantity, book.bestAskPrice, book.bestAskQuantity, book.top, bookUnknown])
      if (look === 0 || turn++ % look !== 0) return
      const at = (turn * 7) % 90 - 45 + 1000
      for (const one of ['BID', 'ASK'] as const) for (const factor of [1, 10]) shown.push([book.displayed(one, at * factor), book.lastDisplayed(one, at * factor)])
    },
  })
  bench.run(commands)
  return [...shown, bench.markets.get(1)!.state(), bench.worlds[0]!.state()]
}

test('an exchange that follows the tracks of its batches gives what one gives that applies every row', () => {
  fc.assert(fc.property(days, program, fc.constantFrom('assumeWorst', 'freeze'), fc.constantFrom(0, 1, 3), fc.boolean(), (day, commands, gaps, look, rows) => {
    const batches = batchesOf(day)
    expect(played(tracked(batches, day.tracks), commands, gaps, look, rows)).toEqual(played(batches, commands, gaps, look, rows))
  }), { numRuns: RUNS })
})
