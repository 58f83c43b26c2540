import { Amount } from '../../model/amount.js'
import type { ExchangeMarket } from './exchange-market.js'
import { referenceAmount } from './reference-prices.js'
import type { MarkedBy } from '../accounts/money-event.js'

/** A price by which positions are valued. */
export interface MarkPrice {
  readonly price: Amount
  readonly by: MarkedBy
}

/** The last index of a market, exchange side; null before its first. */
export function indexOf(market: ExchangeMarket | undefined): Amount | null {
  return market === undefined || Number.isNaN(market.prices.indexPrice) ? null : referenceAmount(market.prices.index)
}

/** The mark of a market, else its mid (exchange rules 8.2), exchange side; null where neither was ever known. */
export function markOf(market: ExchangeMarket | undefined): MarkPrice | null {
  if (market === undefined) return null
  if (!Number.isNaN(market.prices.markPrice))
    return { price: referenceAmount(market.prices.mark), by: 'mark' }
  return midOf(market)
}

function midOf(market: ExchangeMarket): MarkPrice | null {
  const twice = market.shown.twiceMid
  return Number.isNaN(twice) ? null : midPrice(twice, market.priceScale)
}

/** The last mid that was asked for: an execution asks several times. */
let lastMid: { readonly twice: number; readonly scale: number; readonly mark: MarkPrice } | null = null

/** A mid of which twice the integer is known. */
function midPrice(twice: number, scale: number): MarkPrice {
  if (lastMid?.twice !== twice || lastMid.scale !== scale)
    lastMid = { twice, scale, mark: { price: Amount.scaled(twice, scale).times(Amount.HALF), by: 'mid' } }
  return lastMid.mark
}

/**
 * The mark that was published before an instant (exchange rules 8.1), else the mid of it; null where neither was known.
 */
export function markBefore(market: ExchangeMarket | undefined, timeNs: number): MarkPrice | null {
  if (market === undefined || market.money.markNs < timeNs) return markOf(market)
  const { markBefore: prior } = market.money
  if (!Number.isNaN(prior.value)) return { price: referenceAmount(prior), by: 'mark' }
  return midOf(market)
}

/** A mid as twice its integer at a scale; NaN where none was ever known. */
interface LastMid {
  readonly market: ExchangeMarket
  twice: number
  scale: number
  /** The market's count of lost mids by then. */
  lostCount: number
}

/**
 * The last mid of every instrument held and never marked, since it has been held: a book that shows one side alone has
 * none. Worked out when it is asked for: the market keeps the mid that it lost last.
 */
export class LastMids {
  readonly #mids: Map<number, LastMid> = new Map()

  /** An instrument is held from now on. */
  note(market: ExchangeMarket): void {
    this.#mids.set(market.instrumentId, {
      market, twice: market.shown.twiceMid, scale: market.priceScale, lostCount: market.money.lostMid.count,
    })
  }

  /** The last mid of an instrument; null where there was none. */
  of(instrumentId: number): MarkPrice | null {
    const last = this.#lastOf(instrumentId)
    return last === null ? null : midPrice(last.twice, last.scale)
  }

  /** Nobody holds the instrument any more. */
  forget(instrumentId: number): void {
    this.#mids.delete(instrumentId)
  }

  state(): (readonly [instrumentId: number, twice: number, scale: number])[] {
    return [...this.#mids.keys()].flatMap((id) => {
      const last = this.#lastOf(id)
      return last === null ? [] : [[id, last.twice, last.scale] as const]
    })
  }

  /** Takes a state back, after what is held has been noted again. */
  restore(mids: readonly (readonly [instrumentId: number, twice: number, scale: number])[]): void {
    for (const last of this.#mids.values()) last.twice = NaN
    for (const [id, twice, scale] of mids) {
      const last = this.#mids.get(id)
      if (last !== undefined) Object.assign(last, { twice, scale })
    }
  }

  #lastOf(instrumentId: number): { readonly twice: number; readonly scale: number } | null {
    const last = this.#mids.get(instrumentId)
    if (last === undefined) return null
    const { market } = last
    if (Number.isNaN(market.prices.markPrice)) {
      const twice = market.shown.twiceMid
      if (!Number.isNaN(twice)) return { twice, scale: market.priceScale }
    }
    if (market.money.lostMid.count > last.lostCount) return market.money.lostMid
    return Number.isNaN(last.twice) ? null : last
  }
}
