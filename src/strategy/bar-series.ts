import type { BarBuilder, BarBuilderState } from '../measures/bars/bar-builder.js'
import { Bar, type BarFigures } from '../measures/bars/bar.js'
import type { BarSource } from '../measures/bars/bar-span.js'
import type { DataInstrument } from './data-instrument.js'

/** The making of bars. */
export interface BarOptions {
  /**
   * The prices: those of trades (the default), the mid of the best prices whenever one of them changes, or mark prices.
   */
  readonly of?: BarSource
  /**
   * When a bar by time ends: `timer` (the default) at its end, `event` with the first line of its prices at or after
   * its end.
   */
  readonly closeOn?: 'timer' | 'event'
  /** True where a span without a price makes a bar too, at the close before it. Default false. */
  readonly empty?: boolean
  /**
   * A duration (`'15m'`): the bars begin so long before the run, of market data that lie before it, and never with a
   * part of a span. Their `onBar` is called before the first event, in the order of their ends, at the time of the
   * begin; orders are refused meanwhile (`warmingUp`). For `onStart` alone. Default: no bar begins before the run.
   */
  readonly warmUp?: string
}

/** A series as a checkpoint holds it. */
export interface BarSeriesState {
  readonly instrumentId: number
  readonly title: string
  /** True for one that was subscribed while the strategy ran. */
  readonly isLate: boolean
  /** Best prices as its feed has seen them last, null for an empty side. */
  readonly top: readonly (number | null)[]
  readonly builder: BarBuilderState
  readonly last: BarFigures | null
}

/**
 * Bars of one instrument as a strategy subscribed them: the second argument of `onBar`.
 *
 * @example
 * ```ts
 * import { DataInstrument, Parameter, Strategy } from 'backtape'
 * import type { Bar, BarSeries } from 'backtape/measures'
 * class Watch extends Strategy {
 *   @Parameter(DataInstrument) instrument!: DataInstrument
 *   override onStart(): void { this.subscribeBars(this.instrument, '1min') }
 *   override onBar(bar: Bar, series: BarSeries): void { this.log(`${series.span} ${bar.close}`) }
 * }
 * console.log(Watch.name)
 * ```
 */
export class BarSeries {
  /** The bar that ended last; null before the first. */
  last: Bar | null = null

  constructor(
    /** The instrument. */
    readonly instrument: DataInstrument,
    /** The span in words: `10s`, `100 trades`. */
    readonly span: string,
    /** The prices that its bars are made of. */
    readonly of: BarSource,
  ) {}

  /** `10s of trades of BTCUSDT`, `100 trades of BTCUSDT`. */
  toString(): string {
    const prices = this.of === 'trades' ? 'trades' : `${this.of} prices`
    return [this.span, ...(this.span.includes(' ') ? [] : [prices]), this.instrument.code].join(' of ')
  }
}

/** A series and what makes its bars. For the runtime. */
export interface BuiltSeries {
  readonly series: BarSeries
  readonly builder: BarBuilder
  /** The span of a series that ends by a timer; null of all others. */
  readonly timerSpanNs: number | null
  /** When its first bar begins, before the run; absent where none does. */
  readonly sinceNs?: number
}
