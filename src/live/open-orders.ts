import type { Id } from '../model/id.js'
import type { EntryError, OrderReport } from '../model/order.js'
import type { AccountState } from '../venue/account-messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'

/** The state of an order that ended while there was no connection: filled or cancelled, the protocol does not say. */
const ENDED_UNSEEN = 'UNKNOWN'

const OPEN: ReadonlySet<string> = new Set(['PENDING_NEW', 'CONFIRMED', 'PENDING_AMEND'])
const UNSEEN: EntryError = {
  type: 'CONNECTION_LOST', message: 'the order ended while there was no connection to the adapter', source: 'INTERNAL',
}

/** The open orders of an account as its messages state them. */
export class OpenOrders {
  readonly #open: Map<Id, OrderReport> = new Map()
  /** Orders that were sent, and no answer has come. */
  readonly #unanswered: Set<Id> = new Set()
  /** Orders that were sent here and are not over. */
  readonly #own: Set<Id>

  /** `ownIds`: orders that a run before has sent, which are as if they were sent here. */
  constructor(ownIds: Iterable<Id> = []) {
    this.#own = new Set(ownIds)
  }

  /** Ids of the orders that are open. */
  get ids(): readonly Id[] {
    return [...this.#open.keys()]
  }

  /** Those of them that were sent here. */
  get ownIds(): readonly Id[] {
    return this.ids.filter((id) => this.#own.has(id))
  }

  /** Orders that were sent without an answer so far. */
  get unansweredCount(): number {
    return this.#unanswered.size
  }

  /** Takes a request that is sent. */
  sent(request: ClientRequest): void {
    if (request.kind === 'place') for (const { ownOrderId } of request.entries) this.#send(ownOrderId)
    else if (request.kind === 'replace') for (const { newOwnOrderId } of request.entries) this.#send(newOwnOrderId)
  }

  /** Takes a message in its order. */
  note(message: ClientMessage): void {
    if (message.kind === 'placeResponse' || message.kind === 'replaceResponse')
      for (const { ownOrderId, error } of message.results) {
        this.#unanswered.delete(ownOrderId)
        if (error !== undefined) this.#own.delete(ownOrderId)
      }
    if (message.kind === 'orderUpdate') for (const order of message.orders) this.#take(order)
    else if (message.kind === 'placeResponse')
      for (const { result } of message.results) if (result !== undefined) this.#take(result)
  }

  /**
   * Takes the whole state at a login; the orders that were open and are not among it, in their last known terms, are
   * over: {@link ENDED_UNSEEN}.
   */
  settle({ orders }: AccountState): OrderReport[] {
    const still = new Set(orders.map(({ ownOrderId }) => ownOrderId))
    const ended = [...this.#open.values()].filter(({ ownOrderId }) => !still.has(ownOrderId))
    for (const { ownOrderId } of ended) this.#own.delete(ownOrderId)
    this.#open.clear()
    for (const order of orders) this.#take(order)
    return ended.map((order) => ({ ...order, state: ENDED_UNSEEN, error: UNSEEN }))
  }

  #send(ownOrderId: Id): void {
    this.#unanswered.add(ownOrderId)
    this.#own.add(ownOrderId)
  }

  #take(order: OrderReport): void {
    if (OPEN.has(order.state)) this.#open.set(order.ownOrderId, order)
    else {
      this.#open.delete(order.ownOrderId)
      this.#own.delete(order.ownOrderId)
    }
  }
}
