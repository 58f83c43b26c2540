import { declaredDecimal, decimalFromScaled } from '../model/decimal.js'
import type { Writable } from '../model/writable.js'
import type { WorldConfig } from './world-config.js'
import type { Account, PostedFill, PostingWay } from './accounts/account.js'
import { usdText, type AccountStatements } from './accounts/account-statements.js'
import { timedMessage, type ExecutionNews, type UntimedMessage } from './fill-messages.js'
import { forcedOrder, type ForcedFill } from './matching/forced-fill.js'
import type { FundingAndMargin } from './funding-and-margin.js'
import { orderReport, type TradedInstrument } from './matching/order-engine.js'
import type { OrderIds } from './matching/order-ids.js'
import { fillOf } from './matching/order-making.js'
import type { ExchangeOrderRecord, ExecutionCause } from './market/resting-order.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { WorldObserver } from './world-observer.js'
import type { Fill } from '../venue/account-messages.js'

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
    this.#post(traded, account, order, facts, { openClose: order.openClose }, (sums) => {
      posted()
      if (order.autoRepay === true) this.#repay(traded, account, order, facts, sums)
      this.host.money.oweMissing(account, order.instrumentId, facts.timeNs)
    })
    this.host.money.executed(account, order.instrumentId, facts.timeNs)
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
    if (feeRate !== undefined) fill.usdFees = usdText(fee.times(declaredDecimal(feeRate)))
    if (rate === undefined) return
    fill.usdTurnover = usdText(value.times(declaredDecimal(rate)))
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
    const received = isBuy ? decimalFromScaled(quantity, market.quantityScale) : value
    this.host.money.loans.repay(
      account, underlyingId, feeUnderlyingId === underlyingId ? received.minus(fee) : received, timeNs,
    )
  }

  #post(
    traded: TradedInstrument, account: Account, order: ExchangeOrderRecord,
    { price, quantity, timeNs, cause }: ExecutionFacts, way: PostingWay, posted: (sums: PostedFill) => void,
  ): void {
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
  }
}
