import { createHash } from 'node:crypto'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { RESULT_MARK } from '../export/export-kind.js'
import { showAs } from '../model/display.js'
import { statedSet, strategyWords, type RunStrategy } from '../configuration/run-strategies.js'
import type { BacktestResult } from './backtest-result.js'
import { shownResult } from './result-display.js'
import { equityTable, fillTable, orderTable, dayTable, hourTable, roundTripTable } from './result-tables.js'
import { fingerprintOf } from './run-journal.js'
import { withReport } from './run-report.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { LatencyBins, UnknownBookInput } from '../report/pages/report-input.js'
import type { RunSummary } from '../report/run-summary.js'
import type { WorldRecord } from './world-record.js'

/** A world at its end: what its result says beside its tables. */
export interface SettledWorld {
  readonly configuration: CanonicalValue
  readonly journalDigest: string
  readonly segmentDigests: readonly string[]
  readonly journalLineCount: number
  /** True where it ended before its data did. */
  readonly isCut: boolean
  readonly endNs: number
  readonly summary: RunSummary
  /** Feed latencies by the name of the instrument. */
  readonly feedBins: readonly (readonly [instrument: string, bins: LatencyBins])[]
  readonly bookUnknown: readonly UnknownBookInput[]
}

/** A world that has ended: everything that its result is made of. */
export interface EndedWorld {
  readonly number: number
  readonly settled: SettledWorld
  readonly record: WorldRecord
}

/** The parts of a run that the results of its worlds are made with: nothing of it leads back to the pass. */
export interface ResultSetting {
  /** The kind of run, a word of the metadata of its tables. */
  readonly kind: 'backtest' | 'live' | 'paper'
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
    [RESULT_MARK, of.kind], ['strategy', strategyWords(strategies)], ['from', summary.start], ['to', summary.end],
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
