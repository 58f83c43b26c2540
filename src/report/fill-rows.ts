import { IdColumn } from '../rows/id-column.js'
import { AmountColumn, ByteColumn, IndexColumn, NumberColumn, WordColumn } from '../rows/row-columns.js'
import type { RowStore } from '../rows/row-store.js'
import { RowTable } from '../rows/row-table.js'

/** The times after the receipt of a fill at which the market is looked at again: 0.1, 1, 10 and 60 s. */
export const MARK_OUT_HORIZONS_NS: readonly number[] = [100_000_000, 1_000_000_000, 10_000_000_000, 60_000_000_000]

/** Fills as the exchange made them, and when their clients received them. */
export class FillRows {
  readonly table: RowTable
  readonly ownFillId: IdColumn
  /** The row of its order; -1 where no client sent it. */
  readonly order: IndexColumn
  /** The own id of an order without a row; null of others. */
  readonly ownOrderId: IdColumn
  readonly accountId: WordColumn<string>
  readonly clientId: WordColumn<string>
  readonly instrumentId: WordColumn<number>
  readonly cause: WordColumn<string>
  readonly exchangeTimeNs: NumberColumn
  /** Local time; NaN where the run ended before. */
  readonly receivedNs: NumberColumn
  /** 1 for a buy, 0 for a sell. */
  readonly isBuy: ByteColumn
  readonly addedLiquidity: ByteColumn
  readonly price: NumberColumn
  readonly priceScale: ByteColumn
  readonly quantity: NumberColumn
  readonly quantityScale: ByteColumn
  readonly fees: AmountColumn
  readonly feeUnderlyingId: WordColumn<number>
  readonly value: AmountColumn
  readonly realizedPnl: AmountColumn
  /** Signed position after it (on spot what the fills have come to), at the instrument's quantity scale. */
  readonly position: NumberColumn
  /** On spot what the wallet of the coin held after it; 0 else. */
  readonly wallet: AmountColumn
  /** Twice the arrival mid of its order's terms, an integer at a scale; NaN where there is none. */
  readonly arrivalTwice: NumberColumn
  readonly arrivalScale: ByteColumn
  /** Signed mark-out per unit after each horizon, an integer at a scale; NaN until it is measured. */
  readonly markOuts: readonly NumberColumn[]
  readonly markOutScales: readonly ByteColumn[]

  constructor(store: RowStore) {
    const table = (this.table = new RowTable(store))
    this.ownFillId = new IdColumn(table, 'ownFillId')
    this.order = new IndexColumn(table, 'order')
    this.ownOrderId = new IdColumn(table, 'ownOrderId')
    this.accountId = new WordColumn(table, 'accountId')
    this.clientId = new WordColumn(table, 'clientId')
    this.instrumentId = new WordColumn(table, 'instrumentId')
    this.cause = new WordColumn(table, 'cause')
    this.exchangeTimeNs = new NumberColumn(table, 'exchangeTimeNs')
    this.receivedNs = new NumberColumn(table, 'receivedNs', NaN)
    this.isBuy = new ByteColumn(table, 'isBuy')
    this.addedLiquidity = new ByteColumn(table, 'addedLiquidity')
    this.price = new NumberColumn(table, 'price')
    this.priceScale = new ByteColumn(table, 'priceScale')
    this.quantity = new NumberColumn(table, 'quantity')
    this.quantityScale = new ByteColumn(table, 'quantityScale')
    this.fees = new AmountColumn(table, 'fees')
    this.feeUnderlyingId = new WordColumn(table, 'feeUnderlyingId')
    this.value = new AmountColumn(table, 'value')
    this.realizedPnl = new AmountColumn(table, 'realizedPnl')
    this.position = new NumberColumn(table, 'position')
    this.wallet = new AmountColumn(table, 'wallet')
    this.arrivalTwice = new NumberColumn(table, 'arrivalTwice', NaN)
    this.arrivalScale = new ByteColumn(table, 'arrivalScale')
    this.markOuts = MARK_OUT_HORIZONS_NS.map((_, horizon) => new NumberColumn(table, `markOut ${horizon}`, NaN))
    this.markOutScales = MARK_OUT_HORIZONS_NS.map((_, horizon) => new ByteColumn(table, `markOutScale ${horizon}`))
  }
}
