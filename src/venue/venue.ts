import type { Id } from '../model/id.js'
import type { BookView } from '../model/book-view.js'
import type { Amount, StatedAmount } from '../model/amount.js'
import type { EventBatch } from '../model/event-batch.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import type {
  AmendEntry, AmendResult, CancelAllRequest, CancelAllResponse, CancelEntry, CancelResult, FillContextEntry,
  FillContextResult, OrderContextEntry, OrderContextResult, PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult,
} from './messages.js'
import type { OrderReport } from '../model/order.js'
import type { ChannelSource } from './channels.js'
import type { SignalSource } from './signals.js'
import type {
  AccountState, Capabilities, CorporateAction, Fill, IsolatedPosition, Position, RateLimitLoad, Wallet,
} from './account-messages.js'

/** States of an instrument's market data (spec 3). */
export type MarketDataState = 'READY' | 'ERROR' | 'PENDING' | 'FAILED' | 'GONE'

/** The text of the state ERROR at a gap in the chain of depth events. */
export const GAP_TEXT = 'gap in the chain of depth events'

/** The seven topics of the feed (spec 4, section 8). State events always come. */
export interface Topics {
  /** Snapshots and updates of the depth book. */
  readonly depth?: boolean
  /** Public trades. */
  readonly trades?: boolean
  /** Best bid and ask as a stream of their own. */
  readonly topOfBook?: boolean
  /** Index prices. */
  readonly indexPrice?: boolean
  /** Mark prices. */
  readonly markPrice?: boolean
  /** Funding states. */
  readonly fundingRate?: boolean
  /** Liquidations. */
  readonly liquidations?: boolean
  /** State lines as they were recorded, as events of their own: for a server that relays them. */
  readonly states?: boolean
}

/** An instrument as a venue knows it, with the scales that its orders and fills use all through a run. */
export interface InstrumentEntry {
  /** Its terms as they hold now: a later day of a run may have others (exchange rules 1.7). */
  readonly instrument: Instrument
  /** From when on they hold, nanoseconds of the clock; absent as long as they are those of the first day. */
  readonly termsFromNs?: number
  /** price = integer * 10^-priceScale in every order entry message. */
  readonly priceScale: number
  /** quantity = integer * 10^-quantityScale in every order entry message. */
  readonly quantityScale: number
}

/** Instruments by id. */
export interface InstrumentDirectory {
  /** All instruments. */
  readonly entries: readonly InstrumentEntry[]
  /** The instrument with this id, or undefined. */
  get(instrumentId: number): InstrumentEntry | undefined
}

/** Underlyings by id. */
export interface UnderlyingDirectory {
  /** All underlyings. */
  readonly entries: readonly Underlying[]
  /** The underlying with this id, or undefined. */
  get(underlyingId: number): Underlying | undefined
}

/** The code of an underlying; its id where the directory does not have it. */
export function underlyingCode(underlyings: UnderlyingDirectory, underlyingId: number): string {
  return underlyings.get(underlyingId)?.code ?? String(underlyingId)
}

/**
 * The venue against which a strategy trades. Everything is synchronous and in time order; a live venue calls the same
 * listeners from its sockets. No callback ever runs inside another, nor inside a request: what is known at once is
 * queued to the same instant.
 */
export interface Venue {
  /** Time of the venue. */
  readonly clock: Clock
  /** Instruments of the venue. */
  readonly instruments: InstrumentDirectory
  /** Underlyings of the venue. */
  readonly underlyings: UnderlyingDirectory
  /**
   * The local-time view of an instrument; reading it costs the events since it was last read, nothing is paid before.
   */
  market(instrumentId: number): MarketView
  /** Subscribes topics of an instrument; events come to the listener. */
  subscribe(instrumentId: number, topics: Topics, listener: MarketDataListener): Subscription
  /** Logs in to an account; answers and events come to the listener. */
  orderEntry(accountId: string, listener: OrderEntryListener): OrderEntry
  /** Rows from outside the market; absent where the venue has none. */
  readonly signals?: SignalSource
  /** Channels of text messages; absent where the venue has none: a message then has no listener. */
  readonly channels?: ChannelSource
  /** A UUID; in a simulation one that the run has drawn. */
  newId(): Id
  /** Ends all connections; resolves when they are closed. */
  close(): Promise<void>
}

/** Time of a venue: nanoseconds since the midnight of `epochDay`. */
export interface Clock {
  /** Days since 1970-01-01; the base of all times. */
  readonly epochDay: number
  /** Time now, nanoseconds since the midnight of `epochDay`. */
  nowNs(): number
  /** Epoch nanoseconds. */
  now(): bigint
  /** The timers of a client; `onTimer` is called with the name of a timer that fires. */
  timers(clientId: string, onTimer: (name: string) => void): Timers
}

