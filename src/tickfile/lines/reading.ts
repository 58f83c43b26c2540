import type { ErrorCode, ErrorPlace } from '../../model/error.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { Instrument, Underlying } from '../../model/instrument.js'

/** One damaged line. */
export interface Damage {
  readonly code: ErrorCode
  readonly message: string
  readonly place: ErrorPlace
}

/** What a reading has met so far; final once `batches` has ended. */
export interface ReadingSummary {
  /** Known events delivered. */
  readonly eventCount: number
  /** Lines read, master data included, blank lines not. */
  readonly lineCount: number
  readonly compressedBytes: number
  readonly textBytes: number
  /** Lines by unknown msgType. */
  readonly unknownTypes: ReadonlyMap<number, number>
  readonly damagedLineCount: number
  /** The first 100 damages. */
  readonly damages: readonly Damage[]
}

/** An open reading of one tick file: master data at once, events as batches, once. */
export interface Reading {
  readonly name: string
  readonly fileName: string
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
  /** Line 1 as it stands, without its line end. */
  readonly masterDataText: string
  /** Days since 1970-01-01: the `day` option, else the date in the name, else null. */
  readonly day: number | null
  readonly summary: ReadingSummary
  /**
   * The events in file order. May be called once. The batch object and its columns are reused by this reading and, once
   * it has ended, by later ones: copy what must outlive the step of the loop. Returning early closes the source.
   */
  batches(): AsyncIterableIterator<EventBatch>
  /** Stops the worker and closes the source; harmless after the end. */
  close(): Promise<void>
}
