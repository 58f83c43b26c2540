import type { Id } from '../../src/model/id.js'
import { ExactSum } from '../../src/model/exact-sum.js'
import type { EntryError, OrderReport, OrderState } from '../../src/model/order.js'
import type { Side } from '../../src/model/side.js'
import type { PlaceEntry, ReplaceEntry } from '../../src/venue/messages.js'
import type { InstrumentDirectory } from '../../src/venue/venue.js'
import type { TwiceMid } from '../../src/report/mark-outs.js'
import { keptValue } from '../../src/model/kept-value.js'
import type { OrderSums } from '../../src/report/order-recorder.js'

/**
 * An order over its life: what its client sent, what the exchange made of it. Integers at the instrument's own scales.
 */
export interface OrderRecord {
  readonly ownOrderId: Id
  clientOrderId: Id
  exchangeOrderId: Id | null
  readonly clientId: string
  readonly accountId: string
  readonly instrumentId: number
  readonly side: Side
  readonly type: string
  readonly timeInForce: string
  readonly postOnly: boolean
  price: number | null
  totalQuantity: number
  executedQuantity: number
  /** PENDING_NEW where nothing was answered before the run ended. */
  state: OrderState
  /** The order that it replaces; null where it was placed. */
  readonly replaces: Id | null
  /** Local time of sending. */
  readonly sentNs: number
  /** Exchange time of acceptance; null where it never was. */
  acceptedNs: number | null
  /** Exchange time of its end (local for what never got there); null where it was open when the run ended. */
  endedNs: number | null
  /**
   * Quantity ahead when it came to rest, last of all, an integer at `aheadScale`; null where it never rested, or
   * unknown.
   */
  quantityAhead: number | null
  aheadScale: number
  touchedByGap: boolean
  error: EntryError | null
  /** Twice the mid that its client saw when it sent it, an integer at `arrivalScale`; null where a side was empty. */
  readonly arrivalTwice: number | null
  readonly arrivalScale: number
}

/** The facts of an exchange's order that a report does not state. */
export interface QueueEntry {
  readonly entryQuantityAhead: number
  readonly touchedByGap: boolean
}

/** Whose order it is. */
export type Sender = Pick<OrderRecord, 'clientId' | 'accountId'>

const noOrders = (): OrderSums => ({
  states: new Map(), acceptedCount: 0, filledOrderCount: 0, openCount: 0, touchedByGapCount: 0, acceptedQuantity: 0,
  executedQuantity: 0, queuedCount: 0, quantityAhead: new ExactSum(),
})

const OVER: ReadonlySet<string> = new Set(['FILLED', 'CANCELED', 'REJECTED', 'DISCARDED'])

/** The number of ended orders that are still known: more than end while a message is on its way. */
const ENDED_LIMIT = 1024

/** Every order of a world: one record each from its sending to its end. */
export class NaiveOrders {
  readonly rows: OrderRecord[] = []
  /** By account id, then instrument id. */
  sums: Map<string, Map<number, OrderSums>> = new Map()
  /** Orders that are not over. */
  readonly #open: Map<Id, OrderRecord> = new Map()
  /** Orders that took the id of one before them: the adapter will refuse them. */
  readonly #twins: OrderRecord[] = []
  /**
   * Orders that ended last, in a ring, those that are rows by their row: a client may still replace one of whose end it
   * has not received.
   */
  readonly #ended: OrderRecord[] = []
  readonly #endedIds: Id[] = []
  #endedCount = 0

  /** `midOf` is the mid of an instrument as clients see it now. */
  constructor(
    private readonly directory: InstrumentDirectory,
    private readonly midOf: (instrumentId: number) => TwiceMid,
  ) {}

  placed(sender: Sender, entry: PlaceEntry, timeNs: number): void {
    this.#add(entry, sender, null, timeNs)
  }

  /** Twice the mid that a client saw when it sent an open order; null where there is none. */
  arrivalOf(ownOrderId: Id): TwiceMid | null {
    const record = this.#open.get(ownOrderId)
    return record?.arrivalTwice == null ? null : { value: record.arrivalTwice, scale: record.arrivalScale }
  }

  /** A replacement takes what it does not say from the order it replaces. */
  replaced(sender: Sender, entry: ReplaceEntry, timeNs: number): void {
    const current = this.#open.get(entry.currentOwnOrderId) ?? this.#endedOf(entry.currentOwnOrderId)
    const { newOwnOrderId: ownOrderId, newClientOrderId: clientOrderId, currentOwnOrderId: replaces } = entry
    const terms = {
      ownOrderId, clientOrderId,
      instrumentId: current?.instrumentId ?? 0,
      side: current?.side ?? 'BID',
      type: current?.type ?? 'LIMIT',
      timeInForce: current?.timeInForce ?? 'GOOD_TILL_CANCEL',
      postOnly: current?.postOnly ?? true,
      price: entry.price ?? current?.price ?? null,
      totalQuantity:
        entry.totalQuantity ?? (current === undefined ? 0 : current.totalQuantity - current.executedQuantity),
    }
    this.#add(terms, sender, replaces, timeNs)
  }

