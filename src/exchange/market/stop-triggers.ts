import { Amount } from '../../model/amount.js'
import { factorBetween } from '../../model/scale-factor.js'
import type { Side } from '../../model/side.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import type { TriggerReference } from '../../model/order.js'
import { referenceAmount, type ReferencePrice } from './reference-prices.js'

/**
 * True where a reference has come to a trigger: BID at or above it, ASK at or below (exchange rules 7.1). Exact over
 * any two scales.
 */
export function isReached(
  side: Side, trigger: number, triggerScale: number, reference: ReferencePrice,
): boolean {
  const { value, scale, digits = null } = reference
  if (Number.isNaN(value)) return false
  if (digits !== null && Number.isFinite(trigger)) {
    const order = referenceAmount(reference).comparedTo(Amount.scaled(trigger, triggerScale))
    return side === 'BID' ? order >= 0 : order <= 0
  }
  let compared = value
  if (scale < triggerScale) compared = value * factorBetween(scale, triggerScale)
  else if (scale > triggerScale) {
    const factor = factorBetween(triggerScale, scale)
    const left = value % factor
    compared = (value - left) / factor
    if (side === 'ASK' && left > 0) compared++
    else if (side === 'BID' && left < 0) compared--
  }
  return side === 'BID' ? compared >= trigger : compared <= trigger
}

/** Stop orders that wait for one reference, with the nearest trigger of each side: most items cost two comparisons. */
interface Waiting {
  readonly reference: TriggerReference
  readonly orders: OrderAtExchange[]
  lowestBid: number
  highestAsk: number
}

/** The stop orders of one world on one instrument that have not been triggered, in order of acceptance. */
export class StopTriggers {
  readonly #groups: Waiting[] = []

  get size(): number {
    let size = 0
    for (const { orders } of this.#groups) size += orders.length
    return size
  }

  add(order: OrderAtExchange): void {
    const reference = order.triggerReference ?? 'lastTrade'
    let group = this.#groups.find((known) => known.reference === reference)
    if (group === undefined) {
      group = { reference, orders: [], lowestBid: Infinity, highestAsk: -Infinity }
      this.#groups.push(group)
    }
    group.orders.push(order)
    refresh(group)
  }

  *orders(): IterableIterator<OrderAtExchange> {
    for (const group of this.#groups) yield* group.orders
  }

  /** Takes an order out; false where it does not wait. */
  remove(order: OrderAtExchange): boolean {
    for (const group of this.#groups) {
      const at = group.orders.indexOf(order)
      if (at < 0) continue
      group.orders.splice(at, 1)
      refresh(group)
      return true
    }
    return false
  }

  /** To be called when triggers were changed in place: an amend, finer scales. */
  refresh(): void {
    for (const group of this.#groups) refresh(group)
  }

  /** Takes out what the references have reached, in order of acceptance within each; an empty list is shared. */
  takeReached(
    triggerScale: number, referencePrice: (reference: TriggerReference) => ReferencePrice,
  ): readonly OrderAtExchange[] {
    let reached: OrderAtExchange[] | null = null
    for (const group of this.#groups) {
      const price = referencePrice(group.reference)
      if (
        !isReached('BID', group.lowestBid, triggerScale, price) &&
        !isReached('ASK', group.highestAsk, triggerScale, price)
      )
        continue
      const isHit = (order: OrderAtExchange): boolean =>
        isReached(order.side, order.triggerPrice ?? NaN, triggerScale, price)
      reached = [...(reached ?? []), ...group.orders.filter(isHit)]
      group.orders.splice(0, group.orders.length, ...group.orders.filter((order) => !isHit(order)))
      refresh(group)
    }
    return reached ?? NONE
  }
}

const NONE: readonly OrderAtExchange[] = []

function refresh(group: Waiting): void {
  group.lowestBid = Infinity
  group.highestAsk = -Infinity
  for (const { side, triggerPrice = NaN } of group.orders) {
    if (side === 'BID') group.lowestBid = Math.min(group.lowestBid, triggerPrice)
    else group.highestAsk = Math.max(group.highestAsk, triggerPrice)
  }
}
