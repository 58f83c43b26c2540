import type { Id } from '../model/id.js'
import type { OrderReport } from '../model/order.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { InstrumentDirectory, InstrumentEntry } from '../venue/venue.js'

/** Orders that are over are remembered in two generations of so many: late answers still find their scales. */
const ENDED_LIMIT = 65_536

const OPEN_STATES: ReadonlySet<string> = new Set(['PENDING_NEW', 'CONFIRMED', 'PENDING_AMEND'])

/**
 * The instruments of an account's orders: messages that name an order alone have their scales from here. Bounded by
 * the open orders and twice {@link ENDED_LIMIT}.
 */
export class OrderInstruments {
  /** By the texts of own ids: over a socket an id is a text. */
  readonly #open: Map<string, number> = new Map()
  #ended: Map<string, number> = new Map()
  #endedBefore: Map<string, number> = new Map()

  constructor(readonly directory: InstrumentDirectory) {}

  /** An order that is open or on its way. */
  add(ownOrderId: Id, instrumentId: number): void {
    this.#open.set(String(ownOrderId), instrumentId)
  }

  /** The instrument of an order; undefined for an order, or an instrument, that is not known. */
  entryOf(ownOrderId: Id): InstrumentEntry | undefined {
    const text = String(ownOrderId)
    const id = this.#open.get(text) ?? this.#ended.get(text) ?? this.#endedBefore.get(text)
    return id === undefined ? undefined : this.directory.get(id)
  }

  /** Takes an order as it was reported. */
  report({ ownOrderId, instrumentId, state }: OrderReport): void {
    if (OPEN_STATES.has(state)) this.add(ownOrderId, instrumentId)
    else this.end(ownOrderId, instrumentId)
  }

  /** An order is over. */
  end(ownOrderId: Id, instrumentId: number | undefined = this.#open.get(String(ownOrderId))): void {
    const text = String(ownOrderId)
    this.#open.delete(text)
    if (instrumentId === undefined) return
    this.#ended.set(text, instrumentId)
    if (this.#ended.size < ENDED_LIMIT) return
    this.#endedBefore = this.#ended
    this.#ended = new Map()
  }

  /** Takes what a message of the adapter says of orders; call it before the message is written or after it was read. */
  note(message: ClientMessage): void {
    if (message.kind === 'orderUpdate') for (const order of message.orders) this.report(order)
    else if (message.kind === 'accountStatus') for (const order of message.state.orders) this.report(order)
    else if (message.kind === 'placeResponse' || message.kind === 'replaceResponse') {
      for (const { ownOrderId, error } of message.results)
        if (error !== undefined && error.type !== 'ORDER_ID_DUPLICATE') this.end(ownOrderId)
    }
  }
}
