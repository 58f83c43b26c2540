import type { OrderError, OrderReport } from '../model/order.js'
import type {
  AmendEntry, AmendResult, CancelEntry, CancelResult, PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult,
} from '../venue/messages.js'
import type { Account, PostedFill } from './accounts/account.js'
import { performConditions, retrigger, type OrderAccess } from './matching/condition-tasks.js'
import { Executions, OrderMoney, type Send, type RequestHost, type Requester } from './executions.js'
import { placeAgain, recordOf, type ForcedFill } from './matching/order-making.js'
import {
  admissionRefusal, cancelsOthers, amendedFields, judgeAmend, takeTerms, orderRulesOf, type AmendOutcome,
} from './matching/order-admission.js'
import { enter, orderReport, type EntryRules, type TradedInstrument } from './matching/order-engine.js'
import { OpenOrders, bookUnknownOf, WaitingRequests } from './waiting-requests.js'
import { OrderIds } from './matching/order-ids.js'
import { growWithPositions, limitTriggered } from './risk/close-only-growth.js'
import { PositionLimits } from './matching/position-limits.js'
import {
  exchangeError, type ExchangeOrderRecord, type ExecutionCause, type ExecutionSink,
} from './market/resting-order.js'
import type { ClientMessage, OrderRequest } from '../venue/order-messages.js'
import type { HandlerState } from './world-config.js'

const ORDER_NOT_FOUND = exchangeError(
  'ORDER_NOT_FOUND', 'no open order has this id: it was filled, cancelled or never accepted',
)
const CLOSED_WITH_POSITION = exchangeError(
  'CLOSE_ONLY', 'cancelled by an order of its client that closes the whole position',
)
const POSITION_IS_CLOSED = exchangeError(
  'NO_POSITION_TO_REDUCE', 'nothing is left of the position that the order would make smaller',
)

/**
 * The exchange's end of order entry in one world: every request of spec 2, in the sequence of messages of exchange
 * rules 5.1. A response goes before everything that the request caused. Executions of resting orders come in through
 * {@link ExecutionSink}.
 */
export class OrderGateway implements ExecutionSink {
  readonly #rules: EntryRules
  readonly #ids: OrderIds
  readonly #access: OrderAccess
  readonly #executions: Executions
  readonly #limits: PositionLimits = new PositionLimits()
  readonly #open: OpenOrders = new OpenOrders()
  /** Requests that wait for a snapshot (gap policy `freeze`). */
  readonly #waiting: WaitingRequests = new WaitingRequests()
  readonly #money: OrderMoney
  /** The consequences of a request, until its response has gone. */
  #outbox: (() => void)[] | null = null

