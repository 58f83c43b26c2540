import type { Closing } from '../model/closing.js'
import { minutesMetadata } from '../export/minutes-metadata.js'
import { minuteTable, type MinuteColumnOptions } from '../export/minutes-table.js'
import type { MinuteOptions } from '../measures/minutes.js'
import type { Table } from '../tables/table.js'
import { OrderBook } from '../book/order-book.js'
import { brand } from '../model/brand.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import type { EventKind } from '../model/event-kind.js'
import type { TickEvent } from '../model/events.js'
import { checkOptionNames, type OptionNames } from '../model/option-names.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { showAs } from '../model/display.js'
import { refuseNoSignal } from '../model/stop-signal.js'
import { dayText } from '../model/time.js'
import { openSource } from '../tickfile/archive/source-reader.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { Reading, ReadingSummary } from '../tickfile/lines/reading.js'
import type { TickInput, TickSource } from '../tickfile/archive/tick-source.js'
import { readBookAt } from './book-at.js'
import { readBookTable, type RowLimit } from './book-table.js'
import { DayBook, type DayBookOptions } from './day-book.js'
import { shownDay } from './day-display.js'
import { readDepthTable, type DepthOptions } from './depth-table.js'
import type { ExportKind } from '../export/export-kind.js'
import { readEventTable, type EventTableOptions } from './event-table.js'
import { readMinutes } from './minutes-reader.js'
import { EventIterator, kindsOf } from './event-reader.js'
import { eventStreams, type EventOptions } from './event-stream.js'
import { sampledTimes, type BookGridOptions } from './sampled-books.js'
import { epochNsFromInput, type TimeInput } from './time-input.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'
import type { DataInput } from '../tickfile/data-input.js'

const BOOK_TABLE_NAMES: OptionNames<BookGridOptions & RowLimit> = {
  everyMs: true, from: true, to: true, levels: true, margins: true, maxRows: true,
}

/**
 * One tick file, opened: what its first line says at once, everything else on demand. Files, bundle members and bytes
 * may be read as often as one likes; a stream (standard input, an async iterable) gives its events once, and a second
 * reading is refused.
 */
export class TickDay implements Closing {
  /** As the user named it. */
  readonly name: string
  /** Name of the file or archive member, without its folder. */
  readonly fileName: string
  /** Master data of the instrument, from the first line of the file. */
  readonly instrument: Instrument
  /** The assets that the instrument refers to. */
  readonly underlyings: readonly Underlying[]
  /** `2024-08-08`: the `day` option, else the date in the name, else null. */
  readonly day: string | null
  /** The same as days since 1970-01-01. */
  readonly epochDay: number | null
  /** The reading that said the master data; kept only where the source cannot be opened again. */
  private first: Reading | null
  private readonly open = new Set<Reading>()
  private lastSummary: ReadingSummary

  /** Use {@link openTickFile}. */
  constructor(private readonly source: TickSource, private readonly options: ReadOptions, reading: Reading) {
    this.first = reading
    this.name = reading.name
    this.fileName = reading.fileName
    this.instrument = reading.instrument
    this.underlyings = reading.underlyings
    this.epochDay = reading.day
    this.day = reading.day === null ? null : dayText(reading.day)
    this.lastSummary = reading.summary
  }

  /** False for a stream (standard input, an async iterable): it gives its events once. */
  get isRepeatable(): boolean {
    return this.source.repeatable
  }

  /** The summary of the newest reading so far: counts, unknown types, damage. */
  get summary(): ReadingSummary {
    return this.lastSummary
  }

  /**
   * The events as columns, up to 16,384 a batch, in file order. The batch and its columns are reused: copy what must
   * outlive the next one. Leaving the loop closes the file. Throws OPTION_INVALID on the second reading of a stream.
   */
  async *batches(): AsyncGenerator<EventBatch, void, undefined> {
    const reading = await this.reading()
    this.open.add(reading)
    try {
      yield* reading.batches()
    } finally {
      this.open.delete(reading)
      await reading.close()
    }
  }

