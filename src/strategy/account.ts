import { Decimal } from '../model/decimal.js'
import type { Wallet } from '../venue/messages.js'

/** State of an account's order entry (spec 3). */
export type OrderEntryState = 'READY' | 'DEGRADED' | 'DELAYED' | 'NOT_AVAILABLE'

/** What an account asks of its runtime. */
export interface AccountActions {
  cancelAllOrders(account: Account): void
}

/** An account at one exchange, as a strategy sees it. */
export class Account {
  readonly id: string
  state: OrderEntryState = 'READY'
  readonly #actions: AccountActions
  #wallets: readonly Wallet[] = []

  constructor(id: string, actions: AccountActions) {
    this.id = id
    this.#actions = actions
  }

  /** Wallet entries as of the last wallet message. */
  get wallets(): readonly Wallet[] {
    return this.#wallets
  }

  /** Available amount of an underlying, zero where there is no wallet. */
  available(underlyingId: number): Decimal {
    return new Decimal(this.#wallets.find((wallet) => wallet.underlyingId === underlyingId)?.availableAmount ?? '0')
  }

  /** Cancels every open order of the account, other strategies' too; `onAccountCancelAllOrdersResponse` answers. */
  cancelAllOrders(): void {
    this.#actions.cancelAllOrders(this)
  }

  /** For the runtime. */
  takeWallets(wallets: readonly Wallet[]): void {
    this.#wallets = wallets
  }
}
