import type { ErrorCode, ErrorPlace } from '../model/error.js'
import type { Fault } from '../model/fault.js'
import { RandomNumbers } from '../model/random.js'
import { strategyReference, strategySourceDigest } from '../configuration/strategy-module-reader.js'
import { runStrategies, setsOf } from '../configuration/run-strategies.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { BacktestOptions } from './backtest-options.js'
import type { WorldOutcome } from './checkpoint-state.js'
import type { ThreadProgress } from './thread-progress.js'

/** A strategy as another thread finds it. */
export interface ThreadStrategy {
  /** Module and class, as `loadStrategy` takes them. */
  readonly reference: string
  /** SHA-256 of its sources: those of the other thread must be the same. */
  readonly digest: string
  /** Its name among several; null of a run's only one. */
  readonly name: string | null
  readonly parameters?: ParameterConfig
}

/** A run as another thread gets it: plain data alone. */
export interface ThreadRun {
  readonly options: Omit<
    BacktestOptions, 'strategy' | 'strategies' | 'journal' | 'onNote' | 'onProgress' | 'signal' | 'checkpoints'
  >
  readonly strategies: readonly ThreadStrategy[]
  /** The worlds to play, by their number in the run. */
  readonly numbers: readonly number[]
  /** Threads that play worlds of the run. */
  readonly threadCount: number
}

/** The form in which a journal is wanted. */
export type JournalForm = 'lines' | 'segments'

/** Everything that another thread begins with. */
export interface ThreadStart {
  readonly run: ThreadRun
  /** Journals that are wanted, by the number of their world. */
  readonly journals: ReadonlyMap<number, JournalForm>
  /** Bytes of journals on their way, in one word: the thread waits while they are too many. */
  readonly backlog: SharedArrayBuffer
  /** True where its progress is wanted. */
  readonly isReporting: boolean
}

/** The end of a journal of records: what its sink asks for. */
export interface JournalEnd {
  readonly lineCount: number
  readonly digest: string
  readonly openSegment: Uint8Array | null
}

/** Bytes of journals that may be on their way from a thread. */
export const BACKLOG_BYTES = 16_777_216

/** Words for such a thread: its worlds are to stop as a run does; they need not go on, as the run has failed. */
export type ThreadOrder = 'stop' | 'giveUp'

/** A message of such a thread. */
export type ThreadMessage =
  | { readonly type: 'lines'; readonly number: number; readonly lines: readonly string[]; readonly sizeBytes: number }
  | { readonly type: 'segment'; readonly number: number; readonly bytes: Uint8Array }
  | { readonly type: 'journal'; readonly number: number; readonly end: JournalEnd }
  | { readonly type: 'note'; readonly sentence: string }
  | { readonly type: 'progress'; readonly progress: ThreadProgress }
  | { readonly type: 'ended'; readonly outcomes: readonly WorldOutcome[] }
  | { readonly type: 'played' }
  | {
      readonly type: 'failed'
      /** Null where it is no error of ours. */
      readonly code: ErrorCode | null
      readonly message: string
      readonly place: ErrorPlace
      readonly faults: readonly Fault[] | null
    }

/** True for what another thread receives as it is: texts, numbers, and lists and records of them. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isPlain)
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain)
}

/** Of the first thousand seeds the one that divides grids of 2 to 6 values best, 8 to 100 sets over 2 to 4 threads. */
const DEAL_SEED = 733

/**
 * The worlds of each thread, dealt in a drawn order that is always the same. Lists are grids as a rule: dealt as they
 * stand, all sets with one value of a parameter could come to one thread. Of 40 sets, every fourth of which sent ten
 * times as many requests, the longer of two passes took 3.3 s of processor so; divided evenly it takes 2.6 s. Costs
 * measured in a pass over 5 % of the data before gave no better division, and took 1 s (25 November 2026).
 */
export function dividedNumbers(worldCount: number, jobs: number): number[][] {
  const random = new RandomNumbers(DEAL_SEED, 'worlds of threads', 0)
  const numbers = Array.from({ length: worldCount }, (_, number) => number)
  const order = numbers.toSorted((a, b) => random.bits(a, 0) - random.bits(b, 0))
  const shares = numbers.slice(0, jobs)
  return shares
    .map((share) => order.filter((_, at) => at % shares.length === share).sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b)
}

/** A run without its worlds, for other threads; or why it stays on this one, in words. */
export function threadRunOf(options: BacktestOptions): Omit<ThreadRun, 'numbers' | 'threadCount'> | string {
  const {
    strategy: _, strategies: __, journal: ______, onNote: ___, onProgress: ____, signal: _____, checkpoints, ...plain
  } = options
  if (checkpoints !== undefined || plain.resume !== undefined) return 'a run with checkpoints'
  if (setsOf(options.parameters).length < 2) return 'a run of one parameter set'
  const strategies: ThreadStrategy[] = []
  for (const [at, { strategy, name }] of runStrategies(options).entries()) {
    const [reference, digest, parameters] = [
      strategyReference(strategy), strategySourceDigest(strategy), options.strategies?.[at]?.parameters,
    ]
    if (reference === undefined || digest === undefined)
      return `the class ${strategy.name}, of which no module is named,`
    strategies.push({ reference, digest, name, ...(parameters === undefined ? {} : { parameters }) })
  }
  if (!isPlain(plain) || !isPlain(strategies)) return 'a run whose options are not all plain data'
  return { options: plain, strategies }
}