/** Timers of one client; names are unique per client, setting a name again moves it. */
export interface Timers {
  /** Sets a timer to a time of the clock, nanoseconds. */
  at(timeNs: number, name: string): void
  /** Removes a timer by its name; no error where there is none. */
  cancel(name: string): void
  /**
   * A timer that calls `target` and nobody else, for what is set again and again: no name is looked up. It takes the
   * place of one of its name.
   */
  timer(name: string, target: TimerTarget): Timer
}

/**
 * The object that a timer of its own calls: an object, as a closure for each of many timers costs a look into memory
 * more.
 */
export interface TimerTarget {
  /** `name` is the timer's; the time is the clock's. */
  onDue(name: string): void
}

/** One timer of a client. */
export interface Timer {
  /** When it fires next; NaN while it does not wait. */
  readonly dueNs: number
  /** Order of setting on its clock, which is the order of firing within an instant. */
  readonly sequence: number
  /** Sets or moves it; it fires once. */
  at(timeNs: number): void
  /**
   * Sets or moves it; it fires at `firstNs` and every `intervalNs` after, until it is set again or cancelled. Each time
   * it counts as set anew just before it fires. A clock that is late leaves out what it missed and keeps the rhythm
   * (`nextDueNs`).
   */
  every(firstNs: number, intervalNs: number): void
  /** Takes it out for good; harmless where it does not wait. */
  cancel(): void
}

/**
 * Best prices and the book as a client sees them (exchange rules 2.2): integers at the scales of `book`; NaN where a
 * side is empty.
 */
export interface MarketView {
  /** Depth book in local time. */
  readonly book: BookView
  /** Best bid price. */
  readonly bestBidPrice: number
  /** Quantity of the best bid. */
  readonly bestBidQuantity: number
  /** Best ask price. */
  readonly bestAskPrice: number
  /** Quantity of the best ask. */
  readonly bestAskQuantity: number
  /**
   * Writes the four of them in this order, then price and quantity scale, into the caller's column of six, and returns
   * whether any of the four is another value than the column held (finer scales alone are no change): the hot form, one
   * look for all. A column that holds nothing yet is NaN, 0, NaN, 0, 0, 0.
   */
  copyTop(top: Float64Array): boolean
  /** Last mark and index price, NaN before the first; value = integer * 10^-scale. */
  readonly markPrice: number
  /** Decimal places of `markPrice`. */
  readonly markScale: number
  /** Digits of the mark where no integer holds them, else null: then `markPrice` is the double beside, at scale 0. */
  readonly markDigits: string | null
  /** Last index price, NaN before the first; value = integer * 10^-indexScale. */
  readonly indexPrice: number
  /** Decimal places of `indexPrice`. */
  readonly indexScale: number
  /** The same of the index. */
  readonly indexDigits: string | null
  /** State of the market data. */
  readonly state: MarketDataState
}

/** Receives market data. */
export interface MarketDataListener {
  /** One call per line (msgTypes 0, 1, 2, 5, 6, 7, 8, 9, 17 of the topics asked for); the view includes it already. */
  onEvent(batch: EventBatch, index: number, view: MarketView): void
  /** The market data have a new state; `text` gives the reason. */
  onState(instrumentId: number, state: MarketDataState, text: string): void
  /**
   * Batches of lines received until now are given back or written over after this call: whoever has kept one takes what
   * it needs out of it.
   */
  onRelease?(): void
  /**
   * The market as it stands, after READY, where no snapshot line follows because the subscription began in the middle
   * of a day.
   */
  onCurrent?(view: MarketView): void
  /** Tells subscriptions of a client to one instrument apart in a checkpoint; default: none. */
  readonly subscriptionName?: string
}

/** A running subscription. */
export interface Subscription {
  /** Ends the subscription. */
  unsubscribe(): void
}

/** One step of a venue's ladder of initial margins. */
export interface InitialMarginStep {
  /** Greatest value of the position in the settlement underlying, that value included; null: without bound. */
  readonly upTo: Amount | null
  /** Part of the whole position's value that must be there to open it. */
  readonly initialRate: Amount
}

/**
 * The terms of opening a derivative of which only the profit is settled: initial margin by the value of the whole
 * position.
 */
export interface MarginOpening {
  /** Kind of the contract. */
  readonly kind: 'linear' | 'inverse' | 'quanto'
  /**
   * A quantity is worth quantity * contractSize * price in the settlement underlying; quantity * contractSize / price
   * where it is inverse.
   */
  readonly contractSize: Amount
  /** Id of the underlying in which profit is settled. */
  readonly settlementUnderlyingId: number
  /** By growing `upTo`, at least one; rates never fall. A position beyond the last one cannot be opened. */
  readonly initialMargin: readonly InitialMarginStep[]
  /** True where positions that OPEN makes have a margin of their own. */
  readonly isIsolated: boolean
}