  constructor(private readonly host: RequestHost) {
    this.#rules = host.config.assumptions
    this.#ids = new OrderIds(host.config.assumptions.seed)
    const send: Send = (order, timeNs, message) => { this.#tell(order, timeNs, message) }
    this.#money = new OrderMoney(host, send)
    this.#executions = new Executions(host, this.#ids, send)
    this.#access = {
      rules: this.#rules,
      openOrders: () => this.#open.values(),
      limit: (traded, order) => limitTriggered(host, traded, order),
      update: (traded, order, timeNs, error) => { this.#update(traded, order, timeNs, error) },
      close: (order, timeNs) => { this.#close(order, timeNs) },
    }
  }

  handle(from: Requester, timeNs: number, request: OrderRequest): void {
    if (this.#rules.gaps === 'freeze' && this.#waits(from, request)) return
    this.#outbox = []
    this.#answer(from, timeNs, request)
    const outbox = this.#outbox
    this.#outbox = null
    for (const tell of outbox) tell()
  }

  /** Looks at the conditions of an instrument's orders at the end of an instant. */
  performConditions(instrumentId: number, timeNs: number): void {
    const traded = this.host.traded(instrumentId)
    if (traded === null) return
    performConditions(this.#access, traded, timeNs)
    growWithPositions(this.#access, this.#limits, this.host, traded, timeNs)
  }

  #answer(from: Requester, timeNs: number, request: OrderRequest): void {
    switch (request.kind) {
      case 'place': return this.#place(from, timeNs, request.entries)
      case 'amend': return this.#amend(from, timeNs, request.entries)
      case 'replace': return this.#replace(from, timeNs, request.entries)
      case 'cancel': return this.#cancel(from, timeNs, request.entries)
      case 'cancelAll': return this.#cancelAll(from, timeNs, request.requestId)
    }
  }

  /** Resumes what waited for the snapshot of an instrument. */
  resume(instrumentId: number, timeNs: number): void {
    for (const { accountId, clientId, request } of this.#waiting.take(instrumentId)) {
      this.host.traded(instrumentId)?.orders.release()
      const from = this.host.requester(accountId, clientId)
      if (from !== undefined) this.handle(from, timeNs, request)
    }
  }

  /** Cancels every open order that is meant, whoever it belongs to; `why` is for those who did not ask for it. */
  cancelWhere(isMeant: (order: ExchangeOrderRecord) => boolean, timeNs: number, why?: OrderError): void {
    for (const order of [...this.#open.values()]) {
      const traded = isMeant(order) ? this.host.traded(order.instrumentId) : null
      if (traded !== null) this.#end(traded, order, timeNs, why)
    }
  }

  /** Every open order, in the order of acceptance. */
  openOrders(): IterableIterator<ExchangeOrderRecord> {
    return this.#open.values()
  }

  /** Open orders of an account as the protocol states them. */
  openReports(accountId: string, timeNs: number): OrderReport[] {
    return this.#open.reports(accountId, (instrumentId) => this.host.traded(instrumentId), timeNs)
  }

  execute(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void {
    const traded = this.host.traded(order.instrumentId)
    const account = this.host.accounts.get(order.accountId)
    if (traded === null || account === undefined) return
    this.#executions.post(traded, account, order, { price, quantity, timeNs, cause }, () => {
      if (order.state === 'FILLED') this.#close(order, timeNs)
    })
    if (this.#limits.isEmpty) return
    this.host.sendChangedWallets([account], timeNs, () => {
      const isLarger = this.#limits.shrink(account, traded, (limited, isOver) => {
        this.#shrunk(traded, limited, isOver, timeNs)
      })
      if (isLarger)
        this.host.plan(timeNs, order.instrumentId, { kind: 'conditions', instrumentId: order.instrumentId })
    })
  }

  /**
   * A fill that the exchange forces on an account (exchange rules 8.3): the position closes, nobody's order executes;
   * the account's orders there are gone by then.
   */
  forceFill(account: Account, instrumentId: number, fill: ForcedFill, posted: (sums: PostedFill) => void): void {
    const traded = this.host.traded(instrumentId)
    if (traded !== null) this.#executions.force(traded, account, fill, posted)
  }

  state(): HandlerState {
    return { open: this.#open.state(), ids: this.#ids.state(), held: this.#waiting.state() }
  }

  /** Takes a state back; `orderOf` then finds the restored orders for their levels. */
  restore(state: HandlerState): void {
    this.#open.restore(state.open)
    this.#limits.clear()
    for (const order of this.#open.values()) {
      this.#limits.add(order)
      this.host.traded(order.instrumentId)?.conditions.add(order)
    }
    this.#ids.restore(state.ids)
    this.#waiting.restore(state.held)
    for (const { instrumentId } of state.held) this.host.traded(instrumentId)?.orders.retain()
  }

  orderOf(accountId: string, ownOrderId: string): ExchangeOrderRecord | undefined {
    return this.#open.get(accountId, ownOrderId)
  }

  /** Under `freeze` a request that needs a book waits for it; true means that it does. */
  #waits(from: Requester, request: OrderRequest): boolean {
    const traded = bookUnknownOf(request, (ownOrderId) => this.orderOf(from.accountId, ownOrderId), this.host)
    if (traded === null) return false
    this.#waiting.add(from, traded.entry.instrument.id, request)
    traded.orders.retain()
    return true
  }

  #place(from: Requester, timeNs: number, entries: readonly PlaceEntry[]): void {
    const results: PlaceResult[] = []
    for (const entry of entries) {
      const { ownOrderId, clientOrderId } = entry
      const traded = this.host.traded(entry.instrumentId)
      if (traded === null) continue
      const order = this.#recordOf(from, traded, entry)
      const error = this.#refusalOf(traded, order, timeNs)
      if (error !== null) {
        results.push({ ownOrderId, clientOrderId, exchangeTimeNs: timeNs, error })
        this.host.ended(from.accountId, ownOrderId)
      } else {
        results.push({ ownOrderId, clientOrderId, exchangeTimeNs: timeNs, result: orderReport(traded, order, timeNs) })
        this.#admit(traded, order, timeNs)
      }
    }
    from.answer(timeNs, entries[0]?.instrumentId ?? 0, (adapterTimeNs) => ({
      kind: 'placeResponse', results, adapterTimeNs,
    }))
  }

  #recordOf(from: Requester, traded: TradedInstrument, entry: PlaceEntry): ExchangeOrderRecord {
    const account = entry.triggerPrice === undefined ? undefined : this.host.accounts.get(from.accountId)
    return recordOf(
      from, traded, entry, this.#ids, account === undefined ? undefined : orderRulesOf(account).defaultTrigger,
    )
  }

  #refusalOf(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): OrderError | null {
    const account = this.host.accounts.get(order.accountId)
    return account === undefined
      ? ORDER_NOT_FOUND
      : (admissionRefusal(account, traded, order, this.#rules, timeNs) ??
          this.#money.refusal(account, traded, order, timeNs))
  }

  /** An accepted order: CONFIRMED, what it takes away, then what it trades, then its end where it does not rest. */
  #admit(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    const account = this.host.accounts.get(order.accountId)
    this.#open.add(order)
    this.#limits.add(order)
    this.host.money.awaitExpiry(order.instrumentId, timeNs)
    this.#update(traded, order, timeNs)
    if (account !== undefined && cancelsOthers(account, order)) this.#cancelOthers(order, timeNs)
    this.#enter(traded, order, timeNs)
  }

  #enter(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    if (order.isDormant !== true && enter(traded, order, timeNs, this.#rules.switches) === 'CANCELED')
      this.#finish(traded, order, timeNs)
    else if (order.state === 'CONFIRMED') traded.conditions.add(order)
  }

