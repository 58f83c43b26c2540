import { createHash } from 'node:crypto'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { showAs } from '../model/display.js'
import { statedSet, strategyWords } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { shownResult } from '../results/result-display.js'
import { equityTable, fillTable, orderTable, dayTable, hourTable, tradeTable } from '../results/result-tables.js'
import { fingerprintOf } from '../results/run-journal.js'
import type { RunRecorder } from '../results/run-recorder.js'
import { withReport } from '../results/run-report.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { SettledWorld } from './checkpoint-state.js'
import type { RunSetup } from './run-setup.js'

/** The sources of a result beside the settled world. */
export interface ResultSource {
  readonly setup: RunSetup
  readonly parameters: ParameterConfig
  /** The world's number in its run. */
  readonly number: number
  readonly report: RunRecorder
  /** Threads over which the worlds of the run were divided. */
  readonly threadCount: number
}

/** The result of a settled world. */
export function worldResult(settled: SettledWorld, of: ResultSource): BacktestResult {
  const { replay, input, options, strategies } = of.setup
  const {
  configuration, journalDigest, segmentDigests, journalLineCount, isCut, endNs, summary, feedBins, bookUnknown,
  } = settled
  const { report, number, threadCount } = of
  const configDigest = createHash('sha256').update(canonicalJson(configuration)).digest('hex')
  const fingerprint = fingerprintOf(configDigest, journalDigest)
  const parameters = statedSet(strategies, of.parameters)
  const metadata = new Map([
    ['strategy', strategyWords(strategies)], ['from', summary.start], ['to', summary.end],
    ['set', String(number)], ['parameters', canonicalJson(parameters as CanonicalValue)],
    ['fingerprint', fingerprint],
    ...(isCut ? [['partial', 'the run was stopped before its data ended'] as const] : []),
  ])
  const setting = {
    epochDay: replay.clock.epochDay, instruments: replay.directory, underlyings: replay.underlyings, metadata,
  }
  const result = {
    fingerprint,
    configDigest,
    configuration: configuration as unknown as Readonly<Record<string, unknown>>,
    parameters,
    journalDigest,
    segmentDigests,
    journalLineCount,
    isPartial: isCut,
    threadCount,
    trim: input.trim,
    summary,
    fills: fillTable(report.fills.rows, report.orders.rows, setting),
    orders: orderTable(report.orders.rows, setting),
    equity: equityTable(report.equity.rows, setting),
    trades: tradeTable(report.trades, report.fills.rows, setting, endNs),
    hours: hourTable(report.periods.rows, setting),
    days: dayTable(report.periods.rows, setting),
  }
  return showAs<BacktestResult>(withReport({
    result, recorder: report, setting, title: strategyWords(strategies), feedBins: new Map(feedBins), bookUnknown,
    isKept: options.tables !== 'none',
  }), shownResult)
}
