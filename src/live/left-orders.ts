import { cancelOrders } from './farewell-client.js'
import { HostWatch } from './host-watch-client.js'
import type { LiveOptions } from './live-options.js'
import { LiveRun } from './live-run.js'
import { knownVenue, openAccount } from './live-session-client.js'
import { endSession } from './run-live.js'
import { Strategy } from '../strategy/strategy.js'

/** Stands where a strategy would. */
class NoStrategy extends Strategy {}

/** The orders of a run that did not end by itself. */
export interface LeftOrders {
  /** Own ids of those that are open still. */
  readonly openIds: readonly string[]
  /** Sentences on those that could not be cancelled. */
  readonly warnings: readonly string[]
}

/**
 * Asks the adapters for the orders of `ownOrderIds` that are open, and cancels them where `cancelAllAtStop` says so. No
 * strategy runs. Throws CONNECTION_FAILED where a host cannot be reached.
 */
export async function leftOrders(given: Omit<LiveOptions, 'strategy'>): Promise<LeftOrders> {
  const options = { ...given, strategy: NoStrategy }
  const venue = await knownVenue(options)
  const { clientId = 'strategy', cancelAllAtStop: cancels = false } = options
  const { pace, epochDay, instruments, underlyings } = venue
  const run = new LiveRun({ options, clientId, pace, epochDay, instruments, underlyings, onEnd: () => undefined })
  const hosts = new HostWatch(null, () => undefined)
  try {
    for (const account of venue.accounts) await openAccount({ run, venue, options, hosts, recording: null }, account)
    run.leave()
    const warnings = cancels === false ? [] : await cancelOrders(run, cancels === 'own')
    return { openIds: run.accounts.flatMap(({ openOrders }) => openOrders.ownIds.map(String)), warnings }
  } finally {
    await endSession(run, hosts)
  }
}
