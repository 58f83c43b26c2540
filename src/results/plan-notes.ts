import { FaultPlan } from '../exchange/adapter/fault-plan.js'
import type { World } from '../exchange/world.js'

/**
 * Entries of a run's plan that its data did not come to, in the order of the plan: sentences. Times outside of a run
 * are refused before it; these lie behind the last event of its data (exchange rules 1.6), or were drawn into the rest
 * of an interval that the run did not have.
 */
export function planNotes({ config, hasEnded }: World, lastNs: number): string[] {
  // The instant of the last event still happened, that of `to` did not.
  const endNs = hasEnded ? lastNs + 1 : lastNs
  const faults = config.faults ?? []
  const plan = new FaultPlan(faults, config.assumptions.seed)
  return [
    ...faults.flatMap((_, number) =>
      plan.firstNs(number) < endNs ? [] : [`faults[${number}] did not happen: the run ended before its time`],
    ),
    ...(config.corporateActions ?? []).flatMap(({ timeNs }, number) =>
      timeNs < endNs ? [] : [`corporateActions[${number}] did not happen: the run ended before its time`],
    ),
  ]
}
