import { BacktapeError } from '../model/error.js'
import type { Side } from '../model/side.js'
import type { InstrumentMarket, MarketParticipant } from './instrument-market.js'
import type { WatchedPrice, WorldLevel } from './price-watch.js'
import type { QueueModel } from './queue-model.js'
import { remainingQuantity, type ExchangeOrderRecord, type ExecutionCause, type ExecutionSink } from './resting-order.js'

/** What happens to orders while the book cannot be trusted (exchange rules 6.3). */
export type GapPolicy = 'assumeWorst' | 'cancelAndWait' | 'freeze' | 'halt'

/** How a world's orders meet one instrument. */
export interface WorldRules {
  readonly queue: QueueModel
  /** `partial` (exchange rules 2.4, 3, 4) or `whole`: every order fills in one piece, liquidity is never used up. */
  readonly fills: 'partial' | 'whole'
  readonly gaps: GapPolicy
  /** Smallest part of a quantity that may trade, at the market's scale. */
  readonly lotSize: number
  /** 10^scale of quantities. */
  readonly unit: number
}

const SHOWN_LIMIT = 256

/**
 * The resting orders of one world on one instrument, whoever of its accounts and clients they belong to: queue positions,
 * fills, and what the world took from the market (exchange rules 2.4, 3, 4). All state lies in the watched prices and here, as
 * plain data.
 */
export class WorldOrders implements MarketParticipant {
  readonly worldNumber: number
  readonly market: InstrumentMarket
  #rules: WorldRules
  readonly #sink: ExecutionSink
  /** Prices with resting orders, best first. */
  readonly #bids: WorldLevel[] = []
  readonly #asks: WorldLevel[] = []
  readonly #bidPrices: number[] = []
  readonly #askPrices: number[] = []
  readonly #prices: Float64Array = new Float64Array(SHOWN_LIMIT)
  readonly #quantities: Float64Array = new Float64Array(SHOWN_LIMIT)

  constructor(worldNumber: number, market: InstrumentMarket, rules: WorldRules, sink: ExecutionSink) {
    this.worldNumber = worldNumber
    this.market = market
    this.#rules = rules
    this.#sink = sink
  }

