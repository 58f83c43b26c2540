import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { summaryJson } from '../../src/report/summary-text.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { MADE_EPOCH_DAY, MADE_MIDNIGHT_NS, marketDay } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned } from '../support/planned-run.ts'
import { repeated } from '../support/repetitions.ts'
import { RunFolder } from '../support/run-folder.ts'

const S = 1_000_000_000
const DAY_S = 86_400
const folder = new RunFolder()
afterAll(() => folder.remove())
let fileCount = 0
const ACCOUNT = { balances: { CASH: '100000' }, fees: { maker: '0', taker: '0' } }
const book = (atS: number): MarketLine => ({ kind: 'snapshot', timeNs: atS * S, rows: [[0, 100, 1000], [1, 101, 1000]] })
const funding = (atS: number, value: number, namesS: number): MarketLine => ({ kind: 'funding', timeNs: atS * S, value, valueScale: 4, nextFundingNs: namesS === 0 ? NaN : Math.round(namesS * S) })
const update = (atS: number): MarketLine => ({ kind: 'update', timeNs: atS * S, rows: [[0, 99, 1 + (atS % 5)]] })
const mark = (atS: number, value = 100): MarketLine => ({ kind: 'mark', timeNs: atS * S, value })

interface Played {
  readonly result: BacktestResult
  /** Time in seconds, and amount. */
  readonly paid: readonly string[]
}

/** Plays days, each with a book that moves every 30 s between the given seconds, and buys 1 at 2 s. */
async function play(days: readonly (readonly MarketLine[])[], more: Partial<BacktestOptions> = {}, { spanS = 7200, isQuiet = (_atS: number): boolean => false } = {}): Promise<Played> {
  const journal: string[] = []
  const data = days.flatMap((lines, day) => {
    if (lines.length === 0) return []
    const fromS = day < days.length - 1 ? DAY_S - spanS : 3
    const moving = Array.from({ length: Math.floor(spanS / 30) - 1 }, (_none, at) => fromS + 30 * at).filter((atS) => !isQuiet(atS)).map(update)
    const path = join(folder.path, `test-${++fileCount}-2026-07-0${day + 1}.txt.zst`)
    writeFileSync(path, marketDay([{ lines: [book(1), ...moving, ...lines].sort((a, b) => a.timeNs - b.timeNs) }], { epochDay: MADE_EPOCH_DAY + day, master: { fundingIntervalSeconds: 28_800 } }))
    return path
  })
  const result = await runBacktest({
    strategy: Planned, data, account: ACCOUNT, parameters: { instrument: 'TEST1', plan: ['2s BID 101 1 IOC'] },
    journal: () => ({ write: (line) => void journal.push(line) }), ...more,
  } as BacktestOptions & { parameters: Record<string, unknown> })
  const money = journal.map((line) => JSON.parse(line) as { kind: string, time: string, amount: string }).filter(({ kind }) => kind === 'funding')
  return { result, paid: money.map(({ time, amount }) => `${Number(BigInt(time) - MADE_MIDNIGHT_NS) / S} ${amount}`) }
}

describe('a run pays each funding once (exchange rules 8.1)', () => {
  const HOUR = 3600
  test.each<[string, readonly (readonly MarketLine[])[], readonly string[]]>([
    ['named 4 ms apart', [[mark(2), funding(10, 1, HOUR), funding(1810, 1, HOUR + 0.004)]], ['3600.004 -0.01']],
    ['taken back half an hour before', [[mark(2), funding(10, 1, HOUR), funding(1810, 2, 6600)]], ['6600 -0.02']],
    ['a line with 0 between', [[mark(2), funding(10, 1, HOUR), funding(1810, 9, 0)]], ['3600 -0.01']],
    ['each hour, where the interval of the day is 8 h', [[mark(2), funding(10, 1, 1800), funding(1801, 2, 1800 + HOUR)]], ['1800 -0.01', '5400 -0.02']],
    ['the next time is named one second early', [[mark(2), funding(10, 1, HOUR), funding(3599, 2, 6600)]], ['3600 -0.01', '6600 -0.02']],
    ['at the midnight between two files', [[mark(2), funding(DAY_S - 6000, 1, DAY_S)], [funding(2, 2, 6600)]], ['86400 -0.01', '93000 -0.02']],
    ['at that midnight, named 4 ms later by the second file', [[mark(2), funding(DAY_S - 6000, 1, DAY_S)], [funding(0.001, 2, 0.004), funding(1, 3, 6600)]], ['86400 -0.01', '93000 -0.03']],
    ['4 ms before that midnight, and at it by a line of the last minute', [[mark(2), funding(DAY_S - 6000, 1, DAY_S - 0.004), funding(DAY_S - 20, 2, DAY_S)], [funding(2, 3, 6600)]], ['86399.996 -0.02', '93000 -0.03']],
  ])('%s', async (_, days, paid) => {
    const whole = await play(days)
    expect(whole.paid).toEqual(paid)
    // From checkpoints between any two names as well.
    for (const every of repeated(['37m', '15m'])) {
      const saved: Checkpoint[] = []
      await play(days, { checkpoints: { every, take: (one) => void saved.push(JSON.parse(JSON.stringify(one)) as Checkpoint) } })
      for (const one of repeated([...saved.slice(-1), ...saved.slice(0, 1)])) {
        const { result } = await play(days, { resume: one })
        expect([result.fingerprint, summaryJson(result.summary)]).toEqual([whole.result.fingerprint, summaryJson(whole.result.summary)])
      }
    }
  })
})

