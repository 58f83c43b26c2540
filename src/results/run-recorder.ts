import type { PostedFill } from '../exchange/accounts/account.js'
import { openQuantity } from '../exchange/accounts/account-position.js'
import type { MoneyEvent } from '../exchange/accounts/money-event.js'
import type { UnknownBookPeriod } from '../exchange/market/unknown-book-time.js'
import type { ExecutionCause } from '../exchange/market/resting-order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import type { MessageOrigin } from '../orders/message-origin.js'
import type { OrderRowList } from '../orders/order-table.js'
import { Decimal } from '../model/decimal.js'
import type { Order } from '../strategy/order.js'
import type { EntryError, OrderReport } from '../model/order.js'
import { DataTime } from '../report/data-time.js'
import { NO_FALL } from '../report/drawdown.js'
import { discardedEntry } from './discarded-entry.js'
import { EquityRecorder, type MoneySums } from '../report/equity-recorder.js'
import { FillRecorder, type WritableFillContext } from '../report/fill-recorder.js'
import { LogRecorder } from '../report/log-recorder.js'
import { MARK_OUT_HORIZONS_NS } from '../report/fill-rows.js'
import { MarkOuts, type TwiceMid } from '../report/mark-outs.js'
import { MoneyRecorder } from '../report/money-recorder.js'
import { OrderRecorder } from '../report/order-recorder.js'
import { PeriodRecorder } from '../report/period-recorder.js'
import { RequestCounters, type RequestKind } from '../report/request-counters.js'
import type { Timers } from '../venue/venue.js'
import { EquityRows, twiceMidOf, RunValuation } from './run-valuation.js'
import type { RecordedWorld } from './recorded-world.js'
import type { RunRecorderOptions } from './recorder-options.js'
import type { EndValuation, RecorderContent, RunRecorderState, StopRecord } from './recorder-state.js'
import { TrackRecorder } from '../report/track-recorder.js'
import { WorldRates } from './world-rates.js'
import { RoundTripRecorder } from './round-trip-recorder.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { WorldObserver } from '../exchange/world-config.js'
import type { Fill } from '../venue/account-messages.js'

/** Market time between two samples of equity where nothing else is said. */
export const EQUITY_INTERVAL_NS = 60_000_000_000

/** The answer to an entry of a request. */
interface Answer {
  readonly exchangeTimeNs?: number
  readonly error?: EntryError
}

const SAMPLE = 'equity'
const ROW = 'equity row'
const LOOK = 'open round trips'
const PRICES = 'prices'

/**
 * Records what a world does for its result: fills, orders, equity at intervals of market time, mark-outs. It wakes in
 * its turn among the timers of an instant: what a later one does is in the next sample. It reads and never acts.
 */
