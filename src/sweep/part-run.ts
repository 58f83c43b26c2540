import type { BacktestOptions } from '../backtest/backtest-options.js'
import { runBacktest } from '../backtest/run-backtest.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { epochNsFromText, isoFromTime } from '../model/time.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { RunStretch, TimePart } from './part-plan.js'
import type { PartTrips } from './random-baseline.js'
import { roundTrips } from './round-trips.js'

/** The choice of the best set, and its baseline. */
export interface ChoiceOptions {
  /**
   * The measure by which the best set is chosen: `total`, `profit`, `sharpe` and others; `profit_USDT` of several
   * underlyings. Default: `profit`, and `total` where money is in several, such as fees paid in a coin.
   */
  readonly sort?: string
  /** Draws of random entries; default 1,000, 0 makes no baseline. Fewer above 1,000,000 round trips in all draws. */
  readonly baseline?: number
}

/** A part of a run, from `from` to before `to`. */
export interface PartBounds {
  /** ISO-8601 in UTC, as `from` of a run takes it. */
  readonly from: string
  /** ISO-8601 in UTC, exclusive; null: it ends with its last event, as the run states no `to`. */
  readonly to: string | null
  /** Days of the part that no file holds, with the instrument where others have them. Such days at its ends are cut. */
  readonly missing: readonly string[]
}

/** The result of one parameter set on one part, without its tables. */
export type PartResult = Omit<BacktestResult, 'fills' | 'orders' | 'equity' | 'roundTrips' | 'hours' | 'days'>

/** The draws of a baseline where nothing else is said. */
const DRAWS = 1_000
const DRAWS_MAX = 1_000_000

/** The number of draws. Throws OPTION_INVALID for what is none. */
export function drawCountOf(baseline: number = DRAWS): number {
  if (Number.isSafeInteger(baseline) && baseline >= 0 && baseline <= DRAWS_MAX) return baseline
  const [expected, found] = [`a whole number from 0 to ${DRAWS_MAX}`, foundText(baseline)]
  throw new BacktapeError('OPTION_INVALID', `Cannot draw a baseline: baseline must be ${expected}, found ${found}`, {
    field: 'baseline', expected, found,
  })
}

/** The parameter sets of a run. */
export function setsOf({ parameters = {} }: BacktestOptions): readonly ParameterConfig[] {
  return isList(parameters) ? parameters : [parameters]
}

function isList(parameters: ParameterConfig | readonly ParameterConfig[]): parameters is readonly ParameterConfig[] {
  return Array.isArray(parameters)
}

/** Throws OPTION_INVALID for options of one run alone: a journal, checkpoints. */
export function checkPartable({ journal, checkpoints, resume }: BacktestOptions): void {
  for (const [field, value] of Object.entries({ journal, checkpoints, resume })) {
    if (value === undefined) continue
    const sentence = `Cannot part a run: ${field} must be left out, as each part is a run of its own`
    throw new BacktapeError('OPTION_INVALID', sentence, { field, expected: 'left out', found: 'given' })
  }
}

/** The bounds of a part as a run takes them. */
export function boundsOf({ fromNs, toNs }: TimePart, stretch: RunStretch, missing: readonly string[]): PartBounds {
  const { epochDay, isOpenEnded } = stretch
  const to = isOpenEnded && toNs === stretch.toNs ? null : isoFromTime(toNs, epochDay)
  return { from: isoFromTime(fromNs, epochDay), to, missing }
}

/** The options of the run of a part. */
function partOptions(options: BacktestOptions, { from, to }: PartBounds): BacktestOptions {
  return { ...options, from, ...(to === null ? {} : { to }) }
}

/**
 * Runs sets over a part as a run of its own: fresh accounts, open positions valued at its end. Throws STOPPED where
 * the signal ended it, as nothing is chosen of a part that was not played to its end.
 */
export async function playPart(
  options: BacktestOptions, bounds: PartBounds, parameters: readonly ParameterConfig[],
  tables: 'memory' | 'none' = 'none',
): Promise<BacktestResult[]> {
  const results = await runBacktest({ ...partOptions(options, bounds), parameters, tables })
  if (options.signal?.aborted === true)
    throw new BacktapeError(
      'STOPPED', `Cannot compare parts: the run was stopped in that from ${bounds.from}`, {}, options.signal.reason,
    )
  return results
}

/** True for the error of a part that was stopped. */
export function isStop(error: unknown): boolean {
  return error instanceof BacktapeError && error.code === 'STOPPED'
}

/** True where a set received an event: a choice among sets that received none means nothing. */
export function hasEvents(results: readonly BacktestResult[]): boolean {
  return results.some(({ summary }) => summary.markets.some(({ firstEvent }) => firstEvent !== null))
}

/** A result without its tables, which parts do not keep. */
export function withoutTables(result: BacktestResult): PartResult {
  const {
    fills: _, orders: _orders, equity: _equity, roundTrips: _roundTrips, hours: _hours, days: _days, ...rest
  } = result
  return rest
}

/** The round trips of a result that has its tables; `number` is that of the part. */
export function tripsOfPart(
  options: BacktestOptions, bounds: PartBounds, number: number, { fills, summary }: BacktestResult,
): PartTrips {
  const at = (text: string): bigint => epochNsFromText(text, null)
  return {
    trips: roundTrips(fills.rows),
    setting: { fromNs: at(bounds.from), toNs: at(bounds.to ?? summary.end), seed: options.seed ?? 1, number },
    options: partOptions(options, bounds),
    settlements: new Map(summary.instruments.map(({ instrumentId, underlying }) => [instrumentId, underlying])),
  }
}
