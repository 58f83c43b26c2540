import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'
import type { OrderReport } from '../model/order.js'
import { keptValue } from '../model/kept-value.js'
import { restoredRows, savedRows, type SavedRows } from '../model/saved-rows.js'
import type { ExchangeOrderRecord } from './market/resting-order.js'
import { orderReport, type TradedSource } from './matching/order-engine.js'

/** An order as JSON holds it: unknown quantities are null. */
export type RestingOrderState = Omit<ExchangeOrderRecord, 'quantityAhead' | 'entryQuantityAhead'> & {
  quantityAhead: number | null
  entryQuantityAhead: number | null
}

const noOrders = (): IdMap<ExchangeOrderRecord> => new IdMap()

/** The open orders of a world. */
export class OpenOrders {
  /** In the order of acceptance. */
  readonly #orders: Set<ExchangeOrderRecord> = new Set()
  /** By account and own id: two accounts may use the same. */
  readonly #byAccount: Map<string, IdMap<ExchangeOrderRecord>> = new Map()

  get(accountId: string, ownOrderId: Id): ExchangeOrderRecord | undefined {
    return this.#byAccount.get(accountId)?.get(ownOrderId)
  }

  add(order: ExchangeOrderRecord): void {
    this.#orders.add(order)
    keptValue(this.#byAccount, order.accountId, noOrders).set(order.ownOrderId, order)
  }

  remove(order: ExchangeOrderRecord): void {
    this.#orders.delete(order)
    this.#byAccount.get(order.accountId)?.delete(order.ownOrderId)
  }

  /** All of them, in the order of acceptance. */
  values(): IterableIterator<ExchangeOrderRecord> {
    return this.#orders.values()
  }

  /** Those of an account as the protocol states them. */
  reports(accountId: string, instruments: TradedSource, timeNs: number): OrderReport[] {
    return [...this.#orders].flatMap((order) => {
      const traded = order.accountId === accountId ? instruments.of(order.instrumentId) : null
      return traded === null ? [] : [orderReport(traded, order, timeNs)]
    })
  }

  /** As data that JSON holds: quantities ahead that are unknown are null there. */
  state(): SavedRows<RestingOrderState> {
    return savedRows<RestingOrderState>([...this.#orders])
  }

  restore(states: SavedRows<RestingOrderState>): void {
    this.#orders.clear()
    this.#byAccount.clear()
    for (const order of restoredRows(states)) {
      order.quantityAhead ??= NaN
      order.entryQuantityAhead ??= NaN
      this.add(order as ExchangeOrderRecord)
    }
  }
}
