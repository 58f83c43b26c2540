import type { OrderEntry, OrderEntryListener } from '../venue/venue.js'
import { AccountNews } from './account-news.js'
import { Account } from './accounts/account.js'
import { performAction, type StopHost } from './action-tasks.js'
import { AdapterGate } from './adapter/adapter-gate.js'
import { AdapterNotices } from './adapter-notices.js'
import { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import { WorldAgenda, type Agenda } from './agenda.js'
import { BlockedAmounts, PreTrade } from './risk/pre-trade.js'
import { ClientLogins, type Channels } from './client-logins.js'
import { FaultPlan } from './adapter/fault-plan.js'
import { checkFees } from './accounts/fees.js'
import { takeGrid, type TradedInstrument } from './matching/order-engine.js'
import type { RestingOrdersHost } from './matching/assumptions.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import { OrderIds } from './matching/order-ids.js'
import { FundingAndMargin } from './funding-and-margin.js'
import type { UnknownBookPeriod } from './market/price-watch.js'
import { ExchangeOrders } from './exchange-orders.js'
import { OrderGateway } from './order-gateway.js'
import { Outbox, UNSENT } from './outbox.js'
import { exchangeError, type ExchangeOrderRecord, type ExecutionCause } from './market/resting-order.js'
import { TradedInstruments } from './traded-instruments.js'
import { OpenOrders } from './open-orders.js'
import type { WorldConfig, WorldHalt, WorldObserver, WorldState } from './world-config.js'
import type { WorldMessage } from './world-message.js'
import type { OrderRequest } from '../venue/order-messages.js'
import type { InternalTask } from './risk/exchange-task.js'

const SIGHT_LOST = exchangeError(
  'MARKET_DATA_GAP', 'cancelled, as the book is unknown since a gap (gap policy cancelAndWait)',
)

/** Performs a task of each kind. */
const TASKS: {
  readonly [Kind in InternalTask['kind']]: (
    world: World, timeNs: number, task: Extract<InternalTask, { readonly kind: Kind }>,
  ) => void
} = {
  conditions: (world, timeNs, { instrumentId }) => world.orders.performConditions(instrumentId, timeNs),
  funding: (world, timeNs, { instrumentId }) => world.money.fund(instrumentId, timeNs),
  judge: (world, timeNs, { accountId }) => world.money.judge(accountId, timeNs),
  interest: (world, timeNs, { accountId }) => world.money.accrue(accountId, timeNs),
  expiry: (world, timeNs, { instrumentId }) => world.money.settle(instrumentId, timeNs),
  corporateAction: (world, timeNs, { number }) => performAction(world, timeNs, number),
}

/**
 * One run instance over a shared market: accounts, their orders, what they took, their clients' channels. A world never
 * sees another one. It moves only when the loop plays one of its requests or responses, or when the market it rests in
 * plays an item.
 */
export class World implements RestingOrdersHost {
  readonly number: number
  readonly accounts: ReadonlyMap<string, Account>
  readonly orders: ExchangeOrders
  readonly money: FundingAndMargin
  readonly preTrade: PreTrade
  /** Set when a gap ended this world (gap policy `halt`): the loop plays nothing more of it. */
  halt: WorldHalt | null = null
  /** Set once its data have ended (exchange rules 1.6): the loop plays nothing more of it. */
  hasEnded = false
  readonly faults: FaultPlan
  /** Corporate actions: those of the plan, then those that were asked for. */
  readonly actions: NonNullable<WorldConfig['corporateActions']>[number][]
  readonly news: AccountNews
  readonly outbox: Outbox
  readonly #agenda: WorldAgenda
  readonly #blocked: BlockedAmounts
  readonly #adapters: ReadonlyMap<string, AdapterOrderIndex>
  readonly #notices: AdapterNotices
  readonly #traded: TradedInstruments
  readonly #logins: ClientLogins
  readonly #ids: OrderIds
  readonly #gateway: OrderGateway

  constructor(
    readonly config: WorldConfig,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    passAgenda: Agenda<WorldMessage>,
    readonly observer: WorldObserver,
  ) {
    this.number = config.number
    const accounts = (this.accounts = new Map(config.accounts.map((one) => [one.accountId, new Account(one)])))
    const adapters = (this.#adapters = new Map(
      config.accounts.map((one) => [one.accountId, new AdapterOrderIndex(one, config.instruments)]),
    ))
    const faults = (this.faults = new FaultPlan(config.faults ?? [], config.assumptions.seed))
    this.actions = [...(config.corporateActions ?? [])]
    const gates: Map<string, AdapterGate> = new Map()
    for (const [id, { profile }] of adapters) gates.set(id, new AdapterGate(id, profile, faults))
    const channels: Channels = new Map()
    const agenda = (this.#agenda = new WorldAgenda(passAgenda, config.number))
    const outbox = (this.outbox = new Outbox(channels))
    const notices = (this.#notices = new AdapterNotices(gates, channels, agenda))
    const traded = (this.#traded = new TradedInstruments({ config, markets, agenda, host: this }))
    const open = new OpenOrders()
    const money = (this.money = new FundingAndMargin(this))
    const preTrade = (this.preTrade = new PreTrade({
      priceOf: money.priceOf, codeOf: (id) => this.codeOf(id), openOrders: () => open.values(),
      traded: (id) => traded.of(id),
    }))
    this.#blocked = new BlockedAmounts(preTrade, config.instruments)
    const news = (this.news = new AccountNews(config, accounts, money.priceOf, this.#blocked, outbox))
    const ids = (this.#ids = new OrderIds(config.assumptions.seed))
    const parts = { config, markets, agenda, news, notices, open, traded, observer, accounts, adapters, gates, faults }
    const logins = (this.#logins = new ClientLogins({ ...parts, channels }))
    const orders = (this.orders = new ExchangeOrders({ ...parts, outbox, money, preTrade, ids }))
    this.#gateway = new OrderGateway({ ...parts, outbox, orders, logins }, ids)
  }

  /** True once nothing more can happen: a gap or the end of its data has ended it. */
  get isOver(): boolean {
    return this.halt !== null || this.hasEnded
  }

  /** Its data have ended (exchange rules 1.6): nothing happens to its orders any more. */
  end(): void {
    this.hasEnded = true
    this.#traded.stop()
  }

  /**
   * Opens a client's order entry on an account. Several clients may share one, and a client may have several, each a
   * login of its own.
   */
  connect(clientId: string, accountId: string, listener: OrderEntryListener, nowNs: () => number): OrderEntry {
    const { channels } = this.#logins
    const isFirst = channels.size === 0 && this.#agenda.sequence === 0
    const isFirstOfAccount = !channels.has(accountId)
    const account = this.accounts.get(accountId)
    for (const { instrument } of this.config.instruments.entries) {
      if (instrument.exchangeCode === account?.config.exchangeCode && this.markets.has(instrument.id))
        checkFees(accountId, account.config.fees, instrument, this.config.underlyings)
    }
    const channel = this.#logins.open(clientId, accountId, listener, nowNs, this.#agenda.sequence)
    if (isFirstOfAccount) this.#notices.awaitStatus(accountId, nowNs())
    if (isFirst) this.#planActions(nowNs())
    return channel
  }

  /**
   * Ends a login: nothing is delivered to its listener any more, messages on their way to it are dropped. Requests that
   * it has sent reach the exchange, and its orders stay. The client may log in again.
   */
  disconnect(clientId: string, accountId: string): void {
    this.#logins.close(clientId, accountId)
  }

  traded(instrumentId: number): TradedInstrument | null {
    return this.#traded.of(instrumentId)
  }

  /** Puts a message on its way. */
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void {
    this.#agenda.send(timeNs, phase, instrumentId, message)
  }

  /**
   * Puts a task of the exchange on the agenda: it is done after the feed and the requests of its instant (exchange
   * rules 1.3).
   */
  plan(timeNs: number, instrumentId: number, task: InternalTask): void {
    this.#agenda.plan(timeNs, instrumentId, task)
  }

  /** Clients that are logged in to an account. */
  readonly clientsOf: StopHost['clientsOf'] = (accountId) => this.#logins.channels.get(accountId)?.keys() ?? []

  /** The code of an underlying, for sentences. */
  codeOf(underlyingId: number): string {
    return this.config.underlyings.get(underlyingId)?.code ?? `of underlying ${underlyingId}`
  }

  marketOf(instrumentId: number): ExchangeMarket | undefined {
    return this.markets.get(instrumentId)
  }

  /** Plays what the agenda says is due: a request at the exchange, a task of it, or an answer at its client. */
  play(timeNs: number, message: WorldMessage): void {
    if (this.isOver) return
    switch (message.way) {
      case 'internal':
        return this.news.sendAllChangedWallets(timeNs, () => { this.#perform(timeNs, message.task) })
      case 'request': return this.#request(timeNs, message)
      case 'response': return this.#logins.addressee(message.to)?.receive(timeNs, message.message)
      case 'notice': return this.#logins.addressee(message.to)?.deliver(timeNs, message.message)
      case 'stop': return this.observer.stopped?.(message.clientId, timeNs, message.reason)
      case 'status': return this.#notices.statusChanged(message.accountId, timeNs)
      case 'window': return this.#notices.windowEnded(message.accountId, timeNs)
      case 'late': return this.#publishLate(message, timeNs)
    }
  }

  #request(timeNs: number, { from, request }: Extract<WorldMessage, { readonly way: 'request' }>): void {
    const channel = this.#logins.sender(from)
    const account = this.accounts.get(from.accountId)
    if (channel === undefined || account === undefined || this.#haltsAtGap(timeNs, request)) return
    if (!this.#blocked.blocks(account)) return this.#gateway.handle(channel, timeNs, request)
    this.news.sendChangedWallets([account], timeNs, () => { this.#gateway.handle(channel, timeNs, request) })
  }

  #perform(timeNs: number, task: InternalTask): void {
    const perform = TASKS[task.kind] as (world: World, timeNs: number, task: InternalTask) => void
    perform(this, timeNs, task)
  }

  #planActions(nowNs: number): void {
    for (const [number, { timeNs, action }] of (this.config.corporateActions ?? []).entries()) {
      if (timeNs >= nowNs) this.plan(timeNs, action.instrumentId, { kind: 'corporateAction', number })
    }
  }

  #publishLate(
    { accountId, instrumentId, fill }: Extract<WorldMessage, { readonly way: 'late' }>, timeNs: number,
  ): void {
    const now = this.#adapters.get(accountId)?.withContext(fill) ?? fill
    this.outbox.publish(accountId, timeNs, instrumentId, { kind: 'fill', fills: [now], adapterTimeNs: UNSENT })
  }

  execute(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void {
    this.observer.executed?.(order, price, quantity, timeNs, cause)
    this.orders.execute(order, price, quantity, timeNs, cause)
  }

  bookLost(instrumentId: number, period: UnknownBookPeriod, isMet = false): void {
    if (this.isOver) return
    const { gaps } = this.config.assumptions
    this.observer.bookLost?.(instrumentId, period, isMet)
    if (gaps === 'cancelAndWait') {
      this.news.sendAllChangedWallets(period.detectedNs, () => {
        this.orders.cancelWhere((order) => order.instrumentId === instrumentId, period.detectedNs, SIGHT_LOST)
      })
    }
    if (gaps !== 'halt') return
    this.halt = { instrumentId, timeNs: period.detectedNs, reason: period.reason }
    this.#traded.stop()
  }

  /** A gap that was there before the world's first order in an instrument halts it when that order comes. */
  #haltsAtGap(timeNs: number, request: OrderRequest): boolean {
    if (this.config.assumptions.gaps !== 'halt' || request.kind !== 'place') return false
    for (const { instrumentId } of request.entries) {
      const bookUnknown = this.traded(instrumentId)?.market.bookUnknown ?? null
      if (bookUnknown !== null && bookUnknown.reason !== 'start')
        this.bookLost(instrumentId, { ...bookUnknown, detectedNs: timeNs }, true)
    }
    return this.halt !== null
  }

  bookRecovered(instrumentId: number, timeNs: number): void {
    if (this.isOver) return
    this.observer.bookRecovered?.(instrumentId, timeNs)
    this.news.sendAllChangedWallets(timeNs, () => { this.#gateway.resume(instrumentId, timeNs) })
  }

  rescaled(instrumentId: number, priceFactor: number, quantityFactor: number): void {
    this.#traded.rescaled(instrumentId, priceFactor, quantityFactor)
  }

  /**
   * The directory has other terms of an instrument from this midnight on: open orders off the grid are cancelled, new
   * ones are judged by it (exchange rules 1.7).
   */
  termsChanged(instrumentId: number, timeNs: number): void {
    const traded = this.#traded.known(instrumentId)
    if (this.isOver || traded === undefined) return
    this.news.sendAllChangedWallets(timeNs, () => { takeGrid(traded, this.orders, timeNs) })
  }

  /** The world as plain data; what it has on its way lies in the agenda. */
  state(): WorldState {
    return {
      sequence: this.#agenda.sequence,
      halt: this.halt,
      hasEnded: this.hasEnded,
      accounts: [...this.accounts].map(([accountId, account]) => [accountId, account.state()]),
      adapters: [...this.#adapters].map(([accountId, adapter]) => [accountId, adapter.state()]),
      gates: this.#notices.state(),
      handler: { open: this.orders.state(), ids: this.#ids.state(), held: this.#gateway.state() },
      money: this.money.state(),
      channels: this.#logins.state(),
      instruments: this.#traded.state(new Map([...this.orders.openOrders()].map((order, place) => [order, place]))),
    }
  }

  /**
   * Takes a state back. Its clients have connected again, its markets stand at their scales, and are restored after it.
   */
  restore(state: WorldState): void {
    this.#agenda.sequence = state.sequence
    this.halt = state.halt
    this.hasEnded = state.hasEnded
    for (const [accountId, sums] of state.accounts) this.accounts.get(accountId)?.restore(sums, this.config.instruments)
    for (const [accountId, sent] of state.adapters) this.#adapters.get(accountId)?.restore(sent)
    this.#notices.restore(state.gates)
    this.#logins.restore(state.channels)
    this.orders.restore(state.handler.open)
    this.#ids.restore(state.handler.ids)
    this.#gateway.restore(state.handler.held)
    this.money.restore(state.money)
    this.#traded.restore(state.instruments, [...this.orders.openOrders()])
    if (this.isOver) this.#traded.stop()
  }
}