  /** The other orders of a strategy go where it closes its position. */
  #cancelOthers(order: ExchangeOrderRecord, timeNs: number): void {
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

  #amend(from: Requester, timeNs: number, entries: readonly AmendEntry[]): void {
    const results: AmendResult[] = []
    let instrumentId = 0
    for (const entry of entries) {
      const ids = { ownOrderId: entry.ownOrderId, clientOrderId: entry.newClientOrderId, exchangeTimeNs: timeNs }
      const order = this.orderOf(from.accountId, entry.ownOrderId)
      const traded = order === undefined ? null : this.host.traded(order.instrumentId)
      const account = this.host.accounts.get(from.accountId)
      const outcome: AmendOutcome =
        order === undefined || traded === null || account === undefined
          ? { error: ORDER_NOT_FOUND }
          : judgeAmend(account, traded, order, entry, this.#rules, timeNs)
      const refusal =
        outcome.error ??
        (order === undefined || traded === null || account === undefined
          ? ORDER_NOT_FOUND
          : this.#money.refusal(
              account, traded, { ...order, price: outcome.terms.price, totalQuantity: outcome.terms.totalQuantity },
              timeNs, order,
            ))
      if (order === undefined || traded === null || outcome.error !== null || refusal !== null) {
        results.push({ ...ids, error: refusal ?? ORDER_NOT_FOUND })
        continue
      }
      instrumentId = order.instrumentId
      if (!outcome.stays) traded.orders.remove(order)
      takeTerms(order, outcome.terms, entry)
      results.push({ ...ids, result: amendedFields(traded, order, entry) })
      this.#update(traded, order, timeNs)
      if (order.isDormant === true) retrigger(this.#access, traded, order, timeNs)
      else if (!outcome.stays && enter(traded, order, timeNs, this.#rules.switches) === 'CANCELED')
        this.#finish(traded, order, timeNs)
    }
    from.answer(timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'amendResponse', results, adapterTimeNs }))
  }

