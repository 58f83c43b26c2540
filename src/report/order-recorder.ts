import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'
import { ExactSum } from '../model/exact-sum.js'
import { factorBetween } from '../model/scale-factor.js'
import type { EntryError, OrderReport, OrderState } from '../model/order.js'
import type { AmendEntry, PlaceEntry, ReplaceEntry } from '../venue/messages.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import type { TwiceMid } from './mark-outs.js'
import { keptValue } from '../model/kept-value.js'
import { OrderRows } from './order-rows.js'
import { PriceAmends, type PriceAmendsState } from './price-amends.js'
import type { RowStore } from '../rows/row-store.js'
import type { RowTableState } from '../rows/row-table.js'

/** Whose order it is. */
export interface Sender {
  readonly clientId: string
  readonly accountId: string
}

/** The facts of an exchange's order that a report does not state. */
export interface QueueEntry {
  readonly entryQuantityAhead: number
  readonly touchedByGap: boolean
}

/** Sums over the orders of one account on one instrument. */
export interface OrderSums {
  /** Orders by final state; those open at the end by the state in which they were. */
  readonly states: Map<string, number>
  acceptedCount: number
  /** Accepted orders with at least one fill. */
  filledOrderCount: number
  openCount: number
  touchedByGapCount: number
  acceptedQuantity: number
  executedQuantity: number
  queuedCount: number
  readonly quantityAhead: ExactSum
}

/** Rows of orders and sums, beside the columns of the rows. */
interface OrderContent {
  readonly open: IdMap<number>
  readonly twins: readonly number[]
  /** Those that ended last, the oldest first. */
  readonly ended: readonly number[]
  readonly sums: Map<string, Map<number, OrderSums>>
  readonly amends: PriceAmendsState
}

/** The recorder as plain data. */
export interface OrderRecorderState {
  readonly rows: RowTableState
  readonly own: OrderContent
}

const noOrders = (): OrderSums => ({
  states: new Map(), acceptedCount: 0, filledOrderCount: 0, openCount: 0, touchedByGapCount: 0, acceptedQuantity: 0,
  executedQuantity: 0, queuedCount: 0, quantityAhead: new ExactSum(),
})

const noInstruments = (): Map<number, OrderSums> => new Map()

/** The number of ended orders that are still known: more than end while a message is on its way. */
const ENDED_LIMIT = 1024

function isFinal(state: OrderState): boolean {
  return state === 'FILLED' || state === 'CANCELED' || state === 'REJECTED' || state === 'DISCARDED'
}

/** Every order of a world: one row each from its sending to its end. */
export class OrderRecorder {
  readonly rows: OrderRows
  /** By account id, then instrument id. */
  sums: Map<string, Map<number, OrderSums>> = new Map()
  /** Rows of orders that are not over, by own id. */
  #open: IdMap<number> = new IdMap()
  /** Orders that took the id of one before them: the adapter will refuse them. */
  readonly #twins: number[] = []
  /** Orders that ended last, in a ring: a client may still replace one of whose end it has not received. */
  readonly #ended: number[] = []
  #endedCount = 0
  readonly #amends: PriceAmends = new PriceAmends()

  /** `midOf` is the mid of an instrument as clients see it now. */
  constructor(
    private readonly directory: InstrumentDirectory,
    store: RowStore,
    private readonly midOf: (instrumentId: number) => TwiceMid,
  ) {
    this.rows = new OrderRows(store)
  }

  placed(sender: Sender, entry: PlaceEntry, timeNs: number): void {
    this.#add(entry, sender, null, timeNs)
  }

  /** The row of an order that is not over; -1 where there is none. */
  rowOf(ownOrderId: Id): number {
    return this.#open.get(ownOrderId) ?? -1
  }

  /** A replacement takes what it does not say from the order it replaces. */
  replaced(sender: Sender, entry: ReplaceEntry, timeNs: number): void {
    const { newOwnOrderId: ownOrderId, newClientOrderId: clientOrderId, currentOwnOrderId: replaces } = entry
    const row = this.#open.get(replaces) ?? this.#ended[this.rows.ownOrderId.placeOf(this.#ended, replaces)]
    const current = row === undefined ? null : this.#termsOf(row)
    const terms = {
      ownOrderId, clientOrderId,
      instrumentId: current?.instrumentId ?? 0,
      side: current?.side ?? 'BID',
      type: current?.type ?? 'LIMIT',
      timeInForce: current?.timeInForce ?? 'GOOD_TILL_CANCEL',
      postOnly: current?.postOnly ?? true,
      price: entry.price ?? current?.price ?? null,
      totalQuantity: entry.totalQuantity ?? current?.leftQuantity ?? 0,
    }
    this.#add(terms, sender, replaces, timeNs)
  }

