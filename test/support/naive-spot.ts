import type { Side } from './naive-levels.ts'
import type { MarginOrder } from './naive-margin.ts'
import { ONE, rounded, type OpenClose } from './naive-money.ts'

const BASE = 1
const CASH = 2
type Underlying = typeof BASE | typeof CASH

interface Loan {
  principal: bigint
  interest: bigint
}

/** Interest of a year, in ten-thousandths: what `NAIVE_BORROW_RATES` says. */
const YEARLY: Readonly<Record<Underlying, bigint>> = { [BASE]: 15_000n, [CASH]: 8_760n }

/** The same as a profile writes it. */
export const NAIVE_BORROW_RATES: Readonly<Record<string, string>> = { COIN: '1.5', CASH: '0.876' }

/** Money of a spot account in whole 10^-18: coins and cash, loans of both, takers pay a thousandth of the value in cash. */
export class NaiveSpot {
  readonly held: Record<Underlying, bigint>
  readonly loans: Readonly<Record<Underlying, Loan>> = { [BASE]: { principal: 0n, interest: 0n }, [CASH]: { principal: 0n, interest: 0n } }

  /** Cash that was missing after a fill: of an order that took another price than the one it was judged by. */
  debt = 0n

  constructor(coins: number, cash: number) {
    this.held = { [BASE]: BigInt(coins) * ONE, [CASH]: BigInt(cash) * ONE }
  }

  post(side: Side, quantity: number, price: number, isMaker: boolean, _openClose: OpenClose, autoRepay: boolean): void {
    const value = BigInt(quantity * price) * ONE
    const fee = isMaker ? 0n : value / 1000n
    const size = BigInt(quantity) * ONE
    this.held[BASE] += side === 'BID' ? size : -size
    this.held[CASH] -= (side === 'BID' ? value : -value) + fee
    if (autoRepay && side === 'BID') this.#repay(BASE, size)
    else if (autoRepay) this.#repay(CASH, value - fee)
    if (this.held[CASH] >= 0n) return
    this.debt -= this.held[CASH]
    this.held[CASH] = 0n
  }

  /** What an order lacks beside the open ones; it is borrowed where the order says so. */
  refusal(order: MarginOrder, others: readonly MarginOrder[], autoBorrow: boolean, borrowed: (amount: bigint) => void): string | null {
    const underlying = spends(order)[0]
    const blocked = others.map(spends).filter(([of]) => of === underlying).reduce((sum, [, amount]) => sum + amount, 0n)
    const missing = spends(order)[1] - (this.held[underlying] - blocked)
    if (missing <= 0n) return null
    if (!autoBorrow) return 'INSUFFICIENT_BALANCE'
    this.loans[underlying].principal += missing
    this.held[underlying] += missing
    borrowed(missing)
    return null
  }

  /** An order is over with so much of it unfilled (null: not known): what it borrowed goes back as far as that, and as others leave it. */
  repayUnused(borrowed: bigint, side: Side, others: readonly MarginOrder[], unfilled: MarginOrder | null): void {
    const underlying = side === 'BID' ? CASH : BASE
    const blocked = others.map(spends).filter(([of]) => of === underlying).reduce((sum, [, amount]) => sum + amount, 0n)
    const free = this.held[underlying] - blocked
    const unused = unfilled === null || spends(unfilled)[1] > free ? free : spends(unfilled)[1]
    this.#repay(underlying, unused < borrowed ? unused : borrowed)
  }

  /** A full hour of every loan. */
  accrue(): void {
    for (const underlying of [BASE, CASH] as const) {
      const loan = this.loans[underlying]
      if (loan.principal > 0n) loan.interest += rounded(loan.principal * YEARLY[underlying], 10_000n * 8760n)
    }
  }

  /** Nobody closes what he holds of coins. */
  closable(): number {
    return 0
  }

  /** Interest first. */
  #repay(underlying: Underlying, received: bigint): void {
    const loan = this.loans[underlying]
    let left = received < this.held[underlying] ? received : this.held[underlying]
    for (const part of ['interest', 'principal'] as const) {
      const paid = left <= 0n ? 0n : left < loan[part] ? left : loan[part]
      loan[part] -= paid
      left -= paid
      this.held[underlying] -= paid
    }
  }
}

/** What an order spends at most: its value and a taker's fee, or its coins. */
function spends({ side, value, size }: MarginOrder): readonly [Underlying, bigint] {
  return side === 'BID' ? [CASH, value + value / 1000n] : [BASE, size]
}
