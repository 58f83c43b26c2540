import { decimalFromScaled, textFromScaled, Decimal } from '../model/decimal.js'
import { instrumentName } from '../model/instrument.js'
import { keptValue } from '../model/kept-value.js'
import { epochNsFromTime, NS_PER_DAY } from '../model/time.js'
import type { EquityRecord } from '../report/equity-recorder.js'
import type { FillRecord } from '../report/fill-recorder.js'
import type { OrderRecord } from '../report/order-recorder.js'
import type { PackedRows } from '../report/packed-rows.js'
import {
  underlyingCode, type InstrumentDirectory, type InstrumentEntry, type UnderlyingDirectory,
} from '../venue/venue.js'
import { cellsOfRows, lazyTable, type ResultTable, type TableForm, type TableShape } from './lazy-table.js'
import type { EquityRow, FillRow, OrderRow, PeriodRow, TradeRow } from './result-rows.js'
import type { PeriodRecord } from '../report/period-recorder.js'
import type { TradeRecorder } from './trade-recorder.js'

/** The setting in which records become rows. */
export interface RowSetting {
  readonly epochDay: number
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /** Of the tables. */
  readonly metadata: ReadonlyMap<string, string>
}

const EQUITY: TableShape<EquityRow> = {
  ts: 'timestamp', underlying: 'text', equity: 'money', realized_pnl: 'money', unrealized_pnl: 'money', fees: 'money',
  drawdown: 'money',
}

const FILLS: TableShape<FillRow> = {
  exchange_ts: 'timestamp', ts: 'timestamp', instrument_id: 'uint32', instrument: 'text', account: 'text', side: 'side',
  price: 'decimal', qty: 'decimal', added_liquidity: 'boolean', cause: 'text', value: 'money', fee: 'money',
  fee_underlying: 'text', realized_pnl: 'money', position: 'decimal', net_traded: 'decimal', wallet: 'money',
  own_fill_id: 'text', own_order_id: 'text', mark_out_100ms: 'decimal', mark_out_1s: 'decimal', mark_out_10s: 'decimal',
  mark_out_60s: 'decimal',
}

const FILL_NULLS = [
  'ts', 'position', 'net_traded', 'wallet', 'mark_out_100ms', 'mark_out_1s', 'mark_out_10s', 'mark_out_60s',
] as const

const ORDERS: TableShape<OrderRow> = {
  ts: 'timestamp', accepted_ts: 'timestamp', ended_ts: 'timestamp', instrument_id: 'uint32', instrument: 'text',
  account: 'text', client: 'text', side: 'side', type: 'text', time_in_force: 'text', post_only: 'boolean',
  price: 'decimal', qty: 'decimal', executed_qty: 'decimal', state: 'text', quantity_ahead: 'decimal',
  touched_by_gap: 'boolean', error_type: 'text', error_source: 'text', own_order_id: 'text', client_order_id: 'text',
  exchange_order_id: 'text', replaces: 'text', arrival_mid: 'decimal',
}

const ORDER_NULLS = [
  'accepted_ts', 'ended_ts', 'price', 'qty', 'quantity_ahead', 'error_type', 'error_source', 'exchange_order_id',
  'replaces', 'arrival_mid',
] as const

type Cell<Value> = (row: number) => Value

function timeCell(timeOf: Cell<number>, { epochDay }: RowSetting): Cell<bigint> {
  return (row) => epochNsFromTime(timeOf(row), epochDay)
}

function maybeTimeCell(timeOf: Cell<number | null>, { epochDay }: RowSetting): Cell<bigint | null> {
  return (row) => {
    const timeNs = timeOf(row)
    return timeNs === null ? null : epochNsFromTime(timeNs, epochDay)
  }
}

/** The columns that name an instrument. */
function instrumentCells(
  idOf: Cell<number>, { instruments }: RowSetting,
): { readonly instrument_id: Cell<number>; readonly instrument: Cell<string> } {
  const names = new Map<number, string>()
  const nameOf = (id: number): string => {
    const entry = instruments.get(id)
    return entry === undefined ? '' : instrumentName(entry.instrument)
  }
  return { instrument_id: idOf, instrument: (row) => keptValue(names, idOf(row), nameOf) }
}

