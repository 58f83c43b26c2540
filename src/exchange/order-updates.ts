import type { EntryError } from '../model/order.js'
import type { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import type { OrderMoney } from './executions.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import { orderReport, type TradedInstrument } from './matching/order-engine.js'
import type { PositionLimits } from './matching/position-limits.js'
import type { OpenOrders } from './open-orders.js'
import { UNSENT, type Outbox } from './outbox.js'
import type { WorldObserver } from './world-config.js'

/** Sends clients how their orders stand, and forgets those that are over. */
export class OrderUpdates {
  constructor(
    private readonly adapters: ReadonlyMap<string, AdapterOrderIndex>,
    private readonly observer: WorldObserver,
    private readonly outbox: Outbox,
    private readonly open: OpenOrders,
    private readonly limits: PositionLimits,
    private readonly orderMoney: OrderMoney,
  ) {}

  /** Sends how an order now stands, and what ended it where no response does. */
  send(traded: TradedInstrument, order: OrderAtExchange, timeNs: number, error?: EntryError): void {
    order.report(timeNs)
    const report = orderReport(traded, order, timeNs, error)
    this.observer.changed?.(order, report, traded.market.quantityScale)
    this.outbox.publish(
      order.accountId, timeNs, order.instrumentId, { kind: 'orderUpdate', orders: [report], adapterTimeNs: UNSENT },
    )
  }

  /** Forgets an order that is over. */
  close(traded: TradedInstrument, order: OrderAtExchange, timeNs: number): void {
    this.open.remove(order)
    this.limits.forget(order)
    traded.conditions.forget(order)
    this.adapters.get(order.accountId)?.ended(order.ownOrderId)
    if (order.loan !== undefined && order.state === 'CANCELED') this.orderMoney.repayUnused(order, timeNs)
  }

  /** An order is over, and its client is sent that. */
  finish(traded: TradedInstrument, order: OrderAtExchange, timeNs: number, why?: EntryError): void {
    this.close(traded, order, timeNs)
    this.send(traded, order, timeNs, why)
  }
}
