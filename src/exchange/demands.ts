import type { PlannedAction } from './accounts/corporate-actions.js'
import type { FaultEffect, PlannedFault } from './adapter/fault-plan.js'
import type { World } from './world.js'

const EXCHANGE_INTERNAL = 2

/** Has a fault begin while a world runs: once, at `startNs`, which is now or later. */
export function demandFault(world: World, fault: PlannedFault): void {
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

/** Has a corporate action happen while a world runs, at its time, which is now or later. */
export function demandAction(world: World, planned: PlannedAction): void {
  const number = world.actions.push(planned) - 1
  world.plan(planned.timeNs, planned.action.instrumentId, { kind: 'corporateAction', number })
}

/** Sends the whole state of an account (null: of all) to its clients, as an `accountStatus`. */
export function stateAccounts(world: World, accountId: string | null, timeNs: number): void {
  for (const one of accountId === null ? world.accounts.keys() : [accountId])
    world.send(timeNs, EXCHANGE_INTERNAL, 0, { way: 'status', accountId: one })
}