/** Integers of messages as texts; what was refused may have been no number that the instrument can state. */
function scaledCell(valueOf: Cell<number | null>, scaleOf: Cell<number>): Cell<string | null> {
  return (row) => {
    const value = valueOf(row)
    return value === null || !Number.isSafeInteger(value) ? null : textFromScaled(value, scaleOf(row))
  }
}

/** Integers as texts. */
function scaledText(valueOf: Cell<number>, scaleOf: Cell<number>): Cell<string> {
  return (row) => textFromScaled(valueOf(row), scaleOf(row))
}

/** Half of an integer at a scale. */
function halfText(twice: number, scale: number): string {
  return Number.isSafeInteger(twice * 5)
    ? textFromScaled(twice * 5, scale + 1) : decimalFromScaled(twice, scale).div(2).toFixed()
}

/** Samples of equity as a table. */
export function equityTable(records: readonly EquityRecord[], setting: RowSetting): ResultTable<EquityRow> {
  const form = { name: 'equity', shape: EQUITY, nullable: [] }
  return lazyTable(form, records.length, setting.metadata, cellsOfRows<EquityRow>(form, records.length, (index) => {
    const { timeNs, underlyingId, equity, realizedPnl, unrealizedPnl, fees, drawdown } = records[index] as EquityRecord
    return {
      ts: epochNsFromTime(timeNs, setting.epochDay), underlying: underlyingCode(setting.underlyings, underlyingId),
      equity, realized_pnl: realizedPnl, unrealized_pnl: unrealizedPnl, fees, drawdown,
    }
  }))
}

/** Fills as a table, in the order of execution. */
export function fillTable(records: PackedRows<FillRecord>, setting: RowSetting): ResultTable<FillRow> {
  const idOf = records.field('instrumentId')
  const [signOf, feeUnderlyingOf] = [records.field('sign'), records.field('feeUnderlyingId')]
  const quantityScaleOf = records.field('quantityScale')
  const positionOf = scaledText(records.field('position'), quantityScaleOf)
  const walletOf = records.field('wallet')
  const isSpot = (row: number): boolean => setting.instruments.get(idOf(row))?.instrument.type === 'spot'
  const after = (horizon: number): Cell<string | null> => {
    const scaleOf = records.item('markOutScales', horizon)
    return scaledCell(records.item('markOuts', horizon), (row) => scaleOf(row) ?? 0)
  }
  return lazyTable({ name: 'fills', shape: FILLS, nullable: FILL_NULLS }, records.length, setting.metadata, {
    exchange_ts: timeCell(records.field('exchangeTimeNs'), setting),
    ts: maybeTimeCell(records.field('receivedNs'), setting),
    ...instrumentCells(idOf, setting),
    account: records.field('accountId'),
    side: (row) => signOf(row) > 0 ? 'BID' : 'ASK',
    price: scaledText(records.field('price'), records.field('priceScale')),
    qty: scaledText(records.field('quantity'), quantityScaleOf),
    added_liquidity: records.field('addedLiquidity'),
    cause: records.field('cause'),
    value: records.field('value'),
    fee: records.field('fees'),
    fee_underlying: (row) => underlyingCode(setting.underlyings, feeUnderlyingOf(row)),
    realized_pnl: records.field('realizedPnl'),
    position: (row) => isSpot(row) ? null : positionOf(row),
    net_traded: (row) => isSpot(row) ? positionOf(row) : null,
    wallet: (row) => isSpot(row) ? walletOf(row) : null,
    own_fill_id: records.field('ownFillId'),
    own_order_id: records.field('ownOrderId'),
    mark_out_100ms: after(0),
    mark_out_1s: after(1),
    mark_out_10s: after(2),
    mark_out_60s: after(3),
  })
}

