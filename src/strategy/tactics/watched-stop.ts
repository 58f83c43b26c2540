import type { Price, Quantity } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import { savedPrice, savedQuantity, savedText } from '../saved-decimal.js'
import type { SavedTactic, WatchedPrices } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { ExitOrder, type SavedExit } from './exit-order.js'
import { isAtStop, priceNow, watchPrices, WATCHED_PRICES } from './price-watch.js'
import { SlotTactic } from './slot-tactic.js'
import { TacticOptions, tacticRefusal } from './tactic-option.js'
import { takesStill, takingOrder } from './taking-order.js'

/** Options of a stop that the client watches. */
export interface WatchedStopOptions {
  /**
   * The prices that are watched, as the strategy receives them: `touch` (default), the best price that the stop would
   * take; `trades`, public trades; `mark`, the mark price.
   */
  readonly watch?: WatchedPrices
  /** Milliseconds before the next order where one failed, doubled each time up to a minute; default 100. */
  readonly retryMs?: number
}

/** The state of a stop: it waits for its price, it takes, or there is none. */
export type StopPhase = 'idle' | 'armed' | 'fired'

/** The base of stops that the client watches: once its price is reached it takes until its quantity is executed. */
export abstract class WatchedStop extends SlotTactic {
  /** The instrument. */
  protected readonly instrument: TradingInstrument
  /** Checks of arguments. */
  protected readonly check: TacticOptions
  readonly #watch: WatchedPrices
  readonly #exit: ExitOrder
  #phase: StopPhase = 'idle'
  #quantity: Quantity | null = null

  constructor(name: string, instrument: TradingInstrument, options: WatchedStopOptions) {
    super(name, [instrument])
    this.instrument = instrument
    this.check = new TacticOptions(this.label, instrument)
    this.check.fields(options, ['watch', 'retryMs'])
    this.#watch = this.check.word('watch', options.watch ?? 'touch', WATCHED_PRICES)
    this.#exit = new ExitOrder(instrument, this.host, this.check.number('retryMs', options.retryMs ?? 100, 1))
    this.keep(this.#exit.slot)
  }

  /** The price at which it fires; null where there is none. */
  abstract get stopPrice(): Price | null

  /** `armed` while it waits for its price, `fired` while it takes, else `idle`. */
  get phase(): StopPhase {
    return this.#phase
  }

  /** Quantity that it has executed since it was armed, as far as is known. */
  get executed(): Quantity {
    return this.#exit.executed
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
    if (this.#exit.slot.order !== null)
      throw tacticRefusal(this.label, 'the order before', 'over', this.#exit.slot.order.state)
    watchPrices(this.host, this.instrument, this.#watch)
    this.#quantity = checked
    this.#exit.begin(side)
    this.#phase = 'armed'
  }

  /** Looks at the price of now, which may be at the stop already. */
  protected lookNow(): void {
    const price = priceNow(this.instrument, this.#watch, this.#exit.side)
    if (price !== null) this.#look(price)
  }

  /** Side of its order. */
  protected get side(): Side {
    return this.#exit.side
  }

  /** A price that is watched has come. */
  protected see(_price: Price): void {}

  /** Called by the runtime. */
  override onTouch(): void {
    if (this.#watch === 'touch') this.lookNow()
    if (this.#phase !== 'armed') this.act()
  }

  /** Called by the runtime. */
  override onTrade(_instrument: TradingInstrument, price: Price): void {
    if (this.#watch === 'trades') this.#look(price)
  }

  /** Called by the runtime. */
  override onMark(): void {
    if (this.#watch === 'mark') this.lookNow()
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    return {
      phase: this.#phase, quantity: this.#quantity === null ? null : savedText(this.#quantity),
      exit: this.#exit.save(), dueNs: this.alarm.save(),
    }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    const quantity = saved['quantity'] as string | null
    this.#phase = saved['phase'] as StopPhase
    this.#quantity = quantity === null ? null : savedQuantity(quantity)
    this.#exit.restore(saved['exit'] as SavedExit)
    this.alarm.restore(saved['dueNs'] as number | null)
  }

  #look(price: Price): void {
    if (this.#phase !== 'armed') return
    this.see(price)
    const { stopPrice } = this
    if (stopPrice === null || !isAtStop(this.#exit.side, price, stopPrice)) return
    this.#phase = 'fired'
    this.#quantity ??= this.instrument.position.abs()
    this.act()
  }

  protected override act(): void {
    const exit = this.#exit
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

/** A price for a checkpoint. */
export function savedOrNull(price: Price | null): string | null {
  return price === null ? null : savedText(price)
}

/** A price of a checkpoint. */
export function priceOrNull(saved: unknown): Price | null {
  return typeof saved === 'string' ? savedPrice(saved) : null
}
