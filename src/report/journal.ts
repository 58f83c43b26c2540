import { createHash } from 'node:crypto'
import { ByteWriter } from '../model/byte-writer.js'

/** Lines of one closed segment of a journal. */
export const SEGMENT_LINES = 4096

const LINE_FEED = 10

/** A journal as a checkpoint holds it: the chain so far and the open segment as text. */
export interface JournalState {
  readonly lineCount: number
  readonly segmentDigests: readonly string[]
  readonly openLines: readonly string[]
}

/** Takes whole lines, without their line ends. */
export interface LineSink {
  /** Takes the next line, without its line end. */
  write(line: string): void
}

/**
 * The history of one world, as canonical JSON lines. `journalDigest` is a SHA-256 chained over segments of 4,096 lines:
 * the digest of a segment is that of the digest before it (64 hex digits, empty for the first) and its lines, each
 * ended by a line feed. So two journals can be compared by segments without keeping their lines, and a checkpoint
 * stores the open segment alone.
 */
export class Journal {
  readonly #segmentDigests: string[] = []
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  // The open segment as bytes; its whole lines lie before #byteCount.
  readonly #lines: ByteWriter = new ByteWriter()
  #byteCount = 0
  #openCount = 0
  #lineCount = 0

  constructor(private readonly sink: LineSink | null = null) {}

  get lineCount(): number {
    return this.#lineCount
  }

  /** Digests of the closed segments, in order. */
  get segmentDigests(): readonly string[] {
    return this.#segmentDigests
  }

  /**
   * Where the next line is to be written: canonical JSON without its line end. A line that was begun and not ended is
   * none.
   */
  beginLine(): ByteWriter {
    this.#lines.count = this.#byteCount
    return this.#lines
  }

  /** The line that was begun is whole. */
  endLine(): void {
    this.sink?.write(this.#decoder.decode(this.#lines.slice(this.#byteCount)))
    this.#end()
    this.#lineCount++
    if (this.#openCount === SEGMENT_LINES) this.#close()
  }

  /** Digest of everything so far; 64 hex digits. */
  digest(): string {
    return this.#openCount === 0 && this.#segmentDigests.length > 0
      ? (this.#segmentDigests.at(-1) as string)
      : this.#digestOfOpen()
  }

  state(): JournalState {
    return {
      lineCount: this.#lineCount, segmentDigests: [...this.#segmentDigests],
      openLines: this.#decoder.decode(this.#open()).split('\n').slice(0, -1),
    }
  }

  restore(state: JournalState): void {
    this.#lineCount = state.lineCount
    this.#segmentDigests.splice(0, this.#segmentDigests.length, ...state.segmentDigests)
    this.#empty()
    for (const line of state.openLines) {
      this.beginLine().text(line)
      this.#end()
    }
  }

  #end(): void {
    this.#lines.byte(LINE_FEED)
    this.#byteCount = this.#lines.count
    this.#openCount++
  }

  #open(): Uint8Array {
    return this.#lines.bytes.subarray(0, this.#byteCount)
  }

  #empty(): void {
    this.#byteCount = 0
    this.#openCount = 0
  }

  #digestOfOpen(): string {
    return createHash('sha256').update(this.#segmentDigests.at(-1) ?? '').update(this.#open()).digest('hex')
  }

  #close(): void {
    this.#segmentDigests.push(this.#digestOfOpen())
    this.#empty()
  }
}
