import { Amount, declaredAmount } from '../model/amount.js'
import { QUOTIENT_DECIMALS } from '../model/decimal.js'
import { factorBetween } from '../model/scale-factor.js'
import type { Writable } from '../model/writable.js'
import type { WorldConfig, WorldObserver } from './world-config.js'
import type { Account, PostedFill, PostingWay } from './accounts/account.js'
import type { AccountStatements } from './accounts/account-statements.js'
import { timedMessage, type ExecutionNews, type UntimedMessage } from './fill-messages.js'
import { forcedOrder, fillOf, type ForcedFill } from './matching/order-making.js'
import type { FundingAndMargin } from './funding-and-margin.js'
import { orderReport, type TradedInstrument } from './matching/order-engine.js'
import type { OrderIds } from './matching/order-ids.js'
import type { ExchangeOrderRecord, ExecutionCause } from './market/resting-order.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { Fill } from '../venue/account-messages.js'
import type { OrderError } from '../model/order.js'
import type { PreTrade } from './risk/pre-trade.js'
import type { InternalTask } from './risk/exchange-task.js'

/** The facts of an execution, at the market's scales. */
export interface ExecutionFacts {
  readonly price: number
  readonly quantity: number
  readonly timeNs: number
  readonly cause: ExecutionCause
}

/** The parts of their world that executions need. */
export interface ExecutionHost {
  readonly accounts: ReadonlyMap<string, Account>
  readonly observer: WorldObserver
  readonly money: FundingAndMargin
  readonly config: WorldConfig
  traded(instrumentId: number): TradedInstrument | null
  statementsOf(account: Account): AccountStatements
  /** Says what an execution did, as the account's profile and the faults have it. */
  sendExecution(
    order: ExchangeOrderRecord, news: ExecutionNews, timeNs: number, tell: (message: UntimedMessage) => void,
  ): void
}

/** Where messages of an order go: to its account's clients, after the response of the request that caused them. */
export type Send = (
  order: ExchangeOrderRecord, timeNs: number, message: (adapterTimeNs: number) => ClientMessage,
) => void

/** Posts executions and says what they did: position, fill, order update, wallets (exchange rules 5.1). */
export class Executions {

  constructor(private readonly host: ExecutionHost, private readonly ids: OrderIds, private readonly tell: Send) {}

  /** An execution of an order; `posted` is called between the ledger and the messages. */
  post(
    traded: TradedInstrument, account: Account, order: ExchangeOrderRecord, facts: ExecutionFacts, posted: () => void,
  ): void {
    const posting = this.#post(traded, account, order, facts, { openClose: order.openClose }, (sums) => {
      posted()
      if (order.autoRepay === true) this.#repay(traded, account, order, facts, sums)
      this.host.money.oweMissing(account, order.instrumentId, facts.timeNs)
    })
    const price = facts.price / factorBetween(0, traded.market.priceScale)
    this.host.money.executed(account, order.instrumentId, price, posting, facts.timeNs)
  }

  /** A fill that the exchange forces on an account; it has no order that anybody sent, and its type is OTHER. */
  force(traded: TradedInstrument, account: Account, fill: ForcedFill, posted: (sums: PostedFill) => void): void {
    const order = forcedOrder(account.config.accountId, traded, fill)
    const { leg, feeRate, timeNs } = fill
    const facts: ExecutionFacts = {
      price: fill.price * traded.priceFactor, quantity: fill.quantity * traded.quantityFactor, timeNs, cause: 'forced',
    }
    this.#post(traded, account, order, facts, { leg, ...(feeRate === undefined ? {} : { feeRate }) }, posted)
  }

  /** Says what a fill is worth in USD by declared rates; a field whose rate nobody declared is absent. */
  #addUsd(fill: Writable<Fill>, underlyingId: number, { value, fee, feeUnderlyingId }: PostedFill): void {
    const rates = this.host.config.money?.usdRates
    const rate = rates?.get(underlyingId)?.usd
    const feeRate = rates?.get(feeUnderlyingId)?.usd
    if (feeRate !== undefined) fill.usdFees = fee.times(declaredAmount(feeRate)).rounded(QUOTIENT_DECIMALS)
    if (rate === undefined) return
    fill.usdTurnover = value.times(declaredAmount(rate)).rounded(QUOTIENT_DECIMALS)
    fill.fxRate = rate
  }

  /** The proceeds of a spot fill, less its fee where that was taken of the same, go into loans of it. */
  #repay(
    { entry, market }: TradedInstrument, account: Account, order: ExchangeOrderRecord,
    { quantity, timeNs }: ExecutionFacts, { value, fee, feeUnderlyingId }: PostedFill,
  ): void {
    const { contract } = account.positionIn(entry)
    const isBuy = order.side === 'BID'
    const underlyingId = isBuy
      ? (contract.baseUnderlyingId ?? contract.settlementUnderlyingId)
      : contract.settlementUnderlyingId
    const received = isBuy ? Amount.scaled(quantity, market.quantityScale) : value
    this.host.money.loans.repay(
      account, underlyingId, feeUnderlyingId === underlyingId ? received.minus(fee) : received, timeNs,
    )
  }

  #post(
    traded: TradedInstrument, account: Account, order: ExchangeOrderRecord,
    { price, quantity, timeNs, cause }: ExecutionFacts, way: PostingWay, posted: (sums: PostedFill) => void,
  ): PostedFill {
    const { entry, market } = traded
    const { observer } = this.host
    const isMaker = cause !== 'aggression' && cause !== 'forced'
    const sums = account.post(
      entry, order.side, { price, priceScale: market.priceScale, quantity, quantityScale: market.quantityScale },
      isMaker, way,
    )
    posted(sums)
    const statements = this.host.statementsOf(account)
    const fill = fillOf({ traded, order, price, quantity, timeNs, isMaker, fees: sums, ids: this.ids })
    this.#addUsd(fill, account.positionIn(entry).contract.settlementUnderlyingId, sums)
    if (cause === 'forced') fill.type = 'OTHER'
    const report = orderReport(traded, order, timeNs)
    const position = statements.position(entry, timeNs)
    const wallets = statements.walletStatement(timeNs)
    observer.filled?.(order, fill, sums, cause)
    if (cause !== 'forced') observer.changed?.(order, report, traded.quantityFactor)
    this.host.sendExecution(
      order,
      { position, fill, report: cause === 'forced' ? null : report, wallets },
      timeNs,
      (message) => {
        this.tell(order, timeNs, (adapterTimeNs) => timedMessage(message, adapterTimeNs))
      },
    )
    return sums
  }
}

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
