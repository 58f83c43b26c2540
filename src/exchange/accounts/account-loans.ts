import { Amount } from '../../model/amount.js'
import { } from '../../model/contract.js'

/** The debt in one underlying. */
export interface Loan {
  readonly principal: Amount
  readonly interest: Amount
}

/** A loan as plain data. */
export interface LoanState {
  readonly underlyingId: number
  readonly principal: string
  readonly interest: string
}

const ZERO: Amount = Amount.ZERO
const NOTHING: Loan = { principal: ZERO, interest: ZERO }
const HOURS_PER_YEAR: Amount = Amount.scaled(8760, 0)

/** The loans of an account, by underlying, and the simple interest on them (exchange rules 8; rates by the profile). */
export class AccountLoans {
  readonly #loans: Map<number, Loan> = new Map()

  /** Underlyings of which something is owed, ascending. */
  get underlyingIds(): number[] {
    return [...this.#loans]
      .filter(([, { principal, interest }]) => principal.sign > 0 || interest.sign > 0)
      .map(([id]) => id)
      .sort((a, b) => a - b)
  }

  /** True where nothing is owed. */
  get isEmpty(): boolean {
    return this.#loans.size === 0 || this.underlyingIds.length === 0
  }

  of(underlyingId: number): Loan {
    return this.#loans.get(underlyingId) ?? NOTHING
  }

  /** Principal and interest. */
  owed(underlyingId: number): Amount {
    const loan = this.#loans.get(underlyingId)
    return loan === undefined ? ZERO : loan.principal.plus(loan.interest)
  }

  borrow(underlyingId: number, amount: Amount): void {
    const { principal, interest } = this.of(underlyingId)
    this.#loans.set(underlyingId, { principal: principal.plus(amount), interest })
  }

  /** One hour of interest on the principal at a yearly rate; returns it. */
  accrue(underlyingId: number, yearlyRate: Amount): Amount {
    const { principal, interest } = this.of(underlyingId)
    const more = principal.times(yearlyRate).quotient(HOURS_PER_YEAR)
    this.#loans.set(underlyingId, { principal, interest: interest.plus(more) })
    return more
  }

  /** Repays interest first, then principal, at most what is owed; returns what was taken. */
  repay(underlyingId: number, amount: Amount): Amount {
    const { principal, interest } = this.of(underlyingId)
    const ofInterest = Amount.min(amount, interest)
    const ofPrincipal = Amount.min(amount.minus(ofInterest), principal)
    this.#loans.set(underlyingId, { principal: principal.minus(ofPrincipal), interest: interest.minus(ofInterest) })
    return ofInterest.plus(ofPrincipal)
  }

  /** A split of what was borrowed: what is owed is split with it. */
  split(underlyingId: number, splitOf: (amount: Amount) => Amount): void {
    const { principal, interest } = this.of(underlyingId)
    if (principal.isZero() && interest.isZero()) return
    this.#loans.set(underlyingId, { principal: splitOf(principal), interest: splitOf(interest) })
  }

  state(): LoanState[] {
    return [...this.#loans].map(([underlyingId, { principal, interest }]) => ({
      underlyingId, principal: principal.toFixed(), interest: interest.toFixed(),
    }))
  }

  restore(states: readonly LoanState[]): void {
    this.#loans.clear()
    for (const { underlyingId, principal, interest } of states)
      this.#loans.set(underlyingId, { principal: Amount.from(principal), interest: Amount.from(interest) })
  }
}
