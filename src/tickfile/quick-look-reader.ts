import { BacktapeError } from '../model/error.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { epochNsFromTime } from '../model/time.js'
import { fileRanges, rangeChunks } from './archive/byte-range-reader.js'
import type { ReadOptions } from './archive/read-options.js'
import type { TickSource } from './archive/tick-source.js'
import type { Reading } from './lines/reading.js'
import { readTickFile } from './tick-file-reader.js'
import { readFramePlaces, type FramePlace } from './zstd/frame-places-reader.js'
import { createZstdTextDecoder } from './zstd/zstd-text-decoder.js'

/** A file as its begin and its end say it, the rest unread. */
export interface QuickLook {
  readonly name: string
  readonly instrument: Instrument
  readonly underlyings: readonly Underlying[]
  /** Days since 1970-01-01; null where nothing says it. */
  readonly epochDay: number | null
  /** Adapter time of the first event in file order; null for a file without events. */
  readonly firstTimestampNs: bigint | null
  /** Adapter time of the last event in file order; null where it was not read. */
  readonly lastTimestampNs: bigint | null
  readonly compressedBytes: number
  /** Bytes of text where every frame states its own; else null. */
  readonly textBytes: number | null
  readonly frameCount: number
  readonly lastFrameBytes: number
}

/** The begin that is read first; four times as much where it holds no event. */
const BEGIN_BYTES = 16_384
/** Last frames up to this size are read, those with more text left out. */
export const LAST_FRAME_BYTES = 262_144
const LAST_TEXT_BYTES = 16_777_216

const RAW_BLOCK_BYTES = 131_072

/**
 * Looks at the begin of a file, at the headers of its frames and blocks, and at its last frame where that is small.
 * Throws OPTION_INVALID for what is no file on disk, ZSTD_TRUNCATED for a cut file, and what {@link readTickFile}
 * throws of the begin.
 */
export async function readQuickLook(source: TickSource, options: ReadOptions): Promise<QuickLook> {
  const { name, diskPath } = source
  if (diskPath === undefined) {
    const sentence = `Cannot look at ${name} quickly: it must be a file of its own on disk, found a member of an ` +
      'archive or a stream; leave out --quick'
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'quick', file: name })
  }
  const begin = await readBegin(source, diskPath, options)
  const frames = await readFramePlaces(diskPath, name)
  const last = frames.at(-1)
  const lastTimestampNs = last === undefined || last.sizeBytes > LAST_FRAME_BYTES
    ? null
    : await readLastTime(begin, await textOf(last, source, diskPath, options), options)
  const { instrument, underlyings, day, firstTimestampNs } = begin
  const stated = frames.map(({ contentBytes }) => contentBytes)
  return {
    name, instrument, underlyings, epochDay: day, firstTimestampNs, lastTimestampNs,
    compressedBytes: source.sizeBytes ?? 0,
    textBytes: stated.includes(null) ? null : stated.reduce((sum: number, bytes) => sum + (bytes ?? 0), 0),
    frameCount: frames.length, lastFrameBytes: last?.sizeBytes ?? 0,
  }
}

interface Begin extends Pick<Reading, 'fileName' | 'instrument' | 'underlyings' | 'day' | 'masterDataText'> {
  readonly firstTimestampNs: bigint | null
}

/** The first line and the first event, out of as little of the file as holds them. */
async function readBegin(source: TickSource, path: string, options: ReadOptions): Promise<Begin> {
  const wholeBytes = source.sizeBytes ?? 0
  for (let sizeBytes = BEGIN_BYTES; ; sizeBytes *= 4) {
    const isWhole = sizeBytes >= wholeBytes
    const head: TickSource = {
      ...source, sizeBytes: Math.min(sizeBytes, wholeBytes),
      open: (given) => rangeChunks(fileRanges(path, wholeBytes), 0, Math.min(sizeBytes, wholeBytes), given),
    }
    try {
      const { first, reading } = await firstAndLast(head, options, 'first')
      if (first !== null || isWhole) return { ...reading, firstTimestampNs: first }
    } catch (error) {
      // A line that reaches beyond what was read is no fault of the file.
      if (isWhole || !isOfTheEnd(error)) throw error
    }
  }
}

