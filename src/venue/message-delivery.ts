import type { ClientMessage } from './order-messages.js'
import type { OrderEntryListener } from './venue.js'

/** Hands a message to the method of a client that takes its kind. */
export function deliverMessage(message: ClientMessage, to: OrderEntryListener): void {
  switch (message.kind) {
    case 'placeResponse': return to.onPlaceResponse(message.results, message.adapterTimeNs)
    case 'orderUpdate': return to.onOrderUpdate(message.orders, message.adapterTimeNs)
    case 'cancelResponse': return to.onCancelResponse(message.results, message.adapterTimeNs)
    case 'fill': return to.onFill(message.fills, message.adapterTimeNs)
    case 'positionUpdate':
      return to.onPositionUpdate(message.positions, message.adapterTimeNs, message.isolatedPositions)
    case 'walletUpdate': return to.onWalletUpdate(message.wallets, message.adapterTimeNs, message)
    case 'amendResponse': return to.onAmendResponse(message.results, message.adapterTimeNs)
    case 'replaceResponse': return to.onReplaceResponse(message.results, message.adapterTimeNs)
    case 'cancelAllResponse': return to.onCancelAllResponse(message.response)
    case 'accountStatus': return to.onAccountStatus(message.state)
    case 'orderContextResponse': return to.onOrderContextResponse?.(message.results)
    case 'fillContextResponse': return to.onFillContextResponse?.(message.results)
    case 'rateLimitLoad': return to.onRateLimitLoad?.(message.loads, message.adapterTimeNs)
    case 'corporateAction': return to.onCorporateAction?.(message.action, message.adapterTimeNs)
  }
}
