import { createHash } from 'node:crypto'
import { RULE_SWITCHES } from '../exchange/assumptions.js'
import type { ClientMessage, WorldObserver } from '../exchange/world-config.js'
import { World } from '../exchange/world.js'
import { dayText } from '../model/time.js'
import { canonicalJson, type CanonicalValue } from '../report/canonical-json.js'
import { Journal } from '../report/journal.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { startStrategy, type StrategyRuntime } from '../strategy/runtime.js'
import type { Fill } from '../venue/messages.js'
import { accountsFromOptions } from './account-options.js'
import { assumptionNames, type Assumptions } from './assumptions.js'
import type { BacktestOptions, BacktestResult } from './backtest-options.js'
import type { RunningWorldState } from './checkpoint-state.js'
import { GAP_TEXT } from './market-subscribers.js'
import type { PassInput } from './pass-input.js'
import type { OpenPass } from './pass.js'
import { boundText } from './run-span.js'
import { SimulatedVenue } from './simulated-venue.js'
import { summaryOf } from './summary.js'
import { WorldJournal } from './world-journal.js'

const CLIENT = 'strategy'

/** What all worlds of a run share. */
export interface RunSetup {
  readonly pass: OpenPass
  readonly input: PassInput
  readonly options: BacktestOptions
  readonly assumptions: Assumptions
  readonly seed: number
}

/** One set of parameters in a run: its world, its strategy, what is written down of it. */
export class RunningWorld {
  readonly number: number
  readonly #setup: RunSetup
  readonly #parameters: ParameterConfig
  readonly #world: World
  readonly #journal: Journal
  readonly #records: WorldJournal
  readonly #venue: SimulatedVenue
  readonly #fills: Fill[] = []
  #runtime: StrategyRuntime | null = null

  constructor(number: number, parameters: ParameterConfig, setup: RunSetup) {
    const { pass, options, assumptions, seed } = setup
    this.number = number
    this.#setup = setup
    this.#parameters = parameters
    this.#journal = new Journal(options.journal?.(number) ?? null)
    this.#records = new WorldJournal(this.#journal, pass.directory, pass.clock.epochDay)
    const { queue, fills, gaps, requestLatency, responseLatency } = assumptions
    const config = {
      number,
      assumptions: { queue, fills, gaps, requestLatency, responseLatency, seed, switches: RULE_SWITCHES },
      accounts: accountsFromOptions(options, pass.directory, pass.underlyings),
      instruments: pass.directory,
      underlyings: pass.underlyings,
      heardLatencyNs: (instrumentId: number) => pass.feeds.get(instrumentId)?.heardLatencyNs ?? 0,
    }
    this.#world = new World(config, pass.markets, pass.agenda, this.#observer())
    pass.worlds.set(number, this.#world)
    this.#venue = this.#openVenue()
  }

  /** True once nothing more can happen: the strategy has stopped, or a gap ended the world. */
  get isOver(): boolean {
    return this.#world.halt !== null
  }

  /** Makes the strategy: its parameters, `onStart`, what it subscribes to; `resume` takes it up where a checkpoint left it. */
  start(resume: RunningWorldState | null): void {
    const { pass, options } = this.#setup
    this.#runtime = startStrategy({
      venue: this.#venue,
      clientId: CLIENT,
      strategy: options.strategy,
      parameters: this.#parameters,
      accounts: this.#world.config.accounts.map(({ accountId, exchangeCode }) => ({ accountId, exchangeCode })),
      sink: { log: (text) => this.#records.log(CLIENT, pass.clock.nowNs(), text) },
      shuffleSeed: options.shuffleSeed ?? null,
      resume: resume?.runtime ?? null,
    })
    if (resume === null) return
    this.#world.restore(resume.world)
    this.#venue.restore(resume.venue)
    this.#journal.restore(resume.journal)
    this.#records.restore(resume.records)
    this.#fills.push(...resume.fills)
  }

