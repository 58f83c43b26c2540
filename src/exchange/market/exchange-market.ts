import { EVENT_FLAGS, type EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import type { ExchangeOrder } from '../../model/exchange-order.js'
import type { Instrument } from '../../model/instrument.js'
import { factorBetween } from '../../model/scale-factor.js'
import { SIDE_CODES, type Side } from '../../model/side.js'
import {
  checkGrowth, MARKET_RULES, type BatchScales, type ExchangeTop, type MarketRules, type TouchBook,
} from './touch-book.js'
import { ReferencePrices } from './reference-prices.js'
import { ExchangeBook, lastOfKind, type BookSource } from './exchange-book.js'
import { PriceWatch, refreshDisplayed, type MarketParticipant } from './price-watch.js'
import { isCrossedGap, isSilence } from './market-silence.js'
import { MarketMoney } from './market-money.js'
import { MarketWorlds } from './market-worlds.js'
import { marketState, restoreMarket, type MarketState } from './market-state.js'
import { playTouches } from './touch-items.js'
import { UnknownBook } from './unknown-book.js'
import type { UnknownBookPeriod } from './unknown-book-time.js'
import { changesByRows, changesBySnapshot, changesByTop, changesByTopSide, judgeTouch } from './price-changes.js'

const {
  snapshot: SNAPSHOT, update: UPDATE, trades: TRADES, state: STATE, topOfBook: TOP, mark: MARK, index: INDEX,
  funding: FUNDING,
} = EVENT_KINDS

/**
 * The exchange side of one instrument, shared by all worlds: the market as it was recorded, in exchange time. Nothing
 * that a world does changes it. It moves only when somebody asks it to.
 */
export class ExchangeMarket extends UnknownBook {
  readonly bids: PriceWatch<MarketParticipant> = new PriceWatch('BID')
  readonly asks: PriceWatch<MarketParticipant> = new PriceWatch('ASK')
  readonly #watches = [this.bids, this.asks] as const
  /** The worlds that trade here; one with open interest comes by {@link attach}. */
  readonly worlds: MarketWorlds = new MarketWorlds()
  /** Exchange-side time of the last item applied. */
  timeNs: number = -Infinity
  /** Up to when {@link play} plays. */
  untilNs: number = -Infinity
  /** Mark, index and last trade. */
  readonly prices: ReferencePrices = new ReferencePrices()
  /** Funding as it was published, and who has positions here. */
  readonly money: MarketMoney = new MarketMoney()
  /** True from where its numbers do not fit on: no order is taken any more (exchange rules 1.8). */
  isClosed = false
  readonly #book: ExchangeBook
  #feedLatencyNs = 0
  /** The last item applied: the line that its feed latency is still to be read of; null: it is known. */
  #lastBatch: EventBatch | null = null
  #lastEvent = 0

  constructor(
    readonly instrumentId: number,
    private readonly order: ExchangeOrder,
    exchangeTop: ExchangeTop,
    rules: MarketRules = MARKET_RULES,
    private readonly source: BookSource | null = null,
  ) {
    super(rules)
    this.#book = new ExchangeBook(exchangeTop, order, source)
  }

  /** Adapter time less exchange-side time of the last item applied. */
  get feedLatencyNs(): number {
    if (this.#lastBatch !== null)
      this.#feedLatencyNs = (this.#lastBatch.adapterTimeNs[this.#lastEvent] as number) - this.timeNs
    this.#lastBatch = null
    return this.#feedLatencyNs
  }

  set feedLatencyNs(latencyNs: number) {
    this.#lastBatch = null
    this.#feedLatencyNs = latencyNs
  }

  get priceScale(): number {
    return this.#book.shown.depth.priceScale
  }

  get quantityScale(): number {
    return this.#book.shown.depth.quantityScale
  }

  /** Books and top of book as they stand at the exchange; whoever looks makes up for what nobody looked at before. */
  get shown(): TouchBook {
    if (this.#book.isBehind) this.#bringUp()
    return this.#book.shown
  }

  /** True where any world has open interest: then every item up to an instant has to be played before it. */
  get isWatched(): boolean {
    return this.worlds.isWatching || this.money.isWatched
  }

  /** True where it is watched, the book is known and not crossed, and no order waits for a condition. */
  get isPlain(): boolean {
    return this.bookUnknown === null && !this.isCrossed && this.isWatched && !this.worlds.hasConditions
  }

  attach(participant: MarketParticipant): void {
    if (this.worlds.has(participant)) return
    this.#bringUp()
    this.worlds.attach(participant)
  }

  /**
   * The run begins, with data that begin at `startNs`: everything before it has happened, and time with an unknown or
   * a crossed book is counted from here. A run that begins with its data has nothing before it, however early its lines
   * happened at the exchange; but for its margin, in which the book may have been crossed.
   */
  beginRun(fromNs: number, startNs: number): void {
    this.crossedFromNs = fromNs
    if (fromNs <= startNs) return
    this.advance(fromNs - 1, () => false)
    this.countFrom(fromNs)
  }

  /**
   * Plays items up to and including `untilNs`; with participants it returns after the first for which `stop` says so
   * (an answer is on its way that may come first).
   */
  advance(untilNs: number, stop: () => boolean): void {
    this.untilNs = untilNs
    this.play(stop)
  }

  /** The same up to `untilNs` as it was set: for the hot loop. */
  play(stop: () => boolean): void {
    const { order } = this
    while (order.head < order.tail && (order.timeNs[order.head] as number) <= this.untilNs) {
      if (!this.isWatched) return this.#advanceAlone(this.untilNs)
      if (this.#book.isBehind) this.#book.catchUp()
      if (this.isPlain) {
        if (playTouches(this, order, this.#book, this.worlds, stop)) return
        if (!this.isPlain || order.head >= order.tail || (order.timeNs[order.head] as number) > this.untilNs) continue
      }
      const kind = this.#playNext()
      if (this.money.isWatched) this.#tellMoney(kind)
      this.worlds.onItem(this.timeNs)
      if (stop()) return
    }
  }

  watch(side: Side): PriceWatch<MarketParticipant> {
    return side === 'BID' ? this.bids : this.asks
  }

  /**
   * Ends a silence before a line that leaves the chain whole (exchange rules 6.4); true where the book is known again.
   */
  #breaksSilence(batch: EventBatch, index: number): boolean {
    if (this.bookUnknown === null) return false
    this.lineCame(batch.kind[index] as number)
    if (!this.endsSilence(batch, index, this.#book.shown.depth.suspect, this.timeNs) || this.bookUnknown !== null)
      return false
    this.settleQueues()
    this.worlds.onUnbroken()
    return true
  }

  /** Hands on to all resting orders what their prices displayed: before anybody looks at places in queues. */
  settleQueues(): void {
    this.bids.settle()
    this.asks.settle()
  }

  /** Brings quantities to at least so many decimals, lines to come too; false where the data leave no room for them. */
  refine(instrument: Instrument, quantityScale: number): boolean {
    if (quantityScale <= this.quantityScale) return true
    const isHeld = this.source?.refine(quantityScale) !== false
    if (isHeld) this.bringTo({ instrument, priceScale: this.priceScale, quantityScale })
    return isHeld
  }

  /** Moves everything to finer scales. Scales never shrink within a pass. */
  bringTo(scales: BatchScales): void {
    const { priceScale, quantityScale } = this
    checkGrowth(scales, priceScale, quantityScale)
    const priceFactor = factorBetween(priceScale, scales.priceScale)
    const quantityFactor = factorBetween(quantityScale, scales.quantityScale)
    this.#book.shown.rescale(scales)
    this.settleQueues()
    this.bids.rescale(priceFactor, quantityFactor)
    this.asks.rescale(priceFactor, quantityFactor)
    this.money.bandsChanged()
    this.worlds.onRescale(priceFactor, quantityFactor)
  }

  /** Plain data of the market; queue position and batches are the feed's. */
  state(): MarketState {
    this.#bringUp()
    this.settleQueues()
    return marketState(this)
  }

  /** Takes a state back; the worlds have put their orders and levels in again before. */
  restore(state: MarketState): void {
    restoreMarket(this, state)
    this.#book.restored()
  }

  /** To be called before batches are given back. */
  keepUp(): void {
    this.#feedLatencyNs = this.feedLatencyNs
    if (this.isWatched || this.#book.lagUntilNs !== Infinity) this.#book.catchUp()
    this.#book.keepUp()
  }

  /** Where nobody looks: without levels, until a depth line that changed places is in hand. */
  #advanceAlone(untilNs: number): void {
    const book = this.#book
    const { lagUntilNs } = book
    if (lagUntilNs === Infinity) return this.#passAlone(untilNs, true)
    if (book.isBehind) {
      this.#passAlone(Math.min(untilNs, lagUntilNs - 1), true)
      if (untilNs < lagUntilNs) return
      book.catchUp()
    }
    this.#passAlone(untilNs, false)
  }

  /** Where nobody looks: top of book and marks, no judging, no levels where they can be brought in later. */
  #passAlone(untilNs: number, mayFallBehind: boolean): void {
    const order = this.order
    while (order.head < order.tail && (order.timeNs[order.head] as number) <= untilNs) {
      // In a crossed book the next line may be the one that uncrosses it.
      const isMany = mayFallBehind && !this.isCrossed
      const to = isMany ? order.firstAfter(Math.min(untilNs, order.nextSingleNs() - 1)) : order.head
      if (to > order.head) this.#passLines(to)
      else this.#passItem(mayFallBehind)
    }
  }

  #passItem(withoutLevels: boolean): void {
    const order = this.order
    const at = order.head
    const batch = this.standAt(at)
    const index = order.event[at] as number
    const kind = batch.kind[index] as number
    this.#breaksSilence(batch, index)
    if (kind !== TRADES) return this.#apply(batch, at, index, kind, withoutLevels)
    this.#checkScales(batch)
    this.prices.traded(batch, order.row[at] as number)
  }

  /** Passes updates, tops, trades and liquidations before a place: the last of each kind says all. */
  #passLines(to: number): void {
    const { order } = this
    const { head, timeNs, row } = order
    this.#checkScales(this.#batchAt(to - 1))
    const updateAt = this.#book.passLines(head, to)
    if (updateAt >= 0 && this.bookUnknown === null) this.lastGoodNs = timeNs[updateAt] as number
    if (this.bookUnknown !== null && (updateAt >= 0 || lastOfKind(order, TOP, head, to) >= 0)) this.lineCame(TOP)
    const tradeAt = lastOfKind(order, TRADES, head, to)
    if (tradeAt >= head) this.prices.traded(this.#batchAt(tradeAt), row[tradeAt] as number)
    this.standAt(to - 1)
  }

  #batchAt(at: number): EventBatch {
    const { batchNumber, batches, firstBatch } = this.order
    return batches[(batchNumber[at] as number) - firstBatch] as EventBatch
  }

  /** It is the time of the item at a place of the order, and it is taken; returns its batch. */
  standAt(at: number): EventBatch {
    const { order } = this
    const batch = this.#batchAt(at)
    this.timeNs = order.timeNs[at] as number
    this.#lastBatch = batch
    this.#lastEvent = order.event[at] as number
    order.head = at + 1
    return batch
  }

  /**
   * Plays one item; returns its kind. Its time is in `timeNs`: a time that is handed on would be an object for each
   * item.
   */
  #playNext(): number {
    const order = this.order
    const at = order.head
    const batch = this.standAt(at)
    const index = order.event[at] as number
    const kind = batch.kind[index] as number
    const isBookKnown = this.#breaksSilence(batch, index)
    if (kind === TRADES) this.#playTrade(batch, order.row[at] as number)
    else if (kind === UPDATE || kind === SNAPSHOT) this.#playDepth(batch, at, index, kind)
    else if (kind === TOP) this.#playTop(batch, index)
    else this.#apply(batch, at, index, kind, false)
    if (isBookKnown) this.worlds.onRecovered(this.timeNs)
    return kind
  }

  #bringUp(): void {
    const book = this.#book
    if (book.isBehind && book.isLost && !this.isWatched) this.#advanceAlone(book.sourceNs)
    book.catchUp()
  }

  #checkScales(batch: EventBatch): void {
    const { depth } = this.#book.shown
    if (batch.priceScale !== depth.priceScale || batch.quantityScale !== depth.quantityScale) this.bringTo(batch)
  }

  /** Applies a line, marks and the state of the book; participants are notified where the book becomes unknown. */
  #apply(batch: EventBatch, at: number, index: number, kind: number, withoutLevels: boolean): void {
    if (kind === MARK) return this.#applyMark(batch, index)
    if (kind === INDEX) {
      this.prices.indexed(batch, index)
      const { indexPrice, indexScale, indexDigits } = this.prices
      return this.money.applyIndex(this.timeNs, indexPrice, indexScale, indexDigits)
    }
    if (kind > TOP) return kind === FUNDING ? this.money.apply(batch, index, this.timeNs) : undefined
    if (kind === STATE && isSilence(batch, index)) return this.#lost(this.fallSilent(batch, index, this.timeNs))
    if (kind === STATE && isCrossedGap(batch, index)) return this.#lost(this.fallCrossed(batch, index, this.timeNs))
    if (kind === STATE && ((batch.flags[index] as number) & EVENT_FLAGS.UNFIT) !== 0) {
      this.isClosed = true
      this.source?.closed?.()
    }
    this.#checkScales(batch)
    const { shown } = this.#book
    if (kind <= UPDATE) this.#book.takeDepth(at, withoutLevels)
    else shown.apply(batch, index)
    if (kind === TOP) return
    this.#lost(this.judge(batch, index, shown.depth.suspect, this.timeNs))
  }

  /** Tells the worlds of a period with an unknown book that begins; null: none does. */
  #lost(period: UnknownBookPeriod | null): void {
    if (period !== null) this.worlds.onGap(period)
  }

  #applyMark(batch: EventBatch, index: number): void {
    // The mid counts no more from here on: the last one is kept.
    if (Number.isNaN(this.prices.markPrice)) this.money.noteMid(this.#book.shown.twiceMid, NaN, this.priceScale)
    const { markPrice, markScale, markDigits } = this.prices
    this.money.marked(this.timeNs, markPrice, markScale, markDigits)
    this.prices.marked(batch, index)
  }

  #playTrade(batch: EventBatch, row: number): void {
    this.#checkScales(batch)
    const price = batch.price[row] as number
    const quantity = batch.quantity[row] as number
    this.prices.traded(batch, row)
    const isSell = batch.side[row] === SIDE_CODES.ASK
    if (isSell ? price > this.bids.nearestOrderPrice : price < this.asks.nearestOrderPrice) return
    const watch = isSell ? this.bids : this.asks
    watch.settleTo(price)
    this.worlds.onTrade(watch.side, price, quantity, this.timeNs)
  }

  #playDepth(batch: EventBatch, at: number, index: number, kind: number): void {
    const { shown } = this
    const { bids, asks } = this
    this.#checkScales(batch)
    const wasBookUnknown = this.bookUnknown !== null
    const { isBidNewer: bidTop, isAskNewer: askTop } = shown.top
    const isRows = kind === SNAPSHOT && this.rules.snapshots === 'rows'
    const { bestBidPrice: bidBefore, bestAskPrice: askBefore } = shown
    this.#apply(batch, at, index, kind, false)
    this.#noteMid(bidBefore + askBefore)
    if (this.bookUnknown !== null) return
    if (wasBookUnknown) {
      this.settleQueues()
      this.worlds.onRecovery(this.timeNs)
      refreshDisplayed(this.#watches, (side, price) => shown.lastDisplayed(side, price))
    } else if (kind === UPDATE || isRows) {
      changesByRows(bids, asks, batch, index, shown.depth, isRows)
      if (bidTop && !shown.top.isBidNewer) changesByTop(bids, shown.top.bidPrice, shown)
      if (askTop && !shown.top.isAskNewer) changesByTop(asks, shown.top.askPrice, shown)
    } else changesBySnapshot(this.#watches, shown)
    judgeTouch(bids, asks, isRows ? NaN : bidBefore, isRows ? NaN : askBefore, shown, this.worlds, this.timeNs)
    if (wasBookUnknown) this.worlds.onRecovered(this.timeNs)
  }

  #playTop(batch: EventBatch, index: number): void {
    const { shown } = this
    this.#checkScales(batch)
    const { bestBidPrice: bidBefore, bestAskPrice: askBefore } = shown
    shown.takeTop(batch, index)
    this.#noteMid(bidBefore + askBefore)
    if (this.bookUnknown !== null) return
    changesByTopSide(this.bids, bidBefore, shown.bestBidPrice, shown)
    changesByTopSide(this.asks, askBefore, shown.bestAskPrice, shown)
    judgeTouch(this.bids, this.asks, bidBefore, askBefore, shown, this.worlds, this.timeNs)
  }

  /** Tells who has positions what an item changed for them. */
  #tellMoney(kind: number): void {
    if (kind > UPDATE && kind !== TOP) return this.money.tell(kind, this.timeNs)
    if (Number.isNaN(this.prices.markPrice)) this.money.tellMid(this.#book.shown.twiceMid, this.priceScale, this.timeNs)
  }

  /** Notes a line of the book behind which there may be no mid; twice the mid before it, NaN for none. */
  #noteMid(twiceBefore: number): void {
    if (Number.isNaN(this.prices.markPrice)) this.money.noteMid(twiceBefore, this.#book.shown.twiceMid, this.priceScale)
  }
}
