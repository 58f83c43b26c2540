import type { OrderState } from '../model/order.js'
import { IdColumn } from '../rows/id-column.js'
import { ByteColumn, NumberColumn, WordColumn } from '../rows/row-columns.js'
import type { RowTable } from '../rows/row-table.js'

/**
 * The exchange's columns of a table of orders: how each truly stands. A strategy that read them would look ahead, so
 * only the exchange and what is written down of a run may. Prices and quantities are integers at the instrument's own
 * scales but for the queue, which stands at the scale of the market.
 */
export class ExchangeColumns {
  readonly exchangeOrderId: IdColumn
  /** The id of the terms in force; null where they are the first ones. */
  readonly clientOrderId: IdColumn
  readonly state: WordColumn<OrderState>
  /** NaN for orders without a price. */
  readonly price: NumberColumn
  readonly totalQuantity: NumberColumn
  readonly executedQuantity: NumberColumn
  /** Exchange time of acceptance; NaN where it never was. */
  readonly acceptedNs: NumberColumn
  /** Exchange time of the end of an accepted order; NaN before. */
  readonly endedNs: NumberColumn
  /** Exchange time of its last report, which a state of the account repeats; NaN before the first. */
  readonly reportedNs: NumberColumn
  /** Public quantity at its price that is served before it; NaN while unknown (exchange rules 3.1). */
  readonly quantityAhead: NumberColumn
  /** `quantityAhead` when it came to rest; NaN where it never did, or unknown. */
  readonly entryQuantityAhead: NumberColumn
  /**
   * The quantity that public trades took at its price since the level last changed: part of the next change (exchange
   * rules 3.3).
   */
  readonly tradedSince: NumberColumn
  /** 1 where a time with an unknown book touched it (exchange rules 6.1); 2: nothing says. */
  readonly touchedByGap: ByteColumn

  constructor(table: RowTable) {
    this.exchangeOrderId = new IdColumn(table, 'exchangeOrderId')
    this.clientOrderId = new IdColumn(table, 'amended clientOrderId')
    this.state = new WordColumn(table, 'exchange state')
    this.price = new NumberColumn(table, 'exchange price', NaN)
    this.totalQuantity = new NumberColumn(table, 'exchange totalQuantity')
    this.executedQuantity = new NumberColumn(table, 'executedQuantity')
    this.acceptedNs = new NumberColumn(table, 'acceptedNs', NaN)
    this.endedNs = new NumberColumn(table, 'endedNs', NaN)
    this.reportedNs = new NumberColumn(table, 'reportedNs', NaN)
    this.quantityAhead = new NumberColumn(table, 'quantityAhead now', NaN)
    this.entryQuantityAhead = new NumberColumn(table, 'entryQuantityAhead', NaN)
    this.tradedSince = new NumberColumn(table, 'tradedSince')
    this.touchedByGap = new ByteColumn(table, 'touchedByGap')
  }
}
