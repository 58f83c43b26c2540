import type { StatedAmount } from '../model/amount.js'
import type { Id } from '../model/id.js'
import type { Side } from '../model/side.js'
import type { OpenClose, Context, Owner, OrderType, TimeInForce, OrderReport } from '../model/order.js'

/** The used part of a rate limit: 0 unused, 1 fully used. */
export interface RateLimitLoad {
  /** The exchange's own key. */
  readonly id: string
  /** Place requests. */
  readonly p: number
  /** Amend requests. */
  readonly a: number
  /** Replace requests. */
  readonly r: number
  /** Cancel requests. */
  readonly c: number
}

/** A split: `sellVolume` units become `buyVolume` units. Decimal texts. */
export interface StockSplit {
  /** Price of the last trade before the split, a decimal text. */
  readonly lastPrice: string
  /** Units after the split, a decimal text. */
  readonly buyVolume: string
  /** Units before the split, a decimal text. */
  readonly sellVolume: string
  /** True: what is no whole unit is liquidated at `lastPrice`; false: rounded. */
  readonly liquidateFractionalShares: boolean
}

/** A dividend a unit: between `lowPrice` and `highPrice`. Decimal texts. */
export interface Dividend {
  /** The underlying in which it is paid. */
  readonly underlyingId: number
  /** The most that a unit pays, a decimal text. */
  readonly highPrice: string
  /** The least that a unit pays, a decimal text. */
  readonly lowPrice: string
}

/** The action of a company on its shares. */
export interface CorporateAction {
  /** The instrument, as the directory has it. */
  readonly instrumentId: number
  /** A split; absent for a dividend. */
  readonly split?: StockSplit
  /** A dividend; absent for a split. */
  readonly dividend?: Dividend
  /** Free text. */
  readonly comment?: string
}

/** An execution of one of our orders. */
export interface Fill {
  /** The adapter's id of the fill, unique in the account. */
  readonly ownFillId: Id
  /** The exchange's id of the trade. */
  readonly exchangeTradeId: Id
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs: number
  /** The client's id of the order, unique in the account and the same over amendments. */
  readonly ownOrderId: Id
  /** The exchange's id of the order. */
  readonly exchangeOrderId: Id
  /** The client's id of the terms in force. */
  readonly clientOrderId: Id
  /** The instrument, as the directory has it. */
  readonly instrumentId: number
  /** Side of our order: BID bought, ASK sold. */
  readonly side: Side
  /** Price of the execution, an integer at the instrument's price scale, or at `priceScale`. */
  readonly price: number
  /** Scale of `price` where the market shows finer digits than the instrument's own scale holds; left out elsewhere. */
  readonly priceScale?: number
  /** Executed quantity, an integer at the instrument's quantity scale. */
  readonly quantity: number
  /** In the fee underlying; positive is a cost. */
  readonly fees: StatedAmount
  /** The underlying in which `fees` are paid. */
  readonly feeUnderlyingId: number
  /** Maker true, taker false. */
  readonly addedLiquidity: boolean
  /** True for late data of a fill that was published before. */
  readonly update: boolean
  /** `fees` in USD. */
  readonly usdFees?: StatedAmount
  /** Value of the fill in USD. */
  readonly usdTurnover?: StatedAmount
  /** USD for one unit of the settlement underlying, a decimal text. */
  readonly fxRate?: string
  /** Behaviour with isolated positions. */
  readonly openClose?: OpenClose
  /** Only where it is not ORDER_FILL. */
  readonly type?: string
  /** Arbitrary JSON that travels with it. */
  readonly context?: Context
  /** Who owns the order. */
  readonly owner?: Owner
}

/** A position without isolation: both sides >= 0 at the instrument's quantity scale; a net long has shortPosition 0. */
export interface Position {
  /** The instrument, as the directory has it. */
  readonly instrumentId: number
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs?: number
  /** Long quantity, an integer at the instrument's quantity scale. */
  readonly longPosition: number
  /** Short quantity, an integer at the instrument's quantity scale. */
  readonly shortPosition: number
  /** Price at which the exchange liquidates. */
  readonly liquidationPrice?: StatedAmount
  /** Profit that is not realised, in the settlement underlying. */
  readonly unrealizedPnl?: StatedAmount
  /** Average price of what is open. */
  readonly averageEntryPrice?: StatedAmount
}

/** One side of an isolated position; the size is at the instrument's quantity scale, 0 where there is no exposure. */
export interface IsolatedSide {
  /** Quantity, an integer at the instrument's quantity scale. */
  readonly size: number
  /** Price at which the exchange liquidates. */
  readonly liquidationPrice?: StatedAmount
  /** Profit that is not realised, in the settlement underlying. */
  readonly unrealizedPnl?: StatedAmount
  /** Average price of what is open. */
  readonly averageEntryPrice?: StatedAmount
}

