import { GENERIC_PROFILE } from '../exchange/profile/generic-profile.js'
import { durationOf } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { asChecked, FaultsError, joinedPath, type Fault } from '../model/fault.js'
import { isDone } from '../model/stop-signal.js'
import { epochNsFromTime } from '../model/time.js'
import { RowBudget } from '../report/row-budget.js'
import { checkParameters } from '../strategy/parameter-check.js'
import { ParameterError } from '../strategy/parameter-fault.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { unsavedNote } from '../strategy/unsaved-fields.js'
import { openDayCache } from '../tickfile/cache/day-cache-writer.js'
import { accountEntries } from '../configuration/account-options.js'
import { assumptionNames, assumptionsFromOptions } from '../configuration/assumptions.js'
import type { BacktestOptions } from './backtest-options.js'
import { checkCheckpoint, readUpTo, restoreCheckpoint, runConfiguration, takeCheckpoint } from './checkpoint.js'
import type { Checkpoint } from './checkpoint-state.js'
import { openPassInput, type ReplayInputOptions } from '../simulation/replay-input.js'
import { openReplay, type Replay } from '../simulation/replay.js'
import type { SignalPlayer } from '../simulation/signal-player.js'
import { RunLoop, type LoopEnd, type LoopPause } from '../simulation/run-loop.js'
import { checkOptions } from '../configuration/run-check.js'
import { runPlan } from './run-plan.js'
import type { RunSpan } from '../configuration/run-span.js'
import { daysOfSpan } from '../tickfile/data-input.js'
import { openSignals } from './run-signals.js'
import { RunInstance } from './run-instance.js'
import type { RunSetup } from './run-setup.js'
import { signalsConfiguration } from './world-configuration.js'
import { stalenessBy } from '../configuration/stale-after.js'
import { strategySourceDigest } from '../configuration/strategy-module-reader.js'
import { readAccountProfiles } from '../configuration/venue-profile-reader.js'
import type { BacktestResult } from '../results/backtest-result.js'

/**
 * Runs a strategy over recorded days and says what it did. Deterministic: the same inputs, configuration and seed give
 * the same journal byte for byte. An array of parameters gives an array of results, each equal to that of a run alone.
 *
 * A class that is handed over is run as it stands: nothing is known of its source, so calls of `Date.now` or
 * `Math.random` in it are not noted, as the command line does for modules of run files. A strategy that calls
 * `process.exit` ends the program; the command line ends its run as failed.
 *
 * Throws OPTION_INVALID for a configuration that means nothing, STRATEGY_FAILED where the strategy throws, and the
 * errors of the files.
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
 *     if (bestBid === null) return
 *     const quantity = this.instrument.quantity('100')
 *     this.instrument.placeOrder({ side: 'BID', quantity, price: bestBid.price })
 *   }
 * }
 * const result = await runBacktest({
 *   strategy: OneBid,
 *   data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'],
 *   parameters: { instrument: 'XRPUSDT' },
 *   account: { balances: { USDT: '1000' }, fees: { maker: '0.0002', taker: '0.0005' } },
 * })
 * if (!result.fingerprint.startsWith('bt2:')) throw new Error(result.fingerprint)
 * ```
 */
export async function runBacktest(
  options: BacktestOptions & { readonly parameters: readonly ParameterConfig[] },
): Promise<BacktestResult[]>
export async function runBacktest(
  options: BacktestOptions & { readonly parameters?: ParameterConfig },
): Promise<BacktestResult>
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult | BacktestResult[]> {
  const checked = await checkOptions(options)
  const faults = [...checked.faults]
  const known = checked.sound as BacktestOptions
  const profiles = await readAccountProfiles(known, faults)
  const { seed = 1, cacheLimitBytes = CACHE_LIMIT_BYTES } = known
  // Without faults alone the assumptions can be read; the other faults do not depend on them.
  const assumptions = assumptionsFromOptions(faults.length === 0 ? known.assumptions : {}, seed)
  if (faults.some(({ path }) => /^(data|$)/.test(path))) throw runError(faults)
  // Data that cannot be read leave the faults that are found before.
  const failed = (error: unknown): never => {
    throw faults.length > 0 ? runError([...faults, ...optionFaultsOf(error)]) : error
  }
  const passOptions = inputOptions({ ...known, cacheLimitBytes })
  if (passOptions.cache !== undefined) await openDayCache(passOptions.cache).catch(failed)
  const input = await openPassInput(options.data, passOptions).catch(failed)
  let signals: SignalPlayer | null = null
  try {
    const replay = await openReplay(input, {
      ...assumptions, staleness: stalenessBy(assumptions.staleAfter, known, profiles),
    }).catch(failed)
    const plan = runPlan(known, replay, profiles, faults)
    signals = await openSignals(known.signals ?? [], replay.clock.epochDay, faults)
    if (faults.length > 0) throw runError([...faults, ...parameterFaults(known, replay)])
    const run = new Run({ replay, input, options, assumptions, seed, profiles, plan, signals }, plan.span)
    const results = await run.play().catch((error: unknown) => {
      // The parameters of a run without other faults are read when its strategies begin; of a list others may be
      // faulty.
      throw error instanceof ParameterError ? runError(parameterFaults(options, replay)) : error
    })
    const [only] = results
    return isList(options.parameters) || only === undefined ? results : only
  } catch (error) {
    await input.verify()
    await signals?.verify()
    throw error
  } finally {
    await signals?.close()
    await input.close()
  }
}

