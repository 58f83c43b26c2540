import type { WorldObserver } from '../exchange/world-config.js'
import { World } from '../exchange/world.js'
import type { OrderTable } from '../orders/order-table.js'
import type { RunSetup } from './run-setup.js'

/** Puts a world upon the replay of a run: its accounts, money, faults and assumptions are those of the run's plan. */
export function openWorld(
  { replay, assumptions, plan, seed }: Pick<RunSetup, 'replay' | 'assumptions' | 'plan' | 'seed'>, number: number,
  observer: WorldObserver, orders?: OrderTable,
): World {
  const { queue, fills, gaps, switches } = assumptions
  const { epochDay } = replay.clock
  const requestLatency = assumptions.requestLatency.from?.(epochDay) ?? assumptions.requestLatency
  const responseLatency = assumptions.responseLatency.from?.(epochDay) ?? assumptions.responseLatency
  const { money, faults, corporateActions } = plan
  // That simulator asks nothing of balances.
  const checks = assumptions.preset === 'hftbacktest' ? ({ checks: 'none' } as const) : {}
  const accounts = plan.accounts.map((account) => ({
    ...account, ...checks, predictions: new Set(money.outcomes.keys()),
  }))
  const config = {
    number,
    assumptions: { queue, fills, gaps, requestLatency, responseLatency, seed, switches },
    accounts,
    corporateActions,
    money,
    faults,
    instruments: replay.directory,
    underlyings: replay.underlyings,
    ...(orders === undefined ? {} : { orders }),
    receivedLatencyNs: (instrumentId: number) => replay.feeds.get(instrumentId)?.receivedLatencyNs ?? 0,
  }
  const world = new World(config, replay.markets, replay.agenda, observer)
  replay.worlds.set(number, world)
  return world
}
