import { NO_ROWS, type OrderRowList } from './order-table.js'

/** The origin of a message on its way: its receiver does not see it. */
export interface MessageOrigin {
  /**
   * Rows of the orders that a request places, or whose placing a message answers, entry by entry; those of the fills
   * that a message states. None of any other.
   */
  readonly rows: OrderRowList
  /** When the request left its client that this is, or that it answers; NaN of any other message. */
  readonly sentNs: number
}

/** The origin of a message that answers nothing. */
export const NO_ORIGIN: MessageOrigin = { rows: NO_ROWS, sentNs: NaN }