  /** A change that was sent: one of the price, or of a peg's offset, moves the arrival mid once it is taken. */
  amended({ ownOrderId, newClientOrderId, price, pegOffsetValue }: AmendEntry): void {
    const row = this.#open.get(ownOrderId)
    const asked = price ?? pegOffsetValue
    if (row === undefined || asked === undefined) return
    const { rows } = this
    const standing = price === undefined ? NaN : rows.price.at(row)
    this.#amends.sent(row, newClientOrderId, asked, standing, this.midOf(rows.instrumentId.at(row)))
  }

  /** A change was refused by the adapter or the exchange. */
  amendRefused(ownOrderId: Id, clientOrderId: Id): void {
    const row = this.#open.get(ownOrderId)
    if (row !== undefined) this.#amends.refused(row, clientOrderId)
  }

  /** An order that the strategy's own side never sent. */
  discarded(sender: Sender, entry: PlaceEntry, timeNs: number, error: EntryError): void {
    this.#end(this.#add(entry, sender, null, timeNs), entry.ownOrderId, 'DISCARDED', timeNs, error)
  }

  /** Refused by the adapter or the exchange. */
  refused(ownOrderId: Id, timeNs: number, error: EntryError): void {
    const twin = this.rows.ownOrderId.placeOf(this.#twins, ownOrderId)
    const row = twin >= 0 ? this.#twins.splice(twin, 1)[0] : this.#open.get(ownOrderId)
    if (row !== undefined && this.rows.state.at(row) === 'PENDING_NEW')
      this.#end(row, ownOrderId, 'REJECTED', timeNs, error)
  }

  /**
   * The exchange has an order like this now; the quantities of `queue` are integers at `quantityScale`, the market's.
   */
  changed(report: OrderReport, queue: QueueEntry, quantityScale: number): void {
    const { ownOrderId, exchangeTimeNs: timeNs = 0, price, totalQuantity, executedQuantity, state } = report
    const row = this.#open.get(ownOrderId)
    if (row === undefined) return
    const { rows } = this
    if (Number.isNaN(rows.acceptedNs.at(row))) rows.acceptedNs.set(row, timeNs)
    rows.clientOrderId.set(row, report.clientOrderId)
    const arrival = this.#amends.taken(row, report.clientOrderId)
    if (arrival !== null) this.#arrive(row, arrival)
    rows.exchangeOrderId.set(row, report.exchangeOrderId)
    rows.price.set(row, price ?? NaN)
    rows.totalQuantity.set(row, totalQuantity)
    rows.executedQuantity.set(row, executedQuantity)
    rows.state.set(row, state)
    this.#look(row, queue, quantityScale)
    if (isFinal(state)) this.#end(row, ownOrderId, state, timeNs, report.error ?? null)
  }

  /** Takes over what a record of the exchange says of the queue, for what is open when the run ends. */
  look(ownOrderId: Id, queue: QueueEntry, quantityScale: number): void {
    const row = this.#open.get(ownOrderId)
    if (row !== undefined) this.#look(row, queue, quantityScale)
  }

  /** Counts what is still open: once, at the end of the run. */
  finish(): void {
    for (const row of this.#openRows()) this.#count(row, true)
    for (const row of this.#twins) this.#count(row, true)
    this.#open.clear()
  }

  state(): OrderRecorderState {
    const oldest = this.#endedCount % ENDED_LIMIT
    return {
      rows: this.rows.table.state(),
      own: {
        open: this.#open, twins: this.#twins,
        ended: [...this.#ended.slice(oldest), ...this.#ended.slice(0, oldest)], sums: this.sums,
        amends: this.#amends.state(),
      },
    }
  }

  restore({ rows, own }: OrderRecorderState): void {
    this.rows.table.restore(rows)
    const { open, twins, ended, sums, amends } = own
    this.#open = open
    this.#twins.push(...twins)
    for (const row of ended) this.#remember(row)
    this.sums = sums
    this.#amends.restore(amends)
  }

  /** In the order of sending. */
  #openRows(): number[] {
    return this.#open.values().sort((a, b) => a - b)
  }

  #add(terms: Terms, { clientId, accountId }: Sender, replaces: Id | null, sentNs: number): number {
    const { ownOrderId, instrumentId } = terms
    const { rows } = this
    const row = rows.table.add()
    rows.ownOrderId.set(row, ownOrderId)
    rows.clientOrderId.set(row, terms.clientOrderId)
    rows.clientId.set(row, clientId)
    rows.accountId.set(row, accountId)
    rows.instrumentId.set(row, instrumentId)
    rows.side.set(row, terms.side)
    rows.type.set(row, terms.type)
    rows.timeInForce.set(row, terms.timeInForce)
    rows.postOnly.set(row, terms.postOnly ? 1 : 0)
    rows.price.set(row, terms.price ?? NaN)
    rows.totalQuantity.set(row, terms.totalQuantity)
    rows.state.set(row, 'PENDING_NEW')
    if (replaces !== null) rows.replaces.set(row, replaces)
    rows.sentNs.set(row, sentNs)
    this.#arrive(row, this.midOf(instrumentId))
    if (this.#open.has(ownOrderId)) this.#twins.push(row)
    else this.#open.set(ownOrderId, row)
    return row
  }

  #arrive(row: number, { value, scale }: TwiceMid): void {
    this.rows.arrivalTwice.set(row, value)
    this.rows.arrivalScale.set(row, scale)
  }

  /** The terms of an order that a replacement takes over. */
  #termsOf(row: number): Omit<Terms, 'ownOrderId' | 'clientOrderId' | 'totalQuantity'> & { leftQuantity: number } {
    const { rows } = this
    const price = rows.price.at(row)
    return {
      instrumentId: rows.instrumentId.at(row), side: rows.side.at(row), type: rows.type.at(row),
      timeInForce: rows.timeInForce.at(row), postOnly: rows.postOnly.at(row) === 1,
      price: Number.isNaN(price) ? null : price,
      leftQuantity: rows.totalQuantity.at(row) - rows.executedQuantity.at(row),
    }
  }

  /** At the scale of the directory where that is finer and holds it, so that no growth of the market's shows. */
  #look(row: number, { entryQuantityAhead, touchedByGap }: QueueEntry, quantityScale: number): void {
    const { rows } = this
    const own = this.directory.get(rows.instrumentId.at(row))?.quantityScale ?? 0
    const atOwn = entryQuantityAhead * factorBetween(quantityScale, own)
    const isHeld = Number.isSafeInteger(atOwn) || !Number.isSafeInteger(entryQuantityAhead)
    const ahead = isHeld ? atOwn : entryQuantityAhead
    rows.touchedByGap.set(row, touchedByGap ? 1 : 0)
    rows.quantityAhead.set(row, Number.isSafeInteger(ahead) ? ahead : NaN)
    rows.aheadScale.set(row, isHeld ? Math.max(own, quantityScale) : quantityScale)
  }

