import type { EntryStateRules } from '../strategy/entry-state-watch.js'
import { readAll } from './refusals.js'
import { spanNs } from './run-span.js'

/** The states of order entry (spec 3); durations such as `30s`. */
export interface EntryStateOptions {
  /** An update and the fill that it states come this far apart before the account is DELAYED; default 1s. */
  readonly delayedAfter?: string
  /** The strategy is stopped when an account has been DEGRADED, or DELAYED, for so long; default never. */
  readonly stopDegradedAfter?: string
  /** The same for DELAYED. */
  readonly stopDelayedAfter?: string
}

/** The same in nanoseconds; OPTION_INVALID for what is no duration. */
export function entryStateRules(options: EntryStateOptions): EntryStateRules {
  const names = ['delayedAfter', 'stopDegradedAfter', 'stopDelayedAfter'] as const
  const given = names.flatMap((name) => (options[name] === undefined ? [] : [{ name, text: options[name] }]))
  return Object.fromEntries(
    readAll(
      given.map(
        ({ name, text }) =>
          () =>
            [`${name}Ns`, spanNs(text, `entryStates.${name}`)] as const,
      ),
    ),
  )
}
