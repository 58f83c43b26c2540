import type { OrderReport } from '../model/order.js'
import type { Side } from '../model/side.js'
import type { AmendEntry, AmendResult, CancelEntry, CancelResult, Fill, PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult } from '../venue/messages.js'
import type { Account } from './account.js'
import { adapterError, placeRefusal, SIMULATED_CAPABILITIES, termsRefusal } from './adapter-checks.js'
import { amendedTerms, crosses, enter, entryRefusal, exchangeError, gapRefusal, orderReport, type TradedInstrument } from './order-engine.js'
import type { ExchangeOrderRecord, ExecutionCause, ExecutionSink } from './resting-order.js'
import type { ClientMessage, OrderRequest, WorldConfig } from './world-config.js'

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
  traded(instrumentId: number): TradedInstrument | null
  publish(accountId: string, exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void
}

const ORDER_NOT_FOUND = exchangeError('ORDER_NOT_FOUND', 'no open order has this id: it was filled, cancelled or never accepted')

/**
 * The exchange's end of order entry in one world: every request of spec 2, in the sequence of messages of exchange rules 5.1.
 * Executions of resting orders come in through {@link ExecutionSink}.
 */
export class RequestHandler implements ExecutionSink {
  readonly #host: RequestHost
  /** Open orders by own id. */
  readonly #open: Map<string, ExchangeOrderRecord> = new Map()
  /** Every own id that was ever sent, as the adapter remembers it. */
  readonly #known: Set<string> = new Set()
  #orderCount = 0
  #fillCount = 0

  constructor(host: RequestHost) {
    this.#host = host
  }

  /** The adapter's own checks of a place request: what goes on, and what comes straight back. */
  checkPlace(accountId: string, entries: readonly PlaceEntry[]): { readonly kept: readonly PlaceEntry[]; readonly refused: readonly PlaceResult[] } {
    const kept: PlaceEntry[] = []
    const refused: PlaceResult[] = []
    const first = entries[0]?.instrumentId
    for (const entry of entries) {
      const { ownOrderId, clientOrderId } = entry
      const error = entry.instrumentId !== first ? adapterError('INVALID_REQUEST', 'every entry of a place request must name the same instrument') : this.#refusal(accountId, entry)
      if (error === null) {
        this.#known.add(ownOrderId)
        kept.push(entry)
      } else refused.push({ ownOrderId, clientOrderId, error })
    }
    return { kept, refused }
  }

  handle(from: Requester, timeNs: number, request: OrderRequest): void {
    switch (request.kind) {
      case 'place': return this.#place(from, timeNs, request.entries)
      case 'amend': return this.#amend(from, timeNs, request.entries)
      case 'replace': return this.#replace(from, timeNs, request.entries)
      case 'cancel': return this.#cancel(from, timeNs, request.entries)
      case 'cancelAll': return this.#cancelAll(from, timeNs, request.requestId)
    }
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
    const isMaker = cause !== 'aggression'
    const at = price / traded.priceFactor
    const amount = quantity / traded.quantityFactor
    const posted = account.post(entry, order.side, at, amount, isMaker)
    if (order.state === 'FILLED') this.#open.delete(order.ownOrderId)
    const number = this.#fillCount++
    const fill: Fill = {
      ownFillId: `${order.ownOrderId}-${String(number)}`,
      exchangeTradeId: String(number),
      exchangeTimeNs: timeNs,
      ownOrderId: order.ownOrderId,
      exchangeOrderId: order.exchangeOrderId,
      clientOrderId: order.clientOrderId,
      instrumentId: order.instrumentId,
      side: order.side,
      price: at,
      quantity: amount,
      fees: posted.fee.toFixed(),
      feeUnderlyingId: posted.feeUnderlyingId,
      addedLiquidity: isMaker,
      update: false,
      ...(order.context === undefined ? {} : { context: order.context }),
      ...(order.owner === undefined ? {} : { owner: order.owner }),
    }
    const report = orderReport(traded, order, timeNs)
    const position = account.positionMessage(entry, timeNs)
    const wallets = account.walletMessages(timeNs)
    const { accountId, instrumentId } = order
    this.#host.publish(accountId, timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'positionUpdate', positions: [position], adapterTimeNs }))
    this.#host.publish(accountId, timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'walletUpdate', wallets, adapterTimeNs }))
    this.#host.publish(accountId, timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'fill', fills: [fill], adapterTimeNs }))
    this.#host.publish(accountId, timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'orderUpdate', orders: [report], adapterTimeNs }))
  }

  #refusal(accountId: string, entry: PlaceEntry): ReturnType<typeof placeRefusal> {
    const instrument = this.#host.config.instruments.get(entry.instrumentId)
    const account = this.#host.accounts.get(accountId)
    if (instrument === undefined) return adapterError('UNKNOWN_INSTRUMENT', `no instrument has the id ${String(entry.instrumentId)}`)
    if (account?.config.exchangeCode !== instrument.instrument.exchangeCode) {
      return adapterError('ACCESS_DENIED', `account ${accountId} does not trade on ${instrument.instrument.exchangeCode}`)
    }
    if (this.#known.has(entry.ownOrderId)) return adapterError('ORDER_ID_DUPLICATE', `ownOrderId ${entry.ownOrderId} was used before`)
    return placeRefusal(entry, instrument, SIMULATED_CAPABILITIES)
  }

