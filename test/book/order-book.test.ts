import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OrderBook } from '../../src/book/order-book.js'
import type { BacktapeError } from '../../src/model/error.js'
import { depthBatch, type DepthBatchOptions, type DepthEvent } from '../support/depth-batch.js'
import { NaiveBook } from '../support/naive-book.js'

type Level = [price: number, quantity: number]

function levels(book: OrderBook, side: 'BID' | 'ASK'): Level[] {
  const prices = new Float64Array(side === 'BID' ? book.bidLevelCount : book.askLevelCount)
  const quantities = new Float64Array(prices.length)
  const count = book.copyLevels(side, prices.length, prices, quantities)
  expect(count).toBe(prices.length)
  return [...prices].map((price, i) => [price, quantities[i]!])
}

function expectEqual(book: OrderBook, naive: NaiveBook): void {
  const bids = naive.levels(0)
  const asks = naive.levels(1)
  expect(levels(book, 'BID')).toEqual(bids)
  expect(levels(book, 'ASK')).toEqual(asks)
  expect([book.bestBidPrice, book.bestBidQuantity]).toEqual(bids[0] ?? [NaN, 0])
  expect([book.bestAskPrice, book.bestAskQuantity]).toEqual(asks[0] ?? [NaN, 0])
  expect([book.deepestPrice('BID'), book.deepestPrice('ASK')]).toEqual([bids.at(-1)?.[0] ?? NaN, asks.at(-1)?.[0] ?? NaN])
  expect(book.suspect).toBe(naive.suspect)
  for (const [side, all] of [['BID', bids], ['ASK', asks]] as const) {
    // Every level, and where none is: beside each, and far beyond.
    const shown = new Map(all)
    const prices = [...all.flatMap(([price]) => [price - 1, price, price + 1]), 0, -7, Number.MAX_SAFE_INTEGER]
    expect(prices.map((price) => book.quantityAt(side, price))).toEqual(prices.map((price) => shown.get(price) ?? 0))
  }
}

function replay(events: readonly DepthEvent[], windowTicks = 32, options: DepthBatchOptions = {}): OrderBook {
  const book = new OrderBook({ windowTicks })
  const batch = depthBatch(events, options)
  book.applyRange(batch, 0, batch.count)
  return book
}

const snapshot: DepthEvent = { kind: 'snapshot', rows: [[0, 99, 5], [1, 101, 7], [0, 98, 6], [1, 103, 8]] }

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as BacktapeError).code
  }
  return 'none'
}

describe('what events mean', () => {
  test('a snapshot replaces, in whatever order its rows stand', () => {
    const book = replay([{ kind: 'snapshot', rows: [[0, 1, 1], [1, 900_000, 1]] }, snapshot])
    expect(levels(book, 'BID')).toEqual([[99, 5], [98, 6]])
    expect(levels(book, 'ASK')).toEqual([[101, 7], [103, 8]])
  })
  test('of equal prices in a snapshot the last row counts, and a quantity of 0 is no level', () => {
    const book = replay([{ kind: 'snapshot', rows: [[0, 99, 5], [0, 98, 1], [0, 99, 0], [1, 7, 0], [0, 98, 2]] }])
    expect(book.state()).toMatchObject({ bids: { prices: [98], quantities: [2] }, asks: { prices: [] } })
  })
  test('an update sets absolute quantities and 0 removes', () => {
    const book = replay([snapshot, { kind: 'update', rows: [[0, 99, 0], [0, 98, 1], [1, 102, 3], [1, 500, 0]] }])
    expect(levels(book, 'BID')).toEqual([[98, 1]])
    expect(levels(book, 'ASK')).toEqual([[101, 7], [102, 3], [103, 8]])
    expect([book.quantityAt('BID', 98), book.quantityAt('BID', 99), book.quantityAt('ASK', 99.5), book.quantityAt('ASK', 1e15)]).toEqual([1, 0, 0, 0])
  })
  test('an empty side says NaN', () => {
    const book = replay([snapshot, { kind: 'update', rows: [[1, 101, 0], [1, 103, 0]] }])
    expect([book.bestAskPrice, book.bestAskQuantity, book.askLevelCount]).toEqual([NaN, 0, 0])
  })
  test('a crossed book stays as it is', () => {
    const book = replay([snapshot, { kind: 'update', rows: [[0, 102, 1]] }])
    expect([book.bestBidPrice, book.bestAskPrice]).toEqual([102, 101])
  })
  test('other kinds leave it alone', () => {
    expect(replay([snapshot, { kind: 'other' }]).state()).toEqual(replay([snapshot]).state())
  })
})