  stop(reason: string): void {
    this.#runtime?.stop(reason)
  }

  state(): RunningWorldState {
    const runtime = this.#runtime?.state()
    if (runtime === undefined) throw new Error(`World ${this.number} has not started`)
    return {
      world: this.#world.state(), runtime, venue: this.#venue.state(), journal: this.#journal.state(), records: this.#records.state(), fills: this.#fills,
    }
  }

  result(isPartial: boolean): BacktestResult {
    const { pass, input, assumptions } = this.#setup
    const configDigest = createHash('sha256').update(canonicalJson(this.#config())).digest('hex')
    const journalDigest = this.#journal.digest()
    return {
      fingerprint: `bt1:${createHash('sha256').update(`${configDigest}\n${journalDigest}`).digest('hex')}`,
      configDigest,
      journalDigest,
      segmentDigests: this.#journal.segmentDigests,
      journalLineCount: this.#journal.lineCount,
      isPartial,
      trim: input.trim,
      summary: summaryOf(this.#world, this.#fills, pass, assumptionNames(assumptions)),
      fills: this.#fills,
    }
  }

  /** Everything that this world's journal depends on, and nothing else: instruments that it did not ask for are left out. */
  #config(): CanonicalValue {
    const { pass, input, options, assumptions, seed } = this.#setup
    const asked = this.#venue.instrumentIds
    const inputs = input.inputs.filter(({ instrument }) => asked.includes(instrument.id))
    const accounts = this.#world.config.accounts.map(({ accountId, exchangeCode, balances, fees }) => ({ accountId, exchangeCode, fees, balances: [...balances] }))
    const config = {
      strategy: options.strategy.name,
      parameters: this.#parameters,
      accounts,
      assumptions: assumptionNames(assumptions),
      seed,
      trim: input.trim,
      ...(options.from === undefined ? {} : { from: boundText(options.from, pass.clock.epochDay) }),
      ...(options.to === undefined ? {} : { to: boundText(options.to, pass.lastEpochDay) }),
      ...(options.shuffleSeed === undefined ? {} : { shuffleSeed: options.shuffleSeed }),
      inputs: inputs.map(({ instrument, days, digests }) => ({ instrumentId: instrument.id, days: days.map(dayText), files: digests.map((digest) => digest.hex() ?? 'not read to its end') })),
    }
    return config as unknown as CanonicalValue
  }

  #openVenue(): SimulatedVenue {
    const { pass, seed } = this.#setup
    return new SimulatedVenue({
      clientId: CLIENT,
      seed,
      clock: pass.clock.forClients(`${this.number} `),
      instruments: pass.directory,
      underlyings: pass.underlyings,
      world: this.#world,
      views: pass.views,
      subscribers: pass.subscribers,
      onState: (instrumentId, state, text) => {
        const nowNs = pass.clock.nowNs()
        const lastGoodNs = pass.feeds.get(instrumentId)?.lastDepthNs() ?? NaN
        if (state === 'ERROR') this.#records.gap('local', nowNs, { instrumentId, reason: text === GAP_TEXT ? 'gap' : 'error', lastGoodNs })
        this.#records.market('local', nowNs, 'state', { instrumentId, state, text })
      },
    })
  }

  #observer(): WorldObserver {
    const records = this.#records
    return {
      requested: (clientId, timeNs, request, accountId) => records.requested(clientId, timeNs, request, accountId),
      delivered: (clientId, timeNs, message: ClientMessage, accountId) => {
        if (message.kind === 'fill') this.#fills.push(...message.fills)
        records.delivered(clientId, timeNs, message, accountId)
      },
      blinded: (instrumentId, { sinceNs, detectedNs, reason }) => records.gap('exchange', detectedNs, { instrumentId, reason, lastGoodNs: sinceNs }),
      sighted: (instrumentId, timeNs) => records.market('exchange', timeNs, 'sight', { instrumentId }),
    }
  }
}
