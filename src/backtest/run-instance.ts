import { basename } from 'node:path'
import type { World } from '../exchange/world.js'
import { unknownSpansUntil } from '../exchange/market/unknown-book-time.js'
import type { SignalRow } from '../model/signal-row.js'
import type { SignalFeed } from '../simulation/signal-feed.js'
import type { JournalSink } from '../report/journal-sink.js'
import type { Journal } from '../results/journal.js'
import type { SignalSummary } from '../report/run-summary.js'
import type { PriceCourses } from '../report/price-course.js'
import { OrderTable } from '../orders/order-table.js'
import type { RowStore } from '../rows/row-store.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { WarmUp } from '../strategy/warm-up.js'
import { assumptionNames } from '../configuration/assumptions.js'
import type { EndedWorld } from '../results/world-result.js'
import type { RunInstanceState, WorldMarkets } from './checkpoint-state.js'
import { localGap } from './local-gap.js'
import { worldConfiguration, type RunSetup } from './run-setup.js'
import { openWorld } from './run-world.js'
import type { Witnesses } from '../simulation/client-venue.js'
import type { InstrumentPast } from '../simulation/history.js'
import type { MessageRecord } from '../venue/channels.js'
import type { MarketDataState } from '../venue/venue.js'
import type { WorldParts } from './outside-world.js'
import { RunClient, type ClientWorld } from './run-client.js'
import { simulatedNotes } from '../results/run-warnings.js'
import { accountTexts, marketSummaries, summaryOf } from '../results/summary.js'
import type { SimulatedParts } from '../results/summary-parts.js'
import { windowNotes } from '../results/window-notes.js'
import { RunJournal } from '../results/run-journal.js'
import { EQUITY_INTERVAL_NS, RunRecorder } from '../results/run-recorder.js'
import { recordOf } from '../results/world-record.js'
import type { WorldObserver } from '../exchange/world-config.js'
import { watchedObserver } from '../results/stretch-recorder.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'

/** The way in which a run has ended, for the results of its worlds. */
interface WorldSettling extends Pick<SimulatedParts, 'isPartial' | 'otherEngines'> {
  /** False where the data behind the end were not read. */
  readonly isRead: boolean
}

/** One set of parameters in a run: its world, its strategy, what is written down of it. */
export class RunInstance {
  readonly #world: World
  readonly #orders: OrderTable
  readonly #journal: Journal
  readonly #records: RunJournal
  readonly #report: RunRecorder
  /** In the order of the run's strategies; none before {@link start}. */
  #clients: readonly RunClient[] = []
  readonly #witnesses: Witnesses = new Map()
  /** Rows of each signal that were played in this world. */
  #signalCounts: number[]
  /** Its markets as they were when the world ended, which its siblings play on; null before. */
  #markets: WorldMarkets | null = null
  /** {@link endNs}, once it is known. */
  #endNs = Infinity
  /** Sees what its clients see, and changes nothing. */
  #watcher: WorldObserver | null = null
  /** Market data of before the run that were played for its strategy. */
  #pasts: readonly InstrumentPast[] = []

