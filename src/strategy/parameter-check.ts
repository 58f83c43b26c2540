import type { MarketView, Venue } from '../venue/venue.js'
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
  epochDay: 0,
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

/** Ids of the instruments that parameters name for trading; whatever cannot be read names none. */
export function tradedInstruments(
  StrategyClass: new () => Strategy, config: ParameterConfig, instruments: Venue['instruments'],
  accounts: readonly StrategyAccount[],
): readonly number[] {
  const view = absentMarket('PENDING')
  const registry = new InstrumentRegistry({ instruments, market: () => view }, accounts, IDLE)
  try {
    readParameters(new StrategyClass(), config, registry)
  } catch {
    // Its faults are reported when it begins.
  }
  return registry.tradingInstruments.map(({ id }) => id)
}

/**
 * Ids of the instruments that parameters name, ascending; whatever cannot be read names none. Whoever has to know a
 * market before a strategy begins asks here.
 */
export function parameterInstruments(
  StrategyClass: new () => Strategy, config: ParameterConfig, instruments: Venue['instruments'],
  accounts: readonly StrategyAccount[],
): readonly number[] {
  const ids = new Set<number>()
  const view = absentMarket('PENDING')
  const market = (instrumentId: number): MarketView => {
    ids.add(instrumentId)
    return view
  }
  try {
    readParameters(new StrategyClass(), config, new InstrumentRegistry({ instruments, market }, accounts, IDLE))
  } catch {
    // Its faults are reported when it begins.
  }
  return [...ids].sort((a, b) => a - b)
}