describe('suspect', () => {
  const update: DepthEvent = { kind: 'update', rows: [[0, 99, 6]] }
  const cases: [string, DepthEvent[], boolean][] = [
    ['before anything', [], true],
    ['before the first snapshot', [update], true],
    ['after a snapshot', [snapshot], false],
    ['after READY', [snapshot, { kind: 'READY' }], false],
    ['READY does not heal', [snapshot, { kind: 'ERROR' }, { kind: 'READY' }, update], true],
    ['after ERROR', [snapshot, { kind: 'ERROR' }], true],
    ['after a gap', [snapshot, { ...update, gap: true }], true],
    ['a gap lasts', [snapshot, { ...update, gap: true }, update], true],
    ['a silence leaves the chain whole (rule 6.4)', [snapshot, { kind: 'ERROR', silence: true }], false],
    ['another event that says ERROR', [snapshot, { kind: 'other', says: 'ERROR' }], false],
    ['a gap in another stream', [snapshot, { kind: 'other', gap: true }], false],
    ['until the next snapshot', [snapshot, { ...update, gap: true }, { ...snapshot, gap: true }], false],
    ['a seam alone breaks nothing', [snapshot, { ...snapshot, seam: true }], false],
    ['a seam hands over a book that is suspect', [snapshot, { ...snapshot, seam: true, gap: true }], true],
    ['until a snapshot of the file\'s own', [{ ...snapshot, seam: true, gap: true }, snapshot], false],
    ...['ERRO', 'ERRORS', 'ERASE', 'error', ''].map((says): [string, DepthEvent[], boolean] => [`${says} is not ERROR`, [snapshot, { kind: 'READY', says }], false]),
  ]
  test.each(cases)('%s', (_, events, expected) => expect(replay(events).suspect).toBe(expected))
  test.each(cases)('a book that events pass by stands where one that applies them does: %s', (_, events) => {
    for (const scales of [{ priceScale: 2, quantityScale: 1 }, { priceScale: 2 }, { quantityScale: 1 }, {}]) {
      const book = new OrderBook({ windowTicks: 32 })
      const batch = depthBatch(events, scales)
      const applied = new OrderBook({ windowTicks: 32 })
      for (let index = 0; index < batch.count; index++) {
        book.pass(batch, index)
        applied.apply(batch, index)
        expect(book.suspect).toBe(applied.suspect)
      }
      const { suspect, priceScale, quantityScale } = replay(events, 32, scales)
      expect(book.state()).toEqual({ suspect, priceScale, quantityScale, bids: { prices: [], quantities: [] }, asks: { prices: [], quantities: [] } })
    }
  })
  test('levels move to the digits of what passes by, price and quantity each by itself', () => {
    for (const kind of ['snapshot', 'update'] as const) {
      const state = (priceScale: number, quantityScale: number): unknown => {
        const book = replay([snapshot])
        book.pass(depthBatch([{ kind, rows: [] }], { priceScale, quantityScale }), 0)
        return [book.bestBidPrice, book.bestBidQuantity, book.bestAskPrice, book.bestAskQuantity]
      }
      expect([state(0, 0), state(1, 0), state(0, 2), state(1, 2)]).toEqual([[99, 5, 101, 7], [990, 5, 1010, 7], [99, 500, 101, 700], [990, 500, 1010, 700]])
    }
  })
  test.each([[1, 0], [0, 2], [1, 2]])('an update in finer digits moves the book to them: %i and %i more', (priceScale, quantityScale) => {
    const book = replay([snapshot])
    book.apply(depthBatch([{ kind: 'update', rows: [[0, 1000, 1]] }], { priceScale, quantityScale }), 0)
    const [price, quantity] = [10 ** priceScale, 10 ** quantityScale]
    expect([book.priceScale, book.quantityScale, levels(book, 'BID'), levels(book, 'ASK')]).toEqual([priceScale, quantityScale, [[1000, 1], [99 * price, 5 * quantity], [98 * price, 6 * quantity]], [[101 * price, 7 * quantity], [103 * price, 8 * quantity]]])
  })
  test('the rows of a gap are applied all the same', () => expect(replay([snapshot, { ...update, gap: true }]).bestBidQuantity).toBe(6))
})

