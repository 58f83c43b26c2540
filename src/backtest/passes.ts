import { NS_PER_MINUTE } from '../model/time.js'
import { RowStore } from '../rows/row-store.js'
import { ParameterError } from '../strategy/instrument-reference.js'
import type { RunSpan } from '../configuration/run-span.js'
import { runStrategies, setsOf } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { StretchRecorder } from '../results/stretch-recorder.js'
import { restoredRecord, stateOfRecord } from '../results/world-record.js'
import { shownAsText } from '../report/summary-text.js'
import { MessageInbox } from '../simulation/message-inbox.js'
import type { BacktestOptions } from './backtest-options.js'
import type { WorldOutcome } from './checkpoint-state.js'
import { SameFiles } from './same-files.js'
import { parameterFaults } from './run-faults.js'
import { openRun, runError } from './run-opening.js'
import type { RunOutside } from './run-outside.js'
import { Run, type PassTime } from './run.js'
import type { RunSetup } from './run-setup.js'
import { ThreadsProgress, type ThreadProgress } from './thread-progress.js'
import { dividedNumbers, threadRunOf, type ThreadRun } from './thread-run.js'
import { worldResult, type EndedWorld, type ResultSetting } from '../results/world-result.js'
import { resultSetting } from './run-setup.js'
import { WorldThreads } from './world-thread-client.js'

/** Where a run lies in time. */
export interface RunTimes extends RunSpan {
  /** Its first midnight, days since 1970-01-01. */
  readonly epochDay: number
}

/**
 * Worlds of the first pass over the data, of which nothing is known, on all threads together: over a short and over a
 * long time. A pass over a day costs a second more; makers of a day that play with too many others cost minutes.
 */
const [FIRST_OF_SHORT, FIRST_OF_LONG] = [128, 16]
const SHORT_NS = 15 * NS_PER_MINUTE
/**
 * Worlds of a later one. The fewer play at once, the more of them the processor's caches hold, and the less survives in
 * the young generation of the heap: 512 sets of a maker over two minutes took 22.6 s of processor in one pass, 18.5 in
 * passes of 128, 15.5 in passes of 32 and 16.8 in passes of 16. A maker of a day took 5.4 s with 49 others on its
 * thread, 4.1 s with 23 and 3.2 s with 7 (26 November 2026).
 */
const [LEAST_WORLDS, MOST_WORLDS] = [8, 512]
/** Processor time of a pass, of an event in it, and of a line of a world's journal: microseconds. */
const [PASS_US, EVENT_US, LINE_US] = [60_000, 0.2, 15]
/** The part of a pass that its own cost may be. */
const PASS_SHARE = 0.05

type Played = Omit<RunSetup, 'stretch'>

/** The counts of a pass that has been played. */
export interface PassCounts {
  readonly eventCount: number
  readonly worldCount: number
  readonly lineCount: number
}

/** The number of worlds that the first pass of a thread is to play, over a time of so many nanoseconds. */
export function firstPassSize(spanNs: number, threadCount: number): number {
  return Math.ceil((spanNs <= SHORT_NS ? FIRST_OF_SHORT : FIRST_OF_LONG) / threadCount)
}

/** The number of worlds that the next pass is to play of those that are left, by the counts of the last one. */
export function nextPassSize({ eventCount, worldCount, lineCount }: PassCounts, leftCount: number): number {
  const [passUs, worldUs] = [PASS_US + EVENT_US * eventCount, LINE_US * Math.max(1, lineCount / worldCount)]
  const size = Math.min(MOST_WORLDS, Math.max(LEAST_WORLDS, passUs / PASS_SHARE / worldUs))
  return Math.ceil(leftCount / Math.ceil(leftCount / size))
}

/**
 * The passes of a run over its data, one after the other: each plays some worlds and leaves what their results are made
 * of. So the memory of a run does not grow with its list of parameters. Other threads play passes of their own.
 */
export class Passes {
  readonly #results: (readonly [number: number, result: BacktestResult])[] = []
  readonly #files: SameFiles = new SameFiles()
  #threads: WorldThreads | null = null
  readonly #progress: ThreadsProgress | null

