import { Buffer } from 'node:buffer'
import { ByteWriter } from '../model/byte-writer.js'
import type { Id, IdNumbering } from '../model/id.js'
import { uuidText, writeId } from './id-bytes.js'
import { OTHER, RECORD_LAYOUTS, SEGMENT_LINES, type RecordLayout } from './record-layout.js'

const ID_BYTES = 16
const INSTRUMENT_BYTES = 8
const HEADER_BYTES = 32
const LINE_FEED = 10
/** Ids, and names, that a segment can number. */
const NUMBER_LIMIT = 65_535
const INSTRUMENT_LIMIT = 4_294_967_295
const SCALE_LIMIT = 254
/** Records of one kind that have room at first. */
const FIRST_RECORDS = 16
const TWO_32 = 4_294_967_296

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The outcome for a message: held by a record, not held, or held once the segment is closed, as a scale has grown. */
export const HELD = 0
export const NOT_HELD = 1
export const GROWN = 2
export type Outcome = typeof HELD | typeof NOT_HELD | typeof GROWN

/** Scales of prices and quantities. */
export interface Scales {
  readonly priceScale: number
  readonly quantityScale: number
}

/** Scales of instruments by id. */
export interface ScaleSource {
  get(instrumentId: number): Scales | undefined
}

/** The records of one kind, one after the other. */
export class RecordTable {
  bytes: Uint8Array
  view: DataView
  count = 0

  constructor(readonly layout: RecordLayout) {
    this.bytes = new Uint8Array(layout.byteLength * FIRST_RECORDS)
    this.view = new DataView(this.bytes.buffer)
    this.#empty(0, FIRST_RECORDS)
  }

  /** The place of the next record, whose fields are all absent; it counts once `count` is raised. */
  next(): number {
    const at = this.count * this.layout.byteLength
    if (at === this.bytes.length) this.#grow()
    return at
  }

  /** Takes back what was written of a record that is none. */
  drop(): void {
    const { layout: { byteLength, empty }, count } = this
    this.bytes.set(empty, count * byteLength)
  }

  /** Takes all records away. */
  clear(): void {
    this.#empty(0, this.count)
    this.count = 0
  }

  /** Takes records as they stand. */
  take(bytes: Uint8Array): void {
    // A Buffer's slice would be no copy.
    this.bytes = new Uint8Array(bytes)
    this.view = new DataView(this.bytes.buffer)
    this.count = bytes.length / this.layout.byteLength
  }

  #grow(): void {
    const wider = new Uint8Array(Math.max(this.bytes.length * 2, this.layout.byteLength * FIRST_RECORDS))
    wider.set(this.bytes)
    this.bytes = wider
    this.view = new DataView(wider.buffer)
    this.#empty(this.count, wider.length / this.layout.byteLength)
  }

  /** Makes records absent in every field: one is written, and doubled. */
  #empty(first: number, end: number): void {
    const { bytes, layout: { byteLength, empty } } = this
    if (first === end) return
    const [from, to] = [first * byteLength, end * byteLength]
    bytes.set(empty, from)
    for (let length = byteLength; from + length < to; length *= 2)
      bytes.copyWithin(from + length, from, Math.min(from + length, to - length))
  }
}

/**
 * A segment of a journal: up to 4,096 lines as records, with everything that they refer to by number. So it can be read
 * without the segments before it. docs/reference/journal-records.md describes its bytes.
 */
export class JournalSegment implements ScaleSource {
  /** Kinds of the lines, in order. */
  readonly kinds: Uint8Array = new Uint8Array(SEGMENT_LINES)
  lineCount = 0
  /** Lines that no record holds, each ended by a line feed. */
  readonly #texts: ByteWriter = new ByteWriter(0)
  #textBytes = 0
  readonly #tables: (RecordTable | undefined)[] = []
  /** Numbers of the ids that came from outside; one that was drawn has its own with it. */
  readonly #textIds: Map<string, number> = new Map()
  readonly #ids: Id[] = []
  #numbering: IdNumbering = {}
  #idBytes: Uint8Array = new Uint8Array(0)
  readonly #names: Map<string, number> = new Map()
  readonly #nameTexts: string[] = []
  readonly #scales: Map<number, Scales> = new Map()

