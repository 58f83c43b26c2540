import { Account } from '../exchange/accounts/account.js'
import { type AccountPosition, type Leg, type PositionLeg } from '../exchange/accounts/account-position.js'
import { NO_FEES } from '../exchange/accounts/fees.js'
import type { MoneyEvent } from '../exchange/accounts/money-event.js'
import { Amount } from '../model/amount.js'
import { averageEntryPrice } from '../model/position-sums.js'
import { epochNsFromText, epochNsFromTime, NS_PER_SECOND } from '../model/time.js'
import { markedPrice } from '../results/run-valuation.js'
import { textOfExact } from '../rows/exact-integer.js'
import type { StrategyAccount } from '../strategy/instrument-registry.js'
import type { AccountState, CorporateAction, IsolatedPosition, Position } from '../venue/account-messages.js'
import type { MarketView } from '../venue/venue.js'
import { LiveWallets } from './live-wallets.js'

/** For so long a wallet and the fills may say different things: one of the two messages is on its way. */
const GRACE_NS = NS_PER_SECOND

/** The surroundings of an account. */
export interface LiveAccountParts {
  readonly epochDay: number
  readonly views: ReadonlyMap<number, MarketView>
  readonly onMoney: (event: MoneyEvent) => void
  readonly onNote: (sentence: string) => void
}

/** A leg whose contract is over. */
interface EndedLeg {
  readonly position: AccountPosition
  readonly leg: Leg
  readonly held: PositionLeg
}

/**
 * The money of an account as its messages tell it. Fills are posted; what wallets state beside that is compared: a
 * difference that stays for a second is none of a fill, but a funding, interest, a transfer or the end of a contract.
 * It is booked then, at the time of the message that showed it.
 */
export class LiveAccount {
  readonly account: Account
  /** When a difference is booked; Infinity: there is none. */
  settleNs: number = Infinity
  readonly #wallets = new LiveWallets()
  /** Stated quantities by instrument and leg. */
  readonly #stated: Map<string, number> = new Map()
  /** Instruments whose split was announced. */
  readonly #split: Set<number> = new Set()
  #exchangeTimeNs = 0
  /** The time of the last statement of wallets. */
  #statedNs = -Infinity
  /** True: every fill that has come is in what was stated last, by their times. */
  #isStated = true
  /** True: no wallet has come since the last fill. */
  #isFillLast = false

