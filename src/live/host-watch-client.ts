import { durationOf } from '../model/duration.js'
import { afterMs } from '../model/wall-client.js'
import { liveOptionError } from './live-option-error.js'

const NS_PER_MS = 1_000_000
/** As long as a timer of the system can wait. */
const MOST_NS = 20 * 86_400_000 * NS_PER_MS

/** Ends a run whose hosts stay away too long. */
export class HostWatch {
  readonly #timers: Map<string, () => void> = new Map()
  readonly #waitMs: number
  #isStopped = false

  /** Throws OPTION_INVALID for a time that is none; null: hosts are waited for without end. */
  constructor(private readonly giveUpAfter: string | null, private readonly onGone: (reason: string) => void) {
    this.#waitMs = giveUpAfter === null ? Infinity : msOf(giveUpAfter)
  }

  /** A host is away from now on, or still. */
  away(host: string): void {
    const { giveUpAfter } = this
    if (giveUpAfter === null || this.#isStopped || this.#timers.has(host)) return
    const gone = (): void => { this.onGone(`the ${host} has been away for ${giveUpAfter}`) }
    this.#timers.set(host, afterMs(this.#waitMs, gone))
  }

  /** A host is back. */
  back(host: string): void {
    this.#timers.get(host)?.()
    this.#timers.delete(host)
  }

  /** Nothing is waited for any more: connections that end behind the run, too. */
  stop(): void {
    this.#isStopped = true
    for (const forget of this.#timers.values()) forget()
    this.#timers.clear()
  }
}

function msOf(giveUpAfter: string): number {
  const ns = durationOf(giveUpAfter, { leastNs: NS_PER_MS, mostNs: MOST_NS })
  if (typeof ns === 'string') throw liveOptionError('giveUpAfter', ns, JSON.stringify(giveUpAfter))
  return ns / NS_PER_MS
}
