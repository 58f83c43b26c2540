import type { Side } from './naive-levels.ts'
import { ONE } from './naive-money.ts'

/** Prices that stop orders and margins go by. */
export class NaiveReferences {
  lastTrade: number = NaN
  mark: number = NaN

  /** 7.1 */
  isReached(by: 'lastTrade' | 'mark', side: Side, trigger: number): boolean {
    return side === 'BID' ? this[by] >= trigger : this[by] <= trigger
  }

  /** 8.2: the mark, else the mid, in 10^-18; null where neither is known. */
  price(bestBid: number, bestAsk: number): bigint | null {
    const twice = Number.isNaN(this.mark) ? bestBid + bestAsk : 2 * this.mark
    return Number.isNaN(twice) ? null : (BigInt(twice) * ONE) / 2n
  }
}
