import type { Side } from '../../model/side.js'
import type { PriceWatcher, WatchedPrice, WorldLevel } from './price-watch.js'

/**
 * Why a book cannot be trusted: not begun, a gap in the chain, an ERROR state, no data for long (exchange rules 6.4).
 */
export type UnknownBookReason = 'start' | 'gap' | 'error' | 'silence'

/** A stretch without a trustworthy book (exchange rules 6.1). */
export interface UnknownBookPeriod {
  /**
   * Exchange-side time of the last good depth line, from which the time is counted; -Infinity where there was
   * none.
   */
  readonly sinceNs: number
  /** When it was detected. */
  readonly detectedNs: number
  readonly reason: UnknownBookReason
  /** Of a silence before the first snapshot: whatever ends it, there is no book yet. */
  readonly isBeforeBook?: boolean
}

/** Count and length of the times with an unknown book; the time before its first snapshot left out. */
export interface UnknownBookTime {
  periods: number
  bookUnknownNs: number
}

/**
 * A world's part of one instrument, as the market calls it. A callback may attach or detach the participant itself and
 * drop the level in turn, nothing else. Only worlds with open interest are attached.
 */
export interface MarketParticipant extends PriceWatcher {
  /** A public trade row whose aggressor is the other side of `side`'s resting orders. */
  onTrade(side: Side, price: number, quantity: number, timeNs: number): void
  /**
   * A watched level of this world changed from one displayed quantity to another (NaN before: it shows for the first
   * time).
   */
  onChange(level: WorldLevel, watched: WatchedPrice, previous: number, current: number): void
  /**
   * The opposite side shows a level at or through some resting order of `side`; `improved`: its best was worse before
   * the line.
   */
  onShown(side: Side, timeNs: number, improved: boolean): void
  onGap(period: UnknownBookPeriod): void
  /** The snapshot that ends a time with an unknown book has been applied and not been judged yet. */
  onRecovery(timeNs: number): void
  /** A silence ends with an unbroken chain (exchange rules 6.4): the line that ends it has not been applied yet. */
  onUnbroken(): void
  /** The line that ends a time with an unknown book has been judged: what waited for it may go on. */
  onRecovered(timeNs: number): void
  /** The feed shows finer digits: every price and quantity held is to be multiplied. */
  onRescale(priceFactor: number, quantityFactor: number): void
}

/**
 * Orders of a world whose conditions are held against the market after every item. Only where there are such orders.
 */
export interface ConditionWatcher {
  onItem(timeNs: number): void
}

/** The part of a market that says how long its book has been unknown. */
export interface UnknownBookMarket {
  readonly bookUnknown: UnknownBookPeriod | null
  readonly bookUnknownTime: UnknownBookTime
  /** Everything before the run is not counted. */
  readonly runFromNs: number
}

/**
 * Time of the run with an unknown book, up to `untilNs`, a period that has not ended included. Where no line was good
 * before it, it is counted from its detection.
 */
export function bookUnknownUntil(
  { bookUnknown, bookUnknownTime, runFromNs }: UnknownBookMarket, untilNs: number,
): UnknownBookTime {
  if (bookUnknown === null || bookUnknown.reason === 'start' || untilNs <= runFromNs) return { ...bookUnknownTime }
  const sinceNs = Math.max(runFromNs, bookUnknown.sinceNs === -Infinity ? bookUnknown.detectedNs : bookUnknown.sinceNs)
  return {
    periods: bookUnknownTime.periods + 1, bookUnknownNs: bookUnknownTime.bookUnknownNs + Math.max(0, untilNs - sinceNs),
  }
}
