import { createHash } from 'node:crypto'
import type { Id } from '../model/id.js'
import { writeInteger } from '../protocol/field-writer.js'
import {
  GROWN, HELD, JournalSegment, NOT_HELD, type Outcome, type RecordTable, type ScaleSource,
} from '../protocol/journal-segment.js'
import { JournalText, type LineHead } from '../protocol/journal-text.js'
import type { KnownOrders } from '../protocol/known-orders.js'
import { RecordWriter } from '../protocol/record-writer.js'
import {
  ACCOUNT_AT, CLIENT_AT, LAYOUTS_OF, OTHER_LAYOUT, SEGMENT_LINES, TIME_AT, type RecordLayout,
} from '../protocol/record-layout.js'
import { SegmentText } from '../protocol/segment-text.js'
import type { JournalSink, LineSink, OpenJournal, SegmentSink } from '../report/journal-sink.js'
import type { MessageFields } from '../venue/field-units.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'

type Message = ClientRequest | ClientMessage

/** A journal as a checkpoint holds it: the chain so far, and the open segment, its bytes in base64. */
export interface JournalState {
  readonly segmentDigests: readonly string[]
  readonly openSegment: string
  readonly openIds: readonly Id[]
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The digest of a segment: SHA-256 over the digest before it, in 64 hex digits or empty for the first, and its bytes.
 */
export function segmentDigest(before: string, parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256').update(before)
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/**
 * The history of one world as records, in segments of 4,096 lines that are chained by their digests. So two journals
 * can be compared by segments without keeping their lines, and a checkpoint stores the open segment alone. A line
 * becomes text where a sink asks for it.
 */
export class Journal implements OpenJournal {
  readonly #segmentDigests: string[] = []
  readonly #segment: JournalSegment
  readonly #writer: RecordWriter
  /** Lines that no record holds. */
  readonly #otherText: JournalText
  readonly #lineSink: LineSink | null
  readonly #segmentSink: SegmentSink | null
  readonly #recordText: SegmentText
  /** Called before lines are closed with their segment; null: nobody wants them. */
  onClosing: (() => void) | null = null

  constructor(
    directory: ScaleSource,
    /** Messages that name an order alone have their scales from here. */
    private readonly orders: KnownOrders,
    epochDay: number,
    sink: JournalSink | null = null,
  ) {
    this.#segment = new JournalSegment(epochDay, 0)
    this.#writer = new RecordWriter(this.#segment, directory)
    this.#otherText = new JournalText(directory, orders, epochDay)
    this.#recordText = new SegmentText(this.#segment)
    this.#lineSink = sink !== null && 'write' in sink ? sink : null
    this.#segmentSink = sink !== null && 'open' in sink ? sink : null
    this.#segmentSink?.open(this)
  }

  get lineCount(): number {
    return this.#segment.firstLine + this.#segment.lineCount
  }

  /** Digests of the closed segments, in order. */
  get segmentDigests(): readonly string[] {
    return this.#segmentDigests
  }

  /** Writes a message that a client sent or received; `units` are those of the fields of its kind. */
  message<M extends Message>(
    clientId: string, accountId: string, timeNs: number, message: M,
    units: { readonly [Kind in M['kind']]: MessageFields },
  ): void {
    const layouts = LAYOUTS_OF.get(message.kind)
    if (layouts !== undefined)
      for (let i = 0; i < layouts.length; i++)
        if (this.#record(layouts[i] as RecordLayout, clientId, accountId, timeNs, message)) return
    const kind: M['kind'] = message.kind
    this.line('local', timeNs, kind, clientId, accountId, message, units[kind])
  }

  /** Writes a line of the kind `other`: it is kept as canonical JSON. */
  line(
    side: LineHead['side'], timeNs: number, kind: string, client: string | null, account: string | null,
    content: object, fields: MessageFields,
  ): void {
    const segment = this.#segment
    const into = segment.beginText()
    const from = into.count
    this.#otherText.write(into, { seq: this.lineCount, side, timeNs, kind, client, account }, content, fields)
    this.#lineSink?.write(decoder.decode(into.slice(from)))
    segment.endText()
    const table = segment.table(OTHER_LAYOUT)
    this.#writeHead(table, table.next(), timeNs, client, account)
    segment.endLine(table)
    this.#closeFull()
  }

  /** Lines of the open segment from a number on, the last ones where they are more than `most`. */
  lastLines(from: number, most: number): readonly string[] {
    const { firstLine, lineCount } = this.#segment
    const line = Math.max(from - firstLine, lineCount - most, 0)
    return line < lineCount ? [...this.#recordText.lines(line)] : []
  }

  /** Digest of everything so far; 64 hex digits. */
  digest(): string {
    const last = this.#segmentDigests.at(-1)
    return this.#segment.lineCount === 0 && last !== undefined ? last : segmentDigest(last ?? '', this.#segment.parts())
  }

  /**
   * Closes the open segment before it is full, so that its sink has every line: of a run that goes on by the wall's
   * time. Its digest is another one than that of the same lines without.
   */
  closeSegment(): void {
    if (this.#segment.lineCount > 0) this.#close()
  }

  openSegment(): Uint8Array | null {
    return this.#segment.lineCount === 0 ? null : this.#segment.bytes()
  }

  state(): JournalState {
    return {
      segmentDigests: [...this.#segmentDigests], openSegment: Buffer.from(this.#segment.bytes()).toString('base64'),
      openIds: this.#segment.ids,
    }
  }

  restore({ segmentDigests, openSegment, openIds }: JournalState): void {
    this.#segmentDigests.splice(0, this.#segmentDigests.length, ...segmentDigests)
    this.#segment.restore(Buffer.from(openSegment, 'base64'), openIds)
  }

  /** Writes a message as a record; false where this kind of record does not hold it. */
  #record(layout: RecordLayout, clientId: string, accountId: string, timeNs: number, message: Message): boolean {
    const table = this.#segment.table(layout)
    let outcome = this.#tryRecord(table, clientId, accountId, timeNs, message)
    if (outcome === GROWN) {
      table.drop()
      this.#close()
      outcome = this.#tryRecord(table, clientId, accountId, timeNs, message)
    }
    if (outcome !== HELD) {
      table.drop()
      return false
    }
    this.#segment.endLine(table)
    this.#lineSink?.write(this.#recordText.record(table, table.count - 1, this.lineCount - 1))
    this.#closeFull()
    return true
  }

  #tryRecord(table: RecordTable, clientId: string, accountId: string, timeNs: number, message: Message): Outcome {
    const at = table.next()
    if (!this.#writeHead(table, at, timeNs, clientId, accountId)) return NOT_HELD
    return this.#writer.write(table, at, message, this.orders.get(accountId))
  }

  #writeHead(table: RecordTable, at: number, timeNs: number, client: string | null, account: string | null): boolean {
    const { view } = table
    const clientNumber = client === null ? 0 : this.#segment.nameNumber(client)
    const accountNumber = account === null ? 0 : this.#segment.nameNumber(account)
    view.setUint16(at + CLIENT_AT, clientNumber, true)
    view.setUint16(at + ACCOUNT_AT, accountNumber, true)
    return writeInteger(view, at + TIME_AT, timeNs) && clientNumber > 0 && accountNumber > 0
  }

  #closeFull(): void {
    if (this.#segment.lineCount === SEGMENT_LINES) this.#close()
  }

  /** Closes the open segment; one without a line is begun anew. */
  #close(): void {
    if (this.#segment.lineCount > 0) {
      this.onClosing?.()
      this.#segmentDigests.push(segmentDigest(this.#segmentDigests.at(-1) ?? '', this.#segment.parts()))
      this.#segmentSink?.writeSegment(this.#segment.bytes())
    }
    this.#segment.clear()
  }
}
