import type { Id } from '../model/id.js'
import type { EntryError } from '../model/order.js'
import type {
  AmendEntry, AmendResult, CancelEntry, CancelResult, PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult,
} from '../venue/messages.js'
import type { Account } from './accounts/account.js'
import type { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import type { FaultPlan } from './adapter/fault-plan.js'
import type { ClientLogins } from './client-logins.js'
import type { ExchangeOrders } from './exchange-orders.js'
import { arrivedOrder, placeAgain } from './matching/order-making.js'
import {
  admissionRefusal, amendedFields, judgeAmend, roomRefusal, takeTerms, orderRulesOf, type AmendOutcome,
} from './matching/order-admission.js'
import { orderReport, type EntryRules, type TradedInstrument } from './matching/order-engine.js'
import type { OrderIds } from './matching/order-ids.js'
import { exchangeError } from './market/resting-order.js'
import { orderWith, type OrderAtExchange } from '../orders/order-at-exchange.js'
import type { MessageOrigin } from '../orders/message-origin.js'
import type { OrderTable } from '../orders/order-table.js'
import { UNSENT, type Outbox, type Requester } from './outbox.js'
import type { TradedInstruments } from './traded-instruments.js'
import { bookUnknownOf, WaitingRequests, type HeldRequest } from './waiting-requests.js'
import { orderNotFoundText } from '../venue/order-not-found.js'
import type { OrderRequest } from '../venue/order-messages.js'
import type { WorldConfig } from './world-config.js'

const ORDER_NOT_FOUND = exchangeError(
  'ORDER_NOT_FOUND', 'no open order has this id: it was filled, cancelled or never accepted',
)

/** The parts of its world that the gateway works with. */
export interface GatewayParts {
  readonly config: WorldConfig
  readonly accounts: ReadonlyMap<string, Account>
  readonly adapters: ReadonlyMap<string, AdapterOrderIndex>
  readonly faults: FaultPlan
  readonly outbox: Outbox
  readonly traded: TradedInstruments
  readonly table: OrderTable
  readonly orders: ExchangeOrders
  readonly logins: ClientLogins
}

/**
 * The exchange's end of order entry in one world: every request of spec 2, in the sequence of messages of exchange
 * rules 5.1. A response goes before everything that the request caused.
 */
export class OrderGateway {
  readonly #rules: EntryRules
  readonly #ids: OrderIds
  /** Requests that wait for a snapshot (gap policy `freeze`). */
  readonly #waiting: WaitingRequests = new WaitingRequests()

  constructor(private readonly parts: GatewayParts, ids: OrderIds) {
    this.#rules = parts.config.assumptions
    this.#ids = ids
  }

  /** Plays a request that has arrived. */
  handle(from: Requester, timeNs: number, request: OrderRequest, origin: MessageOrigin): void {
    if (this.#rules.gaps === 'freeze' && this.#waits(from, request, origin)) return
    const { outbox } = this.parts
    outbox.hold()
    this.#answer(from, timeNs, request, origin)
    outbox.release()
  }

  #answer(from: Requester, timeNs: number, request: OrderRequest, origin: MessageOrigin): void {
    switch (request.kind) {
      case 'place': return this.#place(from, timeNs, request.entries, origin)
      case 'amend': return this.#amend(from, timeNs, request.entries, origin)
      case 'replace': return this.#replace(from, timeNs, request.entries, origin)
      case 'cancel': return this.#cancel(from, timeNs, request.entries, origin)
      case 'cancelAll': return this.#cancelAll(from, timeNs, request.requestId, origin)
    }
  }

  /** Resumes what waited for the snapshot of an instrument. */
  resume(instrumentId: number, timeNs: number): void {
    for (const { accountId, clientId, request, origin } of this.#waiting.take(instrumentId)) {
      this.#traded(instrumentId)?.orders.release()
      const from = this.parts.logins.requester(accountId, clientId)
      if (from !== undefined) this.handle(from, timeNs, request, origin)
    }
  }

  /** Requests that wait, as plain data. */
  state(): HeldRequest[] {
    return this.#waiting.state()
  }

  restore(held: readonly HeldRequest[]): void {
    this.#waiting.restore(held)
    for (const { instrumentId } of held) this.#traded(instrumentId)?.orders.retain()
  }

  /** Under `freeze` a request that needs a book waits for it; true means that it does. */
  #waits(from: Requester, request: OrderRequest, origin: MessageOrigin): boolean {
    const { orders, traded: instruments } = this.parts
    const traded = bookUnknownOf(request, (ownOrderId) => orders.of(from.accountId, ownOrderId), instruments)
    if (traded === null) return false
    this.#waiting.add(from, traded.entry.instrument.id, request, origin)
    traded.orders.retain()
    return true
  }

  #place(
    from: Requester, timeNs: number, entries: readonly PlaceEntry[], { rows, sentNs }: MessageOrigin,
  ): void {
    const results: PlaceResult[] = []
    const answered: number[] = []
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as PlaceEntry
      const row = rows[at] as number
      const { ownOrderId, clientOrderId } = entry
      const traded = this.#traded(entry.instrumentId)
      if (traded === null) continue
      const unheld = roomRefusal(traded, entry)
      const order = this.#orderOf(from, traded, entry, row)
      const error = unheld ?? this.#refusalOf(traded, order, timeNs)
      answered.push(row)
      if (error !== null) {
        results.push({ ownOrderId, clientOrderId, exchangeTimeNs: timeNs, error })
        this.#ended(from.accountId, ownOrderId)
      } else {
        results.push({ ownOrderId, clientOrderId, exchangeTimeNs: timeNs, result: orderReport(traded, order, timeNs) })
        this.parts.orders.admit(traded, order, timeNs)
      }
    }
    const instrumentId = entries[0]?.instrumentId ?? 0
    const origin = { rows: answered, sentNs }
    from.answer(timeNs, instrumentId, { kind: 'placeResponse', results, adapterTimeNs: UNSENT }, origin)
  }

  #orderOf(from: Requester, traded: TradedInstrument, entry: PlaceEntry, row: number): OrderAtExchange {
    const account = entry.triggerPrice === undefined ? undefined : this.parts.accounts.get(from.accountId)
    return arrivedOrder(
      from, traded, entry, this.#ids, this.parts.table, row,
      account === undefined ? undefined : orderRulesOf(account).defaultTrigger,
    )
  }

  #refusalOf(traded: TradedInstrument, order: OrderAtExchange, timeNs: number): EntryError | null {
    const account = this.parts.accounts.get(order.accountId)
    return account === undefined
      ? ORDER_NOT_FOUND
      : (admissionRefusal(account, traded, order, this.#rules, timeNs) ??
          this.parts.orders.refusal(account, traded, order, timeNs))
  }

  #amend(from: Requester, timeNs: number, entries: readonly AmendEntry[], origin: MessageOrigin): void {
    const results: AmendResult[] = []
    let instrumentId = 0
    for (const entry of entries) {
      const ids = { ownOrderId: entry.ownOrderId, clientOrderId: entry.newClientOrderId, exchangeTimeNs: timeNs }
      const order = this.parts.orders.of(from.accountId, entry.ownOrderId)
      const traded = order === undefined ? null : this.#traded(order.instrumentId)
      const account = this.parts.accounts.get(from.accountId)
      const unheld = traded === null ? null : roomRefusal(traded, entry)
      const outcome: AmendOutcome =
        order === undefined || traded === null || account === undefined || unheld !== null
          ? { error: unheld ?? ORDER_NOT_FOUND }
          : judgeAmend(account, traded, order, entry, this.#rules, timeNs)
      const refusal =
        outcome.error ??
        (order === undefined || traded === null || account === undefined
          ? ORDER_NOT_FOUND
          : this.parts.orders.refusal(
              account, traded, orderWith(order, outcome.terms), timeNs, order,
            ))
      if (order === undefined || traded === null || outcome.error !== null || refusal !== null) {
        results.push({ ...ids, error: refusal ?? ORDER_NOT_FOUND })
        continue
      }
      instrumentId = order.instrumentId
      if (!outcome.stays) traded.orders.remove(order)
      takeTerms(order, outcome.terms, entry)
      results.push({ ...ids, result: amendedFields(traded, order, entry) })
      this.parts.orders.amended(traded, order, timeNs, outcome.stays)
    }
    from.answer(timeNs, instrumentId, { kind: 'amendResponse', results, adapterTimeNs: UNSENT }, origin)
  }

  #replace(from: Requester, timeNs: number, entries: readonly ReplaceEntry[], origin: MessageOrigin): void {
    const results: ReplaceResult[] = []
    let instrumentId = 0
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as ReplaceEntry
      const row = origin.rows[at] as number
      const ids = { ownOrderId: entry.newOwnOrderId, clientOrderId: entry.newClientOrderId, exchangeTimeNs: timeNs }
      const current = this.parts.orders.of(from.accountId, entry.currentOwnOrderId)
      const traded = current === undefined ? null : this.#traded(current.instrumentId)
      if (current === undefined || traded === null) {
        const error = { ...ORDER_NOT_FOUND, message: orderNotFoundText(entry.currentOwnOrderId) }
        results.push({ exchangeOrderId: entry.exchangeOrderId ?? '', ...ids, error })
        this.#ended(from.accountId, entry.newOwnOrderId)
        continue
      }
      instrumentId = current.instrumentId
      this.parts.orders.end(traded, current, timeNs)
      const again = placeAgain(orderReport(traded, current, timeNs), entry, current)
      const unheld = roomRefusal(traded, again)
      const order = this.#orderOf(from, traded, again, row)
      if (current.triggered === true && entry.triggerPrice === undefined) order.triggered = true
      const error: EntryError | null =
        this.parts.faults.replaceError(from.accountId, timeNs) ?? unheld ?? this.#refusalOf(traded, order, timeNs)
      if (error !== null) {
        results.push({ exchangeOrderId: current.exchangeOrderId, ...ids, error })
        this.#ended(from.accountId, entry.newOwnOrderId)
      } else {
        const { price, totalQuantity } = orderReport(traded, order, timeNs)
        results.push({ exchangeOrderId: order.exchangeOrderId, ...ids, result: { price, totalQuantity } })
        this.parts.orders.admit(traded, order, timeNs)
      }
    }
    from.answer(timeNs, instrumentId, { kind: 'replaceResponse', results, adapterTimeNs: UNSENT }, origin)
  }

  #cancel(from: Requester, timeNs: number, entries: readonly CancelEntry[], origin: MessageOrigin): void {
    const results: CancelResult[] = []
    let instrumentId = 0
    for (const { ownOrderId } of entries) {
      const order = this.parts.orders.of(from.accountId, ownOrderId)
      const traded = order === undefined ? null : this.#traded(order.instrumentId)
      if (order === undefined || traded === null) {
        this.#withdraw(from.accountId, timeNs, (waiting) => waiting === ownOrderId)
        results.push({ ownOrderId, exchangeTimeNs: timeNs, error: ORDER_NOT_FOUND })
        continue
      }
      instrumentId = order.instrumentId
      results.push({ ownOrderId, exchangeTimeNs: timeNs })
      this.parts.orders.end(traded, order, timeNs)
    }
    from.answer(timeNs, instrumentId, { kind: 'cancelResponse', results, adapterTimeNs: UNSENT }, origin)
  }

  #cancelAll(from: Requester, timeNs: number, requestId: Id, origin: MessageOrigin): void {
    from.answer(timeNs, 0, {
      kind: 'cancelAllResponse', response: { requestId, adapterTimeNs: UNSENT, exchangeTimeNs: timeNs },
      adapterTimeNs: UNSENT,
    }, origin)
    this.#withdraw(from.accountId, timeNs, () => true)
    this.parts.orders.cancelWhere(({ accountId }) => accountId === from.accountId, timeNs)
  }

  /**
   * Takes orders of an account back whose placing waits for a snapshot: they are answered with an error, and what they
   * were to replace is cancelled.
   */
  #withdraw(accountId: string, timeNs: number, isMeant: (ownOrderId: Id) => boolean): void {
    const { logins, orders } = this.parts
    const taken = this.#waiting.withdraw(accountId, isMeant, timeNs)
    for (const { held: { clientId, instrumentId }, ownOrderIds, origin, replaced, isWhole, answer } of taken) {
      for (const ownOrderId of ownOrderIds) this.#ended(accountId, ownOrderId)
      logins.requester(accountId, clientId)?.answer(timeNs, instrumentId, answer, origin)
      if (isWhole) this.#traded(instrumentId)?.orders.release()
      orders.cancelWhere((order) => order.accountId === accountId && replaced.includes(order.ownOrderId), timeNs)
    }
  }

  #traded(instrumentId: number): TradedInstrument | null {
    return this.parts.traded.of(instrumentId)
  }

  /** An order is over: its adapter need not know it much longer. */
  #ended(accountId: string, ownOrderId: Id): void {
    this.parts.adapters.get(accountId)?.ended(ownOrderId)
  }
}
