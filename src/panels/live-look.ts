import type { StretchPart } from './growing-stretch.js'
import type { StretchColumns } from './stretch-columns.js'

/** A point of the pictures of a run: what happened between two looks at it. */
export interface LivePoint {
  /** Epoch milliseconds of market time. */
  readonly timeMs: number
  /**
   * The least bid and the greatest ask since the look before, and the mid, at the price scale of the stretch, by the
   * places of its instruments; null where a side was empty.
   */
  readonly prices: readonly (readonly [low: number, high: number, mid: number] | null)[]
  /** Profit in the currency of the status; null where it has none. */
  readonly profit: number | null
  /** Positions of all accounts together, by the places of instruments. */
  readonly positions: readonly number[]
}

/** A look at a run: a stretch that begins, at first and where the one before is full, or what follows it. */
export interface LiveLook {
  /** Null: `part` follows the columns of a look before. */
  readonly columns: StretchColumns | null
  /** Null beside columns. */
  readonly part: StretchPart | null
  readonly point: LivePoint
}
