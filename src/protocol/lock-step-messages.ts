/*
 * Lock-step (ours, wire decisions): messages of the order entry connection between a server of Backtape and a client of
 * Backtape. No other client ever sees one. A client with several accounts has a connection for each: every one of them
 * is sent each step and answers it, so that no request is on its way when the step is over; its first one names timers
 * and feed commands.
 */

/** The login option by which a client asks for steps; a server that knows it says so in `/api/info`. */
export const STEP_OPTION = 'lockstep'

/** Everything that a client has been sent for one moment of simulated time; it answers with {@link Stepped}. */
export interface Step {
  readonly msgType: 'step'
  readonly number: number
  /** The clock, epoch nanoseconds in digits. */
  readonly time: string
  /** Messages sent on the client's feed connections since their login, by market. */
  readonly feed: Readonly<Record<string, number>>
  /** Messages sent on this connection since its login, steps not counted. */
  readonly orderEntry: number
  /** True: the timer that the client named is due, and nothing else comes before it. */
  readonly isTimerDue: boolean
  /** The last step: the reason in words. */
  readonly end?: string
}

/** The answer: everything up to a step has been dealt with, and every request of it been sent before this. */
export interface Stepped {
  readonly msgType: 'stepped'
  /** 0: ready for the first step. */
  readonly number: number
  /** Subscribe and unsubscribe messages sent on the client's feed connections, by market. */
  readonly feedCommands: Readonly<Record<string, number>>
  /** Epoch nanoseconds in digits; null: no timer waits. */
  readonly nextTimer: string | null
}

type Fields = Readonly<Record<string, unknown>>

/** True for a message that is a whole {@link Stepped}. */
export function isStepped(message: Fields): message is Fields & Stepped {
  const { msgType, number, feedCommands, nextTimer } = message
  return (
    msgType === 'stepped' && Number.isSafeInteger(number) && (number as number) >= 0 &&
    typeof feedCommands === 'object' && feedCommands !== null &&
    Object.values(feedCommands).every((count) => Number.isSafeInteger(count)) &&
    (nextTimer === null || (typeof nextTimer === 'string' && /^\d{1,19}$/.test(nextTimer)))
  )
}

/** True for a message that is a whole {@link Step}. */
export function isStep(message: Fields): message is Fields & Step {
  const { msgType, number, time, feed, orderEntry, isTimerDue, end } = message
  return (
    msgType === 'step' && Number.isSafeInteger(number) && typeof time === 'string' && /^\d{1,19}$/.test(time) &&
    typeof feed === 'object' && feed !== null && Number.isSafeInteger(orderEntry) &&
    typeof isTimerDue === 'boolean' && (end === undefined || typeof end === 'string')
  )
}
