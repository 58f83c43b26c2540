import { createHash } from 'node:crypto'
import { World } from '../exchange/world.js'
import { silentSinceNs } from '../model/silence.js'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { Journal } from '../report/journal.js'
import type { MarketSummary } from '../report/run-summary.js'
import type { RowBudget } from '../report/row-budget.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { startStrategy, type StrategyRuntime } from '../strategy/runtime.js'
import { KEPT_TACTICS } from '../strategy/tactics/kept-tactics.js'
import { assumptionNames } from '../configuration/assumptions.js'
import type { RunInstanceState } from './checkpoint-state.js'
import { GAP_TEXT } from '../simulation/market-subscribers.js'
import { equityTable, fillTable, orderTable } from '../results/result-tables.js'
import { worldConfiguration } from './world-configuration.js'
import type { RunSetup } from './run-setup.js'
import { SimulatedVenue } from '../simulation/simulated-venue.js'
import { strategySourceWarnings } from '../configuration/strategy-module-reader.js'
import { marketSummaries, summaryOf } from '../results/summary.js'
import { windowNotes } from '../results/window-notes.js'
import { RunJournal } from '../results/run-journal.js'
import { discardedEntry, EQUITY_INTERVAL_NS, RunRecorder } from '../results/run-recorder.js'
import type { WorldObserver } from '../exchange/world-observer.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'

const CLIENT = 'strategy'

/** One set of parameters in a run: its world, its strategy, what is written down of it. */
export class RunInstance {
  readonly number: number
  readonly #setup: RunSetup
  readonly #parameters: ParameterConfig
  readonly #world: World
  readonly #journal: Journal
  readonly #records: RunJournal
  readonly #venue: SimulatedVenue
  readonly #report: RunRecorder
  readonly #onHalt: (timeNs: number) => void
  #runtime: StrategyRuntime | null = null
  /** Its markets as they were when the world ended, which its siblings play on; null before. */
  #markets: readonly MarketSummary[] | null = null
  /** {@link endNs}, once it is known. */
  #endNs = Infinity

