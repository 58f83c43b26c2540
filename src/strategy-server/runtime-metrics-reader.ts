import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Wire } from '../protocol/strategies/strategy-schemas.js'

const NS_PER_MS = 1_000_000

/** The metrics of the process of a server that it alone has. */
export class RuntimeMetrics {
  readonly #delay = monitorEventLoopDelay({ resolution: 10 })

  constructor() {
    this.#delay.enable()
  }

  /** They are read; the longest delay of the event loop begins anew. */
  read(): Omit<Wire<'RuntimeMetrics'>, 'threads' | 'channels' | 'channelClients' | 'broker'> {
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
