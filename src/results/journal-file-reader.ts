import { open, type FileHandle } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import { JournalSegment } from '../protocol/journal-segment.js'
import { fieldValue } from '../protocol/record-decoder.js'
import { JOURNAL_FORMAT, RECORD_LAYOUTS, type RecordField, type RecordGroup } from '../protocol/record-layout.js'
import { SegmentText } from '../protocol/segment-text.js'
import { segmentDigest } from './journal.js'
import {
  FILE_HEAD_BYTES, formatOf, FRAME_HEAD_BYTES, FrameChecks, frameHead, type JournalEnd,
} from './journal-frames.js'

/** Bytes of a frame at most: a segment has 4,096 lines, and few of them are long. */
const FRAME_LIMIT = 1 << 30

/** Up to 4,096 lines of a journal. */
export class JournalPart {
  constructor(private readonly segment: JournalSegment) {}

  /** Number of its first line in the journal, from 0. */
  get firstLine(): number {
    return this.segment.firstLine
  }

  /** Number of its lines. */
  get lineCount(): number {
    return this.segment.lineCount
  }

  /** Its lines as canonical JSON, without their ends: those of a journal that is kept as text. */
  lines(): Iterable<string> {
    return new SegmentText(this.segment).lines()
  }

  /**
   * The values of a field in all records of a kind, in order: `values('fill', 'fills.price')`. Times are nanoseconds
   * since the midnight of {@link epochDay}, prices and quantities integers at the scales of their instrument, money is
   * decimal text; undefined where a field is absent. Throws RangeError for a kind or a field that there is not.
   */
  values(kind: string, field: string): (string | number | boolean | null | undefined)[] {
    const layout = RECORD_LAYOUTS.find(({ name }) => name === kind)
    const found = layout === undefined ? undefined : [...layout.head, ...fieldsOf(layout.message)]
      .find((one) => (one as NamedField).path === field || one.name === field)
    if (layout === undefined || found === undefined) throw new RangeError(`A journal has no field ${field} of ${kind}`)
    const table = this.segment.table(layout)
    return Array.from({ length: table.count }, (_, index) => (
      fieldValue(this.segment, table, found, index * layout.byteLength)))
  }

  /** Day of the midnight from which its times count, days since 1970. */
  get epochDay(): number {
    return this.segment.epochDay
  }

  /** The scales of an instrument's prices and quantities; undefined where it is in no record. */
  scales(instrumentId: number): { readonly priceScale: number, readonly quantityScale: number } | undefined {
    return this.segment.get(instrumentId)
  }
}

type NamedField = RecordField & { readonly path: string }

function fieldsOf({ fields, groups }: RecordGroup, path = ''): NamedField[] {
  return [
    ...fields.map((field) => ({ ...field, path: `${path}${field.name}` })),
    ...groups.flatMap((group) => fieldsOf(group, `${path}${group.name}.`)),
  ]
}

/**
 * Reads a journal of records (`.btj`) part by part; what it returns in the end says how the run ended. Throws
 * FILE_NOT_FOUND, and FILE_UNREADABLE where it is none, is cut off, or a byte of it was changed: a part that came is
 * whole, more may lack.
 *
 * @example
 * ```ts
 * import { rmSync } from 'node:fs'
 * import { Parameter, runBacktest, Strategy, TradingInstrument } from 'backtape'
 * import { createJournalFile, readJournal } from 'backtape/report'
 * class Idle extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 * }
 * const journal = await createJournalFile('idle.btj', { force: true })
 * const result = await runBacktest({
 *   strategy: Idle, data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'], from: '23:58', to: '23:59',
 *   parameters: { instrument: 'XRPUSDT' }, account: { balances: { USDT: '1000' } }, journal: () => journal.sink,
 * })
 * await journal.commit()
 * let lineCount = 0
 * for await (const part of readJournal('idle.btj')) lineCount += part.lineCount
 * rmSync('idle.btj')
 * if (lineCount !== result.journalLineCount) throw new Error('the whole journal')
 * ```
 */
export async function* readJournal(path: string): AsyncGenerator<JournalPart, JournalEnd, undefined> {
  const fault = (why: string, cause?: unknown): BacktapeError => (
    new BacktapeError('FILE_UNREADABLE', `Cannot read the journal ${path}: ${why}`, { file: path }, cause))
  let file: FileHandle
  try {
    file = await open(path)
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ENOENT')
      throw fault(error instanceof Error ? error.message : String(error), error)
    const sentence = `Cannot read the journal ${path}: there is no such file; check the path`
    throw new BacktapeError('FILE_NOT_FOUND', sentence, { file: path }, error)
  }
  try {
    const { size } = await file.stat()
    let at = 0
    const bytes = async (count: number): Promise<Uint8Array> => {
      if (count > FRAME_LIMIT || at + count > size) throw fault(`it is cut off or damaged at byte ${at}`)
      const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count, at).catch((error: unknown) => {
        throw fault(error instanceof Error ? error.message : String(error), error)
      })
      if (bytesRead < count) throw fault(`it is cut off at byte ${at + bytesRead}`)
      at += count
      return buffer
    }
    const head = await bytes(Math.min(FILE_HEAD_BYTES, size))
    const format = formatOf(head)
    if (format !== JOURNAL_FORMAT)
      throw fault(
        format === null
          ? 'it is no journal of records'
          : `its format is ${format}, this build reads ${JOURNAL_FORMAT}`,
      )
    const checks = new FrameChecks(head)
    let digest: string | null = ''
    for (;;) {
      const from = at
      const { length, rawLength, lengths, check } = frameHead(await bytes(FRAME_HEAD_BYTES))
      const content = await bytes(length)
      if (Buffer.compare(checks.next(lengths, content), check) !== 0) throw fault(`it is damaged behind byte ${from}`)
      if (rawLength === 0) {
        const end = JSON.parse(new TextDecoder().decode(content)) as JournalEnd
        if (at !== size) throw fault(`it has bytes behind its end, from byte ${at} on`)
        if (digest !== null && digest !== '' && digest !== end.digest) throw fault('its segments have another digest')
        return end
      }
      const raw = inflateSync(content)
      const segment = JournalSegment.from(raw)
      // A run that went on from a checkpoint wrote no lines of before it: the digest before them is not known.
      digest = digest === null || (digest === '' && segment.firstLine > 0) ? null : segmentDigest(digest, [raw])
      yield new JournalPart(segment)
    }
  } finally {
    await file.close()
  }
}
