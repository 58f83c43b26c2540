import { decimalFromScaled, textFromScaled, Decimal } from '../model/decimal.js'
import { instrumentName } from '../model/instrument.js'
import { keptValue } from '../model/kept-value.js'
import { epochNsFromTime, NS_PER_DAY, NS_PER_HOUR } from '../model/time.js'
import type { Contract } from '../model/contract.js'
import type { EquitySamples } from '../report/equity-recorder.js'
import type { FillRows } from '../report/fill-rows.js'
import type { OrderRows } from '../report/order-rows.js'
import type { TripPlace } from '../report/trip-legs.js'
import type { IdColumn } from '../rows/id-column.js'
import type { AmountColumn, ByteColumn, IndexColumn, NumberColumn } from '../rows/row-columns.js'
import type { RowTable } from '../rows/row-table.js'
import {
  underlyingCode, type InstrumentDirectory, type InstrumentEntry, type UnderlyingDirectory,
} from '../venue/venue.js'
import { cellsOfRows, lazyTable, type Cells, type ResultTable, type TableForm, type TableShape } from './lazy-table.js'
import type { EquityRow, FillRow, OrderRow, PeriodRow, RoundTripRow } from './result-rows.js'
import type { PeriodRecord } from '../report/period-recorder.js'
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
  'ts', 'position', 'net_traded', 'wallet', 'arrival_mid', 'mark_out_100ms', 'mark_out_1s', 'mark_out_10s',
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
  'accepted_ts', 'ended_ts', 'price', 'qty', 'quantity_ahead', 'error_type', 'error_source', 'exchange_order_id',
  'replaces', 'arrival_mid',
] as const

type Cell<Value> = (row: number) => Value

/** The rows of a table that are to be shown, as a table. */
function tableOf<Row extends object>(
  form: TableForm<Row>, table: RowTable, { metadata }: RowSetting, cells: Cells<Row>,
): ResultTable<Row> {
  return lazyTable(form, table.length, metadata, cells, table.firstRow)
}

function timeCell(times: NumberColumn, { epochDay }: RowSetting): Cell<bigint> {
  return (row) => epochNsFromTime(times.at(row), epochDay)
}

function maybeTimeCell(times: NumberColumn, { epochDay }: RowSetting): Cell<bigint | null> {
  return (row) => {
    const timeNs = times.at(row)
    return Number.isNaN(timeNs) ? null : epochNsFromTime(timeNs, epochDay)
  }
}

function scaleCell(scales: ByteColumn): Cell<number> {
  return (row) => scales.at(row)
}

/** Ids that every row has. */
function idCell(ids: IdColumn): Cell<string> {
  return (row) => ids.at(row) ?? ''
}

