import { FaultsError, type Fault } from '../model/fault.js'
import { epochNsFromText, timeFromEpochNs } from '../model/time.js'
import { CONTROL_ACTIONS } from './control-actions.js'
import { ControlRefusal } from './control-body.js'
import { faultOf, fieldFaults } from './control-fields.js'
import type { ControlParts } from './control-parts.js'
import { bodyOf, performControl } from './control-server.js'
import type { PlannedControl } from './serve-options.js'

/** The actions of a configuration with their times. */
export interface ControlPlan {
  /** Actions that could not be done when their time came. */
  readonly failedCount: number
  /** Says which actions have not been done: the data have ended. */
  end(): void
}

/** Lines for an operator: those that begin with `Warning` are always shown. */
type Log = (text: string) => void

/**
 * Plans actions at times of the replay, each once: they are done between two steps, when its clock has come there. One
 * that cannot be done then is logged as a warning. Throws TIME_INVALID, and OPTION_INVALID for an action that could
 * never be done, with all their faults.
 */
export async function planActions(
  parts: ControlParts, { plan, keys, onLog }: {
    readonly plan: readonly PlannedControl[]; readonly keys: readonly string[]; readonly onLog: Log
  },
): Promise<ControlPlan> {
  const faults = await planFaults(parts, plan, keys)
  if (faults.length > 0) throw new FaultsError('OPTION_INVALID', 'Cannot serve', faults, 'the options')
  return new OpenPlan(parts, plan, onLog)
}

class OpenPlan implements ControlPlan {
  failedCount = 0
  readonly #undone: Set<number>

  constructor(
    private readonly parts: ControlParts, private readonly plan: readonly PlannedControl[], private readonly onLog: Log,
  ) {
    this.#undone = new Set(plan.keys())
    parts.replay.onRestart = () => { this.#arm() }
    this.#arm()
  }

  end(): void {
    for (const number of this.#undone)
      this.onLog(`Warning: ${this.#nameOf(number)} was not done: the data have ended before ${this.#of(number).at}`)
  }

  #of(number: number): PlannedControl {
    return this.plan[number] as PlannedControl
  }

  #nameOf(number: number): string {
    return `controlPlan[${String(number)}] (${this.#of(number).action})`
  }

  /** The replay at hand has a clock of its own. */
  #arm(): void {
    const { clock } = this.parts.replay
    const timers = clock.timers('control plan', () => {})
    for (const number of this.#undone)
      timers.timer(String(number), {
        onDue: () => { this.parts.pacer.call(() => { this.#perform(number) }) },
      }).at(timeOf(this.#of(number), clock.epochDay))
  }

  #perform(number: number): void {
    if (!this.#undone.delete(number)) return
    const { at: _, action, ...fields } = this.#of(number)
    performControl(this.parts, action, fields).then(
      () => { this.onLog(`plan: ${action}`) },
      (error: unknown) => {
        this.failedCount++
        const words = error instanceof Error ? error.message : String(error)
        this.onLog(`Warning: ${this.#nameOf(number)} failed: ${words}`)
      },
    )
  }
}

function timeOf({ at }: PlannedControl, epochDay: number): number {
  return timeFromEpochNs(epochNsFromText(at, epochDay), epochDay)
}

/** The faults of a plan that show before its times: unknown names, values that mean nothing, times before the begin. */
async function planFaults(
  parts: ControlParts, plan: readonly PlannedControl[], keys: readonly string[],
): Promise<Fault[]> {
  const { clock, fromNs } = parts.replay
  const known = new Set([...keys, ...plan.map(({ newKey }) => newKey)])
  const all: Fault[] = []
  for (const [number, planned] of plan.entries()) {
    const { at, action: name, ...fields } = planned
    const path = `controlPlan[${String(number)}]`
    if (timeOf(planned, clock.epochDay) < fromNs)
      all.push({ path: `${path}.at`, expected: 'a time of the replay', found: JSON.stringify(at) })
    const action = Object.hasOwn(CONTROL_ACTIONS, name) ? CONTROL_ACTIONS[name] : undefined
    if (action === undefined) {
      const names = Object.keys(CONTROL_ACTIONS).join(', ')
      all.push({ path: `${path}.action`, expected: `one of ${names}`, found: JSON.stringify(name) })
      continue
    }
    const body = bodyOf(parts, fields)
    const faults = fieldFaults(action.fields, fields, body, true)
    if (faults.length === 0 && action.check !== undefined)
      await action.check(parts, body).catch((error: unknown) => {
        if (!(error instanceof ControlRefusal)) throw error
        faults.push(faultOf(error))
      })
    if (typeof fields['key'] === 'string' && !known.has(fields['key']))
      faults.push({ path: 'key', expected: 'one of keys', found: 'another one' })
    all.push(...faults.map((one) => ({ ...one, path: one.path === '' ? path : `${path}.${one.path}` })))
  }
  return all
}