  constructor(
    number: number, parameters: ParameterConfig, setup: RunSetup, budget: RowBudget, onHalt: (timeNs: number) => void,
  ) {
    const { replay, options, assumptions, seed } = setup
    this.number = number
    this.#onHalt = onHalt
    this.#setup = setup
    this.#parameters = parameters
    this.#journal = new Journal(options.journal?.(number) ?? null)
    this.#records = new RunJournal(this.#journal, replay.directory, replay.clock.epochDay)
    this.#report = new RunRecorder({
      clock: replay.clock.forClients(`report ${number} `),
      instruments: replay.directory,
      views: replay.views,
      intervalNs: EQUITY_INTERVAL_NS,
      budget,
      haltsInGap: assumptions.gaps === 'halt',
      receivedUntilNs: () =>
        this.#venue.instrumentIds.reduce(
          (last, id) => Math.max(last, replay.feeds.get(id)?.receivedInRunNs ?? -Infinity), -Infinity,
        ),
    })
    const { queue, fills, gaps, switches } = assumptions
    const { epochDay } = replay.clock
    const requestLatency = assumptions.requestLatency.from?.(epochDay) ?? assumptions.requestLatency
    const responseLatency = assumptions.responseLatency.from?.(epochDay) ?? assumptions.responseLatency
    const { money, faults, corporateActions } = setup.plan
    // That simulator asks nothing of balances.
    const checks = assumptions.preset === 'hftbacktest' ? ({ checks: 'none' } as const) : {}
    const accounts = setup.plan.accounts.map((account) => ({
      ...account, ...checks, predictions: new Set(money.outcomes.keys()),
    }))
    const config = {
      number,
      assumptions: { queue, fills, gaps, requestLatency, responseLatency, seed, switches },
      accounts,
      corporateActions,
      money,
      faults,
      instruments: replay.directory,
      underlyings: replay.underlyings,
      receivedLatencyNs: (instrumentId: number) => replay.feeds.get(instrumentId)?.receivedLatencyNs ?? 0,
    }
    this.#world = new World(config, replay.markets, replay.agenda, this.#observer())
    replay.worlds.set(number, this.#world)
    this.#venue = this.#openVenue()
  }

  /** True once nothing more can happen: a gap or the end of its data has ended the world. */
  get isOver(): boolean {
    return this.#world.isOver
  }

  /**
   * The first instant that this world does not see: behind the last recorded event of the instruments that its
   * parameters name, of all where they name none (exchange rules 1.6). Infinity where `to` ends the run, where the
   * world is over, and as long as a file of it has not been read to its end.
   */
  endNs(): number {
    const { replay: { instruments }, plan: { span } } = this.#setup
    if (this.#runtime === null || span.toNs !== Infinity || this.isOver) return Infinity
    if (this.#endNs !== Infinity) return this.#endNs
    const { instrumentIds } = this.#runtime
    let lastNs = span.fromNs
    for (const { feed } of instruments) {
      if (instrumentIds.length > 0 && !instrumentIds.includes(feed.instrumentId)) continue
      if (!feed.ended) return Infinity
      lastNs = Math.max(lastNs, feed.lastRecordedNs)
    }
    this.#endNs = lastNs + 1
    return this.#endNs
  }

  /**
   * Makes the strategy: its parameters, `onStart`, what it subscribes to; `resume` takes it up where a checkpoint left
   * it.
   */
  start(resume: RunInstanceState | null): void {
    const { replay, options, plan } = this.#setup
    const warn = (text: string): void => {
      this.#report.warned(text)
      this.#records.warned(CLIENT, replay.clock.nowNs(), text)
    }
    if (resume === null) {
      this.#report.start(this.#world)
      for (const sentence of strategySourceWarnings(options.strategy)) warn(sentence)
    }
    this.#runtime = startStrategy({
      venue: this.#venue,
      clientId: CLIENT,
      strategy: options.strategy,
      parameters: this.#parameters,
      accounts: this.#world.config.accounts.map(({ accountId, exchangeCode }) => ({ accountId, exchangeCode })),
      sink: {
        warned: warn,
        log: (text) => this.#records.log(CLIENT, replay.clock.nowNs(), text),
        stopped: (reason) => {
          this.#report.stopped(reason)
          this.#records.stopped(CLIENT, replay.clock.nowNs(), reason)
        },
        marketState: (instrumentId, state, text) =>
          this.#records.marketState(replay.clock.nowNs(), { instrumentId, state, text }),
        discarded: (order) =>
          this.#report.discarded(CLIENT, discardedEntry(order, replay.directory), order.discardReason ?? 'DISCARDED'),
      },
      shuffleSeed: options.shuffleSeed ?? null,
      entryStates: plan.entryStates,
      tactics: KEPT_TACTICS,
      resume: resume?.runtime ?? null,
    })
    if (resume === null) return
    this.#world.restore(resume.world)
    this.#venue.restore(resume.venue)
    this.#journal.restore(resume.journal)
    this.#records.restore(resume.records)
    this.#report.restore(this.#world, resume.report)
    this.#markets = resume.markets
    if (this.isOver) void this.#venue.close()
  }

  /**
   * The clock has been restored after {@link start}: timers that the strategy registered anew, which no checkpoint
   * knows, are set again.
   */
  clockRestored(): void {
    this.#runtime?.clockRestored()
  }

  /** Terms that hold from this midnight on: the world's journal names them before any order feels them. */
  termsChanged(terms: InstrumentTerms): void {
    if (this.isOver) return
    if (this.#venue.instrumentIds.includes(terms.instrumentId)) this.#records.terms(terms.timeNs, terms)
    this.#world.termsChanged(terms.instrumentId, terms.timeNs)
  }

  stop(reason: string): void {
    this.#runtime?.stop(reason)
  }

  /** Ends a world at the gap that halts it: nothing more of it is received, however long its siblings go on. */
  endInGap(): void {
    const { halt } = this.#world
    if (halt === null) return
    const { clock } = this.#setup.replay
    clock.advance(Math.max(clock.nowNs(), halt.timeNs))
    this.stop('a gap ended the world')
    void this.#venue.close()
  }

  /**
   * Ends a world with its data (exchange rules 1.6): everything up to then has been played, nothing more is received of
   * it.
   */
  endWithData(): void {
    const { clock } = this.#setup.replay
    clock.advance(this.#endNs - 1)
    this.#finish(clock.nowNs(), clock.nowNs())
    this.#world.end()
    void this.#venue.close()
  }

  /** The end of a world that ran to it: its strategy stops, outcomes are paid, and what its markets are is kept. */
  #finish(nowNs: number, playedNs: number): void {
    this.#markets = this.#marketSummaries(nowNs, playedNs)
    this.stop('the data have ended')
    this.#world.money.settleOutcomes(nowNs)
    this.#report.finish(nowNs)
  }

  /** Fields of the strategy that a checkpoint would not hold. */
  get unsavedFields(): readonly string[] {
    return this.#runtime?.unsavedFields() ?? []
  }

  state(): RunInstanceState {
    const runtime = this.#runtime?.state()
    if (runtime === undefined) throw new Error(`World ${this.number} has not started`)
    return {
      world: this.#world.state(), runtime, venue: this.#venue.state(), journal: this.#journal.state(),
      records: this.#records.state(), report: this.#report.state(), markets: this.#markets,
    }
  }

  /** The world's result; where the data behind its end were not read, their digests are missing and it is partial. */
  result({ isPartial, isRead }: { readonly isPartial: boolean, readonly isRead: boolean }): BacktestResult {
    const { replay, input, assumptions, plan: { span } } = this.#setup
    const nowNs = replay.clock.nowNs()
    const playedNs = Math.min(nowNs, span.toNs - 1)
    if (!isPartial && !this.isOver) this.#finish(nowNs, playedNs)
    const isCut = this.#world.halt !== null || (isPartial && !this.isOver) || !isRead
    const configuration = worldConfiguration(
      this.#setup, this.#parameters, this.#world.config.accounts, this.#venue.instrumentIds,
    )
    const configDigest = createHash('sha256').update(canonicalJson(configuration)).digest('hex')
    const journalDigest = this.#journal.digest()
    const report = this.#report
    const fingerprint = `bt2:${createHash('sha256').update(`${configDigest}\n${journalDigest}`).digest('hex')}`
    const metadata = new Map([
      ['set', String(this.number)], ['parameters', canonicalJson(this.#parameters as CanonicalValue)],
      ['fingerprint', fingerprint],
    ])
    const setting = {
      epochDay: replay.clock.epochDay, instruments: replay.directory, underlyings: replay.underlyings, metadata,
    }
    return {
      fingerprint,
      configDigest,
      configuration: configuration as unknown as Readonly<Record<string, unknown>>,
      parameters: this.#parameters,
      journalDigest,
      segmentDigests: this.#journal.segmentDigests,
      journalLineCount: this.#journal.lineCount,
      isPartial: isCut,
      trim: input.trim,
      summary: summaryOf({
        world: this.#world,
        report,
        replay,
        trim: input.trim,
        selection: input.selection,
        isPartial: isCut,
        assumptions: assumptionNames(assumptions),
        markets: this.#markets ?? this.#marketSummaries(nowNs, playedNs),
        terms: this.#termsUntil(report.endNs ?? nowNs),
        windowNotes: isCut
          ? []
          : windowNotes(replay, this.#world, this.#venue.instrumentIds, span.fromNs, this.#report.finish(nowNs).timeNs),
      }),
      fills: fillTable(report.fills.rows, setting),
      orders: orderTable(report.orders.rows, setting),
      equity: equityTable(report.equity.rows, setting),
    }
  }

  /** Terms of the instruments that the world asked for, as they changed after its begin and up to a time. */
  #termsUntil(untilNs: number): readonly InstrumentTerms[] {
    const {
      replay, plan: { span },
    } = this.#setup
    return replay.terms.steps.filter(
      ({ instrumentId, timeNs }) =>
        timeNs > span.fromNs && timeNs <= untilNs && this.#venue.instrumentIds.includes(instrumentId),
    )
  }

  /**
   * Markets that the world asked for, the exchange side of those that nobody watches played up to `untilNs`; where one
   * of them halts the world then, as they play on.
   */
  #marketSummaries(nowNs: number, untilNs: number, haltingId: number | null = null): readonly MarketSummary[] {
    const { replay } = this.#setup
    const askedIds = this.#venue.instrumentIds
    for (const { feed, market } of replay.instruments)
      if (askedIds.includes(feed.instrumentId) && !market.isWatched) market.advance(untilNs, () => false)
    return marketSummaries(replay, askedIds, nowNs, haltingId)
  }

  #openVenue(): SimulatedVenue {
    const { replay, seed } = this.#setup
    return new SimulatedVenue({
      clientId: CLIENT,
      seed,
      clock: replay.counts.clockOf(this.number, replay.clock.forClients(`${this.number} `)),
      instruments: replay.directory,
      underlyings: replay.underlyings,
      world: this.#world,
      views: replay.views,
      subscribers: replay.subscribers,
      onState: (instrumentId, state, text) => {
        const nowNs = replay.clock.nowNs()
        const silentNs = silentSinceNs(text, replay.clock.epochDay)
        const reason = text === GAP_TEXT ? 'gap' : Number.isNaN(silentNs) ? 'error' : 'silence'
        const lastGoodNs = reason === 'silence' ? silentNs : (replay.feeds.get(instrumentId)?.lastDepthNs() ?? NaN)
        if (state === 'ERROR') this.#records.gap('local', nowNs, instrumentId, { reason, lastGoodNs })
        this.#records.marketState(nowNs, { instrumentId, state, text })
      },
    })
  }

  #observer(): WorldObserver {
    const records = this.#records
    const report = this.#report
    return {
      requested: (clientId, timeNs, request, accountId) => {
        report.requested(clientId, timeNs, request, accountId)
        records.requested(clientId, timeNs, request, accountId)
      },
      delivered: (clientId, timeNs, message, accountId) => {
        report.delivered(clientId, timeNs, message)
        records.delivered(clientId, timeNs, message, accountId)
      },
      bookLost: (instrumentId, period, isMet) => {
        // What happens in a market comes before the requests of its instant, and by the number of its instrument
        // (exchange rules 1.3).
        const { sinceNs, detectedNs, reason } = period
        // Before the world is valued: what was received until then may still wait to be passed.
        if (this.#setup.assumptions.gaps === 'halt') this.#onHalt(detectedNs)
        report.bookLost(instrumentId, period)
        records.gap('exchange', detectedNs, instrumentId, { reason, lastGoodNs: sinceNs })
        if (this.#setup.assumptions.gaps === 'halt')
          this.#markets = isMet
            ? this.#marketSummaries(detectedNs, detectedNs)
            : this.#marketSummaries(detectedNs, detectedNs - 1, instrumentId)
      },
      filled: (...execution) => report.filled(...execution),
      changed: (...change) => report.changed(...change),
      money: (event) => {
        report.money(event)
        records.money(event)
      },
      stopped: (_clientId, _timeNs, reason) => { this.#runtime?.requestStop(reason) },
      bookRecovered: (instrumentId, timeNs) => records.bookRecovered(timeNs, instrumentId),
    }
  }
}
