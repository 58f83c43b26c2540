import { expect, test } from 'vitest'
import type { TouchBook } from '../../src/exchange/market/touch-book.js'
import { LiquidityWalk } from '../../src/exchange/matching/resting-side.js'
import type { Side } from '../../src/model/side.js'

/** A side of so many levels from 1000 on, each of its number; it says how often it was asked and for how many levels at most. */
function shownOf(count: number, asked: number[] = []): TouchBook {
  return {
    copyShown: (side: Side, limit: number, prices: Float64Array, quantities: Float64Array) => {
      asked.push(limit)
      expect([prices.length >= limit, quantities.length >= limit]).toEqual([true, true])
      const found = Math.min(limit, count)
      for (let i = 0; i < found; i++) [prices[i], quantities[i]] = [side === 'ASK' ? 1000 + i : 1000 - i, i + 1]
      return found
    },
  } as unknown as TouchBook
}

function visited(walk: LiquidityWalk, side: Side, count: number, limit: number, stopAfter = Infinity): string {
  const seen: number[] = []
  walk.walk(shownOf(count), side, limit, (price, quantity) => {
    expect(quantity).toBe(Math.abs(price - 1000) + 1)
    return seen.push(price) < stopAfter
  })
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => (side === 'ASK' ? 1000 + i : 1000 - i)))
  return `${seen.length} to ${seen.at(-1) ?? 'none'}`
}

test.each([0, 1, 15, 16, 17, 63, 64, 65, 300])('of %i levels each is visited once, the best first, by a walk that was anywhere before', (count) => {
  const walk = new LiquidityWalk()
  for (const _time of [1, 2]) {
    expect([visited(walk, 'ASK', count, Infinity), visited(walk, 'BID', count, -Infinity)]).toEqual(count === 0 ? ['0 to none', '0 to none'] : [`${count} to ${999 + count}`, `${count} to ${1001 - count}`])
    visited(walk, 'ASK', 100, Infinity)
  }
})

test('a walk ends at its limit, that price included, and where a visitor has seen enough', () => {
  const walk = new LiquidityWalk()
  expect([visited(walk, 'ASK', 100, 1004), visited(walk, 'ASK', 100, 999), visited(walk, 'BID', 100, 996), visited(walk, 'BID', 100, 1001), visited(walk, 'ASK', 100, 1080), visited(walk, 'BID', 100, 920)])
    .toEqual(['5 to 1004', '0 to none', '5 to 996', '0 to none', '81 to 1080', '81 to 920'])
  expect([visited(walk, 'ASK', 100, Infinity, 1), visited(walk, 'ASK', 100, Infinity, 16), visited(walk, 'BID', 100, -Infinity, 17)]).toEqual(['1 to 1000', '16 to 1015', '17 to 984'])
})

test('only who looks deep copies many levels', () => {
  const asked: number[] = []
  const walk = new LiquidityWalk()
  walk.walk(shownOf(100, asked), 'ASK', 1003, () => true)
  walk.walk(shownOf(100, asked), 'ASK', Infinity, () => true)
  walk.walk(shownOf(10, asked), 'ASK', Infinity, () => true)
  expect(asked).toEqual([16, 16, 64, 256, 16])
})
