import { contractValue } from '../model/contract.js'
import { Amount } from '../model/amount.js'
import { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import type { ReportAbout, RunReport } from '../report/pages/report-data.js'
import { curveOf, type EquityCurve } from '../report/equity-curve.js'
import { makeReport } from '../report/pages/report-making.js'
import type { ColumnsInput, LatencyBins } from '../report/pages/report-input.js'
import { unknownSpansUntil } from '../exchange/market/price-watch.js'
import { underlyingCode } from '../venue/venue.js'
import type { BacktestResult } from './backtest-result.js'
import type { RunRecorder } from './run-recorder.js'
import type { Replay } from '../simulation/replay.js'
import { writeReportFiles } from './run-report-writer.js'
import type { ResultTable } from './lazy-table.js'
import type { RowSetting } from './result-tables.js'

/** The parts of a result that its report is made of, and where they come from. */
export interface ReportSource {
  readonly result: Omit<BacktestResult, 'curves' | 'report' | 'writeReport'>
  readonly recorder: RunRecorder
  readonly setting: RowSetting
  /** Name of the strategy. */
  readonly title: string
  readonly replay: Replay
  /** The end of the world. */
  readonly endNs: number
  /** True where rows were kept. */
  readonly isKept: boolean
}

/** A table by its columns alone: rows of long tables are never made. */
function columnsOf<Row>({ rowCount, column }: ResultTable<Row>): ColumnsInput<Row> {
  return { rowCount, values: <Name extends keyof Row & string>(name: Name) => column(name) as readonly Row[Name][] }
}

function reportOf(source: ReportSource, about: ReportAbout): RunReport {
  const { result, recorder, setting, title, isKept, replay, endNs } = source
  const ids = result.summary.markets.map(({ instrumentId }) => instrumentId)
  if (!isKept) {
    const sentence =
      'Cannot make the report of a run that kept no rows: its option tables is \'none\'; leave it out and run again'
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'tables', expected: '\'memory\'', found: '\'none\'' })
  }
  const { fills, orders, trades, hours, days, equity, ...rest } = result
  return makeReport({
    ...rest, title, about, fills: columnsOf(fills), orders: columnsOf(orders), trades: columnsOf(trades),
    hours: hours.rows, days: days.rows, equity: equity.rows, tracks: recorder.tracks,
    requestBins: recorder.requests.requestNs.bins(),
    responseBins: recorder.requests.responseNs.bins(), epochDay: setting.epochDay,
    feedBins: new Map(result.summary.markets.map(({ instrumentId: id, instrument }): [string, LatencyBins] => (
      [instrument, replay.feeds.get(id)?.latencies.bins() ?? []]))),
    bookUnknown: replay.instruments.flatMap(({ feed: { instrumentId }, market }) => (
      ids.includes(instrumentId) ? unknownSpansUntil(market, endNs).map((one) => ({ instrumentId, ...one })) : [])),
    log: recorder.log,
    valueOf: (account, instrumentId, quantity, price) => (
      contractValue(recorder.trades.contractOf(account, instrumentId), Amount.from(quantity), Amount.from(price))
        .toNumber()),
    instrumentOf: (id) => {
      const entry = setting.instruments.get(id)
      return entry === undefined ? String(id) : instrumentName(entry.instrument)
    },
    underlyingOf: (id) => underlyingCode(setting.underlyings, id),
  })
}

function curvesOf({ recorder, setting }: ReportSource): EquityCurve[] {
  return [...recorder.tracks.equity].sort(([a], [b]) => a - b).map(([id, track]) => (
    curveOf(underlyingCode(setting.underlyings, id), track, setting.epochDay)))
}

/** A result with its report, which is made when it is asked for. */
export function withReport(source: ReportSource): BacktestResult {
  const report: BacktestResult['report'] = (about = {}) => reportOf(source, about)
  return {
    ...source.result, curves: curvesOf(source), report,
    writeReport: async (path, { about = {}, ...options } = {}) => {
      await writeReportFiles(path, () => report(about), options)
    },
  }
}
