import { Quantity, type Price } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { OrderParams } from '../order-params.js'
import { Order } from '../order.js'
import { priceOrNull, savedOrNull, savedQuantity, savedText } from '../saved-decimal.js'
import type { SavedTactic, WatchedPrices } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { ExitTactic, isAtStop } from './exit-order.js'
import { savedOrder } from './order-slot.js'
import { tacticRefusal, type TacticOptions } from './tactic-option.js'
import { takesStill, takingOrder } from './taking-order.js'

/** Prices of a bracket: both, or one of them. */
export interface BracketTerms {
  /** Price of the limit order. */
  readonly takeProfit?: Price
  /** Price of the stop. */
  readonly stop?: Price
}

/** The same, checked. */
interface BracketPrices {
  readonly takeProfit: Price | null
  readonly stop: Price | null
}

/** Options of a bracket. */
export interface BracketOptions {
  /**
   * Which of the two rests at the exchange; the other is watched by the client. `takeProfit` (default): a limit order
   * rests, and the stop sends a MARKET order. `stop`: a STOP_LIMIT order rests, where the venue can, and the take
   * profit becomes a limit order once its price is reached, the stop then watched.
   */
  readonly rests?: 'takeProfit' | 'stop'
  /** The prices that are watched, as of a `StopMarket`; default `touch`. */
  readonly watch?: WatchedPrices
  /** Of `rests: 'stop'`: ticks between the trigger and the worst price of the order; default 0. */
  readonly stopLimitTicks?: number
  /** Milliseconds before the next order where one failed, doubled each time up to a minute; default 100. */
  readonly retryMs?: number
}

/** Which order is wanted now: the limit order, the stop at the exchange, or one that takes. */
type BracketPhase = 'takeProfit' | 'stop' | 'leaving'

interface BracketState {
  readonly entry: Order | null
  /** The quantity that was given in place of an entry order. */
  readonly given: Quantity
  /** Sum of the entry's fills, which may come before its update. */
  filled: Quantity
  prices: BracketPrices | null
  phase: BracketPhase
}

/**
 * Take profit and stop for an entry order or a position: one cancels the other, and their size follows the fills of the
 * entry. One of them is an order at the exchange, the other is watched and sent once the cancel of the first is
 * confirmed: so both never work at once, and no more is left than was entered, whatever races. That costs the way of a
 * cancel before a stop takes. Of a derivative it never takes more than the position.
 *
 * @example
 * ```ts
 * import { Bracket, Parameter, Strategy, TradingInstrument } from 'backtape'
 * class Entry extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   bracket!: Bracket
 *   override onStart(): void {
 *     this.bracket = new Bracket(this.instrument)
 *     this.every(1_000, () => this.enter())
 *   }
 *   enter(): void {
 *     const { instrument } = this
 *     const { bestBid } = instrument
 *     if (bestBid === null || this.bracket.isActive) return
 *     const order = instrument.placeOrder({ side: 'BID', quantity: instrument.quantity('0.1'), price: bestBid.price })
 *     if (order.isDiscarded) return
 *     const [takeProfit, stop] = [instrument.stepPrice(bestBid.price, 10), instrument.stepPrice(bestBid.price, -10)]
 *     this.bracket.protect(order, { takeProfit, stop })
 *   }
 * }
 * console.log(Entry.name)
 * ```
 */