const CACHE_LIMIT_BYTES = 21_474_836_480

/** All faults of a configuration in one error. */
function runError(faults: readonly Fault[]): FaultsError {
  return new FaultsError('OPTION_INVALID', 'Cannot run', faults, 'the options')
}

/** The fault of an option that an error of the data states; none where the data themselves are at fault. */
function optionFaultsOf(error: unknown): Fault[] {
  if (!(error instanceof BacktapeError) || error.code !== 'OPTION_INVALID') return []
  const { field, expected, found } = error.place
  return field === undefined || expected === undefined || found === undefined ? [] : [{ path: field, expected, found }]
}

function inputOptions({
  trim, day, masterChanges, cache, cacheLimitBytes, onNote, signal, prefer, from, to,
}: BacktestOptions & { readonly cacheLimitBytes: number }): ReplayInputOptions {
  const noted = new Set<string>()
  const noteOnce = (sentence: string): void => {
    if (!noted.has(sentence)) onNote?.(sentence)
    noted.add(sentence)
  }
  return {
    days: daysOfSpan({ from, to }),
    ...(prefer === undefined ? {} : { prefer }), ...(trim === undefined ? {} : { trim }),
    ...(masterChanges === undefined ? {} : { masterChanges }), ...(day === undefined ? {} : { day }),
    ...(signal === undefined ? {} : { signal }),
    ...(cache === undefined ? {} : { cache: { folder: cache, limitBytes: cacheLimitBytes, onNote: noteOnce } }),
  }
}

function isList(parameters: BacktestOptions['parameters']): parameters is readonly ParameterConfig[] {
  return Array.isArray(parameters)
}

/** The faults of every parameter set. */
function parameterFaults(options: BacktestOptions, { directory }: Replay): Fault[] {
  const { strategy, parameters = {} } = options
  const codes = new Set(directory.entries.map(({ instrument }) => instrument.exchangeCode))
  const known = accountEntries(options).map(([accountId, { exchange }]) => (
    { accountId, exchangeCode: exchange !== undefined && codes.has(exchange) ? exchange : null }))
  const sets: readonly (readonly [path: string, config: ParameterConfig])[] = isList(parameters)
    ? parameters.map((config, number) => [parameters.length === 1 ? 'parameters' : `parameters[${number}]`, config])
    : [['parameters', parameters]]
  return sets.flatMap(([path, config]) =>
    checkParameters(strategy, config, directory, known).map((one) => ({ ...one, path: joinedPath(path, one.path) })),
  )
}

/** One pass over the data with its worlds. */
class Run {
  readonly #setup: RunSetup
  readonly #span: RunSpan
  readonly #worlds: readonly RunInstance[]
  readonly #loop: RunLoop
  readonly #configuration: string
  /** Numbers of worlds that a gap has halted since the last step. */
  readonly #halted: Set<number> = new Set()
  #hasHalted = false
  #isEnded = false
  /** A signal's own flag costs more than a look at each step may. */
  #hasNotedUnsaved = false
  #isAborted = false
  #pausedNs = -Infinity

