import { Decimal } from '../model/decimal.js'
import { epochNsFromTime, NS_PER_DAY } from '../model/time.js'
import type { PeriodRecord } from '../report/period-recorder.js'
import type { PeriodRow, TradeRow } from './result-rows.js'
import { instrumentOf, lazyTable, type ResultTable, type RowSetting, type TableShape } from './result-tables.js'
import { underlyingCode } from '../venue/venue.js'
import type { TradeRecorder } from './trade-recorder.js'

const TRADES: TableShape<TradeRow> = {
  entry_ts: 'timestamp', exit_ts: 'timestamp', holding_ns: 'uint64', instrument_id: 'uint32', instrument: 'text',
  account: 'text', leg: 'text', side: 'side', qty: 'decimal', entry_price: 'decimal', exit_price: 'money',
  underlying: 'text', profit: 'money', gross_profit: 'money', fees: 'money', other_fees: 'money',
  other_fee_underlying: 'text', high_price: 'money', low_price: 'money', favorable_excursion: 'money',
  adverse_excursion: 'money', is_open: 'boolean', exit: 'text', entry_fill_id: 'text', exit_fill_id: 'text',
}

const TRADE_NULLS = [
  'exit_ts', 'exit_price', 'other_fee_underlying', 'entry_fill_id', 'exit_fill_id',
] as const

const PERIODS: TableShape<PeriodRow> = {
  ts: 'timestamp', underlying: 'text', profit: 'money', realized_pnl: 'money', unrealized_pnl: 'money', fees: 'money',
  flows: 'money', funding: 'money', turnover: 'money', fills: 'uint32', equity: 'money', drawdown: 'money',
  return: 'double', has_data: 'boolean',
}

/** Round trips as a table, in the order in which they were closed; what was open at the end comes last. */
export function tradeTable(trades: TradeRecorder, setting: RowSetting, endNs: number): ResultTable<TradeRow> {
  const records = trades.trips.rows
  const form = { name: 'trades', shape: TRADES, nullable: TRADE_NULLS }
  return lazyTable(form, records.length, setting.metadata, (index) => {
    const record = records.at(index)
    const { accountId, instrumentId, entryNs, exitNs, grossProfit, fees, otherFees } = record
    const { settlementUnderlyingId, feeUnderlyingId } = trades.termsOf(accountId, instrumentId)
    return {
      entry_ts: epochNsFromTime(entryNs, setting.epochDay),
      exit_ts: exitNs === null ? null : epochNsFromTime(exitNs, setting.epochDay),
      holding_ns: BigInt((exitNs ?? endNs) - entryNs),
      ...instrumentOf(instrumentId, setting),
      account: accountId,
      leg: record.leg,
      side: record.sign > 0 ? 'BID' : 'ASK',
      qty: record.quantity,
      entry_price: record.entryPrice,
      exit_price: record.exitPrice,
      underlying: underlyingCode(setting.underlyings, settlementUnderlyingId),
      profit: new Decimal(grossProfit).minus(fees).toFixed(),
      gross_profit: grossProfit,
      fees,
      other_fees: otherFees,
      other_fee_underlying:
        feeUnderlyingId === settlementUnderlyingId ? null : underlyingCode(setting.underlyings, feeUnderlyingId),
      high_price: record.highPrice,
      low_price: record.lowPrice,
      favorable_excursion: record.favorableExcursion,
      adverse_excursion: record.adverseExcursion,
      is_open: exitNs === null,
      exit: record.exit,
      entry_fill_id: record.entryFillId,
      exit_fill_id: record.exitFillId,
    }
  })
}

/** Hours as a table, in their order. */
export function hourTable(records: readonly PeriodRecord[], setting: RowSetting): ResultTable<PeriodRow> {
  return periodTable('hours', () => records, records.length, setting)
}

/** Days as a table, in their order: the sums of their hours. */
export function dayTable(records: readonly PeriodRecord[], setting: RowSetting): ResultTable<PeriodRow> {
  let days: readonly PeriodRecord[] | null = null
  const rowCount = new Set(records.map(dayKey)).size
  return periodTable('days', () => (days ??= daysOf(records)), rowCount, setting)
}

function periodTable(
  name: string, records: () => readonly PeriodRecord[], rowCount: number, setting: RowSetting,
): ResultTable<PeriodRow> {
  return lazyTable({ name, shape: PERIODS, nullable: ['return'] }, rowCount, setting.metadata, (index) => {
    const record = records()[index] as PeriodRecord
    const { profit, equity } = record
    const from = new Decimal(equity).minus(profit)
    return {
      ts: epochNsFromTime(record.timeNs, setting.epochDay),
      underlying: underlyingCode(setting.underlyings, record.underlyingId),
      profit,
      realized_pnl: record.realizedPnl,
      unrealized_pnl: record.unrealizedPnl,
      fees: record.fees,
      flows: record.flows,
      funding: record.funding,
      turnover: record.turnover,
      fills: record.fillCount,
      equity,
      drawdown: record.drawdown,
      return: from.gt(0) ? new Decimal(profit).div(from).toNumber() : null,
      has_data: record.hasData,
    }
  })
}

function dayKey({ timeNs, underlyingId }: PeriodRecord): string {
  return `${Math.floor(timeNs / NS_PER_DAY)} ${underlyingId}`
}

/** Hours put together by UTC day and underlying, in the order of their days. */
function daysOf(hours: readonly PeriodRecord[]): PeriodRecord[] {
  const days = new Map<string, PeriodRecord>()
  for (const hour of hours) {
    const key = dayKey(hour)
    const day = days.get(key)
    const timeNs = Math.floor(hour.timeNs / NS_PER_DAY) * NS_PER_DAY
    days.set(key, day === undefined ? { ...hour, timeNs } : joined(day, hour))
  }
  return [...days.values()]
}

function joined(day: PeriodRecord, hour: PeriodRecord): PeriodRecord {
  const sum = (name: 'profit' | 'realizedPnl' | 'unrealizedPnl' | 'fees' | 'flows' | 'funding' | 'turnover'): string =>
    new Decimal(day[name]).plus(hour[name]).toFixed()
  return {
    timeNs: day.timeNs, underlyingId: day.underlyingId, profit: sum('profit'), realizedPnl: sum('realizedPnl'),
    unrealizedPnl: sum('unrealizedPnl'), fees: sum('fees'), flows: sum('flows'), funding: sum('funding'),
    turnover: sum('turnover'), fillCount: day.fillCount + hour.fillCount, equity: hour.equity,
    drawdown: Decimal.max(day.drawdown, hour.drawdown).toFixed(), hasData: day.hasData || hour.hasData,
  }
}
