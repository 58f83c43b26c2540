import type { OrderEntry, OrderEntryListener } from '../venue/venue.js'
import { AccountNews } from './account-news.js'
import { Account } from './accounts/account.js'
import { ActionTasks } from './action-tasks.js'
import { AdapterGate } from './adapter/adapter-gate.js'
import { AdapterNotices } from './adapter-notices.js'
import { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import { WorldAgenda, type Agenda } from './agenda.js'
import { BookGaps } from './book-gaps.js'
import { BlockedAmounts, PreTrade } from './risk/pre-trade.js'
import { ClientLogins, type Channels } from './client-logins.js'
import { ConditionTasks } from './condition-tasks.js'
import { FaultPlan } from './adapter/fault-plan.js'
import { checkFees } from './accounts/fees.js'
import { NO_MONEY_DECLARED } from './accounts/world-money.js'
import { takeGrid, type TradedInstrument } from './matching/order-engine.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import { OrderIds } from './matching/order-ids.js'
import { PositionLimits } from './matching/position-limits.js'
import { OrderMoney } from './executions.js'
import { FundingAndMargin } from './funding-and-margin.js'
import { ExchangeOrders } from './exchange-orders.js'
import { InstrumentMaker } from './instrument-maker.js'
import { MoneyTasks } from './money-tasks.js'
import { OrderGateway } from './order-gateway.js'
import { OrderUpdates } from './order-updates.js'
import { Outbox, UNSENT } from './outbox.js'
import { TradedInstruments } from './traded-instruments.js'
import { OpenOrders } from './open-orders.js'
import { OrderAtExchange } from '../orders/order-at-exchange.js'
import { OrderTable } from '../orders/order-table.js'
import { RowStore } from '../rows/row-store.js'
import { Liquidation } from './risk/liquidation.js'
import { Settlement } from './risk/settlement.js'
import { underlyingCode } from './risk/underlying-code.js'
import type { WorldConfig, WorldHalt, WorldObserver, WorldState } from './world-config.js'
import type { WorldMessage } from './world-message.js'
import type { InternalTask } from './risk/exchange-task.js'

/**
 * One run instance over a shared market: accounts, their orders, what they took, their clients' channels. A world never
 * sees another one. It moves only when the loop plays one of its requests or responses, or when the market it rests in
 * plays an item.
 */
export class World {
  readonly number: number
  readonly accounts: ReadonlyMap<string, Account>
  readonly orders: ExchangeOrders
  readonly money: FundingAndMargin
  readonly preTrade: PreTrade
  readonly settlement: Settlement
  readonly actions: ActionTasks
  /** Set once its data have ended (exchange rules 1.6): the loop plays nothing more of it. */
  hasEnded = false
  readonly faults: FaultPlan
  readonly news: AccountNews
  readonly #agenda: WorldAgenda
  readonly #outbox: Outbox
  readonly #blocked: BlockedAmounts
  readonly #adapters: ReadonlyMap<string, AdapterOrderIndex>
  readonly #notices: AdapterNotices
  readonly #traded: TradedInstruments
  readonly #logins: ClientLogins
  readonly #ids: OrderIds
  readonly #open: OpenOrders
  readonly #conditions: ConditionTasks
  readonly #gateway: OrderGateway
  readonly #moneyTasks: MoneyTasks
  readonly #gaps: BookGaps
  readonly #instruments: InstrumentMaker

  /** Makes the parts from the inner to the outer: each gets those before it, and none gets the world. */
  constructor(
    readonly config: WorldConfig,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    passAgenda: Agenda<WorldMessage>,
    readonly observer: WorldObserver,
  ) {
    this.number = config.number
    const accounts = (this.accounts = new Map(config.accounts.map((one) => [one.accountId, new Account(one)])))
    const table = config.orders ?? new OrderTable(new RowStore(false))
    const adapters = (this.#adapters = new Map(
      config.accounts.map((one) => [one.accountId, new AdapterOrderIndex(one, config.instruments, table)]),
    ))
    const faults = (this.faults = new FaultPlan(config.faults ?? [], config.assumptions.seed))
    const gates: Map<string, AdapterGate> = new Map()
    for (const [id, { profile }] of adapters) gates.set(id, new AdapterGate(id, profile, faults))
    const channels: Channels = new Map()
    const agenda = (this.#agenda = new WorldAgenda(passAgenda, config.number))
    const outbox = (this.#outbox = new Outbox(channels))
    const notices = (this.#notices = new AdapterNotices(gates, channels, agenda))
    const traded = (this.#traded = new TradedInstruments())
    const [open, limits] = [new OpenOrders(table), new PositionLimits()]
    this.#open = open
    const ids = (this.#ids = new OrderIds(config.assumptions.seed))

    const money = (this.money = new FundingAndMargin(config, accounts, markets, agenda, observer))
    const { priceOf } = money
    const preTrade = (this.preTrade = new PreTrade(priceOf, traded, open, config.underlyings))
    const blocked = (this.#blocked = new BlockedAmounts(preTrade, config.instruments))
    const news = (this.news = new AccountNews(config, accounts, priceOf, blocked, outbox))
    const orderMoney = new OrderMoney(accounts, preTrade, money.loans, news)
    const updates = new OrderUpdates(adapters, observer, outbox, open, limits, orderMoney)
    const rules = config.assumptions
    const conditions = new ConditionTasks(rules, accounts, traded, open, limits, preTrade, updates)
    this.#conditions = conditions
    const parts = {
      config, accounts, markets, adapters, gates, faults, channels, agenda, outbox, notices, observer, traded, open,
      table,
      limits, ids, money, preTrade, news, orderMoney, updates, conditions,
    }
    const orders = (this.orders = new ExchangeOrders(parts))
    const { instruments, money: declared = NO_MONEY_DECLARED } = config
    const settlement = new Settlement(accounts, instruments, declared, markets, money.mids, orders, observer)
    this.settlement = settlement
    const liquidation = new Liquidation(instruments, priceOf, open, orders, preTrade, observer)
    this.#moneyTasks = new MoneyTasks(
      config, accounts, markets, agenda, channels, observer, money, news, orders, settlement, liquidation,
    )
    this.actions = new ActionTasks(config, accounts, agenda, observer, orders, money, outbox, news, traded)
    const logins = (this.#logins = new ClientLogins(parts))
    const gateway = (this.#gateway = new OrderGateway({ ...parts, orders, logins }, ids))
    const gaps = (this.#gaps = new BookGaps(rules.gaps, observer, news, orders, gateway, traded))
    this.#instruments = new InstrumentMaker(config, markets, agenda, traded, orders, gaps)
  }

  /** True once nothing more can happen: a gap or the end of its data has ended it. */
  get isOver(): boolean {
    return this.#traded.isStopped
  }

  /** Set when a gap ended this world (gap policy `halt`): the loop plays nothing more of it. */
  get halt(): WorldHalt | null {
    return this.#gaps.halt
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
    if (isFirst) this.actions.begin(nowNs())
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
    return this.#instruments.of(instrumentId)
  }

  /** Puts a message on its way. */
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void {
    this.#agenda.send(timeNs, phase, instrumentId, message)
  }

  /** The code of an underlying, for sentences. */
  codeOf(underlyingId: number): string {
    return underlyingCode(this.config.underlyings, underlyingId)
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
      case 'response': return this.#logins.addressee(message.to)?.receive(timeNs, message.message, message.origin)
      case 'notice': return this.#logins.addressee(message.to)?.deliver(timeNs, message.message, message.origin)
      case 'stop': return this.observer.stopped?.(message.clientId, timeNs, message.reason)
      case 'status': return this.#notices.statusChanged(message.accountId, timeNs, message.text)
      case 'window': return this.#notices.windowEnded(message.accountId, timeNs)
      case 'late': return this.#publishLate(message, timeNs)
    }
  }

  #request(timeNs: number, { from, request, origin }: Extract<WorldMessage, { readonly way: 'request' }>): void {
    const channel = this.#logins.sender(from)
    const account = this.accounts.get(from.accountId)
    if (channel === undefined || account === undefined) return
    if (request.kind === 'place') {
      for (const { instrumentId } of request.entries) this.#instruments.of(instrumentId)
      if (this.#gaps.haltsAt(request.entries, timeNs)) return
    }
    if (!this.#blocked.blocks(account)) return this.#gateway.handle(channel, timeNs, request, origin)
    this.news.sendChangedWallets([account], timeNs, () => { this.#gateway.handle(channel, timeNs, request, origin) })
  }

  #perform(timeNs: number, task: InternalTask): void {
    switch (task.kind) {
      case 'conditions': return this.#conditions.perform(task.instrumentId, timeNs)
      case 'funding': return this.#moneyTasks.fund(task.instrumentId, timeNs)
      case 'judge': return this.#moneyTasks.judge(task.accountId, timeNs)
      case 'interest': return this.#moneyTasks.accrue(task.accountId, timeNs)
      case 'expiry': return this.#moneyTasks.settle(task.instrumentId, timeNs)
      case 'corporateAction': return this.actions.perform(task.number, timeNs)
    }
  }

  #publishLate(
    { accountId, instrumentId, fill, row }: Extract<WorldMessage, { readonly way: 'late' }>, timeNs: number,
  ): void {
    const now = this.#adapters.get(accountId)?.withContext(fill) ?? fill
    const message = { kind: 'fill', fills: [now], adapterTimeNs: UNSENT } as const
    this.#outbox.publish(accountId, timeNs, instrumentId, message, { rows: [row], sentNs: NaN })
  }

  /**
   * The directory has other terms of an instrument from this midnight on: open orders off the grid are cancelled, new
   * ones are judged by it (exchange rules 1.7).
   */
  termsChanged(instrumentId: number, timeNs: number): void {
    const traded = this.#traded.of(instrumentId)
    if (this.isOver || traded === null) return
    this.news.sendAllChangedWallets(timeNs, () => { takeGrid(traded, this.orders, timeNs) })
  }

  /** The world as plain data; what it has on its way lies in the agenda. */
  state(): WorldState {
    return {
      sequence: this.#agenda.sequence,
      orders: this.#open.table.state(),
      halt: this.halt,
      hasEnded: this.hasEnded,
      accounts: [...this.accounts].map(([accountId, account]) => [accountId, account.state()]),
      adapters: [...this.#adapters].map(([accountId, adapter]) => [accountId, adapter.state()]),
      gates: this.#notices.state(),
      handler: { open: this.#open.state(), ids: this.#ids.state(), held: this.#gateway.state() },
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
    this.#open.table.restore(state.orders)
    this.#gaps.halt = state.halt
    this.hasEnded = state.hasEnded
    for (const [accountId, sums] of state.accounts) this.accounts.get(accountId)?.restore(sums, this.config.instruments)
    for (const [accountId, sent] of state.adapters) this.#adapters.get(accountId)?.restore(sent)
    this.#notices.restore(state.gates)
    this.#logins.restore(state.channels)
    for (const { row, rare, ...identity } of state.handler.open) {
      const traded = this.#instruments.of(identity.instrumentId)
      if (traded !== null) this.orders.restore(new OrderAtExchange(this.#open.table, row, traded, identity, rare))
    }
    this.#instruments.restore(state.instruments, [...this.orders.openOrders()])
    this.#ids.restore(state.handler.ids)
    this.#gateway.restore(state.handler.held)
    this.money.restore(state.money)
    if (state.halt !== null || state.hasEnded) this.#traded.stop()
  }
}
