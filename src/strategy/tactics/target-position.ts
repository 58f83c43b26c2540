import { SlotTactic } from './slot-tactic.js'
import { Quantity, type Price } from '../../model/fixed-decimal.js'
import { NS_PER_MS } from '../../model/time.js'
import type { Side } from '../../model/side.js'
import type { OrderParams } from '../order-params.js'
import type { Order } from '../order.js'
import { savedQuantity, savedText } from '../saved-decimal.js'
import type { SavedTactic } from '../tactic.js'
import type { TargetOptions } from '../target-options.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { exposureOf } from './exposure.js'
import { OrderSlot, type SavedSlot } from './order-slot.js'
import { lotOf, TacticOptions } from './tactic-option.js'
import { endsByItself, takingOrder } from './taking-order.js'
import { restoredTerms, savedTerms, targetTerms, type SavedTargetTerms, type TargetTerms } from './target-terms.js'

/**
 * So long a position may seem to be apart from its target while messages of one execution are on their way, before the
 * order is cancelled for it. A new target does not wait.
 */
const GRACE_NS = 100 * NS_PER_MS

/** Why nothing is sent just now. */
export type TargetWait = 'prices' | 'retry' | 'smallest order'

interface SavedTarget {
  readonly target: string | null
  readonly terms: SavedTargetTerms
  readonly sinceNs: number | null
  readonly apartNs: number | null
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
  #target: Quantity | null = null
  #terms: TargetTerms
  /** When the way to the target began; null where it is reached. */
  #sinceNs: number | null = null
  /** Since when the order is not what is missing; null where it is. */
  #apartNs: number | null = null
  #wait: TargetWait | null = null

  /** `options` hold for every target that states no others. Throws OPTION_INVALID. */
  constructor(instrument: TradingInstrument, options: TargetOptions = {}) {
    super('TargetPosition', [instrument])
    this.#instrument = instrument
    this.#check = new TacticOptions(this.label, instrument)
    const isOpen = options.style === 'limit' && options.price === undefined
    this.#terms = targetTerms(this.#check, isOpen ? { ...options, style: 'take' } : options)
    this.#options = options
    this.#slot = this.keep(new OrderSlot({ instrument, host: this.host, retryMs: options.retryMs ?? 100 }))
  }

  /** The last target; null where there is none. */
  get wanted(): Quantity | null {
    return this.#target
  }

  /** The target less the position: above 0 is to be bought. 0 where there is no target. */
  get missing(): Quantity {
    return this.#target === null ? Quantity.ZERO : this.#target.minus(exposureOf(this.#instrument, this.host).held)
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
    return this.#wait
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
    const isNew = this.#target?.equals(target) !== true || JSON.stringify(terms) !== JSON.stringify(this.#terms)
    if (isNew) {
      this.#target = target
      this.#terms = terms
      this.#sinceNs = null
    }
    this.#send(isNew)
  }

  /** Cancels its order and gives the target up: the position stays as it is. */
  stop(): void {
    if (this.host.isResuming) return
    this.#target = null
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
    const saved: SavedTarget = {
      target: this.#target === null ? null : savedText(this.#target), terms: savedTerms(this.#terms),
      sinceNs: this.#sinceNs, apartNs: this.#apartNs, dueNs: this.alarm.save(), slot: this.#slot.save(),
    }
    return { ...saved, wait: this.#wait }
  }

  /** Takes back a state. */
  override restore(state: SavedTactic): void {
    const saved = state as unknown as SavedTarget
    this.#target = saved.target === null ? null : savedQuantity(saved.target)
    this.#terms = restoredTerms(saved.terms)
    this.#sinceNs = saved.sinceNs
    this.#apartNs = saved.apartNs
    this.alarm.restore(saved.dueNs)
    this.#wait = state['wait'] as TargetWait | null
    this.#slot.restore(saved.slot)
  }

  protected override act(): void {
    this.#send(false)
  }

  /** Sends what is to be sent; `isNow` where a new target makes the order wrong at once. */
  #send(isNow: boolean): void {
    this.#wait = null
    const order = this.#slot.order
    const target = this.#target
    if (target === null) this.#slot.cancel()
    else {
      const { held, bids, asks } = exposureOf(this.#instrument, this.host)
      const buy = target.minus(held).minus(bids)
      const sell = held.minus(asks).minus(target)
      const lot = lotOf(this.#instrument)
      const isShort = buy.compare(lot) >= 0 || sell.compare(lot) >= 0
      if (order === null && !isShort) this.#sinceNs = null
      else this.#sinceNs ??= this.host.nowNs()
      if (order !== null) this.#tend(order, order.side === 'BID' ? buy : sell, isNow)
      else if (buy.compare(lot) >= 0) this.#place('BID', buy)
      else if (isShort) this.#place('ASK', sell)
    }
    this.#schedule()
  }

  /** The style, which a timeout changes. */
  get #style(): TargetTerms['style'] {
    const { style } = this.#terms
    return style === 'join' && this.host.nowNs() >= this.#timeoutNs ? 'take' : style
  }

  get #timeoutNs(): number {
    const { timeoutMs } = this.#terms
    return timeoutMs === null || this.#sinceNs === null ? Infinity : this.#sinceNs + Math.round(timeoutMs * NS_PER_MS)
  }

  #place(side: Side, missing: Quantity): void {
    this.#apartNs = null
    const { minOrder, maxOrder } = this.#instrument.master
    const most = maxOrder === null ? missing : smaller(missing, Quantity.from(maxOrder))
    const quantity = this.#instrument.roundQuantity(most, 'down')
    if (minOrder !== null && quantity.compare(Quantity.from(minOrder)) < 0) this.#wait = 'smallest order'
    else if (!this.#slot.isReady) this.#wait = 'retry'
    else {
      const params = this.#params(side, quantity)
      if (params === null) this.#wait = 'prices'
      else if (!this.#slot.place(params)) this.#wait = 'retry'
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
    const { style, price, offsetTicks } = this.#terms
    if (style !== 'take' || price !== null || offsetTicks === null) return style === 'take' ? price : null
    const touch = side === 'BID' ? this.#instrument.bestAsk : this.#instrument.bestBid
    return touch === null ? null : this.#instrument.stepPrice(touch.price, side === 'BID' ? offsetTicks : -offsetTicks)
  }

  /** Null where it is not known. */
  #restingPrice(side: Side): Price | null {
    const { price, offsetTicks } = this.#terms
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
    if (isRight) this.#apartNs = null
    else this.#apartNs ??= nowNs
    if (order.postOnly !== (this.#style === 'join') || this.#isApart(isNow ? 0 : GRACE_NS)) return this.#slot.cancel()
    const price = this.#restingPrice(order.side)
    if (price !== null && isRight && order.price?.equals(price) === false) this.#slot.move(price)
  }

  #isApart(graceNs: number): boolean {
    return this.#apartNs !== null && this.host.nowNs() >= this.#apartNs + graceNs
  }

  /** Wakes when a wait ends. */
  #schedule(): void {
    const order = this.#slot.order
    if (order === null && this.#sinceNs === null) this.alarm.setEarliest([])
    else
      this.alarm.setEarliest([
        this.#slot.retryNs, this.#timeoutNs, order === null || this.#apartNs === null ? 0 : this.#apartNs + GRACE_NS,
      ])
  }
}

function smaller(a: Quantity, b: Quantity): Quantity {
  return a.compare(b) <= 0 ? a : b
}
