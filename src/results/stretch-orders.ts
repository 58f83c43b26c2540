import type { Id } from '../model/id.js'
import type { StretchPart } from '../panels/growing-stretch.js'
import type { FillRows, OrderRows, OwnOrder } from '../panels/stretch-columns.js'
import type { Fill } from '../venue/account-messages.js'
import type { PlaceEntry } from '../venue/messages.js'
import type { InstrumentTrack, TrackScales } from './stretch-track.js'

type Column<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : never }

/** An order of the stretch with its last row. */
interface KnownOrder {
  readonly number: number
  readonly track: InstrumentTrack
  state: string
  price: number
  total: number
  executed: number
  ahead: number
  /** The row of its acceptance, until it is looked at again: then it rests, and its place in the queue is known. */
  accepted: number
}

/** Who an order belongs to. */
interface OrderOwner {
  readonly accountId: string
  readonly clientId: string
}

/** The part of an order that never changes. */
type OrderHead = OrderOwner & Pick<PlaceEntry, 'ownOrderId' | 'side' | 'type' | 'timeInForce'>

/** An order as the exchange has it; prices and quantities at the scales of its market. */
export interface LookedOrder extends OrderHead {
  readonly state: string
  readonly isDormant?: boolean | undefined
  readonly price: number | null
  readonly totalQuantity: number
  readonly executedQuantity: number
  /** NaN: unknown. */
  readonly quantityAhead: number
  readonly entryQuantityAhead: number
}

/** The orders and fills of a part of a stretch. */
export type OrderPart = Pick<StretchPart, 'orders' | 'orderRows' | 'fills' | 'receipts'>

/** Facts of an execution beside its fill. */
export interface ExecutionFacts {
  readonly cause: string
  readonly fee: string
  readonly position: string
  /** Quantity ahead before it; NaN: unknown. */
  readonly ahead: number
}

const FINAL_STATES: ReadonlySet<string> = new Set(['FILLED', 'CANCELED', 'REJECTED'])

/** True for a state in which an order is over. */
export function isFinal(state: string): boolean {
  return FINAL_STATES.has(state)
}


/** The name of an order or a fill: own ids are their account's. */
export function keyOf(accountId: string, ownId: Id): string {
  return `${accountId.length} ${accountId} ${String(ownId)}`
}

/** NaN is no number in JSON: null. */
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

const noOrderRows = (): Column<OrderRows> => (
  { event: [], order: [], state: [], price: [], total: [], executed: [], ahead: [] })

const noFillRows = (): Column<FillRows> => ({
  order: [], event: [], receipt: [], price: [], quantity: [], cause: [], ahead: [], isMaker: [], fee: [], position: [],
})

/** Own orders and fills of a stretch: a row of an order for each change of it at the exchange, its queue included. */
export class OrderTrack {
  #orders: OwnOrder[] = []
  readonly #byKey: Map<string, KnownOrder> = new Map()
  /** Places of fills that may still be received. */
  readonly #fillOf: Map<string, number> = new Map()
  #rows = noOrderRows()
  #fills = noFillRows()
  #receipts: Column<StretchPart['receipts']> = { event: [], fill: [] }
  /** Orders and fills that were handed over. */
  #orderCount = 0
  #fillCount = 0

  get orders(): readonly OwnOrder[] {
    return this.#orders
  }

  get rows(): OrderRows {
    return this.#rows
  }

  get fills(): FillRows {
    return this.#fills
  }

  /** Rows so far, without those that were handed over. */
  get rowCount(): number {
    return this.#rows.event.length + this.#fills.event.length
  }

