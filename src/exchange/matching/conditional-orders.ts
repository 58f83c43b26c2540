import { isPegged } from '../../model/order.js'
import type { ConditionWatcher } from '../market/price-watch.js'
import type { ExchangeMarket } from '../market/exchange-market.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import { StopTriggers } from '../market/stop-triggers.js'
import type { RestingOrders } from './resting-orders.js'

/** The memory of conditions beside their orders, plain data; NaN is unknown. */
export interface ConditionsState {
  readonly plannedNs: number
  readonly bestBidPrice: number
  readonly bestAskPrice: number
}

/**
 * The stop and pegged orders of one world on one instrument. While there are any it looks at the market after every
 * item and plans what they do for the end of that instant (exchange rules 1.3, 7.1, 7.2); without them the market does
 * not know of it.
 */
export class ConditionalOrders implements ConditionWatcher {
  /** Pegged orders that rest, in order of acceptance. */
  readonly pegs: OrderAtExchange[] = []
  readonly #waiting: StopTriggers = new StopTriggers()
  /** Stop orders that were triggered and have not entered yet. */
  readonly #due: Set<OrderAtExchange> = new Set()
  /** When a look was planned last, and the best prices that the pegs followed last; NaN before. */
  #last = { plannedNs: NaN, bestBidPrice: NaN, bestAskPrice: NaN }

  constructor(
    private readonly market: ExchangeMarket,
    private readonly orders: RestingOrders,
    private readonly plan: (timeNs: number) => void,
  ) {}

  get #size(): number {
    return this.pegs.length + this.#waiting.size + this.#due.size
  }

  /** Resumes a dormant stop order or a peg that rests; anything else is none of its business. */
  add(order: OrderAtExchange): void {
    const size = this.#size
    if (order.isDormant === true) {
      if (order.triggered === true) this.#due.add(order)
      else this.#waiting.add(order)
    } else if (isPegged(order.type)) {
      if (this.pegs.length === 0) this.takeMove()
      this.pegs.push(order)
    }
    if (size > 0 || this.#size === 0) return
    this.orders.retain()
    this.market.worlds.watchConditions(this)
  }

  /** Lets an order go that is over, or has entered. */
  forget(order: OrderAtExchange): void {
    if (this.#size === 0) return
    const at = this.pegs.indexOf(order)
    if (at >= 0) this.pegs.splice(at, 1)
    const isOurs = at >= 0 || this.#due.delete(order) || this.#waiting.remove(order)
    if (!isOurs || this.#size > 0) return
    this.market.worlds.unwatchConditions(this)
    this.orders.release()
  }

  /** To be called when the trigger of a dormant order was changed. */
  retrigger(): void {
    this.#waiting.refresh()
  }

  /** Nothing happens to these orders any more: the run of their world has ended. */
  stop(): void {
    this.market.worlds.unwatchConditions(this)
  }

  onItem(timeNs: number): void {
    const market = this.market
    const reached = this.#waiting.takeReached(market.priceScale, market.prices.of)
    for (const order of reached) this.#due.add(Object.assign(order, { triggered: true }))
    const isSeen = market.bookUnknown === null
    const moves = isSeen && this.pegs.length > 0 && this.#hasMoved()
    const isDue = reached.length > 0 || (isSeen && this.#due.size > 0)
    if ((!moves && !isDue) || this.#last.plannedNs === timeNs) return
    this.#last.plannedNs = timeNs
    this.plan(timeNs)
  }

  onRescale(priceFactor: number, quantityFactor: number): void {
    this.#last.bestBidPrice *= priceFactor
    this.#last.bestAskPrice *= priceFactor
    for (const order of [...this.#waiting.orders(), ...this.#due]) order.rescale(priceFactor, quantityFactor)
    this.#waiting.refresh()
  }

  state(): ConditionsState {
    return this.#last
  }

  /** Takes a state back, after its orders were added again. */
  restore(state: ConditionsState): void {
    this.#last = { ...state }
  }

  /** True where a best price has changed since the pegs followed last; from now on they have. */
  takeMove(): boolean {
    const hasMoved = this.#hasMoved()
    this.#last.bestBidPrice = this.market.shown.bestBidPrice
    this.#last.bestAskPrice = this.market.shown.bestAskPrice
    return hasMoved
  }

  #hasMoved(): boolean {
    const { bestBidPrice, bestAskPrice } = this.market.shown
    return !Object.is(bestBidPrice, this.#last.bestBidPrice) || !Object.is(bestAskPrice, this.#last.bestAskPrice)
  }
}