/** The terms of opening a contract that is paid in full: an option its premium, a prediction contract its price. */
export interface PaidOpening {
  /** Kind of the contract. */
  readonly kind: 'option' | 'prediction'
  /** A quantity is worth quantity * contractSize * price in the settlement underlying. */
  readonly contractSize: Amount
  /** Id of the underlying in which it is paid. */
  readonly settlementUnderlyingId: number
  /** True where a purchase that buys back what was sold needs nothing: what it takes is held already. */
  readonly isCoverFree: boolean
  /**
   * The terms of a sale beyond the holding: 1 less the price (`stake`), it is refused (`refused`), or nothing states it
   * (`unstated`).
   */
  readonly shortSale: 'stake' | 'refused' | 'unstated'
}

/**
 * The draw of an order that opens a derivative on the wallet of its settlement underlying. Ours, not of the protocol:
 * it shows no margin rates.
 */
export type OpeningTerms = MarginOpening | PaidOpening

/** Sends order entry requests. Answers come through the listener, never before the call returns. */
export interface OrderEntry {
  /** Id of the account. */
  readonly accountId: string
  /** Requests and fields that the adapter supports. */
  readonly capabilities: Capabilities
  /** The state at login. */
  readonly initial: AccountState
  /**
   * The terms of opening an instrument; undefined for spot, where nothing limits it, and where the venue does not tell.
   */
  openingTerms?(instrumentId: number): OpeningTerms | undefined
  /** Places orders; `onPlaceResponse` answers. */
  place(entries: readonly PlaceEntry[]): void
  /** Amends orders; `onAmendResponse` answers. */
  amend(entries: readonly AmendEntry[]): void
  /** Replaces orders; `onReplaceResponse` answers. */
  replace(entries: readonly ReplaceEntry[]): void
  /** Cancels orders; `onCancelResponse` answers. */
  cancel(entries: readonly CancelEntry[]): void
  /** Cancels all orders of the account; `onCancelAllResponse` answers. */
  cancelAll(request: CancelAllRequest): void
  /** The adapter's own: contexts never reach the exchange. */
  orderContext(entries: readonly OrderContextEntry[]): void
  /** Sets contexts of fills; `onFillContextResponse` answers. */
  fillContext(entries: readonly FillContextEntry[]): void
}

/**
 * Receives order entry responses and events: one method per message of spec 2. Times are local arrival at the venue's
 * clock.
 */
export interface OrderEntryListener {
  /** Outcomes of a place request. */
  onPlaceResponse(results: readonly PlaceResult[], adapterTimeNs: number): void
  /** Outcomes of an amend request. */
  onAmendResponse(results: readonly AmendResult[], adapterTimeNs: number): void
  /** Outcomes of a replace request. */
  onReplaceResponse(results: readonly ReplaceResult[], adapterTimeNs: number): void
  /** Outcomes of a cancel request. */
  onCancelResponse(results: readonly CancelResult[], adapterTimeNs: number): void
  /** Outcome of a cancelAll request. */
  onCancelAllResponse(response: CancelAllResponse): void
  /** Orders that have changed. */
  onOrderUpdate(orders: readonly OrderReport[], adapterTimeNs: number): void
  /** Fills, and late data of fills. */
  onFill(fills: readonly Fill[], adapterTimeNs: number): void
  /** `isolatedPositions` is left out where the account never had one. */
  onPositionUpdate(
    positions: readonly Position[], adapterTimeNs: number, isolatedPositions?: readonly IsolatedPosition[],
  ): void
  /** `totals` are sums in USD, left out where a rate that they need is not declared. */
  onWalletUpdate(
    wallets: readonly Wallet<StatedAmount, number>[], adapterTimeNs: number,
    totals?: Pick<AccountState, 'maintenanceMargin' | 'totalBalances'>,
  ): void
  /** A new state of the account. */
  onAccountStatus(state: AccountState): void
  /** Outcomes of an order context request. */
  onOrderContextResponse?(results: readonly OrderContextResult[]): void
  /** Outcomes of a fill context request. */
  onFillContextResponse?(results: readonly FillContextResult[]): void
  /** Loads of the rate limits. */
  onRateLimitLoad?(loads: readonly RateLimitLoad[], adapterTimeNs: number): void
  /** A split or a dividend of an instrument. */
  onCorporateAction?(action: CorporateAction, adapterTimeNs: number): void
}
