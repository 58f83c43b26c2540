import { entryStateRules } from '../configuration/run-options.js'
import type { EventBatch } from '../model/event-batch.js'
import { epochNsFromTime, NS_PER_DAY, timeFromEpochNs } from '../model/time.js'
import type { OrderEntryClient } from '../order-entry/order-entry-client-options.js'
import type { FeedClient } from '../feed/feed-listener.js'
import type { FeedState } from '../protocol/feed-messages.js'
import type { Step, Stepped } from '../protocol/lock-step-messages.js'
import { SimulatedClock } from '../replay/simulated-clock.js'
import type { Journal } from '../results/journal.js'
import { RunJournal } from '../results/run-journal.js'
import { ClientVenue } from '../simulation/client-venue.js'
import { startStrategy, type StrategyRuntime } from '../strategy/runtime.js'
import { KEPT_TACTICS } from '../strategy/tactics/kept-tactics.js'
import { deliverMessage } from '../venue/message-delivery.js'
import { BEGAN_AGAIN } from '../venue/account-messages.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { InstrumentDirectory, OrderEntryListener, UnderlyingDirectory } from '../venue/venue.js'
import { LiveClock, type LivePace } from './live-clock-client.js'
import { LiveInstrument } from './live-instrument.js'
import type { LiveOptions } from './live-options.js'
import type { OpenOrders } from './open-orders.js'
import { WatchedOrderEntry } from './watched-order-entry.js'

/**
 * One thing that comes of a feed: a state event, a line, the end of its connection, a message of an instrument that
 * cannot be read, or an instrument that is subscribed again.
 */
export type FeedItem =
  | FeedState | { readonly batch: EventBatch; readonly index: number } | { readonly isLost: true }
  | { readonly unreadableId: number } | { readonly resubscribedId: number }

/** A feed of the run, and what of it waits for its step. */
export interface FeedInbox {
  readonly market: string
  client: FeedClient | null
  receivedCount: number
  readonly items: FeedItem[]
}

/** An account of the run, and what of it waits for its step. */
export interface AccountInbox {
  readonly accountId: string
  readonly exchangeCode: string | null
  client: OrderEntryClient | null
  listener: OrderEntryListener | null
  receivedCount: number
  readonly items: ClientMessage[]
  readonly openOrders: OpenOrders
  /** True from the end of its connection until the state at the next login. */
  isAway: boolean
  /** The step that its connection has been sent and that has not been played. */
  step: Step | null
  /** Called with messages that came when the run was over. */
  onFarewell?: (message: ClientMessage) => void
}

/** The parts of a run. */
export interface LiveRunParts {
  readonly options: LiveOptions
  readonly clientId: string
  readonly pace: LivePace
  readonly epochDay: number
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /** Called once: the run is over. */
  readonly onEnd: (reason: string, error: unknown) => void
}

/**
 * One strategy over the clients of feeds and adapters. Everything that is received waits in order: in lock-step until
 * the step that closes it, elsewhere for nothing. Lines come before messages, messages before timers, as in a backtest
 * (exchange rules 1.3).
 */
