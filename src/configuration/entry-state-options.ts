import { durationOf } from '../model/duration.js'
import { asChecked } from '../model/fault.js'
import type { EntryStateRules } from '../strategy/entry-state-watch.js'

/** The states of order entry (spec 3); durations such as `30s`. */
export interface EntryStateOptions {
  /** An update and the fill that it states come this far apart before the account is DELAYED; default 1s. */
  readonly delayedAfter?: string
  /** The strategy is stopped when an account has been DEGRADED for so long; default never. */
  readonly stopDegradedAfter?: string
  /** The same for DELAYED. */
  readonly stopDelayedAfter?: string
}

/** The same in nanoseconds; the options have passed `checkOptions`. */
export function entryStateRules(options: EntryStateOptions): EntryStateRules {
  return Object.fromEntries(
    Object.entries(options).map(([name, text]) => [`${name}Ns`, asChecked(durationOf(text as string))]),
  )
}