  constructor(
    { accountId, exchangeCode }: StrategyAccount, state: AccountState, private readonly parts: LiveAccountParts,
  ) {
    this.#wallets.take(state.wallets)
    const money = this.#wallets.money()
    const balances = new Map([...money].map(([id, { cash }]) => [id, cash.toFixed()]))
    this.account = new Account({ accountId, exchangeCode: exchangeCode ?? '', balances, fees: NO_FEES })
    for (const [id, { borrowed }] of money) if (borrowed.sign > 0) this.account.loans.borrow(id, borrowed)
    if (!this.#wallets.isExact)
      parts.onNote(`account ${accountId}: its adapter states no cash, so only fills are counted`)
  }

  /** Its adapter states wallets. */
  stateWallets(wallets: AccountState['wallets'], nowNs: number, exchangeTimeNs: number): void {
    this.#wallets.take(wallets)
    // The exchange's time of a wallet says best which fills are in it.
    for (const wallet of wallets) this.#statedNs = Math.max(this.#statedNs, wallet.exchangeTimeNs ?? exchangeTimeNs)
    this.#isStated = true
    this.#isFillLast = false
    this.#compare(nowNs, exchangeTimeNs)
  }

  /** Its adapter states positions; those that a split has changed are as stated at once. */
  statePositions(
    positions: readonly Position[], isolatedPositions: readonly IsolatedPosition[], nowNs: number,
    exchangeTimeNs: number,
  ): void {
    for (const { instrumentId, longPosition, shortPosition } of positions)
      this.#statePosition(instrumentId, 'net', longPosition - shortPosition)
    for (const { instrumentId, long, short } of isolatedPositions) {
      this.#statePosition(instrumentId, 'long', long.size)
      this.#statePosition(instrumentId, 'short', -short.size)
    }
    this.#compare(nowNs, exchangeTimeNs)
  }

  /** The same of a whole state: what it does not name is flat. */
  stateAllPositions(
    positions: readonly Position[], isolatedPositions: readonly IsolatedPosition[], nowNs: number,
  ): void {
    for (const [id, { legs }] of this.account.positions)
      for (const leg of legs.keys()) this.#stated.set(`${id} ${leg}`, 0)
    this.statePositions(positions, isolatedPositions, nowNs, nowNs)
  }

  /** A split is announced: positions that are stated from now on may be other than the fills made them. */
  announce({ instrumentId, split }: CorporateAction): void {
    if (split !== undefined) this.#split.add(instrumentId)
  }

  /** A fill of a time at the exchange was posted. */
  filled(nowNs: number, exchangeTimeNs: number): void {
    if (exchangeTimeNs > this.#statedNs) this.#isStated = false
    this.#isFillLast = true
    this.#compare(nowNs, exchangeTimeNs)
  }

  /** Positions whose stated quantities are not what the fills made of them, as sentences. */
  differences(): string[] {
    const { account, account: { config: { accountId } } } = this
    return [...account.positions].flatMap(([instrumentId, { entry, legs, contract }]) => {
      const stated = this.#stated.get(`${instrumentId} net`)
      const held = legs.get('net')?.sums.quantity ?? Amount.ZERO
      if (stated === undefined || contract.kind === 'spot') return []
      const amount = Amount.scaled(stated, entry.quantityScale)
      return amount.eq(held) ? [] : [
        `account ${accountId}: its position in ${entry.instrument.code} is ${amount.toFixed()} by its adapter and ` +
          `${held.toFixed()} by the fills that came: fills are missing, and profits are not exact`,
      ]
    })
  }

  /** Books the difference; where a fill is not in what was stated, the next statement shows whether there is one. */
  settle(): void {
    const { account } = this
    this.settleNs = Infinity
    if (!this.#isStated) return
    const ended = this.#endedLegs()
    for (const [underlyingId, { cash, borrowed }] of this.#wallets.money()) {
      const lent = borrowed.minus(account.loans.owed(underlyingId))
      const change = cash.minus(account.cashOf(underlyingId)).minus(lent)
      if (lent.sign > 0) account.loans.borrow(underlyingId, lent)
      else if (lent.sign < 0) account.loans.repay(underlyingId, lent.negated())
      if (!lent.isZero()) account.add(underlyingId, lent)
      const place = ended.findIndex(({ position }) => position.contract.settlementUnderlyingId === underlyingId)
      const [of] = place < 0 ? [] : ended.splice(place, 1)
      if (of !== undefined) this.#settleLeg(of, change)
      else if (!change.isZero()) this.#flow(underlyingId, change)
    }
    for (const of of ended) this.#settleLeg(of, Amount.ZERO)
  }

  /** The run ends: what a message has stated is booked; what a fill has made is not stated yet. */
  end(): void {
    if (this.settleNs < Infinity && !this.#isFillLast) this.settle()
  }

  #statePosition(instrumentId: number, leg: Leg, quantity: number): void {
    this.#stated.set(`${instrumentId} ${leg}`, quantity)
    const position = this.account.positions.get(instrumentId)
    const held = position?.legs.get(leg)
    if (position === undefined || held === undefined || !this.#split.has(instrumentId)) return
    const amount = Amount.scaled(quantity, position.entry.quantityScale)
    if (amount.eq(held.sums.quantity) || amount.isZero()) return
    held.sums.quantity = amount
    this.parts.onNote(
      `${position.entry.instrument.code} was split: round trips that were open have the quantities of before`)
  }

  #compare(nowNs: number, exchangeTimeNs: number): void {
    if (!this.#wallets.isExact) return
    const isSame = this.#endedLegs().length === 0 && [...this.#wallets.money()].every(([id, { cash, borrowed }]) => (
      cash.eq(this.account.cashOf(id)) && borrowed.eq(this.account.loans.owed(id))))
    if (isSame) this.settleNs = Infinity
    else if (this.settleNs === Infinity) {
      this.settleNs = nowNs + GRACE_NS
      this.#exchangeTimeNs = exchangeTimeNs
    }
  }

  /** Legs that are held by the fills, stated as closed, and whose contract has expired. */
  #endedLegs(): EndedLeg[] {
    return [...this.account.positions.values()].flatMap((position) => {
      const { entry: { instrument: { id, expiry } }, legs } = position
      if (expiry === null) return []
      return [...legs].flatMap(([leg, held]) => (
        !held.sums.quantity.isZero() && this.#stated.get(`${id} ${leg}`) === 0 && this.#hasPassed(expiry)
          ? [{ position, leg, held }]
          : []))
    })
  }

  #hasPassed(expiry: string): boolean {
    const { epochDay } = this.parts
    return epochNsFromText(expiry, epochDay) <= epochNsFromTime(Math.max(this.#exchangeTimeNs, 0), epochDay)
  }

  /** A contract is over, and brought so much cash: its profit. */
  #settleLeg({ position, leg, held }: EndedLeg, change: Amount): void {
    const { account, parts: { views, onMoney } } = this
    const { instrument: { id: instrumentId } } = position.entry
    const underlyingId = position.contract.settlementUnderlyingId
    const view = views.get(instrumentId)
    const marked = view === undefined ? null : markedPrice(view)
    const atPrice = marked === null
      ? averageEntryPrice(position.contract, held.sums)?.toFixed() ?? '0'
      : textOfExact(marked.integer, marked.scale)
    account.writeOff(position, held)
    account.add(underlyingId, change)
    position.sums.realizedPnl = position.sums.realizedPnl.plus(change)
    onMoney({
      kind: 'settlement', exchangeTimeNs: this.#exchangeTimeNs, accountId: account.config.accountId, underlyingId,
      amount: change.toFixed(), instrumentId, leg, atPrice,
    })
  }

  #flow(underlyingId: number, change: Amount): void {
    const { account } = this
    account.flow(underlyingId, change)
    this.parts.onMoney({
      kind: 'walletChange', exchangeTimeNs: this.#exchangeTimeNs, accountId: account.config.accountId, underlyingId,
      amount: change.toFixed(),
    })
  }
}
