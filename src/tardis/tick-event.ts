import { BacktapeError } from '../model/error.js'
import type { CsvRow } from './csv-row.js'
import type { StepFinder } from './step-finder.js'

/** An event of a tick file without its ids. */
export interface TickEvent {
  /** Arrival in microseconds since the Unix epoch. */
  readonly localUs: number
  /** msgType of the tick-file layout. */
  readonly kind: number
  /** Venue time in epoch nanoseconds; `0` where there is none. */
  readonly exchangeNs: string
  /** The data with the tail, as JSON text. */
  readonly data: string
}

/** Rows and values that a tick file's reader cannot hold without rounding: left out and counted. */
export class InexactRows {
  /** Number of those left out. */
  count = 0
  /** The first of them. */
  first: BacktapeError | null = null

  /** `isStrict`: the first one ends the day. */
  constructor(private readonly isStrict: boolean) {}

  /** Does what reads a row or value; false where it was left out. Throws whatever else is wrong with it. */
  tries(read: () => void): boolean {
    try {
      read()
      return true
    } catch (error) {
      if (this.isStrict || !(error instanceof BacktapeError) || error.code !== 'VALUE_INEXACT') throw error
      this.count++
      this.first ??= error
      return false
    }
  }
}

/** Facts about the rows of one instrument and day that only reading them tells. */
export interface RowFindings {
  /** Prices and amounts of book, trades and quotes. */
  readonly prices: StepFinder
  readonly amounts: StepFinder
  /** Rows and values left out, since their digits are too many. */
  readonly inexact: InexactRows
  /** Book rows before the first snapshot of their file, which apply to no known book. */
  rowsBeforeSnapshot: number
  /** Trades whose side the venue did not tell. */
  sidelessTrades: number
  /** Rows of derivative_ticker with a mark price, index price or rate. */
  tickerRows: number
  /** Rows of derivative_ticker that state when funding is paid. */
  fundingTimes: number
}

/** Turns rows of one file into events, which it hands to the function it was made with. */
export interface RowConverter {
  add(row: CsvRow): void
  /** No row comes any more. */
  end(): void
}
