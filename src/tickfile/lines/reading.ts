import type { Closing } from '../../model/closing.js'
import type { ClockJump } from '../../model/clock-words.js'
import type { ReadingCut } from '../../model/damage-words.js'
import type { ErrorCode, ErrorPlace } from '../../model/error.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { Instrument, Underlying } from '../../model/instrument.js'
import { ListCollector, type BoundedList } from './bounded-list.js'

/** One damaged line. */
export interface Damage {
  /** The stable code of the error. */
  readonly code: ErrorCode
  /** The error in a sentence. */
  readonly message: string
  /** File, line and field of the error, as far as they are known. */
  readonly place: ErrorPlace
}

/** The findings of a reading so far; final once `batches` has ended. */
export interface ReadingSummary {
  /** Known events delivered. */
  readonly eventCount: number
  /** Lines read, master data included, blank lines not. */
  readonly lineCount: number
  /** Compressed bytes that were read. */
  readonly compressedBytes: number
  /** Bytes of text that they hold. */
  readonly textBytes: number
  /** Lines by unknown msgType. */
  readonly unknownTypes: ReadonlyMap<number, number>
  /** Number of damaged lines; a cut counts as one. */
  readonly damagedLineCount: number
  /** The first 100 damages. */
  readonly damages: readonly Damage[]
  /** Set where the file is cut and was read up to there (`onDamage: 'skip'`): all that was behind it is missing. */
  readonly cut: ReadingCut | null
  /** Lines that took the adapter time of the line before them, as the recorder's clock had jumped. */
  readonly jumpedLineCount: number
  /** The stretches of those lines. */
  readonly clockJumps: BoundedList<ClockJump>
  /** Exchange, row and funding times more than 104 days from the day of the file: taken as missing. */
  readonly farTimeCount: number
}

/** A summary that is being counted. */
export type CountingSummary = { -readonly [K in keyof ReadingSummary]: ReadingSummary[K] } & {
  readonly unknownTypes: Map<number, number>
  readonly damages: Damage[]
  readonly clockJumps: ListCollector<ClockJump>
}

/** The summary of a reading that has read line 1 and nothing else. */
export function emptySummary(): CountingSummary {
  return {
    eventCount: 0, lineCount: 1, compressedBytes: 0, textBytes: 0, unknownTypes: new Map(), damagedLineCount: 0,
    damages: [], cut: null, jumpedLineCount: 0, clockJumps: new ListCollector<ClockJump>(), farTimeCount: 0,
  }
}

/** An open reading of one tick file: master data at once, events as batches, once. */
export interface Reading extends Closing {
  /** The input as messages name it. */
  readonly name: string
  /** Name of the file or archive member, without its folder. */
  readonly fileName: string
  /** Master data of the instrument. */
  readonly instrument: Instrument
  /** The assets that the instrument refers to. */
  readonly underlyings: readonly Underlying[]
  /** Line 1 as it stands, without its line end. */
  readonly masterDataText: string
  /** Days since 1970-01-01: the `day` option, else the date in the name, else null. */
  readonly day: number | null
  /** Counts so far; live. */
  readonly summary: ReadingSummary
  /**
   * The events in file order. May be called once. The batch object and its columns are reused by this reading and, once
   * it has ended, by later ones: copy what must outlive the step of the loop. Returning early closes the source.
   */
  batches(): AsyncIterableIterator<EventBatch>
  /** Stops the worker and closes the source; harmless after the end. */
  close(): Promise<void>
}
