import { openRun, type OpenedRun } from '../backtest/run-opening.js'
import { openWorld } from '../backtest/run-world.js'
import type { World } from '../exchange/world.js'
import type { WorldObserver } from '../exchange/world-config.js'
import type { FeedSource } from '../feed/feed-source.js'
import { jumpWarnings } from '../model/clock-words.js'
import { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import type { OrderLatency } from '../model/order-latency.js'
import type { OrderEntrySource } from '../order-entry/order-entry-source.js'
import type { Fill } from '../venue/account-messages.js'
import { Strategy } from '../strategy/strategy.js'
import { holesOf, type Hole } from './data-holes.js'
import { PastRecorder } from './past-recorder.js'
import { RunLoop, type LoopEnd } from '../simulation/run-loop.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'
import type { ServedReplayOptions } from './serve-options.js'

const NEVER = (): boolean => false

/** Receives news of a served replay that are neither market data nor order entry. */
export interface ServedReplayListener {
  /** An account's money has come to 0, which ends its client (exchange rules 8.6). */
  onStop?(clientId: string, accountId: string, reason: string): void
  /** An execution at the exchange, with its fill as clients will receive it. */
  onFill?(accountId: string, instrumentId: number, fill: Fill): void
  /** Terms of an instrument that hold from now on. */
  onTerms?(terms: InstrumentTerms): void
}

/**
 * Recorded days with one world and no strategy: clients from outside read its market and trade in it. Time moves only
 * in {@link play}; between its calls requests are played at the clock's time, exactly as those of a strategy in a
 * backtest would be.
 */
export class ServedReplay {
  readonly world: World
  /** Its market data as they are received, for a feed server. */
  readonly feed: FeedSource
  /** Its accounts, for an order entry server. */
  readonly orderEntry: OrderEntrySource
  readonly #loop: RunLoop
  /** Asked before every step: true makes {@link play} return `stopped`. */
  interrupt: () => boolean = NEVER
  /** True: requests and answers take no time, as time stands still; {@link playDue} plays them. */
  isStanding = false
  /** The observer of the world; null: none. */
  watcher: WorldObserver | null = null
  #hasEnded = false
  /** The lines before the begin; null once the replay has moved. */
  #past: ReadonlyMap<number, PastRecorder> | null

  constructor(private readonly run: OpenedRun, private readonly listener: ServedReplayListener) {
    const { replay, plan, signals } = run
    for (const { feed } of replay.instruments) feed.windowFromNs = plan.span.fromNs
    const atOnce = (latency: OrderLatency): OrderLatency => standingLatency(latency, () => this.isStanding)
    this.world = openWorld(withLatencies(run, atOnce), 0, this.#observer())
    this.#loop = new RunLoop({
      ...replay, signals, nameOf: () => 'the clients', isStopped: () => this.interrupt(),
      nextEndNs: () => this.#endNs(), endWorlds: (timeNs) => this.#endWorld(timeNs),
    })
    this.#past = new Map(replay.instruments.map(({ feed, subscribers }) => (
      [feed.instrumentId, new PastRecorder(subscribers)])))
    this.feed = this.#feedSource()
    this.orderEntry = this.#orderEntrySource()
  }

  /** Its market, for those who only look. */
  get market(): OpenedRun['replay'] {
    return this.run.replay
  }

  get clock(): OpenedRun['replay']['clock'] {
    return this.run.replay.clock
  }

  /** First instant of the replay, nanoseconds of its clock. */
  get fromNs(): number {
    return this.run.plan.span.fromNs
  }

  /** Warnings of the lines received so far: clock jumps, and instruments that they closed (exchange rules 1.8). */
  get warnings(): string[] {
    const { instruments, directory, unfit, clock } = this.run.replay
    const [beforeNs, { epochDay }] = [clock.nowNs() + 1, clock]
    return instruments.flatMap(({ feed }) => {
      const { instrumentId } = feed
      const entry = directory.get(instrumentId)
      const name = entry === undefined ? String(instrumentId) : instrumentName(entry.instrument)
      const closed = unfit.sentenceOf({ instrumentId, name }, { beforeNs, epochDay })
      return [...jumpWarnings(name, feed.receivedTimeCounts().adapterJumps), ...(closed === null ? [] : [closed])]
    })
  }

  /** Seed of everything random. */
  get seed(): number {
    return this.run.seed
  }

  /** True once everything has been played. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Plays what lies before the first instant; to be called once, before anything else. */
  async begin(): Promise<void> {
    const { replay, plan: { span: { fromNs } } } = this.run
    await this.#loop.run(fromNs)
    replay.clock.advance(fromNs)
    replay.terms.take(fromNs, this.run.plan.money.usdRates)
    for (const { feed, market } of replay.instruments) {
      feed.beginRun()
      market.beginRun(fromNs, replay.startNs)
    }
    for (const past of this.#past?.values() ?? []) past.end()
  }

  /**
   * Plays everything before a time, or to the end. `paused` where the time is reached, `stopped` where
   * {@link interrupt} said so, `ended` where nothing is left.
   */
  async play(untilNs: number = Infinity): Promise<LoopEnd> {
    this.#past = null
    const { replay, plan: { span: { toNs }, money } } = this.run
    for (;;) {
      const { nextNs } = replay.terms
      const isBefore = nextNs < untilNs && nextNs < toNs
      const end = await this.#loop.run(toNs, { timeNs: Math.min(nextNs, untilNs) })
      if (end === 'ended' || this.#hasEnded) {
        if (toNs !== Infinity) replay.clock.advance(toNs)
        this.#hasEnded = true
        return 'ended'
      }
      if (end !== 'paused' || !isBefore) return end
      replay.clock.advance(nextNs)
      for (const terms of replay.terms.take(nextNs, money.usdRates)) {
        this.world.termsChanged(terms.instrumentId, terms.timeNs)
        this.listener.onTerms?.(terms)
      }
    }
  }

  /** Answers what clients have asked while time stands still. */
  playDue(): void {
    const { agenda, clock, instruments } = this.run.replay
    const timeNs = clock.nowNs()
    for (const { market } of instruments) market.advance(timeNs, NEVER)
    // No line and no timer of this instant: the replay has not begun.
    while (agenda.nextTimeNs <= timeNs) {
      const entry = agenda.take()
      if (entry !== undefined) this.world.play(timeNs, entry.message)
    }
  }

  /** The days from the begin to the end that no file of any instrument holds, as stretches of time. */
  get holes(): readonly Hole[] {
    const { input: { inputs }, plan: { span: { fromNs, toNs } } } = this.run
    return holesOf(inputs.flatMap(({ days }) => days).map((day) => day - this.clock.epochDay), fromNs, toNs)
  }

  close(): Promise<void> {
    return this.run.close()
  }

  /** Behind the last recorded event of all instruments, once their files have been read (exchange rules 1.6). */
  #endNs(): number {
    const { replay: { instruments }, plan: { span } } = this.run
    if (span.toNs !== Infinity || this.#hasEnded) return Infinity
    let lastNs = span.fromNs
    for (const { feed } of instruments) {
      if (!feed.ended) return Infinity
      lastNs = Math.max(lastNs, feed.lastRecordedNs)
    }
    return lastNs + 1
  }

  #endWorld(timeNs: number): boolean {
    if (this.#endNs() > timeNs) return false
    this.run.replay.clock.advance(this.#endNs() - 1)
    this.world.end()
    this.#hasEnded = true
    return true
  }

  #feedSource(): FeedSource {
    const { replay: { clock, directory, underlyings, subscribers, views } } = this.run
    const noData = (instrumentId: number): BacktapeError => new BacktapeError(
      'OPTION_INVALID', `Cannot read the market of instrument ${instrumentId}: the replay has no data of it`,
      { field: 'instrument', found: String(instrumentId) },
    )
    return {
      clock, instruments: directory, underlyings,
      market: (instrumentId) => {
        const view = views.get(instrumentId)
        if (view === undefined) throw noData(instrumentId)
        return view
      },
      subscribe: (instrumentId, topics, listener) => {
        const own = subscribers.get(instrumentId)
        if (own === undefined) throw noData(instrumentId)
        return own.subscribe(topics, listener)
      },
      pastLines: (instrumentId) => this.#past?.get(instrumentId)?.past,
    }
  }

  #orderEntrySource(): OrderEntrySource {
    const { replay: { clock, directory } } = this.run
    const exchangeIds = new Map(directory.entries.map(({ instrument: { exchangeCode, exchangeId } }) => (
      [exchangeCode, exchangeId] as const)))
    const accounts = new Map(this.world.config.accounts.map(({ accountId, exchangeCode }) => (
      [accountId, { exchangeId: exchangeIds.get(exchangeCode) ?? null, exchangeCode }] as const)))
    return {
      clock, instruments: directory, accounts,
      connect: (clientId, accountId, listener) => {
        const entry = this.world.connect(clientId, accountId, listener, () => clock.nowNs())
        return Object.assign(entry, { disconnect: (): void => { this.world.disconnect(clientId, accountId) } })
      },
    }
  }

  #observer(): WorldObserver {
    const accountOf = new Map<string, string>()
    return {
      requested: (clientId, timeNs, request, accountId, rows) => {
        accountOf.set(clientId, accountId)
        this.watcher?.requested(clientId, timeNs, request, accountId, rows)
      },
      delivered: (...message) => this.watcher?.delivered(...message),
      filled: (order, fill, posted, cause, row) => {
        this.listener.onFill?.(order.accountId, order.instrumentId, fill)
        this.watcher?.filled?.(order, fill, posted, cause, row)
      },
      changed: (...change) => this.watcher?.changed?.(...change),
      stopped: (clientId, _timeNs, reason) => {
        this.listener.onStop?.(clientId, accountOf.get(clientId) ?? '', reason)
      },
    }
  }
}

