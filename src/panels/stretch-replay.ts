import { countUpTo, LadderReplay } from './ladder-replay.js'
import { STRETCH_EVENTS, type OwnOrder, type StretchColumns, type StretchEvent } from './stretch-columns.js'

/** Which events somebody steps through. */
export type StepKind = 'event' | 'fill' | 'order' | 'trade'

/** An own order as the exchange has it behind an event. Integers at the scales of its instrument. */
export interface OrderAt extends OwnOrder {
  readonly number: number
  readonly state: string
  readonly price: number | null
  readonly total: number
  readonly executed: number
  readonly ahead: number | null
  /** The event of its last change, and of its first. */
  readonly changed: number
  readonly first: number
  /** True where it is over. */
  readonly isOver: boolean
}

/** A public trade. */
export interface TradeAt {
  readonly event: number
  readonly timeNs: number
  readonly isBuy: boolean
  readonly price: number
  readonly quantity: number
}

const FINAL: ReadonlySet<string> = new Set(['FILLED', 'CANCELED', 'REJECTED'])
const ORDER_EVENTS: ReadonlySet<StretchEvent> = new Set(['request', 'answer', 'receipt', 'order', 'execution'])

/** A stretch that somebody steps through: what stood at any of its events. Nothing of it is changed by looking. */
export class StretchReplay {
  readonly ladders: LadderReplay[] = []
  readonly #steps: Readonly<Record<Exclude<StepKind, 'event'>, number[]>> = { fill: [], order: [], trade: [] }
  /** Rows of each order, ascending. */
  readonly #rowsOf: number[][] = []
  readonly #numbers: Map<string, number> = new Map()
  /** The events at which fills are shown, ascending. */
  readonly #fillEvents: number[] = []
  #eventCount = 0
  #orderRowCount = 0

  constructor(readonly columns: StretchColumns, private readonly keyRows?: number) {
    this.grow()
  }

