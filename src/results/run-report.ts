import { contractValue, isValueInverse } from '../model/contract.js'
import { Amount } from '../model/amount.js'
import { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import type { ReportAbout, RunReport } from '../report/pages/report-data.js'
import { curveOf, type EquityCurve } from '../report/equity-curve.js'
import { makeReport } from '../report/pages/report-making.js'
import type { ColumnsInput, LatencyBins, UnknownBookInput } from '../report/pages/report-input.js'
import type { MadeColumn } from '../tables/made-column.js'
import { underlyingCode } from '../venue/venue.js'
import type { BacktestResult } from './backtest-result.js'
import type { ResultTable } from './lazy-table.js'
import type { RowSetting } from './result-tables.js'
import { tradedTerms, type WorldRecord } from './world-record.js'

/** The parts of a result that its report is made of, and where they come from. */
export interface ReportSource {
  readonly result: Omit<BacktestResult, 'curves' | 'report' | 'writeReport'>
  readonly record: WorldRecord
  readonly setting: RowSetting
  /** Name of the strategy. */
  readonly title: string
  /** Feed latencies of the markets that the world asked for, by the name of the instrument, up to its end. */
  readonly feedBins: ReadonlyMap<string, LatencyBins>
  readonly bookUnknown: readonly UnknownBookInput[]
  /** True where rows were kept. */
  readonly isKept: boolean
}

/** Prices as amounts; mids of a second are those of many fills. */
function lastAmount(): (price: number) => Amount {
  let [last, amount] = [0, Amount.from(0)]
  return (price) => {
    if (price !== last) [last, amount] = [price, Amount.from(price)]
    return amount
  }
}

/** A table by its columns alone: neither its rows nor lists of its values are ever made. */
function columnsOf<Row>({ rowCount, columns }: ResultTable<Row>): ColumnsInput<Row> {
  return { rowCount, column: (name) => columns.find((one) => one.name === name) as MadeColumn }
}

function reportOf(source: ReportSource, about: ReportAbout): RunReport {
  const { result, record, setting, title, isKept, feedBins, bookUnknown } = source
  if (!isKept) {
    const sentence =
      'Cannot make the report of a run that kept no rows: its option tables is \'none\'; leave it out and run again'
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'tables', expected: '\'memory\'', found: '\'none\'' })
  }
  const { fills, orders, roundTrips, hours, days, equity, ...rest } = result
  const amountOf = lastAmount()
  return makeReport({
    ...rest, title, about, fills: columnsOf(fills), orders: columnsOf(orders), roundTrips: columnsOf(roundTrips),
    hours: hours.rows, days: days.rows, equity: equity.rows, tracks: record.tracks, requestBins: record.requestBins,
    responseBins: record.responseBins, epochDay: setting.epochDay, feedBins, bookUnknown, log: record.log,
    valueOf: (account, instrumentId, quantity, price) => {
      const { contract } = tradedTerms(record, account, instrumentId)
      return isValueInverse(contract) && price <= 0
        ? 0
        : contractValue(contract, Amount.scaled(quantity.integer, quantity.scale), amountOf(price)).toNumber()
    },
    orderOf: (fill) => {
      const { fills: { order, rows } } = record.fills
      const row = order.at(rows.firstRow + fill)
      return row < 0 ? -1 : row - record.orders.orders.rows.firstRow
    },
    instrumentOf: (id) => {
      const entry = setting.instruments.get(id)
      return entry === undefined ? String(id) : instrumentName(entry.instrument)
    },
    underlyingOf: (id) => underlyingCode(setting.underlyings, id),
  })
}

function curvesOf({ record, setting }: ReportSource): EquityCurve[] {
  return [...record.tracks.equity].sort(([a], [b]) => a - b).map(([id, track]) => (
    curveOf(underlyingCode(setting.underlyings, id), track, setting.epochDay)))
}

/** A result with its report, which is made when it is asked for. */
export function withReport(source: ReportSource): BacktestResult {
  const report: BacktestResult['report'] = (about = {}) => reportOf(source, about)
  return {
    ...source.result, curves: curvesOf(source), report,
    writeReport: async (path, { about = {}, ...options } = {}) => {
      const { writeReportFiles } = await import('./run-report-writer.js')
      await writeReportFiles(path, () => report(about), options)
    },
  }
}