  /**
   * Hands over its rows, and begins new ones behind them. Orders that are over, and fills that were received, are
   * forgotten.
   */
  drain(): OrderPart {
    const part = { orders: this.#orders, orderRows: this.#rows, fills: this.#fills, receipts: this.#receipts }
    for (const [key, order] of this.#byKey) {
      order.accepted = -1
      if (isFinal(order.state)) this.#byKey.delete(key)
    }
    for (const [key, place] of this.#fillOf)
      if (place >= this.#fillCount && (this.#fills.receipt[place - this.#fillCount] as number) >= 0)
        this.#fillOf.delete(key)
    this.#orderCount += this.#orders.length
    this.#fillCount += this.#fills.event.length
    this.#orders = []
    this.#rows = noOrderRows()
    this.#fills = noFillRows()
    this.#receipts = { event: [], fill: [] }
    return part
  }

  /** Names of the fills that have not been received. */
  get unreceived(): Iterable<string> {
    return this.#fillOf.keys()
  }

  /** True for an order that has rows, and was not over when they were handed over. */
  has(accountId: string, ownOrderId: Id): boolean {
    return this.#byKey.has(keyOf(accountId, ownOrderId))
  }

  /** An instrument joins. */
  join(track: InstrumentTrack): void {
    track.onGrowth((priceFactor, quantityFactor) => { this.#rescale(track, priceFactor, quantityFactor) })
  }

  /** The place of an order's instrument in the stretch's list; -1 where the order is not known. */
  instrumentOf(accountId: string, ownOrderId: Id): number {
    return this.#byKey.get(keyOf(accountId, ownOrderId))?.track.place ?? -1
  }

  /** Quantity ahead in the last row of an order; NaN: unknown. */
  aheadOf(order: Pick<LookedOrder, 'accountId' | 'ownOrderId'>): number {
    return this.#byKey.get(keyOf(order.accountId, order.ownOrderId))?.ahead ?? NaN
  }

  /** The strategy has sent an order: it is on its way. */
  sent(event: number, owner: OrderOwner, entry: PlaceEntry, track: InstrumentTrack): void {
    const { priceScale, quantityScale } = track.entry
    this.#note(event, this.#orderOf({ ...owner, ...entry }, track), {
      state: 'SENT',
      price: entry.price === null ? NaN : track.priceFrom(entry.price, priceScale),
      total: track.quantityFrom(entry.totalQuantity, quantityScale), executed: 0, ahead: NaN,
    })
  }

  /** An order that the strategy has sent was refused before the exchange said anything of it. */
  refused(event: number, accountId: string, ownOrderId: Id): void {
    const order = this.#byKey.get(keyOf(accountId, ownOrderId))
    if (order?.state === 'SENT') this.#note(event, order, { ...order, state: 'REJECTED' })
  }

  /** Notes an order as the exchange has it; true where anything of it is new. */
  look(
    event: number, order: LookedOrder, track: InstrumentTrack, scale: TrackScales = track.marketScales,
  ): boolean {
    track.settleQueues()
    const { state } = order
    // What is over has no place in a queue.
    const ahead = isFinal(state) || order.isDormant === true ? NaN : order.quantityAhead
    const known = this.#orderOf(order, track)
    if (known.accepted >= 0 && event > (this.#rows.event[known.accepted] as number)) {
      if (!Number.isNaN(ahead)) {
        known.ahead = track.quantityFrom(order.entryQuantityAhead, scale.quantity)
        this.#rows.ahead[known.accepted] = known.ahead
      }
      known.accepted = -1
    }
    const wasSent = known.state === 'SENT' || known.state === ''
    const isNew = this.#note(event, known, {
      state: order.isDormant === true && state === 'CONFIRMED' ? 'WAITING' : state,
      price: order.price === null ? NaN : track.priceFrom(order.price, scale.price),
      total: track.quantityFrom(order.totalQuantity, scale.quantity),
      executed: track.quantityFrom(order.executedQuantity, scale.quantity),
      ahead: track.quantityFrom(ahead, scale.quantity),
    })
    if (wasSent && state === 'CONFIRMED' && Number.isNaN(ahead)) known.accepted = this.#rows.event.length - 1
    return isNew
  }

  /** An execution at the exchange, or one from before the stretch, of which only its receipt is seen. */
  filled(event: number, owner: OrderOwner, fill: Fill, track: InstrumentTrack, facts: ExecutionFacts | null): void {
    const fills = this.#fills
    const head = { ...owner, ...fill, type: '', timeInForce: '' }
    const order = this.#byKey.get(keyOf(owner.accountId, fill.ownOrderId)) ?? this.#orderOf(head, track)
    this.#fillOf.set(keyOf(owner.accountId, fill.ownFillId), this.#fillCount + fills.event.length)
    fills.order.push(order.number)
    fills.event.push(facts === null ? -1 : event)
    fills.receipt.push(facts === null ? event : -1)
    fills.price.push(track.priceFrom(fill.price, fill.priceScale ?? track.entry.priceScale))
    fills.quantity.push(track.quantityFrom(fill.quantity, track.entry.quantityScale))
    fills.cause.push(facts?.cause ?? '')
    fills.ahead.push(orNull(facts?.ahead ?? NaN))
    fills.isMaker.push(fill.addedLiquidity)
    fills.fee.push(facts?.fee ?? '')
    fills.position.push(facts?.position ?? '')
  }

  /** The strategy receives a fill; false where its execution is not known. */
  received(event: number, accountId: string, ownFillId: Id): boolean {
    const place = this.#fillOf.get(keyOf(accountId, ownFillId))
    if (place === undefined) return false
    const { receipt } = this.#fills
    const at = place - this.#fillCount
    if (at < 0) {
      this.#receipts.event.push(event)
      this.#receipts.fill.push(place)
      this.#fillOf.delete(keyOf(accountId, ownFillId))
    } else if (receipt[at] === -1) receipt[at] = event // A late correction is received as a second message.
    return true
  }

  #orderOf(head: Omit<OrderHead, 'type' | 'timeInForce'> & Readonly<Record<'type' | 'timeInForce', string>>,
    track: InstrumentTrack): KnownOrder {
    const { accountId: account, clientId: client, ownOrderId, side, type, timeInForce } = head
    const key = keyOf(account, ownOrderId)
    const found = this.#byKey.get(key)
    if (found !== undefined) return found
    const order = {
      number: this.#orderCount + this.#orders.length, track, state: '', price: NaN, total: 0, executed: 0, ahead: NaN,
      accepted: -1,
    }
    this.#byKey.set(key, order)
    this.#orders.push({
      account, client, ownOrderId: String(ownOrderId), instrument: track.place, side, type, timeInForce,
    })
    return order
  }

  #note(event: number, order: KnownOrder, now: Omit<KnownOrder, 'number' | 'track' | 'accepted'>): boolean {
    const rows = this.#rows
    const isSame = order.state === now.state && Object.is(order.price, now.price) && order.total === now.total &&
      order.executed === now.executed && Object.is(order.ahead, now.ahead)
    if (isSame) return false
    const { state, price, total, executed, ahead } = now
    Object.assign(order, { state, price, total, executed, ahead })
    rows.event.push(event)
    rows.order.push(order.number)
    rows.state.push(state)
    rows.price.push(orNull(price))
    rows.total.push(total)
    rows.executed.push(executed)
    rows.ahead.push(orNull(ahead))
    return true
  }

  #rescale(track: InstrumentTrack, priceFactor: number, quantityFactor: number): void {
    const own = new Set<number>()
    for (const order of this.#byKey.values()) {
      if (order.track !== track) continue
      own.add(order.number)
      order.price *= priceFactor
      order.total *= quantityFactor
      order.executed *= quantityFactor
      order.ahead *= quantityFactor
    }
    const [rows, fills] = [this.#rows, this.#fills]
    scale(rows.order, own, rows.price, priceFactor)
    for (const column of [rows.total, rows.executed, rows.ahead]) scale(rows.order, own, column, quantityFactor)
    scale(fills.order, own, fills.price, priceFactor)
    for (const column of [fills.quantity, fills.ahead]) scale(fills.order, own, column, quantityFactor)
  }
}

function scale(
  orders: readonly number[], own: ReadonlySet<number>, column: (number | null)[], factor: number,
): void {
  for (let i = 0; i < column.length; i++) {
    const value = column[i] ?? null
    if (value !== null && own.has(orders[i] as number)) column[i] = value * factor
  }
}
