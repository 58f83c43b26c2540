import { SHOP_LIMITS } from './shop-limits.js'
import {
  SHOP_MACHINES, type ShopEvent, type ShopMachineName, type ShopState, type ShopTransition,
} from './shop-transitions.js'

const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 86_400_000

/** An object of the shop: its state, when it began, and since when it has its state. Times are epoch milliseconds. */
export interface ShopRecord<State extends string = string> {
  readonly state: State
  readonly startMs: number
  readonly sinceMs: number
}

/** The lengths of time after which states change by themselves, milliseconds; `Infinity`: never. */
export interface ShopTimes {
  readonly sessionMs: number
  readonly guestOrderMs: number
  readonly coldMs: number
  readonly restoreMs: number
}

/** The times of the limits. */
export const SHOP_TIMES: ShopTimes = {
  sessionMs: SHOP_LIMITS.sessionHours.value * MS_PER_HOUR, guestOrderMs: SHOP_LIMITS.guestOrderDays.value * MS_PER_DAY,
  coldMs: SHOP_LIMITS.coldDays.value * MS_PER_DAY, restoreMs: SHOP_LIMITS.restoreHours.value * MS_PER_HOUR,
}

function isState<Name extends ShopMachineName>(name: Name, state: string): state is ShopState<Name> & string {
  return Object.hasOwn(SHOP_MACHINES[name].shown, state)
}

/**
 * The record after an event at `nowMs`: first what time has done until then, then the event, which changes nothing
 * where its state has no transition for it. `time` is no event but the time alone. What has changed stays changed when
 * the clock steps back. The record itself where nothing changes.
 *
 * @example `stateAfter('session', { state: 'pending', startMs: 0, sinceMs: 0 }, 'pay', 5)` is
 *   `{ state: 'paid', startMs: 0, sinceMs: 5 }`
 */
export function stateAfter<Name extends ShopMachineName>(
  name: Name, record: ShopRecord<ShopState<Name> & string>, event: ShopEvent<Name> | 'time', nowMs: number,
  times: ShopTimes = SHOP_TIMES,
): ShopRecord<ShopState<Name> & string> {
  const transitions: readonly ShopTransition[] = SHOP_MACHINES[name].transitions
  let current = record
  // Each step leaves a state for a later one of its machine, so there are at most as many as transitions.
  for (let steps = 0; steps < transitions.length; steps++) {
    const due = transitions.find((one) => one.from === current.state && dueMs(one, current, times) <= nowMs)
    if (due === undefined || !isState(name, due.to)) break
    current = { ...current, state: due.to, sinceMs: dueMs(due, current, times) }
  }
  const caused = transitions.find((one) => event !== 'time' && one.from === current.state && one.on === event)
  return caused === undefined || !isState(name, caused.to) ? current : { ...current, state: caused.to, sinceMs: nowMs }
}

/** When a transition happens by itself; NaN where it does not. */
function dueMs({ on, after }: ShopTransition, { startMs, sinceMs }: ShopRecord, times: ShopTimes): number {
  if (on !== 'time' || after === undefined) return NaN
  return (after.of === 'start' ? startMs : sinceMs) + times[after.limit]
}

/** The word by which a state is shown: `pending` for `restoring`. */
export function shownState(name: ShopMachineName, state: string): string {
  const words: Readonly<Record<string, string>> = SHOP_MACHINES[name].shown
  return words[state] ?? state
}

/** A file of an archive, with its state as it is shown. */
export interface MemberState {
  readonly state: string
  readonly bytes: number
}

/** The counts of files that are ready, pending and cold. */
export function archiveCounts(members: readonly MemberState[]): { ready: number, pending: number, cold: number } {
  const counts = { ready: 0, pending: 0, cold: 0 }
  for (const { state } of members) {
    if (state === 'ready') counts.ready++
    else if (state === 'cold') counts.cold++
    else counts.pending++
  }
  return counts
}

/** The event of a zip whose files have these states. */
export function archiveEvent(members: readonly MemberState[]): ShopEvent<'archive'> {
  const bytes = members.reduce((sum, member) => sum + member.bytes, 0)
  if (bytes > SHOP_LIMITS.archiveBytes.value) return 'overLimit'
  return archiveCounts(members).ready === members.length ? 'allReady' : 'notReady'
}