describe('levels as columns', () => {
  const rows = (side: number, count: number, step: number): [number, number, number][] => Array.from({ length: count }, (_, i) => [side, 500 + step * i, 1 + i])
  /** More levels than the window holds, so that some stand outside it. */
  const deep = replay([{ kind: 'snapshot', rows: [...rows(0, 100, -1), ...rows(1, 100, 2)] }])
  test('the best ones come first, as many as were asked for and there is room for', () => {
    const copied = (side: 'BID' | 'ASK', limit: number, prices: number, quantities: number): [count: number, last: number, beyond: number] => {
      const [into, of] = [new Float64Array(prices).fill(-1), new Float64Array(quantities).fill(-1)]
      const count = deep.copyLevels(side, limit, into, of)
      return [count, into[count - 1]!, into[count] ?? -1]
    }
    for (const limit of [1, 5, 24, 25, 60, 99]) expect([copied('BID', limit, 200, 200), copied('ASK', limit, 200, 200)]).toEqual([[limit, 501 - limit, -1], [limit, 498 + 2 * limit, -1]])
    expect([copied('BID', 999, 200, 200), copied('BID', 999, 7, 200), copied('BID', 999, 200, 8), copied('BID', 0, 5, 5)]).toEqual([[100, 401, -1], [7, 494, -1], [8, 493, -1], [0, undefined, -1]])
  })
  test('a state is the whole book, and a book of any window becomes it', () => {
    const state = deep.state()
    expect([state.bids.prices.length, state.bids.quantities[99], state.asks.prices.at(-1), state.suspect]).toEqual([100, 100, 698, false])
    for (const windowTicks of [32, 4096]) {
      const book = new OrderBook({ windowTicks })
      book.restore({ ...state, suspect: true })
      expect(book.state()).toEqual({ ...state, suspect: true })
      expect([book.bestBidPrice, book.bestAskPrice, book.deepestPrice('BID'), book.deepestPrice('ASK')]).toEqual([500, 500, 401, 698])
    }
  })
})

describe('scales and steps', () => {
  test('a wider scale moves every level exactly', () => {
    const book = replay([snapshot, { kind: 'update', rows: [[1, 900_000, 4]] }])
    const wider = depthBatch([{ kind: 'update', rows: [[0, 9_950, 1]] }], { priceScale: 2, quantityScale: 1 })
    book.apply(wider, 0)
    expect(levels(book, 'BID')).toEqual([[9_950, 1], [9_900, 50], [9_800, 60]])
    expect(levels(book, 'ASK')).toEqual([[10_100, 70], [10_300, 80], [90_000_000, 40]])
  })
  test('a level that does not fit the new scale is refused', () => {
    const book = replay([{ kind: 'snapshot', rows: [[1, 2 ** 52, 1]] }])
    expect(refusal(() => book.apply(depthBatch([{ kind: 'update', rows: [[0, 1, 1]] }], { priceScale: 1 }), 0))).toBe('VALUE_INEXACT')
  })
  test('a snapshot brings its own scale, a narrower one too', () => {
    const book = replay([snapshot], 32, { priceScale: 4 })
    book.apply(depthBatch([snapshot]), 0)
    expect([book.priceScale, book.bestBidPrice]).toEqual([0, 99])
  })
  test('a price off the tick is exact', () => {
    const book = replay([{ kind: 'snapshot', rows: [[0, 1000, 1], [0, 995, 2], [1, 1005, 3]] }, { kind: 'update', rows: [[0, 998, 4], [0, 997, 0], [1, 1_000_003, 1]] }], 32, { tickSize: '5' })
    expect(levels(book, 'BID')).toEqual([[1000, 1], [998, 4], [995, 2]])
    expect(levels(book, 'ASK')).toEqual([[1005, 3], [1_000_003, 1]])
  })
})