/** Long and short positions of one instrument side by side. */
export interface IsolatedPosition {
  /** The instrument, as the directory has it. */
  readonly instrumentId: number
  /** The exchange's time, nanoseconds since the midnight of the epoch day. */
  readonly exchangeTimeNs?: number
  /** The long side. */
  readonly long: IsolatedSide
  /** The short side. */
  readonly short: IsolatedSide
}

/** A sum over the wallets of a type in USD, by declared rates; the protocol does not show its shape, this is ours. */
export interface UsdAmount {
  /** The type of the wallets that are added up. */
  readonly walletType: string
  /** USD. */
  readonly usdAmount: StatedAmount
}

/**
 * One wallet of an account; amounts are in the underlying. Where a strategy reads it, amounts are plain decimal texts
 * and its time is in epoch nanoseconds; in messages a time counts from the midnight of the clock's epochDay.
 */
export interface Wallet<A extends StatedAmount = string, T extends number | bigint = bigint> {
  /** Id of the underlying; all amounts are in it. */
  readonly underlyingId: number
  /** Amount that new orders can use. */
  readonly availableAmount: A
  /** Amount behind positions and open orders. */
  readonly amountBlockedForMargin: A
  /** Cash, unrealised profit and market value of what is paid in full. */
  readonly marginBalance: A
  /** Type of the wallet; absent for `ACCOUNT`. */
  readonly type?: string
  /** The instrument whose isolated margin it holds; absent for all others. */
  readonly instrumentId?: number
  /** The exchange's time, epoch nanoseconds as `now()`. */
  readonly exchangeTimeNs?: T
  /** Margin below which positions are liquidated; absent without margin rules. */
  readonly maintenanceMargin?: A
  /** Borrowed amount with interest; absent where nothing is owed. */
  readonly borrowed?: A
  /** Cash alone; with the capability `cashBalance`. */
  readonly cashBalance?: A
  /** Unrealised profit; with the capability `walletUnrealizedPnl`. */
  readonly unrealizedPnl?: A
  /** Amount that can still be borrowed; with the capability `availableBorrow`. */
  readonly availableBorrow?: A
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

/** The capabilities of the adapter. Fields that are absent are false or empty. */
export interface Capabilities {
  /** Amends pass. */
  readonly amend: boolean
  /** Replaces pass. */
  readonly replace: boolean
  /** One request cancels all orders. */
  readonly cancelAll: boolean
  /** `closeOnly` passes. */
  readonly closeOnly: boolean
  /** `reduceOnly` passes. */
  readonly reduceOnly: boolean
  /** `displayQuantity` passes. */
  readonly displayQuantity: boolean
  /** Order types that pass. */
  readonly orderTypes: readonly OrderType[]
  /** Times in force that pass. */
  readonly timeInForces: readonly TimeInForce[]
  /** Types of wallets. */
  readonly walletTypes: readonly string[]
  /** Positions state `averageEntryPrice`. */
  readonly averageEntryPrice: boolean
  /** Positions state `unrealizedPnl`. */
  readonly positionUnrealizedPnl: boolean
  /** Positions state `liquidationPrice`. */
  readonly liquidationPrice: boolean
  /** Wallets state `cashBalance`. */
  readonly cashBalance: boolean
  /** Wallets state `unrealizedPnl`. */
  readonly walletUnrealizedPnl: boolean
  /** Wallets state `availableBorrow`; loans are possible. */
  readonly availableBorrow: boolean
  /** Errors of rate limits state when a retry has budget. */
  readonly retryTime: boolean
  /** Rate limits have a spare part. */
  readonly spare: boolean
}

/**
 * The text of an accountStatus by which a served replay says that it has begun again: orders that are not in it are
 * gone (our choice).
 */
export const BEGAN_AGAIN = 'the replay has begun again'

/** State of an account as a whole: the login result, and what an accountStatus event carries. */
export interface AccountState {
  /** The account's status at its exchange. */
  readonly status: AccountStatus
  /** Free text of the status. */
  readonly message: string
  /** Open orders. */
  readonly orders: readonly OrderReport[]
  /** Positions without isolation. */
  readonly positions: readonly Position[]
  /** Absent where the account never had one. */
  readonly isolatedPositions?: readonly IsolatedPosition[]
  /** Wallets, by underlying and type. */
  readonly wallets: readonly Wallet<StatedAmount, number>[]
  /** Absent where no margin is declared, or an underlying has no declared rate in USD. */
  readonly maintenanceMargin?: readonly UsdAmount[]
  /** Of the wallets that stand behind cross positions; absent where an underlying has no declared rate in USD. */
  readonly totalBalances?: readonly UsdAmount[]
  /** The capabilities of the adapter. */
  readonly capabilities: Capabilities
  /** Absent or empty where the venue limits nothing. */
  readonly rateLimitLoads?: readonly RateLimitLoad[]
}
