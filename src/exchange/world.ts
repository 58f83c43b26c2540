import type { OrderError } from '../model/order.js'
import type { InstrumentEntry, OrderEntry, OrderEntryListener } from '../venue/venue.js'
import { Account } from './accounts/account.js'
import { AccountStatements } from './accounts/account-statements.js'
import { performAction, type StopHost } from './action-tasks.js'
import { adapterCapabilities } from './adapter/adapter-checks.js'
import { AdapterGate } from './adapter/adapter-gate.js'
import { AdapterNotices } from './adapter-notices.js'
import { AdapterOrderIndex } from './adapter/adapter-order-index.js'
import type { Agenda } from './agenda.js'
import { BlockedAmounts, PreTrade } from './risk/pre-trade.js'
import type { ClientChannel } from './client-channel.js'
import { ClientLogins } from './client-logins.js'
import {
  PROMPT_MESSAGES, sendExecution, messagePolicyOf, timedMessage, walletUpdate, type ExecutionNews, type MessagePolicy,
  type UntimedMessage,
} from './fill-messages.js'
import { FaultPlan } from './adapter/fault-plan.js'
import { checkFees } from './accounts/fees.js'
import { GENERIC_PROFILE } from './profile/venue-profile.js'
import { takeGrid, type TradedInstrument } from './matching/order-engine.js'
import type { RestingOrdersHost } from './matching/assumptions.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import { FundingAndMargin } from './funding-and-margin.js'
import type { UnknownBookPeriod } from './market/price-watch.js'
import { OrderGateway } from './order-gateway.js'
import { exchangeError, type ExchangeOrderRecord, type ExecutionCause } from './market/resting-order.js'
import { TradedInstruments } from './traded-instruments.js'
import type { Addressee, WorldConfig, WorldHalt, WorldMessage, WorldObserver, WorldState } from './world-config.js'
import type { ClientMessage, OrderRequest } from '../venue/order-messages.js'
import type { InternalTask } from './risk/exchange-task.js'
import { keptValue } from '../model/kept-value.js'

const EXCHANGE_INTERNAL = 2
const SIGHT_LOST = exchangeError(
  'MARKET_DATA_GAP', 'cancelled, as the book is unknown since a gap (gap policy cancelAndWait)',
)

