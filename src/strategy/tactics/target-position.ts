import { SlotTactic } from './slot-tactic.js'
import { Quantity, type Price } from '../../model/fixed-decimal.js'
import { NS_PER_MS } from '../../model/time.js'
import type { Side } from '../../model/side.js'
import type { OrderParams } from '../order-params.js'
import type { Order } from '../order.js'
import { priceOrNull, quantityOrNull, savedOrNull } from '../saved-decimal.js'
import type { SavedTactic } from '../tactic.js'
import type { TargetOptions, TradingInstrument } from '../trading-instrument.js'
import { OrderSlot, type SavedSlot } from './order-slot.js'
import { isTooSmall, lotOf, TacticOptions } from './tactic-option.js'
import { endsByItself, exposureOf, takingOrder } from './taking-order.js'

/** The way to a target, checked. */
interface TargetTerms {
  readonly style: 'take' | 'join' | 'limit'
  readonly price: Price | null
  readonly timeoutMs: number | null
  readonly offsetTicks: number | null
}

/** Terms as a checkpoint holds them. */
type SavedTargetTerms = Omit<TargetTerms, 'price'> & { readonly price: string | null }

/**
 * So long a position may seem to be apart from its target while messages of one execution are on their way, before the
 * order is cancelled for it. A new target does not wait.
 */
const GRACE_NS = 100 * NS_PER_MS

/** Why nothing is sent just now. */
export type TargetWait = 'prices' | 'retry' | 'smallest order'

interface TargetState {
  target: Quantity | null
  terms: TargetTerms
  /** When the way to the target began; null where it is reached. */
  sinceNs: number | null
  /** Since when the order is not what is missing; null where it is. */
  apartNs: number | null
  wait: TargetWait | null
}

type SavedTarget = Omit<TargetState, 'target' | 'terms'> & {
  readonly target: string | null
  readonly terms: SavedTargetTerms
  readonly dueNs: number | null
  readonly slot: SavedSlot
}

/**
 * Brings the net position of an instrument to a target and keeps it there, with one order at a time. What is missing is
 * the target less the position, the open quantity of all orders of the strategy on the instrument, and its requests in
 * flight; so no race of fills and cancels leads beyond the target. Of spot the position is `netTraded`, the sum of the
 * strategy's own fills. Less than a lot, or than the smallest order, stays missing: see `missing` and `waitsFor`.
 *
 * `join` follows the best price: amended where the venue can, else cancelled and placed again once the cancel is
 * confirmed. After `timeoutMs` from the begin of the way it cancels and takes.
 *
 * @example
 * ```ts
 * import { Parameter, Strategy, TargetPosition, TradingInstrument } from 'backtape'
 * class Holder extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   position!: TargetPosition
 *   override onStart(): void {
 *     this.position = new TargetPosition(this.instrument, { style: 'join', timeoutMs: 5_000 })
 *     this.position.target('0.1')
 *   }
 *   override onStop(): void {
 *     this.log(`${this.position.missing} is missing`)
 *   }
 * }
 * console.log(Holder.name)
 * ```
 */
export class TargetPosition extends SlotTactic {
  readonly #instrument: TradingInstrument
  readonly #check: TacticOptions
  readonly #options: TargetOptions
  readonly #slot: OrderSlot
  #state: TargetState

