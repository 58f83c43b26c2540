import type { ColumnType, TableValue } from '../tables/column.js'
import { createTable, type Table } from '../tables/table.js'
import { shownTableOf } from '../tables/table-display.js'
import { decimalFromScaled, textFromScaled, Decimal } from '../model/decimal.js'
import { showAs } from '../model/display.js'
import { instrumentName } from '../model/instrument.js'
import { epochNsFromTime, NS_PER_DAY } from '../model/time.js'
import type { EquityRecord } from '../report/equity-recorder.js'
import type { FillRecord } from '../report/fill-recorder.js'
import type { OrderRecord } from '../report/order-recorder.js'
import type { PackedRows } from '../report/packed-rows.js'
import { underlyingCode, type InstrumentDirectory, type UnderlyingDirectory } from '../venue/venue.js'
import { AMOUNT_TYPE, fittedTable, MONEY_TYPE, roundedCounts } from './money-column.js'
import type { EquityRow, FillRow, OrderRow, PeriodRow, TradeRow } from './result-rows.js'
import type { PeriodRecord } from '../report/period-recorder.js'
import type { TradeRecorder } from './trade-recorder.js'

/** A table of a result whose rows have a type. */
export interface ResultTable<Row> extends Omit<Table, 'rows'> {
  /** The rows as objects, made when first asked for. */
  readonly rows: readonly Row[]
  /**
   * The number of values by column that `toArrow` states rounded half-even to 18 decimals: money of more decimals, as
   * fees of inverse contracts have. Rows, CSV and JSON hold every digit.
   */
  readonly rounded: ReadonlyMap<string, number>
}

/** The setting in which records become rows. */
export interface RowSetting {
  readonly epochDay: number
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /** Of the tables. */
  readonly metadata: ReadonlyMap<string, string>
}

type Form = ColumnType['form'] | 'money'

/** A table as it is in every run, whatever the data. */
interface TableForm<Row> {
  readonly name: string
  readonly shape: TableShape<Row>
  /** Columns that may hold null. */
  readonly nullable: readonly (keyof Row & string)[]
}

/** The forms of the columns of a table, in their order. */
export type TableShape<Row> = { readonly [Name in keyof Row]: Form }

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

function typeOf(form: Form): ColumnType {
  if (form === 'money') return MONEY_TYPE
  return form === 'decimal' ? AMOUNT_TYPE : { form }
}

function typedTable<Row extends object>(
  { shape, nullable }: TableForm<Row>, rows: readonly Row[], metadata: ReadonlyMap<string, string>,
): Table {
  const names = Object.keys(shape) as (keyof Row & string)[]
  return createTable(
    names.map((name) => ({
      name, type: typeOf(shape[name]), nullable: nullable.includes(name),
      values: rows.map((row) => row[name] as TableValue),
    })),
    metadata,
  )
}

/**
 * Makes rows when somebody looks: a run that nobody asks pays nothing. Rows and columns by name hold every digit; Arrow
 * what {@link fittedTable} makes of them.
 */
function lazyTable<Row extends object>(
  form: TableForm<Row>, rowCount: number, metadata: ReadonlyMap<string, string>, rowAt: (index: number) => Row,
): ResultTable<Row> {
  let rows: readonly Row[] | null = null
  let made: Table | null = null
  const allRows = (): readonly Row[] => (rows ??= Array.from({ length: rowCount }, (_, index) => rowAt(index)))
  const table = (): Table => (made ??= typedTable(form, allRows(), metadata))
  const shown: ResultTable<Row> = {
    rowCount,
    metadata,
    get columns() {
      return table().columns
    },
    get rows() {
      return allRows()
    },
    column: (name) => table().column(name),
    get rounded() {
      return roundedCounts(table())
    },
    toArrow: () => fittedTable(form.name, table()).toArrow(),
  }
  return showAs(shown, (self) => shownTableOf(form.name, self))
}

function timeOf(timeNs: number | null, { epochDay }: RowSetting): bigint | null {
  return timeNs === null ? null : epochNsFromTime(timeNs, epochDay)
}

/** The columns that name an instrument. */
function instrumentOf(
  instrumentId: number, { instruments }: RowSetting,
): { readonly instrument_id: number; readonly instrument: string } {
  const entry = instruments.get(instrumentId)
  return {
    instrument_id: instrumentId,
    instrument: entry === undefined ? '' : instrumentName(entry.instrument),
  }
}

