import { Amount, exactProduct } from '../model/amount.js'
import { contractValue } from '../model/contract.js'
import type { AccountNews } from './account-news.js'
import type { Account } from './accounts/account.js'
import { openLegs } from './accounts/account-position.js'
import { LOCAL_RESPONSES, type WorldAgenda } from './agenda.js'
import type { Channels } from './client-logins.js'
import type { ExchangeOrders } from './exchange-orders.js'
import type { FundingAndMargin } from './funding-and-margin.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import { markBefore, type MarkPrice } from './market/mark-price.js'
import { silentFromNs } from './market/market-silence.js'
import { expired } from './matching/order-engine.js'
import { EQUITY_ZERO, STOPPED } from './matching/stopped-account.js'
import type { Liquidation } from './risk/liquidation.js'
import type { Settlement } from './risk/settlement.js'
import { underlyingCode } from './risk/underlying-code.js'
import type { WorldConfig, WorldObserver } from './world-config.js'

/** The exchange's own actions on the money of a world, as they come due on the agenda (exchange rules 8). */
export class MoneyTasks {
  constructor(
    private readonly config: WorldConfig,
    private readonly accounts: ReadonlyMap<string, Account>,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    private readonly agenda: WorldAgenda,
    private readonly channels: Channels,
    private readonly observer: WorldObserver,
    private readonly money: FundingAndMargin,
    private readonly news: AccountNews,
    private readonly orders: ExchangeOrders,
    private readonly settlement: Settlement,
    private readonly liquidation: Liquidation,
  ) {}

  /**
   * Funding, where one is due now: value at the last mark before it * its rate, from longs to shorts where it is above
   * 0 (exchange rules 8.1).
   */
  fund(instrumentId: number, timeNs: number): void {
    this.#payFunding(instrumentId, timeNs)
    this.money.planFunding(instrumentId, timeNs, timeNs + 1)
  }

  #payFunding(instrumentId: number, timeNs: number): void {
    const market = this.markets.get(instrumentId)
    const published = market?.money.fundings.dueAt(timeNs) ?? null
    const mark = markBefore(market, timeNs) ?? this.money.mids.of(instrumentId)
    if (published === null) return
    const holders = this.money.holders(instrumentId)
    if (silentFromNs(market?.bookUnknown ?? null) < timeNs) {
      if (holders.length > 0) this.money.skipFunding(instrumentId, timeNs)
      return
    }
    if (mark === null || !this.money.hasValueAt(instrumentId, mark.price)) {
      if (holders.length > 0) this.money.unvalued.add(instrumentId)
      return
    }
    const { rate: integer, scale, digits } = published
    const rate = digits === undefined ? Amount.scaled(integer, scale) : Amount.from(digits)
    for (const account of holders) this.#fundAccount(account, instrumentId, timeNs, rate, mark)
  }

  #fundAccount(account: Account, instrumentId: number, timeNs: number, rate: Amount, { price, by }: MarkPrice): void {
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
      this.observer.money?.({
        kind: 'funding', exchangeTimeNs: timeNs, accountId: account.config.accountId, underlyingId,
        amount: gained.toFixed(), instrumentId, leg, size: quantity.toFixed(), atPrice: price.toFixed(), markedBy: by,
        rate: rate.toFixed(),
      })
    }
    this.money.oweMissing(account, instrumentId, timeNs)
    this.money.look(account, timeNs)
    this.news.sendWallets(account, timeNs, instrumentId)
  }

  /** A full hour of what an account has borrowed. */
  accrue(accountId: string, timeNs: number): void {
    const account = this.accounts.get(accountId)
    if (account === undefined || !this.money.loans.accrue(account, timeNs)) return
    this.money.lookAtEquity(account, timeNs)
    this.news.sendWallets(account, timeNs, 0)
  }

  /** A contract has ended: what is open is cancelled, every account's position in it is settled. */
  settle(instrumentId: number, timeNs: number): void {
    const entry = this.config.instruments.get(instrumentId)
    this.orders.cancelWhere(
      (order) => order.instrumentId === instrumentId, timeNs, entry === undefined ? undefined : expired({ entry }),
    )
    for (const account of this.money.holders(instrumentId)) {
      if (!this.settlement.settle(account, instrumentId, timeNs)) continue
      this.money.lookAtEquity(account, timeNs)
      const position = account.positions.get(instrumentId)
      if (position !== undefined) this.news.sendPosition(account, position.entry, timeNs)
      this.news.sendWallets(account, timeNs, instrumentId)
    }
    this.money.watch(instrumentId, timeNs)
  }

  /** Liquidates what is due of an account, and stops its clients where its equity has come to 0. */
  judge(accountId: string, timeNs: number): void {
    this.money.takeJudged(accountId)
    const account = this.accounts.get(accountId)
    if (account === undefined) return
    const closed = this.liquidation.liquidate(account, timeNs)
    for (const instrumentId of closed) this.money.watch(instrumentId, timeNs)
    if (closed.length > 0 && this.liquidation.cancelUncovered(account, timeNs))
      this.news.sendWallets(account, timeNs, 0)
    const fallen = this.money.equity.judge(account, timeNs)
    if (fallen === null) return
    const code = fallen.underlyingId === null ? 'USD' : underlyingCode(this.config.underlyings, fallen.underlyingId)
    const amount = fallen.amount.toFixed()
    this.#stopClients(accountId, `${EQUITY_ZERO}: the equity of account ${accountId} was ${amount} ${code}`, timeNs)
  }

  /**
   * Stops every client of an account: its open orders are cancelled, nothing more is taken of it on any account, and it
   * is stopped within this instant.
   */
  #stopClients(accountId: string, reason: string, timeNs: number): void {
    const clients = [...(this.channels.get(accountId)?.keys() ?? [])].filter(
      (clientId) => this.accounts.get(accountId)?.stopped.has(clientId) === false,
    )
    for (const account of this.accounts.values()) for (const clientId of clients) account.stopped.add(clientId)
    this.orders.cancelWhere((order) => clients.includes(order.clientId), timeNs, STOPPED)
    for (const clientId of clients)
      this.agenda.send(timeNs, LOCAL_RESPONSES, 0, { way: 'stop', accountId, clientId, reason })
  }
}
