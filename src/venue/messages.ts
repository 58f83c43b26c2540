import type { Context, OpenClose, OrderError, OrderReport, OrderType, Owner, TimeInForce } from '../model/order.js'
import type { Side } from '../model/side.js'

/*
 * The messages of the order entry protocol (spec 2) as typed objects. Inside the process prices and quantities are
 * integers at the instrument's own scales (InstrumentEntry), times are nanoseconds since the midnight of the clock's
 * epochDay, money is a decimal text; the wire codecs turn them into the protocol's strings and epoch stamps.
 */

/** One order of a place request. Every entry of a request names the same instrument. */
export interface PlaceEntry {
  readonly ownOrderId: string
  readonly clientOrderId: string
  readonly instrumentId: number
  readonly type: OrderType
  readonly side: Side
  readonly timeInForce: TimeInForce
  readonly price: number | null
  readonly totalQuantity: number
  readonly postOnly: boolean
  readonly displayQuantity?: number
  readonly triggerPrice?: number
  readonly pegOffsetValue?: number
  readonly openClose?: OpenClose
  readonly walletType?: string
  readonly closeOnly?: boolean
  readonly reduceOnly?: boolean
  readonly autoBorrow?: boolean
  readonly autoRepay?: boolean
  readonly useSpare?: boolean
  readonly owner?: Owner
  readonly context?: Context
}

/** New values for an order; what is left out stays. Atomic. */
export interface AmendEntry {
  readonly ownOrderId: string
  readonly currentClientOrderId: string
  readonly newClientOrderId: string
  readonly exchangeOrderId?: string
  readonly price?: number
  readonly totalQuantity?: number
  readonly triggerPrice?: number
  readonly pegOffsetValue?: number
  readonly context?: Context
}

/** Cancel, then place with new values: not atomic, may end cancelled without a replacement. */
export interface ReplaceEntry {
  readonly currentOwnOrderId: string
  readonly newOwnOrderId: string
  readonly currentClientOrderId: string
  readonly newClientOrderId: string
  readonly exchangeOrderId?: string
  readonly price?: number
  readonly totalQuantity?: number
  readonly triggerPrice?: number
  readonly context?: Context
}

/** One order to cancel. */
export interface CancelEntry {
  readonly ownOrderId: string
  readonly exchangeOrderId?: string
}

/** A request to cancel every open order of the account. */
export interface CancelAllRequest {
  readonly requestId: string
  readonly createTimeNs: number
}

/** A new context of an order: it takes the place of the old one. */
export interface OrderContextEntry {
  readonly ownOrderId: string
  readonly clientOrderId: string
  readonly context: Context
}

/** A new context of a fill. */
export interface FillContextEntry {
  readonly ownFillId: string
  readonly context: Context
}

/** Outcome of one order context entry: exactly one of result and error. */
export interface OrderContextResult {
  readonly ownOrderId: string
  readonly clientOrderId: string
  readonly result?: { readonly context: Context }
  readonly error?: OrderError
}

/** Outcome of one fill context entry: exactly one of result and error. */
export interface FillContextResult {
  readonly ownFillId: string
  readonly result?: { readonly context: Context }
  readonly error?: OrderError
}

/** How much of a rate limit is used: 0 unused, 1 fully used. */
export interface RateLimitLoad {
  /** The exchange's own key. */
  readonly id: string
  /** Of place, amend, replace and cancel requests. */
  readonly p: number
  readonly a: number
  readonly r: number
  readonly c: number
}

/** A split: `sellVolume` units become `buyVolume` units. Decimal texts. */
export interface StockSplit {
  readonly lastPrice: string
  readonly buyVolume: string
  readonly sellVolume: string
  /** True: what is no whole unit is liquidated at `lastPrice`; false: rounded. */
  readonly liquidateFractionalShares: boolean
}

/** A dividend a unit: between `lowPrice` and `highPrice`. Decimal texts. */
export interface Dividend {
  readonly underlyingId: number
  readonly highPrice: string
  readonly lowPrice: string
}

/** What a company did to its shares. */
export interface CorporateAction {
  readonly instrumentId: number
  readonly split?: StockSplit
  readonly dividend?: Dividend
  readonly comment?: string
}

/** Outcome of one place entry: exactly one of result and error. */
export interface PlaceResult {
  readonly ownOrderId: string
  readonly clientOrderId: string
  readonly exchangeTimeNs?: number
  readonly result?: OrderReport
  readonly error?: OrderError
}

/** What an amend changed. */
export interface AmendedFields {
  readonly price?: number
  readonly totalQuantity?: number
  readonly triggerPrice?: number
  readonly pegOffsetValue?: number
}

/** Outcome of one amend entry; `clientOrderId` is the new one. */
export interface AmendResult {
  readonly ownOrderId: string
  readonly clientOrderId: string
  readonly exchangeTimeNs?: number
  readonly result?: AmendedFields
  readonly error?: OrderError
}

/** Outcome of one replace entry; ids are the replacement's. */
export interface ReplaceResult {
  readonly exchangeOrderId: string
  readonly ownOrderId: string
  readonly clientOrderId: string
  readonly exchangeTimeNs?: number
  readonly result?: { readonly price: number | null; readonly totalQuantity: number }
  readonly error?: OrderError
}

/** Outcome of one cancel entry; no error means cancelled. */
export interface CancelResult {
  readonly ownOrderId: string
  readonly exchangeTimeNs?: number
  readonly error?: OrderError
}

