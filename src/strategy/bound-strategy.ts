import type { Indicator } from '../measures/indicators/indicator.js'
import type { Decimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { Id } from '../model/id.js'
import { isoFromTime } from '../model/time.js'
import type { EntryError } from '../model/order.js'
import type { Clock, MarketDataState, OrderEntry, Topics, Venue } from '../venue/venue.js'
import { equityOf } from './account-equity.js'
import { savedWallets, takeState, takeWallets, type Account } from './account.js'
import { nearCallbacks } from './callback-names.js'
import { CallbackGuard, type CallbackWatch } from './callback-guard.js'
import type { DataInstrument } from './data-instrument.js'
import { DynamicInstruments, type DynamicHost } from './dynamic-instruments.js'
import type { EntryStateRules } from './entry-state-watch.js'
import { InstrumentRegistry, type StrategyAccount } from './instrument-registry.js'
import {
  MarketCallbacks, marketCallbackUse, StrategySignals, topicsOf, type MarketCallbackUse,
} from './market-callbacks.js'
import { OrderRequests, type OrderRequestsHost } from './order-requests.js'
import { OrderEntryCallbacks } from './order-entry-callbacks.js'
import { OrderMessages } from './order-messages.js'
import { DISCARD_REASONS, type DiscardReason } from './order-params.js'
import { recordOf, type Order } from './order.js'
import { foundText } from '../model/fault.js'
import { readParameters } from './parameter-values.js'
import { instrumentState, restoreInstrument, type RuntimeState } from './runtime-state.js'
import { StrategyMemory } from './strategy-memory.js'
import { StrategyBars } from './strategy-bars.js'
import { StrategyChannels } from './strategy-channels.js'
import type { StrategySink } from './strategy-sink.js'
import { StrategyTimers } from './strategy-timers.js'
import { StrategyWarmUp } from './strategy-warm-up.js'
import type { WarmUp } from './warm-up.js'
import { bindStrategy, type Strategy, type StrategyHost } from './strategy.js'
import { StrategyTactics, type KeptTactics } from './strategy-tactics.js'
import { TradingInstrument } from './trading-instrument.js'

/** An order that is not over, as its strategy knows it. */
export interface OpenOrder {
  /** Id of its account. */
  readonly accountId: string
  /** Its id from the client. */
  readonly ownOrderId: Id
}

/** The parts that a strategy is bound to. */
export interface BindingOptions {
  readonly venue: Venue
  readonly clientId: string
  readonly origin?: string
  readonly accounts: readonly StrategyAccount[]
  readonly sink?: StrategySink
  readonly shuffleSeed?: number | null
  readonly entryStates?: EntryStateRules
  readonly tactics?: KeptTactics
  readonly callbacks?: CallbackWatch
}

interface AccountSession {
  readonly entry: OrderEntry
  readonly callbacks: OrderEntryCallbacks
}

/** A strategy tied to a venue: the rooms of the runtime put together, and what the strategy asks of it. */
export class BoundStrategy implements StrategyHost, OrderRequestsHost, DynamicHost {
  readonly venue: Venue
  readonly clock: Clock
  readonly guard: CallbackGuard
  isResuming = false
  instrumentIds: readonly number[] = []
  readonly requests: OrderRequests
  readonly registry: InstrumentRegistry
  readonly #messages: OrderMessages
  readonly timers: StrategyTimers
  readonly #sessions: Map<string, AccountSession> = new Map()
  readonly use: MarketCallbackUse
  readonly dynamic: DynamicInstruments
  readonly #market: MarketCallbacks[] = []
  readonly bars: StrategyBars
  readonly channels: StrategyChannels
  readonly #past: StrategyWarmUp
  readonly #memory: StrategyMemory
  readonly tactics: StrategyTactics
  /** Reasons for which an order was discarded: the first of each is a warning. */
  readonly #discardReasons: Set<DiscardReason> = new Set()

  /** `made` are the indicators that the strategy's constructor has made. */
  constructor(readonly strategy: Strategy, private readonly options: BindingOptions, made: readonly Indicator[]) {
    this.venue = options.venue
    this.clock = options.venue.clock
    this.guard = new CallbackGuard(
      strategy, this.clock, (reason) => options.sink?.stopped?.(reason), options.origin, options.callbacks ?? null,
    )
    this.#memory = new StrategyMemory(strategy, this.guard, made)
    this.#messages = new OrderMessages(options.shuffleSeed ?? null, this.guard)
    this.requests = new OrderRequests(this)
    this.registry = new InstrumentRegistry(options.venue, options.accounts, this.requests)
    this.timers = new StrategyTimers(options.clientId, this.clock, this.guard, this.flush)
    this.bars = new StrategyBars({
      strategy, venue: options.venue, guard: this.guard, timers: this.timers, flush: this.flush,
      isResuming: () => this.isResuming,
    })
    this.channels = new StrategyChannels({
      strategy, guard: this.guard, source: options.venue.channels, flush: this.flush,
      isResuming: () => this.isResuming,
    })
    this.tactics = new StrategyTactics({
      strategy, venue: options.venue, guard: this.guard, timers: this.timers, tracker: this.requests.tracker,
      kept: options.tactics, flush: this.flush, isResuming: () => this.isResuming,
      entryOf: (account) => this.entryOf(account),
      apartOf: ({ id }) => this.#sessions.get(id)?.callbacks.watch.apart() ?? [],
      instrumentOf: (instrumentId, accountId) => this.registry.find(instrumentId, accountId),
    })
    this.use = marketCallbackUse(strategy)
    this.#past = new StrategyWarmUp(this.bars, () => (this.use.trades ? this.#market : []))
    this.dynamic = new DynamicInstruments(this, this.clock, options.clientId)
    bindStrategy(strategy, this)
  }

  get tradingIds(): readonly number[] {
    return [...new Set(this.registry.tradingInstruments.map(({ id }) => id))].sort((a, b) => a - b)
  }

  get openOrders(): readonly OpenOrder[] {
    return this.registry.tradingInstruments.flatMap(({ account, openOrders }) => (
      openOrders.map((order) => ({ accountId: account.id, ownOrderId: recordOf(order).ownOrderId }))))
  }

  get isOver(): boolean {
    return this.guard.isOver
  }

  get isWarmingUp(): boolean {
    return this.#past.isOn
  }

  get warmUp(): WarmUp | null {
    return this.isOver || this.#past.requests.length === 0 ? null : this.#past
  }

  get stopReason(): string | null {
    return this.guard.stopReason
  }

  /** Reads the parameters, logs in, calls `onStart`, subscribes. */
  start(parameters: unknown, resume: RuntimeState | null): void {
    const { strategy, guard, venue } = this
    readParameters(strategy, parameters, this.registry)
    this.instrumentIds = [...new Set(this.registry.instruments.map(({ id }) => id))].sort((a, b) => a - b)
    for (const account of this.registry.accounts) this.#logIn(account, resume !== null)
    this.registry.closeAccounts()
    for (const instrument of this.registry.instruments)
      this.#market.push(new MarketCallbacks(instrument, strategy, guard, this.use, this.flush))
    const own = [...this.#market]
    if (resume === null) {
      this.#warnOfNames()
      this.#memory.start()
    } else this.#resume(resume)
    if (guard.isOver) return
    this.bars.begin()
    this.tactics.begin()
    const sink = resume === null ? this.options.sink : undefined
    new StrategySignals(strategy, guard, this.flush).begin(venue, sink)
    this.channels.begin(sink)
    const topics = topicsOf(this.use)
    if (topics !== null) for (const callbacks of own) venue.subscribe(callbacks.instrument.id, topics, callbacks)
    this.dynamic.begin()
    this.bars.beginLate()
    this.tactics.beginLate()
  }

  get topics(): Topics {
    return topicsOf(this.use) ?? {}
  }

  listen(instrument: DataInstrument): MarketCallbacks {
    const callbacks = new MarketCallbacks(instrument, this.strategy, this.guard, this.use, this.flush)
    this.#market.push(callbacks)
    if (instrument instanceof TradingInstrument) this.#sessions.get(instrument.account.id)?.callbacks.adopt(instrument)
    return callbacks
  }

  record(instrumentId: number, state: MarketDataState, text: string): void {
    this.options.sink?.marketState?.(instrumentId, state, text)
  }

  stop(reason: string): void {
    this.guard.end(reason)
  }

  clockRestored(): void {
    if (!this.guard.isOver) this.timers.clockRestored()
  }

  requestStop(reason: string): void {
    checkText(reason, 'stop for')
    this.guard.stop(reason)
  }

  log(text: string): void {
    checkText(text, 'log')
    if (!this.isResuming) this.options.sink?.log(text)
  }

  entryOf(account: Account): OrderEntry {
    const session = this.#sessions.get(account.id)
    if (session === undefined) throw new Error(`Account ${account.id} is not logged in`)
    return session.entry
  }

  equityOf(account: Account): Decimal | null {
    const session = this.#sessions.get(account.id)
    return equityOf(account, {
      instruments: this.registry.tradingInstruments.filter((instrument) => instrument.account === account),
      positions: session?.callbacks.positions ?? null, termsOf: (id) => session?.entry.openingTerms?.(id),
    })?.toDecimal() ?? null
  }

  refuseLater(order: Order, error: EntryError): void {
    const accountId = this.requests.tracker.find(order).instrument.account.id
    this.#messages.add({ kind: 'error', accountId, ownOrderId: recordOf(order).ownOrderId, error })
    this.timers.wake()
  }

  discarded(order: Order, accountId: string): void {
    const { discardReason } = order
    if (this.isResuming || discardReason === 'WARMING_UP') return
    this.options.sink?.discarded?.(order, accountId)
    if (discardReason === null || this.#discardReasons.has(discardReason)) return
    this.#discardReasons.add(discardReason)
    const at = isoFromTime(this.clock.nowNs(), this.clock.epochDay)
    this.options.sink?.warned?.(
      `the order ${order.ownOrderId} was discarded at ${at}: ${discardReason}, ${DISCARD_REASONS[discardReason]}`,
    )
  }

  unsavedFields(): readonly string[] {
    return this.#memory.unsavedFields()
  }

  state(): RuntimeState {
    return {
      isOver: this.isOver,
      stopReason: this.stopReason,
      orders: this.requests.tracker.state(),
      messages: this.#messages.state(),
      timers: this.timers.state(),
      instruments: this.#market.map(instrumentState),
      accounts: this.registry.accounts.map((account) => {
        const { id, state } = account
        const callbacks = this.#sessions.get(id)?.callbacks
        const splits = callbacks?.openSplits() ?? []
        return {
          accountId: id, state, wallets: savedWallets(account), watch: callbacks?.watch.state() ?? null,
          positions: callbacks?.positions.state() ?? null,
          ...(splits.length === 0 ? {} : { splits }),
        }
      }),
      dynamic: this.dynamic.state(),
      discardReasons: [...this.#discardReasons],
      bars: this.bars.state(),
      tactics: this.tactics.state(),
      channels: this.channels.state(),
      ...this.#memory.state(),
    }
  }

  readonly #isSpot = (instrumentId: number): boolean =>
    this.registry.tradingInstruments.some(({ id, isSpot }) => id === instrumentId && isSpot)

  /** Calls back for everything that waits. */
  readonly flush = (): void => {
    if (!this.guard.hasNews) return
    this.dynamic.flush()
    this.#sendMessages()
  }

  /** Calls back for messages that wait, in the order in which they came or a shuffled one. */
  readonly #sendMessages = (): void => {
    const messages = this.#messages
    if (!this.guard.hasNews) return
    while (!messages.isEmpty) {
      const message = messages.take(this.#isSpot)
      if (message !== undefined) this.#sessions.get(message.accountId)?.callbacks.tell(message)
    }
    this.guard.hasNews = this.dynamic.isWaiting
  }

  #logIn(account: Account, isResuming: boolean): void {
    const { strategy, guard } = this
    const instruments = this.registry.tradingInstruments.filter((instrument) => instrument.account === account)
    const { tracker } = this.requests
    const { clientId, entryStates = {} } = this.options
    const callbacks = new OrderEntryCallbacks(account, {
      strategy,
      guard,
      tracker,
      messages: this.#messages,
      tactics: this.tactics,
      instruments,
      flush: this.flush,
      sendMessages: this.#sendMessages,
      wake: () => { this.timers.wake() },
      clientId,
      clock: this.clock,
      rules: entryStates,
    })
    const entry = this.venue.orderEntry(account.id, callbacks)
    this.#sessions.set(account.id, { entry, callbacks })
    callbacks.begin(entry.initial, isResuming)
  }

  #resume(saved: RuntimeState): void {
    const { guard } = this
    this.dynamic.restore(saved.dynamic)
    for (const reason of saved.discardReasons) this.#discardReasons.add(reason)
    for (const { accountId, state, wallets, watch, positions, splits = [] } of saved.accounts) {
      const account = this.registry.accounts.find(({ id }) => id === accountId)
      if (account === undefined) continue
      takeState(account, state)
      takeWallets(account, wallets)
      if (watch !== null) this.#sessions.get(accountId)?.callbacks.watch.restore(watch)
      if (positions !== null) this.#sessions.get(accountId)?.callbacks.positions.restore(positions)
      this.#sessions.get(accountId)?.callbacks.restoreSplits(splits)
    }
    for (const callbacks of this.#market) restoreInstrument(callbacks, saved.instruments)
    this.requests.tracker.restore(saved.orders, (instrumentId, accountId) =>
      this.registry.find(instrumentId, accountId),
    )
    this.#messages.restore(saved.messages)
    if (saved.isOver) {
      guard.isOver = true
      guard.stopReason = saved.stopReason
      return
    }
    this.isResuming = true
    this.timers.beginResume(saved.timers)
    this.#memory.start(saved.unsavedFields)
    this.#memory.restore(saved)
    this.bars.restore(saved.bars)
    this.tactics.restore(saved.tactics)
    this.channels.restore(saved.channels)
    this.timers.endResume()
    this.isResuming = false
    if (!this.#messages.isEmpty || this.dynamic.isWaiting) this.timers.wake()
  }

  /** A method that nobody calls looks like a callback that never comes. */
  #warnOfNames(): void {
    for (const [name, callback] of nearCallbacks(this.strategy)) {
      this.options.sink?.warned?.(
        `${this.guard.strategyName}.${name} is no callback, so the run never calls it: ${callback} is one`,
      )
    }
  }
}

/** Refuses a value that is no text, for the journal: anything else would lose its value there without a word. */
function checkText(value: unknown, verb: string): void {
  if (typeof value === 'string') return
  const found = foundText(value)
  throw new BacktapeError('OPTION_INVALID', `Cannot ${verb} ${found}: it must be a text, as String(value) makes one`, {
    expected: 'a text', found,
  })
}
