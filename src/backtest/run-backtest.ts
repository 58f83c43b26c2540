import { createHash } from 'node:crypto'
import { RULE_SWITCHES } from '../exchange/assumptions.js'
import { World } from '../exchange/world.js'
import type { ClientMessage, WorldObserver } from '../exchange/world-config.js'
import { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import { dayText } from '../model/time.js'
import { canonicalJson, type CanonicalValue } from '../report/canonical-json.js'
import { Journal, type LineSink } from '../report/journal.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { startStrategy, type StrategyRuntime } from '../strategy/runtime.js'
import type { Strategy } from '../strategy/strategy.js'
import type { TickInput } from '../tickfile/tick-source.js'
import type { Fill } from '../venue/messages.js'
import { accountsFromOptions, type AccountsOptions } from './account-options.js'
import { assumptionNames, assumptionsFromOptions, type AssumptionOptions, type Assumptions } from './assumptions.js'
import { openPass, type OpenPass } from './pass.js'
import { openPassInput, type PassInput } from './pass-input.js'
import { RunLoop } from './run-loop.js'
import { SimulatedVenue } from './simulated-venue.js'
import { summaryOf, type RunSummary } from './summary.js'
import { WorldJournal } from './world-journal.js'

/** What a backtest runs. */
export interface BacktestOptions extends AccountsOptions {
  /** A class that extends Strategy. */
  readonly strategy: new () => Strategy
  /** Tick files, members and bundles; their order never counts. */
  readonly data: readonly TickInput[]
  /** One config, or an array of them: as many worlds in one pass over the data. */
  readonly parameters?: ParameterConfig | readonly ParameterConfig[]
  readonly assumptions?: AssumptionOptions
  /** Whole number from 0; default 1. */
  readonly seed?: number
  /** `day` (default): files trimmed to their UTC day. `none`: one file an instrument, whole. */
  readonly trim?: 'day' | 'none'
  /** `YYYY-MM-DD` of a file whose name does not say it. */
  readonly day?: string
  /** Takes journal lines as they are written, by world number. */
  readonly journal?: (worldNumber: number) => LineSink
  readonly signal?: StopSignal
}

/** What one world did. */
export interface BacktestResult {
  /** `bt1:` and 64 hex digits: the same configuration and the same journal have the same fingerprint on every machine. */
  readonly fingerprint: string
  readonly configDigest: string
  readonly journalDigest: string
  readonly journalLineCount: number
  /** True where the run was stopped before its data ended. */
  readonly isPartial: boolean
  readonly summary: RunSummary
  /** All fills in order of their delivery, integers at the directory's scales. */
  readonly fills: readonly Fill[]
}

interface RunningWorld {
  readonly world: World
  readonly journal: Journal
  readonly records: WorldJournal
  readonly fills: Fill[]
  readonly parameters: ParameterConfig
  runtime: StrategyRuntime | null
}

const CLIENT = 'strategy'

/**
 * Runs a strategy over recorded days and says what it did. Deterministic: the same inputs, configuration and seed give the same
 * journal byte for byte. An array of parameters gives an array of results, each equal to that of a run alone.
 *
 * Throws OPTION_INVALID for a configuration that means nothing, STRATEGY_FAILED where the strategy throws, and the errors of the files.
 *
 * @example
 * ```ts
 * import { runBacktest, Strategy, Parameter, TradingInstrument } from 'backtape'
 * class OneBid extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   override onStart(): void {
 *     this.after(60_000, () => this.bid())
 *   }
 *   bid(): void {
 *     const { bestBid } = this.instrument
 *     if (bestBid !== null) this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('100'), price: bestBid.price })
 *   }
 * }
 * const result = await runBacktest({
 *   strategy: OneBid,
 *   data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'],
 *   parameters: { instrument: 'XRPUSDT' },
 *   account: { balances: { USDT: '1000' }, fees: { maker: '0.0002', taker: '0.0005' } },
 * })
 * if (!result.fingerprint.startsWith('bt1:')) throw new Error(result.fingerprint)
 * ```
 */
export async function runBacktest(options: BacktestOptions & { readonly parameters: readonly ParameterConfig[] }): Promise<BacktestResult[]>
export async function runBacktest(options: BacktestOptions & { readonly parameters?: ParameterConfig }): Promise<BacktestResult>
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult | BacktestResult[]> {
  const assumptions = assumptionsFromOptions(options.assumptions)
  const seed = seedOf(options.seed)
  const readOptions = { ...(options.trim === undefined ? {} : { trim: options.trim }), ...(options.day === undefined ? {} : { day: options.day }) }
  const input = await openPassInput(options.data, readOptions)
  try {
    const pass = await openPass(input, assumptions)
    const configs = isList(options.parameters) ? options.parameters : [options.parameters ?? {}]
    const worlds = configs.map((parameters, number) => openWorld(pass, { ...options, parameters, number, seed, assumptions }))
    for (const running of worlds) startWorld(pass, running, options, seed)
    const isPartial = await play(pass, options.signal)
    for (const running of worlds) running.runtime?.stop('the data have ended')
    const results = worlds.map((running) => resultOf(running, { pass, input, options, assumptions, seed, isPartial }))
    const [only] = results
    return isList(options.parameters) || only === undefined ? results : only
  } finally {
    await input.close()
  }
}

function isList(parameters: BacktestOptions['parameters']): parameters is readonly ParameterConfig[] {
  return Array.isArray(parameters)
}

function seedOf(seed = 1): number {
  if (Number.isSafeInteger(seed) && seed >= 0) return seed
  throw new BacktapeError('OPTION_INVALID', `Cannot run with the seed ${seed}: it must be a whole number from 0 to 2^53 - 1`, { field: 'seed', found: String(seed) })
}

async function play(pass: OpenPass, signal: StopSignal | undefined): Promise<boolean> {
  const isStopped = (): boolean => signal?.aborted === true
  await new RunLoop({ ...pass, isStopped }).run()
  if (isStopped()) return true
  if (pass.endNs !== Infinity) pass.clock.advance(pass.endNs)
  return false
}

interface WorldSetup extends AccountsOptions {
  readonly parameters: ParameterConfig
  readonly number: number
  readonly seed: number
  readonly assumptions: Assumptions
  readonly journal?: (worldNumber: number) => LineSink
}

function openWorld(pass: OpenPass, setup: WorldSetup): RunningWorld {
  const journal = new Journal(setup.journal?.(setup.number) ?? null)
  const records = new WorldJournal(journal, pass.directory, pass.clock.epochDay)
  const fills: Fill[] = []
  const observer: WorldObserver = {
    requested: (clientId, timeNs, request) => records.requested(clientId, timeNs, request),
    delivered: (clientId, timeNs, message: ClientMessage) => {
      if (message.kind === 'fill') fills.push(...message.fills)
      records.delivered(clientId, timeNs, message)
    },
  }
  const accounts = accountsFromOptions(setup, pass.directory, pass.underlyings)
  const { queue, fills: fillModel, gaps, requestLatency, responseLatency } = setup.assumptions
  const config = {
    number: setup.number,
    assumptions: { queue, fills: fillModel, gaps, requestLatency, responseLatency, seed: setup.seed, switches: RULE_SWITCHES },
    accounts,
    instruments: pass.directory,
    underlyings: pass.underlyings,
  }
  const world = new World(config, pass.markets, pass.agenda, observer)
  pass.worlds.set(setup.number, world)
  return { world, journal, records, fills, parameters: setup.parameters, runtime: null }
}

function startWorld(pass: OpenPass, running: RunningWorld, options: BacktestOptions, seed: number): void {
  const { world, records } = running
  const venue = new SimulatedVenue({
    clientId: CLIENT,
    seed,
    clock: pass.clock.forClients(`${world.number} `),
    instruments: pass.directory,
    underlyings: pass.underlyings,
    world,
    views: new Map(pass.instruments.map(({ feed, local }) => [feed.instrumentId, local])),
    subscribers: new Map(pass.instruments.map(({ feed, subscribers }) => [feed.instrumentId, subscribers])),
  })
  running.runtime = startStrategy({
    venue,
    clientId: CLIENT,
    strategy: options.strategy,
    parameters: running.parameters,
    accounts: world.config.accounts.map(({ accountId, exchangeCode }) => ({ accountId, exchangeCode })),
    sink: { log: (text) => records.log(CLIENT, pass.clock.nowNs(), text) },
  })
}

interface ResultParts {
  readonly pass: OpenPass
  readonly input: PassInput
  readonly options: BacktestOptions
  readonly assumptions: Assumptions
  readonly seed: number
  readonly isPartial: boolean
}

function resultOf(running: RunningWorld, parts: ResultParts): BacktestResult {
  const { pass, input, options, assumptions, seed, isPartial } = parts
  const accounts = running.world.config.accounts.map(({ accountId, exchangeCode, balances, fees }) => ({ accountId, exchangeCode, fees, balances: [...balances] }))
  const inputs = input.inputs.map(({ instrument, days, digests }) => ({ instrumentId: instrument.id, days: days.map(dayText), files: digests.map((digest) => digest.hex() ?? 'not read to its end') }))
  const config = { strategy: options.strategy.name, parameters: running.parameters, accounts, assumptions: assumptionNames(assumptions), seed, trim: input.trim, inputs }
  const configDigest = createHash('sha256').update(canonicalJson(config as unknown as CanonicalValue)).digest('hex')
  const journalDigest = running.journal.digest()
  return {
    fingerprint: `bt1:${createHash('sha256').update(`${configDigest}\n${journalDigest}`).digest('hex')}`,
    configDigest,
    journalDigest,
    journalLineCount: running.journal.lineCount,
    isPartial,
    summary: summaryOf(running.world, running.fills, pass, assumptionNames(assumptions)),
    fills: running.fills,
  }
}
