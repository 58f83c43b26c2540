import { CROSSED_NS } from '../model/crossing.js'
import { durationOf } from '../model/duration.js'

/** After how long a book crossed with itself is unknown (exchange rules 6.5), as an assumption. */
export interface CrossedAfter {
  readonly name: string
  /** Infinity: never. */
  readonly afterNs: number
}

const LEAST_NS = 1_000_000
const MOST_NS = 86_400_000_000_000
const OFF: CrossedAfter = { name: 'off', afterNs: Infinity }

/** The assumption that a text names, `off` or a duration; the expected value in words for any other text. */
export function crossedAfterOf(text: string): CrossedAfter | string {
  if (text === 'off') return OFF
  const afterNs = durationOf(text, { leastNs: LEAST_NS, mostNs: MOST_NS })
  return typeof afterNs === 'string' ? 'a duration from 1ms to 24h, or "off"' : { name: text, afterNs }
}

/** The assumption where nothing is said: off where the run trusts every book. */
export function defaultCrossedAfter(isTrusting: boolean): CrossedAfter {
  return isTrusting ? OFF : { name: '10s', afterNs: CROSSED_NS }
}
