import { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader, type ZipFile } from 'yauzl'
import { BacktapeError } from '../../model/error.js'
import { ARCHIVE_LIMITS, contentKind, KIND_BYTES, shownName, skipReason } from './archive-kind.js'
import { type ByteRanges, type OpenRanges, rangeChunks } from './byte-range-reader.js'
import { baseNameOf } from './file-day.js'
import { archiveDamage } from './tar-header.js'
import type { SkippedMember, TickSource } from './tick-source.js'

const STORED = 0
const DEFLATED = 8
/** Deflate cannot do better than this: a greater stated ratio is a lie. */
const DEFLATE_RATIO_LIMIT = 1032

/** Where a member lies and what its list entry states of it. */
interface ZipMember {
  readonly name: string
  readonly headerOffset: number
  readonly dataStart: number
  readonly compressedBytes: number
  readonly sizeBytes: number
  readonly method: number
  readonly crc: number
  readonly isEncrypted: boolean
  readonly isLink: boolean
}

/** Lets the zip library read from our ranges. */
class RangeReader extends RandomAccessReader {
  constructor(
    private readonly handle: OpenRanges,
    private readonly ranges: ByteRanges,
  ) {
    super()
  }

  override read(
    buffer: Buffer, offset: number, length: number, position: number, callback: (error: Error | null) => void,
  ): void {
    this.handle.read(position, length).then(
      (bytes) => {
        buffer.set(bytes, offset)
        callback(
          bytes.length === length
            ? null
            : archiveDamage(this.ranges.name, position + bytes.length, 'the archive is cut off: it ends'),
        )
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)))
      },
    )
  }

  override _readStreamForRange(): Readable {
    throw new Error('members are read from the ranges themselves')
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null)
  }
}

function zipError(ranges: ByteRanges, cause: unknown): Error {
  if (cause instanceof BacktapeError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  const place = { file: ranges.name, byteOffset: ranges.sizeBytes, found: reason.slice(0, 80) }
  if (/encryption/.test(reason)) {
    return new BacktapeError(
      'ARCHIVE_UNSUPPORTED', `Cannot read ${ranges.name}: it is encrypted; unpack it with its password first`, place,
      cause,
    )
  }
  if (/multi-disk/.test(reason))
    return new BacktapeError(
      'ARCHIVE_UNSUPPORTED', `Cannot read ${ranges.name}: it is one part of several; join them first`, place, cause,
    )
  if (/not found/.test(reason)) {
    return new BacktapeError(
      'ARCHIVE_DAMAGED',
      `Cannot read ${ranges.name}: the zip is cut off: no list of members before its end at byte ` +
        String(ranges.sizeBytes),
      place,
      cause,
    )
  }
  return new BacktapeError(
    'ARCHIVE_DAMAGED', `Cannot read ${ranges.name}: the zip contradicts itself: ${reason}`, place, cause,
  )
}

const UNIX_LINK = 0o120000

async function memberFromEntry(zip: ZipFile, entry: Entry): Promise<ZipMember> {
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  return {
    name: shownName(getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true)),
    headerOffset: entry.relativeOffsetOfLocalHeader,
    dataStart: fileDataStart,
    compressedBytes: entry.compressedSize,
    sizeBytes: entry.uncompressedSize,
    method: entry.compressionMethod,
    crc: entry.crc32,
    isEncrypted: entry.isEncrypted(),
    isLink: ((entry.externalFileAttributes >>> 16) & 0o170000) === UNIX_LINK,
  }
}

function checkMember(archive: string, member: ZipMember, previousEnd: number): void {
  const { name, headerOffset, dataStart, compressedBytes, sizeBytes, method } = member
  if (headerOffset < previousEnd)
    throw archiveDamage(`${archive}#${name}`, headerOffset, 'the member overlaps the one before')
  if (name.length > ARCHIVE_LIMITS.nameBytes) {
    throw new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot read ${archive}: the length of a member name is over the limit of ${String(ARCHIVE_LIMITS.nameBytes)}`,
      { file: archive },
    )
  }
  if (method === DEFLATED && sizeBytes > compressedBytes * DEFLATE_RATIO_LIMIT + 64) {
    throw archiveDamage(
      `${archive}#${name}`, dataStart,
      `the member states ${String(sizeBytes)} bytes in ${String(compressedBytes)} deflated ones`,
    )
  }
}

async function listMembers(ranges: ByteRanges, handle: OpenRanges): Promise<ZipMember[]> {
  const reader = new RangeReader(handle, ranges)
  const zip = await fromRandomAccessReaderPromise(reader, ranges.sizeBytes, { decodeStrings: false, autoClose: false })
  if (zip.entryCount > ARCHIVE_LIMITS.members) {
    throw new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot read ${ranges.name}: the number of members is over the limit of ${String(ARCHIVE_LIMITS.members)}`,
      { file: ranges.name },
    )
  }
  const members: ZipMember[] = []
  for await (const entry of zip.eachEntry()) members.push(await memberFromEntry(zip, entry))
  members.sort((a, b) => a.headerOffset - b.headerOffset)
  let end = 0
  for (const member of members) {
    checkMember(ranges.name, member, end)
    end = member.dataStart + member.compressedBytes
    if (end > ranges.sizeBytes)
      throw archiveDamage(`${ranges.name}#${member.name}`, ranges.sizeBytes, 'the archive is cut off: it ends')
  }
  return members
}

