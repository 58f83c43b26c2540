import { describe, expect, test } from 'vitest'
import { indexOf, markBefore, markOf } from '../../src/exchange/market/mark-price.js'
import { type ConditionWatcher, type MarketParticipant } from '../../src/exchange/market/price-watch.js'
import { bookUnknownUntil, type UnknownBookPeriod } from '../../src/exchange/market/unknown-book-time.js'
import { ExchangeBench } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument()
/** A market that has seen these lines, and nobody looks at. */
const marketAfter = (...lines: readonly MarketLine[]) => {
  const bench = new ExchangeBench({ instruments: [{ instrument, batches: lines.length === 0 ? [] : [lineBatch(lines, { instrument })] }] })
  bench.run([])
  return bench.markets.get(1)!
}
const BOOK: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 103, 4]] }

describe('how long a market was blind', () => {
  const before = { periods: 2, bookUnknownNs: 30 }
  const since = (sinceNs: number, reason: UnknownBookPeriod['reason'] = 'gap'): UnknownBookPeriod => ({ sinceNs, detectedNs: sinceNs + 1, reason })
  test.each<[words: string, bookUnknown: UnknownBookPeriod | null, untilNs: number, periods: number, bookUnknownNs: number, runFromNs?: number]>([
    ['it sees', null, 100, 2, 30], ['it has not begun to see', since(-Infinity, 'start'), 100, 2, 30], ['it is blind still', since(90), 100, 3, 40], ['since an error', since(60, 'error'), 100, 3, 70],
    ['since this very moment', since(100), 100, 3, 30], ['from a moment that is still to come', since(120), 100, 3, 30],
    ['since before the run', since(60), 100, 3, 50, 80], ['since no line that was good: from its detection', { ...since(-Infinity, 'error'), detectedNs: 70 }, 100, 3, 60], ['detected before the run', { ...since(-Infinity, 'error'), detectedNs: 70 }, 100, 3, 50, 80],
  ])('%s', (_words, bookUnknown, untilNs, periods, bookUnknownNs, runFromNs = -Infinity) => {
    for (const reason of [bookUnknown?.reason, 'crossed'] as const) {
      if (reason === undefined || bookUnknown === null || bookUnknown.reason === 'start') continue
      const market = { bookUnknown: { ...bookUnknown, reason }, bookUnknownTime: { ...before }, crossedGapTime: { ...before }, runFromNs }
      const told = bookUnknownUntil(market, untilNs)
      // Those of a crossed book are counted apart.
      const [counted, apart] = reason === 'crossed' ? [told.crossedGapTime, told.bookUnknownTime] : [told.bookUnknownTime, told.crossedGapTime]
      expect([counted, apart, market.bookUnknownTime, market.crossedGapTime]).toEqual([{ periods, bookUnknownNs }, before, before, before])
    }
    const market = { bookUnknown, bookUnknownTime: { ...before }, crossedGapTime: { ...before }, runFromNs }
    const told = bookUnknownUntil(market, untilNs).bookUnknownTime
    expect([told, market.bookUnknownTime]).toEqual([{ periods, bookUnknownNs }, before])
    expect(told).not.toBe(market.bookUnknownTime)
  })
})

test('a book that was suspect at the end of a day is so on the next one, until a snapshot that the file itself has', () => {
  const lines: MarketLine[] = [BOOK, { kind: 'update', timeNs: 9, gap: true, rows: [] }, { ...BOOK, timeNs: 20, seam: true, gap: true }, { kind: 'update', timeNs: 25, rows: [] }, { ...BOOK, timeNs: 30 }]
  const seen = (count: number, more: Partial<MarketLine> = {}): unknown => {
    const { bookUnknown, bookUnknownTime } = marketAfter(...lines.slice(0, count).map((line) => (line.seam === true ? { ...line, ...more } : line)))
    return [bookUnknown?.reason, bookUnknownTime.bookUnknownNs]
  }
  expect([1, 2, 3, 4, 5].map((count) => seen(count))).toEqual([[undefined, 0], ['gap', 0], ['gap', 0], ['gap', 0], [undefined, 29]])
  expect(seen(3, { gap: false })).toEqual([undefined, 19])
})

