import type { BacktestOptions } from '../backtest/backtest-options.js'
import { Decimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { checkedSort, checkMeasure } from '../backtest/sort-check.js'
import { bestSet } from './best-set.js'
import {
  boundsOf, checkPartable, drawCountOf, hasEvents, isStop, playPart, setsOf, tripsOfPart, withoutTables,
  type ChoiceOptions, type PartBounds, type PartResult,
} from './part-run.js'
import { walkLengths, walkWindows } from './part-plan.js'
import { optionsOfLegs } from './parts-progress.js'
import { profitSum, type ProfitSum } from '../results/run-record.js'
import { randomBaseline, type PartTrips, type RandomBaseline } from './random-baseline.js'
import { presentPart, runStretch, type DataStretch } from './run-stretch.js'
import type { WalkWindow } from './part-plan.js'

/** The options of a walk forward. */
export interface WalkForwardOptions extends ChoiceOptions {
  /** `train=5d,test=1d`; the step is that of `test`. */
  readonly walkForward: string
}

/** One window that was played. */
export interface PlayedWindow {
  /** Where the set was chosen. */
  readonly train: PartBounds
  /** Where the chosen set ran. */
  readonly test: PartBounds
  /** The number of the set that was best in `train`. */
  readonly chosen: number
  /** The measure of every set in `train`; null where it is not known. */
  readonly values: readonly (string | number | null)[]
  /** The chosen set in `train`. */
  readonly trainResult: PartResult
  /** The chosen set in `test`. */
  readonly testResult: PartResult
}

/** A window of which a part has no data at all: it does not count. */
export interface SkippedWindow {
  /** Where a set would have been chosen. */
  readonly train: PartBounds
  /** Where it would have run. */
  readonly test: PartBounds
}

/** The tests of a walk together, in one underlying. */
export interface TestSum {
  /** Code of the underlying; amounts are in it, exact decimal texts. */
  readonly underlying: string
  /** Sum of the tests' profits. */
  readonly profit: string
  /** Positive is a cost. */
  readonly fees: string
  /** Value of all fills. */
  readonly turnover: string
}

/** The outcome of a walk forward. */
export interface WalkForwardResult {
  /** The measure by which sets were chosen. */
  readonly sort: string
  /** Sets that were tried in each window. */
  readonly setCount: number
  /** In order of time. */
  readonly windows: readonly PlayedWindow[]
  /** Windows without data in `train` or `test`. */
  readonly skipped: readonly SkippedWindow[]
  /** Time at the end of the run that no window covers; null where there is none. */
  readonly leftOver: PartBounds | null
  /** Over the tests, by underlying. */
  readonly sums: readonly TestSum[]
  /** Profit of all tests in the currency of their totals; null where one of them has no rate, or they differ. */
  readonly total: ProfitSum | null
  /** Fills of all tests. */
  readonly fillCount: number
  /** Random entries beside the tests together, by underlying; null where none was asked for, or it was stopped. */
  readonly baseline: readonly RandomBaseline[] | null
  /** True where it was stopped: the windows are those that were played to their ends. */
  readonly isPartial: boolean
}

/**
 * Chooses the best parameter set in a stretch of time and runs it on the stretch behind it, window after window. Each
 * stretch is a run of its own over [from, to): fresh accounts, open positions valued at its end. At most 1,000 windows.
 *
 * A stop by `signal` ends it with the windows so far; before the first window is played it throws STOPPED.
 *
 * Throws OPTION_INVALID for lengths that do not fit and for fewer than two sets, LIMIT_EXCEEDED for more windows, and
 * what `runBacktest` throws.
 *
 * @example
 * ```ts
 * import { runWalkForward, Parameter, Strategy, TradingInstrument } from 'backtape'
 * class Waiter extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   @Parameter(Number) waits = 1
 * }
 * const { windows, sums } = await runWalkForward({
 *   strategy: Waiter,
 *   data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'],
 *   from: '23:55', to: '23:56',
 *   parameters: [1, 2].map((waits) => ({ instrument: 'XRPUSDT', waits })),
 *   account: { balances: { USDT: '1000' } },
 * }, { walkForward: 'train=30s,test=15s' })
 * if (windows.length !== 2 || sums[0]?.profit !== '0') throw new Error('two windows, no trade')
 * ```
 */
export async function runWalkForward(options: BacktestOptions, how: WalkForwardOptions): Promise<WalkForwardResult> {
  const { walkForward } = how
  const draws = drawCountOf(how.baseline)
  if (how.sort !== undefined) checkMeasure(how.sort)
  checkPartable(options)
  const lengths = walkLengths(walkForward)
  const sets = setsOf(options)
  if (sets.length < 2) throw oneSet()
  const data = await runStretch(options)
  const planned = walkWindows(lengths, data.stretch)
  const sort = await checkedSort(options, how.sort, lengths.trainNs)
  const walk = new Walk(optionsOfWindows(options, planned, draws), sets, sort, draws)
  let isPartial = false
  for (const [number, window] of planned.entries()) {
    const { isPresent, ...bounds } = presentWindow(window, data)
    if (!isPresent) walk.skipped.push(bounds)
    else if (!(await unlessStopped(() => walk.play(number, bounds), walk.windows.length > 0))) {
      isPartial = true
      break
    }
  }
  const { windows, skipped, tests } = walk
  let baseline: RandomBaseline[] | null = null
  if (draws > 0 && !isPartial)
    isPartial = !(await unlessStopped(async () => { baseline = await randomBaseline(tests, draws) }, true))
  const lastNs = planned.at(-1)?.test.toNs ?? data.stretch.fromNs
  const rest = { fromNs: lastNs, toNs: data.stretch.toNs }
  return {
    sort, setCount: sets.length, windows, skipped, sums: sumsOf(windows),
    total: profitSum(windows.map(({ testResult }) => testResult)),
    leftOver: rest.fromNs < rest.toNs ? boundsOf(rest, data.stretch, []) : null,
    fillCount: windows.reduce((sum, { testResult }) => sum + testResult.summary.fillCount, 0),
    baseline, isPartial,
  }
}

/** True once `work` is done; false where it was stopped and `mayStop`, else what stopped it is thrown. */
async function unlessStopped(work: () => Promise<void>, mayStop: boolean): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (mayStop && isStop(error)) return false
    throw error
  }
}