  /** Takes everything that was added to the columns since: it is of later events than what was there before. */
  grow(): void {
    const { instruments, orderRows, orders, fills } = this.columns
    for (const ladder of this.ladders) ladder.grow()
    for (const { levels } of instruments.slice(this.ladders.length))
      this.ladders.push(new LadderReplay(levels, this.keyRows))
    for (const { account, ownOrderId } of orders.slice(this.#rowsOf.length)) {
      this.#numbers.set(`${account} ${ownOrderId}`, this.#rowsOf.length)
      this.#rowsOf.push([])
    }
    for (; this.#orderRowCount < orderRows.order.length; this.#orderRowCount++)
      this.#rowsOf[orderRows.order[this.#orderRowCount] as number]?.push(this.#orderRowCount)
    const { fill, order, trade } = this.#steps
    for (let at = this.#fillEvents.length; at < fills.event.length; at++) {
      const executed = fills.event[at] as number
      const event = executed < 0 ? (fills.receipt[at] as number) : executed
      this.#fillEvents.push(event)
      if (fill.at(-1) !== event) fill.push(event)
    }
    for (; this.#eventCount < this.count; this.#eventCount++) {
      const kind = this.kindOf(this.#eventCount)
      if (ORDER_EVENTS.has(kind)) order.push(this.#eventCount)
      if (kind === 'trade') trade.push(this.#eventCount)
    }
  }

  /** The number of events; the last one has this number less 1. */
  get count(): number {
    return this.columns.events.kind.length
  }

  kindOf(event: number): StretchEvent {
    return STRETCH_EVENTS[this.columns.events.kind[event] as number] as StretchEvent
  }

  timeNsOf(event: number): number {
    return this.columns.events.timeNs[event] as number
  }

  /** The number of events of a kind. */
  countOf(kind: StepKind): number {
    return kind === 'event' ? this.count : this.#steps[kind].length
  }

  /** The next event of a kind behind one; that one itself where there is none. */
  next(event: number, kind: StepKind): number {
    if (kind === 'event') return Math.min(event + 1, this.count - 1)
    const steps = this.#steps[kind]
    return steps[countUpTo(steps, event)] ?? event
  }

  /** The last event of a kind before one; that one itself where there is none. */
  previous(event: number, kind: StepKind): number {
    if (kind === 'event') return Math.max(event - 1, 0)
    const steps = this.#steps[kind]
    return steps[countUpTo(steps, event - 1) - 1] ?? event
  }

  /** The last event at or before an instant; the first one where there is none. */
  eventAt(timeNs: number): number {
    return Math.max(0, countUpTo(this.columns.events.timeNs, timeNs) - 1)
  }

  /** Own orders behind an event: all that are open, and the last ones that are over, newest change first. */
  orders(event: number, overCount = 6): OrderAt[] {
    const open: OrderAt[] = []
    const over: OrderAt[] = []
    for (const number of this.#rowsOf.keys()) {
      const order = this.orderAt(number, event)
      if (order !== null) (order.isOver ? over : open).push(order)
    }
    const newest = (a: OrderAt, b: OrderAt): number => b.changed - a.changed || b.number - a.number
    return [...open.sort(newest), ...over.sort(newest).slice(0, overCount)]
  }

  /** The place of an order in the list; -1 where it is not known. */
  orderNumber(account: string, ownOrderId: string): number {
    return this.#numbers.get(`${account} ${ownOrderId}`) ?? -1
  }

  /** An own order behind an event; null before its first. */
  orderAt(number: number, event: number): OrderAt | null {
    const { orders, orderRows } = this.columns
    const rows = this.#rowsOf[number] ?? []
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((orderRows.event[rows[middle] as number] as number) <= event) low = middle + 1
      else high = middle
    }
    const [row, first] = [rows[low - 1], rows[0]]
    const head = orders[number]
    if (row === undefined || first === undefined || head === undefined) return null
    const state = orderRows.state[row] as string
    return {
      ...head, number, state, price: orderRows.price[row] ?? null, total: orderRows.total[row] as number,
      executed: orderRows.executed[row] as number, ahead: orderRows.ahead[row] ?? null,
      changed: orderRows.event[row] as number, first: orderRows.event[first] as number, isOver: FINAL.has(state),
    }
  }

  /** The event at which an order is over; the last one of the stretch where it is not. */
  endOf(number: number): number {
    const last = this.#rowsOf[number]?.at(-1)
    const { orderRows } = this.columns
    return last !== undefined && FINAL.has(orderRows.state[last] as string)
      ? (orderRows.event[last] as number)
      : this.count - 1
  }

  /** Public trades of an instrument up to an event, newest first. */
  trades(instrument: number, last: number, limit: number): TradeAt[] {
    const rows = this.columns.instruments[instrument]?.trades
    if (rows === undefined) return []
    const found: TradeAt[] = []
    for (let row = countUpTo(rows.event, last) - 1; row >= 0 && found.length < limit; row--) {
      const event = rows.event[row] as number
      found.push({
        event, timeNs: rows.timeNs?.[row] ?? this.timeNsOf(event), isBuy: rows.side[row] === 0,
        price: rows.price[row] as number, quantity: rows.quantity[row] as number,
      })
    }
    return found
  }

  /** Places of own fills up to an event, newest first. */
  fills(event: number, limit: number): number[] {
    const end = countUpTo(this.#fillEvents, event)
    return Array.from({ length: Math.min(limit, end) }, (_, at) => end - 1 - at)
  }

  /** Places of the fills that are shown at an event. */
  fillsAt(event: number): number[] {
    const from = countUpTo(this.#fillEvents, event - 1)
    return Array.from({ length: countUpTo(this.#fillEvents, event) - from }, (_, at) => from + at)
  }

  /** Places of lines of the journal up to an event, newest first. */
  lines(event: number, limit: number): number[] {
    const end = countUpTo(this.columns.lines.event, event)
    return Array.from({ length: Math.min(limit, end) }, (_, at) => end - 1 - at)
  }

  /** The state of the market data of an instrument behind an event; empty before it was first asked for. */
  stateOf(instrument: number, event: number): string {
    const states = this.columns.instruments[instrument]?.states
    return states?.state[countUpTo(states.event, event) - 1] ?? ''
  }

  /** Positions of an instrument behind an event, at the exchange, by account: decimal texts. */
  positions(instrument: number, event: number): { readonly account: string; readonly quantity: string }[] {
    const { positions, orders, fills } = this.columns
    const held = new Map(positions.filter((one) => one.instrument === instrument)
      .map(({ account, quantity }) => [account, quantity]))
    for (let at = 0; at < countUpTo(this.#fillEvents, event); at++) {
      const order = orders[fills.order[at] as number]
      const position = fills.position[at] ?? ''
      if (order?.instrument === instrument && position !== '') held.set(order.account, position)
    }
    return [...held].map(([account, quantity]) => ({ account, quantity }))
  }
}
