import { type ArchiveMember, memberNames } from './archive-members.js'
import { type Segment, type Segments, segmentsOf } from './segments.js'

/** A file in a zip. */
export interface ZipMember extends ArchiveMember {
  /** The CRC-32 of the content, unsigned: `checksumOf` reads it. */
  readonly crc32: number
}

/** A member and where it lies. */
interface PlacedMember {
  readonly member: ZipMember
  readonly name: Uint8Array
  readonly offset: number
}

/** The mark of a number that stands in a field of zip64 instead. */
const MAX_32 = 0xffff_ffff
const MAX_16 = 0xffff
const PLAIN_VERSION = 10
const ZIP64_VERSION = 45
/** A regular file, 0644, made on Unix. */
const UNIX = 3 << 8
const FILE_MODE = 0o100644
const UTF8_FLAG = 0x0800
const ASCII_END = 127
const DOS_YEAR_FIRST = 1980
const DOS_YEAR_LAST = 2107

/**
 * A zip of members in their order, each stored as it is; zip64 fields stand where a size, an offset or the number of
 * members needs them. Nothing is read and nothing is built: contents stay where they are. Throws OPTION_INVALID for a
 * name, see {@link memberNames}.
 */
export function zipSegments(members: readonly ZipMember[]): Segments {
  const names = memberNames(members)
  const parts: Segment[] = []
  const placed: PlacedMember[] = []
  let offset = 0
  members.forEach((member, index) => {
    const one = { member, name: names[index] ?? new Uint8Array(), offset }
    const header = localHeader(one)
    parts.push(header, ...member.content.parts)
    placed.push(one)
    offset += header.length + member.content.sizeBytes
  })
  const list = placed.map(listEntry)
  const listBytes = list.reduce((total, { length }) => total + length, 0)
  return segmentsOf([...parts, ...list, ...ending(members.length, listBytes, offset)])
}

/** A reader takes sizes and checksum from here where it reads as a stream: both sizes stand in zip64, or none. */
function localHeader({ member: { content, crc32 }, name }: PlacedMember): Uint8Array {
  const size = content.sizeBytes
  const isWide = size >= MAX_32
  const shown = isWide ? MAX_32 : size
  const fields = new Fields().four(0x04034b50).two(isWide ? ZIP64_VERSION : PLAIN_VERSION)
  common(fields, content.modifiedMs, name).four(crc32, shown, shown).two(name.length, isWide ? 20 : 0).raw(name)
  if (isWide) fields.two(1, 16).eight(size, size)
  return fields.bytes()
}

/** An entry of the list at the end: in zip64 stand the numbers alone that have no room elsewhere. */
function listEntry({ member: { content, crc32 }, name, offset }: PlacedMember): Uint8Array {
  const size = content.sizeBytes
  const wide = [...size >= MAX_32 ? [size, size] : [], ...offset >= MAX_32 ? [offset] : []]
  const shown = Math.min(size, MAX_32)
  const version = wide.length > 0 ? ZIP64_VERSION : PLAIN_VERSION
  const fields = new Fields().four(0x02014b50).two(UNIX | version, version)
  common(fields, content.modifiedMs, name).four(crc32, shown, shown)
  fields.two(name.length, wide.length === 0 ? 0 : 4 + 8 * wide.length, 0, 0, 0)
  fields.two(0, FILE_MODE).four(Math.min(offset, MAX_32)).raw(name)
  if (wide.length > 0) fields.two(1, 8 * wide.length).eight(...wide)
  return fields.bytes()
}

/** Flags, method, time and date. */
function common(fields: Fields, modifiedMs: number | null, name: Uint8Array): Fields {
  return fields.two(name.some((byte) => byte > ASCII_END) ? UTF8_FLAG : 0, 0, ...dosTime(modifiedMs ?? 0))
}

function ending(count: number, listBytes: number, listOffset: number): readonly Uint8Array[] {
  const end = new Fields().four(0x06054b50).two(0, 0, Math.min(count, MAX_16), Math.min(count, MAX_16))
    .four(Math.min(listBytes, MAX_32), Math.min(listOffset, MAX_32)).two(0).bytes()
  if (count < MAX_16 && listBytes < MAX_32 && listOffset < MAX_32) return [end]
  const wide = new Fields().four(0x06064b50).eight(44).two(UNIX | ZIP64_VERSION, ZIP64_VERSION).four(0, 0)
    .eight(count, count, listBytes, listOffset)
    .four(0x07064b50, 0).eight(listOffset + listBytes).four(1)
  return [wide.bytes(), end]
}

/** Time and date of MS-DOS, in UTC: even seconds of the years 1980 to 2107. */
function dosTime(ms: number): readonly [time: number, date: number] {
  const last = Date.UTC(DOS_YEAR_LAST, 11, 31, 23, 59, 58)
  const at = new Date(Math.min(last, Math.max(Date.UTC(DOS_YEAR_FIRST, 0, 1), ms)))
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return [time, ((at.getUTCFullYear() - DOS_YEAR_FIRST) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()]
}

/** Little-endian fields, one after the other. */
class Fields {
  readonly #bytes: number[] = []

  two(...values: readonly number[]): this {
    for (const value of values) this.#bytes.push(value & 255, (value >>> 8) & 255)
    return this
  }

  four(...values: readonly number[]): this {
    for (const value of values) this.two(value & MAX_16, value >>> 16)
    return this
  }

  eight(...values: readonly number[]): this {
    for (const value of values) this.four(value % 2 ** 32, Math.floor(value / 2 ** 32))
    return this
  }

  raw(bytes: Uint8Array): this {
    for (const byte of bytes) this.#bytes.push(byte)
    return this
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}