/** Orders as a table, in the order of sending. */
export function orderTable(records: PackedRows<OrderRecord>, setting: RowSetting): ResultTable<OrderRow> {
  const idOf = records.field('instrumentId')
  const entryOf = (row: number): InstrumentEntry | undefined => setting.instruments.get(idOf(row))
  const quantityScaleOf = (row: number): number => entryOf(row)?.quantityScale ?? 0
  const [errorOf, arrivalOf] = [records.field('error'), records.field('arrivalTwice')]
  const arrivalScaleOf = records.field('arrivalScale')
  return lazyTable({ name: 'orders', shape: ORDERS, nullable: ORDER_NULLS }, records.length, setting.metadata, {
    ts: timeCell(records.field('sentNs'), setting),
    accepted_ts: maybeTimeCell(records.field('acceptedNs'), setting),
    ended_ts: maybeTimeCell(records.field('endedNs'), setting),
    ...instrumentCells(idOf, setting),
    account: records.field('accountId'),
    client: records.field('clientId'),
    side: records.field('side'),
    type: records.field('type'),
    time_in_force: records.field('timeInForce'),
    post_only: records.field('postOnly'),
    price: scaledCell(records.field('price'), (row) => entryOf(row)?.priceScale ?? 0),
    qty: scaledCell(records.field('totalQuantity'), quantityScaleOf),
    executed_qty: scaledText(records.field('executedQuantity'), quantityScaleOf),
    state: records.field('state'),
    quantity_ahead: scaledCell(records.field('quantityAhead'), records.field('aheadScale')),
    touched_by_gap: records.field('touchedByGap'),
    error_type: (row) => errorOf(row)?.type ?? null,
    error_source: (row) => errorOf(row)?.source ?? null,
    own_order_id: records.field('ownOrderId'),
    client_order_id: records.field('clientOrderId'),
    exchange_order_id: records.field('exchangeOrderId'),
    replaces: records.field('replaces'),
    arrival_mid: (row) => {
      const twice = arrivalOf(row)
      return twice === null ? null : halfText(twice, arrivalScaleOf(row))
    },
  })
}

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
  const [idOf, accountOf, signOf] = [records.field('instrumentId'), records.field('accountId'), records.field('sign')]
  const [entryOf, exitOf] = [records.field('entryNs'), records.field('exitNs')]
  const [grossOf, feesOf] = [records.field('grossProfit'), records.field('fees')]
  const termsOf = (row: number): ReturnType<TradeRecorder['termsOf']> => trades.termsOf(accountOf(row), idOf(row))
  const codeOf = (id: number): string => underlyingCode(setting.underlyings, id)
  return lazyTable({ name: 'trades', shape: TRADES, nullable: TRADE_NULLS }, records.length, setting.metadata, {
    entry_ts: timeCell(entryOf, setting),
    exit_ts: maybeTimeCell(exitOf, setting),
    holding_ns: (row) => BigInt((exitOf(row) ?? endNs) - entryOf(row)),
    ...instrumentCells(idOf, setting),
    account: accountOf,
    leg: records.field('leg'),
    side: (row) => signOf(row) > 0 ? 'BID' : 'ASK',
    qty: records.field('quantity'),
    entry_price: records.field('entryPrice'),
    exit_price: records.field('exitPrice'),
    underlying: (row) => codeOf(termsOf(row).settlementUnderlyingId),
    profit: (row) => new Decimal(grossOf(row)).minus(feesOf(row)).toFixed(),
    gross_profit: grossOf,
    fees: feesOf,
    other_fees: records.field('otherFees'),
    other_fee_underlying: (row) => {
      const { feeUnderlyingId, settlementUnderlyingId } = termsOf(row)
      return feeUnderlyingId === settlementUnderlyingId ? null : codeOf(feeUnderlyingId)
    },
    high_price: records.field('highPrice'),
    low_price: records.field('lowPrice'),
    favorable_excursion: records.field('favorableExcursion'),
    adverse_excursion: records.field('adverseExcursion'),
    is_open: (row) => exitOf(row) === null,
    exit: records.field('exit'),
    entry_fill_id: records.field('entryFillId'),
    exit_fill_id: records.field('exitFillId'),
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
  const form: TableForm<PeriodRow> = { name, shape: PERIODS, nullable: ['return'] }
  return lazyTable(form, rowCount, setting.metadata, cellsOfRows(form, rowCount, (index) => {
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
  }))
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
