import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { summaryJson, summaryText } from '../../src/report/summary-text.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned, plannedRun } from '../support/planned-run.ts'

const S = 1_000_000_000
const mark = (at: number, value: number): MarketLine => ({ kind: 'mark', timeNs: at * S, value })
const MARKET: MarketLine[] = [{ kind: 'snapshot', timeNs: 0, rows: [[0, 100, 1000], [1, 101, 1000]] }, mark(0, 100), mark(30, 95), mark(60, 90), mark(90, 85), mark(170, 80)]
/** 100 bought at 101 with 1000: nothing is left at 91. */
const BUY = ['10s BID 101 100 IOC', '20s BID 90 1', '40s BID 91 1', '100s ASK 100 1 IOC']
const FREE = { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } }
const AT_60 = '2026-07-01T00:01:00.000000000Z'
const REASON = 'EQUITY_ZERO: the equity of account account was -100 CASH'

describe('a run whose equity comes to 0 (exchange rules 8.6)', () => {
  test('ends its strategy there, with the reason in journal and first line; the position is valued to the end', async () => {
    const lines: string[] = []
    const [result] = await plannedRun({ files: [MARKET], plans: [BUY], options: { account: FREE, journal: () => ({ write: (line) => void lines.push(line) }) } })
    const { summary, isPartial } = result!
    expect([summary.stop, isPartial, summary.end.slice(11, 19)]).toEqual([{ time: AT_60, reason: REASON }, false, expect.stringMatching(/^00:0/)])
    expect(summaryText(summary).split('\n')[2]).toBe(`Warning: ${REASON}; the strategy was stopped at ${AT_60}`)
    expect(summary.warnings).toContain(`account account: its equity was below 0 at ${AT_60} for the first time`)
    const told = lines.map((line) => JSON.parse(line) as { kind: string; time: string; reason?: string })
    expect(told.filter(({ kind }) => kind === 'stop').map(({ reason }) => reason)).toEqual([REASON])
    expect(result!.orders.rows.map(({ state, error_type: error, qty }) => [state, error, qty])).toEqual([['FILLED', null, '100'], ['CANCELED', 'EQUITY_ZERO', '1'], ['CANCELED', 'EQUITY_ZERO', '1']])
    expect(summary.money[0]).toMatchObject({ startEquity: '1000', unrealizedPnl: '-2100', endEquity: '-1100' })
  })

  test('calls onStop, and nothing after it', async () => {
    const calls: string[] = []
    class Told extends Planned {
      override act(words: string[]): void {
        calls.push(words.join(' '))
        super.act(words)
      }

      override onStop(): void {
        calls.push(`stopped with ${this.instrument.position.toString()}, ${this.instrument.openOrders.length} open`)
      }
    }
    await runBacktest({ strategy: Told, data: [marketFile(MARKET, { id: 1 })], day: '2026-07-01', account: FREE, parameters: { instrument: 'TEST1', plan: BUY } })
    expect(calls).toEqual(['BID 101 100 IOC', 'BID 90 1', 'BID 91 1', 'stopped with 100, 2 open'])
  })

  test('a sweep: one set is stopped and its siblings are not, each equal to it alone', async () => {
    const plans = [BUY, ['10s BID 101 40 IOC', '100s ASK 100 1 IOC'], []]
    const options: Partial<BacktestOptions> = { account: FREE }
    const together = await plannedRun({ files: [MARKET], plans, options })
    expect(together.map(({ summary }) => summary.stop?.time ?? null)).toEqual([AT_60, null, null])
    for (const [number, plan] of plans.entries()) {
      const [alone] = await plannedRun({ files: [MARKET], plans: [plan], options })
      expect([together[number]!.fingerprint, summaryJson(together[number]!.summary)]).toEqual([alone!.fingerprint, summaryJson(alone!.summary)])
    }
  })

  test.each([25, 55, 65, 95])('goes on from a checkpoint at %i s as the undisturbed run', async (at) => {
    const options = { strategy: Planned, data: [marketFile(MARKET, { id: 1 })], day: '2026-07-01', to: '00:03:00', account: FREE, parameters: { instrument: 'TEST1', plan: BUY } }
    const whole = await runBacktest(options)
    let saved: Checkpoint | null = null
    const take = (checkpoint: Checkpoint): boolean => {
      saved = checkpoint
      return false
    }
    await runBacktest({ ...options, checkpoints: { every: `${at}s`, take } })
    const resumed = await runBacktest({ ...options, resume: JSON.parse(JSON.stringify(saved)) as Checkpoint })
    expect([resumed.fingerprint, summaryJson(resumed.summary)]).toEqual([whole.fingerprint, summaryJson(whole.summary)])
  })

  test('coins whose price is watched pay no funding, whatever their data name, from a checkpoint either', async () => {
    const account = { balances: { CASH: '1000' }, fees: FREE.fees, profile: { ...GENERIC_PROFILE, borrowRates: { CASH: '0.1' } } }
    const funding: MarketLine = { kind: 'funding', timeNs: 50 * S, value: 1, nextFundingNs: 80 * S }
    const data = [marketFile([...MARKET.slice(0, 3), funding, ...MARKET.slice(3)], { id: 1, type: 'spot' })]
    const run = async (more: Omit<Partial<BacktestOptions>, 'parameters'>): Promise<readonly [fingerprint: string, kinds: string[]]> => {
      const kinds: string[] = []
      const journal = () => ({ write: (line: string) => void kinds.push((JSON.parse(line) as { kind: string }).kind) })
      const options = { strategy: Planned, data, day: '2026-07-01', to: '00:03:00', account, parameters: { instrument: 'TEST1', plan: ['10s BID 101 12 borrow'] } }
      return [(await runBacktest({ ...options, assumptions: { staleAfter: 'off' }, ...more, journal })).fingerprint, kinds]
    }
    const [whole, kinds] = await run({})
    expect([kinds.includes('borrow'), kinds.includes('funding')]).toEqual([true, false])
    for (const every of ['25s', '55s', '65s']) {
      let saved: Checkpoint | null = null
      const take = (checkpoint: Checkpoint): boolean => {
        saved = checkpoint
        return false
      }
      await run({ checkpoints: { every, take } })
      const [resumed, rest] = await run({ resume: JSON.parse(JSON.stringify(saved)) as Checkpoint })
      expect([every, resumed, rest.includes('funding')]).toEqual([every, whole, false])
    }
  })

  test.each<readonly [what: string, options: Partial<BacktestOptions>, warning: string | null]>([
    ['stopAtZero false', { account: { ...FREE, stopAtZero: false } }, `account account: its equity was below 0 at ${AT_60} for the first time`],
    ['no balances', { account: { fees: FREE.fees } }, 'account account declares no balances: nothing bounds its losses'],
    ['preset hftbacktest', { account: FREE, assumptions: { preset: 'hftbacktest' } }, null],
  ])('%s: it trades on', async (_what, options, warning) => {
    const [result] = await plannedRun({ files: [MARKET], plans: [BUY], options })
    expect([result!.summary.stop, result!.summary.orders.orderCount]).toEqual([null, 4])
    if (warning !== null) expect(result!.summary.warnings).toContain(warning)
  })

  test('stopAtZero counts as set-up where it is false alone', async () => {
    const digest = async (more: object): Promise<string> => (await plannedRun({ files: [MARKET], plans: [[]], options: { account: { ...FREE, ...more } } }))[0]!.configDigest
    expect(await digest({ stopAtZero: true })).toBe(await digest({}))
    expect(await digest({ stopAtZero: false })).not.toBe(await digest({}))
  })

  test.each([5, 'no', null])('stopAtZero %j is refused', async (stopAtZero) => {
    await expect(plannedRun({ files: [MARKET], plans: [[]], options: { account: { ...FREE, stopAtZero: stopAtZero as never } } })).rejects.toThrow('account.stopAtZero: expected true or false, found')
  })
})
