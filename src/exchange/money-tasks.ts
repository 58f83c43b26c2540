import { Amount, exactProduct } from '../model/amount.js'
import { contractValue } from '../model/contract.js'
import type { AccountNews } from './account-news.js'
import type { Account } from './accounts/account.js'
import { openLegs } from './accounts/account-position.js'
import { NO_MONEY_DECLARED } from './accounts/world-money.js'
import { LOCAL_RESPONSES } from './agenda.js'
import type { Channels } from './client-logins.js'
import type { ExchangeOrders } from './exchange-orders.js'
import type { FundingAndMargin, MoneyParts } from './funding-and-margin.js'
import { markBefore, type MarkPrice } from './market/mark-price.js'
import { expired } from './matching/order-engine.js'
import { EQUITY_ZERO, STOPPED } from './matching/stopped-account.js'
import type { OpenOrders } from './open-orders.js'
import { Liquidation } from './risk/liquidation.js'
import type { PreTrade } from './risk/pre-trade.js'
import { Settlement } from './risk/settlement.js'
import { underlyingCode } from './risk/underlying-code.js'

/** The parts of a world that the exchange's own actions on money change. */
export interface MoneyTaskParts extends MoneyParts {
  readonly money: FundingAndMargin
  readonly news: AccountNews
  readonly open: OpenOrders
  readonly orders: ExchangeOrders
  readonly preTrade: PreTrade
  readonly channels: Channels
}

/** The exchange's own actions on the money of a world, as they come due on the agenda (exchange rules 8). */
export class MoneyTasks {
  readonly #settlement: Settlement
  readonly #liquidation: Liquidation

  constructor(private readonly parts: MoneyTaskParts) {
    const { config: { money: declared = NO_MONEY_DECLARED, instruments }, money: { mids, priceOf } } = parts
    this.#settlement = new Settlement({ ...parts, instruments, declared, mids })
    this.#liquidation = new Liquidation({ ...parts, instruments, priceOf })
  }

  /**
   * Funding: value at the last mark before it * the last rate that named it before, from longs to shorts where it is
   * above 0 (exchange rules 8.1).
   */
  fund(instrumentId: number, timeNs: number): void {
    const { markets, money } = this.parts
    const market = markets.get(instrumentId)
    const published = market?.money.rateFor(timeNs) ?? null
    const mark = markBefore(market, timeNs) ?? money.mids.of(instrumentId)
    if (published === null) return
    const holders = money.holders(instrumentId)
    if (mark === null) {
      if (holders.length > 0) money.unvalued.add(instrumentId)
      return
    }
    const rate = Amount.scaled(published.rate, published.scale)
    for (const account of holders) this.#fundAccount(account, instrumentId, timeNs, rate, mark)
  }

  #fundAccount(account: Account, instrumentId: number, timeNs: number, rate: Amount, { price, by }: MarkPrice): void {
    const { money, news, observer } = this.parts
    const position = account.positions.get(instrumentId)
    if (position === undefined) return
    const { contract } = position
    const underlyingId = contract.settlementUnderlyingId
    for (const [leg, held] of openLegs(position)) {
      const { quantity } = held.sums
      const paid = exactProduct(contractValue(contract, quantity.abs(), price), rate, 'funding')
      const gained = quantity.sign > 0 ? paid.negated() : paid
      account.flow(underlyingId, gained)
      // An isolated position stands for itself: its funding is its own.
      if (account.margin?.isIsolated(leg) === true) held.margin = held.margin.plus(gained)
      observer.money?.({
        kind: 'funding', exchangeTimeNs: timeNs, accountId: account.config.accountId, underlyingId,
        amount: gained.toFixed(), instrumentId, leg, size: quantity.toFixed(), atPrice: price.toFixed(), markedBy: by,
        rate: rate.toFixed(),
      })
    }
    money.oweMissing(account, instrumentId, timeNs)
    money.look(account, timeNs)
    news.sendWallets(account, timeNs, instrumentId)
  }

  /** A full hour of what an account has borrowed. */
  accrue(accountId: string, timeNs: number): void {
    const { accounts, money, news } = this.parts
    const account = accounts.get(accountId)
    if (account === undefined || !money.loans.accrue(account, timeNs)) return
    money.lookAtEquity(account, timeNs)
    news.sendWallets(account, timeNs, 0)
  }

  /** A contract has ended: what is open is cancelled, every account's position in it is settled. */
  settle(instrumentId: number, timeNs: number): void {
    const { config, money, news, orders } = this.parts
    const entry = config.instruments.get(instrumentId)
    orders.cancelWhere(
      (order) => order.instrumentId === instrumentId, timeNs, entry === undefined ? undefined : expired({ entry }),
    )
    for (const account of money.holders(instrumentId)) {
      if (!this.#settlement.settle(account, instrumentId, timeNs)) continue
      money.lookAtEquity(account, timeNs)
      const position = account.positions.get(instrumentId)
      if (position !== undefined) news.sendPosition(account, position.entry, timeNs)
      news.sendWallets(account, timeNs, instrumentId)
    }
    money.watch(instrumentId, timeNs)
  }

  /**
   * At the end of a run: prediction contracts whose outcome is given are settled by it, though their end was not
   * reached.
   */
  settleOutcomes(timeNs: number): void {
    const outcomes = this.parts.config.money?.outcomes.keys() ?? []
    for (const instrumentId of [...outcomes].sort((a, b) => a - b)) {
      for (const account of this.parts.money.holders(instrumentId))
        this.#settlement.settle(account, instrumentId, timeNs)
    }
  }

  /** Liquidates what is due of an account, and stops its clients where its equity has come to 0. */
  judge(accountId: string, timeNs: number): void {
    const { accounts, config, money, news } = this.parts
    money.takeJudged(accountId)
    const account = accounts.get(accountId)
    if (account === undefined) return
    const closed = this.#liquidation.liquidate(account, timeNs)
    for (const instrumentId of closed) money.watch(instrumentId, timeNs)
    if (closed.length > 0 && this.#liquidation.cancelUncovered(account, timeNs)) news.sendWallets(account, timeNs, 0)
    const fallen = money.equity.judge(account, timeNs)
    if (fallen === null) return
    const code = fallen.underlyingId === null ? 'USD' : underlyingCode(config.underlyings, fallen.underlyingId)
    const amount = fallen.amount.toFixed()
    this.#stopClients(accountId, `${EQUITY_ZERO}: the equity of account ${accountId} was ${amount} ${code}`, timeNs)
  }

  /**
   * Stops every client of an account: its open orders are cancelled, nothing more is taken of it on any account, and it
   * is stopped within this instant.
   */
  #stopClients(accountId: string, reason: string, timeNs: number): void {
    const { accounts, agenda, channels, orders } = this.parts
    const clients = [...(channels.get(accountId)?.keys() ?? [])].filter(
      (clientId) => accounts.get(accountId)?.stopped.has(clientId) === false,
    )
    for (const account of accounts.values()) for (const clientId of clients) account.stopped.add(clientId)
    orders.cancelWhere((order) => clients.includes(order.clientId), timeNs, STOPPED)
    for (const clientId of clients)
      agenda.send(timeNs, LOCAL_RESPONSES, 0, { way: 'stop', accountId, clientId, reason })
  }
}