  /** `options` hold for every target that states no others. Throws OPTION_INVALID. */
  constructor(instrument: TradingInstrument, options: TargetOptions = {}) {
    super('TargetPosition', [instrument])
    this.#instrument = instrument
    this.#check = new TacticOptions(this.label, instrument)
    const isOpen = options.style === 'limit' && options.price === undefined
    const terms = targetTerms(this.#check, isOpen ? { ...options, style: 'take' } : options)
    this.#state = { target: null, terms, sinceNs: null, apartNs: null, wait: null }
    this.#options = options
    this.#slot = this.keep(new OrderSlot(instrument, this.host, options.retryMs ?? 100))
  }

  /** The last target; null where there is none. */
  get wanted(): Quantity | null {
    return this.#state.target
  }

  /** The target less the position: above 0 is to be bought. 0 where there is no target. */
  get missing(): Quantity {
    const { target } = this.#state
    return target === null ? Quantity.ZERO : target.minus(exposureOf(this.#instrument, this.host).held)
  }

  /** Its open order, null where there is none. */
  get order(): Order | null {
    return this.#slot.order
  }

  /**
   * The reason for which nothing is sent just now: no prices are known, a request failed and the next has to wait, or
   * less than the smallest order is missing. Null where there is none.
   */
  get waitsFor(): TargetWait | null {
    return this.#state.wait
  }

  /**
   * A new target, above 0 long; it replaces the one before. The same target again changes nothing. Throws
   * OPTION_INVALID where it lies between two lots and `round` is not stated, and for options that cannot be.
   */
  target(position: Quantity | string, options: TargetOptions = {}): void {
    const all = { ...this.#options, ...options }
    const terms = targetTerms(this.#check, all)
    const target = this.#check.lots('the target', this.#check.quantity('the target', position), all.round)
    if (this.host.isResuming) return
    if (terms.style !== 'limit') this.host.watch(this.#instrument, 'touch')
    this.#slot.renew()
    const { target: before, terms: termsBefore } = this.#state
    const isNew = before?.equals(target) !== true || JSON.stringify(terms) !== JSON.stringify(termsBefore)
    if (isNew) this.#state = { ...this.#state, target, terms, sinceNs: null }
    this.#send(isNew)
  }

  /** Cancels its order and gives the target up: the position stays as it is. */
  stop(): void {
    if (this.host.isResuming) return
    this.#state.target = null
    this.#send(true)
  }

  /** Called by the runtime. */
  override onFill(): void {
    this.act()
  }

  /** Called by the runtime. */
  override onTouch(): void {
    this.act()
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    const { target, terms, sinceNs, apartNs, wait } = this.#state
    return {
      target: savedOrNull(target), terms: { ...terms, price: savedOrNull(terms.price) }, sinceNs, apartNs,
      dueNs: this.alarm.save(), slot: this.#slot.save(), wait,
    }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    const { target, terms, dueNs, slot, ...rest } = saved as unknown as SavedTarget
    this.#state = {
      ...rest, target: quantityOrNull(target), terms: { ...terms, price: priceOrNull(terms.price) },
    }
    this.alarm.restore(dueNs)
    this.#slot.restore(slot)
  }

  protected override act(): void {
    this.#send(false)
  }

  /** Sends what is to be sent; `isNow` where a new target makes the order wrong at once. */
  #send(isNow: boolean): void {
    this.#state.wait = null
    const { order } = this.#slot
    const { target } = this.#state
    if (target === null) this.#slot.cancel()
    else {
      const { held, bids, asks } = exposureOf(this.#instrument, this.host)
      const buy = target.minus(held).minus(bids)
      const sell = held.minus(asks).minus(target)
      const lot = lotOf(this.#instrument)
      const isShort = buy.compare(lot) >= 0 || sell.compare(lot) >= 0
      if (order === null && !isShort) this.#state.sinceNs = null
      else this.#state.sinceNs ??= this.host.nowNs()
      if (order !== null) this.#tend(order, order.side === 'BID' ? buy : sell, isNow)
      else if (buy.compare(lot) >= 0) this.#place('BID', buy)
      else if (isShort) this.#place('ASK', sell)
    }
    this.#schedule()
  }

  /** The style, which a timeout changes. */
  get #style(): TargetTerms['style'] {
    const { style } = this.#state.terms
    return style === 'join' && this.host.nowNs() >= this.#timeoutNs ? 'take' : style
  }

  get #timeoutNs(): number {
    const { sinceNs, terms: { timeoutMs } } = this.#state
    return timeoutMs === null || sinceNs === null ? Infinity : sinceNs + Math.round(timeoutMs * NS_PER_MS)
  }

  #place(side: Side, missing: Quantity): void {
    this.#state.apartNs = null
    const { maxOrder } = this.#instrument.master
    const most = maxOrder === null ? missing : smaller(missing, Quantity.from(maxOrder))
    const quantity = this.#instrument.roundQuantity(most, 'down')
    if (isTooSmall(this.#instrument, quantity)) this.#state.wait = 'smallest order'
    else if (!this.#slot.isReady) this.#state.wait = 'retry'
    else {
      const params = this.#params(side, quantity)
      if (params === null) this.#state.wait = 'prices'
      else if (!this.#slot.place(params)) this.#state.wait = 'retry'
    }
  }

  #params(side: Side, quantity: Quantity): OrderParams | null {
    if (this.#style === 'take')
      return takingOrder(this.#instrument, this.host, { side, quantity, price: this.#worstPrice(side) })
    const price = this.#restingPrice(side)
    return price === null ? null : { side, quantity, price, postOnly: this.#style === 'join' }
  }

  /** Null for a MARKET order. */
  #worstPrice(side: Side): Price | null {
    const { style, price, offsetTicks } = this.#state.terms
    if (style !== 'take' || price !== null || offsetTicks === null) return style === 'take' ? price : null
    const touch = side === 'BID' ? this.#instrument.bestAsk : this.#instrument.bestBid
    return touch === null ? null : this.#instrument.stepPrice(touch.price, side === 'BID' ? offsetTicks : -offsetTicks)
  }

  /** Null where it is not known. */
  #restingPrice(side: Side): Price | null {
    const { price, offsetTicks } = this.#state.terms
    const { bestBid, bestAsk } = this.#instrument
    if (this.#style === 'limit') return price
    // A venue that has neither MARKET nor immediate-or-cancel orders.
    if (this.#style === 'take') return this.#worstPrice(side) ?? (side === 'BID' ? bestAsk : bestBid)?.price ?? null
    const own = side === 'BID' ? bestBid : bestAsk
    if (own === null || offsetTicks === null || offsetTicks === 0) return own?.price ?? null
    return this.#instrument.stepPrice(own.price, side === 'BID' ? -offsetTicks : offsetTicks)
  }

  /** `rest` is what is missing on the order's side beyond it: below 0 it is too large. */
  #tend(order: Order, rest: Quantity, isNow: boolean): void {
    if (endsByItself(order)) return
    const nowNs = this.host.nowNs()
    const isRight = rest.sign >= 0 && rest.compare(lotOf(this.#instrument)) < 0
    if (isRight) this.#state.apartNs = null
    else this.#state.apartNs ??= nowNs
    if (order.postOnly !== (this.#style === 'join') || this.#isApart(isNow ? 0 : GRACE_NS)) return this.#slot.cancel()
    const price = this.#restingPrice(order.side)
    if (price !== null && isRight && order.price?.equals(price) === false) this.#slot.move(price)
  }

  #isApart(graceNs: number): boolean {
    return this.#state.apartNs !== null && this.host.nowNs() >= this.#state.apartNs + graceNs
  }

  /** Wakes when a wait ends. */
  #schedule(): void {
    const { order, retryNs } = this.#slot
    const { sinceNs, apartNs } = this.#state
    const graceNs = order === null || apartNs === null ? 0 : apartNs + GRACE_NS
    this.alarm.setEarliest(order === null && sinceNs === null ? [] : [retryNs, this.#timeoutNs, graceNs])
  }
}

function smaller(a: Quantity, b: Quantity): Quantity {
  return a.compare(b) <= 0 ? a : b
}

const FIELDS: readonly (keyof TargetOptions)[] = ['style', 'price', 'timeoutMs', 'offsetTicks', 'round', 'retryMs']

/** The terms of options. Throws OPTION_INVALID. */
function targetTerms(check: TacticOptions, options: TargetOptions): TargetTerms {
  check.fields(options, FIELDS)
  const { style = 'take', price, timeoutMs, offsetTicks, round, retryMs } = options
  if (round !== undefined) check.word('round', round, ['down', 'up'])
  if (retryMs !== undefined) check.number('retryMs', retryMs, 1)
  const kind = check.word('style', style, ['take', 'join', 'limit'])
  return {
    style: kind,
    price: price === undefined && kind !== 'limit' ? null : check.price('price', price),
    timeoutMs: timeoutMs === undefined ? null : check.number('timeoutMs', timeoutMs, 0),
    offsetTicks: offsetTicks === undefined ? null : check.number('offsetTicks', offsetTicks, 0, true),
  }
}
