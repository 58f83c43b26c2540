import { monitorEventLoopDelay } from 'node:perf_hooks'

const NS_PER_MS = 1_000_000

/** Figures of the process of a server. */
export interface RuntimeFigures {
  /** Since the process began. */
  readonly uptimeSeconds: number
  readonly residentBytes: number
  readonly heapBytes: number
  /** Longest delay of the event loop since they were read before, milliseconds. */
  readonly eventLoopDelayMsMax: number
}

/** Reads figures of the process. */
export class RuntimeMetrics {
  readonly #delay = monitorEventLoopDelay({ resolution: 10 })

  constructor() {
    this.#delay.enable()
  }

  /** The figures now; the longest delay of the event loop begins anew. */
  read(): RuntimeFigures {
    const { rss, heapUsed } = process.memoryUsage()
    const eventLoopDelayMsMax = this.#delay.max / NS_PER_MS
    this.#delay.reset()
    return { uptimeSeconds: process.uptime(), residentBytes: rss, heapBytes: heapUsed, eventLoopDelayMsMax }
  }

  /** Ends the measurement. */
  close(): void {
    this.#delay.disable()
  }
}