function refuseMember(name: string, member: ZipMember): void {
  if (member.isEncrypted)
    throw new BacktapeError(
      'ARCHIVE_UNSUPPORTED', `Cannot read ${name}: it is encrypted; unpack it with its password first`, { file: name },
    )
  if (member.method !== STORED && member.method !== DEFLATED) {
    throw new BacktapeError(
      'ARCHIVE_UNSUPPORTED',
      `Cannot read ${name}: it is packed by zip method ${String(member.method)}, only stored and deflated members ` +
        'are read; unpack it first',
      {
        file: name,
        expected: '0 or 8',
        found: String(member.method),
      },
    )
  }
}

async function* inflate(
  chunks: AsyncIterable<Uint8Array>, name: string, member: ZipMember,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = Readable.from(chunks)
  const inflater = createInflateRaw({ chunkSize: 1 << 18 })
  source.on('error', (error) => inflater.destroy(error))
  try {
    for await (const chunk of source.pipe(inflater) as AsyncIterable<Uint8Array>) yield chunk
  } catch (error) {
    if (error instanceof BacktapeError) throw error
    throw archiveDamage(
      name, member.dataStart,
      `the deflated content is damaged (${error instanceof Error ? error.message : String(error)})`,
    )
  } finally {
    source.destroy()
    inflater.destroy()
  }
}

async function* memberChunks(
  ranges: ByteRanges, name: string, member: ZipMember,
): AsyncGenerator<Uint8Array, void, undefined> {
  refuseMember(name, member)
  const packed = rangeChunks(ranges, member.dataStart, member.dataStart + member.compressedBytes)
  let size = 0
  let crc = 0
  for await (const chunk of member.method === DEFLATED ? inflate(packed, name, member) : packed) {
    size += chunk.length
    if (size > member.sizeBytes)
      throw archiveDamage(
        name, member.dataStart, `the member holds more than the ${String(member.sizeBytes)} bytes that it states`,
      )
    crc = crc32(chunk, crc)
    yield chunk
  }
  if (size < member.sizeBytes)
    throw archiveDamage(
      name, member.dataStart,
      `the member holds ${String(size)} of the ${String(member.sizeBytes)} bytes that it states`,
    )
  if (crc !== member.crc) throw archiveDamage(name, member.dataStart, 'the content does not match its checksum')
}

async function firstBytes(ranges: ByteRanges, name: string, member: ZipMember): Promise<Uint8Array> {
  const head = new Uint8Array(Math.min(KIND_BYTES, member.sizeBytes))
  let filled = 0
  const packed = rangeChunks(
    ranges, member.dataStart, member.dataStart + Math.min(member.compressedBytes, 4 * KIND_BYTES),
  )
  try {
    for await (const chunk of member.method === DEFLATED ? inflate(packed, name, member) : packed) {
      const part = chunk.subarray(0, head.length - filled)
      head.set(part, filled)
      filled += part.length
      if (filled === head.length) break
    }
  } catch {
    // Damage speaks when the member is read.
  }
  return head.subarray(0, filled)
}

async function skippedReason(ranges: ByteRanges, name: string, member: ZipMember): Promise<string | null> {
  if (member.isLink) return 'a symbolic link'
  const isReadable = !member.isEncrypted && (member.method === STORED || member.method === DEFLATED)
  const kind = isReadable ? contentKind(await firstBytes(ranges, name, member)) : 'other'
  const reason = skipReason(baseNameOf(member.name), kind)
  return reason === null || reason === 'a folder' || isReadable ? reason : 'packed in a way that cannot be looked into'
}

/** True where the bytes of a file are those of a member as they are. */
function isStretch({ diskPath }: ByteRanges, { method, isEncrypted, compressedBytes, sizeBytes }: ZipMember): boolean {
  return diskPath !== undefined && method === STORED && !isEncrypted && compressedBytes === sizeBytes
}

/**
 * The members of a zip, in the order in which they lie in it. Stored and deflated, zip64 too; sizes, overlaps and
 * checksums are verified. An encrypted member, or one of another method, is refused by name when it is opened.
 */
export async function* openZipMembers(ranges: ByteRanges): AsyncGenerator<TickSource | SkippedMember, void, undefined> {
  const handle = await ranges.open()
  let members: ZipMember[]
  try {
    members = await listMembers(ranges, handle)
  } catch (error) {
    throw zipError(ranges, error)
  } finally {
    await handle.close()
  }
  for (const member of members) {
    const name = `${ranges.name}#${member.name}`
    const reason = await skippedReason(ranges, name, member)
    if (reason !== null) yield { name, skippedBecause: reason }
    else
      yield {
        name, fileName: baseNameOf(member.name), sizeBytes: member.sizeBytes, repeatable: true,
        ...(isStretch(ranges, member) ? { fromByte: member.dataStart } : {}),
        open: () => memberChunks(ranges, name, member),
      }
  }
}
