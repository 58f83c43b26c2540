import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BookTracker } from '../../src/book/book-tracker.js'
import { OrderBook } from '../../src/book/order-book.js'
import { bookTrackOf, trackBlock } from '../../src/model/book-track.js'
import { CROSSED_TEXT } from '../../src/model/crossing.js'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import { copyBatch, sliceBatch, textAt } from '../../src/model/event-batch-columns.js'
import { CrossingWatch } from '../../src/simulation/crossing-watch.js'
import { lineBatch, madeInstrument, type MarketLine, type MarketRow } from '../support/market-lines.ts'
import { fewest } from '../support/repetitions.ts'

const { CROSSED, CROSSED_GAP, CROSSED_END } = EVENT_FLAGS
const instrument = madeInstrument()

interface Found {
  /** Of each gap: when the crossing began, when it was detected, and the place of the file's line behind it. */
  readonly gaps: readonly (readonly [sinceNs: number, detectedNs: number, place: number])[]
  readonly ends: readonly number[]
  /** Places of lines of depth that leave the book crossed. */
  readonly crossed: readonly number[]
}

type Way = 'rows' | 'tracks' | 'both'

/** A file in batches of their own; `tracks`: with the track of a kept day, `both`: some of them. */
function batchesOf(lines: readonly MarketLine[], cuts: readonly number[], way: Way): EventBatch[] {
  const whole = lineBatch(lines, { instrument })
  // As a reader flags them.
  let greatestNs = -Infinity
  for (let i = 0; i < whole.count; i++) {
    if (whole.adapterTimeNs[i]! < greatestNs) whole.flags[i] = whole.flags[i]! | EVENT_FLAGS.CLOCK_STEPPED_BACK
    greatestNs = Math.max(greatestNs, whole.adapterTimeNs[i]!)
  }
  const places = [0, ...new Set(cuts.filter((cut) => cut < lines.length && cut > 0).sort((a, b) => a - b)), lines.length]
  const tracker = new BookTracker()
  const chain = {}
  return places.slice(1).map((to, at) => {
    const batch = copyBatch(sliceBatch(whole, places[at]!, to))
    const track = tracker.track(batch)
    const isKept = way === 'tracks' || (way === 'both' && at % 3 !== 1)
    if (isKept && track !== null)
      trackBlock(batch.kind.buffer, batch.count, { ...track, marks: track.marks.slice(), prices: track.prices.slice(), quantities: track.quantities.slice(), chain, number: at, priceScale: 0, quantityScale: 0 })
    return batch
  })
}

function found(lines: readonly MarketLine[], cuts: readonly number[], way: Way, afterNs: number, endNs = Infinity, marginNs?: (timeNs: number) => number): Found {
  const watch = new CrossingWatch(afterNs, marginNs)
  const [gaps, ends, crossed]: [Found['gaps'][number][], number[], number[]] = [[], [], []]
  let place = 0
  const take = (batch: EventBatch): void => {
    for (let i = 0; i < batch.count; i++) {
      const flags = batch.flags[i]!
      if ((flags & CROSSED_GAP) !== 0) {
        expect([batch.count, batch.kind[i], textAt(batch.text, 0)]).toEqual([1, 5, 'ERROR'])
        gaps.push([CROSSED_TEXT.lineSinceNs(batch, i), batch.adapterTimeNs[i]!, place])
        continue
      }
      if ((flags & CROSSED) !== 0) crossed.push(place)
      if ((flags & CROSSED_END) !== 0) ends.push(place)
      place++
    }
  }
  const held: EventBatch[] = []
  for (const batch of batchesOf(lines, cuts, way)) {
    const parts = watch.parts(batch, (whole) => { expect(whole).toBe(batch) })
    for (const part of parts) take(part)
    // Not all of them are in hand when the next one comes.
    if (held.length > 0) watch.released(held.shift()!)
    held.push(...parts)
  }
  const last = watch.end(endNs)
  if (last !== null) take(last)
  expect(place).toBe(lines.length)
  return { gaps, ends, crossed }
}

/** Rule 6.5 read plainly: a book that applies every line. */
function naive(lines: readonly MarketLine[], afterNs: number): Found {
  const book = new OrderBook()
  const [gaps, ends, crossed]: [Found['gaps'][number][], number[], number[]] = [[], [], []]
  let [clockNs, sinceNs, isGap, wasSuspect] = [-Infinity, NaN, false, true]
  lines.forEach((line, place) => {
    clockNs = Math.max(clockNs, line.adapterTimeNs ?? line.timeNs)
    if (!isGap && clockNs >= sinceNs + afterNs) {
      isGap = true
      gaps.push([sinceNs, sinceNs + afterNs, place])
    }
    book.apply(lineBatch([line], { instrument }), 0)
    const isDepth = line.kind === 'snapshot' || line.kind === 'update'
    if (book.suspect) {
      if (!isGap) sinceNs = NaN
      else if (isDepth) crossed.push(place)
    } else if (isDepth && book.bestBidPrice > book.bestAskPrice) {
      crossed.push(place)
      if (!isGap && Number.isNaN(sinceNs)) sinceNs = clockNs
    } else if (isDepth) {
      if (isGap) ends.push(place)
      isGap = false
      sinceNs = NaN
    }
    wasSuspect = book.suspect
  })
  if (!isGap && Number.isFinite(sinceNs + afterNs) && !wasSuspect) gaps.push([sinceNs, sinceNs + afterNs, lines.length])
  return { gaps, ends, crossed }
}

