import { assumptionNames, assumptionsFromOptions } from '../configuration/assumptions.js'
import { runStrategies, setsOf, statedSet, strategyWords } from '../configuration/run-strategies.js'
import { canonicalJson, type CanonicalValue } from '../model/canonical-json.js'
import { shortDurationText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { epochNsFromText, isoFromTime, NS_PER_DAY, NS_PER_MINUTE, timeFromEpochNs } from '../model/time.js'
import type { StretchColumns } from '../panels/stretch-columns.js'
import type { BacktestResult } from '../results/backtest-result.js'
import {
  STRETCH_BYTES_MAX, STRETCH_EVENTS_MAX, StretchRecorder, type StretchSpan,
} from '../results/stretch-recorder.js'
import type { BacktestOptions } from './backtest-options.js'
import type { RunTimes } from './passes.js'
import { playBacktest } from './run-backtest.js'

/** The longest stretch of market time. */
const STRETCH_MAX_NS: number = 10 * NS_PER_MINUTE
/** The length of a stretch, where nothing says it. */
const STRETCH_NS = NS_PER_MINUTE
/** Levels of a side, where nothing says how many. */
const LEVELS = 15
const LEVELS_MAX = 100

/** Which stretch of a run is recorded, and how much of it. */
export interface StretchOptions {
  /** A time of the run: a clock time of its first day, ISO-8601 or epoch nanoseconds. */
  readonly from: string
  /** The same, behind `from`; a clock time is of the day of `from`. Default: `from` and `forNs`. */
  readonly to?: string
  /** Nanoseconds from `from`; default a minute, where no `to` is given. At most ten minutes. */
  readonly forNs?: number
  /** Levels of a side that are kept, from 1 to 100; default 15. */
  readonly levels?: number
  /** Most events; default 200,000. */
  readonly eventsMax?: number
}

/** A stretch, and the run up to its end. */
export interface RecordedStretch {
  readonly columns: StretchColumns
  /** Its journal and its figures end with the stretch. */
  readonly result: BacktestResult
}

/**
 * Replays a run up to a stretch and through it, and returns what its strategies saw there as plain columns. The run is
 * the same as without: the lines of the journal are its lines. Options with several parameter sets are refused.
 *
 * Throws OPTION_INVALID for a stretch outside of the run or longer than ten minutes, LIMIT_EXCEEDED where it holds too
 * many events, STOPPED where `signal` ended it, and as a run does.
 */
export async function recordStretch(
  name: string, options: BacktestOptions, stretch: StretchOptions,
): Promise<RecordedStretch> {
  const [set, ...others] = setsOf(options.parameters)
  if (others.length > 0) throw stretchError('parameters', 'one parameter set', `${others.length + 1} of them`)
  const levelCount = levelsOf(stretch)
  let recorder = null as StretchRecorder | null
  let epochDay = 0
  const [result] = [await playBacktest(
    {
      ...options, parameters: set ?? {}, tables: 'none',
      journal: () => ({ write: (line: string): void => { recorder?.write(line) } }),
    },
    (times) => {
      epochDay = times.epochDay
      recorder = new StretchRecorder(stretchSpan(stretch, times), {
        levelCount, eventsMax: stretch.eventsMax ?? STRETCH_EVENTS_MAX, bytesMax: STRETCH_BYTES_MAX,
      })
      return recorder
    },
  )].flat()
  if (recorder === null || result === undefined) throw new Error('A run that has played has times')
  if (options.signal?.aborted === true)
    throw new BacktapeError(
      'STOPPED', 'Cannot view the stretch: the run was stopped before its end', {}, options.signal.reason,
    )
  if (!recorder.hasBegun) {
    const from = isoFromTime(recorder.span.fromNs, epochDay)
    throw stretchError('from', `before the end of the run, ${result.summary.end}`, from)
  }
  return { columns: recorder.columns(name, factsOf(options)), result }
}

function levelsOf({ levels = LEVELS }: StretchOptions): number {
  if (Number.isInteger(levels) && levels >= 1 && levels <= LEVELS_MAX) return levels
  throw stretchError('levels', `a whole number from 1 to ${LEVELS_MAX}`, String(levels))
}

/** The begin and the end of a stretch on the clock of a run. */
function stretchSpan({ from, to, forNs = STRETCH_NS }: StretchOptions, times: RunTimes): StretchSpan {
  const { epochDay, fromNs: beginNs, latestNs } = times
  const fromNs = timeFromEpochNs(epochNsFromText(from, epochDay), epochDay)
  const iso = (timeNs: number): string => isoFromTime(timeNs, epochDay)
  if (!(fromNs >= beginNs && fromNs < latestNs)) {
    const until = latestNs === Infinity ? '' : ` and before ${iso(latestNs)}`
    throw stretchError('from', `a time of the run, from ${iso(beginNs)}${until}`, from)
  }
  const day = epochDay + Math.floor(fromNs / NS_PER_DAY)
  const toNs = to === undefined ? fromNs + forNs : timeFromEpochNs(epochNsFromText(to, day), epochDay)
  if (!(toNs > fromNs)) throw stretchError('to', `a time after ${iso(fromNs)}`, to ?? String(forNs))
  if (toNs - fromNs > STRETCH_MAX_NS) {
    const field = to === undefined ? 'for' : 'to'
    const most = shortDurationText(STRETCH_MAX_NS)
    throw stretchError(field, `at most ${most} after ${iso(fromNs)}`, to ?? shortDurationText(forNs))
  }
  return { fromNs, toNs: Math.min(toNs, latestNs) }
}

/** The run in words: what a view says above its book. */
function factsOf(options: BacktestOptions): StretchColumns['facts'] {
  const strategies = runStrategies(options)
  const [set = {}] = setsOf(options.parameters)
  const seed = options.seed ?? 1
  const { queue, requestLatency, responseLatency, fills, gaps } = assumptionNames(
    assumptionsFromOptions(options.assumptions ?? {}, seed))
  return [
    ['strategy', strategyWords(strategies)],
    ['parameters', canonicalJson(statedSet(strategies, set) as CanonicalValue)],
    ['queue model', String(queue)], ['request latency', String(requestLatency)],
    ['response latency', String(responseLatency)], ['fills', String(fills)], ['gaps', String(gaps)],
    ['seed', String(seed)],
  ]
}

function stretchError(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot view a stretch: ${field} must be ${expected}, found ${found}`, {
    field, expected, found: found.slice(0, 80),
  })
}
