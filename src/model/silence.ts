import { EVENT_KINDS } from './event-kind.js'
import { sinceText, type SinceText } from './since-text.js'

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

/** The text of the state that begins a silence: it names the line before it (exchange rules 6.4). */
export const SILENCE_TEXT: SinceText = sinceText('no data since')
