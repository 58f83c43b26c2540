import type { Amount } from '../model/amount.js'
import { isValuedAt } from '../model/contract.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { WorldAgenda } from './agenda.js'
import { isHeld, isHolding, type Account, type PostedFill } from './accounts/account.js'
import type { AccountPosition } from './accounts/account-position.js'
import type { PriceOf } from './accounts/account-balance-sheet.js'
import { EquityWatch } from './risk/equity-watch.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import { Loans } from './risk/loans.js'
import { isAnythingDue } from './risk/liquidation.js'
import { EVERY_PRICE, type MoneyWatcher } from './market/market-money.js'
import { LastMids, indexOf, markOf } from './market/mark-price.js'
import type { FundingAndMarginState, UnpaidFundings } from './accounts/money-event.js'
import { oweWhatIsMissing } from './risk/settlement.js'
import { NO_MONEY_DECLARED, type WorldMoney } from './accounts/world-money.js'
import type { WorldConfig, WorldObserver } from './world-config.js'

/**
 * Watches the money of a world: what funding, margins, equity and ends of contracts ask for is planned for the end of
 * an instant (exchange rules 1.3), where `MoneyTasks` does it. It listens to a market only while an account has a
 * position there, and to prices only where margin is declared.
 */
export class FundingAndMargin {
  readonly priceOf: PriceOf = Object.assign(
    (instrumentId: number) => {
      const price = (markOf(this.markets.get(instrumentId)) ?? this.mids.of(instrumentId))?.price ?? null
      return price !== null && this.hasValueAt(instrumentId, price) ? price : null
    },
    {
      indexOf: (instrumentId: number): Amount | null => indexOf(this.markets.get(instrumentId)),
    },
  )

  readonly #declared: WorldMoney
  readonly #watches: Map<number, MoneyWatcher> = new Map()
  readonly loans: Loans
  readonly equity: EquityWatch
  /**
   * Times at which fundings are looked at, by instrument: each once, however often it is named. Those that are over
   * stay until the next is planned.
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
  /** Fundings of open positions that were not paid, as the data were silent at their time. */
  readonly unpaid: Map<number, UnpaidFundings> = new Map()
  /** Last mids of instruments that are held and never marked. */
  readonly mids: LastMids = new LastMids()

  constructor(
    private readonly config: WorldConfig,
    private readonly accounts: ReadonlyMap<string, Account>,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    private readonly agenda: WorldAgenda,
    private readonly observer: WorldObserver,
  ) {
    this.#declared = config.money ?? NO_MONEY_DECLARED
    this.equity = new EquityWatch(
      accounts.values(), this.priceOf, markets, (id) => this.#declared.usdRates.get(id)?.usd,
    )
    this.loans = new Loans(config.underlyings, agenda, observer)
  }

  /**
   * Once money has moved and before anything is reported: what is missing of cash is a debt where nothing is left that
   * may stand for it.
   */
  oweMissing(account: Account, instrumentId: number, timeNs: number): void {
    if (!isHeld(account)) return
    for (const [underlyingId, cash] of account.cash)
      if (cash.sign < 0) oweWhatIsMissing(account, underlyingId, instrumentId, timeNs, this.observer)
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
    if (Number.isNaN(this.markets.get(instrumentId)?.prices.markPrice ?? NaN)) this.unmarked.add(instrumentId)
    this.watch(instrumentId, timeNs)
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
    for (const underlyingId of paid) oweWhatIsMissing(account, underlyingId, instrumentId, timeNs, this.observer)
    const position = account.positions.get(instrumentId)
    if (position === undefined) return
    this.#follow(position, timeNs)
    this.look(account, timeNs)
  }