  /** An order that the strategy's own side never sent. */
  discarded(sender: Sender, entry: PlaceEntry, timeNs: number, error: EntryError): void {
    const record = this.#add(entry, sender, null, timeNs)
    // It was never sent: nothing is answered.
    if (this.#twins.at(-1) === record) this.#twins.pop()
    this.#end(record, 'DISCARDED', timeNs, error)
  }

  /** Refused by the adapter or the exchange. */
  refused(ownOrderId: Id, timeNs: number, error: EntryError): void {
    const twin = this.#twins.findIndex((record) => record.ownOrderId === ownOrderId)
    const record = twin >= 0 ? this.#twins.splice(twin, 1)[0] : this.#open.get(ownOrderId)
    if (record?.state === 'PENDING_NEW') this.#end(record, 'REJECTED', timeNs, error)
  }

  /**
   * The exchange has an order like this now; quantities of `queue` are integers at the market's `quantityScale`.
   */
  changed(report: OrderReport, queue: QueueEntry, quantityScale: number): void {
    const record = this.#open.get(report.ownOrderId)
    if (record === undefined) return
    const timeNs = report.exchangeTimeNs ?? 0
    record.acceptedNs ??= timeNs
    record.clientOrderId = report.clientOrderId
    record.exchangeOrderId = report.exchangeOrderId
    record.price = report.price
    record.totalQuantity = report.totalQuantity
    record.executedQuantity = report.executedQuantity
    record.state = report.state
    this.look(report.ownOrderId, queue, quantityScale)
    if (OVER.has(report.state)) this.#end(record, report.state, timeNs, report.error ?? null)
  }

  /**
   * Takes over what a record of the exchange says of the queue: at an order's end, and for what is open when the run
   * ends.
   */
  look(ownOrderId: Id, { entryQuantityAhead, touchedByGap }: QueueEntry, quantityScale: number): void {
    const record = this.#open.get(ownOrderId)
    if (record === undefined) return
    record.touchedByGap = touchedByGap
    record.aheadScale = Math.max(quantityScale, this.directory.get(record.instrumentId)?.quantityScale ?? 0)
    record.quantityAhead = Number.isSafeInteger(entryQuantityAhead) ? entryQuantityAhead * 10 ** (record.aheadScale - quantityScale) : null
  }

  /** Counts what is still open: once, at the end of the run. */
  finish(): void {
    for (const record of this.rows) if (!OVER.has(record.state)) this.#count(record, true)
    this.#open.clear()
  }

  #add(terms: Terms, { clientId, accountId }: Sender, replaces: Id | null, sentNs: number): OrderRecord {
    const { ownOrderId, clientOrderId, instrumentId, side, type, timeInForce, postOnly, price, totalQuantity } = terms
    const arrival = this.midOf(instrumentId)
    const record: OrderRecord = {
      ownOrderId, clientOrderId, exchangeOrderId: null, clientId,
      accountId, instrumentId, side, type, timeInForce, postOnly, price, totalQuantity, executedQuantity: 0,
      state: 'PENDING_NEW', replaces, sentNs, acceptedNs: null, endedNs: null, quantityAhead: null, aheadScale: 0,
      touchedByGap: false, error: null,
      arrivalTwice: Number.isNaN(arrival.value) ? null : arrival.value, arrivalScale: arrival.scale,
    }
    if (this.#open.has(record.ownOrderId)) this.#twins.push(record)
    else this.#open.set(record.ownOrderId, record)
    this.rows.push(record)
    return record
  }

  #remember(record: OrderRecord): void {
    const place = this.#endedCount++ % ENDED_LIMIT
    this.#ended[place] = record
    this.#endedIds[place] = record.ownOrderId
  }

  #endedOf(ownOrderId: Id): OrderRecord | undefined {
    return this.#ended[this.#endedIds.indexOf(ownOrderId)]
  }

  #end(record: OrderRecord, state: OrderState, timeNs: number, error: EntryError | null): void {
    this.#remember(record)
    record.state = state
    record.endedNs = timeNs
    record.error = error
    if (this.#open.get(record.ownOrderId) === record) this.#open.delete(record.ownOrderId)
    this.#count(record, false)
  }

  #count(record: OrderRecord, isOpen: boolean): void {
    const sums = this.#sumsOf(record)
    sums.states.set(record.state, (sums.states.get(record.state) ?? 0) + 1)
    if (isOpen) sums.openCount++
    if (record.touchedByGap) sums.touchedByGapCount++
    if (record.acceptedNs !== null) {
      sums.acceptedCount++
      sums.acceptedQuantity += record.totalQuantity
      sums.executedQuantity += record.executedQuantity
      if (record.executedQuantity > 0) sums.filledOrderCount++
    }
    if (record.quantityAhead === null) return
    sums.queuedCount++
    sums.quantityAhead.add(record.quantityAhead, record.aheadScale)
  }

  #sumsOf({ accountId, instrumentId }: OrderRecord): OrderSums {
    return keptValue(keptValue(this.sums, accountId, (): Map<number, OrderSums> => new Map()), instrumentId, noOrders)
  }
}

type Terms = Pick<
  OrderRecord,
  | 'ownOrderId'
  | 'clientOrderId'
  | 'instrumentId'
  | 'side'
  | 'type'
  | 'timeInForce'
  | 'postOnly'
  | 'price'
  | 'totalQuantity'
>
