import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { returnStatistics } from '../../src/measures/return-statistics.js'
import { DataTime } from '../../src/report/data-time.js'
import type { MoneySums } from '../../src/report/equity-recorder.js'
import { PeriodRecorder, type PeriodReturns } from '../../src/report/period-recorder.js'
import { throughJson } from '../support/through-json.ts'

const [MINUTE, HOUR] = [60_000_000_000, 3_600_000_000_000]
const ZERO = new Decimal(0)

function moneyOf(profit: number): ReadonlyMap<number, MoneySums> {
  return new Map([[1, { start: new Decimal(1000), realizedPnl: new Decimal(profit), unrealizedPnl: ZERO, fees: ZERO, flows: ZERO, turnover: ZERO }]])
}

interface Course {
  readonly fromMinute?: number
  readonly toMinute: number
  /** Minutes in which a line comes. */
  readonly hasLine: (minute: number) => boolean
  /** Profit so far, at the end of a minute. */
  readonly profitAt?: (minute: number) => number
  /** Profit that comes at the very end, after its sample. */
  readonly atTheEnd?: number
}

interface Played {
  readonly returns: PeriodReturns
  /** Minutes that the data cover of each hour. */
  readonly covered: readonly number[]
  readonly profits: readonly string[]
}

/** Plays a minute at a time, going through JSON behind a minute. */
function played({ fromMinute = 0, toMinute, hasLine, profitAt = (minute) => minute, atTheEnd = 0 }: Course, cutAt = -1): Played {
  let time = new DataTime()
  let periods = new PeriodRecorder(true, time, () => new Decimal(1000))
  periods.begin(fromMinute * MINUTE, moneyOf(0))
  let firstNs = Infinity
  for (let minute = fromMinute; minute < toMinute; minute++) {
    const [sinceNs, timeNs] = [minute * MINUTE, (minute + 1) * MINUTE]
    const hasEvents = hasLine(minute)
    // A line at the begin of a minute and one at its end.
    if (hasEvents) firstNs = Math.min(firstNs, sinceNs)
    time.sample({ sinceNs, timeNs, isInterval: true, hasEvents, firstNs, lastNs: hasEvents ? timeNs : -Infinity })
    periods.sample(timeNs, moneyOf(profitAt(minute)), () => ZERO)
    if (minute !== cutAt) continue
    const [state, periodState] = [throughJson(time.state()), throughJson(periods.state())]
    time = new DataTime()
    time.restore(state)
    periods = new PeriodRecorder(true, time, () => new Decimal(1000))
    periods.restore(periodState)
  }
  periods.end(toMinute * MINUTE, moneyOf(profitAt(toMinute - 1) + atTheEnd))
  return {
    returns: periods.returnsOf(1)!, covered: periods.rows.map(({ coveredNs }) => coveredNs / MINUTE),
    profits: periods.rows.map(({ profit }) => profit),
  }
}

const always = (): boolean => true

describe('returns of hours and days', () => {
  test.each<[string, Course, number, number, readonly number[]]>([
    ['a first and a last hour of five minutes', { fromMinute: 55, toMinute: 125, hasLine: always }, 1, 2, [5, 60, 5]],
    ['half an hour at both ends', { fromMinute: 30, toMinute: 90, hasLine: always }, 2, 0, [30, 30]],
    ['a minute less', { fromMinute: 31, toMinute: 89, hasLine: always }, 0, 2, [29, 29]],
    ['data that begin and end within a run of whole hours', { toMinute: 240, hasLine: (minute) => minute >= 55 && minute < 185 }, 2, 2, [5, 60, 60, 5]],
    ['an hour of one line each hour', { toMinute: 180, hasLine: (minute) => minute % 60 === 59 }, 2, 1, [1, 60, 60]],
    ['a hole over two midhours: the hours of its ends are left out, the ones within it are none', { toMinute: 300, hasLine: (minute) => minute < 70 || minute >= 230, profitAt: (minute) => (minute < 70 || minute >= 230 ? minute : 69) }, 2, 2, [60, 10, 0, 10, 60]],
    ['a profit without data, such as a funding, is counted among those left out', { toMinute: 180, hasLine: (minute) => minute < 60 }, 1, 2, [60, 0, 0]],
    ['50 minutes without a line, over a whole hour, are no hole', { toMinute: 180, hasLine: (minute) => minute < 35 || minute >= 85 }, 3, 0, [60, 60, 60]],
    ['59 minutes without a line at the end are', { toMinute: 120, hasLine: (minute) => minute < 61 }, 1, 1, [60, 1]],
  ])('%s', (_what, course, sampleCount, leftOutCount, covered) => {
    const found = played(course)
    expect(found.covered).toEqual(covered)
    expect(found.returns).toMatchObject({ unit: 'hour', sampleCount, leftOutCount })
    for (const cutAt of [57, 60, 61, 119, 120]) expect(played(course, cutAt)).toEqual(found)
  })

  test('what comes after the sample of the last whole hour belongs to it', () => {
    const course: Course = { fromMinute: 20, toMinute: 21 * 60, hasLine: always, atTheEnd: 100 }
    const { profits, returns } = played(course)
    expect(profits.slice(-2)).toEqual(['60', '160'])
    // Equity at 0:20 is 1000, at the end of each hour 1059 and 60 more; the profit of minute 20 to 59 is 59.
    const values = Array.from({ length: 21 }, (_, hour) => (hour === 0 ? 59 / 1000 : (hour === 20 ? 160 : 60) / (999 + hour * 60)))
    expect(returns).toMatchObject({ sampleCount: 21, leftOutCount: 0 })
    expect(returns.statistics).toEqual(returnStatistics(values, 8760))
  })

  test('days of half data and more are samples, others are left out, from twenty on', () => {
    const day = 1440
    const course: Course = { toMinute: 23 * day, hasLine: (minute) => (minute >= 11 * 60 || minute >= day) && !(minute >= 2 * day && minute < 2 * day + 13 * 60), profitAt: (minute) => Math.floor(minute / day) }
    expect(played(course).returns).toMatchObject({ unit: 'day', sampleCount: 22, leftOutCount: 1 })
  })

  test('equity of 0 at the begin of a sample ends all of them, of a period that is left out it does not', () => {
    const broke: Course = { toMinute: 180, hasLine: always, profitAt: (minute) => (minute < 30 ? 0 : -1000) }
    expect(played(broke).returns).toMatchObject({ isBroken: true, sampleCount: 0 })
    expect(played({ ...broke, toMinute: 65 }).returns).toMatchObject({ isBroken: false, sampleCount: 1, leftOutCount: 1 })
  })

  test('a run that begins and ends at the same whole hour has one row', () => {
    const periods = new PeriodRecorder(true, new DataTime(), () => new Decimal(1000))
    periods.begin(HOUR, moneyOf(0))
    periods.end(HOUR, moneyOf(5))
    expect(periods.rows).toMatchObject([{ timeNs: HOUR, profit: '5', coveredNs: 0 }])
  })
})
