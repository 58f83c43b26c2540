import type { TableShape } from '../export/export-kind.js'
import type { TableKind } from './table-kind.js'

/**
 * The state of a file: while it is the same, what was read of the file is not read again. Programs can set the time of
 * modification, so that of the change of the file's entry, which they cannot, and its number belong to it.
 */
export interface FileStamp {
  /** Absolute path. */
  readonly path: string
  readonly sizeBytes: number
  /** Time of the last modification of its bytes, nanoseconds in digits. */
  readonly mtimeNs: string
  /** Time of the last change of its bytes or its entry, nanoseconds in digits. */
  readonly ctimeNs: string
  /** Number of the file in its file system, in digits. */
  readonly inode: string
}

/** An instrument as far as files name it. */
export interface CatalogInstrument {
  /** Null where no file states it. */
  readonly id: number | null
  /** `exchange:code`; the id in digits where no file states more. */
  readonly name: string
}

/** An instrument as line 1 of a tick file states it. */
export interface TickInstrument extends CatalogInstrument {
  readonly id: number
  readonly shape: TableShape
  readonly exchangeCode: string
  readonly code: string
  /** The class: `prediction` for a perpetual that expires (spec 4, section 2), else the word of the file. */
  readonly type: string
  /** The state of the market, as recorded. */
  readonly state: string | null
  /** The codes of base and quote asset; null where the file states none. */
  readonly base: string | null
  readonly counter: string | null
}

/** The findings of an audit that a catalog remembers. Times are epoch nanoseconds in digits. */
export interface AuditFacts {
  readonly isSound: boolean
  readonly reasons: readonly string[]
  /** Sentences on times that were not taken as they stand, which are no damage. */
  readonly clockNotes: readonly string[]
  readonly firstNs: string | null
  readonly lastNs: string | null
  /** Of the day, to four decimals; null where the day is unknown. */
  readonly coveragePercent: number | null
  readonly chainGapCount: number
  readonly quietPeriodCount: number
  readonly kinds: readonly TableKind[]
}

/** A tick file, or a member of an archive, that a catalog has found. */
export interface TickFacts {
  /** The name in messages, and the input that reads it: a path, or `bundle.tar#member`. */
  readonly name: string
  readonly fileName: string
  readonly sizeBytes: number
  /**
   * The byte of the file on the disk that its bytes begin at: 0 for a file of its own, more for one that lies in a tar,
   * or stored in a zip. Null where they are packed: no stretch of a file is them.
   */
  readonly fromByte: number | null
  readonly instrument: TickInstrument
  /** `YYYY-MM-DD`; null where the name does not say it. */
  readonly day: string | null
}

/** A converted table that a catalog has found. */
export interface TableFacts {
  readonly kind: TableKind
  /** The name of its source without the ending. */
  readonly base: string
  /** Null where neither metadata nor name state one. */
  readonly instrument: CatalogInstrument | null
  readonly day: string | null
  /** Null where the metadata do not say it. */
  readonly margins: 'trim' | 'keep' | null
  /** False where decimals are the nearest doubles. */
  readonly isExact: boolean
  readonly shape: TableShape
  readonly rowCount: number
  /** Least and greatest time by the statistics of the file, epoch nanoseconds in digits. */
  readonly firstNs: string | null
  readonly lastNs: string | null
}

/** The contents of one file on the disk. */
export interface FileFacts {
  readonly stamp: FileStamp
  readonly ticks: readonly TickFacts[]
  /** Null for a file that is no table. */
  readonly table: TableFacts | null
  /** The reason why the file, or a part of it, cannot be read; null for a sound one. */
  readonly problem: string | null
}

/** One text for one state of a file. */
export function stampKey({ path, sizeBytes, mtimeNs, ctimeNs, inode }: FileStamp): string {
  return `${path}\n${String(sizeBytes)} ${mtimeNs} ${ctimeNs} ${inode}`
}
