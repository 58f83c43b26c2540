import { Price, type Quantity } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import { priceOrNull, quantityOrNull, savedOrNull } from '../saved-decimal.js'
import type { SavedTactic } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { ExitTactic, isAtStop, type WatchedStopOptions } from './exit-order.js'
import { tacticRefusal } from './tactic-option.js'
import { takesStill, takingOrder } from './taking-order.js'

/** The state of a stop: it waits for its price, it takes, or there is none. */
export type StopPhase = 'idle' | 'armed' | 'fired'

/** The base of stops that the client watches: once its price is reached it takes until its quantity is executed. */
export abstract class WatchedStop extends ExitTactic {
  #phase: StopPhase = 'idle'
  #quantity: Quantity | null = null

  constructor(name: string, instrument: TradingInstrument, options: WatchedStopOptions) {
    super(name, instrument, options, ['watch', 'retryMs'])
  }

  /** The price at which it fires; null where there is none. */
  abstract get stopPrice(): Price | null

  /** `armed` while it waits for its price, `fired` while it takes, else `idle`. */
  get phase(): StopPhase {
    return this.#phase
  }

  /** Takes it back. An order that is on its way may still execute. */
  disarm(): void {
    if (this.host.isResuming) return
    this.#phase = 'idle'
    this.act()
  }

  /** It waits from now on: the side of its order, and its quantity or null for the position. */
  protected arm(side: Side, quantity: Quantity | string | null): void {
    const checked = quantity === null ? null : this.check.orderQuantity('quantity', quantity)
    this.check.word('side', side, ['BID', 'ASK'])
    if (quantity === null && this.instrument.isSpot)
      throw tacticRefusal(this.label, 'quantity', 'stated: on spot there is no position to close', null)
    if (this.exit.slot.order !== null)
      throw tacticRefusal(this.label, 'the order before', 'over', this.exit.slot.order.state)
    this.watchPrices()
    this.#quantity = checked
    this.exit.begin(side)
    this.#phase = 'armed'
  }

  /** Side of its order. */
  protected get side(): Side {
    return this.exit.side
  }

  /** A price that is watched has come. */
  protected see(_price: Price): void {}

  /** Called by the runtime. */
  override onTouch(): void {
    if (this.watched === 'touch') this.lookNow()
    if (this.#phase !== 'armed') this.act()
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    return { phase: this.#phase, quantity: savedOrNull(this.#quantity), ...super.save() }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    this.#phase = saved['phase'] as StopPhase
    this.#quantity = quantityOrNull(saved['quantity'] as string | null)
    super.restore(saved)
  }

  protected override look(price: Price | null): void {
    if (price === null || this.#phase !== 'armed') return
    this.see(price)
    const { stopPrice } = this
    if (stopPrice === null || !isAtStop(this.side, price, stopPrice)) return
    this.#phase = 'fired'
    this.#quantity ??= this.instrument.position.abs()
    this.act()
  }

  protected override act(): void {
    const { exit } = this
    const isFired = this.#phase === 'fired'
    if (!isFired) exit.slot.cancel()
    else if (this.#quantity !== null) {
      const left = exit.leftOf(this.#quantity)
      if (left.sign <= 0 && exit.slot.order === null) this.#phase = 'idle'
      const terms = { side: exit.side, quantity: left, price: null, isReducing: !this.instrument.isSpot }
      exit.keep(
        left, () => takingOrder(this.instrument, this.host, terms), (order) => takesStill(this.instrument, order),
      )
    }
    this.alarm.setEarliest(isFired || exit.slot.order !== null ? [exit.slot.retryNs, exit.graceNs] : [])
  }
}

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
    this.#price = priceOrNull(saved['price'] as string | null)
  }
}

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
    this.#best = priceOrNull(saved['best'] as string | null)
    this.#trail = priceOrNull(saved['trail'] as string | null)
    this.#ticks = saved['ticks'] as number
  }

  protected override see(price: Price): void {
    const best = this.#best
    if (best === null || (this.side === 'ASK' ? price.compare(best) > 0 : price.compare(best) < 0)) this.#best = price
  }
}