  /** The events as typed objects, without the margins where the day is known; see {@link readEvents}. */
  events<K extends EventKind = EventKind>(
    options: EventOptions<K> = {},
  ): AsyncIterableIterator<Extract<TickEvent, { kind: K }>> {
    return readEvents(this, options)
  }

  /**
   * The book as it stands after every event up to and including `time` on the adapter clock. Before the first snapshot
   * it is empty and suspect; after the end it is the last one.
   */
  async bookAt(time: TimeInput, options: DayBookOptions = {}): Promise<DayBook> {
    return (await readBookAt(this, this.epochNs(time), options)).book
  }

  /**
   * Books on a grid of `everyMs`, each as {@link TickDay.bookAt} would give it, in one pass. Each is the caller's own.
   * Where the day is known, only its times (`margins`).
   */
  async *books(options: BookGridOptions): AsyncGenerator<DayBook, void, undefined> {
    const book = new OrderBook()
    for await (const timeNs of sampledTimes(this, book, options)) yield new DayBook(book, timeNs, options)
  }

  /**
   * The same books as a table, as `backtape book --every` writes it: one row a level, level 1 the best (`ts`,
   * `suspect`, `level`, `bid_price`, `bid_qty`, `ask_price`, `ask_qty`), nulls where a side has fewer. Throws
   * LIMIT_EXCEEDED for more than `maxRows` rows (default 5,000,000), OPTION_INVALID for a name that is no option.
   */
  async bookTable(options: BookGridOptions & RowLimit): Promise<Table> {
    checkOptionNames('make a table of books', options, BOOK_TABLE_NAMES)
    return readBookTable(this, options)
  }

  /**
   * Depth near the mid on a grid of `everyMs`, from the whole book: the columns of `bookDepth` of `backtape/measures`,
   * which takes the levels of a table. Rows beyond `maxRows` as in {@link TickDay.bookTable}; throws OPTION_INVALID for
   * limits that are not above 0 and below 10,000, and for a name that is no option.
   *
   * @example
   * ```ts
   * import { openTickFile } from 'backtape'
   * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
   * const depth = await day.depth([5, 25], { everyMs: 10_000 })
   * console.log(depth.rows.at(-1)?.bid_qty_25bp)
   * ```
   */
  async depth(basisPoints: readonly number[], options: DepthOptions): Promise<Table> {
    return readDepthTable(this, basisPoints, options)
  }

  /**
   * Minute statistics: the 22 columns of the shop, computed exactly from ticks. Times are epoch nanoseconds, decimals
   * exact texts, null where a cell is empty. Fills fall into the minute of their venue time; book columns are time
   * averages of the depth book on the adapter clock, without the time in which it was suspect. Where the day is known,
   * only its minutes. Other spans (`{ every: '10s' }`) have the base volume by aggressor too, as `columns: 'all'` gives
   * it of minutes. The metadata name the file, and what was left out as damage. Throws OPTION_INVALID for a span that
   * is none.
   */
  async minutes({ columns, ...options }: MinuteOptions & MinuteColumnOptions = {}): Promise<Table> {
    const statistics = await readMinutes(this, options)
    return minuteTable(statistics, columns, minutesMetadata(this, statistics))
  }

  /**
   * Every event of one kind as a table: the columns and rows that `convert` writes of this file. Times are epoch
   * nanoseconds, decimals exact texts; with `numbers: 'float64'` they are the nearest doubles, and
   * `table.numbers('price')` is a typed array. `depth` holds the lines of the span, not the book at its begin: that is
   * {@link TickDay.bookAt}. Throws LIMIT_EXCEEDED for more than `maxRows` rows, OPTION_INVALID for a word that is no
   * kind or option, and what reading throws.
   *
   * @example
   * ```ts
   * import { openTickFile } from 'backtape'
   * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
   * const trades = await day.table('trades', { from: '12:00', to: '12:05' })
   * console.log(trades.rowCount, trades.rows[0]?.price, trades.timesNs('ts')[0])
   * ```
   */
  table(kind: ExportKind, options: EventTableOptions = {}): Promise<Table> {
    return readEventTable(this, kind, options)
  }

