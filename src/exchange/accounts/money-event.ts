import type { Leg } from './account-position.js'

/** The causes that move money without a trade of the strategy's own. */
type MoneyEventKind =
  | 'funding' | 'interest' | 'borrow' | 'repay' | 'liquidation' | 'debt' | 'settlement' | 'split' | 'dividend'
  | 'walletChange'

/** By which price a position was valued (exchange rules 8.2). */
export type MarkedBy = 'mark' | 'mid' | 'index' | 'average' | 'outcome'

/**
 * Money that moved at the exchange of its own accord, as the journal has it; amounts are plain decimal texts in the
 * underlying. `amount` is what the account gained (below 0: lost) for funding, liquidation, settlement, dividends and
 * splits (of cash by the sale of a fraction, of coins by the split itself), and what was charged, borrowed, repaid or
 * is owed else. `walletChange` is of runs over sockets alone: a wallet is other than the fills made it, and the
 * protocol does not say why.
 */
export interface MoneyEvent {
  readonly kind: MoneyEventKind
  readonly exchangeTimeNs: number
  readonly accountId: string
  readonly underlyingId: number
  readonly amount: string
  readonly instrumentId?: number
  readonly leg?: Leg
  /** Signed quantity of the position, of a split after it: long above 0. */
  readonly size?: string
  /** The price by which it was valued or closed, as exact text. */
  readonly atPrice?: string
  readonly markedBy?: MarkedBy
  /** Of funding, or of a year's interest. */
  readonly rate?: string
  /** Fee of a liquidation or a settlement, already taken. */
  readonly feeAmount?: string
}

/**
 * The state of funding and margin of a world as plain data; what they planned lies in the agenda, and positions say
 * what they watch.
 */
export interface FundingAndMarginState {
  readonly unpaid: readonly (readonly [instrumentId: number, fundings: UnpaidFundings])[]
  /** Every planned time of a payment. */
  readonly fundings: readonly (readonly [instrumentId: number, timeNs: number])[]
  readonly judged: readonly string[]
  readonly named: readonly number[]
  readonly unmarked: readonly number[]
  readonly unvalued: readonly number[]
  /** Twice the last mid of what is held, and its scale. */
  readonly mids: readonly (readonly [instrumentId: number, twice: number, scale: number])[]
  /** Accounts whose next hour of interest is planned. */
  readonly loans: readonly string[]
  /** Instruments whose end is planned. */
  readonly expiries: readonly number[]
  readonly equity: readonly EquityRecord[]
}

/** Fundings of one instrument that were not paid, as its data were silent then. */
export interface UnpaidFundings {
  readonly count: number
  /** Time of the first. */
  readonly firstNs: number
}

/** The record of an account's equity; times at the exchange, null where it did not happen. Plain data. */
export interface EquityRecord {
  readonly accountId: string
  /** When it had come to 0 and its strategies were stopped. */
  stoppedNs: number | null
  /** When it was below 0 first. */
  belowNs: number | null
  /** When it could not be judged first, and the underlyings whose rates were missing then. */
  unknownNs: number | null
  missingIds: readonly number[]
}
