import { entryStateRules } from '../configuration/run-options.js'
import { epochNsFromTime } from '../model/time.js'
import type { SimulatedClock } from '../replay/simulated-clock.js'
import type { RunJournal } from '../results/run-journal.js'
import { ClientVenue } from '../simulation/client-venue.js'
import type { InboxMessage } from '../simulation/message-inbox.js'
import { overrides } from '../strategy/market-callbacks.js'
import { startStrategy, type StrategyRuntime } from '../strategy/runtime.js'
import type { StrategySink } from '../strategy/strategy-sink.js'
import { KEPT_TACTICS } from '../strategy/tactics/kept-tactics.js'
import type { InstrumentDirectory, OrderEntry, OrderEntryListener, UnderlyingDirectory } from '../venue/venue.js'
import type { FollowedInstruments } from './followed-instruments.js'
import type { LivePace } from './live-clock-client.js'
import type { AccountInbox } from './live-inboxes.js'
import type { LiveOptions } from './live-options.js'
import type { LiveOutside } from './live-outside.js'
import type { LiveRecord } from './live-record.js'

/** The parts of a run that its strategy is started with. */
export interface LiveStrategyParts {
  readonly options: LiveOptions
  readonly clientId: string
  readonly pace: LivePace
  readonly clock: SimulatedClock
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  readonly followed: FollowedInstruments
  readonly accounts: readonly AccountInbox[]
  readonly records: RunJournal
  readonly record: LiveRecord
  /** Null: there is none. */
  readonly outside: LiveOutside | null
  readonly connect: (accountId: string, listener: OrderEntryListener) => OrderEntry
  /** The strategy has ended itself. */
  readonly onStopped: (reason: string) => void
}

/** The strategy of a run over sockets, with its venue. */
export class LiveStrategy {
  readonly runtime: StrategyRuntime
  readonly #venue: ClientVenue

  /** Starts it: errors of its code come out of here. */
  constructor(private readonly parts: LiveStrategyParts) {
    const { options, clientId, accounts, record, outside } = parts
    this.#venue = this.#madeVenue()
    this.runtime = startStrategy({
      venue: this.#venue, clientId, strategy: options.strategy, parameters: options.parameters ?? {},
      accounts: accounts.map(({ accountId, exchangeCode }) => ({ accountId, exchangeCode })), sink: this.#sink(),
      tactics: KEPT_TACTICS, shuffleSeed: options.shuffleSeed ?? null,
      entryStates: entryStateRules(options.entryStates ?? {}),
      ...(outside === null ? {} : { callbacks: outside.callbacks }),
    })
    record.begin(this.runtime.tradingIds)
    if (this.runtime.warmUp !== null)
      options.onNote?.('Bars begin with the run: a feed has no history to warm them up with')
  }

  /** True where it has a callback for messages of channels. */
  get isListening(): boolean {
    return overrides(this.runtime.strategy, 'onChannelMessage')
  }

  /** Passes a message of a channel on, where it has that open. */
  playMessage({ channel, message }: InboxMessage): void {
    this.#venue.playMessage(channel, message)
  }

  #madeVenue(): ClientVenue {
    const { clientId, options, pace, clock, instruments, underlyings, followed, records, outside, connect } = this.parts
    // A program that is started again must not make the ids of its last run.
    const drawnSeed = (): number => (
      pace === 'lockstep' ? 1 : (crypto.getRandomValues(new Uint32Array(1))[0] as number))
    return new ClientVenue({
      clientId, seed: options.seed ?? drawnSeed(), hasTextIds: true, clock: clock.forClients('0 '), instruments,
      underlyings, connect,
      views: followed.views, subscribers: followed.subscribers,
      onState: (instrumentId, state, text) => {
        records.marketState(clock.nowNs(), { instrumentId, state, text })
      },
      onPublish: (...message) => {
        records.published(clientId, clock.nowNs(), ...message)
        outside?.published(...message)
      },
      onOpenChannel: (...channel) => { outside?.opened(...channel) },
    })
  }

  #sink(): StrategySink {
    const { clientId, options, clock, records, record, outside, onStopped } = this.parts
    const epochNs = (): bigint => epochNsFromTime(clock.nowNs(), clock.epochDay)
    return {
      warned: (text) => {
        records.warned(clientId, clock.nowNs(), text)
        record.recorder.warned(clientId, clock.nowNs(), text, null)
        outside?.logged(epochNs(), 'warning', text)
        options.onNote?.(text)
      },
      log: (text) => {
        records.log(clientId, clock.nowNs(), text)
        record.recorder.log.add('log', { timeNs: clock.nowNs(), clientId, text })
        outside?.logged(epochNs(), 'log', text)
        options.onLog?.(text)
      },
      stopped: (reason) => {
        records.stopped(clientId, clock.nowNs(), reason)
        record.recorder.stopped(clientId, clock.nowNs(), reason)
        onStopped(reason)
      },
      marketState: (instrumentId, state, text) => {
        records.marketState(clock.nowNs(), { instrumentId, state, text })
      },
      discarded: (order, accountId) => { record.recorder.discarded(clientId, accountId, order) },
    }
  }
}
