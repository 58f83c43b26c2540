import { textAt } from './event-batch-columns.js'
import type { EventBatch } from './event-batch.js'
import { epochNsFromText, isoFromTime, timeFromEpochNs } from './time.js'

const WORDS = 'no data since '
const TEXT = /^no data since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z)$/

/**
 * The text of the state that begins a silence after a line at `lastNs`, nanoseconds since the midnight of `epochDay`.
 */
export function silenceText(lastNs: number, epochDay: number): string {
  return WORDS + isoFromTime(lastNs, epochDay)
}

/**
 * When the line before a silence came, nanoseconds since the midnight of `epochDay`, by the text of the state that
 * begins it; NaN for any other text.
 */
export function silentSinceNs(text: string, epochDay: number): number {
  const [, since] = TEXT.exec(text) ?? []
  return since === undefined ? NaN : timeFromEpochNs(epochNsFromText(since, null), epochDay)
}

/** The same by that state line in a batch. */
export function silentLineSinceNs(batch: EventBatch, index: number): number {
  return silentSinceNs(textAt(batch.text, (batch.textStart[index] as number) + 1) ?? '', batch.epochDay)
}
