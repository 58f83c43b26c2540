import type { EntryError } from '../model/order.js'
import type { OrderTable } from '../orders/order-table.js'
import { ByteColumn, NumberColumn, RareColumn } from '../rows/row-columns.js'

/** Columns of a report beside those of the table of orders. */
export class OrderRows {
  /** When an order was over that the exchange never had: the time of the refusal; NaN else. */
  readonly refusedNs: NumberColumn
  /**
   * Quantity ahead when it came to rest, last of all, an integer at `aheadScale`; NaN where it never rested, or
   * unknown.
   */
  readonly quantityAhead: NumberColumn
  readonly aheadScale: ByteColumn
  readonly error: RareColumn<EntryError>
  /**
   * Twice the mid that its client saw when it sent it, or the last change of its price that was taken; an integer at
   * `arrivalScale`, NaN where a side was empty.
   */
  readonly arrivalTwice: NumberColumn
  readonly arrivalScale: ByteColumn

  constructor(readonly orders: OrderTable) {
    const { rows } = orders
    this.refusedNs = new NumberColumn(rows, 'refusedNs', NaN)
    this.quantityAhead = new NumberColumn(rows, 'quantityAhead', NaN)
    this.aheadScale = new ByteColumn(rows, 'aheadScale')
    this.error = new RareColumn(rows, 'error')
    this.arrivalTwice = new NumberColumn(rows, 'arrivalTwice', NaN)
    this.arrivalScale = new ByteColumn(rows, 'arrivalScale')
  }
}
