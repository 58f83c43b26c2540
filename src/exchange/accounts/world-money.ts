import type { UsdRate } from '../../model/usd-rate.js'

/** The money of a run that is declared beside its accounts and files. */
export interface WorldMoney {
  /** USD for one unit, decimal texts by underlying id: the run's `rates`, else those of the files of the day. */
  readonly usdRates: Map<number, UsdRate>
  /**
   * When contracts end, nanoseconds since the run's first midnight, by instrument id; those that end within reach of
   * it.
   */
  readonly expiries: ReadonlyMap<number, number>
  /** `0` or `1` by instrument id: what prediction contracts came to. */
  readonly outcomes: ReadonlyMap<number, string>
}

/** Nothing is declared. */
export const NO_MONEY_DECLARED: WorldMoney = { usdRates: new Map(), expiries: new Map(), outcomes: new Map() }
