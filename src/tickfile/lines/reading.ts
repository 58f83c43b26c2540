import type { ErrorCode, ErrorPlace } from '../../model/error.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { Instrument, Underlying } from '../../model/instrument.js'
import type { StopSignal } from '../../model/stop-signal.js'

/** How a tick file is read. */
export interface ReadOptions {
  /** `YYYY-MM-DD`; overrules the date in the file's name. */
  readonly day?: string
  /** `stop` (default): the first bad line ends the reading with its error. `count`: bad lines are skipped, counted and kept with their places. */
  readonly onDamage?: 'stop' | 'count' | 'skip'
  /** Which zstd decoder; `auto` (default) takes the fastest that the running Node has. */
  readonly zstd?: 'auto' | 'native' | 'wasm' | 'fzstd'
  /** Which line decoder; `auto` (default) is WASM. Both give the same columns. */
  readonly lines?: 'auto' | 'wasm' | 'javascript'
  /** Longest line accepted, in bytes; default 16 MiB. */
  readonly lineLimitBytes?: number
  /** Largest zstd window accepted, in bytes; default 128 MiB. */
  readonly windowLimitBytes?: number
  /** Stops the reading, wherever it stands: what is under way then throws STOPPED. */
  readonly signal?: StopSignal
}

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
   * The events in file order. May be called once. The batch object and its columns are reused by this
   * reading and, once it has ended, by later ones: copy what must outlive the step of the loop. Returning early closes the source.
   */
  batches(): AsyncIterableIterator<EventBatch>
  /** Stops the worker and closes the source; harmless after the end. */
  close(): Promise<void>
}
