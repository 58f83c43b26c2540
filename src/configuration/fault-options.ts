import { REQUEST_KINDS, type LimitedRequest } from '../exchange/profile/venue-profile.js'
import type { PlannedFault, FaultEffect } from '../exchange/adapter/fault-plan.js'
import { durationOf } from '../model/duration.js'
import { asChecked, type Fault } from '../model/fault.js'
import { plannedTimeNs, type PlanSetting } from './run-span.js'

/**
 * Something that goes wrong for a while: once (`at`), or once in every interval at a time that the seed draws
 * (`every`).
 */
export interface FaultOptions {
  /**
   * `status`: the account has `status`; without a connection requests fail and messages of the exchange wait.
   * `requests`: requests fail with `error`. `replaces`: replaces cancel and place nothing. `fills`: fills are published
   * `delay` later than the updates that state them.
   */
  readonly kind: 'status' | 'requests' | 'replaces' | 'fills'
  /** One account; default all. */
  readonly account?: string
  /** A clock time on the first day (`12:00`), ISO-8601, or epoch nanoseconds in digits. */
  readonly at?: string
  /** A duration: the faults of a plan are spread over intervals of this length, counted from the begin of the run. */
  readonly every?: string
  /** Its duration; not above `every`. */
  readonly for: string
  /** Of `status`; default DISCONNECTED. */
  readonly status?: string
  /** Free text of the status. */
  readonly message?: string
  /** Of `requests` and `replaces`; default HTTP_REQUEST_TIMEOUT. */
  readonly error?: string
  /** Of `requests`: who refuses; default INTERNAL. */
  readonly source?: 'INTERNAL' | 'EXCHANGE'
  /** Of `requests`: which; default all. */
  readonly requests?: readonly LimitedRequest[]
  /** Of `fills`; default 1s. */
  readonly delay?: string
}

function effectOf(options: FaultOptions): FaultEffect {
  const {
    kind, status = 'DISCONNECTED', message = '', error = 'HTTP_REQUEST_TIMEOUT', source = 'INTERNAL',
    requests = REQUEST_KINDS, delay = '1s',
  } = options
  const effects: Readonly<Record<FaultOptions['kind'], FaultEffect>> = {
    status: { kind: 'status', status, message },
    requests: { kind: 'requests', requests, type: error, source },
    replaces: { kind: 'replaces', type: error },
    fills: { kind: 'fills', delayNs: asChecked(durationOf(delay)) },
  }
  return effects[kind]
}

/**
 * The faults of a run with every time looked up; the options have passed `checkOptions`. A time outside of the run is a
 * fault of the configuration.
 */
export function plannedFaults(
  options: readonly FaultOptions[], { epochDay, span }: PlanSetting, faults: Fault[],
): PlannedFault[] {
  return options.map((one, number) => {
    const forNs = asChecked(durationOf(one.for))
    const startNs =
      one.at === undefined
        ? span.fromNs
        : plannedTimeNs(one.at, forNs, `faults[${number}].at`, { epochDay, span }, faults)
    return {
      accountId: one.account ?? null, effect: effectOf(one), startNs,
      everyNs: one.every === undefined ? null : asChecked(durationOf(one.every)), forNs,
    }
  })
}
