import type { Id } from '../model/id.js'
import type { Context, OpenClose, EntryError, OrderReport, OrderType, Owner, TimeInForce } from '../model/order.js'
import type { Side } from '../model/side.js'

/*
 * The messages of the order entry protocol (spec 2) as typed objects. Inside the process prices and quantities are
 * integers at the instrument's own scales (InstrumentEntry), times are nanoseconds since the midnight of the clock's
 * epochDay, money is a decimal text; a codec of a live venue would turn them into the protocol's strings and epoch
 * stamps.
 */

/** One order of a place request. Every entry of a request names the same instrument. */
export interface PlaceEntry {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The client's id of the terms in force. */
  readonly clientOrderId: Id
  /** The instrument, as the directory has it. */
  readonly instrumentId: number
  /** Order type. */
  readonly type: OrderType
  /** BID buys, ASK sells. */
  readonly side: Side
  /** Time in force. */
  readonly timeInForce: TimeInForce
  /** Limit price, an integer at the instrument's price scale; null for orders without one. */
  readonly price: number | null
  /** Whole quantity, an integer at the instrument's quantity scale. */
  readonly totalQuantity: number
  /** True: rejected where it would match at once. */
  readonly postOnly: boolean
  /** Quantity that is shown, at the instrument's quantity scale; 0 hides the order. */
  readonly displayQuantity?: number
  /** Trigger of a stop order, an integer at the instrument's price scale. */
  readonly triggerPrice?: number
  /** Offset of a pegged order from its reference, at the instrument's price scale. */
  readonly pegOffsetValue?: number
  /** Behaviour with isolated positions. */
  readonly openClose?: OpenClose
  /** The wallet that pays; one of the capability `walletTypes`. */
  readonly walletType?: string
  /** True: closes the whole position. */
  readonly closeOnly?: boolean
  /** True: only makes the position smaller. */
  readonly reduceOnly?: boolean
  /** True: borrows what the wallet lacks. */
  readonly autoBorrow?: boolean
  /** True: repays loans with what comes in. */
  readonly autoRepay?: boolean
  /** True: draws on the spare part of rate limits first. */
  readonly useSpare?: boolean
  /** Who owns the order. */
  readonly owner?: Owner
  /** Arbitrary JSON that travels with it. */
  readonly context?: Context
}

/** New values for an order; what is left out stays. Atomic. */
export interface AmendEntry {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /**
   * The instrument of the order: prices and quantities have their scales from it, however long the order is over. It is
   * neither sent nor in the journal; where it is left out, the order must still be known.
   */
  readonly instrumentId?: number
  /** The client's id of the terms before the change. */
  readonly currentClientOrderId: Id
  /** The client's id of the terms from then on. */
  readonly newClientOrderId: Id
  /** The exchange's id of the order. */
  readonly exchangeOrderId?: Id
  /** Limit price, an integer at the instrument's price scale. */
  readonly price?: number
  /** Whole quantity, an integer at the instrument's quantity scale. */
  readonly totalQuantity?: number
  /** Trigger of a stop order, an integer at the instrument's price scale. */
  readonly triggerPrice?: number
  /** Offset of a pegged order from its reference, at the instrument's price scale. */
  readonly pegOffsetValue?: number
  /** Arbitrary JSON that travels with it. */
  readonly context?: Context
}

/** Cancel, then place with new values: not atomic, may end cancelled without a replacement. */
export interface ReplaceEntry {
  /** The client's id of the order that is to go. */
  readonly currentOwnOrderId: Id
  /**
   * The instrument of the order: prices and quantities have their scales from it, however long the order is over. It is
   * neither sent nor in the journal; where it is left out, the order must still be known.
   */
  readonly instrumentId?: number
  /** The client's id of the order that takes its place. */
  readonly newOwnOrderId: Id
  /** The client's id of the terms before the change. */
  readonly currentClientOrderId: Id
  /** The client's id of the terms from then on. */
  readonly newClientOrderId: Id
  /** The exchange's id of the order. */
  readonly exchangeOrderId?: Id
  /** Limit price, an integer at the instrument's price scale. */
  readonly price?: number
  /** Whole quantity, an integer at the instrument's quantity scale. */
  readonly totalQuantity?: number
  /** Trigger of a stop order, an integer at the instrument's price scale. */
  readonly triggerPrice?: number
  /** Arbitrary JSON that travels with it. */
  readonly context?: Context
}

