import type { Price, Quantity } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { SavedTactic } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { priceOrNull, savedOrNull, WatchedStop, type WatchedStopOptions } from './watched-stop.js'

/** The terms of a stop. */
export interface StopMarketTerms {
  /** Side of its order: `ASK` leaves a long position. */
  readonly side: Side
  /** It fires at this price or beyond: at or below it for `ASK`, at or above it for `BID`. */
  readonly price: Price
  /** Default: the whole position when it fires; needed on spot. */
  readonly quantity?: Quantity | string
}

/**
 * A stop that the client watches: when its price is reached, as the strategy receives prices, it sends a MARKET order,
 * reduce-only where the venue can, and goes on until its quantity is executed. Of a derivative it never takes more than
 * the position. It is no order at the exchange before it fires: it does not fire while the strategy receives nothing,
 * and what it takes may be far from its price.
 *
 * @example
 * ```ts
 * import { Parameter, StopMarket, Strategy, TradingInstrument, type Order } from 'backtape'
 * class Stopped extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   guard!: StopMarket
 *   override onStart(): void {
 *     this.guard = new StopMarket(this.instrument)
 *   }
 *   override onOrderFill(order: Order): void {
 *     const fill = order.getLastFill()
 *     if (fill === null || order.side !== 'BID') return
 *     this.guard.set({ side: 'ASK', price: this.instrument.stepPrice(fill.price, -20) })
 *   }
 * }
 * console.log(Stopped.name)
 * ```
 */
export class StopMarket extends WatchedStop {
  #price: Price | null = null

  /** Throws OPTION_INVALID. */
  constructor(instrument: TradingInstrument, options: WatchedStopOptions = {}) {
    super('StopMarket', instrument, options)
  }

  /** The price at which it fires just now; null where there is none. */
  override get stopPrice(): Price | null {
    return this.phase === 'idle' ? null : this.#price
  }

  /**
   * Arms it; the terms before are gone. It fires at once where its price is reached already. Throws OPTION_INVALID
   * where the order of the one before is not over, and for terms that cannot be.
   */
  set({ side, price, quantity }: StopMarketTerms): void {
    const checked = this.check.price('price', price)
    if (this.host.isResuming) return
    this.arm(side, quantity ?? null)
    this.#price = checked
    this.lookNow()
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    return { ...super.save(), price: savedOrNull(this.#price) }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    super.restore(saved)
    this.#price = priceOrNull(saved['price'])
  }
}
