import { Decimal } from '../model/decimal.js'
import { epochNsFromTime, NS_PER_DAY, NS_PER_HOUR } from '../model/time.js'
import type { Contract } from '../model/contract.js'
import type { EquitySamples } from '../report/equity-recorder.js'
import type { FillRows } from '../report/fill-rows.js'
import type { OrderRows } from '../report/order-rows.js'
import type { TripPlace } from '../report/trip-legs.js'
import type { ByteColumn, IndexColumn, NumberColumn } from '../rows/row-columns.js'
import type { RowTable } from '../rows/row-table.js'
import { valueSource, type ColumnSource } from '../tables/made-column.js'
import {
  underlyingCode, type InstrumentDirectory, type InstrumentEntry, type UnderlyingDirectory,
} from '../venue/venue.js'
import { cellsOfRows, lazyTable, type Cells, type ResultTable, type TableForm, type TableShape } from './lazy-table.js'
import type { EquityRow, FillRow, OrderRow, PeriodRow, RoundTripRow } from './result-rows.js'
import type { PeriodRecord } from '../report/period-recorder.js'
import {
  amounts, decimals, ids, idSource, instrumentSources, maybeAmounts, maybeDecimals, maybeHalves, maybeIds, maybeScaled,
  maybeTimes, scaled, times,
} from './row-sources.js'
import { tradedTerms, type TradedTerms, type WorldRecord } from './world-record.js'

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
  arrival_mid: 'decimal', own_fill_id: 'text', own_order_id: 'text', mark_out_100ms: 'decimal', mark_out_1s: 'decimal',
  mark_out_10s: 'decimal', mark_out_60s: 'decimal',
}

const FILL_NULLS = [
  'ts', 'cause', 'position', 'net_traded', 'wallet', 'arrival_mid', 'mark_out_100ms', 'mark_out_1s', 'mark_out_10s',
  'mark_out_60s',
] as const

const ORDERS: TableShape<OrderRow> = {
  ts: 'timestamp', accepted_ts: 'timestamp', ended_ts: 'timestamp', instrument_id: 'uint32', instrument: 'text',
  account: 'text', client: 'text', side: 'side', type: 'text', time_in_force: 'text', post_only: 'boolean',
  price: 'decimal', qty: 'decimal', executed_qty: 'decimal', state: 'text', quantity_ahead: 'decimal',
  touched_by_gap: 'boolean', error_type: 'text', error_source: 'text', own_order_id: 'text', client_order_id: 'text',
  exchange_order_id: 'text', replaces: 'text', arrival_mid: 'decimal',
}

const ORDER_NULLS = [
  'accepted_ts', 'ended_ts', 'price', 'qty', 'quantity_ahead', 'touched_by_gap', 'error_type', 'error_source',
  'exchange_order_id', 'replaces', 'arrival_mid',
] as const

/** The rows of a table that are to be shown, as a table. */
function tableOf<Row extends object>(
  form: TableForm<Row>, table: RowTable, { metadata }: RowSetting, cells: Cells<Row>,
): ResultTable<Row> {
  return lazyTable(form, table.length, metadata, cells, table.firstRow)
}

/** Samples of equity as a table. */
export function equityTable(rows: EquitySamples, setting: RowSetting): ResultTable<EquityRow> {
  return tableOf({ name: 'equity', shape: EQUITY, nullable: [] }, rows.table, setting, {
    ts: times((row) => rows.timeNs.at(row), setting.epochDay),
    underlying: valueSource((row) => underlyingCode(setting.underlyings, rows.underlyingId.at(row))),
    equity: amounts(rows.equity),
    realized_pnl: amounts(rows.realizedPnl),
    unrealized_pnl: amounts(rows.unrealizedPnl),
    fees: amounts(rows.fees),
    drawdown: amounts(rows.drawdown),
  })
}

