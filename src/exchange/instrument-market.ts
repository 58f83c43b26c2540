import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { BacktapeError } from '../model/error.js'
import type { ExchangeOrder } from '../model/exchange-order.js'
import { SIDE_CODES, type Side } from '../model/side.js'
import { FusedBook, type BatchScales, type ExchangeTop } from './fused-book.js'
import type { BlindPeriod, BlindReason, BlindTime, ConditionWatcher, MarketParticipant } from './market-participant.js'
import { MarketMoney } from './market-money.js'
import { marketState, restoreMarket, type MarketState } from './market-state.js'
import { PriceWatch, type WatchedPrice } from './price-watch.js'
import { factorBetween } from './scale-factor.js'
import type { ReferencePrice } from './stop-triggers.js'
import type { TriggerReference } from './venue-profile.js'

/** What of a market is an assumption of the pass. */
export interface MarketRules {
  /** `ignored`: a book is trusted whatever its chain and state say (hftbacktest's way). */
  readonly gaps: 'observed' | 'ignored'
  /** `rows`: a snapshot empties the book and sets its rows; a level that it does not name is no change (hftbacktest's way). */
  readonly snapshots: 'difference' | 'rows'
}

/** Exchange rules 2.3 and 6. */
export const MARKET_RULES: MarketRules = { gaps: 'observed', snapshots: 'difference' }

const { snapshot: SNAPSHOT, update: UPDATE, trades: TRADES, state: STATE, topOfBook: TOP, mark: MARK, index: INDEX, funding: FUNDING } = EVENT_KINDS

/**
 * The exchange side of one instrument, shared by all worlds: the market as it was recorded, in exchange time. Nothing that a
 * world does changes it. It moves only when somebody asks it to, in one tight loop where nobody has anything at stake.
 */
export class InstrumentMarket {
  readonly instrumentId: number
  readonly shown: FusedBook
  readonly bids: PriceWatch<MarketParticipant> = new PriceWatch('BID')
  readonly asks: PriceWatch<MarketParticipant> = new PriceWatch('ASK')
  /** Exchange-side time of the last item applied. */
  timeNs: number = -Infinity
  /** Adapter time less exchange-side time of the last item applied. */
  feedLatencyNs: number = 0
  /** Set while the book cannot be trusted. */
  blind: BlindPeriod | null
  readonly blindTime: BlindTime = { periods: 0, blindNs: 0 }
  markPrice: number = NaN
  markScale = 0
  indexPrice: number = NaN
  indexScale = 0
  lastTradePrice: number = NaN
  lastTradeScale = 0
  /** Funding as it was published, and who has positions here. */
  readonly money: MarketMoney = new MarketMoney()
  /** Exchange-side time of the last depth line that was good. */
  lastGoodNs: number = -Infinity
  readonly #order: ExchangeOrder
  readonly #rules: MarketRules
  /** Every world that ever traded here, and of them those with something at stake. */
  readonly #members: MarketParticipant[] = []
  readonly #participants: MarketParticipant[] = []
  /** Worlds with stop or pegged orders here. */
  readonly #conditions: ConditionWatcher[] = []
  /** Best resting price over all worlds: what trade rows and new touches are held against. */
  #highestBid = -Infinity
  #lowestAsk = Infinity

  constructor(instrumentId: number, order: ExchangeOrder, exchangeTop: ExchangeTop, rules: MarketRules = MARKET_RULES) {
    this.instrumentId = instrumentId
    this.#order = order
    this.#rules = rules
    this.shown = new FusedBook(exchangeTop)
    this.blind = rules.gaps === 'ignored' ? null : { sinceNs: -Infinity, detectedNs: -Infinity, reason: 'start' }
  }

  get priceScale(): number {
    return this.shown.book.priceScale
  }

  get quantityScale(): number {
    return this.shown.book.quantityScale
  }

  /** Whether any world has something at stake: then every item up to an instant has to be played before it. */
  get isWatched(): boolean {
    return this.#participants.length > 0 || this.money.isWatched
  }

  /** Makes a world known, so that it hears of finer scales; once. */
  join(member: MarketParticipant): void {
    this.#members.push(member)
  }

