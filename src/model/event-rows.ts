import { Decimal, textFromScaled } from './decimal.js'
import { textAt } from './event-batch-columns.js'
import { VALUE_SCALES, type EventBatch } from './event-batch.js'
import type { Greeks, LevelRow, Liquidation, Trade } from './events.js'
import { Price, Quantity, widePrice, wideQuantity } from './fixed-decimal.js'
import { sideFromCode } from './side.js'
import { epochNsFromTime } from './time.js'
import { hasWideRows } from './wide-numbers.js'

/** The columns of a batch that rows and values are made of. */
export type RowColumns = Pick<
  EventBatch,
  | 'epochDay'
  | 'priceScale'
  | 'quantityScale'
  | 'rowStart'
  | 'side'
  | 'price'
  | 'quantity'
  | 'tradeRowStart'
  | 'rowTimeNs'
  | 'tradeId'
  | 'valueStart'
  | 'values'
  | 'valueScale'
  | 'wide'
>

/** Epoch nanoseconds, or null for a time that the file does not give. */
export function epochNsOrNull(timeNs: number, epochDay: number): bigint | null {
  return Number.isNaN(timeNs) ? null : epochNsFromTime(timeNs, epochDay)
}

/** The first number of the rows of an event that no scaled integer holds; null where all are held. */
export function wideNumberOf(
  { rowStart, wide }: Pick<RowColumns, 'rowStart' | 'wide'>, index: number,
): { readonly field: 'price' | 'qty'; readonly found: string } | null {
  if (!hasWideRows(wide)) return null
  for (let row = rowStart[index] as number, end = rowStart[index + 1] as number; row < end; row++) {
    const price = wide.price.get(row)
    if (price !== undefined) return { field: 'price', found: price }
    const quantity = wide.quantity.get(row)
    if (quantity !== undefined) return { field: 'qty', found: quantity }
  }
  return null
}

/** The price of a row. */
function rowPrice({ price, priceScale, wide }: RowColumns, row: number): Price {
  const text = wide?.price.get(row)
  return text === undefined ? new Price(price[row] as number, priceScale) : widePrice(text)
}

/** The quantity of a row. */
function rowQuantity({ quantity, quantityScale, wide }: RowColumns, row: number): Quantity {
  const text = wide?.quantity.get(row)
  return text === undefined ? new Quantity(quantity[row] as number, quantityScale) : wideQuantity(text)
}

/** Row `row` of a batch as a level. */
export function levelRow(batch: RowColumns, row: number): LevelRow {
  return {
    side: sideFromCode(batch.side[row] as number),
    price: rowPrice(batch, row),
    quantity: rowQuantity(batch, row),
  }
}

/** All rows of an event as levels, in file order. */
export function levelRows(batch: RowColumns, index: number): LevelRow[] {
  const rows: LevelRow[] = []
  const end = batch.rowStart[index + 1] as number
  for (let row = batch.rowStart[index] as number; row < end; row++) rows.push(levelRow(batch, row))
  return rows
}

/** The fills of a trades event, in file order. */
export function tradeRows(batch: RowColumns, index: number): Trade[] {
  const trades: Trade[] = []
  const end = batch.rowStart[index + 1] as number
  let tradeRow = batch.tradeRowStart[index] as number
  for (let row = batch.rowStart[index] as number; row < end; row++, tradeRow++) {
    trades.push({
      aggressorSide: sideFromCode(batch.side[row] as number),
      price: rowPrice(batch, row),
      quantity: rowQuantity(batch, row),
      tradeId: textAt(batch.tradeId, tradeRow),
      exchangeTradeTimestampNs: epochNsOrNull(batch.rowTimeNs[tradeRow] as number, batch.epochDay),
    })
  }
  return trades
}

/** The rows of a liquidations event, in file order. */
export function liquidationRows(batch: RowColumns, index: number): Liquidation[] {
  const end = batch.rowStart[index + 1] as number
  let tradeRow = batch.tradeRowStart[index] as number
  const rows: Liquidation[] = []
  for (let row = batch.rowStart[index] as number; row < end; row++, tradeRow++) {
    const exchangeLiquidationTimestampNs = epochNsOrNull(batch.rowTimeNs[tradeRow] as number, batch.epochDay)
    rows.push({ ...levelRow(batch, row), exchangeLiquidationTimestampNs })
  }
  return rows
}

/** Value `at` of a batch as an exact price. */
export function priceAt(batch: RowColumns, at: number): Price {
  const text = batch.wide?.value.get(at)
  return text !== undefined ? widePrice(text) : new Price(batch.values[at] as number, batch.valueScale[at] as number)
}

/** Value `at` of a batch as an exact decimal, or null. */
export function decimalAt(batch: RowColumns, at: number): Decimal | null {
  const scale = batch.valueScale[at] as number
  if (scale === VALUE_SCALES.NULL) return null
  return new Decimal(batch.wide?.value.get(at) ?? textFromScaled(batch.values[at] as number, scale))
}

/** The tail of a mark event, or null where its line has none. */
export function greeksOf(batch: RowColumns, index: number): Greeks | null {
  const from = (batch.valueStart[index] as number) + 1
  const to = batch.valueStart[index + 1] as number
  if (from >= to) return null
  const value = (offset: number): number | null => {
    const at = from + offset
    return at >= to || batch.valueScale[at] === VALUE_SCALES.NULL ? null : (batch.values[at] as number)
  }
  return {
    delta: value(0),
    gamma: value(1),
    vega: value(2),
    theta: value(3),
    markVolatility: value(4),
    bidVolatility: value(5),
    askVolatility: value(6),
  }
}
