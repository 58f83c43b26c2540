import { BacktapeError } from '../../model/error.js'
import { ARCHIVE_LIMITS, contentKind, KIND_BYTES, shownName, skipReason } from './archive-kind.js'
import { type ByteRanges, rangeChunks } from './byte-range-reader.js'
import { baseNameOf } from './file-day.js'
import { rangeCursor, streamCursor, type TarCursor } from './tar-cursor.js'
import { archiveDamage, decodePaxRecords, decodeTarHeader, isZeroBlock, nonFileReason } from './tar-header.js'
import type { SkippedMember, SourceOptions, TickSource } from './tick-source.js'

const BLOCK = 512

/** A member whose content the cursor stands at. */
interface TarMember {
  readonly name: string
  readonly start: number
  readonly sizeBytes: number
  readonly reason: string | null
}

interface Extended {
  path?: string
  sizeBytes?: number
  isSparse?: boolean
}

async function takeExactly(cursor: TarCursor, length: number, archive: string): Promise<Uint8Array> {
  const bytes = await cursor.peek(length)
  if (bytes.length < length)
    throw archiveDamage(archive, cursor.offset + bytes.length, 'the archive is cut off: it ends')
  const copy = bytes.slice()
  await cursor.skip(length)
  return copy
}

async function skipOrThrow(
  cursor: TarCursor, length: number, archive: string, sizeBytes: number | null,
): Promise<void> {
  if (await cursor.skip(length)) return
  throw archiveDamage(archive, sizeBytes ?? cursor.offset, 'the archive is cut off: it ends')
}

function limitError(archive: string, what: string, limit: number): BacktapeError {
  return new BacktapeError('LIMIT_EXCEEDED', `Cannot read ${archive}: ${what} is over the limit of ${String(limit)}`, {
    file: archive, expected: `at most ${String(limit)}`,
  })
}

/** Reads the content of a pax or GNU header that describes the next member. */
async function readExtended(cursor: TarCursor, type: string, length: number, archive: string): Promise<Extended> {
  if (length > ARCHIVE_LIMITS.extendedHeaderBytes)
    throw limitError(archive, 'an extended header in bytes', ARCHIVE_LIMITS.extendedHeaderBytes)
  const offset = cursor.offset
  const bytes = (await takeExactly(cursor, Math.ceil(length / BLOCK) * BLOCK, archive)).subarray(0, length)
  if (type === 'x') return decodePaxRecords(bytes, archive, offset)
  const zero = bytes.indexOf(0)
  return type === 'L' ? { path: new TextDecoder().decode(zero < 0 ? bytes : bytes.subarray(0, zero)) } : {}
}

async function checkEnd(cursor: TarCursor, archive: string): Promise<void> {
  for (;;) {
    const offset = cursor.offset
    const bytes = await cursor.take(1 << 16)
    if (bytes.length === 0) return
    const at = bytes.findIndex((byte) => byte !== 0)
    if (at >= 0) throw archiveDamage(archive, offset + at, 'more bytes follow the end mark')
  }
}

/** Walks the headers; the consumer of a member must leave the cursor anywhere within its content. */
async function* walkTar(
  cursor: TarCursor, archive: string, sizeBytes: number | null,
): AsyncGenerator<TarMember, void, undefined> {
  let extended: Extended = {}
  for (let count = 0; ; ) {
    const offset = cursor.offset
    const block = await takeExactly(cursor, BLOCK, archive)
    if (isZeroBlock(block)) return checkEnd(cursor, archive)
    const header = decodeTarHeader(block, archive, offset)
    if (header.type === 'x' || header.type === 'L' || header.type === 'K' || header.type === 'g') {
      if (header.type === 'g')
        await skipOrThrow(cursor, Math.ceil(header.sizeBytes / BLOCK) * BLOCK, archive, sizeBytes)
      else extended = { ...extended, ...(await readExtended(cursor, header.type, header.sizeBytes, archive)) }
      continue
    }
    if (++count > ARCHIVE_LIMITS.members) throw limitError(archive, 'the number of members', ARCHIVE_LIMITS.members)
    const name = shownName(extended.path ?? header.name)
    if (name.length > ARCHIVE_LIMITS.nameBytes)
      throw limitError(archive, 'the length of a member name', ARCHIVE_LIMITS.nameBytes)
    const reason = nonFileReason(extended.isSparse === true ? 'S' : header.type)
    // Links and folders have no content, whatever size they state; sparse files do.
    const length = reason === null || !/[1-6]/.test(header.type) ? (extended.sizeBytes ?? header.sizeBytes) : 0
    const start = cursor.offset
    extended = {}
    yield { name, start, sizeBytes: length, reason }
    await skipOrThrow(cursor, start + Math.ceil(length / BLOCK) * BLOCK - cursor.offset, archive, sizeBytes)
  }
}

