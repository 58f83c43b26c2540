import type { LivePoint } from '../../panels/live-look.js'
import { ReducedSeries } from '../../panels/reduced-series.js'
import type { LiveSeries } from './live-frames.js'

/** The lines of a watch, which go on where a stretch is full: prices, profit and positions, in bounded memory. */
export class LiveLines {
  readonly #prices: ReducedSeries[]
  readonly #positions: ReducedSeries[]
  readonly #profit: ReducedSeries

  /** Goes on from the lines of another one; null: begins. */
  constructor(series: LiveSeries | null = null) {
    this.#prices = (series?.prices ?? []).map((one) => new ReducedSeries(one))
    this.#positions = (series?.positions ?? []).map((one) => new ReducedSeries(one))
    this.#profit = new ReducedSeries(series?.profit)
  }

  /** The lines so far; their arrays are the lines' own. */
  get series(): LiveSeries {
    return {
      prices: this.#prices.map(({ columns }) => columns), profit: this.#profit.columns,
      positions: this.#positions.map(({ columns }) => columns),
    }
  }

  add({ timeMs, prices, profit, positions }: LivePoint): void {
    for (const [at, price] of prices.entries()) {
      const series = (this.#prices[at] ??= new ReducedSeries())
      if (price !== null) series.add(timeMs, ...price)
    }
    if (profit !== null) this.#profit.add(timeMs, profit, profit, profit)
    for (const [at, position] of positions.entries())
      (this.#positions[at] ??= new ReducedSeries()).add(timeMs, position, position, position)
  }

  /** The prices of an instrument are integers at a scale that has become finer. */
  rescale(instrument: number, factor: number): void {
    this.#prices[instrument]?.rescale(factor)
  }
}
