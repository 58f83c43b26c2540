import { trackBlock } from '../model/book-track.js'
import { giveBackBatch, keepBatch } from '../model/batch-loan.js'
import { copyBatch, copyByteLength, type WritableBatch } from '../model/event-batch-columns.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { factorBetween } from '../model/scale-factor.js'
import { NS_PER_DAY } from '../model/time.js'

/** The greatest scales that a pass has met of an instrument: they only grow. */
export interface ReplayScales {
  price: number
  quantity: number
}

/** Most blocks of memory that wait to be used again. */
const SPARE_LIMIT = 8

/** Memory of batches that have been given back, for those that come. */
export class BatchMemory {
  readonly #spare: ArrayBufferLike[] = []

  /** The batch itself where its reader lends it, else a copy. */
  take(batch: EventBatch): WritableBatch {
    return keepBatch(batch) ? { ...batch } : this.copy(batch)
  }

  copy(batch: EventBatch): WritableBatch {
    const needed = copyByteLength(batch)
    const at = this.#spare.findIndex(({ byteLength }) => byteLength >= needed)
    // A little more than needed, so that the next batch of the same day fits as well.
    const buffer = at < 0 ? new ArrayBuffer(needed + (needed >> 2)) : (this.#spare.splice(at, 1)[0] as ArrayBufferLike)
    // A track of what lay there before is none of this batch.
    trackBlock(buffer, 0, null)
    return copyBatch(batch, { buffer })
  }

  repayUnused(batch: EventBatch): void {
    if (giveBackBatch(batch)) return
    if (this.#spare.length < SPARE_LIMIT) this.#spare.push(batch.kind.buffer)
  }
}

/**
 * A batch that belongs to the pass: times counted from the run's first midnight, prices and quantities at scales that
 * never shrink within the pass. Done once a batch; nothing is rebased later.
 */
export function ownedBatch(
  batch: EventBatch, runEpochDay: number, scales: ReplayScales, memory: BatchMemory,
): EventBatch {
  const copy = memory.take(batch)
  shiftTimes(copy, (batch.epochDay - runEpochDay) * NS_PER_DAY)
  copy.epochDay = runEpochDay
  scales.price = Math.max(scales.price, batch.priceScale)
  scales.quantity = Math.max(scales.quantity, batch.quantityScale)
  widenBatch(copy, { priceScale: scales.price, quantityScale: scales.quantity })
  return copy
}

/** Brings an owned batch to wider scales, in place and exactly. */
export function widenBatch(
  batch: EventBatch, { priceScale, quantityScale }: Pick<EventBatch, 'priceScale' | 'quantityScale'>,
): void {
  const own = batch as WritableBatch
  rescale(own.price, priceScale - own.priceScale, own)
  rescale(own.quantity, quantityScale - own.quantityScale, own)
  own.priceScale = Math.max(own.priceScale, priceScale)
  own.quantityScale = Math.max(own.quantityScale, quantityScale)
}

function shiftTimes(batch: WritableBatch, shiftNs: number): void {
  if (shiftNs === 0) return
  for (const times of [batch.adapterTimeNs, batch.exchangeTimeNs, batch.rowTimeNs]) {
    for (let i = 0; i < times.length; i++) times[i] = (times[i] as number) + shiftNs
  }
  for (let i = 0; i < batch.count; i++) {
    const at = (batch.valueStart[i] as number) + 1
    if (batch.kind[i] === EVENT_KINDS.funding && batch.valueScale[at] === 0)
      batch.values[at] = (batch.values[at] as number) + shiftNs
  }
}

function rescale(column: Float64Array, digits: number, batch: EventBatch): void {
  if (digits <= 0) return
  const factor = factorBetween(0, digits)
  for (let i = 0; i < column.length; i++) {
    const value = (column[i] as number) * factor
    if (!Number.isSafeInteger(value)) {
      throw new BacktapeError(
        'VALUE_INEXACT', `Cannot bring ${batch.instrument.code} to ${digits} more digits: ${value} is beyond 2^53`,
        { field: 'price', found: String(value) },
      )
    }
    column[i] = value
  }
}
