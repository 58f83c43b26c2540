import { durationOf } from '../model/duration.js'
import { asChecked } from '../model/fault.js'
import { NS_PER_DAY, NS_PER_MS } from '../model/time.js'

/** Rows of the table of equity; the summary is the same whatever they are. */
export interface EquityOptions {
  /** Market time between two rows, a duration from 1ms to 1d; default 1min. */
  readonly every?: string
  /** A row for each fill too; default false. */
  readonly fills?: boolean
}

/** Nanoseconds between two rows of equity, or the words of what was wanted. */
export function equityEveryOf(text: string): number | string {
  return durationOf(text, { leastNs: NS_PER_MS, mostNs: NS_PER_DAY })
}

/** The rows that were asked for; null where they are those of the default. The options have passed `checkOptions`. */
export function equityRowsOf({ every, fills = false }: EquityOptions): {
  readonly everyNs: number | null
  readonly fills: boolean
} | null {
  if (every === undefined && !fills) return null
  return { everyNs: every === undefined ? null : asChecked(equityEveryOf(every)), fills }
}
