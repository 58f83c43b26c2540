import type { World } from '../exchange/world.js'
import { setsOf, type RunStrategy } from '../configuration/run-strategies.js'
import { strategySourceWarnings } from '../configuration/strategy-module-reader.js'
import { epochNsFromTime } from '../model/time.js'
import type { MarketDataState, OrderEntry } from '../venue/venue.js'
import type { RunRecorder } from '../results/run-recorder.js'
import type { RunJournal } from '../results/run-journal.js'
import { ClientVenue, type Witnesses } from '../simulation/client-venue.js'
import { sentMessageOf } from '../simulation/message-columns.js'
import type { SignalTerms } from '../simulation/signal-feed.js'
import type { SignalRow } from '../model/signal-row.js'
import type { MessageRecord, SentMessage } from '../venue/channels.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { startStrategy, type StrategyRuntime } from '../strategy/runtime.js'
import { KEPT_TACTICS } from '../strategy/tactics/kept-tactics.js'
import type { RunClientState } from './checkpoint-state.js'
import type { RunSetup } from './run-setup.js'

/** The parts of a world that its clients share. */
export interface ClientWorld {
  readonly number: number
  readonly setup: RunSetup
  readonly world: World
  readonly report: RunRecorder
  readonly records: RunJournal
  /** Instruments whose states the journal has: each is written down once, whoever asked for it. */
  readonly witnesses: Witnesses
  readonly onState: (instrumentId: number, state: MarketDataState, text: string) => void
  /** Called with each message that a client publishes. */
  readonly onPublish: (
    clientId: string, channel: string, message: string, record: MessageRecord | undefined,
  ) => void
}

/** Most entries of one request. */
const MOST_ENTRIES = 100

/** Characters of a parameter set in an error. */
const SET_MAX = 200

/** A set of several in the error of its strategy: its number and its parameters. */
function setWords(number: number, set: ParameterConfig): string {
  const text = JSON.stringify(set)
  return `of parameters[${number}] ${text.length > SET_MAX ? `${text.slice(0, SET_MAX)}...` : text}`
}

/** One strategy in a world: its client at the venue, its runtime, what is written down of it. */
export class RunClient {
  readonly runtime: StrategyRuntime
  readonly #venue: ClientVenue
  /** By account id. */
  readonly #entries: Map<string, OrderEntry> = new Map()

  /** Makes the strategy: its parameters, `onStart`, what it subscribes to; `resume` goes on where a checkpoint was. */
  constructor(
    private readonly of: ClientWorld,
    private readonly strategy: RunStrategy,
    set: ParameterConfig,
    resume: RunClientState | null,
  ) {
    this.#venue = this.#openVenue()
    this.runtime = this.#start(set, resume)
    if (resume !== null) this.#venue.restore(resume.venue)
  }

  get clientId(): string {
    return this.strategy.clientId
  }

  /** Instruments that it has asked for, ascending. */
  get instrumentIds(): readonly number[] {
    return this.#venue.instrumentIds
  }

  /** A row of a signal has become known. */
  playSignal({ name, channel }: SignalTerms, row: SignalRow): void {
    if (channel === undefined) this.#venue.playSignal(name, row)
    else this.#venue.playMessage(channel, sentMessageOf(row))
  }

  /** A message has come from outside of the run. */
  playMessage(channel: string, message: SentMessage): void {
    this.#venue.playMessage(channel, message)
  }

  /** Cancels what its strategy has open: by `cancelAll` where the adapter has it, else one by one. */
  cancelOpen(): void {
    const { clock } = this.#venue
    for (const [accountId, entry] of this.#entries) {
      const entries = this.runtime.openOrders.filter((order) => order.accountId === accountId)
        .map(({ ownOrderId }) => ({ ownOrderId }))
      if (entries.length === 0) continue
      if (entry.capabilities.cancelAll)
        entry.cancelAll({ requestId: this.#venue.newId(), createTimeNs: clock.nowNs() })
      else for (let at = 0; at < entries.length; at += MOST_ENTRIES) entry.cancel(entries.slice(at, at + MOST_ENTRIES))
    }
  }

  /** Another client of the world has published a message. */
  receiveMessage(channel: string, message: SentMessage): void {
    this.#venue.receiveMessage(channel, message)
  }

  close(): void {
    void this.#venue.close()
  }

  state(): RunClientState {
    return { runtime: this.runtime.state(), venue: this.#venue.state() }
  }

  #openVenue(): ClientVenue {
    const { number, setup, world, witnesses, onState, onPublish } = this.of
    const { replay, seed, outside } = setup
    const clock = replay.counts.clockOf(number, replay.clock.forClients(`${number} `))
    return new ClientVenue({
      clientId: this.clientId,
      seed,
      clock,
      instruments: replay.directory,
      underlyings: replay.underlyings,
      connect: (accountId, listener) => {
        const entry = world.connect(this.clientId, accountId, listener, () => clock.nowNs())
        this.#entries.set(accountId, entry)
        return entry
      },
      views: replay.views,
      subscribers: replay.subscribers,
      rank: setup.strategies.indexOf(this.strategy),
      witnesses,
      signalNames: setup.signals.feeds.flatMap(({ terms }) => (terms.channel === undefined ? [terms.name] : [])),
      awaitedChannels: [...new Set(setup.signals.feeds.flatMap(({ terms }) => terms.channel ?? []))],
      onState,
      onPublish: (channel, message, record) => {
        onPublish(this.clientId, channel, message, record)
        outside?.published(channel, message, record)
      },
      onOpenChannel: (channel, type) => { outside?.opened(channel, type) },
    })
  }

  #start(set: ParameterConfig, resume: RunClientState | null): StrategyRuntime {
    const { number, setup: { replay, options, plan, outside }, world, report, records } = this.of
    const { clientId, strategy, parametersOf, name } = this.strategy
    const warn = (text: string): void => {
      const nowNs = replay.clock.nowNs()
      report.warned(clientId, nowNs, text, name)
      records.warned(clientId, nowNs, text)
      outside?.logged(epochNsFromTime(nowNs, replay.clock.epochDay), 'warning', text)
    }
    if (resume === null) for (const sentence of strategySourceWarnings(strategy)) warn(sentence)
    return startStrategy({
      venue: this.#venue,
      clientId,
      strategy,
      parameters: parametersOf(set),
      ...(setsOf(options.parameters).length > 1 ? { origin: setWords(number, set) } : {}),
      accounts: world.config.accounts.map(({ accountId, exchangeCode }) => ({ accountId, exchangeCode })),
      sink: {
        warned: warn,
        log: (text) => {
          const nowNs = replay.clock.nowNs()
          report.log.add('log', { timeNs: nowNs, clientId, text })
          records.log(clientId, nowNs, text)
          outside?.logged(epochNsFromTime(nowNs, replay.clock.epochDay), 'log', text)
        },
        stopped: (reason) => {
          const nowNs = replay.clock.nowNs()
          report.stopped(clientId, nowNs, reason)
          records.stopped(clientId, nowNs, reason)
          outside?.stopped?.(reason)
        },
        marketState: (instrumentId, state, text) =>
          records.marketState(replay.clock.nowNs(), { instrumentId, state, text }),
        discarded: (order, accountId) => report.discarded(clientId, accountId, order),
      },
      shuffleSeed: options.shuffleSeed ?? null,
      entryStates: plan.entryStates,
      tactics: KEPT_TACTICS,
      ...(outside === null ? {} : { callbacks: outside.callbacks }),
      resume: resume?.runtime ?? null,
    })
  }
}