/** Amounts that every row has. */
function amountCell(amounts: AmountColumn): Cell<string> {
  return (row) => amounts.textAt(row) ?? ''
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
function scaledCell(valueOf: Cell<number>, scaleOf: Cell<number>): Cell<string | null> {
  return (row) => {
    const value = valueOf(row)
    return Number.isSafeInteger(value) ? textFromScaled(value, scaleOf(row)) : null
  }
}

/** Integers as texts. */
function scaledText(values: NumberColumn, scaleOf: Cell<number>): Cell<string> {
  return (row) => textFromScaled(values.at(row), scaleOf(row))
}

/** Half of an integer at a scale. */
function halfText(twice: number, scale: number): string {
  return Number.isSafeInteger(twice * 5)
    ? textFromScaled(twice * 5, scale + 1) : decimalFromScaled(twice, scale).div(2).toFixed()
}

/** Twice a mid at a scale as the mid. */
function midCell(twices: NumberColumn, scales: ByteColumn): Cell<string | null> {
  return (row) => {
    const twice = twices.at(row)
    return Number.isNaN(twice) ? null : halfText(twice, scales.at(row))
  }
}

/** Samples of equity as a table. */
export function equityTable(rows: EquitySamples, setting: RowSetting): ResultTable<EquityRow> {
  return tableOf({ name: 'equity', shape: EQUITY, nullable: [] }, rows.table, setting, {
    ts: timeCell(rows.timeNs, setting),
    underlying: (row) => underlyingCode(setting.underlyings, rows.underlyingId.at(row)),
    equity: amountCell(rows.equity),
    realized_pnl: amountCell(rows.realizedPnl),
    unrealized_pnl: amountCell(rows.unrealizedPnl),
    fees: amountCell(rows.fees),
    drawdown: amountCell(rows.drawdown),
  })
}

/** Fills as a table, in the order of execution. */
export function fillTable(rows: FillRows, orders: OrderRows, setting: RowSetting): ResultTable<FillRow> {
  const { fills } = rows
  const quantityScaleOf = scaleCell(fills.quantityScale)
  const positionOf = scaledText(rows.position, quantityScaleOf)
  const isSpot = (row: number): boolean => (
    setting.instruments.get(fills.instrumentId.at(row))?.instrument.type === 'spot')
  const after = (horizon: number): Cell<string | null> => (
    scaledCell(
      (row) => (rows.markOuts[horizon] as NumberColumn).at(row), scaleCell(rows.markOutScales[horizon] as ByteColumn),
    ))
  return tableOf({ name: 'fills', shape: FILLS, nullable: FILL_NULLS }, fills.rows, setting, {
    exchange_ts: timeCell(fills.exchangeTimeNs, setting),
    ts: maybeTimeCell(rows.receivedNs, setting),
    ...instrumentCells((row) => fills.instrumentId.at(row), setting),
    account: (row) => fills.accountId.at(row),
    side: (row) => fills.isBuy.at(row) === 1 ? 'BID' : 'ASK',
    price: scaledText(fills.price, scaleCell(fills.priceScale)),
    qty: scaledText(fills.quantity, quantityScaleOf),
    added_liquidity: (row) => fills.addedLiquidity.at(row) === 1,
    cause: (row) => fills.cause.at(row),
    value: amountCell(fills.value),
    fee: amountCell(fills.fees),
    fee_underlying: (row) => underlyingCode(setting.underlyings, fills.feeUnderlyingId.at(row)),
    realized_pnl: amountCell(fills.realizedPnl),
    position: (row) => isSpot(row) ? null : positionOf(row),
    net_traded: (row) => isSpot(row) ? positionOf(row) : null,
    wallet: (row) => isSpot(row) ? rows.wallet.textAt(row) : null,
    arrival_mid: midCell(rows.arrivalTwice, rows.arrivalScale),
    own_fill_id: idCell(fills.ownFillId),
    own_order_id: (row) => {
      const order = fills.order.at(row)
      return (order < 0 ? fills.ownOrderId.at(row) : orders.orders.client.ownOrderId.at(order)) ?? ''
    },
    mark_out_100ms: after(0),
    mark_out_1s: after(1),
    mark_out_10s: after(2),
    mark_out_60s: after(3),
  })
}

/** Orders as a table, in the order of sending. */
export function orderTable(rows: OrderRows, setting: RowSetting): ResultTable<OrderRow> {
  const { orders, orders: { client, exchange } } = rows
  const entryOf = (row: number): InstrumentEntry | undefined => setting.instruments.get(client.instrumentId.at(row))
  const quantityScaleOf = (row: number): number => entryOf(row)?.quantityScale ?? 0
  const [acceptedEnd, refusal] = [maybeTimeCell(exchange.endedNs, setting), maybeTimeCell(rows.refusedNs, setting)]
  return tableOf({ name: 'orders', shape: ORDERS, nullable: ORDER_NULLS }, orders.rows, setting, {
    ts: timeCell(client.sentNs, setting),
    accepted_ts: maybeTimeCell(exchange.acceptedNs, setting),
    ended_ts: (row) => orders.isAccepted(row) ? acceptedEnd(row) : refusal(row),
    ...instrumentCells((row) => client.instrumentId.at(row), setting),
    account: (row) => client.accountId.at(row),
    client: (row) => client.clientId.at(row),
    side: (row) => client.side.at(row),
    type: (row) => client.type.at(row),
    time_in_force: (row) => client.timeInForce.at(row),
    post_only: (row) => client.postOnly.at(row) === 1,
    price: scaledCell((row) => orders.priceAt(row), (row) => entryOf(row)?.priceScale ?? 0),
    qty: scaledCell((row) => orders.totalQuantityAt(row), quantityScaleOf),
    executed_qty: scaledText(exchange.executedQuantity, quantityScaleOf),
    state: (row) => orders.stateAt(row),
    quantity_ahead: scaledCell((row) => rows.quantityAhead.at(row), scaleCell(rows.aheadScale)),
    touched_by_gap: (row) => orders.isAccepted(row) && exchange.touchedByGap.at(row) === 1,
    error_type: (row) => rows.error.at(row)?.type ?? null,
    error_source: (row) => rows.error.at(row)?.source ?? null,
    own_order_id: idCell(client.ownOrderId),
    client_order_id: (row) => orders.clientOrderIdAt(row),
    exchange_order_id: (row) => exchange.exchangeOrderId.at(row),
    replaces: (row) => client.replaces.at(row),
    arrival_mid: midCell(rows.arrivalTwice, rows.arrivalScale),
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
  const [gross, fees] = [amountCell(rows.grossProfit), amountCell(rows.fees)]
  const fillId = (fillRows: IndexColumn): Cell<string | null> => (row) => {
    const fill = fillRows.at(row)
    return fill < 0 ? null : fills.fills.ownFillId.at(fill)
  }
  const isOpen = (row: number): boolean => Number.isNaN(rows.exitNs.at(row))
  return tableOf({ name: 'round-trips', shape: ROUND_TRIPS, nullable: ROUND_TRIP_NULLS }, rows.table, setting, {
    entry_ts: timeCell(rows.entryNs, setting),
    exit_ts: maybeTimeCell(rows.exitNs, setting),
    holding_ns: (row) => BigInt((isOpen(row) ? endNs : rows.exitNs.at(row)) - rows.entryNs.at(row)),
    ...instrumentCells((row) => placeOf(row).instrumentId, setting),
    account: (row) => placeOf(row).accountId,
    leg: (row) => placeOf(row).leg,
    side: (row) => rows.isLong.at(row) === 1 ? 'BID' : 'ASK',
    qty: amountCell(rows.quantity),
    entry_price: amountCell(rows.entryPrice),
    exit_price: (row) => rows.exitPrice.textAt(row),
    underlying: (row) => codeOf(contractOf(row).settlementUnderlyingId),
    profit: (row) => new Decimal(gross(row)).minus(fees(row)).toFixed(),
    gross_profit: gross,
    fees,
    other_fees: amountCell(rows.otherFees),
    other_fee_underlying: (row) => {
      const { feeUnderlyingId, contract: { settlementUnderlyingId } } = termsOf(row)
      return feeUnderlyingId === settlementUnderlyingId ? null : codeOf(feeUnderlyingId)
    },
    high_price: amountCell(rows.highPrice),
    low_price: amountCell(rows.lowPrice),
    favorable_excursion: (row) => rows.favorableExcursion(row, contractOf(row)),
    adverse_excursion: (row) => rows.adverseExcursion(row, contractOf(row)),
    is_open: isOpen,
    exit: (row) => rows.exit.at(row),
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
