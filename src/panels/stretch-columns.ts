/**
 * The kinds of events of a stretch; a column holds their places in this list. `begin`, `end`: the edges of the
 * stretch. `book`, `trade`: a line of the market, as received. `request`: the strategy sends an order entry request.
 * `answer`: it receives a response or an order update. `receipt`: it receives a fill. `order`: at the exchange an
 * order is accepted, changed or final. `execution`: at the exchange an order executes. `log`: a line of the strategy's
 * log. `other`: any other line of the journal: a funding payment, a wallet update, a gap.
 */
export const STRETCH_EVENTS = [
  'begin', 'end', 'book', 'trade', 'request', 'answer', 'receipt', 'order', 'execution', 'log', 'other',
] as const

/** The kind of an event of a stretch. */
export type StretchEvent = (typeof STRETCH_EVENTS)[number]

/** Events, by the number that other columns name. Times ascend. */
export interface EventColumns {
  /** Places in {@link STRETCH_EVENTS}. */
  readonly kind: readonly number[]
  /** Whole nanoseconds after the begin of the stretch. */
  readonly timeNs: readonly number[]
  /** Places in the list of instruments; -1 for none. */
  readonly instrument: readonly number[]
}

/**
 * Rows of levels or trades: integers at the scales of their instrument. `side`: 0 is BID or a buyer who takes, 1 is ASK
 * or a seller. Of a level a quantity of 0 takes it away.
 */
export interface PriceRows {
  readonly event: readonly number[]
  readonly side: readonly number[]
  readonly price: readonly number[]
  readonly quantity: readonly number[]
}

/** Public trades. */
export interface TradeRows extends PriceRows {
  /** Where several are under one event: the time of each, as in the column of events. */
  readonly timeNs?: readonly number[]
}

/** One instrument of a stretch, as the strategy received it. */
export interface InstrumentColumns {
  /** `exchange:code`. */
  readonly name: string
  readonly priceScale: number
  readonly quantityScale: number
  /** The best levels of both sides: those of the begin are rows of event 0, then what changed. */
  readonly levels: PriceRows
  readonly trades: TradeRows
  /** States of the market data, from an event on. */
  readonly states: { readonly event: readonly number[]; readonly state: readonly string[] }
}

/** The part of an own order that never changes. */
export interface OwnOrder {
  readonly account: string
  readonly client: string
  readonly ownOrderId: string
  /** The place in the list of instruments. */
  readonly instrument: number
  /** `BID` buys, `ASK` sells. */
  readonly side: string
  readonly type: string
  readonly timeInForce: string
}

/** Own orders as the exchange has them, a row for each change. Integers at the scales of their instrument. */
export interface OrderRows {
  readonly event: readonly number[]
  /** Places in the list of orders. */
  readonly order: readonly number[]
  /** `SENT` until the exchange has the order, then its state there. */
  readonly state: readonly string[]
  /** Null: without a price. */
  readonly price: readonly (number | null)[]
  readonly total: readonly number[]
  readonly executed: readonly number[]
  /** The public quantity at its price that is served before it. Null: unknown; queue models that share make doubles. */
  readonly ahead: readonly (number | null)[]
}

/**
 * Own fills, in the order of their executions; one from before the stretch stands where it was received. Integers at
 * the scales of their instrument.
 */
export interface FillRows {
  /** Places in the list of orders. */
  readonly order: readonly number[]
  /** The event at the exchange; -1 where it lies before the stretch. */
  readonly event: readonly number[]
  /** The event in which the strategy received it; -1 where that lies behind the stretch. */
  readonly receipt: readonly number[]
  readonly price: readonly number[]
  readonly quantity: readonly number[]
  /** `trade`, `shown`, `aggression`, `gap`, `forced`; empty where nothing says it, as before the stretch. */
  readonly cause: readonly string[]
  /** Quantity ahead before the execution; null: unknown. */
  readonly ahead: readonly (number | null)[]
  /** True where the order had been resting. */
  readonly isMaker: readonly boolean[]
  /** With the currency. */
  readonly fee: readonly string[]
  /** The position behind it, a decimal text; empty where the execution lies before the stretch. */
  readonly position: readonly string[]
}

/** A stretch of a run as plain columns: all that the viewer shows. */
export interface StretchColumns {
  readonly format: 'backtape-stretch/1'
  /** The name of the run. */
  readonly name: string
  /** Facts of the run in words. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** Epoch nanoseconds of the begin. */
  readonly fromEpochNs: string
  /** Levels that are kept of a side. */
  readonly levelCount: number
  /** Lines of the market that changed none of these levels and no queue of an own order: they are no events. */
  readonly unseenCount: number
  readonly events: EventColumns
  readonly instruments: readonly InstrumentColumns[]
  readonly orders: readonly OwnOrder[]
  readonly orderRows: OrderRows
  readonly fills: FillRows
  /** Positions at the begin, where they are not 0. */
  readonly positions: readonly { readonly account: string; readonly instrument: number; readonly quantity: string }[]
  /** Lines of the journal, as the run writes them. */
  readonly lines: { readonly event: readonly number[]; readonly text: readonly string[] }
}
