import type { Decimal } from './decimal.js'
import type { Price, Quantity } from './fixed-decimal.js'
import type { Side } from './side.js'

/** The fields of every event of a tick file. Times are epoch nanoseconds. */
export interface EventBase {
  /** Id of the instrument. */
  readonly instrumentId: number
  /** Ordinal of the event in its file, 0 is the first line after the master data. */
  readonly eventIndex: number
  /** Receive time at the recorder; may step back. */
  readonly adapterTimestampNs: bigint
  /** Venue time; null where not available. */
  readonly exchangeTimestampNs: bigint | null
}

/** The fields of every event but a state. */
export interface ChainedEvent extends EventBase {
  /** "0" starts a chain. */
  readonly previousEventId: string
  /** A sequence on some venues, an opaque hash on others; compare by equality only. */
  readonly eventId: string
  /** True where `previousEventId` is neither "0" nor the stream's last `eventId`. */
  readonly chainGap: boolean
}

/** One price with its total quantity. In an update, quantity 0 removes the level. */
export interface LevelRow {
  /** `BID` or `ASK`. */
  readonly side: Side
  /** Price of the level. */
  readonly price: Price
  /** Total quantity at this price, in the instrument's own unit. */
  readonly quantity: Quantity
}

/** A public trade. */
export interface Trade {
  /** Side of the order that removed liquidity. */
  readonly aggressorSide: Side
  /** Price of the trade. */
  readonly price: Price
  /** Traded quantity, in the instrument's own unit. */
  readonly quantity: Quantity
  /** May be empty or null. */
  readonly tradeId: string | null
  /** The fill's own venue time; null where not available. */
  readonly exchangeTradeTimestampNs: bigint | null
}

/** A liquidation: the price is the bankruptcy price; the vendor does not define what the side means. */
export interface Liquidation {
  /** The side as recorded; the format does not define its meaning. */
  readonly side: Side
  /** The bankruptcy price. */
  readonly price: Price
  /** Liquidated quantity, in the instrument's own unit. */
  readonly quantity: Quantity
  /** Venue time of the liquidation, epoch nanoseconds; null where not available. */
  readonly exchangeLiquidationTimestampNs: bigint | null
}

/** The full book, rows in file order. Replaces what was known. */
export interface SnapshotEvent extends ChainedEvent {
  readonly kind: 'snapshot'
  /** All levels of the book, in file order. */
  readonly levels: readonly LevelRow[]
  /** Reset even if the chain does not match; null in files that do not carry it (2025). */
  readonly forceReset: boolean | null
  /**
   * True for a snapshot that stands for no line of a file: the book at a midnight, made of the events before it
   * (margins `trim`). Its `eventIndex` is that of the event behind it, its `exchangeTimestampNs` and `eventId` are
   * those of the last book event before it, and `chainGap` says that the book was suspect then.
   */
  readonly made: boolean
}

/** One atomic batch of absolute changes. */
export interface UpdateEvent extends ChainedEvent {
  readonly kind: 'update'
  /** Changed levels with their new total quantities, in file order. */
  readonly levels: readonly LevelRow[]
}

/** One or more public trades. */
export interface TradesEvent extends ChainedEvent {
  readonly kind: 'trades'
  /** The trades in file order. */
  readonly trades: readonly Trade[]
}

/** `READY` or `ERROR` of the recorder's subscription. */
export interface StateEvent extends EventBase {
  readonly kind: 'state'
  /** `READY` or `ERROR`, as recorded. */
  readonly state: string
  /** Text of the recorder; null where it has none. */
  readonly text: string | null
}

/** Best bid and ask as a stream of its own, never merged into the depth book. A side without a row is null. */
export interface TopOfBookEvent extends ChainedEvent {
  readonly kind: 'topOfBook'
  /** Best bid; null where that side has no row. */
  readonly bid: LevelRow | null
  /** Best ask; null where that side has no row. */
  readonly ask: LevelRow | null
}

/**
 * Greeks and volatilities of an option's mark: the nearest doubles, null where the file has null. Volatilities are
 * annualized fractions.
 */
export interface Greeks {
  /** Change of the option's price for a change of the underlying's price by 1. */
  readonly delta: number | null
  /** Change of delta for a change of the underlying's price by 1. */
  readonly gamma: number | null
  /** Sensitivity to volatility, in the venue's own unit. */
  readonly vega: number | null
  /** Sensitivity to time, in the venue's own unit. */
  readonly theta: number | null
  /** Implied volatility of the mark price. */
  readonly markVolatility: number | null
  /** Implied volatility of the best bid. */
  readonly bidVolatility: number | null
  /** Implied volatility of the best ask. */
  readonly askVolatility: number | null
}

/** Mark price; `greeks` is null where the line carries no tail (2025 files). */
export interface MarkEvent extends ChainedEvent {
  readonly kind: 'mark'
  /** The mark price. */
  readonly price: Price
  /** Greeks of an option; null where the line carries no tail. */
  readonly greeks: Greeks | null
}

/** Index price. */
export interface IndexEvent extends ChainedEvent {
  readonly kind: 'index'
  /** The index price. */
  readonly price: Price
}

/** Republished funding state, not a payment. */
export interface FundingEvent extends ChainedEvent {
  readonly kind: 'funding'
  /** Published funding rate, a fraction: 0.0001 is 0.01 %. */
  readonly rate: Decimal
  /** Time of the next payment, epoch nanoseconds; null where not available. */
  readonly nextFundingTimestampNs: bigint | null
  /** Rate that the venue predicts, a fraction; null where the line has none. */
  readonly predictedRate: Decimal | null
}

/** One or more liquidations. */
export interface LiquidationsEvent extends ChainedEvent {
  readonly kind: 'liquidations'
  /** The liquidations in file order. */
  readonly liquidations: readonly Liquidation[]
}

/** Any event of a tick file, told apart by `kind`. */
export type TickEvent =
  | SnapshotEvent
  | UpdateEvent
  | TradesEvent
  | StateEvent
  | TopOfBookEvent
  | MarkEvent
  | IndexEvent
  | FundingEvent
  | LiquidationsEvent
