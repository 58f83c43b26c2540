import { Price, Quantity } from '../model/fixed-decimal.js'
import type { OpenClose } from '../model/order.js'
import type { Side } from '../model/side.js'
import { epochNsFromTime } from '../model/time.js'
import type { Writable } from '../model/writable.js'
import type { Fill } from '../venue/account-messages.js'

/** One of our executions, with exact values. */
export interface OrderFill {
  /** Id of the fill. */
  readonly ownFillId: string
  /** The exchange's id of the trade; late data may bring another one. */
  readonly exchangeTradeId: string
  /** Id of the order. */
  readonly ownOrderId: string
  /** Side of the order: `BID` bought, `ASK` sold. */
  readonly side: Side
  /** Price of the fill. */
  readonly price: Price
  /** Quantity of the fill, in the instrument's own unit. */
  readonly quantity: Quantity
  /** Plain decimal text; positive is a cost. */
  readonly fees: string
  /** Id of the underlying of `fees`. */
  readonly feeUnderlyingId: number
  /** `fees` in USD, a plain decimal text; null where no rate is declared. */
  readonly usdFees: string | null
  /** Maker true, taker false. */
  readonly addedLiquidity: boolean
  /** Behaviour with isolated positions, as its order asked for it. */
  readonly openClose: OpenClose
  /** The exchange's time, epoch nanoseconds as `now()`. */
  readonly exchangeTimeNs: bigint
}

/** The fields of a fill's message that a strategy sees. */
type FillTerms = Pick<
  Fill, 'ownFillId' | 'exchangeTradeId' | 'ownOrderId' | 'price' | 'quantity' | 'fees' | 'feeUnderlyingId' |
  'addedLiquidity' | 'exchangeTimeNs' | 'usdFees' | 'openClose'
>

/**
 * A fill as it was received, in integers; what a strategy sees of it is made by {@link shownFill}. Orders that are over
 * keep theirs for long: so it has no more than that of the message.
 */
export interface ReceivedFill extends FillTerms {
  readonly side: Side
  readonly priceScale: number
  readonly quantityScale: number
  /** Null until somebody looks. */
  shown: OrderFill | null
}

/** A fill that has come. */
export function receivedFill(
  {
    ownFillId, exchangeTradeId, ownOrderId, price, quantity, fees, feeUnderlyingId, addedLiquidity, exchangeTimeNs,
    usdFees, openClose,
  }: FillTerms,
  side: Side, priceScale: number, quantityScale: number,
): ReceivedFill {
  const fill: Writable<ReceivedFill> = {
    ownFillId, exchangeTradeId, ownOrderId, price, quantity, fees, feeUnderlyingId, addedLiquidity, exchangeTimeNs,
    side, priceScale, quantityScale, shown: null,
  }
  if (usdFees !== undefined) fill.usdFees = usdFees
  if (openClose !== undefined) fill.openClose = openClose
  return fill
}

/**
 * A fill as its strategy sees it: made when it looks first, the same object each time. Received times count from the
 * midnight of `epochDay`.
 */
export function shownFill(received: ReceivedFill, epochDay: number): OrderFill {
  return (received.shown ??= fillOf(received, epochDay))
}

function fillOf(
  {
    ownFillId, exchangeTradeId, ownOrderId, side, price, priceScale, quantity, quantityScale, fees, feeUnderlyingId,
    usdFees, addedLiquidity, openClose = 'AUTO', exchangeTimeNs,
  }: ReceivedFill,
  epochDay: number,
): OrderFill {
  return {
    ownFillId: String(ownFillId), exchangeTradeId: String(exchangeTradeId), ownOrderId: String(ownOrderId), side,
    price: new Price(price, priceScale), quantity: new Quantity(quantity, quantityScale), fees: String(fees),
    feeUnderlyingId, usdFees: usdFees === undefined ? null : String(usdFees), addedLiquidity, openClose,
    exchangeTimeNs: epochNsFromTime(exchangeTimeNs, epochDay),
  }
}

/** A fill for a checkpoint: what its strategy sees of it is made again. */
export function savedFill(received: ReceivedFill): ReceivedFill {
  return { ...received, shown: null }
}
