import { GENERIC_PROFILE } from '../exchange/profile/generic-profile.js'
import { BacktapeError } from '../model/error.js'
import { isDone } from '../model/stop-signal.js'
import { epochNsFromTime } from '../model/time.js'
import { RowBudget } from '../report/row-budget.js'
import { checkParameters } from '../strategy/parameter-check.js'
import { ParameterError } from '../strategy/parameter-fault.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { unsavedNote } from '../strategy/unsaved-fields.js'
import { openDayCache } from '../tickfile/cache/day-cache-writer.js'
import { accountEntries } from '../configuration/account-options.js'
import { assumptionNames, assumptionsFromOptions, type Assumptions } from '../configuration/assumptions.js'
import type { BacktestOptions } from './backtest-options.js'
import { checkCheckpoint, readUpTo, restoreCheckpoint, runConfiguration, takeCheckpoint } from './checkpoint.js'
import type { Checkpoint } from './checkpoint-state.js'
import { openPassInput, type ReplayInputOptions } from '../simulation/replay-input.js'
import { openReplay, type Replay } from '../simulation/replay.js'
import { RunLoop, type LoopEnd, type LoopPause } from '../simulation/run-loop.js'
import { refuseOptions } from '../configuration/option-names.js'
import { Refusals, refusalsOf } from '../configuration/refusals.js'
import { runPlan } from './run-plan.js'
import { spanNs, type RunSpan } from '../configuration/run-span.js'
import { RunInstance } from './run-instance.js'
import type { RunSetup } from './run-setup.js'
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
  const refusals = new Refusals()
  refuseOptions(options, refusals)
  const { seed, assumptions } = declared(options, refusals)
  const profiles = await readAccountProfiles(options, refusals)
  const cacheLimitBytes = refusals.read(() => cacheLimitOf(options)) ?? CACHE_LIMIT_BYTES
  // What is refused is so whatever fails of the data; a day or a trim that does not fit them is one refusal more.
  const failed = (error: unknown): never => {
    if (refusalsOf(error).length > 0) refusals.read(() => { throw error })
    refusals.end()
    throw error
  }
  const passOptions = inputOptions({ ...options, cacheLimitBytes })
  if (passOptions.cache !== undefined) await openDayCache(passOptions.cache).catch(failed)
  const input = await openPassInput(options.data, passOptions).catch(failed)
  try {
    const replay = await openReplay(input, {
      ...assumptions, staleness: stalenessBy(assumptions.staleAfter, options, profiles),
    }).catch(failed)
    const plan = runPlan(options, replay, profiles, refusals)
    if (!refusals.isEmpty) refuseParameters(options, replay, refusals)
    refusals.end()
    if (plan === null) throw new Error('A plan that nothing refuses is whole')
    const run = new Run({ replay, input, options, assumptions, seed, profiles, plan }, plan.span)
    const results = await run.play().catch((error: unknown) => {
      // Of a list the others may be faulty too.
      if (isList(options.parameters) && error instanceof ParameterError) refuseParameters(options, replay, refusals)
      refusals.end()
      throw error
    })
    const [only] = results
    return isList(options.parameters) || only === undefined ? results : only
  } catch (error) {
    await input.verify()
    throw error
  } finally {
    await input.close()
  }
}

/** What needs no data to be read; for what is refused a default stands, so that the rest can be asked. */
function declared(
  { seed, shuffleSeed, assumptions, parameters }: BacktestOptions, refusals: Refusals,
): { readonly seed: number; readonly assumptions: Assumptions } {
  const known = refusals.read(() => seedOf('seed', seed ?? 1)) ?? 1
  const read = refusals.read(() => assumptionsFromOptions(assumptions, known))
  if (shuffleSeed !== undefined) refusals.read(() => seedOf('shuffleSeed', shuffleSeed))
  refusals.read(() => {
    if (!isList(parameters) || parameters.length > 0) return
    throw new BacktapeError('OPTION_INVALID', 'Cannot run without parameters: the array of them is empty', {
      field: 'parameters', expected: 'at least one', found: 'none',
    })
  })
  return { seed: known, assumptions: read ?? assumptionsFromOptions() }
}

const CACHE_LIMIT_BYTES = 21_474_836_480

function cacheLimitOf({ cacheLimitBytes = CACHE_LIMIT_BYTES }: BacktestOptions): number {
  if (Number.isSafeInteger(cacheLimitBytes) && cacheLimitBytes >= 1) return cacheLimitBytes
  throw new BacktapeError(
    'OPTION_INVALID',
    `Cannot keep decoded days in ${cacheLimitBytes} bytes: cacheLimitBytes must be a whole number from 1`,
    {
      field: 'cacheLimitBytes', found: String(cacheLimitBytes),
    },
  )
}

function inputOptions({
  trim, day, masterChanges, cache, cacheLimitBytes, onNote, signal,
}: BacktestOptions & { readonly cacheLimitBytes: number }): ReplayInputOptions {
  const noted = new Set<string>()
  const noteOnce = (sentence: string): void => {
    if (!noted.has(sentence)) onNote?.(sentence)
    noted.add(sentence)
  }
  return {
    ...(trim === undefined ? {} : { trim }), ...(masterChanges === undefined ? {} : { masterChanges }),
    ...(day === undefined ? {} : { day }), ...(signal === undefined ? {} : { signal }),
    ...(cache === undefined ? {} : { cache: { folder: cache, limitBytes: cacheLimitBytes, onNote: noteOnce } }),
  }
}

function isList(parameters: BacktestOptions['parameters']): parameters is readonly ParameterConfig[] {
  return Array.isArray(parameters)
}

function seedOf(field: string, seed: number): number {
  if (Number.isSafeInteger(seed) && seed >= 0) return seed
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot run with the ${field} ${seed}: it must be a whole number from 0 to 2^53 - 1`,
    { field, found: String(seed) },
  )
}

/**
 * What of the parameters is refused beside the rest. Those of a run of which nothing else is are read when its
 * strategies begin.
 */
function refuseParameters(options: BacktestOptions, { directory }: Replay, refusals: Refusals): void {
  const { strategy, parameters = {} } = options
  const codes = new Set(directory.entries.map(({ instrument }) => instrument.exchangeCode))
  const known = accountEntries(options).map(([accountId, { exchange }]) => (
    { accountId, exchangeCode: exchange !== undefined && codes.has(exchange) ? exchange : null }))
  const sets = isList(parameters) ? parameters : [parameters]
  for (const [number, config] of sets.entries()) {
    const check = (): void => { checkParameters(strategy, config, directory, known) }
    refusals.read(sets.length === 1 ? check : () => { inList(number, check) })
  }
}

/** Says which set of a list is faulty. */
function inList(number: number, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw error instanceof ParameterError
      ? new ParameterError(error.owner, error.faults, `parameters[${number}]`)
      : error
  }
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
    this.#loop = new RunLoop({
      ...replay, nameOf, isStopped: () => this.#isStopped(), onLoaded: () => this.#reportProgress(),
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
      for (const world of this.#worlds) world.start(null)
    } else await this.#resume()
    const end = await this.#playOn()
    if (end === 'ended' && toNs !== Infinity) replay.clock.advance(toNs)
    const isRead = (end !== 'ended' && !this.#isEnded) || await isDone(this.#setup.input.finish())
    await this.#setup.input.verify()
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
    const { replay, options } = this.#setup
    return takeCheckpoint({
      replay, configuration: this.#configuration, strategySource: strategySourceDigest(options.strategy),
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
    const lengthNs = spanNs(every, 'checkpoints.every')
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