  #place(from: Requester, timeNs: number, entries: readonly PlaceEntry[]): void {
    for (const entry of entries) {
      const { ownOrderId, clientOrderId } = entry
      const traded = this.#host.traded(entry.instrumentId)
      if (traded === null) continue
      const order = this.#record(from, traded, entry)
      const error = entryRefusal(traded, order, this.#host.config.assumptions.gaps)
      const result: PlaceResult = error === null
        ? { ownOrderId, clientOrderId, exchangeTimeNs: timeNs, result: orderReport(traded, order, timeNs) }
        : { ownOrderId, clientOrderId, exchangeTimeNs: timeNs, error }
      from.answer(timeNs, entry.instrumentId, (adapterTimeNs) => ({ kind: 'placeResponse', results: [result], adapterTimeNs }))
      if (error === null) this.#admit(traded, order, timeNs)
    }
  }

  /** An accepted order: CONFIRMED, then what it trades, then its end where it does not rest. */
  #admit(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    this.#open.set(order.ownOrderId, order)
    this.#update(traded, order, timeNs)
    const outcome = enter(traded, order, timeNs)
    if (outcome === 'CANCELED') {
      this.#open.delete(order.ownOrderId)
      this.#update(traded, order, timeNs)
    }
  }

  #amend(from: Requester, timeNs: number, entries: readonly AmendEntry[]): void {
    for (const entry of entries) {
      const order = this.#mine(from, entry.ownOrderId)
      const traded = order === undefined ? null : this.#host.traded(order.instrumentId)
      const { ownOrderId, newClientOrderId: clientOrderId } = entry
      if (order === undefined || traded === null) {
        this.#answerAmend(from, timeNs, 0, { ownOrderId, clientOrderId, exchangeTimeNs: timeNs, error: ORDER_NOT_FOUND })
        continue
      }
      const error = this.#amendRefusal(traded, order, entry)
      const { price, totalQuantity } = entry
      const changed = { ...(price === undefined ? {} : { price }), ...(totalQuantity === undefined ? {} : { totalQuantity }) }
      const result: AmendResult = error === null ? { ownOrderId, clientOrderId, exchangeTimeNs: timeNs, result: changed } : { ownOrderId, clientOrderId, exchangeTimeNs: timeNs, error }
      this.#answerAmend(from, timeNs, order.instrumentId, result)
      if (error === null) this.#applyAmend(traded, order, entry, timeNs)
    }
  }

  #amendRefusal(traded: TradedInstrument, order: ExchangeOrderRecord, amend: AmendEntry): ReturnType<typeof exchangeError> | null {
    const { price, totalQuantity } = amendedTerms(traded, order, amend)
    const refusal = termsRefusal(price === null ? null : price / traded.priceFactor, totalQuantity / traded.quantityFactor, traded.entry)
    if (refusal !== null) return refusal
    if (totalQuantity <= order.executedQuantity) return exchangeError('INVALID_QUANTITY', 'the order has executed at least this quantity already')
    const gap = gapRefusal(this.#host.config.assumptions.gaps, traded.market, order)
    if (gap !== null) return gap
    if (traded.market.blind === null && order.postOnly && price !== null && price !== order.price && crosses(traded.market, order.side, price)) {
      return exchangeError('POST_ONLY_WOULD_CROSS', 'the amended postOnly order would match at once; it stays as it was')
    }
    return null
  }

  /** A smaller quantity at the same price keeps its place in the queue; anything else goes to the back, and may trade. */
  #applyAmend(traded: TradedInstrument, order: ExchangeOrderRecord, amend: AmendEntry, timeNs: number): void {
    const { price, totalQuantity } = amendedTerms(traded, order, amend)
    const keepsPlace = price === order.price && totalQuantity <= order.totalQuantity
    if (!keepsPlace) traded.orders.remove(order)
    order.price = price
    order.totalQuantity = totalQuantity
    order.clientOrderId = amend.newClientOrderId
    if (amend.context !== undefined) order.context = amend.context
    this.#update(traded, order, timeNs)
    if (!keepsPlace && enter(traded, order, timeNs) === 'CANCELED') {
      this.#open.delete(order.ownOrderId)
      this.#update(traded, order, timeNs)
    }
  }

  #replace(from: Requester, timeNs: number, entries: readonly ReplaceEntry[]): void {
    for (const entry of entries) {
      const ids = { ownOrderId: entry.newOwnOrderId, clientOrderId: entry.newClientOrderId, exchangeTimeNs: timeNs }
      const current = this.#mine(from, entry.currentOwnOrderId)
      const traded = current === undefined ? null : this.#host.traded(current.instrumentId)
      if (current === undefined || traded === null) {
        this.#answerReplace(from, timeNs, 0, { exchangeOrderId: '', ...ids, error: ORDER_NOT_FOUND })
        continue
      }
      this.#end(traded, current, timeNs)
      const place: PlaceEntry = {
        ...orderReport(traded, current, timeNs),
        ...ids,
        price: entry.price ?? (current.price === null ? null : current.price / traded.priceFactor),
        totalQuantity: entry.totalQuantity ?? current.totalQuantity / traded.quantityFactor,
      }
      const order = this.#record(from, traded, place)
      if (entry.context !== undefined) order.context = entry.context
      const duplicate = this.#known.has(entry.newOwnOrderId) ? adapterError('ORDER_ID_DUPLICATE', `ownOrderId ${entry.newOwnOrderId} was used before`) : null
      const error = duplicate ?? termsRefusal(place.price, place.totalQuantity, traded.entry) ?? entryRefusal(traded, order, this.#host.config.assumptions.gaps)
      this.#known.add(entry.newOwnOrderId)
      const { exchangeOrderId } = order
      const result: ReplaceResult = error === null
        ? { exchangeOrderId, ...ids, result: { price: place.price, totalQuantity: place.totalQuantity } }
        : { exchangeOrderId: current.exchangeOrderId, ...ids, error }
      this.#answerReplace(from, timeNs, current.instrumentId, result)
      if (error === null) this.#admit(traded, order, timeNs)
    }
  }

  #cancel(from: Requester, timeNs: number, entries: readonly CancelEntry[]): void {
    for (const { ownOrderId } of entries) {
      const order = this.#mine(from, ownOrderId)
      const traded = order === undefined ? null : this.#host.traded(order.instrumentId)
      const found = order !== undefined && traded !== null
      const result: CancelResult = found ? { ownOrderId, exchangeTimeNs: timeNs } : { ownOrderId, exchangeTimeNs: timeNs, error: ORDER_NOT_FOUND }
      from.answer(timeNs, order?.instrumentId ?? 0, (adapterTimeNs) => ({ kind: 'cancelResponse', results: [result], adapterTimeNs }))
      if (found) this.#end(traded, order, timeNs)
    }
  }

  #cancelAll(from: Requester, timeNs: number, requestId: string): void {
    from.answer(timeNs, 0, (adapterTimeNs) => ({ kind: 'cancelAllResponse', response: { requestId, adapterTimeNs, exchangeTimeNs: timeNs }, adapterTimeNs }))
    for (const order of [...this.#open.values()]) {
      const traded = this.#host.traded(order.instrumentId)
      if (order.accountId === from.accountId && traded !== null) this.#end(traded, order, timeNs)
    }
  }

  /** Takes an open order out: CANCELED. */
  #end(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    traded.orders.remove(order)
    order.state = 'CANCELED'
    this.#open.delete(order.ownOrderId)
    this.#update(traded, order, timeNs)
  }

  #update(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): void {
    const report = orderReport(traded, order, timeNs)
    this.#host.publish(order.accountId, timeNs, order.instrumentId, (adapterTimeNs) => ({ kind: 'orderUpdate', orders: [report], adapterTimeNs }))
  }

  #mine(from: Requester, ownOrderId: string): ExchangeOrderRecord | undefined {
    const order = this.#open.get(ownOrderId)
    return order?.accountId === from.accountId ? order : undefined
  }

  #answerAmend(from: Requester, timeNs: number, instrumentId: number, result: AmendResult): void {
    from.answer(timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'amendResponse', results: [result], adapterTimeNs }))
  }

  #answerReplace(from: Requester, timeNs: number, instrumentId: number, result: ReplaceResult): void {
    from.answer(timeNs, instrumentId, (adapterTimeNs) => ({ kind: 'replaceResponse', results: [result], adapterTimeNs }))
  }

  #record(from: Requester, traded: TradedInstrument, entry: PlaceEntry): ExchangeOrderRecord {
    const side: Side = entry.side
    return {
      accountId: from.accountId,
      clientId: from.clientId,
      ownOrderId: entry.ownOrderId,
      clientOrderId: entry.clientOrderId,
      exchangeOrderId: String(this.#orderCount++),
      instrumentId: entry.instrumentId,
      type: entry.type,
      side,
      timeInForce: entry.timeInForce,
      price: entry.price === null ? null : entry.price * traded.priceFactor,
      totalQuantity: entry.totalQuantity * traded.quantityFactor,
      executedQuantity: 0,
      postOnly: entry.postOnly,
      state: 'CONFIRMED',
      quantityAhead: NaN,
      entryQuantityAhead: NaN,
      touchedByGap: traded.market.blind !== null,
      ...(entry.context === undefined ? {} : { context: entry.context }),
      ...(entry.owner === undefined ? {} : { owner: entry.owner }),
      ...(entry.openClose === undefined ? {} : { openClose: entry.openClose }),
      ...(entry.walletType === undefined ? {} : { walletType: entry.walletType }),
    }
  }
}
