import type { VenueProfile } from './venue-profile.js'

/**
 * The default: everything that spec 2 and 3 name is allowed, nothing is limited, nothing is liquidated.
 * `profiles/generic.json` is the same.
 */
export const GENERIC_PROFILE: VenueProfile = {
  name: 'generic',
  kind: 'generic',
  capabilities: {
    amend: true,
    replace: true,
    cancelAll: true,
    closeOnly: true,
    reduceOnly: true,
    displayQuantity: true,
    orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED'],
    timeInForces: ['GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL'],
    walletTypes: ['ACCOUNT'],
    averageEntryPrice: true,
    positionUnrealizedPnl: true,
    liquidationPrice: true,
    cashBalance: true,
    walletUnrealizedPnl: true,
    availableBorrow: true,
    retryTime: true,
    spare: true,
  },
  orders: {
    triggerReferences: ['lastTrade', 'mark', 'index'],
    defaultTrigger: 'lastTrade',
    triggersAtArrival: false,
    amendKeepsQueue: 'smallerQuantity',
    closeOnlyCancelsOthers: true,
    hiddenOrders: true,
  },
  limits: {},
  rateLimits: [],
  messages: { fillOrder: 'fillFirst' },
}