describe('a market that somebody watches', () => {
  const participant = (worldNumber: number): MarketParticipant => ({ worldNumber, followsChanges: false, levelCount: 0, onTrade: () => undefined, onShown: () => undefined, onChange: () => undefined, onGap: () => undefined, onRecovery: () => undefined, onUnbroken: () => undefined, onRecovered: () => undefined, onRescale: () => undefined })
  const trades = [2, 3, 4, 5, 6].map((timeNs): MarketLine => ({ kind: 'trades', timeNs, rows: [[0, 103, 1]] }))
  /** Its first line has happened. */
  const begun = (lines = trades) => {
    const bench = new ExchangeBench({ instruments: [{ instrument, batches: [lineBatch([BOOK, ...lines], { instrument })] }] })
    bench.run([], 1)
    return bench.markets.get(1)!
  }

  test('is played up to a time, that instant included, or up to the item at which it is to stop; items that touch nothing call nobody', () => {
    const [market, untouched] = [begun([2, 3, 4, 5, 6].map((timeNs): MarketLine => ({ kind: 'mark', timeNs, value: 100 }))), begun()]
    untouched.attach(participant(0))
    untouched.advance(9, () => true)
    expect(untouched.timeNs).toBe(6)
    market.attach(participant(0))
    const at = (untilNs: number, stopNs = Infinity): number => {
      market.advance(untilNs, () => market.timeNs >= stopNs)
      return market.timeNs
    }
    expect([at(1), at(3), at(3), at(9, 4), at(9, 4), at(9)]).toEqual([1, 3, 3, 4, 5, 6])
  })

  test('knows by how much its last line was late where clients stand, as one does that nobody watches', () => {
    const late = [3, 0, 7, 1, 12, 4].map((lateNs, at): MarketLine => ({ ...[BOOK, ...trades][at]!, adapterTimeNs: at + 1 + lateNs }))
    const told = (isWatched: boolean): number[] => {
      const bench = new ExchangeBench({ instruments: [{ instrument, batches: [lineBatch(late, { instrument })] }] })
      const market = bench.markets.get(1)!
      if (isWatched) market.attach(participant(0))
      return [1, 2, 3, 4, 5, 6].map((untilNs) => {
        bench.run([], untilNs)
        return market.feedLatencyNs
      })
    }
    expect([told(true), told(false)]).toEqual([[3, 0, 7, 1, 12, 4], [3, 0, 7, 1, 12, 4]])
  })

  test('who goes without having come takes nobody else away, and who comes twice goes once', () => {
    const market = begun()
    const [own, other] = [participant(0), participant(1)]
    const received: string[] = []
    const [watcher, stranger] = ['own', 'other'].map((name): ConditionWatcher => ({ onItem: (timeNs) => { received.push(`${name} ${timeNs}`) } })) as [ConditionWatcher, ConditionWatcher]
    for (const one of [own, own]) market.attach(one)
    market.worlds.watchConditions(watcher)
    market.worlds.detach(other)
    market.worlds.unwatchConditions(stranger)
    market.advance(3, () => false)
    expect([market.isWatched, received]).toEqual([true, ['own 2', 'own 3']])
    market.worlds.unwatchConditions(watcher)
    market.advance(5, () => false)
    market.worlds.detach(own)
    expect([market.isWatched, received]).toEqual([false, ['own 2', 'own 3']])
  })
})

describe('a market as plain data', () => {
  const lines: MarketLine[] = [
    BOOK, { kind: 'mark', timeNs: 2, value: 1015, valueScale: 1 }, { kind: 'index', timeNs: 3, value: 102 }, { kind: 'trades', timeNs: 4, rows: [[0, 103, 1]] },
    { kind: 'update', timeNs: 9, gap: true, rows: [] }, { ...BOOK, timeNs: 19 }, { kind: 'ERROR', timeNs: 30 },
  ]
  test('what one has seen the other knows, and neither moves with the other', () => {
    const market = marketAfter(...lines)
    const state = market.state()
    expect(state).toMatchObject({
      numbers: { timeNs: 30, lastGoodNs: 19, markPrice: 1015, markScale: 1, indexPrice: 102, indexScale: 0, lastTradePrice: 103 }, bookUnknown: { sinceNs: 19, detectedNs: 30, reason: 'error' }, bookUnknownTime: { periods: 1, bookUnknownNs: 18 },
    })
    const other = marketAfter()
    other.restore(throughJson(state))
    expect(other.state()).toEqual(state)
    other.bookUnknownTime.periods = 9
    expect([market.bookUnknownTime.periods, state.bookUnknownTime.periods]).toEqual([1, 1])
    market.bookUnknownTime.periods = 8
    expect(state.bookUnknownTime.periods).toBe(1)
  })

  test('one that has seen nothing too', () => {
    const state = marketAfter().state()
    expect([state.numbers['timeNs'], state.numbers['lastGoodNs'], state.numbers['markPrice'], state.bookUnknown?.sinceNs, state.bookUnknown?.reason]).toEqual([-Infinity, -Infinity, NaN, -Infinity, 'start'])
    const other = marketAfter(...lines)
    other.restore(throughJson(state))
    expect(other.state()).toEqual(state)
  })
})

test('a trade before any book is the last trade', () => {
  expect(marketAfter({ kind: 'trades', timeNs: 1, rows: [[0, 103, 1]] }).prices.of('lastTrade')).toEqual({ value: 103, scale: 0 })
})

describe('by what a position is valued', () => {
  const words = (found: ReturnType<typeof markOf>): string => (found === null ? 'nothing' : `${found.price.toFixed()} by ${found.by}`)
  test('the mark, else the mid, else nothing', () => {
    expect([undefined, marketAfter(), marketAfter(BOOK), marketAfter(BOOK, { kind: 'mark', timeNs: 2, value: 1015, valueScale: 1 })].map((market) => words(markOf(market)))).toEqual(['nothing', 'nothing', '101.5 by mid', '101.5 by mark'])
    expect([undefined, marketAfter(BOOK), marketAfter({ kind: 'index', timeNs: 2, value: 10_125, valueScale: 2 })].map((market) => indexOf(market)?.toFixed())).toEqual([undefined, undefined, '101.25'])
  })

  test('at a funding the mark of before that instant, rule 8.1', () => {
    const marks = (...times: readonly number[]): MarketLine[] => times.map((timeNs): MarketLine => ({ kind: 'mark', timeNs, value: timeNs }))
    const at = (...lines: readonly MarketLine[]): string => words(markBefore(marketAfter(...lines), 20))
    expect([words(markBefore(undefined, 20)), at(), at(BOOK), at(BOOK, ...marks(10)), at(BOOK, ...marks(10, 19)), at(BOOK, ...marks(10, 20)), at(BOOK, ...marks(10, 20, 20)), at(BOOK, ...marks(20)), at(...marks(20))])
      .toEqual(['nothing', 'nothing', '101.5 by mid', '10 by mark', '19 by mark', '10 by mark', '10 by mark', '101.5 by mid', 'nothing'])
  })
})