const row = fc.tuple(fc.constantFrom(0, 1), fc.integer({ min: 99, max: 103 }), fc.integer({ min: 0, max: 2 })) as fc.Arbitrary<MarketRow>
const step = fc.record({ kind: fc.constantFrom('update', 'update', 'update', 'update', 'top', 'trades', 'snapshot', 'ERROR', 'READY', 'mark'), stepNs: fc.integer({ min: -3, max: 12 }), rows: fc.array(row, { minLength: 1, maxLength: 3 }), gap: fc.integer({ min: 0, max: 12 }) })

test('gaps of a crossed book are those of rule 6.5 read plainly, however a file is cut into batches and whatever tracks they have', () => {
  const counts = { gaps: 0, ends: 0 }
  fc.assert(fc.property(fc.array(step, { minLength: 10, maxLength: 50 }), fc.array(fc.nat(50), { maxLength: 12 }), (steps, cuts) => {
    let nowNs = 1_000
    const lines: MarketLine[] = [{ kind: 'snapshot', timeNs: nowNs, rows: [[0, 100, 1], [1, 102, 1]] }]
    for (const { kind, stepNs, rows, gap } of steps) {
      nowNs += stepNs
      const hasRows = ['update', 'snapshot', 'top', 'trades'].includes(kind)
      lines.push({ kind, timeNs: nowNs, rows: hasRows ? rows : [], gap: gap === 0 && kind === 'update', ...(kind === 'mark' ? { value: 1 } : {}) })
    }
    const expected = naive(lines, 10)
    counts.gaps += expected.gaps.length
    counts.ends += expected.ends.length
    for (const way of ['rows', 'tracks', 'both'] as const) {
      expect([way, found(lines, cuts, way, 10)]).toEqual([way, expected])
      // Never a gap; the flags say what is crossed by itself all the same.
      expect(found(lines, cuts, way, Infinity)).toEqual(naive(lines, Infinity))
    }
  }), { numRuns: 200 })
  expect(counts.gaps).toBeGreaterThan(fewest(50))
  expect(counts.ends).toBeGreaterThan(fewest(20))
})

const BOOK: MarketLine = { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 1], [1, 102, 1]] }
const at = (timeNs: number, ...rows: readonly MarketRow[]): MarketLine => ({ kind: 'update', timeNs, rows })
const cross = (timeNs: number): MarketLine => at(timeNs, [1, 99, 1])
const uncross = (timeNs: number): MarketLine => at(timeNs, [1, 99, 0])
const locked: MarketLine = at(5, [1, 100, 1])
const CASES: readonly (readonly [what: string, lines: readonly MarketLine[], gaps: Found['gaps'], ends: readonly number[], endNs?: number])[] = [
  ['one nanosecond too short', [BOOK, cross(5), uncross(14)], [], []],
  ['as long as that', [BOOK, cross(5), uncross(15)], [[5, 15, 2]], [2]],
  ['a locked book is not crossed', [BOOK, locked, at(40, [0, 99, 1])], [], []],
  ['a side without a level is not crossed', [BOOK, at(5, [1, 102, 0]), at(40, [0, 105, 1])], [], []],
  ['uncrossed for one line between', [BOOK, cross(5), uncross(12), cross(12), uncross(21)], [], []],
  ['another level crosses before the first leaves', [BOOK, cross(5), at(12, [1, 98, 1]), uncross(13), at(16, [1, 98, 0])], [[5, 15, 4]], [4]],
  ['a top of book ends nothing', [BOOK, cross(5), { kind: 'top', timeNs: 8, rows: [[0, 100, 1], [1, 101, 1]] }, uncross(20)], [[5, 15, 3]], [3]],
  ['a trade shows that time has passed', [BOOK, cross(5), { kind: 'trades', timeNs: 15, rows: [[0, 100, 1]] }, uncross(20)], [[5, 15, 2]], [3]],
  ['a clock that steps back', [BOOK, cross(5), at(3, [0, 90, 1]), at(16, [0, 90, 1]), at(4, [0, 90, 2]), uncross(17)], [[5, 15, 3]], [5]],
  ['a snapshot that is crossed itself', [{ ...BOOK, rows: [[0, 103, 1], [1, 102, 1]] }, at(10, [0, 90, 1]), { ...BOOK, timeNs: 12 }], [[0, 10, 1]], [2]],
  ['it goes on over a snapshot', [BOOK, cross(5), { ...BOOK, timeNs: 12, rows: [[0, 103, 1], [1, 102, 1]] }, { ...BOOK, timeNs: 30 }], [[5, 15, 3]], [3]],
  ['it ends where the data do, before their day does', [BOOK, cross(5)], [[5, 15, 2]], []],
  ['detected at the end of the day itself', [BOOK, cross(5)], [], [], 15],
  ['one nanosecond before', [BOOK, cross(5)], [[5, 15, 2]], [], 16],
  ['suspect in between', [BOOK, cross(5), { ...at(8, [0, 90, 1]), gap: true }, { ...BOOK, timeNs: 9, rows: [[0, 103, 1], [1, 102, 1]] }, at(18, [0, 90, 1]), { ...BOOK, timeNs: 30 }], [[9, 19, 5]], [5]],
]
test.each(CASES.map(([what, lines, gaps, ends, endNs = Infinity]) => [what, { lines, gaps, ends, endNs }] as const))('%s', (_what, { lines, gaps, ends, endNs }) => {
  for (const way of ['rows', 'tracks'] as const) {
    const one = found(lines, [], way, 10, endNs)
    expect([one.gaps, one.ends]).toEqual([gaps, ends])
    expect(found(lines, lines.map((_line, i) => i), way, 10, endNs)).toEqual(one)
  }
})