  #replace(from: Requester, timeNs: number, entries: readonly ReplaceEntry[]): void {
    const results: ReplaceResult[] = []
    let instrumentId = 0
    for (const entry of entries) {
      const ids = { ownOrderId: entry.newOwnOrderId, clientOrderId: entry.newClientOrderId, exchangeTimeNs: timeNs }
      const current = this.orderOf(from.accountId, entry.currentOwnOrderId)
      const traded = current === undefined ? null : this.host.traded(current.instrumentId)
      if (current === undefined || traded === null) {
        results.push({ exchangeOrderId: entry.exchangeOrderId ?? '', ...ids, error: ORDER_NOT_FOUND })
        this.host.ended(from.accountId, entry.newOwnOrderId)
        continue
      }
      instrumentId = current.instrumentId
      this.#end(traded, current, timeNs)
      const order = this.#recordOf(from, traded, placeAgain(orderReport(traded, current, timeNs), entry, current))
      if (current.triggered === true && entry.triggerPrice === undefined) order.triggered = true
      const error: OrderError | null =
        this.host.replaceFault(from.accountId, timeNs) ?? this.#refusalOf(traded, order, timeNs)
      if (error !== null) {
        results.push({ exchangeOrderId: current.exchangeOrderId, ...ids, error })
        this.host.ended(from.accountId, entry.newOwnOrderId)
      } else {
        const { price, totalQuantity } = orderReport(traded, order, timeNs)
        results.push({ exchangeOrderId: order.exchangeOrderId, ...ids, result: { price, totalQuantity } })
        this.#admit(traded, order, timeNs)
      }
    }
    from.answer(timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'replaceResponse', results, adapterTimeNs }))
  }

  #cancel(from: Requester, timeNs: number, entries: readonly CancelEntry[]): void {
    const results: CancelResult[] = []
    let instrumentId = 0
    for (const { ownOrderId } of entries) {
      const order = this.orderOf(from.accountId, ownOrderId)
      const traded = order === undefined ? null : this.host.traded(order.instrumentId)
      if (order === undefined || traded === null) {
        this.#withdraw(from.accountId, timeNs, (waiting) => waiting === ownOrderId)
        results.push({ ownOrderId, exchangeTimeNs: timeNs, error: ORDER_NOT_FOUND })
        continue
      }
      instrumentId = order.instrumentId
      results.push({ ownOrderId, exchangeTimeNs: timeNs })
      this.#end(traded, order, timeNs)
    }
    from.answer(timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'cancelResponse', results, adapterTimeNs }))
  }

  #cancelAll(from: Requester, timeNs: number, requestId: string): void {
    from.answer(timeNs, 0, (adapterTimeNs) => ({
      kind: 'cancelAllResponse', response: { requestId, adapterTimeNs, exchangeTimeNs: timeNs }, adapterTimeNs,
    }))
    this.#withdraw(from.accountId, timeNs, () => true)
    this.cancelWhere(({ accountId }) => accountId === from.accountId, timeNs)
  }

  /**
   * Takes orders of an account back whose placing waits for a snapshot: they are answered with an error, and what they
   * were to replace is cancelled.
   */
  #withdraw(accountId: string, timeNs: number, isMeant: (ownOrderId: string) => boolean): void {
    const taken = this.#waiting.withdraw(accountId, isMeant, timeNs)
    for (const { held: { clientId, instrumentId }, ownOrderIds, replaced, isWhole, answer } of taken) {
      for (const ownOrderId of ownOrderIds) this.host.ended(accountId, ownOrderId)
      this.host.requester(accountId, clientId)?.answer(timeNs, instrumentId, answer)
      if (isWhole) this.host.traded(instrumentId)?.orders.release()
      this.cancelWhere((order) => order.accountId === accountId && replaced.includes(order.ownOrderId), timeNs)
    }
  }

  /** Takes an open order out: CANCELED. */
  #end(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number, why?: OrderError): void {
    if (order.isDormant !== true) traded.orders.remove(order)
    order.state = 'CANCELED'
    this.#finish(traded, order, timeNs, why)
  }

  /** An order is over, and its client is sent that. */
  #finish(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number, why?: OrderError): void {
    this.#close(order, timeNs)
    this.#update(traded, order, timeNs, why)
  }

  /** An order that became smaller with its position, or is over with it. */
  #shrunk(traded: TradedInstrument, order: ExchangeOrderRecord, isOver: boolean, timeNs: number): void {
    if (!isOver) return this.#update(traded, order, timeNs)
    order.state = 'CANCELED'
    this.#finish(traded, order, timeNs, POSITION_IS_CLOSED)
    if (order.isDormant === true) return
    // Its level may be served right now: nothing is left of it there.
    order.totalQuantity = order.executedQuantity
    traded.orders.removeLater(order)
  }

  #update(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number, error?: OrderError): void {
    const report = orderReport(traded, order, timeNs, error)
    this.host.observer.changed?.(order, report, traded.quantityFactor)
    this.#tell(order, timeNs, (adapterTimeNs) => ({ kind: 'orderUpdate', orders: [report], adapterTimeNs }))
  }

  #tell(
    { accountId, instrumentId }: ExchangeOrderRecord, timeNs: number, message: (adapterTimeNs: number) => ClientMessage,
  ): void {
    if (this.#outbox === null) this.host.publish(accountId, timeNs, instrumentId, message)
    else this.#outbox.push(() => this.host.publish(accountId, timeNs, instrumentId, message))
  }

  #close(order: ExchangeOrderRecord, timeNs: number): void {
    const { accountId, ownOrderId } = order
    this.#open.remove(order)
    this.#limits.forget(order)
    this.host.traded(order.instrumentId)?.conditions.forget(order)
    this.host.ended(accountId, ownOrderId)
    if (order.loan !== undefined && order.state === 'CANCELED') this.#money.repayUnused(order, timeNs)
  }
}
