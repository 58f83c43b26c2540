import { deflateSync, gzipSync } from 'node:zlib'
import { canonicalJson } from '../model/canonical-json.js'
import type { JournalSink, LineSink, OpenJournal, SegmentSink } from '../report/journal-sink.js'
import { fileHead, frame, FrameChecks, type JournalEnd } from './journal-frames.js'

/** The end of the run whose journal it is. */
export type JournalEnding = Pick<JournalEnd, 'end' | 'reason'>

/** The bytes of a journal's file as they come to be. */
export interface JournalContent {
  readonly sink: JournalSink
  readonly lineCount: number
  /** Writes out what has gathered. */
  flush(): void
  /** Writes out the rest. */
  end(ending: JournalEnding): void
}

/** Characters that are gathered before they are written; for `.gz` each such piece is a gzip member. */
const PIECE_LENGTH = 1 << 20
/** Of zlib: the others are slower, and take a tenth less. */
const LEVEL = 1

/** A journal as JSON lines, packed or not. */
export class TextContent implements JournalContent, LineSink {
  readonly sink: LineSink = this
  lineCount = 0
  #gathered = ''

  constructor(private readonly isPacked: boolean, private readonly writeOut: (bytes: Uint8Array) => void) {}

  write(line: string): void {
    this.lineCount++
    this.#gathered += `${line}\n`
    if (this.#gathered.length >= PIECE_LENGTH) this.flush()
  }

  flush(): void {
    if (this.#gathered !== '') this.#writePiece()
  }

  /** A run that was stopped, or failed, has a last line of that kind, which is in no count and no digest. */
  end({ end, reason }: JournalEnding): void {
    if (end === 'partial')
      this.#gathered += `${canonicalJson({ kind: end, reason: 'the run was stopped before its data ended' })}\n`
    if (end === 'failed') this.#gathered += `${canonicalJson({ kind: end, reason })}\n`
    // A packed journal without a line is an empty gzip file and not an empty file, which would be one cut off.
    if (this.#gathered !== '' || (this.isPacked && this.lineCount === 0)) this.#writePiece()
  }

  #writePiece(): void {
    const text = this.#gathered
    this.#gathered = ''
    this.writeOut(this.isPacked ? gzipSync(text) : new TextEncoder().encode(text))
  }
}

/** A journal as records (docs/reference/journal-records.md). */
export class RecordContent implements JournalContent, SegmentSink {
  readonly sink: SegmentSink = this
  readonly #checks: FrameChecks
  #journal: OpenJournal | null = null

  /** `after`: the {@link check} of a file that goes on; null: it begins. */
  constructor(private readonly writeOut: (bytes: Uint8Array) => void, after: Uint8Array | null = null) {
    const head = after ?? fileHead()
    this.#checks = new FrameChecks(head)
    if (after === null) writeOut(head)
  }

  /** The check of its last frame, or its head: what the next frame stands on. */
  get check(): Uint8Array {
    return this.#checks.last
  }

  get lineCount(): number {
    return this.#journal?.lineCount ?? 0
  }

  open(journal: OpenJournal): void {
    this.#journal = journal
  }

  writeSegment(bytes: Uint8Array): void {
    this.#write(deflateSync(bytes, { level: LEVEL }), bytes.length)
  }

  flush(): void {
    // Segments are written as they come.
  }

  end(ending: JournalEnding): void {
    const open = this.#journal?.openSegment() ?? null
    if (open !== null) this.writeSegment(open)
    const end: JournalEnd = { digest: this.#journal?.digest() ?? '', lineCount: this.lineCount, ...ending }
    this.#write(new TextEncoder().encode(canonicalJson({ ...end })), 0)
  }

  #write(content: Uint8Array, rawLength: number): void {
    for (const part of frame(this.#checks, content, rawLength)) this.writeOut(part)
  }
}
