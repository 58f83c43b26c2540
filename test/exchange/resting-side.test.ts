import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RestingSide } from '../../src/exchange/matching/resting-side.js'
import type { MarketParticipant } from '../../src/exchange/market/price-watch.js'
import type { WorldLevel } from '../../src/exchange/market/watched-price.js'
import type { Side } from '../../src/model/side.js'

const levelAt = (...ownOrderIds: string[]): WorldLevel<MarketParticipant> => ({ orders: ownOrderIds.map((ownOrderId) => ({ ownOrderId })) } as unknown as WorldLevel<MarketParticipant>)
const bySide = (side: Side) => (a: number, b: number): number => (side === 'BID' ? b - a : a - b)

describe.each(['BID', 'ASK'] as const)('prices with own orders on the %s side', (side) => {
  test('whatever comes and goes, each stands once, the best first, with its own level', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: 90, max: 99 }), fc.boolean()), { maxLength: 30 }), (steps) => {
      const own = new RestingSide(side)
      const naive = new Map<number, WorldLevel<MarketParticipant>>()
      for (const [price, isAdded] of steps) {
        const level = levelAt(String(price))
        if (isAdded) own.add(price, level)
        else own.drop(price)
        if (!isAdded) naive.delete(price)
        else if (!naive.has(price)) naive.set(price, level)
        const expected = [...naive.keys()].sort(bySide(side))
        expect(own.prices).toEqual(expected)
        expect(own.levels.every((one, i) => one === naive.get(expected[i]!))).toBe(true)
      }
    }))
  })

  test('orders are walked best price first, then as they queue', () => {
    const own = new RestingSide(side)
    expect([...own.orders()]).toEqual([])
    for (const [price, level] of [[95, levelAt('m', 'n')], [97, levelAt('h')], [93, levelAt('l')]] as const) own.add(price, level)
    expect([...own.orders()].map(({ ownOrderId }) => ownOrderId)).toEqual(side === 'BID' ? ['h', 'm', 'n', 'l'] : ['l', 'm', 'n', 'h'])
  })

  test('a price reaches what is the same or farther from the other side', () => {
    expect([94, 95, 96].map((other) => new RestingSide(side).reaches(95, other))).toEqual(side === 'BID' ? [true, true, false] : [false, true, true])
  })

  test('finer digits move every price, and no order', () => {
    const own = new RestingSide(side)
    for (const price of [95, 97]) own.add(price, levelAt(String(price)))
    own.rescale(100)
    own.drop(95)
    expect([own.prices, [...own.orders()].map(({ ownOrderId }) => ownOrderId)]).toEqual([[9700, 9500].sort(bySide(side)), ['97', '95'].sort((a, b) => bySide(side)(Number(a), Number(b)))])
  })
})
