import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FundingSchedule } from '../../src/model/funding-schedule.js'
import { throughJson } from '../support/through-json.ts'

/** A funding line: its time, the time that it names, its rate; seconds. */
type Line = readonly [atS: number, namesS: number, rate: string]
const S = 1e9
const HOUR = 3600
const ns = (seconds: number): number => Math.round(seconds * S)

/** Asked for what is paid, as an exchange asks: before each line, and up to the end. */
function paidBy(lines: readonly Line[], endS = 100 * HOUR, restart = new Set<number>()): string[] {
  let schedule = new FundingSchedule<string>()
  const paid: string[] = []
  let lastNs = -Infinity
  const payBefore = (timeNs: number): void => {
    for (let next = schedule.nextFrom(lastNs + 1); next !== null && next.timeNs < timeNs; next = schedule.nextFrom(lastNs + 1)) {
      expect(schedule.dueAt(next.timeNs)).toBe(next.rate)
      paid.push(`${next.timeNs / S} ${next.rate}`)
      lastNs = next.timeNs
    }
  }
  for (const [at, [atS, namesS, rate]] of lines.entries()) {
    payBefore(ns(atS))
    if (restart.has(at)) {
      const state = throughJson(schedule.state())
      schedule = new FundingSchedule()
      schedule.restore(state)
    }
    schedule.take(ns(atS), ns(namesS), rate)
  }
  payBefore(endS * S)
  return paid
}

/** The words of exchange rule 8.1, over all lines at once. */
function naivePaid(lines: readonly Line[], endS: number): string[] {
  const naming = lines.filter(([atS, namesS]) => namesS > atS)
  const paid: string[] = []
  let lastS = -Infinity
  for (const timeS of [...new Set(naming.map(([, namesS]) => namesS))].sort((a, b) => a - b)) {
    const early = naming.filter(([atS]) => atS <= timeS - 60)
    if (timeS >= endS || timeS - lastS <= 600 || (early.length > 0 && early.at(-1)![1] !== timeS)) continue
    const rate = naming.filter(([atS, namesS]) => atS < timeS && Math.abs(namesS - timeS) <= 600).at(-1)![2]
    paid.push(`${timeS} ${rate}`)
    lastS = timeS
  }
  return paid
}