  constructor(
    /** Day of the midnight from which times count, days since 1970. */
    readonly epochDay: number,
    /** Number of its first line in the journal. */
    public firstLine: number,
  ) {}

  /** The segment of these bytes. Throws RangeError for bytes that are no segment. */
  static from(bytes: Uint8Array): JournalSegment {
    if (bytes.length < HEADER_BYTES) throw new RangeError('A segment has 32 bytes at least')
    const segment = new JournalSegment(new DataView(bytes.buffer, bytes.byteOffset).getInt32(12, true), 0)
    segment.restore(bytes)
    return segment
  }

  /** The records of a kind. */
  table(layout: RecordLayout): RecordTable {
    return (this.#tables[layout.code] ??= new RecordTable(layout))
  }

  /** Notes that the next line is the next record of a kind. */
  endLine(table: RecordTable): void {
    table.count++
    this.kinds[this.lineCount++] = table.layout.code
  }

  /**
   * Where a line is written that no record holds, as text; {@link endText} says that it is whole. A text that was begun
   * and not ended is none.
   */
  beginText(): ByteWriter {
    this.#texts.count = this.#textBytes
    return this.#texts
  }

  endText(): void {
    this.#texts.byte(LINE_FEED)
    this.#textBytes = this.#texts.count
  }

  /** The number of an id, from 1; 0 for an id that is no UUID: then a line is written as text. */
  idNumber(id: Id): number {
    const known = typeof id === 'string' ? this.#textIds.get(id) ?? 0 : id.numberIn(this.#numbering)
    if (known > 0) return known
    const count = this.#ids.length
    if (count * ID_BYTES === this.#idBytes.length) {
      const wider = new Uint8Array(Math.max(ID_BYTES * FIRST_RECORDS, this.#idBytes.length * 2))
      wider.set(this.#idBytes)
      this.#idBytes = wider
    }
    if (count === NUMBER_LIMIT || !writeId(id, this.#idBytes, count * ID_BYTES)) return 0
    this.#ids.push(id)
    if (typeof id === 'string') this.#textIds.set(id, count + 1)
    else id.takeNumber(this.#numbering, count + 1)
    return count + 1
  }

  /** The id of a number; undefined for one that it does not have. */
  idText(number: number): string | undefined {
    return this.#ids[number - 1]?.toString()
  }

  /** The number of a name, from 1; 0 where there are too many. */
  nameNumber(text: string): number {
    // Nearly every line names one client and one account, and nearly every wallet one type.
    for (let number = 1; number <= 3; number++) if (this.#nameTexts[number - 1] === text) return number
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (this.#nameTexts.length === NUMBER_LIMIT) return 0
    this.#nameTexts.push(text)
    this.#names.set(text, this.#nameTexts.length)
    return this.#nameTexts.length
  }

  nameText(number: number): string | undefined {
    return this.#nameTexts[number - 1]
  }

  /** The scales of an instrument in this segment. */
  get(instrumentId: number): Scales | undefined {
    return this.#scales.get(instrumentId)
  }

  /**
   * States the scales of an instrument. GROWN where the segment has stated others: it is to be closed first.
   */
  stateScales(instrumentId: number, { priceScale, quantityScale }: Scales): Outcome {
    const known = this.#scales.get(instrumentId)
    if (known !== undefined)
      return known.priceScale === priceScale && known.quantityScale === quantityScale ? HELD : GROWN
    if (
      !Number.isInteger(instrumentId) || instrumentId < 1 || instrumentId > INSTRUMENT_LIMIT ||
      priceScale > SCALE_LIMIT || quantityScale > SCALE_LIMIT
    )
      return NOT_HELD
    this.#scales.set(instrumentId, { priceScale, quantityScale })
    return HELD
  }

  /** Its bytes in parts, one after the other; they are those of the segment itself, and change with it. */
  parts(): readonly Uint8Array[] {
    const { lineCount } = this
    const ids = this.#idBytes.subarray(0, this.#ids.length * ID_BYTES)
    const names = encoder.encode(JSON.stringify(this.#nameTexts))
    const texts = this.#texts.bytes.subarray(0, this.#textBytes)
    const head = new Uint8Array(HEADER_BYTES + this.#scales.size * INSTRUMENT_BYTES)
    const view = new DataView(head.buffer)
    view.setUint32(0, this.firstLine, true)
    view.setUint32(4, Math.floor(this.firstLine / TWO_32), true)
    view.setUint32(8, lineCount, true)
    view.setInt32(12, this.epochDay, true)
    for (const [index, count] of [this.#scales.size, this.#ids.length, names.length, texts.length].entries())
      view.setUint32(16 + 4 * index, count, true)
    let at = HEADER_BYTES
    for (const [id, { priceScale, quantityScale }] of this.#scales) {
      view.setUint32(at, id, true)
      head[at + 4] = priceScale
      head[at + 5] = quantityScale
      at += INSTRUMENT_BYTES
    }
    const records = this.#tables.flatMap((table) => (
      table === undefined ? [] : [table.bytes.subarray(0, table.count * table.layout.byteLength)]))
    return [head, ids, names, this.kinds.subarray(0, lineCount), ...records, texts]
  }

  /** Its bytes, new ones each time. */
  bytes(): Uint8Array {
    return Buffer.concat(this.parts())
  }

  /** The texts of the lines that no record holds, in order. */
  texts(): readonly string[] {
    return decoder.decode(this.#texts.bytes.subarray(0, this.#textBytes)).split('\n').slice(0, -1)
  }

  /** Begins anew, behind its last line. */
  clear(): void {
    this.firstLine += this.lineCount
    this.lineCount = 0
    for (const table of this.#tables) table?.clear()
    this.#textBytes = 0
    this.#textIds.clear()
    this.#ids.length = 0
    this.#numbering = {}
    this.#names.clear()
    this.#nameTexts.length = 0
    this.#scales.clear()
  }

  /** Its ids by number, from 1 on: those that a run has drawn know their number. */
  get ids(): readonly Id[] {
    return this.#ids
  }

  /**
   * Takes the content of a segment's bytes in place of its own; `ids` are theirs, texts where they are left out. Throws
   * RangeError as {@link from} does.
   */
  restore(bytes: Uint8Array, ids: readonly Id[] | null = null): void {
    this.clear()
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const counts = [8, 16, 20, 24, 28].map((at) => view.getUint32(at, true))
    const [lineCount = 0, instrumentCount = 0, idCount = 0, nameBytes = 0, textBytes = 0] = counts
    if (lineCount > SEGMENT_LINES || idCount > NUMBER_LIMIT) throw new RangeError('A segment has at most 4,096 lines')
    let at = HEADER_BYTES
    const part = (length: number): Uint8Array => {
      if (at + length > bytes.length) throw new RangeError('A segment is cut off')
      at += length
      return bytes.subarray(at - length, at)
    }
    this.firstLine = view.getUint32(0, true) + view.getUint32(4, true) * TWO_32
    this.#takeScales(part(instrumentCount * INSTRUMENT_BYTES))
    this.#takeIds(part(idCount * ID_BYTES), ids)
    for (const name of JSON.parse(decoder.decode(part(nameBytes))) as string[]) this.nameNumber(name)
    const kinds = part(lineCount)
    this.kinds.set(kinds)
    this.lineCount = lineCount
    const counted = new Uint32Array(256)
    for (const kind of kinds) counted[kind] = (counted[kind] as number) + 1
    for (const [code, count] of counted.entries()) {
      const layout = RECORD_LAYOUTS[code]
      if (count === 0) continue
      if (layout === undefined) throw new RangeError(`A segment has a record of the unknown kind ${code}`)
      this.table(layout).take(part(count * layout.byteLength))
    }
    this.beginText().piece(part(textBytes))
    this.#textBytes = textBytes
    if (at !== bytes.length || this.texts().length !== (counted[OTHER] as number))
      throw new RangeError('A segment has as many texts as lines of the kind other, and no more bytes')
  }

  #takeScales(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = 0; at < bytes.length; at += INSTRUMENT_BYTES)
      this.stateScales(view.getUint32(at, true), {
        priceScale: view.getUint8(at + 4), quantityScale: view.getUint8(at + 5),
      })
  }

  #takeIds(bytes: Uint8Array, ids: readonly Id[] | null): void {
    for (let at = 0; at < bytes.length; at += ID_BYTES) {
      const id = ids === null ? uuidText(bytes, at) : ids[at / ID_BYTES]
      if ((id ?? null) === null) throw new RangeError('A segment has an id of zeros, or none')
      this.idNumber(id as Id)
    }
  }
}
