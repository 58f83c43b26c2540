import type { Decimal } from '../model/decimal.js'
import type { MarketView } from '../venue/venue.js'

/** Falls that are kept of each underlying. */
export const WORST_FALLS = 5
/** Levels of a side of a kept book. */
const FALL_LEVELS = 10
/** Instruments whose books are kept of one fall. */
const BOOKS_MAX = 4

/** A book as a client saw it: prices and quantities are integers at the scales, the best level first. */
export interface FallBook {
  readonly instrumentId: number
  readonly priceScale: number
  readonly quantityScale: number
  readonly bids: readonly (readonly [price: number, quantity: number])[]
  readonly asks: readonly (readonly [price: number, quantity: number])[]
}

/** A fall of equity from one sample to the next, and the books at its end. */
export interface WorstFall {
  readonly underlyingId: number
  /** Time of the sample before it. */
  readonly sinceNs: number
  /** Time of its sample. */
  readonly timeNs: number
  /** Equity before less equity after, above 0. */
  readonly fall: Decimal
  /** Equity after it. */
  readonly equity: Decimal
  readonly books: readonly FallBook[]
}

/** {@link WorstFalls} as plain data. */
export type WorstFallsState = { readonly falls: readonly WorstFall[] }

/** The greatest falls of equity between two samples, {@link WORST_FALLS} of each underlying. */
export class WorstFalls {
  #falls: WorstFall[] = []

  /** The greatest first within an underlying; of equal ones the earlier. */
  get falls(): readonly WorstFall[] {
    return this.#falls
  }

  /** A fall, whose books are looked at only where it is one of the worst. */
  add(fall: Omit<WorstFall, 'books'>, booksOf: () => readonly FallBook[]): void {
    const own = this.#falls.filter(({ underlyingId }) => underlyingId === fall.underlyingId)
    const least = own.at(-1)
    if (own.length >= WORST_FALLS && least !== undefined && !fall.fall.gt(least.fall)) return
    const place = own.filter((known) => !fall.fall.gt(known.fall)).length
    own.splice(place, 0, { ...fall, books: booksOf() })
    const others = this.#falls.filter(({ underlyingId }) => underlyingId !== fall.underlyingId)
    this.#falls = [...others, ...own.slice(0, WORST_FALLS)]
  }

  state(): WorstFallsState {
    return { falls: this.#falls }
  }

  restore(state: WorstFallsState): void {
    this.#falls = [...state.falls]
  }
}

/** The books of some instruments as they stand, those that were never looked at left out. */
export function booksOf(instrumentIds: readonly number[], views: ReadonlyMap<number, MarketView>): FallBook[] {
  return instrumentIds.slice(0, BOOKS_MAX).flatMap((instrumentId) => {
    const view = views.get(instrumentId)
    if (view === undefined) return []
    const { priceScale, quantityScale } = view.book
    const levels = (side: 'BID' | 'ASK'): (readonly [number, number])[] => {
      const [prices, quantities] = [new Float64Array(FALL_LEVELS), new Float64Array(FALL_LEVELS)]
      const count = view.book.copyLevels(side, FALL_LEVELS, prices, quantities)
      return Array.from({ length: count }, (_, i) => [prices[i] as number, quantities[i] as number] as const)
    }
    return [{ instrumentId, priceScale, quantityScale, bids: levels('BID'), asks: levels('ASK') }]
  })
}
