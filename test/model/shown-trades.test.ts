import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isShownOften, ShownTrades } from '../../src/model/shown-trades.js'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const MS = 1_000_000
const instrument = madeInstrument()

const snapshot = (timeMs: number): MarketLine => ({ kind: 'snapshot', timeNs: timeMs * MS, rows: [[0, 100, 10], [1, 101, 10]] })
const bid = (quantity: number, timeMs: number, price = 100): MarketLine => ({ kind: 'update', timeNs: timeMs * MS, adapterTimeNs: 100_000 * MS, rows: [[0, price, quantity]] })
const top = (quantity: number, timeMs: number, price = 100): MarketLine => ({ kind: 'top', timeNs: timeMs * MS, adapterTimeNs: 100_000 * MS, rows: [[0, price, quantity], [1, 101, 10]] })
const sell = (quantity: number, timeMs: number, price = 100): MarketLine => ({ kind: 'trades', timeNs: timeMs * MS, adapterTimeNs: 100_000 * MS, rows: [[1, price, quantity]] })
const buy = (quantity: number, timeMs: number): MarketLine => ({ kind: 'trades', timeNs: timeMs * MS, adapterTimeNs: 100_000 * MS, rows: [[0, 101, quantity]] })

function countsOf(lines: readonly MarketLine[], size = 100): readonly [number, number] {
  const shown = new ShownTrades()
  for (let from = 0; from < lines.length; from += size) {
    const batch = lineBatch(lines.slice(from, from + size), { instrument })
    shown.count(batch, 0, batch.count)
  }
  const { tradeRows, shownBefore } = shown.counts()
  return [tradeRows, shownBefore]
}

describe('trade rows that a book line of an earlier stamp shows before', () => {
  test.each<readonly [what: string, lines: readonly MarketLine[], shown: number]>([
    ['a top that has the trade, and the next one that does not lose it again', [top(10, 1), top(4, 2), sell(6, 3), top(4, 4)], 1],
    ['a top that is followed by a larger one', [top(10, 1), top(4, 2), sell(6, 3), top(9, 4)], 1],
    ['the book line behind its trade in the file, with an earlier stamp', [top(10, 1), sell(6, 3), top(4, 2), top(4, 4)], 1],
    ['a price that is passed: it displays less than what trades', [top(10, 1), top(5, 2, 99), sell(10, 3)], 1],
    ['two rows of one line', [top(10, 1), top(4, 2), { ...sell(2, 3), rows: [[1, 100, 2], [1, 100, 4]] }, top(4, 4)], 2],
    ['depth, where the file has no top of book', [snapshot(1), bid(10, 2), sell(1, 3), bid(9, 4), bid(3, 5), sell(6, 6), bid(3, 7)], 1],
    ['the same stamp: rule 1.1 has the trade first', [top(10, 1), top(4, 3), sell(6, 3), top(4, 4)], 0],
    ['a book after its trade', [top(10, 1), sell(6, 3), top(4, 3), top(4, 4)], 0],
    ['a cancel before a trade that the next line shows', [top(10, 1), top(4, 2), sell(3, 3), top(1, 4)], 0],
    ['a cancel of less than trades', [top(10, 1), top(8, 2), sell(6, 3), top(8, 4)], 0],
    ['more than 100 ms before', [top(10, 1), top(4, 2), sell(6, 103), top(4, 104)], 0],
    ['100 ms before', [top(10, 1), top(4, 2), sell(6, 102), top(4, 104)], 1],
    ['the other side', [top(10, 1), top(4, 2), buy(6, 3), top(4, 4)], 0],
    ['another price', [top(10, 1), top(4, 2), sell(6, 3, 99), top(4, 4)], 0],
    ['a trade before it that explains what was lost', [top(10, 1), sell(6, 2), top(4, 3), sell(4, 4), top(0, 5)], 0],
    ['a gap between', [top(10, 1), { ...bid(7, 2), gap: true }, top(4, 3), sell(6, 4), top(4, 5)], 0],
    ['a line older than the newest of its price', [top(10, 3), top(4, 2), sell(6, 4), top(4, 5)], 0],
    ['no line behind it', [top(10, 1), top(4, 2), sell(3, 3)], 0],
  ])('%s', (_what, lines, shown) => {
    const rows = lines.flatMap(({ kind, rows: own = [] }) => (kind === 'trades' ? own : [])).length
    for (const size of [100, 1, 3]) expect(countsOf(lines, size)).toEqual([rows, shown])
  })

  test('the same in finer digits from any line on', () => {
    const lines = [top(10, 1), top(4, 2), sell(6, 3), top(4, 4), top(9, 5), top(2, 6, 99), sell(9, 7), top(3, 8), top(1, 9), sell(2, 9), top(1, 10)]
    const whole = new ShownTrades()
    whole.count(lineBatch(lines, { instrument }), 0, lines.length)
    fc.assert(fc.property(fc.nat(lines.length), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 3 }), (at, priceScale, quantityScale) => {
      const shown = new ShownTrades()
      const finer = lines.slice(at).map((line) => ({ ...line, rows: (line.rows ?? []).map(([side, price, quantity]) => [side, price * 10 ** priceScale, quantity * 10 ** quantityScale] as const) }))
      shown.count(lineBatch(lines.slice(0, at), { instrument }), 0, at)
      shown.count(lineBatch(finer, { instrument, priceScale, quantityScale }), 0, finer.length)
      expect(shown.counts()).toEqual(whole.counts())
    }))
  })

  test('a run counts the first 4,096 of each 32,768 lines of a file, however these are cut', () => {
    const lines = Array.from({ length: 40_000 }, (_, at): MarketLine => (at % 4 === 0 ? top(10, at) : at % 4 === 1 ? top(4, at) : at % 4 === 2 ? sell(6, at) : top(4, at)))
    const batch = lineBatch(lines, { instrument })
    const counts = [[0, 40_000], [0, 1, 2, 3, 5000, 32_767, 32_769, 33_001, 40_000]].map((cuts) => {
      const shown = new ShownTrades()
      cuts.slice(1).forEach((to, at) => { shown.countSample(batch, cuts[at]!, to) })
      return shown.counts()
    })
    expect(counts).toEqual([{ tradeRows: 2048, shownBefore: 2048 }, { tradeRows: 2048, shownBefore: 2048 }])
  })

  test.each([[0, 0, false], [20, 1, false], [19, 1, true], [100, 6, true]])('of %i rows %i: often %s', (tradeRows, shownBefore, isOften) => {
    expect(isShownOften({ tradeRows, shownBefore })).toBe(isOften)
  })
})
