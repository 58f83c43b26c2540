import type { DirectoryReading } from '../feed/instrument-directory-client.js'
import type { InstrumentEntry } from '../venue/venue.js'

/** Changes are asked for so often, and the whole once a day: the vendor's own advice (spec 1). */
const REFRESH_MS = 300_000
const WHOLE_MS = 86_400_000

/** The parts of a refresh. */
export interface DirectoryRefreshParts {
  /** The readings of the begin, by market. */
  readonly readings: readonly DirectoryReading[]
  /** Reads a market: what has changed since a `generatedAt`, or all. */
  readonly read: (market: string, since: string | undefined) => Promise<DirectoryReading>
  /** Takes a reading; returns the instruments of it that are new. */
  readonly take: (reading: DirectoryReading) => readonly InstrumentEntry[]
  readonly onNote: (sentence: string) => void
}

/** Asks the directory of a run again and again, so that an instrument that is listed later can be subscribed. */
export class DirectoryRefresh {
  readonly #since: Map<string, string>
  readonly #failing: Set<string> = new Set()
  #timer: NodeJS.Timeout | null = null
  #wholeMs = performance.now()
  #isStopped = false

  constructor(private readonly parts: DirectoryRefreshParts) {
    this.#since = new Map(parts.readings.map(({ market, generatedAt }) => [market, generatedAt]))
    this.#arm()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /** The next look is behind this one, however long that takes. */
  #arm(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => { void this.#look().finally(() => { this.#arm() }) }, REFRESH_MS)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const isWhole = performance.now() - this.#wholeMs >= WHOLE_MS
    if (isWhole) this.#wholeMs = performance.now()
    for (const [market, since] of this.#since) await this.#read(market, isWhole || since === '' ? undefined : since)
  }

  /** A directory that is away leaves what is known as it is; it is noted once. */
  async #read(market: string, since: string | undefined): Promise<void> {
    const { read, take, onNote } = this.parts
    try {
      const reading = await read(market, since)
      if (this.#isStopped) return
      this.#since.set(market, reading.generatedAt)
      if (this.#failing.delete(market)) onNote(`Directory of ${market}: read again`)
      const added = take(reading)
      const codes = added.map(({ instrument: { code } }) => code).join(', ')
      if (codes !== '') onNote(`Directory of ${market}: listed ${codes.slice(0, 200)}`)
    } catch (error) {
      if (!this.#isStopped && !this.#failing.has(market))
        onNote(`Directory of ${market}: ${error instanceof Error ? error.message : String(error)}`)
      this.#failing.add(market)
    }
  }
}
