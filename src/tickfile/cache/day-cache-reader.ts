import { closing } from '../../model/closing.js'
import { createHash } from 'node:crypto'
import { open, rm, utimes, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { BacktapeError } from '../../model/error.js'
import { trackBlock } from '../../model/book-track.js'
import { orderBlock } from '../../replay/batch-order.js'
import type { EventBatch } from '../../model/event-batch.js'
import { batchFromFrame, trackFromFrame, FRAME_HEAD_BYTES } from './day-cache-frame.js'
import { ThreadFrames, type FrameJob } from './day-frame-client.js'
import { FrameReader, LocalFrames, type Frame, type FrameSource } from './day-frame-reader.js'
import { cacheFileName } from './day-cache-name.js'
import { keptReading, type DayCache } from './day-cache-writer.js'
import { epochDayFromFileName } from '../archive/file-day.js'
import { masterDataFromLine } from '../lines/master-data.js'
import { emptySummary, type Reading, type ReadingSummary } from '../lines/reading.js'
import { readTickFile } from '../tick-file-reader.js'
import { sourceMemory, type SourceMemory } from './source-memory-writer.js'
import type { TickSource } from '../archive/tick-source.js'
import { epochDayFromText } from '../../model/time.js'
import type { ReadOptions } from '../archive/read-options.js'
import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** Nearly every end frame lies within so many last bytes; one that lists damages may be longer. */
const TAIL_BYTES = 16_384

/** The beginning of an end frame's JSON; within a string of JSON its quotes would be escaped. */
const END_BEGINS = '{"kind":"end",'

function tailOf(fd: number, sizeBytes: number, lengthBytes: number): Buffer {
  const tail = Buffer.alloc(lengthBytes)
  let filled = 0
  while (filled < lengthBytes) {
    const bytesRead = readSync(fd, tail, filled, lengthBytes - filled, sizeBytes - lengthBytes + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return tail.subarray(0, filled)
}

/**
 * True where the last bytes of a cached day are a whole end frame: one that was cut anywhere has none there. Looks at
 * little more than that frame.
 */
function endsWhole(fd: number, sizeBytes: number): boolean {
  for (let lengthBytes = Math.min(sizeBytes, TAIL_BYTES); ; lengthBytes = Math.min(sizeBytes, lengthBytes * 16)) {
    const tail = tailOf(fd, sizeBytes, lengthBytes)
    const at = tail.lastIndexOf(END_BEGINS)
    if (at >= FRAME_HEAD_BYTES) {
      const head = tail.subarray(at - FRAME_HEAD_BYTES, at)
      const json = tail.subarray(at)
      return head.readUInt32LE(0) === json.length && head.readUInt32LE(4) === 0 && head.readUInt32LE(8) === crc32(json)
    }
    if (lengthBytes === sizeBytes) return false
  }
}

/** Smaller days are read in this thread: starting another one takes as long. */
const THREAD_BYTES = 33_554_432

/** A source is read in pieces this large for its digest: each costs two changes of threads. */
const DIGEST_CHUNK_BYTES = 4_194_304

/** SHA-256 of a source's bytes, 64 hex digits: reads it once. */
async function contentDigest(source: TickSource): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source.open({ reuseChunks: true, chunkBytes: DIGEST_CHUNK_BYTES })) hash.update(chunk)
  return hash.digest('hex')
}

/** Throws the error of {@link brokenClaim} where a source has not the digest that a reading of it was made by. */
export async function checkClaim(source: TickSource, claim: SourceMemory | null): Promise<void> {
  if (claim !== null && await contentDigest(source) !== claim.claimedSha256) throw await brokenClaim(source, claim)
}

/** A reading, and the SHA-256 of its source where it was needed already. */
export interface CachedReading {
  readonly reading: Reading
  /** 64 hex digits; null for a source that can be read once only: such a one is not cached. */
  readonly sha256: string | null
  /**
   * Where the digest is what was remembered of the source: whoever trusts the reading has to see that it still holds.
   * Null where the source was read.
   */
  readonly claim: SourceMemory | null
}

/**
 * Opens a tick file through a cache of decoded days: the first reading keeps its columns there, a later one of the same
 * bytes streams them from the disk. The same events come either way. A damaged day is removed and made again from its
 * source: one whose damage shows in the middle goes on from the source behind the last batch that was whole, as every
 * batch has a checksum. A large file that was digested before is not digested first: its digest is a claim then. Throws
 * what {@link readTickFile} throws.
 */
export async function readCachedDay(source: TickSource, options: ReadOptions, cache: DayCache): Promise<CachedReading> {
  if (!source.repeatable) return { reading: await readTickFile(source, options), sha256: null, claim: null }
  const memory = await sourceMemory(source, cache.folder)
  const claimed = memory?.claimedSha256 ?? null
  if (memory !== null && claimed !== null) {
    const make = async (): Promise<Reading> => {
      // What is kept under a digest must have it.
      if (await contentDigest(source) !== claimed) throw await brokenClaim(source, memory)
      return madeDay(source, { sha256: claimed, options, cache })
    }
    const reading = await keptDay(source, { sha256: claimed, options, cache }, make)
    if (reading !== null) return { reading, sha256: claimed, claim: memory }
  }
  const sha256 = await contentDigest(source)
  await memory?.remember(sha256)
  const make = (): Promise<Reading> => madeDay(source, { sha256, options, cache })
  return { reading: await keptDay(source, { sha256, options, cache }, make) ?? await make(), sha256, claim: null }
}

/** The error of a run over a cached day whose source has other bytes than was remembered; they are forgotten. */
export async function brokenClaim(
  { name }: Pick<TickSource, 'name'>, memory: Pick<SourceMemory, 'forget'>,
): Promise<BacktapeError> {
  await memory.forget()
  const sentence = `Cannot go on with the cached day of ${name}: the file has other bytes than were remembered of ` +
    'it; run again, its digest is made anew'
  return new BacktapeError('FILE_UNREADABLE', sentence, { file: name })
}

/** A day of the cache: by what, and how it is read. */
interface DayKey {
  readonly sha256: string
  readonly options: ReadOptions
  readonly cache: DayCache
}

function dayOf(source: TickSource, options: ReadOptions): number | null {
  return options.day === undefined ? epochDayFromFileName(source.fileName) : epochDayFromText(options.day)
}

async function madeDay(source: TickSource, { sha256, options, cache }: DayKey): Promise<Reading> {
  return keptReading(await readTickFile(source, options), cache, cacheFileName(sha256, dayOf(source, options), options))
}

/** The day as it is kept; null where it is not, or not whole. */
async function keptDay(
  source: TickSource, { sha256, options, cache }: DayKey, make: () => Promise<Reading>,
): Promise<Reading | null> {
  const day = dayOf(source, options)
  const path = join(cache.folder, cacheFileName(sha256, day, options))
  const file = await open(path, 'r').catch(() => null)
  const cached = file === null ? null : await cachedReading(file, { path, source, day, make, cache }).catch(() => null)
  if (cached === null) await file?.close()
  return cached
}

interface CachedDay {
  readonly path: string
  readonly source: TickSource
  readonly day: number | null
  readonly cache: DayCache
  /** Reads the source itself, and keeps its columns in the place of these. */
  readonly make: () => Promise<Reading>
}

/** A summary as a kept day or a reading states it. */
type KeptSummary = Omit<ReadingSummary, 'unknownTypes' | 'cut'> & {
  readonly cut?: ReadingSummary['cut']
  readonly unknownTypes: Iterable<readonly [number, number]>
}

function takenTwice(file: string): BacktapeError {
  const sentence = `Cannot read ${file} twice: a reading gives its batches once; open the file again`
  return new BacktapeError('OPTION_INVALID', sentence, { file })
}

async function cachedReading(file: FileHandle, { path, source, day, make, cache }: CachedDay): Promise<Reading> {
  const reader = new FrameReader(file.fd, path, 0)
  reader.checkMagic()
  const { content } = reader.read(new ArrayBuffer(0), (sizeBytes) => new ArrayBuffer(sizeBytes))
  if (content.kind !== 'start') throw reader.damaged('it does not begin with master data')
  const { size } = await file.stat()
  if (!endsWhole(file.fd, size)) throw reader.damaged('it does not end with its summary')
  const { instrument, underlyings, text: masterDataText } = masterDataFromLine(content.masterDataText, source.name)
  const summary = emptySummary()
  let isTaken = false
  // Each time a day is used it becomes the newest.
  const now = new Date()
  await utimes(path, now, now).catch(() => {})
  const finish = ({ unknownTypes, ...rest }: KeptSummary): void => {
    Object.assign(summary, rest, { unknownTypes: new Map(unknownTypes) })
  }
  async function* madeAgain(given: GivenBatches): AsyncGenerator<EventBatch, void, undefined> {
    const made = await make()
    try {
      yield* batchesBehind(made, given, path)
    } finally {
      await made.close()
    }
    finish(made.summary)
  }
  async function nextFrame(frames: FrameSource): Promise<Frame | null> {
    try {
      const frame = await frames.next()
      if (frame.content.kind === 'start') throw reader.damaged('it begins twice')
      return frame
    } catch {
      await rm(path, { force: true }).catch(() => undefined)
      cache.onNote?.(`The kept day ${path} of ${source.name} was damaged: it is removed and made again from its source`)
      return null
    }
  }
  async function* batches(): AsyncGenerator<EventBatch, void, undefined> {
    if (isTaken) throw takenTwice(source.name)
    isTaken = true
    const frames = await framesOf(file, reader, size, { path, sameStamp: cache.sameStamp ?? null })
    let frame: Frame | null
    const chain = {}
    let number = 0
    try {
      frame = await nextFrame(frames)
      while (frame?.content.kind === 'batch') {
        const { content, buffer, columnsAt: byteOffset } = frame
        summary.eventCount += content.count
        trackBlock(buffer, content.count, trackFromFrame(content, { buffer, byteOffset, chain, number: number++ }))
        orderBlock(buffer, frame.order)
        yield batchFromFrame(content, instrument, buffer, byteOffset)
        frame = await nextFrame(frames)
      }
    } finally {
      await frames.close()
    }
    if (frame?.content.kind === 'end') finish(frame.content.summary)
    else yield* madeAgain({ batchCount: number, eventCount: summary.eventCount })
  }
  return {
    name: source.name, fileName: source.fileName, instrument, underlyings, masterDataText, day, summary, batches,
    ...closing(async () => {
      if (!isTaken) await file.close()
      isTaken = true
    }),
  }
}

/** The batches that a damaged day gave before its damage. */
interface GivenBatches {
  readonly batchCount: number
  readonly eventCount: number
}

/** The batches of a source behind those that were given already: batches are a function of the file alone. */
async function* batchesBehind(
  made: Reading, given: GivenBatches, path: string,
): AsyncGenerator<EventBatch, void, undefined> {
  let [batchCount, eventCount] = [0, 0]
  for await (const batch of made.batches()) {
    if (batch.count === 0 || batchCount === given.batchCount) {
      yield batch
      continue
    }
    batchCount++
    eventCount += batch.count
    if (batchCount === given.batchCount && eventCount !== given.eventCount) throw otherDayError(made.name, path)
  }
  if (batchCount !== given.batchCount) throw otherDayError(made.name, path)
}

function otherDayError(name: string, path: string): BacktapeError {
  const sentence = `Cannot go on with ${name}: the kept day ${path} was damaged, and its source has other batches; ` +
    'run again'
  return new BacktapeError('FILE_UNREADABLE', sentence, { file: name })
}

async function framesOf(
  file: FileHandle, reader: FrameReader, sizeBytes: number, job: Omit<FrameJob, 'byteOffset'>,
): Promise<FrameSource> {
  if (sizeBytes < THREAD_BYTES) return new LocalFrames(reader, file)
  await file.close()
  return new ThreadFrames({ ...job, byteOffset: reader.byteOffset })
}
