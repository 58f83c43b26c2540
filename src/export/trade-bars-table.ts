import type { TradeBarRow, TradeBarStatistics } from './trade-bars.js'
import type { ColumnType } from '../tables/column.js'
import { createTable, type Table } from '../tables/table.js'

/** The columns of bars that trades end, in their order. */
const COLUMNS: readonly (keyof TradeBarRow)[] = [
  'time', 'end_time', 'open', 'high', 'low', 'close', 'vwap', 'trades', 'trades_buy', 'trades_sell', 'turnover_usd',
  'turnover_buy_usd', 'turnover_sell_usd', 'volume_buy', 'volume_sell', 'qty_buy', 'qty_sell', 'turnover',
]

/** Columns of minutes that such bars do not have: means over adapter time, and liquidations, which end no bar. */
export const MISSING_BAR_COLUMNS: readonly string[] = [
  'trades_liquidation', 'spread_avg', 'spread_bps', 'spread_ticks', 'top1_bid_usd', 'top1_ask_usd', 'top20_bid_usd',
  'top20_ask_usd', 'top1_bid_qty', 'top1_ask_qty',
]

function columnType(name: string): ColumnType {
  if (name.endsWith('time')) return { form: 'timestamp' }
  return name.startsWith('trades') ? { form: 'uint32' } : { form: 'decimal', precision: 38, scale: 18 }
}

/** Bars that trades end as a table: times as bigint nanoseconds, counts as numbers, decimals as exact texts. */
export function tradeBarsTable({ rows }: TradeBarStatistics): Table {
  return createTable(COLUMNS.map((name) => ({
    name, type: columnType(name), nullable: columnType(name).form === 'decimal', values: rows.map((row) => row[name]),
  })))
}
