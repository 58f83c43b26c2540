import type { Id } from './id.js'
import type { Side } from './side.js'

/** Order types of the order entry protocol (spec 2); an open union: unknown values pass through. */
export type OrderType = 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'MARKET_PEGGED' | 'PRIMARY_PEGGED' | (string & {})

/** True where the price of an order of this type follows the market. */
export function isPegged(type: OrderType): boolean {
  return type === 'MARKET_PEGGED' || type === 'PRIMARY_PEGGED'
}

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

/** The attributes by which an order may only make a position smaller. */
interface LimitingAttributes {
  readonly reduceOnly?: boolean | null | undefined
  readonly closeOnly?: boolean | null | undefined
  readonly openClose?: OpenClose | null | undefined
}

/** True where an order may only make a position smaller (exchange rules 7.4). */
export function isLimited({ reduceOnly, closeOnly, openClose }: LimitingAttributes): boolean {
  return reduceOnly === true || closeOnly === true || openClose === 'CLOSE'
}

/** By which price a stop order triggers (exchange rules 7.1). */
export type TriggerReference = 'lastTrade' | 'mark' | 'index'

/** Who refused: the adapter itself or the exchange behind it. */
export type ErrorSource = 'INTERNAL' | 'EXCHANGE'

/** The error object of the order entry protocol, of an entry or of a whole request. Types are an open list. */
export interface EntryError {
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
  /** Id of the strategy instance. */
  readonly instanceId?: string
  /** Name of the strategy instance. */
  readonly instanceName?: string
  /** Id of the process that runs it. */
  readonly processId?: string
  /** Organisation of the owner. */
  readonly org?: string
  /** Version of the owner's software. */
  readonly version?: string
}

/**
 * An order as the protocol's order update states it. Prices and quantities are integers at the instrument's own scales
 * (`InstrumentEntry.priceScale`, `quantityScale`).
 */
export interface OrderReport {
  /** Id from the client, the same over amendments. */
  readonly ownOrderId: Id
  /** Id from the exchange. */
  readonly exchangeOrderId: Id
  /** Id of the terms in force, from the client. */
  readonly clientOrderId: Id
  /** Id of the instrument. */
  readonly instrumentId: number
  /** Order type. */
  readonly type: OrderType
  /** `BID` buys, `ASK` sells. */
  readonly side: Side
  /** State of the order. */
  readonly state: OrderState
  /** Time in force. */
  readonly timeInForce: TimeInForce
  /** Price in force; null for orders without a price. */
  readonly price: number | null
  /** Total quantity in force, executed and open. */
  readonly totalQuantity: number
  /** Executed quantity so far. */
  readonly executedQuantity: number
  /** True for an order that must not match at once. */
  readonly postOnly: boolean
  /** Exchange time, nanoseconds since the midnight of the clock's epochDay. */
  readonly exchangeTimeNs?: number
  /** True for an order that closes the position completely. */
  readonly closeOnly?: boolean
  /** True for an order that can only reduce the position. */
  readonly reduceOnly?: boolean
  /** Visible quantity of an iceberg; 0 is a hidden order. */
  readonly displayQuantity?: number
  /** True for a stop order that was triggered. */
  readonly triggered?: boolean
  /** Trigger price of a stop order. */
  readonly triggerPrice?: number
  /** Offset of a pegged order. */
  readonly pegOffsetValue?: number
  /** Behaviour with netted or isolated positions. */
  readonly openClose?: OpenClose
  /** Type of the wallet that the order draws on. */
  readonly walletType?: string
  /** Owner of the order. */
  readonly owner?: Owner
  /** The client's own JSON beside the order. */
  readonly context?: Context
  /**
   * Why an order that had been accepted is over, where no response is left to say it: a triggered stop order that the
   * exchange does not let enter. Ours: the protocol's order update shows no such field.
   */
  readonly error?: EntryError
}
