import type { Account } from '../exchange/accounts/account.js'
import { Amount, statedAmount } from '../model/amount.js'
import type { Id } from '../model/id.js'
import type { UsdRate } from '../model/usd-rate.js'
import { isValuedAt } from '../model/contract.js'
import type { OrderReport } from '../model/order.js'
import { keptValue } from '../model/kept-value.js'
import { contractOf } from '../report/run-currency.js'
import { OrderAtExchange, type OrderNames } from '../orders/order-at-exchange.js'
import type { MessageOrigin } from '../orders/message-origin.js'
import { NO_ROWS, OrderTable, type OrderRowList, type RowTerms } from '../orders/order-table.js'
import type { RecordedWorld } from '../results/recorded-world.js'
import type { LookRecorder } from '../results/look-recorder.js'
import type { RunRecorder } from '../results/run-recorder.js'
import { amountOfExact } from '../rows/exact-integer.js'
import { RowStore } from '../rows/row-store.js'
import type { StrategyAccount } from '../strategy/instrument-registry.js'
import type { AccountState, Fill } from '../venue/account-messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { InstrumentDirectory, InstrumentEntry, MarketView } from '../venue/venue.js'
import { KeptPlaces } from './kept-places.js'
import { LiveAccount } from './live-account.js'
import { openPositions } from './opening-positions.js'

/** The parts of a ledger. */
export interface LedgerParts {
  readonly epochDay: number
  readonly clientId: string
  readonly instruments: InstrumentDirectory
  readonly views: ReadonlyMap<number, MarketView>
  /** Rates in USD of the directories. */
  readonly usdRates: Map<number, UsdRate>
  /** The table of the run's orders, whose rows the recorder's tables are made of. */
  readonly orders: OrderTable
  readonly recorder: RunRecorder
}

/** Prices and quantities of messages are at the instrument's own scales. */
const OWN_SCALES = { priceFactor: 1, quantityFactor: 1, quantityDivisor: 1 }
/** So many orders and fills that are over are still known, for what comes late. */
const KEPT = 10_000

/** `touchedByGap` of an order of which only the exchange knows it. */
const UNKNOWN_WORD = 2

const NO_MESSAGE_ROWS: MessageOrigin = { rows: NO_ROWS, sentNs: NaN }

/**
 * The accounts and orders of a run over sockets as its messages tell them: what a simulated exchange knows of them, as
 * far as the protocol says it. Every request and every message goes through it to the recorder of the run.
 */
