import type { TermChange } from '../lines/term-changes.js'

/** The findings where the files of two days meet. Counts are final once the batches have ended. */
export interface SeamReport {
  /** Names of the two files. */
  readonly earlier: string
  /** Name of the later file. */
  readonly later: string
  /** `YYYY-MM-DD` of the later file. */
  readonly day: string
  /** Days between the two that no file covers: `YYYY-MM-DD`. */
  readonly missingDays: readonly string[]
  /** The time for which both recordings run, in nanoseconds; 0 where they do not. */
  readonly overlapNs: number
  /** Events that both files place on their own side of midnight: delivered once. */
  readonly duplicateCount: number
  /** Events that either file places on the other's side of midnight: delivered nevertheless, from the later file. */
  readonly recoveredCount: number
  /**
   * Delivered events within a minute of midnight that nothing identifies: each may be there twice or stand for a lost
   * one.
   */
  readonly uncertainCount: number
  /**
   * Prices that differ between the two books where the later took over; null where they were equal and no snapshot was
   * put in.
   */
  readonly differingLevelCount: number | null
  /**
   * True where the later file had no book at midnight: the earlier book stays until the later file's first snapshot.
   */
  readonly hasNoBook: boolean
  /** The terms of the instrument that the two files state differently (exchange rules 1.7). */
  readonly masterDifferences: readonly TermChange[]
}

/** Events of the margins that no part of the stream delivers. */
export interface LeftOutEvents {
  /** Before the 00:00 at which a file begins to count: of the first file, and of each that follows a missing day. */
  readonly before: number
  /** From the 24:00 on at which it ends to count: of the last file, and of each before a missing day. */
  readonly after: number
}

/** The findings of stitching so far; final once the batches have ended. */
export interface StitchReport {
  /** `before` is final with the first batch, `after` with the last one. */
  readonly leftOut: LeftOutEvents
  /**
   * `made`: the stream begins with a snapshot (flag SEAM) that stands for no line, at 00:00. Final with the first
   * batch.
   */
  readonly openingSnapshot: 'made' | 'none'
  /** True where the book of the made snapshot was suspect at 00:00. */
  readonly isOpeningSuspect: boolean
  /** Files in order of their days. */
  readonly files: readonly string[]
  /** `YYYY-MM-DD` of each file. */
  readonly days: readonly string[]
  /** Events delivered, snapshots that were put in included. */
  readonly eventCount: number
  /** One per pair of neighbouring files. */
  readonly seams: readonly SeamReport[]
}

/** A {@link SeamReport} in the making. */
export type OpenSeam = { -readonly [K in keyof SeamReport]: SeamReport[K] }