export class Bracket extends ExitTactic {
  readonly #options: Required<Pick<BracketOptions, 'rests' | 'stopLimitTicks'>>
  #state: BracketState = {
    entry: null, given: Quantity.ZERO, filled: Quantity.ZERO, prices: null, phase: 'takeProfit',
  }

  /** Throws OPTION_INVALID, also where the venue has no STOP_LIMIT orders for `rests: 'stop'`. */
  constructor(instrument: TradingInstrument, options: BracketOptions = {}) {
    super('Bracket', instrument, options, ['rests', 'watch', 'stopLimitTicks', 'retryMs'])
    this.#options = {
      rests: this.check.word('rests', options.rests ?? 'takeProfit', ['takeProfit', 'stop']),
      stopLimitTicks: this.check.number('stopLimitTicks', options.stopLimitTicks ?? 0, 0, true),
    }
    if (this.#options.rests === 'stop' && !this.host.capabilities(instrument).orderTypes.includes('STOP_LIMIT'))
      throw tacticRefusal(this.label, 'rests', "'takeProfit', as the venue has no STOP_LIMIT orders", 'stop')
  }

  /** True while the entry may still fill, what it has filled is not left, or an order of the bracket is not over. */
  get isActive(): boolean {
    if (this.exit.slot.order !== null) return true
    return this.#state.prices !== null && (this.#state.entry?.isOpen === true || this.#left.sign > 0)
  }

  /** The entry order; null where a quantity was given. */
  get entry(): Order | null {
    return this.#state.entry
  }

  /**
   * Protects the fills of an entry order, or a quantity that is held already (above 0 long). Throws OPTION_INVALID
   * while it still protects another one, where another bracket protects the same order, and for prices that are on the
   * wrong sides of each other or off the tick.
   */
  protect(entry: Order | Quantity, terms: BracketTerms): void {
    const isOrder = (entry as unknown) instanceof Order
    const side = isOrder ? (entry as Order).side : (entry as Quantity).sign < 0 ? 'ASK' : 'BID'
    const exitSide: Side = side === 'BID' ? 'ASK' : 'BID'
    const prices = bracketPrices(this.check, terms, exitSide)
    const given = isOrder
      ? Quantity.ZERO
      : this.check.orderQuantity('the quantity', this.check.quantity('the entry', entry).abs())
    if (this.host.isResuming) return
    if (this.isActive) throw tacticRefusal(this.label, 'it', 'free: make another bracket', 'one that still protects')
    if (isOrder) this.#checkEntry(entry as Order)
    this.watchPrices()
    this.#state = {
      entry: isOrder ? (entry as Order) : null, given, filled: Quantity.ZERO, prices, phase: this.#options.rests,
    }
    this.exit.begin(exitSide)
    this.lookNow()
  }

  /** Other prices for what it protects. Throws OPTION_INVALID as `protect` does, and where it protects nothing. */
  move(terms: BracketTerms): void {
    const prices = bracketPrices(this.check, terms, this.exit.side)
    if (this.host.isResuming) return
    if (this.#state.prices === null) throw tacticRefusal(this.label, 'it', 'one that protects', 'one that does not')
    this.#state.prices = prices
    if (this.#state.phase !== 'leaving') this.#state.phase = this.#options.rests
    this.lookNow()
  }

  /** Protects nothing any more: its order is cancelled, the entry and the position stay as they are. */
  cancel(): void {
    if (this.host.isResuming) return
    this.#state.prices = null
    this.act()
  }

  /** Called by the runtime. */
  override onTouch(): void {
    if (this.watched === 'touch') this.lookNow()
    else this.act()
  }

  /** Called by the runtime. */
  override onFill(order: Order): void {
    const { entry, filled } = this.#state
    if (order === entry) this.#state.filled = filled.plus(order.getLastFill()?.quantity ?? Quantity.ZERO)
    this.act()
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    const { entry, given, filled, prices, phase } = this.#state
    return {
      entry: entry?.ownOrderId ?? null, given: savedText(given), filled: savedText(filled),
      prices: prices === null ? null : { takeProfit: savedOrNull(prices.takeProfit), stop: savedOrNull(prices.stop) },
      phase, ...super.save(),
    }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    const prices = saved['prices'] as { readonly [K in keyof BracketPrices]: string | null } | null
    this.#state = {
      entry: savedOrder(this.host, saved['entry'] as string | null), given: savedQuantity(saved['given'] as string),
      filled: savedQuantity(saved['filled'] as string),
      prices:
        prices === null ? null : { takeProfit: priceOrNull(prices.takeProfit), stop: priceOrNull(prices.stop) },
      phase: saved['phase'] as BracketPhase,
    }
    super.restore(saved)
  }

  /** Quantity that is to be left. */
  get #left(): Quantity {
    const { entry, given, filled } = this.#state
    const executed = entry?.executedQuantity ?? Quantity.ZERO
    return this.exit.leftOf(given.plus(executed.compare(filled) >= 0 ? executed : filled))
  }

  #checkEntry(entry: Order): void {
    if (entry.instrumentId !== this.instrument.id)
      throw tacticRefusal(this.label, 'the entry', `an order of ${this.instrument.code}`, 'one of another instrument')
    if (!entry.isOpen) throw tacticRefusal(this.label, 'the entry', 'open: give the quantity instead', entry.state)
    const isTaken = this.host.all().some((one) => one instanceof Bracket && one !== this && one.protects(entry))
    if (isTaken) throw tacticRefusal(this.label, 'the entry', 'free', 'one that another bracket protects')
  }

  /** True where it protects this entry. */
  protects(entry: Order): boolean {
    return this.#state.entry === entry && this.isActive
  }

  /** Goes over to the other order where its price is reached: only while there is something to leave. */
  protected override look(price: Price | null): void {
    const { prices, phase } = this.#state
    if (price !== null && prices !== null && this.#left.sign > 0) {
      const { takeProfit, stop } = prices
      const { side } = this.exit
      if (phase === 'takeProfit' && stop !== null && isAtStop(side, price, stop)) this.#state.phase = 'leaving'
      // A stop is reached from the other side than a profit.
      if (phase === 'stop' && takeProfit !== null && isAtStop(side === 'ASK' ? 'BID' : 'ASK', price, takeProfit))
        this.#state.phase = 'takeProfit'
    }
    this.act()
  }

  protected override act(): void {
    const { slot } = this.exit
    const { prices, phase } = this.#state
    const left = prices === null ? Quantity.ZERO : this.#left
    if (prices === null) slot.cancel()
    else {
      if (left.sign <= 0 && slot.order === null && phase === 'leaving') this.#state.phase = this.#options.rests
      this.exit.keep(left, () => this.#params(prices, left), (order) => this.#isMeant(prices, order))
    }
    this.alarm.setEarliest(left.sign > 0 || slot.order !== null ? [slot.retryNs, this.exit.graceNs] : [])
  }

  #params({ takeProfit, stop }: BracketPrices, quantity: Quantity): OrderParams | null {
    const { instrument, exit: { side } } = this
    const isReducing = !instrument.isSpot
    if (this.#state.phase === 'leaving')
      return takingOrder(instrument, this.host, { side, quantity, price: null, isReducing })
    const reduceOnly = isReducing && this.host.capabilities(instrument).reduceOnly ? { reduceOnly: true } : {}
    if (this.#state.phase === 'takeProfit')
      return takeProfit === null ? null : { side, quantity, price: takeProfit, postOnly: false, ...reduceOnly }
    if (stop === null) return null
    const ticks = this.#options.stopLimitTicks
    const price = instrument.stepPrice(stop, side === 'ASK' ? -ticks : ticks)
    return { side, quantity, type: 'STOP_LIMIT', triggerPrice: stop, price, postOnly: false, ...reduceOnly }
  }

  #isMeant({ takeProfit, stop }: BracketPrices, { type, price, conditions }: Order): boolean {
    if (this.#state.phase === 'leaving') {
      const order = this.exit.slot.order
      const isProfit = takeProfit !== null && price?.equals(takeProfit) === true
      return order !== null && type !== 'STOP_LIMIT' && !isProfit && takesStill(this.instrument, order)
    }
    if (this.#state.phase === 'takeProfit')
      return type === 'LIMIT' && takeProfit !== null && price?.equals(takeProfit) === true
    return type === 'STOP_LIMIT' && stop !== null && conditions.triggerPrice?.equals(stop) === true
  }
}

/** The prices of a bracket whose orders are of a side. Throws OPTION_INVALID. */
function bracketPrices(check: TacticOptions, terms: BracketTerms, side: Side): BracketPrices {
  check.fields(terms, ['takeProfit', 'stop'])
  const takeProfit = terms.takeProfit === undefined ? null : check.price('takeProfit', terms.takeProfit)
  const stop = terms.stop === undefined ? null : check.price('stop', terms.stop)
  if (takeProfit === null && stop === null)
    throw tacticRefusal('a bracket', 'its prices', 'takeProfit, stop or both', terms)
  if (takeProfit !== null && stop !== null && takeProfit.compare(stop) * (side === 'ASK' ? 1 : -1) <= 0)
    throw tacticRefusal(
      'a bracket', 'takeProfit', `${side === 'ASK' ? 'above' : 'below'} the stop, ${stop.toString()}`, takeProfit,
    )
  return { takeProfit, stop }
}