/** Fills as a table, in the order of execution. */
export function fillTable(rows: FillRows, orders: OrderRows, setting: RowSetting): ResultTable<FillRow> {
  const { fills } = rows
  const { orders: { client: { ownOrderId: sent } } } = orders
  const quantityScaleOf = (row: number): number => fills.quantityScale.at(row)
  const isSpot = (row: number): boolean => (
    setting.instruments.get(fills.instrumentId.at(row))?.instrument.type === 'spot')
  const after = (horizon: number): ColumnSource<string | null> => {
    const [values, scales] = [rows.markOuts[horizon] as NumberColumn, rows.markOutScales[horizon] as ByteColumn]
    return maybeScaled((row) => values.at(row), (row) => scales.at(row))
  }
  const positionWhere = (isSo: boolean): ColumnSource<string | null> => maybeDecimals((row, cell) => {
    cell.integer = isSpot(row) === isSo ? rows.position.at(row) : NaN
    cell.scale = fills.quantityScale.at(row)
  })
  return tableOf({ name: 'fills', shape: FILLS, nullable: FILL_NULLS }, fills.rows, setting, {
    exchange_ts: times((row) => fills.exchangeTimeNs.at(row), setting.epochDay),
    ts: maybeTimes((row) => rows.receivedNs.at(row), setting.epochDay),
    ...instrumentSources((row) => fills.instrumentId.at(row), setting.instruments),
    account: valueSource((row) => fills.accountId.at(row)),
    side: valueSource((row) => fills.isBuy.at(row) === 1 ? 'BID' : 'ASK'),
    price: scaled((row) => fills.price.at(row), (row) => fills.priceScale.at(row)),
    qty: scaled((row) => fills.quantity.at(row), quantityScaleOf),
    added_liquidity: valueSource((row) => fills.addedLiquidity.at(row) === 1),
    cause: valueSource((row) => fills.cause.at(row) || null),
    value: amounts(fills.value),
    fee: amounts(fills.fees),
    fee_underlying: valueSource((row) => underlyingCode(setting.underlyings, fills.feeUnderlyingId.at(row))),
    realized_pnl: amounts(fills.realizedPnl),
    position: positionWhere(false),
    net_traded: positionWhere(true),
    wallet: maybeDecimals((row, cell) => {
      if (isSpot(row)) rows.wallet.read(row, cell)
      else cell.integer = NaN
    }),
    arrival_mid: maybeHalves(rows.arrivalTwice, rows.arrivalScale),
    own_fill_id: ids(fills.ownFillId),
    // The sender's, where it has a row.
    own_order_id: idSource((row) => {
      const order = fills.order.at(row)
      return (order < 0 ? fills.ownOrderId.at(row) : sent.at(order)) ?? ''
    }, (row, words) => {
      const order = fills.order.at(row)
      return order < 0 ? fills.ownOrderId.words(row, words) : sent.words(order, words)
    }),
    mark_out_100ms: after(0),
    mark_out_1s: after(1),
    mark_out_10s: after(2),
    mark_out_60s: after(3),
  })
}

/** Orders as a table, in the order of sending. */
export function orderTable(rows: OrderRows, setting: RowSetting): ResultTable<OrderRow> {
  const { orders, orders: { client, exchange } } = rows
  const { epochDay, instruments } = setting
  const entryOf = (row: number): InstrumentEntry | undefined => instruments.get(client.instrumentId.at(row))
  const quantityScaleOf = (row: number): number => entryOf(row)?.quantityScale ?? 0
  return tableOf({ name: 'orders', shape: ORDERS, nullable: ORDER_NULLS }, orders.rows, setting, {
    ts: times((row) => client.sentNs.at(row), epochDay),
    accepted_ts: maybeTimes((row) => exchange.acceptedNs.at(row), epochDay),
    ended_ts: maybeTimes((row) => orders.isAccepted(row) ? exchange.endedNs.at(row) : rows.refusedNs.at(row), epochDay),
    ...instrumentSources((row) => client.instrumentId.at(row), instruments),
    account: valueSource((row) => client.accountId.at(row)),
    client: valueSource((row) => client.clientId.at(row)),
    side: valueSource((row) => client.side.at(row)),
    type: valueSource((row) => client.type.at(row)),
    time_in_force: valueSource((row) => client.timeInForce.at(row)),
    post_only: valueSource((row) => client.postOnly.at(row) === 1),
    price: maybeScaled((row) => orders.priceAt(row), (row) => entryOf(row)?.priceScale ?? 0),
    qty: maybeScaled((row) => orders.totalQuantityAt(row), quantityScaleOf),
    executed_qty: scaled((row) => exchange.executedQuantity.at(row), quantityScaleOf),
    state: valueSource((row) => orders.stateAt(row)),
    quantity_ahead: maybeScaled((row) => rows.quantityAhead.at(row), (row) => rows.aheadScale.at(row)),
    touched_by_gap: valueSource((row) => {
      const touched = exchange.touchedByGap.at(row)
      return touched > 1 ? null : orders.isAccepted(row) && touched === 1
    }),
    error_type: valueSource((row) => rows.error.at(row)?.type ?? null),
    error_source: valueSource((row) => rows.error.at(row)?.source ?? null),
    own_order_id: ids(client.ownOrderId),
    client_order_id: idSource((row) => orders.clientOrderIdAt(row), (row, words) => (
      exchange.clientOrderId.words(row, words) ||
      (exchange.clientOrderId.at(row) === null && client.clientOrderId.words(row, words)))),
    exchange_order_id: maybeIds(exchange.exchangeOrderId),
    replaces: maybeIds(client.replaces),
    arrival_mid: maybeHalves(rows.arrivalTwice, rows.arrivalScale),
  })
}

const ROUND_TRIPS: TableShape<RoundTripRow> = {
  entry_ts: 'timestamp', exit_ts: 'timestamp', holding_ns: 'uint64', instrument_id: 'uint32', instrument: 'text',
  account: 'text', leg: 'text', side: 'side', qty: 'decimal', entry_price: 'decimal', exit_price: 'money',
  underlying: 'text', profit: 'money', gross_profit: 'money', fees: 'money', other_fees: 'money',
  other_fee_underlying: 'text', high_price: 'money', low_price: 'money', favorable_excursion: 'money',
  adverse_excursion: 'money', is_open: 'boolean', exit: 'text', entry_fill_id: 'text', exit_fill_id: 'text',
}

