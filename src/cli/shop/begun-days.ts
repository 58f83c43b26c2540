import type { ShopCheckout } from '../../shop/client/shop-checkout.js'
import type { ShopItem } from '../../shop/client/shop-baskets.js'
import { counted } from '../terminal/text-table.js'
import { eurText } from './find.js'
import { daysText } from './goods-choice.js'
import { dayKey, type OpenCheckout } from './held-days.js'

/** Wanted days by the checkouts that were begun for them, and are not paid. */
export interface BegunDays {
  /** The checkouts that go on, oldest first: no day lies in two of them. */
  readonly going: readonly ShopCheckout[]
  /** Those that do not: the shop does not know them now, or they have days of one that goes on. */
  readonly blocked: readonly ShopCheckout[]
  /** The days that lie in none. */
  readonly others: readonly ShopItem[]
  /** The sentences that name the days of each, with its address. */
  readonly lines: readonly string[]
}

/** The checkouts that have wanted days; one with days that were bought already is left aside. */
export function begunDays(wanted: readonly ShopItem[], open: readonly OpenCheckout[]): BegunDays {
  const free = new Map(wanted.map((item) => [dayKey(item), item]))
  const taken = new Set<string>()
  const [going, blocked, lines]: [ShopCheckout[], ShopCheckout[], string[]] = [[], [], []]
  // The newest first: it is the one that was asked for again.
  for (const { checkout, ownedCount } of open.toReversed()) {
    const days = checkout.items.filter((item) => free.has(dayKey(item)))
    if (ownedCount > 0 || days.length === 0) continue
    const isGoing = checkout.isKnown && !checkout.items.some((item) => taken.has(dayKey(item)))
    ;(isGoing ? going : blocked).unshift(checkout)
    for (const item of checkout.items) {
      free.delete(dayKey(item))
      if (isGoing) taken.add(dayKey(item))
    }
    lines.unshift(lineOf(checkout, days, isGoing))
  }
  if (lines.length > 0) lines.push('They are not asked for in another basket; --again does that')
  return { going, blocked, others: [...free.values()], lines }
}

function lineOf(
  { items, totalCents, checkoutUrl, isKnown }: ShopCheckout, days: readonly ShopItem[], isGoing: boolean,
): string {
  const session = `a session of ${counted(items.length, 'day')} for ${eurText(totalCents)} EUR: ${checkoutUrl}`
  const state = isGoing ? '' : isKnown ? ' (with days of another one)' : ' (the shop does not know it now)'
  return `${counted(days.length, 'day')} not paid yet, ${daysText(days)}, in ${session}${state}`
}