  #remember(row: number): void {
    const place = this.#endedCount++ % ENDED_LIMIT
    const forgotten = this.#ended[place]
    if (forgotten !== undefined) this.rows.table.release(forgotten)
    this.#ended[place] = row
  }

  #end(row: number, ownOrderId: Id, state: OrderState, timeNs: number, error: EntryError | null): void {
    const { rows } = this
    rows.state.set(row, state)
    rows.endedNs.set(row, timeNs)
    if (error !== null) rows.error.set(row, error)
    if (this.#open.get(ownOrderId) === row) this.#open.delete(ownOrderId)
    this.#amends.ended(row)
    this.#count(row, false)
    this.#remember(row)
  }

  #count(row: number, isOpen: boolean): void {
    const { rows } = this
    const sums = keptValue(
      keptValue(this.sums, rows.accountId.at(row), noInstruments), rows.instrumentId.at(row), noOrders,
    )
    const state = rows.state.at(row)
    sums.states.set(state, (sums.states.get(state) ?? 0) + 1)
    if (isOpen) sums.openCount++
    if (rows.touchedByGap.at(row) === 1) sums.touchedByGapCount++
    if (!Number.isNaN(rows.acceptedNs.at(row))) {
      const executedQuantity = rows.executedQuantity.at(row)
      sums.acceptedCount++
      sums.acceptedQuantity += rows.totalQuantity.at(row)
      sums.executedQuantity += executedQuantity
      if (executedQuantity > 0) sums.filledOrderCount++
    }
    const quantityAhead = rows.quantityAhead.at(row)
    if (Number.isNaN(quantityAhead)) return
    sums.queuedCount++
    sums.quantityAhead.add(quantityAhead, rows.aheadScale.at(row))
  }
}

type Terms = Pick<
  PlaceEntry,
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
