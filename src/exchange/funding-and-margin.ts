import { Amount, exactProduct } from '../model/amount.js'
import type { AccountNews } from './account-news.js'
import type { InstrumentEntry } from '../venue/venue.js'
import { isHeld, isHolding, type Account, type PostedFill } from './accounts/account.js'
import { openLegs, type AccountPosition } from './accounts/account-position.js'
import type { PriceOf, Equity } from './accounts/account-balance-sheet.js'
import { contractValue } from '../model/contract.js'
import { EquityWatch } from './risk/equity-watch.js'
import { stopClients, type StopHost } from './action-tasks.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import { Loans } from './risk/loans.js'
import { isAnythingDue, liquidate, LIQUIDATED, cancelUncovered, type UncoveredHost } from './risk/liquidation.js'
import { EVERY_PRICE, type MoneyWatcher } from './market/market-money.js'
import { LastMids, indexOf, markBefore, markOf, type MarkPrice } from './market/mark-price.js'
import type { FundingAndMarginState, MoneyEvent } from './accounts/money-event.js'
import { awaitAverages, oweWhatIsMissing, settleAccount, type SettlementHost } from './risk/settlement.js'
import { expired } from './matching/order-engine.js'
import { NO_MONEY_DECLARED, type WorldMoney } from './accounts/world-money.js'
import type { WorldConfig, WorldObserver } from './world-config.js'
import type { InternalTask } from './risk/exchange-task.js'
import { EQUITY_ZERO } from './matching/stopped-account.js'

/** The parts of its world that funding and margin need. */
export interface MoneyHost extends StopHost {
  readonly config: WorldConfig
  readonly orders: UncoveredHost['orders']
  readonly preTrade: UncoveredHost['preTrade']
  readonly observer: WorldObserver
  /** The code of an underlying, for sentences. */
  codeOf(underlyingId: number): string
  marketOf(instrumentId: number): ExchangeMarket | undefined
  plan(timeNs: number, instrumentId: number, task: InternalTask): void
  readonly news: AccountNews
}

/**
 * The exchange's own actions on the money of a world: funding, judging of margins, liquidation. It listens to a market
 * only while an account has a position there, and to prices only where margin is declared; everything it does comes at
 * the end of an instant (exchange rules 1.3).
 */
export class FundingAndMargin {
  readonly priceOf: PriceOf = Object.assign(
    (instrumentId: number) =>
      (markOf(this.host.marketOf(instrumentId)) ?? this.mids.of(instrumentId))?.price ?? null,
    {
      indexOf: (instrumentId: number): Amount | null => indexOf(this.host.marketOf(instrumentId)),
    },
  )

  readonly #declared: WorldMoney
  readonly #watches: Map<number, MoneyWatcher> = new Map()
  readonly loans: Loans
  readonly equity: EquityWatch
  /**
   * Times of the fundings that were planned, by instrument: each is paid once, however often it is named. Those that
   * are over stay until the next is planned.
   */
  readonly #fundings: Map<number, readonly number[]> = new Map()
  /** Instruments whose end is planned. */
  readonly #expiries: Set<number> = new Set()
  /** Accounts that are to be judged at the end of this instant. */
  readonly #judged: Set<string> = new Set()
  /** Instruments whose data named a funding while a position was open. */
  readonly named: Set<number> = new Set()
  /** Instruments that had no mark price when a position changed. */
  readonly unmarked: Set<number> = new Set()
  /** Instruments of which a named funding could not be paid, as nothing ever valued their positions. */
  readonly unvalued: Set<number> = new Set()
  /** Last mids of instruments that are held and never marked. */
  readonly mids: LastMids = new LastMids()

