import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { ExchangeOrder } from '../model/exchange-order.js'
import type { Side } from '../model/side.js'
import { FusedBook, type ExchangeTop } from './fused-book.js'
import { PriceWatch, type WatchedPrice, type WorldLevel } from './price-watch.js'

/** A world's part of one instrument, as the market calls it. Only worlds with something at stake are attached. */
export interface MarketParticipant {
  readonly worldNumber: number
  /** A public trade row whose aggressor is the other side of `side`'s resting orders. */
  onTrade(side: Side, price: number, quantity: number, timeNs: number): void
  /** A watched level of this world changed from one displayed quantity to another (NaN before: it shows for the first time). */
  onChange(level: WorldLevel, watched: WatchedPrice, previous: number, current: number): void
  /** The opposite side now shows a level at or through some resting order of `side`. */
  onShown(side: Side, timeNs: number): void
  onBlind(timeNs: number): void
  /** The snapshot that ends a blind period has been applied and not been judged yet. */
  onSight(timeNs: number): void
  /** Best own resting price of a side, NaN where there is none. */
  bestOwnPrice(side: Side): number
}

/** A stretch without a trustworthy book (exchange rules 6.1). */
export interface BlindPeriod {
  /** Exchange-side time of the last good event. */
  readonly sinceNs: number
  /** When it was detected. */
  readonly detectedNs: number
  readonly reason: 'start' | 'gap' | 'error'
}

const { snapshot: SNAPSHOT, update: UPDATE, trades: TRADES, state: STATE, topOfBook: TOP, mark: MARK, index: INDEX } = EVENT_KINDS

/**
 * The exchange side of one instrument, shared by all worlds: the market as it was recorded, in exchange time. Nothing that a
 * world does changes it. It moves only when somebody asks it to, in one tight loop where nobody has anything at stake.
 */
export class InstrumentMarket {
  readonly instrumentId: number
  readonly shown: FusedBook
  readonly bids: PriceWatch = new PriceWatch('BID')
  readonly asks: PriceWatch = new PriceWatch('ASK')
  /** Exchange-side time of the last item applied. */
  timeNs: number = -Infinity
  /** Set while the book cannot be trusted. */
  blind: BlindPeriod | null = { sinceNs: -Infinity, detectedNs: -Infinity, reason: 'start' }
  markPrice: number = NaN
  markScale = 0
  indexPrice: number = NaN
  indexScale = 0
  readonly #order: ExchangeOrder
  readonly #participants: MarketParticipant[] = []
  /** Best resting price over all worlds: what trade rows and new touches are held against. */
  #highestBid = -Infinity
  #lowestAsk = Infinity
  /** Exchange-side time of the last depth line that was good. */
  #lastGoodNs = -Infinity

  constructor(instrumentId: number, order: ExchangeOrder, exchangeTop: ExchangeTop) {
    this.instrumentId = instrumentId
    this.#order = order
    this.shown = new FusedBook(exchangeTop)
  }

  /** Whether any world has something at stake: then every item up to an instant has to be played before it. */
  get isWatched(): boolean {
    return this.#participants.length > 0
  }

  attach(participant: MarketParticipant): void {
    if (!this.#participants.includes(participant)) this.#participants.push(participant)
  }

  detach(participant: MarketParticipant): void {
    const at = this.#participants.indexOf(participant)
    if (at >= 0) this.#participants.splice(at, 1)
  }

  /** To be called whenever the resting orders of a participant have changed. */
  restingChanged(): void {
    let high = -Infinity
    let low = Infinity
    for (const participant of this.#participants) {
      const bid = participant.bestOwnPrice('BID')
      const ask = participant.bestOwnPrice('ASK')
      if (bid > high) high = bid
      if (ask < low) low = ask
    }
    this.#highestBid = high
    this.#lowestAsk = low
  }

  /**
   * Plays items up to and including `untilNs`. With participants it returns after the first item for which `stop` says so (an
   * answer is on its way that may come before what the caller had planned next).
   */
  advance(untilNs: number, stop: () => boolean): void {
    const { timeNs } = this.#order
    if (this.#participants.length === 0) this.#advanceAlone(untilNs)
    else {
      while (this.#order.head < this.#order.tail && (timeNs[this.#order.head] as number) <= untilNs) {
        this.#playNext()
        if (stop()) return
      }
    }
  }

  watch(side: Side): PriceWatch {
    return side === 'BID' ? this.bids : this.asks
  }

  /** The loop where nobody looks: books, top of book, marks and blindness, no judging. */
  #advanceAlone(untilNs: number): void {
    const order = this.#order
    const { timeNs, event, batchNumber, batches, firstBatch, tail } = order
    let head = order.head
    while (head < tail && (timeNs[head] as number) <= untilNs) {
      const batch = batches[(batchNumber[head] as number) - firstBatch] as EventBatch
      const index = event[head] as number
      this.#apply(batch, index, batch.kind[index] as number, timeNs[head] as number)
      head++
    }
    if (head > order.head) this.timeNs = timeNs[head - 1] as number
    order.head = head
  }

  #playNext(): void {
    const order = this.#order
    const at = order.head++
    const time = order.timeNs[at] as number
    const batch = order.batches[(order.batchNumber[at] as number) - order.firstBatch] as EventBatch
    const index = order.event[at] as number
    const kind = batch.kind[index] as number
    this.timeNs = time
    if (kind === TRADES) this.#playTrade(batch, order.row[at] as number, time)
    else if (kind === UPDATE || kind === SNAPSHOT) this.#playDepth(batch, index, kind, time)
    else if (kind === TOP) this.#playTop(batch, index, time)
    else this.#apply(batch, index, kind, time)
  }

