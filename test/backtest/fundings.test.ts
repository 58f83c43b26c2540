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
async function play(days: readonly (readonly MarketLine[])[], more: Partial<BacktestOptions> = {}, spanS = 7200): Promise<Played> {
  const journal: string[] = []
  const data = days.map((lines, day) => {
    const fromS = day < days.length - 1 ? DAY_S - spanS : 3
    const moving = Array.from({ length: Math.floor(spanS / 30) - 1 }, (_none, at) => update(fromS + 30 * at))
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
    for (const every of ['15m', '37m', '1h']) {
      const saved: Checkpoint[] = []
      await play(days, { checkpoints: { every, take: (one) => void saved.push(JSON.parse(JSON.stringify(one)) as Checkpoint) } })
      for (const one of saved.slice(0, 1).concat(saved.slice(-2))) {
        const { result } = await play(days, { resume: one })
        expect([result.fingerprint, summaryJson(result.summary)]).toEqual([whole.result.fingerprint, summaryJson(whole.result.summary)])
      }
    }
  })
})