  constructor(
    readonly number: number,
    private readonly parameters: ParameterConfig,
    private readonly setup: RunSetup,
    /** The memory of tables, and courses of prices, of the worlds of its pass. */
    { store, courses }: { readonly store: RowStore; readonly courses: PriceCourses },
    /** Takes the lines of its journal. */
    sink: JournalSink | null,
    private readonly onHalt: (timeNs: number) => void,
    /** Lets its clients' markets take the lines before a time that nobody asked for. */
    passLinesBefore: (timeNs: number) => void,
  ) {
    const { replay, assumptions } = setup
    this.#signalCounts = setup.signals.feeds.map(() => 0)
    this.#orders = new OrderTable(store, true)
    this.#records = new RunJournal(sink, replay.directory, replay.clock.epochDay)
    this.#journal = this.#records.journal
    this.#report = new RunRecorder({
      clock: replay.clock.forClients(`report ${number} `),
      instruments: replay.directory,
      views: replay.views,
      intervalNs: EQUITY_INTERVAL_NS,
      store,
      orders: this.#orders,
      equityRows: setup.plan.equityRows,
      haltsInGap: assumptions.gaps === 'halt',
      receivedFromNs: () =>
        this.#askedIds.reduce(
          (first, id) => Math.min(first, replay.feeds.get(id)?.firstReceivedNs ?? Infinity), Infinity,
        ),
      receivedUntilNs: () =>
        this.#askedIds.reduce(
          (last, id) => Math.max(last, replay.feeds.get(id)?.receivedInRunNs ?? -Infinity), -Infinity,
        ),
      isBehindData: (id, timeNs) => replay.feeds.get(id)?.isBehindData(timeNs) ?? false,
      instrumentIds: () => this.#askedIds,
      courses,
      passLinesBefore,
    })
    const observer = watchedObserver(this.#observer(), () => this.#watcher)
    this.#world = openWorld(setup, number, observer, this.#orders)
  }

  /** Instruments that its strategies have asked for, ascending: what it did depends on them alone. */
  get #askedIds(): readonly number[] {
    const [only] = this.#clients
    if (only !== undefined && this.#clients.length === 1) return only.instrumentIds
    return [...new Set(this.#clients.flatMap(({ instrumentIds }) => instrumentIds))].sort((a, b) => a - b)
  }

  /** Instruments that its strategies may trade. */
  get tradingIds(): readonly number[] {
    return this.#clients.flatMap(({ runtime }) => runtime.tradingIds)
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
    const { replay: { instruments }, plan: { span } } = this.setup
    if (this.#clients.length === 0 || span.toNs !== Infinity || this.isOver) return Infinity
    if (this.#endNs !== Infinity) return this.#endNs
    const instrumentIds = this.#clients.flatMap(({ runtime }) => runtime.instrumentIds)
    let lastNs = span.fromNs
    for (const { feed } of instruments) {
      if (instrumentIds.length > 0 && !instrumentIds.includes(feed.instrumentId)) continue
      if (!feed.ended) return Infinity
      lastNs = Math.max(lastNs, feed.lastRecordedNs)
    }
    this.#endNs = lastNs + 1
    return this.#endNs
  }

  /** Makes its strategies, one after the other; `resume` takes them up where a checkpoint left them. */
  start(resume: RunInstanceState | null): void {
    const setup = this.setup
    const of: ClientWorld = {
      number: this.number, setup, world: this.#world, report: this.#report, records: this.#records,
      witnesses: this.#witnesses,
      onState: (...state: readonly [instrumentId: number, state: MarketDataState, text: string]) => {
        this.#noteState(...state)
      },
      onPublish: (...message) => { this.#publish(...message) },
    }
    if (resume === null) this.#report.start(this.#world)
    for (const [at, strategy] of setup.strategies.entries())
      this.#clients = [...this.#clients, new RunClient(of, strategy, this.parameters, resume?.clients[at] ?? null)]
    if (resume === null) {
      this.#report.rates.begin(this.tradingIds, setup.plan.currency, setup.replay.underlyings)
      return this.#report.begin()
    }
    this.#world.restore(resume.world)
    this.#journal.restore(resume.journal)
    this.#records.restore(resume.records)
    this.#report.restore(this.#world, resume.report)
    this.#markets = resume.markets
    this.#signalCounts = [...(resume.signalCounts ?? this.#signalCounts)]
    this.#pasts = resume.pasts
    if (this.isOver) this.#close()
  }

  /** Its parts, for a program around the run. */
  get parts(): WorldParts {
    const [world, report, clients, askedIds] = [this.#world, this.#report, this.#clients, this.#askedIds]
    return { setup: this.setup, world, report, clients, askedIds, journal: this.#journal }
  }

  /** Shows an observer what its clients see from here on; null: nobody. */
  observe(observer: WorldObserver | null): void {
    this.#watcher = observer
  }

  #close(): void {
    for (const client of this.#clients) client.close()
  }

  /** The market data of before the run that its strategies want. */
  get warmUps(): readonly WarmUp[] {
    return this.#clients.flatMap(({ runtime: { warmUp } }) => (warmUp === null ? [] : [warmUp]))
  }

  /** They have been played. */
  pastPlayed(pasts: readonly InstrumentPast[]): void {
    this.#pasts = pasts
  }

  /**
   * The clock has been restored after {@link start}: timers that the strategy registered anew, which no checkpoint
   * knows, are set again.
   */
  clockRestored(): void {
    for (const { runtime } of this.#clients) runtime.clockRestored()
  }

  /** Terms that hold from this midnight on: the world's journal names them before any order feels them. */
  termsChanged(terms: InstrumentTerms): void {
    if (this.isOver) return
    if (this.#askedIds.includes(terms.instrumentId)) this.#records.terms(terms)
    this.#world.termsChanged(terms.instrumentId, terms.timeNs)
  }

  /** Passes a row of a signal on to the strategy, unless the world is over. */
  playSignal(index: number, row: SignalRow): void {
    if (this.isOver) return
    this.#signalCounts[index] = (this.#signalCounts[index] ?? 0) + 1
    const { terms } = this.setup.signals.feeds[index] as SignalFeed
    for (const client of this.#clients) client.playSignal(terms, row)
  }

  /** Writes down what a client publishes; the other clients of its world receive it within this instant. */
  #publish(clientId: string, channel: string, message: string, record: MessageRecord | undefined): void {
    this.#records.published(clientId, this.setup.replay.clock.nowNs(), channel, message, record)
    const sent = Object.freeze({ origin: clientId, message, ...(record === undefined ? {} : { record }) })
    for (const client of this.#clients) if (client.clientId !== clientId) client.receiveMessage(channel, sent)
  }

  #signalSummaries(): readonly SignalSummary[] {
    return this.setup.signals.feeds.map(({ terms, file, skippedCount, isEnded, nextNs }, at) => ({
      name: terms.name, file: basename(terms.path), sha256: file.sha256, playedCount: this.#signalCounts[at] ?? 0,
      skippedCount, isCut: !isEnded || nextNs < Infinity,
    }))
  }

  stop(reason: string): void {
    for (const { runtime } of this.#clients) runtime.stop(reason)
  }

  /** Ends a world at the gap that halts it: nothing more of it is received, however long its siblings go on. */
  endInGap(): void {
    const { halt } = this.#world
    if (halt === null) return
    const { clock } = this.setup.replay
    clock.advance(Math.max(clock.nowNs(), halt.timeNs))
    this.stop('a gap ended the world')
    this.#close()
  }

  /**
   * Ends a world with its data (exchange rules 1.6): everything up to then has been played, nothing more is received of
   * it.
   */
  endWithData(): void {
    const { clock } = this.setup.replay
    clock.advance(this.#endNs - 1)
    this.#finish(clock.nowNs(), clock.nowNs())
    this.#world.end()
    this.#close()
  }

  /** The end of a world that ran to it: its strategy stops, outcomes are paid, and what its markets are is kept. */
  #finish(nowNs: number, playedNs: number): void {
    this.#markets = this.#marketsAt(nowNs, playedNs)
    this.stop('the data have ended')
    this.#world.settlement.settleOutcomes(nowNs)
    this.#report.finish(nowNs)
  }

  /** Fields of the strategy that a checkpoint would not hold. */
  get unsavedFields(): readonly string[] {
    return this.#clients.flatMap(({ runtime }) => runtime.unsavedFields())
  }

  state(): RunInstanceState {
    return {
      world: this.#world.state(), clients: this.#clients.map((client) => client.state()),
      journal: this.#journal.state(),
      records: this.#records.state(), report: this.#report.state(), markets: this.#markets, pasts: this.#pasts,
      ...(this.#signalCounts.length === 0 ? {} : { signalCounts: this.#signalCounts }),
    }
  }

  /** Ends the world where it stands; where the data behind its end were not read, their digests are missing. */
  settle({ isPartial, isRead, otherEngines }: WorldSettling): EndedWorld {
    const { replay, input, assumptions, strategies, options, plan: { span } } = this.setup
    const nowNs = replay.clock.nowNs()
    const playedNs = Math.min(nowNs, span.toNs - 1)
    if (!isPartial && !this.isOver) this.#finish(nowNs, playedNs)
    const isCut = this.#world.halt !== null || (isPartial && !this.isOver) || !isRead
    const [askedIds, journal] = [this.#askedIds, this.#journal]
    const { summaries: markets, feedBins } = this.#markets ?? this.#marketsAt(nowNs, playedNs)
    // A run that was stopped ends here; any other has ended.
    const end = this.#report.finish(nowNs)
    const parts: SimulatedParts = {
      world: this.#world, report: this.#report, isSimulated: true, end, replay,
      setting: { epochDay: replay.clock.epochDay, instruments: replay.directory, underlyings: replay.underlyings },
      trim: input.trim,
      selection: input.selection,
      pasts: this.#pasts,
      signals: this.#signalSummaries(),
      strategies: strategies.flatMap(({ name, strategy }) => (
        name === null ? [] : [{ clientId: name, className: strategy.name }])),
      isPartial: isCut,
      assumptions: { ...assumptionNames(assumptions), ...accountTexts(this.#world) },
      markets,
      terms: this.#termsUntil(end.timeNs),
      windowNotes: isCut ? [] : windowNotes(replay, this.#world, askedIds, span.fromNs, end.timeNs),
      otherEngines,
    }
    const settled = {
      configuration: worldConfiguration(
        this.setup, this.parameters, this.#world.config.accounts, askedIds, this.#pasts,
      ),
      journalDigest: journal.digest(), segmentDigests: journal.segmentDigests, journalLineCount: journal.lineCount,
      isCut, endNs: end.timeNs, summary: summaryOf(parts, simulatedNotes(parts)), feedBins,
      bookUnknown: replay.instruments.flatMap(({ feed: { instrumentId }, market }) => (
        askedIds.includes(instrumentId)
          ? unknownSpansUntil(market, end.timeNs).map((one) => ({ instrumentId, ...one }))
          : [])),
    }
    return { number: this.number, settled, record: recordOf(this.#report, this.#world, options.tables !== 'none') }
  }

  /** Terms of the instruments that the world asked for, as they changed after its begin and up to a time. */
  #termsUntil(untilNs: number): readonly InstrumentTerms[] {
    const {
      replay, plan: { span },
    } = this.setup
    return replay.terms.steps.filter(
      ({ instrumentId, timeNs }) =>
        timeNs > span.fromNs && timeNs <= untilNs && this.#askedIds.includes(instrumentId),
    )
  }

  /**
   * Markets that the world asked for, the exchange side of those that nobody watches played up to `untilNs`; where one
   * of them halts the world then, as they play on.
   */
  #marketsAt(nowNs: number, untilNs: number, haltingId: number | null = null): WorldMarkets {
    const { replay } = this.setup
    const askedIds = this.#askedIds
    for (const { feed, market } of replay.instruments)
      if (askedIds.includes(feed.instrumentId) && !market.isWatched) market.advance(untilNs, () => false)
    const summaries = marketSummaries(replay, askedIds, nowNs, haltingId)
    return {
      summaries,
      feedBins: summaries.map(({ instrumentId, instrument }) => (
        [instrument, replay.feeds.get(instrumentId)?.latencies.bins() ?? []])),
    }
  }

  /** Writes a state of an instrument down that a strategy asked for, and the gap that it begins. */
  #noteState(instrumentId: number, state: MarketDataState, text: string): void {
    const { replay } = this.setup
    const nowNs = replay.clock.nowNs()
    if (state === 'ERROR') this.#records.gap('local', nowNs, instrumentId, localGap(replay, instrumentId, text))
    this.#records.marketState(nowNs, { instrumentId, state, text })
  }

  #observer(): WorldObserver {
    const records = this.#records
    const report = this.#report
    return {
      requested: (clientId, timeNs, request, accountId, rows) => {
        report.requested(clientId, timeNs, request, accountId, rows)
        records.requested(clientId, timeNs, request, accountId)
      },
      delivered: (clientId, timeNs, message, accountId, origin) => {
        report.delivered(clientId, timeNs, message, accountId, origin)
        records.delivered(clientId, timeNs, message, accountId)
      },
      bookLost: (instrumentId, period, isMet) => {
        // What happens in a market comes before the requests of its instant, and by the number of its instrument
        // (exchange rules 1.3).
        const { sinceNs, detectedNs, reason } = period
        // Before the world is valued: what was received until then may still wait to be passed.
        if (this.setup.assumptions.gaps === 'halt') this.onHalt(detectedNs)
        report.bookLost(instrumentId, period)
        records.gap('exchange', detectedNs, instrumentId, { reason, lastGoodNs: sinceNs })
        if (this.setup.assumptions.gaps === 'halt')
          this.#markets = isMet
            ? this.#marketsAt(detectedNs, detectedNs)
            : this.#marketsAt(detectedNs, detectedNs - 1, instrumentId)
      },
      filled: (order, fill, posted, cause, row) => { report.filled(order, fill, posted, cause, row) },
      changed: (order, orderReport, quantityScale) => { report.changed(order, orderReport, quantityScale) },
      money: (event) => {
        report.money(event)
        records.money(event)
      },
      stopped: (clientId, _timeNs, reason) => {
        this.#clients.find((client) => client.clientId === clientId)?.runtime.requestStop(reason)
      },
      bookRecovered: (instrumentId, timeNs) => {
        records.bookRecovered(timeNs, instrumentId)
      },
    }
  }
}
