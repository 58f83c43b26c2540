import type { StatedAmount } from '../model/amount.js'
import type { EntryError, OrderReport } from '../model/order.js'
import type {
  AmendedFields, AmendEntry, AmendResult, CancelAllResponse, CancelEntry, CancelResult, FillContextEntry,
  FillContextResult, OrderContextEntry, OrderContextResult, PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult,
} from './messages.js'
import type { FieldsOf } from './field-units.js'
import { attributeFields } from './order-attributes.js'
import type { ClientMessage, ClientRequest } from './order-messages.js'
import type {
  AccountState, Capabilities, CorporateAction, Fill, IsolatedPosition, IsolatedSide, Position, RateLimitLoad,
  UsdAmount, Wallet,
} from './account-messages.js'

const ERROR: FieldsOf<EntryError> = { type: 'word', message: 'text', source: 'word', retryTimeNs: 'timeNs' }

const PLACE_ENTRY: FieldsOf<PlaceEntry> = {
  ownOrderId: 'orderId', clientOrderId: 'text', instrumentId: 'instrumentId', ...attributeFields('place'),
}

const AMEND_ENTRY: FieldsOf<AmendEntry> = {
  ownOrderId: 'orderId', instrumentId: 'ofInstrument', currentClientOrderId: 'text', newClientOrderId: 'text',
  exchangeOrderId: 'text', ...attributeFields('amend'),
}

const REPLACE_ENTRY: FieldsOf<ReplaceEntry> = {
  currentOwnOrderId: 'orderId', instrumentId: 'ofInstrument', newOwnOrderId: 'text', currentClientOrderId: 'text',
  newClientOrderId: 'text', exchangeOrderId: 'text', ...attributeFields('replace'),
}

const CANCEL_ENTRY: FieldsOf<CancelEntry> = { ownOrderId: 'orderId', exchangeOrderId: 'text' }

const ORDER_CONTEXT_ENTRY: FieldsOf<OrderContextEntry> = {
  ownOrderId: 'orderId', clientOrderId: 'text', context: 'json',
}

const FILL_CONTEXT_ENTRY: FieldsOf<FillContextEntry> = { ownFillId: 'text', context: 'json' }

const ORDER_REPORT: FieldsOf<OrderReport> = {
  ownOrderId: 'orderId', exchangeOrderId: 'text', clientOrderId: 'text', instrumentId: 'instrumentId', state: 'word',
  executedQuantity: 'quantity', exchangeTimeNs: 'timeNs', triggered: 'flag', error: ERROR, ...attributeFields('report'),
}

const PLACE_RESULT: FieldsOf<PlaceResult> = {
  ownOrderId: 'orderId', clientOrderId: 'text', exchangeTimeNs: 'timeNs', result: ORDER_REPORT, error: ERROR,
}

const AMENDED: FieldsOf<AmendedFields> = {
  price: 'price', totalQuantity: 'quantity', triggerPrice: 'price', pegOffsetValue: 'price',
}

const AMEND_RESULT: FieldsOf<AmendResult> = {
  ownOrderId: 'orderId', clientOrderId: 'text', exchangeTimeNs: 'timeNs', result: AMENDED, error: ERROR,
}

const REPLACE_RESULT: FieldsOf<ReplaceResult> = {
  exchangeOrderId: 'text', ownOrderId: 'orderId', clientOrderId: 'text', exchangeTimeNs: 'timeNs',
  result: { price: 'price', totalQuantity: 'quantity' }, error: ERROR,
}

const CANCEL_RESULT: FieldsOf<CancelResult> = { ownOrderId: 'orderId', exchangeTimeNs: 'timeNs', error: ERROR }

const CANCEL_ALL_RESPONSE: FieldsOf<CancelAllResponse> = {
  requestId: 'text', adapterTimeNs: 'timeNs', exchangeTimeNs: 'timeNs', error: ERROR,
}

const ORDER_CONTEXT_RESULT: FieldsOf<OrderContextResult> = {
  ownOrderId: 'orderId', clientOrderId: 'text', result: { context: 'json' }, error: ERROR,
}

const FILL_CONTEXT_RESULT: FieldsOf<FillContextResult> = {
  ownFillId: 'text', result: { context: 'json' }, error: ERROR,
}

const FILL: FieldsOf<Fill> = {
  ownFillId: 'text', exchangeTradeId: 'text', exchangeTimeNs: 'timeNs', ownOrderId: 'orderId', exchangeOrderId: 'text',
  clientOrderId: 'text', instrumentId: 'instrumentId', side: 'word', price: 'price', priceScale: 'priceScale',
  quantity: 'quantity', fees: 'decimal', feeUnderlyingId: 'number', addedLiquidity: 'flag', update: 'flag',
  usdFees: 'decimal', usdTurnover: 'decimal', fxRate: 'decimal', openClose: 'word', type: 'word', context: 'json',
  owner: 'json',
}

const POSITION: FieldsOf<Position> = {
  instrumentId: 'instrumentId', exchangeTimeNs: 'timeNs', longPosition: 'quantity', shortPosition: 'quantity',
  liquidationPrice: 'decimal', unrealizedPnl: 'decimal', averageEntryPrice: 'decimal',
}

