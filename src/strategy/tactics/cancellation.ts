import type { Id } from '../../model/id.js'
import { NS_PER_MS } from '../../model/time.js'
import type { Side } from '../../model/side.js'
import { recordOf, type Order } from '../order.js'
import { Tactic, type SavedTactic } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { TacticOptions } from './tactic-option.js'

/** A cancel that failed is asked for again after so long. */
const RETRY_NS = 100 * NS_PER_MS

/** An order that is to end. */
interface Doomed {
  readonly ownOrderId: Id
  /** True where an answer of its cancel is awaited. */
  isAsked: boolean
}

/** Cancels the open orders of an instrument and asks again until each is over. */
export class Cancellation extends Tactic {
  readonly #instrument: TradingInstrument
  #doomed: Doomed[] = []
  #dueNs: number | null = null

  constructor(instrument: TradingInstrument) {
    super('Cancellation', [instrument])
    this.#instrument = instrument
  }

  /** Cancels what is open now, of one side or both. Throws OPTION_INVALID for another side. */
  cancelAll(side: Side | undefined): void {
    if (side !== undefined) new TacticOptions('cancelAll', this.#instrument).word('side', side, ['BID', 'ASK'])
    if (this.host.isResuming) return
    for (const order of this.#instrument.openOrders) {
      if (side !== undefined && order.side !== side) continue
      if (this.#find(order) !== undefined) continue
      this.#doomed.push({ ownOrderId: recordOf(order).ownOrderId, isAsked: true })
      order.cancel()
    }
  }

  /** Called by the runtime. */
  override onOrder(order: Order): void {
    if (!order.isOpen) this.#forget(order)
  }

  /** Called by the runtime. */
  override onError(order: Order): void {
    const doomed = this.#find(order)
    if (doomed === undefined) return
    if (!order.isOpen) return this.#forget(order)
    doomed.isAsked = false
    if (this.#dueNs !== null) return
    this.#dueNs = this.host.nowNs() + RETRY_NS
    this.host.wakeAt(this, this.#dueNs)
  }

  /** Called by the runtime. */
  override onTimer(): void {
    this.#dueNs = null
    this.#doomed = this.#doomed.filter(({ ownOrderId }) => this.host.orderOf(ownOrderId)?.isOpen === true)
    for (const doomed of this.#doomed) {
      if (doomed.isAsked) continue
      doomed.isAsked = true
      this.host.orderOf(doomed.ownOrderId)?.cancel()
    }
  }

  /** Its state for a checkpoint. */
  override save(): SavedTactic {
    return { doomed: this.#doomed.map((one) => ({ ...one })), dueNs: this.#dueNs }
  }

  /** Takes back a state. */
  override restore(saved: SavedTactic): void {
    this.#doomed = (saved['doomed'] as readonly Doomed[]).map((one) => ({ ...one }))
    this.#dueNs = saved['dueNs'] as number | null
  }

  #find(order: Order): Doomed | undefined {
    return this.#doomed.find(({ ownOrderId }) => ownOrderId === recordOf(order).ownOrderId)
  }

  #forget(order: Order): void {
    this.#doomed = this.#doomed.filter(({ ownOrderId }) => ownOrderId !== recordOf(order).ownOrderId)
  }
}