const OPENING: MarketLine = { ...BOOK, seam: true, rows: [[0, 103, 1], [1, 102, 1]] }
const DAY = 86_400e9
test.each(([
  ['one nanosecond too short', [OPENING, { ...BOOK, timeNs: 2 }], -7, [], []],
  ['as long as that', [OPENING, { ...BOOK, timeNs: 3 }], -7, [[-7, 3, 1]], [1]],
  ['longer before the book is there', [OPENING, at(0, [0, 90, 1]), { ...BOOK, timeNs: 1 }], -500, [[-500, 0, 1]], [2]],
  ['that is all', [OPENING], -7, [[-7, 3, 1]], []],
  ['that is all, and its day is over', [OPENING], -7, [], [], 3],
  ['not crossed in the margin', [OPENING, { ...BOOK, timeNs: 9 }], NaN, [], []],
  ['not crossed in the margin, and for long', [OPENING, { ...BOOK, timeNs: 10 }], NaN, [[0, 10, 1]], [1]],
  ['of a later day, where the book was crossed before: since then', [{ ...OPENING, seam: false, timeNs: DAY - 4 }, { ...OPENING, timeNs: DAY }, { ...BOOK, timeNs: DAY + 9 }], DAY - 7, [[DAY - 4, DAY + 6, 2]], [2]],
  ['of a later day, where the book was not', [BOOK, { ...OPENING, timeNs: DAY }, { ...BOOK, timeNs: DAY + 9 }], DAY - 7, [[DAY - 7, DAY + 3, 2]], [2]],
  ['of a later day, where the book was suspect', [BOOK, { kind: 'ERROR', timeNs: DAY - 9 }, { ...OPENING, timeNs: DAY }, { ...BOOK, timeNs: DAY + 9 }], DAY - 7, [[DAY - 7, DAY + 3, 3]], [3]],
  ['any other snapshot begins its own crossing', [{ ...OPENING, seam: false }, { ...BOOK, timeNs: 9 }], -7, [], []],
] as readonly (readonly [what: string, lines: readonly MarketLine[], marginNs: number, gaps: Found['gaps'], ends: readonly number[], endNs?: number])[]).map(([what, lines, marginNs, gaps, ends, endNs = Infinity]) => [what, { lines, marginNs, gaps, ends, endNs }] as const))('a made snapshot that is crossed since its margin: %s', (_what, { lines, marginNs, gaps, ends, endNs }) => {
  for (const way of ['rows', 'tracks'] as const)
    for (const cuts of [[], lines.map((_line, i) => i)]) {
      const one = found(lines, cuts, way, 10, endNs, () => marginNs)
      expect([one.gaps, one.ends]).toEqual([gaps, ends])
    }
})

test('a batch without a track has one behind it, and memory that is used again has none of before', () => {
  const watch = new CrossingWatch(10)
  const batch = copyBatch(lineBatch([BOOK, at(1, [0, 101, 1])], { instrument }))
  expect(watch.parts(batch, () => {})).toEqual([batch])
  expect(bookTrackOf(batch)).toMatchObject({ number: 1, priceScale: 0, before: { bidCount: 0, askCount: 0 } })
  const track = bookTrackOf(batch)!
  expect([...track.prices]).toEqual([100, 102, 101])
})
