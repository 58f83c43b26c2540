import type { PlaceEntry } from '../../src/venue/messages.js'
import type { Side } from './naive-levels.ts'

/** An order of the naive adapter. */
export interface NaiveOrder {
  readonly entry: PlaceEntry
  readonly id: string
  readonly side: Side
  price: number | null
  total: number
  executed: number
  state: 'CONFIRMED' | 'FILLED' | 'CANCELED'
  /** Where it is while it is CONFIRMED. */
  place: 'waiting' | 'resting' | 'nowhere'
  /** Order of joining its queue. */
  rank: number
  ahead: number
  shown: number
  trigger: number | undefined
  triggered: boolean
  offset: number
}

export const left = (order: NaiveOrder): number => order.total - order.executed

export function isLimited({ reduceOnly, closeOnly, openClose }: PlaceEntry): boolean {
  return reduceOnly === true || closeOnly === true || openClose === 'CLOSE'
}

export function isHidden({ entry }: NaiveOrder): boolean {
  return entry.displayQuantity === 0
}

export function limitOf({ side, price }: NaiveOrder): number {
  return price ?? (side === 'BID' ? Infinity : -Infinity)
}

/** What the adapter itself refuses. */
export function misfitOf({ type, price, totalQuantity, triggerPrice, pegOffsetValue, displayQuantity = 0, reduceOnly, closeOnly, openClose }: PlaceEntry): string | null {
  if (totalQuantity <= 0) return 'INVALID_QUANTITY'
  const isPeg = type.endsWith('PEGGED')
  if ((price === null) !== (isPeg || type === 'MARKET')) return 'INVALID_PRICE'
  if (pegOffsetValue !== undefined && !isPeg) return 'INVALID_REQUEST'
  if (type === 'STOP_LIMIT' && triggerPrice === undefined) return 'INVALID_PRICE'
  if (type !== 'STOP_LIMIT' && triggerPrice !== undefined) return 'INVALID_REQUEST'
  if (displayQuantity < 0) return 'INVALID_QUANTITY'
  return openClose === 'OPEN' && (reduceOnly === true || closeOnly === true) ? 'INVALID_REQUEST' : null
}
