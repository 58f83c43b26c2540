import type { Column, ColumnType } from '../export/column.js'
import type { TableColumn, TableValue } from '../export/table-value.js'
import { createTable, type Table } from '../export/table.js'
import { decimalScale, textFromScaled } from '../model/decimal.js'
import { epochNsFromTime } from '../model/time.js'
import type { EquityRecord } from '../report/equity-recorder.js'
import type { FillRecord } from '../report/fill-recorder.js'
import type { OrderRecord } from '../report/order-recorder.js'
import type { PackedRows } from '../report/packed-rows.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { EquityRow, FillRow, OrderRow } from './result-rows.js'

/** A table of a result whose rows have a type. */
export interface ResultTable<Row> extends Omit<Table, 'rows'> {
  /** The rows as objects, made when first asked for. */
  readonly rows: readonly Row[]
}

/** What turns records into rows. */
export interface RowSetting {
  readonly epochDay: number
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
}

type Form = ColumnType['form']
type Shape<Row> = { readonly [Name in keyof Row]: Form }

const EQUITY: Shape<EquityRow> = {
  ts: 'timestamp', underlying: 'text', equity: 'decimal', realized_pnl: 'decimal', unrealized_pnl: 'decimal', fees: 'decimal', drawdown: 'decimal',
}

const FILLS: Shape<FillRow> = {
  exchange_ts: 'timestamp', ts: 'timestamp', instrument_id: 'uint32', instrument: 'text', account: 'text', side: 'side', price: 'decimal', qty: 'decimal', added_liquidity: 'boolean', cause: 'text',
  value: 'decimal', fee: 'decimal', fee_underlying: 'text', realized_pnl: 'decimal', position: 'decimal', own_fill_id: 'text', own_order_id: 'text',
  mark_out_100ms: 'decimal', mark_out_1s: 'decimal', mark_out_10s: 'decimal', mark_out_60s: 'decimal',
}

const ORDERS: Shape<OrderRow> = {
  ts: 'timestamp', accepted_ts: 'timestamp', ended_ts: 'timestamp', instrument_id: 'uint32', instrument: 'text', account: 'text', client: 'text', side: 'side', type: 'text', time_in_force: 'text',
  post_only: 'boolean', price: 'decimal', qty: 'decimal', executed_qty: 'decimal', state: 'text', quantity_ahead: 'decimal', touched_by_gap: 'boolean', error_type: 'text', error_source: 'text',
  own_order_id: 'text', client_order_id: 'text', exchange_order_id: 'text', replaces: 'text',
}

const DIGITS_MAX = 38

/** The least scale that holds every value; null where 38 digits do not. */
function leastScale(values: readonly TableValue[]): number | null {
  let scale = 0
  let whole = 0
  for (const value of values) {
    if (typeof value !== 'string') continue
    const digits = decimalScale(value)
    if (digits === null) return null
    scale = Math.max(scale, digits)
    whole = Math.max(whole, value.replace('-', '').split('.')[0]?.length ?? 0)
  }
  return scale + whole > DIGITS_MAX ? null : scale
}

function columnOf(name: string, form: Form, values: readonly TableValue[]): TableColumn {
  const nullable = values.includes(null)
  if (form !== 'decimal') return { name, type: { form }, nullable, values }
  const scale = leastScale(values)
  const type: Column['type'] = scale === null ? { form: 'text' } : { form, precision: DIGITS_MAX, scale }
  return { name, type, nullable, values }
}

function tableOf<Row extends object>(shape: Shape<Row>, rows: readonly Row[]): ResultTable<Row> {
  const columns = (Object.keys(shape) as (keyof Row & string)[]).map((name) => columnOf(name, shape[name], rows.map((row) => row[name] as TableValue)))
  const { columns: made, rowCount, metadata, column, toArrow } = createTable(columns)
  return { columns: made, rowCount, metadata, rows, column, toArrow }
}

/** Makes rows when somebody looks: a run that nobody asks pays nothing. */
function lazyTable<Row extends object>(shape: Shape<Row>, rowCount: number, rowAt: (index: number) => Row): ResultTable<Row> {
  let made: ResultTable<Row> | null = null
  const table = (): ResultTable<Row> => (made ??= tableOf(shape, Array.from({ length: rowCount }, (_, index) => rowAt(index))))
  return {
    rowCount,
    get columns() {
      return table().columns
    },
    get metadata() {
      return table().metadata
    },
    get rows() {
      return table().rows
    },
    column: (name) => table().column(name),
    toArrow: () => table().toArrow(),
  }
}

function timeOf(timeNs: number | null, { epochDay }: RowSetting): bigint | null {
  return timeNs === null ? null : epochNsFromTime(timeNs, epochDay)
}

function instrumentOf(instrumentId: number, { instruments }: RowSetting): { readonly instrument_id: number; readonly instrument: string } {
  const entry = instruments.get(instrumentId)
  return { instrument_id: instrumentId, instrument: entry === undefined ? '' : `${entry.instrument.exchangeCode}:${entry.instrument.code}` }
}

/** An integer of a message as text; what was refused may have been no number that the instrument can state. */
function scaledText(value: number | null, scale: number): string | null {
  return value === null || !Number.isSafeInteger(value) ? null : textFromScaled(value, scale)
}

/** The code of an underlying, its id where the data name none. */
export function underlyingCode(underlyings: UnderlyingDirectory, underlyingId: number): string {
  return underlyings.get(underlyingId)?.code ?? String(underlyingId)
}

/** Samples of equity as a table. */
export function equityTable(records: readonly EquityRecord[], setting: RowSetting): ResultTable<EquityRow> {
  return lazyTable(EQUITY, records.length, (index) => {
    const { timeNs, underlyingId, equity, realizedPnl, unrealizedPnl, fees, drawdown } = records[index] as EquityRecord
    return {
      ts: epochNsFromTime(timeNs, setting.epochDay), underlying: underlyingCode(setting.underlyings, underlyingId),
      equity, realized_pnl: realizedPnl, unrealized_pnl: unrealizedPnl, fees, drawdown,
    }
  })
}

/** Fills as a table, in the order of execution. */
export function fillTable(records: PackedRows<FillRecord>, setting: RowSetting): ResultTable<FillRow> {
  return lazyTable(FILLS, records.length, (index) => {
    const record = records.at(index)
    const { priceScale, quantityScale, markOuts, markOutScales } = record
    const after = (horizon: number): string | null => scaledText(markOuts[horizon] ?? null, markOutScales[horizon] ?? 0)
    return {
      exchange_ts: epochNsFromTime(record.exchangeTimeNs, setting.epochDay),
      ts: timeOf(record.heardNs, setting),
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
      position: textFromScaled(record.position, quantityScale),
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
  return lazyTable(ORDERS, records.length, (index) => {
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
    }
  })
}
