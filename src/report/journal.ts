import { createHash } from 'node:crypto'

/** Lines of one closed segment of a journal. */
export const SEGMENT_LINES = 4096

const FIRST_BYTES = 1 << 16
const LINE_FEED = 10

/** A journal as a checkpoint holds it: the chain so far and the open segment as text. */
export interface JournalState {
  readonly lineCount: number
  readonly segmentDigests: readonly string[]
  readonly openLines: readonly string[]
}

/** Takes whole lines, without their line ends. */
export interface LineSink {
  write(line: string): void
}

/**
 * What one world did, as canonical JSON lines. `journalDigest` is a SHA-256 chained over segments of 4,096 lines: the digest of a
 * segment is that of the digest before it (64 hex digits, empty for the first) and its lines, each ended by a line feed. So two journals can be
 * compared by segments without keeping their lines, and a checkpoint stores the open segment alone.
 */
export class Journal {
  readonly #sink: LineSink | null
  readonly #segmentDigests: string[] = []
  readonly #encoder = new TextEncoder()
  // The open segment as bytes: lines are put together from many pieces, which would all live on as long as their strings.
  #bytes: Uint8Array = new Uint8Array(FIRST_BYTES)
  #byteCount = 0
  #openCount = 0
  #lineCount = 0

  constructor(sink: LineSink | null = null) {
    this.#sink = sink
  }

  get lineCount(): number {
    return this.#lineCount
  }

  /** Digests of the closed segments, in order. */
  get segmentDigests(): readonly string[] {
    return this.#segmentDigests
  }

  /** Adds one line: canonical JSON without its line end. */
  addLine(line: string): void {
    this.#append(line)
    this.#lineCount++
    this.#sink?.write(line)
    if (this.#openCount === SEGMENT_LINES) this.#close()
  }

  /** Digest of everything so far; 64 hex digits. */
  digest(): string {
    return this.#openCount === 0 && this.#segmentDigests.length > 0 ? (this.#segmentDigests.at(-1) as string) : this.#digestOfOpen()
  }

  state(): JournalState {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.#bytes.subarray(0, this.#byteCount))
    return { lineCount: this.#lineCount, segmentDigests: [...this.#segmentDigests], openLines: text.split('\n').slice(0, -1) }
  }

  restore(state: JournalState): void {
    this.#lineCount = state.lineCount
    this.#segmentDigests.splice(0, this.#segmentDigests.length, ...state.segmentDigests)
    this.#empty()
    for (const line of state.openLines) this.#append(line)
  }

  #append(line: string): void {
    // A UTF-16 unit has at most three bytes.
    const most = this.#byteCount + line.length * 3 + 1
    if (most > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(most, this.#bytes.length * 2))
      wider.set(this.#bytes.subarray(0, this.#byteCount))
      this.#bytes = wider
    }
    const { written } = this.#encoder.encodeInto(line, this.#bytes.subarray(this.#byteCount))
    this.#byteCount += written
    this.#bytes[this.#byteCount++] = LINE_FEED
    this.#openCount++
  }

  #empty(): void {
    this.#byteCount = 0
    this.#openCount = 0
  }

  #digestOfOpen(): string {
    return createHash('sha256').update(this.#segmentDigests.at(-1) ?? '').update(this.#bytes.subarray(0, this.#byteCount)).digest('hex')
  }

  #close(): void {
    this.#segmentDigests.push(this.#digestOfOpen())
    this.#empty()
  }
}
