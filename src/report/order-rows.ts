import type { EntryError, OrderState } from '../model/order.js'
import type { Side } from '../model/side.js'
import { IdColumn } from '../rows/id-column.js'
import { ByteColumn, NumberColumn, RareColumn, WordColumn } from '../rows/row-columns.js'
import type { RowStore } from '../rows/row-store.js'
import { RowTable } from '../rows/row-table.js'

/**
 * Orders over their lives: what their clients sent, what the exchange made of them. Integers at the instrument's own
 * scales; NaN where there is none.
 */
export class OrderRows {
  readonly table: RowTable
  readonly ownOrderId: IdColumn
  readonly clientOrderId: IdColumn
  readonly exchangeOrderId: IdColumn
  readonly clientId: WordColumn<string>
  readonly accountId: WordColumn<string>
  readonly instrumentId: WordColumn<number>
  readonly side: WordColumn<Side>
  readonly type: WordColumn<string>
  readonly timeInForce: WordColumn<string>
  readonly postOnly: ByteColumn
  readonly price: NumberColumn
  readonly totalQuantity: NumberColumn
  readonly executedQuantity: NumberColumn
  /** PENDING_NEW where nothing was answered before the run ended. */
  readonly state: WordColumn<OrderState>
  /** The own id of the order that it replaces; null where it was placed. */
  readonly replaces: IdColumn
  /** Local time of sending. */
  readonly sentNs: NumberColumn
  /** Exchange time of acceptance; NaN where it never was. */
  readonly acceptedNs: NumberColumn
  /** Exchange time of its end (local for what never got there); NaN where it was open when the run ended. */
  readonly endedNs: NumberColumn
  /**
   * Quantity ahead when it came to rest, last of all, an integer at `aheadScale`; NaN where it never rested, or
   * unknown.
   */
  readonly quantityAhead: NumberColumn
  readonly aheadScale: ByteColumn
  readonly touchedByGap: ByteColumn
  readonly error: RareColumn<EntryError>
  /**
   * Twice the mid that its client saw when it sent it, or the last change of its price that was taken; an integer at
   * `arrivalScale`, NaN where a side was empty.
   */
  readonly arrivalTwice: NumberColumn
  readonly arrivalScale: ByteColumn

  constructor(store: RowStore) {
    const table = (this.table = new RowTable(store))
    this.ownOrderId = new IdColumn(table, 'ownOrderId')
    this.clientOrderId = new IdColumn(table, 'clientOrderId')
    this.exchangeOrderId = new IdColumn(table, 'exchangeOrderId')
    this.clientId = new WordColumn(table, 'clientId')
    this.accountId = new WordColumn(table, 'accountId')
    this.instrumentId = new WordColumn(table, 'instrumentId')
    this.side = new WordColumn(table, 'side')
    this.type = new WordColumn(table, 'type')
    this.timeInForce = new WordColumn(table, 'timeInForce')
    this.postOnly = new ByteColumn(table, 'postOnly')
    this.price = new NumberColumn(table, 'price')
    this.totalQuantity = new NumberColumn(table, 'totalQuantity')
    this.executedQuantity = new NumberColumn(table, 'executedQuantity')
    this.state = new WordColumn(table, 'state')
    this.replaces = new IdColumn(table, 'replaces')
    this.sentNs = new NumberColumn(table, 'sentNs')
    this.acceptedNs = new NumberColumn(table, 'acceptedNs', NaN)
    this.endedNs = new NumberColumn(table, 'endedNs', NaN)
    this.quantityAhead = new NumberColumn(table, 'quantityAhead', NaN)
    this.aheadScale = new ByteColumn(table, 'aheadScale')
    this.touchedByGap = new ByteColumn(table, 'touchedByGap')
    this.error = new RareColumn(table, 'error')
    this.arrivalTwice = new NumberColumn(table, 'arrivalTwice', NaN)
    this.arrivalScale = new ByteColumn(table, 'arrivalScale')
  }
}
