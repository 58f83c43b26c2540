import type { MadeColumn } from '../../tables/made-column.js'
import type { ExactCell } from '../../model/exact-cell.js'
import type { LogRecorder } from '../log-recorder.js'
import type { RunTracks } from '../run-tracks.js'
import type { RunSummary } from '../run-summary.js'
import type { ReportAbout } from './report-data.js'

/* The sources of a report: the columns of a result's tables, as far as it reads them. */

/** A table by its columns. */
export interface ColumnsInput<Row> {
  readonly rowCount: number
  column(name: keyof Row & string): MadeColumn
}

/** A row of the table of fills. */
export interface FillInput {
  readonly exchange_ts: bigint
  readonly instrument_id: number
  readonly instrument: string
  readonly account: string
  readonly side: string
  readonly price: string
  readonly qty: string
  readonly added_liquidity: boolean
  readonly cause: string | null
  readonly value: string
  readonly fee: string
  readonly fee_underlying: string
  readonly realized_pnl: string
  readonly position: string | null
  readonly net_traded: string | null
  readonly own_order_id: string
  readonly mark_out_100ms: string | null
  readonly mark_out_1s: string | null
  readonly mark_out_10s: string | null
  readonly mark_out_60s: string | null
}

/** A row of the table of orders. */
export interface OrderInput {
  readonly ts: bigint
  readonly accepted_ts: bigint | null
  readonly ended_ts: bigint | null
  readonly instrument: string
  readonly account: string
  readonly client: string
  readonly side: string
  readonly type: string
  readonly time_in_force: string
  readonly post_only: boolean
  readonly price: string | null
  readonly qty: string | null
  readonly executed_qty: string
  readonly state: string
  readonly quantity_ahead: string | null
  readonly touched_by_gap: boolean | null
  readonly error_type: string | null
  readonly own_order_id: string
  readonly replaces: string | null
  readonly arrival_mid: string | null
}

/** A row of the table of round trips. */
export interface RoundTripInput {
  readonly entry_ts: bigint
  readonly exit_ts: bigint | null
  readonly holding_ns: bigint
  readonly instrument: string
  readonly side: string
  readonly qty: string
  readonly entry_price: string
  readonly exit_price: string | null
  readonly underlying: string
  readonly profit: string
  readonly favorable_excursion: string
  readonly adverse_excursion: string
  readonly is_open: boolean
}

/** A row of the tables of hours and days. */
export interface PeriodInput {
  readonly ts: bigint
  readonly underlying: string
  readonly profit: string
  readonly fees: string
  readonly turnover: string
  readonly fills: number
  readonly drawdown: string
  readonly return: number | null
  readonly covered: number
}

/** A row of the table of equity. */
export interface EquityInput {
  readonly ts: bigint
  readonly underlying: string
  readonly equity: string
}

/** Bins of a latency: begin and end in nanoseconds, and its count. */
export type LatencyBins = readonly (readonly [fromNs: number, toNs: number, count: number])[]

/** A time without a trustworthy book at the exchange. */
export interface UnknownBookInput {
  readonly instrumentId: number
  /** The last good line of depth; null where there was none. */
  readonly sinceNs: number | null
  /** When it was noticed. */
  readonly detectedNs: number
  readonly reason: string
  /** When the book was there again; null where it was not. */
  readonly endNs: number | null
}

/** The result of a run as its report needs it. */
export interface ReportInput {
  readonly title: string
  readonly summary: RunSummary
  readonly fingerprint: string
  readonly configDigest: string
  readonly journalDigest: string
  readonly journalLineCount: number
  readonly parameters: object
  readonly configuration: Readonly<Record<string, unknown>>
  readonly fills: ColumnsInput<FillInput>
  readonly orders: ColumnsInput<OrderInput>
  readonly roundTrips: ColumnsInput<RoundTripInput>
  readonly hours: readonly PeriodInput[]
  readonly days: readonly PeriodInput[]
  readonly equity: readonly EquityInput[]
  readonly tracks: RunTracks
  readonly log: LogRecorder
  readonly requestBins: LatencyBins
  readonly responseBins: LatencyBins
  /** Times without a book, by instrument; of many the first. */
  readonly bookUnknown: readonly UnknownBookInput[]
  /** Of the feed of an instrument, by its name; of a world that ended before its siblings it has more than its own. */
  readonly feedBins: ReadonlyMap<string, LatencyBins>
  /** The day from whose midnight the times of tracks count, in days since 1970. */
  readonly epochDay: number
  /** Row of the order of a fill in the table of orders, by the row of the fill; -1 where it has none. */
  readonly orderOf: (fill: number) => number
  /** Signed value of a quantity of what an account traded at a price, in its settlement underlying. */
  readonly valueOf: (accountId: string, instrumentId: number, quantity: ExactCell, price: number) => number
  readonly instrumentOf: (instrumentId: number) => string
  readonly underlyingOf: (underlyingId: number) => string
  readonly about: ReportAbout
}