/** Outcome of a cancelAll; no error means the exchange confirmed. */
export interface CancelAllResponse {
  readonly requestId: string
  readonly adapterTimeNs: number
  readonly exchangeTimeNs?: number
  readonly error?: OrderError
}

/** An execution of one of our orders. */
export interface Fill {
  readonly ownFillId: string
  readonly exchangeTradeId: string
  readonly exchangeTimeNs: number
  readonly ownOrderId: string
  readonly exchangeOrderId: string
  readonly clientOrderId: string
  readonly instrumentId: number
  readonly side: Side
  readonly price: number
  /** Scale of `price` where the market shows finer digits than the instrument's own scale holds; left out elsewhere. */
  readonly priceScale?: number
  readonly quantity: number
  /** In the fee underlying, plain decimal text; positive is a cost. */
  readonly fees: string
  readonly feeUnderlyingId: number
  /** Maker true, taker false. */
  readonly addedLiquidity: boolean
  /** True for late data of a fill that was published before. */
  readonly update: boolean
  readonly usdFees?: string
  readonly usdTurnover?: string
  readonly fxRate?: string
  readonly openClose?: OpenClose
  /** Only where it is not ORDER_FILL. */
  readonly type?: string
  readonly context?: Context
  readonly owner?: Owner
}

/** A position without isolation: both sides >= 0 at the instrument's quantity scale; a net long has shortPosition 0. */
export interface Position {
  readonly instrumentId: number
  readonly exchangeTimeNs?: number
  readonly longPosition: number
  readonly shortPosition: number
  readonly liquidationPrice?: string
  readonly unrealizedPnl?: string
  readonly averageEntryPrice?: string
}

/** One side of an isolated position; the size is at the instrument's quantity scale, 0 where there is no exposure. */
export interface IsolatedSide {
  readonly size: number
  readonly liquidationPrice?: string
  readonly unrealizedPnl?: string
  readonly averageEntryPrice?: string
}

/** Long and short positions of one instrument side by side. */
export interface IsolatedPosition {
  readonly instrumentId: number
  readonly exchangeTimeNs?: number
  readonly long: IsolatedSide
  readonly short: IsolatedSide
}

/** A sum over the wallets of a type in USD, by declared rates; the protocol does not show its shape, this is ours. */
export interface UsdAmount {
  readonly walletType: string
  readonly usdAmount: string
}

/** One wallet of an account; amounts are plain decimal texts in the underlying. */
export interface Wallet {
  /** Id of the underlying; all amounts are in it. */
  readonly underlyingId: number
  /** Amount that new orders can use. */
  readonly availableAmount: string
  /** Amount behind positions and open orders. */
  readonly amountBlockedForMargin: string
  /** Cash, unrealised profit and market value of what is paid in full. */
  readonly marginBalance: string
  /** Type of the wallet; absent for `ACCOUNT`. */
  readonly type?: string
  /** Exchange time, nanoseconds since the midnight of the clock's epochDay. */
  readonly exchangeTimeNs?: number
  /** Margin below which positions are liquidated; absent without margin rules. */
  readonly maintenanceMargin?: string
  /** Borrowed amount with interest; absent where nothing is owed. */
  readonly borrowed?: string
  /** Cash alone; with the capability `cashBalance`. */
  readonly cashBalance?: string
  /** Unrealised profit; with the capability `walletUnrealizedPnl`. */
  readonly unrealizedPnl?: string
  /** Amount that can still be borrowed; with the capability `availableBorrow`. */
  readonly availableBorrow?: string
}

/** Status of the account at its exchange; an open union (spec 4, section 9). */
export type AccountStatus =
  | 'OK'
  | 'DISCONNECTED'
  | 'EXCHANGE_BUSY'
  | 'BLOCKED'
  | 'BANNED'
  | 'UNASSIGNED'
  | 'MANUAL_SHUTDOWN'
  | 'EMERGENCY_SHUTDOWN'
  | (string & {})

/** What the adapter can do. Fields that are absent are false or empty. */
export interface Capabilities {
  readonly amend: boolean
  readonly replace: boolean
  readonly cancelAll: boolean
  readonly closeOnly: boolean
  readonly reduceOnly: boolean
  readonly displayQuantity: boolean
  readonly orderTypes: readonly OrderType[]
  readonly timeInForces: readonly TimeInForce[]
  readonly walletTypes: readonly string[]
  readonly averageEntryPrice: boolean
  readonly positionUnrealizedPnl: boolean
  readonly liquidationPrice: boolean
  readonly cashBalance: boolean
  readonly walletUnrealizedPnl: boolean
  readonly availableBorrow: boolean
  readonly retryTime: boolean
  readonly spare: boolean
}

/** State of an account as a whole: the login result, and what an accountStatus event carries. */
export interface AccountState {
  readonly status: AccountStatus
  readonly message: string
  readonly orders: readonly OrderReport[]
  readonly positions: readonly Position[]
  /** Absent where the account never had one. */
  readonly isolatedPositions?: readonly IsolatedPosition[]
  readonly wallets: readonly Wallet[]
  /** Absent where no margin is declared, or an underlying has no declared rate in USD. */
  readonly maintenanceMargin?: readonly UsdAmount[]
  /** Of the wallets that stand behind cross positions; absent where an underlying has no declared rate in USD. */
  readonly totalBalances?: readonly UsdAmount[]
  readonly capabilities: Capabilities
  /** Absent or empty where the venue limits nothing. */
  readonly rateLimitLoads?: readonly RateLimitLoad[]
}