  bestOwnPrice(side: Side): number {
    return (side === 'BID' ? this.#bidPrices[0] : this.#askPrices[0]) ?? NaN
  }

  /** Resting orders of a side, best price first, then queue order. */
  *resting(side: Side): IterableIterator<ExchangeOrderRecord> {
    for (const level of side === 'BID' ? this.#bids : this.#asks) yield* level.orders
  }

  /** Lets an order rest behind everything that is displayed at its price. */
  rest(order: ExchangeOrderRecord, price: number): void {
    const { market } = this
    const level = this.#levelFor(order.side, price)
    const displayed = market.blind === null ? market.shown.displayed(order.side, price) : NaN
    order.quantityAhead = displayed
    order.entryQuantityAhead = displayed
    level.orders.push(order)
    market.attach(this)
    market.restingChanged()
  }

  /** Takes a resting order out of its queue. */
  remove(order: ExchangeOrderRecord): void {
    const price = order.price ?? NaN
    const level = this.market.watch(order.side).findLevel(this.worldNumber, price)
    const at = level?.orders.indexOf(order) ?? -1
    if (level === undefined || at < 0) throw new BacktapeError('LIMIT_EXCEEDED', `Cannot remove order ${order.ownOrderId}: it does not rest`)
    level.orders.splice(at, 1)
    this.#leave(order.side, price, level)
  }

  /** What this world may take at an opposite level (exchange rules 2.4). */
  available(side: Side, price: number, displayed: number): number {
    if (this.#rules.fills === 'whole') return Infinity
    const own = this.market.watch(side).findLevel(this.worldNumber, price)
    return own === undefined || Number.isNaN(own.available) ? displayed : own.available
  }

  /**
   * Walks the opposite side from the best to the limit (NaN: none) and says what could be taken, in whole lots, and where the
   * last unit would come from. Nothing changes.
   */
  reachable(side: Side, limit: number, quantity: number): { readonly quantity: number; readonly lastPrice: number } {
    let left = quantity
    let lastPrice = NaN
    this.#walk(side, limit, (price, available) => {
      const taken = this.#lots(Math.min(left, available))
      if (taken > 0) lastPrice = price
      left -= taken
      return left > 0
    })
    return { quantity: quantity - left, lastPrice }
  }

  /** Takes from the opposite side, best first, one execution a level, as taker (exchange rules 4.1). */
  take(order: ExchangeOrderRecord, limit: number, timeNs: number): void {
    const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
    this.#walk(opposite, limit, (price, available) => {
      const quantity = this.#lots(Math.min(remainingQuantity(order), available))
      if (quantity > 0) {
        this.#use(opposite, price, quantity)
        this.#execute(order, price, quantity, timeNs, 'aggression')
      }
      return remainingQuantity(order) > 0
    })
  }

  onTrade(side: Side, tradePrice: number, quantity: number, timeNs: number): void {
    const prices = side === 'BID' ? this.#bidPrices : this.#askPrices
    const levels = side === 'BID' ? this.#bids : this.#asks
    let left = quantity
    while (prices.length > 0 && left > 0) {
      const price = prices[0] as number
      const level = levels[0] as WorldLevel
      const passed = side === 'BID' ? price > tradePrice : price < tradePrice
      if (passed) left = this.#servePassed(level, left, timeNs)
      else {
        if (price === tradePrice && this.market.blind === null) this.#serveQueue(level, left, timeNs)
        left = 0
      }
      this.#sweep(side, price, level)
      if (prices[0] === price) break
    }
  }

  onChange(level: WorldLevel, watched: WatchedPrice, previous: number, current: number): void {
    const { queue, unit } = this.#rules
    for (const order of level.orders) {
      if (Number.isNaN(order.quantityAhead)) {
        order.quantityAhead = current
        if (Number.isNaN(order.entryQuantityAhead)) order.entryQuantityAhead = current
      } else if (!Number.isNaN(previous)) {
        const ahead = queue.ahead(order.quantityAhead, watched.traded, previous, current, unit)
        order.quantityAhead = Math.max(0, Math.min(ahead, order.quantityAhead))
      }
    }
    if (Number.isNaN(level.available)) return
    const grown = Number.isNaN(previous) ? current : level.available + Math.max(0, current - previous)
    level.available = grown < current ? grown : NaN
    if (Number.isNaN(level.available)) this.#settleIdle(watched.side, watched.price)
  }

  onShown(side: Side, timeNs: number): void {
    const opposite: Side = side === 'BID' ? 'ASK' : 'BID'
    const prices = side === 'BID' ? this.#bidPrices : this.#askPrices
    const levels = side === 'BID' ? this.#bids : this.#asks
    if (prices.length === 0) return
    this.#walk(opposite, prices[0] as number, (shownPrice, available) => {
      let left = available
      while (prices.length > 0 && left > 0) {
        const price = prices[0] as number
        if (side === 'BID' ? price < shownPrice : price > shownPrice) return false
        const level = levels[0] as WorldLevel
        const before = left
        left = this.#serveShown(level, opposite, shownPrice, left, timeNs)
        this.#sweep(side, price, level)
        if (prices[0] === price || left === before) break
      }
      return prices.length > 0
    })
  }

  onBlind(timeNs: number): void {
    for (const side of ['BID', 'ASK'] as const) for (const order of this.resting(side)) order.touchedByGap = true
    void timeNs
  }

  onSight(timeNs: number): void {
    for (const side of ['BID', 'ASK'] as const) this.#resight(side, timeNs)
    for (const watch of [this.market.bids, this.market.asks]) {
      for (const watched of [...watch.prices]) {
        const level = watched.levels.find((candidate) => candidate.worldNumber === this.worldNumber)
        if (level === undefined || Number.isNaN(level.available)) continue
        level.available = NaN
        this.#settleIdle(watched.side, watched.price)
      }
    }
  }

  /** At the end of a gap: an order that the book has passed is filled whole, all others go to the back (exchange rules 6.3). */
  #resight(side: Side, timeNs: number): void {
    const { shown } = this.market
    const touch = side === 'BID' ? shown.bestAskPrice : shown.bestBidPrice
    for (const order of [...this.resting(side)]) {
      const price = order.price as number
      if (this.#rules.gaps === 'assumeWorst' && (side === 'BID' ? touch <= price : touch >= price)) {
        this.#execute(order, price, remainingQuantity(order), timeNs, 'gap')
        continue
      }
      const displayed = shown.displayed(side, price)
      const kept = this.#rules.gaps === 'freeze' && order.quantityAhead < displayed ? order.quantityAhead : displayed
      order.quantityAhead = kept
    }
    for (const level of side === 'BID' ? [...this.#bids] : [...this.#asks]) this.#sweep(side, this.#priceOf(side, level), level)
  }

  /** Orders that a trade passed: served up to what the row still has. */
  #servePassed(level: WorldLevel, units: number, timeNs: number): number {
    let left = units
    for (const order of level.orders) {
      const wanted = remainingQuantity(order)
      const quantity = this.#rules.fills === 'whole' ? wanted : this.#lots(Math.min(left, wanted))
      if (quantity <= 0) continue
      if (this.#rules.fills !== 'whole') left -= quantity
      this.#execute(order, order.price as number, quantity, timeNs, 'trade')
    }
    return left
  }

  /** A trade at the level's own price: what is ahead of the first order, that order, what lies between it and the next, and so on. */
  #serveQueue(level: WorldLevel, units: number, timeNs: number): void {
    let left = units
    let others = 0
    for (const order of level.orders) {
      const ahead = order.quantityAhead
      if (Number.isNaN(ahead)) break
      const between = Math.min(left, Math.max(0, ahead - others))
      others += between
      left -= between
      if (left <= 0) break
      const wanted = remainingQuantity(order)
      const quantity = this.#rules.fills === 'whole' ? wanted : this.#lots(Math.min(left, wanted))
      if (quantity > 0) this.#execute(order, order.price as number, quantity, timeNs, 'trade')
      if (this.#rules.fills !== 'whole') left -= quantity
    }
    for (const order of level.orders) order.quantityAhead -= Math.min(order.quantityAhead, others)
  }

  #serveShown(level: WorldLevel, opposite: Side, shownPrice: number, available: number, timeNs: number): number {
    let left = available
    for (const order of level.orders) {
      const quantity = this.#lots(Math.min(left, remainingQuantity(order)))
      if (quantity <= 0) continue
      left -= quantity
      this.#use(opposite, shownPrice, quantity)
      this.#execute(order, order.price as number, quantity, timeNs, 'shown')
    }
    return left
  }

  #execute(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void {
    order.executedQuantity += quantity
    if (order.executedQuantity >= order.totalQuantity) order.state = 'FILLED'
    this.#sink.execute(order, price, quantity, timeNs, cause)
  }

  /** Takes filled orders out of a level. */
  #sweep(side: Side, price: number, level: WorldLevel): void {
    const open = level.orders.filter((order) => order.state !== 'FILLED')
    if (open.length === level.orders.length) return
    level.orders.splice(0, level.orders.length, ...open)
    this.#leave(side, price, level)
  }

  /** Remembers that this world took from a displayed level. */
  #use(side: Side, price: number, quantity: number): void {
    if (this.#rules.fills === 'whole') return
    const { market } = this
    const displayed = (): number => market.shown.displayed(side, price)
    const level = market.watch(side).levelOf(this.worldNumber, price, displayed)
    level.available = (Number.isNaN(level.available) ? displayed() : level.available) - quantity
    market.attach(this)
  }

  #walk(side: Side, limit: number, visit: (price: number, available: number) => boolean): void {
    let count = SHOWN_LIMIT
    let prices = this.#prices
    let quantities = this.#quantities
    let from = 0
    for (;;) {
      const shown = this.market.shown.copyShown(side, count, prices, quantities)
      for (let i = from; i < shown; i++) {
        const price = prices[i] as number
        if (side === 'ASK' ? price > limit : price < limit) return
        if (!visit(price, this.available(side, price, quantities[i] as number))) return
      }
      if (shown < count) return
      from = count
      count *= 2
      prices = new Float64Array(count)
      quantities = new Float64Array(count)
    }
  }

  #lots(quantity: number): number {
    const { lotSize } = this.#rules
    return lotSize <= 1 ? quantity : quantity - (quantity % lotSize)
  }

  #levelFor(side: Side, price: number): WorldLevel {
    const { market } = this
    const level = market.watch(side).levelOf(this.worldNumber, price, () => market.shown.displayed(side, price))
    const prices = side === 'BID' ? this.#bidPrices : this.#askPrices
    if (prices.includes(price)) return level
    let at = 0
    while (at < prices.length && (side === 'BID' ? (prices[at] as number) > price : (prices[at] as number) < price)) at++
    prices.splice(at, 0, price)
    const levels = side === 'BID' ? this.#bids : this.#asks
    levels.splice(at, 0, level)
    return level
  }

  #priceOf(side: Side, level: WorldLevel): number {
    const at = (side === 'BID' ? this.#bids : this.#asks).indexOf(level)
    return (side === 'BID' ? this.#bidPrices : this.#askPrices)[at] ?? NaN
  }

  /** After a level lost orders: forget it where nothing is left. */
  #leave(side: Side, price: number, level: WorldLevel): void {
    if (level.orders.length === 0) {
      const prices = side === 'BID' ? this.#bidPrices : this.#askPrices
      const at = prices.indexOf(price)
      prices.splice(at, 1)
      ;(side === 'BID' ? this.#bids : this.#asks).splice(at, 1)
    }
    this.#settleIdle(side, price)
    this.market.restingChanged()
  }

  #settleIdle(side: Side, price: number): void {
    const { market } = this
    market.watch(side).dropIfIdle(this.worldNumber, price)
    if (this.#bidPrices.length > 0 || this.#askPrices.length > 0) return
    const holds = (watched: WatchedPrice): boolean => watched.levels.some((level) => level.worldNumber === this.worldNumber)
    if (!market.bids.prices.some(holds) && !market.asks.prices.some(holds)) market.detach(this)
  }
}
