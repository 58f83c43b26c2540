import type { OrderError } from '../model/order.js'
import type { Account } from './accounts/account.js'
import type { ExecutionHost } from './executions.js'
import type { PreTrade } from './risk/pre-trade.js'
import type { WorldConfig } from './world-config.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { InternalTask } from './risk/exchange-task.js'

/** Who asks: the client's name, its account, and the way back to it. */
export interface Requester {
  readonly clientId: string
  readonly accountId: string
  answer(exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void
}

/** The parts of its world that the handler needs. */
export interface RequestHost extends ExecutionHost {
  readonly preTrade: PreTrade
  /** Does something to orders of accounts, and sends their wallets where it changed what is blocked. */
  sendChangedWallets(accounts: readonly Account[], timeNs: number, change: () => void): void
  /** Puts a task of the exchange on the agenda, for the end of an instant. */
  plan(timeNs: number, instrumentId: number, task: InternalTask): void
  readonly config: WorldConfig
  requester(accountId: string, clientId: string): Requester | undefined
  /** An order is over: filled, cancelled or refused. */
  ended(accountId: string, ownOrderId: string): void
  /** Why a replacement is not placed though its order was cancelled, or null. */
  replaceFault(accountId: string, timeNs: number): OrderError | null
  publish(
    accountId: string, exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage,
  ): void
}