/** The options of the runs of a window: of all sets, of the chosen one, and for the best prices of its test. */
interface WindowOptions {
  readonly train: BacktestOptions
  readonly test: BacktestOptions
  readonly prices: BacktestOptions
}

/** The options of each window. Prices are sampled behind the last window. */
function optionsOfWindows(options: BacktestOptions, windows: readonly WalkWindow[], draws: number): WindowOptions[] {
  const lengthOf = ({ fromNs, toNs }: WalkWindow['test']): number => toNs - fromNs
  const tests = windows.map(({ test }) => ({ lengthNs: lengthOf(test), runCount: 1 }))
  const runCount = setsOf(options).length
  const trains = windows.map(({ train }) => ({ lengthNs: lengthOf(train), runCount }))
  const legs = optionsOfLegs(options, [
    ...trains.flatMap((train, at) => [train, ...tests.slice(at, at + 1)]), ...(draws === 0 ? [] : tests),
  ])
  return windows.map((_, at) => {
    const [train = options, test = options] = legs.slice(2 * at)
    return { train, test, prices: legs[2 * windows.length + at] ?? options }
  })
}

/** The windows of a walk as they are played. */
class Walk {
  readonly windows: PlayedWindow[] = []
  readonly skipped: SkippedWindow[] = []
  readonly tests: PartTrips[] = []

  constructor(
    private readonly options: readonly WindowOptions[], private readonly sets: readonly ParameterConfig[],
    private readonly sort: string, private readonly draws: number,
  ) {}

  /** Chooses a set in `train` and runs it in `test`. */
  async play(number: number, { train, test }: SkippedWindow): Promise<void> {
    const { sets } = this
    const options = this.options[number]
    if (options === undefined) throw new Error('A window has options')
    const trained = await playPart(options.train, train, sets)
    if (!hasEvents(trained)) {
      this.skipped.push({ train, test })
      return
    }
    const { set: chosen, values } = bestSet(trained, this.sort)
    const tables = this.draws === 0 ? 'none' : 'memory'
    const [tested] = await playPart(options.test, test, sets.slice(chosen, chosen + 1), tables)
    const best = trained[chosen]
    if (tested === undefined || best === undefined) throw new Error('A set has a result')
    if (!hasEvents([tested])) {
      this.skipped.push({ train, test })
      return
    }
    if (this.draws > 0) this.tests.push(tripsOfPart(options.prices, test, number, tested))
    const [trainResult, testResult] = [withoutTables(best), withoutTables(tested)]
    this.windows.push({ train, test, chosen, values, trainResult, testResult })
  }
}

/** A window without the missing days at the ends of its parts; not present where one of them has no file. */
function presentWindow(
  { train, test }: WalkWindow, data: DataStretch,
): SkippedWindow & { readonly isPresent: boolean } {
  const [trained, tested] = [presentPart(train, data), presentPart(test, data)]
  return {
    train: boundsOf(trained.part ?? train, data.stretch, trained.missing),
    test: boundsOf(tested.part ?? test, data.stretch, tested.missing),
    isPresent: trained.part !== null && tested.part !== null,
  }
}

function sumsOf(windows: readonly PlayedWindow[]): TestSum[] {
  const sums = new Map<string, { profit: Decimal; fees: Decimal; turnover: Decimal }>()
  for (const { testResult } of windows) {
    for (const { underlying, profit, fees, turnover } of testResult.summary.money) {
      const zero = new Decimal(0)
      const sum = sums.get(underlying) ?? { profit: zero, fees: zero, turnover: zero }
      sums.set(underlying, {
        profit: sum.profit.plus(profit), fees: sum.fees.plus(fees), turnover: sum.turnover.plus(turnover),
      })
    }
  }
  return [...sums].map(([underlying, { profit, fees, turnover }]) => ({
    underlying, profit: profit.toFixed(), fees: fees.toFixed(), turnover: turnover.toFixed(),
  }))
}

function oneSet(): BacktapeError {
  const [expected, found] = ['two parameter sets or more, such as those of --grid', 'one']
  return new BacktapeError('OPTION_INVALID', `Cannot walk forward: it needs ${expected}, found ${found}`, {
    field: 'parameters', expected, found,
  })
}