  constructor(private readonly host: MoneyHost) {
    this.#declared = host.config.money ?? NO_MONEY_DECLARED
    this.equity = new EquityWatch(host.accounts.values(), {
      priceOf: this.priceOf, marketOf: (id) => host.marketOf(id),
      usdRateOf: (id) => this.#declared.usdRates.get(id)?.usd,
      bandsChanged: () => {
        for (const id of this.#watches.keys()) this.host.marketOf(id)?.money.bandsChanged()
      },
    })
    this.loans = new Loans({
      underlyings: host.config.underlyings, plan: (...task) => host.plan(...task), tell: (event) => this.#tell(event),
    })
    awaitAverages(
      host.accounts.values(), this.#settlement, (id) => host.config.instruments.get(id)?.instrument.exchangeCode,
    )
  }

  /**
   * Once money has moved and before anything is reported: what is missing of cash is a debt where nothing is left that
   * may stand for it.
   */
  oweMissing(account: Account, instrumentId: number, timeNs: number): void {
    if (!isHeld(account)) return
    for (const [underlyingId, cash] of account.cash)
      if (cash.sign < 0) oweWhatIsMissing(account, underlyingId, instrumentId, timeNs, this.#settlement)
  }

  /**
   * After an execution at a price, a double: what it opened is listened to, what it closed no longer, and the account's
   * margin is looked at.
   */
  executed(account: Account, instrumentId: number, price: number, posted: PostedFill, timeNs: number): void {
    const position = account.positions.get(instrumentId)
    if (position === undefined) return
    this.#follow(position, timeNs)
    // Coins that are bought or sold may be the margin of positions.
    if (account.margin !== null) this.#lookAtMargin(account, timeNs)
    if (this.equity.isDueAfterFill(account, position.contract, price, posted, timeNs))
      this.#planJudging(account, timeNs)
    this.#watchCoins(account, timeNs)
  }

  /** A position has changed: its market is listened to while anything is held. */
  #follow({ contract: { instrumentId, kind } }: AccountPosition, timeNs: number): void {
    if (kind === 'spot') return
    if (Number.isNaN(this.host.marketOf(instrumentId)?.prices.markPrice ?? NaN)) this.unmarked.add(instrumentId)
    this.#watch(instrumentId, timeNs)
  }

  /**
   * After a corporate action: what cash could not pay is a debt, what is held no more is not listened to, margin is
   * looked at.
   */
  acted(account: Account, entry: InstrumentEntry, dividendId: number | undefined, timeNs: number): void {
    const instrumentId = entry.instrument.id
    const paid = new Set([
      account.prospect(entry).contract.settlementUnderlyingId, ...(dividendId === undefined ? [] : [dividendId]),
    ])
    for (const underlyingId of paid) oweWhatIsMissing(account, underlyingId, instrumentId, timeNs, this.#settlement)
    const position = account.positions.get(instrumentId)
    if (position === undefined) return
    this.#follow(position, timeNs)
    this.#look(account, timeNs)
  }

  state(): FundingAndMarginState {
    return {
      fundings: [...this.#fundings].flatMap(([id, times]) => times.map((timeNs) => [id, timeNs] as const)),
      judged: [...this.#judged], named: [...this.named], unmarked: [...this.unmarked], unvalued: [...this.unvalued],
      mids: this.mids.state(), loans: this.loans.state(), expiries: [...this.#expiries], equity: this.equity.records(),
    }
  }

  /** Takes a state back; the accounts have been restored before. */
  restore({ fundings, judged, named, unmarked, unvalued, mids, loans, expiries, equity }: FundingAndMarginState): void {
    this.equity.restore(equity)
    this.loans.restore(loans)
    for (const [instrumentId, timeNs] of fundings)
      this.#fundings.set(instrumentId, [...(this.#fundings.get(instrumentId) ?? []), timeNs])
    for (const accountId of judged) this.#judged.add(accountId)
    const ids = [[this.#expiries, expiries], [this.named, named], [this.unmarked, unmarked], [this.unvalued, unvalued]]
    for (const [set, saved] of ids as [Set<number>, readonly number[]][]) for (const id of saved) set.add(id)
    // Once for each instrument, however many accounts hold it: of two watchers only the last would ever be taken away.
    for (const id of new Set([...this.host.accounts.values()].flatMap(({ positions }) => [...positions.keys()])))
      this.#attach(id)
    this.mids.restore(mids)
  }

  /** Listens while any account holds something there. */
  #watch(instrumentId: number, timeNs: number): void {
    const watch = this.#watches.get(instrumentId)
    const isMeant = this.#isMeant(instrumentId)
    if (!isMeant && watch !== undefined) {
      this.host.marketOf(instrumentId)?.money.unwatch(watch)
      this.#watches.delete(instrumentId)
      this.mids.forget(instrumentId)
    } else if (isMeant && watch === undefined) {
      this.#attach(instrumentId)
      this.#planFunding(instrumentId, timeNs)
      this.awaitExpiry(instrumentId, timeNs)
    }
  }

  #attach(instrumentId: number): void {
    const market = this.host.marketOf(instrumentId)
    const type = this.#typeOf(instrumentId)
    if (market === undefined || !this.#isMeant(instrumentId)) return
    const margins = [...this.host.accounts.values()].flatMap(({ margin }) => (margin === null ? [] : [margin]))
    const watch: MoneyWatcher = {
      wantsPrices: margins.length > 0 || this.equity.isNeeded,
      wantsIndex: (type === 'call' || type === 'put') && margins.some(({ shortOptions }) => shortOptions !== null),
      band: () => (margins.length > 0 ? EVERY_PRICE : this.equity.bandOf(instrumentId)),
      onFunding: (timeNs) => this.#planFunding(instrumentId, timeNs),
      onPrice: (timeNs) => { this.#priced(market, timeNs) },
    }
    this.#watches.set(instrumentId, watch)
    market.money.watch(watch)
    if (type !== 'spot') this.mids.note(market)
  }

  /** A market has another price. */
  #priced(market: ExchangeMarket, timeNs: number): void {
    for (const account of this.host.accounts.values()) {
      if (account.margin !== null && isHolding(account, market.instrumentId)) this.#lookAtMargin(account, timeNs)
      if (this.equity.isBeyond(account, market)) this.#lookAtEquity(account, timeNs)
    }
  }

  /**
   * True where a market is to be listened to: an account holds something there; coins only where an equity may come to
   * 0 with them.
   */
  #isMeant(instrumentId: number): boolean {
    return this.#typeOf(instrumentId) === 'spot' ? this.equity.follows(instrumentId) : this.#isHeldByAny(instrumentId)
  }

  #typeOf(instrumentId: number): string | undefined {
    return this.host.config.instruments.get(instrumentId)?.instrument.type
  }

  #isHeldByAny(instrumentId: number): boolean {
    for (const account of this.host.accounts.values()) if (isHolding(account, instrumentId)) return true
    return false
  }

  #holders(instrumentId: number): Account[] {
    return [...this.host.accounts.values()].filter((account) => isHolding(account, instrumentId))
  }

  /** Plans the fundings that the market has named, each time once. Coins pay none, whatever their data name. */
  #planFunding(instrumentId: number, timeNs: number): void {
    if (this.#typeOf(instrumentId) === 'spot') return
    const named = this.host.marketOf(instrumentId)?.money.named ?? []
    if (named.length > 0) this.named.add(instrumentId)
    for (const { nextFundingNs } of named) {
      const planned = this.#fundings.get(instrumentId) ?? []
      if (nextFundingNs < timeNs || planned.includes(nextFundingNs)) continue
      this.#fundings.set(instrumentId, [...planned.filter((one) => one >= timeNs), nextFundingNs])
      this.host.plan(nextFundingNs, instrumentId, { kind: 'funding', instrumentId })
    }
  }

  /** Plans the end of a contract, once: as soon as an order was taken or a position stands. */
  awaitExpiry(instrumentId: number, timeNs: number): void {
    const expiryNs = this.#declared.expiries.get(instrumentId)
    if (expiryNs === undefined || expiryNs < timeNs || this.#expiries.has(instrumentId)) return
    this.#expiries.add(instrumentId)
    this.host.plan(expiryNs, instrumentId, { kind: 'expiry', instrumentId })
  }

  /** A contract has ended: what is open is cancelled, every account's position in it is settled. */
  settle(instrumentId: number, timeNs: number): void {
    const entry = this.host.config.instruments.get(instrumentId)
    this.host.orders.cancelWhere(
      (order) => order.instrumentId === instrumentId, timeNs, entry === undefined ? undefined : expired({ entry }),
    )
    for (const account of this.#holders(instrumentId)) {
      if (!settleAccount(account, instrumentId, timeNs, { ...this.#settlement, orders: this.host.orders })) continue
      this.#lookAtEquity(account, timeNs)
      const position = account.positions.get(instrumentId)
      if (position !== undefined) this.host.news.sendPosition(account, position.entry, timeNs)
      this.host.news.sendWallets(account, timeNs, instrumentId)
    }
    this.#watch(instrumentId, timeNs)
  }

  /**
   * At the end of a run: prediction contracts whose outcome is given are settled by it, though their end was not
   * reached.
   */
  settleOutcomes(timeNs: number): void {
    for (const instrumentId of [...this.#declared.outcomes.keys()].sort((a, b) => a - b)) {
      for (const account of this.#holders(instrumentId))
        settleAccount(account, instrumentId, timeNs, { ...this.#settlement, orders: this.host.orders })
    }
  }

  /**
   * Funding: value at the last mark before it * the last rate that named it before, from longs to shorts where it is
   * above 0 (exchange rules 8.1).
   */
  fund(instrumentId: number, timeNs: number): void {
    const market = this.host.marketOf(instrumentId)
    const published = market?.money.rateFor(timeNs) ?? null
    const mark = markBefore(market, timeNs) ?? this.mids.of(instrumentId)
    if (published === null) return
    if (mark === null) {
      if (this.#isHeldByAny(instrumentId)) this.unvalued.add(instrumentId)
      return
    }
    const rate = Amount.scaled(published.rate, published.scale)
    for (const account of this.#holders(instrumentId)) this.#fundAccount(account, instrumentId, timeNs, rate, mark)
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
      this.#tell({
        kind: 'funding', exchangeTimeNs: timeNs, accountId: account.config.accountId, underlyingId,
        amount: gained.toFixed(), instrumentId, leg, size: quantity.toFixed(), atPrice: price.toFixed(), markedBy: by,
        rate: rate.toFixed(),
      })
    }
    this.oweMissing(account, instrumentId, timeNs)
    this.#look(account, timeNs)
    this.host.news.sendWallets(account, timeNs, instrumentId)
  }

  /** True where anything of an account is due now; what is, is done at the end of the instant. */
  #look(account: Account, timeNs: number): void {
    if (account.margin !== null) this.#lookAtMargin(account, timeNs)
    this.#lookAtEquity(account, timeNs)
  }

  #lookAtMargin(account: Account, timeNs: number): void {
    if (!this.#judged.has(account.config.accountId) && isAnythingDue(account, this.priceOf))
      this.#planJudging(account, timeNs)
  }

  #lookAtEquity(account: Account, timeNs: number): void {
    if (this.equity.isDue(account, timeNs)) this.#planJudging(account, timeNs)
    this.#watchCoins(account, timeNs)
  }

  #watchCoins(account: Account, timeNs: number): void {
    for (const [instrumentId, { contract }] of account.positions)
      if (contract.kind === 'spot') this.#watch(instrumentId, timeNs)
  }

  #planJudging({ config: { accountId } }: Account, timeNs: number): void {
    if (this.#judged.has(accountId)) return
    this.#judged.add(accountId)
    this.host.plan(timeNs, 0, { kind: 'judge', accountId })
  }

  /** A full hour of what an account has borrowed. */
  accrue(accountId: string, timeNs: number): void {
    const account = this.host.accounts.get(accountId)
    if (account === undefined || !this.loans.accrue(account, timeNs)) return
    this.#lookAtEquity(account, timeNs)
    this.host.news.sendWallets(account, timeNs, 0)
  }

  /** Liquidates what is due of an account, and stops its clients where its equity has come to 0. */
  judge(accountId: string, timeNs: number): void {
    this.#judged.delete(accountId)
    const account = this.host.accounts.get(accountId)
    if (account === undefined) return
    const { orders, preTrade } = this.host
    const entryOf = (id: number): InstrumentEntry | undefined => this.host.config.instruments.get(id)
    const closed = liquidate(account, timeNs, {
      priceOf: this.priceOf, orders, entryOf, tell: (event) => this.#tell(event),
    })
    for (const instrumentId of closed) this.#watch(instrumentId, timeNs)
    if (closed.length > 0 && cancelUncovered(account, timeNs, LIQUIDATED, { orders, preTrade, entryOf }))
      this.host.news.sendWallets(account, timeNs, 0)
    const fallen = this.equity.judge(account, timeNs)
    if (fallen !== null) stopClients(accountId, this.#stopReason(accountId, fallen), timeNs, this.host)
  }

  #stopReason(accountId: string, { amount, underlyingId }: Equity): string {
    const code = underlyingId === null ? 'USD' : this.host.codeOf(underlyingId)
    return `${EQUITY_ZERO}: the equity of account ${accountId} was ${amount.toFixed()} ${code}`
  }

  get #settlement(): Omit<SettlementHost, 'orders'> {
    return {
      declared: this.#declared, marketOf: (id) => this.host.marketOf(id), lastMidOf: (id) => this.mids.of(id),
      tell: (event) => this.#tell(event),
    }
  }

  #tell(event: MoneyEvent): void {
    this.host.observer.money?.(event)
  }
}
