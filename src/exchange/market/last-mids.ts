import type { ExchangeMarket } from './exchange-market.js'
import { midPrice, type MarkPrice } from './mark-price.js'

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
