import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { RunSummary } from '../../src/report/run-summary.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned } from '../support/planned-run.ts'
import { RunFolder } from '../support/run-folder.ts'

const S = 1_000_000_000
const DAY = 86_400 * S
const folder = new RunFolder()
afterAll(() => folder.remove())

/** A file of TEST1 or TEST2: from 00:00:01 to 00:02:00 of a day. */
function file(id: number, day: number): string {
  const from = (day - 1) * DAY
  const lines: MarketLine[] = [
    { kind: 'snapshot', timeNs: from + S, rows: [[0, 100, 5], [1, 102, 5]] },
    { kind: 'trades', timeNs: from + 60 * S, rows: [[0, 102, 1]] },
    { kind: 'update', timeNs: from + 120 * S, rows: [[0, 100, 6]] },
  ]
  const path = join(folder.path, `test-TEST${id}-2026-07-0${day}.txt.zst`)
  writeFileSync(path, marketFile(lines, { id }))
  return path
}

async function summaryOf(on: number, files: readonly string[]): Promise<RunSummary> {
  const result = await runBacktest({
    strategy: Planned, data: files, parameters: { instrument: `TEST${on}`, plan: ['60s BID 99 1 postOnly'] }, account: { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } },
  })
  return result.summary
}

describe('a day without a file', () => {
  test.each([['the first one', 2, 1, DAY + S], ['the last one', 1, 1, 2 * DAY - 120 * S]])('is blind time from 00:00, or from the last good line on: %s', async (_which, own, blindCount, blindNs) => {
    const { markets } = await summaryOf(2, [file(1, 1), file(1, 2), file(2, own)])
    expect([markets[0]!.blindCount, markets[0]!.blindNs]).toEqual([blindCount, blindNs])
  })

  test('halts who orders in it, also where it is the first one', async () => {
    const options = { strategy: Planned, data: [file(1, 1), file(1, 2), file(2, 2)], account: { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } }, assumptions: { gaps: 'halt' as const } }
    const run = async (plan: string): Promise<unknown> => {
      const { summary: { halt, orders }, isPartial } = await runBacktest({ ...options, parameters: { instrument: 'TEST2', plan: [plan] } })
      return [halt, orders.orderCount, isPartial]
    }
    expect(await run('60s BID 99 1 postOnly')).toEqual([{ instrument: 'test:TEST2', time: '2026-07-01T00:01:00.010000000Z', reason: 'error' }, 1, true])
    expect(await run('86460s BID 99 1 postOnly')).toEqual([null, 1, false])
  })

  test.each([
    ['the last one', [1, 2], [1], '2026-07-01T00:00:01', '2026-07-01T00:02:00', 3],
    ['the first one', [1, 2], [2], '2026-07-02T00:00:01', '2026-07-02T00:02:00', 3],
    ['both', [1, 2, 3], [2], '2026-07-02T00:00:01', '2026-07-02T00:02:00', 3],
    ['none', [1], [1], '2026-07-01T00:00:01', '2026-07-01T00:02:00', 3],
    ['the one in the middle', [1, 2, 3], [1, 3], '2026-07-01T00:00:01', '2026-07-03T00:02:00', 2883],
  ])('is no event of an instrument and adds no idle minute to its ratios: %s', async (_which, covered, own, first, last, intervals) => {
    const { markets, sampling } = await summaryOf(2, [...covered.map((day) => file(1, day)), ...own.map((day) => file(2, day))])
    expect(markets.map(({ instrument, firstEvent, lastEvent }) => [instrument, firstEvent!.slice(0, 19), lastEvent!.slice(0, 19)])).toEqual([['test:TEST2', first, last]])
    expect(Math.abs(sampling.intervalCount - intervals)).toBeLessThanOrEqual(1)
  })
})
