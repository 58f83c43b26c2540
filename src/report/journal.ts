import { createHash } from 'node:crypto'

/** Lines of one closed segment of a journal. */
export const SEGMENT_LINES = 4096

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
  #openLines: string[] = []
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
    this.#openLines.push(line)
    this.#lineCount++
    this.#sink?.write(line)
    if (this.#openLines.length === SEGMENT_LINES) this.#close()
  }

  /** Digest of everything so far; 64 hex digits. */
  digest(): string {
    return this.#openLines.length === 0 && this.#segmentDigests.length > 0 ? (this.#segmentDigests.at(-1) as string) : this.#digestOfOpen()
  }

  state(): JournalState {
    return { lineCount: this.#lineCount, segmentDigests: [...this.#segmentDigests], openLines: [...this.#openLines] }
  }

  restore(state: JournalState): void {
    this.#lineCount = state.lineCount
    this.#segmentDigests.splice(0, this.#segmentDigests.length, ...state.segmentDigests)
    this.#openLines = [...state.openLines]
  }

  #digestOfOpen(): string {
    const hash = createHash('sha256').update(this.#segmentDigests.at(-1) ?? '')
    if (this.#openLines.length > 0) hash.update(`${this.#openLines.join('\n')}\n`)
    return hash.digest('hex')
  }

  #close(): void {
    this.#segmentDigests.push(this.#digestOfOpen())
    this.#openLines = []
  }
}
