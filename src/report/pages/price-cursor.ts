import type { ReportSeries } from './report-series.js'

/** The last price of the buckets that had ended, as `priceAt` has it, at times that never go back. */
export class PriceCursor {
  #next = 0

  constructor(private readonly series: ReportSeries) {}

  /** When the price changes next, epoch milliseconds; never: Infinity. */
  get nextMs(): number {
    const begin = this.series.epochMs[this.#next]
    return begin === undefined ? Infinity : begin + this.series.bucketMs
  }

  /** The price at a time, epoch milliseconds; null where no bucket had ended. */
  at(timeMs: number): number | null {
    while (this.nextMs <= timeMs) this.#next++
    return this.series.last[this.#next - 1] ?? null
  }
}