  /** Epoch nanoseconds of a time; clock times are on this file's day. Throws DAY_UNKNOWN, TIME_INVALID. */
  epochNs(time: TimeInput): bigint {
    return epochNsFromInput(time, this.epochDay)
  }

  /** Ends every reading that is still open. The day may be read again afterwards where its source allows. */
  async close(): Promise<void> {
    const readings = [...this.open, ...(this.first === null ? [] : [this.first])]
    this.open.clear()
    for (const reading of readings) await reading.close()
  }

  /** Closes it where `await using` leaves its block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private async reading(): Promise<Reading> {
    const first = this.first
    this.first = null
    if (first !== null && !this.source.repeatable) return first
    if (!this.source.repeatable) {
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot read ${this.name} twice: a stream gives its events once; save it to a file first`,
        { file: this.name },
      )
    }
    const reading = await readTickFile(this.source, this.options)
    this.lastSummary = reading.summary
    return reading
  }
}

brand(TickDay, 'TickDay')
showAs(TickDay.prototype, shownDay)

/**
 * Opens one tick file and reads its first line. `input` is a path, a bundle's member (`bundle.tar#MEMBER`), `-` for
 * standard input, bytes, a `Blob` or `File`, or an async iterable of bytes. Throws FILE_NOT_FOUND,
 * MASTER_DATA_MALFORMED and the codes of zstd and archives.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * console.log(day.instrument.code, day.day, (await day.bookAt('12:00:00')).bids[0]?.price.toString())
 * ```
 */
export async function openTickFile(input: TickInput | TickSource, options: ReadOptions = {}): Promise<TickDay> {
  const source = isSource(input) ? input : await openSource(input, options)
  const reading = await readTickFile(source, options)
  // A file is opened again for each reading, so that a day which is only looked at holds nothing open.
  if (source.repeatable) await reading.close()
  return new TickDay(source, options, reading)
}

function isSource(input: TickInput | TickSource): input is TickSource {
  // Programs without types pass null too; the reader of sources names what is wrong.
  const given: unknown = input
  return typeof given === 'object' && given !== null && 'repeatable' in given
}

/**
 * The events of days or inputs as typed objects with exact decimals. Each file gives the events of its UTC day alone
 * (margins `trim`), by adapter time on a clock that never steps back; the book of 00:00 comes first as one made
 * snapshot (`made`). Days of one instrument are one stream as in a backtest, whatever their order: an event that two
 * files hold comes once. Instruments follow each other as they were first given; a bundle gives all its members. Files
 * whose day is unknown are read whole, and so are all with margins `keep`.
 *
 * `kinds`, `from` and `to` filter before any object exists; leaving the loop closes the files. An event reads its
 * fields when asked and keeps its batch (up to 16,384 events) alive: take the fields you need rather than keeping many
 * events. Throws as `openTickFile`, and OPTION_INVALID for two files of one instrument and day, or events more than
 * half a day off their file's day.
 *
 * @example
 * ```ts
 * import { readEvents } from 'backtape'
 * const day = 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
 * for await (const event of readEvents(day, { kinds: ['trades'], from: '12:00', to: '12:05' })) {
 *   for (const trade of event.trades) console.log(trade.price.toString(), trade.aggressorSide)
 * }
 * ```
 */
export function readEvents<K extends EventKind = EventKind>(
  input: TickDay | DataInput | readonly (TickDay | DataInput)[],
  options: EventOptions<K> = {},
): AsyncIterableIterator<Extract<TickEvent, { kind: K }>> {
  refuseNoSignal(options.signal, 'read events')
  const kinds = kindsOf(options.kinds)
  const inputs = Array.isArray(input) ? (input as readonly (TickDay | DataInput)[]) : [input as TickDay | DataInput]
  const streams = eventStreams({ inputs, open: (source) => openTickFile(source, options) }, options)
  return new EventIterator(streams, kinds, options.signal) as AsyncIterableIterator<Extract<TickEvent, { kind: K }>>
}
