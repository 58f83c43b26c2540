import type { AccountConfig } from '../exchange/accounts/account-config.js'
import type { PlannedAction } from '../exchange/accounts/corporate-actions.js'
import type { PlannedFault } from '../exchange/adapter/fault-plan.js'
import type { VenueProfile } from '../exchange/profile/venue-profile.js'
import type { WorldMoney } from '../exchange/accounts/world-money.js'
import type { Fault } from '../model/fault.js'
import type { EntryStateRules } from '../strategy/entry-state-watch.js'
import { plannedAccounts } from '../configuration/account-options.js'
import type { BacktestOptions } from './backtest-options.js'
import { plannedActions } from '../configuration/corporate-action-options.js'
import { equityRowsOf } from '../configuration/equity-options.js'
import { entryStateRules } from '../configuration/entry-state-options.js'
import { plannedFaults } from '../configuration/fault-options.js'
import { worldMoney } from '../configuration/money-options.js'
import type { Replay } from '../simulation/replay.js'
import { feedLatencyFaults } from '../configuration/assumptions.js'
import { runSpan, type RunSpan } from '../configuration/run-span.js'

/**
 * The declarations of a run beside its strategy, with every name and time looked up: the same for all of its worlds.
 */
export interface RunPlan {
  readonly span: RunSpan
  readonly accounts: readonly AccountConfig[]
  readonly money: WorldMoney
  readonly faults: readonly PlannedFault[]
  readonly corporateActions: readonly PlannedAction[]
  readonly entryStates: EntryStateRules
  /** Rows of equity that were asked for; null: those of the default. */
  readonly equityRows: ReturnType<typeof equityRowsOf>
}

/** Reads the declarations of a run; names and times that its data do not have go to `faults`. */
export function runPlan(
  options: BacktestOptions, replay: Replay, profiles: ReadonlyMap<string, VenueProfile>, faults: Fault[],
): RunPlan {
  const { directory: instruments, underlyings } = replay
  const { epochDay } = replay.clock
  const span = runSpan(options, replay, faults)
  faults.push(...feedLatencyFaults(options.assumptions ?? {}, instruments))
  const setting = { epochDay, span, instruments, underlyings }
  return {
    span,
    accounts: plannedAccounts(options, instruments, underlyings, profiles, epochDay, faults),
    money: worldMoney(options, instruments, underlyings, epochDay, replay.terms.steps, faults),
    faults: plannedFaults(options.faults ?? [], setting, faults),
    corporateActions: plannedActions(options.corporateActions ?? [], setting, faults),
    entryStates: entryStateRules(options.entryStates ?? {}),
    equityRows: equityRowsOf(options.equity ?? {}),
  }
}
