import { RandomNumbers } from '../../src/model/random.js'
import { Parameter } from '../../src/strategy/parameter.js'
import type { Order } from '../../src/strategy/order.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'

/** The ends of a trader that a test holds. */
export interface Hands {
  trader: RestlessTrader | null
  /** True: it asks for nothing new. */
  isQuiet: boolean
  /** Called at each round of its timer. */
  onRound: (count: number) => void
}

export const hands: Hands = { trader: null, isQuiet: false, onRound: () => undefined }

/** Places, amends and cancels all the time, at random prices near the touch. */
export class RestlessTrader extends Strategy {
  instrument!: TradingInstrument
  readonly placed: string[] = []
  readonly seen = new Map<string, Order>()
  rounds = 0
  readonly #random = new RandomNumbers(7, 'restless', 0)
  #draws = 0

  override onStart(): void {
    hands.trader = this
    this.every(500, () => { this.round() })
  }

  override onOrderUpdate(order: Order): void {
    this.seen.set(order.ownOrderId, order)
  }

  draw(): number {
    return this.#random.uniform(this.#draws++)
  }

  round(): void {
    hands.onRound(++this.rounds)
    const { bestBid, bestAsk, openOrders } = this.instrument
    if (hands.isQuiet || bestBid === null || bestAsk === null) return
    const order = openOrders[Math.floor(this.draw() * openOrders.length)]
    if (order !== undefined && (openOrders.length > 6 || this.draw() < 0.4)) return order.cancel()
    const side = this.draw() < 0.5 ? 'BID' as const : 'ASK' as const
    const isTaking = this.draw() < 0.2
    const price = (side === 'BID') === isTaking ? bestAsk.price : bestBid.price
    const made = this.instrument.placeOrder({ side, price, quantity: this.instrument.quantity('100'), postOnly: !isTaking })
    if (!made.isDiscarded) this.placed.push(made.ownOrderId)
  }
}

;(Parameter(TradingInstrument) as (target: object, key: string) => void)(RestlessTrader.prototype, 'instrument')