/** Performs a task of each kind. */
const TASKS: {
  readonly [Kind in InternalTask['kind']]: (
    world: World, timeNs: number, task: Extract<InternalTask, { readonly kind: Kind }>,
  ) => void
} = {
  conditions: (world, timeNs, { instrumentId }) => world.handler.performConditions(instrumentId, timeNs),
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
  readonly handler: OrderGateway
  readonly money: FundingAndMargin
  readonly preTrade: PreTrade
  readonly #blocked: BlockedAmounts
  /** Set when a gap ended this world (gap policy `halt`): the loop plays nothing more of it. */
  halt: WorldHalt | null = null
  /** Set once its data have ended (exchange rules 1.6): the loop plays nothing more of it. */
  hasEnded = false
  readonly #statements: Map<Account, AccountStatements> = new Map()
  readonly #adapters: ReadonlyMap<string, AdapterOrderIndex>
  readonly #gates: ReadonlyMap<string, AdapterGate>
  readonly #notices: AdapterNotices
  readonly #messagePolicies: ReadonlyMap<string, MessagePolicy>
  readonly faults: FaultPlan
  /** Corporate actions: those of the plan, then those that were asked for. */
  readonly actions: NonNullable<WorldConfig['corporateActions']>[number][]
  readonly #traded: TradedInstruments
  readonly #logins: ClientLogins
  #sequence = 0

  constructor(
    readonly config: WorldConfig,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    private readonly agenda: Agenda<WorldMessage>,
    readonly observer: WorldObserver,
  ) {
    this.number = config.number
    this.accounts = new Map(config.accounts.map((account) => [account.accountId, new Account(account)]))
    this.#adapters = new Map(
      config.accounts.map((account) => [account.accountId, new AdapterOrderIndex(account, config.instruments)]),
    )
    this.faults = new FaultPlan(config.faults ?? [], config.assumptions.seed)
    this.actions = [...(config.corporateActions ?? [])]
    const adapters = [...this.#adapters]
    this.#gates = new Map(
      adapters.map(([accountId, { profile }]) => [accountId, new AdapterGate(accountId, profile, this.faults)]),
    )
    this.#messagePolicies = new Map(
      adapters.map(([accountId, { profile }]) => [accountId, messagePolicyOf(profile.messages)]),
    )
    this.#logins = new ClientLogins({
      world: this, accounts: this.accounts, adapters: this.#adapters, gates: this.#gates, observer,
    })
    this.#notices = new AdapterNotices({
      gates: this.#gates, channels: this.#logins.channels, send: (...message) => { this.send(...message) },
    })
    this.#traded = new TradedInstruments({ config, markets, host: this })
    this.money = new FundingAndMargin(this)
    this.preTrade = new PreTrade({
      priceOf: this.money.priceOf, codeOf: (id) => this.codeOf(id), openOrders: () => this.handler.openOrders(),
      traded: (id) => this.traded(id),
    })
    this.#blocked = new BlockedAmounts(this.preTrade, config.instruments)
    this.handler = new OrderGateway(this)
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
    const isFirst = channels.size === 0 && this.#sequence === 0
    const isFirstOfAccount = !channels.has(accountId)
    const account = this.accounts.get(accountId)
    for (const { instrument } of this.config.instruments.entries) {
      if (instrument.exchangeCode === account?.config.exchangeCode && this.markets.has(instrument.id))
        checkFees(accountId, account.config.fees, instrument, this.config.underlyings)
    }
    const channel = this.#logins.open(clientId, accountId, listener, nowNs, this.#sequence)
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

  /** The channel of a client that has logged in to an account; a mute one where it has left, or that login of it. */
  requester(accountId: string, clientId: string, login?: Addressee): ClientChannel | undefined {
    return this.#logins.requester(accountId, clientId, login)
  }

  /** Instrument of an order that an account's adapter was asked for; 0 where it knows none. */
  instrumentOf(accountId: string, ownOrderId: string): number {
    return this.#adapters.get(accountId)?.instrumentOf(ownOrderId) ?? 0
  }

  /** An order is over: its adapter need not know it much longer. */
  ended(accountId: string, ownOrderId: string): void {
    this.#adapters.get(accountId)?.ended(ownOrderId)
  }

  feedLatencyNs(instrumentId: number, way: 'request' | 'response'): number {
    if (way === 'request') return this.config.receivedLatencyNs?.(instrumentId) ?? 0
    return this.markets.get(instrumentId)?.feedLatencyNs ?? 0
  }

  /** Puts a request or an answer on its way. */
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void {
    this.agenda.put({ timeNs, phase, instrumentId, worldNumber: this.number, sequence: this.#sequence++, message })
  }

  /**
   * Puts a task of the exchange on the agenda: it is done after the feed and the requests of its instant (exchange
   * rules 1.3).
   */
  plan(timeNs: number, instrumentId: number, task: InternalTask): void {
    this.send(timeNs, EXCHANGE_INTERNAL, instrumentId, { way: 'internal', task })
  }

  /** Sends an event to every client of an account, each with its own response latency. */
  publish(
    accountId: string, exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage,
  ): void {
    for (const channel of this.#logins.of(accountId)) channel.answer(exchangeTimeNs, instrumentId, message)
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

  /** States an account's positions and wallets. */
  statementsOf(account: Account): AccountStatements {
    return keptValue(this.#statements, account, () => new AccountStatements(account, {
      capabilities: adapterCapabilities(account.config.profile ?? GENERIC_PROFILE), priceOf: this.money.priceOf,
      usdRateOf: (id) => this.config.money?.usdRates.get(id)?.usd,
      codeOf: (id) => this.config.underlyings.get(id)?.code,
      blockedByOrders: (underlyingId) => this.#blocked.of(account, underlyingId),
      stating: () => { this.#blocked.stating(account) },
    }))
  }

  sendPosition(account: Account, entry: InstrumentEntry, timeNs: number): void {
    const position = this.statementsOf(account).position(entry, timeNs)
    this.publish(account.config.accountId, timeNs, entry.instrument.id, (adapterTimeNs) => ({
      kind: 'positionUpdate', ...position, adapterTimeNs,
    }))
  }

  sendWallets(accountId: string, timeNs: number, instrumentId: number): void {
    const account = this.accounts.get(accountId)
    if (account === undefined) return
    const statement = this.statementsOf(account).walletStatement(timeNs)
    this.publish(accountId, timeNs, instrumentId, (adapterTimeNs) => walletUpdate(statement, adapterTimeNs))
  }

  /** Plays what the agenda says is due: a request at the exchange, a task of it, or an answer at its client. */
  play(timeNs: number, message: WorldMessage): void {
    if (this.isOver) return
    switch (message.way) {
      case 'internal':
        return this.sendChangedWallets([...this.accounts.values()], timeNs, () => {
          this.#perform(timeNs, message.task)
        })
      case 'request': {
        const channel = this.requester(message.accountId, message.clientId, message)
        const account = this.accounts.get(message.accountId)
        if (channel === undefined || account === undefined || this.#haltsAtGap(timeNs, message.request)) return
        return this.sendChangedWallets([account], timeNs, () => {
          this.handler.handle(channel, timeNs, message.request)
        })
      }
      case 'response': return this.#logins.addressee(message)?.receive(timeNs, message.message)
      case 'notice': return this.#logins.addressee(message)?.deliver(timeNs, message.message)
      case 'stop': return this.observer.stopped?.(message.clientId, timeNs, message.reason)
      case 'status': return this.#notices.statusChanged(message.accountId, timeNs)
      case 'window': return this.#notices.windowEnded(message.accountId, timeNs)
      case 'late': return this.#publishLate(message, timeNs)
    }
  }

  #perform(timeNs: number, task: InternalTask): void {
    const perform = TASKS[task.kind] as (world: World, timeNs: number, task: InternalTask) => void
    perform(this, timeNs, task)
  }

  /**
   * Does something to orders of accounts; sends the wallets of those that stated other amounts last than are blocked
   * after it (spec 2: any wallet balance changes).
   */
  sendChangedWallets(accounts: readonly Account[], timeNs: number, change: () => void): void {
    for (const account of this.#blocked.changed(accounts, change)) this.sendWallets(account.config.accountId, timeNs, 0)
  }

  /** Why a replacement is not placed though its order was cancelled (fault plan), or null. */
  replaceFault(accountId: string, timeNs: number): OrderError | null {
    return this.faults.replaceError(accountId, timeNs)
  }

  /** Says what an execution did, as the profile of its account and the faults have it. */
  sendExecution(
    { accountId, instrumentId }: ExchangeOrderRecord, news: ExecutionNews, timeNs: number,
    tell: (message: UntimedMessage) => void,
  ): void {
    const messagePolicy = this.#messagePolicies.get(accountId) ?? PROMPT_MESSAGES
    const delay = this.faults.active('fills', accountId, timeNs)?.delayNs ?? 0
    this.#adapters.get(accountId)?.filled(news.fill.ownFillId)
    sendExecution(
      news,
      delay === 0 ? messagePolicy : { ...messagePolicy, fillDelayNs: delay },
      tell,
      (delayNs, message) => {
        this.send(timeNs + delayNs, EXCHANGE_INTERNAL, instrumentId, { way: 'late', accountId, instrumentId, message })
      },
    )
  }

  loadsChanged(accountId: string, timeNs: number, instrumentId: number): void {
    this.#notices.loadsChanged(accountId, timeNs, instrumentId)
  }

  #planActions(nowNs: number): void {
    for (const [number, { timeNs, action }] of (this.config.corporateActions ?? []).entries()) {
      if (timeNs >= nowNs) this.plan(timeNs, action.instrumentId, { kind: 'corporateAction', number })
    }
  }

  #publishLate(
    { accountId, instrumentId, message }: Extract<WorldMessage, { readonly way: 'late' }>, timeNs: number,
  ): void {
    const adapter = this.#adapters.get(accountId)
    const now =
      message.kind === 'fill' && adapter !== undefined
        ? { ...message, fills: message.fills.map((fill) => adapter.withContext(fill)) }
        : message
    this.publish(accountId, timeNs, instrumentId, (adapterTimeNs) => timedMessage(now, adapterTimeNs))
  }

  execute(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void {
    this.observer.executed?.(order, price, quantity, timeNs, cause)
    this.handler.execute(order, price, quantity, timeNs, cause)
  }

  bookLost(instrumentId: number, period: UnknownBookPeriod, isMet = false): void {
    if (this.isOver) return
    const { gaps } = this.config.assumptions
    this.observer.bookLost?.(instrumentId, period, isMet)
    if (gaps === 'cancelAndWait') {
      this.sendChangedWallets([...this.accounts.values()], period.detectedNs, () => {
        this.handler.cancelWhere((order) => order.instrumentId === instrumentId, period.detectedNs, SIGHT_LOST)
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
    this.sendChangedWallets([...this.accounts.values()], timeNs, () => { this.handler.resume(instrumentId, timeNs) })
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
    this.sendChangedWallets([...this.accounts.values()], timeNs, () => { takeGrid(traded, this.handler, timeNs) })
  }

  /** The world as plain data; what it has on its way lies in the agenda. */
  state(): WorldState {
    return {
      sequence: this.#sequence,
      halt: this.halt,
      hasEnded: this.hasEnded,
      accounts: [...this.accounts].map(([accountId, account]) => [accountId, account.state()]),
      adapters: [...this.#adapters].map(([accountId, adapter]) => [accountId, adapter.state()]),
      gates: this.#notices.state(),
      handler: this.handler.state(),
      money: this.money.state(),
      channels: this.#logins.state(),
      instruments: this.#traded.state(),
    }
  }

  /**
   * Takes a state back. Its clients have connected again, its markets stand at their scales, and are restored after it.
   */
  restore(state: WorldState): void {
    this.#sequence = state.sequence
    this.halt = state.halt
    this.hasEnded = state.hasEnded
    for (const [accountId, sums] of state.accounts) this.accounts.get(accountId)?.restore(sums, this.config.instruments)
    for (const [accountId, sent] of state.adapters) this.#adapters.get(accountId)?.restore(sent)
    this.#notices.restore(state.gates)
    this.#logins.restore(state.channels)
    this.handler.restore(state.handler)
    this.money.restore(state.money)
    this.#traded.restore(state.instruments, (accountId, ownOrderId) => this.handler.orderOf(accountId, ownOrderId))
    if (this.isOver) this.#traded.stop()
  }
}
