import { ByteWriter } from '../model/byte-writer.js'
import type { MessageFields } from '../venue/field-units.js'
import { MESSAGE_FIELDS, REQUEST_FIELDS } from '../venue/message-fields.js'
import { JournalText } from './journal-text.js'
import type { JournalSegment, RecordTable } from './journal-segment.js'
import { fieldValue, recordMessage } from './record-decoder.js'
import { OTHER, RECORD_LAYOUTS, type RecordLayout } from './record-layout.js'

const FIELDS_OF: Readonly<Record<string, MessageFields>> = { ...REQUEST_FIELDS, ...MESSAGE_FIELDS }
const NO_ORDERS: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map()
/** Records of one kind at most, as kinds are counted. */
const KINDS = 256

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The lines of a segment as text: a function of its records, ids, names and scales alone. */
export class SegmentText {
  readonly #text: JournalText
  readonly #into: ByteWriter = new ByteWriter(0)

  constructor(private readonly segment: JournalSegment) {
    this.#text = new JournalText(segment, NO_ORDERS, segment.epochDay)
  }

  /** Its lines from one on, without their ends. */
  *lines(from = 0): Generator<string, void, undefined> {
    const { segment } = this
    const texts = segment.texts()
    const counts = new Uint32Array(KINDS)
    for (let line = 0; line < segment.lineCount; line++) {
      const code = segment.kinds[line] as number
      const index = counts[code] as number
      counts[code] = index + 1
      if (line < from) continue
      if (code === OTHER) yield texts[index] as string
      else yield this.record(segment.table(RECORD_LAYOUTS[code] as RecordLayout), index, segment.firstLine + line)
    }
  }

  /** The line of a record; `seq` is its number in the journal. */
  record(table: RecordTable, index: number, seq: number): string {
    const { segment } = this
    const { layout: { kind, head, byteLength } } = table
    const [timeNs, client, account, instrumentId] = head.map((field) => (
      fieldValue(segment, table, field, index * byteLength)))
    const into = this.#into
    into.count = 0
    this.#text.write(
      into,
      {
        seq, side: 'local', timeNs: timeNs as number, kind, client: client as string | null,
        account: account as string | null,
      },
      recordMessage(segment, table, index), FIELDS_OF[kind] as MessageFields,
      instrumentId === undefined ? undefined : segment.get(instrumentId as number),
    )
    return decoder.decode(into.slice())
  }
}
