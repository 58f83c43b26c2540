/** One step of a ladder of margin rates; decimal texts. */
export interface MarginBracket {
  /** Largest value of the position, in the margin's underlying; null is without end. */
  readonly upTo: string | null
  /** Part of the position's value that must be there to open it. */
  readonly initialRate: string
  /** Part of the position's value below which it is liquidated, before `deduction`. */
  readonly maintenanceRate: string
  /** Maintenance margin = value * maintenanceRate - deduction. */
  readonly deduction: string
}

/** The margin terms of a venue. Without brackets nothing is blocked and nothing liquidated, which the result says. */
export interface MarginProfile {
  /** The margin modes that positions of this venue can have. */
  readonly modes: readonly ('cross' | 'isolated')[]
  /** By growing `upTo`. */
  readonly brackets: readonly MarginBracket[]
  /** Brackets of single instruments, by their code: they take the place of `brackets`. */
  readonly instruments?: Readonly<Record<string, readonly MarginBracket[]>>
  /** The margin of the seller of options; without it options are sold only as far as they are held. */
  readonly shortOptions?: ShortOptionMargin
  /** Of the value closed. */
  readonly liquidationFeeRate?: string
}

/**
 * Margin of a short option beside its own value, as a part of the index for each unit of the underlying: initial =
 * max(initialRate - out of the money / index, minimumInitialRate), maintenance = maintenanceRate. Decimal texts.
 */
export interface ShortOptionMargin {
  /** Initial margin at the money, a part of the index. */
  readonly initialRate: string
  /** Least initial margin, a part of the index. */
  readonly minimumInitialRate: string
  /** Maintenance margin, a part of the index. */
  readonly maintenanceRate: string
}

/** The terms by which contracts end. */
export interface SettlementProfile {
  /** The index at expiry, or its time average over `averageMs` before, which is needed then. */
  readonly index?: 'last' | 'average'
  /** Time of the average before expiry, milliseconds. */
  readonly averageMs?: number
  /** Of the value settled. */
  readonly feeRate?: string
}
