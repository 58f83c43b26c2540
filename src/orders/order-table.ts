import type { Id } from '../model/id.js'
import { keptValue } from '../model/kept-value.js'
import type { OrderState } from '../model/order.js'
import type { RowStore } from '../rows/row-store.js'
import { RowTable, type RowTableState } from '../rows/row-table.js'
import type { PlaceEntry, ReplaceEntry } from '../venue/messages.js'
import { ClientColumns } from './client-columns.js'
import { ExchangeColumns } from './exchange-columns.js'
import { FillTable } from './fill-table.js'
import { OwnOrders, type OwnOrdersState } from './own-orders.js'

/** Whose order it is. */
export interface OrderOwner {
  readonly accountId: string
  readonly clientId: string
}

/** The terms that a row states. */
export type RowTerms = Pick<
  PlaceEntry,
  | 'ownOrderId' | 'clientOrderId' | 'instrumentId' | 'side' | 'type' | 'timeInForce' | 'postOnly' | 'price'
  | 'totalQuantity'
>

/** Rows of the orders that a request places, entry by entry; none where it places none. */
export type OrderRowList = readonly number[]

/** No order is placed. */
export const NO_ROWS: OrderRowList = []

/** A table of orders as plain data. */
export interface OrderTableState {
  readonly rows: RowTableState
  readonly fills: RowTableState
  readonly accounts: readonly (readonly [accountId: string, own: OwnOrdersState])[]
  /** Rows of orders that are over, and of which the last word is on its way. */
  readonly closing: readonly number[]
  /** Rows that ended last, the oldest first. */
  readonly ended: readonly number[]
}

/** The number of ended orders whose rows are still theirs: more than end while a message is on its way. */
const ENDED_ROWS = 1024

/**
 * The orders of a world, a row each from its request to its end: the columns of its client and those of the exchange
 * are apart. Who names an order names its row. Rows whose orders are over are used again where no table wants them.
 */
export class OrderTable {
  readonly rows: RowTable
  readonly client: ClientColumns
  readonly exchange: ExchangeColumns
  /** The fills of the orders. */
  readonly fills: FillTable
  readonly #accounts: Map<string, OwnOrders> = new Map()
  readonly #noOrders = (): OwnOrders => new OwnOrders((row) => this.client.instrumentId.at(row))
  /** Rows of orders that are over, and of which the last word is on its way. */
  readonly #closing: Set<number> = new Set()
  /** Rows that ended last, in a ring: a client may still name an order of whose end it has not received. */
  readonly #ended: number[] = []
  #endedCount = 0

  constructor(
    store: RowStore,
    /** True where a recorder says when a row is over ({@link end}); else the exchange does. */
    readonly isRecorded = false,
  ) {
    this.rows = new RowTable(store)
    this.client = new ClientColumns(this.rows)
    this.exchange = new ExchangeColumns(this.rows)
    this.fills = new FillTable(store)
  }

  /** A row for an order that a client asks for; `replaces` is the own id of the one before it. */
  add({ accountId, clientId }: OrderOwner, terms: RowTerms, sentNs: number, replaces: Id | null = null): number {
    const row = this.rows.add()
    const { client } = this
    client.ownOrderId.set(row, terms.ownOrderId)
    client.clientOrderId.set(row, terms.clientOrderId)
    client.clientId.set(row, clientId)
    client.accountId.set(row, accountId)
    client.instrumentId.set(row, terms.instrumentId)
    client.side.set(row, terms.side)
    client.type.set(row, terms.type)
    client.timeInForce.set(row, terms.timeInForce)
    client.postOnly.set(row, terms.postOnly ? 1 : 0)
    client.price.set(row, terms.price ?? NaN)
    client.totalQuantity.set(row, terms.totalQuantity)
    client.state.set(row, 'PENDING_NEW')
    if (replaces !== null) client.replaces.set(row, replaces)
    client.sentNs.set(row, sentNs)
    return row
  }

  /** A row for an order that is to take the place of another: what the request does not say, it has from that one. */
  addInPlace(owner: OrderOwner, entry: ReplaceEntry, sentNs: number): number {
    const { currentOwnOrderId } = entry
    const current = this.#knownRowOf(owner.accountId, currentOwnOrderId)
    const terms = current < 0 ? UNKNOWN : this.#termsAt(current)
    const { price = terms.price, totalQuantity = terms.totalQuantity } = entry
    const ids = { ownOrderId: entry.newOwnOrderId, clientOrderId: entry.newClientOrderId }
    return this.add(owner, { ...terms, ...ids, price, totalQuantity }, sentNs, currentOwnOrderId)
  }

