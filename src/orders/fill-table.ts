import type { OrderAtExchange } from './order-at-exchange.js'
import type { Amount } from '../model/amount.js'
import { IdColumn } from '../rows/id-column.js'
import { AmountColumn, ByteColumn, IndexColumn, NumberColumn, WordColumn } from '../rows/row-columns.js'
import type { RowStore } from '../rows/row-store.js'
import { RowTable } from '../rows/row-table.js'
import type { Fill } from '../venue/account-messages.js'

/** The money of a fill, worked out once. */
export interface FillMoney {
  /** In the fee underlying. */
  readonly fee: Amount
  /** In the settlement underlying. */
  readonly value: Amount
  readonly realizedPnl: Amount
}

/** Fills as the exchange made them, a row each. */
export class FillTable {
  readonly rows: RowTable
  readonly ownFillId: IdColumn
  /** The row of its order; -1 where no client sent it. */
  readonly order: IndexColumn
  /** The own id of an order without a row; null of others. */
  readonly ownOrderId: IdColumn
  readonly accountId: WordColumn<string>
  readonly clientId: WordColumn<string>
  readonly instrumentId: WordColumn<number>
  /** The reason why it happened; `''` where the exchange does not say one. */
  readonly cause: WordColumn<string>
  readonly exchangeTimeNs: NumberColumn
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

  constructor(store: RowStore) {
    const rows = (this.rows = new RowTable(store))
    this.ownFillId = new IdColumn(rows, 'ownFillId')
    this.order = new IndexColumn(rows, 'order')
    this.ownOrderId = new IdColumn(rows, 'ownOrderId')
    this.accountId = new WordColumn(rows, 'accountId')
    this.clientId = new WordColumn(rows, 'clientId')
    this.instrumentId = new WordColumn(rows, 'instrumentId')
    this.cause = new WordColumn(rows, 'cause')
    this.exchangeTimeNs = new NumberColumn(rows, 'exchangeTimeNs')
    this.isBuy = new ByteColumn(rows, 'isBuy')
    this.addedLiquidity = new ByteColumn(rows, 'addedLiquidity')
    this.price = new NumberColumn(rows, 'price')
    this.priceScale = new ByteColumn(rows, 'priceScale')
    this.quantity = new NumberColumn(rows, 'quantity')
    this.quantityScale = new ByteColumn(rows, 'quantityScale')
    this.fees = new AmountColumn(rows, 'fees')
    this.feeUnderlyingId = new WordColumn(rows, 'feeUnderlyingId')
    this.value = new AmountColumn(rows, 'value')
    this.realizedPnl = new AmountColumn(rows, 'realizedPnl')
  }

  /**
   * A row for a fill of an order; `isForced` where the exchange made the order itself, which then has no row. Scales
   * are those of the instrument.
   */
  add(
    order: OrderAtExchange, fill: Fill, money: FillMoney, cause: string, isForced: boolean,
    scales: { readonly priceScale: number; readonly quantityScale: number },
  ): number {
    const row = this.rows.add()
    this.ownFillId.set(row, fill.ownFillId)
    this.order.set(row, isForced ? -1 : order.row)
    if (isForced) this.ownOrderId.set(row, order.ownOrderId)
    this.accountId.set(row, order.accountId)
    this.clientId.set(row, order.clientId)
    this.instrumentId.set(row, order.instrumentId)
    this.cause.set(row, cause)
    this.exchangeTimeNs.set(row, fill.exchangeTimeNs)
    this.isBuy.set(row, fill.side === 'BID' ? 1 : 0)
    this.addedLiquidity.set(row, fill.addedLiquidity ? 1 : 0)
    this.price.set(row, fill.price)
    this.priceScale.set(row, fill.priceScale ?? scales.priceScale)
    this.quantity.set(row, fill.quantity)
    this.quantityScale.set(row, scales.quantityScale)
    this.fees.setAmount(row, money.fee)
    this.feeUnderlyingId.set(row, fill.feeUnderlyingId)
    this.value.setAmount(row, money.value)
    this.realizedPnl.setAmount(row, money.realizedPnl)
    return row
  }
}
