import type { ExchangeTop, TouchBook } from '../exchange/market/touch-book.js'
import type { PlacedLevels } from '../exchange/market/exchange-book.js'
import type { EventBatch } from '../model/event-batch.js'
import type { InstrumentFeed } from '../replay/instrument-feed.js'
import { ReceivedMarket } from './received-market.js'

/**
 * The local-time view of one instrument, shared by all clients of a pass: every line received so far, applied when
 * somebody reads. What nobody reads costs one pass over its lines when its batch is given back, and nothing before.
 */
export class ClientMarket extends ReceivedMarket {
  #batchNumber = 0
  #index = 0
  #isEntered = false

  constructor(private readonly feed: InstrumentFeed, exchangeTop: ExchangeTop) {
    super(exchangeTop)
  }

  /** The books with every line received so far. */
  override received(): TouchBook {
    const { localBatchNumber, localIndex, localBatch: batch } = this.feed
    if (this.#batchNumber < localBatchNumber) this.#catchUpTo(localBatchNumber)
    if (batch !== null && this.#index < localIndex) {
      if (!this.#isEntered) this.#enter(batch)
      this.take(batch, this.#index, localIndex)
      this.#index = localIndex
    }
    return this.taken
  }

  /**
   * The levels received so far, and the first line that is not in them: what the exchange side brings its own book up
   * from.
   */
  levels(): PlacedLevels {
    const { localBatchNumber, localIndex } = this.feed
    return { state: this.received().book.state(), batchNumber: localBatchNumber, event: localIndex }
  }

  /**
   * Applies everything before a batch that has been received whole: to be called before those batches are given back.
   */
  #catchUpTo(batchNumber: number): void {
    const { order } = this.feed
    while (this.#batchNumber < batchNumber) {
      const batch = order.batches[this.#batchNumber - order.firstBatch]
      if (batch !== undefined) {
        if (!this.#isEntered) this.#enter(batch)
        this.take(batch, this.#index, batch.count)
      }
      this.#batchNumber++
      this.#index = 0
      // At once: the batch before is needed where the next one does not follow it.
      this.#enter(order.batches[this.#batchNumber - order.firstBatch] ?? null)
    }
  }

  #enter(batch: EventBatch | null): void {
    // One that is not in hand yet is entered with its first line.
    this.#isEntered = batch !== null
    this.taken.depth.enter(batch)
  }
}
