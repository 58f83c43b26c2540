/**
 * Why a book cannot be trusted: not begun, a gap in the chain, an ERROR state, no data for long (exchange rules 6.4),
 * crossed with itself for long (6.5).
 */
export type UnknownBookReason = 'start' | 'gap' | 'error' | 'silence' | 'crossed'

/** A stretch without a trustworthy book (exchange rules 6.1). */
export interface UnknownBookPeriod {
  /**
   * Exchange-side time of the last good depth line, from which the time is counted; -Infinity where there was none. Of
   * a crossed book it is that of the detection.
   */
  readonly sinceNs: number
  /** When it was detected. */
  readonly detectedNs: number
  readonly reason: UnknownBookReason
  /** Of a silence before the first snapshot: whatever ends it, there is no book yet. */
  readonly isBeforeBook?: boolean
  /** Where the data went silent after the book was lost: when that was detected. */
  readonly silentNs?: number
  /** True from the state of a crossed book to the line that uncrosses it: nothing else makes the book known. */
  readonly isCrossed?: boolean
}

/** Count and length of the times with an unknown book; the time before its first snapshot left out. */
export interface UnknownBookTime {
  periods: number
  bookUnknownNs: number
}

/** A time with an unknown book as a report names it. */
export interface UnknownBookSpan {
  /** The last good depth line; null where there was none. */
  readonly sinceNs: number | null
  readonly detectedNs: number
  readonly reason: UnknownBookReason
  /** When the book was there again; null where it was not. */
  readonly endNs: number | null
}

/** Most spans that a market keeps one by one; all are counted. */
const SPANS_MAX = 256

/** The part of a market that says how long its book has been unknown. */
export interface UnknownBookMarket {
  readonly bookUnknown: UnknownBookPeriod | null
  readonly bookUnknownTime: UnknownBookTime
  /** The same of gaps of a crossed book, which are not in it. */
  readonly crossedGapTime: UnknownBookTime
  /** Everything before the run is not counted. */
  readonly runFromNs: number
}

/** The time in which a book was crossed with itself, gap or not (exchange rules 6.5). */
export interface CrossedTime {
  /** Stretches of it, from the line that crossed the book to that which uncrossed it. */
  count: number
  ns: number
}

/** The part of a market that says how long its book has been crossed. */
export interface CrossedMarket {
  /** Since when it is, without a break; NaN where it is not. */
  readonly crossedSinceNs: number
  readonly crossedTime: CrossedTime
  readonly crossedFromNs: number
}

/** Time of the run with a crossed book, up to `untilNs`, a stretch that has not ended included. */
export function crossedUntil(
  { crossedSinceNs, crossedTime, crossedFromNs }: CrossedMarket, untilNs: number,
): CrossedTime {
  const fromNs = Math.max(crossedFromNs, crossedSinceNs)
  if (!(fromNs < untilNs)) return { ...crossedTime }
  return { count: crossedTime.count + 1, ns: crossedTime.ns + untilNs - fromNs }
}

/** Times with an unknown book: those of a crossed one apart. */
export interface UnknownTimes {
  readonly bookUnknownTime: UnknownBookTime
  readonly crossedGapTime: UnknownBookTime
}

/**
 * Time of the run with an unknown book, up to `untilNs`, a period that has not ended included. Where no line was good
 * before it, it is counted from its detection.
 */
export function bookUnknownUntil(market: UnknownBookMarket, untilNs: number): UnknownTimes {
  const { bookUnknown, bookUnknownTime, crossedGapTime, runFromNs } = market
  const times = { bookUnknownTime: { ...bookUnknownTime }, crossedGapTime: { ...crossedGapTime } }
  if (bookUnknown === null || bookUnknown.reason === 'start' || untilNs <= runFromNs) return times
  const counted = bookUnknown.reason === 'crossed' ? times.crossedGapTime : times.bookUnknownTime
  counted.periods++
  counted.bookUnknownNs += Math.max(0, untilNs - countedFromNs(bookUnknown, runFromNs))
  return times
}

/** From when a time with an unknown book counts in a run. */
function countedFromNs(
  { sinceNs, detectedNs }: Pick<UnknownBookPeriod, 'sinceNs' | 'detectedNs'>, runFromNs: number,
): number {
  return Math.max(runFromNs, sinceNs === -Infinity ? detectedNs : sinceNs)
}

/** From when the first time that {@link bookUnknownUntil} counts does; Infinity where it counts none. */
export function firstUnknownNs(
  { bookUnknown, spans, runFromNs }: UnknownBookMarket & { readonly spans: readonly UnknownBookSpan[] },
): number {
  const [span] = spans
  if (span !== undefined) return countedFromNs({ ...span, sinceNs: span.sinceNs ?? -Infinity }, runFromNs)
  return bookUnknown === null || bookUnknown.reason === 'start' ? Infinity : countedFromNs(bookUnknown, runFromNs)
}

/** Counts the time with an unknown book that ends now, and keeps its span. */
export function endUnknownBook(market: UnknownBookMarket & { readonly spans: UnknownBookSpan[] }, nowNs: number): void {
  const { bookUnknown, bookUnknownTime, crossedGapTime, spans } = market
  const counted = bookUnknownUntil(market, nowNs)
  const isCounted =
    counted.bookUnknownTime.periods > bookUnknownTime.periods || counted.crossedGapTime.periods > crossedGapTime.periods
  if (bookUnknown !== null && isCounted && spans.length < SPANS_MAX) spans.push(spanOf(bookUnknown, nowNs))
  Object.assign(bookUnknownTime, counted.bookUnknownTime)
  Object.assign(crossedGapTime, counted.crossedGapTime)
}

function spanOf({ sinceNs, detectedNs, reason }: UnknownBookPeriod, endNs: number | null): UnknownBookSpan {
  return { sinceNs: Number.isFinite(sinceNs) ? sinceNs : null, detectedNs, reason, endNs }
}

/**
 * The spans that were noticed up to a time, the first ones of many; one that lasted longer has no end. A market may be
 * further on than a world that ended before.
 */
export function unknownSpansUntil(
  { bookUnknown, spans }: Pick<UnknownBookMarket, 'bookUnknown'> & { readonly spans: readonly UnknownBookSpan[] },
  untilNs: number,
): UnknownBookSpan[] {
  const open = bookUnknown === null || bookUnknown.reason === 'start' ? [] : [spanOf(bookUnknown, null)]
  return [...spans, ...open].filter(({ detectedNs }) => detectedNs <= untilNs).map((span) => (
    span.endNs !== null && span.endNs > untilNs ? { ...span, endNs: null } : span))
}
