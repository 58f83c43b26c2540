/** The states of an instance, and their meaning. Ours: spec 3 names none. */
export const INSTANCE_STATES = {
  CREATED: 'it has not run with its parameters',
  STARTING: 'its strategy is loaded, its parameters are checked against the data',
  RUNNING: 'it trades',
  STOPPING: 'it was asked to stop, and waits for the confirmation of its cancels',
  STOPPED: 'its data have ended, or it was stopped',
  FAILED: 'it could not start, its code failed, or it went over a limit',
  INTERRUPTED: 'the server ended while it ran; it can be resumed',
} as const

/** A state of an instance. */
export type InstanceState = keyof typeof INSTANCE_STATES

/** The events of instances that requests cause. */
export const INSTANCE_ACTIONS = ['start', 'resume', 'stop', 'reconfigure', 'delete'] as const

/** An event that a request causes. */
export type InstanceAction = (typeof INSTANCE_ACTIONS)[number]

/** An event of an instance: of a request, of its run, or the end of the server. */
export type InstanceEvent = InstanceAction | 'running' | 'ended' | 'failed' | 'interrupted'

/** A change of state. */
interface InstanceTransition {
  readonly from: readonly InstanceState[]
  readonly on: InstanceEvent
  /** Null: the instance is gone. */
  readonly to: InstanceState | null
}

const AT_REST = ['CREATED', 'STOPPED', 'FAILED', 'INTERRUPTED'] as const
const AT_WORK = ['STARTING', 'RUNNING', 'STOPPING'] as const

/** Every change of state. An event that a state is not named for is refused, or of no effect. */
export const INSTANCE_TRANSITIONS: readonly InstanceTransition[] = [
  { from: AT_REST, on: 'start', to: 'STARTING' },
  { from: ['INTERRUPTED'], on: 'resume', to: 'STARTING' },
  { from: ['STARTING'], on: 'running', to: 'RUNNING' },
  { from: ['STARTING', 'RUNNING'], on: 'stop', to: 'STOPPING' },
  { from: AT_WORK, on: 'ended', to: 'STOPPED' },
  { from: AT_WORK, on: 'failed', to: 'FAILED' },
  { from: AT_WORK, on: 'interrupted', to: 'INTERRUPTED' },
  { from: AT_REST, on: 'reconfigure', to: 'CREATED' },
  { from: AT_REST, on: 'delete', to: null },
]

/**
 * The state after an event; null: the instance is gone; undefined: the event is not of this state.
 *
 * @example `stateAfter('CREATED', 'start')` is `'STARTING'`, `stateAfter('RUNNING', 'delete')` undefined
 */
export function stateAfter(state: InstanceState, event: InstanceEvent): InstanceState | null | undefined {
  return INSTANCE_TRANSITIONS.find(({ from, on }) => on === event && from.includes(state))?.to
}

/** The states in which an action is allowed. */
export function statesFor(action: InstanceAction): readonly InstanceState[] {
  return INSTANCE_TRANSITIONS.flatMap(({ from, on }) => (on === action ? from : []))
}

/** True for the states of an instance whose run is under way. */
export function isAtWork(state: InstanceState): boolean {
  return stateAfter(state, 'interrupted') !== undefined
}