function isOfTheEnd(error: unknown): boolean {
  return error instanceof BacktapeError && ['ZSTD_TRUNCATED', 'MASTER_DATA_MALFORMED'].includes(error.code)
}

/** The times of the first and the last event of a source; the first alone where no more is wanted. */
async function firstAndLast(
  source: TickSource, options: ReadOptions, wanted: 'first' | 'both',
): Promise<{ readonly reading: Reading, readonly first: bigint | null, readonly last: bigint | null }> {
  const reading = await readTickFile(source, options)
  let [first, last]: (bigint | null)[] = [null, null]
  for await (const { count, adapterTimeNs, epochDay } of reading.batches()) {
    if (count === 0) continue
    first ??= epochNsFromTime(adapterTimeNs[0] as number, epochDay)
    last = epochNsFromTime(adapterTimeNs[count - 1] as number, epochDay)
    if (wanted === 'first') break
  }
  return { reading, first: first ?? null, last: last ?? null }
}

/** The text of a frame; null where it is longer than anybody wants to wait for. */
async function textOf(
  { byteOffset, sizeBytes }: FramePlace, { name }: TickSource, path: string, options: ReadOptions,
): Promise<Uint8Array | null> {
  const handle = await fileRanges(path, byteOffset + sizeBytes).open()
  const bytes = await handle.read(byteOffset, sizeBytes).finally(() => handle.close())
  const { zstd = 'auto', windowLimitBytes = 134_217_728 } = options
  const decoder = await createZstdTextDecoder({ fileName: name, zstd, windowLimitBytes })
  const text = new Uint8Array(LAST_TEXT_BYTES)
  try {
    decoder.push(bytes)
    const lengthBytes = decoder.read(text)
    if (lengthBytes === text.length) return null
    // What is wrong behind the text shows when more is asked for.
    decoder.read(text.subarray(lengthBytes))
    decoder.end()
    return text.subarray(0, lengthBytes)
  } catch (error) {
    if (!(error instanceof BacktapeError)) throw error
    const sentence = `Cannot read the last frame of ${name}, which begins at byte ${byteOffset}: it is damaged; ` +
      'without --quick its place is reported'
    throw new BacktapeError(error.code, sentence, { file: name, byteOffset }, error)
  } finally {
    decoder.close()
  }
}

/** The time of the last event in the text of a last frame, whose first line may have begun in the frame before. */
async function readLastTime(begin: Begin, text: Uint8Array | null, options: ReadOptions): Promise<bigint | null> {
  const from = text === null ? -1 : text.indexOf(10)
  if (text === null || from < 0) return null
  const { fileName, masterDataText } = begin
  const bytes = [...rawFrames(new TextEncoder().encode(`${masterDataText}\n`)), ...rawFrames(text.subarray(from + 1))]
  const source: TickSource = {
    name: fileName, fileName, sizeBytes: null, repeatable: true,
    async *open() { yield* bytes },
  }
  // Numbers of lines would be those of this text: damage is left to a whole reading.
  return (await firstAndLast(source, { ...options, onDamage: 'skip' }, 'both')).last
}

/** Text as zstd frames of one uncompressed block each. */
function rawFrames(text: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = []
  for (let at = 0; at < text.length; at += RAW_BLOCK_BYTES) {
    const block = text.subarray(at, at + RAW_BLOCK_BYTES)
    const header = block.length << 3 | 1
    // Magic, no size and no checksum, a window of 128 KiB, the block's size.
    frames.push(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, header & 255, header >>> 8 & 255, header >>> 16), block)
  }
  return frames
}
