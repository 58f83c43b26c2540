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

/** A file of TEST1 that begins in its margin, eight minutes before its day, with a book; behind it what the day itself has. */
function fileWithMargin(day: number, bid: number, rest: readonly MarketLine[]): string {
  const path = join(folder.path, `test-TEST1-2026-07-0${day}.txt.zst`)
  writeFileSync(path, marketFile([{ kind: 'snapshot', timeNs: (day - 1) * DAY - 480 * S, rows: [[0, bid, 5], [1, 102, 5]] }, ...rest], { id: 1 }))
  return path
}

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

/** A silence of the few lines of these files is none of theirs. */
const assumptions = { staleAfter: 'off' }

async function summaryOf(on: number, files: readonly string[], to?: string): Promise<RunSummary> {
  const result = await runBacktest({
    strategy: Planned, data: files, assumptions, ...(to === undefined ? {} : { to }), parameters: { instrument: `TEST${on}`, plan: ['60s BID 99 1 postOnly'] }, account: { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } },
  })
  return result.summary
}

describe('a day without a file', () => {
  test.each([['the first one', 2, 1, DAY + S], ['the last one', 1, 1, 2 * DAY - 120 * S]])('is blind time from 00:00, or from the last good line on: %s', async (_which, own, bookUnknownCount, bookUnknownNs) => {
    const { markets } = await summaryOf(2, [file(1, 1), file(1, 2), file(2, own)], '24:00')
    expect([markets[0]!.bookUnknownCount, markets[0]!.bookUnknownNs]).toEqual([bookUnknownCount, bookUnknownNs])
  })

  test('halts who orders in it, also where it is the first one', async () => {
    const options = { strategy: Planned, data: [file(1, 1), file(1, 2), file(2, 2)], account: { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } }, assumptions: { ...assumptions, gaps: 'halt' as const } }
    const run = async (plan: string): Promise<unknown> => {
      const { summary: { halt, orders }, isPartial } = await runBacktest({ ...options, parameters: { instrument: 'TEST2', plan: [plan] } })
      return [halt, orders.orderCount, isPartial]
    }
    expect(await run('60s BID 99 1 postOnly')).toEqual([{ instrument: 'test:TEST2', time: '2026-07-01T00:01:00.010000000Z', reason: 'error' }, 1, true])
    expect(await run('86460s BID 99 1 postOnly')).toEqual([null, 1, false])
  })

  test.each([
    ['the last one', [1, 2], [1], '2026-07-01T00:00:01', '2026-07-01T00:02:00', 2, 0],
    ['the first one', [1, 2], [2], '2026-07-02T00:00:01', '2026-07-02T00:02:00', 2, 0],
    ['both', [1, 2, 3], [2], '2026-07-02T00:00:01', '2026-07-02T00:02:00', 2, 0],
    ['none', [1], [1], '2026-07-01T00:00:01', '2026-07-01T00:02:00', 2, 0],
    ['the one in the middle', [1, 2, 3], [1, 3], '2026-07-01T00:00:01', '2026-07-03T00:02:00', 4, 2878],
  ])('is no event of an instrument and adds no idle minute to its ratios: %s', async (_which, covered, own, first, last, intervals, leftOut) => {
    const { markets, sampling } = await summaryOf(2, [...covered.map((day) => file(1, day)), ...own.map((day) => file(2, day))])
    expect(markets.map(({ instrument, firstEvent, lastEvent }) => [instrument, firstEvent!.slice(0, 19), lastEvent!.slice(0, 19)])).toEqual([['test:TEST2', first, last]])
    expect([sampling.intervalCount, sampling.leftOutCount]).toEqual([intervals, leftOut])
  })

  const soon: MarketLine = { kind: 'update', timeNs: 2 * DAY - S, adapterTimeNs: 2 * DAY + 2 * S, rows: [[0, 99, 3]] }
  const later: MarketLine = { kind: 'update', timeNs: 2 * DAY + 7200 * S, rows: [[0, 99, 3]] }
  test.each<readonly [string, number, MarketLine[], number]>([
    ['and no book is there before the next one begins', 101, [later], 2 * DAY - 120 * S],
    ['also where the book after it is the one before it', 100, [later], 2 * DAY - 120 * S],
    ['also where nothing happens in the day after it', 101, [], 2 * DAY - 120 * S],
    ['but no line is left out that happened at the exchange before midnight and came after it', 101, [soon, later], 2 * DAY - 121 * S],
  ])('ends with the midnight of the next file, whatever stands in its margin: %s', async (_why, bid, rest, bookUnknownNs) => {
    const first = file(1, 1)
    const result = await runBacktest({
      strategy: Planned, data: [first, fileWithMargin(3, bid, rest)], to: '24:00', assumptions, parameters: { instrument: 'TEST1', plan: ['172500s BID 99 1 postOnly', '176400s BID 99 1 postOnly'] },
      account: { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } },
    })
    expect(result.orders.rows.map(({ state, error_type: error }) => [state, error])).toEqual([['REJECTED', 'MARKET_DATA_GAP'], ['CONFIRMED', null]])
    const [market] = result.summary.markets
    expect([market!.bookUnknownCount, market!.bookUnknownNs]).toEqual([1, bookUnknownNs])
  })
})
