import type { OrderState } from '../model/order.js'
import type { Side } from '../model/side.js'
import { IdColumn } from '../rows/id-column.js'
import { ByteColumn, NumberColumn, WordColumn } from '../rows/row-columns.js'
import type { RowTable } from '../rows/row-table.js'

/**
 * The client's columns of a table of orders: what its clients asked for. Integers at the instrument's own scales; NaN
 * where there is none. Nothing here is newer than what a client knows.
 */
export class ClientColumns {
  readonly ownOrderId: IdColumn
  /** The id of the first terms. */
  readonly clientOrderId: IdColumn
  readonly clientId: WordColumn<string>
  readonly accountId: WordColumn<string>
  readonly instrumentId: WordColumn<number>
  readonly side: WordColumn<Side>
  readonly type: WordColumn<string>
  readonly timeInForce: WordColumn<string>
  readonly postOnly: ByteColumn
  readonly price: NumberColumn
  readonly totalQuantity: NumberColumn
  /** PENDING_NEW, or REJECTED or DISCARDED of an order that the exchange never had. */
  readonly state: WordColumn<OrderState>
  /** The own id of the order that it replaces; null where it was placed. */
  readonly replaces: IdColumn
  /** Local time of sending. */
  readonly sentNs: NumberColumn

  constructor(table: RowTable) {
    this.ownOrderId = new IdColumn(table, 'ownOrderId')
    this.clientOrderId = new IdColumn(table, 'clientOrderId')
    this.clientId = new WordColumn(table, 'clientId')
    this.accountId = new WordColumn(table, 'accountId')
    this.instrumentId = new WordColumn(table, 'instrumentId')
    this.side = new WordColumn(table, 'side')
    this.type = new WordColumn(table, 'type')
    this.timeInForce = new WordColumn(table, 'timeInForce')
    this.postOnly = new ByteColumn(table, 'postOnly')
    this.price = new NumberColumn(table, 'price')
    this.totalQuantity = new NumberColumn(table, 'totalQuantity')
    this.state = new WordColumn(table, 'state')
    this.replaces = new IdColumn(table, 'replaces')
    this.sentNs = new NumberColumn(table, 'sentNs')
  }
}