describe('a funding is paid once, when and as exchange rule 8.1 says', () => {
  test.each<[string, readonly Line[], readonly string[]]>([
    ['nothing is named', [], []],
    ['lines that name no time, 0 or one that is over', [[0, NaN, 'a'], [10, 0, 'b'], [20, 20, 'c'], [30, 29, 'd']], []],
    ['named twice, 4 ms apart', [[0, HOUR, 'a'], [1800, HOUR + 0.004, 'b']], ['3600.004 b']],
    ['4 ms apart, the later name in the last minute: the rate is the last', [[0, HOUR, 'a'], [3590, HOUR + 0.004, 'b']], ['3600 b']],
    ['4 ms apart, to and fro', [[0, HOUR, 'a'], [100, HOUR + 0.004, 'b'], [200, HOUR, 'c'], [300, HOUR + 0.004, 'd'], [3595, HOUR, 'e']], ['3600.004 e']],
    ['taken back half an hour before', [[0, HOUR, 'a'], [1800, 6600, 'b']], ['6600 b']],
    ['taken back, and named again', [[0, HOUR, 'a'], [1800, 6600, 'b'], [2000, HOUR, 'c']], ['3600 c']],
    ['taken back 60 s before', [[0, HOUR, 'a'], [3540, 2 * HOUR, 'b']], ['7200 b']],
    ['taken back 60 s before less a nanosecond', [[0, HOUR, 'a'], [3540.000000001, 2 * HOUR, 'b']], ['3600 a', '7200 b']],
    ['the next time is named one second early', [[0, HOUR, 'a'], [3599, 2 * HOUR, 'b'], [3599.5, HOUR, 'c'], [3599.9, 2 * HOUR, 'd']], ['3600 c', '7200 d']],
    ['the time itself is named one second early, then put right', [[0, 3599, 'a'], [1800, HOUR, 'b']], ['3600 b']],
    ['the time itself is named one second early in the last minute', [[0, HOUR, 'a'], [3570, 3599, 'b']], ['3600 b']],
    ['a line without a time, and one with a time that is over, take nothing back', [[0, HOUR, 'a'], [1800, 0, 'b'], [1900, NaN, 'c'], [2000, 1000, 'd']], ['3600 a']],
    ['a line at the time itself comes too late', [[0, HOUR, 'a'], [HOUR, HOUR, 'b'], [HOUR, HOUR + 1, 'c'], [HOUR, 2 * HOUR, 'd']], ['3600 a', '7200 d']],
    ['no line stands a minute before: the first that names it', [[3590, HOUR, 'a'], [3595, HOUR + 0.004, 'b'], [3599, 2 * HOUR, 'c']], ['3600 b', '7200 c']],
    ['the same where another was named before it', [[3590, 2 * HOUR, 'a'], [3595, HOUR, 'b'], [4000, 2 * HOUR, 'c']], ['3600 b', '7200 c']],
    ['a line stands a minute before, and another names a time so late', [[0, 2 * HOUR, 'a'], [3550, HOUR, 'b'], [3560, 2 * HOUR, 'c']], ['7200 c']],
    ['hourly, whatever the interval of the day is', [[0, HOUR, 'a'], [HOUR + 1, 2 * HOUR, 'b'], [2 * HOUR + 1, 3 * HOUR, 'c']], ['3600 a', '7200 b', '10800 c']],
    ['10 minutes after a payment', [[0, 1000, 'a'], [1001, 1600, 'b']], ['1000 a']],
    ['10 minutes and a nanosecond after it', [[0, 1000, 'a'], [1001, 1600.000000001, 'b']], ['1000 a', '1600.000000001 b']],
    ['the rate of a later line that names a time within 10 minutes', [[0, 2000, 'a'], [1990, 2600, 'b']], ['2000 b']],
    ['not of one that names a time beyond them', [[0, 2000, 'a'], [1990, 2600.000000001, 'b']], ['2000 a', '2600.000000001 b']],
    ['a payment in the 10 minutes after one is none, and hides none behind it', [[0, 1000, 'a'], [1001, 1599, 'b'], [1540, 1601, 'c']], ['1000 a', '1601 c']],
  ])('%s', (_, lines, paid) => {
    expect(paidBy(lines)).toEqual(paid)
    for (let cut = 0; cut < lines.length; cut++) expect(paidBy(lines, undefined, new Set([cut]))).toEqual(paid)
  })

  test('as the words of the rule over all lines say, wherever a checkpoint lies', () => {
    const line = fc.record({ step: fc.constantFrom(0, 1, 15, 45, 60, 300), names: fc.constantFrom(-60, 0, 1, 30, 59, 60, 61, 120, 599, 600, 601, 1500), grid: fc.constantFrom(1, 60, 600) })
    fc.assert(fc.property(fc.array(line, { maxLength: 30 }), fc.nat(29), fc.nat(4000), (made, cut, endS) => {
      let atS = 0
      const lines = made.map(({ step, names, grid }, at): Line => [atS += step, names === 0 ? NaN : Math.ceil((atS + names) / grid) * grid, `r${at}`])
      const played = lines.filter(([timeS]) => timeS <= endS)
      expect(paidBy(played, endS, new Set([cut]))).toEqual(naivePaid(played, endS))
    }), { numRuns: 2000 })
  })

  test('a question changes nothing', () => {
    const schedule = new FundingSchedule<string>()
    for (const [atS, namesS, rate] of [[0, HOUR, 'a'], [3580, 2 * HOUR, 'b']] as const) schedule.take(atS * S, namesS * S, rate)
    const state = throughJson(schedule.state())
    expect([schedule.nextFrom(50 * HOUR * S), schedule.dueAt(2 * HOUR * S), schedule.dueAt(HOUR * S), schedule.dueAt(1), schedule.nextFrom(0)]).toEqual([null, 'b', 'a', null, { timeNs: HOUR * S, rate: 'a' }])
    expect(schedule.state()).toEqual(state)
  })
})
