import type { Side } from './side.js'

/** Order types of the order entry protocol (spec 2); an open union: unknown values pass through. */
export type OrderType = 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'MARKET_PEGGED' | 'PRIMARY_PEGGED' | (string & {})

/** Times in force of the order entry protocol (spec 2 and spec 4, section 9). */
export type TimeInForce = 'GOOD_TILL_CANCEL' | 'IMMEDIATE_OR_CANCEL' | 'FILL_OR_KILL' | (string & {})

/**
 * States of an order. PENDING_NEW exists only in the client's view; REJECTED (refused by the adapter or the exchange)
 * and DISCARDED (never sent) are our words, shown by the SDK alone (exchange rules 5.1).
 */
export type OrderState =
  'PENDING_NEW' | 'CONFIRMED' | 'PENDING_AMEND' | 'FILLED' | 'CANCELED' | 'REJECTED' | 'DISCARDED' | (string & {})

/** Behaviour with netted or isolated positions. */
export type OpenClose = 'AUTO' | 'OPEN' | 'CLOSE'

/** Who refused: the adapter itself or the exchange behind it. */
export type ErrorSource = 'INTERNAL' | 'EXCHANGE'

/** The error object of the order entry protocol. Types are an open list; the README of the exchange room names ours. */
export interface OrderError {
  /** Type of the error; docs/reference/order-errors.md lists those of the simulated exchange. */
  readonly type: string
  /** The reason in a sentence. */
  readonly message: string
  /** The adapter (`INTERNAL`) or the exchange (`EXCHANGE`). */
  readonly source: ErrorSource
  /** Earliest moment when a retry should find budget, nanoseconds since the run's first midnight; rate limits only. */
  readonly retryTimeNs?: number
}

/** Arbitrary JSON that travels with an order or a fill. */
export type Context = { readonly [key: string]: unknown }

/** Who owns an order (spec 4, section 9). */
export interface Owner {
  readonly instanceId?: string
  readonly instanceName?: string
  readonly processId?: string
  readonly org?: string
  readonly version?: string
}

/**
 * An order as the protocol's order update states it. Prices and quantities are integers at the instrument's own scales
 * (`InstrumentEntry.priceScale`, `quantityScale`).
 */
export interface OrderReport {
  readonly ownOrderId: string
  readonly exchangeOrderId: string
  readonly clientOrderId: string
  readonly instrumentId: number
  readonly type: OrderType
  readonly side: Side
  readonly state: OrderState
  readonly timeInForce: TimeInForce
  readonly price: number | null
  readonly totalQuantity: number
  readonly executedQuantity: number
  readonly postOnly: boolean
  readonly exchangeTimeNs?: number
  readonly closeOnly?: boolean
  readonly reduceOnly?: boolean
  readonly displayQuantity?: number
  readonly triggered?: boolean
  readonly triggerPrice?: number
  readonly pegOffsetValue?: number
  readonly openClose?: OpenClose
  readonly walletType?: string
  readonly owner?: Owner
  readonly context?: Context
  /**
   * Why an order that had been accepted is over, where no response is left to say it: a triggered stop order that the
   * exchange does not let enter. Ours: the protocol's order update shows no such field.
   */
  readonly error?: OrderError
}