const ISOLATED_SIDE: FieldsOf<IsolatedSide> = {
  size: 'quantity', liquidationPrice: 'decimal', unrealizedPnl: 'decimal', averageEntryPrice: 'decimal',
}

const ISOLATED_POSITION: FieldsOf<IsolatedPosition> = {
  instrumentId: 'instrumentId', exchangeTimeNs: 'timeNs', long: ISOLATED_SIDE, short: ISOLATED_SIDE,
}

const USD_AMOUNT: FieldsOf<UsdAmount> = { walletType: 'word', usdAmount: 'decimal' }

const WALLET: FieldsOf<Wallet<StatedAmount, number>> = {
  underlyingId: 'number', availableAmount: 'decimal', amountBlockedForMargin: 'decimal', marginBalance: 'decimal',
  type: 'word', instrumentId: 'instrumentId', exchangeTimeNs: 'timeNs', maintenanceMargin: 'decimal',
  borrowed: 'decimal', cashBalance: 'decimal', unrealizedPnl: 'decimal', availableBorrow: 'decimal',
}

const RATE_LIMIT_LOAD: FieldsOf<RateLimitLoad> = { id: 'text', p: 'number', a: 'number', r: 'number', c: 'number' }

const CAPABILITIES: FieldsOf<Capabilities> = {
  amend: 'flag', replace: 'flag', cancelAll: 'flag', closeOnly: 'flag', reduceOnly: 'flag', displayQuantity: 'flag',
  orderTypes: 'word', timeInForces: 'word', walletTypes: 'word', averageEntryPrice: 'flag',
  positionUnrealizedPnl: 'flag', liquidationPrice: 'flag', cashBalance: 'flag', walletUnrealizedPnl: 'flag',
  availableBorrow: 'flag', retryTime: 'flag', spare: 'flag',
}

const ACCOUNT_STATE: FieldsOf<AccountState> = {
  status: 'word', message: 'text', orders: ORDER_REPORT, positions: POSITION, isolatedPositions: ISOLATED_POSITION,
  wallets: WALLET, maintenanceMargin: USD_AMOUNT, totalBalances: USD_AMOUNT, capabilities: CAPABILITIES,
  rateLimitLoads: RATE_LIMIT_LOAD,
}

const CORPORATE_ACTION: FieldsOf<CorporateAction> = {
  instrumentId: 'instrumentId', comment: 'text',
  split: { lastPrice: 'decimal', buyVolume: 'decimal', sellVolume: 'decimal', liquidateFractionalShares: 'flag' },
  dividend: { underlyingId: 'number', highPrice: 'decimal', lowPrice: 'decimal' },
}

type FieldsByKind<M extends { readonly kind: string }> = {
  readonly [K in M['kind']]: FieldsOf<Omit<Extract<M, { readonly kind: K }>, 'kind'>>
}

/** Every request of the order entry protocol by its kind (spec 2). */
export const REQUEST_FIELDS: FieldsByKind<ClientRequest> = {
  place: { entries: PLACE_ENTRY },
  amend: { entries: AMEND_ENTRY },
  replace: { entries: REPLACE_ENTRY },
  cancel: { entries: CANCEL_ENTRY },
  cancelAll: { requestId: 'text', createTimeNs: 'timeNs' },
  orderContext: { entries: ORDER_CONTEXT_ENTRY },
  fillContext: { entries: FILL_CONTEXT_ENTRY },
}

/** Every response and event of the order entry protocol by its kind (spec 2). */
export const MESSAGE_FIELDS: FieldsByKind<ClientMessage> = {
  placeResponse: { results: PLACE_RESULT, adapterTimeNs: 'timeNs' },
  amendResponse: { results: AMEND_RESULT, adapterTimeNs: 'timeNs' },
  replaceResponse: { results: REPLACE_RESULT, adapterTimeNs: 'timeNs' },
  cancelResponse: { results: CANCEL_RESULT, adapterTimeNs: 'timeNs' },
  cancelAllResponse: { response: CANCEL_ALL_RESPONSE, adapterTimeNs: 'timeNs' },
  orderUpdate: { orders: ORDER_REPORT, adapterTimeNs: 'timeNs' },
  fill: { fills: FILL, adapterTimeNs: 'timeNs' },
  positionUpdate: { positions: POSITION, isolatedPositions: ISOLATED_POSITION, adapterTimeNs: 'timeNs' },
  walletUpdate: {
    wallets: WALLET, maintenanceMargin: USD_AMOUNT, totalBalances: USD_AMOUNT, adapterTimeNs: 'timeNs',
  },
  orderContextResponse: { results: ORDER_CONTEXT_RESULT },
  fillContextResponse: { results: FILL_CONTEXT_RESULT },
  rateLimitLoad: { loads: RATE_LIMIT_LOAD, adapterTimeNs: 'timeNs' },
  accountStatus: { state: ACCOUNT_STATE },
  corporateAction: { action: CORPORATE_ACTION, adapterTimeNs: 'timeNs' },
}
