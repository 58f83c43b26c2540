import type { Account } from '../exchange/accounts/account.js'
import type { WorldMoney } from '../exchange/accounts/world-money.js'
import type { WorldHalt } from '../exchange/world-config.js'
import type { PlannedAction } from '../exchange/accounts/corporate-actions.js'
import type { Amount } from '../model/amount.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'

/**
 * The part of a world that its records and its summary are made of: the simulated exchange has it, and so has a run
 * over sockets, by its messages.
 */
export interface RecordedWorld {
  /** By account id. */
  readonly accounts: ReadonlyMap<string, Account>
  readonly config: {
    readonly money?: Pick<WorldMoney, 'usdRates'>
    readonly corporateActions?: readonly PlannedAction[]
  }
  /** The gap that ended it; null for none. */
  readonly halt: WorldHalt | null
  readonly orders: { openOrders(): Iterable<OrderAtExchange> }
  readonly money: {
    /** False where an inverse contract has a price of 0 or below. */
    hasValueAt(instrumentId: number, price: Amount): boolean
    /** Last mids of what is held, where the exchange knows them before its clients. */
    readonly mids: { of(instrumentId: number): { readonly price: Amount } | null }
  }
  /** The market of an instrument at the exchange. */
  marketOf(instrumentId: number): { readonly isCrossed: boolean } | undefined
  /** An instrument that was traded: the scale of quantities in its queues. */
  traded(instrumentId: number): { readonly market: { readonly quantityScale: number } } | null
}