/** One order to cancel. */
export interface CancelEntry {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The exchange's id of the order. */
  readonly exchangeOrderId?: Id
}

/** A request to cancel every open order of the account. */
export interface CancelAllRequest {
  /** The client's id of the request. */
  readonly requestId: Id
  /** When the client made the request, nanoseconds since the midnight of the epoch day. */
  readonly createTimeNs: number
}

/** A new context of an order: it takes the place of the old one. */
export interface OrderContextEntry {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The client's id of the terms in force. */
  readonly clientOrderId: Id
  /** Arbitrary JSON that travels with it. */
  readonly context: Context
}

/** A new context of a fill. */
export interface FillContextEntry {
  /** The adapter's id of the fill, unique in the account. */
  readonly ownFillId: Id
  /** Arbitrary JSON that travels with it. */
  readonly context: Context
}

/** Outcome of one order context entry: exactly one of result and error. */
export interface OrderContextResult {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The client's id of the terms in force. */
  readonly clientOrderId: Id
  /** The outcome where it was accepted. */
  readonly result?: { readonly context: Context }
  /** The reason where it was refused. */
  readonly error?: EntryError
}

/** Outcome of one fill context entry: exactly one of result and error. */
export interface FillContextResult {
  /** The adapter's id of the fill, unique in the account. */
  readonly ownFillId: Id
  /** The outcome where it was accepted. */
  readonly result?: { readonly context: Context }
  /** The reason where it was refused. */
  readonly error?: EntryError
}

/** Outcome of one place entry: exactly one of result and error. */
export interface PlaceResult {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The client's id of the terms in force. */
  readonly clientOrderId: Id
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs?: number
  /** The outcome where it was accepted. */
  readonly result?: OrderReport
  /** The reason where it was refused. */
  readonly error?: EntryError
}

/** The fields that an amend changed. */
export interface AmendedFields {
  /** Limit price, an integer at the instrument's price scale. */
  readonly price?: number
  /** Whole quantity, an integer at the instrument's quantity scale. */
  readonly totalQuantity?: number
  /** Trigger of a stop order, an integer at the instrument's price scale. */
  readonly triggerPrice?: number
  /** Offset of a pegged order from its reference, at the instrument's price scale. */
  readonly pegOffsetValue?: number
}

/** Outcome of one amend entry; `clientOrderId` is the new one. */
export interface AmendResult {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The client's id of the terms in force. */
  readonly clientOrderId: Id
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs?: number
  /** The outcome where it was accepted. */
  readonly result?: AmendedFields
  /** The reason where it was refused. */
  readonly error?: EntryError
}

/** Outcome of one replace entry; ids are the replacement's. */
export interface ReplaceResult {
  /** The exchange's id of the order. */
  readonly exchangeOrderId: Id
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The client's id of the terms in force. */
  readonly clientOrderId: Id
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs?: number
  /** The outcome where it was accepted. */
  readonly result?: { readonly price: number | null; readonly totalQuantity: number }
  /** The reason where it was refused. */
  readonly error?: EntryError
}

/** Outcome of one cancel entry; no error means cancelled. */
export interface CancelResult {
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs?: number
  /** The reason where it was refused. */
  readonly error?: EntryError
}

/** Outcome of a cancelAll; no error means the exchange confirmed. */
export interface CancelAllResponse {
  /** The client's id of the request. */
  readonly requestId: Id
  /** The adapter's time, nanoseconds since the midnight of the epoch day. */
  readonly adapterTimeNs: number
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs?: number
  /** The reason where it was refused. */
  readonly error?: EntryError
}
