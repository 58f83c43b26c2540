import { Decimal } from '../../model/decimal.js'
import { quotient } from '../../model/contract.js'

/** The debt in one underlying. */
export interface Loan {
  readonly principal: Decimal
  readonly interest: Decimal
}

/** A loan as plain data. */
export interface LoanState {
  readonly underlyingId: number
  readonly principal: string
  readonly interest: string
}

const ZERO: Decimal = new Decimal(0)
const NOTHING: Loan = { principal: ZERO, interest: ZERO }
const HOURS_PER_YEAR: Decimal = new Decimal(8760)

/** The loans of an account, by underlying, and the simple interest on them (exchange rules 8; rates by the profile). */
export class AccountLoans {
  readonly #loans: Map<number, Loan> = new Map()

  /** Underlyings of which something is owed, ascending. */
  get underlyingIds(): number[] {
    return [...this.#loans]
      .filter(([, { principal, interest }]) => principal.gt(0) || interest.gt(0))
      .map(([id]) => id)
      .sort((a, b) => a - b)
  }

  of(underlyingId: number): Loan {
    return this.#loans.get(underlyingId) ?? NOTHING
  }

  /** Principal and interest. */
  owed(underlyingId: number): Decimal {
    const loan = this.#loans.get(underlyingId)
    return loan === undefined ? ZERO : loan.principal.plus(loan.interest)
  }

  borrow(underlyingId: number, amount: Decimal): void {
    const { principal, interest } = this.of(underlyingId)
    this.#loans.set(underlyingId, { principal: principal.plus(amount), interest })
  }

  /** One hour of interest on the principal at a yearly rate; returns it. */
  accrue(underlyingId: number, yearlyRate: Decimal): Decimal {
    const { principal, interest } = this.of(underlyingId)
    const more = quotient(principal.times(yearlyRate), HOURS_PER_YEAR)
    this.#loans.set(underlyingId, { principal, interest: interest.plus(more) })
    return more
  }

  /** Repays interest first, then principal, at most what is owed; returns what was taken. */
  repay(underlyingId: number, amount: Decimal): Decimal {
    const { principal, interest } = this.of(underlyingId)
    const ofInterest = Decimal.min(amount, interest)
    const ofPrincipal = Decimal.min(amount.minus(ofInterest), principal)
    this.#loans.set(underlyingId, { principal: principal.minus(ofPrincipal), interest: interest.minus(ofInterest) })
    return ofInterest.plus(ofPrincipal)
  }

  /** A split of what was borrowed: what is owed is split with it. */
  split(underlyingId: number, splitOf: (amount: Decimal) => Decimal): void {
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
      this.#loans.set(underlyingId, { principal: new Decimal(principal), interest: new Decimal(interest) })
  }
}
