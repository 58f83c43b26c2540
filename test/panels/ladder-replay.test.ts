import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countUpTo, LadderReplay } from '../../src/panels/ladder-replay.js'
import type { PriceRows } from '../../src/panels/stretch-columns.js'

type Row = readonly [event: number, side: number, price: number, quantity: number]

function rowsOf(rows: readonly Row[]): PriceRows {
  return { event: rows.map(([event]) => event), side: rows.map(([, side]) => side), price: rows.map(([, , price]) => price), quantity: rows.map(([, , , quantity]) => quantity) }
}

/** The same of all rows from the first on, without a thought about speed. */
function naive(rows: readonly Row[], event: number): string {
  const sides = [0, 1].map((side) => {
    const levels = new Map<number, number>()
    for (const [at, own, price, quantity] of rows) {
      if (at > event || own !== side) continue
      if (quantity === 0) levels.delete(price)
      else levels.set(price, quantity)
    }
    return [...levels].sort(([a], [b]) => (side === 0 ? b - a : a - b))
  })
  return JSON.stringify(sides)
}

function text(replay: LadderReplay, event: number): string {
  const { bids, asks } = replay.at(event)
  return JSON.stringify([bids, asks].map(({ prices, quantities }) => prices.map((price, at) => [price, quantities[at]])))
}

const row = fc.tuple(fc.nat(2), fc.integer({ min: 0, max: 1 }), fc.integer({ min: 95, max: 105 }), fc.nat(5))
const stretch = fc.array(row, { maxLength: 60 }).map((steps): Row[] => {
  let event = 0
  return steps.map(([step, side, price, quantity]) => [(event += step), side, price, quantity])
})

describe('a ladder that is rebuilt', () => {
  test('is at every event, in any order of looking, what a naive reader of all rows has', () => {
    fc.assert(fc.property(stretch, fc.array(fc.nat(130), { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (rows, events, keyRows) => {
      const replay = new LadderReplay(rowsOf(rows), keyRows)
      for (const event of events) expect(text(replay, event)).toBe(naive(rows, event))
    }), { numRuns: 200 })
  })

  test('says what an event changed, and what stood there before', () => {
    const replay = new LadderReplay(rowsOf([[0, 0, 100, 5], [0, 1, 101, 7], [3, 0, 100, 2], [3, 0, 99, 4], [3, 1, 101, 0]]), 2)
    expect(replay.changes(3)).toEqual([
      { isBid: true, price: 100, before: 5, after: 2 }, { isBid: true, price: 99, before: 0, after: 4 }, { isBid: false, price: 101, before: 7, after: 0 },
    ])
    expect(replay.changes(2)).toEqual([])
    expect(replay.touch).toEqual({ event: [0, 3], bid: [100, 100], ask: [101, NaN] })
  })

  test.each([[-1, 0], [0, 2], [1, 2], [4, 3], [9, 4]])('entries up to %i', (value, count) => {
    expect(countUpTo([0, 0, 4, 7], value)).toBe(count)
  })
})
