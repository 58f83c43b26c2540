import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LevelWindow, occupiedAtOrAbove, occupiedAtOrBelow } from '../../src/book/level-window.js'

const SIZE = 96

function windowOf(slots: readonly number[]): LevelWindow {
  const window = new LevelWindow(SIZE)
  for (const slot of slots) window.fill(slot, slot + 1)
  return window
}

/** Slots in use, by what they hold. */
const held = ({ quantities }: LevelWindow): number[] => [...quantities.keys()].filter((slot) => quantities[slot] !== 0)

const slots = fc.uniqueArray(fc.oneof(fc.nat(SIZE - 1), fc.constantFrom(0, 31, 32, 63, 64, SIZE - 1)), { maxLength: 40 })

describe('the slots of a window', () => {
  test('a window begins empty', () => {
    const window = windowOf([])
    expect([window.count, window.top, window.settleTop(), window.base, window.step, window.quantities.length, window.bits.length]).toEqual([0, -1, -1, 0, 1, SIZE, SIZE / 32])
  })

  test('from any slot the nearest level below and above is found, by one bit each', () => {
    fc.assert(fc.property(slots, (filled) => {
      const window = windowOf(filled)
      expect([window.count, window.top]).toEqual([filled.length, Math.max(-1, ...filled)])
      const places = Array.from({ length: SIZE }, (_, slot) => slot)
      const above = (slot: number): number => filled.reduce((best, one) => (one >= slot && (best < 0 || one < best) ? one : best), -1)
      const below = (slot: number): number => filled.reduce((best, one) => (one <= slot && one > best ? one : best), -1)
      expect(places.map((slot) => occupiedAtOrAbove(window.bits, slot))).toEqual(places.map(above))
      expect(places.map((slot) => occupiedAtOrBelow(window.bits, slot))).toEqual(places.map(below))
      expect([occupiedAtOrBelow(window.bits, -1), occupiedAtOrAbove(window.bits, SIZE)]).toEqual([-1, -1])
    }))
  })

  test('a top that was emptied settles on the next level', () => {
    const window = windowOf([3, 40, 70])
    window.bits[2] = 0
    window.count--
    expect([window.settleTop(), window.top]).toEqual([40, 40])
    window.bits.fill(0)
    window.count = 0
    expect([window.settleTop(), window.top]).toEqual([-1, -1])
  })

  test('a cleared window holds nothing and can be filled again', () => {
    fc.assert(fc.property(slots, slots, (before, after) => {
      const window = windowOf(before)
      window.clear()
      expect([window.count, window.top, held(window), [...window.bits]]).toEqual([0, -1, [], [0, 0, 0]])
      for (const slot of after) window.fill(slot, 1)
      expect([window.count, held(window)]).toEqual([after.length, [...after].sort((a, b) => a - b)])
    }))
  })
})