describe('the edges of the window, of which 24 of 32 steps lie behind the touch', () => {
  const mirrored = (side: 0 | 1, price: number): number => (side === 0 ? price : 4000 - price)
  /** The same levels as bids, and mirrored at 2000 as asks. */
  const both = (before: readonly Level[], ...updates: readonly (readonly Level[])[]): [side: string, book: OrderBook, of: (price: number) => number][] => ([0, 1] as const).map((side) => {
    const rows = (levels: readonly Level[]): [number, number, number][] => levels.map(([price, quantity]) => [side, mirrored(side, price), quantity])
    return [side === 0 ? 'BID' : 'ASK', replay([{ kind: 'snapshot', rows: rows(before) }, ...updates.map((levels): DepthEvent => ({ kind: 'update', rows: rows(levels) }))], 32, { tickSize: '1' }), (price) => mirrored(side, price)]
  })
  const bestOf = (side: string, book: OrderBook): [number, number] => (side === 'BID' ? [book.bestBidPrice, book.bestBidQuantity] : [book.bestAskPrice, book.bestAskQuantity])

  test.each<[words: string, more: readonly Level[]]>([['alone', []], ['with levels outside', [[900, 5], [700, 1]]]])('the last step of it, %s: shown, found, set and removed', (_words, more) => {
    for (const [side, book, of] of both([[1000, 1], [976, 2], ...more], [[1000, 0]])) {
      expect([bestOf(side, book), book.quantityAt(side as 'BID', of(976)), book.quantityAt(side as 'BID', of(1000))]).toEqual([[of(976), 2], 2, 0])
    }
    for (const [side, book, of] of both([[1000, 1], [976, 2], ...more])) expect(book.deepestPrice(side as 'BID')).toBe(of(more.at(-1)?.[0] ?? 976))
    for (const [side, book, of] of both([[1000, 1], [976, 2], ...more], [[976, 7]])) expect(levels(book, side as 'BID').slice(0, 2)).toEqual([[of(1000), 1], [of(976), 7]])
    for (const [side, book, of] of both([[1000, 1], [976, 2], ...more], [[976, 0]])) expect([levels(book, side as 'BID')[1]?.[0] ?? 0, book.quantityAt(side as 'BID', of(976))]).toEqual([more.length === 0 ? 0 : of(900), 0])
  })

  test.each([1, 7, 8, 9, 31, 32, 33, 500])('a level %i steps better than the touch', (distance) => {
    for (const [side, book, of] of both([[1000, 1], [990, 2]], [[1000 + distance, 3]])) expect(levels(book, side as 'BID')).toEqual([[of(1000 + distance), 3], [of(1000), 1], [of(990), 2]])
  })

  test.each(['1', '5'])('levels far outside of it, on a tick of %s, can be removed, and the next of them shows where nothing is left in front', (tickSize) => {
    const rows = (...levels: readonly Level[]): [number, number, number][] => levels.map(([price, quantity]) => [0, price, quantity])
    const after = (...updates: readonly (readonly Level[])[]): Level[] => levels(replay([{ kind: 'snapshot', rows: rows([1000, 1], [700, 2], [400, 3]) }, ...updates.map((one): DepthEvent => ({ kind: 'update', rows: rows(...one) }))], 32, { tickSize }), 'BID')
    expect([after([[700, 0]]), after([[400, 0]]), after([[700, 0], [400, 0]])]).toEqual([[[1000, 1], [400, 3]], [[1000, 1], [700, 2]], [[1000, 1]]])
    // A level comes far behind while the window is empty, in one line.
    expect(after([[1000, 0], [500, 4]])).toEqual([[700, 2], [500, 4], [400, 3]])
  })

  test('a price off the tick that comes to its last step', () => {
    const book = replay([{ kind: 'snapshot', rows: [[0, 1000, 1], [0, 900, 2]] }, { kind: 'update', rows: [[0, 976, 3]] }], 32, { tickSize: '5' })
    expect([levels(book, 'BID'), book.quantityAt('BID', 976), book.deepestPrice('BID')]).toEqual([[[1000, 1], [976, 3], [900, 2]], 3, 900])
  })

  test('a level beside the last one, and one beyond it', () => {
    for (const [side, book, of] of both([[1000, 1]], [[975, 2]], [[977, 3], [976, 4]])) expect(levels(book, side as 'BID')).toEqual([[of(1000), 1], [of(977), 3], [of(976), 4], [of(975), 2]])
  })
})

test('a level at 0 is told as 0, never as -0, however far from the touch it stands', () => {
  for (const [code, side, better] of [[0, 'BID', 1], [1, 'ASK', -1]] as const) {
    for (const distance of [5, 500]) {
      const zero: DepthEvent = { kind: 'snapshot', rows: [[code, 0, 7]] }
      const books = [replay([zero]), replay([zero, { kind: 'update', rows: [[code, distance * better, 1]] }]), replay([{ kind: 'snapshot', rows: [[code, 0, 7], [code, distance * better, 1]] }])]
      expect(books.map((book) => [book.deepestPrice(side), levels(book, side).at(-1), book.quantityAt(side, 0)])).toEqual(books.map(() => [0, [0, 7], 7]))
    }
  }
  const both = replay([{ kind: 'snapshot', rows: [[0, 0, 1], [1, 0, 2]] }])
  expect([both.bestBidPrice, both.bestAskPrice]).toEqual([0, 0])
})

