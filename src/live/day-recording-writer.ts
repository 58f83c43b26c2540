import { join, resolve } from 'node:path'
import { masterLine, underlyingsOf } from '../feed/master-line.js'
import { makeFolder } from '../files/folder-writer.js'
import { createFrameCompressor, type FrameCompressor } from '../files/zstd-compressor.js'
import type { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import { shopFileName } from '../model/shop-file-name.js'
import { dayText, NS_PER_DAY, NS_PER_SECOND, timeFromEpochNs } from '../model/time.js'
import { wallEpochDay } from '../model/wall-client.js'
import { madeState } from '../simulation/made-lines.js'
import { finishRecordings } from '../tickfile/recorded-day-reader.js'
import { checkRecordable, RecordedDay } from '../tickfile/recorded-day-writer.js'
import type { InstrumentDirectory, InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'
import type { FeedItem } from './live-inboxes.js'
import type { RecordedDayFile } from './live-options.js'
import { RecordedInstrument, type DayTaker } from './recorded-instrument.js'

/** Lines go to the disk so often: a crash loses no more. */
const FLUSH_MS = 2_000
/** Packed bytes of all days that may wait for the disk. */
const WAITING_MAX_BYTES = 32 * 1024 * 1024
const LEVEL = 1
/** So far may a stamp be ahead of the wall's time: beyond, it is a jump of the recorder's clock (spec 4, section 4). */
const AHEAD_NS = 60 * NS_PER_SECOND

/** The parts of a recording. */
export interface DayRecordingParts {
  readonly folder: string
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  readonly epochDay: number
  /** The latest time known, nanoseconds since the midnight of `epochDay`. */
  readonly nowNs: () => number
  /** True where times are those of the wall. */
  readonly isOnWall: boolean
  /** Instruments that are followed from the begin. */
  readonly followed: Iterable<number>
  readonly onNote: (sentence: string) => void
}

interface OpenDay {
  readonly file: RecordedDay
  readonly instrument: string
}

/**
 * Writes what feeds send as day files of the vendor's layout, one for each instrument and UTC day. It never holds up
 * the feed: what the disk is too slow for is left out, and the files say where.
 */
export class DayRecording {
  readonly #instruments: Map<number, RecordedInstrument> = new Map()
  readonly #open: Set<OpenDay> = new Set()
  readonly #closing: Set<Promise<void>> = new Set()
  readonly #done: RecordedDayFile[] = []
  readonly #waiting = { bytes: 0 }
  readonly #timer: NodeJS.Timeout
  #end: Promise<readonly RecordedDayFile[]> | null = null

  constructor(private readonly parts: DayRecordingParts, private readonly compress: FrameCompressor) {
    this.#timer = setInterval(() => { for (const { file } of this.#open) file.flush() }, FLUSH_MS)
    this.#timer.unref()
  }

  /** Takes an item of a feed, in its order. */
  receive(market: string, item: FeedItem): void {
    if (this.#end !== null) return
    if ('isLost' in item) {
      for (const [id, one] of this.#instruments)
        if (this.#entry(id)?.instrument.exchangeCode === market) one.gap('the connection to the feed was lost')
    } else if ('unreadableId' in item) this.#of(item.unreadableId)?.gap('a message of the feed could not be read')
    else if ('resubscribedId' in item) this.#of(item.resubscribedId)?.resubscribed()
    else if ('batch' in item) this.#of(item.batch.instrument.id)?.line(item.batch, item.index)
    else this.#of(item.instrumentId)?.state(item)
  }

  /** Ends every file and gives it its name; nothing is taken any more. */
  close(): Promise<readonly RecordedDayFile[]> {
    this.#end ??= this.#close()
    return this.#end
  }

  async #close(): Promise<readonly RecordedDayFile[]> {
    clearInterval(this.#timer)
    for (const one of this.#open) this.#closeSoon(one)
    await Promise.all(this.#closing)
    for (const [id, { leftOutCount }] of this.#instruments) {
      const entry = this.#entry(id)
      if (leftOutCount > 0 && entry !== undefined)
        this.parts.onNote(`Recording of ${instrumentName(entry.instrument)}: the disk was too slow for ${
          String(leftOutCount)} lines; gaps in the files say where`)
    }
    return this.#done.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  #entry(id: number): InstrumentEntry | undefined {
    return this.parts.instruments.get(id)
  }

  #of(id: number): RecordedInstrument | null {
    const known = this.#instruments.get(id)
    if (known !== undefined) return known
    const entry = this.#entry(id)
    if (entry === undefined) return null
    const { epochDay, isOnWall, nowNs } = this.parts
    let last: OpenDay | null = null
    const one = new RecordedInstrument({
      entry, epochDay, floorNs: nowNs,
      latestDay: () => (isOnWall ? epochDay + Math.floor((nowNs() + AHEAD_NS) / NS_PER_DAY) : Infinity),
      isFull: () => this.#waiting.bytes > WAITING_MAX_BYTES, fullText: 'the disk was too slow',
      nextFile: (day) => {
        if (last !== null) this.#closeSoon(last)
        last = this.#begin(entry, day)
        return taker(last.file, day)
      },
    })
    this.#instruments.set(id, one)
    return one
  }

  #closeSoon(one: OpenDay): void {
    const { file, instrument } = one
    this.#open.delete(one)
    const closing = file.close().finally(() => {
      this.#closing.delete(closing)
      this.#done.push({ path: file.path, instrument, lineCount: file.lineCount, error: file.fault })
    })
    this.#closing.add(closing)
  }

  #begin(entry: InstrumentEntry, day: number): OpenDay {
    const { instrument } = entry
    const { epochDay, underlyings, onNote } = this.parts
    const file: RecordedDay = new RecordedDay({
      path: recordedPath(this.parts.folder, entry, day), instrumentId: instrument.id, compress: this.compress,
      waiting: this.#waiting,
      master: masterLine(instrument, underlyingsOf(instrument, (id) => underlyings.get(id))),
      seam: (lastTime) => madeState(
        'ERROR', 'the recording was interrupted', { ...entry, epochDay }, timeFromEpochNs(lastTime, epochDay), 0),
      onFault: (error) => { onNote(`Not recorded any more: ${error.message}`) },
    })
    const one = { file, instrument: instrumentName(instrument) }
    this.#open.add(one)
    return one
  }
}

function taker(file: RecordedDay, epochDay: number): DayTaker {
  return { epochDay, take: (batch, index) => { file.take(batch, index) } }
}

function recordedPath(folder: string, { instrument: { exchangeCode, code } }: InstrumentEntry, day: number): string {
  return join(folder, shopFileName(exchangeCode, code, dayText(day), 'txt.zst'))
}

/**
 * Begins a recording: makes its folder, names what an earlier one left unfinished, and sees that the days of what is
 * followed can be recorded. Throws OUTPUT_FAILED and OUTPUT_EXISTS.
 */
export async function openDayRecording(parts: DayRecordingParts): Promise<DayRecording> {
  const folder = resolve(parts.folder)
  const { instruments, epochDay, isOnWall, followed, onNote } = parts
  await makeFolder(folder)
  for (const sentence of await finishRecordings(folder)) onNote(sentence)
  const day = isOnWall ? wallEpochDay() : epochDay
  for (const id of followed) {
    const entry = instruments.get(id)
    if (entry === undefined) continue
    await checkRecordable(recordedPath(folder, entry, day), id)
    if (entry.instrument.counterUnderlyingId === null)
      onNote(`Recording of ${instrumentName(entry.instrument)}: its underlyings are not known, which a backtest over ` +
        'the files needs; `terms` names a tick file that states them')
  }
  return new DayRecording({ ...parts, folder }, await createFrameCompressor(LEVEL))
}

/** The first fault of a recording; null where all was written. */
export function recordingFault(files: readonly RecordedDayFile[]): BacktapeError | null {
  return files.find(({ error }) => error !== null)?.error ?? null
}
