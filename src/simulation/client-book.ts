import { TouchBook, type ExchangeTop } from '../exchange/market/touch-book.js'
import { bookTrackOf, TRACK_MARKS, type BookTrack, type TrackLevels } from '../model/book-track.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { factorBetween } from '../model/scale-factor.js'
import type { Side } from '../model/side.js'

const { snapshot: SNAPSHOT, update: UPDATE, trades: TRADES, topOfBook: TOP } = EVENT_KINDS
const { BID_CHANGED, ASK_CHANGED, BID_ROWS, ASK_ROWS } = TRACK_MARKS
const { CHAIN_GAP } = EVENT_FLAGS
const NO_LEVELS = { prices: [], quantities: [] }

/** A batch whose lines are passed by its track, and how far. */
interface TrackedPlace {
  readonly batch: EventBatch
  readonly track: BookTrack
  /** Lines before this one have been passed, and changes of best levels before that one been taken. */
  event: number
  change: number
}

/**
 * The books of one instrument as received; they take the lines of its batches in their order. Where a batch comes with
 * the track of its book, lines are passed by it: best levels, suspicion and scales are always as they should be, and
 * rows are applied when somebody reads levels, to the book that stood before the batch. A track is followed only where
 * it holds: from a book that is the one at hand level by level, or behind the track before it.
 */
export class ClientBook {
  readonly #shown: TouchBook
  /** Best levels of depth while there is a place: bid price and quantity, ask price and quantity. */
  readonly #best = Float64Array.of(NaN, 0, NaN, 0)
  #place: TrackedPlace | null = null
  /** True where levels were asked for since the batch in turn began: who reads them once reads them again. */
  #isRead = false

  constructor(exchangeTop: ExchangeTop) {
    this.#shown = new TouchBook(exchangeTop)
  }

  get suspect(): boolean {
    return this.#shown.book.suspect
  }
  get priceScale(): number {
    return this.#shown.book.priceScale
  }
  get quantityScale(): number {
    return this.#shown.book.quantityScale
  }
  get depthBidPrice(): number {
    return this.#place === null ? this.#shown.book.bestBidPrice : (this.#best[0] as number)
  }
  get depthBidQuantity(): number {
    return this.#place === null ? this.#shown.book.bestBidQuantity : (this.#best[1] as number)
  }
  get depthAskPrice(): number {
    return this.#place === null ? this.#shown.book.bestAskPrice : (this.#best[2] as number)
  }
  get depthAskQuantity(): number {
    return this.#place === null ? this.#shown.book.bestAskQuantity : (this.#best[3] as number)
  }

  get bestBidPrice(): number {
    return this.#shown.top.isBidNewer ? this.#shown.top.bidPrice : this.depthBidPrice
  }
  get bestBidQuantity(): number {
    return this.#shown.top.isBidNewer ? this.#shown.top.bidQuantity : this.depthBidQuantity
  }
  get bestAskPrice(): number {
    return this.#shown.top.isAskNewer ? this.#shown.top.askPrice : this.depthAskPrice
  }
  get bestAskQuantity(): number {
    return this.#shown.top.isAskNewer ? this.#shown.top.askQuantity : this.depthAskQuantity
  }

  /**
   * Writes best bid price and quantity, best ask price and quantity (depth or top of book, what is newer), then both
   * scales; whether any of the four is another value.
   */
  copyTop(target: Float64Array): boolean {
    const { top, book } = this.#shown
    if (target[4] !== book.priceScale || target[5] !== book.quantityScale) rescaleTop(target, book)
    const bidPrice = top.isBidNewer ? top.bidPrice : this.depthBidPrice
    const bidQuantity = top.isBidNewer ? top.bidQuantity : this.depthBidQuantity
    const askPrice = top.isAskNewer ? top.askPrice : this.depthAskPrice
    const askQuantity = top.isAskNewer ? top.askQuantity : this.depthAskQuantity
    const isSame =
      same(bidPrice, target[0] as number) &&
      same(bidQuantity, target[1] as number) &&
      same(askPrice, target[2] as number) &&
      same(askQuantity, target[3] as number)
    if (isSame) return false
    target[0] = bidPrice
    target[1] = bidQuantity
    target[2] = askPrice
    target[3] = askQuantity
    return true
  }

