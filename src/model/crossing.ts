import { sinceText, type SinceText } from './since-text.js'

/** The text of the state that begins a gap of a crossed book: it names when that was crossed (exchange rules 6.5). */
export const CROSSED_TEXT: SinceText = sinceText('the book is crossed since')

/** After how long a crossed book is unknown by default (exchange rules 6.5), nanoseconds. */
export const CROSSED_NS = 10_000_000_000
