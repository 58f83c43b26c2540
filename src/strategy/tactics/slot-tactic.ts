import type { Order } from '../order.js'
import { Tactic, type TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import type { OrderSlot } from './order-slot.js'

/** The one timer of a tactic, set anew only where its time changes. */
export class Alarm {
  #dueNs: number | null = null

  constructor(private readonly tactic: Tactic, private readonly host: TacticHost) {}

  /** The earliest of some times that is later than now; the others are left out, and without any it is off. */
  setEarliest(timesNs: readonly number[]): void {
    const nowNs = this.host.nowNs()
    let earliest = Infinity
    for (const timeNs of timesNs) if (timeNs > nowNs && timeNs < earliest) earliest = timeNs
    const dueNs = earliest === Infinity ? null : earliest
    if (dueNs === this.#dueNs) return
    this.#dueNs = dueNs
    this.host.wakeAt(this.tactic, dueNs)
  }

  /** It has rung. */
  rang(): void {
    this.#dueNs = null
  }

  save(): number | null {
    return this.#dueNs
  }

  restore(dueNs: number | null): void {
    this.#dueNs = dueNs
  }
}

/** The base of tactics that keep orders in slots: whatever happens to them, they look again at what is to be done. */
export abstract class SlotTactic extends Tactic {
  /**
   * Its timer.
   *
   * @internal
   */
  protected readonly alarm: Alarm = new Alarm(this, this.host)
  #slots: readonly OrderSlot[] = []

  /**
   * Keeps a slot: it learns of its orders before {@link act} is called.
   *
   * @internal
   */
  protected keep<S extends OrderSlot>(slot: S): S {
    this.#slots = [...this.#slots, slot]
    return slot
  }

  /** Sends what is to be sent now. */
  protected abstract act(): void

  /** Called by the runtime. */
  override onOrder(order: Order): void {
    for (const slot of this.#slots) slot.onOrder(order)
    this.act()
  }

  /** Called by the runtime. */
  override onError(order: Order): void {
    for (const slot of this.#slots) slot.onError(order)
    this.act()
  }

  /** Called by the runtime. */
  override onPosition(_instrument: TradingInstrument): void {
    this.act()
  }

  /** Called by the runtime. */
  override onTimer(): void {
    this.alarm.rang()
    this.act()
  }
}