  attach(participant: MarketParticipant): void {
    if (!this.#participants.includes(participant)) this.#participants.push(participant)
  }

  detach(participant: MarketParticipant): void {
    const at = this.#participants.indexOf(participant)
    if (at >= 0) this.#participants.splice(at, 1)
  }

  /** From now on a watcher is called after every item; it holds its world attached. */
  watchConditions(watcher: ConditionWatcher): void {
    this.#conditions.push(watcher)
  }

  unwatchConditions(watcher: ConditionWatcher): void {
    const at = this.#conditions.indexOf(watcher)
    if (at >= 0) this.#conditions.splice(at, 1)
  }

  /** A price by which stop orders trigger, as it stands; NaN before its first. */
  readonly referencePrice: (reference: TriggerReference) => ReferencePrice = (reference) => {
    if (reference === 'lastTrade') return { value: this.lastTradePrice, scale: this.lastTradeScale }
    return reference === 'mark' ? { value: this.markPrice, scale: this.markScale } : { value: this.indexPrice, scale: this.indexScale }
  }

  /** To be called whenever resting orders have come or gone. */
  restingChanged(side: Side): void {
    const best = this.watch(side).bestOrderPrice()
    if (side === 'BID') this.#highestBid = Number.isNaN(best) ? -Infinity : best
    else this.#lowestAsk = Number.isNaN(best) ? Infinity : best
  }

  /**
   * Plays items up to and including `untilNs`. With participants it returns after the first item for which `stop` says so (an
   * answer is on its way that may come before what the caller had planned next).
   */
  advance(untilNs: number, stop: () => boolean): void {
    const order = this.#order
    while (order.head < order.tail && (order.timeNs[order.head] as number) <= untilNs) {
      if (!this.isWatched) {
        this.#advanceAlone(untilNs)
        return
      }
      const kind = this.#playNext()
      if (this.money.isWatched) this.money.tell(kind, this.timeNs, !Number.isNaN(this.markPrice))
      if (this.#conditions.length > 0) this.#tellConditions()
      if (stop()) return
    }
  }

  watch(side: Side): PriceWatch<MarketParticipant> {
    return side === 'BID' ? this.bids : this.asks
  }

  /** From now on the book is not to be trusted until the next snapshot: for what no line says, a day that is missing. */
  loseSight(detectedNs: number, reason: BlindReason): void {
    if (this.blind !== null || this.#rules.gaps === 'ignored') return
    this.blind = { sinceNs: this.lastGoodNs, detectedNs, reason }
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onBlind(this.blind)
  }

  /** Blind time up to `untilNs`, a period that has not ended included. */
  blindUntil(untilNs: number): BlindTime {
    const { blind, blindTime } = this
    if (blind === null || blind.reason === 'start') return { ...blindTime }
    return { periods: blindTime.periods + 1, blindNs: blindTime.blindNs + Math.max(0, untilNs - blind.sinceNs) }
  }

  /** Moves everything to finer scales. Scales never shrink within a pass. */
  bringTo(scales: BatchScales): void {
    const { priceScale, quantityScale } = this
    if (scales.priceScale < priceScale || scales.quantityScale < quantityScale) {
      const found = `${scales.priceScale} and ${scales.quantityScale}`
      throw new BacktapeError('VALUE_INEXACT', `Cannot apply ${scales.instrument.code} at scales ${found}: its market is at ${priceScale} and ${quantityScale} already`, {
        field: 'priceScale', expected: 'scales that only grow', found,
      })
    }
    const priceFactor = factorBetween(priceScale, scales.priceScale)
    const quantityFactor = factorBetween(quantityScale, scales.quantityScale)
    this.shown.rescale(scales)
    this.bids.rescale(priceFactor, quantityFactor)
    this.asks.rescale(priceFactor, quantityFactor)
    this.#highestBid *= priceFactor
    this.#lowestAsk *= priceFactor
    for (const member of this.#members) member.onRescale(priceFactor, quantityFactor)
  }

  /** Plain data of the market; queue position and batches are the feed's. */
  state(): MarketState {
    return marketState(this)
  }

  /** Takes a state back; the worlds have put their orders and levels in again before. */
  restore(state: MarketState): void {
    restoreMarket(this, state)
  }

  /** The loop where nobody looks: books, top of book, marks and blindness, no judging. */
  #advanceAlone(untilNs: number): void {
    const order = this.#order
    const { timeNs, event, batchNumber, batches, firstBatch, tail } = order
    let head = order.head
    let lastTrade = -1
    while (head < tail && (timeNs[head] as number) <= untilNs) {
      const batch = batches[(batchNumber[head] as number) - firstBatch] as EventBatch
      const index = event[head] as number
      const kind = batch.kind[index] as number
      if (kind === TRADES) lastTrade = head
      else this.#apply(batch, index, kind, timeNs[head] as number)
      head++
    }
    if (head === order.head) return
    if (lastTrade >= 0) this.#rememberTrade(batches[(batchNumber[lastTrade] as number) - firstBatch] as EventBatch, order.row[lastTrade] as number)
    const last = head - 1
    this.timeNs = timeNs[last] as number
    const batch = batches[(batchNumber[last] as number) - firstBatch] as EventBatch
    this.feedLatencyNs = (batch.adapterTimeNs[event[last] as number] as number) - this.timeNs
    order.head = head
  }

  /** Plays one item; returns its kind. */
  #playNext(): number {
    const order = this.#order
    const at = order.head++
    const time = order.timeNs[at] as number
    const batch = order.batches[(order.batchNumber[at] as number) - order.firstBatch] as EventBatch
    const index = order.event[at] as number
    const kind = batch.kind[index] as number
    this.timeNs = time
    this.feedLatencyNs = (batch.adapterTimeNs[index] as number) - time
    if (kind === TRADES) this.#playTrade(batch, order.row[at] as number, time)
    else if (kind === UPDATE || kind === SNAPSHOT) this.#playDepth(batch, index, kind, time)
    else if (kind === TOP) this.#playTop(batch, index, time)
    else this.#apply(batch, index, kind, time)
    return kind
  }

  #checkScales(batch: EventBatch): void {
    const { book } = this.shown
    if (batch.priceScale !== book.priceScale || batch.quantityScale !== book.quantityScale) this.bringTo(batch)
  }

  /** Applies a line and keeps blindness and marks; participants hear of a blind period's beginning only. */
  #apply(batch: EventBatch, index: number, kind: number, time: number): void {
    if (kind === MARK || kind === INDEX) {
      this.#applyValue(batch, index, kind)
      return
    }
    if (kind === FUNDING) this.money.apply(batch, index, time)
    if (kind > TOP) return
    this.#checkScales(batch)
    this.shown.apply(batch, index)
    if (kind === TOP) return
    const { suspect } = this.shown.book
    if (kind === SNAPSHOT && !suspect) this.#gainSight(time)
    else if (suspect) this.loseSight(time, kind === STATE ? 'error' : 'gap')
    if (this.blind === null && kind <= UPDATE) this.lastGoodNs = time
  }

