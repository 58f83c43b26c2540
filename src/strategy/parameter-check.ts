import type { Venue } from '../venue/venue.js'
import type { Fault } from '../model/fault.js'
import { absentMarket } from './absent-market.js'
import { InstrumentRegistry, type StrategyAccount } from './instrument-registry.js'
import { ParameterError } from './instrument-reference.js'
import { readParameters, type ParameterConfig } from './parameter-values.js'
import type { Strategy } from './strategy.js'

const IDLE = {
  tactics: { target: (): void => {}, cancelAll: (): void => {} },
  place: (): never => {
    throw new Error('Parameters are read, nothing is placed')
  },
  cancelAllOrders: (): void => {},
  underlyingId: (): number => 0,
  equityOf: (): null => null,
}

/** The faults of parameters, read into a strategy that never runs; a strategy that cannot be made has none. */
export function checkParameters(
  StrategyClass: new () => Strategy, config: ParameterConfig, instruments: Venue['instruments'],
  accounts: readonly StrategyAccount[],
): readonly Fault[] {
  let strategy: Strategy
  try {
    strategy = new StrategyClass()
  } catch {
    return []
  }
  const view = absentMarket('PENDING')
  try {
    readParameters(strategy, config, new InstrumentRegistry({ instruments, market: () => view }, accounts, IDLE))
    return []
  } catch (error) {
    if (error instanceof ParameterError) return error.faults
    throw error
  }
}