export class RunRecorder implements WorldObserver {
  readonly fills: FillRecorder
  readonly orders: OrderRecorder
  readonly equity: EquityRecorder
  /** The time that the data cover. */
  readonly dataTime: DataTime = new DataTime()
  readonly periods: PeriodRecorder
  readonly rates: WorldRates
  readonly markOuts: MarkOuts
  readonly requests: RequestCounters = new RequestCounters()
  readonly moneySums: MoneyRecorder = new MoneyRecorder()
  readonly tracks: TrackRecorder
  readonly log: LogRecorder
  readonly #timers: Timers
  #world: RecordedWorld | null = null
  #valuation: RunValuation | null = null
  #roundTrips: RoundTripRecorder | null = null
  #rows: EquityRows | null = null
  /** Of the fill at hand. */
  readonly #context: WritableFillContext = {
    wallet: null, isBehindData: false, isInCrossedBook: false, arrivalTwice: NaN, arrivalScale: 0,
  }
  #own: RecorderContent = { lastSampleNs: 0, receivedUntilNs: -Infinity, stops: [], warnings: [], end: null }

  constructor(private readonly options: RunRecorderOptions) {
    const { clock, instruments, views, store, orders, equityRows, intervalNs, instrumentIds, courses } = options
    const midOf = (instrumentId: number): TwiceMid => twiceMidOf(views.get(instrumentId))
    this.fills = new FillRecorder(orders.fills)
    this.orders = new OrderRecorder(instruments, orders, midOf)
    this.equity = new EquityRecorder(store, (equityRows?.everyNs ?? null) === null)
    this.rates = new WorldRates(instruments, midOf)
    this.periods = new PeriodRecorder(store.isKeeping, this.dataTime, (id) => this.#startOf(id))
    this.tracks = new TrackRecorder({
      isKeeping: store.isKeeping, intervalNs, views, instrumentIds, midOf: twiceMidOf, courses,
    })
    this.log = new LogRecorder(store.isKeeping)
    this.#timers = clock.timers('report', (name) => this.#wake(name))
    const horizons = MARK_OUT_HORIZONS_NS.map((_, horizon) => this.#timers.timer(String(horizon), {
      onDue: () => {
        if (this.#own.end === null) this.markOuts.measure(horizon, clock.nowNs(), midOf)
      },
    }))
    this.markOuts = new MarkOuts(this.fills.rows, (horizon, dueNs) => horizons[horizon]?.at(dueNs))
  }

  /** Watches a world from this instant on; {@link begin} follows before it passes. */
  start(world: RecordedWorld): void {
    this.#watch(world)
    const now = this.options.clock.nowNs()
    this.#own.lastSampleNs = now
    this.#timers.at(this.#nextSampleNs(now), SAMPLE)
    if (this.options.store.isKeeping) this.#timers.at(this.tracks.nextLookNs(now), PRICES)
    this.#rows?.begin()
  }

  /** The first sample: what its strategies may trade is known. */
  begin(): void {
    const now = this.options.clock.nowNs()
    const money = this.#valuation?.money() ?? new Map()
    this.tracks.sample(now, now, money, this.equity.tracks, false)
    this.equity.begin(now, money)
    this.periods.begin(now, money)
  }

  #startOf(underlyingId: number): Decimal {
    return this.#valuation?.startOf(underlyingId).toDecimal() ?? new Decimal(0)
  }

  #watch(world: RecordedWorld): void {
    const { clock, views, store, equityRows, passLinesBefore } = this.options
    this.#world = world
    this.#valuation = new RunValuation(world, views, () => this.rates.shownIds)
    this.#roundTrips = new RoundTripRecorder(world, views, store, (timeNs) => this.#timers.at(timeNs, LOOK))
    if (equityRows === null) return
    this.#rows = new EquityRows(world, views, this.equity, clock, {
      ...equityRows, passLinesBefore, wake: (timeNs) => this.#timers.at(timeNs, ROW),
    }, () => this.rates.shownIds)
  }

  /** Round trips and slippage. */
  get roundTrips(): RoundTripRecorder {
    if (this.#roundTrips === null) throw new Error('A world is recorded from its start on')
    return this.#roundTrips
  }

  get intervalNs(): number {
    return this.options.intervalNs
  }

  state(): RunRecorderState {
    return {
      fills: this.fills.state(), orders: this.orders.state(), equity: this.equity.state(),
      equityRows: this.#rows?.state() ?? null,
      dataTime: this.dataTime.state(), periods: this.periods.state(), roundTrips: this.roundTrips.state(),
      markOuts: this.markOuts.state(),
      requests: this.requests.state(),
      moneySums: this.moneySums.sums(),
      tracks: this.tracks.state(), log: this.log.state(),
      lastPrices: this.#valuation?.lastPrices() ?? null, rates: this.rates.state(),
      own: this.#own,
    }
  }

  /** Goes on from a state in the place of {@link start}. */
  restore(world: RecordedWorld, state: RunRecorderState): void {
    this.#watch(world)
    this.rates.restore(state.rates)
    if (state.lastPrices !== null) this.#valuation?.restore(state.lastPrices)
    this.roundTrips.restore(state.roundTrips)
    if (state.equityRows !== null) this.#rows?.restore(state.equityRows)
    this.dataTime.restore(state.dataTime)
    this.periods.restore(state.periods)
    this.fills.restore(state.fills)
    this.markOuts.restore(state.markOuts)
    this.orders.restore(state.orders)
    this.equity.restore(state.equity)
    this.requests.restore(state.requests)
    this.moneySums.restore(state.moneySums)
    this.tracks.restore(state.tracks)
    this.log.restore(state.log)
    this.#own = state.own
  }

  requested(
    _clientId: string, _timeNs: number, request: ClientRequest, accountId: string, rows: OrderRowList,
  ): void {
    if (this.#own.end !== null) return
    for (const row of rows) this.orders.sent(row)
    if (request.kind === 'amend') for (const entry of request.entries) this.orders.amended(accountId, entry)
  }

  delivered(
    clientId: string, timeNs: number, message: ClientMessage, accountId: string, { rows, sentNs }: MessageOrigin,
  ): void {
    if (this.#own.end !== null) return
    switch (message.kind) {
      case 'fill': return this.#received(clientId, message.fills, rows, timeNs)
      case 'placeResponse': return this.#placed('place', message.results, rows, sentNs, timeNs)
      case 'replaceResponse': return this.#placed('replace', message.results, rows, sentNs, timeNs)
      case 'amendResponse':
        for (const { ownOrderId, clientOrderId, error } of message.results)
          if (error !== undefined) this.orders.amendRefused(accountId, ownOrderId, clientOrderId)
        return this.#answered('amend', message.results, sentNs, timeNs)
      case 'cancelResponse': return this.#answered('cancel', message.results, sentNs, timeNs)
      case 'cancelAllResponse':
        return this.requests.answered('cancelAll', sentNs, timeNs, message.response)
      default:
    }
  }

  filled(order: OrderAtExchange, fill: Fill, posted: PostedFill, cause: ExecutionCause | null, row: number): void {
    const { accountId } = order
    const { instrumentId } = fill
    const account = this.#world?.accounts.get(accountId)
    const position = account?.positions.get(instrumentId)
    if (account === undefined || position === undefined) throw new Error(`${accountId} has no position ${instrumentId}`)
    const { contract } = position
    const orderRow = this.fills.rows.fills.order.at(row)
    const context = this.#context
    context.wallet = contract.kind === 'spot'
      ? account.cashOf(contract.baseUnderlyingId ?? contract.settlementUnderlyingId) : null
    context.isBehindData = this.options.isBehindData(instrumentId, fill.exchangeTimeNs)
    context.isInCrossedBook = this.#world?.marketOf(instrumentId)?.isCrossed === true
    context.arrivalTwice = orderRow < 0 ? NaN : this.orders.rows.arrivalTwice.at(orderRow)
    context.arrivalScale = orderRow < 0 ? 0 : this.orders.rows.arrivalScale.at(orderRow)
    this.fills.filled(row, posted.value, context)
    const wasOpen = this.roundTrips.trips.isOpen
    this.roundTrips.filled(
      accountId, position, fill, posted, cause, row, context.arrivalTwice, context.arrivalScale,
    )
    this.#notePosition(wasOpen, fill.exchangeTimeNs)
    this.periods.filled(contract.settlementUnderlyingId)
    this.#rows?.filled(fill.exchangeTimeNs)
  }

  changed(order: OrderAtExchange, report: OrderReport, quantityScale: number): void {
    this.orders.changed(order, report.error ?? null, quantityScale)
  }

  money(event: MoneyEvent): void {
    const wasOpen = this.roundTrips.trips.isOpen
    this.moneySums.add(event)
    this.roundTrips.money(event)
    this.#notePosition(wasOpen, event.exchangeTimeNs)
    if (event.kind === 'funding') this.periods.funded(event.underlyingId, new Decimal(event.amount))
    if (event.kind === 'split') this.#lookAtPositions(event.accountId)
  }

  #notePosition(wasOpen: boolean, timeNs: number): void {
    if (this.roundTrips.trips.isOpen !== wasOpen) this.dataTime.changed(timeNs)
  }

  /** A split has changed what an account holds: on spot in every instrument of its coins. */
  #lookAtPositions(accountId: string): void {
    for (const [instrumentId, position] of this.#world?.accounts.get(accountId)?.positions ?? []) {
      this.fills.moved(accountId, instrumentId, openQuantity(position).integerAt(position.entry.quantityScale))
    }
  }

  /** An order that the strategy's side never sent. */
  discarded(clientId: string, accountId: string, order: Order): void {
    if (this.#own.end !== null) return
    const error = { type: order.discardReason ?? 'DISCARDED', message: 'never sent', source: 'INTERNAL' as const }
    const entry = discardedEntry(order, this.options.instruments)
    this.orders.discarded({ clientId, accountId }, entry, this.options.clock.nowNs(), error)
    this.requests.refused('place', 'STRATEGY', error.type)
  }

  /** A strategy was ended by itself, or by what watches over it. */
  stopped(clientId: string, timeNs: number, reason: string): void {
    this.#own.stops.push({ clientId, timeNs, reason })
  }

  /** A sentence of a strategy's runtime for its author; `name` is the strategy's, null where the run has one. */
  warned(clientId: string, timeNs: number, text: string, name: string | null): void {
    this.#own.warnings.push(name === null ? text : `${name}: ${text}`)
    this.log.add('warning', { timeNs, clientId, text })
  }

  /** The texts given to {@link warned}, in its order. */
  get warnings(): readonly string[] {
    return this.#own.warnings
  }

  /** Strategies that did not run to the end of their data, those that were ended from outside left out. */
  get stops(): readonly StopRecord[] {
    return this.#own.stops
  }

  /** A gap that ends the world: nothing that clients receive up to then is missing, whatever other worlds do. */
  bookLost(_instrumentId: number, period: UnknownBookPeriod): void {
    if (this.options.haltsInGap) this.finish(period.detectedNs)
  }

  /** The end of the run: the last sample; later calls change nothing. */
  finish(timeNs: number): EndValuation {
    if (this.#own.end !== null) return this.#own.end
    const world = this.#world
    const valuation = this.#valuation
    if (world === null || valuation === null) return { timeNs, money: new Map(), prices: new Map() }
    const money = valuation.money()
    if (timeNs > this.#own.lastSampleNs) this.#sample(timeNs, money)
    else this.rates.look(this.options.instrumentIds(), money)
    this.periods.end(timeNs, money)
    this.#rows?.finish(timeNs, money)
    this.roundTrips.trips.finish((instrumentId) => valuation.priceOf(instrumentId).price)
    for (const order of world.orders.openOrders())
      this.orders.look(order, world.traded(order.instrumentId)?.market.quantityScale ?? 0)
    this.orders.finish()
    this.tracks.end()
    const ids = [...world.accounts.values()].flatMap((account) => [...account.positions.keys()])
    this.#own.end = { timeNs, money, prices: new Map(ids.map((id) => [id, valuation.priceOf(id)])) }
    return this.#own.end
  }

  /** A timer of the report has come, those of mark-outs apart. */
  #wake(name: string): void {
    if (this.#own.end !== null || this.#valuation === null) return
    const now = this.options.clock.nowNs()
    if (name === SAMPLE) {
      this.#sample(now, this.#valuation.money())
      this.#timers.at(this.#nextSampleNs(now), SAMPLE)
    } else if (name === LOOK) this.#roundTrips?.look(now)
    else if (name === ROW) this.#rows?.due()
    else if (name === PRICES) this.#look(now)
  }

  #look(timeNs: number): void {
    this.tracks.look(timeNs)
    if (this.options.store.isKeeping) this.#timers.at(this.tracks.nextLookNs(timeNs), PRICES)
  }

  #sample(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    const receivedUntilNs = this.options.receivedUntilNs()
    const hasEvents = receivedUntilNs > this.#own.receivedUntilNs
    const { lastSampleNs: sinceNs } = this.#own
    this.dataTime.sample({
      sinceNs, timeNs, isInterval: timeNs - sinceNs === this.options.intervalNs, hasEvents,
      firstNs: this.options.receivedFromNs(), lastNs: receivedUntilNs,
    })
    this.rates.look(this.options.instrumentIds(), money)
    this.tracks.sample(timeNs, sinceNs, money, this.equity.tracks, hasEvents)
    this.equity.sample(timeNs, money)
    this.periods.sample(timeNs, money, (id) => this.equity.tracks.get(id)?.fall ?? NO_FALL)
    this.#own.lastSampleNs = timeNs
    this.#own.receivedUntilNs = receivedUntilNs
  }

  #nextSampleNs(timeNs: number): number {
    const { intervalNs } = this.options
    return (Math.floor(timeNs / intervalNs) + 1) * intervalNs
  }

  /** Answers to placings; `rows` are those of their orders. */
  #placed(
    kind: 'place' | 'replace', results: readonly Answer[], rows: OrderRowList, sentNs: number, timeNs: number,
  ): void {
    this.#answered(kind, results, sentNs, timeNs)
    for (let at = 0; at < results.length; at++) {
      const { exchangeTimeNs = timeNs, error } = results[at] as Answer
      if (error !== undefined) this.orders.refused(rows[at] as number, exchangeTimeNs, error)
    }
  }

  #answered(kind: RequestKind, results: readonly Answer[], sentNs: number, timeNs: number): void {
    for (const result of results) this.requests.answered(kind, sentNs, timeNs, result)
  }

  #received(clientId: string, fills: readonly Fill[], rows: OrderRowList, timeNs: number): void {
    for (let at = 0; at < fills.length; at++) {
      const row = this.fills.received(rows[at] as number, clientId, fills[at] as Fill, timeNs)
      if (row >= 0) this.markOuts.await(row, timeNs)
    }
  }
}
