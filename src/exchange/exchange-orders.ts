import type { Id } from '../model/id.js'
import type { EntryError } from '../model/order.js'
import { factorBetween } from '../model/scale-factor.js'
import type { Account, PostedFill } from './accounts/account.js'
import type { ConditionTasks } from './condition-tasks.js'
import { Executions, type ExecutionParts, type OrderMoney } from './executions.js'
import { exchangeError, type ExecutionCause, type ExecutionSink } from './market/resting-order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import { cancelsOthers } from './matching/order-admission.js'
import { enter, type TradedInstrument } from './matching/order-engine.js'
import type { ForcedFill } from './matching/order-making.js'
import type { PositionLimits } from './matching/position-limits.js'
import type { OpenOrders } from './open-orders.js'
import type { OrderUpdates } from './order-updates.js'
import type { TradedInstruments } from './traded-instruments.js'

const CLOSED_WITH_POSITION = exchangeError(
  'CLOSE_ONLY', 'cancelled by an order of its client that closes the whole position',
)
const POSITION_IS_CLOSED = exchangeError(
  'NO_POSITION_TO_REDUCE', 'nothing is left of the position that the order would make smaller',
)

/** The parts of its world that its orders work with. */
export interface OrderParts extends ExecutionParts {
  readonly accounts: ReadonlyMap<string, Account>
  readonly open: OpenOrders
  readonly limits: PositionLimits
  readonly traded: TradedInstruments
  readonly orderMoney: OrderMoney
  readonly updates: OrderUpdates
  readonly conditions: ConditionTasks
}

/**
 * The orders of one world from their acceptance to their end: what happens to one, what it does to money, and what its
 * clients are sent of it (exchange rules 5.1). Executions of resting orders come in through {@link ExecutionSink}.
 */
export class ExchangeOrders implements ExecutionSink {
  readonly #executions: Executions
  readonly #updates: OrderUpdates

  constructor(private readonly parts: OrderParts) {
    this.#executions = new Executions(parts)
    this.#updates = parts.updates
  }

  /** Why the account cannot stand for an order, or null; `without` is the order that it takes the place of. */
  refusal(
    account: Account, traded: TradedInstrument, order: OrderAtExchange, timeNs: number,
    without?: OrderAtExchange,
  ): EntryError | null {
    return this.parts.orderMoney.refusal(account, traded, order, timeNs, without)
  }

  /** An accepted order: CONFIRMED, what it takes away, then what it trades, then its end where it does not rest. */
  admit(traded: TradedInstrument, order: OrderAtExchange, timeNs: number): void {
    const account = this.parts.accounts.get(order.accountId)
    this.parts.open.add(order)
    this.parts.limits.add(order)
    this.parts.money.awaitExpiry(order.instrumentId, timeNs)
    this.#updates.send(traded, order, timeNs)
    if (account !== undefined && cancelsOthers(account, order)) this.#cancelOthers(order, timeNs)
    this.#enter(traded, order, timeNs)
  }

  #enter(traded: TradedInstrument, order: OrderAtExchange, timeNs: number): void {
    if (order.isDormant !== true && enter(traded, order, timeNs, this.parts.config.assumptions.switches) === 'CANCELED')
      this.#updates.finish(traded, order, timeNs)
    else if (order.state === 'CONFIRMED') traded.conditions.add(order)
  }

  /** The other orders of a strategy go where it closes its position. */
  #cancelOthers(order: OrderAtExchange, timeNs: number): void {
    const { accountId, clientId, instrumentId } = order
    this.cancelWhere(
      (other) =>
        other !== order &&
        other.accountId === accountId &&
        other.clientId === clientId &&
        other.instrumentId === instrumentId,
      timeNs,
      CLOSED_WITH_POSITION,
    )
  }

  /** An order whose terms were changed; `stays` where it keeps its place. */
  amended(traded: TradedInstrument, order: OrderAtExchange, timeNs: number, stays: boolean): void {
    this.#updates.send(traded, order, timeNs)
    if (order.isDormant === true) this.parts.conditions.retrigger(traded, order, timeNs)
    else if (!stays && enter(traded, order, timeNs, this.parts.config.assumptions.switches) === 'CANCELED')
      this.#updates.finish(traded, order, timeNs)
  }

  /** Cancels every open order that is meant, whoever it belongs to; `why` is for those who did not ask for it. */
  cancelWhere(isMeant: (order: OrderAtExchange) => boolean, timeNs: number, why?: EntryError): void {
    for (const order of [...this.parts.open.values()]) {
      const traded = isMeant(order) ? this.parts.traded.of(order.instrumentId) : null
      if (traded !== null) this.end(traded, order, timeNs, why)
    }
  }

  /** The open order of an account with this own id. */
  of(accountId: string, ownOrderId: Id): OrderAtExchange | undefined {
    return this.parts.open.get(accountId, ownOrderId)
  }

  /** Every open order, in the order of acceptance. */
  openOrders(): readonly OrderAtExchange[] {
    return this.parts.open.values()
  }

  execute(order: OrderAtExchange, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void {
    const { accounts, agenda, money, news, observer } = this.parts
    const { instrumentId } = order
    observer.executed?.(order, price, quantity, timeNs, cause)
    const traded = this.parts.traded.of(instrumentId)
    const account = accounts.get(order.accountId)
    if (traded === null || account === undefined) return
    const facts = { price, quantity, timeNs, cause }
    if (order.state === 'FILLED') this.#updates.close(traded, order, timeNs)
    const sums = this.#executions.post(traded, account, order, facts)
    money.oweMissing(account, instrumentId, timeNs)
    this.#executions.say(traded, account, order, facts, sums)
    money.executed(account, instrumentId, price / factorBetween(0, traded.market.priceScale), sums, timeNs)
    if (this.parts.limits.isEmpty) return
    news.sendChangedWallets([account], timeNs, () => {
      const isLarger = this.parts.limits.shrink(account, traded, (limited, isOver) => {
        this.#shrunk(traded, limited, isOver, timeNs)
      })
      if (isLarger) agenda.plan(timeNs, instrumentId, { kind: 'conditions', instrumentId })
    })
  }

  /**
   * A fill that the exchange forces on an account (exchange rules 8.3): the position closes, nobody's order executes;
   * the account's orders there are gone by then.
   */
  forceFill(account: Account, instrumentId: number, fill: ForcedFill, posted: (sums: PostedFill) => void): void {
    const traded = this.parts.traded.of(instrumentId)
    if (traded !== null) this.#executions.force(traded, account, fill, posted)
  }

  /** Takes an open order out: CANCELED. */
  end(traded: TradedInstrument, order: OrderAtExchange, timeNs: number, why?: EntryError): void {
    if (order.isDormant !== true) traded.orders.remove(order)
    order.state = 'CANCELED'
    this.#updates.finish(traded, order, timeNs, why)
  }

  /** An order that became smaller with its position, or is over with it. */
  #shrunk(traded: TradedInstrument, order: OrderAtExchange, isOver: boolean, timeNs: number): void {
    if (!isOver) return this.#updates.send(traded, order, timeNs)
    order.state = 'CANCELED'
    this.#updates.finish(traded, order, timeNs, POSITION_IS_CLOSED)
    if (order.isDormant === true) return
    order.withdraw()
    traded.orders.removeLater(order)
  }

  /** Takes an open order of a state back. */
  restore(order: OrderAtExchange): void {
    this.parts.open.add(order)
    this.parts.limits.add(order)
  }
}
