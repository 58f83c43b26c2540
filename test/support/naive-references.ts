import type { NaiveLevels, Side } from './naive-levels.ts'
import { ONE, type NaiveMoney } from './naive-money.ts'

/** Prices that stop orders and margins go by. */
export class NaiveReferences {
  lastTrade: number = NaN
  mark: number = NaN
  /** Twice the last mid while a position is open; NaN where none is. */
  #heldMid: number = NaN
  readonly #levels: NaiveLevels
  readonly #money: NaiveMoney

  constructor(levels: NaiveLevels, money: NaiveMoney) {
    this.#levels = levels
    this.#money = money
  }

  /** 7.1 */
  isReached(by: 'lastTrade' | 'mark', side: Side, trigger: number): boolean {
    return side === 'BID' ? this[by] >= trigger : this[by] <= trigger
  }

  /** Notes the mid of an open position: it stands for the mark where the book shows one side alone later (8.2). */
  note(): void {
    const isHeld = this.#money.legs.some(({ quantity }) => quantity !== 0)
    const mid = this.#twiceMid()
    if (!isHeld || !Number.isNaN(mid)) this.#heldMid = isHeld ? mid : NaN
  }

  /** 8.2: the mark, else the mid, else the last mid of an open position, in 10^-18; null where none is known. */
  price(): bigint | null {
    const twice = [2 * this.mark, this.#twiceMid(), this.#heldMid].find((one) => !Number.isNaN(one))
    return twice === undefined ? null : (BigInt(twice) * ONE) / 2n
  }

  #twiceMid(): number {
    return this.#levels.best('BID') + this.#levels.best('ASK')
  }
}
