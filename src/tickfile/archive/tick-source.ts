/** The options for reading a source. */
export interface SourceOptions {
  /**
   * The receiver is done with a chunk when it asks for the next one, so the source may use its memory again; default
   * false.
   */
  readonly reuseChunks?: boolean
  /** The size of chunks that come from a file; default 1 MiB. A wish: other sources give what they have. */
  readonly chunkBytes?: number
}

/**
 * The compressed bytes of one tick file, wherever they lie, and how to name it in messages.
 * Chunks may have any size; the receiver owns each chunk, unless it says `reuseChunks`.
 */
export interface TickSource {
  /** As the user named it: `day.txt.zst`, `bundle.tar#member`, `standard input`. */
  readonly name: string
  /** Base name of the file or member: says the day (spec 4, section 1) and names exports. */
  readonly fileName: string
  /** Compressed size where known before reading, else null. */
  readonly sizeBytes: number | null
  /** True where `open` may be called more than once. */
  readonly repeatable: boolean
  /** Where the file lies that these bytes are the whole of; absent for members and streams. */
  readonly diskPath?: string
  /**
   * Where these bytes lie, however they were named: the path without links, behind it the member of an archive. Absent
   * where nothing says it.
   */
  readonly place?: string
  /**
   * The byte of the file that they begin at, where they lie in it as they are: 0 for a file that is no archive, more
   * for a member of a tar, or one stored in a zip. Absent where they are packed, and where they lie in no file.
   */
  readonly fromByte?: number
  /** The compressed bytes from their begin. */
  open(options?: SourceOptions): AsyncIterable<Uint8Array>
}

/** A member of an archive that is not read as a tick file, and why. */
export interface SkippedMember {
  /** `bundle.tar#member`. */
  readonly name: string
  /** In words: `a folder`, `a symbolic link`, `not zstd`. */
  readonly skippedBecause: string
}

/** A `Blob` or a `File`, of which pieces are read as they are needed. */
export interface BlobInput {
  /** The name of a `File`; a `Blob` has none, so the day must be stated. */
  readonly name?: string
  /** Number of its bytes. */
  readonly size: number
  /** The bytes from `start` to `end`, exclusive. */
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> }
}

/**
 * Where tick files come from: a path (also `bundle.tar#member`, and `-` for standard input), bytes in memory, a `Blob`
 * or `File`, or an async iterable of bytes such as a Node stream or the body of a response.
 */
export type TickInput = string | Uint8Array | BlobInput | AsyncIterable<Uint8Array>
