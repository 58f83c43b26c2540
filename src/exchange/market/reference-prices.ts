import { Amount } from '../../model/amount.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { TriggerReference } from '../../model/order.js'

/** A value with its scale; NaN where it is not known yet. */
export interface ReferencePrice {
  readonly value: number
  readonly scale: number
  /** Its digits where no scaled integer holds them: then `value` is the double next to it, at scale 0. */
  readonly digits?: string | null
}

/** The exact amount of a price that is known. */
export function referenceAmount({ value, scale, digits = null }: ReferencePrice): Amount {
  return digits === null ? Amount.scaled(value, scale) : Amount.from(digits)
}

/** The prices of a market beside its book, as they were published last: integers at their own scales, NaN before. */
export class ReferencePrices {
  markPrice: number = NaN
  markScale = 0
  /** As in {@link ReferencePrice}. */
  markDigits: string | null = null
  indexPrice: number = NaN
  indexScale = 0
  indexDigits: string | null = null
  lastTradePrice: number = NaN
  lastTradeScale = 0

  /** A price by which stop orders trigger, as it stands; NaN before its first. */
  readonly of: (reference: TriggerReference) => ReferencePrice = (reference) => {
    if (reference === 'lastTrade') return { value: this.lastTradePrice, scale: this.lastTradeScale }
    return reference === 'mark' ? this.mark : this.index
  }

  get mark(): ReferencePrice {
    return { value: this.markPrice, scale: this.markScale, digits: this.markDigits }
  }

  get index(): ReferencePrice {
    return { value: this.indexPrice, scale: this.indexScale, digits: this.indexDigits }
  }

  /** A mark price, the value of a line. */
  marked(batch: EventBatch, index: number): void {
    const at = batch.valueStart[index] as number
    this.markPrice = batch.values[at] as number
    this.markDigits = batch.wide?.value.get(at) ?? null
    this.markScale = this.markDigits === null ? (batch.valueScale[at] as number) : 0
  }

  /** An index price, the value of a line. */
  indexed(batch: EventBatch, index: number): void {
    const at = batch.valueStart[index] as number
    this.indexPrice = batch.values[at] as number
    this.indexDigits = batch.wide?.value.get(at) ?? null
    this.indexScale = this.indexDigits === null ? (batch.valueScale[at] as number) : 0
  }

  traded(batch: EventBatch, row: number): void {
    this.lastTradePrice = batch.price[row] as number
    this.lastTradeScale = batch.priceScale
  }
}