  constructor(
    private readonly options: BacktestOptions,
    private readonly stretchOf: ((times: RunTimes) => StretchRecorder | null) | null,
    private readonly outside: RunOutside | null = null,
  ) {
    const { onProgress, parameters } = options
    this.#progress = onProgress === undefined ? null : new ThreadsProgress(setsOf(parameters).length, onProgress)
  }

  /** The results of all worlds. */
  async play(): Promise<BacktestResult[]> {
    const store = new RowStore(this.options.tables !== 'none')
    let setting: ResultSetting | null = null
    const take = (outcomes: readonly WorldOutcome[]): void => {
      for (const one of outcomes) if (setting !== null) this.#end(endedWorld(one, store), setting)
    }
    try {
      await playPasses(this.options, {
        outside: this.outside,
        storeOfPass: () => store,
        begin: (setup) => this.#begin(setup),
        isGivenUp: () => this.#threads?.hasFailed === true,
        report: this.#progress === null ? null : (one) => { this.#progress?.take(0, one) },
        end: (worlds, setup) => {
          setting = resultSetting(setup, 1 + (this.#threads?.count ?? 0))
          for (const world of worlds) this.#end(world, setting)
          take(this.#threads?.ended() ?? [])
        },
      })
      take(await this.#threads?.rest() ?? [])
    } finally {
      await this.#threads?.close()
    }
    return this.#results.sort(([a], [b]) => a - b).map(([, result]) => result)
  }

  /** Begins the other threads; the worlds of this one. */
  #begin({ plan: { span }, replay: { clock: { epochDay } } }: Played): Beginning {
    const { options, stretchOf } = this
    const all = [...setsOf(options.parameters).keys()]
    if (stretchOf !== null) return { numbers: all, threadCount: 1, stretch: stretchOf({ ...span, epochDay }) }
    const jobs = options.jobs ?? 1
    const shares = jobs === 1 ? null : threadShares(options, jobs)
    if (shares !== null) this.#threads = new WorldThreads(shares.others, options, this.#progress)
    return { numbers: shares?.numbers ?? all, threadCount: 1 + (shares?.others.length ?? 0), stretch: null }
  }

  #end(world: EndedWorld, setting: ResultSetting): void {
    this.#files.check(world.settled.configuration, setting.instruments)
    this.#results.push([world.number, worldResult(world, setting)])
  }
}

/** Plays some worlds of a run, by their numbers, for the thread that makes their results: `take` gets them by pass. */
export async function playWorlds(
  options: BacktestOptions, { numbers, threadCount }: Pick<ThreadRun, 'numbers' | 'threadCount'>,
  { take, isGivenUp, report }: Pick<PassesHost, 'isGivenUp' | 'report'> & {
    take(this: void, outcomes: readonly WorldOutcome[]): void
  },
): Promise<void> {
  await playPasses(options, {
    outside: null,
    // Rows leave this thread with their pass.
    storeOfPass: () => new RowStore(options.tables !== 'none'),
    begin: () => ({ numbers, threadCount, stretch: null }),
    isGivenUp, report,
    end: (worlds) => { take(worlds.map(({ record, ...world }) => ({ ...world, record: stateOfRecord(record) }))) },
  })
}

/** The worlds of a thread; of the first one a stretch may be watched. */
interface Beginning {
  readonly numbers: readonly number[]
  /** Threads over which the worlds of the run are divided. */
  readonly threadCount: number
  readonly stretch: StretchRecorder | null
}

interface PassesHost {
  /** A program around the run; null: none. */
  readonly outside: RunOutside | null
  /** The memory of the tables of a pass. */
  storeOfPass(): RowStore
  /** Called once the data are open for the first time. */
  begin(setup: Played): Beginning
  /** Asked before every step and pass: true once no more need be played. */
  isGivenUp(this: void): boolean
  /** Receives the progress of this thread; null where nobody asks. */
  readonly report: ((this: void, progress: ThreadProgress) => void) | null
  /** The worlds of a pass have ended. */
  end(worlds: readonly EndedWorld[], setup: Played): void
}

async function playPasses(options: BacktestOptions, host: PassesHost): Promise<void> {
  const isGivenUp = (): boolean => host.isGivenUp()
  let doneCount = 0
  const reportOf = (playingCount: number): ((at: PassTime) => void) | null => {
    const { report } = host
    return report === null ? null : (at) => { report({ ...at, doneCount, playingCount }) }
  }
  const pass = async (
    setup: Played, numbers: readonly number[], stretch: StretchRecorder | null = null,
  ): Promise<PassCounts> => {
    const own = { numbers, store: host.storeOfPass(), isGivenUp, report: reportOf(numbers.length) }
    const run = new Run({ ...setup, stretch }, setup.plan.span, own)
    const worlds = await run.play()
    host.end(worlds, setup)
    doneCount += worlds.length
    if (run.isWhole) reportOf(0)?.(run.time())
    return {
      eventCount: setup.replay.instruments.reduce((sum, { feed }) => sum + feed.receivedCount, 0),
      worldCount: worlds.length,
      lineCount: worlds.reduce((sum, { settled }) => sum + settled.journalLineCount, 0),
    }
  }
  let left: readonly number[] = []
  let counts = await withRun(options, host.outside, (setup) => {
    const { numbers, threadCount, stretch } = host.begin(setup)
    const { fromNs, latestNs } = setup.plan.span
    const first = firstPassSize(latestNs - fromNs, threadCount)
    const size = stretch !== null || numbers.length <= first || isOnePass(setup) ? numbers.length : first
    left = numbers.slice(size)
    return pass(setup, numbers.slice(0, size), stretch)
  })
  while (left.length > 0 && !isGivenUp()) {
    const size = nextPassSize(counts, left.length)
    const numbers = left.slice(0, size)
    left = left.slice(size)
    counts = await withRun(options, host.outside, (setup) => pass(setup, numbers))
  }
}

/** A world that another thread has played. */
function endedWorld({ number, settled, record }: WorldOutcome, store: RowStore): EndedWorld {
  // The way in which it is shown stays behind in the other thread.
  const summary = shownAsText(settled.summary)
  return { number, settled: { ...settled, summary }, record: restoredRecord(record, store) }
}

/**
 * True where one pass plays all worlds: those that go on from a checkpoint or make some, data that can be read once
 * only. A parameter that means nothing is refused before the first of several passes.
 */
function isOnePass({ options, replay, input }: Played): boolean {
  const { checkpoints, resume } = options
  if (checkpoints !== undefined || resume !== undefined || !input.isRepeatable) return true
  const faults = parameterFaults(options, replay)
  if (faults.length > 0) throw runError(faults)
  return false
}

/** The worlds of this thread and the runs of others; null where all worlds stay here, which is noted. */
function threadShares(
  options: BacktestOptions, jobs: number,
): { readonly numbers: readonly number[]; readonly others: readonly ThreadRun[] } | null {
  const run = threadRunOf(options)
  if (typeof run === 'string') {
    options.onNote?.(`The run uses one thread: ${run} cannot be divided.`)
    return null
  }
  const [numbers = [], ...others] = dividedNumbers(setsOf(options.parameters).length, jobs)
  return {
    numbers,
    others: others.map((share) => ({ ...run, numbers: share, threadCount: 1 + others.length })),
  }
}

/** Opens the data of a run, plays it and closes them. */
async function withRun<Outcome>(
  options: BacktestOptions, outside: RunOutside | null, play: (setup: Played) => Promise<Outcome>,
): Promise<Outcome> {
  const opened = await openRun(options, parameterFaults, outside?.market)
  try {
    const { close: _, ...setup } = opened
    if (outside !== null) setup.signals.inbox = new MessageInbox(outside.inbox, setup.replay.clock.epochDay)
    return await play({ ...setup, options, strategies: runStrategies(options), outside }).catch((error: unknown) => {
      // The parameters of a run without other faults are read when its strategies begin; of a list others may be
      // faulty.
      throw error instanceof ParameterError ? runError(parameterFaults(options, opened.replay)) : error
    })
  } catch (error) {
    await opened.input.verify()
    await opened.signals.verify()
    throw error
  } finally {
    await opened.close()
  }
}
