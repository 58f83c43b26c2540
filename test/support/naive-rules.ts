/** An instant is ten minutes; the sixth is left empty, so that funding and interest happen alone. */
export const INSTANTS_PER_HOUR = 6
export const INSTANT_NS = 600_000_000_000

/** What of the rules is a venue's. */
export interface NaiveRules {
  readonly triggerBy: 'lastTrade' | 'mark'
  readonly triggersAtArrival: boolean
  readonly amendKeepsQueue: 'smallerQuantity' | 'never'
  readonly closeOnlyCancelsOthers: boolean
  /** Modes of margin, in the brackets of `marginProfile`; null: none is asked for. */
  readonly margin: readonly ('cross' | 'isolated')[] | null
  readonly cash: number
  /** A spot account with so many coins; null: the contract is linear, and loans are nobody's. */
  readonly coins: number | null
}