  /** The books with all their levels. */
  levels(): TouchBook {
    this.#isRead = true
    this.#catchUp()
    return this.#shown
  }

  /**
   * The batch whose lines come next, from its first one on; null where it is not in hand. The one before must still be.
   */
  enter(batch: EventBatch | null): void {
    const track = batch === null ? null : bookTrackOf(batch)
    const [place, isRead] = [this.#place, this.#isRead]
    this.#isRead = false
    const follows = track !== null && track.chain === place?.track.chain && track.number === place.track.number + 1
    if (!follows) this.#catchUp()
    if (batch === null || track === null || (!follows && (isRead || !this.#isBook(track.before)))) return
    if (!follows) this.#dropLevels()
    this.#place = { batch, track, event: 0, change: 0 }
  }

  /** Takes a line of the batch in turn: kinds 0, 1, 5 and 6; every other kind is ignored. */
  apply(batch: EventBatch, index: number): void {
    const place = this.#place
    if (place === null) {
      this.#shown.apply(batch, index)
      return
    }
    const kind = batch.kind[index] as number
    if (kind === TRADES) return
    const { book } = this.#shown
    if (batch.priceScale !== book.priceScale || batch.quantityScale !== book.quantityScale) {
      // Every level has to fit the other digits, or the file is refused.
      this.#catchUp()
      this.#shown.apply(batch, index)
    } else if (kind === TOP) this.#shown.takeTop(batch, index)
    else if (kind <= UPDATE) this.#pass(place, index, kind)
    else this.#shown.apply(batch, index, 'pass')
  }

  #pass(place: TrackedPlace, index: number, kind: number): void {
    const { batch, track } = place
    const { top } = this.#shown
    const marks = track.marks[index] as number
    place.event = index + 1
    if ((marks & BID_CHANGED) !== 0) this.#take(place, 0)
    if ((marks & ASK_CHANGED) !== 0) this.#take(place, 2)
    if (kind === SNAPSHOT || ((batch.flags[index] as number) & CHAIN_GAP) !== 0) this.#shown.apply(batch, index, 'pass')
    else {
      if ((marks & BID_ROWS) !== 0) top.isBidNewer = false
      if ((marks & ASK_ROWS) !== 0) top.isAskNewer = false
    }
  }

  #take(place: TrackedPlace, side: number): void {
    const { batch, track } = place
    const at = place.change++
    this.#best[side] = (track.prices[at] as number) * factorBetween(track.priceScale, batch.priceScale)
    this.#best[side + 1] = (track.quantities[at] as number) * factorBetween(track.quantityScale, batch.quantityScale)
  }

  /** True where levels are those of the book at hand. */
  #isBook({ priceScale, quantityScale, bidCount, askCount, prices, quantities }: TrackLevels): boolean {
    const { book } = this.#shown
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
    const { book } = this.#shown
    const { priceScale, quantityScale, suspect } = book
    this.#best.set([book.bestBidPrice, book.bestBidQuantity, book.bestAskPrice, book.bestAskQuantity])
    book.restore({ priceScale, quantityScale, suspect, bids: NO_LEVELS, asks: NO_LEVELS })
  }

  /** Brings all levels in, where only the best ones are known. */
  #catchUp(): void {
    const place = this.#place
    if (place === null) return
    this.#place = null
    const { book } = this.#shown
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

function same(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

/**
 * Brings best prices and quantities in the columns of {@link ClientBook.copyTop} to other scales, at which they are the
 * same values.
 */
function rescaleTop(
  target: Float64Array, { priceScale, quantityScale }: { readonly priceScale: number; readonly quantityScale: number },
): void {
  const price = factorBetween(target[4] as number, priceScale)
  const quantity = factorBetween(target[5] as number, quantityScale)
  target[0] = (target[0] as number) * price
  target[2] = (target[2] as number) * price
  target[1] = (target[1] as number) * quantity
  target[3] = (target[3] as number) * quantity
  target[4] = priceScale
  target[5] = quantityScale
}
