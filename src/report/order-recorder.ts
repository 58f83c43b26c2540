import type { Id } from '../model/id.js'
import { ExactSum } from '../model/exact-sum.js'
import { keptValue } from '../model/kept-value.js'
import { factorBetween } from '../model/scale-factor.js'
import type { EntryError, OrderState } from '../model/order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import type { OrderOwner, OrderTable, RowTerms } from '../orders/order-table.js'
import type { AmendEntry } from '../venue/messages.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import type { TwiceMid } from './mark-outs.js'
import { OrderRows } from './order-rows.js'
import { PriceAmends, type PriceAmendsState } from './price-amends.js'

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

/** The recorder as plain data; the rows are the table's to keep. */
export interface OrderRecorderState {
  readonly sums: Map<string, Map<number, OrderSums>>
  readonly amends: PriceAmendsState
}

const noOrders = (): OrderSums => ({
  states: new Map(), acceptedCount: 0, filledOrderCount: 0, openCount: 0, touchedByGapCount: 0, acceptedQuantity: 0,
  executedQuantity: 0, queuedCount: 0, quantityAhead: new ExactSum(),
})

const noInstruments = (): Map<number, OrderSums> => new Map()

function isFinal(state: OrderState): boolean {
  return state === 'FILLED' || state === 'CANCELED' || state === 'REJECTED' || state === 'DISCARDED'
}

/** Writes down of the orders of a world, in columns beside those of their table, and counts them. */
export class OrderRecorder {
  readonly rows: OrderRows
  /** By account id, then instrument id. */
  sums: Map<string, Map<number, OrderSums>> = new Map()
  readonly #amends: PriceAmends = new PriceAmends()

  /** `midOf` is the mid of an instrument as clients see it now. */
  constructor(
    private readonly directory: InstrumentDirectory,
    orders: OrderTable,
    private readonly midOf: (instrumentId: number) => TwiceMid,
  ) {
    this.rows = new OrderRows(orders)
  }

  /** An order was sent. */
  sent(row: number): void {
    this.#arrive(row, this.midOf(this.rows.orders.client.instrumentId.at(row)))
  }

  /** A change that was sent: one of the price, or of a peg's offset, moves the arrival mid once it is taken. */
  amended(accountId: string, { ownOrderId, newClientOrderId, price, pegOffsetValue }: AmendEntry): void {
    const { orders } = this.rows
    const row = orders.rowOf(accountId, ownOrderId)
    const asked = price ?? pegOffsetValue
    if (row < 0 || asked === undefined) return
    const standing = price === undefined ? NaN : orders.priceAt(row)
    this.#amends.sent(row, newClientOrderId, asked, standing, this.midOf(orders.client.instrumentId.at(row)))
  }

  /** A change was refused by the adapter or the exchange. */
  amendRefused(accountId: string, ownOrderId: Id, clientOrderId: Id): void {
    const row = this.rows.orders.rowOf(accountId, ownOrderId)
    if (row >= 0) this.#amends.refused(row, clientOrderId)
  }

  /** An order that the strategy's own side never sent. */
  discarded(owner: OrderOwner, terms: RowTerms, timeNs: number, error: EntryError): void {
    const row = this.rows.orders.add(owner, terms, timeNs)
    this.sent(row)
    this.#refuse(row, 'DISCARDED', timeNs, error)
  }

  /** Refused by the adapter or the exchange. */
  refused(row: number, timeNs: number, error: EntryError): void {
    if (this.rows.orders.stateAt(row) === 'PENDING_NEW') this.#refuse(row, 'REJECTED', timeNs, error)
  }

  /**
   * The exchange has an order like this now; quantities of its queue are integers at `quantityScale`, the market's.
   */
  changed(order: OrderAtExchange, error: EntryError | null, quantityScale: number): void {
    const { row } = order
    const arrival = this.#amends.taken(row, order.clientOrderId)
    if (arrival !== null) this.#arrive(row, arrival)
    this.look(order, quantityScale)
    if (isFinal(order.state)) this.#end(row, error)
  }

  /**
   * Takes over what the exchange says of its queue: at the scale of the directory where that is finer and holds it, so
   * that no growth of the market's shows.
   */
  look({ row, instrumentId, entryQuantityAhead }: OrderAtExchange, quantityScale: number): void {
    const { rows } = this
    const own = this.directory.get(instrumentId)?.quantityScale ?? 0
    const atOwn = entryQuantityAhead * factorBetween(quantityScale, own)
    const isHeld = Number.isSafeInteger(atOwn) || !Number.isSafeInteger(entryQuantityAhead)
    const ahead = isHeld ? atOwn : entryQuantityAhead
    rows.quantityAhead.set(row, Number.isSafeInteger(ahead) ? ahead : NaN)
    rows.aheadScale.set(row, isHeld ? Math.max(own, quantityScale) : quantityScale)
  }

  /** Counts what is still open: once, at the end of the run. */
  finish(): void {
    const { orders } = this.rows
    for (let row = 0; row < orders.rows.count; row++) if (!isFinal(orders.stateAt(row))) this.#count(row, true)
  }

  state(): OrderRecorderState {
    return { sums: this.sums, amends: this.#amends.state() }
  }

  restore({ sums, amends }: OrderRecorderState): void {
    this.sums = sums
    this.#amends.restore(amends)
  }

  #arrive(row: number, { value, scale }: TwiceMid): void {
    this.rows.arrivalTwice.set(row, value)
    this.rows.arrivalScale.set(row, scale)
  }

  /** An order that the exchange never had is over. */
  #refuse(row: number, state: OrderState, timeNs: number, error: EntryError): void {
    this.rows.orders.client.state.set(row, state)
    this.rows.refusedNs.set(row, timeNs)
    this.#end(row, error)
  }

  #end(row: number, error: EntryError | null): void {
    if (error !== null) this.rows.error.set(row, error)
    this.#amends.ended(row)
    this.#count(row, false)
    this.rows.orders.end(row)
  }

  #count(row: number, isOpen: boolean): void {
    const { rows } = this
    const { orders } = rows
    const sums = keptValue(
      keptValue(this.sums, orders.client.accountId.at(row), noInstruments), orders.client.instrumentId.at(row),
      noOrders,
    )
    const state = orders.stateAt(row)
    sums.states.set(state, (sums.states.get(state) ?? 0) + 1)
    if (isOpen) sums.openCount++
    if (orders.isAccepted(row)) {
      const executedQuantity = orders.exchange.executedQuantity.at(row)
      if (orders.exchange.touchedByGap.at(row) === 1) sums.touchedByGapCount++
      sums.acceptedCount++
      sums.acceptedQuantity += orders.exchange.totalQuantity.at(row)
      sums.executedQuantity += executedQuantity
      if (executedQuantity > 0) sums.filledOrderCount++
    }
    const quantityAhead = rows.quantityAhead.at(row)
    if (Number.isNaN(quantityAhead)) return
    sums.queuedCount++
    sums.quantityAhead.add(quantityAhead, rows.aheadScale.at(row))
  }
}
