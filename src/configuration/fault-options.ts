import { REQUEST_KINDS, type LimitedRequest } from '../exchange/profile/venue-profile.js'
import type { Fault, FaultEffect } from '../exchange/adapter/fault-plan.js'
import { BacktapeError } from '../model/error.js'
import { readAll, Refusals } from './refusals.js'
import { outsideOfRun, planTimeNs, spanNs, type RunSpan } from './run-span.js'

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
  /** How long it lasts; not above `every`. */
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

/** When faults happen. */
export interface FaultSetting {
  readonly epochDay: number
  readonly span: RunSpan
}

/** Statuses of spec 4 that are faults. */
const STATUSES: readonly string[] = [
  'DISCONNECTED', 'EXCHANGE_BUSY', 'BLOCKED', 'BANNED', 'UNASSIGNED', 'MANUAL_SHUTDOWN', 'EMERGENCY_SHUTDOWN',
]

function refused(field: string, expected: string, found: unknown): BacktapeError {
  const text = JSON.stringify(found) ?? 'nothing'
  return new BacktapeError('OPTION_INVALID', `Cannot plan faults: ${field} must be ${expected}, found ${text}`, {
    field, expected, found: text.slice(0, 80),
  })
}

function effectOf(options: FaultOptions, field: string): FaultEffect {
  const {
    kind, status = 'DISCONNECTED', message = '', error = 'HTTP_REQUEST_TIMEOUT', source = 'INTERNAL',
    requests = REQUEST_KINDS, delay = '1s',
  } = options
  switch (kind) {
    case 'status': {
      if (!STATUSES.includes(status)) throw refused(`${field}.status`, `one of ${STATUSES.join(', ')}`, status)
      return { kind, status, message }
    }
    case 'requests': {
      for (const request of requests)
        if (!REQUEST_KINDS.includes(request))
          throw refused(`${field}.requests`, `of ${REQUEST_KINDS.join(', ')}`, request)
      return { kind, requests, type: error, source }
    }
    case 'replaces': return { kind, type: error }
    case 'fills': return { kind, delayNs: spanNs(delay, `${field}.delay`) }
  }
  throw refused(`${field}.kind`, 'status, requests, replaces or fills', kind)
}

/** Fields that every kind has, and those of each. */
const COMMON: readonly string[] = ['kind', 'account', 'at', 'every', 'for']
const OWN: Readonly<Record<FaultOptions['kind'], readonly string[]>> = {
  status: ['status', 'message'], requests: ['error', 'source', 'requests'], replaces: ['error'], fills: ['delay'],
}

function checkFields(options: FaultOptions, field: string): void {
  const { kind } = options
  if (!Object.hasOwn(OWN, kind)) return
  readAll(Object.entries(options).map(([name, value]) => (): void => {
    if (value === undefined || COMMON.includes(name) || OWN[kind].includes(name)) return
    throw refused(`${field}.${name}`, `absent, as a fault of kind ${kind} has ${OWN[kind].join(', ')}`, value)
  }))
}

function lengthsOf({ at, every, for: held }: FaultOptions, field: string): Pick<Fault, 'everyNs' | 'forNs'> {
  if ((at === undefined) === (every === undefined))
    throw refused(field, 'at (once) or every (again and again)', at === undefined ? 'neither' : 'both')
  const forNs = spanNs(held, `${field}.for`)
  const everyNs = every === undefined ? null : spanNs(every, `${field}.every`)
  if (everyNs !== null && everyNs < forNs) throw refused(`${field}.for`, `at most ${String(every)}`, held)
  return { everyNs, forNs }
}

function startOf({ at }: FaultOptions, field: string, forNs: number, { epochDay, span }: FaultSetting): number {
  if (at === undefined) return span.fromNs
  const startNs = planTimeNs(at, epochDay, (expected) => refused(`${field}.at`, expected, at))
  const where = outsideOfRun(startNs, forNs, span, epochDay)
  if (where !== null) throw refused(`${field}.at`, where, at)
  return startNs
}

/**
 * The faults of a run with every time and name looked up; what means nothing, or can never happen, is refused in words.
 * Without a setting their times are not.
 */
export function faultsFromOptions(
  options: readonly FaultOptions[], accountIds: readonly string[], setting: FaultSetting | null,
): Fault[] {
  return readAll(
    options.map((fault, number) => (): Fault => {
      const field = `faults[${number}]`
      const { account } = fault
      const refusals = new Refusals()
      refusals.read(() => {
        if (account !== undefined && !accountIds.includes(account))
          throw refused(`${field}.account`, `one of ${accountIds.join(', ')}`, account)
      })
      refusals.read(() => checkFields(fault, field))
      const lengths = refusals.read(() => lengthsOf(fault, field))
      const startNs =
        setting === null || lengths === null ? 0 : refusals.read(() => startOf(fault, field, lengths.forNs, setting))
      const effect = refusals.read(() => effectOf(fault, field))
      refusals.end()
      return {
        accountId: account ?? null, effect: effect as FaultEffect, startNs: startNs ?? 0,
        ...(lengths as Pick<Fault, 'everyNs' | 'forNs'>),
      }
    }),
  )
}
