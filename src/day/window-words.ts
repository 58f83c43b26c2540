import { epochDayFromNs, isoFromEpochNs } from '../model/time.js'
import type { TimeWindow } from './time-input.js'

/**
 * `23:57:02` on the day of the reader, `2024-07-18 23:57:02` on another one or where none is known; fractions only
 * where they are not 0.
 */
export function timeWords(epochNs: bigint, epochDay: number | null): string {
  const iso = isoFromEpochNs(epochNs)
  const fraction = iso.slice(20, 29).replace(/0+$/, '')
  const clock = `${iso.slice(11, 19)}${fraction === '' ? '' : `.${fraction}`}`
  return epochDayFromNs(epochNs) === epochDay ? clock : `${iso.slice(0, 10)} ${clock}`
}

/** The same to the second below: where data begin and end. */
function secondWords(epochNs: bigint, epochDay: number | null): string {
  return timeWords(epochNs - (((epochNs % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n), epochDay)
}

/** `between 12:00:00 and 12:05:00`, `from 12:00:00 on`, `before 12:05:00`; empty for no bound. */
export function windowWords({ from, to }: TimeWindow, epochDay: number | null): string {
  if (from !== null && to !== null) return ` between ${timeWords(from, epochDay)} and ${timeWords(to, epochDay)}`
  if (from !== null) return ` from ${timeWords(from, epochDay)} on`
  return to === null ? '' : ` before ${timeWords(to, epochDay)}`
}

/** Where the data lie, on the adapter clock. */
export interface DataSpan {
  /** Null: there is no event at all. */
  readonly first: bigint | null
  readonly last: bigint | null
  /** False where reading stopped at `last`, the first event behind the window. */
  readonly isWhole: boolean
}

/** `the data begin 23:57:02 and end 00:05:10`, in days other than `epochDay` with their date. */
export function spanWords({ first, last, isWhole }: DataSpan, epochDay: number | null): string {
  if (first === null || last === null) return 'the data hold no event'
  const begin = `the data begin ${secondWords(first, epochDay)}`
  if (!isWhole && first === last) return begin
  return `${begin} and ${isWhole ? 'end' : 'go on at'} ${secondWords(last, epochDay)}`
}
