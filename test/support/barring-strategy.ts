import { bollinger, ema, vwap } from '../../src/measures/indicators/indicators.js'
import { figuresOf, type Bar } from '../../src/measures/bars/bar.js'
import type { BarSeries } from '../../src/strategy/bar-series.js'
import { RestlessStrategy } from './restless-strategy.ts'

/** Beside what {@link RestlessStrategy} does it writes down bars of every kind, and indicators over them. */
export class BarringStrategy extends RestlessStrategy {
  readonly fast = ema(2)
  readonly perSeries = new Map([['7ns of trades of TEST1', [bollinger(3, 2), vwap()] as const]])
  /** Options of all bars that it subscribes in `onStart`. */
  readonly barOptions: { readonly warmUp?: string } = {}
  protected isLate = false

  override onStart(): void {
    const { barOptions } = this
    super.onStart()
    this.subscribeBars(this.instrument, '7ns', barOptions)
    this.subscribeBars(this.instrument, '5ns', { closeOn: 'event', empty: true, ...barOptions })
    this.subscribeBars(this.instrument, { trades: 2 }, barOptions)
    this.subscribeBars(this.instrument, '9ns', { of: 'mid', empty: true, ...barOptions })
    this.subscribeBars(this.instrument, '11ns', { of: 'mark', ...barOptions })
  }

  override onInstrumentTrades(): void {
    if (!this.isLate) this.subscribeLate()
    super.onInstrumentTrades()
  }

  override onBar(bar: Bar, series: BarSeries): void {
    const [bands, price] = this.perSeries.get(String(series)) ?? []
    if (series.of === 'trades') this.fast.next(bar.close)
    bands?.next(bar.close)
    if (bar.count > 0) price?.next(bar.close, bar.volume)
    this.log([String(series), JSON.stringify(figuresOf(bar)), this.fast.value, bands?.upper, price?.value].map(String).join(' '))
  }

  override saveState(): unknown {
    return { restless: super.saveState(), isLate: this.isLate }
  }

  override restoreState(state: unknown): void {
    const { restless, isLate } = state as { restless: unknown, isLate: boolean }
    super.restoreState(restless)
    if (isLate) this.subscribeLate()
  }

  private subscribeLate(): void {
    this.isLate = true
    this.subscribeBars(this.instrument, { volume: '6' })
    this.subscribeBars(this.instrument, '13ns', { of: 'mid' })
  }
}
