import type { World } from '../exchange/world.js'
import type { EquityRecorder, MoneySums } from '../report/equity-recorder.js'
import type { Clock, MarketView } from '../venue/venue.js'
import { RunValuation, type LastPrices } from './run-valuation.js'

/** Rows of the equity table beside or in the place of the samples behind the summary. */
export interface EquityRowOptions {
  /** Market time between two rows; null: a row for each sample. */
  readonly everyNs: number | null
  /** A row for each fill too. */
  readonly fills: boolean
}

/** {@link EquityRows} as plain data. */
export interface EquityRowsState {
  readonly lastPrices: LastPrices
  /** Time of the last row; null before it. */
  readonly lastNs: number | null
}

/** Makes rows of equity that were asked for: values of its own, so that samples stay what they are without them. */
export class EquityRows {
  readonly #valuation: RunValuation
  #lastNs = -Infinity

  /** `wake` is called with the time at which {@link due} is to be called. */
  constructor(
    world: World,
    views: ReadonlyMap<number, MarketView>,
    private readonly equity: EquityRecorder,
    private readonly clock: Clock,
    private readonly options: EquityRowOptions,
    private readonly wake: (timeNs: number) => void,
  ) {
    this.#valuation = new RunValuation(world, views)
  }

  begin(): void {
    const { everyNs } = this.options
    if (everyNs !== null) this.wake((Math.floor(this.clock.nowNs() / everyNs) + 1) * everyNs)
  }

  due(): void {
    this.#add()
    this.begin()
  }

  /** A fill was posted. */
  filled(): void {
    if (this.options.fills) this.#add()
  }

  /** The end of the run, whose row is there where every sample is one. */
  finish(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    if (this.options.everyNs !== null && timeNs > this.#lastNs) this.equity.row(timeNs, money)
  }

  state(): EquityRowsState {
    return { lastPrices: this.#valuation.lastPrices(), lastNs: this.#lastNs === -Infinity ? null : this.#lastNs }
  }

  restore({ lastPrices, lastNs }: EquityRowsState): void {
    this.#valuation.restore(lastPrices)
    this.#lastNs = lastNs ?? -Infinity
  }

  #add(): void {
    this.#lastNs = this.clock.nowNs()
    this.equity.row(this.#lastNs, this.#valuation.money())
  }
}
