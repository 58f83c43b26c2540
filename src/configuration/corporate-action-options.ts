import type { PlannedAction } from '../exchange/accounts/corporate-actions.js'
import { fault, type Fault } from '../model/fault.js'
import { findInstrument } from '../strategy/instrument-reference.js'
import { ValueRefusal } from '../strategy/instrument-reference.js'
import type { StockSplit } from '../venue/account-messages.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import { plannedTimeNs, type PlanSetting } from './run-span.js'

/** A split or a dividend of a plan. */
export interface CorporateActionOptions {
  /** A clock time on the first day (`12:00`), ISO-8601, or epoch nanoseconds in digits. */
  readonly at: string
  /** The instrument: its id, `exchange:code`, or a bare code where only one fits. */
  readonly instrument: string
  /** A split of the shares; an action is a split, a dividend or both. */
  readonly split?: StockSplit
  /** `underlying` is a code; a long receives `lowPrice` a unit, a short pays `highPrice`. */
  readonly dividend?: { readonly underlying: string; readonly highPrice: string; readonly lowPrice: string }
  /** Free text for readers of the plan. */
  readonly comment?: string
}

/** When and among what corporate actions happen. */
export interface ActionSetting extends PlanSetting {
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
}

function instrumentId({ instruments }: ActionSetting, reference: string, path: string, faults: Fault[]): number {
  try {
    return findInstrument(instruments, reference).instrument.id
  } catch (error) {
    if (!(error instanceof ValueRefusal)) throw error
    faults.push(fault(path, error.expected, reference))
    return 0
  }
}

/**
 * The plan with every name and time looked up; the options have passed `checkOptions`. A name that the run does not
 * know, and a time outside of it, are faults of the configuration.
 */
export function plannedActions(
  options: readonly CorporateActionOptions[], setting: ActionSetting, faults: Fault[],
): PlannedAction[] {
  const codes = setting.underlyings.entries.map(({ code }) => code)
  return options.map(({ at, instrument, split, dividend, comment }, number) => {
    const path = `corporateActions[${number}]`
    const timeNs = plannedTimeNs(at, 1, `${path}.at`, setting, faults)
    const id = instrumentId(setting, instrument, `${path}.instrument`, faults)
    const underlying = setting.underlyings.entries.find(({ code }) => code === dividend?.underlying)
    if (dividend !== undefined && underlying === undefined)
      faults.push(fault(`${path}.dividend.underlying`, `one of ${codes.join(', ')}`, dividend.underlying))
    const action = {
      instrumentId: id,
      ...(split === undefined ? {} : { split }),
      ...(dividend === undefined
        ? {}
        : {
            dividend: {
              underlyingId: underlying?.id ?? 0, highPrice: dividend.highPrice, lowPrice: dividend.lowPrice,
            },
          }),
      ...(comment === undefined ? {} : { comment }),
    }
    return { timeNs, action }
  })
}
