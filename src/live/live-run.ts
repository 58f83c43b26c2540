import { epochNsFromTime, timeFromEpochNs } from '../model/time.js'
import type { FeedState } from '../protocol/feed-messages.js'
import type { Step } from '../protocol/lock-step-messages.js'
import { SimulatedClock } from '../replay/simulated-clock.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { Journal } from '../results/journal.js'
import { RunJournal } from '../results/run-journal.js'
import type { InboxMessage } from '../simulation/message-inbox.js'
import { deliverMessage } from '../venue/message-delivery.js'
import { BEGAN_AGAIN } from '../venue/account-messages.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { InstrumentDirectory, OrderEntryListener, UnderlyingDirectory } from '../venue/venue.js'
import { FollowedInstruments } from './followed-instruments.js'
import { LiveClock, type LivePace } from './live-clock-client.js'
import type { LiveOptions } from './live-options.js'
import { itemTimeNs, subscribeAll, type AccountInbox, type FeedInbox, type FeedItem } from './live-inboxes.js'
import type { LiveOutside } from './live-outside.js'
import { LiveRecord } from './live-record.js'
import { answerLeaving, answerStep, hasStepCome } from './live-steps.js'
import { LiveStrategy } from './live-strategy.js'
import { LiveWorld } from './live-world.js'
import { WatchedOrderEntry } from './watched-order-entry.js'

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
  /** The latest time that was received, nanoseconds since the midnight of its first day; -Infinity before. */
  heardNs: number = -Infinity
  /** The program around it; null: there is none. To be set before it begins. */
  outside: LiveOutside | null = null
  readonly #followed: FollowedInstruments
  readonly #records: RunJournal
  readonly #liveClock: LiveClock
  #strategy: LiveStrategy | null = null
  #record: LiveRecord | null = null
  #isOver = false
  /** True: it was ended from outside. */
  #wasStopped = false
  #hasFailed = false
  /** True: the result is made. */
  #isDone = false
  #hasBegun = false
  /** Messages of channels that wait. */
  readonly #messages: InboxMessage[] = []
  /** The time of the last of those that were played. */
  #messageNs = -Infinity
  #world: LiveWorld | null = null
  /** Instruments whose first state has not come. */
  readonly #awaited: Set<number> = new Set()
  #onReady: () => void = () => {}
  /** Resolves when every instrument that is followed has had its first state. */
  readonly ready: Promise<void> = new Promise((resolve) => { this.#onReady = resolve })

  constructor(private readonly parts: LiveRunParts) {
    const { epochDay, options, instruments, pace } = parts
    this.clock = new SimulatedClock(epochDay, -Infinity)
    this.#followed = new FollowedInstruments({
      instruments, epochDay, nowNs: () => this.clock.nowNs(),
      subscribe: ({ instrument: { id, exchangeCode } }) => { subscribeAll(this.feeds, exchangeCode, id) },
    })
    this.#records = new RunJournal(options.journal ?? null, instruments, epochDay)
    this.journal = this.#records.journal
    this.#liveClock = new LiveClock(this.clock, pace, () => { this.#guard(() => { this.#wake() }) })
  }

  get isOver(): boolean { return this.#isOver }

  /** True where it was ended by something else than its strategy. */
  get wasStopped(): boolean { return this.#wasStopped }

  /** True since the strategy was started. */
  get hasStarted(): boolean { return this.#strategy !== null }

  /** Instruments that are followed from the begin. */
  follow(instrumentId: number): void {
    if (this.#followed.follow(instrumentId) !== undefined) this.#awaited.add(instrumentId)
  }

  /** A time of the servers. */
  hear(timeNs: number): void {
    if (timeNs > this.heardNs) this.heardNs = timeNs
  }

  /** A line or a state event of a feed, or the end of its connection. */
  receiveFeed(inbox: FeedInbox, item: FeedItem): void {
    if ('unreadableId' in item) this.unreadableMessageCount++
    else if (!('isLost' in item || 'resubscribedId' in item)) inbox.receivedCount++
    if (this.#isOver) return
    inbox.items.push(item)
    if (!this.#hasBegun && 'state' in item) this.#noteReady(item)
    this.hear(itemTimeNs(item, this.parts.epochDay))
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
      if (message.kind === 'accountStatus') {
        inbox.isAway = false
        inbox.openOrders.settle(message.state)
      } else inbox.openOrders.note(message)
      this.#takeLate(inbox, message)
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

  /** A message of a channel: without a trace where the strategy has no callback for them. */
  receiveChannel(message: InboxMessage): void {
    this.#messages.push(message)
    this.#guard(() => { this.#pump() })
  }

  /** The run as a program around it sees it; null before its strategy has started. */
  get world(): LiveWorld | null {
    return this.#world
  }

  /** A step of a server in lock-step: it waits until everything that belongs to it has come. */
  receiveStep(inbox: AccountInbox, step: Step): void {
    inbox.step = step
    if (this.isLeaving) answerLeaving(step, inbox, this)
    this.#guard(() => { this.#playStep() })
  }

  /** Starts the strategy: in lock-step with the first step, elsewhere at once. */
  begin(): void {
    this.#hasBegun = true
    if (this.parts.pace === 'lockstep') return this.#answer(0)
    this.#guard(() => {
      this.#liveClock.advance(this.heardNs)
      this.#takeItems(true)
      this.#start()
      this.#liveClock.arm()
    })
  }

  /** Ends it from outside. */
  stop(reason: string): void {
    if (this.#isOver) return
    this.#wasStopped = true
    this.#guard(() => { this.#strategy?.runtime.stop(reason) })
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

  /** The result, once nothing more comes. */
  result(warnings: readonly string[]): BacktestResult {
    const record = this.#record ?? this.#startRecord()
    // What was on its way to the strategy when it ended.
    for (const inbox of this.#strategy === null ? [] : this.accounts)
      for (const message of inbox.items.splice(0)) this.#takeLate(inbox, message)
    this.#isDone = true
    const { unreadableMessageCount: unread, parts: { pace }, journal } = this
    const isPartial = this.#hasFailed || (this.#wasStopped && !this.isReplayOver && pace !== 'wall')
    const unreadable = unread === 0 ? [] : [
      `${unread} messages of the feed could not be read: their instruments were subscribed again`]
    return record.result({
      nowNs: this.clock.nowNs(), journal, pace: String(pace), isPartial, warnings: [...unreadable, ...warnings],
    })
  }

  #startRecord(): LiveRecord {
    const { parts: { clientId, options, instruments, underlyings, epochDay }, clock } = this
    // Of a run that ended before anything was received there is no time.
    if (clock.nowNs() === -Infinity) clock.advance(0)
    const record = new LiveRecord({
      options, clientId, epochDay, instruments, underlyings, followed: this.#followed,
    })
    record.start(this.accounts.flatMap(({ accountId, exchangeCode, client }) => (
      client === null ? [] : [{ accountId, exchangeCode, state: client.initial }])), clock.nowNs())
    return record
  }

  #start(): void {
    const { parts: { clientId, options, instruments, underlyings, pace }, clock, accounts } = this
    const record = (this.#record = this.#startRecord())
    this.#strategy = new LiveStrategy({
      options, clientId, pace, clock, instruments, underlyings, followed: this.#followed, accounts, record,
      records: this.#records, outside: this.outside,
      connect: (accountId, listener) => this.#connect(accountId, listener),
      onStopped: (reason) => { this.#end(reason, undefined) },
    })
    const { journal } = this
    this.#world = new LiveWorld({ clock, record, followed: this.#followed, underlyings, journal })
    this.outside?.begun()
  }

  #connect(accountId: string, listener: OrderEntryListener): WatchedOrderEntry {
    const inbox = this.accounts.find((one) => one.accountId === accountId)
    if (inbox?.client === undefined || inbox.client === null) throw new RangeError(`no account ${accountId}`)
    inbox.listener = listener
    inbox.entry = new WatchedOrderEntry(inbox.client, (request) => {
      const nowNs = this.clock.nowNs()
      this.#count(request.kind)
      this.outside?.requested(request)
      inbox.openOrders.sent(request)
      this.#records.requested(this.parts.clientId, nowNs, request, accountId)
      this.#record?.requested(accountId, nowNs, request)
    })
    return inbox.entry
  }

  #pump(): void {
    if (this.parts.pace === 'lockstep') this.#playStep()
    else if (this.#strategy !== null) this.#wake()
  }

  #wake(): void {
    this.#liveClock.advance(this.heardNs)
    this.#record?.advance(this.clock.nowNs())
    this.#liveClock.fire()
    this.#takeItems(false)
    this.#takeMessages()
    if (!this.#isOver) this.#liveClock.arm()
  }

  /** Plays the step at hand once everything of it has come, on every connection. */
  #playStep(): void {
    const step = this.accounts[0]?.step ?? null
    if (step === null || !hasStepCome(step, this)) return
    for (const inbox of this.accounts) inbox.step = null
    this.stepCount++
    this.clock.advance(timeFromEpochNs(BigInt(step.time), this.parts.epochDay))
    this.#record?.advance(this.clock.nowNs())
    const isFirst = this.#strategy === null
    this.#takeItems(isFirst)
    if (isFirst) this.#start()
    else if (step.isTimerDue) this.clock.fire(1)
    this.#takeMessages()
    if (step.end !== undefined) this.#strategy?.runtime.stop(step.end)
    this.#answer(step.number)
    if (step.end === undefined) return
    this.isReplayOver = true
    this.#end(step.end, undefined)
  }

  /** Everything up to a step has been dealt with. */
  #answer(number: number): void {
    const next = this.clock.nextTimerNs()
    answerStep(number, next === Infinity ? null : String(epochNsFromTime(next, this.parts.epochDay)), this)
  }

  #takeItems(isCurrent: boolean): void {
    for (const { items, market } of this.feeds) {
      for (const item of items.splice(0)) {
        if (this.#isOver) return
        if ('isLost' in item) this.#lose(market)
        else if ('unreadableId' in item) this.#followed.all.get(item.unreadableId)?.unreadable(this.clock.nowNs())
        else if ('resubscribedId' in item) this.#followed.all.get(item.resubscribedId)?.resubscribed()
        else if ('batch' in item)
          this.#followed.all.get(item.batch.instrument.id)?.line(item.batch, item.index, isCurrent)
        else this.#followed.all.get(item.instrumentId)?.state(item, isCurrent)
      }
    }
    for (const inbox of this.accounts) {
      if (inbox.listener === null && isCurrent) continue
      for (const message of inbox.items.splice(0)) {
        if (this.#isOver) {
          this.#takeLate(inbox, message)
          continue
        }
        this.#deliver(inbox, message)
        if (inbox.listener !== null) deliverMessage(message, inbox.listener)
      }
    }
  }

  /** Plays messages of channels, each at a time of its own. */
  #takeMessages(): void {
    const [strategy, outside] = [this.#strategy, this.outside]
    for (const one of this.#messages.splice(0)) {
      if (this.#isOver || strategy?.isListening !== true) continue
      this.#messageNs = Math.max(this.#messageNs + 1, this.clock.nowNs())
      outside?.timed({ ...one, timeNs: epochNsFromTime(this.#messageNs, this.parts.epochDay) })
      strategy.playMessage(one)
    }
  }

  /** Writes down what has come. */
  #deliver({ accountId }: AccountInbox, message: ClientMessage): void {
    const nowNs = this.clock.nowNs()
    this.#count(message.kind)
    this.#records.delivered(this.parts.clientId, nowNs, message, accountId)
    this.#record?.delivered(accountId, nowNs, message)
  }

  /** A message behind the end of the strategy has happened all the same; in lock-step the end is that of a backtest. */
  #takeLate(inbox: AccountInbox, message: ClientMessage): void {
    if (this.#isDone || (this.parts.pace === 'lockstep' && !this.isLeaving)) return
    for (const earlier of inbox.items.splice(0)) this.#takeLate(inbox, earlier)
    if ('adapterTimeNs' in message) this.clock.advance(message.adapterTimeNs)
    this.#record?.advance(this.clock.nowNs())
    this.#deliver(inbox, message)
  }

  #lose(market: string): void {
    for (const [id, instrument] of this.#followed.all) {
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
      const { isOver = false, stopReason } = this.#strategy?.runtime ?? {}
      if (isOver) this.#end(stopReason ?? 'stopped', undefined)
    } catch (error) {
      this.#end('failed', error)
    }
  }

  #end(reason: string, error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#hasFailed = error !== undefined
    this.#liveClock.stop()
    this.#onReady()
    this.parts.onEnd(reason, error)
  }
}