describe('while data are silent no funding is paid, and a run says what was not (exchange rules 6.4, 8.1)', () => {
  const HOUR = 3600
  const NAMED = [mark(2), funding(10, 1, 1800)]
  const warningsOf = ({ result: { summary } }: Played): string[] => summary.warnings.filter((one) => one.startsWith('test:TEST1: ') && !one.includes('the book was unknown'))
  const unpaid = (at: string): string => `1 funding was not paid, as the data were silent at its time (${at})`
  const ends = (at: string, before: string): string => `test:TEST1: its data end at ${at} under a position of 1 (account account), ${before} before the run does; it stays at its last value`

  test.each<[string, readonly MarketLine[], (atS: number) => boolean, readonly string[], readonly string[]]>([
    ['they go on', NAMED, () => false, ['1800 -0.01'], []],
    ['they end', NAMED, (atS) => atS > 590, [], [`${ends('2026-07-01 00:09:33', '1 h 50 min')}; ${unpaid('2026-07-01 00:30:00')}`]],
    ['they end behind the funding', NAMED, (atS) => atS > 1830, ['1800 -0.01'], [ends('2026-07-01 00:30:03', '1 h 30 min')]],
    ['they are silent for a while', [...NAMED, funding(2400, 2, HOUR)], (atS) => atS > 1500 && atS < 2100, ['3600 -0.02'], [`test:TEST1: ${unpaid('2026-07-01 00:30:00')}`]],
    ['twice', [...NAMED, funding(2400, 2, HOUR)], (atS) => (atS > 1500 && atS < 2100) || (atS > 3300 && atS < 3900), [], ['test:TEST1: 2 fundings were not paid, as the data were silent at their time (the first at 2026-07-01 00:30:00)']],
    ['marks and funding lines go on', [...NAMED, mark(1750), funding(1770, 2, 1800), mark(1799)], (atS) => atS > 1500 && atS < 2100, [], [`test:TEST1: ${unpaid('2026-07-01 00:30:00')}`]],
    ['60 s before it the last line came', [...NAMED, update(1740)], (atS) => atS > 1500 && atS < 2100, ['1800 -0.01'], []],
    ['60 s and a nanosecond before it', [...NAMED, { ...update(1740), timeNs: 1740 * S - 1 }], (atS) => atS > 1500 && atS < 2100, [], [`test:TEST1: ${unpaid('2026-07-01 00:30:00')}`]],
    ['the book was lost before', [...NAMED, { kind: 'ERROR', timeNs: 1490 * S }, book(2200)], (atS) => atS > 1500 && atS < 2100, [], [`test:TEST1: ${unpaid('2026-07-01 00:30:00')}`]],
    ['the book is lost, and lines come', [...NAMED, { kind: 'ERROR', timeNs: 1490 * S }, update(1790), book(2200)], (atS) => atS > 1500 && atS < 2100, ['1800 -0.01'], []],
  ])('%s', async (_, lines, isQuiet, paid, warnings) => {
    const options = { to: '02:00:00', account: ACCOUNT }
    const whole = await play([lines], options, { isQuiet })
    expect([whole.paid, warningsOf(whole)]).toEqual([paid, warnings])
    const saved: Checkpoint[] = []
    await play([lines], { ...options, checkpoints: { every: '16m', take: (one) => void saved.push(JSON.parse(JSON.stringify(one)) as Checkpoint) } }, { isQuiet })
    for (const one of repeated(saved.slice(1, 3))) {
      const { result } = await play([lines], { ...options, resume: one }, { isQuiet })
      expect([result.fingerprint, summaryJson(result.summary)]).toEqual([whole.result.fingerprint, summaryJson(whole.result.summary)])
    }
  })

  test('where silence is no gap it is paid; the end of the data is said all the same', async () => {
    const played = await play([NAMED], { to: '02:00:00', assumptions: { staleAfter: 'off' } }, { isQuiet: (atS) => atS > 590 })
    expect([played.paid, warningsOf(played)]).toEqual([['1800 -0.01'], [ends('2026-07-01 00:09:33', '1 h 50 min')]])
  })

  test('nothing is held: nothing is said', async () => {
    const played = await play([NAMED], { to: '02:00:00', parameters: { instrument: 'TEST1', plan: ['2s BID 101 1 IOC', '9s ASK 100 1 IOC'] } }, { isQuiet: (atS) => atS > 590 })
    expect([played.paid, warningsOf(played)]).toEqual([[], []])
  })

  test('a day without a file: the funding of its midnight is paid, none later in it', async () => {
    const first = [mark(2), funding(DAY_S - 6000, 1, DAY_S), funding(DAY_S - 1, 2, DAY_S + 8 * HOUR)]
    const played = await play([first, [], [mark(1), funding(2, 3, HOUR)]])
    expect([played.paid, warningsOf(played).filter((one) => one.includes('funding'))]).toEqual([['86400 -0.01', '176400 -0.03'], [`test:TEST1: ${unpaid('2026-07-02 08:00:00')}`]])
  })
})
