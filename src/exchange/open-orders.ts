import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'
import type { OrderReport } from '../model/order.js'
import { keptValue } from '../model/kept-value.js'
import type { ExchangeOrderRecord } from './market/resting-order.js'
import { orderReport, type TradedSource } from './matching/order-engine.js'

const noOrders = (): IdMap<ExchangeOrderRecord> => new IdMap()

/** The open orders of a world. */
export class OpenOrders {
  /** In the order of acceptance, some that are over among them. */
  #accepted: ExchangeOrderRecord[] = []
  #overCount = 0
  /** By account and own id: two accounts may use the same. */
  readonly #byAccount: Map<string, IdMap<ExchangeOrderRecord>> = new Map()

  get(accountId: string, ownOrderId: Id): ExchangeOrderRecord | undefined {
    return this.#byAccount.get(accountId)?.get(ownOrderId)
  }

  add(order: ExchangeOrderRecord): void {
    this.#accepted.push(order)
    keptValue(this.#byAccount, order.accountId, noOrders).set(order.ownOrderId, order)
  }

  remove(order: ExchangeOrderRecord): void {
    if (this.#byAccount.get(order.accountId)?.delete(order.ownOrderId) !== true) return
    if (this.#accepted.at(-1) === order) this.#accepted.pop()
    else if (++this.#overCount * 2 > this.#accepted.length) {
      this.#accepted = this.values()
      this.#overCount = 0
    }
  }

  /** All of them, in the order of acceptance: a list of their own. */
  values(): ExchangeOrderRecord[] {
    return this.#accepted.filter((order) => this.get(order.accountId, order.ownOrderId) === order)
  }

  /** Those of an account as the protocol states them, each with the time of its last report. */
  reports(accountId: string, instruments: TradedSource): OrderReport[] {
    return this.values().flatMap((order) => {
      const traded = order.accountId === accountId ? instruments.of(order.instrumentId) : null
      return traded === null ? [] : [orderReport(traded, order, order.reportedNs)]
    })
  }

  restore(orders: readonly ExchangeOrderRecord[]): void {
    this.#accepted = []
    this.#overCount = 0
    this.#byAccount.clear()
    for (const order of orders) this.add(order)
  }
}
