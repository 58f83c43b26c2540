import type { Agenda } from '../exchange/agenda.js'
import type { ExchangeMarket } from '../exchange/market/exchange-market.js'
import type { World } from '../exchange/world.js'
import { BacktapeError } from '../model/error.js'
import { isoFromTime } from '../model/time.js'
import type { InstrumentFeed } from '../replay/instrument-feed.js'
import { changesState } from '../replay/state-lines.js'
import type { SimulatedClock } from '../replay/simulated-clock.js'
import { INSTANT_LIMIT, type InstantCounts, type InstantCountState } from './instant-counts.js'
import type { ClientMarket } from './client-market.js'
import type { MarketSubscribers } from './market-subscribers.js'
import { SignalPlayer } from './signal-player.js'
import type { WorldMessage } from '../exchange/world-message.js'
import { eventLoopTurn } from '../model/event-loop-client.js'

/** One instrument of a pass: its feed, the market at the exchange, the market as received. */
export interface ReplayInstrument {
  readonly feed: InstrumentFeed
  readonly market: ExchangeMarket
  readonly local: ClientMarket
  /** Who receives its lines. */
  readonly subscribers: MarketSubscribers
}

/** The parts that the loop runs over. `instruments` are in ascending order of their id. */
export interface ReplayLoop {
  readonly instruments: readonly ReplayInstrument[]
  readonly worlds: ReadonlyMap<number, World>
  readonly agenda: Agenda<WorldMessage>
  readonly clock: SimulatedClock
  /** Rows from outside; absent: none. */
  readonly signals?: SignalPlayer
  /** The counts of each world at one instant. */
  readonly counts: InstantCounts
  /** A world's strategy as a sentence names it. */
  readonly nameOf: (worldNumber: number) => string
  /** True stops the loop before its next step (a user's interrupt, all worlds over). */
  readonly isStopped: () => boolean
  /** Called after batches were loaded: progress. */
  readonly onLoaded?: () => void
  /** The first instant that some world does not see any more (exchange rules 1.6), or Infinity; absent: all see all. */
  readonly nextEndNs?: () => number
  /** Ends the worlds that do not see this instant; true where none is left. */
  readonly endWorlds?: (timeNs: number) => boolean
}

/** Where the loop returns before the end. */
export interface LoopPause {
  /** Nothing at or after this time is played; default Infinity. */
  readonly timeNs?: number
  /** So many steps (a line received, a request, an answer, a timer) are taken; default Infinity. */
  readonly stepCount?: number
}

/** Why the loop returned. */
export type LoopEnd = 'ended' | 'paused' | 'stopped'

/** The loop's own memory, for a checkpoint. */
export interface LoopState {
  readonly instantNs: number | null
  readonly instantCounts: readonly InstantCountState[]
}

/** After so many steps the event loop has a turn: a signal is noticed however long no batch has to be loaded. */
const TURN_STEPS = 2_048

const EXCHANGE_INTERNAL = 2
const LOCAL_RESPONSES = 4
const NEVER = (): boolean => false

/**
 * Plays a pass to its end in the order of exchange rules 1.3. Four next times an instrument, {exchange, local} x {data,
 * orders}; the exchange's data are played only as far as a world has open interest. Waits for nothing but reading
 * ahead.
 */
export class RunLoop {
  readonly #signals: SignalPlayer
  #instantNs = -Infinity
  #limitNs = Infinity
  // The exchange was played no further. A field, as a time that is an argument would be an object each time.
  #untilNs = -Infinity
  #stepsLeft = Infinity
  #stepsInTurn = 0
  #sentCount = 0
  /**
   * True where the exchange has sent something since its items began to be played. One instrument alone is played on
   * to where that is due.
   */
  readonly #isAnswered = (): boolean => {
    const { agenda, instruments, isStopped } = this.replay
    if (agenda.size === this.#sentCount) return false
    const [only] = instruments
    if (only === undefined || instruments.length > 1 || isStopped()) return true
    this.#sentCount = agenda.size
    if (agenda.nextTimeNs < only.market.untilNs) only.market.untilNs = agenda.nextTimeNs
    return false
  }

