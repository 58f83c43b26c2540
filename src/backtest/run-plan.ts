import type { AccountConfig } from '../exchange/accounts/account-config.js'
import type { PlannedAction } from '../exchange/accounts/corporate-actions.js'
import type { Fault } from '../exchange/adapter/fault-plan.js'
import type { VenueProfile } from '../exchange/profile/venue-profile.js'
import type { WorldMoney } from '../exchange/accounts/world-money.js'
import type { EntryStateRules } from '../strategy/entry-state-watch.js'
import { accountEntries, accountsFromOptions } from '../configuration/account-options.js'
import type { BacktestOptions } from './backtest-options.js'
import { actionsFromOptions } from '../configuration/corporate-action-options.js'
import { entryStateRules } from '../configuration/entry-state-options.js'
import { faultsFromOptions } from '../configuration/fault-options.js'
import { worldMoney } from '../configuration/money-options.js'
import type { Replay } from '../simulation/replay.js'
import { Refusals } from '../configuration/refusals.js'
import { runSpan, type RunSpan } from '../configuration/run-span.js'

/** What a run declares beside its strategy, with every name and time looked up: the same for all of its worlds. */
export interface RunPlan {
  readonly span: RunSpan
  readonly accounts: readonly AccountConfig[]
  readonly money: WorldMoney
  readonly faults: readonly Fault[]
  readonly corporateActions: readonly PlannedAction[]
  readonly entryStates: EntryStateRules
}

/** Reads what a run declares; what is refused goes to `refusals`, and null comes back. */
export function runPlan(
  options: BacktestOptions, replay: Replay, profiles: ReadonlyMap<string, VenueProfile>, refusals: Refusals,
): RunPlan | null {
  const { directory: instruments, underlyings } = replay
  const { epochDay } = replay.clock
  const span = runSpan(options, replay, refusals)
  const accountIds = accountEntries(options).map(([accountId]) => accountId)
  const accounts = refusals.read(() => accountsFromOptions(options, instruments, underlyings, profiles))
  const money = refusals.read(() => worldMoney(options, instruments, underlyings, epochDay, replay.terms.steps))
  const faults = refusals.read(() => faultsFromOptions(options.faults ?? [], accountIds, { epochDay, span }))
  const corporateActions = refusals.read(() =>
    actionsFromOptions(options.corporateActions ?? [], { epochDay, span, instruments, underlyings }),
  )
  const entryStates = refusals.read(() => entryStateRules(options.entryStates ?? {}))
  if (accounts === null || money === null || faults === null || corporateActions === null || entryStates === null)
    return null
  return { span, accounts, money, faults, corporateActions, entryStates }
}
