import type { OrderError } from '../model/order.js'
import type { Account } from './accounts/account.js'
import type { ExecutionHost, Send } from './executions.js'
import type { ExchangeOrderRecord } from './market/resting-order.js'
import type { TradedInstrument } from './matching/order-engine.js'
import type { PreTrade } from './risk/pre-trade.js'

/** Money behind the orders of a world: checks before an order, loans that it takes, and what it pays back of them. */
export class OrderMoney {
  constructor(private readonly world: ExecutionHost & { readonly preTrade: PreTrade }, private readonly tell: Send) {}

  /**
   * The error of an order that the account cannot stand for, or null; what the order borrows has been borrowed then.
   * `without` is the order that it takes the place of.
   */
  refusal(
    account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number,
    without?: ExchangeOrderRecord,
  ): OrderError | null {
    const { error, shortage } = this.world.preTrade.judge(account, traded, order, without)
    if (shortage === null) return error
    const refusal = this.world.money.loans.borrowFor(without ?? order, account, shortage, timeNs)
    if (refusal === null) this.sendWallets(account, order, timeNs)
    return refusal
  }

  /** An order that ended without its execution pays back what it borrowed and did not need (exchange rules 8). */
  repayUnused(order: ExchangeOrderRecord, timeNs: number): void {
    const { loan } = order
    const account = this.world.accounts.get(order.accountId)
    if (account === undefined || loan === undefined) return
    const unused = this.world.preTrade.unused(account, order, loan.underlyingId)
    if (this.world.money.loans.repayUnused(loan, account, unused, timeNs)) this.sendWallets(account, order, timeNs)
  }

  private sendWallets(account: Account, order: ExchangeOrderRecord, timeNs: number): void {
    const statement = this.world.statementsOf(account).walletStatement(timeNs)
    this.tell(order, timeNs, (adapterTimeNs) => ({ kind: 'walletUpdate', ...statement, adapterTimeNs }))
  }
}
