import { Amount, declaredAmount } from '../model/amount.js'
import { QUOTIENT_DECIMALS } from '../model/decimal.js'
import type { Writable } from '../model/writable.js'
import type { WorldConfig, WorldObserver } from './world-config.js'
import type { Account, PostedFill, PostingWay } from './accounts/account.js'
import type { WorldMoney } from './accounts/world-money.js'
import type { AccountNews } from './account-news.js'
import type { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import type { FaultPlan } from './adapter/fault-plan.js'
import { EXCHANGE_INTERNAL, type WorldAgenda } from './agenda.js'
import type { Outbox } from './outbox.js'
import type { Loans } from './risk/loans.js'
import {
  addExecution, messagePolicyOf, PROMPT_MESSAGES, type LateFill, type MessagePolicy,
} from './fill-messages.js'
import { forcedOrder, fillOf, type ForcedFill } from './matching/order-making.js'
import type { FundingAndMargin } from './funding-and-margin.js'
import { holdQuantity, orderReport, type TradedInstrument } from './matching/order-engine.js'
import type { OrderIds } from './matching/order-ids.js'
import type { ExecutionCause } from './market/resting-order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import { NO_ORIGIN } from '../orders/message-origin.js'
import { OrderTable } from '../orders/order-table.js'
import { RowStore } from '../rows/row-store.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { Fill } from '../venue/account-messages.js'
import type { EntryError } from '../model/order.js'
import type { PreTrade } from './risk/pre-trade.js'

/** The facts of an execution, at the market's scales. */
export interface ExecutionFacts {
  readonly price: number
  readonly quantity: number
  readonly timeNs: number
  readonly cause: ExecutionCause
}

/** The parts of their world that executions need. */
export interface ExecutionParts {
  readonly config: WorldConfig
  readonly adapters: ReadonlyMap<string, AdapterOrderIndex>
  readonly faults: FaultPlan
  readonly agenda: WorldAgenda
  readonly outbox: Outbox
  readonly news: AccountNews
  readonly money: FundingAndMargin
  readonly ids: OrderIds
  readonly observer: WorldObserver
  readonly table: OrderTable
}

/** Posts executions and says what they did: position, fill, order update, wallets (exchange rules 5.1). */
export class Executions {
  readonly #policies: Map<string, MessagePolicy> = new Map()
  /** Messages of the execution at hand. */
  readonly #now: ClientMessage[] = []
  readonly #later: LateFill[] = []
  /** Orders that the exchange makes itself, one at a time. */
  readonly #forced: OrderTable = new OrderTable(new RowStore(false))

  constructor(private readonly parts: ExecutionParts) {
    for (const [accountId, { profile }] of parts.adapters)
      this.#policies.set(accountId, messagePolicyOf(profile.messages))
  }

  /** Posts an execution; what it brings in goes into the loans of its order. {@link say} says it. */
  post(traded: TradedInstrument, account: Account, order: OrderAtExchange, facts: ExecutionFacts): PostedFill {
    const sums = this.#post(traded, account, order, facts, { openClose: order.openClose })
    if (order.autoRepay === true) this.#repay(traded, account, order, facts, sums)
    return sums
  }

  /** A fill that the exchange forces on an account; it has no order that anybody sent, and its type is OTHER. */
  force(traded: TradedInstrument, account: Account, fill: ForcedFill, posted: (sums: PostedFill) => void): void {
    holdQuantity(traded, fill.quantity)
    const order = forcedOrder(account.config.accountId, traded, fill, this.#forced)
    const { leg, feeRate, timeNs } = fill
    const facts: ExecutionFacts = {
      price: fill.price * traded.priceFactor, quantity: order.totalQuantity, timeNs, cause: 'forced',
    }
    const sums = this.#post(traded, account, order, facts, { leg, ...(feeRate === undefined ? {} : { feeRate }) })
    posted(sums)
    this.say(traded, account, order, facts, sums)
    this.#forced.rows.release(order.row)
  }

  #post(
    { entry, market: { priceScale, quantityScale } }: TradedInstrument, account: Account, order: OrderAtExchange,
    { price, quantity, cause }: ExecutionFacts, way: PostingWay,
  ): PostedFill {
    return account.post(entry, order.side, { price, priceScale, quantity, quantityScale }, isMaker(cause), way)
  }

  /** Says what a posted execution did. */
  say(
    traded: TradedInstrument, account: Account, order: OrderAtExchange,
    { price, quantity, timeNs, cause }: ExecutionFacts, sums: PostedFill,
  ): void {
    const { entry, market: { quantityScale } } = traded
    const { config, observer, news, ids, adapters, agenda, outbox, table } = this.parts
    const { accountId, instrumentId } = order
    const statements = news.of(account)
    const fill = fillOf({ traded, order, price, quantity, timeNs, isMaker: isMaker(cause), fees: sums, ids })
    addUsd(fill, config.money?.usdRates, account.positionIn(entry).contract.settlementUnderlyingId, sums)
    const isForced = cause === 'forced'
    if (isForced) fill.type = 'OTHER'
    order.report(timeNs)
    const report = isForced ? null : orderReport(traded, order, timeNs)
    const position = statements.position(entry, timeNs)
    const wallets = statements.walletStatement(timeNs)
    const row = table.fills.add(order, fill, sums, cause, isForced, entry)
    if (!table.isRecorded) table.fills.rows.release(row)
    observer.filled?.(order, fill, sums, cause, row)
    if (report !== null) observer.changed?.(order, report, quantityScale)
    adapters.get(accountId)?.filled(fill.ownFillId)
    const now = this.#now
    addExecution({ position, fill, report, wallets }, this.#policyAt(accountId, timeNs), now, this.#later)
    const origin = { rows: [row], sentNs: NaN }
    for (let i = 0; i < now.length; i++) {
      const message = now[i] as ClientMessage
      outbox.publish(accountId, timeNs, instrumentId, message, message.kind === 'fill' ? origin : NO_ORIGIN)
    }
    while (now.length > 0) now.pop()
    if (this.#later.length === 0) return
    for (const { delayNs, fill: late } of this.#later.splice(0)) {
      const message = { way: 'late', accountId, instrumentId, fill: late, row } as const
      agenda.send(timeNs + delayNs, EXCHANGE_INTERNAL, instrumentId, message)
    }
  }

  /** The way in which an account receives its executions, as its profile and the faults have it. */
  #policyAt(accountId: string, timeNs: number): MessagePolicy {
    const policy = this.#policies.get(accountId) ?? PROMPT_MESSAGES
    const fillDelayNs = this.parts.faults.active('fills', accountId, timeNs)?.delayNs ?? 0
    return fillDelayNs === 0 ? policy : { ...policy, fillDelayNs }
  }

  /** The proceeds of a spot fill, less its fee where that was taken of the same, go into loans of it. */
  #repay(
    { entry, market }: TradedInstrument, account: Account, order: OrderAtExchange,
    { quantity, timeNs }: ExecutionFacts, { value, fee, feeUnderlyingId }: PostedFill,
  ): void {
    const { contract } = account.positionIn(entry)
    const isBuy = order.side === 'BID'
    const underlyingId = isBuy
      ? (contract.baseUnderlyingId ?? contract.settlementUnderlyingId)
      : contract.settlementUnderlyingId
    const received = isBuy ? Amount.scaled(quantity, market.quantityScale) : value
    this.parts.money.loans.repay(
      account, underlyingId, feeUnderlyingId === underlyingId ? received.minus(fee) : received, timeNs,
    )
  }
}

/** True where an execution adds liquidity. */
function isMaker(cause: ExecutionCause): boolean {
  return cause !== 'aggression' && cause !== 'forced'
}

/** An amount in USD by a declared rate, half-even to 18 decimals. */
function inUsd(amount: Amount, rate: string): Amount {
  return amount.times(declaredAmount(rate)).rounded(QUOTIENT_DECIMALS)
}

/** A fill published again with other fees: their value in USD is theirs, and absent where nobody declared a rate. */
export function correctedFill({ usdFees: _, ...fill }: Fill, fees: string, { money }: WorldConfig): Fill {
  const rate = money?.usdRates.get(fill.feeUnderlyingId)?.usd
  const usdFees = rate === undefined ? {} : { usdFees: inUsd(Amount.from(fees), rate) }
  return { ...fill, fees, ...usdFees, update: true }
}

/** Says what a fill is worth in USD by declared rates; a field whose rate nobody declared is absent. */
function addUsd(
  fill: Writable<Fill>, rates: WorldMoney['usdRates'] | undefined, underlyingId: number,
  { value, fee, feeUnderlyingId }: PostedFill,
): void {
  const rate = rates?.get(underlyingId)?.usd
  const feeRate = rates?.get(feeUnderlyingId)?.usd
  if (feeRate !== undefined) fill.usdFees = inUsd(fee, feeRate)
  if (rate === undefined) return
  fill.usdTurnover = inUsd(value, rate)
  fill.fxRate = rate
}

/** Money behind the orders of a world: checks before an order, loans that it takes, and what it pays back of them. */
export class OrderMoney {
  constructor(
    private readonly accounts: ReadonlyMap<string, Account>,
    private readonly preTrade: PreTrade,
    private readonly loans: Loans,
    private readonly news: AccountNews,
  ) {}

  /**
   * The error of an order that the account cannot stand for, or null; what the order borrows has been borrowed then.
   * `without` is the order that it takes the place of.
   */
  refusal(
    account: Account, traded: TradedInstrument, order: OrderAtExchange, timeNs: number,
    without?: OrderAtExchange,
  ): EntryError | null {
    const { error, shortage } = this.preTrade.judge(account, traded, order, without)
    if (shortage === null) return error
    const refusal = this.loans.borrowFor(without ?? order, account, shortage, timeNs)
    if (refusal === null) this.news.sendWallets(account, timeNs, order.instrumentId)
    return refusal
  }

  /** An order that ended without its execution pays back what it borrowed and did not need (exchange rules 8). */
  repayUnused(order: OrderAtExchange, timeNs: number): void {
    const { loan } = order
    const account = this.accounts.get(order.accountId)
    if (account === undefined || loan === undefined) return
    const unused = this.preTrade.unused(account, order, loan.underlyingId)
    if (this.loans.repayUnused(loan, account, unused, timeNs))
      this.news.sendWallets(account, timeNs, order.instrumentId)
  }
}
