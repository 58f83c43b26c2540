import type { Id } from '../model/id.js'
import type { OrderReport } from '../model/order.js'
import type { OrderAtExchange, OrderNames, RareAttributes } from '../orders/order-at-exchange.js'
import type { OrderTable } from '../orders/order-table.js'
import { orderReport, type TradedSource } from './matching/order-engine.js'

/** An open order as plain data, beside the columns of its row. */
export interface OpenOrderState extends OrderNames {
  readonly row: number
  /** Left out where it has none. */
  readonly rare?: RareAttributes
}

/** The open orders of a world, by the rows of its table of orders. */
export class OpenOrders {
  /** In the order of acceptance. */
  readonly #open: Map<number, OrderAtExchange> = new Map()

  constructor(readonly table: OrderTable) {}

  get(accountId: string, ownOrderId: Id): OrderAtExchange | undefined {
    return this.#open.get(this.table.of(accountId).rowOf(ownOrderId))
  }

  add(order: OrderAtExchange): void {
    this.#open.set(order.row, order)
  }

  remove(order: OrderAtExchange): void {
    this.#open.delete(order.row)
  }

  /** All of them, in the order of acceptance: a list of their own. */
  values(): OrderAtExchange[] {
    return [...this.#open.values()]
  }

  /** Those of an account as the protocol states them, each with the time of its last report. */
  reports(accountId: string, instruments: TradedSource): OrderReport[] {
    return this.values().flatMap((order) => {
      const traded = order.accountId === accountId ? instruments.of(order.instrumentId) : null
      return traded === null ? [] : [orderReport(traded, order, order.reportedNs)]
    })
  }

  /** In the order of acceptance. */
  state(): OpenOrderState[] {
    return this.values().map((order) => {
      const { row, accountId, clientId, instrumentId, ownOrderId, clientOrderId, exchangeOrderId, rare } = order
      return {
        row, accountId, clientId, instrumentId, ownOrderId, clientOrderId, exchangeOrderId,
        ...(Object.keys(rare).length === 0 ? {} : { rare: { ...rare } }),
      }
    })
  }
}
