import type { ClientMessage } from './order-messages.js'
import type { OrderEntryListener } from './venue.js'

/** Hands a message of each kind to a client. */
const DELIVERIES: {
  readonly [Kind in ClientMessage['kind']]: (
    to: OrderEntryListener, message: Extract<ClientMessage, { readonly kind: Kind }>,
  ) => void
} = {
  placeResponse: (to, { results, adapterTimeNs }) => to.onPlaceResponse(results, adapterTimeNs),
  amendResponse: (to, { results, adapterTimeNs }) => to.onAmendResponse(results, adapterTimeNs),
  replaceResponse: (to, { results, adapterTimeNs }) => to.onReplaceResponse(results, adapterTimeNs),
  cancelResponse: (to, { results, adapterTimeNs }) => to.onCancelResponse(results, adapterTimeNs),
  cancelAllResponse: (to, { response }) => to.onCancelAllResponse(response),
  orderUpdate: (to, { orders, adapterTimeNs }) => to.onOrderUpdate(orders, adapterTimeNs),
  fill: (to, { fills, adapterTimeNs }) => to.onFill(fills, adapterTimeNs),
  positionUpdate: (to, { positions, adapterTimeNs, isolatedPositions }) =>
    to.onPositionUpdate(positions, adapterTimeNs, isolatedPositions),
  walletUpdate: (to, message) => to.onWalletUpdate(message.wallets, message.adapterTimeNs, message),
  accountStatus: (to, { state }) => to.onAccountStatus(state),
  orderContextResponse: (to, { results }) => to.onOrderContextResponse?.(results),
  fillContextResponse: (to, { results }) => to.onFillContextResponse?.(results),
  rateLimitLoad: (to, { loads, adapterTimeNs }) => to.onRateLimitLoad?.(loads, adapterTimeNs),
  corporateAction: (to, { action, adapterTimeNs }) => to.onCorporateAction?.(action, adapterTimeNs),
}

/** Hands a message to the method of a client that takes its kind. */
export function deliverMessage(message: ClientMessage, to: OrderEntryListener): void {
  const deliver = DELIVERIES[message.kind] as (to: OrderEntryListener, message: ClientMessage) => void
  deliver(to, message)
}
