import { NaiveMoney, ONE, type NaiveLeg } from './naive-money.ts'
import type { Side } from './naive-levels.ts'

/** An order as margin sees it. */
export interface MarginOrder {
  readonly side: Side
  readonly isOpening: boolean
  /** 10^-18. */
  readonly size: bigint
  /** 10^-18. */
  readonly value: bigint
}

/** The brackets of `marginProfile`: 10 % and 5 % up to 1000, 20 % and 10 % less 50 up to 5000. */
function initial(value: bigint): bigint {
  return value <= 1000n * ONE ? value / 10n : value / 5n
}

function maintenance(value: bigint): bigint {
  return value <= 1000n * ONE ? value / 20n : value / 10n - 50n * ONE
}

const larger = (...amounts: bigint[]): bigint => amounts.reduce((a, b) => (a > b ? a : b))

/** Margin of one account on one instrument (8.3), worked out anew at every question. `price` is the mark, else the mid, null where there is none; 10^-18. */
export class NaiveMargin {
  readonly #money: NaiveMoney
  readonly #price: () => bigint | null

  constructor(money: NaiveMoney, price: () => bigint | null) {
    this.#money = money
    this.#price = price
  }

  /** Why an order is refused beside the open ones; null where it is not. `replaced` is what an amend takes the place of. */
  refusal(order: MarginOrder, others: readonly MarginOrder[], replaced: MarginOrder | null): string | null {
    const price = this.#price()
    const cross = this.#crossLegs()
    const free = this.#equity() - (price === null ? 0n : cross.reduce((sum, leg) => sum + initial(this.#value(leg, price)), 0n))
    const current = replaced === null ? others : [...others, replaced]
    const [before, after] = [this.#blocked(current), this.#blocked([...others, order])]
    const { held, added } = this.#opening([...others, order], order.side)
    const addedBefore = this.#opening(current, order.side).added
    if (order.isOpening && held + added > 5000n * ONE && added > addedBefore) return 'POSITION_TOO_LARGE'
    const exposure = this.#exposure([...others, order])
    if (!order.isOpening && exposure > 5000n * ONE && exposure > this.#exposure(current)) return 'POSITION_TOO_LARGE'
    // Orders before it on its side close first.
    const closing = others.filter(({ side, isOpening }) => side === order.side && !isOpening)
    const left = closing.reduce((sum, { size }) => sum - size, BigInt(this.#money.closable(order.side, 'AUTO')) * ONE)
    const opens = order.isOpening || order.size > larger(0n, left)
    return after > free && (after > before || (opens && replaced === null)) ? 'INSUFFICIENT_MARGIN' : null
  }

  /** Legs that are to be liquidated now. */
  due(): NaiveLeg[] {
    const price = this.#price()
    if (price === null) return []
    const cross = this.#crossLegs()
    const kept = cross.reduce((sum, leg) => sum + maintenance(this.#value(leg, price)), 0n)
    const isCrossDue = kept > 0n && this.#equity() <= kept
    return this.#money.legs.filter((leg) => {
      if (leg.quantity === 0) return false
      if (!this.#money.isIsolated(leg)) return isCrossDue
      return maintenance(this.#value(leg, price)) > 0n && leg.margin + this.#profit(leg, price) <= maintenance(this.#value(leg, price))
    })
  }

  #crossLegs(): NaiveLeg[] {
    return this.#money.legs.filter((leg) => leg.quantity !== 0 && !this.#money.isIsolated(leg))
  }

  /** What stands behind the cross positions: cash that is not set aside, and their profits. */
  #equity(): bigint {
    const price = this.#price()
    const own = this.#money.cash - this.#money.isolatedMargin()
    return price === null ? own : this.#crossLegs().reduce((sum, leg) => sum + this.#profit(leg, price), own)
  }

  #value({ quantity }: NaiveLeg, price: bigint): bigint {
    return BigInt(Math.abs(quantity)) * price
  }

  #profit(leg: NaiveLeg, price: bigint): bigint {
    const rise = this.#value(leg, price) - leg.entryValue
    return leg.quantity > 0 ? rise : -rise
  }

  /** What open orders block: those that open an isolated position what it would take for them all at once, the rest what the worse side of them adds to the net position. */
  #blocked(orders: readonly MarginOrder[]): bigint {
    const held = this.#held()
    const opening = (['BID', 'ASK'] as const).map((side) => {
      const leg = this.#opening(orders, side)
      // The rate of the whole: a tenth or a fifth of what is added.
      if (leg.isIsolated) return leg.held + leg.added <= 1000n * ONE ? leg.added / 10n : leg.added / 5n
      return initial(leg.held + leg.added) - initial(leg.held)
    })
    return opening[0]! + opening[1]! + larger(0n, initial(this.#exposure(orders)) - initial(held < 0n ? -held : held))
  }

  /** Value of the position beside the net one that a side opens, by its entry where its margin is its own; and what orders add to it. */
  #opening(orders: readonly MarginOrder[], side: Side): { readonly held: bigint, readonly added: bigint, readonly isIsolated: boolean } {
    const leg = side === 'BID' ? this.#money.long : this.#money.short
    const isIsolated = this.#money.isIsolated(leg)
    const price = this.#price()
    const added = orders.filter((order) => order.isOpening && order.side === side).reduce((sum, { value }) => sum + value, 0n)
    return { held: isIsolated || price === null ? leg.entryValue : this.#value(leg, price), added, isIsolated }
  }

  #exposure(orders: readonly MarginOrder[]): bigint {
    const held = this.#held()
    // What closes an isolated position of the other side comes first.
    const sum = (side: Side): bigint => {
      let toClose = BigInt(this.#money.closable(side, 'CLOSE')) * ONE
      let total = 0n
      for (const { size, value } of orders.filter((order) => order.side === side && !order.isOpening)) {
        const closed = size < toClose ? size : toClose
        toClose -= closed
        if (size > 0n) total += value * (size - closed) / size
      }
      return total
    }
    return larger(held < 0n ? -held : held, held + sum('BID'), sum('ASK') - held)
  }

  /** Value of the net position, long above 0. */
  #held(): bigint {
    const { net } = this.#money
    if (net.quantity === 0) return 0n
    const price = this.#price()
    const value = price === null ? net.entryValue : this.#value(net, price)
    return net.quantity > 0 ? value : -value
  }
}