  #gainSight(time: number): void {
    const { blind } = this
    if (blind === null) return
    if (blind.reason !== 'start') {
      this.blindTime.periods++
      this.blindTime.blindNs += time - blind.sinceNs
    }
    this.blind = null
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

  #rememberTrade(batch: EventBatch, row: number): void {
    this.lastTradePrice = batch.price[row] as number
    this.lastTradeScale = batch.priceScale
  }

  #tellConditions(): void {
    for (let i = this.#conditions.length - 1; i >= 0; i--) this.#conditions[i]?.onItem(this.timeNs)
  }

  #playTrade(batch: EventBatch, row: number, time: number): void {
    this.#checkScales(batch)
    const price = batch.price[row] as number
    const quantity = batch.quantity[row] as number
    this.lastTradePrice = price
    this.lastTradeScale = batch.priceScale
    const isSell = batch.side[row] === SIDE_CODES.ASK
    if (isSell ? price > this.#highestBid : price < this.#lowestAsk) return
    const side: Side = isSell ? 'BID' : 'ASK'
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onTrade(side, price, quantity, time)
  }

  #playDepth(batch: EventBatch, index: number, kind: number, time: number): void {
    const { shown } = this
    this.#checkScales(batch)
    const wasBlind = this.blind !== null
    const bidTop = shown.top.isBidNewer
    const askTop = shown.top.isAskNewer
    const isRows = kind === SNAPSHOT && this.#rules.snapshots === 'rows'
    const bidBefore = isRows ? NaN : shown.bestBidPrice
    const askBefore = isRows ? NaN : shown.bestAskPrice
    this.#apply(batch, index, kind, time)
    if (this.blind !== null) return
    if (kind === SNAPSHOT && wasBlind) {
      for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onSight(time)
      refreshDisplayed(this)
    } else if (kind === UPDATE || isRows) {
      this.#rowChanges(batch, index, isRows)
      if (bidTop && !shown.top.isBidNewer) this.#changesFrom(this.bids, shown.top.bidPrice)
      if (askTop && !shown.top.isAskNewer) this.#changesFrom(this.asks, shown.top.askPrice)
    } else {
      this.#changesFrom(this.bids, NaN)
      this.#changesFrom(this.asks, NaN)
    }
    this.#judge(time, bidBefore, askBefore)
    if (wasBlind) for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onSighted(time)
  }

  #playTop(batch: EventBatch, index: number, time: number): void {
    const { shown } = this
    this.#checkScales(batch)
    const bidBefore = shown.bestBidPrice
    const askBefore = shown.bestAskPrice
    shown.apply(batch, index)
    if (this.blind !== null) return
    const { bestBidPrice, bestAskPrice } = shown
    this.#changesFrom(this.bids, bidBefore < bestBidPrice || Number.isNaN(bidBefore) ? bidBefore : bestBidPrice)
    this.#changesFrom(this.asks, askBefore > bestAskPrice || Number.isNaN(askBefore) ? askBefore : bestAskPrice)
    this.#judge(time, bidBefore, askBefore)
  }

  /** Watched prices among the rows of an update: each is one change, even to the same quantity. */
  #rowChanges(batch: EventBatch, index: number, fromEmpty: boolean): void {
    const { side, price, rowStart } = batch
    const { book } = this.shown
    const end = rowStart[index + 1] as number
    for (let row = rowStart[index] as number; row < end; row++) {
      const watch = side[row] === SIDE_CODES.ASK ? this.asks : this.bids
      if (!watch.mayWatch(price[row] as number)) continue
      const watched = watch.get(price[row] as number)
      if (watched === undefined) continue
      if (fromEmpty) watched.displayed = 0
      this.#change(watched, book.quantityAt(watch.side, watched.price))
    }
  }

  /** Watched prices at least as good as `price` (NaN: all): those that a change of the touch may hide, show or move to another source. */
  #changesFrom(watch: PriceWatch<MarketParticipant>, price: number): void {
    const { prices, side } = watch
    const { shown } = this
    let count = 0
    while (count < prices.length && !isWorse(side, (prices[count] as WatchedPrice).price, price)) count++
    for (let i = count - 1; i >= 0; i--) {
      const watched = prices[i] as WatchedPrice<MarketParticipant>
      if (shown.isHidden(side, watched.price)) continue
      const current = shown.lastDisplayed(side, watched.price)
      if (!Number.isNaN(current) && current !== watched.displayed) this.#change(watched, current)
    }
  }

  #change(watched: WatchedPrice<MarketParticipant>, current: number): void {
    const previous = watched.displayed
    watched.displayed = current
    for (let i = watched.levels.length - 1; i >= 0; i--) {
      const level = watched.levels[i]
      if (level !== undefined) level.watcher.onChange(level, watched, previous, current)
    }
  }

  /** After a whole line: does either side now show a level at or through a resting order? */
  #judge(time: number, bidBefore: number, askBefore: number): void {
    const { bestAskPrice, bestBidPrice } = this.shown
    if (bestAskPrice <= this.#highestBid) this.#tellShown('BID', time, !(askBefore <= bestAskPrice))
    if (bestBidPrice >= this.#lowestAsk) this.#tellShown('ASK', time, !(bidBefore >= bestBidPrice))
  }

  #tellShown(side: Side, time: number, improved: boolean): void {
    for (let i = this.#participants.length - 1; i >= 0; i--) this.#participants[i]?.onShown(side, time, improved)
  }
}

function isWorse(side: Side, price: number, than: number): boolean {
  return side === 'BID' ? price < than : price > than
}

/** Takes what is displayed now as the last displayed quantity of every watched price; what is not shown is unknown. */
function refreshDisplayed({ bids, asks, shown }: InstrumentMarket): void {
  for (const watch of [bids, asks]) {
    for (const watched of watch.prices) watched.displayed = shown.lastDisplayed(watch.side, watched.price)
  }
}
