import type { Order } from '../order.js'
import { Tactic } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'
import { Alarm } from './alarm.js'
import type { OrderSlot } from './order-slot.js'

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