/** An integer of a message as text; what was refused may have been no number that the instrument can state. */
function scaledText(value: number | null, scale: number): string | null {
  return value === null || !Number.isSafeInteger(value) ? null : textFromScaled(value, scale)
}

/** Samples of equity as a table. */
export function equityTable(records: readonly EquityRecord[], setting: RowSetting): ResultTable<EquityRow> {
  return lazyTable({ name: 'equity', shape: EQUITY, nullable: [] }, records.length, setting.metadata, (index) => {
    const { timeNs, underlyingId, equity, realizedPnl, unrealizedPnl, fees, drawdown } = records[index] as EquityRecord
    return {
      ts: epochNsFromTime(timeNs, setting.epochDay), underlying: underlyingCode(setting.underlyings, underlyingId),
      equity, realized_pnl: realizedPnl, unrealized_pnl: unrealizedPnl, fees, drawdown,
    }
  })
}

/** Fills as a table, in the order of execution. */
export function fillTable(records: PackedRows<FillRecord>, setting: RowSetting): ResultTable<FillRow> {
  return lazyTable({ name: 'fills', shape: FILLS, nullable: FILL_NULLS }, records.length, setting.metadata, (index) => {
    const record = records.at(index)
    const { priceScale, quantityScale, markOuts, markOutScales } = record
    const isSpot = setting.instruments.get(record.instrumentId)?.instrument.type === 'spot'
    const position = textFromScaled(record.position, quantityScale)
    const after = (horizon: number): string | null => scaledText(markOuts[horizon] ?? null, markOutScales[horizon] ?? 0)
    return {
      exchange_ts: epochNsFromTime(record.exchangeTimeNs, setting.epochDay),
      ts: timeOf(record.receivedNs, setting),
      ...instrumentOf(record.instrumentId, setting),
      account: record.accountId,
      side: record.sign > 0 ? 'BID' : 'ASK',
      price: textFromScaled(record.price, priceScale),
      qty: textFromScaled(record.quantity, quantityScale),
      added_liquidity: record.addedLiquidity,
      cause: record.cause,
      value: record.value,
      fee: record.fees,
      fee_underlying: underlyingCode(setting.underlyings, record.feeUnderlyingId),
      realized_pnl: record.realizedPnl,
      position: isSpot ? null : position,
      net_traded: isSpot ? position : null,
      wallet: isSpot ? record.wallet : null,
      own_fill_id: record.ownFillId,
      own_order_id: record.ownOrderId,
      mark_out_100ms: after(0),
      mark_out_1s: after(1),
      mark_out_10s: after(2),
      mark_out_60s: after(3),
    }
  })
}

/** Orders as a table, in the order of sending. */
export function orderTable(records: PackedRows<OrderRecord>, setting: RowSetting): ResultTable<OrderRow> {
  return lazyTable(
    { name: 'orders', shape: ORDERS, nullable: ORDER_NULLS },
    records.length,
    setting.metadata,
    (index) => {
      const order = records.at(index)
      const { priceScale = 0, quantityScale = 0 } = setting.instruments.get(order.instrumentId) ?? {}
      return {
        ts: epochNsFromTime(order.sentNs, setting.epochDay),
        accepted_ts: timeOf(order.acceptedNs, setting),
        ended_ts: timeOf(order.endedNs, setting),
        ...instrumentOf(order.instrumentId, setting),
        account: order.accountId,
        client: order.clientId,
        side: order.side,
        type: order.type,
        time_in_force: order.timeInForce,
        post_only: order.postOnly,
        price: scaledText(order.price, priceScale),
        qty: scaledText(order.totalQuantity, quantityScale),
        executed_qty: textFromScaled(order.executedQuantity, quantityScale),
        state: order.state,
        quantity_ahead: scaledText(order.quantityAhead, order.aheadScale),
        touched_by_gap: order.touchedByGap,
        error_type: order.error?.type ?? null,
        error_source: order.error?.source ?? null,
        own_order_id: order.ownOrderId,
        client_order_id: order.clientOrderId,
        exchange_order_id: order.exchangeOrderId,
        replaces: order.replaces,
        arrival_mid:
          order.arrivalTwice === null
            ? null
            : decimalFromScaled(order.arrivalTwice, order.arrivalScale).div(2).toFixed(),
      }
    },
  )
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
