import type { MarketLine } from './market-lines.ts'

export type Side = 'BID' | 'ASK'
type Level = Map<number, number>

export const other = (side: Side): Side => (side === 'BID' ? 'ASK' : 'BID')
/** Above 0 where `a` is nearer to the other side than `b`. */
export const nearer = (side: Side, a: number, b: number): number => (side === 'BID' ? a - b : b - a)

/** The recorded book as the naive adapter sees it, and what its world left of it. Prices lie between 80 and 130. */
export class NaiveLevels {
  #book: Record<Side, Level> = { BID: new Map(), ASK: new Map() }
  /** What we left of levels that we took from, and what they displayed then (2.4). */
  readonly #taken: Record<Side, Map<number, { available: number, displayed: number }>> = { BID: new Map(), ASK: new Map() }

  /** Applies a whole line and says what every level that it speaks of shows now (2.3, 3.3). */
  apply(line: MarketLine): (readonly [side: Side, price: number, displayed: number])[] {
    const isSnapshot = line.kind === 'snapshot'
    const before = this.#book
    this.#book = isSnapshot ? { BID: new Map(), ASK: new Map() } : { BID: new Map(before.BID), ASK: new Map(before.ASK) }
    for (const [code, price, quantity] of line.rows!) {
      const level = this.#book[code === 1 ? 'ASK' : 'BID']
      if (quantity === 0) level.delete(price)
      else level.set(price, quantity)
    }
    const changes: (readonly [Side, number, number])[] = []
    for (const side of ['BID', 'ASK'] as const) {
      for (let price = 80; price < 130; price++) {
        const isNamed = line.rows!.some(([code, one]) => one === price && (code === 1) === (side === 'ASK'))
        const now = isSnapshot ? this.displayed(side, price) : isNamed ? (this.#book[side].get(price) ?? 0) : NaN
        if (!Number.isNaN(now)) changes.push([side, price, now])
      }
    }
    for (const [side, price, now] of changes) this.#changed(side, price, now)
    return changes
  }

  take(side: Side, price: number, quantity: number): void {
    const displayed = this.#book[side].get(price)!
    this.#taken[side].set(price, { available: (this.#taken[side].get(price)?.available ?? displayed) - quantity, displayed })
  }

  /** Levels of the other side up to a limit with what we may take of them, best first. */
  reachable(side: Side, limit: number): (readonly [price: number, available: number])[] {
    const opposite = other(side)
    return [...this.#book[opposite]].filter(([price]) => nearer(side, limit, price) >= 0).sort(([a], [b]) => nearer(side, a, b))
      .map(([price, displayed]) => [price, this.#taken[opposite].get(price)?.available ?? displayed] as const)
  }

  best(side: Side): number {
    const prices = [...this.#book[side].keys()]
    return prices.length === 0 ? NaN : side === 'BID' ? Math.max(...prices) : Math.min(...prices)
  }

  /** 3.1: NaN beyond the deepest level. */
  displayed(side: Side, price: number): number {
    const prices = [...this.#book[side].keys()]
    return prices.some((one) => nearer(side, one, price) <= 0) ? (this.#book[side].get(price) ?? 0) : NaN
  }

  #changed(side: Side, price: number, now: number): void {
    const taken = this.#taken[side].get(price)
    if (taken === undefined) return
    const available = Math.min(now, taken.available + Math.max(0, now - taken.displayed))
    if (available < now) this.#taken[side].set(price, { available, displayed: now })
    else this.#taken[side].delete(price)
  }
}