  /** True where the next timer of the instant at hand comes before anything else. */
  readonly #mayFireMore = (): boolean => this.replay.agenda.nextTimeNs > this.#instantNs && !this.replay.isStopped()

  constructor(private readonly replay: ReplayLoop) {
    this.#signals = replay.signals ?? new SignalPlayer([])
  }

  /** Ends the turn behind the step at hand, as a thousand steps do. */
  endTurn(): void {
    this.#stepsInTurn = TURN_STEPS
  }

  /** Steps that the last pause still allows. */
  get stepsLeft(): number {
    return this.#stepsLeft
  }

  /** Plays everything before `endNs` (Infinity: until no world is left), or up to a pause. */
  async run(endNs: number, pause: LoopPause = {}): Promise<LoopEnd> {
    const { instruments, clock, isStopped, onLoaded, nextEndNs, endWorlds } = this.replay
    const pauseNs = pause.timeNs ?? Infinity
    this.#stepsLeft = pause.stepCount ?? Infinity
    for (;;) {
      this.#signals.poll(Math.max(clock.nowNs(), this.#untilNs))
      const worldEndNs = nextEndNs?.() ?? Infinity
      const untilNs = this.#runTo(Math.min(this.#horizonNs(), worldEndNs, endNs, pauseNs))
      if (isStopped()) return 'stopped'
      if (this.#stepsInTurn >= TURN_STEPS && this.#stepsLeft > 0) {
        this.#stepsInTurn = 0
        await eventLoopTurn()
        continue
      }
      if (untilNs >= worldEndNs) {
        if (endWorlds?.(untilNs) === true) return 'ended'
        continue
      }
      if (this.#stepsLeft <= 0 || (untilNs >= pauseNs && pauseNs < endNs)) return 'paused'
      if (untilNs >= endNs || this.#horizonNs() === Infinity) return 'ended'
      for (const { subscribers } of instruments) subscribers.release()
      const loaded = await this.#load(untilNs)
      if (loaded === null) return 'stopped'
      if (!loaded && this.#isOver()) return 'ended'
      this.#release(untilNs)
      onLoaded?.()
    }
  }

  /**
   * Reads ahead; true where a batch came. Null where the run was stopped while a stream kept its next byte back: the
   * feeds stand as before.
   */
  async #load(untilNs: number): Promise<boolean | null> {
    let isLoaded = false
    try {
      for (const { feed } of this.replay.instruments) {
        while (!feed.ended && feed.horizonNs() <= untilNs) isLoaded = (await feed.load()) || isLoaded
      }
      return (await this.#signals.load(untilNs)) || isLoaded
    } catch (error) {
      if (error instanceof BacktapeError && error.code === 'STOPPED' && this.replay.isStopped()) return null
      throw error
    }
  }

  /**
   * Passes the lines received before a time that nobody asked for and that still wait: whoever values a world at that
   * time looks at them. Time itself moves no further than to the last of them.
   */
  passLinesBefore(timeNs: number): void {
    if (!this.#isQuiet()) return
    const { clock, instruments } = this.replay
    for (const { feed } of instruments) {
      // A line that says something of a state may be due already: one that was received before time began.
      feed.passLines(Math.min(timeNs, feed.nextStateNs()) - 1)
      clock.advance(feed.lastReceivedNs)
    }
  }

  state(): LoopState {
    const { clock, counts } = this.replay
    return {
      instantNs: Number.isFinite(this.#instantNs) ? this.#instantNs : null, instantCounts: counts.state(clock.nowNs()),
    }
  }

  restore({ instantNs, instantCounts }: LoopState): void {
    const { clock, counts } = this.replay
    this.#instantNs = instantNs ?? -Infinity
    counts.restore(clock.nowNs(), instantCounts)
  }

  #horizonNs(): number {
    return this.replay.instruments.reduce(
      (horizon, { feed }) => Math.min(horizon, feed.horizonNs()), this.#signals.horizonNs())
  }

  #isOver(): boolean {
    const { agenda, clock, instruments } = this.replay
    // Lines that nobody asked for are still to be passed.
    return (
      instruments.every(({ feed }) => feed.ended && feed.nextLocalNs() === Infinity) &&
      agenda.nextTimeNs === Infinity &&
      this.#signals.isOver &&
      clock.nextTimerNs() === Infinity
    )
  }

  #nextNs(): number {
    const { agenda, clock, instruments } = this.replay
    let next = Math.min(agenda.nextTimeNs, clock.nextTimerNs(), this.#signals.nextNs)
    const isQuiet = this.#isQuiet()
    for (const { feed } of instruments) next = Math.min(next, isQuiet ? feed.nextStateNs() : feed.nextLocalNs())
    return next
  }

  /** True where nobody asked for a line: those that say nothing of a state are passed when somebody might look. */
  #isQuiet(): boolean {
    for (const { subscribers } of this.replay.instruments) if (!subscribers.isQuiet) return false
    return true
  }

  /** The synchronous part: plays everything before a limit, and returns the first time that it could not reach. */
  #runTo(limit: number): number {
    const { clock, isStopped } = this.replay
    this.#limitNs = limit
    while (this.#stepsLeft > 0) {
      if (isStopped() || this.#stepsInTurn >= TURN_STEPS) return limit
      const next = this.#nextNs()
      this.#untilNs = Math.min(next, limit - 1)
      if (this.#advanceWatched()) continue
      if (next >= limit) {
        this.passLinesBefore(limit)
        return limit
      }
      this.#stepsLeft--
      this.#stepsInTurn++
      clock.advance(next)
      this.#step()
    }
    return clock.nowNs()
  }

  /** Next exchange-side item of an instrument in which a world has open interest. */
  #nextWatchedNs(): number {
    let next = Infinity
    for (const { feed, market } of this.replay.instruments) {
      if (!market.isWatched) continue
      const time = feed.nextExchangeNs()
      if (time < next) next = time
    }
    return next
  }

  /**
   * Plays exchange-side items of watched instruments up to `#untilNs`, in the order of their times, until an answer is
   * on its way; false where there is none.
   */
  #advanceWatched(): boolean {
    const { agenda, instruments } = this.replay
    let first: ReplayInstrument | null = null
    let firstNs = Infinity
    // Up to here nobody else comes before the first: to the instant of a later id, and to the one before that of a
    // lower id.
    let until = this.#untilNs
    for (const instrument of instruments) {
      if (!instrument.market.isWatched) continue
      const time = instrument.feed.nextExchangeNs()
      if (time < firstNs) {
        if (firstNs - 1 < until) until = firstNs - 1
        first = instrument
        firstNs = time
      } else if (time < until) until = time
    }
    if (first === null || firstNs > this.#untilNs) return false
    this.#sentCount = agenda.size
    first.market.untilNs = until
    first.market.play(this.#isAnswered)
    return true
  }

  /** One thing at the clock's instant: the one with the lowest phase, then the lowest instrument id. */
  #step(): void {
    const { agenda, clock, instruments } = this.replay
    const timeNs = clock.nowNs()
    this.#instantNs = timeNs
    this.passLinesBefore(timeNs)
    const entry = agenda.peek()
    const phase = entry !== undefined && entry.timeNs === timeNs ? entry.phase : Infinity
    if (phase <= EXCHANGE_INTERNAL) return this.#playInstant(timeNs)
    const isQuiet = this.#isQuiet()
    for (const instrument of instruments) {
      // A line may have been received before the run's first midnight, where latency counts from exchange time: it is
      // due when time begins.
      if (isQuiet && instrument.feed.nextStateNs() > timeNs) instrument.feed.passLines(timeNs)
      else if (instrument.feed.nextLocalNs() <= timeNs) return this.#hear(instrument)
    }
    if (this.#signals.nextNs <= timeNs) return this.#signals.play()
    if (phase === LOCAL_RESPONSES) return this.#playInstant(timeNs)
    this.#fire()
  }

  /**
   * Fires timers of an instant as long as nothing else comes in between, so many that one which sets itself again is
   * found out.
   */
  #fire(): void {
    const most = Math.min(this.#stepsLeft, INSTANT_LIMIT)
    this.#stepsLeft -= this.replay.clock.fire(1 + most, this.#mayFireMore) - 1
    this.#refuseEndless()
  }

  /**
   * Plays what the agenda has at an instant, a step each: requests and tasks of the exchange, or answers, behind which
   * no line of the instant waits any more.
   */
  #playInstant(timeNs: number): void {
    const { agenda, counts, worlds, instruments, isStopped } = this.replay
    let isExchange = false
    for (let entry = agenda.take(); entry !== undefined; entry = agenda.take()) {
      const { phase, worldNumber } = entry
      counts.note(worldNumber, timeNs)
      if (phase <= EXCHANGE_INTERNAL && !isExchange) for (const { market } of instruments) market.advance(timeNs, NEVER)
      isExchange = phase <= EXCHANGE_INTERNAL
      worlds.get(worldNumber)?.play(timeNs, entry.message)
      if (counts.endlessWorld !== null) this.#refuseEndless()
      const next = agenda.peek()
      if (next?.timeNs !== timeNs || (isExchange && next.phase > EXCHANGE_INTERNAL)) return
      if (this.#stepsLeft <= 0 || this.#stepsInTurn >= TURN_STEPS || isStopped()) return
      this.#stepsLeft--
      this.#stepsInTurn++
    }
  }

  /**
   * Lets lines be received as long as nothing else is due; where nobody asked for a topic, all of them up to the next
   * thing that happens elsewhere.
   */
  #hear(instrument: ReplayInstrument): void {
    const { feed, subscribers } = instrument
    if (subscribers.isQuiet) return this.#skim(instrument)
    const { agenda, clock, instruments, isStopped } = this.replay
    const { localBatch: batch, localTimesNs: times } = feed
    if (batch === null) return
    // What is watched, and where its next item stands, changes where the exchange plays, and that is not here.
    let until = Math.min(this.#limitNs, this.#nextWatchedNs(), this.#signals.nextNs)
    for (const other of instruments) if (other.feed !== feed) until = Math.min(until, other.feed.nextLocalNs())
    const last = batch.count - 1
    for (let index = feed.localIndex; ;) {
      if (index === last) feed.localNext()
      else feed.localIndex = index + 1
      subscribers.hear(batch, index)
      if (index === last) return
      const next = times[++index] as number
      if (next >= until || this.#stepsLeft <= 0 || next >= agenda.nextTimeNs || next >= clock.nextTimerNs()) return
      if (subscribers.isQuiet || isStopped() || this.#stepsInTurn >= TURN_STEPS) return
      this.#stepsLeft--
      clock.advance(next)
    }
  }

  /** Moves past lines that nobody asked for, as far as nothing else is due and none says anything of the state. */
  #skim({ feed, subscribers }: ReplayInstrument): void {
    const { agenda, clock, instruments } = this.replay
    let until = Math.min(
      agenda.nextTimeNs, clock.nextTimerNs(), this.#nextWatchedNs(), this.#limitNs, this.#signals.nextNs,
    )
    for (const other of instruments) if (other.feed !== feed) until = Math.min(until, other.feed.nextLocalNs())
    do {
      const batch = feed.localBatch
      if (batch === null) return
      const index = feed.localIndex
      clock.advance(feed.nextLocalNs())
      feed.localNext()
      if (!changesState(batch, index)) continue
      subscribers.hear(batch, index)
      return
    } while (feed.nextLocalNs() < until)
  }

  #refuseEndless(): void {
    const { clock, counts, nameOf } = this.replay
    const { endlessWorld: worldNumber } = counts
    if (worldNumber === null) return
    throw new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot go on with ${nameOf(worldNumber)} at ${isoFromTime(clock.nowNs(), clock.epochDay)}: more than ` +
        `${INSTANT_LIMIT} things happened at this one instant; does the strategy answer itself without end?`,
      { expected: `at most ${INSTANT_LIMIT}`, found: 'more' },
    )
  }

  /** Gives batches back that both sides have passed; nobody's books lag behind them then. */
  #release(untilNs: number): void {
    for (const { feed, market, local } of this.replay.instruments) {
      if (!market.isWatched) market.advance(Math.min(untilNs, this.replay.clock.nowNs()), NEVER)
      market.keepUp()
      local.received()
      feed.releaseBefore(feed.slowestBatchNumber())
    }
  }
}
