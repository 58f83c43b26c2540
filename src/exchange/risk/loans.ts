import { Amount } from '../../model/amount.js'
import type { EntryError } from '../../model/order.js'
import type { UnderlyingDirectory } from '../../venue/venue.js'
import type { Account } from '../accounts/account.js'
import { availableBorrow } from '../accounts/account-balance-sheet.js'
import type { Shortage } from './order-needs.js'
import { exchangeError } from '../market/resting-order.js'
import type { OrderAtExchange, OrderLoan } from '../../orders/order-at-exchange.js'
import type { TaskAgenda } from './exchange-task.js'
import type { MoneyObserver } from './money-observer.js'

const HOUR_NS = 3_600_000_000_000

/**
 * Loans of accounts: borrowed for an order, repaid by its fills, with interest at every full hour (rates of the
 * profile).
 */
export class Loans {
  /** Accounts whose next hour is planned. */
  readonly #planned: Set<string> = new Set()

  constructor(
    private readonly underlyings: UnderlyingDirectory,
    private readonly agenda: TaskAgenda,
    private readonly observer: MoneyObserver,
  ) {}

  /** Borrows what an order is short of; an error where the profile declares no rate for it. */
  borrow(account: Account, underlyingId: number, amount: Amount, timeNs: number): EntryError | null {
    const rate = this.#rateOf(account, underlyingId)
    const code = this.#codeOf(underlyingId)
    if (rate === null) {
      return exchangeError(
        'NOT_SUPPORTED',
        `the venue profile ${account.config.profile?.name ?? 'generic'} does not say borrowRates.${code}, at which ` +
          `${amount.toFixed()} would be borrowed`,
      )
    }
    const left = availableBorrow(account, underlyingId, code)
    if (left !== null && amount.gt(left)) {
      return exchangeError(
        'BORROW_LIMIT_EXCEEDED',
        `the order would borrow ${amount.toFixed()} ${code}, and ${left.toFixed()} of the venue profile's ` +
          `borrowLimits.${code} is left`,
      )
    }
    account.loans.borrow(underlyingId, amount)
    account.add(underlyingId, amount)
    this.#tell('borrow', account, underlyingId, amount, timeNs, rate)
    this.#plan(account.config.accountId, timeNs)
    return null
  }

  /** The same for an order, which remembers it: {@link repayUnused}. */
  borrowFor(
    order: OrderAtExchange, account: Account, { underlyingId, missing }: Shortage, timeNs: number,
  ): EntryError | null {
    const refusal = this.borrow(account, underlyingId, missing, timeNs)
    const before = Amount.from(order.loan?.amount ?? 0)
    if (refusal === null) order.loan = { underlyingId, amount: missing.plus(before).toFixed() }
    return refusal
  }

  /**
   * Repays what an order borrowed that is over before it was filled, as far as it is unused, interest first. Venues do
   * so by default: Binance's `autoRepayAtCancel`
   * (https://developers.binance.com/docs/derivatives/portfolio-margin/trade/New-Margin-Order, read 2026-11-21). Returns
   * whether anything was repaid.
   */
  repayUnused({ underlyingId, amount }: OrderLoan, account: Account, unused: Amount, timeNs: number): boolean {
    const owed = account.loans.owed(underlyingId)
    this.repay(account, underlyingId, Amount.min(Amount.from(amount), unused), timeNs)
    return !account.loans.owed(underlyingId).eq(owed)
  }

  /** Repays from what a fill brought, interest first. */
  repay(account: Account, underlyingId: number, received: Amount, timeNs: number): void {
    const repaid = account.loans.repay(
      underlyingId, Amount.max(Amount.ZERO, Amount.min(received, account.cashOf(underlyingId))),
    )
    if (repaid.isZero()) return
    account.add(underlyingId, repaid.negated())
    this.#tell('repay', account, underlyingId, repaid, timeNs, null)
  }

  /** A full hour is over. Returns whether anything was charged. */
  accrue(account: Account, timeNs: number): boolean {
    this.#planned.delete(account.config.accountId)
    let isCharged = false
    for (const underlyingId of account.loans.underlyingIds) {
      const rate = this.#rateOf(account, underlyingId)
      if (rate === null || account.loans.of(underlyingId).principal.isZero()) continue
      this.#tell('interest', account, underlyingId, account.accrue(underlyingId, rate), timeNs, rate)
      isCharged = true
    }
    if (isCharged) this.#plan(account.config.accountId, timeNs)
    return isCharged
  }

  state(): readonly string[] {
    return [...this.#planned]
  }

  restore(planned: readonly string[]): void {
    for (const accountId of planned) this.#planned.add(accountId)
  }

  #plan(accountId: string, timeNs: number): void {
    if (this.#planned.has(accountId)) return
    this.#planned.add(accountId)
    this.agenda.plan((Math.floor(timeNs / HOUR_NS) + 1) * HOUR_NS, 0, { kind: 'interest', accountId })
  }

  #codeOf(underlyingId: number): string {
    return this.underlyings.get(underlyingId)?.code ?? String(underlyingId)
  }

  #rateOf(account: Account, underlyingId: number): Amount | null {
    const text = account.config.profile?.borrowRates?.[this.#codeOf(underlyingId)]
    return text === undefined ? null : Amount.from(text)
  }

  #tell(
    kind: 'borrow' | 'repay' | 'interest', account: Account, underlyingId: number, amount: Amount,
    exchangeTimeNs: number, rate: Amount | null,
  ): void {
    this.observer.money?.({
      kind, exchangeTimeNs, accountId: account.config.accountId, underlyingId, amount: amount.toFixed(),
      ...(rate === null ? {} : { rate: rate.toFixed() }),
    })
  }
}