  constructor(setup: RunSetup, span: RunSpan) {
    const { replay, options, assumptions, seed, input } = setup
    this.#setup = setup
    this.#span = span
    for (const { feed } of replay.instruments) feed.windowFromNs = span.fromNs
    const configs = isList(options.parameters) ? options.parameters : [options.parameters ?? {}]
    const budget = new RowBudget(options.tables !== 'none')
    this.#worlds = configs.map(
      (parameters, number) =>
        new RunInstance(number, parameters, setup, budget, (timeNs) => {
          this.#halt(number, timeNs)
        }),
    )
    const nameOf = (number: number): string =>
      configs.length === 1 ? options.strategy.name : `${options.strategy.name} of parameters[${number}]`
    setup.signals.target = (index, name, row) => {
      for (const world of this.#worlds) world.playSignal(index, name, row)
    }
    this.#loop = new RunLoop({
      ...replay, signals: setup.signals, nameOf, isStopped: () => this.#isStopped(),
      onLoaded: () => this.#reportProgress(),
      nextEndNs: () => this.#nextEndNs(), endWorlds: (timeNs) => this.#endWorlds(timeNs),
    })
    options.signal?.addEventListener('abort', () => { this.#isAborted = true })
    this.#isAborted = options.signal?.aborted === true
    const {
      account, accounts, strategy, shuffleSeed, faults, entryStates, corporateActions, rates, outcomes, masterChanges,
    } = options
    this.#configuration = runConfiguration({
      strategy: strategy.name, parameters: configs, account, accounts, faults, entryStates, corporateActions, rates,
      outcomes, masterChanges, assumptions: assumptionNames(assumptions), seed, shuffleSeed,
      profiles: [...setup.profiles].filter(([, profile]) => profile !== GENERIC_PROFILE), trim: input.trim,
      span: [this.#span.fromNs, String(this.#span.toNs)],
      ...signalsConfiguration(options.signals, setup.signals),
    })
  }

  async play(): Promise<BacktestResult[]> {
    const { replay, options } = this.#setup
    const { fromNs, toNs } = this.#span
    await options.checkpoints?.begin?.(this.#configuration)
    if (options.resume === undefined) {
      await this.#loop.run(fromNs)
      replay.clock.advance(fromNs)
      this.#takeTerms(fromNs)
      for (const { feed, market } of replay.instruments) {
        feed.beginRun()
        // A run that begins with its data has nothing before it, however early its lines happened at the exchange.
        if (fromNs > replay.startNs) market.beginRun(fromNs)
      }
      await this.#setup.signals.begin(fromNs)
      for (const world of this.#worlds) world.start(null)
    } else await this.#resume()
    const end = await this.#playOn()
    if (end === 'ended' && toNs !== Infinity) replay.clock.advance(toNs)
    const isRead = (end !== 'ended' && !this.#isEnded) || await isDone(this.#setup.input.finish())
    await this.#setup.input.verify()
    await this.#setup.signals.verify()
    for (const { market } of replay.instruments)
      if (!market.isWatched) market.advance(Math.min(replay.clock.nowNs(), toNs - 1), () => false)
    for (const world of this.#worlds) if (end !== 'ended' && !world.isOver) world.stop('the run was stopped')
    return this.#worlds.map((world) => world.result({ isPartial: end !== 'ended', isRead }))
  }

  async #resume(): Promise<void> {
    const { replay, options } = this.#setup
    if (options.resume === undefined) return
    const resume = checkCheckpoint(options.resume, {
      replay, configuration: this.#configuration, strategySource: strategySourceDigest(options.strategy),
    })
    this.#noteUnsaved(resume.worlds.flatMap(({ runtime }) => runtime.unsavedFields))
    await readUpTo(resume, replay)
    await this.#setup.signals.resume(resume.signals ?? [])
    replay.clock.advance(resume.nowNs)
    this.#takeTerms(resume.nowNs)
    for (const world of this.#worlds) world.start(resume.worlds[world.number] ?? null)
    restoreCheckpoint(resume, replay)
    this.#loop.restore(resume.loop)
    for (const world of this.#worlds) world.clockRestored()
    this.#isEnded = this.#worlds.every((world) => world.isOver)
  }

  /** Notes once that fields of the strategy stand in no checkpoint. */
  #noteUnsaved(fields: readonly string[]): void {
    const { strategy, onNote } = this.#setup.options
    if (fields.length > 0 && !this.#hasNotedUnsaved) onNote?.(unsavedNote(strategy.name, fields))
    this.#hasNotedUnsaved ||= fields.length > 0
  }

  /** Plays to the end with its checkpoints. */
  async #playOn(): Promise<LoopEnd> {
    const { checkpoints } = this.#setup.options
    for (;;) {
      const end = await this.#playTo(this.#nextPause())
      if (end === 'ended' || checkpoints === undefined) return end
      await this.#setup.input.verify()
      await this.#setup.signals.verify()
      this.#noteUnsaved(this.#worlds.flatMap(({ unsavedFields }) => unsavedFields))
      const goesOn = await checkpoints.take(this.#checkpoint())
      if (end === 'stopped' || goesOn === false) return 'stopped'
    }
  }

  /**
   * Plays to the end or a pause, with the terms of each day from its midnight on: nothing at that midnight has been
   * played before.
   */
  async #playTo({ timeNs: pauseNs = Infinity, stepCount = Infinity }: LoopPause): Promise<LoopEnd> {
    const { replay, plan } = this.#setup
    let stepsLeft = stepCount
    for (;;) {
      const { nextNs } = replay.terms
      const isBefore = nextNs < pauseNs && nextNs < this.#span.toNs
      const end = await this.#loop.run(this.#span.toNs, { timeNs: Math.min(nextNs, pauseNs), stepCount: stepsLeft })
      stepsLeft = this.#loop.stepsLeft
      if (end !== 'paused' || !isBefore || stepsLeft <= 0) return end
      replay.clock.advance(nextNs)
      for (const terms of replay.terms.take(nextNs, plan.money.usdRates))
        for (const world of this.#worlds) world.termsChanged(terms)
    }
  }

  /** Terms of days whose midnight lies behind, where a run begins or goes on. */
  #takeTerms(untilNs: number): void {
    const { replay, plan } = this.#setup
    replay.terms.take(untilNs, plan.money.usdRates)
  }

  #checkpoint(): Checkpoint {
    const { replay, options, signals } = this.#setup
    return takeCheckpoint({
      replay, signals, configuration: this.#configuration, strategySource: strategySourceDigest(options.strategy),
      loop: this.#loop.state(), worlds: this.#worlds,
    })
  }

  /**
   * Market times of checkpoints are counted from the run's begin, so that a run that goes on takes them at the same
   * times.
   */
  #nextPause(): LoopPause {
    const { every, everySteps } = this.#setup.options.checkpoints ?? {}
    if (everySteps !== undefined) return { stepCount: everySteps }
    if (every === undefined) return {}
    const { fromNs } = this.#span
    const lengthNs = asChecked(durationOf(every))
    const nowNs = Math.max(this.#pausedNs, this.#setup.replay.clock.nowNs())
    this.#pausedNs = fromNs + (Math.floor((nowNs - fromNs) / lengthNs) + 1) * lengthNs
    return { timeNs: this.#pausedNs }
  }

  #nextEndNs(): number {
    let next = Infinity
    for (const world of this.#worlds) next = Math.min(next, world.endNs())
    return next
  }

  /** Ends the worlds whose data lie before a time; true where none is left. */
  #endWorlds(timeNs: number): boolean {
    for (const world of this.#worlds) if (world.endNs() <= timeNs) world.endWithData()
    this.#isEnded = this.#worlds.every((world) => world.isOver)
    return this.#isEnded
  }

  #halt(worldNumber: number, timeNs: number): void {
    this.#loop.passLinesBefore(timeNs)
    this.#halted.add(worldNumber)
    this.#hasHalted = true
  }

  /** Asked before every step. */
  #isStopped(): boolean {
    if (this.#isEnded || this.#isAborted) return true
    if (!this.#hasHalted) return false
    this.#hasHalted = false
    for (const number of this.#halted) this.#worlds[number]?.endInGap()
    this.#halted.clear()
    this.#isEnded = this.#worlds.every((world) => world.isOver)
    return this.#isEnded
  }

  #reportProgress(): void {
    const { replay, options } = this.#setup
    if (options.onProgress === undefined) return
    const at = (timeNs: number): bigint => epochNsFromTime(timeNs, replay.clock.epochDay)
    const { fromNs, latestNs: toNs } = this.#span
    options.onProgress({ timeNs: replay.clock.now(), fromNs: at(fromNs), toNs: toNs === Infinity ? null : at(toNs) })
  }
}
