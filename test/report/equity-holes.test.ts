import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { EquityRecorder, HOLE_INTERVALS, type MoneySums } from '../../src/report/equity-recorder.js'
import { RowStore } from '../../src/report/row-store.js'
import { throughJson } from '../support/through-json.ts'

const MINUTE = 60_000_000_000
const ZERO = new Decimal(0)
const money = (profit: string): ReadonlyMap<number, MoneySums> => new Map([[1, {
  start: new Decimal(1000), realizedPnl: new Decimal(profit), unrealizedPnl: ZERO, fees: ZERO, flows: ZERO, turnover: ZERO,
}]])

/** Plays profits a minute, each with whether the market moved, and goes through JSON at `cutAt`. */
function played(minutes: readonly (readonly [profit: string, hasEvents: boolean])[], cutAt = -1): EquityRecorder {
  let recorder = new EquityRecorder(new RowStore())
  recorder.begin(0, money('0'))
  minutes.forEach(([profit, hasEvents], at) => {
    recorder.sample((at + 1) * MINUTE, money(profit), true, hasEvents)
    if (at !== cutAt) return
    const state = throughJson(recorder.state())
    recorder = new EquityRecorder(new RowStore())
    recorder.restore(state)
  })
  return recorder
}

const idle = (count: number, profit: string): (readonly [string, boolean])[] => Array.from({ length: count }, () => [profit, false] as const)
const ACTIVE: (readonly [string, boolean])[] = [['1', true], ['3', true], ['2', true]]

describe('intervals of a hole are no samples', () => {
  test.each([
    ['one less than a hole counts', HOLE_INTERVALS - 1, 3 + HOLE_INTERVALS - 1 + 2, 0],
    ['a hole does not', HOLE_INTERVALS, 5, HOLE_INTERVALS],
    ['a day does not', 1440, 5, 1440],
  ])('%s', (_what, length, intervalCount, holeCount) => {
    const recorder = played([...ACTIVE, ...idle(length, '2'), ['4', true], ['5', true]])
    expect([recorder.intervalCount, recorder.holeCount]).toEqual([intervalCount, holeCount])
  })

  test('the one at the end is counted, and those before the first event are none', () => {
    expect(played([...idle(300, '0'), ...ACTIVE, ...idle(80, '2')]).holeCount).toBe(80)
    expect(played([...idle(300, '0'), ...ACTIVE, ...idle(59, '2')]).holeCount).toBe(0)
  })

  test.each([1, 30, 70, 130, 205])('going on from a checkpoint after minute %i changes nothing', (cutAt) => {
    const minutes = [...ACTIVE, ...idle(100, '2'), ...idle(100, '3'), ['4', true] as const, ['5', true] as const]
    expect(played(minutes, cutAt).state()).toEqual(played(minutes).state())
  })
})
