import type { ClientMessage } from '../venue/order-messages.js'
import type { OrderEntryListener } from '../venue/venue.js'

/** A listener that hands on every call as the message that it is. */
export function messagesTo(take: (message: ClientMessage) => void): Required<OrderEntryListener> {
  return {
    onPlaceResponse: (results, adapterTimeNs) => { take({ kind: 'placeResponse', results, adapterTimeNs }) },
    onAmendResponse: (results, adapterTimeNs) => { take({ kind: 'amendResponse', results, adapterTimeNs }) },
    onReplaceResponse: (results, adapterTimeNs) => { take({ kind: 'replaceResponse', results, adapterTimeNs }) },
    onCancelResponse: (results, adapterTimeNs) => { take({ kind: 'cancelResponse', results, adapterTimeNs }) },
    onCancelAllResponse: (response) => {
      take({ kind: 'cancelAllResponse', response, adapterTimeNs: response.adapterTimeNs })
    },
    onOrderUpdate: (orders, adapterTimeNs) => { take({ kind: 'orderUpdate', orders, adapterTimeNs }) },
    onFill: (fills, adapterTimeNs) => { take({ kind: 'fill', fills, adapterTimeNs }) },
    onPositionUpdate: (positions, adapterTimeNs, isolatedPositions) => {
      take(isolatedPositions === undefined
        ? { kind: 'positionUpdate', positions, adapterTimeNs }
        : { kind: 'positionUpdate', positions, isolatedPositions, adapterTimeNs })
    },
    onWalletUpdate: (wallets, adapterTimeNs, totals) => {
      const { maintenanceMargin, totalBalances } = totals ?? {}
      take({
        kind: 'walletUpdate', wallets, adapterTimeNs, ...(maintenanceMargin === undefined ? {} : { maintenanceMargin }),
        ...(totalBalances === undefined ? {} : { totalBalances }),
      })
    },
    onAccountStatus: (state) => { take({ kind: 'accountStatus', state }) },
    onOrderContextResponse: (results) => { take({ kind: 'orderContextResponse', results }) },
    onFillContextResponse: (results) => { take({ kind: 'fillContextResponse', results }) },
    onRateLimitLoad: (loads, adapterTimeNs) => { take({ kind: 'rateLimitLoad', loads, adapterTimeNs }) },
    onCorporateAction: (action, adapterTimeNs) => { take({ kind: 'corporateAction', action, adapterTimeNs }) },
  }
}

/** Calls the method of a listener that a message is for. */
export function deliverTo(to: OrderEntryListener, message: ClientMessage): void {
  switch (message.kind) {
    case 'placeResponse': return to.onPlaceResponse(message.results, message.adapterTimeNs)
    case 'amendResponse': return to.onAmendResponse(message.results, message.adapterTimeNs)
    case 'replaceResponse': return to.onReplaceResponse(message.results, message.adapterTimeNs)
    case 'cancelResponse': return to.onCancelResponse(message.results, message.adapterTimeNs)
    case 'cancelAllResponse': return to.onCancelAllResponse(message.response)
    case 'orderUpdate': return to.onOrderUpdate(message.orders, message.adapterTimeNs)
    case 'fill': return to.onFill(message.fills, message.adapterTimeNs)
    case 'positionUpdate':
      return to.onPositionUpdate(message.positions, message.adapterTimeNs, message.isolatedPositions)
    case 'walletUpdate': return to.onWalletUpdate(message.wallets, message.adapterTimeNs, message)
    case 'accountStatus': return to.onAccountStatus(message.state)
    case 'orderContextResponse': return to.onOrderContextResponse?.(message.results)
    case 'fillContextResponse': return to.onFillContextResponse?.(message.results)
    case 'rateLimitLoad': return to.onRateLimitLoad?.(message.loads, message.adapterTimeNs)
    case 'corporateAction': return to.onCorporateAction?.(message.action, message.adapterTimeNs)
  }
}
