import fc from 'fast-check'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { FaultOptions } from '../../src/configuration/fault-options.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { marketLines } from './exchange-arbitraries.ts'
import { MADE_MIDNIGHT_NS, marketFile } from './made-market-file.ts'
import type { MarketLine } from './market-lines.ts'
import { caseCount, propertySeed } from './repetitions.ts'

/** Nanoseconds of one unit of the times of {@link marketLines}: a program lasts six seconds and some. */
const UNIT_NS = 100_000_000
const END_NS = 9_000_000_000

const moment = fc.integer({ min: 1, max: 60 })
const clock = (unit: number): string => String(MADE_MIDNIGHT_NS + BigInt(unit * UNIT_NS))

const fault: fc.Arbitrary<FaultOptions> = fc.record({ at: moment.map(clock), for: fc.integer({ min: 1, max: 900 }).map((ms) => `${ms}ms`) }).chain((when) => fc.constantFrom<FaultOptions>(
  { ...when, kind: 'status' }, { ...when, kind: 'status', status: 'EXCHANGE_BUSY' }, { ...when, kind: 'requests', requests: ['place'] }, { ...when, kind: 'requests', requests: ['cancel', 'amend'] }, { ...when, kind: 'requests' },
  { ...when, kind: 'fills', delay: '300ms' }, { ...when, kind: 'fills', delay: '40ms' },
))

const profile: fc.Arbitrary<VenueProfile> = fc.record({
  amend: fc.boolean(), reduceOnly: fc.boolean(), orderTypes: fc.constantFrom(['LIMIT', 'MARKET', 'STOP_LIMIT'], ['LIMIT', 'MARKET'], ['LIMIT']), quick: fc.boolean(),
  rateLimits: fc.constantFrom([], [], [{ id: 'orders', windowMs: 200, tokens: { place: 3, amend: 2, replace: 2, cancel: 3 }, blockMs: 300 }]),
  fillOrder: fc.constantFrom('fillFirst' as const, 'updateFirst' as const, 'seeded' as const), lateFees: fc.constantFrom({}, { lateFees: '150ms' }),
  amendKeepsQueue: fc.constantFrom('never' as const, 'smallerQuantity' as const),
}).map(({ amend, reduceOnly, orderTypes, quick, rateLimits, fillOrder, lateFees, amendKeepsQueue }) => ({
  ...GENERIC_PROFILE, name: 'tactical', rateLimits, messages: { fillOrder, ...lateFees }, orders: { ...GENERIC_PROFILE.orders, amendKeepsQueue },
  capabilities: { ...GENERIC_PROFILE.capabilities, amend, reduceOnly, orderTypes: orderTypes as never, timeInForces: quick ? ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL'] : ['GOOD_TILL_CANCEL'] },
}))

const marks = fc.array(fc.record({ kind: fc.constant('mark' as const), timeNs: moment, value: fc.integer({ min: 95, max: 105 }) }), { maxLength: 8 })

function timed(lines: readonly MarketLine[], feedNs: number): MarketLine[] {
  return lines.map((line) => ({ ...line, timeNs: line.timeNs * UNIT_NS, adapterTimeNs: line.timeNs * UNIT_NS + feedNs }))
}

/** Everything of a run but its strategy and parameters. */
type TacticSetting = Omit<BacktestOptions, 'strategy' | 'parameters'>

/** Random books, latencies, rejects, gaps, faults and venues. */
const tacticSettings: fc.Arbitrary<TacticSetting> = fc.record({
  lines: fc.tuple(marketLines(true), marks).map(([lines, more]) => [...lines, ...more].sort((a, b) => a.timeNs - b.timeNs)), feedNs: fc.constantFrom(0, 30_000_000), profile, faults: fc.array(fault, { maxLength: 3 }),
  gaps: fc.constantFrom('assumeWorst' as const, 'cancelAndWait' as const, 'freeze' as const), request: fc.constantFrom('0ns', '20ms', '130ms', 'uniform 1ms 250ms'), response: fc.constantFrom('0ns', '20ms', '170ms', 'uniform 1ms 250ms'),
  isSpot: fc.boolean(), isShuffled: fc.boolean(), minOrder: fc.constantFrom(null, '2'),
}).map(({ lines, feedNs, profile: venue, faults, gaps, request, response, isSpot, isShuffled, minOrder }) => ({
  data: [marketFile(timed(lines, feedNs), { minOrder, ...(isSpot ? { type: 'spot' as const } : {}) })], day: '2026-07-01', to: MADE_MIDNIGHT_NS + BigInt(END_NS),
  account: { balances: { CASH: '1000000', BASE: '1000' }, fees: { maker: '0.0001', taker: '0.0002', by: 'value' as const }, profile: venue },
  assumptions: { requestLatency: request, responseLatency: response, gaps, staleAfter: 'off' }, faults, ...(isShuffled ? { shuffleSeed: 5 } : {}),
}))

/** One program: a setting, the seed of what its strategy does, and the step after which it is taken up again. */
interface TacticProgram {
  readonly setting: TacticSetting
  readonly seed: number
  readonly step: number
}

const tacticPrograms: fc.Arbitrary<TacticProgram> = fc.record({ setting: tacticSettings, seed: fc.nat(99_999), step: fc.integer({ min: 1, max: 400 }) })

/** Plays a program, and again from a checkpoint: both must end alike. */
async function playTactics(strategy: new () => Strategy, { setting, seed, step }: TacticProgram): Promise<BacktestResult> {
  const options = { ...setting, strategy, parameters: { instrument: 'TEST1', seed } }
  const whole = await runBacktest(options)
  let text: string | null = null
  await runBacktest({ ...options, checkpoints: { everySteps: step, take: (checkpoint) => {
    text = JSON.stringify(checkpoint)
    return false
  } } })
  if (text !== null) {
    const rest = await runBacktest({ ...options, resume: JSON.parse(text) as Checkpoint })
    const told = (result: BacktestResult): string => JSON.stringify([result.fingerprint, result.summary])
    if (told(rest) !== told(whole)) throw new Error(`a run that goes on from step ${step} ends otherwise`)
  }
  return whole
}

/** Programs of a property of tactics: 8,000 by BACKTAPE_PROPERTY_TIMES=200; the usual ones are always the same, BACKTAPE_PROPERTY_SEED=7 begins with another. */
export const TACTIC_RUNS = caseCount(40)

/** Plays programs one after the other, looking at each result; an error names the program. */
export async function playPrograms(strategy: new () => Strategy, look: (result: BacktestResult, seed: number) => void): Promise<void> {
  const from = propertySeed ?? 18
  const failed: string[] = []
  for (let number = from; number < from + TACTIC_RUNS; number++) {
    const [program] = fc.sample(tacticPrograms, { seed: number, numRuns: 1 })
    try {
      look(await playTactics(strategy, program!), program!.seed)
    } catch (error) {
      failed.push(`program ${number}: ${error instanceof Error ? error.message.slice(0, 600) : String(error)}`)
    }
    if (failed.length >= 12) break
  }
  if (failed.length > 0) throw new Error(failed.join('\n'))
}
