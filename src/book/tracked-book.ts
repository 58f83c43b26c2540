import { bookTrackOf, TRACK_MARKS, type BookTrack, type TrackLevels } from '../model/book-track.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { factorBetween } from '../model/scale-factor.js'
import type { Side } from '../model/side.js'
import { OrderBook } from './order-book.js'
import { LevelLookback, WIDEST_LOOK } from './level-lookback.js'

const { update: UPDATE } = EVENT_KINDS
const { BID_CHANGED, ASK_CHANGED } = TRACK_MARKS
/** Reads of all levels in one batch that do not keep a book from following the next track. */
const FEW_READS = 4
/** So many levels are mostly found near the best one. */
const FEW_LEVELS = 10
const NO_LEVELS = { prices: [], quantities: [] }

/** A batch whose lines are passed by its track, and how far. */
interface TrackedPlace {
  readonly batch: EventBatch
  readonly track: BookTrack
  /** The last line of depth; -1 where it has none. */
  readonly lastDepth: number
  /** Lines before `event` have been passed; of those before `seen` the `change` changes of best levels are taken. */
  event: number
  seen: number
  change: number
}

/**
 * The depth book of one instrument; it takes the lines of its batches in their order. Where a batch comes with the
 * track of its book, lines are passed by it: best levels, suspicion and scales are always as they should be, a level
 * that is asked for is looked up in the rows behind it, and rows are applied where somebody reads many, to the book
 * that stood before the batch. A track is followed only where it holds: from a book that is the one at hand level by
 * level, or behind the track before it. Which of the two ways a book goes shows in nothing but time.
 */
export class TrackedBook {
  readonly #book: OrderBook = new OrderBook()
  /** Best levels while there is a place: bid price and quantity, ask price and quantity. */
  readonly #best = Float64Array.of(NaN, 0, NaN, 0)
  #place: TrackedPlace | null = null
  readonly #lookback = new LevelLookback()
  /** Reads of all levels since the batch in turn began: who reads them often reads them again. */
  #reads = 0
  /** Single levels asked for since then, and the number of them that was too many for looking back. */
  #questions = 0
  #tooMany = Infinity

