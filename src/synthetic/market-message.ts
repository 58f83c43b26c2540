import { BacktapeError } from '../model/error.js'
import { NS_PER_DAY, NS_PER_SECOND } from '../model/time.js'

/**
 * A line as the venue publishes it, before a recorder has received it. Times are nanoseconds since the midnight of the
 * first day.
 */
export interface MarketMessage {
  /** The msgType. */
  readonly kind: number
  readonly previousId: string
  readonly id: string
  /** When it leaves the venue. */
  readonly timeNs: number
  /** Its own word for its time; NaN: nothing. */
  readonly exchangeTimeNs: number
  /** Data and tail as the line has them. */
  readonly body: string
}

/** Where made-up lines go to. */
export type LineSink = (line: string) => void

/** The text of epoch nanoseconds, from a time counted from the midnight of `epochDay`. */
export function epochText(timeNs: number, epochDay: number): string {
  const seconds = Math.floor(timeNs / NS_PER_SECOND)
  const whole = (epochDay * NS_PER_DAY) / NS_PER_SECOND + seconds
  if (whole < 0 || !Number.isSafeInteger(timeNs)) {
    const message = `Cannot write the time ${String(timeNs)} ns after day ${String(epochDay)}: it must be whole ` +
      'nanoseconds after 1970'
    throw new BacktapeError('VALUE_INEXACT', message, { found: String(timeNs) })
  }
  const rest = String(timeNs - seconds * NS_PER_SECOND)
  return whole === 0 ? rest : `${String(whole)}${rest.padStart(9, '0')}`
}