  state(): FundingAndMarginState {
    return {
      fundings: [...this.#fundings].flatMap(([id, times]) => times.map((timeNs) => [id, timeNs] as const)),
      judged: [...this.#judged], named: [...this.named], unmarked: [...this.unmarked], unvalued: [...this.unvalued],
      unpaid: [...this.unpaid], mids: this.mids.state(), loans: this.loans.state(), expiries: [...this.#expiries],
      equity: this.equity.records(),
    }
  }

  /** Takes a state back; the accounts have been restored before. */
  restore(state: FundingAndMarginState): void {
    const { fundings, judged, named, unmarked, unvalued, unpaid, mids, loans, expiries, equity } = state
    this.equity.restore(equity)
    this.loans.restore(loans)
    for (const [instrumentId, timeNs] of fundings)
      this.#fundings.set(instrumentId, [...(this.#fundings.get(instrumentId) ?? []), timeNs])
    for (const accountId of judged) this.#judged.add(accountId)
    for (const [instrumentId, skipped] of unpaid) this.unpaid.set(instrumentId, skipped)
    const ids = [[this.#expiries, expiries], [this.named, named], [this.unmarked, unmarked], [this.unvalued, unvalued]]
    for (const [set, saved] of ids as [Set<number>, readonly number[]][]) for (const id of saved) set.add(id)
    // Once for each instrument, however many accounts hold it: of two watchers only the last would ever be taken away.
    for (const id of new Set([...this.accounts.values()].flatMap(({ positions }) => [...positions.keys()])))
      this.#attach(id)
    this.mids.restore(mids)
  }

  /** Listens to a market while any account holds something there. */
  watch(instrumentId: number, timeNs: number): void {
    const watch = this.#watches.get(instrumentId)
    const isMeant = this.#isMeant(instrumentId)
    if (!isMeant && watch !== undefined) {
      this.markets.get(instrumentId)?.money.unwatch(watch)
      this.#watches.delete(instrumentId)
      this.mids.forget(instrumentId)
    } else if (isMeant && watch === undefined) {
      this.#attach(instrumentId)
      this.planFunding(instrumentId, timeNs)
      this.awaitExpiry(instrumentId, timeNs)
    }
  }

  #attach(instrumentId: number): void {
    const market = this.markets.get(instrumentId)
    const type = this.#typeOf(instrumentId)
    if (market === undefined || !this.#isMeant(instrumentId)) return
    const margins = [...this.accounts.values()].flatMap(({ margin }) => (margin === null ? [] : [margin]))
    const watch: MoneyWatcher = {
      wantsPrices: margins.length > 0 || this.equity.isNeeded,
      wantsIndex: (type === 'call' || type === 'put') && margins.some(({ shortOptions }) => shortOptions !== null),
      band: () => (margins.length > 0 ? EVERY_PRICE : this.equity.bandOf(instrumentId)),
      onFunding: (timeNs) => this.planFunding(instrumentId, timeNs),
      onPrice: (timeNs) => { this.#priced(market, timeNs) },
    }
    this.#watches.set(instrumentId, watch)
    market.money.watch(watch)
    if (type !== 'spot') this.mids.note(market)
  }

  /** A market has another price. */
  #priced(market: ExchangeMarket, timeNs: number): void {
    for (const account of this.accounts.values()) {
      if (account.margin !== null && isHolding(account, market.instrumentId)) this.#lookAtMargin(account, timeNs)
      if (this.equity.isBeyond(account, market)) this.lookAtEquity(account, timeNs)
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
    return this.config.instruments.get(instrumentId)?.instrument.type
  }

  #isHeldByAny(instrumentId: number): boolean {
    for (const account of this.accounts.values()) if (isHolding(account, instrumentId)) return true
    return false
  }

  /** False where an inverse contract has a price of 0 or below. */
  hasValueAt(instrumentId: number, price: Amount): boolean {
    const entry = this.config.instruments.get(instrumentId)
    return entry === undefined || isValuedAt(entry.instrument, price)
  }

  /** The accounts that hold something of an instrument. */
  holders(instrumentId: number): Account[] {
    return [...this.accounts.values()].filter((account) => isHolding(account, instrumentId))
  }

  /**
   * Plans a look at the first funding from a time on that the market names, unless one is planned before it: there it
   * is decided, and the next is planned. Coins pay none, whatever their data name.
   */
  planFunding(instrumentId: number, timeNs: number, fromNs: number = timeNs): void {
    if (this.#typeOf(instrumentId) === 'spot' || !this.#watches.has(instrumentId)) return
    const next = this.markets.get(instrumentId)?.money.fundings.nextFrom(fromNs) ?? null
    if (next === null) return
    this.named.add(instrumentId)
    const planned = (this.#fundings.get(instrumentId) ?? []).filter((one) => one >= timeNs)
    if (planned.some((one) => one >= fromNs && one <= next.timeNs)) return
    this.#fundings.set(instrumentId, [...planned, next.timeNs])
    this.agenda.plan(next.timeNs, instrumentId, { kind: 'funding', instrumentId })
  }

  /** Counts a funding that is not paid. */
  skipFunding(instrumentId: number, timeNs: number): void {
    const { count, firstNs } = this.unpaid.get(instrumentId) ?? { count: 0, firstNs: timeNs }
    this.unpaid.set(instrumentId, { count: count + 1, firstNs })
  }

  /** Plans the end of a contract, once: as soon as an order was taken or a position stands. */
  awaitExpiry(instrumentId: number, timeNs: number): void {
    const expiryNs = this.#declared.expiries.get(instrumentId)
    if (expiryNs === undefined || expiryNs < timeNs || this.#expiries.has(instrumentId)) return
    this.#expiries.add(instrumentId)
    this.agenda.plan(expiryNs, instrumentId, { kind: 'expiry', instrumentId })
  }

  /** Looks whether anything of an account is due now; what is, is done at the end of the instant. */
  look(account: Account, timeNs: number): void {
    if (account.margin !== null) this.#lookAtMargin(account, timeNs)
    this.lookAtEquity(account, timeNs)
  }

  #lookAtMargin(account: Account, timeNs: number): void {
    if (!this.#judged.has(account.config.accountId) && isAnythingDue(account, this.priceOf))
      this.#planJudging(account, timeNs)
  }

  /** The same of its equity alone. */
  lookAtEquity(account: Account, timeNs: number): void {
    if (this.equity.isDue(account, timeNs)) this.#planJudging(account, timeNs)
    this.#watchCoins(account, timeNs)
  }

  #watchCoins(account: Account, timeNs: number): void {
    for (const [instrumentId, { contract }] of account.positions)
      if (contract.kind === 'spot') this.watch(instrumentId, timeNs)
  }

  #planJudging({ config: { accountId } }: Account, timeNs: number): void {
    if (this.#judged.has(accountId)) return
    this.#judged.add(accountId)
    this.agenda.plan(timeNs, 0, { kind: 'judge', accountId })
  }

  /** An account is judged now: what becomes due from here on is planned anew. */
  takeJudged(accountId: string): void {
    this.#judged.delete(accountId)
  }
}
