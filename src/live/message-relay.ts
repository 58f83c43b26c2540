import type { OrderEntryListener } from '../venue/venue.js'
import type { ClientMessage } from '../venue/order-messages.js'

/** A listener that hands every message on as plain data, in the order of the wire. */
export function messageRelay(onMessage: (message: ClientMessage) => void): Required<OrderEntryListener> {
  return {
    onPlaceResponse: (results, adapterTimeNs) => { onMessage({ kind: 'placeResponse', results, adapterTimeNs }) },
    onAmendResponse: (results, adapterTimeNs) => { onMessage({ kind: 'amendResponse', results, adapterTimeNs }) },
    onReplaceResponse: (results, adapterTimeNs) => { onMessage({ kind: 'replaceResponse', results, adapterTimeNs }) },
    onCancelResponse: (results, adapterTimeNs) => { onMessage({ kind: 'cancelResponse', results, adapterTimeNs }) },
    onCancelAllResponse: (response) => {
      onMessage({ kind: 'cancelAllResponse', response, adapterTimeNs: response.adapterTimeNs })
    },
    onOrderUpdate: (orders, adapterTimeNs) => { onMessage({ kind: 'orderUpdate', orders, adapterTimeNs }) },
    onFill: (fills, adapterTimeNs) => { onMessage({ kind: 'fill', fills, adapterTimeNs }) },
    onPositionUpdate: (positions, adapterTimeNs, isolatedPositions) => {
      const isolated = isolatedPositions === undefined ? {} : { isolatedPositions }
      onMessage({ kind: 'positionUpdate', positions, ...isolated, adapterTimeNs })
    },
    onWalletUpdate: (wallets, adapterTimeNs, totals) => {
      onMessage({ kind: 'walletUpdate', wallets, ...totalsOf(totals), adapterTimeNs })
    },
    onAccountStatus: (state) => { onMessage({ kind: 'accountStatus', state }) },
    onOrderContextResponse: (results) => { onMessage({ kind: 'orderContextResponse', results }) },
    onFillContextResponse: (results) => { onMessage({ kind: 'fillContextResponse', results }) },
    onRateLimitLoad: (loads, adapterTimeNs) => { onMessage({ kind: 'rateLimitLoad', loads, adapterTimeNs }) },
    onCorporateAction: (action, adapterTimeNs) => { onMessage({ kind: 'corporateAction', action, adapterTimeNs }) },
  }
}

type Totals = Parameters<OrderEntryListener['onWalletUpdate']>[2]

/** The sums in USD, as far as they were stated. */
function totalsOf(totals: Totals): NonNullable<Totals> {
  const { maintenanceMargin, totalBalances } = totals ?? {}
  return {
    ...(maintenanceMargin === undefined ? {} : { maintenanceMargin }),
    ...(totalBalances === undefined ? {} : { totalBalances }),
  }
}
