import type { Venue } from '../venue/venue.js'
import { absentMarket } from './absent-market.js'
import { InstrumentRegistry, type StrategyAccount } from './instrument-registry.js'
import { readParameters, type ParameterConfig } from './parameter-values.js'
import type { Strategy } from './strategy.js'

const IDLE = {
  place: (): never => {
    throw new Error('Parameters are read, nothing is placed')
  },
  cancelAllOrders: (): void => {},
}

/**
 * Reads parameters into a strategy that never runs: for a run that is refused already, so that its user hears of all
 * faults at once. Throws OPTION_INVALID for faulty parameters; a strategy that cannot be made has none.
 */
export function checkParameters(
  StrategyClass: new () => Strategy, config: ParameterConfig, instruments: Venue['instruments'],
  accounts: readonly StrategyAccount[],
): void {
  let strategy: Strategy
  try {
    strategy = new StrategyClass()
  } catch {
    return
  }
  const view = absentMarket('PENDING')
  readParameters(strategy, config, new InstrumentRegistry({ instruments, market: () => view }, accounts, IDLE))
}
