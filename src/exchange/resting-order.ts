import type { Context, OpenClose, OrderState, OrderType, Owner, TimeInForce } from '../model/order.js'
import type { Side } from '../model/side.js'

/**
 * An order as the exchange side holds it: plain data. Prices and quantities are integers at the market's scales (which only
 * grow); the account turns them into the instrument's own scales where messages are made.
 */
export interface ExchangeOrderRecord {
  readonly accountId: string
  readonly clientId: string
  readonly ownOrderId: string
  clientOrderId: string
  readonly exchangeOrderId: string
  readonly instrumentId: number
  readonly type: OrderType
  readonly side: Side
  readonly timeInForce: TimeInForce
  price: number | null
  totalQuantity: number
  executedQuantity: number
  readonly postOnly: boolean
  state: OrderState
  /** Public quantity at its price that is served before it; NaN while unknown (exchange rules 3.1). */
  quantityAhead: number
  /** `quantityAhead` when it came to rest; NaN where it never did, or unknown. */
  entryQuantityAhead: number
  /** What public trades took at its price since the level last changed: part of the next change (exchange rules 3.3). */
  tradedSince: number
  /** Whether a blind period touched it (exchange rules 6.1). */
  touchedByGap: boolean
  context?: Context
  readonly owner?: Owner
  readonly openClose?: OpenClose
  readonly walletType?: string
}

/** The name of an order in its world: own ids are their account's, two accounts may use the same. */
export function orderKey(accountId: string, ownOrderId: string): string {
  return `${accountId.length} ${accountId} ${ownOrderId}`
}

/** What is still open of an order. */
export function remainingQuantity(order: ExchangeOrderRecord): number {
  return order.totalQuantity - order.executedQuantity
}

/** Why an execution happened: a public trade, an opposite level shown, our own aggression, the end of a gap. */
export type ExecutionCause = 'trade' | 'shown' | 'aggression' | 'gap'

/** Hears of every execution, in order. The order's executed quantity includes it already. */
export interface ExecutionSink {
  execute(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void
}
