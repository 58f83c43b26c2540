import type { OrderReport } from '../model/order.js'
import { orderKey, type ExchangeOrderRecord } from './market/resting-order.js'
import { orderReport, type TradedInstrument } from './matching/order-engine.js'
import type { RestingOrderState } from './world-state.js'

/** The open orders of a world by account and own id, in the order of acceptance. */
export class OpenOrders {
  /** By {@link orderKey}. */
  readonly #orders: Map<string, ExchangeOrderRecord> = new Map()

  get(accountId: string, ownOrderId: string): ExchangeOrderRecord | undefined {
    return this.#orders.get(orderKey(accountId, ownOrderId))
  }

  add(order: ExchangeOrderRecord): void {
    this.#orders.set(orderKey(order.accountId, order.ownOrderId), order)
  }

  remove({ accountId, ownOrderId }: ExchangeOrderRecord): void {
    this.#orders.delete(orderKey(accountId, ownOrderId))
  }

  values(): IterableIterator<ExchangeOrderRecord> {
    return this.#orders.values()
  }

  /** Those of an account as the protocol states them. */
  reports(
    accountId: string, tradedOf: (instrumentId: number) => TradedInstrument | null, timeNs: number,
  ): OrderReport[] {
    const reports: OrderReport[] = []
    for (const order of this.#orders.values()) {
      const traded = order.accountId === accountId ? tradedOf(order.instrumentId) : null
      if (traded !== null) reports.push(orderReport(traded, order, timeNs))
    }
    return reports
  }

  /** As plain data: quantities ahead that are unknown are null. */
  state(): RestingOrderState[] {
    const known = (value: number): number | null => (Number.isNaN(value) ? null : value)
    return [...this.#orders.values()].map((order) => ({
      ...order, quantityAhead: known(order.quantityAhead), entryQuantityAhead: known(order.entryQuantityAhead),
    }))
  }

  restore(states: readonly RestingOrderState[]): void {
    this.#orders.clear()
    for (const order of states)
      this.add({
        ...order, quantityAhead: order.quantityAhead ?? NaN, entryQuantityAhead: order.entryQuantityAhead ?? NaN,
      })
  }
}
