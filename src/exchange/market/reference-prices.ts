import type { EventBatch } from '../../model/event-batch.js'
import type { TriggerReference } from '../profile/venue-profile.js'

/** A value with its scale; NaN where it is not known yet. */
export interface ReferencePrice {
  readonly value: number
  readonly scale: number
}

/** The prices of a market beside its book, as they were published last: integers at their own scales, NaN before. */
export class ReferencePrices {
  markPrice: number = NaN
  markScale = 0
  indexPrice: number = NaN
  indexScale = 0
  lastTradePrice: number = NaN
  lastTradeScale = 0

  /** A price by which stop orders trigger, as it stands; NaN before its first. */
  readonly of: (reference: TriggerReference) => ReferencePrice = (reference) => {
    if (reference === 'lastTrade') return { value: this.lastTradePrice, scale: this.lastTradeScale }
    return reference === 'mark'
      ? { value: this.markPrice, scale: this.markScale }
      : { value: this.indexPrice, scale: this.indexScale }
  }

  /** A mark price, the value of a line. */
  marked(batch: EventBatch, index: number): void {
    const at = batch.valueStart[index] as number
    this.markPrice = batch.values[at] as number
    this.markScale = batch.valueScale[at] as number
  }

  /** An index price, the value of a line. */
  indexed(batch: EventBatch, index: number): void {
    const at = batch.valueStart[index] as number
    this.indexPrice = batch.values[at] as number
    this.indexScale = batch.valueScale[at] as number
  }

  traded(batch: EventBatch, row: number): void {
    this.lastTradePrice = batch.price[row] as number
    this.lastTradeScale = batch.priceScale
  }
}
