import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LevelWindow } from '../../src/book/level-window.js'

const SIZE = 192
const EDGES = [0, 15, 16, 63, 64, 127, 128, SIZE - 1]

function windowOf(slots: readonly number[]): LevelWindow {
  const window = new LevelWindow(SIZE)
  for (const slot of slots) window.fill(slot, slot + 1)
  return window
}

/** Slots in use, by what they hold. */
const held = ({ quantities }: LevelWindow): number[] => [...quantities.keys()].filter((slot) => quantities[slot] !== 0)

/** Empties slots as a row of a book does: the quantity goes, the mark stays, and `top` is not looked at. */
function empty(window: LevelWindow, slots: readonly number[]): void {
  for (const slot of slots) {
    if (window.quantities[slot] !== 0) window.count--
    window.quantities[slot] = 0
    window.marks[slot >>> 4] = 1
  }
}

const slot = fc.oneof(fc.nat(SIZE - 1), fc.constantFrom(...EDGES))
const slots = fc.uniqueArray(slot, { maxLength: 40 })
const places = Array.from({ length: SIZE }, (_, place) => place)

/** What a search must find, one way and the other, from every slot. */
function expectFound(window: LevelWindow, filled: readonly number[]): void {
  const above = (from: number): number => filled.reduce((best, one) => (one >= from && (best < 0 || one < best) ? one : best), -1)
  const below = (from: number): number => filled.reduce((best, one) => (one <= from && one > best ? one : best), -1)
  expect(places.map((from) => window.occupiedAtOrAbove(from))).toEqual(places.map(above))
  expect(places.map((from) => window.occupiedAtOrBelow(from))).toEqual(places.map(below))
  expect([window.occupiedAtOrBelow(-1), window.occupiedAtOrAbove(SIZE)]).toEqual([-1, -1])
}

describe('the slots of a window', () => {
  test('a window begins empty', () => {
    const window = windowOf([])
    expect([window.count, window.top, window.settleTop(), window.base, window.step, window.quantities.length, window.marks.length]).toEqual([0, -1, -1, 0, 1, SIZE, SIZE / 16])
  })

  test.each([32, 96, 160])('a window of %i slots has a mark for each of them', (size) => {
    const window = new LevelWindow(size)
    window.fill(size - 1, 7)
    expect([window.occupiedAtOrBelow(size - 1), window.occupiedAtOrAbove(0), window.occupiedAtOrBelow(size - 2)]).toEqual([size - 1, size - 1, -1])
  })

  test('from any slot the nearest level below and above is found', () => {
    fc.assert(fc.property(slots, (filled) => {
      const window = windowOf(filled)
      expect([window.count, window.top]).toEqual([filled.length, Math.max(-1, ...filled)])
      expectFound(window, filled)
    }))
  })

  test('marks that are out of date hide nothing, whatever was searched, emptied and filled before', () => {
    fc.assert(fc.property(slots, fc.array(fc.record({ gone: slots, from: slot, come: slots }), { maxLength: 6 }), (filled, rounds) => {
      const window = windowOf(filled)
      const now = new Set(filled)
      for (const { gone, from, come } of rounds) {
        empty(window, gone)
        for (const one of gone) now.delete(one)
        window.occupiedAtOrAbove(from)
        window.occupiedAtOrBelow(from)
        for (const one of come) if (!now.has(one)) window.fill(one, 1)
        for (const one of come) now.add(one)
        expect([window.count, held(window)]).toEqual([now.size, [...now].sort((a, b) => a - b)])
        expect(window.top).toBeGreaterThanOrEqual(Math.max(-1, ...now))
        expectFound(window, [...now])
        expect(window.settleTop()).toBe(Math.max(-1, ...now))
      }
    }))
  })

  test('a search that finds sixteen slots empty takes their mark away, so that nobody looks there again', () => {
    const window = windowOf([3, 40, 70])
    empty(window, [40])
    expect([window.occupiedAtOrAbove(16), window.marks[2]]).toEqual([70, 0])
    empty(window, [70])
    expect([window.settleTop(), window.top, window.marks[4]]).toEqual([3, 3, 0])
  })

  test('a top that was emptied settles on the next level', () => {
    const window = windowOf([3, 40, 70])
    empty(window, [70])
    expect([window.settleTop(), window.top]).toEqual([40, 40])
    empty(window, [3, 40])
    expect([window.settleTop(), window.top]).toEqual([-1, -1])
  })

  test('a cleared window holds nothing and can be filled again', () => {
    fc.assert(fc.property(slots, slots, slots, (before, gone, after) => {
      const window = windowOf(before)
      empty(window, gone)
      window.clear()
      expect([window.count, window.top, held(window), window.marks.every((mark) => mark === 0)]).toEqual([0, -1, [], true])
      for (const one of after) window.fill(one, 1)
      expect([window.count, held(window)]).toEqual([after.length, [...after].sort((a, b) => a - b)])
    }))
  })
})
