/** Takes whole lines, without their line ends. */
export interface LineSink {
  /** Takes the next line, without its line end. */
  write(line: string): void
}

/** A journal that is being written, as a sink of segments sees it. */
export interface OpenJournal {
  /** Lines so far. */
  readonly lineCount: number
  /** Digest of everything so far; 64 hex digits. */
  digest(): string
  /** The bytes of the segment that is not closed yet; null where it has no line. */
  openSegment(): Uint8Array | null
}

/** Takes whole segments of a journal, as records. */
export interface SegmentSink {
  /** Called once, before the first line: what is not closed when the run ends is asked of the journal. */
  open(journal: OpenJournal): void
  /** Takes the bytes of the next closed segment. */
  writeSegment(bytes: Uint8Array): void
}

/** Takes a journal, as text line by line or as records segment by segment. */
export type JournalSink = LineSink | SegmentSink