async function describe(member: TarMember, cursor: TarCursor, archive: string): Promise<SkippedMember | null> {
  const name = `${archive}#${member.name}`
  const reason =
    member.reason ??
    skipReason(baseNameOf(member.name), contentKind(await cursor.peek(Math.min(member.sizeBytes, KIND_BYTES))))
  return reason === null ? null : { name, skippedBecause: reason }
}

function cutMember(name: string, offset: number): BacktapeError {
  return archiveDamage(name, offset, 'the archive is cut off: it ends')
}

async function* memberChunks(
  ranges: ByteRanges, name: string, member: TarMember, options?: SourceOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let offset = member.start
  const end = member.start + member.sizeBytes
  for await (const chunk of rangeChunks(ranges, offset, end, options)) {
    offset += chunk.length
    yield chunk
  }
  if (offset < end) throw cutMember(name, offset)
}

/**
 * The members of a tar with random access, in archive order. Headers are found by seeking, so listing a large archive
 * reads little; a member is read again as often as it is opened. Throws ARCHIVE_DAMAGED with the byte offset where the
 * tar is cut off.
 */
export async function* openTarMembers(ranges: ByteRanges): AsyncGenerator<TickSource | SkippedMember, void, undefined> {
  const handle = await ranges.open()
  try {
    const cursor = rangeCursor(handle, ranges.sizeBytes)
    for await (const member of walkTar(cursor, ranges.name, ranges.sizeBytes)) {
      const name = `${ranges.name}#${member.name}`
      const skipped = await describe(member, cursor, ranges.name)
      yield skipped ?? {
        name,
        fileName: baseNameOf(member.name),
        sizeBytes: member.sizeBytes,
        repeatable: true,
        ...(ranges.diskPath === undefined ? {} : { fromByte: member.start }),
        open: (options) => memberChunks(ranges, name, member, options),
      }
    }
  } finally {
    await handle.close()
  }
}

async function* streamedMember(
  cursor: TarCursor, name: string, member: TarMember,
): AsyncGenerator<Uint8Array, void, undefined> {
  const end = member.start + member.sizeBytes
  while (cursor.offset < end) {
    const chunk = await cursor.take(Math.min(end - cursor.offset, 1 << 20))
    if (chunk.length === 0) throw cutMember(name, cursor.offset)
    yield chunk
  }
}

/**
 * The members of a tar from a stream. Each can be opened once, before the next one is asked for; what is left of it is
 * read past.
 */
export async function* streamTarMembers(
  chunks: AsyncGenerator<Uint8Array, void, undefined>, archive: string,
): AsyncGenerator<TickSource | SkippedMember, void, undefined> {
  const cursor = streamCursor(chunks)
  try {
    for await (const member of walkTar(cursor, archive, null)) {
      const name = `${archive}#${member.name}`
      const skipped = await describe(member, cursor, archive)
      let openable = true
      yield (
        skipped ?? {
          name,
          fileName: baseNameOf(member.name),
          sizeBytes: member.sizeBytes,
          repeatable: false,
          open() {
            if (!openable)
              throw new BacktapeError(
                'OPTION_INVALID',
                `Cannot read ${name} again: a stream gives its bytes once, in order; save it to a file first`,
                { file: name },
              )
            openable = false
            return streamedMember(cursor, name, member)
          },
        }
      )
      openable = false
    }
  } finally {
    await chunks.return()
  }
}
