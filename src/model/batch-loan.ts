import type { EventBatch } from './event-batch.js'

/** Whose memory batches lie in: a reader that uses its blocks again, unless somebody keeps one. */
export interface BlockLender {
  /** The block will not be written before it is given back. */
  keep(block: ArrayBufferLike): void
  /** The block may be written again. */
  repayUnused(block: ArrayBufferLike): void
}

interface Loan {
  readonly lender: BlockLender
  readonly eventCount: number
}

const loans = new WeakMap<ArrayBufferLike, Loan>()

/** Says that the batch of `eventCount` events which fills a block can be kept without a copy. */
export function lendBlock(block: ArrayBufferLike, eventCount: number, lender: BlockLender): void {
  loans.set(block, { lender, eventCount })
}

/**
 * Takes a batch over from its reader without a copy: its columns are the caller's, to be written as well, until {@link
 * giveBackBatch}. False where it cannot be had: the reader lends nothing, or the batch is a part of what it read and
 * others may look at the same columns. To be called before the reader is asked for its next batch.
 */
export function keepBatch(batch: EventBatch): boolean {
  const loan = loans.get(batch.kind.buffer)
  if (loan?.eventCount !== batch.count) return false
  loan.lender.keep(batch.kind.buffer)
  return true
}

/** Gives the memory of a kept batch back; false where it was not lent. */
export function giveBackBatch({ kind }: EventBatch): boolean {
  const loan = loans.get(kind.buffer)
  loan?.lender.repayUnused(kind.buffer)
  return loan !== undefined
}
