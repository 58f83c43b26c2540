import { textAt } from './event-batch-columns.js'
import type { EventBatch } from './event-batch.js'
import { EVENT_KINDS } from './event-kind.js'
import { epochNsFromText, isoFromTime, nearTimeFromEpochNs } from './time.js'

/** Which lines end a silence: those of depth and top of book, or any recorded line. */
export type SilenceCounts = 'book' | 'any'

/** Instruments whose book moves all the time. */
const BOOK_TYPES: ReadonlySet<string> = new Set(['perpetual', 'future', 'futures'])

/** The lines that count for a type of instrument (exchange rules 6.4). */
export function silenceCountsOf(type: string): SilenceCounts {
  return BOOK_TYPES.has(type) ? 'book' : 'any'
}

/** After how long without a counting line data are silent by default (exchange rules 6.4), nanoseconds. */
export const SILENCE_NS: Readonly<Record<SilenceCounts, number>> = { book: 60_000_000_000, any: 600_000_000_000 }

/** True where a line of a msgType counts. */
export function countsAgainstSilence(kind: number, counts: SilenceCounts): boolean {
  return counts === 'any' || kind <= EVENT_KINDS.update || kind === EVENT_KINDS.topOfBook
}

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
  return since === undefined ? NaN : nearTimeFromEpochNs(epochNsFromText(since, null), epochDay)
}

/** The same by that state line in a batch. */
export function silentLineSinceNs(batch: EventBatch, index: number): number {
  return silentSinceNs(textAt(batch.text, (batch.textStart[index] as number) + 1) ?? '', batch.epochDay)
}
