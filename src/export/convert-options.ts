import type { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { Margins } from '../tickfile/days/margins.js'
import type { LeftOutEvents } from '../tickfile/days/stitching-report.js'
import type { ReadingCut } from '../model/damage-words.js'
import type { ExportKind } from './export-kind.js'
import type { NumberForm, TimeForm } from '../tables/table-form.js'
import type { ExportFormat } from '../tables/output-format.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'
import type { SelectionNote } from '../tickfile/data-selection-reader.js'

/** The progress of a conversion. Sizes are compressed bytes of the sources. */
export interface ConvertProgress {
  /** The input that moved, as its messages name it. */
  readonly name: string
  /**
   * `checking` compares with the manifest or reads the result back; `done`, `skipped`, `failed` and `stopped` come once
   * an input.
   */
  readonly phase: 'checking' | 'converting' | 'done' | 'skipped' | 'failed' | 'stopped'
  /** Compressed bytes of this input that were read so far. */
  readonly bytesDone: number
  /** Null where the size of the source is not known. */
  readonly bytesTotal: number | null
  /** Events of this input that were converted so far. */
  readonly eventCount: number
  /** Of an input that is `done`, as its {@link ConvertedInput} has them; else none. */
  readonly clockNotes: readonly string[]
  /** Seconds since this input was begun. */
  readonly elapsedSeconds: number
  /** Seconds that this input still needs at its rate so far; null where unknown. */
  readonly secondsLeft: number | null
}

/** Where and how inputs are converted. */
export interface ConvertOptions {
  /** The folder for the results and the manifest; made when missing. */
  readonly out: string
  /**
   * Default `parquet`; `shop` writes the shop's five: trades, bbo and liquidations as csv.gz, trades and liquidations
   * as Parquet.
   */
  readonly to?: ExportFormat | 'shop'
  /** Which tables; by default all that have rows. A kind that is named here gets a file even without rows. */
  readonly kinds?: readonly ExportKind[]
  /**
   * Times in CSV and JSON: epoch nanoseconds (`ns`, default) or ISO-8601 (`iso`). Parquet and Arrow have timestamps.
   */
  readonly times?: TimeForm
  /**
   * Decimals in Parquet and Arrow: exact (`decimal`, default) or the nearest doubles (`float64`), which the metadata
   * state. Text is always exact.
   */
  readonly numbers?: NumberForm
  /**
   * A `#` line with the metadata above the header of CSV; default: with `shop` alone. Otherwise the manifest has them.
   */
  readonly comment?: boolean
  /** The number of inputs at a time; default 1. */
  readonly jobs?: number
  /**
   * `trim` (default): each table holds the UTC day of its file alone, opened by the book of 00:00 as a made snapshot,
   * and is a function of that file alone. `keep`: the file as it stands; always so where its day is unknown.
   */
  readonly margins?: Margins
  /** Write all again, over whole results and over files that this folder's manifest does not list; default false. */
  readonly force?: boolean
  /** Read every result back and compare row counts and exact column sums with the source; default false. */
  readonly check?: boolean
  /** The options for reading tick files. */
  readonly read?: ReadOptions
  /** Part of the name of the file to take, where two are of one instrument and day; default: both are refused. */
  readonly prefer?: string
  /** Receives a note on what each folder, pattern or instrument matched, and on missing days. */
  readonly onSelection?: (note: SelectionNote) => void
  /** Stops the conversion and removes what is not whole. */
  readonly signal?: StopSignal
  /** Called at most ten times a second per input, and once when an input ends. */
  readonly onProgress?: (progress: ConvertProgress) => void
  /** Called once an input, as it ends; inputs end in any order where `jobs` is above 1. */
  readonly onInput?: (input: ConvertedInput, place: ConvertPlace) => void
}

/** The how manyeth of all inputs has ended. */
export interface ConvertPlace {
  /** From 1, in the order in which they end. */
  readonly number: number
  /** Members of archives counted one by one; null where a stream may hold any number of them. */
  readonly total: number | null
}

/** One file that a conversion wrote, or found whole. */
export interface ConvertedOutput {
  /** The table that the file holds. */
  readonly kind: ExportKind
  /** The format of the file. */
  readonly format: ExportFormat
  /** Path of the file; null for a kind without rows that was not asked for by name. */
  readonly path: string | null
  /** Number of rows in the file. */
  readonly rowCount: number
  /** Size of the file in bytes. */
  readonly sizeBytes: number
  /** `crc32:` and 8 hex digits over the file's bytes. */
  readonly checksum: string
}

/** The outcome for one tick file, or for an input that could not be opened. */
export interface ConvertedInput {
  /** The input as its messages name it. */
  readonly name: string
  /**
   * `skipped`: the manifest, the source and the results agree, nothing was to do. `ignored`: an archive member that is
   * no tick file. `stopped`: the signal came first.
   */
  readonly outcome: 'converted' | 'skipped' | 'ignored' | 'failed' | 'stopped'
  /** The files of this input, one for each table. */
  readonly outputs: readonly ConvertedOutput[]
  /** Events of the file that the tables were made of; a made snapshot is none. */
  readonly eventCount: number
  /** In force: `keep` also where the day of the file is unknown. */
  readonly margins: Margins
  /** `made`: table `depth` begins with the book of 00:00, which stands for no line of the file. */
  readonly openingSnapshot: 'made' | 'none'
  /** Events of the neighbouring days that are in no table. */
  readonly leftOut: LeftOutEvents
  /** Lines that were skipped as damaged (`read.onDamage` `count` or `skip`); a cut counts as one. */
  readonly damagedLineCount: number
  /** Set where the file is cut and was converted up to there (`read.onDamage: 'skip'`): what follows is missing. */
  readonly cut: ReadingCut | null
  /** Sentences on adapter times of a clock jump, which were corrected, and on times of another year, left out. */
  readonly clockNotes: readonly string[]
  /** Why it failed, or STOPPED; null otherwise. */
  readonly error: BacktapeError | null
  /** Why it was ignored; null otherwise. */
  readonly ignoredBecause: string | null
}

/** The outcome of a conversion; inputs in the order in which they were given, members in archive order. */
export interface ConvertResult {
  /** One entry for each tick file or input that could not be opened. */
  readonly inputs: readonly ConvertedInput[]
  /** Number of inputs with the outcome `converted`. */
  readonly convertedCount: number
  /** Number of inputs with the outcome `skipped`. */
  readonly skippedCount: number
  /** Number of inputs with the outcome `failed`. */
  readonly failedCount: number
  /** True where a signal stopped the work before every input was done. */
  readonly stopped: boolean
  /** Path of the manifest in the output folder. */
  readonly manifestPath: string
}
