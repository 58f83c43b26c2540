import { Price, type Quantity } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { SavedTactic } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { tacticRefusal } from './tactic-option.js'
import { priceOrNull, savedOrNull, WatchedStop, type WatchedStopOptions } from './watched-stop.js'

/** The terms of a trailing stop: one of `trail` and `trailTicks`. */
export interface TrailingStopTerms {
  /** Side of its order: `ASK` leaves a long position. */
  readonly side: Side
  /** Distance from the best price since it was set. */
  readonly trail?: Price
  /** The same in ticks, each that of its band. */
  readonly trailTicks?: number
  /** Default: the whole position when it fires; needed on spot. */
  readonly quantity?: Quantity | string
}

/**
 * A stop that follows the price: it fires where the price comes back by the trail from the best one since it was set,
 * the highest for `ASK`, the lowest for `BID`. Distances are exact; a stop between two ticks counts as it is. What it
 * does then is what `StopMarket` does.
 *
 * @example
 * ```ts
 * import { Parameter, Strategy, TradingInstrument, TrailingStop } from 'backtape'
 * class Trailing extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   stopper!: TrailingStop
 *   override onStart(): void {
 *     this.stopper = new TrailingStop(this.instrument, { watch: 'trades' })
 *   }
 *   override onInstrumentPosition(): void {
 *     if (this.instrument.position.sign > 0 && this.stopper.phase === 'idle')
 *       this.stopper.set({ side: 'ASK', trailTicks: 20 })
 *   }
 * }
 * console.log(Trailing.name)
 * ```
 */
export class TrailingStop extends WatchedStop {
  #best: Price | null = null
  #trail: Price | null = null
  #ticks = 0

  /** Throws OPTION_INVALID. */
  constructor(instrument: TradingInstrument, options: WatchedStopOptions = {}) {
    super('TrailingStop', instrument, options)
  }

  /** The price at which it fires just now; null where there is none. */
  override get stopPrice(): Price | null {
    const best = this.#best
    if (best === null || this.phase === 'idle') return null
    if (this.#trail !== null) return this.side === 'ASK' ? best.minus(this.#trail) : best.plus(this.#trail)
    return this.instrument.stepPrice(best, this.side === 'ASK' ? -this.#ticks : this.#ticks)
  }

  /** Arms it; the terms before are gone. Throws as `StopMarket.set` does. */
  set({ side, trail, trailTicks, quantity }: TrailingStopTerms): void {
    if ((trail === undefined) === (trailTicks === undefined))
      throw tacticRefusal(this.label, 'the distance', 'either trail or trailTicks', trail ?? trailTicks)
    if (trail !== undefined && (!((trail as unknown) instanceof Price) || trail.sign <= 0))
      throw tacticRefusal(this.label, 'trail', 'a Price above 0', trail)
    if (trailTicks !== undefined) this.check.number('trailTicks', trailTicks, 1, true)
    if (this.host.isResuming) return
    this.arm(side, quantity ?? null)
    this.#trail = trail ?? null
    this.#ticks = trailTicks ?? 0
    this.#best = null
    this.lookNow()
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    return { ...super.save(), best: savedOrNull(this.#best), trail: savedOrNull(this.#trail), ticks: this.#ticks }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    super.restore(saved)
    this.#best = priceOrNull(saved['best'])
    this.#trail = priceOrNull(saved['trail'])
    this.#ticks = saved['ticks'] as number
  }

  protected override see(price: Price): void {
    const best = this.#best
    if (best === null || (this.side === 'ASK' ? price.compare(best) > 0 : price.compare(best) < 0)) this.#best = price
  }
}
