import { epochNsFromText, timeFromEpochNs } from '../model/time.js'
import type { ControlParts } from './control-parts.js'
import { performControl } from './control-server.js'
import type { PlannedControl } from './serve-options.js'

/**
 * Plans actions at times of the replay, each once: they are done between two steps, when its clock has come there. One
 * that cannot be done then is logged. Throws TIME_INVALID.
 */
export function planActions(
  parts: ControlParts, plan: readonly PlannedControl[], onLog: (text: string) => void,
): void {
  const { clock } = parts.replay
  const timers = clock.timers('control plan', () => {})
  for (const [number, { at, action, ...fields }] of plan.entries()) {
    const perform = (): void => {
      performControl(parts, action, fields).then(
        () => { onLog(`plan: ${action}`) },
        (error: unknown) => {
          const words = error instanceof Error ? error.message : String(error)
          onLog(`plan: controlPlan[${String(number)}] failed: ${words}`)
        },
      )
    }
    const timeNs = timeFromEpochNs(epochNsFromText(at, clock.epochDay), clock.epochDay)
    timers.timer(String(number), { onDue: () => { parts.pacer.call(perform) } }).at(timeNs)
  }
}
