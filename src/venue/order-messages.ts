import type {
  PlaceEntry, AmendEntry, ReplaceEntry, CancelEntry, CancelAllRequest, OrderContextEntry, FillContextEntry,
  PlaceResult, AmendResult, ReplaceResult, CancelResult, CancelAllResponse, OrderContextResult, FillContextResult,
} from './messages.js'
import type { OrderReport } from '../model/order.js'
import type { StatedAmount } from '../model/amount.js'
import type {
  Fill, Position, IsolatedPosition, Wallet, UsdAmount, RateLimitLoad, AccountState, CorporateAction,
} from './account-messages.js'

/** A request as it travels, plain data. */
export type OrderRequest =
  | { readonly kind: 'place'; readonly entries: readonly PlaceEntry[] }
  | { readonly kind: 'amend'; readonly entries: readonly AmendEntry[] }
  | { readonly kind: 'replace'; readonly entries: readonly ReplaceEntry[] }
  | { readonly kind: 'cancel'; readonly entries: readonly CancelEntry[] }
  | ({ readonly kind: 'cancelAll' } & CancelAllRequest)

/** A request that the adapter answers itself. */
type ContextRequest =
  | { readonly kind: 'orderContext'; readonly entries: readonly OrderContextEntry[] }
  | { readonly kind: 'fillContext'; readonly entries: readonly FillContextEntry[] }

/** Everything that a client may ask. */
export type ClientRequest = OrderRequest | ContextRequest

/** A message from the adapter to a client, plain data. */
export type ClientMessage =
  | { readonly kind: 'placeResponse'; readonly results: readonly PlaceResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'amendResponse'; readonly results: readonly AmendResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'replaceResponse'; readonly results: readonly ReplaceResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'cancelResponse'; readonly results: readonly CancelResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'cancelAllResponse'; readonly response: CancelAllResponse; readonly adapterTimeNs: number }
  | { readonly kind: 'orderUpdate'; readonly orders: readonly OrderReport[]; readonly adapterTimeNs: number }
  | { readonly kind: 'fill'; readonly fills: readonly Fill[]; readonly adapterTimeNs: number }
  | {
      readonly kind: 'positionUpdate'
      readonly positions: readonly Position[]
      readonly isolatedPositions?: readonly IsolatedPosition[]
      readonly adapterTimeNs: number
    }
  | {
    readonly kind: 'walletUpdate'
    readonly wallets: readonly Wallet<StatedAmount, number>[]
    readonly maintenanceMargin?: readonly UsdAmount[]
    readonly totalBalances?: readonly UsdAmount[]
    readonly adapterTimeNs: number
  }
  | { readonly kind: 'orderContextResponse'; readonly results: readonly OrderContextResult[] }
  | { readonly kind: 'fillContextResponse'; readonly results: readonly FillContextResult[] }
  | { readonly kind: 'rateLimitLoad'; readonly loads: readonly RateLimitLoad[]; readonly adapterTimeNs: number }
  | { readonly kind: 'accountStatus'; readonly state: AccountState }
  | { readonly kind: 'corporateAction'; readonly action: CorporateAction; readonly adapterTimeNs: number }