const ROUND_TRIP_NULLS = [
  'exit_ts', 'exit_price', 'other_fee_underlying', 'entry_fill_id', 'exit_fill_id',
] as const

const PERIODS: TableShape<PeriodRow> = {
  ts: 'timestamp', underlying: 'text', profit: 'money', realized_pnl: 'money', unrealized_pnl: 'money', fees: 'money',
  flows: 'money', funding: 'money', turnover: 'money', fills: 'uint32', equity: 'money', drawdown: 'money',
  return: 'double', covered: 'double',
}

/** Round trips as a table, in the order in which they were closed; what was open at the end comes last. */
export function roundTripTable(record: WorldRecord, setting: RowSetting, endNs: number): ResultTable<RoundTripRow> {
  const { trips: rows, fills, places } = record
  const placeOf = (row: number): TripPlace => places[rows.leg.at(row)] as TripPlace
  const termsOf = (row: number): TradedTerms => {
    const { accountId, instrumentId } = placeOf(row)
    return tradedTerms(record, accountId, instrumentId)
  }
  const contractOf = (row: number): Contract => termsOf(row).contract
  const codeOf = (id: number): string => underlyingCode(setting.underlyings, id)
  const fillId = (fillRows: IndexColumn): ColumnSource<string | null> => (
    idSource((row) => {
      const fill = fillRows.at(row)
      return fill < 0 ? null : fills.fills.ownFillId.at(fill)
    }, (row, words) => {
      const fill = fillRows.at(row)
      return fill >= 0 && fills.fills.ownFillId.words(fill, words)
    }))
  const isOpen = (row: number): boolean => Number.isNaN(rows.exitNs.at(row))
  return tableOf({ name: 'round-trips', shape: ROUND_TRIPS, nullable: ROUND_TRIP_NULLS }, rows.table, setting, {
    entry_ts: times((row) => rows.entryNs.at(row), setting.epochDay),
    exit_ts: maybeTimes((row) => rows.exitNs.at(row), setting.epochDay),
    holding_ns: valueSource((row) => BigInt((isOpen(row) ? endNs : rows.exitNs.at(row)) - rows.entryNs.at(row))),
    ...instrumentSources((row) => placeOf(row).instrumentId, setting.instruments),
    account: valueSource((row) => placeOf(row).accountId),
    leg: valueSource((row) => placeOf(row).leg),
    side: valueSource((row) => rows.isLong.at(row) === 1 ? 'BID' : 'ASK'),
    qty: amounts(rows.quantity),
    entry_price: amounts(rows.entryPrice),
    exit_price: maybeAmounts(rows.exitPrice),
    underlying: valueSource((row) => codeOf(contractOf(row).settlementUnderlyingId)),
    profit: decimals((row, cell) => { rows.readProfit(row, cell) }),
    gross_profit: amounts(rows.grossProfit),
    fees: amounts(rows.fees),
    other_fees: amounts(rows.otherFees),
    other_fee_underlying: valueSource((row) => {
      const { feeUnderlyingId, contract: { settlementUnderlyingId } } = termsOf(row)
      return feeUnderlyingId === settlementUnderlyingId ? null : codeOf(feeUnderlyingId)
    }),
    high_price: amounts(rows.highPrice),
    low_price: amounts(rows.lowPrice),
    favorable_excursion: decimals((row, cell) => { rows.readFavorableExcursion(row, contractOf(row), cell) }),
    adverse_excursion: decimals((row, cell) => { rows.readAdverseExcursion(row, contractOf(row), cell) }),
    is_open: valueSource(isOpen),
    exit: valueSource((row) => rows.exit.at(row)),
    entry_fill_id: fillId(rows.entryFill),
    exit_fill_id: fillId(rows.exitFill),
  })
}

/** Hours as a table, in their order. */
export function hourTable(records: readonly PeriodRecord[], setting: RowSetting): ResultTable<PeriodRow> {
  return periodTable('hours', () => records, records.length, NS_PER_HOUR, setting)
}

/** Days as a table, in their order: the sums of their hours. */
export function dayTable(records: readonly PeriodRecord[], setting: RowSetting): ResultTable<PeriodRow> {
  let days: readonly PeriodRecord[] | null = null
  const rowCount = new Set(records.map(dayKey)).size
  return periodTable('days', () => (days ??= daysOf(records)), rowCount, NS_PER_DAY, setting)
}

function periodTable(
  name: string, records: () => readonly PeriodRecord[], rowCount: number, lengthNs: number, setting: RowSetting,
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
      covered: record.coveredNs / lengthNs,
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
    drawdown: Decimal.max(day.drawdown, hour.drawdown).toFixed(), coveredNs: day.coveredNs + hour.coveredNs,
  }
}
