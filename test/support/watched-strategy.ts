import { RandomNumbers } from '../../src/model/random.js'
import { Quantity } from '../../src/model/fixed-decimal.js'
import type { Order } from '../../src/strategy/order.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { Integer, Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { Tactic } from '../../src/strategy/tactic.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'

type Decorate = (target: object, key: string) => void

/** Own fills by order, as they came: before any other tactic receives them. */
class FillRecord extends Tactic {
  readonly filled = new Map<string, number>()

  override onFill(order: Order): void {
    this.filled.set(order.ownOrderId, (this.filled.get(order.ownOrderId) ?? 0) + Number(order.getLastFill()!.quantity.toString()))
  }

  get orderTypes(): readonly string[] { return this.host.capabilities(this.instruments[0]!).orderTypes }

  override save(): Readonly<Record<string, unknown>> { return {} }
  override restore(): void {}
}

/** Plays a random program over one instrument, and looks at every order that is placed and after every message. */
export abstract class WatchedStrategy extends Strategy {
  instrument!: TradingInstrument
  seed = 1
  /** Every order that was sent, unless the run was taken up again. */
  sent: Order[] = []
  fillRecord!: FillRecord
  isWatching = false
  #drawn = 0
  #random = new RandomNumbers(1, 'tactics', 0)

  override onStart(): void {
    this.#random = new RandomNumbers(this.seed, 'tactics', 0)
    this.isWatching = !this.resuming
    const place = this.instrument.placeOrder.bind(this.instrument)
    Object.defineProperty(this.instrument, 'placeOrder', { value: (params: OrderParams): Order => {
      const order = place(params)
      if (!order.isDiscarded) this.sent.push(order)
      if (this.isWatching && !order.isDiscarded) this.placed(order)
      return order
    } })
    this.fillRecord = new FillRecord('FillRecord', [this.instrument])
    this.begin()
    this.every(20 + this.seed % 190, () => this.look(() => { this.act() }), { name: 'program' })
  }

  /** Makes the tactics. */
  abstract begin(): void
  /** Does something at random. */
  abstract act(): void
  /** After a placement. */
  placed(_order: Order): void {}
  /** After every message. */
  check(): void {}

  override saveState(): unknown { return { drawn: this.#drawn, own: this.saveOwn() } }
  override restoreState(state: unknown): void {
    const { drawn, own } = state as { drawn: number, own: unknown }
    this.#drawn = drawn
    this.restoreOwn(own)
  }

  saveOwn(): unknown { return null }
  restoreOwn(_own: unknown): void {}

  override onInstrumentTopOfBook(): void { this.look() }
  override onInstrumentTrades(): void { this.look() }
  override onMarketDataState(): void { this.look() }
  override onOrderUpdate(): void { this.look() }
  override onOrderError(): void { this.look() }
  override onOrderFillUpdate(): void { this.look() }
  override onInstrumentPosition(): void { this.look() }
  override onOrderFill(): void { this.look() }

  draw(below: number): number {
    return this.#random.bits(this.#drawn++, 0) % below
  }

  quantity(lots: number): Quantity { return Quantity.from(String(lots)) }

  /** The most that an order may still be known to come to, and the least. */
  boundsOf(order: Order): { readonly most: number, readonly least: number } {
    const least = Math.max(Number(order.executedQuantity.toString()), this.fillRecord.filled.get(order.ownOrderId) ?? 0)
    return { least, most: order.isOpen ? Number(order.totalQuantity.toString()) : least }
  }

  /** The highest and the lowest position that the sent orders may still lead to. */
  worst(): { readonly high: number, readonly low: number } {
    let [high, low] = [0, 0]
    for (const order of this.sent) {
      const { most, least } = this.boundsOf(order)
      if (order.side === 'BID') [high, low] = [high + most, low + least]
      else [high, low] = [high - least, low - most]
    }
    return { high, low }
  }

  private look(act: () => void = () => undefined): void {
    if (this.isWatching) this.check()
    act()
    if (this.isWatching) this.check()
  }
}
;(Parameter(TradingInstrument) as Decorate)(WatchedStrategy.prototype, 'instrument')
;(Parameter(Integer, { optional: true }) as Decorate)(WatchedStrategy.prototype, 'seed')

/** Throws where a condition does not hold. */
export function must(isRight: boolean, words: string): void {
  if (!isRight) throw new Error(words)
}
