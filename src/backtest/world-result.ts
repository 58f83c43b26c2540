import { createHash } from 'node:crypto'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { RESULT_MARK } from '../export/export-kind.js'
import { showAs } from '../model/display.js'
import { setsOf, statedSet, strategyWords, type RunStrategy } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { shownResult } from '../results/result-display.js'
import { equityTable, fillTable, orderTable, dayTable, hourTable, roundTripTable } from '../results/result-tables.js'
import { fingerprintOf } from '../results/run-journal.js'
import { withReport } from '../results/run-report.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { EndedWorld } from './checkpoint-state.js'
import type { RunSetup } from './run-setup.js'

/** The parts of a run that the results of its worlds are made with: nothing of it leads back to the pass. */
export interface ResultSetting {
  readonly epochDay: number
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  readonly trim: 'day' | 'none'
  readonly strategies: readonly RunStrategy[]
  readonly sets: readonly ParameterConfig[]
  /** True where rows were kept. */
  readonly isKept: boolean
  /** Threads over which the worlds of the run were divided. */
  readonly threadCount: number
}

export function resultSetting(
  { replay, input, options, strategies }: Omit<RunSetup, 'stretch'>, threadCount: number,
): ResultSetting {
  return {
    epochDay: replay.clock.epochDay, instruments: replay.directory, underlyings: replay.underlyings,
    trim: input.trim, strategies, sets: setsOf(options.parameters), isKept: options.tables !== 'none', threadCount,
  }
}

/** The result of a world that has ended. */
export function worldResult({ number, settled, record }: EndedWorld, of: ResultSetting): BacktestResult {
  const { epochDay, instruments, underlyings, strategies, isKept } = of
  const {
    configuration, journalDigest, segmentDigests, journalLineCount, isCut, endNs, summary, feedBins, bookUnknown,
  } = settled
  const configDigest = createHash('sha256').update(canonicalJson(configuration)).digest('hex')
  const fingerprint = fingerprintOf(configDigest, journalDigest)
  const parameters = statedSet(strategies, of.sets[number] ?? {})
  const metadata = new Map<string, string>([
    [RESULT_MARK, 'backtest'], ['strategy', strategyWords(strategies)], ['from', summary.start], ['to', summary.end],
    ['set', String(number)], ['parameters', canonicalJson(parameters as CanonicalValue)],
    ['fingerprint', fingerprint],
    ...(isCut ? [['partial', 'the run was stopped before its data ended'] as const] : []),
  ])
  const setting = { epochDay, instruments, underlyings, metadata }
  const result = {
    fingerprint,
    configDigest,
    configuration: configuration as unknown as Readonly<Record<string, unknown>>,
    parameters,
    journalDigest,
    segmentDigests,
    journalLineCount,
    isPartial: isCut,
    threadCount: of.threadCount,
    trim: of.trim,
    summary,
    fills: fillTable(record.fills, record.orders, setting),
    orders: orderTable(record.orders, setting),
    equity: equityTable(record.equity, setting),
    roundTrips: roundTripTable(record, setting, endNs),
    hours: hourTable(record.periods, setting),
    days: dayTable(record.periods, setting),
  }
  return showAs<BacktestResult>(withReport({
    result, record, setting, title: strategyWords(strategies), feedBins: new Map(feedBins), bookUnknown, isKept,
  }), shownResult)
}
