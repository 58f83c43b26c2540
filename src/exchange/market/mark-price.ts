import { Amount } from '../../model/amount.js'
import type { ExchangeMarket } from './exchange-market.js'
import type { MarkedBy } from '../accounts/money-event.js'

/** A price by which positions are valued. */
export interface MarkPrice {
  readonly price: Amount
  readonly by: MarkedBy
}

/** The last index of a market, exchange side; null before its first. */
export function indexOf(market: ExchangeMarket | undefined): Amount | null {
  return market === undefined || Number.isNaN(market.prices.indexPrice)
    ? null
    : Amount.scaled(market.prices.indexPrice, market.prices.indexScale)
}

/** The mark of a market, else its mid (exchange rules 8.2), exchange side; null where neither was ever known. */
export function markOf(market: ExchangeMarket | undefined): MarkPrice | null {
  if (market === undefined) return null
  if (!Number.isNaN(market.prices.markPrice))
    return { price: Amount.scaled(market.prices.markPrice, market.prices.markScale), by: 'mark' }
  return midOf(market)
}

function midOf(market: ExchangeMarket): MarkPrice | null {
  const twice = market.shown.bestBidPrice + market.shown.bestAskPrice
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
  if (!Number.isNaN(prior.value)) return { price: Amount.scaled(prior.value, prior.scale), by: 'mark' }
  return midOf(market)
}

/** Twice a mid, and its scale. */
interface LastMid {
  twice: number
  scale: number
}

/**
 * The last mid of every instrument held and never marked, since it has been held: a book that shows one side alone has
 * none.
 */
export class LastMids {
  readonly #mids: Map<number, LastMid> = new Map()

  /** Keeps the mid of a market as it stands; after every item that changes its book. */
  note({ instrumentId, shown, priceScale: scale }: ExchangeMarket): void {
    const twice = shown.bestBidPrice + shown.bestAskPrice
    if (Number.isNaN(twice)) return
    const last = this.#mids.get(instrumentId)
    if (last === undefined) this.#mids.set(instrumentId, { twice, scale })
    else Object.assign(last, { twice, scale })
  }

  /** The last mid of an instrument; null where there was none. */
  of(instrumentId: number): MarkPrice | null {
    const last = this.#mids.get(instrumentId)
    return last === undefined ? null : midPrice(last.twice, last.scale)
  }

  /** Nobody holds the instrument any more. */
  forget(instrumentId: number): void {
    this.#mids.delete(instrumentId)
  }

  state(): (readonly [instrumentId: number, twice: number, scale: number])[] {
    return [...this.#mids].map(([id, { twice, scale }]) => [id, twice, scale])
  }

  restore(mids: readonly (readonly [instrumentId: number, twice: number, scale: number])[]): void {
    this.#mids.clear()
    for (const [id, twice, scale] of mids) this.#mids.set(id, { twice, scale })
  }
}
