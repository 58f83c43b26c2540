import type { PlannedAction } from './accounts/corporate-actions.js'
import { EXCHANGE_INTERNAL } from './agenda.js'
import type { FaultEffect, PlannedFault } from './adapter/fault-plan.js'
import type { World } from './world.js'

/** Has a fault begin while a world runs: once, at `startNs`. Throws RangeError where that is before `nowNs`. */
export function demandFault(world: World, fault: PlannedFault, nowNs: number): void {
  refusePast(fault.startNs, nowNs)
  world.faults.add(fault)
  if (fault.effect.kind === 'status') stateAccounts(world, fault.accountId, fault.startNs)
}

/** Ends the faults of a kind that {@link demandFault} has begun, on an account or (null) on all. */
export function endDemandedFaults(
  world: World, kind: FaultEffect['kind'], accountId: string | null, timeNs: number,
): void {
  world.faults.end(kind, accountId, timeNs)
  if (kind === 'status') stateAccounts(world, accountId, timeNs)
}

/** Has a corporate action happen while a world runs. Throws RangeError where its time is before `nowNs`. */
export function demandAction(world: World, planned: PlannedAction, nowNs: number): void {
  refusePast(planned.timeNs, nowNs)
  world.actions.add(planned)
}

/**
 * Sends the whole state of an account (null: of all) to its clients, as an `accountStatus`; `text` is what it says,
 * where that is not the status' own.
 */
export function stateAccounts(world: World, accountId: string | null, timeNs: number, text?: string): void {
  for (const one of accountId === null ? world.accounts.keys() : [accountId])
    world.send(timeNs, EXCHANGE_INTERNAL, 0, {
      way: 'status', accountId: one, ...(text === undefined ? {} : { text }),
    })
}

/** A world goes forward alone: something on its agenda that has been would stop it for good. */
function refusePast(timeNs: number, nowNs: number): void {
  if (timeNs >= nowNs) return
  throw new RangeError(`Cannot demand something at ${String(timeNs)}: it is ${String(nowNs)} already`)
}