export class LiveLedger implements RecordedWorld {
  readonly accounts: Map<string, Account> = new Map()
  readonly config: RecordedWorld['config']
  readonly halt = null
  readonly orders = { openOrders: (): Iterable<OrderAtExchange> => this.#atExchange.values() }
  readonly money = {
    hasValueAt: (instrumentId: number, price: Amount): boolean => {
      const entry = this.parts.instruments.get(instrumentId)
      return entry === undefined || isValuedAt(entry.instrument, price)
    },
    mids: { of: (): null => null },
  }
  /** The observer of the run; null: none. */
  observer: LookRecorder | null = null
  /** Sentences on what the messages leave unknown. */
  readonly notes: string[] = []
  /** Fills of orders that the run has sent: others change the account too. */
  readonly ownFills: { count: number, lastNs: number | null } = { count: 0, lastNs: null }
  /** Orders that the adapter has, by row. */
  readonly #atExchange: Map<number, OrderAtExchange> = new Map()
  /** Rows of orders that are over, by account and own id. */
  readonly #ended: KeptPlaces = new KeptPlaces(KEPT)
  /** Rows of fills, by account and own fill id. */
  readonly #fills: KeptPlaces = new KeptPlaces(KEPT)
  /** When a cancel or an amend was sent, by account, kind and id. */
  readonly #sentNs: KeptPlaces = new KeptPlaces(KEPT)
  readonly #live: Map<string, LiveAccount> = new Map()
  /** Instruments by whether their terms are enough for a contract. */
  readonly #known: Map<number, boolean> = new Map()
  /** Orders of others, whose fills change the account. */
  readonly #foreign = new OrderTable(new RowStore(false))

  constructor(private readonly parts: LedgerParts) {
    this.config = { money: { usdRates: parts.usdRates } }
  }

  /** An account as it was at its login. */
  open({ accountId, exchangeCode }: StrategyAccount, state: AccountState): void {
    const { recorder, epochDay, views } = this.parts
    const live = new LiveAccount({ accountId, exchangeCode }, state, {
      epochDay, views, onMoney: (event) => { recorder.money(event) }, onNote: (sentence) => { this.note(sentence) },
    })
    const { account } = live
    this.#live.set(accountId, live)
    this.accounts.set(accountId, account)
    for (const sentence of openPositions(account, state, this.parts)) this.note(sentence)
  }

  /** A request is sent. */
  requested(accountId: string, timeNs: number, request: ClientRequest): void {
    const { parts: { recorder, clientId } } = this
    recorder.requested(clientId, timeNs, request, accountId, this.#placedRows(accountId, timeNs, request))
    this.observer?.requested(clientId, timeNs, request, accountId)
  }

  /** A message has reached the client. */
  delivered(accountId: string, timeNs: number, message: ClientMessage): void {
    const known = this.#taken(accountId, timeNs, message)
    if (known.kind === 'fill')
      for (const { exchangeTimeNs } of known.fills) this.#live.get(accountId)?.filled(timeNs, exchangeTimeNs)
    const { parts: { recorder, clientId } } = this
    recorder.delivered(clientId, timeNs, known, accountId, this.#originOf(accountId, known))
    this.observer?.delivered(clientId, timeNs, known, accountId)
  }

  /** When the next difference between wallets and fills is booked; Infinity: none is open. */
  get settleNs(): number {
    let next = Infinity
    for (const { settleNs } of this.#live.values()) next = Math.min(next, settleNs)
    return next
  }

  /** Books differences that have stood until a time. */
  settle(untilNs: number): void {
    for (const live of this.#live.values()) if (live.settleNs <= untilNs) live.settle()
  }

  /** The run ends. */
  end(): void {
    for (const live of this.#live.values()) live.end()
  }

  marketOf(instrumentId: number): { readonly isCrossed: boolean } | undefined {
    const view = this.parts.views.get(instrumentId)
    return view === undefined ? undefined : { isCrossed: view.book.bestBidPrice > view.book.bestAskPrice }
  }

  traded(instrumentId: number): { readonly market: { readonly quantityScale: number } } {
    return { market: { quantityScale: this.parts.instruments.get(instrumentId)?.quantityScale ?? 0 } }
  }

  #placedRows(accountId: string, timeNs: number, request: ClientRequest): OrderRowList {
    const { parts: { orders, clientId } } = this
    const owner = { accountId, clientId }
    const own = orders.of(accountId)
    switch (request.kind) {
      case 'place':
        return request.entries.map((entry) => {
          const row = this.#sentRow(orders.add(owner, entry, timeNs))
          own.add(entry.ownOrderId, row)
          return row
        })
      case 'replace':
        return request.entries.map((entry) => {
          const row = this.#sentRow(orders.addInPlace(owner, entry, timeNs))
          own.addInPlace(entry.newOwnOrderId, row, entry.currentOwnOrderId)
          return row
        })
      case 'amend':
        for (const { newClientOrderId } of request.entries)
          this.#sentNs.set(accountId, `a${String(newClientOrderId)}`, timeNs)
        return NO_ROWS
      case 'cancel':
        for (const { ownOrderId } of request.entries) this.#sentNs.set(accountId, `c${String(ownOrderId)}`, timeNs)
        return NO_ROWS
      case 'cancelAll':
        this.#sentNs.set(accountId, `r${String(request.requestId)}`, timeNs)
        return NO_ROWS
      default:
        return NO_ROWS
    }
  }

  /** The row of an order that nothing is reported of: a fill may be the first. */
  #sentRow(row: number): number {
    this.parts.orders.exchange.state.set(row, 'PENDING_NEW')
    return row
  }

  /** Takes what a message says; entries of which the run knows nothing are left out of what is recorded. */
  #taken(accountId: string, timeNs: number, message: ClientMessage): ClientMessage {
    switch (message.kind) {
      case 'placeResponse':
        for (const { result } of message.results) if (result !== undefined) this.#reported(accountId, result)
        return { ...message, results: message.results.filter((one) => this.#rowOf(accountId, one.ownOrderId) >= 0) }
      case 'replaceResponse':
        return { ...message, results: message.results.filter((one) => this.#rowOf(accountId, one.ownOrderId) >= 0) }
      case 'orderUpdate':
        for (const report of message.orders) this.#reported(accountId, report)
        return message
      case 'fill':
        return { ...message, fills: message.fills.filter((fill) => this.#filled(accountId, fill)) }
      case 'walletUpdate':
        this.#live.get(accountId)?.stateWallets(message.wallets, timeNs, message.adapterTimeNs)
        return message
      case 'accountStatus':
        this.#takeStatus(accountId, timeNs, message.state)
        return message
      case 'positionUpdate': {
        const { positions, isolatedPositions = [], adapterTimeNs } = message
        this.#live.get(accountId)?.statePositions(positions, isolatedPositions, timeNs, adapterTimeNs)
        return message
      }
      case 'corporateAction':
        this.#live.get(accountId)?.announce(message.action)
        return message
      default:
        return message
    }
  }

  /** The whole state, behind a time without a connection: what fills were missed shows in the positions. */
  #takeStatus(accountId: string, timeNs: number, { wallets, positions, isolatedPositions = [] }: AccountState): void {
    const live = this.#live.get(accountId)
    live?.stateAllPositions(positions, isolatedPositions, timeNs)
    live?.stateWallets(wallets, timeNs, timeNs)
    for (const sentence of live?.differences() ?? []) this.note(sentence)
  }

  #originOf(accountId: string, message: ClientMessage): MessageOrigin {
    const { parts: { orders: { client } } } = this
    const sentNs = (key: string): number => this.#sentNs.get(accountId, key) ?? NaN
    switch (message.kind) {
      case 'placeResponse':
      case 'replaceResponse': {
        const rows = message.results.map(({ ownOrderId }) => this.#rowOf(accountId, ownOrderId))
        for (const { ownOrderId, error } of message.results) if (error !== undefined) this.#end(accountId, ownOrderId)
        return { rows, sentNs: rows.length === 0 ? NaN : client.sentNs.at(rows[0] as number) }
      }
      case 'fill':
        return {
          rows: message.fills.map(({ ownFillId }) => this.#fills.get(accountId, String(ownFillId)) ?? -1), sentNs: NaN,
        }
      case 'amendResponse':
        return { rows: NO_ROWS, sentNs: sentNs(`a${String(message.results[0]?.clientOrderId)}`) }
      case 'cancelResponse':
        return { rows: NO_ROWS, sentNs: sentNs(`c${String(message.results[0]?.ownOrderId)}`) }
      case 'cancelAllResponse':
        return { rows: NO_ROWS, sentNs: sentNs(`r${String(message.response.requestId)}`) }
      default:
        return NO_MESSAGE_ROWS
    }
  }

  /** The row of an order of the run, over or not; -1: it is none of the run's. */
  #rowOf(accountId: string, ownOrderId: Id): number {
    const row = this.parts.orders.rowOf(accountId, ownOrderId)
    return row >= 0 ? row : this.#ended.get(accountId, String(ownOrderId)) ?? -1
  }

  #end(accountId: string, ownOrderId: Id): void {
    const row = this.parts.orders.of(accountId).end(ownOrderId)
    if (row < 0) return
    this.#ended.set(accountId, String(ownOrderId), row)
    this.#atExchange.delete(row)
  }

  /** The adapter says how an order stands. */
  #reported(accountId: string, report: OrderReport): void {
    const row = this.parts.orders.rowOf(accountId, report.ownOrderId)
    if (row < 0) return
    const { exchange } = this.parts.orders
    const order = this.#atExchange.get(row) ?? this.#made(accountId, row, report)
    exchange.state.set(row, report.state)
    exchange.price.set(row, report.price ?? NaN)
    exchange.totalQuantity.set(row, report.totalQuantity)
    exchange.executedQuantity.set(row, report.executedQuantity)
    order.clientOrderId = report.clientOrderId
    if (report.exchangeTimeNs !== undefined) order.report(report.exchangeTimeNs)
    const isOver = report.state !== 'PENDING_NEW' && report.state !== 'CONFIRMED' && report.state !== 'PENDING_AMEND'
    if (isOver) this.#end(accountId, report.ownOrderId)
    this.parts.recorder.changed(order, report, this.traded(report.instrumentId).market.quantityScale)
    this.observer?.changed(order)
  }

  #made(accountId: string, row: number, report: Pick<OrderReport, 'ownOrderId' | 'clientOrderId' | 'exchangeOrderId' |
    'instrumentId'>): OrderAtExchange {
    const { orders, clientId } = this.parts
    const { exchange } = orders
    exchange.touchedByGap.set(row, UNKNOWN_WORD)
    exchange.quantityAhead.set(row, NaN)
    exchange.entryQuantityAhead.set(row, NaN)
    const order = new OrderAtExchange(orders, row, OWN_SCALES, namesOf(accountId, clientId, report))
    this.#atExchange.set(row, order)
    return order
  }

  /** Posts a fill to its account; false: it is known already, or late data of one that is not. */
  #filled(accountId: string, fill: Fill): boolean {
    const account = this.accounts.get(accountId)
    const entry = this.parts.instruments.get(fill.instrumentId)
    const id = String(fill.ownFillId)
    const known = this.#fills.get(accountId, id)
    if (account === undefined || entry === undefined || known !== undefined || fill.update || !this.#hasTerms(entry)) {
      if (known !== undefined && account !== undefined && entry !== undefined && fill.update)
        this.#corrected(account, known, fill)
      else if (known === undefined) this.#noteUnknown(fill, entry)
      return known !== undefined && fill.update
    }
    const { orders, recorder } = this.parts
    const { addedLiquidity, openClose, side, price, quantity, priceScale = entry.priceScale } = fill
    const fee = { amount: statedAmount(fill.fees), underlyingId: fill.feeUnderlyingId }
    const execution = { price, priceScale, quantity, quantityScale: entry.quantityScale }
    const posted = account.post(entry, side, execution, addedLiquidity, { openClose, fee })
    const row = this.#rowOf(accountId, fill.ownOrderId)
    const order = row < 0 ? this.#foreignOrder(accountId, fill) : this.#atExchange.get(row) ??
      new OrderAtExchange(orders, row, OWN_SCALES, namesOf(accountId, this.parts.clientId, fill))
    const fillRow = orders.fills.add(order, fill, posted, '', row < 0, entry)
    this.#fills.set(accountId, id, fillRow)
    if (row >= 0) {
      this.ownFills.count++
      this.ownFills.lastNs = fill.exchangeTimeNs
    }
    recorder.filled(order, fill, posted, null, fillRow)
    this.observer?.filled(order, fill, posted, null)
    if (row < 0) this.#foreign.rows.release(order.row)
    return true
  }

  /** A fill that cannot be a row is named: its money is seen in the wallets alone. */
  #noteUnknown({ instrumentId, update }: Fill, entry: InstrumentEntry | undefined): void {
    if (entry === undefined) this.note(`fills of instrument ${instrumentId}, which no directory has, are in no table`)
    else if (update)
      this.note(`${entry.instrument.code}: late data came of fills that had not come: they are in no table`)
  }

  /** False where a directory does not state enough of an instrument to work out its money. */
  #hasTerms({ instrument }: InstrumentEntry): boolean {
    const isEnough = keptValue(this.#known, instrument.id, () => contractOf(instrument) !== null)
    if (!isEnough)
      this.note(
        `${instrument.code}: its directory does not state its terms, so its fills stand in the journal alone, and ` +
          'what they made among changes of wallets; name a tick file of it in `terms`')
    return isEnough
  }

  /** Late data of a fill: the fee is another. */
  #corrected(account: Account, row: number, { instrumentId, fees, feeUnderlyingId }: Fill): void {
    const { fills } = this.parts.orders
    const position = account.positions.get(instrumentId)
    const fee = statedAmount(fees)
    const before = amountOfExact(fills.fees.integerAt(row), fills.fees.scaleAt(row))
    const earlierId = fills.feeUnderlyingId.at(row)
    if (position === undefined || (earlierId === feeUnderlyingId && fee.eq(before))) return
    account.charge(position, earlierId, before.negated())
    account.charge(position, feeUnderlyingId, fee)
    fills.feeUnderlyingId.set(row, feeUnderlyingId)
    this.note('fees came later than their fills: round trips have those that were stated first')
    fills.fees.setAmount(row, fee)
  }

  #foreignOrder(accountId: string, fill: Fill): OrderAtExchange {
    const terms: RowTerms = {
      ...fill, type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL', postOnly: false, totalQuantity: fill.quantity,
    }
    const row = this.#foreign.add({ accountId, clientId: '' }, terms, fill.exchangeTimeNs)
    // Nothing else of it is known, and nothing more comes.
    this.#foreign.exchange.state.set(row, 'FILLED')
    return new OrderAtExchange(this.#foreign, row, OWN_SCALES, namesOf(accountId, '', fill))
  }

  /** A sentence for the summary, once. */
  note(sentence: string): void {
    if (!this.notes.includes(sentence)) this.notes.push(sentence)
  }
}

function namesOf(
  accountId: string, clientId: string, of: Omit<OrderNames, 'accountId' | 'clientId'>,
): OrderNames {
  const { instrumentId, ownOrderId, clientOrderId, exchangeOrderId } = of
  return { accountId, clientId, instrumentId, ownOrderId, clientOrderId, exchangeOrderId }
}
