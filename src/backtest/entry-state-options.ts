import type { EntryStateRules } from '../strategy/entry-state-watch.js'
import { spanNs } from './run-span.js'

/** The states of order entry (spec 3); durations such as `30s`. */
export interface EntryStateOptions {
  /** An update and the fill that it states come this far apart before the account is DELAYED; default 1s. */
  readonly delayedAfter?: string
  /** The strategy is stopped when an account has been DEGRADED, or DELAYED, for so long; default never. */
  readonly stopDegradedAfter?: string
  readonly stopDelayedAfter?: string
}

/** The same in nanoseconds; OPTION_INVALID for what is no duration. */
export function entryStateRules(options: EntryStateOptions): EntryStateRules {
  const { delayedAfter, stopDegradedAfter, stopDelayedAfter } = options
  return {
    ...(delayedAfter === undefined ? {} : { delayedAfterNs: spanNs(delayedAfter, 'entryStates.delayedAfter') }),
    ...(stopDegradedAfter === undefined ? {} : { stopDegradedAfterNs: spanNs(stopDegradedAfter, 'entryStates.stopDegradedAfter') }),
    ...(stopDelayedAfter === undefined ? {} : { stopDelayedAfterNs: spanNs(stopDelayedAfter, 'entryStates.stopDelayedAfter') }),
  }
}
