import type { PlaceEntry } from '../../src/venue/messages.js'
import type { Side } from './naive-levels.ts'
import type { MarginOrder } from './naive-margin.ts'
import { ONE } from './naive-money.ts'

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
  /** 10^-18 that were borrowed for it. */
  borrowed: bigint
  /** How often it grew with its position. */
  growths: number
}

/** An order as it was sent. */
export function naiveOrder(entry: PlaceEntry): NaiveOrder {
  const { ownOrderId, side, price, totalQuantity: total, triggerPrice: trigger, pegOffsetValue: offset = 0 } = entry
  return { entry, id: String(ownOrderId), side, price, total, executed: 0, state: 'CONFIRMED', place: 'nowhere', rank: 0, ahead: NaN, shown: NaN, trigger, triggered: false, offset, borrowed: 0n, growths: 0 }
}

/** What an order of so many units reaches of levels, best first: the last price that it takes of (NaN: none), and what it lacks then. */
export function walk(levels: readonly (readonly [price: number, available: number])[], wanted: number): { readonly last: number, readonly lacking: number } {
  let lacking = wanted
  let last = NaN
  for (const [price, available] of levels) {
    if (lacking > 0 && available > 0) last = price
    lacking -= Math.min(lacking, available)
  }
  return { last, lacking }
}

/** An order as margin sees it: by its own price; MARKET by the worst that it would reach of `levels`, else by the mark; null where nothing is known. */
export function marginOrderOf(order: NaiveOrder, levels: readonly (readonly [price: number, available: number])[], mark: bigint | null, isMargin: boolean): MarginOrder | null {
  const { side, entry } = order
  const worst = order.price ?? walk(levels, left(order)).last
  let price = Number.isNaN(worst) ? mark : BigInt(worst) * ONE
  // A sale gets the best bid, and what it opens is worth the mark.
  if (side === 'ASK' && isMargin) for (const other of [mark, levels[0] === undefined ? null : BigInt(levels[0][0]) * ONE]) if (price !== null && other !== null && other > price) price = other
  return price === null ? null : { side, isOpening: entry.openClose === 'OPEN', size: BigInt(left(order)) * ONE, value: BigInt(left(order)) * price }
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
  if (price !== null && price <= 0) return 'INVALID_PRICE'
  const isPeg = type.endsWith('PEGGED')
  if ((price === null) !== (isPeg || type === 'MARKET')) return 'INVALID_REQUEST'
  if (pegOffsetValue !== undefined && !isPeg) return 'INVALID_REQUEST'
  if (type === 'STOP_LIMIT' && triggerPrice === undefined) return 'INVALID_REQUEST'
  if (type !== 'STOP_LIMIT' && triggerPrice !== undefined) return 'INVALID_REQUEST'
  if (triggerPrice !== undefined && triggerPrice <= 0) return 'INVALID_PRICE'
  if (displayQuantity < 0) return 'INVALID_QUANTITY'
  return openClose === 'OPEN' && (reduceOnly === true || closeOnly === true) ? 'INVALID_REQUEST' : null
}

type Positions = { closable(side: Side, openClose: PlaceEntry['openClose']): number }

/** What a limited order is for: the whole position for closeOnly, never more than it. */
export function closing({ entry, side, total }: NaiveOrder, money: Positions): number {
  return Math.min(entry.closeOnly === true ? Infinity : total, money.closable(side, entry.openClose))
}

/** 7.4, after an execution: no limited order is for more than it may close. */
export function shrink(orders: readonly NaiveOrder[], positions: Positions, end: (order: NaiveOrder) => void): void {
  for (const order of orders) {
    if (order.state !== 'CONFIRMED' || !isLimited(order.entry)) continue
    const closable = positions.closable(order.side, order.entry.openClose)
    if (closable === 0) end(order)
    else if (left(order) > closable) {
      order.total = order.executed + closable
      order.shown = Math.min(order.shown, closable)
    }
  }
}

/** 7.4, at the end of an instant: an order that closes all of a position is for all of it; one that grew enters again, behind all others. */
export function grow(orders: readonly NaiveOrder[], positions: Positions, enter: (order: NaiveOrder) => void): void {
  for (const order of orders) {
    const closable = positions.closable(order.side, order.entry.openClose)
    if (order.state !== 'CONFIRMED' || order.entry.closeOnly !== true || left(order) >= closable) continue
    order.total = order.executed + closable
    order.growths++
    if (order.place !== 'waiting') enter(order)
  }
}
