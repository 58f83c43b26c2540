import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { summaryText } from '../../src/report/summary-text.js'
import { plannedRun } from '../support/planned-run.ts'
import type { MarketLine } from '../support/market-lines.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'

const S = 1_000_000_000
const MARKET: MarketLine[] = [0, 40, 80, 120, 170].map((at) => ({ kind: 'snapshot', timeNs: at * S, rows: [[0, 100, 5], [1, 102, 5]] }))
/** Two reasons, the first of them in both halves, the second only behind the checkpoint at 00:01. */
const PLAN = ['10s BID 90 0.5', '20s BID 90 0.5', '70s BID 90 0.5', '80s BID 90.5 1', '100s BID 90 0.5', '110s BID 90.5 1']

const OFF_LOT = /^the order \S+ was discarded at 2026-07-01T00:00:10\.000000000Z: QUANTITY_OFF_LOT, /
const OFF_TICK = /^the order \S+ was discarded at 2026-07-01T00:01:20\.000000000Z: PRICE_OFF_TICK, /

interface Followed {
  readonly result: BacktestResult
  readonly journal: readonly { readonly kind: string, readonly level?: string, readonly text?: string, readonly time: string }[]
}

async function followed(options: Partial<BacktestOptions> = {}): Promise<Followed> {
  const lines: string[] = []
  const [result] = await plannedRun({
    files: [MARKET], plans: [PLAN], instrument: { tickSize: '1', lotSize: '1' },
    options: { account: { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } }, journal: () => ({ write: (line) => void lines.push(line) }), ...options },
  })
  return { result: result!, journal: lines.map((line) => JSON.parse(line) as Followed['journal'][number]) }
}

const warningsIn = ({ journal }: Followed): readonly string[] => journal.filter(({ kind, level }) => kind === 'log' && level === 'warning').map(({ text = '' }) => text)

/** The checkpoint at 00:01, as another process would read it, and the journal up to there. */
async function stopped(): Promise<{ readonly checkpoint: Checkpoint, readonly before: Followed }> {
  let text = ''
  const before = await followed({ checkpoints: { every: '1min', take: (checkpoint) => {
    text = JSON.stringify(checkpoint)
    return false
  } } })
  return { checkpoint: JSON.parse(text) as Checkpoint, before }
}

describe('a warning of a discarded order', () => {
  test('is in the journal once a reason, where the order was discarded', async () => {
    const run = await followed()
    const warnings = warningsIn(run)
    expect(warnings).toHaveLength(2)
    expect([warnings[0], warnings[1]]).toEqual([expect.stringMatching(OFF_LOT), expect.stringMatching(OFF_TICK)])
  })

  test('is in the summary in the same words, behind the count of all that were discarded', async () => {
    const run = await followed()
    const { warnings } = run.result.summary
    expect(warnings[0]).toMatch(/^every order was discarded: 6 of 6 orders were never sent \((?:4 QUANTITY_OFF_LOT, 2 PRICE_OFF_TICK|2 PRICE_OFF_TICK, 4 QUANTITY_OFF_LOT)\)$/)
    expect(warnings.slice(1)).toEqual(warningsIn(run))
    expect(summaryText(run.result.summary).split('\n').slice(2, 5)).toEqual(warnings.map((one) => `Warning: ${one}`))
  })

  test('is neither doubled nor lost where the run goes on from a checkpoint', async () => {
    const [whole, { checkpoint, before }] = [await followed(), await stopped()]
    const rest = await followed({ resume: checkpoint })
    expect(warningsIn(before)).toEqual([expect.stringMatching(OFF_LOT)])
    expect(warningsIn(rest)).toEqual([expect.stringMatching(OFF_TICK)])
    expect([...warningsIn(before), ...warningsIn(rest)]).toEqual(warningsIn(whole))
    expect(rest.result.summary.warnings).toEqual(whole.result.summary.warnings)
    expect(rest.result.fingerprint).toBe(whole.result.fingerprint)
  })
})