export class LiveRun {
  readonly clock: SimulatedClock
  readonly journal: Journal
  readonly feeds: FeedInbox[] = []
  readonly accounts: AccountInbox[] = []
  readonly messageCounts: Record<string, number> = {}
  stepCount = 0
  /** Messages of feeds that could not be read. */
  unreadableMessageCount = 0
  /** True: the run is over, and what it has left is cancelled. */
  isLeaving = false
  /** True: a replay that has ended has taken its orders with it. */
  isReplayOver = false
  readonly #instruments: Map<number, LiveInstrument> = new Map()
  readonly #records: RunJournal
  readonly #liveClock: LiveClock
  #runtime: StrategyRuntime | null = null
  #isOver = false
  /** The latest time that was received. */
  #heardNs = -Infinity
  #hasBegun = false
  /** Instruments whose first state has not come. */
  readonly #awaited: Set<number> = new Set()
  #onReady: () => void = () => {}
  /** Resolves when every instrument that is followed has had its first state. */
  readonly ready: Promise<void> = new Promise((resolve) => { this.#onReady = resolve })

  constructor(private readonly parts: LiveRunParts) {
    const { epochDay, options, instruments, pace } = parts
    this.clock = new SimulatedClock(epochDay, -Infinity)
    this.#records = new RunJournal(options.journal ?? null, instruments, epochDay)
    this.journal = this.#records.journal
    this.#liveClock = new LiveClock(this.clock, pace, () => { this.#guard(() => { this.#wake() }) })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Instruments that are followed from the begin. */
  follow(instrumentId: number): void {
    const entry = this.parts.instruments.get(instrumentId)
    if (entry === undefined) return
    this.#instruments.set(instrumentId, new LiveInstrument(entry, this.parts.epochDay))
    this.#awaited.add(instrumentId)
  }

  /** A time of the servers. */
  hear(timeNs: number): void {
    if (timeNs > this.#heardNs) this.#heardNs = timeNs
  }

  /** A line or a state event of a feed, or the end of its connection. */
  receiveFeed(inbox: FeedInbox, item: FeedItem): void {
    if ('unreadableId' in item) this.unreadableMessageCount++
    else if (!('isLost' in item || 'resubscribedId' in item)) inbox.receivedCount++
    if (this.#isOver) return
    inbox.items.push(item)
    if (!this.#hasBegun && 'state' in item) this.#noteReady(item)
    this.hear(timeOf(item, this.parts.epochDay))
    this.#guard(() => { this.#pump() })
  }

  #noteReady({ instrumentId, text }: FeedState): void {
    if (text !== '') this.parts.options.onNote?.(`Instrument ${instrumentId}: ${text}`)
    this.#awaited.delete(instrumentId)
    if (this.#awaited.size === 0) this.#onReady()
  }

  /** A message of an adapter. */
  receiveMessage(inbox: AccountInbox, message: ClientMessage): void {
    inbox.receivedCount++
    if (this.#isOver) {
      if (message.kind === 'accountStatus') inbox.openOrders.settle(message.state)
      else inbox.openOrders.note(message)
      inbox.onFarewell?.(message)
      return
    }
    const hasBegunAnew = message.kind === 'accountStatus' && (inbox.isAway || message.state.message === BEGAN_AGAIN)
    if (hasBegunAnew) {
      inbox.isAway = false
      const orders = inbox.openOrders.settle(message.state)
      const adapterTimeNs = this.clock.nowNs()
      if (orders.length > 0) inbox.items.push({ kind: 'orderUpdate', orders, adapterTimeNs })
    } else inbox.openOrders.note(message)
    inbox.items.push(message)
    if ('adapterTimeNs' in message) this.hear(message.adapterTimeNs)
    this.#guard(() => { this.#pump() })
  }

  /** A step of a server in lock-step: it waits until everything that belongs to it has come. */
  receiveStep(inbox: AccountInbox, step: Step): void {
    inbox.step = step
    if (this.isLeaving) inbox.client?.send(this.#leavingAnswer(step, inbox))
    this.#guard(() => { this.#playStep() })
  }

  /** Starts the strategy: in lock-step with the first step, elsewhere at once. */
  begin(): void {
    this.#hasBegun = true
    if (this.parts.pace === 'lockstep') return this.#answer(0)
    this.#guard(() => {
      this.#liveClock.advance(this.#heardNs)
      this.#takeItems(true)
      this.#start()
      this.#liveClock.arm()
    })
  }

  /** Ends it from outside. */
  stop(reason: string): void {
    if (this.#isOver) return
    this.#guard(() => { this.#runtime?.stop(reason) })
    this.#end(reason, undefined)
  }

  fail(error: unknown): void {
    this.#end('failed', error)
  }

  /** Nothing is received any more: for a run that ended before it began, too. */
  leave(): void {
    this.#isOver = true
    this.#liveClock.stop()
  }

  #start(): void {
    const { parts: { clientId, options, instruments, underlyings }, clock } = this
    const records = this.#records
    const venue = new ClientVenue({
      clientId, seed: options.seed ?? this.#drawnSeed(), hasTextIds: true, clock: clock.forClients('0 '), instruments,
      underlyings,
      connect: (accountId, listener) => this.#connect(accountId, listener),
      views: new Map([...this.#instruments].map(([id, { market }]) => [id, market])),
      subscribers: new Map([...this.#instruments].map(([id, { subscribers }]) => [id, subscribers])),
      onState: (instrumentId, state, text) => {
        records.marketState(clock.nowNs(), { instrumentId, state, text })
      },
      onPublish: (channel, message) => { records.published(clientId, clock.nowNs(), { channel, message }) },
    })
    this.#runtime = startStrategy({
      venue, clientId, strategy: options.strategy, parameters: options.parameters ?? {},
      accounts: this.accounts.map(({ accountId, exchangeCode }) => ({ accountId, exchangeCode })),
      sink: {
        warned: (text) => {
          records.warned(clientId, clock.nowNs(), text)
          options.onNote?.(text)
        },
        log: (text) => {
          records.log(clientId, clock.nowNs(), text)
          options.onLog?.(text)
        },
        stopped: (reason) => {
          records.stopped(clientId, clock.nowNs(), reason)
          this.#end(reason, undefined)
        },
        marketState: (instrumentId, state, text) => {
          records.marketState(clock.nowNs(), { instrumentId, state, text })
        },
        discarded: () => {},
      },
      tactics: KEPT_TACTICS, shuffleSeed: options.shuffleSeed ?? null,
      entryStates: entryStateRules(options.entryStates ?? {}),
    })
    if (this.#runtime.warmUp !== null)
      options.onNote?.('Bars begin with the run: a feed has no history to warm them up with')
  }

  /** A program that is started again must not make the ids of its last run. */
  #drawnSeed(): number {
    return this.parts.pace === 'lockstep' ? 1 : (crypto.getRandomValues(new Uint32Array(1))[0] as number)
  }

  #connect(accountId: string, listener: OrderEntryListener): WatchedOrderEntry {
    const inbox = this.accounts.find((one) => one.accountId === accountId)
    if (inbox?.client === undefined || inbox.client === null) throw new RangeError(`no account ${accountId}`)
    inbox.listener = listener
    return new WatchedOrderEntry(inbox.client, (request) => {
      this.#count(request.kind)
      inbox.openOrders.sent(request)
      this.#records.requested(this.parts.clientId, this.clock.nowNs(), request, accountId)
    })
  }

  #pump(): void {
    if (this.parts.pace === 'lockstep') this.#playStep()
    else if (this.#runtime !== null) this.#wake()
  }

  #wake(): void {
    this.#liveClock.advance(this.#heardNs)
    this.#liveClock.fire()
    this.#takeItems(false)
    if (!this.#isOver) this.#liveClock.arm()
  }

  /** Plays the step at hand once everything of it has come, on every connection. */
  #playStep(): void {
    const step = this.accounts[0]?.step ?? null
    if (step === null || !this.#hasCome(step)) return
    for (const inbox of this.accounts) inbox.step = null
    this.stepCount++
    this.clock.advance(timeFromEpochNs(BigInt(step.time), this.parts.epochDay))
    const isFirst = this.#runtime === null
    this.#takeItems(isFirst)
    if (isFirst) this.#start()
    else if (step.isTimerDue) this.clock.fire(1)
    if (step.end !== undefined) this.#runtime?.stop(step.end)
    this.#answer(step.number)
    if (step.end === undefined) return
    this.isReplayOver = true
    this.#end(step.end, undefined)
  }

  #hasCome({ feed, number }: Step): boolean {
    return (
      this.feeds.every(({ market, receivedCount }) => receivedCount >= (feed[market] ?? 0)) &&
      this.accounts.every(({ step, receivedCount }) => step?.number === number && receivedCount >= step.orderEntry)
    )
  }

  /** Everything up to a step has been dealt with. The first connection speaks for the feeds and the timers. */
  #answer(number: number): void {
    const next = this.clock.nextTimerNs()
    const feedCommands = Object.fromEntries(
      this.feeds.map(({ market, client }) => [market, client?.commandCount ?? 0]))
    const nextTimer = next === Infinity ? null : String(epochNsFromTime(next, this.parts.epochDay))
    for (const [at, { client }] of this.accounts.entries()) {
      const stepped: Stepped = at === 0
        ? { msgType: 'stepped', number, feedCommands, nextTimer }
        : { msgType: 'stepped', number, feedCommands: {}, nextTimer: null }
      client?.send(stepped)
    }
  }

  /** A replay in lock-step goes on only with an answer, also to a run that is over. */
  #leavingAnswer({ number }: Step, inbox: AccountInbox): Stepped {
    const feeds = inbox === this.accounts[0] ? this.feeds : []
    const feedCommands = Object.fromEntries(feeds.map(({ market, client }) => [market, client?.commandCount ?? 0]))
    return { msgType: 'stepped', number, feedCommands, nextTimer: null }
  }

  #takeItems(isCurrent: boolean): void {
    for (const { items, market } of this.feeds) {
      for (const item of items.splice(0)) {
        if (this.#isOver) return
        if ('isLost' in item) this.#lose(market)
        else if ('unreadableId' in item) this.#instruments.get(item.unreadableId)?.unreadable(this.clock.nowNs())
        else if ('resubscribedId' in item) this.#instruments.get(item.resubscribedId)?.resubscribed()
        else if ('batch' in item)
          this.#instruments.get(item.batch.instrument.id)?.line(item.batch, item.index, isCurrent)
        else this.#instruments.get(item.instrumentId)?.state(item, isCurrent)
      }
    }
    for (const inbox of this.accounts) {
      if (inbox.listener === null && isCurrent) continue
      for (const message of inbox.items.splice(0)) {
        if (this.#isOver) return
        this.#count(message.kind)
        this.#records.delivered(this.parts.clientId, this.clock.nowNs(), message, inbox.accountId)
        if (inbox.listener !== null) deliverMessage(message, inbox.listener)
      }
    }
  }

  #lose(market: string): void {
    for (const [id, instrument] of this.#instruments) {
      if (this.parts.instruments.get(id)?.instrument.exchangeCode === market) instrument.lost(this.clock.nowNs())
    }
  }

  #count(kind: string): void {
    this.messageCounts[kind] = (this.messageCounts[kind] ?? 0) + 1
  }

  /** Runs what may run a strategy's code: an error of it ends the run. */
  #guard(work: () => void): void {
    if (this.#isOver || !this.#hasBegun) return
    try {
      work()
      if (this.#runtime?.isOver === true) this.#end(this.#runtime.stopReason ?? 'stopped', undefined)
    } catch (error) {
      this.#end('failed', error)
    }
  }

  #end(reason: string, error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#liveClock.stop()
    this.#onReady()
    this.parts.onEnd(reason, error)
  }
}

/** The time that an item states; NaN: none. */
function timeOf(item: FeedItem, epochDay: number): number {
  if ('state' in item) return timeFromEpochNs(item.time, epochDay)
  if (!('batch' in item)) return NaN
  const { batch, index } = item
  return (batch.adapterTimeNs[index] as number) + (batch.epochDay - epochDay) * NS_PER_DAY
}
