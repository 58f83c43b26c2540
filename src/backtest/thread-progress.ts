import type { BacktestProgress } from '../configuration/run-options.js'

/** The progress of the runs of one thread: those of the passes that ended, and of the pass that plays. */
export type ThreadProgress = Pick<BacktestProgress, 'timeNs' | 'fromNs' | 'toNs' | 'doneCount' | 'playingCount'>

/** The part of its time that a pass has played; 0 before its begin and where nothing states its end. */
function passShare({ timeNs, fromNs, toNs }: ThreadProgress): number {
  if (toNs === null || toNs <= fromNs || timeNs <= fromNs) return 0
  return Math.min(1, Number(timeNs - fromNs) / Number(toNs - fromNs))
}

/** The progress of all threads of a run together. */
export class ThreadsProgress {
  readonly #threads: Map<number, ThreadProgress> = new Map()
  #share = 0

  constructor(private readonly runCount: number, private readonly report: (progress: BacktestProgress) => void) {}

  /** A thread has come so far; this one is number 0. */
  take(thread: number, progress: ThreadProgress): void {
    this.#threads.set(thread, progress)
    let [doneCount, playingCount, played] = [0, 0, 0]
    for (const one of this.#threads.values()) {
      doneCount += one.doneCount
      playingCount += one.playingCount
      played += one.doneCount + one.playingCount * passShare(one)
    }
    // Sums of doubles in another order may be a last digit less.
    this.#share = Math.min(1, Math.max(this.#share, played / this.runCount))
    this.report({ ...progress, doneCount, playingCount, runCount: this.runCount, share: this.#share })
  }
}
