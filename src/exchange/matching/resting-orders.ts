import { BacktapeError } from '../../model/error.js'
import type { Side } from '../../model/side.js'
import type { ExchangeMarket } from '../market/exchange-market.js'
import type { MarketParticipant } from '../market/price-watch.js'
import type { UnknownBookPeriod } from '../market/unknown-book-time.js'
import type { WatchedPrice, WorldLevel } from '../market/watched-price.js'
import { joinShown } from '../market/market-silence.js'
import { RestingSide, ShownParts, LiquidityWalk } from './resting-side.js'
import type { ExecutionCause, ExecutionSink } from '../market/resting-order.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import { riskAverseQueue } from './queue-model.js'
import { servePassed, serveQueueWhole, wholeLots } from '../market/trade-service.js'
import type { GapSink, ScaleSink, RestingState, WorldRules } from './assumptions.js'

/**
 * The resting orders of one world on one instrument, of all its accounts and clients: queue positions, fills, and what
 * the world took from the market (exchange rules 2.4, 3, 4). All state lies in the watched prices, the orders and here.
 */
export class RestingOrders implements MarketParticipant {
  levelCount = 0
  readonly followsChanges: boolean
  readonly #bids: RestingSide = new RestingSide('BID')
  readonly #asks: RestingSide = new RestingSide('ASK')
  readonly #walk: LiquidityWalk = new LiquidityWalk()
  #isStopped = false
  /** Whatever else keeps the world attached: requests that wait for a snapshot. */
  #retainCount = 0
  readonly #parts: ShownParts
  /** Resting orders that were over while their level may have been served. */
  readonly #leaving: OrderAtExchange[] = []

  constructor(
    readonly worldNumber: number,
    readonly market: ExchangeMarket,
    private readonly rules: WorldRules,
    private readonly executions: ExecutionSink,
    private readonly gaps: GapSink,
    private readonly scales: ScaleSink,
  ) {
    this.followsChanges = rules.queue !== riskAverseQueue
    this.#parts = new ShownParts(market)
    market.worlds.join(this)
    if (rules.gaps === 'halt') this.retain()
  }

  /** Smallest part of a quantity that may trade, at the market's scale. */
  get lotSize(): number {
    return this.rules.lotSize
  }

  set lotSize(lotSize: number) { this.rules.lotSize = lotSize }

  /** True where orders may show less than they are: `whole` fills know no parts. */
  get showsParts(): boolean {
    return this.rules.fills === 'partial'
  }

  /** Resting orders of a side, best price first, then queue order. */
  resting(side: Side): IterableIterator<OrderAtExchange> {
    return this.#own(side).orders()
  }

  /** Keeps the world attached until {@link release}, though no order rests. */
  retain(): void {
    this.#retainCount++
    this.market.attach(this)
  }

  release(): void {
    this.#retainCount--
    this.#detachIfIdle()
  }

  /** Nothing happens to these orders any more: the run of their world has ended. */
  stop(): void {
    this.#isStopped = true
  }

  /**
   * Lets an order rest at its price: behind everything displayed there, or with nothing ahead after it has taken the
   * opposite side.
   */
  rest(order: OrderAtExchange, price: number, isAggressive: boolean): void {
    const level = this.#levelAt(order.side, price)
    this.market.watch(order.side).settleAt(price)
    this.#own(order.side).add(price, level)
    order.quantityAhead = isAggressive ? 0 : this.#joined(order.side, price)
    order.entryQuantityAhead = order.quantityAhead
    order.tradedSince = 0
    if (this.market.bookUnknown?.reason === 'silence') order.joinedInSilence = true
    this.#parts.rests(order)
    level.orders.push(order)
    this.market.watch(order.side).join(price, order)
    this.market.attach(this)
    this.market.watch(order.side).ordersChanged()
  }

  /** Takes a resting order out of its queue. */
  remove(order: OrderAtExchange): void {
    const price = order.price ?? NaN
    const watch = this.market.watch(order.side)
    watch.settleAt(price)
    const level = watch.findLevel(this, price)
    const at = level?.orders.indexOf(order) ?? -1
    if (level === undefined || at < 0)
      throw new BacktapeError('LIMIT_EXCEEDED', `Cannot remove order ${String(order.ownOrderId)}: it does not rest`)
    level.orders.splice(at, 1)
    this.#parts.removed(order)
    this.#left(order.side, price, level, 1)
  }