  /** The terms of an order that a replacement takes over, its quantity what is left of it. */
  #termsAt(row: number): Omit<RowTerms, 'ownOrderId' | 'clientOrderId'> {
    const { client, exchange } = this
    const price = this.priceAt(row)
    return {
      instrumentId: client.instrumentId.at(row), side: client.side.at(row), type: client.type.at(row),
      timeInForce: client.timeInForce.at(row), postOnly: client.postOnly.at(row) === 1,
      price: Number.isNaN(price) ? null : price,
      totalQuantity: this.totalQuantityAt(row) - exchange.executedQuantity.at(row),
    }
  }

  /** True where the exchange has, or had, the order of a row. */
  isAccepted(row: number): boolean {
    return !Number.isNaN(this.exchange.acceptedNs.at(row))
  }

  /** The state in which the order of a row truly is; PENDING_NEW before the exchange has answered. */
  stateAt(row: number): OrderState {
    return this.isAccepted(row) ? this.exchange.state.at(row) : this.client.state.at(row)
  }

  /** The price in force, an integer at the instrument's scale; NaN where there is none. */
  priceAt(row: number): number {
    return this.isAccepted(row) ? this.exchange.price.at(row) : this.client.price.at(row)
  }

  /** The whole quantity in force, an integer at the instrument's scale. */
  totalQuantityAt(row: number): number {
    return this.isAccepted(row) ? this.exchange.totalQuantity.at(row) : this.client.totalQuantity.at(row)
  }

  /** Id of the terms in force, from the client. */
  clientOrderIdAt(row: number): string {
    return this.exchange.clientOrderId.at(row) ?? this.client.clientOrderId.at(row) ?? ''
  }

  /** The orders of an account by own id. */
  of(accountId: string): OwnOrders {
    return keptValue(this.#accounts, accountId, this.#noOrders)
  }

  /** The number of orders of which something is still to come. */
  get openCount(): number {
    return [...this.#accounts.values()].reduce((sum, own) => sum + own.openCount, this.#closing.size)
  }

  /** The row of an order of which something is still to come; -1 where there is none. */
  rowOf(accountId: string, ownOrderId: Id): number {
    const row = this.of(accountId).rowOf(ownOrderId)
    return row >= 0 || this.#closing.size === 0 ? row : this.#rowAmong([...this.#closing], ownOrderId)
  }

  /** The same, orders that ended lately included. */
  #knownRowOf(accountId: string, ownOrderId: Id): number {
    const row = this.rowOf(accountId, ownOrderId)
    return row >= 0 ? row : this.#rowAmong(this.#ended, ownOrderId)
  }

  #rowAmong(rows: readonly number[], ownOrderId: Id): number {
    return rows[this.client.ownOrderId.placeOf(rows, ownOrderId)] ?? -1
  }

  /** The exchange, or the adapter before it, is through with an order. */
  over(row: number): void {
    if (this.isRecorded) this.#closing.add(row)
    else this.end(row)
  }

  /** Nothing more comes of an order: its row is free once enough others have ended behind it. */
  end(row: number): void {
    this.#closing.delete(row)
    const place = this.#endedCount++ % ENDED_ROWS
    const forgotten = this.#ended[place]
    if (forgotten !== undefined) this.rows.release(forgotten)
    this.#ended[place] = row
  }

  state(): OrderTableState {
    const oldest = this.#endedCount % ENDED_ROWS
    return {
      rows: this.rows.state(), fills: this.fills.rows.state(),
      accounts: [...this.#accounts].map(([accountId, own]) => [accountId, own.state()]),
      closing: [...this.#closing], ended: [...this.#ended.slice(oldest), ...this.#ended.slice(0, oldest)],
    }
  }

  restore({ rows, fills, accounts, closing, ended }: OrderTableState): void {
    this.rows.restore(rows)
    this.fills.rows.restore(fills)
    for (const [accountId, own] of accounts) this.of(accountId).restore(own)
    for (const row of closing) this.#closing.add(row)
    for (const row of ended) this.end(row)
  }
}

/** The terms of a replacement of an order that is not known. */
const UNKNOWN: Omit<RowTerms, 'ownOrderId' | 'clientOrderId'> = {
  instrumentId: 0, side: 'BID', type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL', postOnly: true, price: null,
  totalQuantity: 0,
}