test('prices at the end of what is exact, on a tick of 5', () => {
  const end = 9_007_199_254_740_990
  const rows = [0, 5, 10, 15].map((less, at): [number, number, number] => [1, end - less, 1 + at])
  const book = replay([{ kind: 'snapshot', rows }, { kind: 'update', rows: [[1, end - 20, 5], [1, end - 5, 0]] }], 32, { tickSize: '5' })
  expect(levels(book, 'ASK')).toEqual([[end - 20, 5], [end - 15, 4], [end - 10, 3], [end, 1]])
})

describe('refusals', () => {
  test.each([0, 31, 33, -32, 32.5, 2 ** 30, NaN])('a window of %s ticks', (windowTicks) => expect(refusal(() => new OrderBook({ windowTicks }))).toBe('OPTION_INVALID'))
  test('more levels than the limit, by snapshot or by updates', () => {
    const rows = Array.from({ length: 101 }, (_, i): [number, number, number] => [0, i * 1000, 1])
    for (const kind of ['snapshot', 'update'] as const) {
      const batch = depthBatch([{ kind, rows }])
      expect(refusal(() => new OrderBook({ windowTicks: 32, levelLimit: 100 }).apply(batch, 0))).toBe('LIMIT_EXCEEDED')
      new OrderBook({ windowTicks: 32, levelLimit: 101 }).apply(batch, 0)
    }
  })
})

const PRICES = {
  near: fc.integer({ min: 900, max: 1100 }),
  stepped: fc.integer({ min: 90, max: 110 }).map((n) => n * 10),
  // Some two hundred steps, so that the touch drifts through windows of 32.
  drifting: fc.integer({ min: 1, max: 200 }).map((n) => n * 25),
  wide: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 100_000 }).map((n) => n * 5)),
  hostile: fc.oneof(fc.maxSafeNat(), fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 99 }).map((n) => Number.MAX_SAFE_INTEGER - n), fc.maxSafeInteger()),
}

function streams(price: fc.Arbitrary<number>): fc.Arbitrary<DepthEvent[]> {
  const row = fc.tuple(fc.integer({ min: 0, max: 1 }), price, fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.integer({ min: 1, max: 9 }) }))
  const rows = fc.array(row, { maxLength: 30 })
  const event = fc.oneof(
    { weight: 1, arbitrary: rows.map((r): DepthEvent => ({ kind: 'snapshot', rows: r })) },
    { weight: 14, arbitrary: fc.record({ kind: fc.constant('update' as const), rows, gap: fc.integer({ min: 0, max: 9 }).map((n) => n === 0) }) },
    { weight: 1, arbitrary: fc.constantFrom<DepthEvent>({ kind: 'ERROR' }, { kind: 'READY' }, { kind: 'other' }) },
  )
  return fc.array(event, { maxLength: 60 })
}

describe('equals the naive book after every event', () => {
  const ticks = fc.oneof(
    fc.constantFrom(null, '1', '5', '10', '1000', '0.1').map((tickSize) => ({ tickSize })),
    fc.constantFrom<DepthBatchOptions>({ tickSize: '1', tickBands: [{ floor: '0', tickSize: '5' }, { floor: '1000', tickSize: '25' }] }, { tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '50', tickSize: '10' }] }),
  )
  test.each(Object.keys(PRICES) as (keyof typeof PRICES)[])('%s prices', (name) => {
    fc.assert(
      fc.property(streams(PRICES[name]), fc.constantFrom(32, 64, 256, 4096), ticks, (events, windowTicks, options) => {
        const book = new OrderBook({ windowTicks })
        const naive = new NaiveBook()
        const batch = depthBatch(events, options)
        for (let i = 0; i < batch.count; i++) {
          book.apply(batch, i)
          naive.apply(batch, i)
          expectEqual(book, naive)
        }
      }),
      { numRuns: 150 },
    )
  })
  test('over growing scales, and through saved states', () => {
    fc.assert(
      fc.property(fc.array(streams(PRICES.wide), { minLength: 2, maxLength: 4 }), (parts) => {
        let book = new OrderBook({ windowTicks: 32 })
        const naive = new NaiveBook()
        parts.forEach((events, scale) => {
          const batch = depthBatch(events, { priceScale: scale, quantityScale: scale >> 1, tickSize: '1' })
          for (let i = 0; i < batch.count; i++) {
            book.apply(batch, i)
            naive.apply(batch, i)
          }
          if (batch.count > 0) expectEqual(book, naive)
          const state = JSON.parse(JSON.stringify(book.state())) as ReturnType<OrderBook['state']>
          book = new OrderBook({ windowTicks: 64 })
          book.restore(state)
          expect(book.state()).toEqual(state)
        })
      }),
      { numRuns: 60 },
    )
  })
})