  /** Takes a resting order out that is over while executions go on: at the end of them. */
  removeLater(order: OrderAtExchange): void {
    this.#leaving.push(order)
  }

  /**
   * Walks the opposite side from the best to the limit and says what could be taken, in whole lots, and where the last
   * unit would come from (NaN: nothing). Nothing changes.
   */
  reachable(side: Side, limit: number, quantity: number): { readonly quantity: number; readonly lastPrice: number } {
    let left = quantity
    let lastPrice = NaN
    this.#walk.walk(this.market.shown, side, limit, (price, displayed) => {
      const taken = wholeLots(Math.min(left, this.#available(side, price, displayed)), this.rules.lotSize)
      if (taken > 0) lastPrice = price
      left -= taken
      return left > 0
    })
    return { quantity: quantity - left, lastPrice }
  }

  /** Takes from the opposite side, best first, one execution a level, as taker (exchange rules 4.1). */
  take(order: OrderAtExchange, limit: number, timeNs: number): void {
    const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
    this.#walk.walk(this.market.shown, opposite, limit, (price, displayed) => {
      const quantity = wholeLots(
        Math.min(order.remainingQuantity, this.#available(opposite, price, displayed)), this.rules.lotSize,
      )
      if (quantity > 0) {
        this.#use(opposite, price, displayed, quantity)
        this.#execute(order, price, quantity, timeNs, 'aggression')
      }
      return order.remainingQuantity > 0
    })
    this.#settleLeaving()
  }

  onTrade(side: Side, tradePrice: number, quantity: number, timeNs: number): void {
    if (this.#isStopped) return
    const own = this.#own(side)
    if (own.prices.length === 0 || !own.reaches(own.prices[0] as number, tradePrice)) return
    const { lotSize, fills } = this.rules
    const isWhole = fills === 'whole'
    const execute = (order: OrderAtExchange, amount: number): void =>
      this.#execute(order, order.price as number, amount, timeNs, 'trade')
    let left = quantity
    for (let at = 0; at < own.prices.length; ) {
      const price = own.prices[at] as number
      const level = own.levels[at] as WorldLevel<MarketParticipant>
      if (!own.reaches(price, tradePrice)) break
      if (price !== tradePrice)
        left = servePassed(this.#parts.passed(level.orders), isWhole ? Infinity : left, lotSize, execute)
      else {
        for (const order of level.orders) order.tradedSince += quantity
        if (isWhole) serveQueueWhole(level.orders, quantity, lotSize, execute)
        else if (this.market.bookUnknown === null) this.#parts.serve(side, price, level.orders, left, lotSize, execute)
      }
      this.#sweep(side, price, level)
      if (own.prices[at] === price) at++
    }
    this.#settleLeaving()
  }

  onChange(level: WorldLevel, watched: WatchedPrice, previous: number, current: number): void {
    const { queue, unit, fills } = this.rules
    const before = Number.isNaN(previous) && this.rules.notShown === 'zero' ? 0 : previous
    for (const order of level.orders) {
      if (Number.isNaN(order.quantityAhead)) {
        order.quantityAhead = current
        if (Number.isNaN(order.entryQuantityAhead)) order.entryQuantityAhead = current
      } else if (!Number.isNaN(before)) {
        const ahead = queue.ahead(order.quantityAhead, order.tradedSince, before, current, unit)
        order.quantityAhead = fills === 'whole' ? ahead : Math.max(0, Math.min(ahead, order.quantityAhead))
      } else if (order.quantityAhead > current) order.quantityAhead = current
      order.tradedSince = 0
    }
    if (Number.isNaN(level.available)) return
    const grown = Number.isNaN(previous) ? current : level.available + Math.max(0, current - previous)
    level.available = grown < current ? grown : NaN
    if (Number.isNaN(level.available)) this.#settleIdle(watched.side, watched.price)
  }

  onShown(side: Side, timeNs: number, improved: boolean): void {
    const isWhole = this.rules.fills === 'whole'
    if (this.#isStopped || (isWhole && !improved)) return
    const opposite: Side = side === 'BID' ? 'ASK' : 'BID'
    const own = this.#own(side)
    const furthest = own.prices[0]
    if (furthest === undefined) return
    this.market.watch(side).settle()
    this.#walk.walk(this.market.shown, opposite, furthest, (shownPrice, displayed) => {
      let left = this.#available(opposite, shownPrice, displayed)
      while (left > 0 && own.prices.length > 0 && own.reaches(own.prices[0] as number, shownPrice)) {
        const price = own.prices[0] as number
        const level = own.levels[0] as WorldLevel<MarketParticipant>
        left = servePassed(this.#parts.passed(level.orders), left, this.rules.lotSize, (order, quantity) => {
          this.#use(opposite, shownPrice, displayed, quantity)
          this.#execute(order, order.price as number, quantity, timeNs, 'shown')
        })
        this.#sweep(side, price, level)
        if (own.prices[0] === price) break
      }
      return own.prices.length > 0
    })
    this.#settleLeaving()
  }

  onGap(period: UnknownBookPeriod): void {
    if (this.#isStopped) return
    for (const own of [this.#bids, this.#asks]) for (const order of own.orders()) order.touchedByGap = true
    this.gaps.bookLost(this.market.instrumentId, period)
  }

  onRecovery(timeNs: number): void {
    if (this.#isStopped) return
    for (const own of [this.#bids, this.#asks]) this.#rejoin(own, timeNs)
    this.#settleLeaving()
    for (const watch of [this.market.bids, this.market.asks]) watch.forgetTaken(this)
  }

  onUnbroken(): void {
    if (this.#isStopped) return
    for (const own of [this.#bids, this.#asks]) {
      for (const price of own.prices) this.market.watch(own.side).follow(price)
      joinShown(own.orders(), this.market, ({ side, price }) => this.#joined(side, price as number))
    }
  }

  onRecovered(timeNs: number): void {
    if (this.#isStopped) return
    this.gaps.bookRecovered(this.market.instrumentId, timeNs)
    this.#detachIfIdle()
  }

  onRescale(priceFactor: number, quantityFactor: number): void {
    this.rules.unit *= quantityFactor
    for (const own of [this.#bids, this.#asks]) {
      own.rescale(priceFactor)
      for (const order of own.orders()) order.rescale(priceFactor, quantityFactor)
    }
    this.scales.rescaled(this.market.instrumentId, priceFactor, quantityFactor)
  }

  /** `places` are those of the open orders. */
  state(places: ReadonlyMap<OrderAtExchange, number>): RestingState {
    const orders = [...this.#bids.orders(), ...this.#asks.orders()]
    const taken = [this.market.bids, this.market.asks].flatMap(({ side, prices }) => (
      prices.flatMap(({ price, levels }) => {
        const available = levels.find(({ watcher }) => watcher === this)?.available ?? NaN
        return Number.isNaN(available) ? [] : [{ side, price, available }]
      })))
    return { resting: orders.map((order) => places.get(order) ?? -1), taken }
  }

  /** Puts orders and levels in again; the market's state, restored afterwards, says what was displayed there. */
  restore({ resting, taken }: RestingState, orderAt: (place: number) => OrderAtExchange): void {
    for (const place of resting) {
      const order = orderAt(place)
      const [side, price] = [order.side, order.price as number]
      const level = this.#restored(side, price)
      if (level.orders.push(order) === 1) this.#own(side).add(price, level)
      this.#parts.restored(order)
      this.market.watch(side).join(price, order)
    }
    for (const { side, price, available } of taken) this.#restored(side, price).available = available
    for (const watch of [this.market.bids, this.market.asks]) watch.ordersChanged()
  }

  #restored(side: Side, price: number): WorldLevel<MarketParticipant> {
    const level = this.market.watch(side).levelOf(this, price, NaN)
    this.market.watch(side).follow(price)
    this.market.attach(this)
    return level
  }

  #own(side: Side): RestingSide {
    return side === 'BID' ? this.#bids : this.#asks
  }

  /** Quantity ahead of an order that joins now (exchange rules 3.1). */
  #joined(side: Side, price: number): number {
    const displayed = this.market.bookUnknown === null ? this.market.shown.displayed(side, price) : NaN
    return Number.isNaN(displayed) && this.rules.notShown === 'zero' ? 0 : displayed
  }

  /**
   * At the end of a gap: an order that the book has passed is filled whole, all others go to the back (exchange rules
   * 6.3).
   */
  #rejoin(own: RestingSide, timeNs: number): void {
    const { shown } = this.market
    const { side } = own
    const { gaps } = this.rules
    const touch = side === 'BID' ? shown.bestAskPrice : shown.bestBidPrice
    for (let at = 0; at < own.levels.length; ) {
      const price = own.prices[at] as number
      const level = own.levels[at] as WorldLevel<MarketParticipant>
      const isPassed = gaps === 'assumeWorst' && price !== touch && own.reaches(price, touch)
      const displayed = this.#joined(side, price)
      this.market.watch(side).follow(price)
      for (const order of level.orders) {
        order.tradedSince = 0
        order.joinedInSilence = undefined
        if (order.state !== 'CONFIRMED') continue
        if (isPassed) this.#execute(order, price, order.remainingQuantity, timeNs, 'gap')
        else if (gaps !== 'freeze' || order.quantityAhead > displayed || Number.isNaN(order.quantityAhead))
          order.quantityAhead = displayed
        if (Number.isNaN(order.entryQuantityAhead)) order.entryQuantityAhead = order.quantityAhead
      }
      this.#sweep(side, price, level)
      if (own.prices[at] === price) at++
    }
  }

  /** The quantity that this world may take at an opposite level (exchange rules 2.4). */
  #available(side: Side, price: number, displayed: number): number {
    if (this.rules.fills === 'whole') return Infinity
    const own = this.market.watch(side).findLevel(this, price)
    return own === undefined || Number.isNaN(own.available) ? displayed : own.available
  }

  /** Remembers that this world took from a displayed level. */
  #use(side: Side, price: number, displayed: number, quantity: number): void {
    if (this.rules.fills === 'whole') return
    const level = this.#levelAt(side, price)
    level.available = (Number.isNaN(level.available) ? displayed : level.available) - quantity
    this.market.watch(side).follow(price)
    this.market.attach(this)
  }

  #execute(order: OrderAtExchange, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void {
    order.executedQuantity += quantity
    if (order.executedQuantity >= order.totalQuantity) order.state = 'FILLED'
    this.#parts.executed(order, quantity)
    this.executions.execute(order, price, quantity, timeNs, cause)
  }

  /** Takes orders that are over out of a level; a new part of an iceberg goes behind what is displayed now. */
  #sweep(side: Side, price: number, level: WorldLevel<MarketParticipant>): void {
    const { orders } = level
    let kept = 0
    let gone = 0
    for (const order of orders) {
      if (order.state === 'CONFIRMED') orders[kept++] = order
      else {
        gone++
        this.#parts.ended(order)
      }
    }
    while (orders.length > kept) orders.pop()
    if (this.#parts.wantRefill) this.#parts.refill(price, orders, this.#joined(side, price))
    if (gone > 0) this.#left(side, price, level, gone)
  }

  #settleLeaving(): void {
    if (this.#leaving.length === 0) return
    for (const order of this.#leaving.splice(0)) {
      const level = this.market.watch(order.side).findLevel(this, order.price ?? NaN)
      if (level?.orders.includes(order) === true) this.remove(order)
    }
  }

  #levelAt(side: Side, price: number): WorldLevel<MarketParticipant> {
    const { market } = this
    if (market.bookUnknown !== null) return market.watch(side).levelOf(this, price, NaN)
    return market
      .watch(side)
      .levelOf(this, price, market.shown.lastDisplayed(side, price), market.shown.isTopAt(side, price))
  }

  /** After a level lost orders: forget it where nothing is left. */
  #left(side: Side, price: number, level: WorldLevel<MarketParticipant>, gone: number): void {
    const { market } = this
    market.watch(side).countOrders(price, -gone)
    if (level.orders.length === 0) this.#own(side).drop(price)
    this.#settleIdle(side, price)
    market.watch(side).ordersChanged()
  }

  #settleIdle(side: Side, price: number): void {
    this.market.watch(side).dropIfIdle(this, price)
    this.#detachIfIdle()
  }

  #detachIfIdle(): void {
    if (this.levelCount === 0 && this.#retainCount === 0) this.market.worlds.detach(this)
  }
}
