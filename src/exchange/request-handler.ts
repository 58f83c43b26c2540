import type { OrderError, OrderReport } from '../model/order.js'
import type { AmendEntry, AmendResult, CancelEntry, CancelResult, PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult } from '../venue/messages.js'
import type { Account } from './account.js'
import { amendedTerms, amendRefusal, enter, entryRefusal, exchangeError, keepsPlace, orderReport, type EntryRules, type TradedInstrument } from './order-engine.js'
import { fillOf, placeAgain, recordOf } from './order-making.js'
import { OrderIds } from './order-ids.js'
import { orderKey, type ExchangeOrderRecord, type ExecutionCause, type ExecutionSink } from './resting-order.js'
import type { ClientMessage, HandlerState, HeldRequest, OrderRequest, WorldConfig, WorldObserver } from './world-config.js'

/** Who asks: the client's name, its account, and the way back to it. */
export interface Requester {
  readonly clientId: string
  readonly accountId: string
  answer(exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void
}

/** What the handler needs of its world. */
export interface RequestHost {
  readonly config: WorldConfig
  readonly accounts: ReadonlyMap<string, Account>
  readonly observer: WorldObserver
  traded(instrumentId: number): TradedInstrument | null
  requester(accountId: string, clientId: string): Requester | undefined
  /** An order is over: filled, cancelled or refused. */
  ended(accountId: string, ownOrderId: string): void
  publish(accountId: string, exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void
}

const ORDER_NOT_FOUND = exchangeError('ORDER_NOT_FOUND', 'no open order has this id: it was filled, cancelled or never accepted')
const WITHDRAWN = exchangeError('MARKET_DATA_GAP', 'cancelled while it waited for the snapshot (gap policy freeze)')

/**
 * The exchange's end of order entry in one world: every request of spec 2, in the sequence of messages of exchange rules 5.1.
 * A response goes before everything that the request caused. Executions of resting orders come in through {@link ExecutionSink}.
 */
export class RequestHandler implements ExecutionSink {
  readonly #host: RequestHost
  readonly #rules: EntryRules
  readonly #ids: OrderIds
  /** Open orders by {@link orderKey}. */
  readonly #open: Map<string, ExchangeOrderRecord> = new Map()
  /** Requests that wait for a snapshot, in the order of their arrival (gap policy `freeze`). */
  #held: HeldRequest[] = []
  /** What a request caused, until its response has gone. */
  #outbox: (() => void)[] | null = null

  constructor(host: RequestHost) {
    this.#host = host
    this.#rules = host.config.assumptions
    this.#ids = new OrderIds(host.config.assumptions.seed)
  }