/** A latency that is 0 while time stands still. */
function standingLatency(latency: OrderLatency, isStanding: () => boolean): OrderLatency {
  return {
    name: latency.name, latencyNs: (sent) => (isStanding() ? 0 : latency.latencyNs(sent)),
    from: (epochDay) => standingLatency(latency.from?.(epochDay) ?? latency, isStanding),
  }
}

/** A run whose every latency is another one. */
function withLatencies(run: OpenedRun, of: (latency: OrderLatency) => OrderLatency): OpenedRun {
  const { assumptions, plan } = run
  const accounts = plan.accounts.map(({ requestLatency, responseLatency, ...account }) => ({
    ...account, ...(requestLatency === undefined ? {} : { requestLatency: of(requestLatency) }),
    ...(responseLatency === undefined ? {} : { responseLatency: of(responseLatency) }),
  }))
  const [requestLatency, responseLatency] = [of(assumptions.requestLatency), of(assumptions.responseLatency)]
  return { ...run, assumptions: { ...assumptions, requestLatency, responseLatency }, plan: { ...plan, accounts } }
}

/** Stands for the strategy that a replay of clients from outside does not have: no run is opened without one. */
class Clients extends Strategy {}

/**
 * Opens recorded days to be served. Throws OPTION_INVALID with all faults of the options at once, and the errors of the
 * files.
 */
export async function openServedReplay(
  options: ServedReplayOptions, listener: ServedReplayListener = {},
): Promise<ServedReplay> {
  const run = await openRun({ ...options, strategy: Clients }, () => [])
  return new ServedReplay(run, listener)
}
