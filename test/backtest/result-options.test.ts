import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { resultOptions } from '../../src/backtest/result-options.js'
import type { MarketLine } from '../support/market-lines.ts'
import { plannedRun } from '../support/planned-run.ts'

const S = 1_000_000_000
const MARKET: MarketLine[] = [0, 40, 80].map((at) => ({ kind: 'snapshot', timeNs: at * S, rows: [[0, 100, 5], [1, 102, 5]] }))
const run = async (options: Partial<BacktestOptions>) => (await plannedRun({ files: [MARKET], plans: [['10s BID 90 1']], options }))[0]!

/** Each option that a configuration states as it was given, with a value that differs from its absence. */
const GIVEN: { readonly [Name in keyof BacktestOptions]?: BacktestOptions[Name] } = {
  faults: [{ kind: 'status', status: 'DISCONNECTED', at: '00:01:30', for: '1s' }] as never,
  corporateActions: [],
  rates: { 'CASH/USD': '2' },
  outcomes: {},
  entryStates: { delayedAfter: '7s' },
  masterChanges: 'accept',
  shuffleSeed: 3,
}

describe('options that results depend on', () => {
  test('are stated as they were given; the others are not, nor what was left out', () => {
    expect(resultOptions({ ...GIVEN, seed: 2, from: '00:01', cache: '/x', tables: 'none', rates: undefined } as never)).toEqual({ ...GIVEN, rates: undefined })
    expect(Object.keys(resultOptions({ rates: undefined } as never))).toEqual([])
  })

  test.each(Object.entries(GIVEN))('%s is in the configuration of a world, and keeps a checkpoint from another run', async (name, value) => {
    let checkpoint: Checkpoint | null = null
    const [plain, own] = [
      await run({ checkpoints: { every: '1min', take: (taken) => { checkpoint ??= JSON.parse(JSON.stringify(taken)) as Checkpoint } } }),
      await run({ [name]: value }),
    ]
    expect(own.configuration[name]).toEqual(value)
    expect(own.configDigest).not.toBe(plain.configDigest)
    await expect(run({ [name]: value, resume: checkpoint! })).rejects.toMatchObject({ code: 'OPTION_INVALID', place: { field: name } })
  })
})