  get suspect(): boolean { return this.#book.suspect }
  get priceScale(): number { return this.#book.priceScale }
  get quantityScale(): number { return this.#book.quantityScale }

  /** True while lines are passed by a track. */
  get isTracked(): boolean { return this.#place !== null }

  /** True while they are and no line of the batch in turn is left that has rows. */
  get isAtEnd(): boolean { return this.#place !== null && this.#place.event > this.#place.lastDepth }

  /** Marks of the lines of a batch where they are passed by its track (`TRACK_MARKS`); null where none is followed. */
  marksOf(batch: EventBatch): Uint8Array | null {
    const place = this.#place
    return place?.batch === batch ? place.track.marks : null
  }

  /** Best bid price at `priceScale`, NaN where the side is empty; the same of the others. */
  get bestBidPrice(): number { return this.#place === null ? this.#book.bestBidPrice : this.#bestOf(0) }
  get bestBidQuantity(): number { return this.#place === null ? this.#book.bestBidQuantity : this.#bestOf(1) }
  get bestAskPrice(): number { return this.#place === null ? this.#book.bestAskPrice : this.#bestOf(2) }
  get bestAskQuantity(): number { return this.#place === null ? this.#book.bestAskQuantity : this.#bestOf(3) }

  /** The book with all its levels; good until the next batch is entered. */
  levels(): OrderBook {
    this.#reads++
    this.#catchUp()
    return this.#book
  }

  /**
   * The batch whose lines come next, from its first one on, all lines of the one before having come; null where it is
   * not in hand. The one before must still be.
   */
  enter(batch: EventBatch | null): void {
    const track = batch === null ? null : bookTrackOf(batch)
    const place = this.#place
    const isRead = this.#reads > FEW_READS || this.#questions * 2 > this.#tooMany
    this.#reads = 0
    this.#questions = 0
    const follows = track !== null && track.chain === place?.track.chain && track.number === place.track.number + 1
    if (place !== null) place.event = place.batch.count
    if (follows) this.#settleBest()
    else this.#catchUp()
    if (batch === null || track === null || (!follows && (isRead || !this.#isBook(track.before)))) return
    if (!follows) this.#dropLevels()
    this.#lookback.enter(batch, track)
    let lastDepth = batch.count - 1
    while (lastDepth >= 0 && (batch.kind[lastDepth] as number) > UPDATE) lastDepth--
    this.#place = { batch, track, lastDepth, event: 0, seen: 0, change: 0 }
  }

  /** Takes a line of the batch that was entered last: kinds 0, 1 and 5; every other kind is ignored. */
  apply(batch: EventBatch, index: number): void {
    const place = this.#place
    if (place !== null && (batch.priceScale !== this.priceScale || batch.quantityScale !== this.quantityScale)) {
      // Every level has to fit the other digits, or the file is refused.
      this.#catchUp()
    } else if (place !== null) {
      if ((batch.kind[index] as number) <= UPDATE) place.event = index + 1
      this.#book.pass(batch, index)
      return
    }
    this.#book.apply(batch, index)
  }

  /** Takes of a line what is not its rows, which somebody brings in later: for a book that follows no track. */
  pass(batch: EventBatch, index: number): void {
    if (this.#place !== null) this.apply(batch, index)
    else this.#book.pass(batch, index)
  }

  /** Passes lines of the batch in turn up to one, none of which says more than its rows; where there is a track. */
  passTo(index: number): void {
    if (this.#place !== null) this.#place.event = index + 1
  }

  /** Moves every level to other scales, exactly. */
  rescale(scales: Pick<EventBatch, 'instrument' | 'priceScale' | 'quantityScale'>): void {
    this.#catchUp()
    this.#book.rescale(scales)
  }

  /** Quantity at a price, both as scaled integers; 0 where no level stands. */
  quantityAt(side: Side, price: number): number {
    if (this.#place === null) {
      this.#questions++
      return this.#book.quantityAt(side, price)
    }
    const isBid = side === 'BID'
    const best = this.#bestOf(isBid ? 0 : 2)
    if (price === best) return this.#best[isBid ? 1 : 3] as number
    if (!(isBid ? price < best : price > best)) return 0
    const place = this.#placeToLookAt()
    return place === null
      ? this.#book.quantityAt(side, price)
      : (this.#lookback.quantities(side, price, 1, place.event)[0] as number)
  }

  /** True where a price at which no level stands is worse than all levels of its side, or there is none. */
  isBeyond(side: Side, price: number): boolean {
    const isBid = side === 'BID'
    const best = isBid ? this.bestBidPrice : this.bestAskPrice
    if (Number.isNaN(best)) return true
    if (isBid ? price > best : price < best) return false
    const place = this.#place === null ? null : this.#placeToLookAt()
    if (place !== null) return !this.#lookback.holdsWorse(side, price, place.event)
    const deepest = this.#book.deepestPrice(side)
    return isBid ? price < deepest : price > deepest
  }

  /**
   * Copies up to `limit` best levels of a side, best first, into the caller's columns; returns their number. Levels
   * worse than `worst` may be left out.
   */
  copyLevels(side: Side, limit: number, prices: Float64Array, quantities: Float64Array, worst: number): number {
    if (this.#place === null) return this.#book.copyLevels(side, limit, prices, quantities)
    const isBid = side === 'BID'
    const best = this.#bestOf(isBid ? 0 : 2)
    const width = isBid ? best - worst : worst - best
    if (Number.isNaN(best) || width < 0) return 0
    const place = width < WIDEST_LOOK ? this.#placeToLookAt() : null
    if (place === null) return this.levels().copyLevels(side, limit, prices, quantities)
    const found = width === 0 ? null : this.#lookback.quantities(side, Math.min(best, worst), width + 1, place.event)
    let count = 0
    for (let i = 0; i <= width && count < limit; i++) {
      const quantity = found === null ? (this.#best[isBid ? 1 : 3] as number) : (found[isBid ? width - i : i] as number)
      if (quantity === 0) continue
      prices[count] = isBid ? best - i : best + i
      quantities[count++] = quantity
    }
    return count
  }

  /**
   * Copies up to `limit` best levels of a side, best first, into the caller's columns; returns their number. A few that
   * stand near the best one are looked up.
   */
  copyBest(side: Side, limit: number, prices: Float64Array, quantities: Float64Array): number {
    if (this.#place !== null && limit <= FEW_LEVELS) {
      const width = WIDEST_LOOK - 1
      const worst = side === 'BID' ? this.bestBidPrice - width : this.bestAskPrice + width
      if (this.copyLevels(side, limit, prices, quantities, worst) === limit) return limit
    }
    return this.levels().copyLevels(side, limit, prices, quantities)
  }

  /** The place, where looking back has not become dearer than a book; null: the book has its levels now. */
  #placeToLookAt(): TrackedPlace | null {
    this.#questions++
    const place = this.#place
    if (place === null) return null
    const { batch } = place
    const isOther = batch.priceScale !== this.priceScale || batch.quantityScale !== this.quantityScale
    if (!isOther && !this.#lookback.isTooDear) return place
    if (!isOther) this.#tooMany = Math.min(this.#tooMany, this.#questions)
    this.#catchUp()
    return null
  }

  #bestOf(column: number): number {
    this.#settleBest()
    return this.#best[column] as number
  }

  /** Takes the changes of best levels of the lines passed. */
  #settleBest(): void {
    const place = this.#place
    if (place === null || place.seen >= place.event) return
    const { marks } = place.track
    const { event } = place
    let { change } = place
    // Of each side the last change counts.
    let [bidAt, askAt] = [-1, -1]
    for (let i = place.seen; i < event; i++) {
      const mark = marks[i] as number
      if ((mark & BID_CHANGED) !== 0) bidAt = change++
      if ((mark & ASK_CHANGED) !== 0) askAt = change++
    }
    place.seen = event
    place.change = change
    if (bidAt >= 0) this.#take(place, 0, bidAt)
    if (askAt >= 0) this.#take(place, 2, askAt)
  }

  #take({ track }: TrackedPlace, side: number, at: number): void {
    // The batch may have been brought to more digits since its line was passed; the book has not.
    this.#best[side] = (track.prices[at] as number) * factorBetween(track.priceScale, this.priceScale)
    this.#best[side + 1] = (track.quantities[at] as number) * factorBetween(track.quantityScale, this.quantityScale)
  }

  /** True where levels are those of the book at hand. */
  #isBook({ priceScale, quantityScale, bidCount, askCount, prices, quantities }: TrackLevels): boolean {
    const book = this.#book
    if (bidCount !== book.bidLevelCount || askCount !== book.askLevelCount) return false
    const isSame = (side: Side, from: number, count: number): boolean => {
      const [priceFactor, quantityFactor] = [
        factorBetween(priceScale, book.priceScale), factorBetween(quantityScale, book.quantityScale),
      ]
      const [ownPrices, ownQuantities] = [new Float64Array(count), new Float64Array(count)]
      book.copyLevels(side, count, ownPrices, ownQuantities)
      for (let i = 0; i < count; i++) {
        if (
          ownPrices[i] !== (prices[from + i] as number) * priceFactor ||
          ownQuantities[i] !== (quantities[from + i] as number) * quantityFactor
        )
          return false
      }
      return true
    }
    if (bidCount + askCount > 0 && (priceScale > book.priceScale || quantityScale > book.quantityScale)) return false
    return isSame('BID', 0, bidCount) && isSame('ASK', bidCount, askCount)
  }

  /** From here on best levels alone are kept: what is known of others would only have to be brought to other scales. */
  #dropLevels(): void {
    const book = this.#book
    const { priceScale, quantityScale, suspect } = book
    this.#best.set([book.bestBidPrice, book.bestBidQuantity, book.bestAskPrice, book.bestAskQuantity])
    book.restore({ priceScale, quantityScale, suspect, bids: NO_LEVELS, asks: NO_LEVELS })
  }

  /** Brings all levels in, where only the best ones are known. */
  #catchUp(): void {
    const place = this.#place
    if (place === null) return
    this.#place = null
    const book = this.#book
    const { suspect, priceScale, quantityScale } = book
    const { batch, track: { before }, event } = place
    const { bidCount } = before
    const [prices, quantities] = [Array.from(before.prices), Array.from(before.quantities)]
    book.restore({
      priceScale: before.priceScale, quantityScale: before.quantityScale, suspect,
      bids: { prices: prices.slice(0, bidCount), quantities: quantities.slice(0, bidCount) },
      asks: { prices: prices.slice(bidCount), quantities: quantities.slice(bidCount) },
    })
    for (let i = 0; i < event; i++) if ((batch.kind[i] as number) <= UPDATE) book.apply(batch, i)
    if (book.priceScale !== priceScale || book.quantityScale !== quantityScale)
      book.rescale({ instrument: batch.instrument, priceScale, quantityScale })
    book.suspect = suspect
  }
}
