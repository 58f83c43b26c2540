import { runStrategies } from '../configuration/run-strategies.js'
import type { CanonicalValue } from '../model/canonical-json.js'
import { BacktapeError } from '../model/error.js'
import { ratesOfData } from '../model/usd-rate.js'
import { OrderTable } from '../orders/order-table.js'
import { SimulatedClock } from '../replay/simulated-clock.js'
import { PriceCourses } from '../report/price-course.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { EQUITY_INTERVAL_NS, RunRecorder } from '../results/run-recorder.js'
import { liveNotes } from '../results/run-warnings.js'
import type { Journal } from '../results/journal.js'
import { summaryOf } from '../results/summary.js'
import type { SummaryParts } from '../results/summary-parts.js'
import { recordOf } from '../results/world-record.js'
import { worldResult } from '../results/world-result.js'
import { RowStore } from '../rows/row-store.js'
import type { StrategyAccount } from '../strategy/instrument-registry.js'
import type { AccountState } from '../venue/account-messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { FollowedInstruments } from './followed-instruments.js'
import { LiveLedger } from './live-ledger.js'
import type { LiveOptions } from './live-options.js'
import type { ReceivedFacts } from './received-facts.js'

/** The parts of a record. */
export interface LiveRecordParts {
  readonly options: LiveOptions
  readonly clientId: string
  readonly epochDay: number
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /** Instruments that are followed, and their markets: more may come. */
  readonly followed: Pick<FollowedInstruments, 'all' | 'markets'>
}

/** An account with its state at the login. */
export interface OpenedAccount extends StrategyAccount {
  readonly state: AccountState
}

/** The end of a run, for its result. */
export interface LiveEnding {
  readonly nowNs: number
  readonly journal: Journal
  readonly pace: string
  readonly isPartial: boolean
  /** Sentences that the summary has among its warnings. */
  readonly warnings: readonly string[]
}

const ASSUMPTIONS = {
  'market data': 'as the feed sent them', fills: 'as the adapter reported them', fees: 'as the fills state them',
}

/**
 * The tables, samples and sums of a run over sockets, by the recorder of a backtest. It has a clock of its own, behind
 * that of the strategy: a sample of a time is taken before anything later is received, and wakes nothing.
 */
export class LiveRecord {
  readonly recorder: RunRecorder
  readonly ledger: LiveLedger
  readonly #clock: SimulatedClock
  readonly #accounts: OpenedAccount[] = []
  #isWhole = true

  constructor(private readonly parts: LiveRecordParts) {
    const { epochDay, instruments, underlyings, clientId, followed: { all: followed, markets: views } } = parts
    const store = new RowStore(true)
    const orders = new OrderTable(store, true)
    const clock = (this.#clock = new SimulatedClock(epochDay, -Infinity))
    const facts = (): readonly ReceivedFacts[] => [...followed.values()].map((one) => one.facts)
    this.recorder = new RunRecorder({
      clock: clock.forClients('report '), instruments, views, intervalNs: EQUITY_INTERVAL_NS, store, orders,
      equityRows: null, haltsInGap: false, courses: new PriceCourses(),
      instrumentIds: () => [...followed.keys()].sort((a, b) => a - b),
      receivedFromNs: () => facts().reduce((first, { firstNs }) => Math.min(first, firstNs), Infinity),
      receivedUntilNs: () => facts().reduce((last, { lastNs }) => Math.max(last, lastNs), -Infinity),
      isBehindData: () => false, passLinesBefore: () => undefined,
    })
    this.ledger = new LiveLedger({
      epochDay, clientId, instruments, views, orders, recorder: this.recorder,
      usdRates: ratesOfData(underlyings.entries),
    })
  }

  /** The strategy is about to start: accounts are as they are now. */
  start(accounts: readonly OpenedAccount[], nowNs: number): void {
    this.#clock.advance(nowNs)
    this.#accounts.push(...accounts)
    for (const { state, ...account } of accounts) this.ledger.open(account, state)
    this.recorder.start(this.ledger)
  }

  /** It has started and may trade some instruments. */
  begin(tradingIds: readonly number[]): void {
    this.recorder.rates.begin(tradingIds, null, this.parts.underlyings)
    this.recorder.begin()
  }

  /** A request is sent. */
  requested(accountId: string, nowNs: number, request: ClientRequest): void {
    this.#guard(() => { this.ledger.requested(accountId, nowNs, request) })
  }

  /** A message has reached the client. */
  delivered(accountId: string, nowNs: number, message: ClientMessage): void {
    this.#guard(() => { this.ledger.delivered(accountId, nowNs, message) })
  }

  /** Samples of every time before this one are taken; nothing of it has been received. */
  advance(nowNs: number): void {
    this.#guard(() => { this.#advance(nowNs) })
  }

  /** A figure that cannot be held exactly ends no trading: the result says that it is not whole. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof BacktapeError)) throw error
      this.#isWhole = false
      this.ledger.note(`the record of the run is not whole: ${error.message}`)
    }
  }

  #advance(nowNs: number): void {
    const clock = this.#clock
    const { ledger } = this
    for (;;) {
      const [timerNs, settleNs] = [clock.nextTimerNs(), ledger.settleNs]
      const due = Math.min(timerNs, settleNs)
      if (due >= nowNs) break
      clock.advance(due)
      if (settleNs <= timerNs) ledger.settle(due)
      else clock.fire(1)
    }
    clock.advance(nowNs)
  }

  /** The result of a run that ends now. */
  result({ nowNs, journal, pace, isPartial: isCut, warnings }: LiveEnding): BacktestResult {
    this.advance(nowNs)
    this.ledger.end()
    const end = this.recorder.finish(nowNs)
    const isPartial = isCut || !this.#isWhole
    const { epochDay, instruments, underlyings, options, followed: { all: followed } } = this.parts
    const { strategy, parameters = {} } = options
    const setting = { epochDay, instruments, underlyings }
    const parts: SummaryParts = {
      world: this.ledger, report: this.recorder, isSimulated: false, end, setting, trim: 'none', isPartial,
      assumptions: ASSUMPTIONS,
      markets: [...followed.values()].map(({ facts, entry }) => facts.summary(entry, epochDay, end.timeNs)),
      terms: [], selection: [], strategies: [], pasts: [], signals: [],
    }
    const notes = liveNotes(parts)
    const summary = summaryOf(parts, {
      ...notes, planNotes: [], warnings: [...notes.warnings, ...this.ledger.notes, ...warnings],
    })
    const configuration = {
      kind: 'live', strategy: strategy.name, parameters, pace, instruments: [...followed.keys()],
      accounts: this.#accounts.map(({ accountId, exchangeCode }) => ({
        accountId, exchangeCode, balances: [...(this.ledger.accounts.get(accountId)?.config.balances ?? [])],
      })),
    }
    return worldResult({
      number: 0, record: recordOf(this.recorder, this.ledger, true),
      settled: {
        configuration: configuration as unknown as CanonicalValue, journalDigest: journal.digest(),
        segmentDigests: journal.segmentDigests, journalLineCount: journal.lineCount, isCut: isPartial,
        endNs: end.timeNs, summary, bookUnknown: [],
        feedBins: parts.markets.map(({ instrumentId, instrument }) => (
          [instrument, followed.get(instrumentId)?.facts.latencies.bins() ?? []])),
      },
    }, {
      kind: 'live', ...setting, trim: 'none', strategies: runStrategies({ strategy }), sets: [parameters], isKept: true,
      threadCount: 1,
    })
  }
}
