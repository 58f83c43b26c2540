import { Price, Quantity } from '../../model/fixed-decimal.js'
import { NS_PER_MS } from '../../model/time.js'
import type { Side } from '../../model/side.js'
import type { OrderParams } from '../order-params.js'
import type { Order } from '../order.js'
import { savedQuantity, savedText } from '../saved-decimal.js'
import type { SavedTactic, TacticHost, WatchedPrices } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { OrderSlot, savedOrder, type SavedSlot } from './order-slot.js'
import { SlotTactic } from './slot-tactic.js'
import { isTooSmall, TacticOptions } from './tactic-option.js'
import { endsByItself } from './taking-order.js'

/** So long an order may seem too large while messages of one execution are on their way. */
const GRACE_NS = 100 * NS_PER_MS

interface ExitState {
  readonly side: Side
  /** Executed quantity of orders before the present one. */
  ended: Quantity
  order: Order | null
  apartNs: number | null
}

/** An exit as a checkpoint holds it. */
export interface SavedExit {
  readonly side: Side
  readonly ended: string
  readonly counted: string | null
  readonly apartNs: number | null
  readonly slot: SavedSlot
}

/**
 * The one order by which a position is left, and the quantity that it and those before it have executed. It never comes
 * to more than what it was given, nor, of a derivative, to more than the position.
 */
class ExitOrder {
  readonly slot: OrderSlot
  #state: ExitState = { side: 'ASK', ended: Quantity.ZERO, order: null, apartNs: null }

  constructor(
    private readonly instrument: TradingInstrument, private readonly host: TacticHost, retryMs: number,
  ) {
    this.slot = new OrderSlot(instrument, host, retryMs)
  }

  /** Side of the exit: `ASK` leaves a long position. */
  get side(): Side {
    return this.#state.side
  }

  /** Executed quantity since {@link begin}, as far as is known. */
  get executed(): Quantity {
    const { ended, order } = this.#state
    return order === null ? ended : ended.plus(order.executedQuantity)
  }

  /** When an order that seems too large is taken for too large; 0 where it does not seem so. */
  get graceNs(): number {
    return this.#state.apartNs === null ? 0 : this.#state.apartNs + GRACE_NS
  }

  begin(side: Side): void {
    this.#state = { side, ended: Quantity.ZERO, order: null, apartNs: null }
  }

  /** The part of a quantity that is still to be left: of a derivative at most the position. */
  leftOf(quantity: Quantity): Quantity {
    const left = quantity.minus(this.executed)
    if (this.instrument.isSpot) return left.sign > 0 ? left : Quantity.ZERO
    const { position } = this.instrument
    const held = this.side === 'ASK' ? position : position.negated()
    const least = held.compare(left) < 0 ? held : left
    return least.sign > 0 ? least : Quantity.ZERO
  }

  /**
   * Keeps an order of this quantity, made by `params`; `isMeant` tells whether the order that is there is of that kind.
   */
  keep(quantity: Quantity, params: () => OrderParams | null, isMeant: (order: Order) => boolean): void {
    const { order } = this.slot
    if (order === null) {
      this.#state.apartNs = null
      if (quantity.sign <= 0 || isTooSmall(this.instrument, quantity) || !this.slot.isReady) return
      const given = params()
      if (given !== null && this.slot.place(given))
        this.#state = { ...this.#state, ended: this.executed, order: this.slot.order }
    } else if (!endsByItself(order)) {
      if (isMeant(order)) this.#size(order, quantity)
      else this.slot.cancel()
    }
  }

  save(): SavedExit {
    const { side, ended, apartNs, order } = this.#state
    return { side, ended: savedText(ended), apartNs, slot: this.slot.save(), counted: order?.ownOrderId ?? null }
  }

  restore({ side, ended, apartNs, slot, counted }: SavedExit): void {
    this.#state = { side, ended: savedQuantity(ended), apartNs, order: savedOrder(this.host, counted) }
    this.slot.restore(slot)
  }

  /** More is known for certain at once, less only when the messages of one execution have come. */
  #size(order: Order, quantity: Quantity): void {
    const difference = order.totalQuantity.minus(order.executedQuantity).compare(quantity)
    if (difference <= 0) this.#state.apartNs = null
    else this.#state.apartNs ??= this.host.nowNs()
    if (difference === 0 || (difference > 0 && this.host.nowNs() < this.graceNs)) return
    if (quantity.sign <= 0 || order.price === null) this.slot.cancel()
    else this.slot.move(order.price, order.executedQuantity.plus(quantity))
  }
}

/** True where a price is at or beyond a stop of a side: below for `ASK`, above for `BID`. */
export function isAtStop(side: Side, price: Price, stop: Price): boolean {
  return side === 'ASK' ? price.compare(stop) <= 0 : price.compare(stop) >= 0
}

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

/** The base of tactics that watch prices and leave a position by one order at a time. */
export abstract class ExitTactic extends SlotTactic {
  /**
   * Checks of arguments.
   *
   * @internal
   */
  protected readonly check: TacticOptions
  /**
   * The order by which it leaves.
   *
   * @internal
   */
  protected readonly exit: ExitOrder
  /**
   * The prices that it watches.
   *
   * @internal
   */
  protected readonly watched: WatchedPrices

  constructor(
    name: string,
    /** The instrument. */
    protected readonly instrument: TradingInstrument,
    options: WatchedStopOptions,
    fields: readonly string[],
  ) {
    super(name, [instrument])
    this.check = new TacticOptions(this.label, instrument)
    this.check.fields(options, fields)
    this.watched = this.check.word('watch', options.watch ?? 'touch', ['touch', 'trades', 'mark'])
    this.exit = new ExitOrder(instrument, this.host, this.check.number('retryMs', options.retryMs ?? 100, 1))
    this.keep(this.exit.slot)
  }

  /** Quantity that it has executed since it was set, as far as is known. */
  get executed(): Quantity {
    return this.exit.executed
  }

  /** Called by the runtime. */
  override onTrade(_instrument: TradingInstrument, price: Price): void {
    if (this.watched === 'trades') this.look(price)
  }

  /** Called by the runtime. */
  override onMark(): void {
    if (this.watched === 'mark') this.lookNow()
  }

  /** Begins to watch its prices, as the strategy receives them. */
  protected watchPrices(): void {
    this.host.watch(this.instrument, this.watched)
    // A MARKET order is sent while best prices are known.
    if (this.watched !== 'touch') this.host.watch(this.instrument, 'touch')
  }

  /**
   * Looks at the price at which its exit would be judged now: the best price that it would take, or the last mark. Null
   * where none is known, and for trades, which come one by one.
   */
  protected lookNow(): void {
    const { bestBid, bestAsk, markPrice } = this.instrument
    if (this.watched === 'touch') this.look((this.exit.side === 'ASK' ? bestBid : bestAsk)?.price ?? null)
    else this.look(this.watched === 'mark' ? markPrice : null)
  }

  /** Looks at a price that is watched, null for none, and acts. */
  protected abstract look(price: Price | null): void

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    return { exit: this.exit.save(), dueNs: this.alarm.save() }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    this.exit.restore(saved['exit'] as SavedExit)
    this.alarm.restore(saved['dueNs'] as number | null)
  }
}