  /** Applies a line and keeps blindness and marks; participants hear of a blind period's beginning only. */
  #apply(batch: EventBatch, index: number, kind: number, time: number): void {
    if (kind === TRADES) return
    if (kind === MARK || kind === INDEX) {
      this.#applyValue(batch, index, kind)
      return
    }
    const gap = (kind === UPDATE || kind === SNAPSHOT) && ((batch.flags[index] as number) & EVENT_FLAGS.CHAIN_GAP) !== 0
    this.shown.apply(batch, index)
    if (kind === SNAPSHOT) this.blind = null
    else if (gap) this.#goBlind(time, 'gap')
    else if (kind === STATE && this.shown.book.suspect) this.#goBlind(time, 'error')
    if (this.blind === null && kind <= UPDATE) this.#lastGoodNs = time
  }

  #goBlind(time: number, reason: 'gap' | 'error'): void {
    if (this.blind !== null) return
    this.blind = { sinceNs: this.#lastGoodNs, detectedNs: time, reason }
    for (const participant of [...this.#participants]) participant.onBlind(time)
  }

  #applyValue(batch: EventBatch, index: number, kind: number): void {
    const at = batch.valueStart[index] as number
    const value = batch.values[at] as number
    const scale = batch.valueScale[at] as number
    if (kind === MARK) {
      this.markPrice = value
      this.markScale = scale
    } else {
      this.indexPrice = value
      this.indexScale = scale
    }
  }

  #playTrade(batch: EventBatch, row: number, time: number): void {
    const price = batch.price[row] as number
    const quantity = batch.quantity[row] as number
    const sellAggressor = batch.side[row] === 1
    const watch = sellAggressor ? this.bids : this.asks
    if (watch.mayWatch(price)) {
      const watched = watch.get(price)
      if (watched !== undefined) watched.traded += quantity
    }
    if (sellAggressor ? price > this.#highestBid : price < this.#lowestAsk) return
    for (const participant of [...this.#participants]) participant.onTrade(watch.side, price, quantity, time)
  }

  #playDepth(batch: EventBatch, index: number, kind: number, time: number): void {
    const { shown } = this
    const wasTop = shown.top.isNewer
    const wasBlind = this.blind !== null
    this.#apply(batch, index, kind, time)
    if (this.blind !== null) return
    if (kind === SNAPSHOT && wasBlind) {
      for (const participant of [...this.#participants]) participant.onSight(time)
      this.refreshDisplayed()
    } else if (kind === SNAPSHOT) this.#changesOf(this.bids.prices, this.asks.prices)
    else {
      this.#rowChanges(batch, index)
      if (wasTop) this.#changesOf(reaching(this.bids, shown.top.bidPrice), reaching(this.asks, shown.top.askPrice))
    }
    this.#judge(time)
  }

  #playTop(batch: EventBatch, index: number, time: number): void {
    const { shown } = this
    const bidBefore = shown.bestBidPrice
    const askBefore = shown.bestAskPrice
    shown.apply(batch, index)
    if (this.blind !== null) return
    const worst = (a: number, b: number, side: Side): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : (side === 'BID') === a < b ? a : b)
    this.#changesOf(reaching(this.bids, worst(bidBefore, shown.bestBidPrice, 'BID')), reaching(this.asks, worst(askBefore, shown.bestAskPrice, 'ASK')))
    this.#judge(time)
  }

  /** Watched prices among the rows of an update: each is one change, even to the same quantity. */
  #rowChanges(batch: EventBatch, index: number): void {
    const { side, price, rowStart } = batch
    const end = rowStart[index + 1] as number
    for (let row = rowStart[index] as number; row < end; row++) {
      const watch = side[row] === 1 ? this.asks : this.bids
      if (!watch.mayWatch(price[row] as number)) continue
      const watched = watch.get(price[row] as number)
      if (watched !== undefined) this.#change(watched, true)
    }
  }

  #changesOf(bids: readonly WatchedPrice[], asks: readonly WatchedPrice[]): void {
    for (const watched of bids) this.#change(watched, false)
    for (const watched of asks) this.#change(watched, false)
  }

  #change(watched: WatchedPrice, evenIfEqual: boolean): void {
    const current = this.shown.displayed(watched.side, watched.price)
    const previous = watched.displayed
    if (Number.isNaN(current) || (current === previous && !evenIfEqual)) return
    for (const level of watched.levels) {
      for (const participant of this.#participants) {
        if (participant.worldNumber === level.worldNumber) participant.onChange(level, watched, previous, current)
      }
    }
    watched.displayed = current
    watched.traded = 0
  }

  /** Takes what is displayed now as the last displayed quantity of every watched price. */
  refreshDisplayed(): void {
    for (const watch of [this.bids, this.asks]) {
      for (const watched of watch.prices) {
        const current = this.shown.displayed(watched.side, watched.price)
        if (!Number.isNaN(current)) watched.displayed = current
        watched.traded = 0
      }
    }
  }

  /** After a whole line: does either side now show a level at or through a resting order? */
  #judge(time: number): void {
    if (this.shown.bestAskPrice <= this.#highestBid) for (const participant of [...this.#participants]) participant.onShown('BID', time)
    if (this.shown.bestBidPrice >= this.#lowestAsk) for (const participant of [...this.#participants]) participant.onShown('ASK', time)
  }
}

/** Watched prices at least as good as `price`: those that a top of book there may hide, show or change. None for NaN. */
function reaching(watch: PriceWatch, price: number): readonly WatchedPrice[] {
  const { prices, side } = watch
  let count = 0
  while (count < prices.length && (side === 'BID' ? (prices[count] as WatchedPrice).price >= price : (prices[count] as WatchedPrice).price <= price)) count++
  return count === 0 ? [] : prices.slice(0, count)
}