  handle(from: Requester, timeNs: number, request: OrderRequest): void {
    if (this.#rules.gaps === 'freeze' && this.#hold(from, request)) return
    this.#outbox = []
    this.#answer(from, timeNs, request)
    const outbox = this.#outbox
    this.#outbox = null
    for (const tell of outbox) tell()
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

  /** Takes up what waited for the snapshot of an instrument. */
  takeUp(instrumentId: number, timeNs: number): void {
    const waiting = this.#held.filter((held) => held.instrumentId === instrumentId)
    this.#held = this.#held.filter((held) => held.instrumentId !== instrumentId)
    for (const { accountId, clientId, request } of waiting) {
      this.#host.traded(instrumentId)?.orders.letGo()
      const from = this.#host.requester(accountId, clientId)
      if (from !== undefined) this.handle(from, timeNs, request)
    }
  }

  /** Cancels every order of an instrument, whoever it belongs to. */
  cancelInstrument(instrumentId: number, timeNs: number): void {
    for (const order of [...this.#open.values()]) {
      const traded = order.instrumentId === instrumentId ? this.#host.traded(instrumentId) : null
      if (traded !== null) this.#end(traded, order, timeNs)
    }
  }

  /** Every open order, in the order of acceptance. */
  openOrders(): IterableIterator<ExchangeOrderRecord> {
    return this.#open.values()
  }

  /** Open orders of an account as the protocol states them. */
  openReports(accountId: string, timeNs: number): OrderReport[] {
    const reports: OrderReport[] = []
    for (const order of this.#open.values()) {
      const traded = this.#host.traded(order.instrumentId)
      if (order.accountId === accountId && traded !== null) reports.push(orderReport(traded, order, timeNs))
    }
    return reports
  }

  execute(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void {
    const traded = this.#host.traded(order.instrumentId)
    const account = this.#host.accounts.get(order.accountId)
    if (traded === null || account === undefined) return
    const { entry } = traded
    const posted = account.post(entry, order.side, { price, priceScale: traded.market.priceScale, quantity, quantityScale: traded.market.quantityScale }, cause !== 'aggression')
    if (order.state === 'FILLED') this.#close(order)
    const fill = fillOf({ traded, order, price, quantity, timeNs, isMaker: cause !== 'aggression', fees: posted, ids: this.#ids })
    const report = orderReport(traded, order, timeNs)
    const position = account.positionMessage(entry, timeNs)
    const wallets = account.walletMessages(timeNs)
    this.#host.observer.filled?.(order, fill, posted, cause)
    this.#host.observer.changed?.(order, report, traded.quantityFactor)
    this.#tell(order, timeNs, (adapterTimeNs) => ({ kind: 'positionUpdate', positions: [position], adapterTimeNs }))
    this.#tell(order, timeNs, (adapterTimeNs) => ({ kind: 'fill', fills: [fill], adapterTimeNs }))
    this.#tell(order, timeNs, (adapterTimeNs) => ({ kind: 'orderUpdate', orders: [report], adapterTimeNs }))
    this.#tell(order, timeNs, (adapterTimeNs) => ({ kind: 'walletUpdate', wallets, adapterTimeNs }))
  }

  state(): HandlerState {
    const known = (value: number): number | null => (Number.isNaN(value) ? null : value)
    const open = [...this.#open.values()].map((order) => ({ ...order, quantityAhead: known(order.quantityAhead), entryQuantityAhead: known(order.entryQuantityAhead) }))
    return { open, ids: this.#ids.state(), held: this.#held.map((held) => ({ ...held })) }
  }

  /** Takes a state back; `orderOf` then finds the restored orders for their levels. */
  restore(state: HandlerState): void {
    this.#open.clear()
    for (const order of state.open) {
      this.#open.set(orderKey(order.accountId, order.ownOrderId), { ...order, quantityAhead: order.quantityAhead ?? NaN, entryQuantityAhead: order.entryQuantityAhead ?? NaN })
    }
    this.#ids.restore(state.ids)
    this.#held = [...state.held]
    for (const { instrumentId } of state.held) this.#host.traded(instrumentId)?.orders.hold()
  }

  orderOf(accountId: string, ownOrderId: string): ExchangeOrderRecord | undefined {
    return this.#open.get(orderKey(accountId, ownOrderId))
  }

  /** Under `freeze` what needs a book waits for it; true means that the request does. */
  #hold(from: Requester, request: OrderRequest): boolean {
    if (request.kind === 'cancel' || request.kind === 'cancelAll') return false
    for (const entry of request.entries) {
      const instrumentId = 'instrumentId' in entry ? entry.instrumentId : this.orderOf(from.accountId, 'ownOrderId' in entry ? entry.ownOrderId : entry.currentOwnOrderId)?.instrumentId
      const traded = instrumentId === undefined ? null : this.#host.traded(instrumentId)
      if (traded === null || traded.market.blind === null) continue
      this.#held.push({ clientId: from.clientId, accountId: from.accountId, instrumentId: traded.entry.instrument.id, request })
      traded.orders.hold()
      return true
    }
    return false
  }

  #place(from: Requester, timeNs: number, entries: readonly PlaceEntry[]): void {
    const results: PlaceResult[] = []
    for (const entry of entries) {
      const { ownOrderId, clientOrderId } = entry
      const traded = this.#host.traded(entry.instrumentId)
      if (traded === null) continue
      const order = recordOf(from, traded, entry, this.#ids)
      const error = entryRefusal(traded, order, this.#rules)
      if (error !== null) {
        results.push({ ownOrderId, clientOrderId, exchangeTimeNs: timeNs, error })
        this.#host.ended(from.accountId, ownOrderId)
      } else {
        results.push({ ownOrderId, clientOrderId, exchangeTimeNs: timeNs, result: orderReport(traded, order, timeNs) })
        this.#admit(traded, order, timeNs)
      }
    }
    from.answer(timeNs, entries[0]?.instrumentId ?? 0, (adapterTimeNs) => ({ kind: 'placeResponse', results, adapterTimeNs }))
  }

  /** An accepted order: CONFIRMED, then what it trades, then its end where it does not rest. */
  #admit(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    this.#open.set(orderKey(order.accountId, order.ownOrderId), order)
    this.#update(traded, order, timeNs)
    if (enter(traded, order, timeNs, this.#rules.switches) !== 'CANCELED') return
    this.#close(order)
    this.#update(traded, order, timeNs)
  }

  #amend(from: Requester, timeNs: number, entries: readonly AmendEntry[]): void {
    const results: AmendResult[] = []
    let instrumentId = 0
    for (const entry of entries) {
      const ids = { ownOrderId: entry.ownOrderId, clientOrderId: entry.newClientOrderId, exchangeTimeNs: timeNs }
      const order = this.orderOf(from.accountId, entry.ownOrderId)
      const traded = order === undefined ? null : this.#host.traded(order.instrumentId)
      const error = order === undefined || traded === null ? ORDER_NOT_FOUND : amendRefusal(traded, order, entry, this.#rules)
      if (order === undefined || traded === null || error !== null) {
        results.push({ ...ids, error: error ?? ORDER_NOT_FOUND })
        continue
      }
      instrumentId = order.instrumentId
      const { price, totalQuantity } = entry
      results.push({ ...ids, result: { ...(price === undefined ? {} : { price }), ...(totalQuantity === undefined ? {} : { totalQuantity }) } })
      this.#applyAmend(traded, order, entry, timeNs)
    }
    from.answer(timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'amendResponse', results, adapterTimeNs }))
  }

  #applyAmend(traded: TradedInstrument, order: ExchangeOrderRecord, amend: AmendEntry, timeNs: number): void {
    const terms = amendedTerms(traded, order, amend)
    const stays = keepsPlace(order, terms)
    if (!stays) traded.orders.remove(order)
    order.price = terms.price
    order.totalQuantity = terms.totalQuantity
    order.clientOrderId = amend.newClientOrderId
    if (amend.context !== undefined) order.context = amend.context
    this.#update(traded, order, timeNs)
    if (stays || enter(traded, order, timeNs, this.#rules.switches) !== 'CANCELED') return
    this.#close(order)
    this.#update(traded, order, timeNs)
  }

  #replace(from: Requester, timeNs: number, entries: readonly ReplaceEntry[]): void {
    const results: ReplaceResult[] = []
    let instrumentId = 0
    for (const entry of entries) {
      const ids = { ownOrderId: entry.newOwnOrderId, clientOrderId: entry.newClientOrderId, exchangeTimeNs: timeNs }
      const current = this.orderOf(from.accountId, entry.currentOwnOrderId)
      const traded = current === undefined ? null : this.#host.traded(current.instrumentId)
      if (current === undefined || traded === null) {
        results.push({ exchangeOrderId: entry.exchangeOrderId ?? '', ...ids, error: ORDER_NOT_FOUND })
        this.#host.ended(from.accountId, entry.newOwnOrderId)
        continue
      }
      instrumentId = current.instrumentId
      this.#end(traded, current, timeNs)
      const place = placeAgain(orderReport(traded, current, timeNs), entry)
      const order = recordOf(from, traded, place, this.#ids)
      const error: OrderError | null = entryRefusal(traded, order, this.#rules)
      const { price, totalQuantity } = place
      if (error !== null) {
        results.push({ exchangeOrderId: current.exchangeOrderId, ...ids, error })
        this.#host.ended(from.accountId, entry.newOwnOrderId)
      } else {
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
      const traded = order === undefined ? null : this.#host.traded(order.instrumentId)
      if (order === undefined || traded === null) {
        this.#withdraw(from.accountId, timeNs, (entry) => entry.ownOrderId === ownOrderId)
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
    from.answer(timeNs, 0, (adapterTimeNs) => ({ kind: 'cancelAllResponse', response: { requestId, adapterTimeNs, exchangeTimeNs: timeNs }, adapterTimeNs }))
    this.#withdraw(from.accountId, timeNs, () => true)
    for (const order of [...this.#open.values()]) {
      const traded = this.#host.traded(order.instrumentId)
      if (order.accountId === from.accountId && traded !== null) this.#end(traded, order, timeNs)
    }
  }

  /** Takes place entries of an account back that wait for a snapshot: they are answered with an error. */
  #withdraw(accountId: string, timeNs: number, isMeant: (entry: PlaceEntry) => boolean): void {
    const kept: HeldRequest[] = []
    for (const held of this.#held) {
      const { request, instrumentId } = held
      if (request.kind !== 'place' || held.accountId !== accountId || !request.entries.some(isMeant)) {
        kept.push(held)
        continue
      }
      const results = request.entries.filter(isMeant).map(({ ownOrderId, clientOrderId }) => ({ ownOrderId, clientOrderId, exchangeTimeNs: timeNs, error: WITHDRAWN }))
      for (const { ownOrderId } of results) this.#host.ended(accountId, ownOrderId)
      this.#host.requester(accountId, held.clientId)?.answer(timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'placeResponse', results, adapterTimeNs }))
      const entries = request.entries.filter((entry) => !isMeant(entry))
      if (entries.length > 0) kept.push({ ...held, request: { kind: 'place', entries } })
      else this.#host.traded(instrumentId)?.orders.letGo()
    }
    this.#held = kept
  }

  /** Takes an open order out: CANCELED. */
  #end(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    traded.orders.remove(order)
    order.state = 'CANCELED'
    this.#close(order)
    this.#update(traded, order, timeNs)
  }

  #update(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    const report = orderReport(traded, order, timeNs)
    this.#host.observer.changed?.(order, report, traded.quantityFactor)
    this.#tell(order, timeNs, (adapterTimeNs) => ({ kind: 'orderUpdate', orders: [report], adapterTimeNs }))
  }

  #tell({ accountId, instrumentId }: ExchangeOrderRecord, timeNs: number, message: (adapterTimeNs: number) => ClientMessage): void {
    if (this.#outbox === null) this.#host.publish(accountId, timeNs, instrumentId, message)
    else this.#outbox.push(() => this.#host.publish(accountId, timeNs, instrumentId, message))
  }

  #close({ accountId, ownOrderId }: ExchangeOrderRecord): void {
    this.#open.delete(orderKey(accountId, ownOrderId))
    this.#host.ended(accountId, ownOrderId)
  }
}
